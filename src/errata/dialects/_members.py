"""The members of a JSON object, read by kind: what is not of the kind asked for is as good as absent."""

from collections.abc import Iterable, Mapping
from typing import cast

from errata.model import FieldIssue
from errata.redaction import as_object

_ISSUE_KEYS = frozenset({"field", "problem", "expected"})


def present(**members: object) -> dict[str, object]:
    """Make a JSON object of the members that have a value; in JSON, undefined means absent."""
    return {name: value for name, value in members.items() if value is not None}


def text_in(payload: Mapping[str, object], key: str) -> str | None:
    """Read a text."""
    value = payload.get(key)
    return value if isinstance(value, str) else None


def flag_in(payload: Mapping[str, object], key: str) -> bool | None:
    """Read a yes or no."""
    value = payload.get(key)
    return value if isinstance(value, bool) else None


def integer_in(payload: Mapping[str, object], key: str) -> int | None:
    """Read a whole number."""
    value = payload.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def object_in(payload: Mapping[str, object], key: str) -> Mapping[str, object]:
    """Read an object; an empty one for none."""
    return as_object(payload.get(key))


def items_in(payload: Mapping[str, object], key: str) -> list[object]:
    """Read a list; an empty one for none."""
    value = payload.get(key)
    return cast("list[object]", value) if isinstance(value, list) else []


def texts_in(payload: Mapping[str, object], key: str) -> tuple[str, ...]:
    """Read a list of texts."""
    return tuple(item for item in items_in(payload, key) if isinstance(item, str))


def issues_in(payload: Mapping[str, object], key: str) -> tuple[FieldIssue, ...]:
    """Read a list of issues; nothing of it unless all of it is one."""
    items = items_in(payload, key)
    issues = [issue for item in items if (issue := _issue(as_object(item)))]
    return tuple(issues) if len(issues) == len(items) else ()


def issue_objects(issues: Iterable[FieldIssue]) -> list[dict[str, object]]:
    """Write issues as JSON objects."""
    return [present(field=issue.field, problem=issue.problem, expected=issue.expected) for issue in issues]


def _issue(item: Mapping[str, object]) -> FieldIssue | None:
    match item:
        case {"field": str(field), "problem": str(problem)} if item.keys() <= _ISSUE_KEYS:
            return FieldIssue(field, problem, text_in(item, "expected"))
        case _:
            return None
