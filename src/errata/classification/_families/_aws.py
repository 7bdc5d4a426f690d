"""AWS: botocore, boto3 and what is built on them. A service's error code says more than the status it came with."""

import re

from errata.classification._answer import Classification, Otherwise, Rule, RuleResult, Table, first
from errata.classification._carried import by_status, classify_status
from errata.classification._families._cloud_codes import classify_cloud_code
from errata.classification._families._connection import NOT_SENT_IN_TIME, by_network_words, by_what_broke, held_at
from errata.classification._reach import peek, read_exception, read_number, read_text
from errata.classification._verdicts import BUG, REFUSED, TLS
from errata.http import parse_retry_after, read_headers
from errata.model import Code, Retry
from errata.redaction import text_of

_SETTING = Code.CONFIGURATION_ERROR
_ARGUMENT = Code.INVALID_PARAMS
_QUOTED = re.compile(r"An error occurred \(([A-Za-z0-9.]{1,100})\)")


def by_error_code(error: BaseException) -> Classification | None:
    """AWS's error code, else the HTTP status."""
    answer = _of_response(peek(error, "response"), error)
    # botocore's own text names the code and the operation, and no address.
    return None if answer is None else answer._replace(text=text_of(error))


def _of_response(response: object, error: BaseException) -> Classification | None:
    status = read_number(response, "ResponseMetadata", "HTTPStatusCode")
    meant = classify_cloud_code(read_text(response, "Error", "Code") or "") or _of_number(status, error)
    # A HEAD request has no body: then the status is the code.
    meant = meant or _of_number(read_number(response, "Error", "Code"), error)
    return None if meant is None else meant._replace(http_status=status, retry_after_ms=_wait(response, status))


def _of_number(status: int | None, error: BaseException) -> Classification | None:
    return classify_status(status, error) if status is not None and 400 <= status < 600 else None  # noqa: PLR2004 - HTTP's range


def _wait(response: object, status: int | None) -> int | None:
    said = read_headers(peek(response, "ResponseMetadata", "HTTPHeaders")).wait_ms(status=status)
    return parse_retry_after(peek(response, "retryAfterSeconds")) if said is None else said


def _waited_for(error: BaseException) -> RuleResult:
    """What it waited for: that did not come in time, or failed."""
    if "Max attempts exceeded" in (read_text(error, "kwargs", "reason") or ""):
        return NOT_SENT_IN_TIME  # Waiting changes nothing: it may be done again.
    return _of_response(peek(error, "last_response"), error)


def _transferred(error: BaseException) -> RuleResult:
    """The service's error that stopped the transfer."""
    cause = read_exception(error, "__cause__") or read_exception(error, "__context__")
    return cause if cause is not None and by_error_code(cause) is not None else None


def _quoted_code(error: BaseException) -> RuleResult:
    """AWS's error code, as botocore words it."""
    quoted = _QUOTED.search(text_of(error)[:2000])
    return classify_cloud_code(quoted[1]) if quoted else None


def _of_boto(error: BaseException) -> RuleResult:
    """AWS's error code, else the HTTP status."""
    return classify_cloud_code(read_text(error, "error_code") or "") or by_status(error)


_TRANSFER = first(_transferred, _quoted_code, Code.UPSTREAM_ERROR)

# fmt: off
_BOTOCORE: dict[str, Rule | Otherwise] = {
    "ClientError": first(by_error_code, Code.UPSTREAM_ERROR),
    "BotoCoreError": Otherwise(Code.UPSTREAM_ERROR),
    "EventStreamError": first(by_error_code, Code.UPSTREAM_ERROR),

    # The connection.
    "HTTPClientError": first(by_what_broke, by_network_words, Code.NETWORK_ERROR),
    "ConnectionError": first(by_what_broke, by_network_words, Code.NETWORK_ERROR),
    "EndpointConnectionError": first(by_what_broke, REFUSED),
    "ProxyConnectionError": first(by_what_broke, REFUSED),
    "SSLError": first(by_what_broke, TLS),
    "ConnectTimeoutError": NOT_SENT_IN_TIME,
    "ReadTimeoutError": Code.TIMEOUT,
    "ConnectionClosedError": Code.NETWORK_ERROR,
    "ResponseStreamingError": Code.NETWORK_ERROR,
    "IncompleteReadError": Code.NETWORK_ERROR,
    "ChecksumError": Code.UPSTREAM_ERROR,
    "FlexibleChecksumError": Code.UPSTREAM_ERROR,
    "CapacityNotAvailableError": Code.RATE_LIMITED,  # The SDK holds back: too many retries of its own.
    "WaiterError": first(_waited_for, Classification(Code.UPSTREAM_ERROR, Retry.NEVER)),
    "PaginationError": Code.UPSTREAM_ERROR,

    # Who calls.
    "NoCredentialsError": _SETTING,
    "PartialCredentialsError": _SETTING,
    "UnknownCredentialError": _SETTING,
    "CredentialRetrievalError": first(by_what_broke, _SETTING),
    "MetadataRetrievalError": first(by_what_broke, _SETTING),
    "RefreshWithMFAUnsupportedError": _SETTING,
    "NoAuthTokenError": _SETTING,
    "UnknownTokenProviderError": _SETTING,
    "TokenRetrievalError": Code.UNAUTHORIZED,
    "SSOError": Code.UNAUTHORIZED,
    "SSOTokenLoadError": Code.UNAUTHORIZED,
    "UnauthorizedSSOTokenError": Code.UNAUTHORIZED,
    "PendingAuthorizationExpiredError": Code.UNAUTHORIZED,
    "LoginError": Code.UNAUTHORIZED,
    "LoginRefreshRequired": Code.UNAUTHORIZED,
    "LoginTokenLoadError": Code.UNAUTHORIZED,
    "LoginAuthorizationCodeError": Code.UNAUTHORIZED,
    "LoginInsufficientPermissions": Code.FORBIDDEN,

    # What was asked for.
    "ParamValidationError": _ARGUMENT,
    "ValidationError": _ARGUMENT,
    "RangeError": _ARGUMENT,
    "UnknownParameterError": _ARGUMENT,
    "UnknownKeyError": _ARGUMENT,
    "AliasConflictParameterError": _ARGUMENT,
    "MissingParametersError": Code.MISSING_REQUIRED_FIELD,
    "InvalidExpressionError": _ARGUMENT,
    "InvalidDNSNameError": _ARGUMENT,
    "InvalidHostLabelError": _ARGUMENT,
    "InvalidRegionError": _ARGUMENT,
    "UnsupportedS3ArnError": _ARGUMENT,
    "UnsupportedS3ControlArnError": _ARGUMENT,
    "UnsupportedOutpostResourceError": _ARGUMENT,
    "OperationNotPageableError": BUG,
    "UnseekableStreamError": BUG,
    "AwsChunkedWrapperError": BUG,
    "UnknownClientMethodError": BUG,
    "StubResponseError": BUG,
    "StubAssertionError": BUG,
    "UnStubbedResponseError": BUG,
    "UndefinedModelAttributeError": BUG,
    "MissingServiceIdError": BUG,

    # How the client is set up.
    **dict.fromkeys((
        "ApiVersionNotFoundError", "BaseEndpointResolverError", "ConfigNotFound", "ConfigParseError", "DataNotFoundError", "EndpointProviderError", "EndpointResolutionError",
        "EndpointVariantError", "InfiniteLoopConfigError", "InvalidChecksumConfigError", "InvalidConfigError", "InvalidDefaultsMode", "InvalidEndpointConfigurationError",
        "InvalidEndpointDiscoveryConfigurationError", "InvalidIMDSEndpointError", "InvalidIMDSEndpointModeError", "InvalidMaxRetryAttemptsError", "InvalidProxiesConfigError",
        "InvalidRetryConfigurationError", "InvalidRetryModeError", "InvalidS3AddressingStyleError", "InvalidS3UsEast1RegionalEndpointConfigError",
        "InvalidSTSRegionalEndpointsConfigError", "MD5UnavailableError", "MissingDependencyException", "NoRegionError", "ProfileNotFound", "ServiceNotInRegionError",
        "UnknownEndpointError", "UnknownEndpointResolutionBuiltInName", "UnknownFIPSEndpointError", "UnknownRegionError", "UnknownServiceError", "UnknownServiceStyle",
        "UnknownSignatureVersionError", "UnsupportedS3AccesspointConfigurationError", "UnsupportedS3ConfigurationError", "UnsupportedS3ControlConfigurationError",
        "UnsupportedServiceProtocolsError", "UnsupportedSignatureVersionError", "WaiterConfigError",
    ), _SETTING),
}
TABLE: Table = {
    **{f"botocore.exceptions.{name}": rule for name, rule in _BOTOCORE.items()},
    "botocore.parsers.ResponseParserError": Code.SERIALIZATION_ERROR,
    "botocore.eventstream.ParserError": Code.SERIALIZATION_ERROR,
    "botocore.utils.InvalidArnException": _ARGUMENT,
    "botocore.utils.BadIMDSRequestError": _SETTING,

    "boto3.exceptions.Boto3Error": Otherwise(Code.UPSTREAM_ERROR),
    "boto3.exceptions.ResourceNotExistsError": _SETTING,
    "boto3.exceptions.UnknownAPIVersionError": _SETTING,
    "boto3.exceptions.ResourceLoadException": _SETTING,
    "boto3.exceptions.NoVersionFound": _SETTING,
    "boto3.exceptions.InvalidCrtTransferConfigError": _SETTING,
    "boto3.exceptions.RetriesExceededError": first(held_at("last_exception"), Code.NETWORK_ERROR),
    "boto3.exceptions.S3TransferFailedError": _TRANSFER,
    "boto3.exceptions.S3UploadFailedError": _TRANSFER,
    "boto3.exceptions.DynamoDBNeedsConditionError": _ARGUMENT,
    "boto3.exceptions.DynamoDBNeedsKeyConditionError": _ARGUMENT,
    "boto3.exceptions.DynamoDBOperationNotSupportedError": _ARGUMENT,
    "s3transfer.exceptions.RetriesExceededError": first(held_at("last_exception"), Code.NETWORK_ERROR),
    "s3transfer.exceptions.S3UploadFailedError": _TRANSFER,
    "s3transfer.exceptions.S3DownloadFailedError": _TRANSFER,
    "s3transfer.exceptions.S3CopyFailedError": _TRANSFER,
    "s3transfer.exceptions.S3ValidationError": _ARGUMENT,
    "s3transfer.exceptions.InvalidSubscriberMethodError": BUG,
    "s3transfer.exceptions.TransferNotDoneError": BUG,
    "s3transfer.exceptions.FatalError": Code.CANCELLED,

    "pynamodb.exceptions.PynamoDBException": first(held_at("cause"), Code.DATABASE_ERROR),
    "pynamodb.exceptions.DoesNotExist": Code.NOT_FOUND,
    "pynamodb.exceptions.TableDoesNotExist": Code.DATABASE_ERROR,
    "pynamodb.exceptions.InvalidStateError": BUG,
    "pynamodb.exceptions.AttributeDeserializationError": Code.SERIALIZATION_ERROR,
    "pynamodb.exceptions.AttributeNullError": Code.MISSING_REQUIRED_FIELD,
    # boto, the SDK before boto3.
    "boto.exception.BotoClientError": Otherwise(_ARGUMENT),
    "boto.exception.BotoServerError": first(_of_boto, Code.UPSTREAM_ERROR),
    "boto.exception.NoAuthHandlerFound": _SETTING,
    "awscrt.exceptions.AwsCrtError": Code.NETWORK_ERROR,
}
# fmt: on
