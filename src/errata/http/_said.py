"""What the body of a failure says: its own sentence, and the arguments it complains about.

Services agree on no shape, but on the words their shapes are made of. The tables list these words, the ones that speak
to a reader before the ones that speak to a program.
"""

import html
import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple, cast

from errata._fault import FieldIssue
from errata._jsonable import as_object, text_of
from errata._values import is_a

# fmt: off
_SPEAKING = (
    "error_description",                           # OAuth
    "message", "msg",                              # most
    "detail", "title",                             # RFC 9457, JSON:API, FastAPI
    "error_message", "errorMessage", "Message",    # Maps, Java, AWS
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
_PLACES = ("loc", "pointer", "field", "param", "parameter", "header", "path", "property", "propertyPath", "attribute")
_PROBLEMS = ("msg", "message", "detail", "description", "reason", "title", "code")
_REQUEST_PARTS = {"", "#", "body", "query", "path", "header", "cookie", "data", "attributes"}
# fmt: on

_DEPTH = 5
_MOST_ISSUES = 20
_SHORT = 300
_IN_XML = re.compile(
    r"<(?:[\w.-]{1,40}:)?(?:message|faultstring|error_description|detail|description|reason)(?:\s[^<>]{0,200})?>"
    r"\s{0,100}(?:<!\[CDATA\[)?([^<\]]{1,2000})",
    re.IGNORECASE,
)
_TITLE = re.compile(r"<title(?:\s[^<>]{0,200})?>([^<]{1,500})", re.IGNORECASE)


class Said(NamedTuple):
    """The words of a body; foreign text, as it came."""

    sentence: str = ""
    issues: tuple[FieldIssue, ...] = ()


def said_in(text: str) -> Said:
    """Read a body; what it claims to be is not asked, because so many claim the wrong thing."""
    start = text.lstrip()[:1]
    if start == "<":
        return Said(_in_markup(text))
    if start and start in '{["':
        try:
            value: object = json.loads(text)
        except (ValueError, RecursionError):
            return Said("" if start == "{" else _if_short(text))
        return Said(_sentence(value), tuple(islice(_issues(value), _MOST_ISSUES)))
    return Said(_if_short(text))


def _if_short(text: str) -> str:
    return text if len(text) <= _SHORT else ""


def _in_markup(text: str) -> str:
    is_page = "<html" in text[:1000].lower() or "<!doctype html" in text[:100].lower()
    found = (_TITLE if is_page else _IN_XML).search(text)
    return html.unescape(found[1]).strip() if found else ""


def _sentence(value: object, depth: int = _DEPTH) -> str:
    if is_a(value, str):
        return value.strip()
    if depth == 0:
        return ""
    if items := _items(value):
        return _first_of(items, depth)
    match members := as_object(value):
        case {"title": str(title), "detail": str(detail)} if title.strip() and title not in detail:
            return f"{title.strip().rstrip('.')}: {detail.strip()}".rstrip(": ")
        case _:
            sentences = (_sentence(members[word], depth - 1) for word in _SPEAKING if word in members)
            return next(filter(None, sentences), "") or _of_form(members)


def _first_of(values: list[object], depth: int) -> str:
    issue = _issue(values[0])
    sentence = f"`{issue.field}`: {issue.problem}" if issue else _sentence(values[0], depth - 1)
    return f"{sentence} (and {len(values) - 1} more)" if sentence and len(values) > 1 else sentence


def _of_form(members: dict[str, object]) -> str:
    return next((f"`{issue.field}`: {issue.problem}" for issue in _form(members)), "")


def _issues(value: object, depth: int = _DEPTH) -> Iterator[FieldIssue]:
    """Find the complaints about single arguments, wherever the body keeps them."""
    members = as_object(value)
    yield from _form(members)
    for word in filter(members.__contains__, ("error", *_COMPLAINTS) if depth else ()):
        for item in _items(members[word]) or (members[word],):
            issue = _issue(item)
            yield from [issue] if issue else _issues(item, depth - 1)


def _form(members: dict[str, object]) -> Iterator[FieldIssue]:
    """Read `{"email": ["is taken"]}`, as Django, Rails, Laravel and ASP.NET write it: all lists, and no other words."""
    if all(_items(problems) for problems in members.values()) and members.keys().isdisjoint((*_SPEAKING, *_COMPLAINTS)):
        firsts = {field: _items(problems)[0] for field, problems in members.items()}
        yield from (FieldIssue(_path(field), first) for field, first in firsts.items() if is_a(first, str))


def _items(value: object) -> list[object]:
    return cast("list[object]", value) if is_a(value, list) else []


def _issue(item: object) -> FieldIssue | None:
    """Take an item for a complaint about one argument; the rejected value beside it stays behind."""
    members = as_object(item)
    if "locations" in members or "extensions" in members:
        return None  # GraphQL: its `path` leads into the answer, not into the arguments.
    match members:
        case {"name": str(name), "reason": str(reason)}:
            return FieldIssue(_path(name), reason)
        case _:
            places = members | as_object(members.get("source"))
    field = next((path for word in _PLACES if word in places and (path := _path(places[word]))), "")
    problem = next((text for word in _PROBLEMS if is_a(text := members.get(word), str) and text.strip()), "")
    return FieldIssue(field, problem) if field and problem else None


def _path(place: object) -> str:
    """Write a place as a dotted path, from `["body", "items", 0]` or `#/data/attributes/items/0`."""
    parts = [text_of(part) for part in _items(place)]
    if is_a(place, str):
        parts = place.split("/") if place.startswith(("/", "#/")) else [place]
    while len(parts) > 1 and parts[0] in _REQUEST_PARTS:
        del parts[0]
    return ".".join(parts)
