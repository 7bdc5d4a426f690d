"""One walk over a syntax tree that collects its functions, classes, names and what is in each function.

It keeps its own stack: source may nest deeper than Python calls, and a walk by recursion takes twice as long.
"""

import ast
from collections.abc import Callable
from typing import Any, NamedTuple

from errata.linter.source import Lines, ModuleLocation, parse_source
from errata.linter.syntax._dotted_names import (
    find_star_import,
    get_called_name,
    list_imported_names,
    list_names_offered,
)
from errata.linter.syntax._syntax_tree import (
    Around,
    Class,
    Definition,
    Function,
    Module,
    Site,
    Try,
    With,
    make_instance,
)

# Fields that no rule needs: contexts, operators, annotations, and everything that is no node.
_SKIPPED = frozenset(
    [
        "annotation",
        "arg",
        "asname",
        "attr",
        "cls_name",
        "conversion",
        "ctx",
        "format_spec",
        "id",
        "is_async",
        "keywords_names",
        "kind",
        "kwd_attrs",
        "level",
        "lower",
        "module",
        "n",
        "name",
        "names",
        "op",
        "ops",
        "rest",
        "returns",
        "s",
        "simple",
        "tag",
        "type_comment",
        "type_ignores",
        "type_params",
        "upper",
    ]
)
_NODES = [kind for kind in vars(ast).values() if isinstance(kind, type) and issubclass(kind, ast.AST)]
_FIELDS: dict[type, tuple[str, ...]] = {
    kind: tuple(name for name in reversed(kind._fields) if name not in _SKIPPED) for kind in _NODES
}
_FIELDS[ast.Constant] = _FIELDS[ast.MatchSingleton] = _FIELDS[type(None)] = ()


def parse_module(text: str, path: str, location: ModuleLocation) -> Module:
    """Parse a source, and collect its functions, classes and names."""
    return TreeWalk(Module(path, location, parse_source(text), Lines(text))).run()


class _Here(NamedTuple):
    function: Function
    around: Around | None
    owner: Class | None
    """The class whose body this is; None inside its methods."""


class TreeWalk:
    """Walks a syntax tree and fills a module."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.blocks: list[tuple[list[Any], _Here]] = []
        """What is still to be walked: some nodes, and what is around them."""

    def run(self) -> Module:
        """Walk the whole tree."""
        body = Function(self.module, self.module.tree, "")
        self.module.functions.append(body)
        self.blocks.append((self.module.tree.body, _Here(body, None, None)))
        while self.blocks:
            self._walk(*self.blocks.pop())
        self._name_what_is_on_top(body)
        self._name_what_functions_import()
        self._name_what_stars_bring()
        return self.module

    def _walk(self, nodes: list[Any], here: _Here) -> None:
        """Walk some nodes and their children, except for blocks that are queued."""
        stack, fields, visitors = nodes[::-1], _FIELDS, _VISITORS
        while stack:
            node = stack.pop()
            kind = node.__class__
            visit = visitors.get(kind)
            if visit is not None and not visit(self, node, here):
                continue
            for name in fields[kind]:
                value = getattr(node, name)
                if value.__class__ is list:
                    stack.extend(value[::-1])
                else:
                    stack.append(value)

    def _name_what_is_on_top(self, body: Function) -> None:
        for name in [*self.module.classes, *body.inner, *body.bindings, *body.annotations]:
            if "." not in name:
                self.module.names.setdefault(name, f"{self.module.id}.{name}")

    def _name_what_functions_import(self) -> None:
        # `names` also tells which libraries a file uses; top-level imports come first.
        for function in self.module.functions:
            for name, meaning in function.imports.items():
                self.module.names.setdefault(name, meaning)

    def _name_what_stars_bring(self) -> None:
        # Explicit bindings come first; what another library's star import binds is unknown.
        for star in self.module.stars:
            for name in list_names_offered(star):
                self.module.names.setdefault(name, f"{star}.{name}")


# Each visitor returns whether the children of its node are to be walked.


def _import(walk: TreeWalk, node: ast.Import | ast.ImportFrom, here: _Here) -> bool:
    module, package = walk.module, walk.module.location.package
    names = here.function.imports if here.function.name else module.names
    for name, meaning in list_imported_names(node, package):
        names.setdefault(name, meaning)
    if isinstance(node, ast.ImportFrom) and (all_of := find_star_import(node, package)):
        module.stars.append(all_of)
    return False


def _function(walk: TreeWalk, node: Definition, here: _Here) -> bool:
    outer = here.owner.name if here.owner else here.function.name
    function = Function(walk.module, node, f"{outer}.{node.name}" if outer else node.name, here.function, here.owner)
    walk.module.functions.append(function)
    (here.owner.methods if here.owner else here.function.inner)[node.name] = function
    given = node.args
    function.parameters = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    for parameter in function.parameters:
        if parameter.annotation is not None:
            function.annotations[parameter.arg] = parameter.annotation
        else:
            function.unknown.add(parameter.arg)
    walk.blocks.append((node.body, _Here(function, None, None)))
    walk.blocks.append(([*node.decorator_list, *node.args.defaults], here))
    return False


def _class(walk: TreeWalk, node: ast.ClassDef, here: _Here) -> bool:
    outer = here.owner.name if here.owner else here.function.name
    made = Class(node, f"{outer}.{node.name}" if outer else node.name)
    walk.module.classes[made.name] = made
    walk.blocks.append((node.body, _Here(here.function, here.around, made)))
    walk.blocks.append(([*node.decorator_list, *node.bases], here))
    return False


def _try(walk: TreeWalk, node: Try, here: _Here) -> bool:
    here.function.tries.append(Site(node, here.around))
    walk.blocks.append((node.finalbody, here))
    walk.blocks.append((node.orelse, here))
    for clause in reversed(node.handlers):
        walk.blocks.append((clause.body, _Here(here.function, Around(clause, here.around), here.owner)))
    walk.blocks.append((node.body, _Here(here.function, Around(node, here.around), here.owner)))
    return False


def _with(walk: TreeWalk, node: With, here: _Here) -> bool:
    here.function.withs.append(Site(node, here.around))
    if isinstance(node, ast.AsyncWith):
        here.function.awaited.update(item.context_expr for item in node.items)
    for item in node.items:
        if isinstance(item.optional_vars, ast.Name):
            here.function.bindings.setdefault(item.optional_vars.id, item.context_expr)
    walk.blocks.append((node.body, _Here(here.function, Around(node, here.around), here.owner)))
    walk.blocks.append(([item.context_expr for item in node.items], here))
    return False


def _loop(walk: TreeWalk, node: ast.For | ast.AsyncFor | ast.While, here: _Here) -> bool:
    inside = _Here(here.function, Around(node, here.around), here.owner)
    if not isinstance(node, ast.While) and isinstance(node.target, ast.Name):
        here.function.unknown.add(node.target.id)
    walk.blocks.append((node.orelse, here))
    walk.blocks.append((node.body, inside))
    walk.blocks.append(([node.test] if isinstance(node, ast.While) else [node.iter], here))
    return False


def _lambda(walk: TreeWalk, node: ast.Lambda, here: _Here) -> bool:
    walk.blocks.append(([node.body], _Here(here.function, Around(node, here.around), here.owner)))
    return False


def _raise(_walk: TreeWalk, node: ast.Raise, here: _Here) -> bool:
    here.function.raises.append(Site(node, here.around))
    return True


def _call(_walk: TreeWalk, node: ast.Call, here: _Here) -> bool:
    here.function.calls.append(Site(node, here.around))
    here.function.called.add(get_called_name(node))
    return True


def _return(_walk: TreeWalk, node: ast.Return, here: _Here) -> bool:
    here.function.returns.append(Site(node, here.around))
    return True


def _await(_walk: TreeWalk, node: ast.Await, here: _Here) -> bool:
    here.function.awaited.add(node.value)
    return True


def _if(_walk: TreeWalk, node: ast.If, here: _Here) -> bool:
    here.function.ifs.append(Site(node, here.around))
    return True


def _yield(_walk: TreeWalk, node: ast.Yield, here: _Here) -> bool:
    here.function.yields.append(Site(node, here.around))
    return True


def _assign(_walk: TreeWalk, node: ast.Assign, here: _Here) -> bool:
    for target in node.targets:
        _bind(target, node.value, here)
    return True


def _annotate(_walk: TreeWalk, node: ast.AnnAssign, here: _Here) -> bool:
    if isinstance(node.target, ast.Name) and here.owner is None:
        here.function.annotations.setdefault(node.target.id, node.annotation)
    else:
        _bind(node.target, make_instance(node.annotation), here)
    return True


def _name_expression(_walk: TreeWalk, node: ast.NamedExpr, here: _Here) -> bool:
    _bind(node.target, node.value, here)
    return True


def _bind(target: ast.expr, value: ast.expr, here: _Here) -> None:
    if isinstance(value, ast.Constant):
        return  # `client = None` says less than a later binding.
    match target:
        case ast.Name(id=name) if here.owner is not None:
            here.owner.bindings.setdefault(name, (None, value))
        case ast.Name(id=name):
            here.function.bindings.setdefault(name, value)
        case ast.Attribute(value=ast.Name(id="self"), attr=name) if here.function.owner:
            here.function.owner.bindings.setdefault(name, (here.function, value))
        case _:
            pass


_VISITORS: dict[type[ast.AST], Callable[[TreeWalk, Any, _Here], bool]] = {
    ast.AnnAssign: _annotate,
    ast.Assign: _assign,
    ast.AsyncFor: _loop,
    ast.AsyncFunctionDef: _function,
    ast.AsyncWith: _with,
    ast.Await: _await,
    ast.Call: _call,
    ast.ClassDef: _class,
    ast.For: _loop,
    ast.FunctionDef: _function,
    ast.If: _if,
    ast.Import: _import,
    ast.ImportFrom: _import,
    ast.Lambda: _lambda,
    ast.NamedExpr: _name_expression,
    ast.Raise: _raise,
    ast.Return: _return,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.While: _loop,
    ast.With: _with,
    ast.Yield: _yield,
}
