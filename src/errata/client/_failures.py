"""From what a client returned or raised to `CallFailed`, and how far its fault is to be believed."""

from dataclasses import replace

from errata.classification import classify
from errata.client._call_failed import CallFailed
from errata.client._client_side import (
    ClientSideFailure,
    explain_failed_start,
    explain_lost_connection,
    explain_lost_session,
    explain_no_connection,
    explain_timeout,
    explain_unstartable,
    find_unchecked_answer,
    is_session_refusal,
    is_timeout,
    read_client_side_error,
)
from errata.client._connections import Connection, OpenClient
from errata.client._failure_context import FailureContext
from errata.client._outcomes import read_error, read_result, to_plain, unwrap_group
from errata.dialects import Trust, drop_licence, to_error_object
from errata.model import Code, Fault, Retry
from errata.reading import limit_trust as limit_trust_in_words
from errata.redaction import as_object, redact_data, redact_within
from errata.resilience import settle_verdict

_LONGEST = 1_000
_CODES_WITHOUT_CAUSE = frozenset(
    {
        Code.INVALID_PARAMS,
        Code.INVALID_REQUEST,
        Code.METHOD_NOT_FOUND,
        Code.NETWORK_ERROR,
        Code.NOT_FOUND,
        Code.NOT_IMPLEMENTED,
        Code.SERIALIZATION_ERROR,
        Code.TIMEOUT,
        Code.UNKNOWN_ERROR,
    }
)
"""How a server answers a handshake that speaks another version or no MCP, or that does not answer at all."""
STATUSES_OF_REFUSAL = frozenset({None, 429, 503})
"""The statuses that prove a call was not taken on; None for no status at all: a refused connection."""


def convert_result(result: object, context: FailureContext) -> CallFailed | None:
    """Return the failure that a result tells of; None for a success, and for a question."""
    reading = read_result(result, request=context.params, tool=context.tool)
    if reading is None:
        return None
    return CallFailed.of(
        reading.fault,
        context.request,
        server=context.server,
        response=to_plain(result),
        dialect=reading.dialect,
        word=reading.word,
    )


def convert_error(
    error: Exception, context: FailureContext, connection: Connection, client: OpenClient | None
) -> CallFailed:
    """Return the failure behind an exception of a client.

    It is what HTTP answered, what happened on this side, or what the server answered.
    """
    leaf = unwrap_group(error)
    answer = find_unchecked_answer(leaf)
    if (failed := _convert_unchecked_answer(answer, context)) is not None:
        return failed
    exchange = connection.take_failed_exchange(leaf)
    response: object = to_error_object(leaf)
    failure: ClientSideFailure | None
    if exchange is None:
        context = context._replace(program=connection.program(client))
        failure = read_client_side_error(
            leaf, context, is_closed=client.is_closed if client else None, knows_sessions=connection.opens
        )
    elif exchange.fault is not None:
        failure, response = ClientSideFailure(exchange.fault, is_local=False), exchange.response
    else:
        original = exchange.error
        failure = explain_lost_session(context) if original is None else read_client_side_error(original, context)
        leaf, response = original or leaf, exchange.response
    if failure is None:
        return _convert_server_error(leaf, context)
    fault = failure.fault
    if failure.is_unsent:
        fault = replace(fault, retry=Retry.SAME_CALL if connection.opens else Retry.NEVER)
    is_unsent = failure.is_unsent
    if failure.is_lost and client is not None:
        is_unsent = is_unsent or (context.was_lost and connection.advice is not None)
        fault = _give_up_connection(fault, context, connection, client)
    if failure.is_local:
        response = None if answer is None else redact_data(to_plain(answer))
    failed = CallFailed.of(
        fault, context.request, server=context.server, response=response, is_local=failure.is_local, cause=leaf
    )
    failed.is_refused, failed.is_unsent = failure.is_refused, is_unsent
    return failed


def convert_open_error(error: Exception, context: FailureContext, connection: Connection) -> CallFailed:
    """Return why there is no connection; nothing was sent, so the call may be repeated wherever opening may be."""
    failed = _convert_open_error(error, context._replace(program=connection.program()), connection)
    return _add_discovery_error(failed, context, connection)


def convert_timeout(
    error: TimeoutError, context: FailureContext, connection: Connection, *, is_sent: bool
) -> CallFailed:
    """Return the failure of an attempt whose time is over."""
    if not is_sent:
        context = context._replace(program=connection.program())
        failed = _build_local_failure(explain_no_connection(context), context, error)
        return _add_discovery_error(failed, context, connection)
    answer = find_unchecked_answer(error)
    return _convert_unchecked_answer(answer, context) or _build_local_failure(
        explain_timeout(context, error), context, error, answer
    )


def limit_trust(failed: CallFailed, *, harmless: bool | None) -> Fault:
    """Return the fault, as far as it may be believed where a repetition may do harm.

    What was noticed on the way, without the server's help, proves what it proves; of the statuses only those that exist for
    it prove that a call was not taken on.
    """
    fault, trust = failed.fault, failed.word
    if trust is None:
        return fault if harmless or fault.http_status in STATUSES_OF_REFUSAL else drop_licence(fault)
    has_run = _is_marked_as_success(failed.response)
    return limit_trust_in_words(fault, trust, harmless=harmless, changes=failed.has_effect, has_run=has_run)


def add_advice(failed: CallFailed, advice: str) -> CallFailed:
    """Return a failure whose message says what to do about a connection that it ended for good."""
    fault = failed.fault
    if advice in fault.message:
        return failed
    again = failed.with_fault(replace(fault, message=f"{fault.message} The connection has ended with that. {advice}"))
    again.__cause__ = failed.__cause__
    return again


def forbid_refused_repetition(fault: Fault, failed: CallFailed) -> Fault:
    """Return a fault that leads to no repetition if this side refused the answer: the next one would fit no better."""
    if not failed.is_refused:
        return fault
    return replace(fault, retry=Retry.NEVER if failed.has_effect is False else Retry.VERIFY_FIRST)


def _is_marked_as_success(response: object) -> bool:
    members = as_object(response)
    return "content" in members and members.get("isError") is not True


def _convert_server_error(error: BaseException, context: FailureContext) -> CallFailed:
    reading = read_error(error, request=context.params, tool=context.tool)
    fault = reading.fault if reading else replace(classify(error), correlation_id=None, timestamp=None)
    return CallFailed.of(
        fault,
        context.request,
        server=context.server,
        response=to_error_object(error),
        dialect=reading.dialect if reading else "none",
        word=reading.word if reading else Trust.HEARSAY,
        cause=error,
    )


def _convert_unchecked_answer(answer: object, context: FailureContext) -> CallFailed | None:
    """Return the failure in an answer that the SDK could not check; its data are also read alone: they did not fit."""
    if answer is None:
        return None
    data = as_object(to_plain(answer)).get("structuredContent")
    parts: list[object] = [answer] if data is None else [answer, {"content": (), "structuredContent": data}]
    failed = next(filter(None, (convert_result(part, context) for part in parts)), None)
    if failed is not None:
        failed.response = redact_data(to_plain(answer))
    return failed


def _build_local_failure(
    fault: Fault, context: FailureContext, error: BaseException, answer: object = None
) -> CallFailed:
    response = None if answer is None else redact_data(to_plain(answer))
    return CallFailed.of(
        fault, context.request, server=context.server, response=response, is_local=True, cause=unwrap_group(error)
    )


def _give_up_connection(fault: Fault, context: FailureContext, connection: Connection, client: OpenClient) -> Fault:
    """Give up a lost connection, and return what to say about it.

    If it was lost before the call, and nobody can open it again, the call was not even sent.
    """
    advice_before = connection.advice
    connection.lose(client)
    if context.was_lost and advice_before is not None:
        return explain_lost_connection(context, advice_before)
    return fault if connection.advice is None else replace(fault, message=f"{fault.message} {connection.advice}")


def _convert_open_error(error: Exception, context: FailureContext, connection: Connection) -> CallFailed:
    leaf = unwrap_group(error)
    if context.program and context.program.has_ended and read_client_side_error(leaf, context) is not None:
        return _build_local_failure(explain_failed_start(context), context, error)
    if connection.advice is not None:
        return _build_local_failure(explain_lost_connection(context, connection.advice), context, error)
    if is_timeout(leaf):
        return _build_local_failure(explain_no_connection(context), context, error)
    if (fault := explain_unstartable(context, leaf)) is not None:
        return _build_local_failure(fault, context, error)
    failed = convert_error(error, context, connection, None)
    # A peer that does not speak MCP will not learn it; everything else may be tried again.
    is_hopeless = failed.code is Code.SERIALIZATION_ERROR
    failed.fault = (
        replace(failed.fault, retry=Retry.NEVER) if is_hopeless else settle_verdict(failed.fault, harmless=True)
    )
    return failed


def _add_discovery_error(failed: CallFailed, context: FailureContext, connection: Connection) -> CallFailed:
    """Return the error of the older handshake together with that of the newer one, if that gives a cause.

    A server that does not know the newer handshake rejects it in one of many ways; those are no cause.
    """
    error = connection.discovery()
    if error is None:
        return failed
    earlier = convert_error(error, context, connection, None)
    if not _has_a_cause(earlier) or earlier.fault.message == failed.fault.message:
        return failed
    first, second = (redact_within(each.fault.message, _LONGEST).rstrip(".") for each in (earlier, failed))
    if _has_a_cause(failed):
        message = f"{second}. Before that, `server/discover` had failed: {first}."
        return failed.with_fault(replace(failed.fault, message=message), cause=failed.__cause__)
    message = f"{first}. The older handshake, which was tried after that, failed as well: {second}."
    fault = settle_verdict(replace(earlier.fault, message=message), harmless=True)
    return earlier.with_fault(fault, cause=failed.__cause__)


def _has_a_cause(failed: CallFailed) -> bool:
    return failed.code not in _CODES_WITHOUT_CAUSE and not is_session_refusal(failed.fault.message)
