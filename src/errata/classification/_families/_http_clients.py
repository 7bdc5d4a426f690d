"""HTTP clients and web frameworks: httpx, requests, urllib3, aiohttp, curl, Python's own, and what lies below them."""

from errata.classification._carried import by_status, classify_status
from errata.classification._exception_rules import (
    BUG,
    NOT_HTTP,
    REDIRECTS,
    REFUSED,
    TLS,
    UNKNOWN_HOST,
    Classification,
    Otherwise,
    Rule,
    RuleResult,
    Table,
    first,
)
from errata.classification._families._network import (
    by_connection,
    by_final_status,
    by_network_words,
    by_status_in_text,
    by_what_broke,
    held_at,
    in_arguments,
)
from errata.classification._foreign import peek, read_argument, read_exception, read_number, read_text
from errata.http import read_headers, status_to_code
from errata.model import Code, Retry, wait_ms
from errata.redaction import text_of

_CONNECT = first(by_what_broke, by_network_words, REFUSED)
_RESOLVE = first(by_what_broke, by_network_words, UNKNOWN_HOST)
_HANDSHAKE = first(by_what_broke, TLS)
_PROXY = first(by_status_in_text, by_connection)
_STATUS = first(by_final_status, by_status_in_text, Code.UPSTREAM_ERROR)
_BAD_URL = Code.INVALID_PARAMS


def _peer(error: BaseException) -> RuleResult:
    """Whether the server hung up or reset the stream, or answered with something that is not HTTP."""
    text = text_of(error).lower()
    cut_off = ("disconnect", "closed", "terminated", "streamreset", "stream reset", "eof", "incomplete")
    return Code.NETWORK_ERROR if any(word in text for word in cut_off) else NOT_HTTP


def _url_reason(error: BaseException) -> RuleResult:
    """What is wrong with the URL, where its reason is a text."""
    reason = read_text(error, "reason") or ""
    return (
        _BAD_URL if reason.startswith(("unknown url type", "no host given", "file not on", "file:// scheme")) else None
    )


def _file_reason(error: BaseException) -> RuleResult:
    """The system's error about a `file:` URL."""
    return read_exception(error, "reason") if read_number(error, "reason", "errno") is not None else None


def _under(packages: tuple[str, ...], rows: dict[str, Rule | Otherwise]) -> dict[str, Rule | Otherwise]:
    """Return the same rows for several packages that share class names."""
    return {f"{package}.{name}": rule for package in packages for name, rule in rows.items()}


# fmt: off
_HTTPCORE: dict[str, Rule | Otherwise] = {
    "NetworkError": by_connection,
    "ConnectError": _CONNECT,
    "ReadError": by_connection,
    "WriteError": by_connection,
    "ProtocolError": _peer,
    "RemoteProtocolError": _peer,
    "ProxyError": _PROXY,
}
_HTTPX: dict[str, Rule | Otherwise] = {
    **_HTTPCORE,
    "HTTPStatusError": _STATUS,
    "RequestError": Otherwise(by_connection),
    "TransportError": by_connection,
    "CloseError": by_connection,
}
_REQUESTS: dict[str, Rule | Otherwise] = {
    "RequestException": Otherwise(first(in_arguments, by_connection)),
    "HTTPError": _STATUS,
    "ConnectionError": first(in_arguments, by_connection),
    "ProxyError": first(in_arguments, _PROXY),
    "SSLError": first(in_arguments, TLS),
    "RetryError": first(in_arguments, by_status_in_text, Code.SERVICE_UNAVAILABLE),
}
_URLLIB3: dict[str, Rule | Otherwise] = {
    "HTTPError": Otherwise(by_connection),
    "PoolError": Otherwise(by_connection),
    "RequestError": Otherwise(by_connection),
    "MaxRetryError": first(held_at("reason"), by_connection),  # Its own text names the URL with all its parameters.
    "ResponseError": first(by_status_in_text, REDIRECTS),  # "too many 503 error responses", "too many redirects"
    "NewConnectionError": _CONNECT,
    "NameResolutionError": _RESOLVE,
    "ProxyError": first(held_at("original_error"), _PROXY),
    "SSLError": _HANDSHAKE,
    "ProtocolError": first(in_arguments, by_connection),  # ("Connection aborted.", RemoteDisconnected(…))
}

_CLIENTS: Table = {
    # httpx2 shares no class with httpx, but all its names.
    **_under(("httpx", "httpx2"), _HTTPX),
    **_under(("httpcore", "httpcore2"), _HTTPCORE),
    "h11.ProtocolError": _peer,
    "h11.RemoteProtocolError": _peer,
    "h2.exceptions.H2Error": _peer,

    # niquests and curl_cffi keep the names of requests.
    **_under(("requests.exceptions", "niquests.exceptions", "curl_cffi.requests.exceptions"), _REQUESTS),
    **_under(("urllib3.exceptions", "urllib3_future.exceptions"), _URLLIB3),

    "urllib.error.URLError": first(by_what_broke, by_status_in_text, _url_reason, _file_reason, by_connection),
    "urllib.error.HTTPError": _STATUS,
}
# fmt: on


# aiohttp: its client, and the answers that its server side raises.


_PROXY_WANTS_CREDENTIALS = 407


def _parsers_own(error: BaseException) -> RuleResult:
    """The client's parser, which calls what is not HTTP a status 400."""
    cause = read_exception(error, "__cause__")
    return cause if cause is not None and type(cause).__module__ == "aiohttp.http_exceptions" else None


def _proxys_status(error: BaseException) -> RuleResult:
    """The proxy's HTTP status."""
    status = read_number(error, "status")
    return (
        Classification(Code.UNAUTHORIZED, http_status=status)
        if status == _PROXY_WANTS_CREDENTIALS
        else by_final_status(error)
    )


def _answers_own(error: BaseException) -> RuleResult:
    """The HTTP status of the answer that it is."""
    # It is a mapping as well, so its attributes are read here and not by `peek`.
    status: object = getattr(error, "status", None)
    if not isinstance(status, int) or status < 400:  # noqa: PLR2004 - HTTP's range of failures
        return None
    wait = read_headers(getattr(error, "headers", None)).wait_ms(status=status)
    return classify_status(status, error)._replace(retry_after_ms=wait)


# fmt: off
_CLIENT: Table = {
    "ClientError": Otherwise(by_connection),
    "ClientConnectionError": by_connection,
    "ClientOSError": by_connection,
    "ClientConnectorError": first(by_what_broke, by_network_words, REFUSED),
    "ClientProxyConnectionError": first(by_what_broke, by_network_words, REFUSED),
    "UnixClientConnectorError": first(by_what_broke, REFUSED),
    "ClientConnectorDNSError": first(by_what_broke, by_network_words, UNKNOWN_HOST),
    "ClientSSLError": first(by_what_broke, TLS),
    "ClientConnectorSSLError": first(by_what_broke, TLS),
    "ClientPayloadError": first(_parsers_own, Code.NETWORK_ERROR),
    "ClientResponseError": first(_parsers_own, by_final_status, Code.UPSTREAM_ERROR),
    "ContentTypeError": first(by_final_status, Code.SERIALIZATION_ERROR),
    "WSServerHandshakeError": first(by_final_status, Code.UPSTREAM_ERROR),
    "ClientHttpProxyError": first(_proxys_status, Code.NETWORK_ERROR),
}
_AIOHTTP: Table = {
    **{f"aiohttp.client_exceptions.{name}": rule for name, rule in _CLIENT.items()},
    "aiohttp.web_exceptions.HTTPException": first(_answers_own, BUG),
}
# fmt: on


# libcurl's error numbers, which pycurl and curl_cffi pass on.


# fmt: off
_BY_CURL_NUMBER: dict[int, Code | Classification] = {
    1: Code.INVALID_PARAMS, 3: Code.INVALID_PARAMS,                     # an unknown protocol, a malformed URL
    4: Code.NOT_IMPLEMENTED,                                            # not built in
    5: UNKNOWN_HOST, 6: UNKNOWN_HOST,                                   # the proxy's name, the host's name
    7: REFUSED, 45: REFUSED, 96: REFUSED,                               # could not connect; no such interface; QUIC
    8: NOT_HTTP,                                                        # a weird reply
    9: Code.FORBIDDEN, 67: Code.UNAUTHORIZED, 94: Code.UNAUTHORIZED,    # access denied, login denied
    12: Code.TIMEOUT, 28: Code.TIMEOUT,
    16: Code.NETWORK_ERROR, 92: Code.NETWORK_ERROR, 95: Code.NETWORK_ERROR,  # HTTP/2 and HTTP/3 streams
    18: Code.NETWORK_ERROR, 52: Code.NETWORK_ERROR,                     # half an answer, no answer
    55: Code.NETWORK_ERROR, 56: Code.NETWORK_ERROR,                     # sending, receiving
    19: Code.NOT_FOUND, 78: Code.NOT_FOUND,
    22: Code.UPSTREAM_ERROR,                                            # a status, which the text names
    33: Code.VALIDATION_FAILED, 36: Code.VALIDATION_FAILED, 63: Code.VALIDATION_FAILED,  # ranges and sizes
    42: Code.CANCELLED,                                                 # by the caller's own callback
    47: REDIRECTS,
    61: Code.SERIALIZATION_ERROR,                                       # an unknown content encoding
    70: Classification(Code.UPSTREAM_ERROR, Retry.NEVER),               # its disk is full
    97: Code.NETWORK_ERROR,                                             # the proxy's handshake
    **dict.fromkeys((35, 51, 53, 54, 58, 59, 60, 64, 66, 77, 80, 82, 83, 90, 91, 98, 101), TLS),
}
# fmt: on


def by_curl_number(error: BaseException) -> RuleResult:
    """The error number of libcurl, and for 22 the HTTP status in its text."""
    number = read_number(error, "code") or read_number(read_argument(error))
    if number == 22:  # noqa: PLR2004 - CURLE_HTTP_RETURNED_ERROR
        return by_final_status(error) or by_status_in_text(error) or Code.UPSTREAM_ERROR
    return _BY_CURL_NUMBER.get(number or 0)


_CURL: Table = {
    "pycurl.error": first(by_curl_number, Code.NETWORK_ERROR),
    "curl_cffi.curl.CurlError": first(by_curl_number, Code.NETWORK_ERROR),
}


# Web frameworks' own answers, raised in a tool, and smaller HTTP clients.


_WEB_STATUS = first(by_final_status, Code.UPSTREAM_ERROR)
_OWN_STATUS = first(by_status, Code.INTERNAL_ERROR)
_TIMED_OUT = 599


def _by_detail(error: BaseException) -> RuleResult:
    """The HTTP status it carries, in the words of its detail."""
    known = by_status(error)
    detail = read_text(error, "detail") or read_text(error, "description")
    return None if known is None else known._replace(text=detail)


def _by_wait(error: BaseException) -> RuleResult:
    """The wait it carries, in seconds."""
    return Classification(Code.RATE_LIMITED, http_status=429, retry_after_ms=wait_ms(peek(error, "wait"), unit_ms=1000))


def _tornado(error: BaseException) -> RuleResult:
    """The HTTP status it carries; 599 is the client's own, for no answer at all."""
    if read_number(error, "code") != _TIMED_OUT:
        return by_final_status(error)
    return Code.TIMEOUT if "timeout" in text_of(error).lower() else by_network_words(error) or Code.NETWORK_ERROR


def _xmlrpc(error: BaseException) -> RuleResult:
    """The HTTP status it carries."""
    status = read_number(error, "errcode")
    return Classification(status_to_code(status), http_status=status) if status else None


# fmt: off
_WEB: Table = {
    # What a framework would have answered; a tool that shares code with a web server raises it.
    "starlette.exceptions.HTTPException": first(_by_detail, Code.INTERNAL_ERROR),
    "werkzeug.exceptions.HTTPException": first(_by_detail, Code.INTERNAL_ERROR),
    "rest_framework.exceptions.APIException": first(by_status, Code.INTERNAL_ERROR),
    "rest_framework.exceptions.Throttled": _by_wait,
    "falcon.HTTPError": _OWN_STATUS,
    "sanic.exceptions.SanicException": _OWN_STATUS,
    "tornado.web.HTTPError": _OWN_STATUS,
    "litestar.exceptions.HTTPException": first(_by_detail, Code.INTERNAL_ERROR),
    "bottle.HTTPError": _OWN_STATUS,
    "cherrypy._cperror.HTTPError": _OWN_STATUS,
    "webob.exc.HTTPError": _OWN_STATUS,
    "pyramid.httpexceptions.HTTPError": _OWN_STATUS,

    # tornado, twisted and scrapy.
    "tornado.httpclient.HTTPClientError": first(_tornado, Code.UPSTREAM_ERROR),
    "tornado.httpclient.HTTPError": first(_tornado, Code.UPSTREAM_ERROR),
    "tornado.curl_httpclient.CurlError": by_connection,
    "scrapy.spidermiddlewares.httperror.HttpError": _WEB_STATUS,

    # Built on other clients.
    "mechanize._response.HTTPError": _WEB_STATUS,
    "uplink.clients.exceptions.ConnectionError": by_connection,
    "gql.transport.exceptions.TransportError": Otherwise(by_connection),
    "gql.transport.exceptions.TransportServerError": first(by_status, Code.UPSTREAM_ERROR),
    "gql.transport.exceptions.TransportConnectionFailed": by_connection,
    "zeep.exceptions.TransportError": first(by_status, by_connection),
    "xmlrpc.client.ProtocolError": first(_xmlrpc, Code.UPSTREAM_ERROR),
}
# fmt: on

TABLE: Table = {**_CLIENTS, **_AIOHTTP, **_CURL, **_WEB}
