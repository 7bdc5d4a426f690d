"""002's `needsInput:v1`: a question, which is a normal turn of the conversation and not an error."""

from collections.abc import Mapping

from errata.dialects._content import gated_blocks
from errata.dialects._elicitation import read_elicitation
from errata.dialects._incoming import QUESTION, ToolResult, incoming
from errata.dialects._members import items_in, object_in, present, text_in, texts_in
from errata.dialects._outgoing import outgoing_question
from errata.model import NeedsInput
from errata.redaction import as_object


def encode_needs_input(question: NeedsInput, *, format: str = "markdown") -> dict[str, object]:
    """Say a question as the JSON of a `CallToolResult`, without isError and gated by the format."""
    question = outgoing_question(question)
    payload = present(
        kind=QUESTION,
        type="elicitation",
        message=question.message,
        needsInput=present(
            fields=list(question.fields), reason=question.reason, suggestions=question.suggestions or None
        ),
        options=list(question.options) or None,
    )
    return {"content": gated_blocks(question.message, payload, format), "structuredContent": payload}


def decode_needs_input(message: object) -> NeedsInput | None:
    """Read a question: a `needsInput:v1` result, an `input_required` result or an elicitation; None for anything else."""
    match incoming(message):
        case ToolResult() as result:
            asked = (_question(each.members) or read_elicitation(each.members) for each in result.payloads())
            return next((found for found in asked if found), None)
        case _:
            return None


def _question(payload: Mapping[str, object]) -> NeedsInput | None:
    message = text_in(payload, "message")
    if payload.get("kind") != QUESTION or message is None or not isinstance(payload.get("needsInput"), dict):
        return None
    needs = object_in(payload, "needsInput")
    return NeedsInput(
        message,
        fields=texts_in(needs, "fields"),
        reason=text_in(needs, "reason") or "",
        suggestions=object_in(needs, "suggestions"),
        options=map(as_object, items_in(payload, "options")),
    )
