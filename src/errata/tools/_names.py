"""Names of tools: which of them advice mentions, which a server does not have, and which of its tools shows what.

Advice is prose, and most names in it are not those of tools: parameters, fields, reasons, values. So a word counts as the
name of a tool if the sentence says so ("call `search`", "the `search` tool"), or if it is written like one, begins with a
verb and is mentioned where tools are ("use list_orders", "`list_orders` shows them").
"""

import heapq
import itertools
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from typing import NamedTuple, cast

from errata.model import find_nearest, is_a, phrase_suggestion
from errata.tools._effect_hints import ACTIONS, Parts, find_verb, reads, split_name, split_words

_LONGEST = 4_000
_MOST_NODES = 10_000
_SHORTEST_PLURAL = 3
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


_LISTS, _SEARCHES = frozenset({"list"}), frozenset({"search", "find", "query", "browse"})
_JOINED_BY = frozenset({"by", "for", "from", "in", "of", "with", "to", "on", "at"})
# fmt: off
_IDENTIFIERS = frozenset([
    "id", "ids", "identifier", "key", "keys", "name", "names", "number", "numbers", "no", "code", "codes", "uuid", "uuids",
    "guid", "slug", "slugs", "ref", "title", "path", "uri", "url", "handle",
])
_ASPECTS = frozenset([
    "all", "content", "contents", "data", "detail", "details", "info", "information", "metadata", "record", "status", "summary",
])
_SHOWS_ONE = frozenset(["get", "read", "fetch", "show", "describe", "view", "retrieve", "lookup", "inspect", "status", "check"])
# Whoever looks at the thing sees whether it was done to it. To book a berth makes a booking, which no list of berths shows.
_SEEN_IN_THE_THING = frozenset([
    "create", "add", "insert", "append", "new", "register", "make", "save", "store", "upsert", "place", "submit", "schedule",
    "delete", "remove", "drop", "destroy", "purge", "erase", "unlink", "clear", "trash", "truncate", "prune",
    "update", "edit", "modify", "patch", "put", "change", "rename", "replace", "move", "alter", "upgrade", "set", "write",
    "upload", "cancel", "close", "archive", "revoke", "terminate", "disable", "enable", "activate", "deactivate", "suspend",
    "approve", "accept", "reject", "decline", "assign", "merge", "restore", "unlock",
])
_NAMED_AFTER_THE_DEED = {
    "bid": "bid", "book": "booking", "buy": "purchase", "charge": "charge", "comment": "comment", "deploy": "deployment",
    "donate": "donation", "invite": "invitation", "order": "order", "pay": "payment", "purchase": "purchase",
    "refund": "refund", "repay": "repayment", "reply": "reply", "reserve": "reservation", "subscribe": "subscription",
    "trade": "trade", "transfer": "transfer", "withdraw": "withdrawal",
}
"""What there is after a deed that was not there before, and is listed under its own name."""
# fmt: on
_TAKES_TWO_THINGS = _JOINED_BY - {"by", "with"}
"""`add_item_to_cart`: nobody knows in which of the two it is seen."""
_MOST_TOOLS, _MOST_COMPARED = 1_000, 200
_LONGEST_COMPARED = 64
"""To compare two names takes the square of their length, and a server's list may be made to take long."""


class _Claim(IntEnum):
    """What a sentence says of the next word."""

    NOTHING = 0
    USED = 1
    """It is used for something: a tool, or an argument."""
    CALLED = 2
    """It is called, so it is a tool."""


class Mention(NamedTuple):
    """A word in a piece of advice that may be the name of a tool."""

    name: str
    is_sure: bool
    """Whether the sentence says that it is one; else the word has to look like it."""


class MissingTool(NamedTuple):
    """A tool that advice names and the server does not have."""

    name: str
    near: tuple[str, ...]
    """The tools that may be meant."""

    def __str__(self) -> str:
        return " ".join(
            filter(
                None, [f"names the tool `{self.name}`, which the server does not list.", phrase_suggestion(self.near)]
            )
        )


def find_mentions(advice: str) -> Iterator[Mention]:
    """Yield the words in a piece of advice that may be names of tools."""
    tokens = [(token[1], token[2], token[0]) for token in _TOKEN.finditer(advice[:_LONGEST])]
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


def find_named_tools(advice: str, others: Collection[str] = ()) -> list[str]:
    """Return the tools that advice names; `others` are names of other things: parameters, fields, reasons."""
    names = dict.fromkeys(
        mention.name
        for mention in find_mentions(advice)
        if mention.name not in others and (mention.is_sure or _looks_like_a_tool(mention.name))
    )
    return [*names]


def find_missing_tools(advice: str, tools: Collection[str], others: Collection[str] = ()) -> list[MissingTool]:
    """Return the tools that advice names and a server does not have.

    A tool that is listed with something in front of its name, as those of a server behind another one are, is there.
    """
    return [missing for name in find_named_tools(advice, others) if (missing := find_missing_tool(name, tools))]


def find_missing_tool(name: str, tools: Collection[str]) -> MissingTool | None:
    """Return a tool as missing, with the nearest names; None if the server has it."""
    return None if find_listed_names(name, tools) else MissingTool(name, tuple(find_nearest(name, tools)))


def find_listed_names(name: str, tools: Collection[str]) -> list[str]:
    """Return the names under which a server lists a tool: its own, or those with something in front of it."""
    if name in tools:
        return [name]
    return [tool for tool in tools if tool.endswith(name) and not tool[-len(name) - 1].isalnum()]


def find_listing_tool(tool: str, field: str | None, tools: Mapping[str, Mapping[str, object]]) -> str | None:
    """Return the one tool that shows which things exist of the kind that a failing tool did not find.

    `field` is the argument that names the thing, a dotted path or None if that is not known; `tools` are the server's, each
    with the schema of its arguments. `get_order(order_id)` leads to `list_orders`, and so does `pay_order(order_id)`;
    `add_comment(issue_id)` leads to `list_issues` and never to `list_comments`.

    None if nothing fits or several things do: no advice is better than the wrong one. A tool that lists is taken before one
    that searches, because it shows what there is without a guess. A tool that needs the very argument that was wrong is
    of no use.
    """
    argument = field or _only_argument(tools.get(tool, {}))
    if argument is None:
        return None
    usable = [
        name
        for name, schema in tools.items()
        if name != tool and argument.partition(".")[0] not in _required_arguments(schema)
    ]
    for kind in _kinds_named_by(argument, tool):
        for verbs in (_LISTS, _SEARCHES):
            fitting = [name for name in usable if _shows(name, verbs, kind)]
            if len(fitting) > 1:
                fitting = [name for name in fitting if _before(name) == _before(tool)]
                if len(fitting) != 1:
                    return None
            if fitting:
                return fitting[0]
    return None


def find_verifying_tool(tool: str, given: Collection[str], readers: Mapping[str, Collection[str]]) -> str | None:
    """Return a tool that shows whether another one has done what it was called for; None if none does for certain.

    `given` are the names of the arguments of that call; `readers` are the server's tools that only read, each with the
    arguments that it requires. `update_order(order_id)` leads to `get_order(order_id)`, and `create_order` to `list_orders`,
    because nobody knows yet what the order is called.
    """
    names = [name for name in itertools.islice(readers, _MOST_TOOLS) if name != tool]
    called, *plain = _without_service([tool, *names])
    for deed in _deeds_of(called):
        showing = {name: short for name, short in zip(names, plain, strict=True) if _before(short) == deed.before}
        known = [name for name in showing if readers[name] and _are_given(readers[name], given, deed.things)]
        bare = [name for name in showing if not readers[name]]
        for some, verbs in ((known, _SHOWS_ONE), (showing, _LISTS), (showing, _SEARCHES), (bare, _SHOWS_ONE)):
            fitting = [name for name in some if _shows(showing[name], verbs, deed.things)]
            if fitting:
                return min(fitting, key=lambda name: (len(readers[name]), len(name), name))
    return None


def find_near_tools(
    tool: str, tools: Collection[str], changes: Callable[[str], bool | None] | None = None
) -> list[str]:
    """Return the tools whose names are nearest to one, four at most; one in the same words is the only one.

    With `changes`, which says whether a tool changes something, whoever wanted to read is shown no tool that does.
    """
    names = [name for name in itertools.islice(tools, _MOST_TOOLS) if len(name) <= _LONGEST_COMPARED]
    if changes is not None and reads(tool[:_LONGEST_COMPARED]):
        names = [name for name in names if not changes(name)]
    words = split_words(tool[:_LONGEST_COMPARED])
    spelled = [name for name in names if words and _are_same(sorted(words), sorted(split_words(name)))]
    if len(spelled) == 1:
        return spelled
    if len(names) > _MOST_COMPARED:
        names = heapq.nlargest(_MOST_COMPARED, names, key=lambda name: len({*words} & {*split_words(name)}))
    return find_nearest(tool[:_LONGEST_COMPARED], names)


def collect_fields(*schemas: object) -> set[str]:
    """Return the names of all properties in JSON Schemas, however deep."""
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
        return Mention(name[1], is_called) if name and (is_called or len(split_words(name[1])) > 1) else None
    if bare is None or claim is _Claim.NOTHING or len(split_words(bare)) <= 1:
        return None
    if "_" in bare.strip("_"):
        return Mention(bare, is_called and split_words(bare)[-1] not in _OF_FIELDS)
    is_written_like_one = bare[0].islower() and split_words(bare)[0] in _OPENINGS and (is_called or "-" not in bare)
    return Mention(bare, is_sure=False) if is_written_like_one else None


def _claim_after(word: str, claim: _Claim, *, after_name: bool, is_name: bool) -> _Claim:
    lower = word.lower()
    if lower in _CALLS:
        return _Claim.CALLED
    if lower in _USES:
        return _Claim.USED
    goes_on = lower in _BETWEEN or is_name or (after_name and lower in _JOINTS)
    return claim if goes_on else _Claim.NOTHING


def _kinds_named_by(argument: str, tool: str) -> Iterator[tuple[str, ...]]:
    """Yield the kinds of things that an argument may name: `order_id` an order, `id` whatever its tool is about."""
    last = next((part for part in reversed(argument.split(".")) if not part.isdigit()), "")
    own = split_words(last)
    while own and own[-1] in _IDENTIFIERS:
        own.pop()
    parts = split_name(tool)
    of_tool = _kind(parts.things) if parts else ()
    is_mere_identifier = not own or (len(own) == 1 and own[0].removesuffix("s").endswith("id"))  # `pmids`
    is_part_of_it = bool(own) and tuple(own) == of_tool[: len(own)]  # `pull_number` of a `pull_request`.
    if own:
        yield tuple(own)
    if of_tool and (is_mere_identifier or is_part_of_it):
        yield of_tool


def _without_service(names: Sequence[str]) -> list[str]:
    """Return names without the word that all of them begin with: `helm_create`, `helm_list` are about no `helm`."""
    words = [split_words(name) for name in names]
    is_shared = len({each[0] if each else None for each in words}) == 1
    return ["_".join(each[1:]) for each in words] if is_shared else [*names]


def _deeds_of(tool: str) -> Iterator[Parts]:
    """Yield the kinds of things on which the deed of a tool is seen: `pay_order` on a payment, `create_order` on an order."""
    verb = find_verb(tool)
    if verb is None:
        return
    words = tuple(split_words(tool))
    position = words.index(verb)
    before, things = (words[:position], words[position + 1 :]) if words[position + 1 :] else ((), words[:position])
    if verb in _NAMED_AFTER_THE_DEED and (position == 0 or verb in ACTIONS):
        yield Parts(before, verb, (_NAMED_AFTER_THE_DEED[verb],))
    while len(things) > 1 and (things[0] == "or" or things[0] in _SEEN_IN_THE_THING):  # `create_or_update_file`
        things = things[1:]
    if verb in _SEEN_IN_THE_THING and things and _TAKES_TWO_THINGS.isdisjoint(things):
        yield Parts(before, verb, _kind(things))


def _are_given(required: Collection[str], given: Collection[str], kind: tuple[str, ...]) -> bool:
    """Return whether a call has the arguments that another tool requires; `id` of an order is its `order_id`."""
    names = {_identifier(name, kind) for name in given}
    return all(_identifier(name, kind) in names for name in required)


def _identifier(name: str, kind: tuple[str, ...]) -> str:
    *before, last = split_words(name) or [""]
    return "id" if last == "id" and (not before or _are_same(before, kind)) else name


def _kind(things: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words that name the kind of thing: `order_details_by_id` is about an order."""
    end = next((position for position, word in enumerate(things) if word in _JOINED_BY), len(things))
    kept = [word for word in things[:end] if word != "all"]
    while len(kept) > 1 and kept[-1] in _ASPECTS:
        kept.pop()
    return tuple(kept)


def _shows(tool: str, verbs: Collection[str], kind: tuple[str, ...]) -> bool:
    parts = split_name(tool)
    return parts is not None and parts.verb in verbs and _are_same(_kind(parts.things), kind)


def _are_same(words: Sequence[str], others: Sequence[str]) -> bool:
    return len(words) == len(others) and all(map(_is_same, words, others))


def _is_same(word: str, other: str) -> bool:
    """Return whether two words are the same but for their number."""
    return not _forms(word).isdisjoint(_forms(other))


def _forms(word: str) -> set[str]:
    forms = {word}
    if word.endswith("s") and not word.endswith("ss") and len(word) > _SHORTEST_PLURAL:
        forms |= {word[:-1], word.removesuffix("es"), f"{word.removesuffix('ies')}y" if word.endswith("ies") else word}
    return forms


def _before(tool: str) -> tuple[str, ...]:
    parts = split_name(tool)
    return parts.before if parts else ()


def _only_argument(schema: Mapping[str, object]) -> str | None:
    """Return the argument that must be at fault: the only one that is required, or the only one there is."""
    required = _required_arguments(schema)
    properties = schema.get("properties")
    names = required or [*(cast("Mapping[str, object]", properties) if is_a(properties, dict) else ())]
    return names[0] if len(names) == 1 else None


def _required_arguments(schema: Mapping[str, object]) -> list[str]:
    required = schema.get("required")
    return [name for name in cast("list[object]", required) if is_a(name, str)] if is_a(required, list) else []


def _looks_like_a_tool(name: str) -> bool:
    """Return whether a name begins with a verb, perhaps behind the name of a service: `github_create_issue`."""
    words = split_words(name)
    if len(words) <= 1 or words[-1] in _OF_FIELDS:
        return False
    return words[0] in _OPENINGS or (words[1] in _OPENINGS and words[1] != words[-1])
