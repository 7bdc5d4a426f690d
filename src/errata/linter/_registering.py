"""How functions become tools, resources and prompts, in all the ways that people write it."""

import ast
from collections.abc import Iterable, Iterator

from errata.linter._code import Function, Module, Site
from errata.linter._finding import Place
from errata.linter._names import last_of, written
from errata.linter._raising import argument, keyword
from errata.linter._summary import Registration

# fmt: off
_KIND_OF_DECORATOR = {
    "tool": "tool", "mcp_tool": "tool", "register_tool": "tool",
    "resource": "resource", "mcp_resource": "resource", "resource_template": "resource",
    "prompt": "prompt", "mcp_prompt": "prompt",
    "call_tool": "dispatcher", "read_resource": "resource", "get_prompt": "prompt",
    "list_tools": "listing", "list_resources": "listing", "list_resource_templates": "listing", "list_prompts": "listing",
}
_KIND_OF_METHOD = {
    "add_tool": "tool", "register_tool": "tool", "tool": "tool", "from_function": "tool", "add_tool_from_fn": "tool",
    "add_resource": "resource", "add_resource_fn": "resource", "add_resource_template": "resource", "resource": "resource",
    "add_prompt": "prompt", "prompt": "prompt",
}
_KIND_OF_KEYWORD = {
    "on_call_tool": "dispatcher", "on_read_resource": "resource", "on_get_prompt": "prompt",
    "on_list_tools": "listing", "on_list_resources": "listing", "on_list_prompts": "listing",
    "tools": "tool",
}
_KIND_OF_REQUEST = {
    "CallToolRequest": "dispatcher", "ReadResourceRequest": "resource", "GetPromptRequest": "prompt",
}
# fmt: on
_WRITTEN_OUT = {"readOnlyHint", "idempotentHint", "destructiveHint", "openWorldHint"}
_SNAKE = {"read_only_hint": "readOnlyHint", "idempotent_hint": "idempotentHint", "destructive_hint": "destructiveHint"}


def registrations_in(module: Module) -> Iterator[Registration]:
    """Find every registration in a file; whether it is with an MCP server is seen when all files are known."""
    for function in module.functions:
        if not isinstance(function.node, ast.Module):
            yield from _by_decorator(function)
        for site in function.calls:
            yield from _by_call(function, site)
    for node in module.tree.body:
        yield from _by_request(module.body, node)


def registers(function: Function) -> str:
    """Name the kind that a function makes of another one it is given; empty if it does not."""
    for site in function.returns:
        returned = site.node.value
        call = returned.func if isinstance(returned, ast.Call) and isinstance(returned.func, ast.Call) else returned
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            kind = _KIND_OF_DECORATOR.get(call.func.attr, "")
            if kind and written(call.func.value):
                return kind
    return ""


def _by_decorator(function: Function) -> Iterator[Registration]:
    assert not isinstance(function.node, ast.Module)  # noqa: S101 - for type checkers.
    scope = function.parent or function
    for decorator in function.node.decorator_list:
        call = decorator if isinstance(decorator, ast.Call) else None
        text = written(call.func if call else decorator)
        kind = _KIND_OF_DECORATOR.get(last_of(text)) if text else None
        if text and kind:
            yield _registration(scope, kind, text, _name_of(function), call, function.place_of(function.node))


def _by_call(function: Function, site: Site[ast.Call]) -> Iterator[Registration]:
    call = site.node
    options = call.func if isinstance(call.func, ast.Call) else call  # `server.tool(…)(fn)`
    method = options.func.attr if isinstance(options.func, ast.Attribute) else getattr(options.func, "id", "")
    text = written(options.func) if method in _KIND_OF_METHOD or method[:1].isupper() else None
    if not text:
        return
    given = call.args[0] if call.args else keyword(call, "fn") or keyword(call, "function")
    if given is not None and (kind := _KIND_OF_METHOD.get(method)):
        for name in _functions_given(function, given, site):
            yield _registration(function, kind, text, name, options, function.place_of(call))
    for each in call.keywords:
        if each.arg in _KIND_OF_KEYWORD and method[:1].isupper():
            for name in _functions_given(function, each.value, site):
                yield _registration(
                    function, _KIND_OF_KEYWORD[each.arg], f"{text}().tool", name, None, function.place_of(call)
                )


def _functions_given(function: Function, given: ast.expr, site: Site[ast.Call]) -> Iterable[str]:
    """Name the functions an argument stands for: one, those of a list, or those that a loop runs over."""
    if isinstance(given, ast.List | ast.Tuple | ast.Set):
        return [name for each in given.elts for name in _functions_given(function, each, site)]
    if isinstance(given, ast.Call):  # `add_tool(Tool.from_function(fn))`: the inner call registers it.
        return []
    for block in site.blocks():
        if isinstance(block, ast.For) and isinstance(given, ast.Name) and _is_bound_by(block.target, given.id):
            listed = block.iter
            if isinstance(listed, ast.Name):
                listed = function.bindings.get(listed.id) or function.module.body.bindings.get(listed.id) or listed
            if isinstance(listed, ast.List | ast.Tuple | ast.Set):
                return [name for each in _flat(listed.elts) if (name := function.resolve(each))]
            if isinstance(listed, ast.Dict):
                return [name for each in listed.values if (name := function.resolve(each))]
            if isinstance(listed, ast.Call) and isinstance(listed.func, ast.Attribute):
                named = listed.func.value
                if isinstance(named, ast.Name):
                    named = function.module.body.bindings.get(named.id) or named
                if isinstance(named, ast.Dict):
                    return [name for each in named.values if (name := function.resolve(each))]
    name = function.resolve(given)
    return [name] if name else []


def _is_bound_by(target: ast.expr, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(target))


def _flat(items: Iterable[ast.expr]) -> Iterator[ast.expr]:
    for item in items:
        if isinstance(item, ast.Tuple | ast.List):
            yield from _flat(item.elts)
        else:
            yield item


def _by_request(body: Function, node: ast.stmt) -> Iterator[Registration]:
    """Find `server.request_handlers[CallToolRequest] = fn`."""
    match node:
        case ast.Assign(
            targets=[ast.Subscript(value=ast.Attribute(attr="request_handlers") as table, slice=key)], value=value
        ):
            kind = _KIND_OF_REQUEST.get(last_of(body.resolve(key) or ""))
            text, name = written(table), body.resolve(value)
            if kind and text and name:
                yield _registration(body, kind, text, name, None, body.place_of(node))
        case _:
            return


def _registration(  # noqa: PLR0913, PLR0917 - what a registration is made of.
    scope: Function, kind: str, text: str, function: str, options: ast.Call | None, place: Place
) -> Registration:
    receiver = scope.meaning_of(text)
    hints, hints_name = _hints(scope, options)
    named = argument(options, 0, "name") if kind == "tool" and options else None
    if (
        options is not None
        and kind == "tool"
        and not (isinstance(named, ast.Constant) and isinstance(named.value, str))
    ):
        named = keyword(options, "name")
    tool = named.value if isinstance(named, ast.Constant) and isinstance(named.value, str) else ""
    return Registration(kind, receiver, text, function, tool, hints, hints_name, place)


def _hints(scope: Function, options: ast.Call | None) -> tuple[dict[str, bool], str]:
    given = keyword(options, "annotations") if options else None
    if given is None:
        return {}, ""
    written_out = hints_of(given)
    return (written_out, "") if written_out is not None else ({}, scope.resolve(given) or "?")


def hints_of(given: ast.expr) -> dict[str, bool] | None:
    """Read annotations that are written out as a call or a dictionary; None if they are not."""
    match given:
        case ast.Call(keywords=keywords) if not given.args:
            pairs = [(each.arg, each.value) for each in keywords]
        case ast.Dict(keys=keys, values=values):
            pairs = [
                (key.value if isinstance(key, ast.Constant) else None, value)
                for key, value in zip(keys, values, strict=True)
            ]
        case _:
            return None
    hints: dict[str, bool] = {}
    for name, value in pairs:
        known = _SNAKE.get(str(name), str(name))
        if known in _WRITTEN_OUT and isinstance(value, ast.Constant) and isinstance(value.value, bool):
            hints[known] = value.value
    return hints


def _name_of(function: Function) -> str:
    return f"{function.module.id}.{function.name}"
