"""What can fail in a `try`: a call to another process, a call in this one, or only reading a value."""

import ast
import builtins
import functools
import re
import sys
from typing import NamedTuple

from errata.linter.syntax import Function, Module, Site, get_last_part, spell_name

_MOST_SHOWN = 50
_BUILTINS = frozenset(vars(builtins)) - {"open", "input"}

# fmt: off
# Modules of the standard library that talk to other processes.
_REMOTE_STANDARD = frozenset([
    "ftplib", "http", "imaplib", "poplib", "smtplib", "socket", "socketserver", "sqlite3", "ssl", "subprocess", "telnetlib",
    "urllib.request", "xmlrpc",
])
# Libraries that only compute.
_LOCAL_LIBRARIES = frozenset([
    "PIL", "PyPDF2", "annotated_types", "attr", "attrs", "bs4", "camelot", "chardet", "click", "cv2", "dateutil", "docx",
    "dotenv", "errata", "fastmcp", "fitz", "jinja2", "jsonschema", "loguru", "lxml", "markdown", "markdownify", "matplotlib", "mcp", "msgspec",
    "numpy", "openpyxl", "orjson", "packaging", "pandas", "pdfplumber", "pint", "pptx", "pymupdf", "polars", "pydantic", "pydantic_core", "pydantic_settings",
    "pypdf", "pytz", "rich", "scipy", "sklearn", "sqlglot", "sqlparse", "structlog", "sympy", "tabulate", "tiktoken",
    "toml", "tomli", "typer", "typing_extensions", "yaml",
])
# Names of objects that talk to other processes.
_OUTSIDE = frozenset([
    "api", "browser", "client", "collection", "conn", "connection", "cur", "cursor", "database", "db", "driver", "engine",
    "fetcher", "gateway", "http", "pool", "r", "redis", "repo", "repository", "requests", "s3", "sdk", "service", "session",
    "smtp", "sock", "socket", "transport", "upstream", "websocket", "ws",
])
# Modules that open files.
_OPENS = frozenset(["csv", "glob", "gzip", "io", "os", "pathlib", "shutil", "tarfile", "tempfile", "tomllib", "urllib", "zipfile"])
_OUTSIDE_METHODS = frozenset([
    "connect", "download", "execute", "executemany", "fetch", "fetch_all", "fetch_one", "fetchall", "fetchone", "fetchrow",
    "request", "run_command", "urlopen", "urlretrieve",
])
_LOCAL_METHODS = frozenset([
    "add", "append", "capitalize", "casefold", "clear", "copy", "count", "date", "debug", "decode", "dict", "encode",
    "endswith", "error", "exception", "extend", "find", "format", "fromisoformat", "get", "group", "groups", "index", "info",
    "isdigit", "isoformat", "items", "join", "json", "keys", "log", "lower", "lstrip", "match", "model_dump",
    "model_dump_json", "model_validate", "partition", "pop", "raise_for_status", "removeprefix", "removesuffix", "replace",
    "rpartition", "rsplit", "rstrip", "setdefault", "sort", "split", "splitlines", "startswith", "strftime", "strip",
    "strptime", "timestamp", "title", "to_dict", "total_seconds", "update", "upper", "values", "warn", "warning", "zfill",
])
_RUNS_GIVEN = frozenset(["run_in_executor", "run_in_threadpool", "run_sync", "shield", "to_thread", "wait_for"])
_WAITS = frozenset(["acquire", "throttle", "wait"])
# Methods that are awaited without asking another process for anything.
_QUIET = frozenset(["debug", "error", "info", "log", "report_progress", "sleep", "warning"])
_CLEANS_UP = frozenset([
    "aclose", "cancel", "cleanup", "close", "disconnect", "kill", "logout", "quit", "release", "remove", "rollback",
    "shutdown", "stop", "terminate", "unlink", "wait_closed",
])
# fmt: on
# Functions that prepare the call that matters.
_PREPARES = re.compile(
    r"_*(build|check|clamp|ensure|get_config|load_config|normali[sz]e|parse|prepare|require|validate|verify)"
)
# Functions that only compute, in whatever library.
_COMPUTES = re.compile(r"(parse|loads|decode|encode|tokeni[sz]e|compile|format|render|normali[sz]e|validate)(_|$)")
_WORD = re.compile(r"[a-z0-9]+")


class TriedCall(NamedTuple):
    """The call in a `try` that says most about what can fail."""

    kind: str
    """`outside` for a call to another process, `inside` for any other, `reading` for values alone, or `wrapped`
    for a function that was handed in."""
    name: str
    """Its name as written; empty for `reading`."""
    cleans_up: bool = False


def find_tried_call(function: Function, block: ast.AST) -> TriedCall:
    """Return the call most likely to fail in a `try` or a `with`."""
    inside = [site.node for site in function.calls if _fails_into(site, block)]
    inside.sort(key=lambda call: (call.lineno, call.col_offset))
    tried = [_read_call(function, call, awaited=call in function.awaited) for call in inside]
    for kind in ("wrapped", "outside", "inside"):
        of_kind = [each for each in tried if each.kind == kind]
        if of_kind:
            telling = min(of_kind, key=_tells_little)
            return telling._replace(cleans_up=all(each.cleans_up for each in of_kind))
    return TriedCall("reading", "")


def list_calls_in(function: Function, block: ast.AST) -> tuple[str, ...]:
    """List the functions that are called in a `try` and may fail there; `?` for one without a name."""
    inside = [site.node for site in function.calls if _fails_into(site, block)]
    return tuple(sorted({function.resolve(call.func) or "?" for call in inside}))


def only_computes(name: str) -> bool:
    """Return whether a dotted name is Python's own, and neither opens files nor talks to another process."""
    text = name.removesuffix("()")
    if get_last_part(text) in _RUNS_GIVEN:
        return False
    top = text.partition(".")[0].removesuffix("()")
    if text in _BUILTINS or get_last_part(text) in _LOCAL_METHODS:
        return True
    return top in sys.stdlib_module_names - _REMOTE_STANDARD - _OPENS


def _fails_into(site: Site[ast.Call], block: ast.AST) -> bool:
    """Return whether a failing call reaches a block, and no inner `try` catches everything."""
    for each in site.walk_blocks():
        if each is block:
            return True
        if isinstance(each, ast.Try) and any(map(_catches_all, each.handlers)):
            return False
    return False


def _catches_all(clause: ast.ExceptHandler) -> bool:
    is_broad = clause.type is None or (isinstance(clause.type, ast.Name) and clause.type.id == "Exception")
    return is_broad and not any(isinstance(node, ast.Raise) for each in clause.body for node in ast.walk(each))


def _tells_little(attempt: TriedCall) -> tuple[bool, bool, bool]:
    """Return a sort key that puts constructors, clean-up, locks and `.json()` of a response last: they say less about what failed."""
    method = get_last_part(attempt.name)
    return attempt.cleans_up, method[:1].isupper() or method in _WAITS, "()." in attempt.name


def _read_call(function: Function, call: ast.Call, *, awaited: bool) -> TriedCall:
    text = spell_name(call.func)
    if text is None:
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        outside = awaited or method in _OUTSIDE_METHODS
        return TriedCall("outside" if outside else "reading", method)
    if _is_handed_in(function, call, text):
        return TriedCall("wrapped", text)
    if get_last_part(text) in _RUNS_GIVEN and (given := _name_given(call)):
        return TriedCall("outside", _shorten(given))
    name = function.resolve_name(text)
    method = get_last_part(text).removesuffix("()")
    return TriedCall(
        _classify_call(function, name, text, method, awaited=awaited), _shorten(text), method in _CLEANS_UP
    )


def _name_given(call: ast.Call) -> str | None:
    """Return the function that a call runs on behalf of its caller, such as the one given to `to_thread`."""
    names = [spell_name(each) for each in call.args if not isinstance(each, ast.Constant)]
    return next((name.removesuffix("()") for name in names if name), None)


def _classify_call(function: Function, name: str, text: str, method: str, *, awaited: bool) -> str:
    if method in _QUIET and (awaited or "log" in text.lower() or text.startswith("ctx")):
        return "reading"
    if awaited or method in _OUTSIDE_METHODS or (not method[:1].isupper() and is_remote(function, name)):
        return "outside"
    if method not in _CLEANS_UP and any(
        _WORD.findall(part)[-1:] and _WORD.findall(part)[-1] in _OUTSIDE for part in text.lower().split(".")[:-1]
    ):
        return "outside"
    return "reading" if _is_reading(function, name, text, method) else "inside"


def _is_handed_in(function: Function, call: ast.Call, text: str) -> bool:
    """Return whether a call is of a function that was passed in, as a decorator's wrapper does."""
    outer = function.parent
    if outer is None or not any(each.arg == text for each in outer.parameters):
        return False
    return any(isinstance(each, ast.Starred) for each in call.args) or any(each.arg is None for each in call.keywords)


def is_remote(function: Function, name: str) -> bool:
    """Return whether a dotted name belongs to a library that talks to another process."""
    top = name.partition(".")[0].removesuffix("()")
    if name.startswith("?") or "." not in name or top not in _list_imported(function.module):
        return False
    if top in sys.stdlib_module_names:
        return top in _REMOTE_STANDARD or name.startswith(("urllib.error", "urllib.request"))
    if _COMPUTES.match(get_last_part(name)) and "(" not in name:
        return False
    return not _is_own(function, name) and top not in _LOCAL_LIBRARIES


@functools.lru_cache(maxsize=1)
def _list_imported(module: Module) -> frozenset[str]:
    return frozenset(meaning.partition(".")[0] for meaning in module.names.values())


def _is_own(function: Function, name: str) -> bool:
    """Return whether a name belongs to the project: to this file, its package or a file beside it."""
    location = function.module.location
    return name.startswith(f"{location.id}.") or not {location.dotted.partition(".")[0], "src"}.isdisjoint(
        name.split(".")
    )


def _is_reading(function: Function, name: str, text: str, method: str) -> bool:
    if text in _BUILTINS or method in _LOCAL_METHODS:
        return True
    top = name.partition(".")[0].removesuffix("()")
    if name.startswith("?") or "." not in name:
        return False
    return top in sys.stdlib_module_names or (top in _LOCAL_LIBRARIES and not _is_own(function, name))


def _shorten(text: str) -> str:
    if len(text) <= _MOST_SHOWN:
        return text
    return (
        "….".join(["", get_last_part(text)])
        if len(get_last_part(text)) < _MOST_SHOWN
        else get_last_part(text)[:_MOST_SHOWN]
    )
