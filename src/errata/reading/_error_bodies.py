"""The facts in error bodies of APIs: RFC 9457, Google, Stripe, GraphQL, FastAPI and the rest.

Nothing here knows a vendor: each fact goes by a few names, at the top or inside `error`, and is None if it is missing.
The classification tables say what the words mean.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple, cast

from errata.dialects import flag_in, object_in, text_in
from errata.model import parse_wait, wait_ms
from errata.reading._validation_text import Issue, make_issue
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
# The member of an item that names its argument: Opis, JSON:API's source, class-validator, Symfony, Google.
_POSITIONS = ("instancePath", "pointer", "path", "propertyPath", "dataPath", "property", "field")
_OF_JSON_API = "/data/attributes/"


_KNOWN = frozenset({*_INSIDE, *_MESSAGES, *_ISSUE_LISTS, *_WORDS})


class Body(NamedTuple):
    """The facts in an error body."""

    message: str | None
    words: tuple[str, ...]
    status: int | None
    wait_ms: int | None
    flag: bool | None
    issues: tuple[Issue, ...]
    mention: Issue | None
    """The one argument it is about, if it has no list of issues."""
    number: int | None
    """A JSON-RPC number."""
    sentences: tuple[str, ...] = ()
    """The sentences besides its message."""


NOTHING = Body(None, (), None, None, None, (), None, None)


def read_body(value: object) -> Body:
    """Return the facts in an error body."""
    levels = list(_iterate_levels(value))
    if not levels:
        return NOTHING
    words = [word for level in levels for word in _find_words(level)]
    return Body(
        message=next((text for level in reversed(levels) if (text := _find_message(level))), None),
        words=tuple(dict.fromkeys([*words, *_find_codes(levels)]))[:_MOST],
        status=next((status for level in levels if (status := _find_status(level))), None),
        wait_ms=next((wait for level in levels if (wait := _find_wait(level)) is not None), None),
        flag=next((flag for level in levels for key in _FLAGS if (flag := flag_in(level, key)) is not None), None),
        issues=tuple(_find_issues(value, levels))[:_MOST],
        mention=next((each for level in reversed(levels) if (each := _find_mention(level))), None),
        number=next((number for level in levels if (number := _find_number(level))), None),
        sentences=tuple(dict.fromkeys(_find_sentences(levels)))[:_MOST_SENTENCES],
    )


def list_sentences(value: object) -> list[str]:
    """Return what an error body says in words, its message first; a text is its own."""
    if isinstance(value, str):
        return [value]
    body = read_body(value)
    return [*filter(None, [body.message]), *body.sentences]


def _iterate_levels(value: object, depth: int = 0) -> Iterator[Mapping[str, object]]:
    """Yield the nested objects that describe the failure, the outermost first; of a list, the first item."""
    if isinstance(value, list):
        value = next(iter(cast("list[object]", value)), None)
    level = as_object(value)
    if not level:
        return
    yield level
    if depth < _DEEPEST:
        for key in _INSIDE:
            if isinstance(level.get(key), dict | list):
                yield from _iterate_levels(level[key], depth + 1)
                return


def _find_message(level: Mapping[str, object]) -> str | None:
    for key in _MESSAGES:
        value = level.get(key)
        if isinstance(value, list) and key in {"errorMessages", "details", "errors"}:
            value = "\n".join(item for item in cast("list[object]", value)[:_MOST] if isinstance(item, str))
        if isinstance(value, str) and value.strip():
            return value
    return None


def _find_sentences(levels: list[Mapping[str, object]]) -> Iterator[str]:
    for level in reversed(levels):
        for key in ("error", "errors", *_MESSAGES):
            value = level.get(key)
            texts = cast("list[object]", value) if isinstance(value, list) else [value]
            yield from (each for each in texts[:_MOST_SENTENCES] if isinstance(each, str) and " " in each.strip())


def _find_words(level: Mapping[str, object]) -> Iterator[str]:
    for key in _WORDS:
        value = level.get(key)
        if isinstance(value, str) and 0 < len(value) <= _WORD_LIKE and "://" not in value:
            yield value.rpartition("#")[2]


def _find_codes(levels: list[Mapping[str, object]]) -> Iterator[str]:
    """Yield the codes of GraphQL's errors, unless there are data beside them: what has some was done."""
    if not any(as_object(levels[0].get("data")).values()):
        yield from (code[:_WORD_LIKE] for each in levels if (code := text_in(object_in(each, "extensions"), "code")))


def _find_status(level: Mapping[str, object]) -> int | None:
    for key in _STATUSES:
        value = level.get(key)
        if isinstance(value, str) and len(value) == 3 and value.isdecimal():  # noqa: PLR2004 - a status has three digits
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool) and _FIRST_FAILURE <= value <= _LAST_FAILURE:
            return value
    return None


def _find_number(level: Mapping[str, object]) -> int | None:
    value = level.get("code")
    return value if isinstance(value, int) and not isinstance(value, bool) and -33000 < value < 0 else None  # noqa: PLR2004 - JSON-RPC's


def _find_wait(level: Mapping[str, object]) -> int | None:
    inner = as_object(level.get("parameters"))  # Telegram's.
    for source in (level, inner):
        for key in _MS:
            if (wait := wait_ms(source.get(key))) is not None:
                return wait
        for key in _SECONDS:
            if key in source and (wait := parse_wait(source[key])) is not None:
                return wait
    return None


def _find_issues(value: object, levels: list[Mapping[str, object]]) -> list[Issue]:
    """Return the issues in the value itself, or in the first list or object of lists that has some."""
    lists = (value, *(level.get(key) for level in levels for key in _ISSUE_LISTS))
    for each in lists:
        if isinstance(each, list) and (issues := list(_read_issue_list(cast("list[object]", each)))):
            return issues
    objects = (*(as_object(level.get(key)) for level in levels for key in _BY_FIELD), _as_problems_by_field(value))
    return next((issues for each in objects if (issues := list(_read_by_field(each)))), list[Issue]())


def _find_mention(level: Mapping[str, object]) -> Issue | None:
    for key in _FIELDS:
        field = level.get(key)
        if isinstance(field, str) and 0 < len(field) <= _WORD_LIKE:
            return make_issue(field, _find_message(level) or "", " ".join(_find_words(level)))
    return None


def _read_issue_list(items: list[object]) -> Iterator[Issue]:
    for item in items[:_MOST]:
        if issues := _read_issue(as_object(item)):
            yield issues


def _read_by_field(problems: Mapping[str, object]) -> Iterator[Issue]:
    """Yield the problems of an object that has one per field, as Laravel and Jira write them."""
    for field, problems_of_field in list(problems.items())[:_MOST]:
        problem = (
            next(iter(cast("list[object]", problems_of_field)), None)
            if isinstance(problems_of_field, list)
            else problems_of_field
        )
        if isinstance(problem, str):
            yield make_issue([field], problem)


def _as_problems_by_field(value: object) -> Mapping[str, object]:
    """Return an object as problems by field if it has nothing but lists of texts, as Django and Rails write them."""
    fields = as_object(value)
    if _KNOWN.isdisjoint(fields) and all(_is_list_of_texts(problems_of_field) for problems_of_field in fields.values()):
        return fields
    return {}


def _is_list_of_texts(value: object) -> bool:
    items = cast("list[object]", value) if isinstance(value, list) else []
    return bool(items) and all(isinstance(each, str) for each in items)


def _read_issue(item: Mapping[str, object]) -> Issue | None:
    path, loc, message = item.get("path"), item.get("loc"), text_in(item, "message") or text_in(item, "msg") or ""
    word = text_in(item, "type") or text_in(item, "code") or text_in(item, "keyword") or ""
    if isinstance(loc, list):  # pydantic
        return make_issue(_drop_request_part(cast("list[object]", loc)), message, word)
    if {"status", "success"} & item.keys() or (
        "error" in item and "path" in item
    ):  # The outcome of one part of a batch.
        return None
    if (
        isinstance(path, list) and message and not {"locations", "extensions"} & item.keys() and not word.isupper()
    ):  # zod
        return make_issue(
            cast("list[object]", path), message, "required" if item.get("received") == "undefined" else word
        )
    if missing := text_in(object_in(item, "params"), "missingProperty"):
        return make_issue([missing], message, word)
    field = _find_position(item) or (text_in(item, "name") if "reason" in item else None)
    return make_issue(field, _find_message(item) or _find_constraint(item), word) if field else None


def _find_position(item: Mapping[str, object]) -> str | None:
    where = text_in(object_in(item, "source"), "pointer") or next(
        filter(None, (text_in(item, key) for key in _POSITIONS)), None
    )
    return where.removeprefix(_OF_JSON_API) if where and len(where) <= _WORD_LIKE else None


def _find_constraint(item: Mapping[str, object]) -> str:
    """Return the rule that was broken, as class-validator names it."""
    rules = object_in(item, "constraints")
    return next((rule for rule in rules.values() if isinstance(rule, str)), "")


def _drop_request_part(where: list[object]) -> list[object]:
    """Return a path without the part of the HTTP request that it begins with."""
    return where[1:] if len(where) > 1 and where[0] in {"query", "path", "header", "cookie"} else where
