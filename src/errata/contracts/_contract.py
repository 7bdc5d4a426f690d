"""The failures of one tool: declared in a class, checked as it is made, and published."""

import dataclasses
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import FunctionType, MappingProxyType
from typing import TYPE_CHECKING, NoReturn

from errata.contracts._callables import read_attribute
from errata.contracts._failure import Failure
from errata.contracts._rules import (
    build_duplicate_error,
    check_failure,
    describe_undeclared,
    name_type,
    quote_value,
    warn_of_none,
)
from errata.model import Code, decide_retry, is_a, wait_ms
from errata.tools import MissingTool, find_missing_tools

_MAY_STAND_BESIDE = (FunctionType, property, classmethod, staticmethod, type)


def _owner(name: str) -> str:
    return f"contract {quote_value(name)}"


def _entry(name: str, value: object, owner: str) -> object:
    """Name and check a failure in the body of a contract; other things may stand beside it, but no plain values."""
    if is_a(value, Failure):
        unnamed = is_a(value.reason, str) and not value.reason
        return check_failure(dataclasses.replace(value, reason=name) if unnamed else value, owner)
    if name.startswith("_") or issubclass(type(value), _MAY_STAND_BESIDE):
        return value
    raise TypeError(
        f"{quote_value(name)} of {owner} is no Failure but {name_type(value)}. "
        f"Declare it as `{name} = Failure(Code.…, when=…, recovery=…)`, or begin its name with an underscore. "
        "(error-contract-entry-type)"
    )


class _Body(dict[str, object]):
    """The names in the body of a contract: two failures of one name are refused, where an ordinary class keeps the last."""

    def __init__(self, owner: str) -> None:
        super().__init__()
        self._owner = owner

    def __setitem__(self, name: str, value: object) -> None:
        if is_a(value, Failure) and is_a(self.get(name), Failure):
            raise build_duplicate_error(name, self._owner)
        super().__setitem__(name, value)


class _ContractType(type):
    """The metaclass of contracts: it finds, names and checks their failures while the class is made."""

    @classmethod
    def __prepare__(cls, name: str, bases: tuple[type, ...], /, **_: object) -> _Body:
        return _Body(_owner(name))

    def __new__(metacls, name: str, bases: tuple[type, ...], body: dict[str, object]) -> "_ContractType":
        entries = {key: _entry(key, value, _owner(name)) for key, value in body.items()}
        contract = super().__new__(metacls, name, bases, entries)
        if bases and not _by_reason(_failures_of(contract).values(), _owner(name)):
            warn_of_none(_owner(name))
        return contract

    def __call__(cls, *_: object, **__: object) -> NoReturn:
        raise TypeError(
            f"Contract `{cls.__name__}` was called, and has no instances. "
            f"Raise one of its failures, as in `raise {cls.__name__}.{next(iter(_failures_of(cls)), 'no_match')}(…)`."
        )

    if not TYPE_CHECKING:  # A type checker that sees this lets every name pass.

        def __getattr__(cls, name: str) -> NoReturn:
            if name.startswith("__"):
                raise AttributeError(name)  # Not a typing error: somebody looks for a protocol.
            raise AttributeError(describe_undeclared(name, "failure", f"Contract `{cls.__name__}`", _failures_of(cls)))


class Contract(metaclass=_ContractType):
    """The failures a tool declares, one attribute each; the name of the attribute is the reason.

        class FetchErrors(Contract):
            no_match = Failure(Code.NOT_FOUND, when="No requested PMID returned data", recovery="Call search_ids …")

    A subclass adds failures, and may declare an inherited one anew.
    """


@dataclasses.dataclass(frozen=True, slots=True)
class DeclaredFailures:
    """What one tool can fail with."""

    failures: Mapping[str, Failure] = dataclasses.field(hash=False)
    """By reason, in the order of their declaration."""
    codes: frozenset[Code] = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "failures", MappingProxyType(dict(self.failures)))
        object.__setattr__(self, "codes", frozenset(failure.code for failure in self.failures.values()))

    def find_missing_tools(
        self, tools: Collection[str], fields: Collection[str] = ()
    ) -> Iterator[tuple[Failure, MissingTool]]:
        """Yield the tools that a recovery names and a server does not have; `fields` are names of other things."""
        others = {*fields, *self.failures}
        for failure in self.failures.values():
            yield from ((failure, missing) for missing in find_missing_tools(failure.recovery, tools, others))

    def publish(self) -> list[dict[str, object]]:
        """Return the failures for a client, as JSON."""
        return [_publish_failure(failure) for failure in self.failures.values()]

    def write_lines(self) -> list[str]:
        """Return the failures for a reader, one line each."""
        return [
            f"- {failure.reason} ({failure.code}): {_sentence(failure.when)} {_sentence(failure.recovery)}"
            for failure in self.failures.values()
        ]


def declare(*declared: type[Contract] | Failure, by: str) -> DeclaredFailures:
    """Return all that a tool declares. A contract was checked when it was made, a lone failure is checked here."""
    owner = f"tool {quote_value(by)}"
    refuse_other_kinds(declared, f"Tool {quote_value(by)}")
    failures = _by_reason((failure for each in declared for failure in _failures_in(each, owner)), owner)
    if not failures:
        warn_of_none(owner)
    return DeclaredFailures(failures)


def refuse_other_kinds(declared: Iterable[object], receiver: str) -> None:
    """Raise TypeError for what is neither a contract nor a failure."""
    for each in declared:
        if not is_a(each, _ContractType) and not is_a(each, Failure):
            name = read_attribute(each, "__name__")
            raise TypeError(
                f"{receiver} was given {quote_value(name if is_a(name, str) else each)}, which is neither a Contract nor a Failure. "
                "Name what can fail, as in `@raises(FetchErrors)`. (error-contract-type)"
            )


def _failures_of(contract: type) -> dict[str, Failure]:
    """Return the failures of a contract by attribute, the inherited ones first."""
    attributes = {name: value for each in reversed(contract.__mro__) for name, value in vars(each).items()}
    return {name: value for name, value in attributes.items() if is_a(value, Failure)}


def _failures_in(declared: type[Contract] | Failure, owner: str) -> list[Failure]:
    return [check_failure(declared, owner)] if isinstance(declared, Failure) else [*_failures_of(declared).values()]


def _by_reason(failures: Iterable[Failure], owner: str) -> dict[str, Failure]:
    """Return failures by reason. Two contracts may share a failure they inherit, but not a reason."""
    by_reason: dict[str, Failure] = {}
    for failure in failures:
        if by_reason.setdefault(failure.reason, failure) is not failure:
            raise build_duplicate_error(failure.reason, owner)
    return by_reason


def _publish_failure(failure: Failure) -> dict[str, object]:
    described: dict[str, object] = {
        "reason": failure.reason,
        "code": failure.code.value,
        "when": failure.when,
        "recovery": failure.recovery,
        "retryable": decide_retry(failure.code, flag=failure.retryable).retryable,
    }
    wait = wait_ms(failure.retry_after_ms)
    return described if wait is None else {**described, "retryAfterMs": wait}


def _sentence(text: str) -> str:
    """Return a text on one line that ends as a sentence."""
    line = " ".join(text.split())
    return line if line.endswith((".", "!", "?", "…")) else f"{line}."
