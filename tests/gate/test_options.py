"""The settings of a gate: what they mean, and what is said of those that are wrong."""

import pytest
from hypothesis import given, strategies as st
from support.strategies import json_values

from errata import dialects
from errata.gate import GateOptions, GateSettings
from errata.resilience import Breaker, MemoryStore, retry


def test_without_settings_failures_are_repaired_and_nothing_else_is_done():
    options = GateOptions.of({})

    assert options == GateOptions()
    assert options.repair
    assert options.dialect is dialects.native
    assert {options.structured, options.soft, options.redact_success, options.keep_protocol_errors} == {False}
    assert (options.retry, options.breaker, options.effects) == (None, None, {})


def test_a_breaker_and_a_budget_are_those_of_the_server_and_of_the_store():
    store = MemoryStore()
    options = GateOptions.of({"retry": True, "breaker": True, "store": store}, name="shop")

    assert options.name == options.retry.upstream == options.breaker.upstream == "shop"
    assert options.retry.store is store
    assert GateOptions.of({"name": "till", "breaker": True}, name="shop").breaker.upstream == "till"


def test_a_policy_of_ones_own_counts_for_the_server_unless_it_names_another():
    own, others = retry(attempts=5), retry(attempts=2, upstream="bank")

    assert GateOptions.of({"retry": own}, name="shop").retry.upstream == "shop"
    assert GateOptions.of({"retry": own}, name="shop").retry.attempts == 5
    assert GateOptions.of({"retry": others}, name="shop").retry is others


def test_a_breaker_of_ones_own_is_taken_as_it_is():
    breaker = Breaker("bank")

    assert GateOptions.of({"breaker": breaker}, name="shop").breaker is breaker


WRONG = {
    "an unknown name": ({"dialct": "native"}, TypeError, "`The gate` takes no `dialct`. Did you mean `dialect`?"),
    "a flag": ({"soft": "yes"}, TypeError, "`soft` is 'yes'. Give True or False."),
    "a flag that is a number": ({"repair": 1}, TypeError, "`repair` is 1. Give True or False."),
    "a name": ({"name": 5}, TypeError, "`name` is 5. Give a text."),
    "a dialect": ({"dialect": "nativ"}, LookupError, "There is no dialect `nativ`. Did you mean `native`?"),
    "no dialect at all": ({"dialect": 5}, TypeError, "`dialect` is 5. Give one of `native`, "),
    "a policy": ({"retry": 3}, TypeError, "`retry` is 3. Give True, or a policy such as `retry(attempts=5)`."),
    "a breaker": ({"breaker": "on"}, TypeError, "`breaker` is 'on'. Give True, or a `Breaker`."),
    "a store": ({"store": "redis://a:pw@b"}, TypeError, "`store` is "),
    "effects": ({"effects": ["a"]}, TypeError, "`effects` are a mapping of names to words, and a list is none."),
    "an effect": ({"effects": {"a": "reads"}}, ValueError, "The effect of `a` is 'reads'. Say \"read_only\" or "),
}


@pytest.mark.parametrize(("settings", "kind", "sentence"), WRONG.values(), ids=WRONG)
def test_a_setting_that_is_wrong_is_refused_in_a_sentence(settings, kind, sentence):
    with pytest.raises(kind) as raised:
        GateOptions.of(settings)

    assert str(raised.value.args[0]).startswith(sentence)
    assert ":pw@" not in str(raised.value)


@given(settings=st.dictionaries(st.sampled_from([*GateSettings.__annotations__]), json_values, max_size=3))
def test_whatever_the_settings_are_there_are_options_or_a_sentence(settings):
    try:
        options = GateOptions.of(settings, name="shop")
    except (TypeError, ValueError, LookupError) as error:
        assert str(error.args[0]).endswith((".", "?"))  # noqa: PT017 - one of many values, and some are right.
    else:
        assert isinstance(options.dialect, dialects.Dialect)
