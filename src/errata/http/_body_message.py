"""What the body of a failure says: its own sentence, its codes, the arguments it complains about, the wait it asks for.

Services agree on no shape, but on the words their shapes are made of. The tables list these words, the ones that speak
to a reader before the ones that speak to a program.
"""

import html
import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple, cast

from errata.model import FieldIssue, parse_wait, wait_ms
from errata.redaction import as_object, text_of

# fmt: off
_SPEAKING = (
    "error_description",                           # OAuth
    "message", "msg",                              # most
    "detail", "title",                             # RFC 9457, JSON:API, FastAPI
    "error_message", "errorMessage", "Message",    # Maps, Java, AWS
    "errorMessages",                               # Jira
    "faultstring",                                 # Apigee
    "error", "errors", "Error", "fault",           # Google, GraphQL, Slack
    "description", "reason",
)
_COMPLAINTS = (
    "detail", "details", "errors",                 # FastAPI, Joi, RFC 9457, JSON:API, GitHub
    "invalid-params", "invalid_params",            # RFC 7807
    "violations", "fieldViolations",               # Symfony, Google
    "fieldErrors", "field_errors",
)
_BY_NAME = {"errors", "fieldErrors", "field_errors"}
_POSITIONS = ("loc", "pointer", "field", "param", "parameter", "header", "path", "property", "propertyPath", "attribute")
_PROBLEMS = ("msg", "message", "detail", "description", "reason", "title", "code")
_CODES = ("code", "type", "error", "status", "reason", "errorCode", "error_code", "error_type", "Code", "__type", "quotaId", "quotaMetric")
_INSIDE = ("error", "errors", "Error", "details", "violations", "parameters")
_WAITS_S = ("retry_after", "retryAfter", "retry_after_seconds", "retry_after_secs", "retryDelay", "retry_delay")
_WAITS_MS = ("retry_after_ms", "retryAfterMs")
_REQUEST_PARTS = {"", "#", "body", "query", "path", "header", "cookie", "data", "attributes"}
# fmt: on

_DEPTH = 5
_MOST_ISSUES = 20
_MOST_OBJECTS = 20
_SHORT = 300
_LONGEST_CODE = 200
_IN_XML = re.compile(
    r"<(?:[\w.-]{1,40}:)?(?:message|faultstring|error_description|detail|description|reason)(?:\s[^<>]{0,200})?>"
    r"\s{0,100}(?:<!\[CDATA\[)?([^<\]]{1,2000})",
    re.IGNORECASE,
)
_CODE_IN_XML = re.compile(r"<(?:[\w.-]{1,40}:)?code>\s{0,100}([\w.:-]{1,100})", re.IGNORECASE)
_TITLE = re.compile(r"<title(?:\s[^<>]{0,200})?>([^<]{1,500})", re.IGNORECASE)
_PREFORMATTED = re.compile(r"<pre>([^<]{1,200})", re.IGNORECASE)  # Where Express says what is wrong.


class BodyMessage(NamedTuple):
    """The words of a body; foreign text, as it came."""

    sentence: str = ""
    issues: tuple[FieldIssue, ...] = ()
    codes: tuple[str, ...] = ()
    """What it is called for programs: `insufficient_quota`."""
    wait_ms: int | None = None


def read_body_message(text: str) -> BodyMessage:
    """Read a body by what it looks like; its content type is not considered, because so many claim the wrong one."""
    start = text.lstrip()[:1]
    if start == "<":
        return _of_page(text) if is_page(text) else _of_xml(text)
    if start and start in '{["':
        try:
            value: object = json.loads(text)
        except (ValueError, RecursionError):
            return BodyMessage("" if start == "{" else _if_short(text))
        return _of_json(value)
    return BodyMessage(_if_short(text))


def _of_json(value: object) -> BodyMessage:
    objects = [*islice(_objects(value), _MOST_OBJECTS)]
    codes = [members[name] for members in objects for name in _CODES if name in members]
    return BodyMessage(
        _sentence(value),
        tuple(islice(_issues(value), _MOST_ISSUES)),
        tuple([code for code in codes if isinstance(code, str) and 0 < len(code) <= _LONGEST_CODE]),
        next((wait for members in objects if (wait := _wait(members)) is not None), None),
    )


def _objects(value: object, depth: int = _DEPTH) -> Iterator[dict[str, object]]:
    """Yield the objects that describe the failure: the body, its error, that error's details."""
    if members := as_object(value):
        yield members
    for inside in _items(value)[:_MOST_OBJECTS] if depth else ():
        yield from _objects(inside, depth - 1)
    for name in filter(members.__contains__, _INSIDE if depth else ()):
        yield from _objects(members[name], depth - 1)


def _wait(members: dict[str, object]) -> int | None:
    waits_ms = [wait_ms(members[name]) for name in _WAITS_MS if name in members]
    waits_s = [parse_wait(members[name]) for name in _WAITS_S if _is_number_or_text(members.get(name))]
    return next((wait for wait in (*waits_ms, *waits_s) if wait is not None), None)


def _is_number_or_text(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _if_short(text: str) -> str:
    return text if len(text) <= _SHORT else ""


def is_page(text: str) -> bool:
    """Return whether a text is a page of HTML."""
    return "<html" in text[:1000].lower() or "<!doctype html" in text[:100].lower()


def _of_page(text: str) -> BodyMessage:
    """Return the title of a page and no more; its preformatted text may name the failure."""
    preformatted = _PREFORMATTED.search(text)
    return BodyMessage(_match(_TITLE, text), codes=(html.unescape(preformatted[1]),) if preformatted else ())


def _of_xml(text: str) -> BodyMessage:
    code = _CODE_IN_XML.search(text)
    return BodyMessage(_match(_IN_XML, text), codes=(code[1],) if code else ())


def _match(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    return html.unescape(match[1]).strip() if match else ""


def _sentence(value: object, depth: int = _DEPTH) -> str:
    if isinstance(value, str):
        return value.strip()
    if depth == 0:
        return ""
    if items := _items(value):
        return _first_of(items, depth)
    match members := as_object(value):
        case {"title": str(title), "detail": str(detail)} if title.strip() and title not in detail:
            return f"{title.strip().rstrip('.')}: {detail.strip()}".rstrip(": ")
        case _:
            sentences = (_sentence_at(members, word, depth) for word in _SPEAKING if word in members)
            return next(filter(None, sentences), "") or _quote_first(_read_form(members))


def _sentence_at(members: dict[str, object], word: str, depth: int) -> str:
    by_name = _quote_first(_read_form_by_name(as_object(members[word]))) if word in _BY_NAME else ""
    return by_name or _sentence(members[word], depth - 1)


def _first_of(values: list[object], depth: int) -> str:
    issue = _issue(values[0])
    sentence = f"`{issue.field}`: {issue.problem}" if issue else _sentence(values[0], depth - 1)
    return f"{sentence} (and {len(values) - 1} more)" if sentence and len(values) > 1 else sentence


def _quote_first(issues: Iterator[FieldIssue]) -> str:
    """Return the first of some issues in words, and how many there are besides."""
    listed = [f"`{issue.field}`: {issue.problem}" for issue in islice(issues, _MOST_ISSUES)]
    return f"{listed[0]} (and {len(listed) - 1} more)" if len(listed) > 1 else "".join(listed)


def _issues(value: object, depth: int = _DEPTH) -> Iterator[FieldIssue]:
    """Yield the complaints about single arguments, wherever the body keeps them."""
    members = as_object(value)
    yield from _read_form(members)
    for word in filter(members.__contains__, ("error", *_COMPLAINTS) if depth else ()):
        for item in _items(members[word]) or (members[word],):
            if issue := _issue(item):
                yield issue
            else:
                by_name = [*_read_form_by_name(as_object(item))] if word in _BY_NAME else []
                yield from by_name or _issues(item, depth - 1)


def _read_form(members: dict[str, object]) -> Iterator[FieldIssue]:
    """Read `{"email": ["is taken"]}`, as Django, Rails, Laravel and ASP.NET write it: all lists, and no other words."""
    if all(map(_items, members.values())) and members.keys().isdisjoint((*_SPEAKING, *_COMPLAINTS)):
        firsts = {field: _items(problems)[0] for field, problems in members.items()}
        yield from (FieldIssue(_path(field), first) for field, first in firsts.items() if isinstance(first, str))


def _read_form_by_name(members: dict[str, object]) -> Iterator[FieldIssue]:
    """Read what stands under `errors` by the name of a field, as Jira and Mongoose write it: a text or an object each."""
    lists = bool(members) and all(map(_items, members.values()))
    if lists or members.keys().isdisjoint((*_SPEAKING, *_COMPLAINTS)):
        problems = {field: _problem((_items(value) or [value])[0]) for field, value in members.items()}
        yield from (FieldIssue(_path(field), problem) for field, problem in problems.items() if problem)


def _problem(value: object) -> str:
    members = as_object(value)
    texts = (value, *(members.get(word) for word in _PROBLEMS))
    return next((text for text in texts if isinstance(text, str) and text.strip()), "")


def _items(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def _issue(item: object) -> FieldIssue | None:
    """Take an item for a complaint about one argument; the rejected value beside it stays behind."""
    members = as_object(item)
    if "locations" in members or "extensions" in members:
        return None  # GraphQL: its `path` leads into the answer, not into the arguments.
    match members:
        case {"name": str(name), "reason": str(reason)}:
            return FieldIssue(_path(name), reason)
        case _:
            positions = members | as_object(members.get("source"))
    field = next((path for word in _POSITIONS if word in positions and (path := _path(positions[word]))), "")
    problem = _problem(members)
    return FieldIssue(field, problem) if field and problem else None


def _path(position: object) -> str:
    """Write a position as a dotted path, from `["body", "items", 0]` or `#/data/attributes/items/0`."""
    parts = [text_of(part) for part in _items(position)]
    if isinstance(position, str):
        parts = position.split("/") if position.startswith(("/", "#/")) else [position]
    while len(parts) > 1 and parts[0] in _REQUEST_PARTS:
        del parts[0]
    return ".".join(parts)
