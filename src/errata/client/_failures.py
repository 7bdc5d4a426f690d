"""From what a client raised or returned to the exception of a call that failed."""

from dataclasses import replace

from errata._fault import Fault
from errata._taxonomy import Code, Retry
from errata.classification import classify
from errata.client._failed import CallFailed
from errata.client._links import Link
from errata.client._local import (
    Trouble,
    cannot_reopen,
    no_answer,
    not_connected,
    out_of_session,
    ran_out_of_time,
    trouble_of,
    unstartable,
)
from errata.client._outcome import error_object, leaf_of, plain, read_error, read_result
from errata.client._place import Place
from errata.client._ports import Port
from errata.dialects._incoming import Word
from errata.resilience._effects import settled


def unopened(error: Exception, place: Place, link: Link) -> CallFailed:
    """Say why there is no connection. Nothing was sent, so that the call may be repeated wherever opening may be."""
    if link.advice is not None:
        return _local(cannot_reopen(place, link.advice), place, error)
    if ran_out_of_time(leaf_of(error)):
        return _local(not_connected(place), place, error)
    if (fault := unstartable(place, leaf_of(error))) is not None:
        return _local(fault, place, error)
    failed = raised(error, place, link, None)
    # What speaks no MCP will not learn it; all else may be tried again.
    is_hopeless = failed.code is Code.SERIALIZATION_ERROR
    failed.fault = replace(failed.fault, retry=Retry.NEVER) if is_hopeless else settled(failed.fault, harmless=True)
    return failed


def timed_out(error: TimeoutError, place: Place, *, is_sent: bool) -> CallFailed:
    """Say that the time for an attempt is over."""
    return _local(no_answer(place, error) if is_sent else not_connected(place), place, error)


def _local(fault: Fault, place: Place, error: BaseException) -> CallFailed:
    return CallFailed.of(fault, place.asked, server=place.server, is_local=True, cause=leaf_of(error))


def returned(result: object, place: Place) -> CallFailed | None:
    """Read a result; None for a success, and for a question."""
    read = read_result(result)
    if read is None:
        return None
    return CallFailed.of(
        read.fault, place.asked, server=place.server, response=plain(result), dialect=read.dialect, word=read.word
    )


def raised(error: Exception, place: Place, link: Link, port: Port | None) -> CallFailed:
    """Say what an exception of a client means: what HTTP answered, what happened on this side, or what the server said."""
    leaf = leaf_of(error)
    exchange = link.redeem(leaf)
    response: object = error_object(leaf)
    trouble: Trouble | None
    if exchange is None:
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
        response = None
    return CallFailed.of(
        fault, place.asked, server=place.server, response=response, is_local=trouble.is_local, cause=leaf
    )


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
    read = read_error(error)
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
