"""A call that failed and may be repeated: how often, how long, and at whose expense."""

import dataclasses
import logging
import math
from collections.abc import Callable
from typing import Any

from errata._log import format_indented_stack
from errata.classification import classify_with_ground
from errata.model import Attempt, Code, Fault, FaultError, NeedsInput, Retry, is_a, text_or_none, wrap_classified
from errata.resilience._backoff import RETRY_ATTEMPTS, delay_s, may_repeat, was_repeated
from errata.resilience._budget import Budget
from errata.resilience._effects import record_of, settled
from errata.resilience._marking import marks_its_effect
from errata.resilience._policy import Policy, Repetition

_LOG = logging.getLogger("errata")


class Course:
    """A call that has failed at least once."""

    __slots__ = (
        "_args",
        "_began",
        "_budget",
        "_fault",
        "_function",
        "_is_hearsay",
        "_kwargs",
        "_made",
        "_policy",
        "cost",
    )

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
        self._made = 0
        self._fault: Fault | None = None
        self._is_hearsay = False
        self.cost: int = 1
        """What a success gives back."""

    def wait_after(self, error: BaseException, attempt: Attempt) -> float | None:
        """Decide how long to wait before the next attempt; None if the error is to be raised as it is.

        Such is any failure that may not be repeated, also after a repetition. Two are raised from here instead: one that
        may be but was repeated enough, as a FaultError that says so; and a FaultError whose effect has begun, with the
        verdict that follows from that and the tool to look with.
        """
        if not is_a(error, Exception) or is_a(error, NeedsInput):
            return None
        fault, self._is_hearsay = classify_with_ground(error)
        if not self._may_repeat(error, fault, attempt):
            return None
        self._made += 1
        self._fault = fault
        wait = delay_s(fault, self._made - 1, self._policy.random)
        if self._made >= self._policy.attempts or wait > self._left() or not self._pay(fault):
            self._give_up(error)
            return None
        self._tell(error, fault, wait)
        return wait

    def is_too_late(self, error: BaseException) -> bool:
        """Whether the deadline has passed while it was waited, although there was to be time left."""
        if self._left() >= 0:
            return False
        self._give_up(error)
        return True

    def _give_up(self, error: BaseException) -> None:
        """Raise what an exhausted call raises; nothing where it was never repeated, for its error to go on as it is."""
        fault, made = self._fault, self._made
        if fault is None or made <= 1:
            return
        told = dataclasses.replace(
            fault,
            message=f"{fault.message} (failed after {made} attempts)",
            data={**fault.data, RETRY_ATTEMPTS: made},
        )
        raise wrap_classified(error, told, is_hearsay=self._is_hearsay) from error

    def _may_repeat(self, error: Exception, fault: Fault, attempt: Attempt) -> bool:
        """Judge the failure by all that is known; an attempt that is to be repeated begins no effect any more."""
        harmless = self._harmless()
        effects = record_of(attempt)
        effects.closed = not harmless  # Before the marks are read: what begins meanwhile is seen, or is stopped.
        known = settled(fault, harmless=harmless, effects=effects, marks=marks_its_effect(self._function))
        again = may_repeat(known, harmless=harmless) and not was_repeated(error, fault)
        effects.closed = effects.closed and again
        if effects.begun and known.retry is Retry.VERIFY_FIRST and known is not fault and type(error) is FaultError:
            raise wrap_classified(error, known, is_hearsay=self._is_hearsay) from error
        return again

    def _harmless(self) -> bool | None:
        given = self._policy.key
        key = self._asked_for_key(given) if callable(given) else given
        return True if text_or_none(key) else self._policy.idempotent

    def _asked_for_key(self, key: Callable[..., object]) -> object:
        try:
            return key(*self._args, **self._kwargs)
        except Exception as trouble:  # noqa: BLE001 - an author's function may raise anything; without a key less is repeated.
            _LOG.warning("`key` failed, so the call counts as one without a key.\n%s", format_indented_stack(trouble))
            return None

    def _left(self) -> float:
        policy = self._policy
        return math.inf if policy.deadline_s is None else self._began + policy.deadline_s - policy.clock()

    def _pay(self, fault: Fault) -> bool:
        if self._budget is None:
            return True
        cost = self._budget.take(rate_limited=fault.code is Code.RATE_LIMITED)
        self.cost = cost or self.cost
        return cost is not None

    def _tell(self, error: Exception, fault: Fault, wait: float) -> None:
        if (hook := self._policy.on_retry) is None:
            return
        try:
            hook(Repetition(self._made, fault, error, math.ceil(wait * 1000), self._policy.upstream))
        except Exception as trouble:  # noqa: BLE001 - as above; and a hook decides nothing.
            _LOG.warning("`on_retry` failed; the call goes on.\n%s", format_indented_stack(trouble))
