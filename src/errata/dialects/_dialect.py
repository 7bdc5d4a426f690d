"""What a dialect is: one way of putting a Fault on the wire, and of reading it back."""

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from errata.dialects._beside import with_verdict
from errata.dialects._canonical import to_object
from errata.dialects._content import json_text, text_block
from errata.dialects._incoming import ErrorObject, ToolResult, Word, incoming, lower_hearsay
from errata.dialects._outgoing import outgoing
from errata.dialects._protocol import read_error
from errata.dialects._vocabulary import Vocabulary
from errata.model import Fault


class Dialect(ABC):
    """One language of errors. A new one is a subclass in a file of its own and a line in `dialects/__init__.py`."""

    name: ClassVar[str]
    source: ClassVar[str]
    """Whose error model it is, for people who read tables."""
    about: ClassVar[str]
    """What is special about it, in a few words."""
    mark: ClassVar[frozenset[str]]
    """The keys that every payload has: a result without any dialect's mark is a success at a glance."""
    vocabulary: ClassVar[Vocabulary[Any]]
    follows_format: ClassVar[bool] = False
    """Whether the content depends on the `format` that a caller asks for."""
    carries_reference: ClassVar[bool] = False
    """Whether the payload has a place for the correlation id."""
    carries_verdict: ClassVar[bool] = False
    """Whether the payload says exactly whether a call may be repeated, and what to call before that."""
    publishes_schema: ClassVar[bool] = False
    """Whether every tool in a list shows the schema of its errors; otherwise those that declare a contract do."""

    def encode(self, fault: Fault, *, format: str = "markdown") -> dict[str, object]:
        """Say a fault as the JSON of a `CallToolResult`.

        `format` is "markdown", "json" or "both"; a dialect whose content does not depend on it takes no notice,
        and a format nobody knows is "markdown".
        """
        fault = outgoing(fault)
        payload = self.payload(fault)
        return {"content": self.content(fault, payload, format), "structuredContent": payload, "isError": True}

    def decode(self, message: object) -> Fault | None:
        """Read a `CallToolResult`, a JSON-RPC response or a JSON-RPC error object; None where this is not spoken."""
        match incoming(message):
            case ErrorObject(body):
                return read_error(body)
            case ToolResult() as result:
                return self.read(result)
            case None:
                return None

    def read(self, result: ToolResult) -> Fault | None:
        """Read a tool's result; None where this dialect is not spoken."""
        for payload in result.payloads():
            if fault := self.from_payload(payload.members, is_error=result.is_error):
                return believed(fault, payload.word, result)
        return None

    @abstractmethod
    def payload(self, fault: Fault) -> dict[str, object]:
        """Make the structured content of a fault that is ready to leave."""

    @abstractmethod
    def from_payload(self, payload: Mapping[str, object], *, is_error: bool) -> Fault | None:
        """Read an object that might be a payload; None where it is not one of this dialect.

        Without `is_error` nothing but the payload says that the call failed, so it has to be unmistakable.
        """

    @abstractmethod
    def error_schema(self) -> dict[str, object]:
        """Describe the payload as JSON Schema 2020-12."""

    def error_data(self, fault: Fault) -> dict[str, object]:
        """Make the `data` of a JSON-RPC error, in which `fault_in` finds it again."""
        return to_object(fault)

    def content(self, fault: Fault, payload: Mapping[str, object], format: str) -> list[dict[str, str]]:  # noqa: ARG002 - for those whose content depends on it.
        """Make the content blocks."""
        return [text_block(self.text(fault, payload))]

    def text(self, fault: Fault, payload: Mapping[str, object]) -> str:  # noqa: ARG002 - for those who say it in words.
        """Make the text of the one content block: the payload as JSON, unless the dialect says it in words."""
        return json_text(payload)


def believed(fault: Fault, word: Word, result: ToolResult) -> Fault:
    """Return what is to be believed of a payload, with what an adapter put beside it."""
    return with_what_is_beside(lower_hearsay(fault) if word is Word.HEARSAY else fault, word, result)


def with_what_is_beside(fault: Fault, word: Word, result: ToolResult) -> Fault:
    """Add what an adapter put beside the payload: the reference and, if the server speaks for itself, the verdict."""
    fault = with_verdict(fault, result.meta) if word > Word.HEARSAY else fault
    if fault.correlation_id is not None or result.correlation_id is None:
        return fault
    return dataclasses.replace(fault, correlation_id=result.correlation_id)
