"""AWS: botocore, boto3 and what is built on them. A service's error code says more than the status it came with."""

import re

from errata.classification._carried import by_status, classify_status
from errata.classification._error_codes import classify_cloud_code
from errata.classification._exception_rules import (
    NOT_SENT_IN_TIME,
    REFUSED,
    TLS,
    Classification,
    Otherwise,
    Rule,
    RuleResult,
    Table,
    first,
)
from errata.classification._families._network import by_connection, by_what_broke, held_at
from errata.classification._foreign import peek, read_exception, read_number, read_text
from errata.http import parse_retry_after, read_headers
from errata.model import Code, Retry
from errata.redaction import text_of

_SETTING = Code.CONFIGURATION_ERROR
_QUOTED = re.compile(r"An error occurred \(([A-Za-z0-9.]{1,100})\)")


def by_error_code(error: BaseException) -> Classification | None:
    """AWS's error code, else the HTTP status."""
    known = _of_response(peek(error, "response"), error)
    # botocore's own text names the code and the operation, and no address.
    return None if known is None else known._replace(text=text_of(error))


def _of_response(response: object, error: BaseException) -> Classification | None:
    status = read_number(response, "ResponseMetadata", "HTTPStatusCode")
    meant = classify_cloud_code(read_text(response, "Error", "Code") or "") or _of_number(status, error)
    # A HEAD request has no body: then the status is the code.
    meant = meant or _of_number(read_number(response, "Error", "Code"), error)
    return None if meant is None else meant._replace(http_status=status, retry_after_ms=_wait(response, status))


def _of_number(status: int | None, error: BaseException) -> Classification | None:
    return classify_status(status, error) if status is not None and 400 <= status < 600 else None  # noqa: PLR2004 - HTTP's range


def _wait(response: object, status: int | None) -> int | None:
    wait = read_headers(peek(response, "ResponseMetadata", "HTTPHeaders")).wait_ms(status=status)
    return parse_retry_after(peek(response, "retryAfterSeconds")) if wait is None else wait


def _by_waiter(error: BaseException) -> RuleResult:
    """Whether what it waited for did not come in time, or failed."""
    if "Max attempts exceeded" in (read_text(error, "kwargs", "reason") or ""):
        return NOT_SENT_IN_TIME  # Waiting changes nothing: it may be done again.
    return _of_response(peek(error, "last_response"), error)


def _by_transfer(error: BaseException) -> RuleResult:
    """The service's error that stopped the transfer."""
    cause = read_exception(error, "__cause__") or read_exception(error, "__context__")
    return cause if cause is not None and by_error_code(cause) is not None else None


def _by_quoted_code(error: BaseException) -> RuleResult:
    """AWS's error code, as botocore words it."""
    quoted = _QUOTED.search(text_of(error)[:2000])
    return classify_cloud_code(quoted[1]) if quoted else None


def _of_boto(error: BaseException) -> RuleResult:
    """AWS's error code, else the HTTP status."""
    return classify_cloud_code(read_text(error, "error_code") or "") or by_status(error)


_TRANSFER = first(_by_transfer, _by_quoted_code, Code.UPSTREAM_ERROR)

# fmt: off
_BOTOCORE: dict[str, Rule | Otherwise] = {
    "ClientError": first(by_error_code, Code.UPSTREAM_ERROR),
    "EventStreamError": first(by_error_code, Code.UPSTREAM_ERROR),

    # The connection.
    "HTTPClientError": by_connection,
    "ConnectionError": by_connection,
    "EndpointConnectionError": first(by_what_broke, REFUSED),
    "ProxyConnectionError": first(by_what_broke, REFUSED),
    "SSLError": first(by_what_broke, TLS),
    "WaiterError": first(_by_waiter, Classification(Code.UPSTREAM_ERROR, Retry.NEVER)),

    # Who calls.
    "CredentialRetrievalError": first(by_what_broke, _SETTING),
    "MetadataRetrievalError": first(by_what_broke, _SETTING),
}
TABLE: Table = {
    **{f"botocore.exceptions.{name}": rule for name, rule in _BOTOCORE.items()},

    "boto3.exceptions.RetriesExceededError": first(held_at("last_exception"), Code.NETWORK_ERROR),
    "boto3.exceptions.S3TransferFailedError": _TRANSFER,
    "boto3.exceptions.S3UploadFailedError": _TRANSFER,
    "s3transfer.exceptions.RetriesExceededError": first(held_at("last_exception"), Code.NETWORK_ERROR),
    "s3transfer.exceptions.S3UploadFailedError": _TRANSFER,
    "s3transfer.exceptions.S3DownloadFailedError": _TRANSFER,
    "s3transfer.exceptions.S3CopyFailedError": _TRANSFER,

    "pynamodb.exceptions.PynamoDBException": first(held_at("cause"), Code.DATABASE_ERROR),
    # boto, the SDK before boto3.
    "boto.exception.BotoServerError": first(_of_boto, Code.UPSTREAM_ERROR),
}
# fmt: on
