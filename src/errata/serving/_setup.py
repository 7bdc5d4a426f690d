"""What `errata.install` takes, and what becomes of it."""

import dataclasses
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Self, TypeAlias, TypedDict, cast

from errata.contracts import Contract, DeclaredFailures, Failure, declare, find_declaration
from errata.dialects import Dialect, get
from errata.model import Rules, refuse_unfit, refuse_unknown
from errata.resilience import Breaker, Retrying, retry

Declaration: TypeAlias = type[Contract] | Failure
_SPOKEN: ContextVar[tuple["Setup", Dialect] | None] = ContextVar("errata_dialect", default=None)
"""The dialect that a test chose for a while. A server in memory runs in the context of its client."""
Contracts: TypeAlias = Mapping[str, Declaration | Iterable[Declaration]]


class InstallOptions(TypedDict, total=False):
    """The keyword arguments of `errata.install`."""

    dialect: str | Dialect
    """The dialect of the server's failures."""
    per_tool: Mapping[str, str | Dialect] | None
    """The dialect of single tools, by their name."""
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


def check_options(options: InstallOptions) -> None:
    """Raise for an option that is unknown or of the wrong type; the message says what is expected instead."""
    refuse_unknown("install", options, InstallOptions.__annotations__)
    refuse_unfit(options, _RULES, TypeError)


@dataclasses.dataclass(frozen=True, slots=True)
class Setup:
    """The options of one installation, ready for use. Two that are equal make no difference to a server."""

    dialect: Dialect
    per_tool: Mapping[str, Dialect]
    contracts: Mapping[str, DeclaredFailures]
    describe: bool
    breaker: Breaker | Mapping[str, Breaker] | None
    retry: Retrying | None
    is_masked: bool
    mask: bool | None = dataclasses.field(compare=False)
    """None where nobody decided: then what a server on the way withholds is withheld."""

    @classmethod
    def from_options(cls, options: InstallOptions, *, server_masks: bool) -> Self:
        """Build the setup. A server that is set to withhold texts does so, unless the options decide."""
        policy = options.get("retry")
        mask = options.get("mask", server_masks or None)
        contracts = options.get("contracts") or {}
        return cls(
            dialect=_find_dialect(options.get("dialect", "native")),
            per_tool={tool: _find_dialect(name) for tool, name in (options.get("per_tool") or {}).items()},
            contracts={tool: declare(*_list_declarations(given), by=tool) for tool, given in contracts.items()},
            describe=options.get("describe", False),
            breaker=options.get("breaker"),
            retry=(retry if policy else None) if isinstance(policy, bool) else policy,
            is_masked=bool(mask),
            mask=mask,
        )

    def choose_dialect(self, tool: str) -> Dialect:
        """Return the dialect that a tool's failures are encoded in."""
        spoken = _SPOKEN.get()
        if spoken is not None and spoken[0] is self:
            return spoken[1]
        return self.per_tool.get(tool, self.dialect)

    @contextmanager
    def speak(self, dialect: Dialect) -> Generator[None, None, None]:
        """Encode every failure in another dialect, in the calls made from within a `with` block."""
        before = _SPOKEN.set((self, dialect))
        try:
            yield
        finally:
            _SPOKEN.reset(before)

    def find_contract(self, tool: str, function: object) -> DeclaredFailures | None:
        """Return a tool's contract: the one it was installed with, else what `@raises` declared."""
        return self.contracts.get(tool) or find_declaration(function)

    @property
    def tools_with_settings(self) -> set[str]:
        """The names of tools that have settings of their own."""
        by_tool = self.breaker.keys() if isinstance(self.breaker, Mapping) else set[str]()
        return {*self.per_tool, *self.contracts, *by_tool}

    @property
    def fallback_tools(self) -> Mapping[str, str]:
        """The tools that the breakers send callers to, by upstream."""
        breakers = self.breaker.values() if isinstance(self.breaker, Mapping) else filter(None, [self.breaker])
        return {each.upstream: each.fallback_tool for each in breakers if each.fallback_tool}


def _find_dialect(given: str | Dialect) -> Dialect:
    return given if isinstance(given, Dialect) else get(given)


def _list_declarations(given: Declaration | Iterable[Declaration]) -> tuple[Declaration, ...]:
    return tuple(given) if isinstance(given, Iterable) else (given,)
