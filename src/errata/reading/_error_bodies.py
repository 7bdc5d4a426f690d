"""The bodies that APIs answer errors with, as facts: RFC 9457, Google, Stripe, GraphQL, FastAPI and the rest.

Nothing here knows a vendor. A fact has a few names that it goes by, at the top or inside `error`; what is not there
is None. What a word means, the classification tables say.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple, cast

from errata.dialects import flag_in, object_in, text_in
from errata.model import parse_wait, wait_ms
from errata.reading._validation_text import Issue, issue
from errata.redaction import as_object

_DEEPEST = 4
_MOST = 50
_MOST_SENTENCES = 6
_WORD_LIKE = 64
_FIRST_FAILURE, _LAST_FAILURE = 400, 599

_INSIDE = (
    "error",
    "errors",
    "fault",
    "exception",
    "cause",
    "detail",
    "details",
    "data",
    "body",
    "response",
    "root_cause",
    "results",
    "failures",
    "operations",
)
_MESSAGES = (
    "message", "error_description", "error_message", "errorMessage", "errorMessages", "error", "detail", "description",
    "msg", "details", "reason", "title", "text", "content", "exception.message", "error.message",
)  # fmt: skip
_STATUSES = (
    "status",
    "statusCode",
    "status_code",
    "httpStatus",
    "http_status",
    "code",
    "error_code",
    "errorCode",
    "http.response.status_code",
    "rpc.response.status_code",
)
_WORDS = (
    "code", "error_code", "errorCode", "type", "__type", "error_type", "errorType", "reason", "status", "error", "name",
    "title", "decline_code", "error.type", "exception.type",
)  # fmt: skip
_SECONDS = ("retry_after", "retryAfter", "retry-after", "retry_after_seconds", "retryAfterSeconds")
_MS = ("retry_after_ms", "retryAfterMs")
_FLAGS = ("retryable", "retriable", "isRetryable", "is_retryable", "transient")
_FIELDS = ("field", "param", "parameter", "argument", "property", "instancePath", "pointer")
_ISSUE_LISTS = (
    "issues", "errors", "detail", "details", "validationErrors", "validation_errors", "invalid_params", "invalid-params",
    "violations", "fieldViolations",
)  # fmt: skip
_BY_FIELD = ("errors", "fieldErrors", "validationErrors", "validation_errors", "message")
# Where an item of a list says what it is about: Opis, JSON:API's source, class-validator, Symfony, Google.
_PLACES = ("instancePath", "pointer", "path", "propertyPath", "dataPath", "property", "field")
_OF_JSON_API = "/data/attributes/"


_KNOWN = frozenset({*_INSIDE, *_MESSAGES, *_ISSUE_LISTS, *_WORDS})


class Body(NamedTuple):
    """What a body says."""

    message: str | None
    words: tuple[str, ...]
    status: int | None
    wait_ms: int | None
    flag: bool | None
    issues: tuple[Issue, ...]
    mention: Issue | None
    """The one argument it is about, where it has no list of issues."""
    number: int | None
    """A JSON-RPC number."""
    sentences: tuple[str, ...] = ()
    """What it says besides its message."""


NOTHING = Body(None, (), None, None, None, (), None, None)


def read_body(value: object) -> Body:
    """Take a body apart."""
    levels = list(_levels(value))
    if not levels:
        return NOTHING
    return Body(
        message=next((text for level in reversed(levels) if (text := _message(level))), None),
        words=tuple(dict.fromkeys(word for level in levels for word in _words_in(level)))[:_MOST],
        status=next((status for level in levels if (status := _status(level))), None),
        wait_ms=next((wait for level in levels if (wait := _wait(level)) is not None), None),
        flag=next((flag for level in levels for key in _FLAGS if (flag := flag_in(level, key)) is not None), None),
        issues=tuple(_issues(value, levels))[:_MOST],
        mention=next((each for level in reversed(levels) if (each := _mention(level))), None),
        number=next((number for level in levels if (number := _number(level))), None),
        sentences=tuple(dict.fromkeys(_sentences(levels)))[:_MOST_SENTENCES],
    )


def _levels(value: object, depth: int = 0) -> Iterator[Mapping[str, object]]:
    """Give the objects that are about the failure, the outermost first; of several in a list, the first."""
    if isinstance(value, list):
        value = next(iter(cast("list[object]", value)), None)
    level = as_object(value)
    if not level:
        return
    yield level
    if depth < _DEEPEST:
        for key in _INSIDE:
            if isinstance(level.get(key), dict | list):
                yield from _levels(level[key], depth + 1)
                return


def _message(level: Mapping[str, object]) -> str | None:
    for key in _MESSAGES:
        value = level.get(key)
        if isinstance(value, list) and key in {"errorMessages", "details", "errors"}:
            value = "\n".join(item for item in cast("list[object]", value)[:_MOST] if isinstance(item, str))
        if isinstance(value, str) and value.strip():
            return value
    return None


def _sentences(levels: list[Mapping[str, object]]) -> Iterator[str]:
    for level in reversed(levels):
        for key in ("error", "errors", *_MESSAGES):
            value = level.get(key)
            texts = cast("list[object]", value) if isinstance(value, list) else [value]
            yield from (each for each in texts[:_MOST_SENTENCES] if isinstance(each, str) and " " in each.strip())


def _words_in(level: Mapping[str, object]) -> Iterator[str]:
    for key in _WORDS:
        value = level.get(key)
        if isinstance(value, str) and 0 < len(value) <= _WORD_LIKE and "://" not in value:
            yield value.rpartition("#")[2]


def _status(level: Mapping[str, object]) -> int | None:
    for key in _STATUSES:
        value = level.get(key)
        if isinstance(value, str) and len(value) == 3 and value.isdecimal():  # noqa: PLR2004 - a status has three digits
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool) and _FIRST_FAILURE <= value <= _LAST_FAILURE:
            return value
    return None


def _number(level: Mapping[str, object]) -> int | None:
    value = level.get("code")
    return value if isinstance(value, int) and not isinstance(value, bool) and -33000 < value < 0 else None  # noqa: PLR2004 - JSON-RPC's


def _wait(level: Mapping[str, object]) -> int | None:
    inner = as_object(level.get("parameters"))  # Telegram's.
    for source in (level, inner):
        for key in _MS:
            if (wait := wait_ms(source.get(key))) is not None:
                return wait
        for key in _SECONDS:
            if key in source and (wait := parse_wait(source[key])) is not None:
                return wait
    return None


def _issues(value: object, levels: list[Mapping[str, object]]) -> list[Issue]:
    """Read the list of issues: the value itself, or the first list or object of lists that has some."""
    lists = (value, *(level.get(key) for level in levels for key in _ISSUE_LISTS))
    for each in lists:
        if isinstance(each, list) and (found := list(_listed(cast("list[object]", each)))):
            return found
    objects = (*(as_object(level.get(key)) for level in levels for key in _BY_FIELD), _as_fields(value))
    return next((found for each in objects if (found := list(_by_field(each)))), list[Issue]())


def _mention(level: Mapping[str, object]) -> Issue | None:
    for key in _FIELDS:
        field = level.get(key)
        if isinstance(field, str) and 0 < len(field) <= _WORD_LIKE:
            return issue(field, _message(level) or "", " ".join(_words_in(level)))
    return None


def _listed(items: list[object]) -> Iterator[Issue]:
    for item in items[:_MOST]:
        if found := _listed_issue(as_object(item)):
            yield found


def _by_field(problems: Mapping[str, object]) -> Iterator[Issue]:
    """Read problems by field, as Laravel and Jira have them."""
    for field, said in list(problems.items())[:_MOST]:
        problem = next(iter(cast("list[object]", said)), None) if isinstance(said, list) else said
        if isinstance(problem, str):
            yield issue([field], problem)


def _as_fields(value: object) -> Mapping[str, object]:
    """Take an object for problems by field if it has nothing but lists of texts, as Django's and Rails' have."""
    fields = as_object(value)
    if _KNOWN.isdisjoint(fields) and all(_is_list_of_texts(said) for said in fields.values()):
        return fields
    return {}


def _is_list_of_texts(value: object) -> bool:
    items = cast("list[object]", value) if isinstance(value, list) else []
    return bool(items) and all(isinstance(each, str) for each in items)


def _listed_issue(item: Mapping[str, object]) -> Issue | None:
    path, loc, message = item.get("path"), item.get("loc"), text_in(item, "message") or text_in(item, "msg") or ""
    word = text_in(item, "type") or text_in(item, "code") or text_in(item, "keyword") or ""
    if isinstance(loc, list):  # pydantic
        return issue(_without_place(cast("list[object]", loc)), message, word)
    if {"status", "success"} & item.keys() or ("error" in item and "path" in item):  # What came of one part of a batch.
        return None
    if (
        isinstance(path, list) and message and not {"locations", "extensions"} & item.keys() and not word.isupper()
    ):  # zod
        return issue(cast("list[object]", path), message, "required" if item.get("received") == "undefined" else word)
    if missing := text_in(object_in(item, "params"), "missingProperty"):
        return issue([missing], message, word)
    field = _place(item) or (text_in(item, "name") if "reason" in item else None)
    return issue(field, _message(item) or _constraint(item), word) if field else None


def _place(item: Mapping[str, object]) -> str | None:
    where = text_in(object_in(item, "source"), "pointer") or next(
        filter(None, (text_in(item, key) for key in _PLACES)), None
    )
    return where.removeprefix(_OF_JSON_API) if where and len(where) <= _WORD_LIKE else None


def _constraint(item: Mapping[str, object]) -> str:
    """Say which rule was broken, as class-validator does."""
    rules = object_in(item, "constraints")
    return next((rule for rule in rules.values() if isinstance(rule, str)), "")


def _without_place(where: list[object]) -> list[object]:
    """Drop where in an HTTP request an argument was."""
    return where[1:] if len(where) > 1 and where[0] in {"query", "path", "header", "cookie"} else where
