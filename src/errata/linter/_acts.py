"""What a function does that matters once it fails: it changes something, blocks everything else, or repeats itself."""

import ast
from collections.abc import Iterator

from errata.linter import _blocking, _changes
from errata.linter._code import Function, Site
from errata.linter._names import called_as
from errata.linter._repeating import calls_what_it_is_given, decorators_that_repeat, is_repeated
from errata.linter._summary import Act

_NAMES = _blocking.NAMES | _changes.NAMES


def acts_of(function: Function) -> list[Act]:
    """Find all that a function does of this kind."""
    acts = [*_acts(function)]
    changes = [act for act in acts if act.kind == "changes"]
    if len(changes) < 2:  # noqa: PLR2004 - for what is done in turn, it takes two.
        return acts
    always = {function.place_of(call.func) for call in _unconditional_calls(function.node.body)}
    return [act._replace(in_turn=act.kind == "changes" and act.place in always) for act in acts]


def _acts(function: Function) -> Iterator[Act]:
    for decorator, name in decorators_that_repeat(function):
        yield Act("retried", name, function.place_of(decorator))
    for site in function.calls:
        name = called_as(site.node)
        if name in _NAMES or _changes.may_name_a_method(name):
            yield from _by_name(function, site, name)
        elif site.around and isinstance(site.node.func, ast.Name):
            yield from _of_wrapper(function, site)


def _by_name(function: Function, site: Site[ast.Call], name: str) -> Iterator[Act]:
    place = function.place_of(site.node.func)
    if (what := _blocking.blocking(function, site)) is not None:
        yield Act("blocks", what, place)
    if (change := _changes.change_of(function, site.node, name)) is not None:
        yield Act("writes" if change.is_local else "changes", change.what, place, change.each_time)
        if change.each_time and is_repeated(function, site):
            yield Act("repeats", change.what, place, each_time=True)
    elif _changes.varies_in_method(site.node, name):
        yield Act("sends", name, place)
        if is_repeated(function, site):
            yield Act("repeats", name, place)


def _of_wrapper(function: Function, site: Site[ast.Call]) -> Iterator[Act]:
    if calls_what_it_is_given(function, site.node) and is_repeated(function, site):
        yield Act("repeats given", function.name, function.place_of(site.node))


def _unconditional_calls(statements: list[ast.stmt]) -> Iterator[ast.Call]:
    """Find the calls that are made whenever these statements run to their end."""
    for statement in statements:
        if isinstance(statement, ast.With | ast.AsyncWith | ast.Try):
            yield from _unconditional_calls(statement.body)
        elif isinstance(statement, ast.Expr | ast.Assign | ast.AnnAssign | ast.Return):
            yield from (node for node in ast.walk(statement) if isinstance(node, ast.Call))
