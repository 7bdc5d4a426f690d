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


def said(*pieces: str) -> tuple[Wording, ...]:
    """Give the one wording that has all these pieces."""
    return (pieces,)


def verdict(line: str, *fields: str) -> tuple[Wording, ...]:
    """Give the two wordings of a verdict: the line of the text, and the fields of the structured content."""
    return ((f"Retry: {line}",), fields)


ORDER = {"order": 17}
LOST = "There is no order 17"
LIST_THEM = "Call `list_orders` first to see the orders that exist."
NOT_AGAIN = verdict("not with the same arguments.", "retry: fix_input")
NEVER = verdict("no.", "retry: never")

# fmt: off
SCENARIOS = {
    "declared": Scenario("a declared failure", "find_order", ORDER,
        Facts(said("NOT_FOUND"), said(LOST), said(LIST_THEM), NOT_AGAIN)),
    "wrong": Scenario("a wrong argument", "quote", {"symbol": "ACME", "days": "soon"},
        Facts(said("INVALID_PARAMS"), said("`days` must be a whole number"), said("Correct the named arguments and call again."), NOT_AGAIN), foreseeable=True),
    "missing": Scenario("a missing argument", "quote_again", {"symbol": "ACME"},
        Facts(said("MISSING_REQUIRED_FIELD"), said("`days` is required"), said("Add the named argument and call again"), NOT_AGAIN), foreseeable=True),
    "upstream": Scenario("a 429 upstream", "forecast", {"city": "Oslo"},
        Facts(said("RATE_LIMITED"), said("429 Too Many Requests"), said("Wait for the stated time, then repeat the same call."),
              verdict("yes, the same call, after 17 s.", "retry: same_call", "retryAfterMs: 17000"))),
    "verify": Scenario("perhaps paid", "pay", ORDER,
        Facts(said("TIMEOUT"), said("The bank did not answer about order 17"), said("Look the payment up before you pay again."),
              verdict("not before checking with `get_payment` whether it happened.", "retry: verify_first", "verifyTool: get_payment"))),
    "crash": Scenario("a crash", "stock", {"article": "A1"},
        Facts(said("INTERNAL_ERROR"), said("The server has a bug."), said("Tell the user, with the reference"), NEVER)),
    "schema": Scenario("an output schema", "balance", {"account": "B2"},
        Facts(said("FORBIDDEN"), said("Account B2 belongs to somebody else"), said("Ask the user for an account of their own."), NEVER)),
}

# The declared failure once more: the words that each dialect has for it.
DIALECTS = {
    "native":         SCENARIOS["declared"].facts,
    "mcp-tool-error": Facts(said("code: NOT_FOUND"), said(LOST), retry=said("retriable: false")),
    "error-response": Facts(said("code: 4001"), said(LOST), said(LIST_THEM), said("retryable: false")),
    "tool-error-v1":  Facts(said("code: NOT_FOUND"), said(LOST), retry=said("retryable: false")),
    "json-rpc":       Facts(said("code: -32001"), said(LOST), said(LIST_THEM), said("retryable: false")),
    "taxonomy":       Facts(said("code: NOT_FOUND"), said(LOST), said("list_available_resources")),
}
# fmt: on


def reached(given: object, facts: Facts) -> set[str]:
    """Name the facts that somebody who reads this comes to know."""
    text = squeezed(given if isinstance(given, str) else json.dumps(given, ensure_ascii=False))
    return {
        name
        for name, wordings in facts._asdict().items()
        if any(all(squeezed(piece) in text for piece in wording) for wording in wordings)
    }


def told(facts: Facts) -> set[str]:
    """Name the facts that somebody tells."""
    return {name for name, wordings in facts._asdict().items() if wordings}


def squeezed(text: str) -> str:
    """Leave out what differs between a text, its JSON, the JSON of that, and Python's repr."""
    return re.sub(r"[\s\"'\\]", "", re.sub(r"\\+n", " ", text)).lower()
