"""From a file to its summary: read, walk, let the rules look, keep what linking needs."""

import ast
import builtins
import contextlib
import gc
from collections.abc import Collection, Generator, Iterable, Iterator
from pathlib import Path

from errata.linter.analysis import caught_around, checked_by, error_of, head_of, made_in, outcome_of, reason_of
from errata.linter.source import TOO_DEEP, Location, UnreadableError, decoded, ignores_in, location_of, read
from errata.linter.summary._candidates import Check, candidates_in
from errata.linter.summary._contract_declarations import Declarations
from errata.linter.summary._contract_summaries import advice_in, asked_in, kept
from errata.linter.summary._file_summary import Called, Candidate, ClassSummary, FunctionSummary, Raised, Summary
from errata.linter.summary._registrations import adds_unseen_tools, hints_of, makers_in, registrations_in
from errata.linter.summary._side_effects import acts_of
from errata.linter.syntax import (
    MEMBERS,
    UNKNOWN,
    Class,
    Function,
    Module,
    Site,
    instance_of,
    listed,
    module_of,
    picked,
    table_of,
    written,
)

_BUILTINS = frozenset(vars(builtins))


def summary_of(module: Module, text: str, rules: Iterable[Check]) -> Summary:
    """Let the rules look at a module, and keep what linking needs."""
    every = tuple(rules)
    looking = tuple(rule for rule in every if rule.in_function is not None)
    body = module.body
    registered = [(function, each) for function in module.functions for each in registrations_in(function)]
    makers = makers_in(module, registered)
    declarations = Declarations(module)
    return Summary(
        module.path,
        module.id,
        module.location.dotted,
        module.location.root,
        tuple(_function(function, (every, looking), makers, declarations) for function in module.functions),
        tuple(_class(each, module, every, declarations) for each in module.classes.values()),
        module.names,
        {name: meaning for name in (*body.annotations, *body.bindings) if (meaning := _held(body, name))},
        dict(_kept_hints(body)),
        dict(_kept_lists(body)),
        tuple(module.stars),
        tuple(each for _, each in registered),
        ignores=ignores_in(text),
        installed=tuple(found for each in declarations.installed() if (found := kept(each, module, every))),
        advice=tuple(advice_in(module)) if declarations.speaks_errata else (),
        adds_unseen_tools=adds_unseen_tools(module),
    )


def _function(
    function: Function,
    rules: tuple[tuple[Check, ...], tuple[Check, ...]],
    makers: dict[str, str],
    declarations: Declarations,
) -> FunctionSummary:
    every, looking = rules
    node = function.node
    if isinstance(node, ast.Module):  # No handler reaches it: it has run when the first call comes.
        return FunctionSummary(function.name, function.place_of(node))
    return FunctionSummary(
        function.name,
        function.place_of(node),
        tuple(dict.fromkeys(_calls(function))),
        tuple(each for site in function.raises for each in _raised(function, site, site.node.exc)),
        tuple(_made(function)),
        tuple(_decorators(function)),
        kept(declarations.of_function(function), function.module, every),
        (function.resolve(instance_of(node.returns)) or "") if node.returns else "",
        tuple(candidates_in(function, looking)),
        makers.get(function.name, ""),
        is_async=function.is_async,
        acts=tuple(acts_of(function)),
        outcome=outcome_of(function),
        checks=tuple(checked_by(function)),
        asked=tuple(asked_in(function, speaks_errata=declarations.speaks_errata)),
        parameters=tuple(each.arg for each in function.parameters if "_" in each.arg) if node.decorator_list else (),
    )


def _calls(function: Function) -> Iterator[Called]:
    for site in function.calls:
        caught = caught_around(function, site) if site.around else ()
        if (name := function.resolve(site.node.func)) and name not in _BUILTINS:
            yield Called(name, caught, bool(site.around) and site.is_put_off)
        for name in _picked(function, site.node.func):
            yield Called(name, caught)
        for given in (*site.node.args, *(each.value for each in site.node.keywords)):
            # A function that is handed on is called by whoever gets it: `asyncio.to_thread(fetch, …)`.
            if _may_be_function(function, given) and (name := _perhaps_function(function, given)):
                yield Called(name, caught, handed=True)


def _may_be_function(function: Function, given: ast.expr) -> bool:
    """Whether an argument is a name, and none of a parameter: most are, and this is asked of every one."""
    if isinstance(given, ast.Name):
        return given.id not in function.unknown and given.id not in function.annotations
    return isinstance(given, ast.Attribute)


def _picked(function: Function, called: ast.expr) -> Iterator[str]:
    """Name what a table is asked for: the functions in it, or the table of another file."""
    if isinstance(called, ast.Attribute) and getattr(called.value, "id", "") != "self":
        return  # As most calls are.
    if isinstance(called, ast.Name) and not any(called.id in scope.bindings for scope in function.scopes()):
        return
    if several := picked(function, called):
        yield from (name for each in several if (name := function.resolve(each)))
    elif name := _perhaps_function(function, table_of(function, called)):
        yield name + MEMBERS


def _perhaps_function(function: Function, given: ast.expr | None) -> str:
    name = function.resolve(given) or ""
    return "" if name.startswith(UNKNOWN) or name in _BUILTINS or "." not in name else name


def _raised(
    function: Function, site: "Site[ast.Raise] | Site[ast.Return]", expression: ast.expr | None
) -> Iterator[Raised]:
    place, caught = function.place_of(site.node), caught_around(function, site)
    for made in made_in(function, expression):
        error = error_of(function, made)
        is_ours = error.how in {"factory", "constructor"}
        reason, head = (reason_of(made), head_of(function, made)) if is_ours else ("", None)
        yield Raised(place, error.how, error.name, error.code, caught, reason, head)


def _made(function: Function) -> Iterator[Raised]:
    for site in function.returns:
        value = site.node.value.value if isinstance(site.node.value, ast.Await) else site.node.value
        if isinstance(value, ast.Call | ast.IfExp | ast.Name):
            for made in _raised(function, site, value):
                if made.how != "other" or (made.name[:1] != UNKNOWN and "." in made.name):
                    yield made


def _decorators(function: Function) -> Iterator[str]:
    scope = function.parent or function
    for each in getattr(function.node, "decorator_list", ()):
        if name := scope.resolve(each):
            yield name.removesuffix("()")


def _class(each: Class, module: Module, rules: tuple[Check, ...], declarations: Declarations) -> ClassSummary:
    body = module.body
    bases = tuple(name for base in each.node.bases if (name := body.resolve(_unsubscripted(base))))
    attributes = {
        name: meaning
        for name, (where, value) in each.bindings.items()
        if (text := written(value)) and (meaning := (where or body).meaning_of(text))[:1] != UNKNOWN
    }
    return ClassSummary(each.name, bases, attributes, kept(declarations.of_class(each), module, rules))


def _unsubscripted(base: ast.expr) -> ast.expr:
    return base.value if isinstance(base, ast.Subscript) else base


def _held(body: Function, name: str) -> str:
    """Say what a module-level name holds, one step further than its own name."""
    value = body.annotations.get(name)
    text = written(instance_of(value)) if value is not None else written(body.bindings[name])
    meaning = body.meaning_of(text) if text else ""
    return "" if meaning[:1] == UNKNOWN else meaning


def _kept_hints(body: Function) -> Iterator[tuple[str, dict[str, bool]]]:
    for name, value in body.bindings.items():
        if isinstance(value, ast.Call | ast.Dict) and (hints := hints_of(value)):
            yield name, hints


def _kept_lists(body: Function) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name, value in body.bindings.items():
        if isinstance(value, ast.List | ast.Tuple | ast.Set | ast.Dict):
            held = [each for each in listed(body, value) if isinstance(each, ast.Name | ast.Attribute)]
            if functions := tuple(filter(None, (_perhaps_function(body, each) for each in held))):
                yield name, functions


def summary_of_source(text: str, path: str, rules: Collection[Check], location: Location | None = None) -> Summary:
    """Summarise one source; what keeps it from being read is all that is found in it."""
    where = location or Location("", Path(path).stem)
    try:
        with _no_looking_for_cycles():
            return _summary(text, path, where, rules)
    except UnreadableError as error:
        return _unreadable(path, where, error)
    except RecursionError:
        return _unreadable(path, where, UnreadableError(TOO_DEEP, "split the expression into smaller ones"))
    except Exception as error:  # noqa: BLE001 - a bug in a rule costs one file, not the run.
        return _unreadable(path, where, unjudged(error))


def unjudged(error: Exception) -> UnreadableError:
    """Say that it is the linter's fault."""
    what = f"could not be judged: a rule failed with `{type(error).__name__}`"
    return UnreadableError(what, "report it to errata, with the file; every other file is judged all the same")


def summary_of_file(path: Path, rules: Collection[Check]) -> Summary:
    """Summarise one file."""
    location = location_of(path)
    try:
        text = decoded(read(path))
    except UnreadableError as error:
        return _unreadable(str(path), location, error)
    return summary_of_source(text, str(path), rules, location)


def _summary(text: str, path: str, where: Location, rules: Collection[Check]) -> Summary:
    module = module_of(text, path, where)
    try:
        return summary_of(module, text, rules)
    finally:
        module.forget()


def unreadable(error: UnreadableError) -> Candidate:
    """Make a finding of what keeps a file from being judged."""
    return Candidate("unreadable-file", error.place, f"this file {error.what}", error.advice)


def _unreadable(path: str, location: Location, error: UnreadableError) -> Summary:
    return Summary(path, location.id, location.dotted, location.root, found=(unreadable(error),))


@contextlib.contextmanager
def _no_looking_for_cycles() -> Generator[None, None, None]:
    """Keep Python from looking for cycles among a million nodes of syntax trees, where there is none."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
