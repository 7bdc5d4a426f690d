"""How the question of a handler reaches the client.

On the newer protocol the client comes back with a second request; on the older one the server asks while the request
waits; a client that can do neither gets the question as a result.
"""

from collections.abc import Mapping
from enum import Enum, auto

from errata.dialects import build_elicitation
from errata.model import Code, FaultError, NeedsInput, Recovery, Retry
from errata.redaction import as_object
from errata.serving._requests import MODERN, Request
from errata.serving._rounds import was_declined

_MOST_ROUNDS = 8
"""How often one call may ask; a tool that takes no notice of the answer would ask for ever."""


class Channel(Enum):
    """How a client can be asked."""

    INPUT_REQUIRED = auto()
    """It gets an `input_required` result, and repeats its request with the answer."""
    ELICITATION = auto()
    """It is sent an elicitation while its request waits."""
    RESULT = auto()
    """It declared neither; the question is the result."""


def choose_channel(request: Request) -> Channel:
    """Choose how to ask, by what the client declared and by its protocol."""
    context = request.context
    declared = getattr(context.session.client_capabilities, "elicitation", None) if context else None
    by_form = getattr(declared, "form", None) is not None or getattr(declared, "url", None) is None
    if context is None or declared is None or not by_form or request.rounds.number >= _MOST_ROUNDS:
        return Channel.RESULT
    return Channel.INPUT_REQUIRED if context.protocol_version >= MODERN else Channel.ELICITATION


async def elicit(question: NeedsInput, schema: Mapping[str, object], request: Request) -> object | None:
    """Ask while the request waits; return the client's reply, or None if it cannot be asked after all."""
    if (context := request.context) is None:
        return None
    params = build_elicitation(question, schema)
    try:
        return await context.session.elicit_form(
            str(params["message"]), as_object(params["requestedSchema"]), context.request_id
        )
    except Exception:  # noqa: BLE001 - there is no way back to this client, or it failed to ask.
        return None


def has_changed_something(request: Request) -> bool:
    """Return whether a tool has begun an effect that running it again would repeat."""
    effects = request.effects
    return effects is not None and effects.open > 0 and not effects.keyed


def build_unanswered_error(reply: object, question: NeedsInput) -> FaultError:
    """Build the error of a question that the person behind the agent did not answer."""
    what = "The user declined to answer" if was_declined(reply) else "The user closed without an answer"
    return FaultError(
        Code.CANCELLED,
        f"{what}: {question.message}",
        recovery=Recovery(hint="Ask the user how to go on before you call this tool again."),
    )


def build_late_question_error(question: NeedsInput) -> FaultError:
    """Build the error of a tool that asks after it began to change something: another run would change it twice."""
    return FaultError(
        Code.INTERNAL_ERROR,
        f"The tool has begun to change something, and asked only then, so that it is not run again: {question.message}",
        retry=Retry.VERIFY_FIRST,
    )
