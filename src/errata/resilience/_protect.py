"""`protect`: a retry and a breaker at once, for service code."""

from collections.abc import Callable, Mapping
from typing import Final, ParamSpec, TypedDict, TypeVar, Unpack

from errata.model import did_you_mean
from errata.resilience._breaker import Breaker
from errata.resilience._circuit import Listener, Store
from errata.resilience._retry import Retrying, retry as usual
from errata.resilience._retry_policy import RetryOptions

_P = ParamSpec("_P")
_T = TypeVar("_T")


class BreakerOptions(TypedDict, total=False):
    """The options of `protect` for its breaker; the same for everybody who protects the same upstream."""

    failures: int
    """So many of them open it …"""
    window_s: float
    """… when they fall into so long."""
    open_s: float
    """How long it stays open."""
    successes: int
    """So many of them in a row close it again."""
    probe_s: float
    """How long a call that tries it has to answer, before another one may try."""
    failure_rate: float
    """At least this share of the calls has to fail, too; 0.5 is for a busy upstream."""
    store: Store | None
    """Where the replicas of a service share the breaker, and the budget of its retry."""
    on_change: Listener | None


class protect:  # noqa: N801 - it is used like a function: `@protect("ncbi")`
    """Protect the functions that call an upstream, and the upstream from them.

        @protect(upstream="ncbi", fallback_tool="search_cache", retry=retry(idempotent=True))
        async def fetch(pmid): ...          # sync functions, too

    Every attempt of a retry asks the breaker, and one that is refused ends it. Breaker and budget are shared, in this
    process, by all that name the same upstream; with a `RedisStore` as `store`, by all replicas. `retry` is a policy, or
    whether there is one: False repeats nothing.
    """

    __slots__ = ("_retry", "breaker")

    def __init__(
        self,
        upstream: str,
        *,
        fallback_tool: str | None = None,
        retry: Retrying | bool | None = True,
        **options: Unpack[BreakerOptions],
    ) -> None:
        _refuse_unknown(options)
        policy = _choose_policy(retry)
        self.breaker: Final = Breaker(upstream, fallback_tool=fallback_tool, **options)
        """The breaker; `breaker.status()` says how the upstream is doing."""
        self._retry = policy and policy(upstream=upstream, store=policy.store or options.get("store"))

    def __call__(self, function: Callable[_P, _T]) -> Callable[_P, _T]:
        """Protect a function."""
        protected = self.breaker(function)
        return protected if self._retry is None else self._retry(protected)

    def call(self, function: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Call a function now; what an async one returns is to be awaited."""
        protected = self.breaker(function)
        return protected(*args, **kwargs) if self._retry is None else self._retry.call(protected, *args, **kwargs)


def _choose_policy(value: object) -> Retrying | None:
    if value is True:
        return usual
    if value is None or value is False:
        return None
    if not isinstance(value, Retrying):
        raise TypeError(f"`retry` is {value!r}. Give a policy such as `retry(attempts=5)`, or True or False.")
    return value


def _refuse_unknown(options: Mapping[str, object]) -> None:
    for name in options:
        if name in BreakerOptions.__annotations__:
            continue
        if name in RetryOptions.__annotations__:
            raise TypeError(
                f"`protect` takes no `{name}`, because that is for its retry. Write `retry=retry({name}=…)` instead."
            )
        known = ("upstream", "fallback_tool", "retry", *BreakerOptions.__annotations__)
        hint = did_you_mean(name, known) or f"It takes {', '.join(f'`{each}`' for each in known)}."
        raise TypeError(f"`protect` takes no `{name}`. {hint}")
