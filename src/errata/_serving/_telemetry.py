"""The current span is told about a failure, where OpenTelemetry is installed."""

from errata._fault import Fault

try:
    from opentelemetry import trace
except ImportError:  # Nobody traces here.
    trace = None  # type: ignore[assignment]

TOOL_ERROR = "tool_error"
"""What OpenTelemetry's conventions for MCP call a tool that answers with isError."""


def tell_span(fault: Fault, error_type: str) -> None:
    """Give the current span the kind of error and errata's code."""
    if trace is None:
        return
    span = trace.get_current_span()
    if span.is_recording():
        span.set_attributes({"error.type": error_type, "errata.code": fault.code.value})
        if fault.reason:
            span.set_attribute("errata.reason", fault.reason)
