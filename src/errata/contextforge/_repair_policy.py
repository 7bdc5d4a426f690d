"""What the plugin is told in its YAML, and whether a call that failed is repeated."""

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final

from errata import dialects
from errata.dialects import Dialect
from errata.model import Code, Fault, Retry, Rules, refuse_unfit, refuse_unknown
from errata.resilience import Budget, RedisStore, Store, count_attempts
from errata.tools import Effect, check_effects

_BASE_MS: Final = 250
_RATE_LIMIT_BASE_MS: Final = 1000
_MODES: Final = ("sequential", "transform", "disabled")


def _is_wait(given: object) -> bool:
    return isinstance(given, int | float) and not isinstance(given, bool) and 0 <= given < math.inf


_RULES: Final[Rules] = {
    "retry": (lambda given: isinstance(given, bool), "Write true or false."),
    "redact_success": (lambda given: isinstance(given, bool), "Write true or false."),
    "longest_wait_s": (_is_wait, "Write a number of seconds, 0 or more."),
    "redis": (lambda given: given is None or isinstance(given, str), "Write an address: redis://localhost:6379/0"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairPolicy:
    """The settings under `config:`."""

    retry: bool = True
    """Whether a call is repeated, once, if that may be done."""
    longest_wait_s: float = 5
    """How long the gateway may wait before it repeats a call, while the client waits as well."""
    effects: Mapping[str, Effect] = field(default_factory=dict[str, Effect])
    """What tools do, by their names at the gateway or at the server; it overrides what the server says."""
    dialect: Dialect = dialects.native
    redact_success: bool = False
    """Whether secrets are hidden in successful results, too."""
    redis: Store | None = None
    """Where the workers of the gateway share what may be spent on repetitions; each has its own without."""

    @classmethod
    def of(cls, config: Mapping[str, Any] | None) -> "RepairPolicy":
        """Return the policy for what stands in the YAML; raise an error for a setting that is wrong."""
        given = dict(config or {})
        refuse_unknown("ErrorRepair", given, [each.name for each in fields(cls)])
        refuse_unfit(given, _RULES, ValueError)
        if "effects" in given:
            given["effects"] = check_effects(given["effects"])
        if "dialect" in given:
            given["dialect"] = dialects.get(given["dialect"])
        given["redis"] = open_store(given["redis"]) if given.get("redis") else None
        return cls(**given)

    def find_budget(self, server: str) -> Budget:
        """Return what is left for repetitions of the calls of a server."""
        return Budget.of(f"ContextForge: {server}", store=self.redis)

    def choose_delay_ms(self, fault: Fault, *, random: Callable[[], float]) -> int:
        """Return how long to wait before the call is repeated, in milliseconds; 0 if it is not to be repeated."""
        may_repeat = fault.retry is Retry.SAME_CALL and fault.code is not Code.CIRCUIT_OPEN
        longest_ms = self.longest_wait_s * 1000
        wait_ms = fault.retry_after_ms or 0
        if not (self.retry and may_repeat and count_attempts(fault) == 1 and wait_ms <= longest_ms):
            return 0
        base_ms = _RATE_LIMIT_BASE_MS if fault.code is Code.RATE_LIMITED else _BASE_MS
        return int(max(wait_ms, min((wait_ms or base_ms) + random() * base_ms, longest_ms)))


@functools.cache  # The gateway makes its plugins anew every half minute.
def open_store(url: str) -> RedisStore:
    """Return the store for an address, the same one for all plugins of this process."""
    return RedisStore(url)


def check_mode(mode: str) -> None:
    """Raise a ValueError for a mode in which the framework discards what a plugin changes."""
    if mode not in _MODES:
        raise ValueError(
            f"`ErrorRepair` has the mode `{mode}`, in which the framework discards what a plugin changes. "
            "Write `mode: transform` in the YAML."
        )
