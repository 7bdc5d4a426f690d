"""What a retry policy consists of, and what may be said about it."""

import inspect
import random
import time
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, NamedTuple, TypedDict

from errata.model import Fault, Rules, refuse_unfit, refuse_unknown, text_or_none
from errata.resilience._budget import Budget

_UNSAID = Budget(0)
"""The default of `budget`: it stands for the upstream's, or for a new one."""


class Repetition(NamedTuple):
    """What `on_retry` is told before the wait: an attempt failed, and another one will follow."""

    attempt: int
    """The attempt that failed; the first one is 1."""
    fault: Fault
    error: Exception
    wait_ms: int
    upstream: str | None


class RetryOptions(TypedDict, total=False):
    """What `retry` may be told."""

    attempts: int
    """How often the function is called at most; 1 is once and never again."""
    deadline_s: float | None
    """No attempt begins later than so long after the first one. An attempt that has begun is not interrupted."""
    upstream: str | None
    """Whom the function calls. All that name the same upstream share its budget."""
    budget: Budget | None
    """How much repeating is paid for; None for no limit."""
    idempotent: bool | None
    """Whether doing it twice does no harm; None where nobody knows."""
    key: str | Callable[..., object] | None
    """An idempotency key that the receiver recognises, or a function that finds it among the call's arguments."""
    on_retry: Callable[[Repetition], object] | None
    """Called before each wait. What it raises is logged and changes nothing."""
    clock: Callable[[], float]
    sleep: Callable[[float], object] | None
    """Waits; None is `time.sleep`, or in an async function the sleep of asyncio or trio."""
    random: Callable[[], float]
    """Gives a number from 0 to 1."""


@dataclass(frozen=True, slots=True, eq=False)
class Policy:
    """How often, how long and at whose expense a call is repeated."""

    _: KW_ONLY
    attempts: int = 3
    deadline_s: float | None = 30.0
    upstream: str | None = None
    budget: Budget | None = field(default=_UNSAID, repr=False)
    idempotent: bool | None = None
    key: str | Callable[..., object] | None = None
    on_retry: Callable[[Repetition], object] | None = None
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)
    sleep: Callable[[float], object] | None = field(default=None, repr=False)
    random: Callable[[], float] = field(default=random.random, repr=False)
    own_budget: Budget | None = field(init=False, repr=False)
    """What the calls draw on that the policy makes itself; a decorated function has its own, or its upstream's."""

    def __post_init__(self) -> None:
        refuse_unfit({name: getattr(self, name) for name in _RULES}, _RULES, ValueError)
        object.__setattr__(self, "own_budget", self.fresh_budget())

    def fresh_budget(self) -> Budget | None:
        """Give the budget for one more function: the one that was named, the upstream's, or a new one."""
        if self.budget is not _UNSAID:
            return self.budget
        return Budget() if self.upstream is None else Budget.of(self.upstream)


def checked(options: RetryOptions) -> dict[str, Any]:
    """Refuse options that do not exist; their values are looked at by the policy itself."""
    refuse_unknown("retry", options, RetryOptions.__annotations__)
    return {**options}


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 1


def _is_time(value: object) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool) and value > 0)


def _is_name(value: object) -> bool:
    return value is None or (isinstance(value, str) and text_or_none(value) is not None)


def _is_budget(value: object) -> bool:
    return value is None or value is _UNSAID or isinstance(value, Budget)


def _is_answer(value: object) -> bool:
    return value is None or isinstance(value, bool)


def _is_key(value: object) -> bool:
    return _is_name(value) or (callable(value) and not inspect.iscoroutinefunction(value))


def _is_hook(value: object) -> bool:
    return value is None or (callable(value) and not inspect.iscoroutinefunction(value))


def _is_sleep(value: object) -> bool:
    return value is None or callable(value)


# fmt: off
_RULES: Rules = {
    "attempts":   (_is_count,  "Give a whole number, 1 or more; the first call counts."),
    "deadline_s": (_is_time,   "Give the seconds that all attempts may take together, more than 0, or None for no limit."),
    "upstream":   (_is_name,   'Give the name of what is called, such as "ncbi".'),
    "budget":     (_is_budget, "Give a `Budget`, or None for repetitions without a limit."),
    "idempotent": (_is_answer, "Say True if doing it twice does no harm, False if it does, or None if nobody knows."),
    "key":        (_is_key,    "Give the key itself, or a plain function that finds it among the call's arguments."),
    "on_retry":   (_is_hook,   "Give a plain function that takes a `Repetition`; it is not awaited."),
    "clock":      (callable,   "Give a function that tells the time in seconds, such as `time.monotonic`."),
    "sleep":      (_is_sleep,  "Give a function that waits for so many seconds, or None for the usual one."),
    "random":     (callable,   "Give a function that gives a number from 0 to 1, such as `random.random`."),
}
# fmt: on
