"""HTTP clients: httpx, requests, urllib3, Python's own, and what lies below them."""

from errata.classification._answer import Classification, Otherwise, Rule, RuleResult, Table, first
from errata.classification._families._connection import (
    BAD_HEADER,
    NOT_HTTP,
    NOT_SENT_IN_TIME,
    REDIRECTS,
    UNKNOWN_HOST,
    by_final_status,
    by_network_words,
    by_status_said,
    by_what_broke,
    held_at,
    in_arguments,
)
from errata.classification._reach import read_exception, read_number, read_text
from errata.classification._verdicts import BUG, REFUSED, TLS
from errata.model import Code, Retry
from errata.redaction import text_of

_NETWORK = first(by_what_broke, by_network_words, Code.NETWORK_ERROR)
_CONNECT = first(by_what_broke, by_network_words, REFUSED)
_RESOLVE = first(by_what_broke, by_network_words, UNKNOWN_HOST)
_HANDSHAKE = first(by_what_broke, TLS)
_PROXY = first(by_status_said, by_what_broke, by_network_words, Code.NETWORK_ERROR)
_STATUS = first(by_final_status, by_status_said, Code.UPSTREAM_ERROR)
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
    """Write rows down once for packages that use the same names."""
    return {f"{package}.{name}": rule for package in packages for name, rule in rows.items()}


# fmt: off
_HTTPCORE: dict[str, Rule | Otherwise] = {
    "TimeoutException": Code.TIMEOUT,
    "ConnectTimeout": NOT_SENT_IN_TIME,
    "PoolTimeout": NOT_SENT_IN_TIME,
    "ReadTimeout": Code.TIMEOUT,
    "WriteTimeout": Code.TIMEOUT,
    "NetworkError": _NETWORK,
    "ConnectError": _CONNECT,
    "ReadError": _NETWORK,
    "WriteError": _NETWORK,
    "ProtocolError": _peer,
    "RemoteProtocolError": _peer,
    "LocalProtocolError": BAD_HEADER,
    "ProxyError": _PROXY,
    "UnsupportedProtocol": _BAD_URL,
}
_HTTPX: dict[str, Rule | Otherwise] = {
    **_HTTPCORE,
    "HTTPError": Otherwise(Code.UPSTREAM_ERROR),
    "HTTPStatusError": _STATUS,
    "RequestError": Otherwise(_NETWORK),
    "TransportError": _NETWORK,
    "CloseError": _NETWORK,
    "DecodingError": Code.SERIALIZATION_ERROR,
    "TooManyRedirects": REDIRECTS,
    "InvalidURL": _BAD_URL,
    "CookieConflict": BUG,
    "StreamError": BUG,
    "StreamConsumed": BUG,
    "StreamClosed": BUG,
    "ResponseNotRead": BUG,
    "RequestNotRead": BUG,
}
_REQUESTS: dict[str, Rule | Otherwise] = {
    "RequestException": Otherwise(first(in_arguments, _NETWORK)),
    "HTTPError": _STATUS,
    "ConnectionError": first(in_arguments, _NETWORK),
    "ProxyError": first(in_arguments, _PROXY),
    "SSLError": first(in_arguments, TLS),
    "Timeout": Code.TIMEOUT,
    "ConnectTimeout": NOT_SENT_IN_TIME,
    "ReadTimeout": Code.TIMEOUT,
    "RetryError": first(in_arguments, by_status_said, Code.SERVICE_UNAVAILABLE),
    "TooManyRedirects": REDIRECTS,
    "ChunkedEncodingError": Code.NETWORK_ERROR,
    "ContentDecodingError": Code.SERIALIZATION_ERROR,
    "InvalidJSONError": Code.SERIALIZATION_ERROR,
    "JSONDecodeError": Code.SERIALIZATION_ERROR,
    "URLRequired": Code.MISSING_REQUIRED_FIELD,
    "MissingSchema": _BAD_URL,
    "InvalidSchema": _BAD_URL,
    "InvalidURL": _BAD_URL,
    "InvalidProxyURL": Code.CONFIGURATION_ERROR,
    "InvalidHeader": BAD_HEADER,
    "StreamConsumedError": BUG,
    "UnrewindableBodyError": BUG,
}
_URLLIB3: dict[str, Rule | Otherwise] = {
    "HTTPError": Otherwise(_NETWORK),
    "PoolError": Otherwise(_NETWORK),
    "RequestError": Otherwise(_NETWORK),
    "MaxRetryError": first(held_at("reason"), _NETWORK),  # Its own text names the URL with all its parameters.
    "ResponseError": first(by_status_said, REDIRECTS),  # "too many 503 error responses", "too many redirects"
    "TimeoutError": Code.TIMEOUT,
    "ReadTimeoutError": Code.TIMEOUT,
    "ConnectTimeoutError": NOT_SENT_IN_TIME,
    "NewConnectionError": _CONNECT,
    "NameResolutionError": _RESOLVE,
    "EmptyPoolError": NOT_SENT_IN_TIME,
    "FullPoolError": NOT_SENT_IN_TIME,
    "ClosedPoolError": BUG,
    "TimeoutStateError": BUG,
    "HostChangedError": BUG,
    "UnrewindableBodyError": BUG,
    "ProxyError": first(held_at("original_error"), _PROXY),
    "SSLError": _HANDSHAKE,
    "ProtocolError": first(in_arguments, _NETWORK),  # ("Connection aborted.", RemoteDisconnected(…))
    "IncompleteRead": Code.NETWORK_ERROR,
    "InvalidChunkLength": Code.NETWORK_ERROR,
    "ResponseNotChunked": NOT_HTTP,
    "BodyNotHttplibCompatible": NOT_HTTP,
    "HeaderParsingError": NOT_HTTP,
    "InvalidHeader": NOT_HTTP,
    "DecodeError": Code.SERIALIZATION_ERROR,
    "LocationValueError": _BAD_URL,
    "LocationParseError": _BAD_URL,
    "URLSchemeUnknown": _BAD_URL,
    "ProxySchemeUnknown": Code.CONFIGURATION_ERROR,
    "ProxySchemeUnsupported": Code.CONFIGURATION_ERROR,
}

TABLE: Table = {
    # httpx2 shares no class with httpx, but all its names.
    **_under(("httpx", "httpx2"), _HTTPX),
    "httpx2.SSEError": Code.UPSTREAM_ERROR,
    "httpx_sse.SSEError": Code.UPSTREAM_ERROR,
    **_under(("httpcore", "httpcore2"), {**_HTTPCORE, "ConnectionNotAvailable": REFUSED}),
    "h11.ProtocolError": _peer,
    "h11.RemoteProtocolError": _peer,
    "h11.LocalProtocolError": BAD_HEADER,
    "h2.exceptions.H2Error": _peer,
    "h2.exceptions.NoSuchStreamError": BUG,
    "h2.exceptions.NoAvailableStreamIDError": REFUSED,
    "h2.exceptions.TooManyStreamsError": NOT_SENT_IN_TIME,
    "h2.exceptions.DenialOfServiceError": Classification(Code.UPSTREAM_ERROR, Retry.NEVER),
    "hpack.exceptions.HPACKError": NOT_HTTP,
    "hyperframe.exceptions.HyperframeError": NOT_HTTP,

    # niquests and curl_cffi keep the names of requests.
    **_under(("requests.exceptions", "niquests.exceptions", "curl_cffi.requests.exceptions"), _REQUESTS),
    "niquests.exceptions.MultiplexingError": Code.NETWORK_ERROR,
    **_under(("urllib3.exceptions", "urllib3_future.exceptions"), _URLLIB3),
    "urllib3_future.exceptions.MustRedialError": REFUSED,
    "urllib3_future.exceptions.EarlyResponse": Code.UPSTREAM_ERROR,

    "urllib.error.URLError": first(by_what_broke, by_status_said, _url_reason, _file_reason, _NETWORK),
    "urllib.error.HTTPError": _STATUS,
    "urllib.error.ContentTooShortError": Code.NETWORK_ERROR,
    "http.client.HTTPException": Otherwise(Code.UPSTREAM_ERROR),
    "http.client.BadStatusLine": NOT_HTTP,
    "http.client.LineTooLong": NOT_HTTP,
    "http.client.UnknownProtocol": NOT_HTTP,
    "http.client.UnknownTransferEncoding": NOT_HTTP,
    "http.client.RemoteDisconnected": Code.NETWORK_ERROR,
    "http.client.IncompleteRead": Code.NETWORK_ERROR,
    "http.client.InvalidURL": _BAD_URL,
    "http.client.NotConnected": BUG,
    "http.client.ImproperConnectionState": BUG,
    "http.client.CannotSendRequest": BUG,
    "http.client.CannotSendHeader": BUG,
    "http.client.ResponseNotReady": BUG,
    "http.client.UnimplementedFileMode": BUG,
    "http.cookiejar.LoadError": Code.SERIALIZATION_ERROR,
    "http.cookies.CookieError": _BAD_URL,
}
# fmt: on
