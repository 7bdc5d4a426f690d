"""One value for a response, whichever client it came from, read without trusting it and without waiting for it."""

import codecs
import dataclasses
import re
from functools import cached_property
from io import BytesIO

from errata.http._body_message import BodyMessage, read_body_message
from errata.http._response_headers import ResponseHeaders, read_headers
from errata.model import http_status_or_none, is_a
from errata.redaction import SIZE, repair_unicode, text_of

LONGEST_BODY = 4 * SIZE
"""How much of a body is read, in bytes or characters; a fault's data holds a quarter of that."""

_STATUS_NAMES = ("status_code", "status", "code")  # httpx, requests · aiohttp, urllib3, http.client · HTTPError
_REASON_NAMES = ("reason_phrase", "reason")
_PUBLIC_BODIES = ("content", "body", "data", "text")
_CHARSET = re.compile(r"charset=[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_SLOW_CODECS = {"idna", "punycode"}  # They take quadratic time, and a stranger chooses the charset.
_GARBLED = 10  # One character in ten that cannot be decoded: it is no text.


@dataclasses.dataclass(frozen=True)
class UpstreamResponse:
    """A response of an upstream: its headers and its body are read once, when they are needed."""

    given_status: object
    """The status as the client has it: a number, or whatever it has instead of one."""
    reason: str
    given_headers: object
    """The header fields as any client has them, or `ResponseHeaders`."""
    body: bytes | str | None
    """As much as is there already; None for nothing, or if it still had to be read."""

    @property
    def status(self) -> int | None:
        """The status, if it is one of HTTP's."""
        return http_status_or_none(self.given_status)

    @cached_property
    def headers(self) -> ResponseHeaders:
        """The header fields, read once, and only where somebody needs them."""
        return read_headers(self.given_headers)

    @cached_property
    def text(self) -> str:
        """The body as text; "" for one that is no text, such as an image or what is still compressed."""
        body = self.body[:LONGEST_BODY] if self.body else ""
        if isinstance(body, bytes):
            body = body.decode("ascii") if _is_ascii(body) else _decode(body, self.headers.get("content-type"))
        text = repair_unicode(body)
        return "" if "\0" in text or text.count("\ufffd") * _GARBLED > len(text) else text

    @cached_property
    def message(self) -> BodyMessage:
        """The sentence, the codes, the issues and the wait in the body."""
        return read_body_message(self.text)


def read_response(response: object) -> UpstreamResponse:
    """Read what is there already of a response; nothing is fetched."""
    return UpstreamResponse(
        given_status=_status(response),
        reason=next((text_of(reason) for name in _REASON_NAMES if (reason := attribute(response, name))), ""),
        given_headers=attribute(response, "headers"),
        body=_body(response),
    )


def attribute(subject: object, name: str) -> object:
    """Return an attribute of a foreign object; None if there is none, or if reading it raises."""
    try:
        return getattr(subject, name, None)
    except Exception:  # noqa: BLE001 - a property of a stranger may raise anything; httpx's `content` does by design.
        return None


def _status(response: object) -> object:
    given = [value for name in _STATUS_NAMES if (value := attribute(response, name)) is not None]
    numbers = (number for value in given if (number := _number(value)) is not None)
    return next(numbers, given[0] if given else None)


def _number(value: object) -> int | None:
    if is_a(value, int):
        return None if is_a(value, bool) else int.__index__(value)
    digits = re.match(r"\s*([0-9]{3})\b", str.__str__(value)[:10]) if is_a(value, str) else None
    return int(digits[1]) if digits else None


def _body(response: object) -> bytes | str | None:
    """Return a body that was read already.

    `content`, `text` and `data` of requests, urllib3 and botocore would read one that was not, and block. What they
    have read they keep in `_content` or `_body`, as httpx and aiohttp do.
    """
    for name in ("_content", "_body"):
        kept = attribute(response, name)
        if (body := as_body(kept)) is not None:
            return body
        if kept is False or (kept is None and _has(response, name)):
            return None
    buffer = attribute(response, "fp")  # An HTTPError that somebody built; one that urllib raised has a socket here.
    candidates = (
        [buffer.getvalue()] if is_a(buffer, BytesIO) else [attribute(response, name) for name in _PUBLIC_BODIES]
    )
    return next((body for candidate in candidates if (body := as_body(candidate)) is not None), None)


def _has(response: object, name: str) -> bool:
    try:
        return hasattr(response, name)
    except Exception:  # noqa: BLE001 - as above.
        return True


def as_body(value: object) -> bytes | str | None:
    """Return a value as a body; None if it can be none."""
    if is_a(value, bytes) or is_a(value, bytearray):
        return bytes(value)
    return str.__str__(value) if is_a(value, str) else None


def _is_ascii(body: bytes) -> bool:
    """Return whether a body reads the same in whatever charset servers use, so that its headers need not be read."""
    return body.isascii() and b"\0" not in body and b"\x1b" not in body


def _decode(body: bytes, content_type: str) -> str:
    declared = _CHARSET.search(content_type)
    try:
        codec = codecs.lookup(declared[1] if declared else "utf-8")
        return body.decode("utf-8-sig" if codec.name in {"utf-8", *_SLOW_CODECS} else codec.name, "replace")
    except Exception:  # noqa: BLE001 - no such charset, or one that is no charset, such as "hex".
        return body.decode("utf-8-sig", "replace")
