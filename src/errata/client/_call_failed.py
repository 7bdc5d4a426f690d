"""`CallFailed`, the exception of a failed call, and the streak of failures that led to it."""

import copy
import hashlib
import itertools
import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple, Self, cast

from errata.client._causes import redact_cause
from errata.dialects import Trust
from errata.model import Fault, FaultError, Retry
from errata.reading import is_hearsay
from errata.redaction import jsonable, quote_name

MOST_IN_A_ROW = 10
"""How many calls may fail in a row before an agent should stop."""
MOST_OF_A_TOOL = 20
"""How often a tool may fail without a success of its own, whatever the arguments and whatever else succeeds."""
LONGEST_WAIT_MS = 3_600_000
"""The limit of all waits in a row. Limits by the hour are usual; a longer wait is a daily quota, or a wrong clock."""
_MOST_TOOLS = 10_000


class Streak(NamedTuple):
    """The failures in a row up to this one, since a call last succeeded; they bound what an agent may spend."""

    failures: int = 0
    """Failed calls, each begun after the one before it had failed: concurrent calls count once."""
    waits_ms: int = 0
    """The sum of the waits that repeatable failures asked for."""
    of_tool: int = 0
    """Failed calls of the same tool since one succeeded, whatever the arguments."""

    def and_one(self, fault: Fault) -> "Streak":
        """Return the streak with one more failure."""
        return Streak(self.failures + 1, self.waits_ms + _wait_ms(fault), self.of_tool + 1)


NO_STREAK = Streak()


def _wait_ms(fault: Fault) -> int:
    return fault.retry_after_ms or 0 if fault.retry is Retry.SAME_CALL else 0


class StreakCounter:
    """Counts the failures since the last success, and those of each tool since its own last success."""

    __slots__ = ("_failures", "_of_tools", "_waits_ms")

    def __init__(self) -> None:
        self._failures = 0
        self._waits_ms = 0
        self._of_tools: dict[str, int] = {}

    def begin(self, tool: str) -> Streak:
        """Return the streak when a call begins; one that reached its limit is over, because the agent was stopped."""
        if self._failures >= MOST_IN_A_ROW or self._waits_ms > LONGEST_WAIT_MS:
            self._failures = self._waits_ms = 0
        if self._of_tools.get(tool, 0) >= MOST_OF_A_TOOL:
            del self._of_tools[tool]
        return Streak(self._failures, self._waits_ms, self._of_tools.get(tool, 0))

    def add(self, tool: str, before: Streak, fault: Fault) -> Streak:
        """Count a failure after the streak at the beginning of its call; return the new streak."""
        streak = before.and_one(fault)
        self._failures = max(self._failures, streak.failures)
        self._waits_ms = max(self._waits_ms, streak.waits_ms)
        if tool in self._of_tools or len(self._of_tools) < _MOST_TOOLS:
            self._of_tools[tool] = streak.of_tool
        return streak

    def end(self, tool: str) -> None:
        """End the streak after a success."""
        self._failures = self._waits_ms = 0
        self._of_tools.pop(tool, None)


_SIZE = 64 * 1024 * 1024
"""How much of the arguments is compared; calls that differ only beyond that count as the same."""
_LONGEST_NAME = 200
_NO_DIALECT = "none"
_NOTHING: Mapping[str, object] = MappingProxyType({})
_OCCURRENCES = itertools.count(1)


class ClientRequest(NamedTuple):
    """What a caller requests of a server."""

    kind: str
    """`tool`, `resource`, `prompt`, `list`, or `connection` for the handshake."""
    name: str
    arguments: Mapping[str, object] = _NOTHING

    def __str__(self) -> str:
        name = self.name if len(self.name) <= _LONGEST_NAME else f"{self.name[:_LONGEST_NAME]}…"
        match self.kind:
            case "tool":
                return quote_name(name)
            case "connection":
                return "the handshake"
            case "list":
                return f"the list of {name}"
            case _:
                return f"the {self.kind} {quote_name(name)}"


class CallFailed(FaultError):  # noqa: N818 - it says what happened; its base has the suffix.
    """A call that failed, whether through the server, the network or this client. Its text is the fault's message."""

    tool: str | None = None
    """The tool that was called; None for any other request."""
    arguments: Mapping[str, object] = _NOTHING
    """A copy of the arguments, made when the call failed."""
    server: str | None = None
    """The name that the server gives itself, else its address."""
    response: object = None
    """What came back, as plain JSON: a result, a JSON-RPC error, or status, headers and body of HTTP; None for nothing.

    It is as the server sent it: unlike everything else here, it may hold secrets that neither a model nor a log should see.
    Only an answer that broke the tool's output schema and a response of HTTP are redacted.
    """
    is_local: bool = False
    """Whether it was noticed on this side: no connection, no answer in time, an answer that is no MCP."""
    is_refused: bool = False
    """Whether this side refused the answer, because it breaks the tool's output schema."""
    is_unsent: bool = False
    """Whether it is certain that the request was not sent, or not taken on, because there was no connection for it."""
    dialect: str = _NO_DIALECT
    """The dialect of the answer: one of errata's, `JSON-RPC error`, or `none`."""
    identity: str | None = None
    """Identifies the call: the same for the same request to the same server, and for no other."""
    occurrence: int = 0
    """Identifies this failure, also in the copy that `history` keeps."""
    attempts: int = 1
    """How often the call was made, by this client or, as it says, by the server."""
    has_effect: bool | None = None
    """Whether the tool changes something, by its annotations or its name; None if neither tells."""
    listed: Mapping[str, bool | None] | None = None
    """The tools that the fault names and the server lists, and whether each has an effect; None without a list."""
    looking_tool: str | None = None
    """A listed tool that only reads and by its name can show whether the call took effect; None if there is none."""
    nearest: Mapping[str, bool | None] | None = None
    """The tools with the nearest names, and whether each has an effect, if the server does not list this one; else None."""
    word: Trust | None = None
    """How far the fault may be believed; None if no server wrote it: an HTTP status, a broken connection, no answer."""
    streak: Streak = NO_STREAK
    """The failures in a row up to this one."""

    @classmethod
    def of(  # noqa: PLR0913 - one for each thing that is known.
        cls,
        fault: Fault,
        request: ClientRequest,
        *,
        server: str | None,
        response: object = None,
        is_local: bool = False,
        dialect: str = "none",
        word: Trust | None = None,
        cause: BaseException | None = None,
    ) -> Self:
        """Return the exception of a fault, with everything known about the call."""
        error = cls.from_fault(fault, cause=None if cause is None else redact_cause(cause))
        error.tool = request.name if request.kind == "tool" else None
        error.arguments = {name: _copy_argument(value) for name, value in request.arguments.items()}
        error.server = server
        error.response = response
        error.is_local = is_local
        error.dialect = dialect
        error.word = word
        error.is_hearsay = word is not None and is_hearsay(fault, dialect, word)
        error.is_classified = cause is not None
        error.identity = identify_call(request, server)
        error.occurrence = next(_OCCURRENCES)
        return error

    def in_short(self) -> Self:
        """Return a copy to keep: without the response, and without the frames that a traceback keeps alive."""
        error = type(self).from_fault(self.fault)
        vars(error).update({**vars(self), "response": None})
        return error

    def with_fault(self, fault: Fault, *, cause: BaseException | None = None) -> Self:
        """Return a copy with another fault; this exception becomes its cause, unless `cause` is given."""
        error = type(self).from_fault(fault, cause=cause or self)
        vars(error).update({**vars(self), "fault": fault})
        return error


def identify_call(request: ClientRequest, server: str | None) -> str:
    """Return the identity of a request to a server; the order of arguments makes no difference, and 1.0 is 1."""
    arguments = _with_whole_numbers(jsonable(request.arguments, size=_SIZE))
    call = json.dumps([server, request.kind, request.name, arguments], sort_keys=True)
    return hashlib.sha256(call.encode()).hexdigest()


def _with_whole_numbers(value: object) -> object:
    """Return JSON in which each number is written in one way: JSON has one kind of numbers."""
    match value:
        case float() if value.is_integer():
            return int(value)
        case dict():
            members = cast("dict[str, object]", value)
            return {name: _with_whole_numbers(each) for name, each in members.items()}
        case list():
            return [_with_whole_numbers(each) for each in cast("list[object]", value)]
        case _:
            return value


def _copy_argument(value: object) -> object:
    """Return a copy of an argument, because the program may change it for the next call; or itself if that fails."""
    try:
        return copy.deepcopy(value)
    except Exception:  # noqa: BLE001 - a value may have its own `__deepcopy__`, which may raise anything.
        return value
