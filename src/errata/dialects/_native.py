"""errata's own dialect: made so that every client shows the model everything.

Of nine agent-facing clients all show the first text block, and three the structured content. So the text
stands alone and says that it is an error, and the structured content says it all again.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, TypedDict, cast

from errata.dialects._dialect import Dialect, apply_trust
from errata.dialects._envelope import ToolResult, text_block
from errata.dialects._native_lines import read_lines, write_lines, write_reference
from errata.dialects._payload import object_in, payload_schema, read_payload, write_payload
from errata.dialects._vocabulary import Vocabulary
from errata.model import Code, Fault, Retry, known_word


class _Payload(TypedDict):
    error: dict[str, Any]


class _NativeResult(TypedDict):
    content: list[dict[str, str]]
    structuredContent: _Payload


class Native(Dialect):
    """Everything, twice: as lines for a model and as an object for a program."""

    name: ClassVar[str] = "native"
    about: ClassVar[str] = "every client shows the model all of it"
    mark: ClassVar[frozenset[str]] = frozenset({"error"})
    carries_reference: ClassVar[bool] = True
    carries_verdict: ClassVar[bool] = True
    vocabulary: ClassVar[Vocabulary[str]] = Vocabulary[str]({code: code.value for code in Code})

    def payload(self, fault: Fault) -> dict[str, object]:
        """Return all fields of the fault."""
        return {"error": write_payload(fault)}

    def text(self, fault: Fault, payload: Mapping[str, object]) -> str:  # noqa: ARG002 - the lines have it all.
        """Return the lines for a model."""
        return write_lines(fault)

    def again(self, result: Mapping[str, object], correlation_id: str, timestamp: str) -> dict[str, object]:
        """Return a copy of a result with another reference and time: most failures of a server have happened before."""
        before = cast("_NativeResult", result)
        lines, _, _ = before["content"][0]["text"].rpartition("\n")
        error = dict(before["structuredContent"]["error"])
        if "recovery" in error:
            error["recovery"] = dict(error["recovery"])
        error |= {"correlationId": correlation_id, "timestamp": timestamp}
        text = f"{lines}\n{write_reference(correlation_id)}"
        return {"content": [text_block(text)], "structuredContent": {"error": error}, "isError": True}

    def from_payload(self, payload: Mapping[str, object], *, is_error: bool) -> Fault | None:
        """Read `{"error": {code, message, retry, …}}`; without isError, code and verdict have to be known ones."""
        error = object_in(payload, "error")
        known = known_word(Code, error.get("code")) and known_word(Retry, error.get("retry"))
        return read_payload(error) if is_error or known else None

    def read(self, result: ToolResult) -> Fault | None:
        """Read the object, or the lines where somebody on the way kept only those.

        Frameworks for agents drop `isError`, too: then a result that consists of such lines and nothing else is hearsay.
        """
        if fault := super().read(result):
            return fault
        is_read = result.texts and (result.is_error or len(result.texts) == 1)
        if is_read and (fault := read_lines(text := result.texts[0])):
            return apply_trust(fault, result.trust_in_text(text), result)
        return None

    def error_schema(self) -> dict[str, object]:
        """Return the JSON Schema of the payload."""
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "errata",
            "type": "object",
            "properties": {"error": payload_schema()},
            "required": ["error"],
        }


native: Native = Native()
