"""The vocabulary and the protocols by which a breaker and its store talk about one upstream."""

import dataclasses
import enum
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Final, NamedTuple, Protocol, TypeAlias, TypeGuard

from errata.model import Code

_FOR_A_RATE: Final = 5
LONGEST_S: Final = 10 * 365 * 24 * 3600
"""Ten years. What lasts longer has no date that can be written, and no expiry that Redis takes."""
_COUNTLESS: Final = 10**9  # So many never happen, and neither a deque nor Redis takes many more.


class State(enum.StrEnum):
    """Whether an upstream is called."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


class Health(enum.Enum):
    """What the outcome of a call says about the upstream."""

    WELL = enum.auto()
    ILL = enum.auto()
    NONE = enum.auto()
    """The caller's fault, or a cancellation: nothing about the upstream."""


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 1


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_time(value: object) -> bool:
    return _is_number(value) and 0 < value <= LONGEST_S


def _is_share(value: object) -> bool:
    return _is_number(value) and 0 <= value <= 1  # NaN is not, either.


def _is_store(value: object) -> bool:
    return value is None or (not isinstance(value, type) and callable(getattr(value, "circuit", None)))


_COUNT: Final = (_is_count, "Give a whole number, 1 or more.")
TIME: Final = (_is_time, "Give a number of seconds, more than 0 and no more than ten years.")
STORE: Final = (_is_store, "Give a `MemoryStore`, a `RedisStore`, or an object that has their method `circuit`.")
_RULES: Final[Mapping[str, tuple[Callable[[object], bool], str]]] = {
    "failures": _COUNT,
    "window_s": TIME,
    "open_s": TIME,
    "successes": _COUNT,
    "probe_s": TIME,
    "failure_rate": (_is_share, "Give a share of calls from 0 to 1, such as 0.5 for half of them."),
}


@dataclasses.dataclass(frozen=True, slots=True)
class Limits:
    """When a circuit opens, and when it closes again."""

    failures: int = 5
    window_s: float = 120.0
    open_s: float = 60.0
    successes: int = 2
    probe_s: float = 30.0
    """How long a probe has the circuit for itself; after that its caller counts as lost."""
    failure_rate: float = 0.0
    """It opens only if at least this share of the calls failed, too: those since the first failure that is weighed."""

    def __post_init__(self) -> None:
        for name, (fits, rule) in _RULES.items():
            if not fits(value := getattr(self, name)):
                raise ValueError(f"`{name}` is {value!r}. {rule}")

    @property
    def weighed(self) -> int:
        """How many of the last failures decide: a few say little about a rate, and those of long ago nothing."""
        return min(self.failures * (_FOR_A_RATE if self.failure_rate else 1), _COUNTLESS)


class Permit(NamedTuple):
    """Permission to call the upstream once."""

    generation: int
    """Grows whenever the state changes; the outcome of a permit of an earlier one decides nothing."""
    is_probe: bool = False


class Refusal(NamedTuple):
    """The upstream is left alone for now."""

    retry_after_ms: int
    since: float
    """When the circuit opened, in seconds of the Unix epoch."""
    code: Code | None = None
    """What the failure was that opened it, where that is known."""


Admission: TypeAlias = Permit | Refusal


class Facts(NamedTuple):
    """What is known about a circuit; moments are in seconds of the Unix epoch."""

    state: State
    calls: int
    """Calls within the window that said something about the upstream."""
    failures: int
    """Those among them that were failures."""
    last_success: float | None
    last_failure: float | None
    since: float | None
    """When it opened; None while it is closed."""
    expected_recovery: float | None
    """When it will be tried again; None while it is closed."""
    code: Code | None = None
    """What the last failure was, where that is known."""


class Change(NamedTuple):
    """A circuit went from one state to another."""

    upstream: str
    before: State
    after: State
    code: Code | None
    """What the last failure was, where that is known; None for a circuit that closes."""


Listener: TypeAlias = Callable[[Change], object]


class Circuit(Protocol):
    """The circuit of one upstream. Every method may be called from any thread and any task, and none blocks."""

    def admit(self) -> "Permit | Refusal | Future[Admission]":
        """Return a permit or a refusal; a Future of one, which is answered within moments, if somebody else has to be asked."""
        ...

    def settle(self, permit: Permit, health: Health, /, code: Code | None = None) -> None:
        """Take note of how the call went, and for a failure what it was."""
        ...

    def facts(self) -> Facts:
        """Return what is known."""
        ...

    def watch(self, listener: Listener) -> None:
        """Call a listener with every change, in the thread that made it; equal listeners are called once.

        A breaker keeps its listener, so that a circuit may hold it weakly: breakers come and go.
        """
        ...


class Store(Protocol):
    """Where circuits are kept."""

    def circuit(self, upstream: str, limits: Limits) -> Circuit:
        """Return the circuit of an upstream, the same one for everybody."""
        ...
