"""What surrounds a tool that runs: a breaker that leaves a failing one alone, and a retry for those that do no harm.

Both learn of an attempt as a Fault. What the SDK made of a tool's exception is unwrapped once, here, so that the reply is
about what the tool raised, however often it was repeated.
"""

from asyncio import CancelledError
from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple, Self, TypeAlias

from errata.model import Fault, FaultError, NeedsInput, Retry, replace_fields
from errata.reading import recognise
from errata.resilience import Breaker, Permit, Retrying, begin_calls, was_counted_within
from errata.serving._adapter import NO_HANDLER, Adapter, describe_call, look_up_handler
from errata.serving._classifying import ProtocolFailure, RefusedByBreaker, RepeatedFailure, RequestFailure
from errata.serving._requests import Request
from errata.serving._settling import KnownEffect, depends_on_effect, read_effect
from errata.serving._unwrapping import must_pass, unwrap_failure

Breakers: TypeAlias = Breaker | Mapping[str, Breaker]


class AttemptOutcome(NamedTuple):
    """What an attempt came to: a result, a failure to be answered, or an error to be raised as it is."""

    evidence: Fault | BaseException | None
    """What it says about the upstream; None for a success."""
    result: object = None
    failure: RequestFailure | None = None
    error: BaseException | None = None
    is_question: bool = False
    """Whether it is a question to the client, and says nothing about the upstream."""
    is_hearsay: bool = False
    """Whether only words say what it is: they may quote the caller, and say nothing about the upstream."""


class GuardedCall(NamedTuple):
    """One call of a tool that a breaker or a retry policy surrounds."""

    adapter: Adapter
    request: Request
    run: Callable[[], Awaitable[object]]
    cancellations: int
    """How often its task had been asked to stop when it began."""


class Guard:
    """The breakers and the retry policy of one server's tools."""

    def __init__(self, breakers: Breakers | None, retry: Retrying | None) -> None:
        self._breakers = breakers
        self._policies: dict[bool, Retrying] = {}
        if retry is not None:
            budget = retry.fresh_budget()
            # A key is found in the arguments of a function, and these are attempts: a tool that is declared with
            # `@marks_effects` has `effect(key=…)` for it. Others that do harm have no policy.
            self._policies = {yes: retry(idempotent=yes or None, key=None, budget=budget) for yes in (True, False)}

    async def run(self, call: GuardedCall) -> AttemptOutcome:
        """Run a tool, and repeat it where that does no harm."""
        policy = await self._policy_for(call)
        if policy is None:
            return await self._attempt(call)
        try:
            return await policy.call(self._attempt_or_raise, call)
        except FaultError as error:
            return _read_outcome(error)

    async def _policy_for(self, call: GuardedCall) -> Retrying | None:
        """Return the policy that repeats a call; None leaves repeating to the services that the tool calls."""
        if not self._policies:
            return None
        known = await _look_ahead(call)
        return self._policies[bool(known.is_harmless)] if known.is_harmless or known.declaration else None

    async def _attempt_or_raise(self, call: GuardedCall) -> AttemptOutcome:
        return _raise_failure(await self._attempt(call))

    async def _attempt(self, call: GuardedCall) -> AttemptOutcome:
        if (breaker := self._breaker_of(call.request.name)) is None:
            return await _run_attempt(call)
        try:
            permit = begin_calls(await breaker.apermit())
        except FaultError as refusal:
            return AttemptOutcome(refusal.fault, failure=RefusedByBreaker(refusal, is_intended=True))
        try:
            return _settle_permit(await _run_attempt(call), breaker, permit)
        except BaseException:  # Whoever cancels the call frees the probe.
            breaker.release(permit)
            raise

    def _breaker_of(self, tool: str) -> Breaker | None:
        return self._breakers.get(tool) if isinstance(self._breakers, Mapping) else self._breakers


# A traceback keeps the frames below it, and what is in their variables: an outcome in one of those would keep its error,
# and the error its traceback, until the garbage collector comes.


def _settle_permit(outcome: AttemptOutcome, breaker: Breaker, permit: Permit) -> AttemptOutcome:
    """Settle a permit by what came of the attempt, unless a service that the tool calls has counted it already."""
    if (
        outcome.is_question
        or outcome.is_hearsay
        or (outcome.failure and was_counted_within(permit, outcome.failure.error))
    ):
        breaker.release(permit)
    else:
        breaker.settle(permit, outcome.evidence)
    return outcome


def _raise_failure(outcome: AttemptOutcome) -> AttemptOutcome:
    """Raise a failure, for the policy to see."""
    try:
        if isinstance(outcome.evidence, Fault):
            raise _AttemptError.of(outcome, outcome.evidence)
        return outcome
    finally:
        del outcome


class _AttemptError(FaultError):
    """An attempt that failed, for whoever may repeat it."""

    outcome: AttemptOutcome

    @classmethod
    def of(cls, outcome: AttemptOutcome, fault: Fault) -> Self:
        """Return the error of an attempt; only a fault with the verdict `SAME_CALL` allows a repetition."""
        if fault.retry is not Retry.SAME_CALL:
            fault = replace_fields(fault, retry=Retry.NEVER, retry_declared=True)
        error = cls.from_fault(fault)
        error.outcome = outcome
        return error


def _read_outcome(error: FaultError) -> AttemptOutcome:
    """Return how the last attempt ended; if there were several, with their number."""
    if isinstance(error, _AttemptError):
        return error.outcome
    last = error.__cause__
    if not isinstance(last, _AttemptError):
        raise error
    if (failure := last.outcome.failure) is None:
        return last.outcome
    return last.outcome._replace(failure=RepeatedFailure(failure.error, failure.is_intended, error.fault))


async def _run_attempt(call: GuardedCall) -> AttemptOutcome:
    try:
        result = await call.run()
    except (Exception, CancelledError, BaseExceptionGroup) as error:
        if must_pass(error, call.cancellations):
            raise
        return await _read_exception(error, call)
    return await _read_result(result, call)


async def _read_exception(error: BaseException, call: GuardedCall) -> AttemptOutcome:
    failure = await unwrap_failure(call.adapter, error, call.request)
    if failure is None or isinstance(failure, ProtocolFailure):
        return AttemptOutcome(failure.error if failure else error, error=error)
    if isinstance(failure.error, NeedsInput):
        return AttemptOutcome(None, error=error, is_question=True)
    await describe_call(call.adapter, failure, call.request)
    fault = failure.fault(call.request)
    evidence = await _settle_fault(fault, call) if failure.has_run else fault
    return AttemptOutcome(evidence, failure=failure, is_hearsay=failure.rests_on_words(call.request))


async def _read_result(result: object, call: GuardedCall) -> AttemptOutcome:
    """Return what a result says of the attempt: some tools report a failure in it, or ask."""
    encoded = call.adapter.read_result(result)
    if encoded is None:
        return AttemptOutcome(None, result)
    if encoded.get("resultType") == "input_required":
        return AttemptOutcome(None, result, is_question=True)
    if (reading := recognise(encoded)) is None:
        return AttemptOutcome(None, result)
    return AttemptOutcome(await _settle_fault(reading.fault, call), result, is_hearsay=reading.rests_on_words)


async def _settle_fault(fault: Fault, call: GuardedCall) -> Fault:
    request = call.request
    if not depends_on_effect(fault, request.effects):
        return fault
    return read_effect(await look_up_handler(call.adapter, request)).settle(fault, request.effects)


async def _look_ahead(call: GuardedCall) -> KnownEffect:
    """Return what is known of a tool's effect before it runs."""
    try:
        handler = await call.adapter.find_handler(call.request, call.request.name)
    except Exception:  # noqa: BLE001 - it runs the server's own lists and middleware; then nothing is known.
        handler = None
    return read_effect(handler or NO_HANDLER)
