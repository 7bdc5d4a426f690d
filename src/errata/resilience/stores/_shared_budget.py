"""The budget of one upstream that several replicas share."""

from collections.abc import Sequence
from concurrent.futures import Future
from functools import partial
from typing import Final, NamedTuple, cast

from errata._fork import renew_after_fork
from errata._runtime import is_in_event_loop, wait_for_future
from errata.resilience._budget import LOCK, Budget, Reservation
from errata.resilience.stores._exchange import Messenger, RedisExchange

_EXPIRY_MS: Final = 3_600_000
"""For how long a budget that nobody uses is kept in Redis; a replica that lives longer restores it."""


class Tally(NamedTuple):
    """What one replica has spent and earned in all."""

    spent: int = 0
    credited: int = 0


class SharedBudget(Budget):
    """One replica's own budget, from which it takes only what all replicas together have, too.

    Redis can only refuse: whatever it says, no more is repeated than the replica's own budget would allow. It is asked
    while a repetition is waited for, and nobody waits for it longer than `patience_s` beyond that. Without an answer the
    replica goes by its own budget and by what it heard last, and tells what it has spent when Redis is back.
    """

    # `_left` is what all have together, as far as this replica knows.
    __slots__ = (
        "_asking", "_counted", "_heard", "_is_quiet", "_left", "_messenger", "_patience_s", "_total", "alone", "upstream",
    )  # fmt: skip

    def __init__(self, upstream: str, messenger: Messenger, patience_s: float) -> None:
        super().__init__()
        self.upstream: str = upstream
        self._messenger = messenger
        self._patience_s = patience_s
        self._heard = self._left = self.capacity
        self.alone: bool = False
        """Whether Redis does not answer in time; not before it was asked."""
        self.take_new_lock()
        renew_after_fork(self)

    def take_new_lock(self) -> None:
        """Start anew, also in a child process: what is untold, and who waits, stays with the parent."""
        self._total = self._counted = Tally()
        self._asking: list[_SharedReservation] = []
        self._is_quiet = True

    @property
    def tokens(self) -> int:
        """How many tokens there are, as far as this replica knows."""
        return min(self._tokens, self._left)

    def reserve(self, *, rate_limited: bool = False) -> "_SharedReservation | None":
        """Pay for a repetition; None if there are too few tokens. Redis is asked meanwhile."""
        cost = self.rate_limit_cost if rate_limited else self.transient_cost
        with LOCK.current:
            reservation = self._reserve(cost) if self.tokens >= cost else None
        if reservation is None or self.alone:
            self._stir()
        else:
            self._messenger.at_once(self)
        return reservation

    def give_back(self, tokens: int = 1) -> None:
        """Credit a success, here and, a moment later, for all."""
        with LOCK.current:
            credit = min(max(tokens, 0), self.capacity - self._left)
            self._left += credit
            self._total = self._total._replace(credited=self._total.credited + credit)
            super().give_back(tokens)
        if credit:
            self._stir()

    def refill(self) -> None:
        """Put back all that was spent, here and of what all have together."""
        self.give_back(self.capacity)

    def begin_exchange(self, replica: str) -> RedisExchange:
        """Return what there is to tell and to ask."""
        with LOCK.current:
            self._is_quiet = True
            asking, self._asking, total = tuple(self._asking), [], self._total
            arguments: list[str | int] = [self.capacity, self._heard, *total, *self._counted, _EXPIRY_MS]
        arguments += [each.cost for each in asking]
        keys = ("budget", f"budget:{replica}")
        return RedisExchange(
            "budget", keys, arguments, partial(self._follow, asking, total), partial(self._fail, asking)
        )

    def go_alone(self, reservation: "_SharedReservation") -> bool:
        """Return whether a repetition is made whose caller has waited for Redis long enough."""
        with LOCK.current:
            self.alone = True
            if reservation in self._asking:
                self._asking.remove(reservation)
            self._settle(reservation, is_granted=True)
        self._stir()
        return reservation.answer.result()

    def _follow(self, asking: Sequence["_SharedReservation"], sent: Tally, answer: object) -> None:
        tokens, granted = _read_answer(answer, self.capacity, len(asking))
        with LOCK.current:
            spent = sum(each.cost for each, is_granted in zip(asking, granted, strict=True) if is_granted)
            for each, is_granted in zip(asking, granted, strict=True):
                self._settle(each, is_granted=is_granted)
            self._counted = sent._replace(spent=sent.spent + spent)
            self._heard = tokens
            untold = self._total.spent - self._counted.spent + sum(each.cost for each in self._asking)
            earned = self._total.credited - self._counted.credited
            self._left = min(max(tokens - untold + earned, 0), self.capacity)
            self._put(self._tokens)

    def _fail(self, asking: Sequence["_SharedReservation"]) -> None:
        """Let everybody go on who waits for an answer."""
        with LOCK.current:
            self.alone = True
            waiting, self._asking = (*asking, *self._asking), []
            for each in waiting:
                self._settle(each, is_granted=True)

    def _reserve(self, cost: int) -> "_SharedReservation":
        reservation = _SharedReservation(cost, self, self._patience_s)
        self._left -= cost
        self._put(self._tokens - cost)
        if self.alone:
            self._settle(reservation, is_granted=True)
        else:
            self._asking.append(reservation)
        return reservation

    def _settle(self, reservation: "_SharedReservation", *, is_granted: bool) -> None:
        """Decide about a reservation, once; what was refused goes back into the replica's own budget."""
        if reservation.answer.done():
            return
        if is_granted:
            self._total = self._total._replace(spent=self._total.spent + reservation.cost)
        else:
            self._put(min(self._tokens + reservation.cost, self.capacity))
        reservation.answer.set_result(is_granted)

    def _put(self, tokens: int) -> None:
        self._tokens = tokens
        self.is_full: bool = tokens == self._left == self.capacity

    def _stir(self) -> None:
        """Tell Redis, and hear from it, with the next exchange; once until then."""
        if self._is_quiet:
            self._is_quiet = False
            self._messenger.soon(self)


class _SharedReservation(Reservation):
    """Tokens of a replica, for which Redis is asked while their caller waits anyway."""

    __slots__ = ("_budget", "_patience_s", "answer")

    def __init__(self, cost: int, budget: SharedBudget, patience_s: float) -> None:
        super().__init__(cost)
        self._budget = budget
        self._patience_s = patience_s
        self.answer: Future[bool] = Future()

    def is_granted(self) -> bool:
        """Return whether all replicas together had the tokens, or Redis did not answer in time."""
        try:
            return self.answer.result(self._patience_s)
        except TimeoutError:
            return self._budget.go_alone(self)

    async def is_granted_async(self) -> bool:
        """Return the same in a task."""
        if self.answer.done() or not is_in_event_loop():
            return self.is_granted()
        try:
            return await wait_for_future(self.answer, self._patience_s)
        except TimeoutError:
            return self._budget.go_alone(self)


def _read_answer(answer: object, capacity: int, number: int) -> tuple[int, list[bool]]:
    """Return how many tokens are left, and what was granted; raise `ValueError` for what no script of ours returns."""
    numbers = (
        [each for each in cast("list[object]", answer) if isinstance(each, int)] if isinstance(answer, list) else []
    )
    if len(numbers) != 1 + number or not 0 <= numbers[0] <= capacity:
        raise ValueError("The script's answer has a form that no version of it returns.")
    return numbers[0], [each == 1 for each in numbers[1:]]
