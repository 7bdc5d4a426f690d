"""What is known of a tool's effect without running it: by its annotations, by the request it sent, by its name.

A name is a set of words: those that read, those that change something, and those that change once more each time.
"""

import re
from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias, cast, get_args

from errata.model import did_you_mean

Effect: TypeAlias = Literal["read_only", "idempotent", "destructive"]
"""What calling a tool does, in the words of MCP's annotations: `readOnlyHint`, `idempotentHint`, `destructiveHint`."""

MEANING_OF_EFFECT: dict[Effect, tuple[bool, bool]] = {
    "read_only": (True, False),
    "idempotent": (True, True),
    "destructive": (False, True),
}
"""For each effect: whether calling the tool twice does no harm, and whether it changes something."""

# fmt: off
_READS = frozenset([
    "analyze", "browse", "calculate", "check", "compare", "count", "describe", "detect", "diff", "download", "estimate",
    "evaluate", "explain", "export", "extract", "fetch", "find", "get", "inspect", "is", "has", "list", "load", "look",
    "lookup", "match", "monitor", "parse", "ping", "preview", "query", "read", "resolve", "retrieve", "scan", "search",
    "show", "status", "summarize", "validate", "verify", "view", "watch", "whoami",
])
# Words that change something, and the family of words that would do the same to it.
_FAMILY = {
    word: family[0]
    for family in (
        ("create", "add", "insert", "append", "new", "register", "make", "save", "store", "upsert"),
        ("delete", "remove", "drop", "destroy", "purge", "erase", "unlink", "clear", "trash", "truncate", "prune"),
        ("update", "edit", "modify", "patch", "put", "change", "rename", "replace", "move", "alter", "upgrade", "set"),
        ("send", "post", "publish", "reply", "comment", "notify", "mail", "forward", "broadcast"),
        ("pay", "charge", "transfer", "refund", "withdraw", "payout", "repay", "remit", "disburse", "debit", "donate", "spend"),
        ("settle", "capture", "checkout", "topup", "redeem", "mint", "trade", "swap", "stake", "bid", "void", "wire"),
        ("ship", "dispatch", "fulfill"), ("wipe", "shutdown"), ("email",),
        ("book", "reserve", "order", "buy", "sell", "submit", "place", "purchase", "schedule"),
        ("cancel", "close", "archive", "revoke", "terminate", "stop", "kill", "disable", "abort"),
        ("write",), ("upload", "import", "push"), ("invite",), ("merge",), ("deploy", "install", "apply"),
        ("uninstall",), ("restart", "reboot"), ("rollback",), ("trigger",), ("scale",), ("execute",), ("assign",),
        ("approve", "confirm", "accept"), ("reject", "decline"), ("duplicate", "copy", "clone"), ("reset", "rotate"),
        ("enable", "activate", "unlock"), ("deactivate", "suspend", "ban", "kick"), ("restore",), ("migrate",), ("burn",),
        ("subscribe",), ("unsubscribe",), ("grant", "give"), ("launch",), ("commit",), ("vote",), ("tweet", "sms", "retweet"), ("credit",),
        ("increment", "decrement"), ("toggle",),
    )
    for word in family
}
# Doing these a second time does them a second time, except for a few of their families.
_EACH_TIME = frozenset(
    word
    for word, family in _FAMILY.items()
    if family in {
        "create", "send", "pay", "settle", "ship", "email", "book", "upload", "invite", "trigger", "duplicate", "tweet", "credit",
        "burn", "increment", "toggle",
    }
) - {"save", "store", "upsert", "void"}
_OF_MONEY = frozenset(["cash", "funds", "money"])
"""Whatever is done to these is done once more each time: `move_money`."""
# Nouns more often than not, unless the name begins with them.
_NOUNS = frozenset([
    "bid", "capture", "checkout", "debit", "dispatch", "email", "mint", "payout", "ship", "stake", "swap", "trade", "void", "wire",
    "book", "change", "charge", "clone", "comment", "copy", "execute", "mail", "merge", "new", "order", "patch", "place",
    "post", "reply", "schedule", "scale", "set", "store", "transfer", "trigger", "update", "upgrade", "write", "make",
    "ban", "commit", "credit", "grant", "launch", "sms", "tweet", "vote",
])
# Nouns also at the beginning of a name, if it ends with something that one reads: `trade_history`.
_NOUNS_FIRST = frozenset([
    "bid", "book", "capture", "charge", "checkout", "comment", "debit", "dispatch", "email", "mail", "mint", "order",
    "payout", "ship", "stake", "swap", "trade", "transfer", "wire",
])
_READABLE = frozenset([
    "count", "details", "history", "info", "list", "lookup", "price", "prices", "quote", "screenshot", "search", "stats",
    "status",
])
# fmt: on
ACTIONS = (_READS | _FAMILY.keys()) - _NOUNS
"""Words that say what a tool does, and are hardly ever the name of a thing."""
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def split_words(name: str) -> list[str]:
    """Return the words of a name: `createIssue`, `create_issue` and `create-issue` have the same two."""
    return [word.lower() for word in _WORD.findall(name)]


def check_effects(effects: object) -> dict[str, Effect]:
    """Return a copy of the effects that somebody declares for tools; raise an error for a wrong name or word."""
    words = get_args(Effect)
    allowed = " or ".join(f'"{word}"' for word in words)
    example = 'Pass them as in `effects={"run_report": "read_only"}`.'
    if effects is None:
        return {}
    if not isinstance(effects, Mapping):
        raise TypeError(f"`effects` are a mapping of names to words, and a {type(effects).__name__} is none. {example}")
    given = cast("Mapping[object, object]", effects)
    for name, word in given.items():
        if not isinstance(name, str) or not name:
            raise TypeError(f"`effects` names the tool `{name!r}`, which is no text. {example}")
        if not isinstance(word, str) or word not in words:
            near = did_you_mean(word, words) if isinstance(word, str) else ""
            raise ValueError(f"The effect of `{name}` is {word!r}. Say {allowed}. {near}".rstrip())
    return dict(cast("Mapping[str, Effect]", given))


class Parts(NamedTuple):
    """The words of a tool's name: `shop_list_orders` is `shop`, `list` and `orders`."""

    before: tuple[str, ...]
    verb: str
    things: tuple[str, ...]


def split_name(tool: str) -> Parts | None:
    """Split the name of a tool into its verb and what it is about; None if it has no verb.

    A verb may also come last, as in `orders_list`.
    """
    words = tuple(split_words(tool))
    for position, word in enumerate(words):
        if word in ACTIONS or (position == 0 and word in _FAMILY):
            if 0 < position == len(words) - 1:
                return Parts((), word, words[:position])
            return Parts(words[:position], word, words[position + 1 :])
    return None


def find_verb(tool: str) -> str | None:
    """Return the word in a tool's name that says what it changes; None if it reads, or does not say."""
    words = split_words(tool)
    is_of_a_thing = not _READABLE.isdisjoint(words[-1:])
    for position, word in enumerate(words):
        if word in _READS:
            return None
        if word in _FAMILY and (position == 0 or word not in _NOUNS) and not (is_of_a_thing and word in _NOUNS_FIRST):
            return word
    return next((word for word in words if word in _FAMILY and not (is_of_a_thing and word in _NOUNS_FIRST)), None)


def reads(tool: str) -> bool:
    """Return whether the name of a tool says that it only reads."""
    return find_verb(tool) is None and not _READS.isdisjoint(split_words(tool))


def does_more_each_time(tool: str) -> bool:
    """Return whether the name of a tool says that each call does something more."""
    verb = find_verb(tool)
    return verb in _EACH_TIME or (verb is not None and not _OF_MONEY.isdisjoint(split_words(tool)))


def is_same_deed(verb: str, other: str) -> bool:
    """Return whether two words change a thing in the same way, as `delete` and `remove` do."""
    return other in _FAMILY and _FAMILY[verb] == _FAMILY[other]


# Verbs under which nothing is changed. Narrower than `_READS`: a `query` may be an UPDATE, and a `check` may order one.
_ONLY_READS = frozenset([
    "browse", "count", "describe", "fetch", "find", "get", "inspect", "list", "lookup", "preview", "read", "retrieve",
    "search", "show", "view", "whoami",
])  # fmt: skip


_JOINING = frozenset({"and", "or", "then"})


def only_reads(tool: str) -> bool:
    """Return whether the name of a tool begins with a verb of reading and has no other deed in it, as `get_or_create` has."""
    words = split_words(tool)
    if not words or words[0] not in _ONLY_READS or not _JOINING.isdisjoint(words):
        return False
    return not any(word in _FAMILY and word not in _NOUNS for word in words[1:])


def is_named_for_reading(tool: str) -> bool:
    """Return whether the name of a tool says that it reads, and leaves nothing else open: `check_out` and `run_query` do."""
    words = split_words(tool)
    return reads(tool) and not _ONLY_READS.isdisjoint(words) and _JOINING.isdisjoint(words)


def read_harmless(annotations: object) -> bool | None:
    """Return whether calling a tool twice does no harm, by MCP's annotations; None where they do not say.

    The protocol's defaults for absent hints are a worst case to be shown to people, not something the author said.
    """
    destructive = _hint(annotations, "destructiveHint", "destructive_hint") is True
    if _hint(annotations, "readOnlyHint", "read_only_hint") is True:
        return None if destructive else True  # Frameworks send the protocol's default for the other hint, too.
    idempotent = _hint(annotations, "idempotentHint", "idempotent_hint")
    if idempotent is not None:
        return idempotent
    return False if destructive else None


def has_effect(tool: str, annotations: object = None) -> bool | None:
    """Return whether calling a tool changes something: by its annotations, else by its name; None where neither tells."""
    read_only, harmless = _hint(annotations, "readOnlyHint", "read_only_hint"), read_harmless(annotations)
    if read_only is False or (read_only and harmless):
        return not read_only
    if harmless is not None:  # Whether a second call does harm is declared only of what has an effect.
        return True
    if _changes(tool):
        return True
    return False if only_reads(tool) else None


def _hint(annotations: object, on_the_wire: str, name: str) -> bool | None:
    """Return one annotation, from JSON or from an object of an SDK, which may warn of the older spelling."""
    value: object
    if isinstance(annotations, Mapping):
        members = cast("Mapping[str, object]", annotations)
        value = members.get(on_the_wire, members.get(name))
    else:
        value = getattr(annotations, name if hasattr(annotations, name) else on_the_wire, None)
    return value if isinstance(value, bool) else None


_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_UNSAFE_METHODS = frozenset({"POST", "PATCH"})


def _changes(tool: str) -> bool:
    """Return whether a name has a deed in it, also behind a verb of reading: `find_and_delete`."""
    words = split_words(tool)
    joined = not _JOINING.isdisjoint(words)
    deeds = [word for word in words if word in _FAMILY and (word not in _NOUNS or joined)]
    return find_verb(tool) is not None or bool(deeds)


class Presumption(NamedTuple):
    """Whether calling a tool twice does no harm, presumed where its author said nothing."""

    harmless: bool | None = None
    why: str | None = None
    """What it rests on, as the beginning of a sentence to the model."""


def presume(tool: str, method: str | None, *, is_keyed: bool = False) -> Presumption:
    """Return what is presumed of a tool's effect by the HTTP method of the request that failed, and by the verb of its name.

    A safe request says only how far a tool came, which may have sent others before: it tells of a tool that reads by its
    name. An unsafe one of such a tool may be a search. Where the two disagree, the more careful answer counts.
    """
    changes, reads_only = _changes(tool), only_reads(tool)
    if is_keyed and not changes:
        return Presumption(harmless=True, why="The request had an idempotency key")
    if method in _UNSAFE_METHODS:
        return Presumption() if reads_only else Presumption(harmless=False, why=f"The request was a {method}")
    if changes:
        return Presumption(harmless=False, why=f"By its name, `{tool}` changes something")
    if method in _SAFE_METHODS and reads(tool) and _JOINING.isdisjoint(split_words(tool)):
        return Presumption(harmless=True, why=f"The request was a {method}")
    return Presumption(harmless=True, why=f"By its name, `{tool}` only reads") if reads_only else Presumption()
