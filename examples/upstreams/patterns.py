"""A library of patterns behind an API: search it, list a category, read one.

Two categories are there and cannot be read, whoever asks: `team` wants an API key that nobody has, and the database of
the `archive` is down.
"""

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeAlias

from upstreams import Reply, Request

_Pattern: TypeAlias = Mapping[str, Any]

_LIMITS = range(1, 101)
_NEAREST = 4
_LIBRARY: list[_Pattern] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))["pattern"]
_BY_ID = {pattern["id"]: pattern for pattern in _LIBRARY}
_CATEGORIES = {pattern["category"] for pattern in _LIBRARY}
_CLOSED = {
    "team": Reply({"message": "Missing or invalid API key"}, 401),
    "archive": Reply({"message": "Database connection failed"}, 500),
}


def patterns(request: Request) -> Reply:
    """Answer like the library."""
    match request:
        case Request("GET", ("api", "patterns"), query):
            return _search(_LIBRARY, query)
        case Request("GET", ("api", "patterns", category)) if category in _CLOSED:
            return _CLOSED[category]
        case Request("GET", ("api", "patterns", category), query) if category in _CATEGORIES:
            return _search([pattern for pattern in _LIBRARY if pattern["category"] == category], query)
        case Request("GET", ("api", "pattern", identifier)) if identifier in _BY_ID:
            return Reply(_BY_ID[identifier])
        case Request("GET", ("api", "pattern", *rest)):
            return Reply({"message": _unknown(request), "nearest": _nearest("/".join(rest))}, 404)
        case _:
            return Reply({"message": _unknown(request)}, 404)


def _search(among: Iterable[_Pattern], query: Mapping[str, str]) -> Reply:
    limit = query.get("limit", "100")
    if not limit.isdecimal() or int(limit[:9]) not in _LIMITS:
        return Reply({"message": f"limit must be between {_LIMITS[0]} and {_LIMITS[-1]}"}, 400)
    words = query.get("query", "").lower().split()
    wanted = query["ids"].split(",") if "ids" in query else _BY_ID
    found = [pattern for pattern in among if pattern["id"] in wanted and all(_weight(pattern, word) for word in words)]
    found.sort(key=lambda pattern: -sum(_weight(pattern, word) for word in words))
    counted = Counter(pattern["category"] for pattern in found)
    return Reply({"total": len(found), "categories": counted, "patterns": found[: int(limit)]})


def _weight(pattern: _Pattern, word: str) -> int:
    """Say how much a pattern has to do with a word."""
    title = f"{pattern['id']} {pattern['title']}".lower()
    tags = " ".join(pattern["tags"])
    return 4 * (word in title) + 2 * (word in tags) + (word in pattern["summary"].lower())


def _nearest(asked: str) -> list[str]:
    """Find the ids that somebody may have meant: those that look like it, then those that share a word with it."""
    plain = "-".join(asked.lower().replace("_", " ").split())
    alike = get_close_matches(plain, _BY_ID, n=_NEAREST)
    words = {word for word in plain.split("-") if word}
    related = [identifier for identifier in _BY_ID if words & {*identifier.split("-")} and identifier not in alike]
    return [*alike, *related][:_NEAREST]


def _unknown(request: Request) -> str:
    return f"/{'/'.join(request.path)}"
