"""Registrations: the ways in which functions become tools, resources and prompts, and their MCP annotations."""

import ast
from collections.abc import Iterable, Iterator

from errata.linter.analysis import find_keyword
from errata.linter.summary._file_summary import Registration
from errata.linter.syntax import (
    MEMBERS,
    UNKNOWN,
    Function,
    Module,
    Site,
    get_called_name,
    get_last_part,
    list_items,
    spell_name,
)

_HINTS = {
    "readOnlyHint": "readOnlyHint",
    "idempotentHint": "idempotentHint",
    "destructiveHint": "destructiveHint",
    "read_only_hint": "readOnlyHint",
    "idempotent_hint": "idempotentHint",
    "destructive_hint": "destructiveHint",
}


def read_given_hints(scope: Function, options: ast.Call | None) -> tuple[dict[str, bool], str]:
    """Return the annotations of a registration, or the name of the variable that holds them."""
    if options is None:
        return {}, ""
    given = find_keyword(options, "annotations")
    if given is None:  # `@mcp.tool(**READ_ONLY)` may hold anything.
        return {}, "?" if any(each.arg is None for each in options.keywords) else ""
    written_out = read_hints(given)
    return (written_out, "") if written_out is not None else ({}, scope.resolve(given) or "?")


def read_hints(given: ast.expr) -> dict[str, bool] | None:
    """Return annotations written as a call or a dictionary; None if any of them is not a literal."""
    match given:
        case ast.Call(func=func, keywords=keywords, args=[]) if _makes_annotations(func):
            pairs: list[tuple[object, ast.expr]] = [(each.arg, each.value) for each in keywords]
        case ast.Dict(keys=keys, values=values):
            pairs = [(_read_constant(key), value) for key, value in zip(keys, values, strict=True)]
        case _:
            return None
    hints = {_HINTS[str(name)]: _read_constant(value) for name, value in pairs if str(name) in _HINTS}
    is_whole = not any(name in {None, ...} for name, _ in pairs) and ... not in hints.values()
    return {name: flag for name, flag in hints.items() if isinstance(flag, bool)} if is_whole else None


def _read_constant(node: ast.expr | None) -> object:
    """Return the value of a literal; `...` for anything else."""
    return node.value if isinstance(node, ast.Constant) else ...


def _makes_annotations(called: ast.expr) -> bool:
    """Return whether a call creates annotations: of a class, or of `dict`."""
    name = get_last_part(spell_name(called) or "")
    return name == "dict" or name[:1].isupper()


# Calls that add or rename tools without a function for each.
_UNSEEN = frozenset(
    [
        "import_server",
        "as_proxy",
        "create_proxy",
        "from_openapi",
        "from_fastapi",
        "from_tool",
        "from_mcp_config",
        "add_provider",
        "add_transform",
        "add_tool_transformation",
        "register_all",
    ]
)
_SERVERS = frozenset(["FastMCP", "MCPServer", "Server"])
_PARTS_OF_SERVERS = frozenset(["providers", "transforms", "tool_transformations"])
_CALLED = _UNSEEN | _SERVERS | {"mount", "add_tool"}


def adds_unseen_tools(module: Module) -> bool:
    """Return whether a file may add tools without a function for each."""
    return any(
        _adds_unseen(site.node, get_called_name(site.node))
        for function in module.functions
        if not function.called.isdisjoint(_CALLED)
        for site in function.calls
    )


def _adds_unseen(call: ast.Call, name: str) -> bool:
    given = call.args[0] if call.args else None
    if name == "mount":  # `app.mount("/mcp", …)` is another library's.
        return not (isinstance(given, ast.Constant) and str(given.value).startswith("/"))
    if name == "add_tool":
        return isinstance(given, ast.Call) and get_called_name(given) != "from_function"
    if name in _SERVERS:
        return any(
            each.arg in _PARTS_OF_SERVERS or (each.arg == "tools" and isinstance(each.value, ast.Call))
            for each in call.keywords
        )
    return name in _UNSEEN


TOOL, RESOURCE, PROMPT, LISTING, DISPATCHER = "tool", "resource", "prompt", "listing", "dispatcher"

_KIND_OF_DECORATOR = {
    "tool": TOOL,
    "mcp_tool": TOOL,
    "resource": RESOURCE,
    "mcp_resource": RESOURCE,
    "prompt": PROMPT,
    "mcp_prompt": PROMPT,
    "call_tool": DISPATCHER,
    "read_resource": RESOURCE,
    "get_prompt": PROMPT,
    "list_tools": LISTING,
    "list_resources": LISTING,
    "list_resource_templates": LISTING,
    "list_prompts": LISTING,
}
_KIND_OF_METHOD = {
    "tool": TOOL,
    "add_tool": TOOL,
    "from_function": TOOL,
    "resource": RESOURCE,
    "add_resource": RESOURCE,
    "add_resource_fn": RESOURCE,
    "add_template": RESOURCE,
    "prompt": PROMPT,
    "add_prompt": PROMPT,
}
_KIND_OF_KEYWORD = {
    "tools": TOOL,
    "on_call_tool": DISPATCHER,
    "on_read_resource": RESOURCE,
    "on_get_prompt": PROMPT,
    "on_list_tools": LISTING,
    "on_list_resources": LISTING,
    "on_list_resource_templates": LISTING,
    "on_list_prompts": LISTING,
}
_KIND_OF_REQUEST = {
    "CallToolRequest": DISPATCHER,
    "tools/call": DISPATCHER,
    "ReadResourceRequest": RESOURCE,
    "resources/read": RESOURCE,
    "GetPromptRequest": PROMPT,
    "prompts/get": PROMPT,
}


def find_registrations(function: Function) -> Iterator[Registration]:
    """Yield what a function or its decorators register. Whether it is with an MCP server is seen when files are linked."""
    if not isinstance(function.node, ast.Module):
        yield from _find_by_decorator(function, function.node.decorator_list)
    for site in function.calls:
        yield from _find_by_call(function, site)
    yield from _find_by_table(function)


def find_registering_functions(
    module: Module, registrations: Iterable[tuple[Function, Registration]]
) -> dict[str, str]:
    """Return the functions that register what they are given, such as decorators around `server.tool`, each with its kind."""
    makers = {function.name: kind for function in module.functions if (kind := _read_decorator_kind(function))}
    for function, registration in registrations:
        if _is_given(module, registration.function):
            for scope in function.walk_scopes():
                if scope.name:
                    makers.setdefault(scope.name, registration.kind)
    return makers


def _find_by_decorator(function: Function, decorators: list[ast.expr]) -> Iterator[Registration]:
    scope = function.parent or function
    for decorator in decorators:
        call = decorator if isinstance(decorator, ast.Call) else None
        text = spell_name(call.func if call else decorator)
        if text and (kind := _KIND_OF_DECORATOR.get(get_last_part(text))):
            made = _make_registration(scope, kind, text, f"{function.module.id}.{function.name}", call)
            is_plain = call is None or not call.args or isinstance(call.args[0], ast.Constant)
            yield made if is_plain else made._replace(is_named_later=True)


def _find_by_call(function: Function, site: Site[ast.Call]) -> Iterator[Registration]:
    call = site.node
    options = call.func if isinstance(call.func, ast.Call) else call  # `server.tool(…)(fn)`
    method = get_called_name(options)
    if method in _KIND_OF_METHOD or method == "add_request_handler":
        yield from _find_by_method(function, site, options, method)
    elif method[:1].isupper() and call.keywords:
        yield from _find_by_constructor(function, site)


def _find_by_method(function: Function, site: Site[ast.Call], options: ast.Call, method: str) -> Iterator[Registration]:
    text, call = spell_name(options.func), site.node
    if method == "add_request_handler":  # `server.add_request_handler("tools/call", Params, fn)`
        kind, given = (
            _read_request_kind(function, call.args[0] if call.args else None),
            call.args[-1] if call.args else None,
        )
    else:
        kind = _KIND_OF_METHOD[method]
        given = call.args[0] if call.args else find_keyword(call, "fn") or find_keyword(call, "function")
    if text and kind and given is not None:
        for name in _list_given_functions(function, given, site):
            yield _make_registration(function, kind, text, name, options)


def _find_by_constructor(function: Function, site: Site[ast.Call]) -> Iterator[Registration]:
    """Find `Server(…, on_call_tool=fn)` and `MCPServer(…, tools=[…])`."""
    text = spell_name(site.node)
    for each in site.node.keywords if text else ():
        if kind := _KIND_OF_KEYWORD.get(each.arg or ""):
            for name in _list_given_functions(function, each.value, site):
                yield _make_registration(function, kind, f"{text}.tool", name, None)


def _find_by_table(function: Function) -> Iterator[Registration]:
    """Find `server.request_handlers[CallToolRequest] = fn`."""
    body = function.node.body if function.name == "" or function.calls else []
    for node in body:
        match node:
            case ast.Assign(
                targets=[ast.Subscript(value=ast.Attribute(attr="request_handlers") as table, slice=key)], value=value
            ):
                kind, text, name = _read_request_kind(function, key), spell_name(table), function.resolve(value)
                if kind and text and name:
                    yield _make_registration(function, kind, text, name, None)
            case _:
                pass


def _read_request_kind(function: Function, key: ast.expr | None) -> str:
    named = key.value if isinstance(key, ast.Constant) else get_last_part(function.resolve(key) or "")
    return _KIND_OF_REQUEST.get(str(named), "")


def _list_given_functions(function: Function, given: ast.expr, site: Site[ast.Call]) -> list[str]:
    """Return the functions an argument stands for: one, those of a list, or those a loop runs over."""
    if isinstance(given, ast.Call):  # `add_tool(Tool.from_function(fn))`: the inner call registers it.
        return []
    if isinstance(given, ast.Name) and any(parameter.arg == given.id for parameter in function.parameters):
        return [UNKNOWN + given.id]  # A parameter is unknown, whatever its annotation says.
    source = given if not isinstance(given, ast.Name) else _find_loop(given.id, site)
    several = list_items(function, source)
    if source not in {None, given} and not several:
        return [f"{name}{MEMBERS}" for name in [function.resolve(_unwrap_table(source))] if name]
    return [name for each in several or [given] if (name := function.resolve(each))]


def _find_loop(name: str, site: Site[ast.Call]) -> ast.expr | None:
    for block in site.walk_blocks():
        if isinstance(block, ast.For) and any(
            isinstance(node, ast.Name) and node.id == name for node in ast.walk(block.target)
        ):
            return block.iter
    return None


def _unwrap_table(source: ast.expr | None) -> ast.expr | None:
    """Return the table of `TABLE.items()` and `TABLE.values()`."""
    match source:
        case ast.Call(func=ast.Attribute(value=table, attr="items" | "values")):
            return table
        case _:
            return source


def _read_decorator_kind(function: Function) -> str:
    """Return what a function that does `return server.tool(…)` registers; empty for any other."""
    for site in function.returns:
        match site.node.value:
            case ast.Call(func=ast.Attribute(attr=method)):
                if kind := _KIND_OF_DECORATOR.get(method):
                    return kind
            case _:
                pass
    return ""


def _is_given(module: Module, name: str) -> bool:
    """Return whether the registered function is a parameter, or a wrapper that calls one."""
    if name.startswith(UNKNOWN):
        return True
    inner = next((each for each in module.functions if f"{module.id}.{each.name}" == name), None)
    outer = inner.parent if inner else None
    given = {parameter.arg for parameter in outer.parameters} if outer else set[str]()
    return any(getattr(site.node.func, "id", None) in given for site in (inner.calls if inner else ()))


def _make_registration(scope: Function, kind: str, text: str, function: str, options: ast.Call | None) -> Registration:
    hints, hints_name = read_given_hints(scope, options)
    return Registration(
        kind,
        scope.resolve_name(text),
        text,
        function,
        _read_tool_name(options) if kind == TOOL else "",
        hints,
        hints_name,
        kind == TOOL and options is not None and _is_named_later(options),
    )


def _is_named_later(options: ast.Call) -> bool:
    """Return whether a tool's name is only known at run time."""
    given = find_keyword(options, "name")
    is_hidden = any(each.arg is None for each in options.keywords)
    return is_hidden or (given is not None and not isinstance(given, ast.Constant))


def _read_tool_name(options: ast.Call | None) -> str:
    if options is None:
        return ""
    for given in (find_keyword(options, "name"), options.args[0] if options.args else None):
        if isinstance(given, ast.Constant) and isinstance(given.value, str):
            return given.value
    return ""
