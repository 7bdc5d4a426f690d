"""One line to install errata, and nothing of it left afterwards."""

import copy
import logging

import anyio
import pytest
from fastmcp import FastMCP
from fastmcp.server.middleware import Middleware
from mcp import Client
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer
from mcp_types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams, TextContent
from support.cancelled_tools import KINDS, lowest, serving

import errata
from errata import dialects

pytestmark = pytest.mark.anyio

every_kind = pytest.mark.parametrize("kind", KINDS)
LOGGERS = ("fastmcp.server.server", "fastmcp.prompts.function_prompt", "fastmcp.tools.function_tool", "errata", "mcp")


async def works(number: int = 0) -> str:
    return f"done {number}"


async def breaks(number: int = 0) -> str:
    raise ConnectionError(f"The upstream hung up on {number}.")


async def counts() -> dict[str, int]:
    return {"pages": 1}


def made(kind):
    return serving(kind, [works, breaks, counts])


async def answers(server):
    """Ask a server for everything it has; a failing call among it."""
    with anyio.fail_after(60):
        async with Client(lowest(server)) as client:
            told = [await client.list_tools()]
            for tool in ("works", "breaks"):
                try:
                    told.append(await client.call_tool(tool, {}))
                except Exception as error:  # noqa: BLE001 - the low-level server raises.
                    told.append(repr(error))
            return told


async def told_by(server):
    with anyio.fail_after(60):
        async with Client(lowest(server)) as client:
            return (await client.call_tool("breaks", {})).structured_content


async def code_of(server):
    return (await told_by(server))["error"]["code"]


def state(server):
    """Everything that could be left behind: attributes, handlers, middleware, and what listens to the loggers."""
    inside = lowest(server)
    return {
        "attributes": dict(vars(server)),
        "inside": dict(vars(inside)),
        "handlers": dict(inside._request_handlers),
        "middleware": list(server.middleware),
        "filters": {name: list(logging.getLogger(name).filters) for name in LOGGERS},
        "listeners": {name: list(logging.getLogger(name).handlers) for name in LOGGERS},
    }


@every_kind
async def test_uninstall_leaves_the_server_as_it_was(kind):
    server = made(kind)
    before = state(server)
    installation = errata.install(server, describe=True)
    assert state(server) != before
    installation.uninstall()
    assert state(server) == before
    assert list(vars(server)) == list(before["attributes"])
    installation.uninstall()
    assert state(server) == before


@every_kind
async def test_after_uninstall_the_server_answers_as_if_errata_had_never_been_there(kind):
    server, bare = made(kind), await answers(made(kind))
    installation = errata.install(server, describe=True)
    assert await answers(server) != bare
    installation.uninstall()
    assert await answers(server) == bare


@every_kind
async def test_an_installation_lasts_as_long_as_its_block(kind):
    server = made(kind)
    before = state(server)
    with errata.install(server) as installation:
        assert errata.install(server) is installation
    assert state(server) == before
    with pytest.raises(LookupError), errata.install(server):
        raise LookupError
    assert state(server) == before


@every_kind
async def test_installing_the_same_again_does_nothing(kind):
    server = made(kind)
    first = errata.install(server, dialect="taxonomy", per_tool={"works": "json-rpc"})
    once = state(server)
    assert errata.install(server, dialect="taxonomy", per_tool={"works": "json-rpc"}) is first
    assert state(server) == once


@pytest.mark.parametrize("settings", [{"mask": True}, {"dialect": "json-rpc"}, {"per_tool": {"works": "native"}}])
@every_kind
async def test_installing_again_with_other_settings_says_so_and_changes_nothing(kind, settings):
    server = made(kind)
    errata.install(server)
    once = state(server)
    with pytest.raises(ValueError, match=r"installed in this server already, with other settings.*`uninstall\(\)`"):
        errata.install(server, **settings)
    assert state(server) == once


@every_kind
async def test_after_uninstall_it_can_be_installed_again_with_other_settings(kind):
    server = made(kind)
    errata.install(server).uninstall()
    errata.install(server, dialect="taxonomy")
    assert (await told_by(server))["code"] == "SERVICE_UNAVAILABLE"


class NoServer:
    pass


@pytest.mark.parametrize("thing", [None, "server", NoServer(), MCPServer, FastMCP, made])
def test_what_is_no_server_is_refused_by_name(thing):
    with pytest.raises(TypeError, match=f"cannot be installed in a `{type(thing).__name__}`. Pass a FastMCP server"):
        errata.install(thing)


BAD = {
    "unknown keyword": ({"dialekt": "native"}, TypeError, "`install` takes no `dialekt`. Did you mean `dialect`?"),
    "no keyword at all": ({"zzz": 1}, TypeError, "`install` takes no `zzz`. It takes `dialect`, `per_tool`, "),
    "no dialect": ({"dialect": 5}, TypeError, '`dialect` is 5. Pass the name of a dialect, such as "native"'),
    "no flag": ({"describe": "yes"}, TypeError, "`describe` is 'yes'. Pass True or False."),
    "unknown dialect": ({"dialect": "natve"}, LookupError, "There is no dialect `natve`. Did you mean `native`?"),
    "far from any": ({"dialect": "klingon"}, LookupError, "There is no dialect `klingon`. Choose one of `native`"),
    "unknown for a tool": ({"per_tool": {"a": "taxnomy"}}, LookupError, "`taxnomy`. Did you mean `taxonomy`?"),
}


@pytest.mark.parametrize(("settings", "error", "says"), BAD.values(), ids=BAD)
@every_kind
def test_a_bad_setting_is_named_and_the_server_is_left_alone(kind, settings, error, says):
    server = made(kind)
    before = state(server)
    with pytest.raises(error) as raised:
        errata.install(server, **settings)
    assert says in str(raised.value)
    assert state(server) == before


@pytest.mark.parametrize(
    "settings", [{"dialect": 5}, {"dialect": None}, {"per_tool": {"a": None}}, {"per_tool": ["a"]}]
)
@every_kind
def test_a_setting_of_the_wrong_type_is_named_and_the_server_is_left_alone(kind, settings):
    server = made(kind)
    before = state(server)
    with pytest.raises((TypeError, LookupError), match="|".join([*settings, "dialect"])):
        errata.install(server, **settings)
    assert state(server) == before


@every_kind
async def test_a_dialect_may_be_given_as_itself(kind):
    server = made(kind)
    errata.install(server, dialect=dialects.native, per_tool={"breaks": dialects.taxonomy})
    assert "correlation_id" in await told_by(server)


@pytest.mark.parametrize("kind", ["MCPServer", "FastMCP"])
async def test_a_tool_registered_later_is_covered(kind):
    server = serving(kind, [])
    errata.install(server)
    server.tool()(breaks)
    assert await code_of(server) == "NETWORK_ERROR"


async def call_tool(_, params):
    if params.name == "breaks":
        raise ConnectionError("The upstream hung up.")
    return CallToolResult(content=[TextContent(type="text", text="done")])


async def list_tools(_, __):
    return ListToolsResult(tools=[])


async def test_a_handler_registered_later_is_covered_and_stays_after_uninstall():
    server = Server("later")
    installation = errata.install(server)
    server.add_request_handler("tools/call", CallToolRequestParams, call_tool)
    server.add_request_handler("tools/list", PaginatedRequestParams, list_tools)
    assert await code_of(server) == "NETWORK_ERROR"
    installation.uninstall()
    assert server.get_request_handler("tools/call").handler is call_tool
    assert server.get_request_handler("tools/list").handler is list_tools
    assert server.get_request_handler("tools/call").params_type is CallToolRequestParams


async def test_a_subclass_is_covered_and_its_own_methods_are_still_called():
    calls = []

    class Counting(MCPServer):
        async def call_tool(self, name, arguments, context=None):
            calls.append(name)
            return await super().call_tool(name, arguments, context)

    class Fast(FastMCP):
        async def call_tool(self, name, arguments=None, **options):
            calls.append(name)
            return await super().call_tool(name, arguments, **options)

    for kind in (Counting, Fast):
        server = kind("sub")
        server.tool()(breaks)
        installation = errata.install(server)
        assert await code_of(server) == "NETWORK_ERROR"
        assert "breaks" in calls
        installation.uninstall()
        assert "call_tool" not in vars(server)
        calls.clear()


async def test_what_somebody_wrapped_after_us_works_with_errata_and_without():
    server, seen = made("MCPServer"), []
    bare = await answers(made("MCPServer"))
    installation = errata.install(server, describe=True)
    before = server.call_tool, server.list_tools

    async def wrapped_call(*arguments):
        seen.append(arguments[0])
        return await before[0](*arguments)

    async def wrapped_list():
        return await before[1]()

    server.call_tool, server.list_tools = wrapped_call, wrapped_list
    assert await code_of(server) == "NETWORK_ERROR"
    installation.uninstall()
    assert server.call_tool is wrapped_call
    assert await answers(server) == bare
    assert seen
    errata.install(server)
    assert await code_of(server) == "NETWORK_ERROR"


async def test_a_handler_that_somebody_wrapped_after_us_works_with_errata_and_without():
    server = made("Server")
    bare = await answers(made("Server"))
    installation = errata.install(server, describe=True)
    for method in ("tools/call", "tools/list"):
        entry = server.get_request_handler(method)

        async def wrapped(context, params, entry=entry):
            return await entry.handler(context, params)

        server.add_request_handler(method, entry.params_type, wrapped)
    assert await code_of(server) == "NETWORK_ERROR"
    installation.uninstall()
    assert await answers(server) == bare


async def test_uninstall_minds_no_middleware_that_came_or_went():
    class Later(Middleware):
        pass

    server = made("FastMCP")
    installation = errata.install(server)
    later = Later()
    server.add_middleware(later)
    installation.uninstall()
    assert server.middleware[-1] is later
    installation = errata.install(server)
    server.middleware.clear()
    installation.uninstall()
    assert server.middleware == []


@every_kind
async def test_two_servers_in_one_process_do_not_know_of_each_other(kind):
    one, other, bare = made(kind), made(kind), made(kind)
    first, second = errata.install(one), errata.install(other, dialect="taxonomy", mask=True)
    assert first is not second
    assert await answers(bare) == await answers(made(kind))
    first.uninstall()
    assert await answers(one) == await answers(made(kind))
    told = await told_by(other)
    assert told["code"] == "SERVICE_UNAVAILABLE"
    assert "hung up" not in told["message"]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@every_kind
async def test_of_many_concurrent_calls_each_gets_its_own_answer_and_reference(kind, mode, caplog):
    caplog.set_level(logging.CRITICAL)
    server, told = made(kind), {}
    errata.install(server)

    async def call(client, number):
        told[number] = await client.call_tool("breaks" if number % 2 else "works", {"number": number})

    with anyio.fail_after(60):
        async with Client(lowest(server), mode=mode) as client, anyio.create_task_group() as group:
            for number in range(200):
                group.start_soon(call, client, number)
    for number, result in told.items():
        text = result.content[0].text
        assert result.is_error == bool(number % 2)
        assert f"hung up on {number}." in text if number % 2 else text == f"done {number}"
    references = {told[number].structured_content["error"]["correlationId"] for number in range(1, 200, 2)}
    assert len(references) == 100


@every_kind
async def test_a_request_that_is_in_work_while_errata_leaves_is_still_answered(kind):
    began, go_on = anyio.Event(), anyio.Event()

    async def lingers() -> str:
        began.set()
        await go_on.wait()
        raise ConnectionError("The upstream hung up.")

    server = serving(kind, [lingers])
    installation = errata.install(server)
    told = []
    with anyio.fail_after(60):
        async with Client(lowest(server)) as client, anyio.create_task_group() as group:

            async def call():
                told.append(await client.call_tool("lingers", {}))

            group.start_soon(call)
            await began.wait()
            installation.uninstall()
            go_on.set()
    assert told[0].is_error


def test_a_copy_of_the_settings_is_as_good_as_they_are():
    server, settings = made("MCPServer"), {"per_tool": {"works": "json-rpc"}}
    assert errata.install(server, **copy.deepcopy(settings)) is errata.install(server, **settings)
