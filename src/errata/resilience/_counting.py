"""A failure that passes through several calls of a circuit, one inside of the other, counts in the innermost one.

It is seen by the exception: to tell every call of a healthy upstream what it is a part of would take longer than all
else that a breaker does.
"""

from collections.abc import Iterator
from types import TracebackType
from typing import Final, NamedTuple, cast

from errata._fork import LockOfModule
from errata.classification import peek, read_exception
from errata.model import Fault, is_a
from errata.resilience._circuit import Circuit

_MARK: Final = "__errata_counted__"
_MOST_CAUSES: Final = 100


class _Tally:
    """How many failures have been counted in this process, of whatever circuit."""

    __slots__ = ("so_far",)

    def __init__(self) -> None:
        self.so_far: int = 0


COUNTED: Final = _Tally()
_LOCK: Final = LockOfModule()


class _Count(NamedTuple):
    number: int
    """Which failure of this process it was. An object may be raised again: then it is another failure."""
    frame: int
    """Where it was counted. An object may be raised to several, such as all that wait for a connection."""


class _Mark(dict[int, _Count]):
    """How an error was counted, by the circuits that did. It is not pickled with the error."""

    def __reduce__(self) -> tuple[type["_Mark"], tuple[()]]:
        return _Mark, ()


def note(failure: Fault | BaseException, circuit: Circuit) -> None:
    """Note that a failure is counted, for the calls around this one to see."""
    if is_a(failure, BaseException) and (frame := next(_frames_of(failure), None)) is not None:
        with _LOCK.now:
            COUNTED.so_far += 1
            mark = _mark_of(failure)
            mark[id(circuit)] = _Count(COUNTED.so_far, frame)
        BaseException.__setattr__(failure, _MARK, mark)  # A class of its own may refuse attributes.


def was_counted(failure: Fault | BaseException, circuit: Circuit, since: int) -> bool:
    """Whether a failure has come through a call of a circuit that began since then, and counted it."""
    return is_a(failure, BaseException) and any(_counts(each, circuit, since) for each in _errors_in(failure))


def _counts(error: BaseException, circuit: Circuit, since: int) -> bool:
    count = _mark_of(error).get(id(circuit))
    return count is not None and count.number > since and count.frame in _frames_of(error)


def _mark_of(error: BaseException) -> _Mark:
    mark = peek(error, _MARK)
    return mark if is_a(mark, _Mark) else _Mark()


def _frames_of(error: BaseException) -> Iterator[int]:
    """Go through where an error has been, from where it is to where it was raised."""
    step = peek(error, "__traceback__")
    while is_a(step, TracebackType):
        yield id(step.tb_frame)
        step = step.tb_next


def _errors_in(error: BaseException) -> Iterator[BaseException]:
    """Go through an error, its causes, and the members of groups."""
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
