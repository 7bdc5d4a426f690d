"""What the golden files do not show, on whichever SDK is installed: `make eras` runs it with those of every era."""

import logging

import anyio
import pytest
from mcp.server.lowlevel import Server
from support.failing_servers import SERVERS, ask
from support.failing_tools import FAILING
from support.golden_files import golden
from support.sdk import (
    FASTMCP,
    HAS_ELICITATION,
    HAS_FASTMCP,
    HAS_OUTPUT_SCHEMAS,
    IS_MODERN,
    Context,
    MCPError,
    OfficialServer,
    connect,
    register,
    types,
)
from support.three_servers import KINDS, MAKERS, connected

import errata
from errata import NeedsInput, answers
from errata._install import ERAS, find_era

if HAS_FASTMCP:
    import fastmcp
    from fastmcp import FastMCP
    from fastmcp.tools import Tool

pytestmark = pytest.mark.anyio
every_kind = pytest.mark.parametrize("kind", KINDS)
with_schemas = pytest.mark.skipif(not HAS_OUTPUT_SCHEMAS, reason="mcp before 1.10 holds nothing against a schema.")
with_elicitation = pytest.mark.skipif(not HAS_ELICITATION, reason="mcp before 1.10 cannot ask.")
with_fastmcp = pytest.mark.skipif(not HAS_FASTMCP, reason="FastMCP is not installed.")


def price(sku: str, count: int = 1) -> str:
    raise LookupError(f"there is no {sku}, {count} times")


def crash() -> str:
    raise KeyError("postgresql://app:hunter2@db/orders")


def slow() -> str:
    raise TimeoutError("no answer from orders_2026")


def fine() -> str:
    return "fine"


def fault(result):
    assert result.is_error
    return result.structured_content["error"]


# Fields, whoever refuses


@pytest.mark.skipif(not HAS_FASTMCP, reason="FastMCP is not installed.")
@pytest.mark.parametrize("case", [case for case in FAILING if case.startswith("arguments_")])
def test_arguments_are_refused_by_the_same_fields_in_every_era(case):
    server = SERVERS["FastMCP"]()
    errata.install(server)
    answer = ask(server, "2025-11-25", {case: FAILING[case]})[case].answer["structuredContent"]["error"]
    expected = golden(f"native/{case}", None)["structuredContent"]["error"]
    assert (answer["code"], answer["retry"], answer["field"]) == (expected["code"], "fix_input", expected["field"])
    assert {issue["field"].partition(".")[0] for issue in answer["issues"]} == {
        issue["field"].partition(".")[0] for issue in expected["issues"]
    }


@with_schemas
@pytest.mark.skipif(IS_MODERN, reason="The low-level server of mcp 2 does not validate.")
async def test_all_that_breaks_a_schema_is_named_by_the_low_level_server():
    server = Server("strict")
    schema = {
        "type": "object",
        "properties": {"sku": {"type": "string"}, "count": {"type": "integer", "minimum": 1}},
        "required": ["sku", "count", "to"],
    }

    @server.list_tools()
    async def _():
        return [types.Tool(name="order", inputSchema=schema)]

    @server.call_tool()
    async def _(name, arguments):
        raise AssertionError((name, arguments))

    errata.install(server)
    async with connect(server) as client:
        refused = fault(await client.call_tool("order", {"sku": 7, "count": 0}))
    assert refused["code"] == "INVALID_PARAMS"
    assert {issue["field"] for issue in refused["issues"]} == {"sku", "count", "to"}
    assert "7" not in refused["message"]


# Coming and going


async def _say(client):
    """Return what a client is told without errata; the low-level server of mcp 2 sends a JSON-RPC error."""
    try:
        return (await client.call_tool("crash", {})).content[0].text
    except MCPError as error:
        return error.error.message


@every_kind
async def test_uninstall_leaves_what_the_sdk_says(kind):
    server = MAKERS[kind](crash, fine)
    async with connected(server) as client:
        before = await _say(client)
    installation = errata.install(server)
    assert errata.install(server) is installation
    async with connected(server) as client:
        assert fault(await client.call_tool("crash", {}))["code"] == "INTERNAL_ERROR"
        assert (await client.call_tool("fine", {})).content[0].text == "fine"
    installation.uninstall()
    async with connected(server) as client:
        assert await _say(client) == before


async def test_a_tool_that_comes_later_is_covered():
    server = OfficialServer("late")
    errata.install(server)
    server.tool()(crash)
    async with connect(getattr(server, "_mcp_server", server)) as client:
        assert fault(await client.call_tool("crash", {}))["code"] == "INTERNAL_ERROR"


@pytest.mark.skipif(
    IS_MODERN, reason="mcp 2 registers handlers by their method; tests/serving/test_installing.py has that."
)
async def test_a_handler_that_comes_later_is_covered_and_stays():
    async def list_tools(_, __):
        return types.ListToolsResult(tools=[types.Tool(name="crash", inputSchema={"type": "object"})])

    async def call_tool(_, __):
        crash()

    server = Server("late")
    installation = errata.install(server)
    register(server, list_tools=list_tools, call_tool=call_tool)
    async with connect(server) as client:
        assert fault(await client.call_tool("crash", {}))["code"] == "INTERNAL_ERROR"
    installation.uninstall()
    assert types.CallToolRequest in server.request_handlers
    async with connect(server) as client:
        assert "hunter2" in (await client.call_tool("crash", {})).content[0].text


@every_kind
async def test_a_failure_is_logged_once(kind, caplog):
    server = MAKERS[kind](crash)
    errata.install(server)
    async with connected(server) as client:
        with caplog.at_level(logging.WARNING):
            caplog.clear()
            await client.call_tool("crash", {})
    others = [message for message in caplog.messages if "not listed" in message]  # The low-level server has no list.
    assert [record.name for record in caplog.records] == ["errata"] + ["mcp.server.lowlevel.server"] * len(others)
    assert not others or kind == "Server"


# What else goes through the same places: mcp 1


older = pytest.mark.skipif(IS_MODERN, reason="mcp 2 has handlers by their method, and no text is made of exceptions.")


def listing(*names, calls):
    """Return handlers of mcp 1 as a gateway has them: one lists the tools, and notes that it was asked."""

    async def list_tools(_):
        calls.append("list")
        tools = [types.Tool(name=name, inputSchema={"type": "object"}) for name in names]
        return types.ServerResult(types.ListToolsResult(tools=tools))

    async def call_tool(_):
        calls.append("call")
        raise ConnectionError("the warehouse hung up")

    return {types.ListToolsRequest: list_tools, types.CallToolRequest: call_tool}


@older
async def test_a_tools_own_request_that_fails_is_told_to_the_model():
    async def ask_model(ctx: Context) -> str:
        return str(await ctx.session.create_message([], max_tokens=1))

    server = OfficialServer("asking")
    server.tool()(ask_model)
    errata.install(server)
    async with connect(server._mcp_server) as client:
        failed = await client.call_tool("ask_model", {})
    assert failed.is_error
    assert failed.content[0].text.startswith("Error [")


@older
@pytest.mark.parametrize("data", [None, {"code": "SERVICE_UNAVAILABLE", "retry": "same_call", "retryAfter": 3}])
async def test_what_another_server_says_licenses_no_repetition(data):
    async def refuse(_):
        words = "rate limited, it is safe to retry the same call"
        raise MCPError(types.ErrorData(code=-32000, message=words, data=data))

    behind, server = Server("behind"), OfficialServer("front")
    behind.request_handlers[types.CallToolRequest] = refuse

    async def pay() -> str:
        return str(await upstream.call_tool("pay", {}))

    server.tool()(pay)
    errata.install(server)
    async with connect(behind) as upstream, connect(server._mcp_server) as client:
        failed = fault(await client.call_tool("pay", {}))
    assert failed["retry"] != "same_call"
    assert "rate limited" in failed["message"]


@older
async def test_handlers_that_are_registered_through_a_dict_kept_from_before_are_covered():
    calls, server = [], Server("keeping")
    kept = server.request_handlers
    errata.install(server)
    kept |= listing("ship", calls=calls)
    async with connect(server) as client:
        assert fault(await client.call_tool("ship", {}))["code"] == "NETWORK_ERROR"
    assert server.request_handlers.copy().keys() == kept.keys()
    assert (server.request_handlers | {int: None}).keys() == {*kept, int}


@older
async def test_a_failing_call_asks_for_the_list_of_tools_once():
    calls, server = [], Server("gateway")
    server.request_handlers |= listing("ship", calls=calls)
    errata.install(server)
    async with connect(server) as client:
        for name in ("ship", "pay", "ship", "pay"):
            assert fault(await client.call_tool(name, {}))["code"] == "NETWORK_ERROR"
    assert calls.count("call") == 4
    assert calls.count("list") == 2


@older
async def test_a_list_that_hangs_costs_no_call_its_reply(monkeypatch):
    monkeypatch.setattr("errata.mcp.version_1._LONGEST_LIST_S", 0.01)

    async def hang(_):
        await anyio.sleep_forever()

    server = Server("gateway")
    server.request_handlers |= listing(calls=[]) | {types.ListToolsRequest: hang}
    errata.install(server)
    async with connect(server) as client:
        assert fault(await client.call_tool("ship", {}))["code"] == "NETWORK_ERROR"


@older
@with_schemas
@pytest.mark.parametrize(
    ("schema", "arguments", "fields"),
    [
        (
            {
                "$schema": "http://json-schema.org/draft-07/schema#",
                "properties": {"pair": {"items": [{"type": "string"}, {"type": "integer"}]}, "n": {"type": "integer"}},
            },
            {"n": "x", "pair": ["a", 1]},
            {"n"},
        ),
        (
            {
                "$schema": "http://json-schema.org/draft-04/schema#",
                "properties": {"a": {"minimum": 0, "exclusiveMinimum": True}, "n": {"type": "integer"}},
            },
            {"n": "x", "a": 1},
            {"n"},
        ),
    ],
)
async def test_a_schema_is_read_by_its_own_draft(schema, arguments, fields):
    async def list_tools(_, __):
        return types.ListToolsResult(tools=[types.Tool(name="order", inputSchema={"type": "object", **schema})])

    server = Server("drafts")
    register(server, list_tools=list_tools)

    @server.call_tool()
    async def _(name, arguments):
        raise AssertionError((name, arguments))

    errata.install(server)
    async with connect(server) as client:
        refused = fault(await client.call_tool("order", arguments))
    assert refused["code"] == "INVALID_PARAMS"
    assert {issue["field"] for issue in refused["issues"]} == fields


@older
async def test_an_unknown_tool_that_a_tool_calls_is_not_the_clients():
    server = OfficialServer("nesting")

    async def get() -> str:
        return str(await server.call_tool("get_item", {}))

    server.tool()(get)
    errata.install(server)
    async with connect(server._mcp_server) as client:
        failed = fault(await client.call_tool("get", {}))
    assert "version" not in failed["message"]
    assert "get_item" in failed["message"]


@older
async def test_code_around_a_handler_gets_the_reply_that_it_would_get():
    seen, server = [], Server("measured")

    async def call_tool(_, __):
        crash()

    register(server, call_tool=call_tool)
    errata.install(server)
    handle = server.request_handlers[types.CallToolRequest]

    async def measure(request):
        reply = await handle(request)
        seen.append(reply.root.isError)
        return reply

    server.request_handlers[types.CallToolRequest] = measure
    async with connect(server) as client:
        assert fault(await client.call_tool("crash", {}))["code"] == "INTERNAL_ERROR"
    assert seen == [True]


@older
@with_schemas
@every_kind
async def test_without_the_sdks_private_place_a_failure_is_answered_as_the_sdk_does(kind, monkeypatch):
    make_text, sdk = Server._make_error_result, {"has_it_there": False}

    def find(server):
        if not sdk["has_it_there"]:
            raise AttributeError
        return make_text.__get__(server)

    server = MAKERS[kind](slow, fine)
    monkeypatch.setattr(Server, "_make_error_result", property(find))
    errata.install(server)
    sdk["has_it_there"] = True  # By another name, if it really were gone.
    async with connected(server) as client:
        failed = await client.call_tool("slow", {})
        assert (await client.call_tool("fine", {})).content[0].text == "fine"
    assert failed.is_error
    assert "orders_2026" in failed.content[0].text


@older
async def test_what_a_resource_gives_back_is_no_fault_of_the_client():
    server = Server("broken")

    @server.read_resource()
    async def _(_uri):
        return None

    errata.install(server)
    async with connect(server) as client:
        with pytest.raises(MCPError) as caught:
            await client.read_resource("report://1")
    assert caught.value.error.code == -32603
    assert "INTERNAL_ERROR" in caught.value.error.message


@older
async def test_records_about_something_else_stay(caplog):
    def warn() -> str:
        logging.getLogger("mcp.server.fastmcp.server").warning("the disk is nearly full")
        logging.getLogger("mcp.server.fastmcp.server").debug(Unprintable())
        return "fine"

    server = OfficialServer("warning")
    server.tool()(warn)
    errata.install(server)
    async with connect(server._mcp_server) as client:
        await client.call_tool("warn", {})
    assert "the disk is nearly full" in caplog.messages


@older
async def test_an_error_for_the_protocol_comes_out_of_a_group_with_a_legal_number():
    async def refuse() -> str:
        raise ExceptionGroup("tasks", [MCPError(types.ErrorData(code=0, message="not now", data={"until": 9}))])

    server = OfficialServer("refusing")
    server.tool()(refuse)
    errata.install(server)
    async with connect(server._mcp_server) as client:
        with pytest.raises(MCPError) as caught:
            await client.call_tool("refuse", {})
    assert (caught.value.error.code, caught.value.error.data) == (-32603, {"until": 9})


# What a server publishes, and what it asks


@with_schemas
async def test_a_schema_that_failures_do_not_fit_is_widened_and_still_holds_for_results():
    def count() -> dict[str, int]:
        return {"birds": 3}

    server = MAKERS["MCPServer"](count)
    async with connected(server) as client:
        bare = (await client.list_tools()).tools[0].output_schema
    errata.install(server)
    async with connected(server) as client:
        listed = (await client.list_tools()).tools[0].output_schema
        counted = await client.call_tool("count", {})
    assert not counted.is_error
    assert counted.structured_content in ({"birds": 3}, {"result": {"birds": 3}})
    assert (bare is None) is (listed is None)


async def elicited(kind, reply):
    async def ask_for_name() -> str:
        name = answers().get("name")
        if not name:
            raise NeedsInput("Who is it for?", fields=["name"])
        return f"for {name}"

    asked = []

    async def callback(_, params):
        asked.append(params.message)
        return reply

    server = MAKERS[kind](ask_for_name)
    errata.install(server)
    async with connected(server, "legacy", elicitation_callback=callback) as client:
        return asked, await client.call_tool("ask_for_name", {})


@with_elicitation
@every_kind
async def test_a_question_goes_to_the_user_and_the_answer_to_the_tool(kind):
    asked, result = await elicited(kind, types.ElicitResult(action="accept", content={"name": "Ann"}))
    assert asked == ["Who is it for?"]
    assert result.content[0].text == "for Ann"


@with_elicitation
@every_kind
async def test_a_question_that_the_user_declines_is_no_answer(kind):
    asked, result = await elicited(kind, types.ElicitResult(action="decline"))
    assert asked == ["Who is it for?"]
    assert result.is_error


# FastMCP: servers in front of servers


def child(**options):
    server = FastMCP("child", **options)
    server.tool(price)
    server.tool(crash)
    server.tool(slow)
    return server


def mount(parent, server):
    """Mount a server under a prefix, which changed its place."""
    try:
        parent.mount(server, namespace="shop")
    except TypeError:
        parent.mount(server, prefix="shop")


@with_fastmcp
async def test_a_mounted_server_fails_as_its_own_tools_do():
    parent = FastMCP("parent")
    mount(parent, child())
    errata.install(parent)
    async with connected(parent) as client:
        missing = fault(await client.call_tool("shop_price", {"sku": "a-1"}))
        refused = fault(await client.call_tool("shop_price", {"count": "many"}))
        unknown = fault(await client.call_tool("shop_pric", {}))
        broken = fault(await client.call_tool("shop_crash", {}))
    assert missing["message"] == "there is no a-1, 1 times"
    assert {issue["field"] for issue in refused["issues"]} == {"sku", "count"}
    assert "shop_price" in unknown["message"]
    assert broken["code"] == "INTERNAL_ERROR"


@with_fastmcp
async def test_a_mask_withholds_the_text_and_keeps_the_verdict():
    server = child(mask_error_details=True)
    errata.install(server)
    async with connected(server) as client:
        failed = fault(await client.call_tool("slow", {}))
    assert "orders_2026" not in str(failed)
    assert failed["code"] == "TIMEOUT"


@with_fastmcp
async def test_behind_a_proxy_a_failure_is_told_once():
    behind = child()
    errata.install(behind)
    front = getattr(fastmcp.server, "create_proxy", None)
    proxy = front(behind) if front else FastMCP.as_proxy(behind)
    errata.install(proxy)
    async with connected(proxy) as client:
        failed = await client.call_tool("price", {"sku": "a-1"})
    assert failed.is_error
    assert failed.content[0].text.startswith("Error [UNKNOWN_ERROR]: there is no a-1, 1 times\nRecovery: ")
    assert failed.content[0].text.count("Recovery:") == 1


@with_fastmcp
async def test_a_transformed_tool_that_lacks_an_argument_is_no_bug():
    async def narrow(sku: str, count: int = 1) -> str:
        from fastmcp.tools.tool_transform import forward  # noqa: PLC0415 - where FastMCP is installed.

        return await forward(sku=sku, count=count)

    server = FastMCP("transforming")
    server.add_tool(Tool.from_tool(Tool.from_function(price), transform_fn=narrow))
    errata.install(server)
    async with connected(server) as client:
        refused = fault(await client.call_tool("price", {}))
    assert refused["code"] in {"INVALID_PARAMS", "MISSING_REQUIRED_FIELD"}
    assert refused["field"] == "sku"


def renamed(**transformations):
    """Return a tool whose argument has another name for the client."""
    try:
        from fastmcp.tools.tool_transform import ArgTransform  # noqa: PLC0415 - where FastMCP is installed.
    except ImportError:
        pytest.skip("This FastMCP transforms no tools.")

    async def base(user_id: int, n: int = 1) -> str:
        return f"{user_id} {n}"

    arguments = {name: ArgTransform(**options) for name, options in transformations.items()}
    return Tool.from_tool(Tool.from_function(base), name="renamed", transform_args=arguments)


@with_fastmcp
async def test_a_transformed_tools_wrong_argument_is_named_as_the_client_knows_it():
    server = FastMCP("transforming")
    server.add_tool(renamed(user_id={"name": "uid"}))
    errata.install(server)
    async with connected(server) as client:
        refused = fault(await client.call_tool("renamed", {"uid": "ann"}))
    assert (refused["code"], refused["field"]) == ("INVALID_PARAMS", "uid")


@with_fastmcp
async def test_a_constant_that_a_transformed_tool_passes_on_is_not_the_clients():
    server = FastMCP("transforming")
    server.add_tool(renamed(n={"hide": True, "default": "many"}))
    errata.install(server)
    async with connected(server) as client:
        failed = fault(await client.call_tool("renamed", {"user_id": 7}))
    assert failed["code"] == "INTERNAL_ERROR"


@with_fastmcp
@pytest.mark.parametrize("options", [{}, {"transform_errors": False}])
async def test_fastmcps_own_error_middleware_hides_no_fault(options):
    from fastmcp.server.middleware.error_handling import ErrorHandlingMiddleware  # noqa: PLC0415 - as above.

    def busy() -> str:
        raise errata.FaultError(errata.Code.RATE_LIMITED, "too many orders", retry_after_ms=5_000)

    server = MAKERS["FastMCP"](busy, price)
    server.add_middleware(ErrorHandlingMiddleware(**options))
    errata.install(server)
    async with connected(server) as client:
        failed = fault(await client.call_tool("busy", {}))
        refused = fault(await client.call_tool("price", {"count": "secret"}))
    assert (failed["code"], failed["retryAfterMs"]) == ("RATE_LIMITED", 5_000)
    assert {issue["field"] for issue in refused["issues"]} == {"sku", "count"}
    assert "secret" not in str(refused)


@with_fastmcp
@pytest.mark.skipif(FASTMCP < (3,), reason="FastMCP 2 has no time limit of a tool.")
async def test_a_tools_own_time_limit_is_a_timeout_that_the_model_reads():
    server = FastMCP("limiting")

    @server.tool(timeout=0.01)
    async def wait() -> str:
        await anyio.sleep_forever()

    errata.install(server)
    async with connected(server) as client:
        assert fault(await client.call_tool("wait", {}))["code"] == "TIMEOUT"


@with_fastmcp
@pytest.mark.skipif(FASTMCP >= (3, 4), reason="From FastMCP 3.4 on it is a result, which is sent on as it is.")
async def test_behind_a_proxy_a_server_without_errata_sends_no_secret():
    front = getattr(fastmcp.server, "create_proxy", None)
    behind = FastMCP("behind")

    @behind.tool
    def leak() -> str:
        raise ValueError("cannot reach postgresql://app:hunter2secret@db/orders")

    proxy = front(behind) if front else FastMCP.as_proxy(behind)
    errata.install(proxy)
    async with connected(proxy) as client:
        failed = await client.call_tool("leak", {})
    assert failed.is_error
    assert "hunter2secret" not in str(failed.content[0].text)


@with_fastmcp
@pytest.mark.skipif(not (2, 14) <= FASTMCP < (3,), reason="FastMCP 2.14 brings what tasks need; others have an extra.")
async def test_a_task_is_started_and_its_result_comes_later():
    server = FastMCP("tasks")

    @server.tool(task=True)
    async def count(n: int = 1) -> int:
        return n

    errata.install(server)
    async with fastmcp.Client(server) as client:
        task = await client.call_tool("count", {"n": 3}, task=True)
        assert (await task.result()).data == 3


# Versions


class Unprintable:
    """What a filter must not read."""

    def __str__(self):
        raise AssertionError


class _Old:
    """A server without anything that errata needs."""


@pytest.mark.parametrize("name", ERAS)
def test_a_server_that_is_too_old_is_told_the_version_and_a_command_within_its_major(name, monkeypatch):
    module, _, cls = name.rpartition(".")
    server = type(cls, (_Old,), {"__module__": module})()
    eras = ERAS[name]
    found = (
        {"mcp": "1.5.0", "fastmcp": "2.9.2"}[eras[0].distribution] if len(eras) > 1 or "fastmcp" in name else "2.0.0"
    )
    monkeypatch.setattr("errata._install.version", lambda _: found)
    with pytest.raises(TypeError) as refused:
        errata.install(server)
    said = str(refused.value)
    oldest = eras[-1]
    assert f"runs on {oldest.distribution} {found}" in said
    assert f"pip install '{oldest.distribution}>={oldest.oldest},<{int(oldest.major) + 1}'" in said


def test_the_era_is_chosen_by_what_a_server_offers_and_not_by_what_is_installed_beside_it(monkeypatch):
    monkeypatch.setattr("errata._install.version", lambda _: "99.0")
    server = type("Server", (), {"__module__": "mcp.server.lowlevel.server", "request_handlers": {}})()
    assert find_era(server).oldest == "1.6"
