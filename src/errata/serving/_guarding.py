"""What surrounds a tool that runs: a breaker that leaves a failing one alone, and a retry for those that do no harm.

Both are told about an attempt in the words of a Fault. What the SDK made of a tool's exception is judged once, here, so
that the answer is about what the tool raised, however often it was repeated.
"""

from asyncio import CancelledError
from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple, Protocol, Self, TypeAlias

from errata.model import Fault, FaultError, NeedsInput, Retry, rewritten
from errata.reading import recognise
from errata.resilience import Breaker, Permit, Retrying, held, is_counted_within
from errata.serving._cancelling import has_to_pass
from errata.serving._judging import Exhausted, Failed, ForTheProtocol, Refused
from errata.serving._request import Request
from errata.serving._settling import Nature, depends_on_the_tool

Breakers: TypeAlias = Breaker | Mapping[str, Breaker]


class Judge(Protocol):
    """What a guard asks the adapter of a server."""

    async def judged(self, error: BaseException, request: Request) -> Failed | None:
        """Say what an exception is; None for one that is not errata's to answer."""
        ...

    async def nature(self, request: Request) -> Nature:
        """Find out what the tool that ran says about its effect."""
        ...

    async def nature_ahead(self, request: Request) -> Nature:
        """Find out the same before it runs."""
        ...

    def failure_in(self, result: object) -> Mapping[str, object] | None:
        """Give a result as JSON, if it says that the tool failed."""
        ...

    def asks(self, result: object) -> bool:
        """Whether a result is a question to the client."""
        ...


class Outcome(NamedTuple):
    """What an attempt came to: a result, a failure to be answered, or an error to be raised as it is."""

    said: Fault | BaseException | None
    """What it says about the upstream; None for a success."""
    result: object = None
    failed: Failed | None = None
    error: BaseException | None = None
    asks: bool = False
    """Whether it is a question to the client, and says nothing about the upstream."""
    is_hearsay: bool = False
    """Whether only words say what it is: they may quote the caller, and say nothing about the upstream."""


class GuardedCall(NamedTuple):
    """One call of a tool that a breaker or a retry policy surrounds."""

    judge: Judge
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
            # A key is found in the arguments of a function, and these are attempts: a tool has `effect(key=…)` for it.
            self._policies = {yes: retry(idempotent=yes or None, key=None, budget=budget) for yes in (True, False)}

    async def run(self, call: GuardedCall) -> Outcome:
        """Run a tool, and where that does no harm, again."""
        policy = await self._policy_for(call)
        if policy is None:
            return await self._attempt(call)
        try:
            return await policy.call(self._attempt_or_raise, call)
        except FaultError as error:
            return _outcome_of(error)

    async def _policy_for(self, call: GuardedCall) -> Retrying | None:
        """Choose how it is repeated. What is not repeated here leaves that to the services that it calls."""
        if not self._policies:
            return None
        nature = await call.judge.nature_ahead(call.request)
        return self._policies[bool(nature.harmless)] if nature.harmless or nature.marks else None

    async def _attempt_or_raise(self, call: GuardedCall) -> Outcome:
        return _required(await self._attempt(call))

    async def _attempt(self, call: GuardedCall) -> Outcome:
        if (breaker := self._breaker_of(call.request.name)) is None:
            return await _outcome(call)
        try:
            permit = held(await breaker.apermit())
        except FaultError as refusal:
            return Outcome(refusal.fault, failed=Refused(refusal, on_purpose=True))
        try:
            return _told(await _outcome(call), breaker, permit)
        except BaseException:  # Whoever cancels the call frees the probe.
            breaker.release(permit)
            raise

    def _breaker_of(self, tool: str) -> Breaker | None:
        return self._breakers.get(tool) if isinstance(self._breakers, Mapping) else self._breakers


# A traceback keeps the frames below it, and what is in their variables: an outcome in one of those would keep its error,
# and the error its traceback, until the garbage collector comes.


def _told(outcome: Outcome, breaker: Breaker, permit: Permit) -> Outcome:
    """Tell the breaker what came of an attempt; a service that the tool calls may have told the same circuit already."""
    if outcome.asks or outcome.is_hearsay or (outcome.failed and is_counted_within(permit, outcome.failed.error)):
        breaker.release(permit)
    else:
        breaker.settle(permit, outcome.said)
    return outcome


def _required(outcome: Outcome) -> Outcome:
    """Raise what failed, for the policy to see."""
    try:
        if isinstance(outcome.said, Fault):
            raise _JudgedError.of(outcome, outcome.said)
        return outcome
    finally:
        del outcome


class _JudgedError(FaultError):
    """An attempt that failed, for whoever may repeat it."""

    outcome: Outcome

    @classmethod
    def of(cls, outcome: Outcome, fault: Fault) -> Self:
        """Say yes or no to a repetition; all that is known of the tool's effect is in the verdict already."""
        if fault.retry is not Retry.SAME_CALL:
            fault = rewritten(fault, retry=Retry.NEVER, retry_declared=True)
        judged = cls.from_fault(fault)
        judged.outcome = outcome
        return judged


def _outcome_of(error: FaultError) -> Outcome:
    """Find out how the last attempt ended; if there were several, it is told so."""
    if isinstance(error, _JudgedError):
        return error.outcome
    last = error.__cause__
    if not isinstance(last, _JudgedError):
        raise error
    if (failed := last.outcome.failed) is None:
        return last.outcome
    return last.outcome._replace(failed=Exhausted(failed.error, failed.on_purpose, error.fault))


async def _outcome(call: GuardedCall) -> Outcome:
    try:
        result = await call.run()
    except (Exception, CancelledError, BaseExceptionGroup) as error:
        if has_to_pass(error, call.cancellations):
            raise
        return await _raised(error, call)
    return await _returned(result, call)


async def _raised(error: BaseException, call: GuardedCall) -> Outcome:
    failed = await call.judge.judged(error, call.request)
    if failed is None or isinstance(failed, ForTheProtocol):
        return Outcome(failed.error if failed else error, error=error)
    if isinstance(failed.error, NeedsInput):
        return Outcome(None, error=error, asks=True)
    fault = failed.fault(call.request)
    said = await _settled(fault, call) if failed.has_run else fault
    return Outcome(said, failed=failed, is_hearsay=failed.rests_on_words(call.request))


async def _returned(result: object, call: GuardedCall) -> Outcome:
    """Read a result: some tools say in it that they failed, or ask."""
    if call.judge.asks(result):
        return Outcome(None, result, asks=True)
    told = call.judge.failure_in(result)
    reading = None if told is None else recognise(told)
    if reading is None:
        return Outcome(None, result)
    return Outcome(await _settled(reading.fault, call), result, is_hearsay=reading.rests_on_words)


async def _settled(fault: Fault, call: GuardedCall) -> Fault:
    request = call.request
    if not depends_on_the_tool(fault, request.effects):
        return fault
    return (await call.judge.nature(request)).settle(fault, request.effects)
