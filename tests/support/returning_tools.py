"""Tools that return what real ones return, and what two SDKs make of it: an output schema and a result."""

import dataclasses
import datetime as dt
import functools
from enum import Enum
from typing import Any, Literal
from uuid import UUID

import anyio
import fastmcp
import mcp
from mcp.server.mcpserver import MCPServer
from pydantic import BaseModel, ConfigDict, Field, RootModel
from typing_extensions import TypedDict

_NOON = dt.datetime(2026, 11, 2, 12, 0, tzinfo=dt.UTC)
_ID = UUID("7a1c0000-0000-4000-8000-00000000beef")


class Status(Enum):
    OPEN = "open"
    SHIPPED = "shipped"


class Line(BaseModel):
    sku: str
    shipped_at: dt.datetime | None = None


class Order(BaseModel):
    """An order."""

    id: UUID = Field(description="Who it is.")
    status: Status = Status.OPEN
    lines: list[Line] = []
    first: Line
    by_name: dict[str, Line] = {}


class Node(BaseModel):
    value: int
    children: list["Node"] = []


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")

    total: int
    note: str | None = None


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")

    total: int


class Everything(BaseModel):
    """Every name that an error or a question has in some dialect, for something else."""

    error: Line
    kind: int
    code: UUID
    message: dt.datetime
    retriable: str
    retryable: list[int]
    original: dt.date
    details: Line
    retry_after_ms: dt.timedelta
    recovery_actions: list[Line]
    fallback_tool: Line | None
    correlation_id: UUID
    timestamp: dt.datetime
    recovery_hint: Status
    userMessage: dict[str, Line]  # noqa: N815 - as 004 has it.
    corrective_params: Node
    type: Literal["invoice", "receipt"]
    options: dict[str, dt.date]
    needsInput: bool  # noqa: N815 - as 002 has it.


class ClosedEverything(Everything):
    model_config = ConfigDict(extra="forbid")


class OpenEverything(Everything):
    model_config = ConfigDict(extra="allow")


class Checked(BaseModel):
    ok: bool
    error: str | None = None
    message: str = "fine"
    code: int = 0
    timestamp: dt.datetime = _NOON


class Envelope(BaseModel):
    model_config = ConfigDict(extra="forbid")

    error: dict[str, Any] | None = None
    data: Line | None = None


class Optionals(BaseModel):
    total: int | None = None
    line: Line | None = None


class Typed(TypedDict):
    total: int
    line: Line


class Partial(TypedDict, total=False):
    total: int
    message: int


class Numbers(RootModel[list[dt.date]]):
    pass


@dataclasses.dataclass
class Point:
    x: int
    y: float = 0.5
    label: str | None = None


_LINE = Line(sku="a-1", shipped_at=_NOON)
_NODE = Node(value=1, children=[Node(value=2, children=[Node(value=3)])])
_EVERYTHING = {
    "error": _LINE,
    "kind": 7,
    "code": _ID,
    "message": _NOON,
    "retriable": "yes",
    "retryable": [1, 2],
    "original": _NOON.date(),
    "details": _LINE,
    "retry_after_ms": dt.timedelta(seconds=90),
    "recovery_actions": [_LINE],
    "fallback_tool": _LINE,
    "correlation_id": _ID,
    "timestamp": _NOON,
    "recovery_hint": Status.OPEN,
    "userMessage": {"a": _LINE},
    "corrective_params": _NODE,
    "type": "invoice",
    "options": {"a": _NOON.date()},
    "needsInput": True,
}

# fmt: off
RETURNED = {
    "int": (int, 7),
    "str": (str, "seven"),
    "date": (dt.datetime, _NOON),
    "ints": (list[int], [1, 2]),
    "lines": (list[Line], [_LINE]),
    "pair": (tuple[int, dt.date], (1, _NOON.date())),
    "dict_of_ints": (dict[str, int], {"a": 1, "error": 2, "message": 3}),
    "dict_of_dates": (dict[str, dt.datetime], {"a": _NOON, "code": _NOON}),
    "dict_of_lines": (dict[str, Line], {"a": _LINE, "details": _LINE}),
    "dict": (dict[str, Any], {"a": 1, "error": "none"}),
    "literal": (Literal["yes", "no"], "yes"),
    "union": (Closed | Open, Open(total=1)),
    "optional": (Closed | None, None),
    "order": (Order, Order(id=_ID, lines=[_LINE], first=_LINE, by_name={"a": _LINE})),
    "node": (Node, _NODE),
    "closed": (Closed, Closed(total=1)),
    "open": (Open, Open.model_validate({"total": 1, "error": {"is": "mine"}, "code": 5})),
    "everything": (Everything, Everything(**_EVERYTHING)),
    "closed_everything": (ClosedEverything, ClosedEverything(**_EVERYTHING)),
    "open_everything": (OpenEverything, OpenEverything(**_EVERYTHING, more=1)),
    "checked": (Checked, Checked(ok=True)),
    "envelope": (Envelope, Envelope(error={"code": "NOT_FOUND", "message": "m", "retry": "never"}, data=_LINE)),
    "optionals": (Optionals, Optionals(line=_LINE)),
    "typed": (Typed, {"total": 1, "line": _LINE}),
    "partial": (Partial, {"message": 1}),
    "point": (Point, Point(1)),
    "numbers": (Numbers, Numbers([_NOON.date()])),
}
# fmt: on


@dataclasses.dataclass(frozen=True)
class Recorded:
    """One tool of one SDK: how it is listed, and what a call answers, both as JSON."""

    sdk: str
    name: str
    tool: dict[str, Any]
    result: dict[str, Any]

    @property
    def schema(self):
        return self.tool["outputSchema"]

    @property
    def success(self):
        return self.result["structuredContent"]

    def __str__(self):
        return f"{self.sdk}-{self.name}"


def _by_hand(name, schema, success):
    tool = {"name": name, "inputSchema": {"type": "object"}, "outputSchema": schema}
    return Recorded("hand", name, tool, {"content": [], "structuredContent": success})


_TEXT, _DATE = {"type": "string"}, {"type": "string", "format": "date-time"}
BY_HAND = (
    _by_hand("defaulted", {"type": "object", "properties": {"code": _TEXT | {"default": "none"}, "a": _TEXT}}, {"a": ""}),
    _by_hand("untyped", {"properties": {"code": _TEXT, "message": _DATE}}, {"code": "TIMEOUT", "message": f"{_NOON}"}),
    _by_hand("either", {"anyOf": [{"type": "array"}, {"type": "object", "properties": {"error": _DATE}}]}, {"error": f"{_NOON}"}),
    _by_hand("all", {"type": "object", "allOf": [{"properties": {"error": _DATE}}], "unevaluatedProperties": False}, {"error": "x"}),
)  # fmt: skip
"""Schemas that no SDK makes of a return type, but that an author may write."""


@functools.cache
def recorded() -> tuple[Recorded, ...]:
    """Let both SDKs list and call every tool once, and keep those that an output schema was made for."""
    return tuple(each for each in anyio.run(_recorded) if each.schema is not None)


async def _recorded():
    found = []
    for sdk, server, client in _servers():
        async with client(server) as connected:
            listing = await connected.list_tools()
            call = getattr(connected, "call_tool_mcp", connected.call_tool)
            for tool in getattr(listing, "tools", listing):
                result = await call(tool.name, {})
                found.append(Recorded(sdk, tool.name, _json(tool), _json(result)))
    return found


def _servers():
    for sdk, server, client in (("mcp", MCPServer, mcp.Client), ("fastmcp", fastmcp.FastMCP, fastmcp.Client)):
        made = server("orders")
        for name, (kind, value) in RETURNED.items():
            made.tool(name=name)(_returning(kind, value))
        yield sdk, made, client


def _returning(kind, value):
    def tool():
        return value

    tool.__annotations__["return"] = kind
    return tool


def _json(message):
    return message.model_dump(mode="json", by_alias=True, exclude_none=True) | _kept_null(message)


def _kept_null(message):
    """Keep the nulls inside of what a tool returned; only absent members of the envelope are left out."""
    if hasattr(message, "structured_content"):
        return {"structuredContent": message.structured_content}
    return {"outputSchema": message.output_schema}
