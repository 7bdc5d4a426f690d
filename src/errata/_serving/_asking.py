"""A tool that asks: by which way the question goes to the client, and how the answer comes back.

On the newer protocol the client comes back with a second request; on the older one the server asks it in between; and
a client that can do neither is told the question as a result.
"""

import json
from collections.abc import Mapping
from enum import Enum, auto
from typing import cast

from errata._fault import Fault, Recovery, identified
from errata._jsonable import as_object, jsonable_object
from errata._needs_input import NeedsInput
from errata._serving._request import MODERN, Request
from errata._taxonomy import Code
from errata.dialects._elicitation import QUESTION_KEY, elicitation

MOST_ROUNDS = 8
"""How often one call may ask; a tool that takes no notice of the answer would ask for ever."""
_STATE = "errata/answers "
_LONGEST_STATE = 16_000


class Way(Enum):
    """How a client can be asked."""

    COME_BACK = auto()
    """It gets an `input_required` result, and repeats its request with the answer."""
    IN_BETWEEN = auto()
    """It is sent an elicitation while its request waits."""
    AS_RESULT = auto()
    """It declared neither; the question is the result."""


def way_to_ask(request: Request) -> Way:
    """Choose by what the client declared, and by its protocol."""
    declared = getattr(request.context.session.client_capabilities, "elicitation", None)
    by_form = getattr(declared, "form", None) is not None or getattr(declared, "url", None) is None
    if declared is None or not by_form:
        return Way.AS_RESULT
    return Way.COME_BACK if request.context.protocol_version >= MODERN else Way.IN_BETWEEN


async def ask_in_between(question: NeedsInput, properties: Mapping[str, object], request: Request) -> object:
    """Ask while the request waits; gives what the client answered."""
    asked = elicitation(question, properties)
    return await request.context.session.elicit_form(
        str(asked["message"]), as_object(asked["requestedSchema"]), request.context.request_id
    )


def earlier_answers(request: Request) -> dict[str, object]:
    """Read the answers of earlier rounds, which the client carried along for us."""
    state = request.turn.request_state if request.turn else None
    if state is None or not state.startswith(_STATE):
        return {}
    try:
        return as_object(json.loads(state.removeprefix(_STATE)[:_LONGEST_STATE]))
    except ValueError:
        return {}


def carried(given: Mapping[str, object]) -> str | None:
    """Write answers for the client to carry along until it comes back."""
    return _STATE + json.dumps(jsonable_object(given)) if given else None


def reply_in(request: Request) -> object | None:
    """Find the client's answer to our question in a request that came back."""
    return (request.turn.input_responses or {}).get(QUESTION_KEY) if request.turn else None


def accepted(reply: object) -> dict[str, object] | None:
    """Read what a person filled in; None if nobody did."""
    action, content = (_member(reply, name) for name in ("action", "content"))
    return jsonable_object(content) if action == "accept" else None


def refusal(reply: object, question: str) -> Fault:
    """Say that the person behind the agent did not answer."""
    declined = _member(reply, "action") == "decline"
    what = "The user declined to answer" if declined else "The user closed without an answer"
    return identified(
        Fault(
            code=Code.CANCELLED,
            message=f"{what}: {question}" if question else f"{what} what the tool asked.",
            recovery=Recovery(hint="Ask the user how to go on before you call this tool again."),
        )
    )


def _member(reply: object, name: str) -> object:
    if isinstance(reply, Mapping):
        return cast("Mapping[str, object]", reply).get(name)
    return getattr(reply, name, None)
