"""One client request in work, whichever SDK it came through."""

import re
import time
from collections.abc import Mapping
from contextvars import ContextVar
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, cast

from errata.classification import Call
from errata.model import CURRENT, Effects
from errata.serving._rounds import Rounds, read_rounds

_TRACEPARENT = re.compile(
    r"(?!ff|00.{54})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?"
)
_LONGEST_NAME = 200
_BLANKS = re.compile(r"\s+")
MODERN = "2026-07-28"
"""The first protocol without a handshake; versions compare as text."""


class Kind(StrEnum):
    """What a request is for."""

    TOOL = "tool"
    RESOURCE = "resource"
    PROMPT = "prompt"


class ElicitationReply(Protocol):
    """What a user answered to a question."""

    @property
    def action(self) -> str: ...
    @property
    def content(self) -> Mapping[str, object] | None: ...


class Session(Protocol):
    """The connection to the client."""

    @property
    def client_capabilities(self) -> object: ...
    async def elicit_form(
        self, message: str, requested_schema: dict[str, object], related_request_id: str | int | None = None
    ) -> ElicitationReply: ...


class RequestContext(Protocol):
    """What the SDK knows about a request."""

    @property
    def session(self) -> Session: ...
    @property
    def protocol_version(self) -> str: ...
    @property
    def request_id(self) -> str | int | None: ...
    @property
    def meta(self) -> Mapping[str, object] | None: ...


class Origin(Protocol):
    """What the SDK gives to whoever handles a request."""

    @property
    def request_context(self) -> RequestContext | None: ...
    @property
    def input_responses(self) -> Mapping[str, object] | None: ...
    @property
    def request_state(self) -> str | None: ...


class Handler(NamedTuple):
    """The author's function behind a tool, resource or prompt, and what is declared about it."""

    function: object = None
    """None where it cannot be found."""
    annotations: object = None
    """MCP's annotations of a tool, as the SDK has them."""
    input_schema: Mapping[str, object] = MappingProxyType({})
    """Of a tool's arguments."""


class Request:
    """A tool to call, a resource to read or a prompt to render, and what came with it.

    Most requests succeed, so nothing is read from the origin before it is needed: that costs more than all the rest. What
    is learned only when one fails has a default on the class until then.
    """

    _rounds: Rounds | None = None
    effects: Effects | None = None
    """What its tool has done so far, once it has marked something."""
    component: object = None
    """The SDK's own object for what it names, where the adapter saw the SDK look it up."""
    handler: Handler | None = None
    """What is known of its handler, once it has failed."""
    call: Call | None = None
    """What its failure is judged by, once it has failed."""
    masks: bool = False
    """Whether a server on the way withholds what its tools say."""

    def __init__(
        self,
        kind: Kind,
        name: str,
        arguments: Mapping[str, object] | None,
        origin: Any,  # noqa: ANN401 - an Origin; the SDKs' own classes are declared too closely to be one.
        context: RequestContext | None = None,
    ) -> None:
        self.kind: Kind = kind
        self.name: str = name
        self._arguments = arguments
        self.origin: Origin = origin
        self.started: float = time.perf_counter()
        self._context = context

    @property
    def arguments(self) -> Mapping[str, object]:
        """The arguments as the client sent them."""
        return self._arguments or {}

    @property
    def context(self) -> RequestContext | None:
        """The SDK's context of the request; None if no client sent it."""
        if self._context is None:
            self._context = self.find_context()
        return self._context

    def find_context(self) -> RequestContext | None:
        """Read the context from the origin; None if somebody made that by hand."""
        try:
            return self.origin.request_context
        except ValueError:
            return None

    def trace_id(self) -> str | None:
        """Return the id of the trace that the request belongs to; None if it belongs to none."""
        context = self.context
        traceparent = (context.meta or {}).get("traceparent") if context else None
        match = _TRACEPARENT.fullmatch(traceparent) if isinstance(traceparent, str) else None
        return match[1] if match else None

    @property
    def rounds(self) -> Rounds:
        """How far it has come, if its handler asks questions."""
        if self._rounds is None:
            self._rounds = read_rounds(self.origin.request_state, self.origin.input_responses)
        return self._rounds

    def answers(self) -> Mapping[str, object]:
        """Return what the client answered, in this round and in those before it."""
        return dict(self.rounds.answers)

    def add_round(self, answers: Mapping[str, object]) -> None:
        """Begin another round, with answers that came while the request waited."""
        number, earlier = self.rounds
        self._rounds = Rounds(number + 1, {**earlier, **answers})

    @property
    def short_name(self) -> str:
        """Its name for a log: on one line, no longer than a name is, with a blank at its end still visible."""
        return _BLANKS.sub(" ", self.name[:_LONGEST_NAME])

    @property
    def duration_ms(self) -> float:
        """How long it has been in work."""
        return round((time.perf_counter() - self.started) * 1000, 3)


IN_WORK = cast("ContextVar[Request | None]", CURRENT)
"""The request whose handler is running. A call from inside of it raises, as a call of a function does."""
