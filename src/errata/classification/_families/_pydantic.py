"""What Pydantic refuses, in both of its versions: the fields and the rules, never the values."""

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby, islice
from types import FrameType, TracebackType
from typing import cast

from errata.classification._exception_rules import Classification
from errata.classification._families._refusals import REQUIRED, path_of, predicate, refuse
from errata.classification._foreign import call_method, peek, read_text
from errata.model import Code, FieldIssue, is_a, items_of
from errata.redaction import as_object, text_of

# fmt: off
_EXPECTED = {
    "int_parsing": "a whole number",  "int_type": "a whole number",  "int_from_float": "a whole number",
    "float_parsing": "a number",      "float_type": "a number",      "decimal_parsing": "a number",  "decimal_type": "a number",
    "bool_parsing": "true or false",  "bool_type": "true or false",
    "string_type": "text",            "bytes_type": "text",
    "list_type": "a list",            "tuple_type": "a list",        "set_type": "a list",           "frozen_set_type": "a list",
    "dict_type": "an object",         "mapping_type": "an object",   "model_type": "an object",      "model_attributes_type": "an object",
    "dataclass_type": "an object",
    "none_required": "null",
}
"""What Pydantic expects, by its name for the problem, in the words of JSON."""
# fmt: on
# A value of the right type, written in the wrong way. A number or a flag that cannot be read is of the wrong type.
_OTHER_TYPES = {"int_parsing", "float_parsing", "decimal_parsing", "bool_parsing"}
_OF_A_FORMAT = {
    "base64_decode", "byte_size", "bytes_invalid_encoding", "color_error", "date_from_datetime_inexact", "pattern_regex",
    "timezone_aware", "timezone_naive", "timezone_offset", "uuid_version", "zoneinfo_str",
    "type_error.uuid", "value_error.color", "value_error.date", "value_error.datetime", "value_error.duration",
    "value_error.email", "value_error.invalidbytesize", "value_error.regex_pattern", "value_error.str.regex",
    "value_error.time",
}  # fmt: skip
_FORMAT_PREFIXES = ("ip_", "url_", "value_error.ipv", "value_error.url")
_FORMAT_SUFFIXES = ("_format", "_parsing", "_pattern_mismatch")
_EMAIL = "value is not a valid email address"
"""What Pydantic's own check says; its name for the problem is the one for every check."""
_MUST_BE = "must be "
_ABSENT = object()
_NAMES_WHAT_IS_ALLOWED = {"enum", "literal_error"}
_OF_A_KEY = "[key]"
_MOST_VALUES = 1_000
_SHORTEST_VALUE = 4
"""Shorter ones turn up in the words of any rule."""
_LONGEST_JSON = 1_000_000
_DEEPEST = 10_000
_SETTINGS = ("pydantic_settings.", "pydantic.v1.env_settings", "pydantic.env_settings")
_INNERMOST = 3
"""How close to the refusal the settings must be: a validator of theirs may build a model in turn."""


def by_fields(error: BaseException) -> Classification:
    """The fields it names; a setting of this server is no argument of a caller."""
    details = _details(error)
    issues = (_issue(detail, path_of(_position_of(detail))) for detail in details)
    title = read_text(error, "title") or read_text(error, "model", "__name__")
    refusal = refuse(issues, title, by_format=all(map(_is_about_format, details)))
    if _is_about_settings(error):
        return refusal._replace(code=Code.CONFIGURATION_ERROR, issues=())
    return refusal


def by_arguments(error: BaseException, of: str, given: Mapping[str, object] | None = None) -> Classification:
    """The arguments of a tool that do not fit it; those that were given tell a field from the member of a union."""
    details = _details(error)
    opened = {name: _open_json(value) for name, value in (given or {}).items() if _is_json_in_text(value)}
    read = given and {**given, **opened}
    paths = [
        path_of(_inside(detail, read)) if read is not None else path_of(_position_of(detail)) for detail in details
    ]
    values = tuple(islice(_leaves([given, opened]), _MOST_VALUES))
    issues = [_describe_issue(detail, path, values) for detail, path in zip(details, paths, strict=True)]
    by_format = all(map(_is_about_format, details))
    refusal = refuse(_alternatives(issues), of, each="argument", by_format=by_format)
    return refusal if refusal.code is not Code.VALIDATION_FAILED else refusal._replace(code=Code.INVALID_PARAMS)


def _is_json_in_text(value: object) -> bool:
    return is_a(value, str) and len(value) <= _LONGEST_JSON and value.lstrip()[:1] in {"{", "["}


def _open_json(value: object) -> object:
    """Return an object or a list that was sent as JSON text, as the SDK reads it: positions are inside of it."""
    try:
        return cast("object", json.loads(cast("str", value)))
    except (ValueError, RecursionError):
        return value


def _describe_issue(detail: object, path: str, values: Iterable[str]) -> FieldIssue:
    issue = _issue(detail, path)
    if _position_of(detail)[-1:] == (_OF_A_KEY,):
        issue = FieldIssue(path, f"has a key that {issue.problem}")
    return issue if read_text(detail, "type") in _NAMES_WHAT_IS_ALLOWED else _leave_out_value(issue, values)


def _leave_out_value(issue: FieldIssue, values: Iterable[str]) -> FieldIssue:
    """Return a text without what was given: a validator that somebody wrote may quote it, and it may be a password."""
    problem = issue.problem
    for value in values:
        problem = problem.replace(value, "…") if len(value) >= _SHORTEST_VALUE else problem
    return issue if problem == issue.problem else FieldIssue(issue.field, problem)


def _leaves(given: object) -> Iterator[str]:
    """Walk the texts and numbers in what was given."""
    waiting = [given]
    while waiting:
        value = waiting.pop()
        if is_a(value, dict):
            waiting += cast("dict[str, object]", value).values()
        elif is_a(value, list):
            waiting += cast("list[object]", value)
        elif value is not None and not is_a(value, bool):
            yield text_of(value)


def _inside(detail: object, given: object) -> Iterator[object]:
    """Return the part of a position that is in what was given: the rest names a union's member, or the missing field."""
    position = _position_of(detail)
    *outer, last = (position[:-2] if position[-1:] == (_OF_A_KEY,) else position) or ("",)
    for part in outer:
        if (member := _member(given, part)) is not _ABSENT:
            yield part
            given = member
    if is_a(last, int) or _is_missing(detail) or _member(given, last) is not _ABSENT:
        yield last


def _member(given: object, part: object) -> object:
    if is_a(part, str):
        return as_object(given).get(part, _ABSENT)
    if is_a(given, list) and is_a(part, int):
        return next(islice(cast("list[object]", given), part, None), _ABSENT)
    return _ABSENT


def _alternatives(issues: Iterable[FieldIssue]) -> Iterator[FieldIssue]:
    """Return the problems of one field as one: every member of a union refuses it for a reason of its own."""
    for field, group in groupby(issues, key=lambda issue: issue.field):
        several = list(group)
        problems = list(dict.fromkeys(issue.problem for issue in several))
        if len(problems) == 1:
            yield several[0]
        elif all(problem.startswith(_MUST_BE) for problem in problems):
            yield FieldIssue(field, _MUST_BE + " or ".join(problem.removeprefix(_MUST_BE) for problem in problems))
        else:
            yield FieldIssue(field, ", or ".join(problems))


def _details(error: BaseException) -> tuple[object, ...]:
    method = cast("Callable[..., object]", peek(error, "errors"))
    try:
        return items_of(method(include_url=False, include_context=False, include_input=False))
    except TypeError:  # The first version takes no such options, and gives no input.
        return items_of(call_method(error, "errors"))


def _position_of(detail: object) -> tuple[object, ...]:
    return tuple(part for part in items_of(peek(detail, "loc")) if part != "__root__")


def _is_missing(detail: object) -> bool:
    kind = read_text(detail, "type") or ""
    return kind.startswith("missing") or kind == "value_error.missing"


def _is_about_format(detail: object) -> bool:
    """Return whether a value is of the right type and written in the wrong way: a date, a pattern, a UUID, an address."""
    kind = read_text(detail, "type") or ""
    if kind in {"json_invalid", "value_error.json"}:  # Without a position it is the input as a whole.
        return bool(_position_of(detail))
    if kind == "value_error":
        return (read_text(detail, "msg") or "").startswith(_EMAIL)
    if kind in _OTHER_TYPES or kind.endswith("_type"):
        return False
    return kind in _OF_A_FORMAT or kind.startswith(_FORMAT_PREFIXES) or kind.endswith(_FORMAT_SUFFIXES)


def _issue(detail: object, where: str) -> FieldIssue:
    kind, message = read_text(detail, "type") or "", read_text(detail, "msg") or "is not allowed here"
    if _is_missing(detail):
        return FieldIssue(where, REQUIRED)
    if expected := _EXPECTED.get(kind):
        return FieldIssue(where, f"{_MUST_BE}{expected}")
    if kind.endswith("_parsing"):  # Behind the comma, it quotes what it stumbled over.
        message = message.partition(",")[0]
    named = kind in _NAMES_WHAT_IS_ALLOWED
    return FieldIssue(where, predicate(message), message.removeprefix("Input should be ") if named else None)


def _is_about_settings(error: BaseException) -> bool:
    """Return whether pydantic-settings asked for the model; only the traceback knows."""
    frames = deque(islice(_frames(error), _DEEPEST), maxlen=_INNERMOST)
    return any((read_text(frame.f_globals, "__name__") or "").startswith(_SETTINGS) for frame in frames)


def _frames(error: BaseException) -> Iterator[FrameType]:
    traceback = peek(error, "__traceback__")
    while is_a(traceback, TracebackType):
        yield traceback.tb_frame
        traceback = traceback.tb_next
