"""The current span is told about a failure, where OpenTelemetry is installed, and keeps no secret of it.

FastMCP records an exception on the span before errata sees it: its text becomes the span's status, its text and traceback
an event, all as they are. Status, name and attributes are overwritten, which OpenTelemetry allows. An event it does not
let anybody change; those of its SDK are changed all the same. What is beyond reach is in docs/servers.md.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, cast

from errata.model import Fault
from errata.redaction import line_of, redact_within

try:
    from opentelemetry import trace
except ImportError:  # Nobody traces here.
    trace = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Status
    from opentelemetry.util.types import AttributeValue

TOOL_ERROR = "tool_error"
"""What OpenTelemetry's conventions for MCP call a tool that answers with isError."""
_LONGEST_TEXT = 16_000
_ATTRIBUTES, _NAME = "_attributes", "_name"


def tell_span(fault: Fault, error_type: str) -> None:
    """Give the current span the kind of error and errata's code, and hide what nobody may see of what is there already."""
    if trace is None:
        return
    span = trace.get_current_span()
    if span.is_recording():
        _hide_secrets(span)
        span.set_attributes(
            {"error.type": error_type, "errata.code": fault.code.value, "errata.retry": fault.retry.value}
        )
        if error_type != TOOL_ERROR:  # It is the number of a JSON-RPC error, which has a name of its own, too.
            span.set_attribute("rpc.response.status_code", error_type)
        if fault.reason:
            span.set_attribute("errata.reason", line_of(fault.reason))


def _hide_secrets(span: "Span") -> None:
    """Redact the texts of a span; one that shows nobody what it holds, as the API's own does, stays as it is."""
    for name, value in _redacted(getattr(span, "attributes", None)).items():
        span.set_attribute(name, value)
    title: object = getattr(span, "name", None)
    if isinstance(title, str) and (safe := line_of(title)) != title:
        span.update_name(safe)
    status = cast("Status | None", getattr(span, "status", None))
    if status is not None and status.description:
        span.set_status(status.status_code, line_of(status.description))
    for event in cast("Iterable[object]", getattr(span, "events", ())):
        held: object = getattr(event, _ATTRIBUTES, None)
        if changed := _redacted(held):
            setattr(event, _ATTRIBUTES, {**cast("Mapping[str, object]", held), **changed})
        title = getattr(event, "name", None)
        if isinstance(title, str) and (safe := line_of(title)) != title:
            setattr(event, _NAME, safe)


def _redacted(attributes: object) -> "dict[str, AttributeValue]":
    """Choose the texts among attributes, and lists of them, that may not be seen as they are, and redact them."""
    if not isinstance(attributes, Mapping):
        return {}
    held = cast("Mapping[str, object]", attributes)
    safe = {name: _safe(value) for name, value in held.items()}
    return {name: value for name, value in safe.items() if value is not None and value != held[name]}


def _safe(value: object) -> "AttributeValue | None":
    match value:
        case str():
            return redact_within(value, _LONGEST_TEXT)
        case tuple() | list():
            items = cast("Iterable[object]", value)
            safe = [redact_within(item, _LONGEST_TEXT) if isinstance(item, str) else item for item in items]
            return cast("AttributeValue", tuple(safe))
        case _:
            return None
