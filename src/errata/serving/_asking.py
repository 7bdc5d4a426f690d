"""A tool that asks: by which way the question goes to the client, and how the answer comes back.

On the newer protocol the client comes back with a second request; on the older one the server asks it in between; and
a client that can do neither is told the question as a result.
"""

from collections.abc import Mapping
from enum import Enum, auto

from errata.dialects import elicitation
from errata.model import Code, FaultError, NeedsInput, Recovery, Retry
from errata.redaction import as_object
from errata.serving._replies import was_declined
from errata.serving._request import MODERN, Request

_MOST_ROUNDS = 8
"""How often one call may ask; a tool that takes no notice of the answer would ask for ever."""


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
    context = request.context
    declared = getattr(context.session.client_capabilities, "elicitation", None) if context else None
    by_form = getattr(declared, "form", None) is not None or getattr(declared, "url", None) is None
    if context is None or declared is None or not by_form or request.progress.rounds >= _MOST_ROUNDS:
        return Way.AS_RESULT
    return Way.COME_BACK if context.protocol_version >= MODERN else Way.IN_BETWEEN


async def ask_in_between(question: NeedsInput, schema: Mapping[str, object], request: Request) -> object | None:
    """Ask while the request waits; gives the client's reply, or None if there is no way to ask it after all."""
    if (context := request.context) is None:
        return None
    asked = elicitation(question, schema)
    try:
        return await context.session.elicit_form(
            str(asked["message"]), as_object(asked["requestedSchema"]), context.request_id
        )
    except Exception:  # noqa: BLE001 - there is no way back to this client, or it failed to ask.
        return None


def unanswered(reply: object, question: NeedsInput) -> FaultError:
    """Say that the person behind the agent did not answer."""
    what = "The user declined to answer" if was_declined(reply) else "The user closed without an answer"
    return FaultError(
        Code.CANCELLED,
        f"{what}: {question.message}",
        recovery=Recovery(hint="Ask the user how to go on before you call this tool again."),
    )


def asked_too_late(question: NeedsInput) -> FaultError:
    """Say that a tool asked after it had begun to change something: to run it again would change it a second time."""
    return FaultError(
        Code.INTERNAL_ERROR,
        f"The tool has begun to change something, and asked only then, so that it is not run again: {question.message}",
        retry=Retry.VERIFY_FIRST,
    )
