"""What the upstream itself said: a classification is completed by the response that the exception carries.

Client libraries word a failed response for programmers, with the address that was called. The body says what the
service would tell a person, which fields it complains about, and at times that its status means something else.
"""

from collections.abc import Callable

from errata.classification._exception_rules import Classification
from errata.http import (
    ABOUT_ARGUMENTS,
    LONGEST_MESSAGE,
    BodyMessage,
    UpstreamResponse,
    clean,
    clean_issue,
    correct_code,
    describe_response,
    excerpt,
    is_page,
    public_host,
    response_of,
    service_name,
    url_of,
    without_internal_addresses,
)
from errata.model import Retry

_BODY_LIMIT = 500
_MOST_OF_BODY = 32_000
_NO_SENTENCE = ("://", "\n", "{", "<")
"""What is in the text of an exception that was made for programmers: an address, headers, a body as it came."""
_Text = Callable[[], str]


def complete_by_response(
    known: Classification, status: int, error: BaseException, own_text: _Text | None
) -> Classification:
    """Return what is known of a failure with a status, completed by the response that its exception carries, if any.

    `own_text` reads the words of an exception whose class nobody knows; somebody may have written them for this case.
    """
    response = response_of(error)
    if response is None:
        return known
    message = response.message
    corrected = _correct_code(known, status, message)
    issues = known.issues or (tuple(map(clean_issue, message.issues)) if status in ABOUT_ARGUMENTS else ())
    return corrected._replace(
        text=_compose_text(corrected, response, message.sentence, error, own_text),
        issues=issues if corrected.code is known.code else (),
        body=_excerpt(response.text),
    )


def _excerpt(body: str) -> str | None:
    """Keep the beginning of a body; a page is for people, and has a style sheet there."""
    if not body or is_page(body):
        return None
    return excerpt(without_internal_addresses(body[:_MOST_OF_BODY]), _BODY_LIMIT)


def _correct_code(known: Classification, status: int, message: BodyMessage) -> Classification:
    """Correct what the status was taken for, where the body's words contradict it."""
    wait = message.wait_ms if known.retry_after_ms is None else known.retry_after_ms
    refusal = correct_code(known.code, status, message, wait_ms=wait)
    if refusal is None:
        return known._replace(retry_after_ms=wait)
    never = refusal.retry is Retry.NEVER
    return known._replace(
        code=refusal.code, retry=refusal.retry, retry_after_ms=None if never else wait, is_prose=refusal.is_hearsay
    )


def _compose_text(
    known: Classification, response: UpstreamResponse, sentence: str, error: BaseException, own_text: _Text | None
) -> str:
    own = known.text or ""
    if sentence and sentence in own and sentence != own:
        return own  # A rule has said it already, and more.
    words = sentence if not own or own in sentence else own
    service = service_name(public_host(url_of(error)))
    described = describe_response(known.http_status or 0, response.reason, words, code=known.code, service=service)
    written = own_text() if own_text and not own else ""
    if not written or any(mark in written for mark in _NO_SENTENCE):
        return described
    return _join(clean(written, LONGEST_MESSAGE), described, words, response.reason)


def _join(written: str, described: str, sentence: str, reason: str) -> str:
    """Put the author's words before those of the service, unless they say no more."""
    if written in described or written == reason:
        return described
    if sentence and sentence in written:
        return written
    return f"{written.rstrip(' .:')}: {described}"
