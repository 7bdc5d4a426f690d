"""The exception that a failed response stands for."""

import dataclasses

from errata.http._bounded_bodies import read_body
from errata.http._response import LONGEST_BODY, UpstreamResponse, read_response
from errata.http._response_meaning import interpret_response
from errata.http._wording import (
    ABOUT_ARGUMENTS,
    LONGEST_NAME,
    clean,
    clean_issue,
    describe_response,
    excerpt,
    service_name,
)
from errata.model import FaultError, FaultFields, is_a, text_or_none
from errata.redaction import SIZE, jsonable_object


def error_from_response(
    response: object,
    *,
    service: str | None = None,
    data: object = None,
    capture_body: bool = True,
    body_limit: int = 500,
) -> FaultError:
    """Make the exception that a failed response stands for.

        if response.is_error:
            raise error_from_response(response, service="NCBI")

    Responses of httpx, httpx2, requests, urllib3, aiohttp and urllib will do, and whatever has a status. Nothing is
    read from the network: of a body that is not there yet nothing is said (see `aerror_from_response`). The body's own
    sentence becomes part of the message and the body, redacted and cut to `body_limit`, `data["body"]`; both reach the
    client. `capture_body=False` keeps the body out of everything.
    """
    return _error(read_response(response), service, data, _kept_length(body_limit, capture=capture_body))


async def aerror_from_response(  # noqa: PLR0913 - each has its default.
    response: object,
    *,
    service: str | None = None,
    data: object = None,
    capture_body: bool = True,
    body_limit: int = 500,
    body_timeout_ms: int = 2_000,
) -> FaultError:
    """Make the exception, and read the body for it if that is still to be done: a stream, an aiohttp response.

    A quarter of a megabyte is read at most, and for no longer than `body_timeout_ms`. A body that hangs or breaks off
    is left out. A stream is used up by this.
    """
    parts = read_response(response)
    limit = _kept_length(body_limit, capture=capture_body)
    if parts.body is None and limit:
        body = await read_body(response, limit=LONGEST_BODY, seconds=body_timeout_ms / 1000)
        parts = dataclasses.replace(parts, body=body)
    return _error(parts, service, data, limit)


def _error(response: UpstreamResponse, service: object, data: object, limit: int) -> FaultError:
    if not limit:
        response = dataclasses.replace(response, body=None)
    status, message = response.status, response.message
    # The status table, strictly: what only proxies send (499, 522, 524, 598) is told apart by `classify` alone.
    code, retry, wait_ms, is_hearsay = interpret_response(response)
    fields: FaultFields = {
        "http_status": status,
        "retry_after_ms": wait_ms,
        "issues": map(clean_issue, message.issues) if status in ABOUT_ARGUMENTS else (),
        "origin": clean(text_or_none(response.given_status) or "", LONGEST_NAME) if status is None else None,
    }
    if retry is not None:
        fields |= {"retry": retry, "retry_declared": False}
    who = service_name(service)
    if status is None:
        text = f"{who} sent an answer whose status is none of HTTP's."
    else:
        text = describe_response(status, response.reason, message.sentence, code=code, service=who)
    kept = {"body": excerpt(response.text, limit)} if response.text else {}
    error = FaultError(code, text, kept | jsonable_object(data), **fields)
    error.is_hearsay = is_hearsay
    return error


def _kept_length(body_limit: object, *, capture: bool) -> int:
    """Return how many characters of the body are to be kept."""
    return min(max(int.__index__(body_limit), 0), SIZE) if capture and is_a(body_limit, int) else 0
