"""What this code is a part of: attempts of a retry, and calls that have a permit of a circuit.

One context variable holds the innermost of them; tasks and threads that inherit the
context are a part of it, too. Two things follow from it: what is called inside of a probe goes by the probe's permit,
because it would wait for ever for its own; and a failure that passes through several calls counts in the innermost.
"""

from collections import deque
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Final, cast

from errata._fork import ForkSafeLock
from errata.classification import peek, read_exception
from errata.model import Effects
from errata.resilience._circuit import Circuit, Permit

_LOCK: Final = ForkSafeLock()
_MOST_CAUSES: Final = 100
_MOST_COUNTED: Final = 64  # Of a block that lasts as long as a server, and whose calls fail now and then.


class ProtectedCall:
    """One call, or block of calls, that has a permit of a circuit."""

    # Values of the class, and no `__init__`: one is made for every call, and most end before any of these is looked at.
    circuit: Circuit | None = None
    permit: Permit | None = None
    """None once the call has ended; tasks that it started may still run in its context."""
    outer: "ProtectedCall | None" = None
    """The call that this one is a part of."""
    counted: deque[BaseException] | None = None
    """The errors that calls inside of this one have counted."""
    target: object = None
    """The function that an attempt is about to call. If a breaker made it, attempt and protected call are one."""

    def count(self, error: BaseException) -> bool:
        """Count an error for this call, unless a call inside of it has; return whether it was counted now.

        The calls around this one, of the same circuit, see that it was.
        """
        if self.has_counted(error):
            return False
        for call in _go_outwards(self.outer):
            call.note_counted(error, self.circuit)
        return True

    def note_counted(self, error: BaseException, circuit: Circuit | None) -> None:
        """Note that a call inside of this one has counted an error for a circuit."""
        if circuit is self.circuit:
            with _LOCK.current:
                if self.counted is None:
                    self.counted = deque(maxlen=_MOST_COUNTED)
                self.counted.append(error)

    def has_counted(self, error: BaseException) -> bool:
        """Return whether a call inside of this one has counted an error, or one that it comes from."""
        counted = tuple(self.counted or ())
        return bool(counted) and any(each is one for each in _errors_in(error) for one in counted)

    def end(self) -> None:
        """End it, in whatever order calls end. It keeps no errors alive, and no calls around it that have ended."""
        self.permit = self.counted = None
        self.outer = _without_ended(self.outer)


class Attempt(ProtectedCall):
    """One attempt of a call that `retry` may repeat."""

    outer: ProtectedCall | None = None
    effects: Effects | None = None
    is_over: bool = False
    """Whether it has ended; tasks and threads that it started may still run."""

    def end_attempt(self) -> None:
        """End it. It keeps no calls around it that have ended."""
        self.is_over = True
        if self.outer is not None:
            self.outer = next(_go_outwards(self.outer), None)


INNERMOST: Final[ContextVar[ProtectedCall | None]] = ContextVar("errata_call", default=None)
"""The innermost call, protected or attempted, in this context; it may have ended, where a task runs on or a block was left elsewhere."""


def begin_block(circuit: Circuit, permit: Permit) -> ProtectedCall:
    """Begin a block of calls in this context. It ends with `end()`, in whatever context that is called."""
    block = ProtectedCall()
    block.circuit, block.permit, block.outer = circuit, permit, _without_ended(INNERMOST.get())
    INNERMOST.set(block)
    return block


def leave_ended() -> None:
    """Forget the ended calls in this context, after a block was left."""
    call = INNERMOST.get()
    if call is not None and (rest := _without_ended(call)) is not call:
        INNERMOST.set(rest)


def calls_here() -> Iterator[ProtectedCall]:
    """Yield the protected calls that this code is a part of, the innermost first."""
    return _go_outwards(INNERMOST.get())


def find_attempt() -> Attempt | None:
    """Return the attempt that this code is a part of, which may have ended."""
    call = INNERMOST.get()
    while call is not None and not isinstance(call, Attempt):
        call = call.outer
    return call


def is_within_probe(circuit: Circuit) -> bool:
    """Return whether this is a part of the call that tries a circuit."""
    return any(call.circuit is circuit and call.permit and call.permit.is_probe for call in calls_here())


def _without_ended(call: ProtectedCall | None) -> ProtectedCall | None:
    """Return the innermost call that counts: an attempt does after its end, too, because its effects must not begin."""
    while call is not None and call.permit is None and not isinstance(call, Attempt):
        call = call.outer
    return call


def _go_outwards(call: ProtectedCall | None) -> Iterator[ProtectedCall]:
    while call is not None:
        if call.permit is not None:
            yield call
        call = call.outer


def _errors_in(error: BaseException) -> Iterator[BaseException]:
    """Yield an error, its causes, and the members of groups."""
    errors = [error]
    for each in errors:  # It grows while it is read.
        yield each
        if len(errors) < _MOST_CAUSES:
            errors += filter(None, (read_exception(each, "__cause__"), read_exception(each, "__context__")))
            errors += _members_of(each)


def _members_of(error: BaseException) -> tuple[BaseException, ...]:
    if not issubclass(type(error), BaseExceptionGroup):
        return ()
    return cast("tuple[BaseException, ...]", peek(error, "exceptions") or ())
