"""What a client is told under `mask=True`, and in which blocks 002 tells it."""

from typing import Literal

import anyio
import pytest
from fastmcp.exceptions import (
    PromptError as FastPromptError,
    ResourceError as FastResourceError,
    ToolError as FastToolError,
)
from support.sdk import MCPError, ResourceError, ToolError
from support.three_servers import MAKERS, connected, fast_mcp

import errata
from errata import Code, Contract, Failure, Fault, FaultError, dialects, guard, not_found, raises
from errata.client import CallFailed
from errata.client._call_failed import ClientRequest

pytestmark = pytest.mark.anyio
VALIDATING = ("MCPServer", "FastMCP")


class OrderErrors(Contract):
    no_match = Failure(Code.NOT_FOUND, when="No order matched", recovery="Call list_orders first to see them.")


class BusyError(Exception):
    status_code = 429
    body = {"message": "tenant 17 may call twice a day"}  # noqa: RUF012 - as below.
    headers = {"retry-after": "7"}  # noqa: RUF012 - as a client's exception has them.


async def written(limit: int) -> str:
    if limit > 100:
        raise ValueError("limit must be between 1 and 100 in table orders_2026")
    return f"{limit} orders"


async def busy() -> str:
    raise BusyError("quota of tenant 17 used up")


async def grouped() -> str:
    raise ExceptionGroup("all", [ValueError("table orders_2026"), ValueError("tenant 17")])


async def wrapped() -> str:
    raise RuntimeError("table orders_2026") from FaultError(Code.CONFLICT, "Version 7 is newer")


async def raised() -> str:
    raise FaultError(Code.CONFLICT, "Version 7 is newer", field="version")


@raises(OrderErrors)
async def declared() -> str:
    raise OrderErrors.no_match("No order 7")


TOO_MANY = {"limit": 500}


async def quoting(symbol: str, days: int) -> str:
    return f"{symbol} {days}"


async def _error(server, tool, era="auto", arguments=None):
    async with connected(server, era) as client:
        return await client.call_tool(tool, arguments or {})


@pytest.mark.parametrize(("tool", "arguments"), [(written, TOO_MANY), (busy, {}), (grouped, {}), (wrapped, {})])
async def test_the_words_of_an_exception_are_withheld(kind, era, tool, arguments):
    server = MAKERS[kind](tool)
    errata.install(server, mask=True)
    result = await _error(server, tool.__name__, era, arguments)
    told = result.model_dump_json()
    for word in ("orders_2026", "tenant", "between", "Version"):
        assert word not in told
    error = result.structured_content["error"]
    assert error["message"] == Code(error["code"]).sentence


async def test_the_code_the_verdict_and_the_wait_stay(kind, era):
    server = MAKERS[kind](busy)
    bare = MAKERS[kind](busy)
    errata.install(server, mask=True)
    errata.install(bare)
    masked = (await _error(server, "busy", era)).structured_content["error"]
    open_ = (await _error(bare, "busy", era)).structured_content["error"]
    assert masked["code"] == "RATE_LIMITED"
    for kept in ("code", "retry", "retryAfterMs", "httpStatus"):
        assert masked.get(kept) == open_.get(kept)
    assert open_["message"].startswith("quota of tenant 17 used up: ")
    assert "twice a day" in open_["data"]["body"]
    assert "data" not in masked


@pytest.mark.parametrize(
    ("tool", "message"), [(raised, "Version 7 is newer"), (declared, "No order 7")], ids=["raised", "declared"]
)
async def test_what_was_raised_on_purpose_keeps_its_words(kind, era, tool, message):
    server = MAKERS[kind](tool)
    errata.install(server, mask=True)
    error = (await _error(server, tool.__name__, era)).structured_content["error"]
    assert error["message"] == message
    assert error.get("field") == ("version" if tool is raised else None)


async def test_what_a_task_of_the_tool_raised_on_purpose_keeps_its_words(kind, era):
    async def in_a_task() -> str:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(raised)
        return ""

    server = MAKERS[kind](in_a_task, raised, prompts=[in_a_task])
    errata.install(server, mask=True)
    told = (await _error(server, "in_a_task", era)).structured_content["error"]
    directly = (await _error(server, "raised", era)).structured_content["error"]
    assert {**told, **{key: directly[key] for key in ("correlationId", "timestamp")}} == directly
    async with connected(server, era) as client:
        with pytest.raises(MCPError, match="Version 7 is newer"):
            await client.get_prompt("in_a_task")


@pytest.mark.parametrize(
    ("kind", "error"), [("MCPServer", ToolError), ("Server", ToolError), ("FastMCP", FastToolError)]
)
async def test_a_tool_error_keeps_its_words(kind, era, error):
    async def refusing() -> str:
        raise error("Not on a Sunday")

    server = MAKERS[kind](refusing)
    errata.install(server, mask=True)
    assert (await _error(server, "refusing", era)).structured_content["error"]["message"] == "Not on a Sunday"


@pytest.mark.parametrize("server_kind", VALIDATING)
async def test_a_call_that_does_not_fit_is_told_why(server_kind, era):
    server = MAKERS[server_kind](quoting)
    errata.install(server, mask=True)
    refused = (await _error(server, "quoting", era, {"days": "x"})).structured_content["error"]
    assert {issue["field"] for issue in refused["issues"]} == {"symbol", "days"}
    unknown = (await _error(server, "quotin", era)).structured_content["error"]
    assert unknown["message"] == "There is no tool `quotin`. Did you mean `quoting`?"


_RESOURCE = {"MCPServer": ResourceError, "Server": ResourceError, "FastMCP": FastResourceError}


async def test_a_resource_and_a_prompt_are_masked_alike(kind, era):
    async def report() -> str:
        raise ValueError("table orders_2026")

    async def summary(month: str) -> str:
        raise ValueError(f"{month} is not in table orders_2026")

    async def refused() -> str:
        raise _RESOURCE[kind]("Not on a Sunday")

    server = MAKERS[kind](resources={"data://report": report, "data://refused": refused}, prompts=[summary])
    errata.install(server, mask=True)
    async with connected(server, era) as client:
        for ask in (
            lambda: client.read_resource("data://report"),
            lambda: client.get_prompt("summary", {"month": "Smarch"}),
        ):
            with pytest.raises(MCPError) as failed:
                await ask()
            assert "orders_2026" not in failed.value.error.message + str(failed.value.error.data)
            assert failed.value.error.data["code"] == "VALIDATION_FAILED"
        with pytest.raises(MCPError, match="Not on a Sunday"):
            await client.read_resource("data://refused")


async def test_a_prompt_error_keeps_its_words(era):
    async def writing() -> str:
        raise FastPromptError("Not on a Sunday")

    server = fast_mcp(prompts=[writing])
    errata.install(server, mask=True)
    async with connected(server, era) as client:
        with pytest.raises(MCPError, match="Not on a Sunday"):
            await client.get_prompt("writing")


@pytest.mark.parametrize(
    ("own", "settings", "is_masked"),
    [(True, {}, True), (True, {"mask": False}, False), (False, {}, False), (False, {"mask": True}, True)],
)
async def test_fastmcps_own_setting_holds_unless_errata_is_told_otherwise(own, settings, is_masked, era):
    server = fast_mcp(written, mask_error_details=own)
    errata.install(server, **settings)
    message = (await _error(server, "written", era, TOO_MANY)).structured_content["error"]["message"]
    assert ("orders_2026" not in message) is is_masked


@pytest.mark.parametrize("dialect", dialects.names())
async def test_every_dialect_is_masked(kind, dialect):
    server = MAKERS[kind](written)
    errata.install(server, mask=True, dialect=dialect)
    result = await _error(server, "written", arguments=TOO_MANY)
    assert result.is_error
    assert "orders_2026" not in result.model_dump_json()


async def formatted(format: Literal["markdown", "json", "both"] = "markdown") -> str:
    raise errata.not_found(f"No pattern in {format}")


async def formatted_by_default(format: str = "both") -> str:
    raise errata.not_found(f"No pattern in {format}")


async def unformatted(style: str = "json") -> str:
    raise errata.not_found(f"No pattern in {style}")


def _kinds(result):
    return ["json" if block.text.startswith("{") else "text" for block in result.content]


@pytest.mark.parametrize(
    ("tool", "arguments", "blocks"),
    [
        (formatted, {}, ["text"]),
        (formatted, {"format": "markdown"}, ["text"]),
        (formatted, {"format": "json"}, ["json"]),
        (formatted, {"format": "both"}, ["text", "json"]),
        (formatted_by_default, {}, ["text", "json"]),
        (formatted_by_default, {"format": "json"}, ["json"]),
        (formatted_by_default, {"format": "xml"}, ["text"]),
        (unformatted, {}, ["text"]),
        (unformatted, {"style": "both"}, ["text"]),
    ],
)
async def test_the_format_of_the_call_gates_the_blocks_of_002(kind, era, tool, arguments, blocks):
    server = MAKERS[kind](tool)
    errata.install(server, dialect="tool-error-v1")
    result = await _error(server, tool.__name__, era, arguments)
    assert _kinds(result) == blocks
    assert result.structured_content["kind"] == "toolError:v1"
    assert result.is_error


@pytest.mark.parametrize("arguments", [{"format": 7}, {"format": None}, {"format": ["json"]}, {"format": "xml"}])
@pytest.mark.parametrize("server_kind", VALIDATING)
async def test_a_format_that_does_not_fit_is_refused_in_words(server_kind, era, arguments):
    server = MAKERS[server_kind](formatted)
    errata.install(server, dialect="tool-error-v1")
    result = await _error(server, "formatted", era, arguments)
    assert _kinds(result) == ["text"]
    assert result.structured_content["code"] == "CLIENT_ERROR"


@pytest.mark.parametrize("server_kind", VALIDATING)
async def test_a_call_that_does_not_fit_is_refused_in_the_format_it_asked_for(server_kind, era):
    async def searching(limit: int, format: str = "markdown") -> str:
        return f"{limit} {format}"

    server = MAKERS[server_kind](searching)
    errata.install(server, dialect="tool-error-v1")
    assert _kinds(await _error(server, "searching", era, {"limit": "x", "format": "json"})) == ["json"]
    assert _kinds(await _error(server, "searchin", era, {"format": "json"})) == ["text"]


async def test_an_argument_that_a_tool_does_not_declare_gates_nothing():
    """A low-level server hands any argument on; 002 has `format` for the tools that take it."""
    server = MAKERS["Server"](unformatted)
    errata.install(server, dialect="tool-error-v1")
    assert _kinds(await _error(server, "unformatted", "auto", {"format": "json"})) == ["text"]


async def test_single_tools_may_speak_another_dialect(kind, era):
    server = MAKERS[kind](formatted, raised, written)
    errata.install(server, per_tool={"formatted": "tool-error-v1", "raised": dialects.get("json-rpc")})
    assert (await _error(server, "formatted", era)).structured_content["kind"] == "toolError:v1"
    assert (await _error(server, "raised", era)).structured_content["error"]["code"] == -32002
    assert (await _error(server, "written", era, TOO_MANY)).structured_content["error"]["code"] == "VALIDATION_FAILED"


async def found_nothing() -> str:
    raise not_found("No order 17. Call list_orders to see which exist.") from ValueError("17")


async def guarded_by_errata() -> str:
    with guard("Orders.load"):
        raise ValueError("table orders_2026")


async def asking_another() -> str:
    raise CallFailed.of(
        Fault(code=Code.NETWORK_ERROR, message="No answer: table orders_2026 is locked"),
        ClientRequest("tool", "orders"),
        server="inner",
        is_local=True,
        cause=OSError("table orders_2026 is locked"),
    )


async def test_words_that_quote_their_cause_are_still_meant(kind, era):
    server = MAKERS[kind](found_nothing, guarded_by_errata, asking_another)
    errata.install(server, mask=True)
    meant = (await _error(server, "found_nothing", era)).structured_content["error"]
    assert meant["message"] == "No order 17. Call list_orders to see which exist."
    for tool in ("guarded_by_errata", "asking_another"):
        assert "orders_2026" not in (await _error(server, tool, era)).model_dump_json()
