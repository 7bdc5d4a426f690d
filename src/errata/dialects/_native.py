"""errata's own dialect: made so that every client shows the model everything.

Of nine agent-facing clients all show the first text block, and three the structured content. So the text
stands alone and says that it is an error, and the structured content says it all again.
"""

from collections.abc import Mapping
from typing import ClassVar

from errata._fault import Fault
from errata._taxonomy import Code
from errata.dialects._canonical import CANONICAL_SCHEMA, from_object, to_object
from errata.dialects._dialect import Dialect, error_result, with_reference
from errata.dialects._incoming import Answer
from errata.dialects._lines import from_lines, lines_of
from errata.dialects._members import object_in
from errata.dialects._vocabulary import Vocabulary


class Native(Dialect):
    """Everything, twice: as lines for a model and as an object for a program."""

    name: ClassVar[str] = "native"
    source: ClassVar[str] = "errata"
    about: ClassVar[str] = "every client shows the model all of it"
    vocabulary: ClassVar[Vocabulary[str]] = Vocabulary[str]({code: code.value for code in Code})

    def write(self, fault: Fault, format: str) -> dict[str, object]:  # noqa: ARG002 - the same in every format.
        """Say it in lines and in full."""
        return error_result({"error": to_object(fault)}, lines_of(fault))

    def understand(self, payload: Mapping[str, object], *, is_error: bool) -> Fault | None:  # noqa: ARG002
        """Read `{"error": {code, message, retry, …}}`; its verdict is unmistakable with or without isError."""
        return from_object(object_in(payload, "error"))

    def read(self, answer: Answer) -> Fault | None:
        """Read the object, or the lines where somebody on the way kept only those."""
        if fault := super().read(answer):
            return fault
        if answer.is_error and answer.texts and (fault := from_lines(answer.texts[0])):
            return with_reference(fault, answer)
        return None

    def error_schema(self) -> dict[str, object]:
        """Describe the object."""
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "errata",
            "type": "object",
            "properties": {"error": CANONICAL_SCHEMA},
            "required": ["error"],
        }


native: Native = Native()
