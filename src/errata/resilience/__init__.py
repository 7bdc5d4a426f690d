"""What acts on a fault: repeating a call that may be repeated, and leaving alone an upstream that is down."""

from errata._runtime import count_cancellations as count_cancellations
from errata.resilience._backoff import (
    backoff_for,
    count_attempts as count_attempts,
    strip_attempts as strip_attempts,
)
from errata.resilience._breaker import (
    Breaker,
    begin_calls as begin_calls,
    was_counted_within as was_counted_within,
)
from errata.resilience._breaker_status import BreakerStatus
from errata.resilience._budget import Budget
from errata.resilience._circuit import Change, Circuit, Facts, Health, Limits, Permit, Refusal, State, Store
from errata.resilience._effects import (
    EffectsDeclaration as EffectsDeclaration,
    effect,
    find_declaration as find_declaration,
    marks_effects,
    record_of as record_of,
    settle_verdict as settle_verdict,
)
from errata.resilience._protect import protect
from errata.resilience._retry import Retrying, retry
from errata.resilience._retry_policy import Repetition
from errata.resilience.stores import MemoryStore, RedisStore

Verdict = Health
"""The former name of `Health`, for stores that were written with it."""

__all__ = [
    "Breaker",
    "BreakerStatus",
    "Budget",
    "Change",
    "Circuit",
    "Facts",
    "Health",
    "Limits",
    "MemoryStore",
    "Permit",
    "RedisStore",
    "Refusal",
    "Repetition",
    "Retrying",
    "State",
    "Store",
    "Verdict",
    "backoff_for",
    "effect",
    "marks_effects",
    "protect",
    "retry",
]
