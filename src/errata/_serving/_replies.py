"""What a client sends back to a question: its reply, and the answers of earlier rounds, which it carried along."""

import json
from collections.abc import Mapping
from typing import cast

from errata._jsonable import as_object, jsonable_object
from errata.dialects._elicitation import QUESTION_KEY

_STATE = "errata/answers "
_LONGEST_STATE = 16_000


def answered(state: str | None, responses: Mapping[str, object] | None) -> dict[str, object]:
    """Collect the answers of all rounds."""
    reply = reply_in(responses)
    return _carried_in(state) | ((accepted(reply) or {}) if reply is not None else {})


def carried(given: Mapping[str, object]) -> str | None:
    """Write answers for the client to carry along until it comes back."""
    return _STATE + json.dumps(jsonable_object(given)) if given else None


def reply_in(responses: Mapping[str, object] | None) -> object | None:
    """Find the client's reply to our question."""
    return (responses or {}).get(QUESTION_KEY)


def accepted(reply: object) -> dict[str, object] | None:
    """Read what a person filled in; None if nobody did."""
    return jsonable_object(_member(reply, "content")) if _member(reply, "action") == "accept" else None


def was_declined(reply: object) -> bool:
    """Tell a person who said no from one who closed the window."""
    return _member(reply, "action") == "decline"


def _carried_in(state: str | None) -> dict[str, object]:
    if state is None or not state.startswith(_STATE):
        return {}
    try:
        return as_object(json.loads(state.removeprefix(_STATE)[:_LONGEST_STATE]))
    except (ValueError, RecursionError):
        return {}


def _member(reply: object, name: str) -> object:
    if isinstance(reply, Mapping):
        return cast("Mapping[str, object]", reply).get(name)
    return getattr(reply, name, None)
