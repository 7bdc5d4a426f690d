"""What an adapter does: the part of serving that knows one era of one SDK.

Everything else in this package is the same for all servers. An adapter puts errata between a server and its clients, and
hands every request to `Host.attend`. When a handler fails, the pipeline asks the adapter what the SDK made of the
exception, what is known of the handler, and for the SDK's own objects to reply with.

How the eras implement it; `errata._install.ERAS` says which is used:

| | mcp 2, FastMCP 4 | mcp 1 (`mcp/version_1.py`) | FastMCP 2 and 3 (`fastmcp/_fastmcp_2_3.py`), on top of mcp 1 |
|---|---|---|---|
| `hook` | methods of `MCPServer`, request handlers, middleware | wraps the entries of `request_handlers`; `_make_error_result` raises again what it would make text of, while `IN_WORK` is set | the same, around FastMCP's middleware |
| `unwrap` | `__cause__` of the SDK's wrappers | the same, and `__context__` where there is no cause; an `McpError` is a `ProtocolFailure` | the same; the title of Pydantic's error tells refused arguments |
| `find_handler` | the SDK's registry, or its list | `_tool_manager`; low-level: `_tool_cache`, or its list | `get_tool` |
| `list_visible` | the server's own lists | the handlers of the lists, without errata | the same |
| `read_result` | `is_error` | `.root.isError`; nothing asks | the same |
| `build_result` | snake_case fields | `ServerResult(CallToolResult(isError=…))` | the same |
| `build_error` | `MCPError(code, message, data)` | `McpError(ErrorData(…))` | the same |

An era that names things differently gives `Request` an origin of its own: the `RequestContext` and `Session` protocols say
what is read from it. Where the protocol has no `input_required` results, `protocol_version` is below `MODERN` and
`build_result` is never asked for one.
"""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol, TypeAlias, cast

from errata.classification import Call
from errata.serving._classifying import RequestFailure
from errata.serving._offers import Offer
from errata.serving._publishing import ListedTool
from errata.serving._requests import Handler, Kind, Request

Run: TypeAlias = Callable[..., Awaitable[object]]
Attend: TypeAlias = Callable[..., Awaitable[Any]]
"""Takes a `Request`, a function to run and its arguments; gives the SDK's own object to reply with."""
CallTool: TypeAlias = Callable[[str, dict[str, Any]], Awaitable[Any]]


NO_HANDLER = Handler()


class Host(Protocol):
    """What an installation does for its adapter."""

    @property
    def attend(self) -> Attend:
        """Runs a handler for a client; its failure becomes the reply that the protocol has for it."""
        ...

    def note_tools(self, offers: list[Offer]) -> None:
        """Take note of a whole list of tools that was sent, and check the settings and the advice against it."""
        ...

    def publish(self, name: str, tool: ListedTool, function: object) -> ListedTool:
        """Return a listed tool with its failures added."""
        ...

    @property
    def mask(self) -> bool | None:
        """Whether texts that nobody meant for clients are withheld; None where nobody decided."""
        ...

    def replace_attribute(self, owner: object, name: str, replacement: object) -> None:
        """Set an attribute of an object until errata is uninstalled."""
        ...

    def call_on_uninstall(self, undo: Callable[..., object], *arguments: object) -> None:
        """Have something undone when errata is uninstalled."""
        ...


class Adapter(Protocol):
    """One server, seen through its SDK."""

    masks: bool
    """Whether the server itself is set to withhold the texts of exceptions."""

    def hook(self, host: Host) -> None:
        """Put errata between the server and its clients."""
        ...

    async def unwrap(self, error: BaseException, request: Request) -> RequestFailure | None:
        """Return the failure inside the SDK's wrapping; None for an exception that is to pass as it is."""
        ...

    async def find_handler(self, request: Request, tool: str | None = None) -> Handler | None:
        """Return the handler that a request ran, or that of a tool as the request's client would reach it."""
        ...

    async def list_visible(self, request: Request) -> list[Offer]:
        """List, anew, what the client could have sent a request of this kind for: other clients may see other tools."""
        ...

    def read_result(self, result: object) -> Mapping[str, object] | None:
        """Return the JSON of a tool's result that reports a failure or asks the client; None for any other."""
        ...

    def build_result(self, request: Request, encoded: Mapping[str, object]) -> object:
        """Build the SDK's object from the JSON of a `CallToolResult` or of an `input_required` result."""
        ...

    def build_error(self, encoded: Mapping[str, object]) -> Exception:
        """Build the SDK's exception from a JSON-RPC error object."""
        ...


class InspectableAdapter(Adapter, Protocol):
    """An adapter that also serves `errata.testing` and the command line."""

    async def list_offers(self) -> list[Offer]:
        """List all that the server offers, to whomever, with the functions behind it."""
        ...

    def connect(self, mode: str) -> AbstractAsyncContextManager[CallTool]:
        """Connect a client of the SDK's own in memory; gives a function that calls a tool and returns its result."""
        ...


async def look_up_handler(adapter: Adapter, request: Request) -> Handler:
    """Return the handler that a failed request ran, an empty one if it cannot be found; it is looked up once."""
    handler = request.handler
    if handler is None:
        try:
            handler = await adapter.find_handler(request) or NO_HANDLER
        except Exception:  # noqa: BLE001 - it runs the server's own lists and middleware; a reply is sent all the same.
            handler = NO_HANDLER
        request.handler = handler
    return handler


async def describe_call(adapter: Adapter, failure: RequestFailure, request: Request) -> None:
    """Set what is known of the call that a failure is judged by, if its handler ran and takes arguments."""
    if request.call is not None or not failure.has_run or request.kind is Kind.RESOURCE:
        return
    handler = await look_up_handler(adapter, request)
    request.call = Call(
        tool=request.name,
        arguments=request.arguments,
        schema=handler.input_schema,
        annotations=handler.annotations,
        effects=request.effects,
        function=cast("Callable[..., object] | None", handler.function),
    )
