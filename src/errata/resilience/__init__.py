"""What acts on a fault: repeating a call that may be repeated, and leaving alone an upstream that is down."""

from errata.resilience._backoff import attempts_of as attempts_of, backoff_for, without_attempts as without_attempts
from errata.resilience._breaker import Breaker
from errata.resilience._budget import Budget
from errata.resilience._circuit import Change, Circuit, Facts, Limits, Permit, Refusal, State, Store, Verdict
from errata.resilience._effects import effect, record_of as record_of, settled as settled
from errata.resilience._marking import marks_its_effect as marks_its_effect
from errata.resilience._memory_store import MemoryStore
from errata.resilience._own_permit import held as held, is_counted_within as is_counted_within
from errata.resilience._policy import Repetition
from errata.resilience._protect import protect
from errata.resilience._redis_store import RedisStore
from errata.resilience._retry import Retrying, retry
from errata.resilience._runtime import cancellations as cancellations
from errata.resilience._status import BreakerStatus

__all__ = [
    "Breaker",
    "BreakerStatus",
    "Budget",
    "Change",
    "Circuit",
    "Facts",
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
    "protect",
    "retry",
]
