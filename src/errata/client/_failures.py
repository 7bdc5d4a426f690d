"""From what a client raised or returned to the exception of a call that failed."""

from dataclasses import replace

from errata.classification import classify
from errata.client._call_failed import CallFailed
from errata.client._client_side import (
    Trouble,
    answer_behind,
    cannot_reopen,
    did_not_start,
    no_answer,
    not_connected,
    out_of_session,
    ran_out_of_time,
    refuses_session,
    trouble_of,
    unstartable,
)
from errata.client._connections import Link, Port
from errata.client._failure_context import Place
from errata.client._outcomes import error_object, leaf_of, plain, read_error, read_result
from errata.dialects import Word
from errata.model import Code, Fault, Retry
from errata.redaction import as_object, redact_data, redact_within
from errata.resilience import settled


def unopened(error: Exception, place: Place, link: Link) -> CallFailed:
    """Say why there is no connection. Nothing was sent, so that the call may be repeated wherever opening may be."""
    failed = _unopened(error, place._replace(program=link.program()), link)
    return _with_discovery(failed, place, link)


def _unopened(error: Exception, place: Place, link: Link) -> CallFailed:
    leaf = leaf_of(error)
    if place.program and place.program.has_ended and trouble_of(leaf, place) is not None:
        return _local(did_not_start(place), place, error)
    if link.advice is not None:
        return _local(cannot_reopen(place, link.advice), place, error)
    if ran_out_of_time(leaf):
        return _local(not_connected(place), place, error)
    if (fault := unstartable(place, leaf)) is not None:
        return _local(fault, place, error)
    failed = raised(error, place, link, None)
    # What speaks no MCP will not learn it; all else may be tried again.
    is_hopeless = failed.code is Code.SERIALIZATION_ERROR
    failed.fault = replace(failed.fault, retry=Retry.NEVER) if is_hopeless else settled(failed.fault, harmless=True)
    return failed


def timed_out(error: TimeoutError, place: Place, link: Link, *, is_sent: bool) -> CallFailed:
    """Say that the time for an attempt is over."""
    if not is_sent:
        failed = _local(not_connected(place._replace(program=link.program())), place, error)
        return _with_discovery(failed, place, link)
    answer = answer_behind(error)
    return _read(answer, place) or _local(no_answer(place, error), place, error, answer)


def _local(fault: Fault, place: Place, error: BaseException, answer: object = None) -> CallFailed:
    response = None if answer is None else redact_data(plain(answer))
    return CallFailed.of(
        fault, place.asked, server=place.server, response=response, is_local=True, cause=leaf_of(error)
    )


def _with_discovery(failed: CallFailed, place: Place, link: Link) -> CallFailed:
    """Let the newer handshake speak, if the older one was tried after it and tells less.

    Servers that do not know the newer one say so in many ways; those count for nothing.
    """
    error = link.discovery()
    if error is None:
        return failed
    earlier = raised(error, place, link, None)
    if not _tells_why(earlier) or earlier.fault.message == failed.fault.message:
        return failed
    first, second = (redact_within(each.fault.message, _LONGEST).rstrip(".") for each in (earlier, failed))
    if _tells_why(failed):
        message = f"{second}. Before that, `server/discover` had failed: {first}."
        return failed.with_fault(replace(failed.fault, message=message), cause=failed.__cause__)
    message = f"{first}. The older handshake, which was tried after that, failed as well: {second}."
    fault = settled(replace(earlier.fault, message=message), harmless=True)
    return earlier.with_fault(fault, cause=failed.__cause__)


def _tells_why(failed: CallFailed) -> bool:
    return failed.code not in _TELL_NOTHING and not refuses_session(failed.fault.message)


_LONGEST = 1_000
_TELL_NOTHING = frozenset(
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
"""What a server answers that speaks another version or none, or that does not answer."""


def returned(result: object, place: Place) -> CallFailed | None:
    """Read a result; None for a success, and for a question."""
    read = read_result(result, request=place.request, tool=place.tool)
    if read is None:
        return None
    return CallFailed.of(
        read.fault, place.asked, server=place.server, response=plain(result), dialect=read.dialect, word=read.word
    )


def _read(answer: object, place: Place) -> CallFailed | None:
    """Read an answer that this side did not take; its data are read by themselves as well: they did not fit."""
    if answer is None:
        return None
    data = as_object(plain(answer)).get("structuredContent")
    parts: list[object] = [answer] if data is None else [answer, {"content": (), "structuredContent": data}]
    failed = next(filter(None, (returned(part, place) for part in parts)), None)
    if failed is not None:
        failed.response = redact_data(plain(answer))
    return failed


def raised(error: Exception, place: Place, link: Link, port: Port | None) -> CallFailed:
    """Say what an exception of a client means: what HTTP answered, what happened on this side, or what the server said."""
    leaf = leaf_of(error)
    answer = answer_behind(leaf)
    if (failed := _read(answer, place)) is not None:
        return failed
    exchange = link.redeem(leaf)
    response: object = error_object(leaf)
    trouble: Trouble | None
    if exchange is None:
        place = place._replace(program=link.program(port))
        trouble = trouble_of(leaf, place, is_closed=port.is_closed if port else None, knows_sessions=link.opens)
    elif exchange.fault is not None:
        trouble, response = Trouble(exchange.fault, is_local=False), exchange.response
    else:
        told = exchange.error
        trouble = out_of_session(place) if told is None else trouble_of(told, place)
        leaf, response = told or leaf, exchange.response
    if trouble is None:
        return _said(leaf, place)
    fault = trouble.fault
    if trouble.is_unsent:
        fault = replace(fault, retry=Retry.SAME_CALL if link.opens else Retry.NEVER)
    if trouble.is_lost and port is not None:
        fault = _lost(fault, place, link, port)
    if trouble.is_local:
        response = None if answer is None else redact_data(plain(answer))
    failed = CallFailed.of(
        fault, place.asked, server=place.server, response=response, is_local=trouble.is_local, cause=leaf
    )
    failed.is_refused = trouble.is_refused
    return failed


def unrepeated(fault: Fault, failed: CallFailed) -> Fault:
    """Return a fault that leads to no repetition if an answer was refused: the next one would fit no better."""
    if not failed.is_refused:
        return fault
    return replace(fault, retry=Retry.NEVER if failed.has_effect is False else Retry.VERIFY_FIRST)


def _lost(fault: Fault, place: Place, link: Link, port: Port) -> Fault:
    """Give the connection up; one that was lost before, and that nobody can open again, did not even send the call."""
    was_lost = link.advice
    link.lose(port)
    if was_lost is not None:
        return cannot_reopen(place, was_lost)
    if fault.retry is Retry.NEVER and link.advice is not None:
        return replace(fault, message=f"{fault.message} {link.advice}")
    return fault


def _said(error: BaseException, place: Place) -> CallFailed:
    read = read_error(error, request=place.request, tool=place.tool)
    fault = read.fault if read else replace(classify(error), correlation_id=None, timestamp=None)
    return CallFailed.of(
        fault,
        place.asked,
        server=place.server,
        response=error_object(error),
        dialect=read.dialect if read else "none",
        word=read.word if read else Word.HEARSAY,
        cause=error,
    )
