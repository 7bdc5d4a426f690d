"""What nothing can be done with is refused where it is written, and not with the first call."""

import pytest

from errata.resilience import Breaker, Change, MemoryStore, RedisStore, effect, protect, retry


async def tell_later(change):
    """Nobody would await it."""


class TellLater:
    async def __call__(self, change):
        """Nobody would await it, either."""


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"store": 5}, "`store` is 5. Give a `MemoryStore`, a `RedisStore`, or an object"),
        ({"store": MemoryStore}, "`store` is a type. Give a `MemoryStore`"),
        ({"fallback_tool": 5}, "`fallback_tool` is 5. Name the tool"),
        ({"fallback_tool": " "}, "`fallback_tool` is ' '. Name the tool"),
        ({"on_change": 5}, "`on_change` is 5. Give a plain function"),
        (
            {"on_change": tell_later},
            "`on_change` is a function. Give a plain function that takes a `Change`; it is not",
        ),
        ({"on_change": TellLater()}, "`on_change` is a TellLater. Give a plain function"),
        (
            {"open_s": 1e12},
            "`open_s` is 1000000000000.0. Give a number of seconds, more than 0 and no more than ten years",
        ),
    ],
)
@pytest.mark.parametrize("make", [Breaker, protect])
def test_a_breaker_says_which_setting_it_cannot_use(make, options, words):
    with pytest.raises(ValueError, match=words):
        make("ncbi", **({"store": MemoryStore()} | options))


def test_the_longest_times_can_be_told(store):
    breaker = Breaker("ncbi", failures=1, open_s=10 * 365 * 24 * 3600, store=store)
    breaker.settle(breaker.permit(), TimeoutError("read"))
    assert breaker.status().expected_recovery.startswith("2036")


@pytest.mark.parametrize("given", [None, 5, "x", property(lambda self: self)])
@pytest.mark.parametrize("make", [Breaker, protect])
def test_what_is_no_function_cannot_be_protected(make, given, store):
    protecting = make("ncbi", store=store)
    with pytest.raises(TypeError, match=r"is no function\. Give the function that calls `ncbi`"):
        protecting(given)
    with pytest.raises(TypeError, match="is no function"):
        protecting.call(given)
    assert Breaker("ncbi", store=store).status().calls == 0


@pytest.mark.parametrize(
    "call", [Breaker("ncbi", store=MemoryStore()).call, protect("ncbi").call, retry.call, effect()]
)
def test_what_is_given_instead_of_a_function_is_not_shown(call):
    with pytest.raises(TypeError, match="A dict is no function") as refused:
        call({"token": "sk-live-0123"})
    assert "sk-live" not in str(refused.value)


def test_the_password_of_an_address_is_not_shown():
    with pytest.raises(ValueError, match="`store` is 'redis://") as refused:
        Breaker("ncbi", store="redis://:hunter2@h:6379")
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize("given", ["", " ", 5])
def test_an_effect_names_a_tool_to_look_with_or_none(given):
    with pytest.raises(ValueError, match=r"`verify_tool` is .*\. Name the tool that tells whether it happened"):
        effect(given)


@pytest.mark.parametrize("given", [int, Change, None, 5, "x"])
def test_an_effect_marks_functions_only(given):
    with pytest.raises(TypeError, match=r"is no function\. Put `@effect\(\)` above the function that does it"):
        effect()(given)


@pytest.mark.parametrize("prefix", [5, "", None, "{a}"])
def test_keys_begin_with_a_text(prefix):
    with pytest.raises(ValueError, match=r"`prefix` is .*\. Give a text that is not empty and has no braces in it"):
        RedisStore("redis://localhost", prefix=prefix)


@pytest.mark.parametrize("seconds", [0, -1, "1", None, True, float("inf"), float("nan")])
def test_a_store_waits_for_a_time(seconds):
    with pytest.raises(ValueError, match=r"`timeout_s` is .*\. Give a number of seconds, more than 0"):
        RedisStore("redis://localhost", timeout_s=seconds)
