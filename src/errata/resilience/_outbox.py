"""What a replica has yet to tell."""

import itertools
from collections import deque
from collections.abc import Iterable
from typing import Final

from errata.model import Code
from errata.resilience._circuit import State, Verdict
from errata.resilience._turn import NEVER, UNKNOWN, Answer, Failure, Probe, Turn

_NUMBERS: Final = itertools.count()
"""One for the process: a circuit that was forgotten and made anew must not use a number again, or its failure is known."""


def next_number() -> int:
    """Give a number to a failure, or to a moment between two of them."""
    return next(_NUMBERS)


class Outbox:
    """Keeps the failures and the probe of one circuit until they have been told.

    As many failures are kept as it takes to open the circuit: more of them would say nothing new, however long Redis is
    away, and those that the upstream has recovered from are not told at all. Successes are told once at most: that one
    too few is known of matters less than that one counts again and again.
    """

    __slots__ = ("_code", "_failures", "_probe", "_recovered_at", "_recovered_from", "_succeeded")

    def __init__(self, most: int, succeeded_yet: int = 0) -> None:
        self._succeeded = succeeded_yet
        self._failures: deque[Failure] = deque(maxlen=most)
        self._probe: Probe | None = None
        self._code: Code | None = None
        self._recovered_at = 0
        self._recovered_from = NEVER

    def failed(self, generation: int, at: float, code: Code | None, succeeded_yet: int = 0) -> None:
        """Keep a failure."""
        self._failures.append(Failure(generation, at, next_number(), succeeded_yet))
        self._code = code

    def probed(self, generation: int, verdict: Verdict, code: Code | None = None) -> None:
        """Keep how a probe went; nobody else knows of one that nobody else gave leave for."""
        if generation != UNKNOWN:
            self._probe = Probe(generation, verdict)
            self._code = code or self._code

    def recovered(self, at: int, generation: int) -> None:
        """Forget the failures before the one with a number, also those that are being told and come back.

        From which generation the upstream has recovered is told, unless a probe of it tells the same.
        """
        self._recovered_at = at
        self._recovered_from = generation
        self._keep(self._failures)

    def relapsed(self) -> None:
        """Take a recovery back that nobody has heard of: it would close the circuit for those who see it fail."""
        self._recovered_from = NEVER

    def take(self, now: float, succeeded_yet: int, *, asks: bool, wait_s: float, open_for_s: float) -> Turn:
        """Take out all there is to tell."""
        turn = Turn(
            now=now,
            succeeded_yet=succeeded_yet,
            successes=succeeded_yet - self._succeeded,
            failures=tuple(self._failures),
            code=self._code,
            probe=self._probe,
            recovered_from=self._recovered_from,
            asks=asks,
            wait_s=wait_s,
            open_for_s=open_for_s,
        )
        self._succeeded = succeeded_yet
        self.clear()
        return turn

    def put_back(self, turn: Turn) -> None:
        """Keep what could not be told; what happened since then comes after it."""
        self._keep((*turn.failures, *self._failures))
        self._probe = self._probe or turn.probe
        if self._recovered_from == NEVER:
            self._recovered_from = turn.recovered_from
        self._code = self._code or turn.code

    def _keep(self, failures: Iterable[Failure]) -> None:
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

    def outdates(self, answer: Answer) -> bool:
        """Whether there is something to tell that would change an answer."""
        if answer.state is State.CLOSED:
            return bool(self)
        is_only_tried = answer.state is State.HALF_OPEN and self._recovered_from == answer.generation - 1
        if is_only_tried or self._recovered_from == answer.generation:
            return True
        return self._probe is not None and self._probe.generation == answer.generation
