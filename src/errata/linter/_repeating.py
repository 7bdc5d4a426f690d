"""Where a call is made again after it failed: by a decorator of a library, or by a loop around a `try`."""

import ast
import re
from collections.abc import Iterator

from errata.linter._code import Function, Site, Try
from errata.linter._names import last_of
from errata.linter._raising import caught_by

_DECORATORS = {
    "tenacity.retry", "stamina.retry", "backoff.on_exception", "retrying.retry", "retry.retry", "retry.api.retry",
    "retry_async.retry", "opnieuw.retry", "opnieuw.retry_async", "google.api_core.retry.Retry",
    "google.api_core.retry_async.AsyncRetry", "tenacity.AsyncRetrying", "aioretry.retry",
}  # fmt: skip
_JUDGED = "errata.resilience.backoff_for"
# After these nothing has happened, so that anything may be repeated.
_NOTHING_HAPPENED = re.compile(
    r"ConnectError|ConnectTimeout|ConnectionRefused|PoolTimeout|RateLimit|TooManyRequests|Throttl|SlowDown|Busy|Locked"
    r"|NewConnectionError|ClientConnectorError|AuthenticationError|Unauthorized|TokenExpired|Conflict"
)
_ATTEMPT = re.compile(r"attempt|retr(y|ies)|tries|^_$")
_COUNTED = re.compile(r"attempt|retr|tries|max|limit|last|range|len|^_$")


def decorators_that_repeat(function: Function) -> Iterator[tuple[ast.expr, str]]:
    """Find the decorators that call a function again after failures of which nobody knows what they left behind."""
    scope = function.parent or function
    for decorator in getattr(function.node, "decorator_list", ()):
        call = decorator if isinstance(decorator, ast.Call) else None
        name = scope.resolve(call.func if call else decorator)
        if name in _DECORATORS and not (call and _is_careful(scope, call)):
            yield decorator, name


def _is_careful(scope: Function, call: ast.Call) -> bool:
    """Whether a retry asks errata what may be repeated, or repeats only what has not happened."""
    given = [node for node in ast.walk(call) if isinstance(node, ast.Name | ast.Attribute)]
    names = [name for node in given if (name := scope.resolve(node))]
    errors = _errors_named(names)
    return _JUDGED in names or (bool(errors) and all(map(_NOTHING_HAPPENED.search, errors)))


def _errors_named(names: list[str]) -> list[str]:
    """Pick the names of exception classes."""
    return [name for name in map(last_of, names) if re.search(r"(Error|Exception|Timeout|Refused|Requests)$", name)]


def is_repeated(function: Function, site: Site[ast.Call]) -> bool:
    """Whether a call stands in a loop that makes it again after it failed."""
    tried: Try | None = None
    for block in site.blocks():
        if isinstance(block, ast.Try | ast.TryStar) and tried is None:
            tried = block
        elif isinstance(block, ast.For | ast.AsyncFor | ast.While):
            return tried is not None and _is_of_attempts(block) and _goes_on(function, tried)
    return False


def calls_what_it_is_given(function: Function, call: ast.Call) -> bool:
    """Whether a wrapper calls the function that the decorator around it was given."""
    if not isinstance(call.func, ast.Name):
        return False
    outer = (scope for scope in function.scopes() if scope is not function)
    return any(parameter.arg == call.func.id for scope in outer for parameter in scope.parameters)


def _is_of_attempts(loop: ast.For | ast.AsyncFor | ast.While) -> bool:
    """Whether a loop counts attempts, and does not run over things."""
    if isinstance(loop, ast.While):
        return any(isinstance(node, ast.Name) and _ATTEMPT.search(node.id) for node in ast.walk(loop.test))
    is_range = isinstance(loop.iter, ast.Call) and isinstance(loop.iter.func, ast.Name) and loop.iter.func.id == "range"
    return is_range and isinstance(loop.target, ast.Name) and bool(_ATTEMPT.search(loop.target.id))


def _goes_on(function: Function, tried: Try) -> bool:
    """Whether the loop goes on after a failure that may have left something behind."""
    return any(
        not all(map(_NOTHING_HAPPENED.search, caught_by(function, clause))) and _repeats_blindly(clause)
        for clause in tried.handlers
    )


def _repeats_blindly(clause: ast.ExceptHandler) -> bool:
    nodes = [node for each in clause.body for node in ast.walk(each)]
    ends = isinstance(clause.body[-1], ast.Raise | ast.Return | ast.Break)
    if ends and not any(isinstance(node, ast.Continue) for node in nodes):
        return False
    return all(_is_about_counting(node.test) for node in nodes if isinstance(node, ast.If))


def _is_about_counting(test: ast.expr) -> bool:
    """Whether a condition asks for the number of attempts alone, and not for what went wrong."""
    names = [node.id for node in ast.walk(test) if isinstance(node, ast.Name) and node.id != "self"]
    attributes = [node.attr for node in ast.walk(test) if isinstance(node, ast.Attribute)]
    return all(map(_COUNTED.search, (name.lower() for name in (*names, *attributes))))
