"""What a dialect is: one way of putting a Fault on the wire, and of reading it back."""

import dataclasses
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from errata._fault import Fault
from errata.dialects._incoming import Answer, ErrorObject, incoming
from errata.dialects._outgoing import outgoing
from errata.dialects._protocol import read_error
from errata.dialects._vocabulary import Vocabulary


class Dialect(ABC):
    """One language of errors. A new one is a subclass in a file of its own and a line in `dialects/__init__.py`."""

    name: ClassVar[str]
    source: ClassVar[str]
    """Whose error model it is, for people who read tables."""
    about: ClassVar[str]
    """What is special about it, in a few words."""
    vocabulary: ClassVar[Vocabulary[Any]]

    def encode(self, fault: Fault, *, format: str = "markdown") -> dict[str, object]:
        """Say a fault as the JSON of a `CallToolResult`.

        `format` is "markdown", "json" or "both"; a dialect whose content does not depend on it takes no notice,
        and a format nobody knows is "markdown".
        """
        return self.write(outgoing(fault), format)

    def decode(self, message: object) -> Fault | None:
        """Read a `CallToolResult`, a JSON-RPC response or a JSON-RPC error object; None where this is not spoken."""
        match incoming(message):
            case ErrorObject(body):
                return read_error(body)
            case Answer() as answer:
                return self.read(answer)
            case None:
                return None

    def read(self, answer: Answer) -> Fault | None:
        """Read a tool's result; None where this dialect is not spoken."""
        for payload in answer.payloads():
            if fault := self.understand(payload, is_error=answer.is_error):
                return with_reference(fault, answer)
        return None

    @abstractmethod
    def write(self, fault: Fault, format: str) -> dict[str, object]:
        """Make the result of a fault that is ready to leave."""

    @abstractmethod
    def understand(self, payload: Mapping[str, object], *, is_error: bool) -> Fault | None:
        """Read the payload; None where it is not one of this dialect.

        Without `is_error` nothing but the payload says that the call failed, so it has to be unmistakable.
        """

    @abstractmethod
    def error_schema(self) -> dict[str, object]:
        """Describe the payload as JSON Schema 2020-12."""


def error_result(payload: Mapping[str, object], *texts: str) -> dict[str, object]:
    """Make a CallToolResult that says it is an error on every surface."""
    return {
        "content": [{"type": "text", "text": text} for text in texts],
        "structuredContent": payload,
        "isError": True,
    }


def json_text(payload: Mapping[str, object]) -> str:
    """Write JSON the way the seeds do: two spaces, characters as they are."""
    return json.dumps(payload, indent=2, ensure_ascii=False)


def with_reference(fault: Fault, answer: Answer) -> Fault:
    """Add the correlation id that an adapter put beside the payload."""
    if fault.correlation_id is not None or answer.correlation_id is None:
        return fault
    return dataclasses.replace(fault, correlation_id=answer.correlation_id)
