"""What `errata.install` may be told, and what it says to what it cannot use."""

from collections.abc import Iterable, Mapping
from typing import TypeAlias, TypedDict, cast

from errata.contracts import Contract, Failure
from errata.dialects import Dialect
from errata.model import Rules, refuse_unfit, refuse_unknown
from errata.resilience import Breaker, Retrying

Declaration: TypeAlias = type[Contract] | Failure
Contracts: TypeAlias = Mapping[str, Declaration | Iterable[Declaration]]


class Settings(TypedDict, total=False):
    """What `errata.install` may be told."""

    dialect: str | Dialect
    """The language of the server's failures."""
    per_tool: Mapping[str, str | Dialect] | None
    """The language of single tools, by their name."""
    mask: bool
    """Withhold every text but those of failures that were raised on purpose."""
    contracts: Contracts | None
    """The contracts of tools, by their name, where `@raises` cannot be used."""
    describe: bool
    """Say the declared failures in the descriptions of the tools, too."""
    breaker: Breaker | Mapping[str, Breaker] | None
    """Leaves the tools alone while they keep failing: one for all of them, or by their name."""
    retry: Retrying | bool | None
    """Repeats the tools that do no harm; True for errata's own numbers."""
    lint: bool
    """Look at the server's own modules as it starts, and log what will fail badly; it takes a moment for each module."""


def _is_dialect(value: object) -> bool:
    return isinstance(value, str | Dialect)


def _is_by_tool(value: object) -> bool:
    return value is None or isinstance(value, Mapping)


def _is_flag(value: object) -> bool:
    return value is None or isinstance(value, bool)


def _is_breaker(value: object) -> bool:
    if not isinstance(value, Mapping):
        return value is None or isinstance(value, Breaker)
    return all(isinstance(each, Breaker) for each in cast("Mapping[object, object]", value).values())


def _is_retry(value: object) -> bool:
    return value is None or isinstance(value, bool | Retrying)


_BY_TOOL = "Pass a dict with the names of tools as its keys."
# fmt: off
_RULES: Rules = {
    "dialect":   (_is_dialect, 'Pass the name of a dialect, such as "native", or a `Dialect`.'),
    "per_tool":  (_is_by_tool, _BY_TOOL),
    "mask":      (_is_flag,    "Pass True or False."),
    "contracts": (_is_by_tool, _BY_TOOL),
    "describe":  (_is_flag,    "Pass True or False."),
    "breaker":   (_is_breaker, "Pass a `Breaker`, or a dict with the names of tools as its keys and a `Breaker` for each."),
    "lint":      (_is_flag,    "Pass True or False."),
    "retry":     (_is_retry,   "Pass True, or a policy such as `errata.resilience.retry(attempts=5)`."),
}
# fmt: on


def check(settings: Settings) -> None:
    """Refuse what nothing can be done with, and say what is expected instead."""
    refuse_unknown("install", settings, Settings.__annotations__)
    refuse_unfit(settings, _RULES, TypeError)
