"""From a file to its summary: read, walk, let the rules look, keep what linking needs."""

import ast
import builtins
import contextlib
import gc
from collections.abc import Collection, Generator, Iterable, Iterator
from pathlib import Path

from errata.linter.analysis import (
    find_head,
    list_caught_around,
    list_checked_functions,
    list_makers,
    read_error,
    read_outcome,
    read_reason,
)
from errata.linter.source import (
    TOO_DEEP,
    ModuleLocation,
    UnreadableError,
    decode_source,
    find_ignores,
    locate_module,
    read_bytes,
)
from errata.linter.summary._candidates import Check, look_at_function
from errata.linter.summary._contract_declarations import Declarations
from errata.linter.summary._contract_summaries import find_advice, find_contract_uses, summarise_contract
from errata.linter.summary._file_summary import (
    CalledFunction,
    Candidate,
    ClassSummary,
    FunctionSummary,
    RaisedError,
    Summary,
)
from errata.linter.summary._registrations import (
    adds_unseen_tools,
    find_registering_functions,
    find_registrations,
    read_hints,
)
from errata.linter.summary._side_effects import find_side_effects
from errata.linter.syntax import (
    MEMBERS,
    UNKNOWN,
    Class,
    Function,
    Module,
    Site,
    find_table,
    list_choices,
    list_items,
    make_instance,
    parse_module,
    spell_name,
)

_BUILTINS = frozenset(vars(builtins))


def summarise_module(module: Module, text: str, rules: Iterable[Check]) -> Summary:
    """Return the summary of a module, with what rules see in it."""
    every = tuple(rules)
    looking = tuple(rule for rule in every if rule.in_function is not None)
    body = module.body
    registered = [(function, each) for function in module.functions for each in find_registrations(function)]
    makers = find_registering_functions(module, registered)
    declarations = Declarations(module)
    return Summary(
        module.path,
        module.id,
        module.location.dotted,
        module.location.root,
        tuple(_summarise_function(function, (every, looking), makers, declarations) for function in module.functions),
        tuple(_summarise_class(each, module, every, declarations) for each in module.classes.values()),
        module.names,
        {name: meaning for name in (*body.annotations, *body.bindings) if (meaning := _resolve_held(body, name))},
        dict(_list_hints(body)),
        dict(_list_tables(body)),
        tuple(module.stars),
        tuple(each for _, each in registered),
        ignores=find_ignores(text),
        installed=tuple(
            obstacles
            for each in declarations.read_installed()
            if (obstacles := summarise_contract(each, module, every))
        ),
        advice=tuple(find_advice(module)) if declarations.speaks_errata else (),
        adds_unseen_tools=adds_unseen_tools(module),
    )


def _summarise_function(
    function: Function,
    rules: tuple[tuple[Check, ...], tuple[Check, ...]],
    makers: dict[str, str],
    declarations: Declarations,
) -> FunctionSummary:
    every, looking = rules
    node = function.node
    if isinstance(node, ast.Module):  # Top-level code has run before the first call.
        return FunctionSummary(function.name, function.locate(node))
    return FunctionSummary(
        function.name,
        function.locate(node),
        tuple(dict.fromkeys(_list_calls(function))),
        tuple(each for site in function.raises for each in _list_raised(function, site, site.node.exc)),
        tuple(_list_made(function)),
        tuple(_name_decorators(function)),
        summarise_contract(declarations.read_function(function), function.module, every),
        (function.resolve(make_instance(node.returns)) or "") if node.returns else "",
        tuple(look_at_function(function, looking)),
        makers.get(function.name, ""),
        is_async=function.is_async,
        side_effects=tuple(find_side_effects(function)),
        outcome=read_outcome(function),
        checks=tuple(list_checked_functions(function)),
        contract_uses=tuple(find_contract_uses(function, speaks_errata=declarations.speaks_errata)),
        parameters=tuple(each.arg for each in function.parameters if "_" in each.arg) if node.decorator_list else (),
    )


def _list_calls(function: Function) -> Iterator[CalledFunction]:
    for site in function.calls:
        caught = list_caught_around(function, site) if site.around else ()
        if (name := function.resolve(site.node.func)) and name not in _BUILTINS:
            yield CalledFunction(name, caught, bool(site.around) and site.is_put_off)
        for name in _list_picked(function, site.node.func):
            yield CalledFunction(name, caught)
        for given in (*site.node.args, *(each.value for each in site.node.keywords)):
            # A function that is passed on is called by the receiver: `asyncio.to_thread(fetch, …)`.
            if _may_be_function(function, given) and (name := _name_function(function, given)):
                yield CalledFunction(name, caught, handed=True)


def _may_be_function(function: Function, given: ast.expr) -> bool:
    """Return whether an argument may be a function: a name that is no parameter, or an attribute."""
    if isinstance(given, ast.Name):
        return given.id not in function.unknown and given.id not in function.annotations
    return isinstance(given, ast.Attribute)


def _list_picked(function: Function, called: ast.expr) -> Iterator[str]:
    """Yield the functions that a call picks from a table, or the name of a table in another file."""
    if isinstance(called, ast.Attribute) and getattr(called.value, "id", "") != "self":
        return  # As most calls are.
    if isinstance(called, ast.Name) and not any(called.id in scope.bindings for scope in function.walk_scopes()):
        return
    if several := list_choices(function, called):
        yield from (name for each in several if (name := function.resolve(each)))
    elif name := _name_function(function, find_table(function, called)):
        yield name + MEMBERS


def _name_function(function: Function, given: ast.expr | None) -> str:
    name = function.resolve(given) or ""
    return "" if name.startswith(UNKNOWN) or name in _BUILTINS or "." not in name else name


def _list_raised(
    function: Function, site: "Site[ast.Raise] | Site[ast.Return]", expression: ast.expr | None
) -> Iterator[RaisedError]:
    location, caught = function.locate(site.node), list_caught_around(function, site)
    for made in list_makers(function, expression):
        error = read_error(function, made)
        is_ours = error.how in {"factory", "constructor"}
        reason, head = (read_reason(made), find_head(function, made)) if is_ours else ("", None)
        yield RaisedError(location, error.how, error.name, error.code, caught, reason, head)


def _list_made(function: Function) -> Iterator[RaisedError]:
    for site in function.returns:
        value = site.node.value.value if isinstance(site.node.value, ast.Await) else site.node.value
        if isinstance(value, ast.Call | ast.IfExp | ast.Name):
            for made in _list_raised(function, site, value):
                if made.how != "other" or (made.name[:1] != UNKNOWN and "." in made.name):
                    yield made


def _name_decorators(function: Function) -> Iterator[str]:
    scope = function.parent or function
    for each in getattr(function.node, "decorator_list", ()):
        if name := scope.resolve(each):
            yield name.removesuffix("()")


def _summarise_class(each: Class, module: Module, rules: tuple[Check, ...], declarations: Declarations) -> ClassSummary:
    body = module.body
    bases = tuple(name for base in each.node.bases if (name := body.resolve(_strip_subscript(base))))
    attributes = {
        name: meaning
        for name, (where, value) in each.bindings.items()
        if (text := spell_name(value)) and (meaning := (where or body).resolve_name(text))[:1] != UNKNOWN
    }
    return ClassSummary(each.name, bases, attributes, summarise_contract(declarations.read_class(each), module, rules))


def _strip_subscript(base: ast.expr) -> ast.expr:
    return base.value if isinstance(base, ast.Subscript) else base


def _resolve_held(body: Function, name: str) -> str:
    """Return what a module-level name holds, as a dotted name; empty if unknown."""
    value = body.annotations.get(name)
    text = spell_name(make_instance(value)) if value is not None else spell_name(body.bindings[name])
    meaning = body.resolve_name(text) if text else ""
    return "" if meaning[:1] == UNKNOWN else meaning


def _list_hints(body: Function) -> Iterator[tuple[str, dict[str, bool]]]:
    for name, value in body.bindings.items():
        if isinstance(value, ast.Call | ast.Dict) and (hints := read_hints(value)):
            yield name, hints


def _list_tables(body: Function) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name, value in body.bindings.items():
        if isinstance(value, ast.List | ast.Tuple | ast.Set | ast.Dict):
            held = [each for each in list_items(body, value) if isinstance(each, ast.Name | ast.Attribute)]
            if functions := tuple(filter(None, (_name_function(body, each) for each in held))):
                yield name, functions


def summarise_source(text: str, path: str, rules: Collection[Check], location: ModuleLocation | None = None) -> Summary:
    """Summarise one source; if it cannot be read or judged, the summary holds the reason as its only finding."""
    where = location or ModuleLocation("", Path(path).stem)
    try:
        with _pause_cycle_search():
            return _summarise(text, path, where, rules)
    except UnreadableError as error:
        return _summarise_unreadable(path, where, error)
    except RecursionError:
        return _summarise_unreadable(path, where, UnreadableError(TOO_DEEP, "split the expression into smaller ones"))
    except Exception as error:  # noqa: BLE001 - a bug in a rule costs one file, not the run.
        return _summarise_unreadable(path, where, describe_failed_rule(error))


def describe_failed_rule(error: Exception) -> UnreadableError:
    """Return an error that says a rule failed, and on what."""
    what = f"could not be judged: a rule failed with `{type(error).__name__}`"
    return UnreadableError(what, "report it to errata, with the file; every other file is judged all the same")


def summarise_file(path: Path, rules: Collection[Check]) -> Summary:
    """Summarise one file."""
    location = locate_module(path)
    try:
        text = decode_source(read_bytes(path))
    except UnreadableError as error:
        return _summarise_unreadable(str(path), location, error)
    return summarise_source(text, str(path), rules, location)


def _summarise(text: str, path: str, where: ModuleLocation, rules: Collection[Check]) -> Summary:
    module = parse_module(text, path, where)
    try:
        return summarise_module(module, text, rules)
    finally:
        module.forget()


def make_obstacle(error: UnreadableError) -> Candidate:
    """Return the reason why a file cannot be judged, as a candidate for a finding."""
    return Candidate("unreadable-file", error.location, f"this file {error.what}", error.advice)


def _summarise_unreadable(path: str, location: ModuleLocation, error: UnreadableError) -> Summary:
    return Summary(path, location.id, location.dotted, location.root, obstacles=(make_obstacle(error),))


@contextlib.contextmanager
def _pause_cycle_search() -> Generator[None, None, None]:
    """Pause the garbage collector: syntax trees have no cycles, and a million nodes."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
