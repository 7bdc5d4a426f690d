"""errata's own dialect: made so that every client shows the model everything.

Of nine agent-facing clients all show the first text block, and three the structured content. So the text
stands alone and says that it is an error, and the structured content says it all again.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, TypedDict, cast

from errata.dialects._canonical import canonical_schema, from_object, to_object
from errata.dialects._content import text_block
from errata.dialects._dialect import Dialect, believed
from errata.dialects._incoming import ToolResult
from errata.dialects._lines import from_lines, lines_of, reference_line
from errata.dialects._members import object_in
from errata.dialects._vocabulary import Vocabulary
from errata.model import Code, Fault, Retry, known_word


class _Payload(TypedDict):
    error: dict[str, Any]


class _Said(TypedDict):
    content: list[dict[str, str]]
    structuredContent: _Payload


class Native(Dialect):
    """Everything, twice: as lines for a model and as an object for a program."""

    name: ClassVar[str] = "native"
    source: ClassVar[str] = "errata"
    about: ClassVar[str] = "every client shows the model all of it"
    mark: ClassVar[frozenset[str]] = frozenset({"error"})
    carries_reference: ClassVar[bool] = True
    carries_verdict: ClassVar[bool] = True
    vocabulary: ClassVar[Vocabulary[str]] = Vocabulary[str]({code: code.value for code in Code})

    def payload(self, fault: Fault) -> dict[str, object]:
        """Say it in full."""
        return {"error": to_object(fault)}

    def text(self, fault: Fault, payload: Mapping[str, object]) -> str:  # noqa: ARG002 - the lines say it all.
        """Say it in lines."""
        return lines_of(fault)

    def again(self, said: Mapping[str, object], correlation_id: str, timestamp: str) -> dict[str, object]:
        """Say the same once more, with another reference and time; of a server's failures, most are not the first."""
        before = cast("_Said", said)
        lines, _, _ = before["content"][0]["text"].rpartition("\n")
        error = dict(before["structuredContent"]["error"])
        if "recovery" in error:
            error["recovery"] = dict(error["recovery"])
        error |= {"correlationId": correlation_id, "timestamp": timestamp}
        text = f"{lines}\n{reference_line(correlation_id)}"
        return {"content": [text_block(text)], "structuredContent": {"error": error}, "isError": True}

    def from_payload(self, payload: Mapping[str, object], *, is_error: bool) -> Fault | None:
        """Read `{"error": {code, message, retry, …}}`; without isError, code and verdict have to be known ones."""
        error = object_in(payload, "error")
        known = known_word(Code, error.get("code")) and known_word(Retry, error.get("retry"))
        return from_object(error) if is_error or known else None

    def read(self, result: ToolResult) -> Fault | None:
        """Read the object, or the lines where somebody on the way kept only those."""
        if fault := super().read(result):
            return fault
        if result.is_error and result.texts and (fault := from_lines(text := result.texts[0])):
            return believed(fault, result.word_of_text(text), result)
        return None

    def error_schema(self) -> dict[str, object]:
        """Describe the object."""
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "errata",
            "type": "object",
            "properties": {"error": canonical_schema()},
            "required": ["error"],
        }


native: Native = Native()
