"""Failures noticed on this side of the wire: what the SDKs' own texts and exceptions mean, one row each.

The SDKs report many of them as if the server had sent them. Where it matters (a closed connection, a timeout), a server that
passes on the same text from further away is told apart.
"""

import re
from types import FrameType
from typing import NamedTuple

from errata.classification import classify
from errata.client._failure_context import FailureContext, format_duration
from errata.client._outcomes import unwrap_group
from errata.dialects import to_error_object
from errata.model import Code, Fault, Retry, is_a
from errata.redaction import put_on_one_line, redact_within, text_of

_LONGEST = 300
_CHECKS = frozenset({"validate_tool_result", "_validate_tool_result"})
"""The method of the SDK's session that lists the tools after a success, to check the answer; mcp 1.x has it in private."""


class ClientSideFailure(NamedTuple):
    """A fault that was noticed here, and what it means for the connection."""

    fault: Fault
    is_lost: bool = False
    """Whether the connection has to be opened again."""
    is_local: bool = True
    """Whether it was noticed on this side; False for an answer of the server, in whatever form."""
    is_unsent: bool = False
    """Whether it is certain that the call was not sent, or not taken on."""
    is_refused: bool = False
    """Whether an answer came, and this side refused it."""


class _FaultRow(NamedTuple):
    code: Code
    retry: Retry
    message: str
    is_lost: bool = False
    is_local: bool = True


_TIMEOUT = _FaultRow(
    Code.TIMEOUT,
    Retry.IF_HARMLESS,
    "This client waited{wait} for {request} and got no answer from {server}.{effect}",
)
_NOT_CONNECTED = _FaultRow(
    Code.TIMEOUT,
    Retry.SAME_CALL,
    "This client could not connect to {server} {in_time}{unsent}.{wrote} Check that the server runs, or give it more time "
    "with `timeout_s`.",
)
_CLOSED = _FaultRow(
    Code.NETWORK_ERROR,
    Retry.IF_HARMLESS,
    "The connection to {server} was lost before {request} was answered{because}.{effect}{wrote}",
    is_lost=True,
)
_CUT = _CLOSED._replace(is_lost=False)
_UNREADABLE = _FaultRow(
    Code.SERIALIZATION_ERROR,
    Retry.IF_HARMLESS,
    "The answer of {server} to {request} could not be read: it is no valid MCP.{effect}",
)
_TOO_LARGE = _FaultRow(
    Code.UPSTREAM_ERROR,
    Retry.NEVER,
    "The answer of {server} to {request} was given up: {words}.{effect} Ask for less at a time, or raise `max_body_bytes` of "
    "`Caller.connect`.",
)
_EVENT_TOO_LARGE = _TOO_LARGE._replace(
    message="The answer of {server} to {request} was given up: it is an event larger than this client takes.{effect} Ask for "
    "less at a time, or raise `max_body_bytes` of `Caller.connect`.",
)
_BROKEN_SCHEMA = _FaultRow(
    Code.SERIALIZATION_ERROR,
    Retry.IF_HARMLESS,
    "{request} was answered, but this client refused the answer: it does not fit the tool's own output schema. Whether it "
    "was done cannot be told from that. Only the author of {server} can mend it; the answer is in `response`.",
)
_INVALID_SCHEMA = _BROKEN_SCHEMA._replace(
    message="{request} was answered, but this client refused the answer: the tool's own output schema is no valid one. Whether "
    "it was done cannot be told from that. Only the author of {server} can mend it; the answer is in `response`.",
)
_UNCHECKED = _FaultRow(
    Code.UPSTREAM_ERROR,
    Retry.NEVER,
    "{request} was answered, and the answer tells of no failure, but this client could not check it, because {server} did not "
    "list its tools. The answer is in `response`; a client made by `Caller.connect` takes it unchecked.",
)
_UNCHECKED_IN_TIME = _FaultRow(
    Code.TIMEOUT,
    Retry.NEVER,
    "{request} was answered, and the answer tells of no failure, but the time for it was over before this client could check "
    "it, because {server} did not list its tools. The answer is in `response`: look at what was done, and do not do it again.",
)
_NOT_OPEN = _FaultRow(
    Code.NETWORK_ERROR,
    Retry.NEVER,
    "This client is not connected to {server}, so {request} was not sent. Open the client with `async with` first.",
)
_BLOCK_ENDED = _FaultRow(
    Code.NETWORK_ERROR,
    Retry.NEVER,
    "The block of `async with Caller.connect(…)` has ended, and with it the connection to {server}, so {request} was not "
    "sent. Call inside of the block, or begin another one.",
)
_HIDDEN_STATUS = _FaultRow(
    Code.UPSTREAM_ERROR,
    Retry.IF_HARMLESS,
    "{server} answered {request} with an HTTP error, and the client that was used does not say which. "
    "A client made by `Caller.connect` does.",
    is_local=False,
)
_OUT_OF_SESSION = _FaultRow(
    Code.NETWORK_ERROR,
    Retry.SAME_CALL,
    "{server} no longer knows this session, so {request} was not taken on; it may have been restarted.",
    is_lost=True,
)
_NO_ENDPOINT = _FaultRow(
    Code.NOT_FOUND,
    Retry.NEVER,
    "{server} answered {request} with 404 Not Found. Check the address: there seems to be no MCP endpoint.",
    is_local=False,
)
_NOT_MCP = _FaultRow(
    Code.SERIALIZATION_ERROR,
    Retry.IF_HARMLESS,
    "The answer of {server} to {request} could not be read: it is no MCP ({words}). Check the address, and whether a proxy "
    "or a login page stands in between.{effect}",
)
_ACCEPTED = _FaultRow(
    Code.UPSTREAM_ERROR,
    Retry.IF_HARMLESS,
    "{server} accepted {request} and will send no answer.{effect}",
    is_local=False,
)
_UNSTARTABLE = _FaultRow(
    Code.CONFIGURATION_ERROR,
    Retry.NEVER,
    "This client could not start {server}{unsent}: {words}. Check that the command exists, that its path is right and that "
    "it may be run.",
)
_DIED = _FaultRow(
    Code.INITIALIZATION_FAILED,
    Retry.NEVER,
    "{server} did not start: it {end} {moment}{unsent}.{wrote} Run its command in a terminal to see all that it says, and "
    "correct its installation, its arguments or its environment.",
)
_NO_COMMAND = (FileNotFoundError, NotADirectoryError, PermissionError)
_REDIRECTED = _FaultRow(Code.CONFIGURATION_ERROR, Retry.NEVER, "{server} has moved: {words}", is_local=False)

# fmt: off
_BY_WORDS: tuple[tuple[int | None, str, _FaultRow], ...] = (
    (-32001, "Request '.*' timed out$",                   _TIMEOUT),
    (-32001, "Timed out (after|while waiting)",           _TIMEOUT),
    (408,    "Timed out while waiting",                   _TIMEOUT),
    (-32000, "Connection closed$",                        _CLOSED),
    (-32000, "SSE stream failed: Server-sent event exceeded", _EVENT_TOO_LARGE),
    (-32000, "SSE stream ",                               _CUT),
    (-32603, "Server returned an error response",         _HIDDEN_STATUS),
    (-32601, "Not Found$",                                _NO_ENDPOINT),
    (-32600, "Unexpected content type",                   _NOT_MCP),
    (-32600, "server answered a request with 202",        _ACCEPTED),
    (-32600, "Redirect to ",                              _REDIRECTED),
    (-32700, "Failed to parse JSON response",             _UNREADABLE),
    (-32700, "Failed to parse SSE message",               _UNREADABLE),
    (None,   "Invalid structured content returned",       _BROKEN_SCHEMA),
    (None,   "Tool .* has an output schema but did not",  _BROKEN_SCHEMA),
    (None,   "Invalid schema for tool",                   _INVALID_SCHEMA),
    (None,   "Client must be used within",                _NOT_OPEN),
    (None,   "Client is not connected",                   _NOT_OPEN),
    (None,   "Server session was closed unexpectedly",    _CLOSED),
    (None,   "Session task completed",                    _CLOSED),
)
"""Rows by the number of an MCPError (None for a RuntimeError) and by how its text begins."""
_REFUSED = frozenset({_BROKEN_SCHEMA, _INVALID_SCHEMA})
_SESSION_NUMBERS = frozenset({-32600, 32600, -32000, -32001})
"""The numbers with which the SDKs of Python and TypeScript refuse an unknown session; mcp 1.x forgets the sign."""
_BY_CLASS = {
    "errata.BlockEndedError":    _BLOCK_ENDED,
    "errata.BodyTooLargeError":  _TOO_LARGE,
    "anyio.ClosedResourceError": _CLOSED,
    "anyio.BrokenResourceError": _CLOSED,
    "anyio.EndOfStream":         _CLOSED,
    "pydantic_core.ValidationError": _UNREADABLE,
}
# fmt: on


def read_client_side_error(
    error: BaseException, context: FailureContext, *, is_closed: bool | None = None, knows_sessions: bool = True
) -> ClientSideFailure | None:
    """Return the failure behind an exception that was raised on this side; None if the server sent it.

    `is_closed` says whether the connection has ended; None if nobody knows. A connection that `knows_sessions` recognises a
    refused one by its HTTP status; for any other, the text has to do.
    """
    error = unwrap_group(error)
    row = _find_row(error)
    if row is None and not knows_sessions and _refuses_session(error):
        row = _OUT_OF_SESSION
    if row is not None and _is_hearsay(row, error, is_closed=is_closed):
        row = None
    if row not in _REFUSED and _find_check_frame(error) is not None:
        row = _UNCHECKED
    if row is not None:
        return ClientSideFailure(
            _build_fault(row, error, context),
            row.is_lost,
            row.is_local,
            is_unsent=row in {_NOT_OPEN, _OUT_OF_SESSION},
            is_refused=row in _REFUSED,
        )
    if to_error_object(error) is not None:
        return None
    return ClientSideFailure(_classify(error, context))


def is_timeout(error: BaseException) -> bool:
    """Return whether an error means that this side has stopped waiting."""
    return is_a(error, TimeoutError) or (_find_row(error) is _TIMEOUT and is_a(error.__context__, TimeoutError))


def explain_timeout(context: FailureContext, error: TimeoutError) -> Fault:
    """Return the fault of an attempt whose time is over: it got no answer, or none that could be checked."""
    was_answered = _find_check_frame(error) is not None
    return _build_fault(_UNCHECKED_IN_TIME if was_answered else _TIMEOUT, None, context)


def explain_no_connection(context: FailureContext) -> Fault:
    """Return the fault of an attempt whose time was over before anything was sent."""
    return _build_fault(_DIED if context.program and context.program.has_ended else _NOT_CONNECTED, None, context)


def explain_failed_start(context: FailureContext) -> Fault:
    """Return the fault of a program that ended before it answered a call."""
    return _build_fault(_DIED, None, context)


def explain_lost_session(context: FailureContext) -> ClientSideFailure:
    """Return the failure of a call whose session the server no longer knows."""
    return ClientSideFailure(_build_fault(_OUT_OF_SESSION, None, context), is_lost=True, is_unsent=True)


def explain_lost_connection(context: FailureContext, advice: str) -> Fault:
    """Return the fault of a call through a connection that was lost before, and cannot be opened again."""
    row = _FaultRow(
        Code.NETWORK_ERROR,
        Retry.NEVER,
        f"The connection to {{server}} was lost earlier, so {{request}} was not sent. {advice}",
    )
    return _build_fault(row, None, context)


def explain_unstartable(context: FailureContext, error: BaseException) -> Fault | None:
    """Return the fault of a command that does not exist or may not be run; None for any other error."""
    return _build_fault(_UNSTARTABLE, error, context) if isinstance(error, _NO_COMMAND) else None


def _find_row(error: BaseException) -> _FaultRow | None:
    wire = to_error_object(error)
    if wire is None and not isinstance(error, RuntimeError):
        return _BY_CLASS.get(_short_name(type(error)))
    number, text = (None, text_of(error)) if wire is None else (wire.get("code"), text_of(wire.get("message", "")))
    return next((row for code, words, row in _BY_WORDS if code == number and re.match(words, text[:_LONGEST])), None)


def _refuses_session(error: BaseException) -> bool:
    wire = to_error_object(error) or {}
    return wire.get("code") in _SESSION_NUMBERS and is_session_refusal(text_of(wire.get("message", "")))


def _is_hearsay(row: _FaultRow, error: BaseException, *, is_closed: bool | None) -> bool:
    """Return whether a server passes on a failure from further away, in the words that the SDK has for one here."""
    if to_error_object(error) is None:
        return False
    if row is _CLOSED:  # A connection that broke during a request may not be marked as closed yet.
        return is_closed is False and _short_name(type(error.__context__)) not in _BY_CLASS
    return row is _TIMEOUT and not is_a(error.__context__, TimeoutError)


def find_unchecked_answer(error: BaseException) -> object | None:
    """Return the answer that the SDK failed to check; None if there was none."""
    frame = _find_check_frame(error)
    return None if frame is None else frame.f_locals.get("result")


def _find_check_frame(error: BaseException) -> FrameType | None:
    """Return the frame in which the SDK checked an answer against its schema, or listed the tools to get it.

    An error of the listing is no error of the call: it must not license a repetition. If a time limit stopped the listing,
    the frame is in the traceback of its cause.
    """
    stopped = (error.__cause__ or error.__context__) if is_a(error, TimeoutError) else None
    for each in filter(None, (error, stopped)):
        step = each.__traceback__
        while step is not None:
            if step.tb_frame.f_code.co_name in _CHECKS:
                return step.tb_frame
            step = step.tb_next
    return None


def _short_name(kind: type) -> str:
    return f"{kind.__module__.partition('.')[0]}.{kind.__name__}"


def _build_fault(row: _FaultRow, error: BaseException | None, context: FailureContext) -> Fault:
    if "{wrote}" not in row.message:
        context = context._replace(program=None)
    wait = "" if context.timeout_s is None else f" {format_duration(context.timeout_s)}"
    words = redact_within(put_on_one_line(text_of(error)), _LONGEST) if error is not None else ""
    message = row.message.format(
        request=context.request,
        server=context.named,
        in_time=context.in_time,
        unsent=context.unsent,
        effect=context.effect,
        wait=wait,
        words=words,
        end=context.end,
        because=context.because,
        moment=context.moment,
        wrote=context.wrote,
    )
    return Fault(code=row.code, message=message[:1].upper() + message[1:], retry=row.retry, data=context.facts)


def _classify(error: BaseException, context: FailureContext) -> Fault:
    """Return the fault that the classification tables give an exception, with the server and the request in its message."""
    fault = classify(error)
    reason = redact_within(put_on_one_line(fault.message), _LONGEST)
    what = "could not reach" if fault.retry is Retry.SAME_CALL else "got no answer from"
    if context.request.kind == "connection":
        where = f"could not connect to {context.named}"
    else:
        where = f"{what} {context.named} for {context.request}"
    return Fault(
        code=fault.code,
        message=f"This client {where}: {reason}",
        retry=fault.retry,
        retry_after_ms=fault.retry_after_ms,
        http_status=fault.http_status,
    )


_LONGEST_REFUSAL = 300
_REFUSAL = re.compile(
    r"(Bad Request: |Not Found: )?"
    r"(session( id)? (not found|terminated|has been terminated|expired|does not exist)"
    r"|(missing|invalid|unknown|expired|(missing|invalid) or (missing|invalid|expired)|no valid|no) (mcp[- ])?session([- ]?id)?( header| provided)*"
    r"|mcp-session-id( header)? (is )?(required|missing|invalid)"
    r"|server not initialized)\W*$",
    re.IGNORECASE,
)
"""The texts of the SDKs, which contain nothing else: a tool that mentions sessions of its own is not meant."""


def is_session_refusal(text: str) -> bool:
    """Return whether a server refuses an unknown session with this text; a restarted server knows none."""
    return _REFUSAL.match(text[:_LONGEST_REFUSAL]) is not None
