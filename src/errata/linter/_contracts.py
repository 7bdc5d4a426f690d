"""Contracts as they are written: the body of a `Contract`, and what `@raises` is given."""

import ast
import dataclasses
from collections.abc import Iterable, Iterator

from errata.linter._code import Class, Function, Module
from errata.linter._raising import argument, code_of, keyword
from errata.linter._summary import ContractSummary, FailureSummary

CONTRACT, FAILURE, RAISES = "errata.Contract", "errata.Failure", "errata.raises"


@dataclasses.dataclass(frozen=True, slots=True)
class Entry:
    """One thing that a contract or a `@raises` holds."""

    scope: Function
    value: ast.expr
    attribute: str
    """Its name in the contract; empty in a `@raises`."""
    owner: str
    """Whose it is, for messages: ``contract `FetchErrors` `` or ``tool `fetch` ``."""
    at: ast.AST

    @property
    def failure(self) -> ast.Call | None:
        """The call of `Failure`, if it is one."""
        is_one = isinstance(self.value, ast.Call) and self.scope.resolve(self.value.func) == FAILURE
        return self.value if is_one and isinstance(self.value, ast.Call) else None

    def argument(self, name: str) -> ast.expr | None:
        """Find what the failure is given under a name; None if nothing is."""
        if self.failure is None:
            return None
        return argument(self.failure, 0, name) if name == "code" else keyword(self.failure, name)

    @property
    def reason(self) -> str | None:
        """Its reason: the one given, else the name of the attribute; None if it is not written out."""
        given = self.argument("reason")
        if given is None or (isinstance(given, ast.Constant) and given.value == ""):
            return self.attribute
        return given.value if isinstance(given, ast.Constant) and isinstance(given.value, str) else None


@dataclasses.dataclass(frozen=True, slots=True)
class Declaration:
    """A contract, or a `@raises`, with all that it holds."""

    owner: str
    node: ast.AST
    entries: tuple[Entry, ...]
    is_class: bool
    inherits: bool = False
    """Whether it has failures that stand elsewhere."""


def declarations_in(module: Module) -> Iterator[Declaration]:
    """Find every contract and every `@raises` of a file."""
    for each in module.classes.values():
        if is_contract(each, module):
            yield _class_declaration(each, module)
    for function in module.functions:
        for call in _raises_calls(function):
            yield _raises_declaration(function, call)


def failures_in(module: Module) -> Iterator[Entry]:
    """Find every failure that is declared in a file."""
    for declaration in declarations_in(module):
        yield from (entry for entry in declaration.entries if entry.failure is not None)


def is_contract(each: Class, module: Module, depth: int = 0) -> bool:
    """Whether a class is a contract, as far as its own file tells."""
    for base in each.node.bases:
        name = module.body.resolve(base) or ""
        if name == CONTRACT:
            return True
        inherited = module.classes.get(name.removeprefix(f"{module.id}."))
        if (
            inherited
            and inherited is not each
            and depth < len(module.classes)
            and is_contract(inherited, module, depth + 1)
        ):
            return True
    return False


def contract_in_class(each: Class, module: Module) -> ContractSummary | None:
    """Keep what a class declares; a class that may be a contract is kept too, because its base may be elsewhere."""
    if not each.node.bases:
        return None
    failures = _kept(entry for entry in _entries(each, module) if entry.failure is not None)
    bases = tuple(name for base in each.node.bases if (name := module.body.resolve(base)))
    return ContractSummary(failures, bases) if failures or is_contract(each, module) else None


def contract_of_function(function: Function) -> ContractSummary | None:
    """Keep what `@raises` declares for a function."""
    calls = list(_raises_calls(function))
    if not calls:
        return None
    entries = [entry for call in calls for entry in _raises_declaration(function, call).entries]
    others = [name for entry in entries if entry.failure is None and (name := entry.scope.resolve(entry.value))]
    return ContractSummary(_kept(entry for entry in entries if entry.failure is not None), tuple(others))


def _kept(entries: Iterable[Entry]) -> tuple[FailureSummary, ...]:
    return tuple(
        FailureSummary(entry.attribute, entry.reason or "", code_of(entry.scope, entry.argument("code")) or "")
        for entry in entries
    )


def _class_declaration(each: Class, module: Module) -> Declaration:
    names = [module.body.resolve(base) for base in each.node.bases]
    owner = f"contract `{each.node.name}`"
    return Declaration(owner, each.node, tuple(_entries(each, module)), is_class=True, inherits=names != [CONTRACT])


def _entries(each: Class, module: Module) -> Iterator[Entry]:
    owner = f"contract `{each.node.name}`"
    for node in each.node.body:
        match node:
            case ast.Assign(targets=targets, value=value):
                names = [target.id for target in targets if isinstance(target, ast.Name)]
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                names = [name]
            case _:
                continue
        yield from (Entry(module.body, value, name, owner, node) for name in names)


def _raises_calls(function: Function) -> Iterator[ast.Call]:
    scope = function.parent or function
    for decorator in getattr(function.node, "decorator_list", ()):
        if isinstance(decorator, ast.Call) and scope.resolve(decorator.func) == RAISES:
            yield decorator


def _raises_declaration(function: Function, call: ast.Call) -> Declaration:
    scope = function.parent or function
    owner = f"tool `{function.name.rpartition('.')[2]}`"
    given = [*call.args, *(each.value for each in call.keywords)]
    entries = tuple(Entry(scope, value, "", owner, value) for value in given)
    return Declaration(owner, call, entries, is_class=False, inherits=any(entry.failure is None for entry in entries))
