"""What a client sends back to a question: its reply, and the answers of earlier rounds, which it carried along."""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple, cast

from errata.dialects import QUESTION_KEY
from errata.redaction import as_object, jsonable_object

_STATE = "errata/answers "
_LONGEST_STATE = 1_000_000  # All answers together, with every character written as two escapes.


class Progress(NamedTuple):
    """How far a call has come that asks."""

    rounds: int = 1
    """How often it was run, this time included."""
    answers: Mapping[str, object] = MappingProxyType({})
    """What came back to its questions, in this round and in those before it."""


def progress(state: str | None, responses: Mapping[str, object] | None) -> Progress:
    """Find out how far a call has come, by what the client carried along and by its reply."""
    reply = reply_in(responses)
    rounds, given = _carried_in(state)
    return Progress(rounds, {**given, **(accepted(reply) or {})} if reply is not None else given)


def carried(reached: Progress) -> str:
    """Write for the client to carry along, until it comes back, how far the call has come."""
    return _STATE + json.dumps({"rounds": reached.rounds, "answers": jsonable_object(reached.answers)})


def reply_in(responses: Mapping[str, object] | None) -> object | None:
    """Find the client's reply to our question."""
    return (responses or {}).get(QUESTION_KEY)


def accepted(reply: object) -> dict[str, object] | None:
    """Read what a person filled in; None if nobody did."""
    return jsonable_object(_member(reply, "content")) if _member(reply, "action") == "accept" else None


def was_declined(reply: object) -> bool:
    """Tell a person who said no from one who closed the window."""
    return _member(reply, "action") == "decline"


def _carried_in(state: str | None) -> Progress:
    """Read what was carried along; not every server keeps a client from writing it itself."""
    if state is None or not state.startswith(_STATE) or len(state) > _LONGEST_STATE:
        return Progress()
    try:
        found = jsonable_object(json.loads(state.removeprefix(_STATE)))
    except (ValueError, RecursionError):
        return Progress()
    rounds = found.get("rounds")
    return Progress(rounds + 1 if isinstance(rounds, int) else 1, as_object(found.get("answers")))


def _member(reply: object, name: str) -> object:
    if isinstance(reply, Mapping):
        return cast("Mapping[str, object]", reply).get(name)
    return getattr(reply, name, None)
