"""A token bucket for repetitions: calls of a failing upstream are repeated rarely, others as often as they need."""

from typing import Protocol, runtime_checkable

from errata._fork import ForkSafeLock
from errata.model import is_a, refuse_unfit, text_or_none
from errata.resilience._circuit import STORE, Store
from errata.resilience._upstream_registry import UpstreamRegistry


class Reservation:
    """Tokens that were taken for one repetition, whose caller waits before it makes it."""

    __slots__ = ("cost",)

    def __init__(self, cost: int) -> None:
        self.cost: int = cost

    def is_granted(self) -> bool:
        """Return, after the wait, whether the repetition may be made; others may have spent the tokens."""
        return True

    async def is_granted_async(self) -> bool:
        """Return the same in a task."""
        return True


class Budget:
    """Tokens that repetitions cost and successes give back; when there are too few, the error is raised at once.

        retry(budget=Budget(tokens=100))      # for one policy
        retry(upstream="ncbi")                # the same as budget=Budget.of("ncbi"), shared by all that name it
        retry(upstream="ncbi", store=store)   # … and by all replicas that have the same Redis

    The numbers are AWS's of 2026. May be used from any thread and any task.
    """

    __slots__ = ("__weakref__", "_tokens", "capacity", "is_full", "rate_limit_cost", "transient_cost")

    def __init__(self, tokens: int = 500, *, transient_cost: int = 14, rate_limit_cost: int = 5) -> None:
        _require_whole("tokens", tokens, least=0)
        _require_whole("transient_cost", transient_cost, least=1)
        _require_whole("rate_limit_cost", rate_limit_cost, least=1)
        self.capacity: int = tokens
        self.transient_cost: int = transient_cost
        self.rate_limit_cost: int = rate_limit_cost
        self._tokens: int = tokens
        self.is_full: bool = True
        """Whether no token was spent; every call that succeeds reads it, without a lock."""

    @classmethod
    def of(cls, upstream: str, *, store: Store | None = None) -> "Budget":
        """Return the budget of an upstream, the same one for everybody in this process.

        With a `RedisStore` it is the same one for all replicas. Other stores have none: then it is that of this process.
        """
        if not is_a(upstream, str) or text_or_none(upstream) is None:
            raise ValueError(f'`upstream` is {upstream!r}. Give the name of what is called, such as "ncbi".')
        refuse_unfit({"store": store}, {"store": STORE}, ValueError)
        return store.budget(upstream) if isinstance(store, BudgetStore) else _BUDGETS.get(upstream, Budget)

    @classmethod
    def refill_all(cls) -> None:
        """Fill the budgets of all upstreams, so that a test begins as a new process does."""
        for budget in _BUDGETS.all():
            budget.refill()

    @property
    def tokens(self) -> int:
        """How many tokens there are."""
        return self._tokens

    def take(self, *, rate_limited: bool = False) -> int | None:
        """Pay for a repetition and return its cost; None if there are too few tokens, and none is taken."""
        reservation = self.reserve(rate_limited=rate_limited)
        return None if reservation is None else reservation.cost

    def reserve(self, *, rate_limited: bool = False) -> Reservation | None:
        """Pay for a repetition as `take` does. After the wait before it, the reservation says whether all had the tokens."""
        cost = self.rate_limit_cost if rate_limited else self.transient_cost
        with LOCK.current:
            if self._tokens < cost:
                return None
            self._put(self._tokens - cost)
        return Reservation(cost)

    def give_back(self, tokens: int = 1) -> None:
        """Credit a success: one token, or what its last repetition cost."""
        with LOCK.current:
            self._put(min(self._tokens + max(tokens, 0), self.capacity))

    def refill(self) -> None:
        """Put back all that was spent."""
        with LOCK.current:
            self._put(self.capacity)

    def _put(self, tokens: int) -> None:
        self._tokens = tokens
        self.is_full = tokens == self.capacity

    def __repr__(self) -> str:
        return f"<Budget: {self.tokens} of {self.capacity} tokens>"


@runtime_checkable
class BudgetStore(Store, Protocol):
    """A store that keeps budgets, too."""

    def budget(self, upstream: str) -> Budget:
        """Return the budget of an upstream, the same one for everybody."""
        ...


def _require_whole(name: str, value: object, *, least: int) -> None:
    if type(value) is not int or value < least:
        raise ValueError(f"`{name}` is {value!r}. Give a whole number, {least} or more.")


_BUDGETS: UpstreamRegistry[Budget] = UpstreamRegistry()
LOCK = ForkSafeLock()
"""One for all budgets: it is held for a few additions."""
