"""Linked contracts: with what they inherit, with what `@raises` names, and the tool they are for."""

import builtins
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from errata.linter.analysis import CODE_OF_FACTORY, CONSTRUCTORS
from errata.linter.link._name_resolution import NameResolver
from errata.linter.summary import CONTRACT, ContractSummary, EntrySummary, FunctionSummary, Summary
from errata.linter.syntax import UNKNOWN, get_last_part

_NO_CONTRACTS = frozenset({*vars(builtins), *CODE_OF_FACTORY, *CONSTRUCTORS, "errata.Code", "errata.Failure"})
_HARMLESS_BASES = frozenset({*vars(builtins), CONTRACT})


class HeldEntry(NamedTuple):
    """An entry of a contract, and the file it is in."""

    entry: EntrySummary
    path: str
    holder: str = ""
    """The contract through which it was reached; empty for a single failure."""

    @property
    def contract_name(self) -> str:
        """The dotted name under which that contract is imported."""
        return strip_root(self.holder)


class LinkedContract(NamedTuple):
    """A contract with everything it declares, inherits and names."""

    path: str
    contract: ContractSummary
    failures: tuple[HeldEntry, ...]
    """In Python's lookup order, each name once."""
    repeated: tuple[HeldEntry, ...]
    """Failures whose name or reason another failure has."""
    strangers: tuple[HeldEntry, ...]
    """Entries that are neither a contract nor a failure."""
    is_whole: bool
    """Whether every entry is known."""

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
        """Whether every reason and code in it is known."""
        return self.is_whole and all(held.entry.reason and held.entry.code for held in self.failures)


class _Attributes(NamedTuple):
    """The attributes of a class, and whether these are all."""

    held: dict[str, HeldEntry]
    repeated: list[HeldEntry]
    is_whole: bool


class ContractLinker:
    """The contracts of a project."""

    def __init__(self, resolver: NameResolver) -> None:
        self._resolver = resolver
        self._known: dict[str, LinkedContract | None] = {}

    def link_all(self) -> Iterator[LinkedContract]:
        """Yield every contract of the project, linked."""
        for file in self._resolver.files.values():
            kept = [each for each in file.classes if each.contract]
            yield from (linked for each in kept if (linked := self.link_class(f"{file.module}.{each.name}")))
            yield from (linked for each in file.functions if (linked := self.link_function(each, file)))
            yield from (self._link_declaration(each, file) for each in file.installed if each.subject)

    def link_class(self, at: str) -> LinkedContract | None:
        """Return the linked contract of a class; None if it is no contract."""
        if at not in self._known:
            file, each = self._resolver.classes.get(at, (None, None))
            contract = each.contract if each else None
            is_one = file and contract and self._is_contract(at)
            self._known[at] = self._link_class_body(at, file, contract) if file and contract and is_one else None
        return self._known[at]

    def link_function(self, function: FunctionSummary, file: Summary) -> LinkedContract | None:
        """Return the linked contract of a function's `@raises`, if it has one."""
        return self._link_declaration(function.contract, file) if function.contract else None

    def link_tool(self, name: str, *, is_any: bool = False) -> Iterator[LinkedContract]:
        """Yield the linked contracts that `install(contracts=…)` declares for a tool, or for a tool that is not known."""
        for file in self._resolver.files.values():
            for each in file.installed:
                if is_any or not each.subject or each.subject == name or each.subject.endswith(f"_{name}"):
                    yield self._link_declaration(each, file)

    def find_failure(self, name: str, file: Summary) -> HeldEntry | None:
        """Return the failure that an attribute of a contract stands for: `OrderErrors.no_match`."""
        target = self._find_contract(name, file)
        if target is None:
            return None
        at, attribute = target
        held = self._collect_attributes(at).held.get(attribute)
        return held._replace(holder=at) if held else None

    def find_lacking(self, name: str, file: Summary) -> LinkedContract | None:
        """Return the contract that certainly lacks the attribute a dotted name asks for."""
        target = self._find_contract(name, file)
        if target is None:
            return None
        at, attribute = target
        linked_contract = self.link_class(at)
        return (
            linked_contract if linked_contract and linked_contract.is_whole and not self._has(at, attribute) else None
        )

    def _find_contract(self, name: str, file: Summary) -> tuple[str, str] | None:
        owner, _, attribute = name.rpartition(".")
        at = self._resolver.follow(owner, file) if owner and owner[:1] != UNKNOWN else ""
        return (at, attribute) if self.link_class(at) else None

    def _has(self, at: str, attribute: str) -> bool:
        names = [f"{each}.{attribute}" for each in self._list_lineage(at)]
        is_defined = any(each in self._resolver.functions or each in self._resolver.classes for each in names)
        return (
            is_defined
            or attribute in self._collect_attributes(at).held
            or hasattr(type, attribute)
            or attribute[:2] == "__"
        )

    def _list_lineage(self, at: str) -> list[str]:
        return [f"{file.module}.{each.name}" for file, each in self._resolver.walk_lineage(at)]

    def _list_bases(self, at: str) -> list[str]:
        file, each = self._resolver.classes[at]
        return [self._resolver.follow(base, file) for base in each.bases]

    def _has_known_bases(self, at: str) -> bool:
        return all(base in _HARMLESS_BASES or base in self._resolver.classes for base in self._list_bases(at))

    def _is_contract(self, at: str) -> bool:
        return any(CONTRACT in self._list_bases(each) for each in self._list_lineage(at))

    def _collect_attributes(self, at: str) -> _Attributes:
        """Collect the attributes of a class, own and inherited, as Python would."""
        attributes = _Attributes({}, [], is_whole=True)
        whole = True
        for each in reversed(self._list_lineage(at)):
            file, summary = self._resolver.classes[each]
            contract = summary.contract
            whole &= contract is not None and contract.is_whole and self._has_known_bases(each)
            if contract:
                own, repeated = _collect_own(contract, file.path)
                attributes.held.update(own)
                attributes.repeated.extend(repeated if each == at else ())
        return attributes._replace(is_whole=whole)

    def _link_class_body(self, at: str, file: Summary, contract: ContractSummary) -> LinkedContract:
        attributes = self._collect_attributes(at)
        failures, strangers, whole = self._sort_entries(list(attributes.held.values()), file)
        mine = {id(each.entry) for each in _collect_own(contract, file.path)[0].values()}
        again = [held for held in _list_repeated(failures) if id(held.entry) in mine]
        if len(self._list_bases(at)) > 1:  # Two bases may clash though each is right by itself.
            others = [held for held in _list_repeated(failures) if id(held.entry) not in mine]
            again += [HeldEntry(held.entry._replace(location=contract.location), file.path) for held in others]
        public = [held for held in strangers if held.entry.attribute[:1] != "_" and held.entry.kind == "value"]
        return LinkedContract(
            file.path,
            contract,
            tuple(failures),
            (*attributes.repeated, *again),
            tuple(public),
            whole and attributes.is_whole,
        )

    def _link_declaration(self, contract: ContractSummary, file: Summary) -> LinkedContract:
        given = [HeldEntry(entry, file.path) for entry in contract.entries]
        failures, strangers, whole = self._sort_entries(given, file)
        again = [_move_to_owner(held, given) for held in _list_repeated(failures)]
        return LinkedContract(
            file.path, contract, tuple(failures), tuple(again), tuple(strangers), whole and contract.is_whole
        )

    def _sort_entries(self, given: Sequence[HeldEntry], file: Summary) -> tuple[list[HeldEntry], list[HeldEntry], bool]:
        """Split entries into failures and strangers; the flag says whether every entry is known."""
        failures: list[HeldEntry] = []
        strangers: list[HeldEntry] = []
        whole = True
        for held in given:
            known = self._find_failures(held, file)
            if known is None and self._is_stranger(held.entry, file):
                strangers.append(held)
            elif known is None:
                whole = False
            else:
                failures += known[0]
                whole &= known[1]
        return failures, strangers, whole

    def _find_failures(self, held: HeldEntry, file: Summary) -> tuple[list[HeldEntry], bool] | None:
        """Return the failures an entry stands for: itself, one elsewhere, or all of a contract; None if unknown."""
        entry = held.entry
        if entry.kind == "failure":
            return [held], True
        if not entry.name:
            return None
        if entry.name == CONTRACT:
            return [], True
        if single := self.find_failure(entry.name, file):
            return ([single], True) if single.entry.kind == "failure" else None
        at = "" if entry.attribute else self._resolver.follow(entry.name, file)
        linked_contract = self.link_class(at)
        return (
            ([each._replace(holder=at) for each in linked_contract.failures], linked_contract.is_whole)
            if linked_contract
            else None
        )

    def _is_stranger(self, entry: EntrySummary, file: Summary) -> bool:
        """Return whether an entry is certainly neither a contract nor a failure."""
        if entry.kind == "value":
            return True
        at = self._resolver.follow(entry.name, file) if entry.name else ""
        if at in self._resolver.classes:
            return not self._is_contract(at) and all(map(self._has_known_bases, self._list_lineage(at)))
        return at in self._resolver.functions or at in _NO_CONTRACTS


def strip_root(name: str) -> str:
    """Return a dotted name as an import writes it, without the mark of its root."""
    return re.sub(r"@[0-9a-f]{8}", "", name)


def join_contracts(contracts: Sequence[LinkedContract]) -> LinkedContract | None:
    """Return the contracts of one tool as one; None if it has none."""
    if not contracts:
        return None
    failures = tuple(dict.fromkeys(held for each in contracts for held in each.failures))
    return contracts[0]._replace(failures=failures, is_whole=all(each.is_whole for each in contracts))


def _collect_own(contract: ContractSummary, path: str) -> tuple[dict[str, HeldEntry], list[HeldEntry]]:
    """Collect what the body of a class binds, and the failures that it binds to the same name again."""
    held: dict[str, HeldEntry] = {}
    repeated: list[HeldEntry] = []
    for entry in contract.entries:
        before = held.get(entry.attribute)
        if before and before.entry.kind == entry.kind == "failure":
            repeated.append(HeldEntry(entry, path))
        held[entry.attribute] = HeldEntry(entry, path)
    return held, repeated


def _list_repeated(failures: Sequence[HeldEntry]) -> Iterator[HeldEntry]:
    """List the failures whose reason another failure already has."""
    first: dict[str, HeldEntry] = {}
    for held in failures:
        reason = held.entry.reason
        if reason and first.setdefault(reason, held).entry is not held.entry:
            yield held


def _move_to_owner(held: HeldEntry, given: Sequence[HeldEntry]) -> HeldEntry:
    """Move an inherited entry to where its contract is named: that is where the two clash."""
    if held in given:
        return held
    named = [each for each in given if each.entry.kind == "named"]
    owner = next((each for each in reversed(named) if get_last_part(each.entry.name)), given[-1])
    return HeldEntry(held.entry._replace(location=owner.entry.location), owner.path)
