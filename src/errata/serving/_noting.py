"""What is written down about a failure that was answered: for the log, for the current span, and beside its contract."""

import logging
from collections import Counter
from collections.abc import Callable

from errata._log import log_failure
from errata.contracts import Declared
from errata.dialects import BASELINE
from errata.model import Code, Fault
from errata.redaction import line_of, quote_name
from errata.serving._answering import Answer
from errata.serving._judging import Failed
from errata.serving._request import Kind, Request
from errata.serving._telemetry import TOOL_ERROR, tell_span

_LOG = logging.getLogger("errata")


class Notes:
    """The notes of one server."""

    def __init__(self) -> None:
        self.undeclared: Counter[tuple[str, Code]] = Counter()
        """How often a tool failed with a code that its contract does not declare."""

    def take(
        self, answer: Answer, failed: Failed, request: Request, declared_for: Callable[[Request], Declared | None]
    ) -> None:
        """Tell the log, the contract's counter and the current span; what goes wrong there costs nobody an answer."""
        try:
            if request.kind is Kind.TOOL and failed.has_run and answer.fault.code not in BASELINE:
                self._compare(answer.fault, request, declared_for(request))
            tell_span(answer.fault, TOOL_ERROR if request.kind is Kind.TOOL else str(answer.told["code"]))
            level = logging.WARNING if failed.on_purpose else logging.ERROR  # What somebody foresaw, what nobody did.
            if _LOG.isEnabledFor(level):
                facts = {request.kind.value: request.short_name, "duration_ms": request.duration_ms}
                log_failure(answer.identified(), failed.error, facts, stack=failed.has_run, level=level)
        except Exception:  # noqa: BLE001, S110 - a filter or an exporter of somebody's failed; there is no one left to tell.
            pass

    def _compare(self, fault: Fault, request: Request, declared: Declared | None) -> None:
        """Count a code that the tool did not declare; the log hears once of each."""
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
