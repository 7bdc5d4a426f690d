"""How a failure is told: what goes around the words of a dialect."""

from collections.abc import Mapping
from typing import NamedTuple

from errata.dialects import (
    CORRELATION_ID,
    PRESUMED,
    RETRY,
    Dialect,
    as_jsonrpc_error,
    native,
    outgoing_reference,
    verdict_beside,
)
from errata.model import Code, Fault, Retry, identified, rewritten
from errata.redaction import as_object, put_on_one_line
from errata.serving._request import Kind, Request

_MARKDOWN = "markdown"


class Answer(NamedTuple):
    """A failure, and how it is told."""

    fault: Fault
    told: dict[str, object]
    correlation_id: str | None
    timestamp: str | None

    def identified(self) -> Fault:
        """Give the fault the reference and the time of this answer, if it is that of an earlier one."""
        return rewritten(self.fault, correlation_id=self.correlation_id, timestamp=self.timestamp)


def wanted_format(request: Request, schema: Mapping[str, object]) -> str:
    """Read how a tool's caller wants to be answered: by the tool's own `format` argument, if it has one (002)."""
    declared = as_object(as_object(schema.get("properties")).get("format"))
    if not declared:
        return _MARKDOWN
    wanted = request.arguments.get("format", declared.get("default"))
    return wanted if isinstance(wanted, str) else _MARKDOWN


def with_what_has_no_place(
    encoded: dict[str, object], fault: Fault, dialect: Dialect, *, presumed: bool = False
) -> dict[str, object]:
    """Put beside the payload what the dialect has no place for: the correlation id, and the verdict to the letter.

    Where leave to repeat is only `presumed`, that is said as well, so that no client of errata's repeats because of it.
    """
    meta: dict[str, object] = {PRESUMED: True} if presumed and fault.retry is Retry.SAME_CALL else {}
    if not dialect.carries_reference and (reference := outgoing_reference(fault.correlation_id)):
        meta[CORRELATION_ID] = reference
    if not dialect.carries_verdict and (verdict := verdict_beside(fault)):
        meta[RETRY] = verdict
    return encoded | {"_meta": meta} if meta else encoded


def as_protocol_error(fault: Fault, told: Fault, dialect: Dialect = native) -> Answer:
    """Say a fault as a JSON-RPC error. Its data reaches no model, so the message tells the reference, too."""
    encoded = as_jsonrpc_error(told, dialect=dialect)
    if reference := outgoing_reference(fault.correlation_id):
        encoded["message"] = f"{encoded['message']} Reference: {put_on_one_line(reference)}."
    return Answer(fault, encoded, fault.correlation_id, fault.timestamp)


def in_need(request: Request) -> Answer:
    """Say that something is broken, when saying what failed as well."""
    fault = identified(Fault(code=Code.INTERNAL_ERROR))
    if request.kind is not Kind.TOOL:
        return as_protocol_error(fault, fault)
    return Answer(fault, native.encode(fault), fault.correlation_id, fault.timestamp)
