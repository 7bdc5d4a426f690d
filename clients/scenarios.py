"""What the tools of `server.py` are asked, and which facts about each failure a model should come to know."""

import json
import re
from typing import NamedTuple

Wording = tuple[str, ...]
"""Pieces of text, all of which have to be there."""


class Facts(NamedTuple):
    """What there is to know about a failure: for each fact the wordings that tell it; none if nobody tells it."""

    code: tuple[Wording, ...] = ()
    message: tuple[Wording, ...] = ()
    next_step: tuple[Wording, ...] = ()
    retry: tuple[Wording, ...] = ()


class Scenario(NamedTuple):
    """One way to fail."""

    title: str
    tool: str
    arguments: dict[str, object]
    facts: Facts
    foreseeable: bool = False
    """Whether a client that knows the tool's schema need not ask the server."""


def word(*pieces: str) -> tuple[Wording, ...]:
    """Return the one wording that consists of these pieces."""
    return (pieces,)


def word_verdict(line: str, *fields: str) -> tuple[Wording, ...]:
    """Return the two wordings of a verdict: the line of the text, and the fields of the structured content."""
    return ((f"Retry: {line}",), fields)


ORDER = {"order": 17}
LOST = "There is no order 17"
LIST_THEM = "Call `list_orders` first to see the orders that exist."
NOT_AGAIN = word_verdict("not with the same arguments.", "retry: fix_input")
NEVER = word_verdict("no.", "retry: never")

# fmt: off
SCENARIOS = {
    "declared": Scenario("a declared failure", "find_order", ORDER,
        Facts(word("NOT_FOUND"), word(LOST), word(LIST_THEM), NOT_AGAIN)),
    "wrong": Scenario("a wrong argument", "quote", {"symbol": "ACME", "days": "soon"},
        Facts(word("INVALID_PARAMS"), word("`days` must be a whole number"), word("Correct the named arguments and call again."), NOT_AGAIN), foreseeable=True),
    "missing": Scenario("a missing argument", "quote_again", {"symbol": "ACME"},
        Facts(word("MISSING_REQUIRED_FIELD"), word("`days` is required"), word("Add the named argument and call again"), NOT_AGAIN), foreseeable=True),
    "upstream": Scenario("a 429 upstream", "forecast", {"city": "Oslo"},
        Facts(word("RATE_LIMITED"), word("429 Too Many Requests"), word("Wait for the stated time, then repeat the same call."),
              word_verdict("yes, the same call, after 17 s.", "retry: same_call", "retryAfterMs: 17000"))),
    "verify": Scenario("perhaps paid", "pay", ORDER,
        Facts(word("TIMEOUT"), word("The bank did not answer about order 17"), word("Look the payment up before you pay again."),
              word_verdict("not before checking with `get_payment` whether it happened.", "retry: verify_first", "verifyTool: get_payment"))),
    "crash": Scenario("a crash", "stock", {"article": "A1"},
        Facts(word("INTERNAL_ERROR"), word("The server has a bug."), word("Tell the user, with the reference"), NEVER)),
    "schema": Scenario("an output schema", "balance", {"account": "B2"},
        Facts(word("FORBIDDEN"), word("Account B2 belongs to somebody else"), word("Ask the user for an account of their own."), NEVER)),
}

# The declared failure once more: the words that each dialect has for it.
DIALECTS = {
    "native":         SCENARIOS["declared"].facts,
    "mcp-tool-error": Facts(word("code: NOT_FOUND"), word(LOST), retry=word("retriable: false")),
    "error-response": Facts(word("code: 4001"), word(LOST), word(LIST_THEM), word("retryable: false")),
    "tool-error-v1":  Facts(word("code: NOT_FOUND"), word(LOST), retry=word("retryable: false")),
    "json-rpc":       Facts(word("code: -32001"), word(LOST), word(LIST_THEM), word("retryable: false")),
    "taxonomy":       Facts(word("code: NOT_FOUND"), word(LOST), word("list_available_resources")),
}
# fmt: on


def find_known(given: object, facts: Facts) -> set[str]:
    """Return the names of the facts that a reader of this learns."""
    text = squeeze(given if isinstance(given, str) else json.dumps(given, ensure_ascii=False))
    return {
        name
        for name, wordings in facts._asdict().items()
        if any(all(squeeze(piece) in text for piece in wording) for wording in wordings)
    }


def list_stated(facts: Facts) -> set[str]:
    """Return the names of the facts that have a wording."""
    return {name for name, wordings in facts._asdict().items() if wordings}


def squeeze(text: str) -> str:
    """Return a text without what differs between it, its JSON, the JSON of that, and Python's repr."""
    return re.sub(r"[\s\"'\\]", "", re.sub(r"\\+n", " ", text)).lower()
