"""Results that tell of an error in words: `"Error: no such order"`, `{"success": False, …}`, the same as JSON or content."""

import ast
import re
from typing import NamedTuple

from errata.linter.analysis._error_messages import GAP, read_words
from errata.linter.analysis._success_shapes import FAILED_STATUSES, STATUS_KEYS, SUCCESS_KEYS, list_pairs
from errata.linter.syntax import Function, get_last_part, spell_name

_STATUS = re.compile(
    r"(^|_)(check|checks|debug|diagnos\w*|doctor|health\w*|is|has|can|lint|ping|probe|self_test|status|test|validate|validation|verify)(_|$)"
)


def tells_status(function: Function) -> bool:
    """Return whether the name of a function promises a status, as `health_check` and `validate_config` do."""
    return bool(_STATUS.search(get_last_part(function.name).lower()))


_DEEPEST = 5  # Nesting of objects, lists and calls.

_STATUS_FIELDS = frozenset(
    {"valid", "is_valid", "isError", "is_error", "errors", "healthy", "connected", "exists", "found", "available"}
)
_MESSAGE_FIELDS = frozenset({"error", "message", "msg", "detail", "details", "reason", "error_message"})
_DUMPS = frozenset({"dumps", "json_dumps", "to_json"})
_BEGINS = re.compile(
    r"[\W_]*(error\b(?! (rate|count|code|log|handl|margin|message))|failed to\b|failure:|invalid \w|unknown \w|cannot \w|can't \w|could not \w|unable to\b|missing required\b)",
    re.IGNORECASE,
)
_CROSS = ("❌", "⛔", "🚫")
_ENDS = re.compile(r"\b(not found|does not exist|doesn't exist)[\W_]*$", re.IGNORECASE)


class ErrorAnswer(NamedTuple):
    """An error that is returned as a result."""

    looks: str
    """What kind of result it is, for a message."""
    text: str
    """Its literal text."""


def read_error_answer(value: ast.expr | None, depth: int = 0) -> ErrorAnswer | None:
    """Return the error that a returned value tells of; None unless it surely tells of one."""
    match value:
        case _ if depth > _DEEPEST:
            return None
        case ast.Constant(value=str()) | ast.JoinedStr() | ast.BinOp():
            text = read_literal_text(value)
            return ErrorAnswer("text", text) if _says_error(text) else None
        case ast.Dict():
            return _read_pairs(list_pairs(value))
        case ast.List(elts=[only]):
            return read_error_answer(only, depth + 1)
        case ast.Call():
            return _read_call(value, depth)
        case _:
            return None


def read_literal_text(value: ast.expr) -> str:
    """Return the literal words of a text expression, with `…` for everything else."""
    return read_words(value).replace(GAP, "…")


def _says_error(text: str) -> bool:
    first = text.strip().partition("\n")[0]
    if first.startswith(_CROSS) or _BEGINS.match(first):
        return True
    return "\n" not in text.strip() and not first.lower().startswith("no ") and bool(_ENDS.search(first))


def _read_call(call: ast.Call, depth: int) -> ErrorAnswer | None:
    name = get_last_part(spell_name(call.func) or "")
    if name in _DUMPS and call.args:
        inside = read_error_answer(call.args[0], depth + 1)
        return inside and ErrorAnswer("JSON", inside.text)
    if name == "TextContent":
        text = next((each.value for each in call.keywords if each.arg == "text"), None)
        inside = read_error_answer(text, depth + 1)
        return inside and ErrorAnswer("content", inside.text)
    if name == "str" and len(call.args) == 1:
        return read_error_answer(call.args[0], depth + 1)
    if name[:1].isupper() and not call.args:
        return _read_pairs([(each.arg or "", each.value) for each in call.keywords])
    return None


def _read_pairs(pairs: list[tuple[str, ast.expr]]) -> ErrorAnswer | None:
    """Read the error in `{"error": "no such order"}`, `{"status": "error", …}` or `Answer(success=False, …)`."""
    if any(name in _STATUS_FIELDS for name, _ in pairs):
        return None  # A status is what was asked for, and a list of errors stands beside data.
    marked = next((name for name, value in pairs if _marks(name, value)), None)
    if marked is None:
        return None
    message = next(
        (text for name, value in pairs if name in _MESSAGE_FIELDS and (text := read_literal_text(value)).strip("…")), ""
    )
    return ErrorAnswer(f"an object with `{marked}`", message)


def _marks(name: str, value: ast.expr) -> bool:
    match value:
        case ast.Constant(value=False):
            return name in SUCCESS_KEYS
        case ast.Constant(value=str(text)):
            return (name in STATUS_KEYS and text.lower() in FAILED_STATUSES) or (name == "error" and bool(text))
        case ast.JoinedStr() | ast.BinOp() | ast.Dict(keys=[_, *_]):
            return name == "error"
        case _:
            return False
