"""Names of tools: which of them an advice mentions, and which of those a server does not have.

An advice is prose, and most names in it are none of tools: parameters, fields, reasons, values. So a word counts as the
name of a tool if the sentence says so ("call `search`", "the `search` tool"), or if it is written like one, begins with a
verb and is mentioned where tools are ("use list_orders", "`list_orders` shows them").
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from enum import IntEnum
from typing import NamedTuple, cast

from errata._values import asked_for, is_a, nearest
from errata._verbs import ACTIONS, words_of

_LONGEST = 4_000
_MOST_NODES = 10_000
_TOKEN = re.compile(r"`([^`\n]{1,200})`|([A-Za-z0-9_][A-Za-z0-9_\-]*)|[^\sA-Za-z0-9_`]")
_NAME = re.compile(r"([A-Za-z_][A-Za-z0-9_]*(?:[.\-/:][A-Za-z0-9_]+)*)(?:\(.*\))?")
_CALLS = frozenset({"call", "calling", "calls", "invoke", "invoking"})
_USES = frozenset({"use", "using", "try", "run", "running", "with", "via", "through", "see"})
_BETWEEN = frozenset({"the", "tool", "tools", "either"})
_JOINTS = frozenset({"or", "and", ","})
_OPENINGS = ACTIONS - {"is", "has", "status", "match", "count"}
"""Words that a tool's name begins with, and hardly ever that of a field."""
# fmt: off
_OF_FIELDS = frozenset([
    "at", "by", "count", "date", "flag", "id", "ids", "in", "key", "limit", "me", "mode", "name", "on", "only", "out", "path", "size",
    "string", "term", "text", "time", "token", "type", "uri", "url",
])
# fmt: on


class _Claim(IntEnum):
    """What a sentence says of the next word."""

    NOTHING = 0
    USED = 1
    """It is used for something: a tool, or an argument."""
    CALLED = 2
    """It is called, so it is a tool."""


class Mention(NamedTuple):
    """A word in an advice that may be the name of a tool."""

    name: str
    is_sure: bool
    """Whether the sentence says that it is one; else the word has to look like it."""


class Missing(NamedTuple):
    """A tool that an advice names, and that the server does not have."""

    name: str
    near: tuple[str, ...]
    """The tools that may be meant."""

    def __str__(self) -> str:
        return " ".join(
            filter(None, [f"names the tool `{self.name}`, which the server does not list.", asked_for(self.near)])
        )


def mentions_in(advice: str) -> Iterator[Mention]:
    """Find the words in an advice that may be names of tools."""
    tokens = [(found[1], found[2], found[0]) for found in _TOKEN.finditer(advice[:_LONGEST])]
    claim, after_name = _Claim.NOTHING, False
    for position, (quoted, bare, whole) in enumerate(tokens):
        following = tokens[position + 1][1] if position + 1 < len(tokens) else None
        named = (following or "").lower() == "tool"
        before = tokens[position - 1][1] if position else None
        named |= (before or "").lower() == "tool" and quoted is not None
        mention = _mention(quoted, bare, _Claim.CALLED if named else claim)
        if mention:
            yield mention
        claim = _claim_after(bare or whole, claim, after_name=after_name, is_name=mention is not None)
        after_name = mention is not None or (after_name and whole.lower() in _JOINTS)


def missing_tools(advice: str, tools: Collection[str], others: Collection[str] = ()) -> list[Missing]:
    """Find the tools that an advice names and a server does not have.

    `others` are names of other things: parameters, fields, reasons. A tool that is listed with something in front of its
    name, as those of a server behind another one are, is there.
    """
    names = dict.fromkeys(
        mention.name
        for mention in mentions_in(advice)
        if mention.name not in others and (mention.is_sure or _looks_like_a_tool(mention.name))
    )
    return [found for name in names if (found := missing_tool(name, tools))]


def missing_tool(name: str, tools: Collection[str]) -> Missing | None:
    """Look for a tool by its name; None if it is there."""
    if name in tools or any(tool.endswith(name) and not tool[-len(name) - 1].isalnum() for tool in tools):
        return None
    return Missing(name, tuple(nearest(name, tools)))


def fields_in(*schemas: object) -> set[str]:
    """Collect the names of all properties in JSON Schemas, however deep."""
    names, waiting = set[str](), list(schemas)
    for _ in range(_MOST_NODES):
        if not waiting:
            break
        node = waiting.pop()
        if is_a(node, dict):
            members = cast("Mapping[str, object]", node)
            properties = members.get("properties")
            names.update(cast("Iterable[str]", properties) if is_a(properties, dict) else ())
            waiting.extend(members.values())
        elif is_a(node, list):
            waiting.extend(cast("list[object]", node))
    return names


def _mention(quoted: str | None, bare: str | None, claim: _Claim) -> Mention | None:
    is_called = claim is _Claim.CALLED
    if quoted is not None:
        name = _NAME.fullmatch(quoted.strip())
        return Mention(name[1], is_called) if name and (is_called or len(words_of(name[1])) > 1) else None
    if bare is None or claim is _Claim.NOTHING or len(words_of(bare)) <= 1:
        return None
    if "_" in bare.strip("_"):
        return Mention(bare, is_called and words_of(bare)[-1] not in _OF_FIELDS)
    is_written_like_one = bare[0].islower() and words_of(bare)[0] in _OPENINGS and (is_called or "-" not in bare)
    return Mention(bare, is_sure=False) if is_written_like_one else None


def _claim_after(word: str, claim: _Claim, *, after_name: bool, is_name: bool) -> _Claim:
    lower = word.lower()
    if lower in _CALLS:
        return _Claim.CALLED
    if lower in _USES:
        return _Claim.USED
    goes_on = lower in _BETWEEN or is_name or (after_name and lower in _JOINTS)
    return claim if goes_on else _Claim.NOTHING


def _looks_like_a_tool(name: str) -> bool:
    """Whether a name begins with a verb, perhaps behind the name of a service: `github_create_issue`."""
    words = words_of(name)
    if len(words) <= 1 or words[-1] in _OF_FIELDS:
        return False
    return words[0] in _OPENINGS or (words[1] in _OPENINGS and words[1] != words[-1])
