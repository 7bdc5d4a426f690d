"""aiohttp: its client, and the answers that its server side raises."""

from errata.classification._answer import Classification, Otherwise, RuleResult, Table, first
from errata.classification._carried import classify_status
from errata.classification._families._connection import (
    BAD_HEADER,
    NOT_HTTP,
    NOT_SENT_IN_TIME,
    REDIRECTS,
    UNKNOWN_HOST,
    by_final_status,
    by_network_words,
    by_what_broke,
)
from errata.classification._reach import read_exception, read_number
from errata.classification._verdicts import BUG, REFUSED, TLS
from errata.http import read_headers
from errata.model import Code, Retry

_BAD_URL = Code.INVALID_PARAMS
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
    "ClientError": Otherwise(first(by_what_broke, by_network_words, Code.NETWORK_ERROR)),
    "ClientConnectionError": first(by_what_broke, by_network_words, Code.NETWORK_ERROR),
    "ClientConnectionResetError": Code.NETWORK_ERROR,
    "ClientOSError": first(by_what_broke, by_network_words, Code.NETWORK_ERROR),
    "ClientConnectorError": first(by_what_broke, by_network_words, REFUSED),
    "ClientProxyConnectionError": first(by_what_broke, by_network_words, REFUSED),
    "UnixClientConnectorError": first(by_what_broke, REFUSED),
    "ClientConnectorDNSError": first(by_what_broke, by_network_words, UNKNOWN_HOST),
    "ClientSSLError": first(by_what_broke, TLS),
    "ClientConnectorSSLError": first(by_what_broke, TLS),
    "ClientConnectorCertificateError": TLS,
    "ServerFingerprintMismatch": TLS,
    "ServerConnectionError": Code.NETWORK_ERROR,
    "ServerDisconnectedError": Code.NETWORK_ERROR,
    "ServerTimeoutError": Code.TIMEOUT,
    "SocketTimeoutError": Code.TIMEOUT,
    "ConnectionTimeoutError": NOT_SENT_IN_TIME,
    "ClientPayloadError": first(_parsers_own, Code.NETWORK_ERROR),
    "UploadAbortedError": Code.NETWORK_ERROR,
    "ClientResponseError": first(_parsers_own, by_final_status, Code.UPSTREAM_ERROR),
    "ContentTypeError": first(by_final_status, Code.SERIALIZATION_ERROR),
    "WSServerHandshakeError": first(by_final_status, Code.UPSTREAM_ERROR),
    "ClientHttpProxyError": first(_proxys_status, Code.NETWORK_ERROR),
    "TooManyRedirects": REDIRECTS,
    "InvalidURL": _BAD_URL,
    "InvalidUrlClientError": _BAD_URL,
    "NonHttpUrlClientError": _BAD_URL,
    "RedirectClientError": REDIRECTS,
    "InvalidUrlRedirectClientError": REDIRECTS,
    "NonHttpUrlRedirectClientError": REDIRECTS,
    "WSMessageTypeError": Code.UPSTREAM_ERROR,
}
# What the parser of either side makes of bytes that are not HTTP; all of them carry the status a server would answer.
_PARSER: Table = {
    "HttpProcessingError": NOT_HTTP,
    "BadHttpMessage": NOT_HTTP,
    "BadHttpMethod": NOT_HTTP,
    "BadStatusLine": NOT_HTTP,
    "HttpBadRequest": NOT_HTTP,
    "InvalidHeader": NOT_HTTP,
    "InvalidURLError": NOT_HTTP,
    "LineTooLong": NOT_HTTP,
    "PayloadEncodingError": Code.NETWORK_ERROR,
    "ContentLengthError": Code.NETWORK_ERROR,
    "TransferEncodingError": Code.NETWORK_ERROR,
    "ContentEncodingError": Code.SERIALIZATION_ERROR,
    "DecompressSizeError": Classification(Code.UPSTREAM_ERROR, Retry.NEVER),  # A bomb, or too much for us.
}
TABLE: Table = {
    **{f"aiohttp.client_exceptions.{name}": rule for name, rule in _CLIENT.items()},
    **{f"aiohttp.http_exceptions.{name}": rule for name, rule in _PARSER.items()},
    "aiohttp.http_websocket.WebSocketError": Code.UPSTREAM_ERROR,
    "aiohttp.http_websocket.WSHandshakeError": Code.UPSTREAM_ERROR,
    "aiohttp.streams.EofStream": Code.NETWORK_ERROR,
    "aiohttp.payload.LookupError": BUG,
    "aiohttp.web_exceptions.HTTPException": first(_answers_own, BUG),
    "aiohttp.web_protocol.RequestPayloadError": BAD_HEADER,
    "aiohttp.web_protocol.PayloadAccessError": BUG,
    "aiohttp.web_app.CleanupError": BUG,
    "aiohttp.web_runner.GracefulExit": Code.CANCELLED,
}
# fmt: on
