"""One walk over a syntax tree, which finds everything that rules ask for.

It keeps its own stack: source may nest deeper than Python calls, and a walk by recursion takes twice as long.
"""

import ast
from collections.abc import Callable
from typing import Any, NamedTuple

from errata.linter._code import Around, Class, Definition, Function, Module, Site, Try, With, instance_of
from errata.linter._names import imported, starred

# What nobody asks for: contexts, operators, annotations, and everything that is no node.
_SKIPPED = frozenset(
    "annotation arg asname attr cls_name conversion ctx format_spec id is_async keywords_names kind kwd_attrs level lower "
    "module n name names op ops rest returns s simple tag type_comment type_ignores type_params upper".split()
)
_NODES = [kind for kind in vars(ast).values() if isinstance(kind, type) and issubclass(kind, ast.AST)]
_FIELDS: dict[type, tuple[str, ...]] = {
    kind: tuple(name for name in reversed(kind._fields) if name not in _SKIPPED) for kind in _NODES
}
_FIELDS[ast.Constant] = _FIELDS[ast.MatchSingleton] = _FIELDS[type(None)] = ()


class _Here(NamedTuple):
    function: Function
    around: Around | None
    owner: Class | None
    """The class whose body this is; None inside its methods."""


class Walk:
    """Fills a module with its functions and what is in them."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._blocks: list[tuple[list[Any], _Here]] = []
        """What is still to be walked: some nodes, and what is around them."""

    def run(self) -> Module:
        """Walk the whole tree."""
        body = Function(self._module, self._module.tree, "")
        self._module.functions.append(body)
        self._blocks.append((self._module.tree.body, _Here(body, None, None)))
        while self._blocks:
            self._walk(*self._blocks.pop())
        self._name_what_is_on_top(body)
        return self._module

    def _walk(self, nodes: list[Any], here: _Here) -> None:
        """Walk some nodes and what is in them, except for the blocks that are put off."""
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
        for name in [*self._module.classes, *body.inner, *body.bindings, *body.annotations]:
            if "." not in name:
                self._module.names.setdefault(name, f"{self._module.id}.{name}")

    # Each answers whether what is inside is to be walked with the rest.

    def _import(self, node: ast.Import | ast.ImportFrom, _: _Here) -> bool:
        module, package = self._module, self._module.location.package
        for name, meaning in imported(node, package):
            module.names.setdefault(name, meaning)
        if isinstance(node, ast.ImportFrom) and (all_of := starred(node, package)):
            module.stars.append(all_of)
        return False

    def _function(self, node: Definition, here: _Here) -> bool:
        outer = here.owner.name if here.owner else here.function.name
        function = Function(
            self._module, node, f"{outer}.{node.name}" if outer else node.name, here.function, here.owner
        )
        self._module.functions.append(function)
        (here.owner.methods if here.owner else here.function.inner)[node.name] = function
        given = node.args
        function.parameters = [*given.posonlyargs, *given.args, *given.kwonlyargs]
        for parameter in function.parameters:
            if parameter.annotation is not None:
                function.annotations[parameter.arg] = parameter.annotation
            else:
                function.unknown.add(parameter.arg)
        self._blocks.append((node.body, _Here(function, None, None)))
        self._blocks.append(([*node.decorator_list, *node.args.defaults], here))
        return False

    def _class(self, node: ast.ClassDef, here: _Here) -> bool:
        outer = here.owner.name if here.owner else here.function.name
        made = Class(node, f"{outer}.{node.name}" if outer else node.name)
        self._module.classes[made.name] = made
        self._blocks.append((node.body, _Here(here.function, here.around, made)))
        self._blocks.append(([*node.decorator_list, *node.bases], here))
        return False

    def _try(self, node: Try, here: _Here) -> bool:
        here.function.tries.append(Site(node, here.around))
        self._blocks.append((node.finalbody, here))
        self._blocks.append((node.orelse, here))
        for clause in reversed(node.handlers):
            self._blocks.append((clause.body, _Here(here.function, Around(clause, here.around), here.owner)))
        self._blocks.append((node.body, _Here(here.function, Around(node, here.around), here.owner)))
        return False

    def _with(self, node: With, here: _Here) -> bool:
        here.function.withs.append(Site(node, here.around))
        for item in node.items:
            if isinstance(item.optional_vars, ast.Name):
                here.function.bindings.setdefault(item.optional_vars.id, item.context_expr)
        self._blocks.append((node.body, _Here(here.function, Around(node, here.around), here.owner)))
        self._blocks.append(([item.context_expr for item in node.items], here))
        return False

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While, here: _Here) -> bool:
        inside = _Here(here.function, Around(node, here.around), here.owner)
        if not isinstance(node, ast.While) and isinstance(node.target, ast.Name):
            here.function.unknown.add(node.target.id)
        self._blocks.append((node.orelse, here))
        self._blocks.append((node.body, inside))
        self._blocks.append(([node.test] if isinstance(node, ast.While) else [node.iter], here))
        return False

    def _raise(self, node: ast.Raise, here: _Here) -> bool:
        here.function.raises.append(Site(node, here.around))
        return True

    def _call(self, node: ast.Call, here: _Here) -> bool:
        here.function.calls.append(Site(node, here.around))
        return True

    def _return(self, node: ast.Return, here: _Here) -> bool:
        here.function.returns.append(Site(node, here.around))
        return True

    def _yield(self, node: ast.Yield, here: _Here) -> bool:
        here.function.yields.append(Site(node, here.around))
        return True

    def _assign(self, node: ast.Assign, here: _Here) -> bool:
        for target in node.targets:
            self._bind(target, node.value, here)
        return True

    def _annotated(self, node: ast.AnnAssign, here: _Here) -> bool:
        if isinstance(node.target, ast.Name) and here.owner is None:
            here.function.annotations.setdefault(node.target.id, node.annotation)
        else:
            self._bind(node.target, instance_of(node.annotation), here)
        return True

    def _named(self, node: ast.NamedExpr, here: _Here) -> bool:
        self._bind(node.target, node.value, here)
        return True

    def _bind(self, target: ast.expr, value: ast.expr, here: _Here) -> None:
        if isinstance(value, ast.Constant):
            return  # `client = None` says less than what follows it.
        match target:
            case ast.Name(id=name) if here.owner is not None:
                here.owner.bindings.setdefault(name, (None, value))
            case ast.Name(id=name):
                here.function.bindings.setdefault(name, value)
            case ast.Attribute(value=ast.Name(id="self"), attr=name) if here.function.owner:
                here.function.owner.bindings.setdefault(name, (here.function, value))
            case _:
                pass


_VISITORS: dict[type[ast.AST], Callable[[Walk, Any, _Here], bool]] = {
    ast.AnnAssign: Walk._annotated,
    ast.Assign: Walk._assign,
    ast.AsyncFor: Walk._loop,
    ast.AsyncFunctionDef: Walk._function,
    ast.AsyncWith: Walk._with,
    ast.Call: Walk._call,
    ast.ClassDef: Walk._class,
    ast.For: Walk._loop,
    ast.FunctionDef: Walk._function,
    ast.Import: Walk._import,
    ast.ImportFrom: Walk._import,
    ast.NamedExpr: Walk._named,
    ast.Raise: Walk._raise,
    ast.Return: Walk._return,
    ast.Try: Walk._try,
    ast.TryStar: Walk._try,
    ast.While: Walk._loop,
    ast.With: Walk._with,
    ast.Yield: Walk._yield,
}
