"""What a dialect is: one way of putting a Fault on the wire, and of reading it back."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from errata.dialects._envelope import (
    ErrorObject,
    ToolResult,
    Trust,
    add_verdict_meta,
    json_text,
    lower_hearsay,
    open_message,
    text_block,
)
from errata.dialects._outgoing import redact_fault
from errata.dialects._payload import write_payload
from errata.dialects._protocol import read_error
from errata.dialects._vocabulary import Vocabulary
from errata.model import Fault, replace_fields


class Dialect(ABC):
    """One format of errors. A new one is a subclass in a file of its own and a line in `dialects/__init__.py`."""

    name: ClassVar[str]
    about: ClassVar[str]
    """What is special about it, in a few words."""
    mark: ClassVar[frozenset[str]]
    """The keys that every payload has: a result without any dialect's mark is a success at a glance."""
    vocabulary: ClassVar[Vocabulary[Any]]
    follows_format: ClassVar[bool] = False
    """Whether the content depends on the `format` that a caller asks for."""
    carries_reference: ClassVar[bool] = False
    """Whether the payload has a member for the correlation id."""
    carries_verdict: ClassVar[bool] = False
    """Whether the payload says exactly whether a call may be repeated, and what to call before that."""
    publishes_schema: ClassVar[bool] = False
    """Whether every tool in a list shows the schema of its errors; otherwise those that declare a contract do."""

    def encode(self, fault: Fault, *, format: str = "markdown") -> dict[str, object]:
        """Return a fault as the JSON of a `CallToolResult`.

        `format` is "markdown", "json" or "both"; a dialect whose content does not depend on it takes no notice,
        and a format nobody knows is "markdown".
        """
        fault = redact_fault(fault)
        payload = self.payload(fault)
        return {"content": self.content(fault, payload, format), "structuredContent": payload, "isError": True}

    def decode(self, message: object) -> Fault | None:
        """Read a `CallToolResult`, a JSON-RPC response or a JSON-RPC error object; None where it is not in this dialect."""
        match open_message(message):
            case ErrorObject(body):
                return read_error(body)
            case ToolResult() as result:
                return self.read(result)
            case None:
                return None

    def read(self, result: ToolResult) -> Fault | None:
        """Read a tool's result; None where it is not in this dialect."""
        for payload in result.payloads():
            if fault := self.from_payload(payload.members, is_error=result.is_error):
                return apply_trust(fault, payload.trust, result)
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
        """Return the JSON Schema 2020-12 of the payload."""

    def error_data(self, fault: Fault) -> dict[str, object]:
        """Make the `data` of a JSON-RPC error, from which `read_embedded_fault` reads it again."""
        return write_payload(fault)

    def content(self, fault: Fault, payload: Mapping[str, object], format: str) -> list[dict[str, str]]:  # noqa: ARG002 - for those whose content depends on it.
        """Make the content blocks."""
        return [text_block(self.text(fault, payload))]

    def text(self, fault: Fault, payload: Mapping[str, object]) -> str:  # noqa: ARG002 - for dialects with a text of their own.
        """Make the text of the one content block: the payload as JSON, unless the dialect has a text of its own."""
        return json_text(payload)


def apply_trust(fault: Fault, trust: Trust, result: ToolResult) -> Fault:
    """Return what is to be believed of a payload, with what `_meta` says besides."""
    return add_meta(lower_hearsay(fault) if trust is Trust.HEARSAY else fault, trust, result)


def add_meta(fault: Fault, trust: Trust, result: ToolResult) -> Fault:
    """Add what `_meta` holds: the reference and, if the server speaks for itself, the verdict."""
    fault = add_verdict_meta(fault, result.meta) if trust > Trust.HEARSAY else fault
    if fault.correlation_id is not None or result.correlation_id is None:
        return fault
    return replace_fields(fault, correlation_id=result.correlation_id)
