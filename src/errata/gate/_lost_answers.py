"""What is said of a call over HTTP whose answer is none of MCP's: refused, lost on the way, or another thing altogether."""

import logging
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from errata._log import format_indented_stack
from errata.classification import classify
from errata.gate._gatekeeper import Failed, Gatekeeper, write_error
from errata.gate._reverse_proxy import RawHeaders, UnsendableError, UpstreamError
from errata.gate._verdicts import KnownCall, lose, settle_refusal
from errata.http import error_from_response
from errata.model import Fault, FaultError, Retry
from errata.redaction import line_of, quote_name, redact
from errata.wire import Pending, ToolTable, to_frame

_LOG = logging.getLogger("errata")
_FAILED_FROM = 400
_LONGEST_KIND = 80


class HttpRefusal(NamedTuple):
    """A response that is no message of MCP, as `error_from_response` reads it."""

    status_code: int
    headers: Mapping[str, str]
    content: bytes


def explain_refusal(keeper: Gatekeeper, call: Pending, tools: ToolTable, refusal: HttpRefusal) -> Failed:
    """Return the failure of a call that was answered with an error of HTTP, or with a page."""
    known, options = keeper.know(call, tools), keeper.options
    if refusal.status_code < _FAILED_FROM:
        failed = keeper.refuse(call, tools, _lose_to_page(known, options.name, refusal))
    else:
        error: FaultError = error_from_response(refusal, service=options.name)
        failed = keeper.refuse(call, tools, settle_refusal(error.fault, known), is_hearsay=error.is_hearsay)
    return _leave(failed, is_left=options.keep_protocol_errors or not options.repair)


def explain_loss(keeper: Gatekeeper, call: Pending, tools: ToolTable, error: Exception | None) -> Failed:
    """Return the failure of a call whose answer did not come; without an error the response just ended.

    What an application in this process has raised is logged, as it would be without a gate, and shown to nobody else;
    without repair it is raised again.
    """
    if error is not None and not isinstance(error, UpstreamError) and keeper.options.repair:
        _LOG.error("The application behind the gate has failed.\n%s", format_indented_stack(error))
    fault = _read_loss(keeper.know(call, tools), keeper.options.name, error)
    failed = keeper.refuse(call, tools, fault, is_hearsay=isinstance(error, UnsendableError))
    return _leave(failed, is_left=not keeper.options.repair)


def _leave(failed: Failed, *, is_left: bool) -> Failed:
    """Return a failure that is only noted, if it is to be left as it is."""
    return failed._replace(judged=failed.judged._replace(is_kept=is_left))


def _read_loss(known: KnownCall, name: str, error: Exception | None) -> Fault:
    if isinstance(error, UpstreamError) and not error.was_sent:
        reason = _read_reason(error)
        # A certificate stays what it is, and so does the request.
        is_final = reason.retry is Retry.NEVER or isinstance(error, UnsendableError)
        retry = Retry.NEVER if is_final else Retry.SAME_CALL
        return Fault(code=reason.code, message=_say_unreached(name, error), retry=retry)
    if error is None:
        how = "the connection broke"
    elif isinstance(error, UpstreamError):
        how = line_of(_read_reason(error).message).rstrip(".")
    else:
        how = "it failed inside"
    return lose(known, f"{quote_name(name)} did not answer the call of {known.shown}: {how}.")


def write_unreached(keeper: Gatekeeper, requests: Sequence[Pending], error: UpstreamError) -> tuple[RawHeaders, bytes]:
    """Return the headers and the body of a response that says that a message could not be passed on."""
    text = _say_unreached(keeper.options.name, error)
    errors = [write_error(pending, text) for pending in requests]
    if not errors:
        return [(b"content-type", b"text/plain; charset=utf-8")], to_frame(redact(text))
    body = errors[0] if len(errors) == 1 else f"[{','.join(errors)}]"
    return [(b"content-type", b"application/json")], to_frame(body)


def write_losses(keeper: Gatekeeper, requests: Sequence[Pending], tools: ToolTable, error: UpstreamError) -> str:
    """Return the batch of answers to requests whose own were lost: calls are explained, all others get an error."""
    text = _say_unreached(keeper.options.name, error)
    losses = [explain_loss(keeper, each, tools, error) if each.tool is not None else None for each in requests]
    explained = [None if loss is None else keeper.write(loss) for loss in losses]
    answers = [each or write_error(request, text) for each, request in zip(explained, requests, strict=True)]
    return f"[{','.join(answers)}]"


def _say_unreached(name: str, error: UpstreamError) -> str:
    if isinstance(error, UnsendableError):
        how = "was not sent the request"
    else:
        how = "did not answer" if error.was_sent else "could not be reached"
    return f"{quote_name(name)} {how}: {line_of(_read_reason(error).message)}"


def _read_reason(error: Exception) -> Fault:
    """Return what is known of an error; the cause says it where the gate has raised it."""
    return classify(error.__cause__ if isinstance(error, UpstreamError) and error.__cause__ else error)


def _lose_to_page(known: KnownCall, name: str, refusal: HttpRefusal) -> Fault:
    kind = line_of(refusal.headers.get("content-type") or "something", _LONGEST_KIND)
    return lose(
        known, f"{quote_name(name)} answered the call of {known.shown} with {kind}, and with no message of MCP."
    )
