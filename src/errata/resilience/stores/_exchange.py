"""What a replica sends to Redis, what it reads back, and what it keeps until it was sent."""

import itertools
import math
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from errata.model import Code
from errata.resilience._circuit import LONGEST_S, Health, Limits, State

_LONGEST_MS = LONGEST_S * 1000  # Redis refuses an expiry that overflows.
_IDLE_MS = 60_000  # How much longer than it matters a key is kept.
_LATEST_MS = 253_402_300_799_000  # The end of the year 9999: no later moment can be written.
_CODES = {code.value: code for code in Code}


class RedisExchange(NamedTuple):
    """One exchange of a circuit, or of a budget, with Redis."""

    script: str
    """The name of the script that is run."""
    keys: tuple[str, ...]
    """How the names of its keys end."""
    arguments: list[str | int]
    follow: Callable[[object], None]
    """Takes over the answer; raises `ValueError` for one that no script of ours returns."""
    fail: Callable[[], None]
    """Keeps what could not be sent."""


class Shared(Protocol):
    """What the replicas of a service share: a circuit, or a budget."""

    alone: bool
    """Whether Redis does not answer in time."""

    @property
    def upstream(self) -> str:
        """The name of what is called."""
        ...

    def begin_exchange(self, replica: str) -> RedisExchange:
        """Return what there is to send and to ask."""
        ...


class Messenger(Protocol):
    """The thread that talks to Redis."""

    def soon(self, shared: Shared) -> None:
        """Exchange something when the next exchange is due."""
        ...

    def at_once(self, shared: Shared) -> None:
        """Exchange something now."""
        ...


UNKNOWN = 0
"""The shared generation of what happened while Redis could not be asked for one."""
NEVER = -1
"""The shared generation of what has not happened."""


class UnsentFailure(NamedTuple):
    """One failure that Redis has not heard of."""

    generation: int
    at: float
    number: int
    succeeded_before: int = 0
    """How many calls of this replica had succeeded before."""


class ProbeOutcome(NamedTuple):
    """How a probe went."""

    generation: int
    health: Health


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicaReport:
    """What a replica reports to Redis, and asks."""

    now: float
    total_successes: int = 0
    """How many calls of this replica succeeded, in all …"""
    successes: int = 0
    """… and since the report before."""
    failures: tuple[UnsentFailure, ...] = ()
    code: Code | None = None
    probe: ProbeOutcome | None = None
    recovered_from: int = NEVER
    """The generation from which this replica has seen the upstream recover, alone."""
    asks: bool = False
    """Whether somebody waits for a permit to try the upstream."""
    wait_s: float = 0.0
    """For how long this replica leaves the upstream alone: Redis may have lost its memory."""
    open_for_s: float = 0.0
    """For how long it has done so."""

    def arguments(self, replica: str, limits: Limits) -> list[str | int]:
        """Return the arguments of the script, in its order."""
        probe = self.probe or ProbeOutcome(-1, Health.NONE)
        arguments: list[str | int] = [
            *(replica, self.code.value if self.code else ""),
            *_limit_arguments(limits),
            *(_ms(self.wait_s), _ms(self.open_for_s)),
            *(probe.generation, probe.health.name.lower(), int(self.asks)),
            *(repr(float(limits.failure_rate)), limits.weighed, self.successes, self.recovered_from),
        ]
        for failure in self.failures:
            succeeded_since = self.total_successes - failure.succeeded_before
            number = f"{failure.number:012}"  # Those of the same moment are sorted by their names.
            arguments += (failure.generation, _ms(self.now - failure.at), number, succeeded_since)
        return arguments


def _limit_arguments(limits: Limits) -> list[int]:
    window, pause, lease = (
        max(_ms(limits.window_s), 1),
        max(_ms(limits.open_s), 1),
        max(_ms(limits.probe_s), 1),
    )
    return [
        limits.failures,
        window,
        pause,
        limits.successes,
        lease,
        window + pause + lease + _IDLE_MS,
    ]


def _ms(seconds: float) -> int:
    return min(max(math.ceil(seconds * 1000), 0), _LONGEST_MS)


class SharedState(NamedTuple):
    """How things stand among all replicas."""

    state: State
    generation: int
    since: float
    """When it opened, in seconds of the Unix epoch."""
    wait_s: float
    """How long until somebody may try the upstream."""
    granted: bool
    """Whether this replica may try it."""
    code: Code | None


def read_shared_state(answer: object, limits: Limits) -> SharedState:
    """Return what the answer of the script says; raise `ValueError` for one that no script of ours returns.

    No upstream is left alone for longer than these limits say, whatever the answer.
    """
    match answer:
        case [bytes(state), int(generation), int(since), int(wait), int(granted), bytes(code)] if generation > 0:
            return SharedState(
                State(state.decode("ascii", "replace")),
                generation,
                min(max(since, 0), _LATEST_MS) / 1000,
                min(max(wait / 1000, 0.0), max(limits.open_s, limits.probe_s)),
                bool(granted),
                _CODES.get(code.decode("ascii", "replace")),
            )
        case _:
            raise ValueError("The script's answer has a form that no version of it returns.")


_NUMBERS: Final = itertools.count()
"""One for the process: a circuit that was forgotten and made anew must not use a number again: Redis knows that failure."""


def take_number() -> int:
    """Return a number for a failure, or for a moment between two of them."""
    return next(_NUMBERS)


class Outbox:
    """Keeps the failures and the probe of one circuit until they have been sent.

    As many failures are kept as it takes to open the circuit: more of them would say nothing new, however long Redis is
    away, and those that the upstream has recovered from are not sent at all. Successes are sent once at most: to lose
    one matters less than to count it again and again.
    """

    __slots__ = ("_code", "_failures", "_probe", "_recovered_at", "_recovered_from", "_sent_successes")

    def __init__(self, most: int, total_successes: int = 0) -> None:
        self._sent_successes = total_successes
        self._failures: deque[UnsentFailure] = deque(maxlen=most)
        self._probe: ProbeOutcome | None = None
        self._code: Code | None = None
        self._recovered_at = 0
        self._recovered_from = NEVER

    def add_failure(self, generation: int, at: float, code: Code | None, total_successes: int = 0) -> None:
        """Keep a failure."""
        self._failures.append(UnsentFailure(generation, at, take_number(), total_successes))
        self._code = code

    def add_probe(self, generation: int, health: Health, code: Code | None = None) -> None:
        """Keep how a probe went; Redis does not know of one that this replica has begun alone."""
        if generation != UNKNOWN:
            self._probe = ProbeOutcome(generation, health)
            self._code = code or self._code

    def note_recovery(self, at: int, generation: int) -> None:
        """Forget the failures before a number, also those that are being sent and may come back.

        The generation from which the upstream has recovered is sent, unless a probe of it says the same.
        """
        self._recovered_at = at
        self._recovered_from = generation
        self._keep(self._failures)

    def withdraw_recovery(self) -> None:
        """Take back a recovery that was not sent: it would close the circuit for those who see the upstream fail."""
        self._recovered_from = NEVER

    def take(self, now: float, total_successes: int, *, asks: bool, wait_s: float, open_for_s: float) -> ReplicaReport:
        """Take out all there is to send."""
        report = ReplicaReport(
            now=now,
            total_successes=total_successes,
            successes=total_successes - self._sent_successes,
            failures=tuple(self._failures),
            code=self._code,
            probe=self._probe,
            recovered_from=self._recovered_from,
            asks=asks,
            wait_s=wait_s,
            open_for_s=open_for_s,
        )
        self._sent_successes = total_successes
        self.clear()
        return report

    def put_back(self, report: ReplicaReport) -> None:
        """Keep what could not be sent; what happened since then comes after it."""
        self._keep((*report.failures, *self._failures))
        self._probe = self._probe or report.probe
        if self._recovered_from == NEVER:
            self._recovered_from = report.recovered_from
        self._code = self._code or report.code

    def _keep(self, failures: Iterable[UnsentFailure]) -> None:
        kept = [failure for failure in failures if failure.number >= self._recovered_at]
        self._failures.clear()
        self._failures.extend(kept)

    def clear(self) -> None:
        """Forget everything."""
        self._failures.clear()
        self._probe = self._code = None
        self._recovered_from = NEVER

    def __bool__(self) -> bool:
        return bool(self._failures) or self._probe is not None

    def outdates(self, shared: SharedState) -> bool:
        """Return whether there is something to send that would change the shared state."""
        if shared.state is State.CLOSED:
            return bool(self)
        is_only_probed = shared.state is State.HALF_OPEN and self._recovered_from == shared.generation - 1
        if is_only_probed or self._recovered_from == shared.generation:
            return True
        return self._probe is not None and self._probe.generation == shared.generation
