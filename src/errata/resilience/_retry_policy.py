"""What a retry policy consists of, and how it decides after each failure: again or not, when, and at whose expense."""

import logging
import math
import random
import time
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, NamedTuple, TypedDict

from errata._log import format_indented_stack
from errata._runtime import is_coroutine_function
from errata.classification import classify_with_ground
from errata.model import (
    Code,
    Fault,
    FaultError,
    NeedsInput,
    Retry,
    Rules,
    is_a,
    refuse_unfit,
    refuse_unknown,
    text_or_none,
    wrap_classified,
)
from errata.resilience._backoff import RETRY_ATTEMPTS, choose_delay_s, may_repeat, was_repeated
from errata.resilience._budget import Budget, Reservation
from errata.resilience._circuit import STORE, Store
from errata.resilience._effects import find_declaration, record_of, settle_verdict
from errata.resilience._nesting import Attempt

_LOG = logging.getLogger("errata")
_NOT_GIVEN = Budget(0)
"""The default of `budget`: it stands for the upstream's, or for a new one."""
_FREE = Reservation(0)
"""What pays for an attempt where there is no budget."""


class Repetition(NamedTuple):
    """What `on_retry` gets before the wait: an attempt failed, and another one will follow."""

    attempt: int
    """The attempt that failed; the first one is 1."""
    fault: Fault
    error: Exception
    wait_ms: int
    upstream: str | None


class RetryOptions(TypedDict, total=False):
    """The options of `retry`."""

    attempts: int
    """How often the function is called at most; 1 is once and never again."""
    deadline_s: float | None
    """No attempt begins later than so long after the first one. An attempt that has begun is not interrupted."""
    upstream: str | None
    """Whom the function calls. All that name the same upstream share its budget."""
    budget: Budget | None
    """How much repeating is paid for; None for no limit."""
    store: Store | None
    """Where the budget of the upstream is shared with other replicas: a `RedisStore`."""
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
    """Returns a number from 0 to 1."""


@dataclass(frozen=True, slots=True, eq=False)
class Policy:
    """How often, how long and at whose expense a call is repeated."""

    _: KW_ONLY
    attempts: int = 3
    deadline_s: float | None = 30.0
    upstream: str | None = None
    budget: Budget | None = field(default=_NOT_GIVEN, repr=False)
    store: Store | None = field(default=None, repr=False)
    idempotent: bool | None = None
    key: str | Callable[..., object] | None = None
    on_retry: Callable[[Repetition], object] | None = None
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)
    sleep: Callable[[float], object] | None = field(default=None, repr=False)
    random: Callable[[], float] = field(default=random.random, repr=False)
    own_budget: Budget | None = field(init=False, repr=False)
    """The budget of calls that the policy makes itself; a decorated function has its own, or its upstream's."""

    def __post_init__(self) -> None:
        refuse_unfit({name: getattr(self, name) for name in _RULES}, _RULES, ValueError)
        object.__setattr__(self, "own_budget", self.fresh_budget())

    def fresh_budget(self) -> Budget | None:
        """Return the budget for one more function: the one that was given, the upstream's, or a new one."""
        if self.budget is not _NOT_GIVEN:
            return self.budget
        return Budget() if self.upstream is None else Budget.of(self.upstream, store=self.store)


class FailedCall:
    """A call that has failed at least once, and what the policy decides about it."""

    __slots__ = ("_args", "_attempts", "_began", "_budget", "_fault", "_function", "_is_hearsay", "_kwargs", "_policy", "cost", "reservation")  # fmt: skip

    def __init__(  # noqa: PLR0913, PLR0917 - it is a call with all that belongs to it.
        self,
        policy: Policy,
        function: Callable[..., Any],
        budget: Budget | None,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        began: float,
    ) -> None:
        self._policy = policy
        self._function = function
        self._budget = budget
        self._args = args
        self._kwargs = kwargs
        self._began = began
        self._attempts = 0
        self._fault: Fault | None = None
        self._is_hearsay = False
        self.cost: int = 1
        """How many tokens a success gives back to the budget."""
        self.reservation: Reservation = _FREE
        """What pays for the next attempt."""

    def wait_after(self, error: BaseException, attempt: Attempt) -> float | None:
        """Return how many seconds to wait before the next attempt; None if the error is to be raised as it is.

        Such is any failure that may not be repeated, also after a repetition. Two are raised from here instead: one that
        may be repeated but was repeated enough, as a FaultError that says so; and a FaultError whose effect has begun,
        with the verdict that follows from that and the tool to look with.
        """
        if not is_a(error, Exception) or is_a(error, NeedsInput):
            return None
        fault, self._is_hearsay = classify_with_ground(error)
        if not self._may_repeat(error, fault, attempt):
            return None
        self._attempts += 1
        self._fault = fault
        wait = choose_delay_s(fault, self._attempts - 1, self._policy.random)
        if self._attempts >= self._policy.attempts or wait > self._time_left() or not self._pay(fault):
            self._give_up(error)
            return None
        self._call_hook(error, fault, wait)
        return wait

    def may_go_on(self, error: BaseException, *, is_granted: bool) -> bool:
        """Return whether the next attempt may begin after the wait, which may have taken longer than planned."""
        if is_granted and self._time_left() >= 0:
            return True
        self._give_up(error)
        return False

    def _give_up(self, error: BaseException) -> None:
        """Raise what an exhausted call raises; nothing if it was never repeated, for its error to go on as it is."""
        fault, attempts = self._fault, self._attempts
        if fault is None or attempts <= 1:
            return
        exhausted = replace(
            fault,
            message=f"{fault.message} (failed after {attempts} attempts)",
            data={**fault.data, RETRY_ATTEMPTS: attempts},
        )
        raise wrap_classified(error, exhausted, is_hearsay=self._is_hearsay) from error

    def _may_repeat(self, error: Exception, fault: Fault, attempt: Attempt) -> bool:
        """Judge the failure by all that is known; an attempt that is to be repeated begins no effect any more."""
        harmless = self._is_harmless()
        effects = record_of(attempt)
        effects.closed = not harmless  # Before the marks are read: what begins meanwhile is seen, or is stopped.
        declaration = find_declaration(self._function)
        settled = settle_verdict(fault, harmless=harmless, effects=effects, declaration=declaration)
        again = may_repeat(settled, harmless=harmless) and not was_repeated(error, fault)
        effects.closed = effects.closed and again
        if effects.begun and settled.retry is Retry.VERIFY_FIRST and settled is not fault and type(error) is FaultError:
            raise wrap_classified(error, settled, is_hearsay=self._is_hearsay) from error
        return again

    def _is_harmless(self) -> bool | None:
        key = self._policy.key
        return True if text_or_none(self._find_key(key) if callable(key) else key) else self._policy.idempotent

    def _find_key(self, key: Callable[..., object]) -> object:
        try:
            return key(*self._args, **self._kwargs)
        except Exception as error:  # noqa: BLE001 - an author's function may raise anything; without a key less is repeated.
            _LOG.warning("`key` failed, so the call counts as one without a key.\n%s", format_indented_stack(error))
            return None

    def _time_left(self) -> float:
        policy = self._policy
        return math.inf if policy.deadline_s is None else self._began + policy.deadline_s - policy.clock()

    def _pay(self, fault: Fault) -> bool:
        if self._budget is None:
            return True
        reservation = self._budget.reserve(rate_limited=fault.code is Code.RATE_LIMITED)
        if reservation is None:
            return False
        self.reservation, self.cost = reservation, reservation.cost
        return True

    def _call_hook(self, error: Exception, fault: Fault, wait: float) -> None:
        if (hook := self._policy.on_retry) is None:
            return
        try:
            hook(Repetition(self._attempts, fault, error, math.ceil(wait * 1000), self._policy.upstream))
        except Exception as failure:  # noqa: BLE001 - as above; and a hook decides nothing.
            _LOG.warning("`on_retry` failed; the call goes on.\n%s", format_indented_stack(failure))


def check_options(options: RetryOptions) -> dict[str, Any]:
    """Refuse options that do not exist; the policy itself checks their values."""
    refuse_unknown("retry", options, RetryOptions.__annotations__)
    return {**options}


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 1


def _is_time(value: object) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool) and value > 0)


def _is_name(value: object) -> bool:
    return value is None or (isinstance(value, str) and text_or_none(value) is not None)


def _is_budget(value: object) -> bool:
    return value is None or value is _NOT_GIVEN or isinstance(value, Budget)


def _is_yes_or_no(value: object) -> bool:
    return value is None or isinstance(value, bool)


def _is_key(value: object) -> bool:
    return _is_name(value) or (callable(value) and not is_coroutine_function(value))


def _is_hook(value: object) -> bool:
    return value is None or (callable(value) and not is_coroutine_function(value))


def _is_sleep(value: object) -> bool:
    return value is None or callable(value)


# fmt: off
_RULES: Rules = {
    "attempts":   (_is_count,     "Give a whole number, 1 or more; the first call counts."),
    "deadline_s": (_is_time,      "Give the seconds that all attempts may take together, more than 0, or None for no limit."),
    "upstream":   (_is_name,      'Give the name of what is called, such as "ncbi".'),
    "budget":     (_is_budget,    "Give a `Budget`, or None for repetitions without a limit."),
    "store":      STORE,
    "idempotent": (_is_yes_or_no, "Say True if doing it twice does no harm, False if it does, or None if nobody knows."),
    "key":        (_is_key,       "Give the key itself, or a plain function that finds it among the call's arguments."),
    "on_retry":   (_is_hook,      "Give a plain function that takes a `Repetition`; it is not awaited."),
    "clock":      (callable,      "Give a function that tells the time in seconds, such as `time.monotonic`."),
    "sleep":      (_is_sleep,     "Give a function that waits for so many seconds, or None for the usual one."),
    "random":     (callable,      "Give a function that gives a number from 0 to 1, such as `random.random`."),
}
# fmt: on
