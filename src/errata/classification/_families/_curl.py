"""libcurl's error numbers, which pycurl and curl_cffi pass on."""

from errata.classification._answer import Classification, RuleResult, Table, first
from errata.classification._families._connection import (
    NOT_HTTP,
    REDIRECTS,
    UNKNOWN_HOST,
    by_final_status,
    by_status_said,
)
from errata.classification._reach import read_argument, read_number
from errata.classification._verdicts import REFUSED, TLS
from errata.model import Code, Retry

# fmt: off
_BY_NUMBER: dict[int, Code | Classification] = {
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
    70: Classification(Code.UPSTREAM_ERROR, Retry.NEVER),                       # its disk is full
    97: Code.NETWORK_ERROR,                                             # the proxy's handshake
    **dict.fromkeys((35, 51, 53, 54, 58, 59, 60, 64, 66, 77, 80, 82, 83, 90, 91, 98, 101), TLS),
}
# fmt: on


def by_curl_number(error: BaseException) -> RuleResult:
    """The error number of libcurl, and for 22 the HTTP status in its text."""
    number = read_number(error, "code") or read_number(read_argument(error))
    if number == 22:  # noqa: PLR2004 - CURLE_HTTP_RETURNED_ERROR
        return by_final_status(error) or by_status_said(error) or Code.UPSTREAM_ERROR
    return _BY_NUMBER.get(number or 0)


TABLE: Table = {
    "pycurl.error": first(by_curl_number, Code.NETWORK_ERROR),
    "curl_cffi.curl.CurlError": first(by_curl_number, Code.NETWORK_ERROR),
    "curl_cffi.requests.exceptions.DNSError": UNKNOWN_HOST,
    "curl_cffi.requests.exceptions.CertificateVerifyError": TLS,
    "curl_cffi.requests.exceptions.IncompleteRead": Code.NETWORK_ERROR,
    "curl_cffi.requests.exceptions.InterfaceError": Code.CONFIGURATION_ERROR,
    "curl_cffi.requests.exceptions.ImpersonateError": Code.CONFIGURATION_ERROR,
    "curl_cffi.requests.exceptions.SessionClosed": Code.INTERNAL_ERROR,
    "curl_cffi.requests.exceptions.CookieConflict": Code.INTERNAL_ERROR,
}
