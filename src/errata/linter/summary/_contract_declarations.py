"""Declarations of contracts in the source: the body of a `Contract`, `@raises(…)` and `install(contracts=…)`."""

import ast
import dataclasses
from collections.abc import Iterator
from functools import cached_property

from errata.contracts import quote_value
from errata.linter.analysis import FileBindings, LiteralScope, LiteralValue, find_argument, find_keyword, read_value
from errata.linter.syntax import UNKNOWN, Class, Function, Module, get_last_part

CONTRACT, FAILURE, RAISES, INSTALL = "errata.Contract", "errata.Failure", "errata.raises", "errata.install"
NEXT_STEP = "tell the agent its next step in at least five words: which tool, which argument, how long to wait"
_DEFAULTS: dict[str, object] = {"code": None, "when": "", "recovery": None, "retryable": None, "reason": ""}
_HARMLESS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Pass, ast.Expr)


@dataclasses.dataclass(frozen=True)
class ContractEntry:
    """One entry of a contract or a `@raises`."""

    scope: LiteralScope
    written: ast.expr
    owner: str
    """Whose it is, for messages: ``contract `FetchErrors` `` or ``tool `fetch` ``."""
    attribute: str = ""
    """Its name in the contract; empty in a `@raises`."""

    @cached_property
    def failure(self) -> ast.Call | None:
        """The call of `Failure` that made it, here or where its name is bound."""
        held = self.scope.look_up(self.written)
        is_one = isinstance(held, ast.Call) and self.scope.function.resolve(held.func) == FAILURE
        return held if is_one and isinstance(held, ast.Call) else None

    @cached_property
    def value(self) -> LiteralValue | None:
        """Its value, if it is no failure and can be read."""
        return None if self.failure else read_value(self.scope, self.written)

    @property
    def name(self) -> str:
        """The dotted name of what it refers to; empty if that is unknown."""
        name = self.scope.function.resolve(self.written) or ""
        return "" if name[:1] == UNKNOWN or name.endswith("()") else name

    def read_argument(self, name: str) -> LiteralValue | None:
        """Return an argument of the failure, else its default; None if only the running program knows it."""
        call = self.failure
        if call is None:
            return None
        node = find_argument(call, 0, name) if name == "code" else find_keyword(call, name)
        if node is not None:
            value = read_value(self.scope, node)
            return value._replace(node=node) if value else None
        is_hidden = any(each.arg is None for each in call.keywords)
        is_hidden |= name == "code" and any(isinstance(each, ast.Starred) for each in call.args)
        return None if is_hidden else LiteralValue(call, type(_DEFAULTS[name]), _DEFAULTS[name])

    @property
    def reason(self) -> LiteralValue | None:
        """Its reason: the one given, else the name of the attribute; None if only the running program knows it."""
        given = self.read_argument("reason")
        return given._replace(read=self.attribute) if given and given.kind is str and not given.read else given

    @property
    def subject(self) -> str:
        """How a message names it."""
        reason = self.reason
        named = isinstance(reason.read, str) and reason.read.strip() if reason else ""
        return f"reason {quote_value(named)} of {self.owner}" if named else f"a failure of {self.owner}"


@dataclasses.dataclass(frozen=True)
class Declaration:
    """A contract, a `@raises`, or what `install` is given for a tool, with its entries."""

    owner: str
    node: ast.AST
    entries: tuple[ContractEntry, ...]
    is_class: bool = False
    is_whole: bool = True
    """Whether every entry is known, here or by name."""
    subject: str = ""
    """The decorated function, or the tool given to `install`; empty for a class."""

    @property
    def failures(self) -> tuple[ContractEntry, ...]:
        """The entries that are failures."""
        return tuple(entry for entry in self.entries if entry.failure is not None)


class Declarations:
    """Reads the declarations of a file."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._bindings = FileBindings(module.tree)
        self.speaks_errata = any(name.partition(".")[0] == "errata" for name in module.names.values())
        """Whether the file imports errata at all; most do not, and are spared the rest."""

    def read_class(self, each: Class) -> Declaration | None:
        """Return the declaration of a class that is a contract, or may be one through a base in another file."""
        body = self._module.body
        bases = tuple(body.resolve(base) or "?" for base in each.node.bases)
        if not self.speaks_errata or not any("." in base for base in bases):
            return None
        owner = f"contract `{each.node.name}`"
        scope = LiteralScope(body, self._bindings, each.node)
        entries = tuple(ContractEntry(scope, value, owner, name) for name, value in _list_entries(each.node))
        return Declaration(owner, each.node, entries, is_class=True, is_whole=_is_plain(each.node))

    def read_function(self, function: Function) -> Declaration | None:
        """Return the declaration of a function's `@raises`, if it has one."""
        scope = function.parent or function
        for decorator in getattr(function.node, "decorator_list", ()):
            if self._is_raises(decorator, scope):
                return self._read_raises(decorator, scope, get_last_part(function.name))
        return None

    def read_installed(self) -> Iterator[Declaration]:
        """Yield what `install(server, contracts={…})` declares; without a subject it may be for any tool."""
        for function in self._module.functions if self.speaks_errata else ():
            for site in function.calls:
                given = find_keyword(site.node, "contracts") if site.node.keywords else None
                if given is not None and function.resolve(site.node.func) == INSTALL:
                    yield from self._read_tools(given, LiteralScope(function, self._bindings))

    def _is_raises(self, node: ast.expr, scope: Function) -> bool:
        return self.speaks_errata and isinstance(node, ast.Call) and scope.resolve(node.func) == RAISES

    def _read_raises(self, call: ast.Call, function: Function, name: str) -> Declaration:
        scope, owner = LiteralScope(function, self._bindings), f"tool {quote_value(name)}"
        seen = [each for each in call.args if not isinstance(each, ast.Starred)]
        entries = tuple(ContractEntry(scope, value, owner) for value in seen)
        is_whole = len(seen) == len(call.args) and not call.keywords
        return Declaration(owner, call, entries, is_whole=is_whole, subject=name)

    def _read_tools(self, given: ast.expr, scope: LiteralScope) -> Iterator[Declaration]:
        for tool, value in _list_pairs(scope.look_up(given), scope):
            yield _read_tool(tool, value, scope) if tool else Declaration("a tool", value, (), is_whole=False)


def _list_pairs(given: ast.expr, scope: LiteralScope) -> Iterator[tuple[str, ast.expr]]:
    """Yield the tools that `install` is given contracts for, each with its contract; the name is empty if unknown."""
    match given:
        case ast.Dict(keys=keys, values=values):
            for key, value in zip(keys, values, strict=True):
                tool = read_value(scope, key) if key is not None else None
                yield (tool.read if tool and isinstance(tool.read, str) else ""), value
        case ast.Call(func=ast.Name(id="dict"), args=[], keywords=keywords):
            yield from ((each.arg or "", each.value) for each in keywords)
        case ast.Constant(value=None):
            return
        case _:
            yield "", given


def _read_tool(tool: str, value: ast.expr, scope: LiteralScope) -> Declaration:
    owner, held = f"tool {quote_value(tool)}", scope.look_up(value)
    several = held.elts if isinstance(held, ast.List | ast.Tuple | ast.Set) else [value]
    seen = [each for each in several if not isinstance(each, ast.Starred)]
    entries = tuple(ContractEntry(scope, each, owner) for each in seen)
    return Declaration(owner, value, entries, is_whole=len(seen) == len(several), subject=tool)


def _list_entries(node: ast.ClassDef) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names that the body of a class binds, each with its value."""
    for each in node.body:
        match each:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    yield from _list_bound(target, value)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, value
            case _:
                pass


def _list_bound(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    match target, value:
        case ast.Name(id=name), _:
            yield name, value
        case ((ast.Tuple(elts=names) | ast.List(elts=names)), (ast.Tuple(elts=values) | ast.List(elts=values))):
            is_plain = not any(isinstance(each, ast.Starred) for each in [*names, *values])
            for each, one in zip(names, values, strict=False) if is_plain else ():
                yield from _list_bound(each, one)
        case _:
            pass


def _is_plain(node: ast.ClassDef) -> bool:
    """Return whether the body of a class only binds names, so that all of them are known."""
    return all(isinstance(each, _HARMLESS) or _binds_plainly(each) for each in node.body)


def _binds_plainly(node: ast.stmt) -> bool:
    match node:
        case ast.Assign(targets=targets, value=value):
            return all(_count_names(target) == len(list(_list_bound(target, value))) for target in targets)
        case ast.AnnAssign(target=ast.Name()):
            return True
        case _:
            return False


def _count_names(target: ast.expr) -> int:
    return sum(isinstance(node, ast.Name | ast.Starred | ast.Subscript) for node in ast.walk(target))
