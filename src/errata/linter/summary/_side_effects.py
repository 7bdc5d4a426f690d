"""Side effects that matter when a function fails: it changes something, blocks the event loop, or repeats calls."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from errata.linter.analysis import find_argument, find_keyword, list_caught
from errata.linter.summary._file_summary import SideEffect
from errata.linter.syntax import Function, Site, Try, get_called_name, get_last_part, resolve_origin, spell_name

_HTTP = ["get", "post", "put", "patch", "delete", "head", "options", "request", "send"]
_DATABASES = ["psycopg2", "psycopg", "pymysql", "MySQLdb", "mysql.connector", "pyodbc"]
_SHORT_S = 1  # Shorter sleeps do no harm.
# fmt: off
_BLOCKING = frozenset([
    *(f"{client}.{method}" for client in ("requests", "requests.Session()", "requests.session()") for method in _HTTP),
    *(f"{client}.{method}" for client in ("httpx", "httpx.Client()") for method in [*_HTTP, "stream"]),
    *(f"{driver}.connect" for driver in _DATABASES),
    *(f"{driver}.connect().cursor().{method}" for driver in _DATABASES for method in ("execute", "executemany")),
    "time.sleep",
    "urllib.request.urlopen", "urllib.request.urlretrieve",
    "subprocess.run", "subprocess.call", "subprocess.check_call", "subprocess.check_output", "subprocess.getoutput",
    "subprocess.Popen().wait", "subprocess.Popen().communicate", "os.system",
    "socket.create_connection", "smtplib.SMTP", "smtplib.SMTP_SSL",
])
# fmt: on
_BLOCKING_NAMES = frozenset(name.rpartition(".")[2] for name in _BLOCKING)


def name_blocking_call(function: Function, site: Site[ast.Call]) -> str | None:
    """Return the name of a call that blocks the event loop; None if it does not."""
    if site.is_put_off:
        return None
    origin = resolve_origin(function, site.node.func)
    if origin not in _BLOCKING or (origin == "time.sleep" and _is_short(site)):
        return None
    return origin.replace("()", "")


def _is_short(site: Site[ast.Call]) -> bool:
    """Return whether a sleep is too short to matter; in a loop even short ones add up."""
    if any(isinstance(block, ast.While) for block in site.walk_blocks()):
        return False
    match site.node.args:
        case [ast.Constant(value=int(seconds) | float(seconds))]:
            return seconds < _SHORT_S
        case _:
            return False


_METHODS = {"POST", "PUT", "PATCH", "DELETE"}
_CLIENTS = re.compile(r"client|session|http|requests|api$", re.IGNORECASE)
_LIBRARIES = ("requests.", "httpx.", "aiohttp.", "niquests.", "urllib3.", "curl_cffi.", "stripe.")
_EXECUTES = {"execute", "executemany", "executescript", "exec_driver_sql", "fetchval", "fetchrow"}
_STATEMENT = re.compile(
    r"\s*(?:--[^\n]*\n\s*)*(INSERT\s+INTO|INSERT\s+OR|REPLACE\s+INTO|UPDATE|DELETE\s+FROM|DROP|TRUNCATE|ALTER)\b",
    re.IGNORECASE,
)
_REPEATABLE_INSERT = re.compile(r"ON\s+CONFLICT|ON\s+DUPLICATE|INSERT\s+OR|REPLACE\s+INTO", re.IGNORECASE)
_OWN_RECORDS = re.compile(
    r"(INTO|FROM|UPDATE|TABLE)\s+\S*(cache|log|audit|histor|usage|metric|stat|session|token|temp|tmp|checkpoint)",
    re.IGNORECASE,
)
_GOOGLE = re.compile(
    r"\.(insert|create|update|patch|delete|batchUpdate|batchModify|send|trash|copy|append|clear|import_)\(\)$"
)
_FILES = {
    "os.remove", "os.unlink", "os.rmdir", "os.rename", "os.replace", "shutil.rmtree", "shutil.move",
}  # fmt: skip
_WRITES = {"write_text", "write_bytes"}
_MAILS = {"send_message", "sendmail"}
_CHANGING_NAMES = {
    "post",
    "put",
    "patch",
    "delete",
    "create",
    "commit",
    "execute",
    "open",
    *_EXECUTES,
    *_WRITES,
    *_MAILS,
} | {get_last_part(name) for name in _FILES}


class CallEffect(NamedTuple):
    """A call that changes something."""

    what: str
    each_time: bool
    """Whether doing it twice changes something twice."""
    is_local: bool = False
    """Whether it changes nothing but a file."""


def read_change(function: Function, call: ast.Call, name: str) -> CallEffect | None:
    """Return what a call changes, if it evidently changes something."""
    if (method := _find_method(call, name)) is not None:
        return CallEffect(f"{_shorten(call, name)}` with `{method}", method == "POST")
    if name.upper() in _METHODS:
        return _read_client_call(function, call, name)
    if name in _EXECUTES:
        return _read_statement(function, call, name)
    return _read_named_call(function, call, name)


def may_name_a_method(name: str) -> bool:
    """Return whether a function of this name may take an HTTP method."""
    return "request" in name or "api" in name or "http" in name


def varies_in_method(call: ast.Call, name: str) -> bool:
    """Return whether the HTTP method of a request is a variable: `client.request(method, url)`."""
    return name == "request" and isinstance(find_argument(call, 0, "method"), ast.Name)


def _find_method(call: ast.Call, name: str) -> str | None:
    """Return the HTTP method among the arguments: `self._request("POST", path)`."""
    if not may_name_a_method(name):
        return None
    for given in (*call.args[:2], find_keyword(call, "method")):
        if isinstance(given, ast.Constant) and isinstance(given.value, str) and given.value.upper() in _METHODS:
            return given.value.upper()
    return None


def _read_client_call(function: Function, call: ast.Call, name: str) -> CallEffect | None:
    origin = resolve_origin(function, call.func) or ""
    receiver = get_last_part(origin.rpartition(".")[0].replace("()", "")).lstrip("?")
    if origin.startswith(_LIBRARIES) or _CLIENTS.search(receiver):
        return CallEffect(_shorten(call, name), name == "post")
    return None


def _read_statement(function: Function, call: ast.Call, name: str) -> CallEffect | None:
    text = _read_text(function, call.args[0] if call.args else None)
    match = _STATEMENT.match(text)
    if match and not _OWN_RECORDS.search(text):
        verb = " ".join(match[1].upper().split())
        each_time = verb.startswith("INSERT") and not _REPEATABLE_INSERT.search(text)
        return CallEffect(f"{_shorten(call, name)}` with `{verb}", each_time)
    inner = (spell_name(call.func) or "").removesuffix(f".{name}")
    if match := _GOOGLE.search(inner):
        return CallEffect(
            ".".join(inner.removesuffix("()").split(".")[-2:]),
            match[1] in {"insert", "create", "send", "append", "copy"},
        )
    return None


def _read_text(function: Function, given: ast.expr | None) -> str:
    if isinstance(given, ast.Name):
        given = function.bindings.get(given.id)
    match given:
        case ast.Constant(value=str(text)) | ast.JoinedStr(values=[ast.Constant(value=str(text)), *_]):
            return text
        case ast.Call(func=ast.Name(id="text"), args=[inner, *_]):
            return _read_text(function, inner)
        case _:
            return ""


def _read_named_call(function: Function, call: ast.Call, name: str) -> CallEffect | None:
    if name == "open":
        return CallEffect("open", each_time=False, is_local=True) if _opens_to_write(call) else None
    if not isinstance(call.func, ast.Attribute):
        return None
    if name in _WRITES or (name == "commit" and not call.args):
        return CallEffect(_shorten(call, name), each_time=False, is_local=name in _WRITES)
    origin = resolve_origin(function, call.func) or ""
    if origin in _FILES:
        return CallEffect(origin, each_time=False, is_local=True)
    if origin.startswith(("smtplib.", "aiosmtplib.")) and name in _MAILS:
        return CallEffect(_shorten(call, name), each_time=True)
    return CallEffect(origin, each_time=True) if origin.startswith("stripe.") and name == "create" else None


def _opens_to_write(call: ast.Call) -> bool:
    mode = find_argument(call, 1, "mode")
    return isinstance(mode, ast.Constant) and isinstance(mode.value, str) and mode.value[:1] in {"w", "a", "x"}


def _shorten(call: ast.Call, name: str) -> str:
    """Return the last two parts of the name of a call."""
    return ".".join((spell_name(call.func) or name).split(".")[-2:])


_DECORATORS = {
    "tenacity.retry", "stamina.retry", "backoff.on_exception", "retrying.retry", "retry.retry", "retry.api.retry",
    "retry_async.retry", "opnieuw.retry", "opnieuw.retry_async", "google.api_core.retry.Retry",
    "google.api_core.retry_async.AsyncRetry", "tenacity.AsyncRetrying", "aioretry.retry",
}  # fmt: skip
_JUDGED = "errata.resilience.backoff_for"
# After these errors nothing has happened, so anything may be repeated.
_NOTHING_HAPPENED = re.compile(
    r"ConnectError|ConnectTimeout|ConnectionRefused|PoolTimeout|RateLimit|TooManyRequests|Throttl|SlowDown|Busy|Locked"
    r"|NewConnectionError|ClientConnectorError|AuthenticationError|Unauthorized|TokenExpired|Conflict"
)
_ATTEMPT = re.compile(r"attempt|retr(y|ies)|tries|^_$")
_COUNTED = re.compile(r"attempt|retr|tries|max|limit|last|range|len|^_$")


def find_repeating_decorators(function: Function) -> Iterator[tuple[ast.expr, str]]:
    """Yield the decorators that repeat a function after failures which may have changed something."""
    scope = function.parent or function
    for decorator in getattr(function.node, "decorator_list", ()):
        call = decorator if isinstance(decorator, ast.Call) else None
        name = scope.resolve(call.func if call else decorator)
        if name in _DECORATORS and not (call and _is_careful(scope, call)):
            yield decorator, name


def _is_careful(scope: Function, call: ast.Call) -> bool:
    """Return whether a retry asks errata what may be repeated, or retries only errors after which nothing has happened."""
    given = [node for node in ast.walk(call) if isinstance(node, ast.Name | ast.Attribute)]
    names = [name for node in given if (name := scope.resolve(node))]
    errors = _pick_errors(names)
    return _JUDGED in names or (bool(errors) and all(map(_NOTHING_HAPPENED.search, errors)))


def _pick_errors(names: list[str]) -> list[str]:
    """Return the names that look like exception classes."""
    return [
        name for name in map(get_last_part, names) if re.search(r"(Error|Exception|Timeout|Refused|Requests)$", name)
    ]


def is_repeated(function: Function, site: Site[ast.Call]) -> bool:
    """Return whether a call is in a loop that repeats it after a failure."""
    tried: Try | None = None
    for block in site.walk_blocks():
        if isinstance(block, ast.Try | ast.TryStar) and tried is None:
            tried = block
        elif isinstance(block, ast.For | ast.AsyncFor | ast.While):
            return tried is not None and _is_of_attempts(block) and _goes_on(function, tried)
    return False


def calls_what_it_is_given(function: Function, call: ast.Call) -> bool:
    """Return whether a wrapper calls the function its decorator was given."""
    if not isinstance(call.func, ast.Name):
        return False
    outer = (scope for scope in function.walk_scopes() if scope is not function)
    return any(parameter.arg == call.func.id for scope in outer for parameter in scope.parameters)


def _is_of_attempts(loop: ast.For | ast.AsyncFor | ast.While) -> bool:
    """Return whether a loop counts attempts and does not iterate over items."""
    if isinstance(loop, ast.While):
        return any(isinstance(node, ast.Name) and _ATTEMPT.search(node.id) for node in ast.walk(loop.test))
    is_range = isinstance(loop.iter, ast.Call) and isinstance(loop.iter.func, ast.Name) and loop.iter.func.id == "range"
    return is_range and isinstance(loop.target, ast.Name) and bool(_ATTEMPT.search(loop.target.id))


def _goes_on(function: Function, tried: Try) -> bool:
    """Return whether the loop continues after a failure that may have changed something."""
    return any(
        not all(map(_NOTHING_HAPPENED.search, list_caught(function, clause))) and _repeats_blindly(clause)
        for clause in tried.handlers
    )


def _repeats_blindly(clause: ast.ExceptHandler) -> bool:
    nodes = [node for each in clause.body for node in ast.walk(each)]
    ends = isinstance(clause.body[-1], ast.Raise | ast.Return | ast.Break)
    if ends and not any(isinstance(node, ast.Continue) for node in nodes):
        return False
    return all(_is_about_counting(node.test) for node in nodes if isinstance(node, ast.If))


def _is_about_counting(test: ast.expr) -> bool:
    """Return whether a condition only tests the number of attempts."""
    names = [node.id for node in ast.walk(test) if isinstance(node, ast.Name) and node.id != "self"]
    attributes = [node.attr for node in ast.walk(test) if isinstance(node, ast.Attribute)]
    return all(map(_COUNTED.search, (name.lower() for name in (*names, *attributes))))


_NAMES = _BLOCKING_NAMES | _CHANGING_NAMES


def find_side_effects(function: Function) -> list[SideEffect]:
    """Return the side effects of a function."""
    side_effects = [*_list_side_effects(function)]
    changes = [effect for effect in side_effects if effect.kind == "changes"]
    if len(changes) < 2:  # noqa: PLR2004 - for what is done in turn, it takes two.
        return side_effects
    always = {function.locate(call.func) for call in _list_unconditional_calls(function.node.body)}
    return [effect._replace(in_turn=effect.kind == "changes" and effect.location in always) for effect in side_effects]


def _list_side_effects(function: Function) -> Iterator[SideEffect]:
    for decorator, name in find_repeating_decorators(function):
        yield SideEffect("retried", name, function.locate(decorator))
    for site in function.calls:
        name = get_called_name(site.node)
        if name in _NAMES or may_name_a_method(name):
            yield from _find_by_name(function, site, name)
        elif site.around and isinstance(site.node.func, ast.Name):
            yield from _find_in_wrapper(function, site)


def _find_by_name(function: Function, site: Site[ast.Call], name: str) -> Iterator[SideEffect]:
    location = function.locate(site.node.func)
    if (what := name_blocking_call(function, site)) is not None:
        yield SideEffect("blocks", what, location)
    if (change := read_change(function, site.node, name)) is not None:
        yield SideEffect("writes" if change.is_local else "changes", change.what, location, change.each_time)
        if change.each_time and is_repeated(function, site):
            yield SideEffect("repeats", change.what, location, each_time=True)
    elif varies_in_method(site.node, name):
        yield SideEffect("sends", name, location)
        if is_repeated(function, site):
            yield SideEffect("repeats", name, location)


def _find_in_wrapper(function: Function, site: Site[ast.Call]) -> Iterator[SideEffect]:
    if calls_what_it_is_given(function, site.node) and is_repeated(function, site):
        yield SideEffect("repeats given", function.name, function.locate(site.node))


def _list_unconditional_calls(statements: list[ast.stmt]) -> Iterator[ast.Call]:
    """Yield the calls that are made whenever these statements run to their end."""
    for statement in statements:
        if isinstance(statement, ast.With | ast.AsyncWith | ast.Try):
            yield from _list_unconditional_calls(statement.body)
        elif isinstance(statement, ast.Expr | ast.Assign | ast.AnnAssign | ast.Return):
            yield from (node for node in ast.walk(statement) if isinstance(node, ast.Call))
