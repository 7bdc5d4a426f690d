"""The exception of a call that failed, and what a caller remembers of such calls."""

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
from errata.reading import rests_on_words
from errata.redaction import jsonable, quote_name

MOST_IN_A_ROW = 10
"""So many calls may fail on the way to one goal, whatever they are."""
MOST_OF_A_TOOL = 20
"""So often a tool may fail with whatever arguments, if others succeed in between and it does not."""
LONGEST_WAIT_MS = 3_600_000
"""Of all waits on the way to one goal. Longer than an hour is no pause but another day: the quota of an API, a clock gone
wrong. Limits by the hour are usual."""
_MOST_TOOLS = 10_000


class Streak(NamedTuple):
    """How much has failed on the way to this failure, since a call last succeeded; it bounds what a goal may cost."""

    failures: int = 0
    """Failed calls, each begun after the one before it had failed: calls at the same time count once."""
    waits_ms: int = 0
    """The waits that those who may be repeated asked for, added up."""
    of_tool: int = 0
    """Failed calls of the same tool since one of it succeeded, whatever its arguments."""

    def and_one(self, fault: Fault) -> "Streak":
        """Return the streak with one more failure."""
        return Streak(self.failures + 1, self.waits_ms + _wait_ms(fault), self.of_tool + 1)


NO_STREAK = Streak()


def _wait_ms(fault: Fault) -> int:
    return fault.retry_after_ms or 0 if fault.retry is Retry.SAME_CALL else 0


class StreakCounter:
    """Counts the failures since a call last succeeded, and those of each tool since one of it did."""

    __slots__ = ("_failures", "_of_tools", "_waits_ms")

    def __init__(self) -> None:
        self._failures = 0
        self._waits_ms = 0
        self._of_tools: dict[str, int] = {}

    def begin(self, tool: str) -> Streak:
        """Return what has failed when a call begins; what has led to a stop, or to a person, belongs to an earlier goal."""
        if self._failures >= MOST_IN_A_ROW or self._waits_ms > LONGEST_WAIT_MS:
            self._failures = self._waits_ms = 0
        if self._of_tools.get(tool, 0) >= MOST_OF_A_TOOL:
            del self._of_tools[tool]
        return Streak(self._failures, self._waits_ms, self._of_tools.get(tool, 0))

    def add(self, tool: str, before: Streak, fault: Fault) -> Streak:
        """Count a failure behind those that there were when the call began; return what there are now."""
        streak = before.and_one(fault)
        self._failures = max(self._failures, streak.failures)
        self._waits_ms = max(self._waits_ms, streak.waits_ms)
        if tool in self._of_tools or len(self._of_tools) < _MOST_TOOLS:
            self._of_tools[tool] = streak.of_tool
        return streak

    def end(self, tool: str) -> None:
        """Take note of a success."""
        self._failures = self._waits_ms = 0
        self._of_tools.pop(tool, None)


_SIZE = 64 * 1024 * 1024
"""As much of the arguments is compared; two calls that differ only behind that are taken for the same."""
_LONGEST_NAME = 200
_NO_DIALECT = "none"
_NOTHING: Mapping[str, object] = MappingProxyType({})
_OCCURRENCES = itertools.count(1)


class ClientRequest(NamedTuple):
    """What was asked of a server."""

    kind: str
    """`tool`, `resource`, `prompt`, `list`, or `connection` for the handshake before all of them."""
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
    """A call that failed, whoever is to blame: the server, the network or this client. Its text is the message."""

    tool: str | None = None
    """The tool that was called; None where it was something else."""
    arguments: Mapping[str, object] = _NOTHING
    """A copy of what was sent, made when it failed."""
    server: str | None = None
    """What the server calls itself, or its address."""
    response: object = None
    """What came back, as plain JSON: a result, a JSON-RPC error, or status, headers and body of HTTP; None for nothing.

    It is as the server sent it: unlike all the rest, it may hold what neither a model nor a log should see. Of an answer that
    broke the tool's output schema, and of statuses of HTTP, it is without secrets.
    """
    is_local: bool = False
    """Whether it was noticed on this side: no connection, no answer in time, an answer that is none."""
    is_refused: bool = False
    """Whether an answer came that this side did not take, because it breaks the tool's output schema."""
    dialect: str = _NO_DIALECT
    """Who wrote the words: one of errata's dialects, `JSON-RPC error`, or `none`."""
    identity: str | None = None
    """The same for the same call of the same server, and for no other."""
    occurrence: int = 0
    """A number of its own, by which one that is remembered is known."""
    attempts: int = 1
    """How often the call was made, wherever it was repeated: by this client, or by the server that says so."""
    has_effect: bool | None = None
    """Whether the tool changes something, by its annotations or its name; None where neither tells."""
    listed: Mapping[str, bool | None] | None = None
    """The tools that the fault names and the server lists, and whether each has an effect; None if nobody looked."""
    looking_tool: str | None = None
    """A tool of the list that only reads, and shows by its name whether the call took effect; None if there is none."""
    nearest: Mapping[str, bool | None] | None = None
    """The tools that are nearest by name if the server does not list this one, and whether each has an effect; else None."""
    word: Trust | None = None
    """Whose word the fault is; None for what was noticed on the way: an HTTP status, a broken connection, no answer."""
    streak: Streak = NO_STREAK
    """What has failed on the way here."""

    @classmethod
    def of(  # noqa: PLR0913 - one for each thing that was in hand.
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
        """Attach what was in hand to a fault."""
        error = cls.from_fault(fault, cause=None if cause is None else redact_cause(cause))
        error.tool = request.name if request.kind == "tool" else None
        error.arguments = {name: _kept(value) for name, value in request.arguments.items()}
        error.server = server
        error.response = response
        error.is_local = is_local
        error.dialect = dialect
        error.word = word
        error.is_hearsay = word is not None and rests_on_words(fault, dialect, word)
        error.is_classified = cause is not None
        error.identity = identify_call(request, server)
        error.occurrence = next(_OCCURRENCES)
        return error

    def in_short(self) -> Self:
        """Copy it for keeping: without what came back, and without the frames that its traceback holds on to."""
        error = type(self).from_fault(self.fault)
        vars(error).update({**vars(self), "response": None})
        return error

    def with_fault(self, fault: Fault, *, cause: BaseException | None = None) -> Self:
        """Copy it with another fault; what was attached stays, and this one becomes the cause, unless there is another."""
        error = type(self).from_fault(fault, cause=cause or self)
        vars(error).update({**vars(self), "fault": fault})
        return error


def identify_call(request: ClientRequest, server: str | None) -> str:
    """Name a call by what is asked of whom; arguments are the same whatever their order, and 1.0 is 1."""
    arguments = _with_whole_numbers(jsonable(request.arguments, size=_SIZE))
    told = json.dumps([server, request.kind, request.name, arguments], sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()


def _with_whole_numbers(value: object) -> object:
    """Write each number in one way: JSON has one kind of them."""
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


def _kept(value: object) -> object:
    """Copy an argument as it was sent: whoever sent it may use it for the next call; what cannot be copied stays."""
    try:
        return copy.deepcopy(value)
    except Exception:  # noqa: BLE001 - a value may have a way of its own to be copied, and raise anything.
        return value
