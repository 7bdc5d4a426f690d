"""One request in work, whichever SDK it came through."""

import re
import time
from collections.abc import Mapping
from contextvars import ContextVar
from enum import StrEnum
from typing import Protocol

_TRACEPARENT = re.compile(r"[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?")
MODERN = "2026-07-28"
"""The first protocol without a handshake; versions compare as text."""


class Kind(StrEnum):
    """What is asked for."""

    TOOL = "tool"
    RESOURCE = "resource"
    PROMPT = "prompt"


class Elicited(Protocol):
    """A client's answer to a question."""

    @property
    def action(self) -> str: ...
    @property
    def content(self) -> Mapping[str, object] | None: ...


class Session(Protocol):
    """The connection to the client, as both SDKs have it."""

    @property
    def client_capabilities(self) -> object: ...
    async def elicit_form(
        self, message: str, requested_schema: dict[str, object], related_request_id: str | int | None = None
    ) -> Elicited: ...


class RequestContext(Protocol):
    """What both SDKs know about a request."""

    @property
    def session(self) -> Session: ...
    @property
    def protocol_version(self) -> str: ...
    @property
    def request_id(self) -> str | int | None: ...
    @property
    def meta(self) -> Mapping[str, object] | None: ...


class Turn(Protocol):
    """What a request brings along that comes back with an answer."""

    @property
    def input_responses(self) -> Mapping[str, object] | None: ...
    @property
    def request_state(self) -> str | None: ...


class Request:
    """A tool to call, a resource to read, a prompt to render, and what came with it."""

    __slots__ = ("arguments", "context", "found", "kind", "name", "started", "turn")

    def __init__(
        self,
        kind: Kind,
        name: str,
        arguments: Mapping[str, object] | None,
        context: RequestContext,
        turn: Turn | None,
    ) -> None:
        self.kind: Kind = kind
        self.name: str = name
        self.arguments: Mapping[str, object] = arguments or {}
        self.context: RequestContext = context
        self.turn: Turn | None = turn
        """What it brings along, if it may be one that comes back."""
        self.found: object = None
        """What it is about, once the SDK has looked it up: its own object for a tool or a prompt."""
        self.started: float = time.perf_counter()

    @property
    def trace_id(self) -> str | None:
        """The trace that the request belongs to."""
        given = (self.context.meta or {}).get("traceparent")
        found = _TRACEPARENT.fullmatch(given) if isinstance(given, str) else None
        return found[1] if found else None

    @property
    def duration_ms(self) -> float:
        """How long it has been in work."""
        return round((time.perf_counter() - self.started) * 1000, 3)


IN_WORK: ContextVar[Request | None] = ContextVar("errata_request", default=None)
"""The request whose tool is running. A call from inside of it raises, as a call of a function does."""
