"""Step 6, record: what is written down about a reply, in the log, on the current span, and beside the tool's contract.

FastMCP records an exception on the span before errata sees it: its text becomes the span's status, its text and traceback
an event, all unredacted. Status, name and attributes are overwritten, which OpenTelemetry's API allows. It does not allow
changing an event; the events of OpenTelemetry's SDK are changed all the same. What is beyond reach is in docs/servers.md.
"""

import logging
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, cast

from errata._log import log_failure
from errata.contracts import DeclaredFailures
from errata.dialects import BASELINE
from errata.model import Code, Fault
from errata.redaction import line_of, quote_name, redact_within
from errata.serving._classifying import RequestFailure
from errata.serving._encoding import ServerReply
from errata.serving._requests import Kind, Request
from errata.serving._setup import Setup

try:
    from opentelemetry import trace
except ImportError:  # Nobody traces here.
    trace = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Status
    from opentelemetry.util.types import AttributeValue

_LOG = logging.getLogger("errata")
TOOL_ERROR = "tool_error"
"""What OpenTelemetry's conventions for MCP call a tool that answers with isError."""
_LONGEST_TEXT = 16_000
_ATTRIBUTES, _NAME = "_attributes", "_name"


class Recorder:
    """Writes down the failures of one server."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self.undeclared: Counter[tuple[str, Code]] = Counter()
        """How often a tool failed with a code that its contract does not declare."""

    def record(self, reply: ServerReply, failure: RequestFailure, request: Request) -> None:
        """Record a reply. What goes wrong here costs no client its reply."""
        try:
            fault, is_tool = reply.fault, request.kind is Kind.TOOL
            if is_tool and failure.has_run and fault.code not in BASELINE:
                function = request.handler.function if request.handler else None
                self._compare(fault, request, self._setup.find_contract(request.name, function))
            if (span := _find_span()) is not None:
                annotate_span(span, fault, TOOL_ERROR if is_tool else str(reply.encoded["code"]))
            level = logging.WARNING if failure.is_intended else logging.ERROR  # What somebody foresaw, what nobody did.
            if _LOG.isEnabledFor(level):
                facts = {request.kind.value: request.short_name, "duration_ms": request.duration_ms}
                log_failure(reply.identify_fault(), failure.error, facts, stack=failure.has_run, level=level)
        except Exception:  # noqa: BLE001, S110 - somebody's filter or exporter failed; there is nobody left to tell.
            pass

    def _compare(self, fault: Fault, request: Request, declared: DeclaredFailures | None) -> None:
        """Count a code that the tool did not declare; each is logged once."""
        if declared is None or fault.code in declared.codes:
            return
        self.undeclared[request.name, fault.code] += 1
        if self.undeclared[request.name, fault.code] == 1:
            _LOG.warning(
                "Tool %s failed with %s, which its contract does not declare. Declare it with a `Failure`, or let "
                "the tool handle it. (error-contract-conformance)",
                line_of(quote_name(request.name)),
                fault.code,
            )


def _find_span() -> "Span | None":
    """Return the current span, if somebody records it."""
    if trace is None:
        return None
    span = trace.get_current_span()
    return span if span.is_recording() else None


def annotate_span(span: "Span", fault: Fault, error_type: str) -> None:
    """Set the kind of error and errata's code on a span, and redact what the SDK has recorded there."""
    _redact_span(span)
    span.set_attributes({"error.type": error_type, "errata.code": fault.code.value, "errata.retry": fault.retry.value})
    if error_type != TOOL_ERROR:  # It is the number of a JSON-RPC error, which has a name of its own, too.
        span.set_attribute("rpc.response.status_code", error_type)
    if fault.reason:
        span.set_attribute("errata.reason", line_of(fault.reason))


def _redact_span(span: "Span") -> None:
    """Redact the texts of a span, as far as it shows them: the API's own shows none."""
    for name, value in _redact_attributes(getattr(span, "attributes", None)).items():
        span.set_attribute(name, value)
    title: object = getattr(span, "name", None)
    if isinstance(title, str) and (safe := line_of(title)) != title:
        span.update_name(safe)
    status = cast("Status | None", getattr(span, "status", None))
    if status is not None and status.description:
        span.set_status(status.status_code, line_of(status.description))
    for event in cast("Iterable[object]", getattr(span, "events", ())):
        held: object = getattr(event, _ATTRIBUTES, None)
        if changed := _redact_attributes(held):
            setattr(event, _ATTRIBUTES, {**cast("Mapping[str, object]", held), **changed})
        title = getattr(event, "name", None)
        if isinstance(title, str) and (safe := line_of(title)) != title:
            setattr(event, _NAME, safe)


def _redact_attributes(attributes: object) -> "dict[str, AttributeValue]":
    """Return those attributes, texts and lists of texts, that redaction changes, redacted."""
    if not isinstance(attributes, Mapping):
        return {}
    held = cast("Mapping[str, object]", attributes)
    safe = {name: _redact_value(value) for name, value in held.items()}
    return {name: value for name, value in safe.items() if value is not None and value != held[name]}


def _redact_value(value: object) -> "AttributeValue | None":
    match value:
        case str():
            return redact_within(value, _LONGEST_TEXT)
        case tuple() | list():
            items = cast("Iterable[object]", value)
            safe = [redact_within(item, _LONGEST_TEXT) if isinstance(item, str) else item for item in items]
            return cast("AttributeValue", tuple(safe))
        case _:
            return None
