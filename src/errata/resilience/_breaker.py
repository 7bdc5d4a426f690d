"""Leave an upstream alone while it is down, and let one call at a time try until it is back."""

import functools
import time
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from contextvars import Token
from types import TracebackType
from typing import Any, Final, ParamSpec, Self, TypeVar, cast

from errata._fork import ForkSafeLock
from errata._runtime import (
    NEVER_AWAITED,
    is_coroutine_function,
    is_generator_function,
    wait_for_future,
)
from errata.model import (
    Fault,
    FaultError,
    Recovery,
    Rules,
    circuit_open,
    is_a,
    refuse_unfit,
    text_or_none,
    whole_seconds,
)
from errata.resilience._breaker_status import BreakerStatus, describe_circuit, write_moment
from errata.resilience._circuit import STORE, Admission, Circuit, Health, Limits, Listener, Permit, Refusal, Store
from errata.resilience._health import code_against_upstream
from errata.resilience._nesting import INNERMOST, ProtectedCall, begin_block, calls_here, is_within_probe, leave_ended
from errata.resilience.stores import MemoryStore

_P = ParamSpec("_P")
_T = TypeVar("_T")
_WELL: Final = Health.WELL
_LONGEST_ANSWER_S: Final = 1.0  # A store answers in a twentieth of that; this is for one that is broken.
_WITHOUT_ANSWER_MS: Final = 1000
_LATER: Final = "Repeat the call in {seconds} s."
_OR_INSTEAD: Final = "Use `{fallback}` instead, or repeat the call in {seconds} s."
_IN_THIS_PROCESS: Final = MemoryStore()
_LOCK: Final = ForkSafeLock()
_ORDER: Final = {Health.WELL: 1, Health.ILL: -1, Health.NONE: 0}
_OF_THE_OUTER: Final = Permit(-1)
"""The permit of a call that goes by the permit of the one around it. It is of no generation, so it decides nothing."""


def _is_tool(value: object) -> bool:
    return value is None or (is_a(value, str) and text_or_none(value) is not None)


def _is_listener(value: object) -> bool:
    return value is None or (callable(value) and not is_coroutine_function(value))


# fmt: off
_RULES: Final[Rules] = {
    "store":         STORE,
    "fallback_tool": (_is_tool,     'Name the tool that callers are sent to, such as "search_cache", or leave it out.'),
    "on_change":     (_is_listener, "Give a plain function that takes a `Change`; it is not awaited."),
}
# fmt: on


class Breaker:
    """Leave an upstream alone while it is down.

        ncbi = Breaker("ncbi", fallback_tool="search_cache")

        @ncbi                                   # sync and async functions
        async def fetch(pmid): ...

        await ncbi.call(client.get, url)        # also `with ncbi:` and `async with ncbi:`

    Five failures within two minutes open it: for one minute nothing is called, and `circuit_open` is raised at once.
    Then one call at a time tries; two successes close it. What the caller did wrong, and cancellations, say nothing about
    the upstream. A busy upstream has five failures at any time: with `failure_rate=0.5` they open it only if half of the
    calls fail. Breakers of the same name and store are the same circuit; without a store, those of this process.
    """

    __slots__ = ("_circuit", "_fallback_tool", "_on_change", "_open_blocks", "upstream")

    def __init__(  # noqa: PLR0913 - one for each number that a circuit has.
        self,
        upstream: str,
        *,
        failures: int = 5,
        window_s: float = 120.0,
        open_s: float = 60.0,
        successes: int = 2,
        probe_s: float = 30.0,
        failure_rate: float = 0.0,
        store: Store | None = None,
        fallback_tool: str | None = None,
        on_change: Listener | None = None,
    ) -> None:
        if not is_a(upstream, str) or text_or_none(upstream) is None:
            raise ValueError(f'`upstream` is {upstream!r}. Name what is called, such as "ncbi".')
        refuse_unfit({"store": store, "fallback_tool": fallback_tool, "on_change": on_change}, _RULES, ValueError)
        self.upstream: Final = upstream
        self._fallback_tool = fallback_tool
        self._open_blocks: dict[ProtectedCall, OwnPermit] = {}
        """The permits of the `with` blocks of this breaker that were not left yet, in the order they were entered."""
        limits = Limits(failures, window_s, open_s, successes, probe_s, failure_rate)
        self._circuit = (_IN_THIS_PROCESS if store is None else store).circuit(upstream, limits)
        self._on_change = on_change  # The circuit does not keep it: breakers come and go.
        if on_change is not None:
            self._circuit.watch(on_change)

    def __call__(self, function: Callable[_P, _T]) -> Callable[_P, _T]:
        """Protect a function: every call of it asks first."""
        if isinstance(function, staticmethod | classmethod):
            method = cast("Any", function)
            return cast("Callable[_P, _T]", type(method)(self(method.__func__)))
        if isinstance(function, type):
            raise TypeError(f"`{function.__qualname__}` is a class. Decorate the methods that call `{self.upstream}`.")
        return functools.update_wrapper(self._wrap(function), function)

    def call(self, function: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Call a function now; what it returns to be awaited is watched, too."""
        return self._wrap(function)(*args, **kwargs)

    def status(self) -> BreakerStatus:
        """Return how the upstream is doing; `status().as_dict()` is for a health tool."""
        return describe_circuit(self.upstream, self._circuit.facts(), self._fallback_tool)

    @property
    def fallback_tool(self) -> str | None:
        """The tool that callers are sent to while the upstream is left alone."""
        return self._fallback_tool

    @staticmethod
    def reset_all() -> None:
        """Close the breakers that have no store of their own, so that a test begins as a new process does.

        Those that nobody uses are forgotten, and with them their limits.
        """
        _IN_THIS_PROCESS.reset()

    def permit(self) -> Permit:
        """Take a permit, where no other way fits; `settle` or `release` has to follow. Raises `circuit_open`."""
        return OwnPermit.of(self._wait_for_permit(self._circuit.admit()), self._circuit)

    async def apermit(self) -> Permit:
        """Take a permit, in a task."""
        return OwnPermit.of(await self._wait_for_permit_async(self._circuit.admit()), self._circuit)

    def settle(self, permit: Permit, failure: Fault | BaseException | None = None) -> None:
        """Report how the call went: what failed, or None. A permit counts once."""
        own, call = permit.take_back() if isinstance(permit, OwnPermit) else (permit, None)
        if own is not None:
            self._settle(own, call, failure)
            leave_ended()

    def release(self, permit: Permit) -> None:
        """Give back a permit whose call came to nothing: it counts neither as success nor as failure, and the next may try."""
        own, call = permit.take_back() if isinstance(permit, OwnPermit) else (permit, None)
        if call is not None:
            call.end()
            leave_ended()
        if own is not None:
            self._circuit.settle(own, Health.NONE)

    def block(self) -> "Block":
        """Make a block with a permit of its own, for a generator, an `ExitStack` or a context manager of your own."""
        return Block(self)

    def __enter__(self) -> Self:
        self._enter(cast("OwnPermit", self.permit()))
        return self

    def __exit__(self, _: object, error: BaseException | None, __: TracebackType | None) -> None:
        self._leave(error)

    async def __aenter__(self) -> Self:
        self._enter(cast("OwnPermit", await self.apermit()))
        return self

    async def __aexit__(self, _: object, error: BaseException | None, __: TracebackType | None) -> None:
        self._leave(error)

    def _enter(self, permit: "OwnPermit") -> None:
        with _LOCK.current:
            self._open_blocks[permit.begin()] = permit

    def _leave(self, error: BaseException | None) -> None:
        """Settle the permit of one open block, or release it after what says nothing about the upstream."""
        health = _WELL if error is None else Health.NONE
        try:
            if error is not None and code_against_upstream(error) is not None:
                health = Health.ILL
        finally:  # An interrupt while it is classified must not keep the permit.
            permit = self._take_block(health)
            if permit is not None and health is not Health.NONE:
                self.settle(permit, error)
            elif permit is not None:
                self.release(permit)

    def _take_block(self, health: Health) -> "OwnPermit | None":
        """Take the permit of a block that is open here; of any open block if one is left in another context.

        `with` does not say which block is left, and generators take turns. So a failure goes to the newest permit, which
        is the probe if there is one, and a success to the oldest: a probe succeeds only with the last block around it.
        Among equals it is the innermost.
        """
        with _LOCK.current:
            calls = [call for call in calls_here() if call in self._open_blocks] or list(self._open_blocks)
            sign = _ORDER[health]
            call = min(calls, key=lambda each: sign * self._open_blocks[each].generation, default=None)
            return None if call is None else self._open_blocks.pop(call)

    def _require_function(self, function: object) -> None:
        if is_generator_function(function):
            raise TypeError(
                f"`{getattr(function, '__qualname__', function)}` is a generator: it fails after it was called, while it "
                f"is read. Put `with breaker.block():` inside of it, around what calls `{self.upstream}`."
            )
        if not callable(function):
            raise TypeError(
                f"A {type(function).__name__} is no function. Give the function that calls `{self.upstream}`: as `@breaker` above it, "
                f"or in `breaker.call(f, 17)` with its arguments."
            )

    def _wrap(self, function: Callable[_P, _T]) -> Callable[_P, _T]:
        self._require_function(function)
        if is_coroutine_function(function):
            return cast("Callable[_P, _T]", self._wrap_async(cast("Callable[_P, Awaitable[Any]]", function)))
        circuit, admit, settle = self._circuit, self._circuit.admit, self._circuit.settle

        def call_protected(*args: _P.args, **kwargs: _P.kwargs) -> _T:
            admission = admit()
            permit = admission if type(admission) is Permit else self._wait_for_permit(admission)
            outer, token = INNERMOST.get(), None
            if outer is not None and outer.target is call_protected:
                call, outer.target = outer, None  # The attempt of a retry that is directly around this call.
            else:
                call = ProtectedCall()
                call.outer = outer
                token = INNERMOST.set(call)
            call.circuit, call.permit = circuit, permit
            try:
                outcome = function(*args, **kwargs)
            except BaseException as error:
                if token is not None:
                    INNERMOST.reset(token)
                self._settle(permit, call, error)
                del (
                    call,
                    outer,
                    token,
                )  # The traceback keeps this frame, and would keep the calls around this one with it.
                raise
            if token is not None:
                INNERMOST.reset(token)
            if type(outcome) not in NEVER_AWAITED and hasattr(type(outcome), "__await__"):
                return cast("_T", self._await_outcome(permit, cast("Awaitable[Any]", outcome), call))
            call.permit = None
            if call.outer is not None or call.counted is not None:
                call.end()
            settle(permit, _WELL)
            return outcome

        return call_protected

    def _wrap_async(self, function: Callable[_P, Awaitable[_T]]) -> Callable[_P, Coroutine[Any, Any, _T]]:
        circuit, admit, settle = self._circuit, self._circuit.admit, self._circuit.settle

        async def call_protected(*args: _P.args, **kwargs: _P.kwargs) -> _T:
            admission = admit()
            permit = admission if type(admission) is Permit else await self._wait_for_permit_async(admission)
            outer, token = INNERMOST.get(), None
            if outer is not None and outer.target is call_protected:
                call, outer.target = outer, None  # The attempt of a retry that is directly around this call.
            else:
                call = ProtectedCall()
                call.outer = outer
                token = INNERMOST.set(call)
            call.circuit, call.permit = circuit, permit
            try:
                outcome = await function(*args, **kwargs)
            except BaseException as error:
                _reset(token)
                self._settle(permit, call, error)
                del (
                    call,
                    outer,
                    token,
                )  # The traceback keeps this frame, and would keep the calls around this one with it.
                raise
            _reset(token)
            call.permit = None
            if call.outer is not None or call.counted is not None:
                call.end()
            settle(permit, _WELL)
            return outcome

        return call_protected

    async def _await_outcome(self, permit: Permit, outcome: Awaitable[_T], call: ProtectedCall) -> _T:
        """Await what a plain function has returned; it is a part of the call that began with the function."""
        token = INNERMOST.set(call)
        try:
            result = await outcome
        except BaseException as error:
            _reset(token)
            self._settle(permit, call, error)
            del call, token
            raise
        _reset(token)
        self._settle(permit, call, None)
        return result

    def _settle(self, permit: Permit, call: ProtectedCall | None, failure: Fault | BaseException | None) -> None:
        """End a call and settle its permit; a failure counts unless a call inside has counted it, or the outer one will."""
        health, code = Health.NONE, None
        try:
            if failure is None:
                health = _WELL
            elif permit is not _OF_THE_OUTER and (code := code_against_upstream(failure)) is not None:
                is_new = call is None or not is_a(failure, BaseException) or call.count(failure)
                health, code = (Health.ILL, code) if is_new else (Health.NONE, None)
        finally:  # An interrupt while it is classified must not keep the permit.
            if call is not None:
                call.end()
            self._circuit.settle(permit, health, code)

    def _wait_for_permit(self, admission: Admission | Future[Admission]) -> Permit:
        """Return the permit that the circuit gave, or will give within moments; raise `circuit_open` if it refused."""
        if not isinstance(admission, Future):
            return self._require_permit(admission)
        try:
            answer = admission.result(_LONGEST_ANSWER_S)
        except BaseException as error:
            admission.add_done_callback(self._release_late)
            if not isinstance(error, Exception):
                raise
            answer = None
        return self._require_permit(answer)

    async def _wait_for_permit_async(self, admission: Admission | Future[Admission]) -> Permit:
        if not isinstance(admission, Future):
            return self._require_permit(admission)
        try:
            answer = await wait_for_future(admission, _LONGEST_ANSWER_S)
        except BaseException as error:
            admission.add_done_callback(self._release_late)
            if not isinstance(error, Exception):
                raise
            answer = None
        return self._require_permit(answer)

    def _release_late(self, asking: Future[Admission]) -> None:
        """Release the permit that comes too late for its caller."""
        if not asking.cancelled() and asking.exception() is None and isinstance(permit := asking.result(), Permit):
            self.release(permit)

    def _require_permit(self, admission: Admission | None) -> Permit:
        if isinstance(admission, Permit):
            return admission
        if admission is None:
            facts = self._circuit.facts()
            admission = Refusal(_WITHOUT_ANSWER_MS, facts.since or time.time(), facts.code)
        if is_within_probe(self._circuit):
            return _OF_THE_OUTER
        raise self._make_error(admission)

    def _make_error(self, refusal: Refusal) -> FaultError:
        since, fallback = write_moment(refusal.since), self._fallback_tool
        seconds = whole_seconds(refusal.retry_after_ms)
        last = f", last with {refusal.code}" if refusal.code else ""
        advice = _OR_INSTEAD.format(fallback=fallback, seconds=seconds) if fallback else _LATER.format(seconds=seconds)
        return circuit_open(
            f"Calls to `{self.upstream}` are paused since {since}, because it kept failing{last}. {advice}",
            {"upstream": self.upstream, "since": since},
            retry_after_ms=refusal.retry_after_ms,
            recovery=Recovery(fallback_tool=fallback),
        )


def _reset(token: Token[ProtectedCall | None] | None) -> None:
    """Leave a call. A coroutine may be driven, or dropped, in another context than it began in."""
    try:
        if token is not None:
            INNERMOST.reset(token)
    except ValueError:  # Then there is nothing to reset: that context has no call of ours.
        return


class OwnPermit(Permit):
    """A permit that counts once, however often it is settled. The circuit's own is the same for everybody."""

    _circuit: Circuit
    _own: list[Permit]
    call: ProtectedCall | None
    """The block of calls that goes by it; None for a permit that covers nothing."""

    @classmethod
    def of(cls, own: Permit, circuit: Circuit) -> Self:
        """Return a permit that stands for one of the circuit's."""
        permit = cls(*own)
        permit._circuit, permit._own, permit.call = circuit, [own], None
        return permit

    def begin(self) -> ProtectedCall:
        """Begin a block: what is called in this context from here on is a part of it until the permit is settled."""
        self.call = begin_block(self._circuit, self)
        return self.call

    def take_back(self) -> tuple[Permit | None, ProtectedCall | None]:
        """Return the circuit's permit, None if it was taken back before, and the block that went by it."""
        try:
            return self._own.pop(), self.call
        except IndexError:
            return None, None


def begin_calls(permit: Permit) -> Permit:
    """Make what is called in this context a part of the call that a permit is for, until it is settled or released."""
    if isinstance(permit, OwnPermit):
        permit.begin()
    return permit


def was_counted_within(permit: Permit, error: BaseException) -> bool:
    """Return whether a call inside of the one that a permit is for has counted an error."""
    return isinstance(permit, OwnPermit) and permit.call is not None and permit.call.has_counted(error)


class Block:
    """One block of calls, with a permit of its own; made by `Breaker.block()`. It may be entered here and left there."""

    __slots__ = ("_breaker", "_permit")

    def __init__(self, breaker: Breaker) -> None:
        self._breaker = breaker
        self._permit: Permit | None = None

    def __enter__(self) -> Self:
        self._require_left()
        self._permit = begin_calls(self._breaker.permit())
        return self

    def __exit__(self, _: object, error: BaseException | None, __: TracebackType | None) -> None:
        self._leave(error)

    async def __aenter__(self) -> Self:
        self._require_left()
        self._permit = begin_calls(await self._breaker.apermit())
        return self

    async def __aexit__(self, _: object, error: BaseException | None, __: TracebackType | None) -> None:
        self._leave(error)

    def _require_left(self) -> None:
        if self._permit is not None:
            raise RuntimeError("This block has been entered already. Make another one with `breaker.block()`.")

    def _leave(self, error: BaseException | None) -> None:
        permit, self._permit = self._permit, None
        if permit is not None:
            self._breaker.settle(permit, error)
