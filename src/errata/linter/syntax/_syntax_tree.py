"""One file as rules see it: its functions and, in each, what is raised, caught, called and returned."""

import ast
import dataclasses
from collections.abc import Iterator
from contextlib import suppress
from typing import Generic, NamedTuple, TypeVar

from errata.linter.source import Lines, Location, ModuleLocation
from errata.linter.syntax._dotted_names import UNKNOWN, spell_name

_DEEPEST = 12  # Chains of names for names; some are circular.

Definition = ast.FunctionDef | ast.AsyncFunctionDef
Try = ast.Try | ast.TryStar
With = ast.With | ast.AsyncWith
_Node = TypeVar("_Node", bound=ast.AST)


class Around(NamedTuple):
    """An enclosing block, and the one around that."""

    block: ast.AST
    """A try statement (for its body alone), an except clause, a with statement, a loop or a lambda."""
    outer: "Around | None"


class Site(NamedTuple, Generic[_Node]):
    """A node in a function, and the blocks around it."""

    node: _Node
    around: Around | None

    def walk_blocks(self) -> Iterator[ast.AST]:
        """Yield the blocks around it, from the inside out."""
        around = self.around
        while around is not None:
            yield around.block
            around = around.outer

    @property
    def clause(self) -> ast.ExceptHandler | None:
        """The innermost except clause around it."""
        return next((block for block in self.walk_blocks() if isinstance(block, ast.ExceptHandler)), None)

    @property
    def is_put_off(self) -> bool:
        """Whether it is inside a lambda, and so runs later, often in a thread."""
        return any(isinstance(block, ast.Lambda) for block in self.walk_blocks())


@dataclasses.dataclass(slots=True, eq=False)
class Class:
    """A class, its methods, and what its attributes are set to."""

    node: ast.ClassDef
    name: str
    """Qualified within the module: `Orders` or `Orders.Page`."""
    methods: dict[str, "Function"] = dataclasses.field(default_factory=dict[str, "Function"])
    bindings: dict[str, tuple["Function | None", ast.expr]] = dataclasses.field(
        default_factory=dict[str, "tuple[Function | None, ast.expr]"]
    )
    """`self.client = Client()` and `client: Client`: the attribute, where it is bound, and to what."""


@dataclasses.dataclass(slots=True, eq=False)
class Function:
    """A function, or the top-level code of a module. Nested functions are functions of their own."""

    module: "Module"
    node: Definition | ast.Module
    name: str
    """Qualified within the module: `fetch`, `Orders.fetch`, `register.fetch`; empty for the module itself."""
    parent: "Function | None" = None
    owner: Class | None = None
    tries: list[Site[Try]] = dataclasses.field(default_factory=list[Site[Try]])
    raises: list[Site[ast.Raise]] = dataclasses.field(default_factory=list[Site[ast.Raise]])
    calls: list[Site[ast.Call]] = dataclasses.field(default_factory=list[Site[ast.Call]])
    called: set[str] = dataclasses.field(default_factory=set[str])
    """The last parts of the called names, for a quick check."""
    returns: list[Site[ast.Return]] = dataclasses.field(default_factory=list[Site[ast.Return]])
    yields: list[Site[ast.Yield]] = dataclasses.field(default_factory=list[Site[ast.Yield]])
    awaited: set[ast.expr] = dataclasses.field(default_factory=set[ast.expr])
    """What is awaited, and what `async with` enters."""
    ifs: list[Site[ast.If]] = dataclasses.field(default_factory=list[Site[ast.If]])
    withs: list[Site[With]] = dataclasses.field(default_factory=list[Site[With]])
    inner: dict[str, "Function"] = dataclasses.field(default_factory=dict[str, "Function"])
    imports: dict[str, str] = dataclasses.field(default_factory=dict[str, str])
    """Imports inside the function, each with what it stands for; those of the module are in `Module.names`."""
    bindings: dict[str, ast.expr] = dataclasses.field(default_factory=dict[str, ast.expr])
    """Local names, each with the first expression it is bound to."""
    annotations: dict[str, ast.expr] = dataclasses.field(default_factory=dict[str, ast.expr])
    parameters: list[ast.arg] = dataclasses.field(default_factory=list[ast.arg])
    """Its parameters, `*args` and `**kwargs` left out."""
    unknown: set[str] = dataclasses.field(default_factory=set[str])
    """Names bound here to an unknown value: parameters without annotation, loop variables."""
    caught: dict[int, tuple[str, ...]] = dataclasses.field(default_factory=dict[int, tuple[str, ...]])
    """Cached for `list_caught_around`: what is caught around a block, by the id of its `Around`."""
    _known: dict[str, str] = dataclasses.field(default_factory=dict[str, str])

    @property
    def is_async(self) -> bool:
        """Whether it is a coroutine function."""
        return isinstance(self.node, ast.AsyncFunctionDef)

    @property
    def clauses(self) -> Iterator[tuple[Site[Try], ast.ExceptHandler]]:
        """Every except clause, with the try statement it belongs to."""
        return ((site, clause) for site in self.tries for clause in site.node.handlers)

    def walk_scopes(self) -> "Iterator[Function]":
        """Yield the function, then the scopes around it, out to the module."""
        scope: Function | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def resolve(self, node: ast.AST | None) -> str | None:
        """Return the dotted name of what a name, an attribute or a call stands for; None for any other expression."""
        text = spell_name(node) if node is not None else None
        return self.resolve_name(text) if text else None

    def resolve_name(self, text: str, depth: int = 0) -> str:
        """Return a dotted name with its first part replaced by what that stands for here."""
        head = text.partition(".")[0].partition("(")[0]
        meaning = self._known.get(head)
        if meaning is None:
            meaning = self._known[head] = self._resolve_part(head, depth)
        return meaning + text[len(head) :]

    def _resolve_part(self, name: str, depth: int) -> str:
        if depth > _DEEPEST:
            return UNKNOWN + name
        for scope in self.walk_scopes():
            if (meaning := scope.resolve_locally(name, depth)) is not None:
                return meaning
        return self.module.names.get(name, name)

    def resolve_locally(self, name: str, depth: int) -> str | None:
        """Return what a name stands for in this scope; None if it is not bound here."""
        if name in self.inner:
            return f"{self.module.id}.{self.inner[name].name}"
        if name in self.imports:
            return self.imports[name]
        if self.name and (own := f"{self.name}.{name}") in self.module.classes:
            return f"{self.module.id}.{own}"
        if self.owner and self.parameters and self.parameters[0].arg == name:
            return f"{self.module.id}.{self.owner.name}()"
        bound = self.annotations.get(name)
        value = make_instance(bound) if bound is not None else self.bindings.get(name)
        if value is not None:
            text = spell_name(value)
            return self.resolve_name(text, depth + 1) if text and text != name else UNKNOWN + name
        return UNKNOWN + name if name in self.unknown else None

    def locate(self, node: ast.AST) -> Location:
        """Return the location of a node."""
        return self.module.lines.locate(node)

    def quote(self, node: ast.AST) -> str:
        """Return the source of a node."""
        return self.module.lines.excerpt(self.locate(node))


@dataclasses.dataclass(slots=True, eq=False)
class Module:
    """One file."""

    path: str
    location: ModuleLocation
    tree: ast.Module
    lines: Lines
    functions: list[Function] = dataclasses.field(default_factory=list[Function])
    """The module's own code first, then every function in it."""
    classes: dict[str, Class] = dataclasses.field(default_factory=dict[str, Class])
    names: dict[str, str] = dataclasses.field(default_factory=dict[str, str])
    """Top-level imports and definitions, each with what it stands for; then the imports inside functions."""
    stars: list[str] = dataclasses.field(default_factory=list[str])

    @property
    def id(self) -> str:
        """Its unique name."""
        return self.location.id

    @property
    def body(self) -> Function:
        """The module's own code."""
        return self.functions[0]

    def forget(self) -> None:
        """Break the cycles, so that memory is freed at once and not by the garbage collector."""
        for function in self.functions:
            function.inner.clear()
        for each in self.classes.values():
            each.methods.clear()
            each.bindings.clear()
        self.functions.clear()


def make_instance(annotation: ast.expr) -> ast.expr:
    """Return a call of an annotation's class, which stands for an instance of it."""
    return ast.Call(func=next(_list_alternatives(annotation), annotation), args=[], keywords=[])


def _list_alternatives(annotation: ast.expr) -> Iterator[ast.expr]:
    match annotation:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            yield from _list_alternatives(left)
            yield from _list_alternatives(right)
        case ast.Subscript(value=ast.Name(id="Optional" | "Annotated") | ast.Attribute(attr="Optional" | "Annotated")):
            inner = annotation.slice
            yield from _list_alternatives(inner.elts[0] if isinstance(inner, ast.Tuple) and inner.elts else inner)
        case ast.Subscript(value=value):  # `Client[T]` is a Client.
            yield value
        case ast.Constant(value=str(text)):
            with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
                yield from _list_alternatives(ast.parse(text, mode="eval").body)
        case ast.Name() | ast.Attribute():
            yield annotation
        case _:
            return
