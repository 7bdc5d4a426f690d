"""What a replica tells its Redis at once, and what it hears."""

import math
from dataclasses import dataclass
from typing import NamedTuple

from errata.model import Code
from errata.resilience._circuit import LONGEST_S, Limits, State, Verdict

_LONGEST_MS = LONGEST_S * 1000  # Redis refuses an expiry that overflows.
_IDLE_MS = 60_000  # How much longer than it matters a key is kept.
_LATEST_MS = 253_402_300_799_000  # The end of the year 9999: no later moment can be written.
_CODES = {code.value: code for code in Code}

UNKNOWN = 0
"""The shared generation of what happened while nobody could be asked for one."""
NEVER = -1
"""The one of what has not happened."""


class Failure(NamedTuple):
    """One failure, as it is kept until it has been told."""

    generation: int
    at: float
    number: int
    succeeded_before: int = 0
    """How many calls of this replica had succeeded yet."""


class Probe(NamedTuple):
    """How a probe went."""

    generation: int
    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What a replica tells and asks."""

    now: float
    succeeded_yet: int = 0
    """How many calls of this replica succeeded, in all …"""
    successes: int = 0
    """… and since the turn before."""
    failures: tuple[Failure, ...] = ()
    code: Code | None = None
    probe: Probe | None = None
    recovered_from: int = NEVER
    """The generation from which this replica has seen the upstream recover, alone."""
    asks: bool = False
    """Whether somebody waits for leave to try the upstream."""
    wait_s: float = 0.0
    """For how long this replica leaves the upstream alone: Redis may have lost its memory."""
    open_for_s: float = 0.0
    """For how long it has done so."""

    def arguments(self, replica: str, limits: Limits) -> list[str | int]:
        """Give the arguments of the script, in its order."""
        probe = self.probe or Probe(-1, Verdict.NONE)
        told: list[str | int] = [
            *(replica, self.code.value if self.code else ""),
            *_limits(limits),
            *(_ms(self.wait_s), _ms(self.open_for_s)),
            *(probe.generation, probe.verdict.name.lower(), int(self.asks)),
            *(repr(float(limits.failure_rate)), limits.weighed, self.successes, self.recovered_from),
        ]
        for failure in self.failures:
            succeeded_since = self.succeeded_yet - failure.succeeded_before
            number = f"{failure.number:012}"  # Those of the same moment are sorted by their names.
            told += (failure.generation, _ms(self.now - failure.at), number, succeeded_since)
        return told


def _limits(limits: Limits) -> list[int]:
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


class Answer(NamedTuple):
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


def answer_from(told: object, limits: Limits) -> Answer:
    """Read what the script returned; a thing that speaks Redis but is none may return anything.

    Nobody is left alone for longer than these limits say, whatever is told.
    """
    match told:
        case [bytes(state), int(generation), int(since), int(wait), int(granted), bytes(code)] if generation > 0:
            return Answer(
                State(state.decode("ascii", "replace")),
                generation,
                min(max(since, 0), _LATEST_MS) / 1000,
                min(max(wait / 1000, 0.0), max(limits.open_s, limits.probe_s)),
                bool(granted),
                _CODES.get(code.decode("ascii", "replace")),
            )
        case _:
            raise ValueError("The script's answer has a form that no version of it returns.")
