"""What a client sends back to a question: its reply, and the answers of earlier rounds, which it carried along."""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple, cast

from errata.dialects import QUESTION_KEY
from errata.redaction import as_object, jsonable_object

_STATE = "errata/answers "
_LONGEST_STATE = 1_000_000  # All answers together, with every character written as two escapes.


class Rounds(NamedTuple):
    """How far a call has come whose handler asks questions."""

    number: int = 1
    """How often its handler was run, this time included."""
    answers: Mapping[str, object] = MappingProxyType({})
    """What came back to its questions, in this round and in those before it."""


def read_rounds(state: str | None, responses: Mapping[str, object] | None) -> Rounds:
    """Return how far a call has come, from the state that the client carried along and from its reply."""
    reply = find_reply(responses)
    number, earlier = _read_state(state)
    return Rounds(number, {**earlier, **(read_accepted(reply) or {})} if reply is not None else earlier)


def write_state(rounds: Rounds) -> str:
    """Write how far a call has come as the state that a client carries along until it comes back."""
    return _STATE + json.dumps({"rounds": rounds.number, "answers": jsonable_object(rounds.answers)})


def find_reply(responses: Mapping[str, object] | None) -> object | None:
    """Return the client's reply to errata's question; None if there is none."""
    return (responses or {}).get(QUESTION_KEY)


def read_accepted(reply: object) -> dict[str, object] | None:
    """Return what a person filled in; None if the question was declined or closed."""
    return jsonable_object(_member(reply, "content")) if _member(reply, "action") == "accept" else None


def was_declined(reply: object) -> bool:
    """Return whether a person said no, and did not only close the window."""
    return _member(reply, "action") == "decline"


def _read_state(state: str | None) -> Rounds:
    """Read the state of earlier rounds. Not every server keeps a client from writing it itself."""
    if state is None or not state.startswith(_STATE) or len(state) > _LONGEST_STATE:
        return Rounds()
    try:
        content = jsonable_object(json.loads(state.removeprefix(_STATE)))
    except (ValueError, RecursionError):
        return Rounds()
    number = content.get("rounds")
    return Rounds(number + 1 if isinstance(number, int) else 1, as_object(content.get("answers")))


def _member(reply: object, name: str) -> object:
    if isinstance(reply, Mapping):
        return cast("Mapping[str, object]", reply).get(name)
    return getattr(reply, name, None)
