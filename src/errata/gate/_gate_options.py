"""What a gate is told to do, checked once."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypedDict

from errata import dialects
from errata.dialects import Dialect
from errata.model import Rules, refuse_unfit, refuse_unknown
from errata.resilience import Breaker, Retrying, Store, retry as usual_retry
from errata.tools import Effect, check_effects


class GateSettings(TypedDict, total=False):
    """The settings of a gate, by keyword."""

    name: str
    """What the server is called in messages, in the log and in Redis."""
    repair: bool
    """Whether anything is changed at all; without it the gate only watches."""
    dialect: str | Dialect
    """In whose words a failure is told; `native` by default."""
    structured: bool
    """Whether the dialect's payload replaces `structuredContent`, for programs; clients may check it against a schema."""
    keep_protocol_errors: bool
    """Whether JSON-RPC errors stay errors, which no model reads."""
    soft: bool
    """Whether a result that is marked as a success, and tells of a failure, counts as one."""
    redact_success: bool
    """Whether secrets are hidden in successes, too."""
    effects: Mapping[str, Effect] | None
    """What tools do, by their names: "read_only", "idempotent" or "destructive". It overrides what the server says."""
    retry: bool | Retrying
    """Whether a call is repeated that may be repeated; or by which policy."""
    breaker: bool | Breaker
    """Whether the server is left alone while it is down; or by which breaker."""
    store: Store | None
    """Where several gates share the breaker, and the budget for repetitions: a `RedisStore`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateOptions:
    """The settings of a gate, with their defaults."""

    name: str = "the server"
    repair: bool = True
    dialect: Dialect = dialects.native
    structured: bool = False
    keep_protocol_errors: bool = False
    soft: bool = False
    redact_success: bool = False
    effects: Mapping[str, Effect] = field(default_factory=dict[str, Effect])
    retry: Retrying | None = None
    breaker: Breaker | None = None

    @classmethod
    def of(cls, settings: GateSettings, *, name: str = "the server") -> "GateOptions":
        """Return the options for some settings; raise a TypeError, a ValueError or a LookupError for one that is wrong.

        `name` is what the server is called unless the settings say it.
        """
        refuse_unknown("The gate", settings, GateSettings.__annotations__)
        refuse_unfit(settings, _RULES, TypeError)
        name, store = settings.get("name") or name, settings.get("store")
        dialect = settings.get("dialect") or dialects.native
        return cls(
            name=name,
            repair=settings.get("repair", True),
            dialect=dialects.get(dialect) if isinstance(dialect, str) else dialect,
            structured=settings.get("structured", False),
            keep_protocol_errors=settings.get("keep_protocol_errors", False),
            soft=settings.get("soft", False),
            redact_success=settings.get("redact_success", False),
            effects=check_effects(settings.get("effects")),
            retry=_choose_policy(settings.get("retry", False), name, store),
            breaker=_choose_breaker(settings.get("breaker", False), name, store),
        )


def _is_flag(given: object) -> bool:
    return isinstance(given, bool)


_FLAG: Final = (_is_flag, "Give True or False.")
_RULES: Final[Rules] = {
    "name": (lambda given: given is None or isinstance(given, str), "Give a text."),
    "repair": _FLAG,
    "dialect": (
        lambda given: given is None or isinstance(given, str | Dialect),
        f"Give one of {', '.join(f'`{name}`' for name in dialects.names())}.",
    ),
    "structured": _FLAG,
    "keep_protocol_errors": _FLAG,
    "soft": _FLAG,
    "redact_success": _FLAG,
    "retry": (
        lambda given: given is None or isinstance(given, bool | Retrying),
        "Give True, or a policy such as `retry(attempts=5)`.",
    ),
    "breaker": (lambda given: given is None or isinstance(given, bool | Breaker), "Give True, or a `Breaker`."),
    "store": (lambda given: given is None or callable(getattr(given, "circuit", None)), "Give a `RedisStore`."),
}


def _choose_policy(value: object, name: str, store: Store | None) -> Retrying | None:
    if value is True:
        return usual_retry(upstream=name, store=store)
    if not isinstance(value, Retrying):
        return None
    return value if value.upstream else value(upstream=name)


def _choose_breaker(value: object, name: str, store: Store | None) -> Breaker | None:
    if value is True:
        return Breaker(name, store=store)
    return value if isinstance(value, Breaker) else None
