"""Contracts once all files are known: with what they inherit, with what `@raises` names, and for which tool they hold."""

import builtins
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from errata.linter.analysis import CODE_OF_FACTORY, CONSTRUCTORS
from errata.linter.link._name_resolution import Trails
from errata.linter.summary import CONTRACT, ContractSummary, EntrySummary, FunctionSummary, Summary
from errata.linter.syntax import UNKNOWN, last_of

_NO_CONTRACTS = frozenset({*vars(builtins), *CODE_OF_FACTORY, *CONSTRUCTORS, "errata.Code", "errata.Failure"})
_HARMLESS_BASES = frozenset({*vars(builtins), CONTRACT})


class Held(NamedTuple):
    """An entry of a contract, and the file it stands in."""

    entry: EntrySummary
    path: str
    holder: str = ""
    """The contract that it was reached by; empty if it stands alone."""

    @property
    def contract_name(self) -> str:
        """The dotted name of that contract, for those who import it."""
        return without_root(self.holder)


class Agreement(NamedTuple):
    """A contract with all that it holds."""

    path: str
    contract: ContractSummary
    failures: tuple[Held, ...]
    """In the order in which Python finds them; a name that is declared anew is there once."""
    repeated: tuple[Held, ...]
    """Those whose name or reason another one has."""
    strangers: tuple[Held, ...]
    """What is neither a contract nor a failure."""
    is_whole: bool
    """Whether all of it can be seen."""

    @property
    def reasons(self) -> list[str]:
        """The reasons that are written out."""
        return [held.entry.reason for held in self.failures if held.entry.reason]

    @property
    def codes(self) -> set[str]:
        """The codes that are written out."""
        return {held.entry.code for held in self.failures if held.entry.code}

    @property
    def is_legible(self) -> bool:
        """Whether all of it can be seen, down to each reason and code."""
        return self.is_whole and all(held.entry.reason and held.entry.code for held in self.failures)


class _Attributes(NamedTuple):
    """What a class has, by name, and whether that is all."""

    held: dict[str, Held]
    repeated: list[Held]
    is_whole: bool


class Agreements:
    """The contracts of a project."""

    def __init__(self, trails: Trails) -> None:
        self._trails = trails
        self._known: dict[str, Agreement | None] = {}

    def every(self) -> Iterator[Agreement]:
        """Link every contract of the project."""
        for file in self._trails.files.values():
            kept = [each for each in file.classes if each.contract]
            yield from (found for each in kept if (found := self.of_class(f"{file.module}.{each.name}")))
            yield from (found for each in file.functions if (found := self.of_function(each, file)))
            yield from (self._agreed(each, file) for each in file.installed if each.subject)

    def of_class(self, at: str) -> Agreement | None:
        """Link a class, if it is a contract."""
        if at not in self._known:
            file, each = self._trails.classes.get(at, (None, None))
            contract = each.contract if each else None
            is_one = file and contract and self._is_contract(at)
            self._known[at] = self._agreed_class(at, file, contract) if file and contract and is_one else None
        return self._known[at]

    def of_function(self, function: FunctionSummary, file: Summary) -> Agreement | None:
        """Link what `@raises` declares for a function."""
        return self._agreed(function.contract, file) if function.contract else None

    def of_tool(self, name: str, *, is_any: bool = False) -> Iterator[Agreement]:
        """Link what `install(contracts=…)` declares for a tool; one whose tool cannot be seen may be for any."""
        for file in self._trails.files.values():
            for each in file.installed:
                if is_any or not each.subject or each.subject == name or each.subject.endswith(f"_{name}"):
                    yield self._agreed(each, file)

    def failure(self, name: str, file: Summary) -> Held | None:
        """Find the failure that an attribute of a contract is: `OrderErrors.no_match`."""
        found = self._contract_and_attribute(name, file)
        held = self._attributes(found[0]).held.get(found[1]) if found else None
        return held._replace(holder=found[0]) if held and found else None

    def lacking(self, name: str, file: Summary) -> Agreement | None:
        """Find the contract that an attribute is asked of, if it is sure not to have it."""
        found = self._contract_and_attribute(name, file)
        if found is None:
            return None
        at, attribute = found
        agreement = self.of_class(at)
        return agreement if agreement and agreement.is_whole and not self._has(at, attribute) else None

    def _contract_and_attribute(self, name: str, file: Summary) -> tuple[str, str] | None:
        owner, _, attribute = name.rpartition(".")
        at = self._trails.followed(owner, file) if owner and owner[:1] != UNKNOWN else ""
        return (at, attribute) if self.of_class(at) else None

    def _has(self, at: str, attribute: str) -> bool:
        names = [f"{each}.{attribute}" for each in self._lineage(at)]
        is_defined = any(each in self._trails.functions or each in self._trails.classes for each in names)
        return is_defined or attribute in self._attributes(at).held or hasattr(type, attribute) or attribute[:2] == "__"

    def _lineage(self, at: str) -> list[str]:
        return [f"{file.module}.{each.name}" for file, each in self._trails.lineage(at)]

    def _bases(self, at: str) -> list[str]:
        file, each = self._trails.classes[at]
        return [self._trails.followed(base, file) for base in each.bases]

    def _has_known_bases(self, at: str) -> bool:
        return all(base in _HARMLESS_BASES or base in self._trails.classes for base in self._bases(at))

    def _is_contract(self, at: str) -> bool:
        return any(CONTRACT in self._bases(each) for each in self._lineage(at))

    def _attributes(self, at: str) -> _Attributes:
        """Collect what a class binds in its body and inherits, as Python would."""
        found = _Attributes({}, [], is_whole=True)
        whole = True
        for each in reversed(self._lineage(at)):
            file, summary = self._trails.classes[each]
            contract = summary.contract
            whole &= contract is not None and contract.is_whole and self._has_known_bases(each)
            if contract:
                own, repeated = _own(contract, file.path)
                found.held.update(own)
                found.repeated.extend(repeated if each == at else ())
        return found._replace(is_whole=whole)

    def _agreed_class(self, at: str, file: Summary, contract: ContractSummary) -> Agreement:
        attributes = self._attributes(at)
        failures, strangers, whole = self._sorted(list(attributes.held.values()), file)
        mine = {id(each.entry) for each in _own(contract, file.path)[0].values()}
        again = [held for held in _again(failures) if id(held.entry) in mine]
        if len(self._bases(at)) > 1:  # Two bases may be at odds where each of them is right.
            others = [held for held in _again(failures) if id(held.entry) not in mine]
            again += [Held(held.entry._replace(place=contract.place), file.path) for held in others]
        public = [held for held in strangers if held.entry.attribute[:1] != "_" and held.entry.kind == "value"]
        return Agreement(
            file.path,
            contract,
            tuple(failures),
            (*attributes.repeated, *again),
            tuple(public),
            whole and attributes.is_whole,
        )

    def _agreed(self, contract: ContractSummary, file: Summary) -> Agreement:
        given = [Held(entry, file.path) for entry in contract.entries]
        failures, strangers, whole = self._sorted(given, file)
        again = [_placed(held, given) for held in _again(failures)]
        return Agreement(
            file.path, contract, tuple(failures), tuple(again), tuple(strangers), whole and contract.is_whole
        )

    def _sorted(self, given: Sequence[Held], file: Summary) -> tuple[list[Held], list[Held], bool]:
        """Part failures from what is none, and say whether everything could be told."""
        failures: list[Held] = []
        strangers: list[Held] = []
        whole = True
        for held in given:
            found = self._failures_of(held, file)
            if found is None and self._is_stranger(held.entry, file):
                strangers.append(held)
            elif found is None:
                whole = False
            else:
                failures += found[0]
                whole &= found[1]
        return failures, strangers, whole

    def _failures_of(self, held: Held, file: Summary) -> tuple[list[Held], bool] | None:
        """Find what an entry stands for: itself, a failure elsewhere, or all that a contract has."""
        entry = held.entry
        if entry.kind == "failure":
            return [held], True
        if not entry.name:
            return None
        if entry.name == CONTRACT:
            return [], True
        if single := self.failure(entry.name, file):
            return ([single], True) if single.entry.kind == "failure" else None
        at = "" if entry.attribute else self._trails.followed(entry.name, file)
        agreement = self.of_class(at)
        return ([each._replace(holder=at) for each in agreement.failures], agreement.is_whole) if agreement else None

    def _is_stranger(self, entry: EntrySummary, file: Summary) -> bool:
        """Whether it is sure that an entry is neither a contract nor a failure."""
        if entry.kind == "value":
            return True
        at = self._trails.followed(entry.name, file) if entry.name else ""
        if at in self._trails.classes:
            return not self._is_contract(at) and all(map(self._has_known_bases, self._lineage(at)))
        return at in self._trails.functions or at in _NO_CONTRACTS


def without_root(name: str) -> str:
    """Write a dotted name as an import does, without the mark that tells one root from another."""
    return re.sub(r"@[0-9a-f]{8}", "", name)


def joined(agreements: Sequence[Agreement]) -> Agreement | None:
    """Take several contracts of one tool as one."""
    if not agreements:
        return None
    failures = tuple(dict.fromkeys(held for each in agreements for held in each.failures))
    return agreements[0]._replace(failures=failures, is_whole=all(each.is_whole for each in agreements))


def _own(contract: ContractSummary, path: str) -> tuple[dict[str, Held], list[Held]]:
    """Run through the body of a class: of two bindings the last counts, but two failures are one too many."""
    held: dict[str, Held] = {}
    repeated: list[Held] = []
    for entry in contract.entries:
        before = held.get(entry.attribute)
        if before and before.entry.kind == entry.kind == "failure":
            repeated.append(Held(entry, path))
        held[entry.attribute] = Held(entry, path)
    return held, repeated


def _again(failures: Sequence[Held]) -> Iterator[Held]:
    """List the failures whose reason another one had before; the same failure may come twice."""
    first: dict[str, Held] = {}
    for held in failures:
        reason = held.entry.reason
        if reason and first.setdefault(reason, held).entry is not held.entry:
            yield held


def _placed(held: Held, given: Sequence[Held]) -> Held:
    """Put what comes from a contract where that contract is named, for that is where the two meet."""
    if held in given:
        return held
    named = [each for each in given if each.entry.kind == "named"]
    owner = next((each for each in reversed(named) if last_of(each.entry.name)), given[-1])
    return Held(held.entry._replace(place=owner.entry.place), owner.path)
