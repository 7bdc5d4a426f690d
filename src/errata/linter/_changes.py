"""Calls that change something outside of the server: what is posted, inserted, deleted, sent or written."""

import ast
import re
from typing import NamedTuple

from errata.linter._code import Function
from errata.linter._names import last_of, written
from errata.linter._origins import origin_of
from errata.linter._raising import argument, keyword

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
NAMES = {"post", "put", "patch", "delete", "create", "commit", "execute", "open", *_EXECUTES, *_WRITES, *_MAILS} | {
    last_of(name) for name in _FILES
}


class Change(NamedTuple):
    """A call that changes something."""

    what: str
    each_time: bool
    """Whether doing it twice does it twice."""
    is_local: bool = False
    """Whether it changes nothing but a file."""


def change_of(function: Function, call: ast.Call, name: str) -> Change | None:
    """Say what a call changes, if it evidently changes something."""
    if (method := _method(call, name)) is not None:
        return Change(f"{_short(call, name)}` with `{method}", method == "POST")
    if name.upper() in _METHODS:
        return _by_client(function, call, name)
    if name in _EXECUTES:
        return _by_statement(function, call, name)
    return _by_name(function, call, name)


def may_name_a_method(name: str) -> bool:
    """Whether a function of this name may be told which HTTP method to use."""
    return "request" in name or "api" in name or "http" in name


def varies_in_method(call: ast.Call, name: str) -> bool:
    """Whether a call makes a request whose method is known to its caller only: `client.request(method, url)`."""
    return name == "request" and isinstance(argument(call, 0, "method"), ast.Name)


def _method(call: ast.Call, name: str) -> str | None:
    """Find the HTTP method that is written out among the arguments: `self._request("POST", path)`."""
    if not may_name_a_method(name):
        return None
    for given in (*call.args[:2], keyword(call, "method")):
        if isinstance(given, ast.Constant) and isinstance(given.value, str) and given.value.upper() in _METHODS:
            return given.value.upper()
    return None


def _by_client(function: Function, call: ast.Call, name: str) -> Change | None:
    origin = origin_of(function, call.func) or ""
    receiver = last_of(origin.rpartition(".")[0].replace("()", "")).lstrip("?")
    if origin.startswith(_LIBRARIES) or _CLIENTS.search(receiver):
        return Change(_short(call, name), name == "post")
    return None


def _by_statement(function: Function, call: ast.Call, name: str) -> Change | None:
    text = _text(function, call.args[0] if call.args else None)
    found = _STATEMENT.match(text)
    if found and not _OWN_RECORDS.search(text):
        verb = " ".join(found[1].upper().split())
        each_time = verb.startswith("INSERT") and not _REPEATABLE_INSERT.search(text)
        return Change(f"{_short(call, name)}` with `{verb}", each_time)
    inner = (written(call.func) or "").removesuffix(f".{name}")
    if found := _GOOGLE.search(inner):
        return Change(
            ".".join(inner.removesuffix("()").split(".")[-2:]),
            found[1] in {"insert", "create", "send", "append", "copy"},
        )
    return None


def _text(function: Function, given: ast.expr | None) -> str:
    if isinstance(given, ast.Name):
        given = function.bindings.get(given.id)
    match given:
        case ast.Constant(value=str(text)) | ast.JoinedStr(values=[ast.Constant(value=str(text)), *_]):
            return text
        case ast.Call(func=ast.Name(id="text"), args=[inner, *_]):
            return _text(function, inner)
        case _:
            return ""


def _by_name(function: Function, call: ast.Call, name: str) -> Change | None:
    if name == "open":
        return Change("open", each_time=False, is_local=True) if _opens_to_write(call) else None
    if not isinstance(call.func, ast.Attribute):
        return None
    if name in _WRITES or (name == "commit" and not call.args):
        return Change(_short(call, name), each_time=False, is_local=name in _WRITES)
    origin = origin_of(function, call.func) or ""
    if origin in _FILES:
        return Change(origin, each_time=False, is_local=True)
    if origin.startswith(("smtplib.", "aiosmtplib.")) and name in _MAILS:
        return Change(_short(call, name), each_time=True)
    return Change(origin, each_time=True) if origin.startswith("stripe.") and name == "create" else None


def _opens_to_write(call: ast.Call) -> bool:
    mode = argument(call, 1, "mode")
    return isinstance(mode, ast.Constant) and isinstance(mode.value, str) and mode.value[:1] in {"w", "a", "x"}


def _short(call: ast.Call, name: str) -> str:
    """Write what is called with what it belongs to, and no more."""
    return ".".join((written(call.func) or name).split(".")[-2:])
