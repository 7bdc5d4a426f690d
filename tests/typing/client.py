"""What a type checker sees of clients. Checked by mypy and pyright; never run."""

from collections.abc import Mapping
from typing import Any, assert_type

from mcp import Client, StdioServerParameters
from mcp.server.mcpserver import MCPServer
from mcp.types import Prompt, Resource, ResourceTemplate, Tool

from errata import Code, Fault, FaultError, FieldIssue
from errata.client import AskUser, Caller, CallFailed, Effect, FixArguments, Repeat, Stop, TellModel, UseTool, decide
from errata.resilience import retry


async def call(client: Client) -> None:
    caller = Caller(client, retry=retry(attempts=5), timeout_s=None)
    assert_type(await caller.call("pay", {"cents": 5}, key="order-17", timeout_s=2.5), Any)
    assert_type(await caller.read("shelf://17"), Any)
    assert_type(await caller.prompt("greet", {"name": "Ada"}), Any)
    assert_type(await caller.tools(), tuple[Tool, ...])
    assert_type(await caller.resources(refresh=True), tuple[Resource, ...])
    assert_type(await caller.resource_templates(timeout_s=5), tuple[ResourceTemplate, ...])
    assert_type(await caller.prompts(), tuple[Prompt, ...])
    effects: dict[str, Effect] = {"pay": "destructive", "upsert": "idempotent", "run_report": "read_only"}
    Caller(client, effects=effects)
    Caller(client, effects={"pay": "often"})  # type: ignore[dict-item]  # pyright: ignore[reportArgumentType]
    assert_type(caller.history, tuple[CallFailed, ...])
    assert_type(caller.render(Fault(code=Code.GONE)), str)
    assert_type(caller.server, str)
    async with Caller(client):  # type: ignore[attr-defined]  # pyright: ignore[reportGeneralTypeIssues]
        pass
    await Caller.connect("https://example.org/mcp")  # type: ignore[misc]  # pyright: ignore[reportGeneralTypeIssues]
    Caller(client, retries=3)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    await caller.call("pay", ["cents"])  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


async def connect() -> None:
    async with Caller.connect("https://example.org/mcp", headers={"a": "b"}, retry=None, mode="legacy") as caller:
        assert_type(caller, Caller)
    async with Caller.connect(StdioServerParameters(command="server")) as caller:
        assert_type(caller, Caller)
    async with Caller.connect(MCPServer("shelf"), timeout_s=5) as caller:
        assert_type(caller, Caller)
    async with Caller.connect("https://example.org/mcp", effects={"pay": "destructive"}) as caller:
        assert_type(caller, Caller)


def read(error: CallFailed) -> None:
    assert_type(error.fault, Fault)
    assert_type(error.tool, str | None)
    assert_type(error.arguments, Mapping[str, object])
    assert_type(error.server, str | None)
    assert_type(error.response, object)
    assert_type(error.is_local, bool)
    assert_type(error.nearest, Mapping[str, bool | None] | None)
    assert_type(error.looking_tool, str | None)
    as_its_base: FaultError = error
    as_its_base.code


def act(outcome: object, history: tuple[CallFailed, ...]) -> None:
    match decide(outcome, history):
        case None:
            pass
        case Repeat(after_ms):
            assert_type(after_ms, int)
        case FixArguments(issues, corrective_params):
            assert_type(issues, tuple[FieldIssue, ...])
            assert_type(corrective_params, Mapping[str, object])
        case UseTool(name, to_verify):
            assert_type((name, to_verify), tuple[str, bool])
        case TellModel(message):
            assert_type(message, str)
        case AskUser(message, fields):
            assert_type((message, fields), tuple[str, tuple[str, ...]])
        case Stop(reason):
            assert_type(reason, str)
