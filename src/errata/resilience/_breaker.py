"""An upstream that is down is left alone, and tried by one call at a time until it is back."""

import functools
import inspect
import time
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from sys import _getframe  # pyright: ignore[reportPrivateUsage] - a block is known by the frame it stands in.
from types import TracebackType
from typing import Any, Final, ParamSpec, Self, TypeVar, cast

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
from errata.resilience._blame import fault_of
from errata.resilience._block import Block, OpenBlocks
from errata.resilience._circuit import Admission, Limits, Listener, Permit, Refusal, Store, Verdict, verdict_on
from errata.resilience._counting import COUNTED, note, was_counted
from errata.resilience._memory_store import MemoryStore
from errata.resilience._nesting import is_within, trying
from errata.resilience._own_permit import OF_THE_OUTER, OwnPermit, held
from errata.resilience._runtime import GENERATOR, PLAIN, flags_of
from errata.resilience._status import BreakerStatus, iso, status_of
from errata.resilience._waiting import answer_of, answer_to_task

_P = ParamSpec("_P")
_T = TypeVar("_T")
_WELL: Final = Verdict.WELL
_WITHOUT_ANSWER_MS: Final = 1000
_LATER: Final = "Repeat the call in {seconds} s."
_OR_INSTEAD: Final = "Use `{fallback}` instead, or repeat the call in {seconds} s."
_IN_THIS_PROCESS: Final = MemoryStore()


def _is_store(given: object) -> bool:
    return given is None or (not isinstance(given, type) and callable(getattr(given, "circuit", None)))


def _is_tool(given: object) -> bool:
    return given is None or (is_a(given, str) and text_or_none(given) is not None)


def _is_listener(given: object) -> bool:
    return given is None or (callable(given) and not flags_of(given) & inspect.CO_COROUTINE)


# fmt: off
_RULES: Final[Rules] = {
    "store":         (_is_store,    "Give a `MemoryStore`, a `RedisStore`, or an object that has their method `circuit`."),
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

    __slots__ = ("_blocks", "_circuit", "_fallback_tool", "_on_change", "upstream")

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
        self._blocks = OpenBlocks()
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
        return functools.update_wrapper(self._around(function), function)

    def call(self, function: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Call a function now; what it returns to be awaited is watched, too."""
        return self._around(function)(*args, **kwargs)

    def status(self) -> BreakerStatus:
        """Tell how the upstream is doing; `status().as_dict()` is for a health tool."""
        return status_of(self.upstream, self._circuit.facts(), self._fallback_tool)

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
        """Take leave to call, where no other way fits; `settle` or `release` has to follow. Raises `circuit_open`."""
        return OwnPermit.of(self._granted(self._circuit.admit()), self._circuit)

    async def apermit(self) -> Permit:
        """Take leave to call, in a task."""
        return OwnPermit.of(await self._granted_to_task(self._circuit.admit()), self._circuit)

    def settle(self, permit: Permit, failure: Fault | BaseException | None = None) -> None:
        """Tell how the call went: what failed, or None. A permit counts once."""
        since = permit.since if isinstance(permit, OwnPermit) else COUNTED.so_far
        given = permit.taken() if isinstance(permit, OwnPermit) else permit
        if given is None:
            return
        if failure is None:
            self._circuit.settle(given, _WELL)
        else:
            self._failed(given, failure, since)

    def release(self, permit: Permit) -> None:
        """Give a permit back that came to nothing: neither good nor bad is known of the upstream, and the next may try."""
        given = permit.taken() if isinstance(permit, OwnPermit) else permit
        if given is not None:
            self._circuit.settle(given, Verdict.NONE)

    def block(self) -> Block:
        """Make a block with a permit of its own, for an `ExitStack` or a context manager of your own."""
        return Block(self)

    def __enter__(self) -> Self:
        frame = _getframe(1)
        self._blocks.enter(id(frame), held(self.permit(), frame))
        return self

    def __exit__(self, _: object, error: BaseException | None, __: TracebackType | None) -> None:
        self._leave(id(_getframe(1)), error)

    async def __aenter__(self) -> Self:
        frame = _getframe(1)
        self._blocks.enter(id(frame), held(await self.apermit(), frame))
        return self

    async def __aexit__(self, _: object, error: BaseException | None, __: TracebackType | None) -> None:
        self._leave(id(_getframe(1)), error)

    def _leave(self, frame: int, error: BaseException | None) -> None:
        if (permit := self._blocks.leave(frame)) is not None:
            self.settle(permit, error)

    def _around(self, function: Callable[_P, _T]) -> Callable[_P, _T]:
        flags = flags_of(function)
        if flags & GENERATOR:
            raise TypeError(
                f"`{getattr(function, '__qualname__', function)}` is a generator: it fails after it was called, while it "
                f"is read. Put `with` and the breaker inside of it, around what calls `{self.upstream}`."
            )
        if not flags and not callable(function):
            raise TypeError(
                f"A {type(function).__name__} is no function. Give the function that calls `{self.upstream}`: as `@breaker` above it, "
                f"or in `breaker.call(f, 17)` with its arguments."
            )
        if flags & inspect.CO_COROUTINE:
            return cast("Callable[_P, _T]", self._around_async(cast("Callable[_P, Awaitable[Any]]", function)))
        circuit, admit, settle = self._circuit, self._circuit.admit, self._circuit.settle

        def protected(*args: _P.args, **kwargs: _P.kwargs) -> _T:
            admission = admit()
            permit = admission if type(admission) is Permit else self._granted(admission)
            since = COUNTED.so_far
            try:
                outcome = (trying(circuit, function) if permit.is_probe else function)(*args, **kwargs)
            except BaseException as error:
                self._failed(permit, error, since)
                raise
            if type(outcome) not in PLAIN and hasattr(type(outcome), "__await__"):
                return cast("_T", self._awaited(permit, cast("Awaitable[Any]", outcome), since))
            settle(permit, _WELL)
            return outcome

        return protected

    def _around_async(self, function: Callable[_P, Awaitable[_T]]) -> Callable[_P, Coroutine[Any, Any, _T]]:
        circuit, admit, settle = self._circuit, self._circuit.admit, self._circuit.settle

        async def protected(*args: _P.args, **kwargs: _P.kwargs) -> _T:
            admission = admit()
            permit = admission if type(admission) is Permit else await self._granted_to_task(admission)
            since = COUNTED.so_far
            try:
                outcome = await (trying(circuit, function) if permit.is_probe else function)(*args, **kwargs)
            except BaseException as error:
                self._failed(permit, error, since)
                raise
            settle(permit, _WELL)
            return outcome

        return protected

    async def _awaited(self, permit: Permit, outcome: Awaitable[_T], since: int) -> _T:
        try:
            result = await outcome
        except BaseException as error:
            self._failed(permit, error, since)
            raise
        self._circuit.settle(permit, _WELL)
        return result

    def _failed(self, permit: Permit, failure: Fault | BaseException, since: int) -> None:
        """Count a failure, unless a call inside of this one has done so since it began, or the one around will."""
        if permit is OF_THE_OUTER:
            return
        verdict, code = Verdict.NONE, None
        try:
            fault = fault_of(failure)
            if fault and verdict_on(fault) is Verdict.ILL and not was_counted(failure, self._circuit, since):
                note(failure, self._circuit)
                verdict, code = Verdict.ILL, fault.code
        finally:  # An interrupt while it is classified must not keep the permit.
            self._circuit.settle(permit, verdict, code)

    def _granted(self, admission: Admission | Future[Admission]) -> Permit:
        if isinstance(admission, Future):
            return self._permit_in(answer_of(admission, self.release))
        return self._permit_in(admission)

    async def _granted_to_task(self, admission: Admission | Future[Admission]) -> Permit:
        if isinstance(admission, Future):
            return self._permit_in(await answer_to_task(admission, self.release))
        return self._permit_in(admission)

    def _permit_in(self, admission: Admission | None) -> Permit:
        if isinstance(admission, Permit):
            return admission
        if admission is None:
            facts = self._circuit.facts()
            admission = Refusal(_WITHOUT_ANSWER_MS, facts.since or time.time(), facts.code)
        if is_within(self._circuit):
            return OF_THE_OUTER
        raise self._refused(admission)

    def _refused(self, refusal: Refusal) -> FaultError:
        since, fallback = iso(refusal.since), self._fallback_tool
        seconds = whole_seconds(refusal.retry_after_ms)
        last = f", last with {refusal.code}" if refusal.code else ""
        advice = _OR_INSTEAD.format(fallback=fallback, seconds=seconds) if fallback else _LATER.format(seconds=seconds)
        return circuit_open(
            f"Calls to `{self.upstream}` are paused since {since}, because it kept failing{last}. {advice}",
            {"upstream": self.upstream, "since": since},
            retry_after_ms=refusal.retry_after_ms,
            recovery=Recovery(fallback_tool=fallback),
        )
