"""One request in work, whichever SDK it came through."""

import re
import time
from collections.abc import Mapping
from contextvars import ContextVar
from enum import StrEnum
from typing import Any, Protocol, cast

from errata.classification import Call
from errata.model import CURRENT, Effects
from errata.serving._replies import Progress, progress

_TRACEPARENT = re.compile(
    r"(?!ff|00.{54})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?"
)
_LONGEST_NAME = 200
_BLANKS = re.compile(r"\s+")
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


class Origin(Protocol):
    """Where a request can be asked about: what a handler of either SDK is given."""

    @property
    def request_context(self) -> RequestContext | None: ...
    @property
    def input_responses(self) -> Mapping[str, object] | None: ...
    @property
    def request_state(self) -> str | None: ...


class Request:
    """A tool to call, a resource to read, a prompt to render, and what came with it.

    Most requests succeed, so nothing is asked of their origin before it is needed: that costs more than all the rest.
    """

    __slots__ = (
        "_arguments",
        "_context",
        "_progress",
        "call",
        "effects",
        "found",
        "kind",
        "masks",
        "name",
        "origin",
        "started",
    )

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
        self._progress: Progress | None = None
        self.effects: Effects | None = None
        """What its tool has done so far, once it has marked something."""
        self.found: object = None
        """What it is about, once the SDK has looked it up: its own object for a tool or a prompt."""
        self.call: Call | None = None
        """What is known of it for whoever judges its failure, once it has failed."""
        self.masks: bool = False
        """Whether a server on the way withholds what its tools say."""

    @property
    def arguments(self) -> Mapping[str, object]:
        """What it was given."""
        return self._arguments or {}

    @property
    def context(self) -> RequestContext | None:
        """What the SDK knows about it; None if no client sent it."""
        if self._context is None:
            self._context = self.find_context()
        return self._context

    def find_context(self) -> RequestContext | None:
        """Ask the origin."""
        try:
            return self.origin.request_context
        except ValueError:  # Somebody made it by hand.
            return None

    def trace_id(self) -> str | None:
        """Find the trace that the request belongs to."""
        context = self.context
        given = (context.meta or {}).get("traceparent") if context else None
        found = _TRACEPARENT.fullmatch(given) if isinstance(given, str) else None
        return found[1] if found else None

    @property
    def progress(self) -> Progress:
        """How far it has come, if it is one that asks."""
        if self._progress is None:
            self._progress = progress(self.origin.request_state, self.origin.input_responses)
        return self._progress

    def answers(self) -> Mapping[str, object]:
        """Collect what the client answered, in this round and in those before it."""
        return dict(self.progress.answers)

    def again(self, new: Mapping[str, object]) -> None:
        """Run once more, with answers that came in between."""
        rounds, given = self.progress
        self._progress = Progress(rounds + 1, {**given, **new})

    @property
    def short_name(self) -> str:
        """Its name as a log can show it: one line, and no longer than a name is; a blank at its end is seen."""
        return _BLANKS.sub(" ", self.name[:_LONGEST_NAME])

    @property
    def duration_ms(self) -> float:
        """How long it has been in work."""
        return round((time.perf_counter() - self.started) * 1000, 3)


IN_WORK = cast("ContextVar[Request | None]", CURRENT)
"""The request whose tool is running. A call from inside of it raises, as a call of a function does."""
