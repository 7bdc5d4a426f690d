"""One structured record per failure, on the logger `errata`: the cause, which the wire never sees.

The traceback is formatted here, bounded and redacted, and becomes part of the record's text. No `exc_info` is passed
on: a handler that renders it (rich does) would spend 100 ms of the event loop on every failure, past redaction.

Nothing foreign makes a line of the log: what is said is on one line, and every line of the traceback is indented.
"""

import logging
import traceback
from collections.abc import Iterator, Mapping
from textwrap import indent
from types import TracebackType

from errata._process_output import read_last_output
from errata.model import Fault
from errata.redaction import jsonable, put_on_one_line, redact_visibly, redact_within

_LOG = logging.getLogger("errata")
_MOST_FRAMES = 50  # The last ones: who raised it is at the end.
_LONGEST_STACK = 16_000
_LONGEST_TEXT = 8_000
_LONGEST_OUTPUT = 2_000  # The last of it: why a program failed is at the end.
_MOST_CAUSES = 8
_MARGIN = "  "
_CALLERS = {"anyio", "asyncio", "concurrent", "errata", "fastmcp", "mcp", "pydantic"}
_WHERE = {"operation": "", "tool": "Tool ", "resource": "Resource ", "prompt": "Prompt "}


def log_failure(
    fault: Fault,
    error: BaseException,
    facts: Mapping[str, object],
    *,
    level: int = logging.ERROR,
    stack: bool = True,
) -> None:
    """Write the record. `facts` are what else is known (an operation, a tool, an input); they are redacted.

    Everything is in the record's attribute `errata`, for handlers that write JSON; its text says it for a person.
    """
    if not _LOG.isEnabledFor(level):
        return
    fields: dict[str, object] = {
        "code": fault.code.value,
        "reason": fault.reason and redact_within(fault.reason, _LONGEST_TEXT),
        "message": redact_within(fault.message, _LONGEST_TEXT),
        "retry": fault.retry.value,
        "correlation_id": fault.correlation_id and redact_within(fault.correlation_id, _LONGEST_TEXT),
        "timestamp": fault.timestamp and redact_within(fault.timestamp, _LONGEST_TEXT),
        "critical": level >= logging.CRITICAL,
        "error": redact_within(type(error).__name__, _LONGEST_TEXT),
        "stack": format_stack(error) if stack else None,
    }
    fields |= {name: redact_visibly(jsonable(fact)) for name, fact in facts.items()}
    present = {name: fact for name, fact in fields.items() if fact is not None}
    _LOG.log(level, "%s", _describe(present), extra={"errata": present})


def format_stack(error: BaseException) -> str:
    """Format an exception's traceback, with its causes; for one that cannot be formatted, say so."""
    try:
        kind, start = type(error), _skip_callers(error.__traceback__)
        lines = traceback.TracebackException(kind, error, start, limit=-_MOST_FRAMES, compact=True).format()
        return redact_within("".join([*lines, *_quote_outputs(error)]), _LONGEST_STACK)
    except Exception:  # noqa: BLE001 - a foreign __str__ or __cause__ may raise anything.
        return f"[{put_on_one_line(type(error).__name__)}: its traceback cannot be formatted]"


def format_indented_stack(error: BaseException) -> str:
    """Format an exception's traceback for the text of a record: indented, so that nothing in it begins a line of the log."""
    return _indent(format_stack(error))


def _indent(stack: str) -> str:
    return indent(stack.rstrip("\n"), _MARGIN, bool)


def _quote_outputs(error: BaseException) -> Iterator[str]:
    """Quote the end of what programs wrote whose failure led to this; no traceback shows it."""
    at: BaseException | None = error
    for _ in range(_MOST_CAUSES):
        if at is None:
            return
        output = read_last_output(getattr(at, "stderr", None), getattr(at, "stdout", None), limit=_LONGEST_OUTPUT)
        if output:
            yield f"{type(at).__name__} came with this output:\n{output}\n"
        at = at.__cause__ or at.__context__


def _skip_callers(start: TracebackType | None) -> TracebackType | None:
    """Skip the frames of the SDK that called the tool: they are the same in every traceback, and nobody's to mend."""
    at = start
    while at is not None and str(at.tb_frame.f_globals.get("__name__")).partition(".")[0] in _CALLERS:
        at = at.tb_next
    return at or start


def _describe(record: Mapping[str, object]) -> str:
    where = next((f"{_WHERE[kind]}{record[kind]} failed" for kind in _WHERE if record.get(kind)), "Failed")
    text = put_on_one_line(
        f"{where} [{record['code']}]: {record['message']} (reference {record.get('correlation_id')})"
    )
    return f"{text}\n{_indent(str(record['stack']))}" if "stack" in record else text
