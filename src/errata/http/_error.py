"""A response, as the exception to raise."""

import re

from errata._fault import FaultError, FaultFields, FieldIssue
from errata._http_verdict import http_verdict
from errata._jsonable import SIZE, cut, jsonable_object
from errata._redaction import redact
from errata._taxonomy import Code
from errata._values import http_status_or_none, is_a, text_or_none
from errata.http._reply import Reply, phrase_of, reply_of, text_of_body
from errata.http._said import said_in
from errata.http._unread import read_body

_LONGEST_MESSAGE, _LONGEST_NAME, _SHORTEST_CUT = 300, 100, 40
_ENOUGH = 4 * SIZE  # Bytes of a body; `data` holds a quarter of that.
_MARGIN = 8192  # Characters; longer than any secret, a private key included.
_ABOUT_ARGUMENTS = {400, 422}
_NOT_PRINTED = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")


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
    return _error(reply_of(response), service, data, _wanted(body_limit, capture=capture_body))


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
    reply = reply_of(response)
    limit = _wanted(body_limit, capture=capture_body)
    if reply.body is None and limit:
        body = await read_body(response, limit=_ENOUGH, seconds=body_timeout_ms / 1000)
        reply = reply._replace(body=body)
    return _error(reply, service, data, limit)


def service_name(service: object) -> str:
    """Name the other side, at the start of a sentence."""
    return clean(text_or_none(service) or "The service", _LONGEST_NAME)


def _error(reply: Reply, service: object, data: object, limit: int) -> FaultError:
    status = http_status_or_none(reply.status)
    body = text_of_body(reply.body[:_ENOUGH], reply.fields.get("content-type", "")) if reply.body and limit else ""
    said = said_in(body)
    # 003's table, strictly: what only proxies say (499, 522, 524, 598) is told apart by `classify` alone.
    code, retry, wait_ms = http_verdict(status, reply.fields)
    fields: FaultFields = {
        "http_status": status,
        "retry_after_ms": wait_ms,
        "issues": map(_clean_issue, said.issues) if status in _ABOUT_ARGUMENTS else (),
        "origin": clean(text_or_none(reply.status) or "", _LONGEST_NAME) if status is None else None,
    }
    if retry is not None:
        fields |= {"retry": retry, "retry_declared": False}
    message = _message(reply, code, service_name(service), said.sentence)
    kept = {"body": _redacted(body, limit)} if body else {}
    return FaultError(code, message, kept | jsonable_object(data), **fields)


def _wanted(body_limit: object, *, capture: bool) -> int:
    """Say how many characters of the body are to be kept."""
    return min(max(int.__index__(body_limit), 0), SIZE) if capture and is_a(body_limit, int) else 0


def _message(reply: Reply, code: Code, who: str, sentence: str) -> str:
    status = http_status_or_none(reply.status)
    if status is None:
        return f"{who} sent an answer whose status is none of HTTP's."
    phrase = phrase_of(status, clean(reply.reason, _LONGEST_NAME))
    answered = f"{who} answered {status} {phrase}".rstrip()
    own_words = _without_status(clean(sentence, _LONGEST_MESSAGE), status)
    if _letters(own_words) not in {"", _letters(phrase)}:
        return cut(f"{answered}: {own_words}", _LONGEST_MESSAGE)
    return answered + (_ENDINGS.get(status // 100) or ("." if phrase else f". {code.sentence}"))


_ENDINGS = {
    1: ", which is not an error.",
    2: ", which is not an error.",
    3: ", a redirect that was not followed.",
}


def _without_status(sentence: str, status: int) -> str:
    return sentence.removeprefix(str(status)).lstrip(" :-") if sentence.startswith(str(status)) else sentence


def _letters(text: str) -> str:
    return "".join(filter(str.isalpha, text.casefold()))


def clean(text: str, limit: int) -> str:
    """Put foreign text on one line, without secrets."""
    return _redacted(_NOT_PRINTED.sub(" ", text).strip(), limit)


def _clean_issue(issue: FieldIssue) -> FieldIssue:
    return FieldIssue(clean(issue.field, _LONGEST_NAME), clean(issue.problem, _LONGEST_MESSAGE))


def _redacted(text: str, limit: int) -> str:
    """Redact, then cut: the other way round, half a secret would be left that nobody recognises.

    Of a long text only what matters is redacted, and what may be half a secret at its end is dropped.
    """
    enough = limit + 1 + _MARGIN
    safe = redact(text) if len(text) <= enough else redact(text[:enough])[:-_MARGIN]
    return cut(safe, limit) if limit >= _SHORTEST_CUT else safe[:limit]
