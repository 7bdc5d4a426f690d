"""The plugin for ContextForge, on the gateway's own plugin framework; `make engines` runs it in the gateway itself."""

import asyncio
import json
import logging
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from uuid import uuid4

import engines
import pytest
from hypothesis import given, strategies as st
from support.hostile_payloads import BODIES
from support.redis_server import running_redis
from support.required_libraries import need
from support.strategies import json_values, secretive_texts, texts

from errata.contextforge import EXAMPLE
from errata.contextforge._repair_policy import open_store
from errata.resilience import Budget, RedisStore

framework = need("cpex.framework")
models = need("cpex.framework.models")
policies = need("cpex.framework.hooks.policies")
tools = need("cpex.framework.hooks.tools")
yaml = need("yaml")

SHIPPED = yaml.safe_load(EXAMPLE.read_text(encoding="utf-8"))
POLICIES = {
    "tool_pre_invoke": policies.HookPayloadPolicy(writable_fields=frozenset({"name", "args", "headers"})),
    "tool_post_invoke": policies.HookPayloadPolicy(writable_fields=frozenset({"result"})),
}
"""The gateway's own, by which plugins see copies of what they may change."""
MOST_REPETITIONS = 3  # The gateway's MAX_TOOL_RETRIES.
READS = {"readOnlyHint": True}


def failure(text, **more):
    return {"content": [{"type": "text", "text": text}], "isError": True, **more}


def success(text, **more):
    return {"content": [{"type": "text", "text": text}], "isError": False, **more}


@pytest.fixture(autouse=True)
def plugins_file(tmp_path, monkeypatch):
    """Set the framework up as the first lines of the YAML say; the file that its settings name."""
    path = tmp_path / "plugins.yaml"
    monkeypatch.setenv("PLUGINS_CONFIG_FILE", str(path))
    monkeypatch.setenv("PLUGINS_FAIL_ON_PLUGIN_ERROR", "true")
    forget_settings()
    yield path
    forget_settings()


class Request:
    """One HTTP request of a client; the calls in it share a state."""

    def __init__(self, manager):
        self.manager = manager
        self.context = framework.GlobalContext(request_id=uuid4().hex)

    async def call(self, name, answers, arguments=None, **about):
        """Call a tool as the gateway does; return the last result, and how long was waited before each repetition."""
        waits, answers = [], iter(answers)
        while True:
            delay_ms, result = await self._run(name, next(answers), arguments or {}, about)
            if not (delay_ms and len(waits) < MOST_REPETITIONS):
                return result, waits
            waits.append(delay_ms)

    async def _run(self, name, answer, arguments, about):
        known = {"original_name": name.partition("-")[2] or name, "input_schema": None, "annotations": None, **about}
        self.context.metadata |= {"tool": SimpleNamespace(**known), "gateway": SimpleNamespace(name="shop")}
        before = tools.ToolPreInvokePayload(name=name, args=arguments)
        _, contexts = await self.manager.invoke_hook(tools.ToolHookType.TOOL_PRE_INVOKE, before, self.context)
        after = tools.ToolPostInvokePayload(name=name, result=filled(answer))
        done, _ = await self.manager.invoke_hook(tools.ToolHookType.TOOL_POST_INVOKE, after, self.context, contexts)
        return done.retry_delay_ms, done.modified_payload.result if done.modified_payload else after.result


def forget_settings():
    for name, value in vars(need("cpex.framework.settings")).items():
        if name.startswith("get_") and hasattr(value, "cache_clear"):
            value.cache_clear()


def filled(result):
    """Return a result as the gateway shows it to plugins: what was not sent is null."""
    return {"structuredContent": None, "_meta": None, **result}


async def load(**changes):
    """Load the YAML that errata comes with, its settings changed, as the gateway does."""
    errata, others = SHIPPED["plugins"][0], changes.pop("others", SHIPPED["plugins"][1:])
    own = {name: changes.pop(name, errata[name]) for name in ("mode", "hooks")}
    plugin = {**errata, **own, "config": {**errata["config"], **changes}}
    config = models.Config(plugins=[plugin, *others], plugin_dirs=[])
    manager = framework.TenantPluginManager(config, hook_policies=POLICIES)
    await manager.initialize()
    return manager


def call(name, *answers, arguments=None, about=None, **changes):
    """Make one call in a request of its own."""

    async def run():
        return await Request(await load(**changes)).call(name, answers, arguments, **(about or {}))

    Budget.refill_all()
    return asyncio.run(run())


def first_text(result):
    return result["content"][0]["text"]


def first_line(block):
    return block.get("text", "").partition("\n")[0] if isinstance(block, dict) else ""


# What the model reads.


def test_the_configuration_that_is_printed_loads_and_has_no_other_plugin_that_repeats():
    printed = subprocess.run(
        [sys.executable, "-m", "errata.contextforge"], check=True, capture_output=True, text=True
    ).stdout

    assert yaml.safe_load(printed) == SHIPPED
    manager = asyncio.run(load())
    assert manager.plugin_count == 1
    assert [plugin["mode"] for plugin in SHIPPED["plugins"]] == ["transform", "disabled"]


def test_a_failing_result_is_told_in_erratas_words():
    result, waits = call("shop-charge-card", failure("card declined: insufficient funds"))

    assert first_text(result).startswith("Error [INSUFFICIENT_BALANCE]: card declined: insufficient funds\n")
    assert "\nRetry: no.\n" in first_text(result)
    assert result["isError"] is True
    assert waits == []


def test_the_argument_that_is_wrong_is_named():
    told = failure("Unknown argument: oder_id. Expected: order_id")

    result, _ = call("shop-get-order", told, arguments={"oder_id": "7"}, about={"annotations": READS})

    assert "\n- oder_id: is not known\n" in first_text(result)


def test_everything_but_the_first_text_stays():
    others = [{"type": "text", "text": "Ask the till."}, {"type": "image", "data": "AAAA", "mimeType": "image/png"}]
    told = failure("not found: order 7", structuredContent={"order": 7})
    told["content"] += others

    result, _ = call("shop-get-receipt", told)

    assert result["content"][1:] == others
    assert result["structuredContent"] == {"order": 7}


def test_a_failure_is_told_in_the_dialect_that_the_yaml_names():
    result, _ = call("shop-get-order", failure("not found: order 7"), dialect="mcp-tool-error")

    assert json.loads(first_text(result).partition("\n\n")[0])["code"] == "NOT_FOUND"


def test_the_secrets_of_a_failing_result_go_no_further():
    url = "postgresql://app:hunter2-x9@db:5432/shop"
    told = failure(f"could not connect to {url}", structuredContent={"url": url})

    result, _ = call("shop-get-report", told, told, about={"annotations": READS})

    assert "hunter2-x9" not in json.dumps(result)
    assert "could not connect" in first_text(result)


@given(secretive_texts)
def test_no_secret_of_a_known_format_goes_further_in_a_failure(secretive):
    text, secret = secretive

    result, _ = call("shop-refund-order", failure(text, structuredContent={"note": [text]}))

    assert secret not in json.dumps(result, ensure_ascii=False)


# Successes.

blocks = st.fixed_dictionaries({"type": st.just("text"), "text": texts}) | st.fixed_dictionaries(
    {"type": st.just("image"), "data": st.just("AAAA"), "mimeType": st.just("image/png")}
)
successes = st.fixed_dictionaries(
    {"content": st.lists(blocks, max_size=3)},
    optional={"structuredContent": st.dictionaries(texts, json_values, max_size=3)},
).map(lambda members: {**members, "isError": False})


@given(successes)
def test_a_success_passes_as_it_is_and_is_never_repeated(sent):
    result, waits = call("shop-get-order", sent, about={"annotations": READS})

    assert result == filled(sent)
    assert waits == []


def test_a_success_that_speaks_of_an_error_is_one():
    sent = success("One host is down: 503 Service Unavailable", structuredContent={"status_code": 503})

    assert call("shop-get-status", sent, about={"annotations": READS}) == (filled(sent), [])


def test_secrets_in_successes_are_hidden_where_the_yaml_says_so():
    picture = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
    file = {"type": "resource", "resource": {"uri": "file:///env", "text": "password: hunter2-x9"}}
    sent = success("password: hunter2-x9", structuredContent={"password": "hunter2-x9", "rows": 3})
    sent["content"] += [picture, file]

    shown, _ = call("shop-get-report", sent, redact_success=True)

    assert "hunter2-x9" not in json.dumps(shown)
    assert shown["structuredContent"]["rows"] == 3
    assert picture in shown["content"]
    assert call("shop-get-report", sent)[0] == filled(sent)


# What is no result of a tool.


@given(st.fixed_dictionaries({}, optional={"content": json_values, "structuredContent": json_values}))
def test_whatever_claims_to_be_a_failure_becomes_one_that_a_model_can_read(members):
    result, _ = call("shop-refund-order", {**members, "isError": True})

    assert result["isError"] is True
    assert any(first_line(block).startswith("Error [") for block in result["content"])


@given(json_values)
def test_what_is_no_result_passes_as_it_is(answer):
    async def run():
        payload = tools.ToolPostInvokePayload(name="shop-get-order", result=answer)
        context = framework.GlobalContext(request_id=uuid4().hex)
        done, _ = await (await load()).invoke_hook(tools.ToolHookType.TOOL_POST_INVOKE, payload, context)
        return done.modified_payload, done.retry_delay_ms

    assert asyncio.run(run()) == (None, 0)


def test_a_result_of_a_million_characters_fails_with_any_plugin_and_never_reaches_this_one():
    with pytest.raises(framework.manager.PayloadSizeError):
        call("shop-get-history", success("x" * 1_000_001))


def test_arguments_of_a_million_characters_pass_without_the_hook_that_keeps_them():
    told, arguments = failure("not found: order 7"), {"note": "x" * 1_000_001}
    with pytest.raises(framework.manager.PayloadSizeError):
        call("shop-add-note", told, arguments=arguments)

    result, _ = call("shop-add-note", told, arguments=arguments, hooks=["tool_post_invoke"])

    assert first_text(result).startswith("Error [NOT_FOUND]")


# What is repeated.


def test_a_call_that_only_reads_is_repeated_once():
    busy = failure("503 Service Unavailable")

    result, waits = call("shop-list-orders", busy, busy, about={"annotations": READS})

    assert len(waits) == 1
    assert "\nRetry: yes, the same call.\n" in first_text(result)


def test_a_repetition_that_succeeds_is_a_success():
    well = success("4 in stock")

    result, waits = call("shop-get-stock", failure("503 Service Unavailable"), well, about={"annotations": READS})

    assert result == filled(well)
    assert len(waits) == 1


def test_the_gateway_waits_as_long_as_the_server_asks_for():
    limited = failure("429 Too Many Requests, retry after 2 seconds")

    _, (wait_ms,) = call("shop-search-orders", limited, limited, about={"annotations": READS})

    assert 2_000 <= wait_ms <= 5_000


def test_what_asks_for_a_longer_wait_than_is_allowed_is_not_repeated():
    limited = failure("429 Too Many Requests, retry after 2 seconds")

    result, waits = call("shop-search-orders", limited, about={"annotations": READS}, longest_wait_s=1)

    assert waits == []
    assert "\nRetry: yes, the same call, after 2 s.\n" in first_text(result)


def test_nothing_is_repeated_where_the_yaml_says_so():
    assert not call("shop-list-orders", failure("503 Service Unavailable"), about={"annotations": READS}, retry=False)[
        1
    ]


@pytest.mark.parametrize(
    "text",
    ["card declined: insufficient funds", "not found: order 7", "Unknown argument: oder_id", "permission denied"],
)
def test_what_would_fail_again_is_not_repeated(text):
    assert call("shop-get-order", failure(text), about={"annotations": READS})[1] == []


@pytest.mark.parametrize("about", [{}, {"annotations": READS}, {"annotations": {"idempotentHint": True}}])
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_no_words_of_a_server_license_to_refund_twice(body, about):
    told = [failure(body)]
    if body.startswith("{"):
        told.append(failure(body, structuredContent=json.loads(body)))

    assert [call("shop-refund-order", answer, answer, about=about)[1] for answer in told] == [[]] * len(told)


@pytest.mark.parametrize(
    "text", ["Tool invocation timed out after 60s", "Tool invocation failed: ", "Tool invocation failed: ReadTimeout"]
)
def test_what_the_gateway_itself_gave_up_is_not_repeated_for_a_tool_that_may_have_an_effect(text):
    assert call("shop-ship-order", failure(text))[1] == []


@pytest.mark.parametrize("name", ["shop-run-report", "run-report"])
def test_the_yaml_says_what_a_tool_does_by_its_name_at_the_gateway_or_at_the_server(name):
    busy = failure("503 Service Unavailable")

    assert not call("shop-run-report", busy, about={"original_name": "run-report"})[1]
    assert call("shop-run-report", busy, busy, about={"original_name": "run-report"}, effects={name: "read_only"})[1]


def test_calls_of_one_request_are_repeated_once_each_in_whatever_order_they_fail():
    busy = failure("503 Service Unavailable")

    async def run():
        request = Request(await load())
        hooks = [("shop-list-orders", {}), ("shop-list-refunds", {}), ("shop-list-orders", {"page": 2})]
        turns = [(await request._run(name, busy, given, {"annotations": READS}))[0] for name, given in hooks * 4]
        return [bool(delay_ms) for delay_ms in turns]

    Budget.refill_all()
    assert asyncio.run(run()) == [True] * 3 + [False] * 9


def test_a_call_that_has_succeeded_since_may_be_repeated_again():
    busy, well = failure("503 Service Unavailable"), success("[]")

    async def run():
        request = Request(await load())
        return [await request.call("shop-list-orders", [busy, well], annotations=READS) for _ in range(3)]

    Budget.refill_all()
    assert [len(waits) for _, waits in asyncio.run(run())] == [1, 1, 1]


def test_a_server_that_keeps_failing_is_repeated_no_more_when_the_budget_is_spent():
    busy = failure("503 Service Unavailable")

    async def run():
        manager = await load()
        return [await Request(manager).call("shop-list-orders", [busy, busy], annotations=READS) for _ in range(40)]

    Budget.refill_all()
    repeated = [len(waits) for _, waits in asyncio.run(run())]
    Budget.refill_all()
    assert repeated == [1] * 35 + [0] * 5  # 500 tokens, and each repetition costs 14.


def test_what_one_worker_spends_on_repetitions_all_have_spent():
    busy = failure("503 Service Unavailable")
    with running_redis() as server, RedisStore(server.url) as other:
        for _ in range(3):
            call("shop-list-orders", busy, busy, about={"annotations": READS}, redis=server.url)
        with open_store(server.url) as ours:
            assert ours.flush()
        theirs = Budget.of("ContextForge: shop", store=other)
        assert other.flush()

    assert theirs.tokens == 500 - 3 * 14


def test_a_hung_redis_holds_no_call_up():
    busy = failure("503 Service Unavailable")
    with running_redis() as server:
        server.hang()
        _, waits = call("shop-list-orders", busy, busy, about={"annotations": READS}, redis=server.url)
        server.go_on()
        open_store(server.url).close()

    assert len(waits) == 1


# Settings.


def test_the_page_has_the_table_that_make_engines_checks():
    page = (Path(engines.__file__).parents[1] / "docs" / "contextforge.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if "|" in line]

    assert [row for row in rows if row[0] in {call.label for call in engines.CALLS}]
    for expected in engines.CALLS:
        row = next(row for row in rows if row[0] == expected.label)
        assert (row[1], row[3]) == (str(min(expected.runs, 1)), str(expected.runs))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"longest_wait": 5}, "`ErrorRepair` takes no `longest_wait`. Did you mean `longest_wait_s`?"),
        ({"retry": "yes"}, "`retry` is 'yes'. Write true or false."),
        ({"longest_wait_s": -1}, "`longest_wait_s` is -1. Write a number of seconds, 0 or more."),
        ({"longest_wait_s": float("inf")}, "`longest_wait_s` is inf. Write a number of seconds, 0 or more."),
        ({"redis": 6379}, "`redis` is 6379. Write an address: redis://localhost:6379/0"),
        ({"redis": "http://localhost"}, "`RedisStore` was given `http://…`. The schemes it knows are redis,"),
        ({"redact_success": None}, "`redact_success` is None. Write true or false."),
        (
            {"mode": "audit"},
            "`ErrorRepair` has the mode `audit`, in which the framework discards what a plugin changes.",
        ),
        ({"mode": "concurrent"}, "Write `mode: transform` in the YAML."),
    ],
)
def test_a_wrong_setting_keeps_the_plugin_from_starting_and_is_named(changes, sentence):
    with pytest.raises(RuntimeError) as refused:
        asyncio.run(load(**changes))

    assert sentence in str(refused.value)


@pytest.mark.parametrize("changes", [{"dialect": "natve"}, {"effects": {"get_order": "readonly"}}, {"effects": ["a"]}])
def test_a_setting_with_an_unknown_word_is_refused(changes):
    with pytest.raises(RuntimeError, match=r"`?(natve|readonly|effects)"):
        asyncio.run(load(**changes))


@pytest.mark.parametrize(("mode", "is_told"), [("sequential", True), ("disabled", False)])
def test_another_plugin_that_repeats_is_told_of_in_the_log(mode, is_told, plugins_file, caplog):
    name = f"Retries-{uuid4().hex}"  # Each one is told of once.
    other = {**SHIPPED["plugins"][1], "name": name, "mode": mode}
    plugins_file.write_text(yaml.safe_dump({"plugins": [SHIPPED["plugins"][0], other], "plugin_dirs": []}))

    with caplog.at_level(logging.WARNING, "errata"):
        asyncio.run(load())

    assert [name in message for message in caplog.messages] == [True] * is_told


def test_a_file_that_somebody_is_editing_keeps_no_plugin_from_starting(plugins_file):
    plugins_file.write_text("plugins: [{name: ErrorRepair, kind")

    assert asyncio.run(load()).plugin_count == 1


def test_without_the_framework_an_error_says_what_to_install():
    program = "import sys; sys.modules['cpex'] = None; from errata.contextforge import ErrorRepair"

    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True)

    assert 'pip install "errata-mcp[contextforge]"' in done.stderr
