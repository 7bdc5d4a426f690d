"""The response and the request attached to an exception of a client library, wherever that library keeps them.

Nothing is read from the network: a body counts if it is there already.
"""

import dataclasses
import json
from collections.abc import Mapping
from typing import NamedTuple, cast

from errata.http._response import UpstreamResponse, as_body, attribute, read_response
from errata.http._response_headers import ResponseHeaders, read_fields, read_headers
from errata.model import is_a, text_or_none
from errata.redaction import SIZE, as_object, jsonable, text_of

_RESPONSE_AT = ("response", "raw_response", "http_response", "resp")
_INSIDE = ("internal_response", "_internal_response")  # Azure wraps the response of requests or aiohttp.
# kubernetes, notion, cohere, elasticsearch · stripe · gitlab · googleapiclient, zeep · stripe · PyGithub
_BODY_AT = ("body", "http_body", "response_body", "content", "json_body", "data")
_HEADERS_AT = ("headers", "http_headers", "response_headers")
_MESSAGE_NAMES = frozenset({"message", "error", "errors", "detail"})
_REQUEST_AT = (
    ("request",),
    ("request_info",),
    ("response", "request"),
    ("response", "request_info"),
    ("raw_response", "request"),
)
_METHOD_NAMES = ("method", "http_verb")  # Most · slack_sdk
_URL_NAMES = ("url", "real_url", "api_url", "uri", "effective_url", "_request_url")
_IDEMPOTENCY = frozenset({"idempotency-key", "x-idempotency-key", "idempotence-key", "paypal-request-id"})


class UpstreamRequest(NamedTuple):
    """What was sent upstream before it failed, as far as the exception knows it."""

    method: str | None
    """In capitals."""
    url: str | None
    headers: Mapping[str, str]
    """By their names in lower case; they hold credentials."""
    operation: str | None = None
    """AWS's name of the call, such as `GetObject`; its exceptions know no method."""

    @property
    def has_idempotency_key(self) -> bool:
        """Whether a key went with it by which the upstream knows a second attempt."""
        return not _IDEMPOTENCY.isdisjoint(self.headers)


def response_of(error: BaseException) -> UpstreamResponse | None:
    """Read the response that an exception carries; None for one that carries none.

    A response that this program itself was about to send, such as aiohttp's `web.HTTPNotFound`, is none.
    """
    if _is_own_reply(error):
        return None
    response = _response_at(error)
    if response is None and _is_response(error):
        return read_response(error)
    parts = None if response is None else _of_aws(response) or _open_response(response)
    body = _body_at(error) if parts is None or parts.body is None else parts.body
    if parts is not None:
        return dataclasses.replace(parts, body=body)
    if body is None and attribute(error, "request_info") is None:  # aiohttp's errors have that, and no body.
        return None
    headers = (attribute(error, name) for name in _HEADERS_AT)
    read = next((read for each in headers if (read := read_headers(each))), ResponseHeaders({}))
    return UpstreamResponse(None, text_or_none(attribute(error, "reason")) or "", read, body)


def request_of(error: BaseException) -> UpstreamRequest | None:
    """Read the request that an exception is about, from itself or from its response; None if it knows of none."""
    for path in _REQUEST_AT:
        if request := _read_request(subject := _follow(error, path), attribute(subject, "headers")):
            return request._replace(url=request.url or _url_of(error))
    for subject in (_response_at(error), error):  # Their own headers are those of the response.
        if request := _read_request(subject, as_object(attribute(subject, "req_args")).get("headers")):
            return request
    operation = attribute(error, "operation_name")
    return UpstreamRequest(None, None, {}, text_of(operation)) if is_a(operation, str) and operation else None


def _read_request(subject: object, headers: object) -> UpstreamRequest | None:
    method, url = _text_at(subject, _METHOD_NAMES), _text_at(subject, _URL_NAMES)
    return UpstreamRequest(method and method.upper(), url, read_fields(headers)) if method or url else None


def url_of(error: BaseException) -> str | None:
    """Read the address of the request or the response that an exception is about."""
    request = request_of(error)
    return _url_of(error) or (request.url if request else None)


def _url_of(error: BaseException) -> str | None:
    return _text_at(_response_at(error), _URL_NAMES) or _text_at(error, _URL_NAMES)


def _response_at(error: BaseException) -> object:
    responses = (attribute(error, name) for name in _RESPONSE_AT)
    return next((each for each in responses if each is not None and not _is_own_reply(each)), None)


def _open_response(response: object) -> UpstreamResponse:
    """Read a response, also one whose body was parsed already, or is kept in a response inside of it."""
    parts = read_response(response)
    if parts.body is not None:
        return parts
    if parts.status is None:
        return dataclasses.replace(parts, body=as_body(response) or _write_parsed(response))
    inside = (read_response(each).body for name in _INSIDE if (each := attribute(response, name)) is not None)
    bodies = (*inside, _write_parsed(attribute(response, "data")))
    return dataclasses.replace(parts, body=next((body for body in bodies if body is not None), None))


def _of_aws(response: object) -> UpstreamResponse | None:
    """Read botocore's response, which is parsed already: `{"Error": {"Code": …, "Message": …}, "ResponseMetadata": …}`."""
    members = as_object(response)
    if "ResponseMetadata" not in members and "Error" not in members:
        return None
    metadata = as_object(members.get("ResponseMetadata"))
    headers = metadata.get("HTTPHeaders")
    return UpstreamResponse(metadata.get("HTTPStatusCode"), "", headers, _write_parsed(members.get("Error")))


def _body_at(error: BaseException) -> bytes | str | None:
    for name in _BODY_AT:
        value = attribute(error, name)
        body = as_body(value) if name != "data" else None
        if body is None and (name != "data" or not _MESSAGE_NAMES.isdisjoint(as_object(value))):
            body = _write_parsed(value)
        if body:
            return body
    return None


def _write_parsed(value: object) -> str | None:
    """Write a body that its library has parsed as JSON again; None for what is no JSON."""
    if not value or not (is_a(value, dict) or is_a(value, list)):
        return None
    return json.dumps(jsonable(cast("object", value), size=SIZE), ensure_ascii=False)


def _is_own_reply(subject: object) -> bool:
    """Return whether it is a reply made with a web framework: those can set a cookie."""
    return callable(attribute(subject, "set_cookie"))


def _is_response(error: BaseException) -> bool:
    """Return whether an exception is the response itself, as urllib's HTTPError is."""
    return callable(attribute(error, "geturl")) and attribute(error, "headers") is not None


def _follow(subject: object, path: tuple[str, ...]) -> object:
    for name in path:
        subject = None if subject is None else attribute(subject, name)
    return subject


def _text_at(subject: object, names: tuple[str, ...]) -> str | None:
    """Read a text, or what stands for one: httpx and aiohttp have classes for addresses."""
    values = (attribute(subject, name) for name in names)
    return next((text_of(value) for value in values if _is_text_like(value)), None)


def _is_text_like(value: object) -> bool:
    return is_a(value, str) or type(value).__name__ in {"URL", "Url", "HTTPMethod"}
