"""Azure, and clouds beside the three large ones."""

from errata.classification._carried import by_status, classify_status, read_status, read_wait
from errata.classification._error_codes import classify_cloud_code
from errata.classification._exception_rules import (
    REFUSED,
    Classification,
    Otherwise,
    Rule,
    RuleResult,
    Table,
    first,
)
from errata.classification._families._network import by_connection, by_network_words, by_what_broke, held_at
from errata.classification._foreign import call_method, read_number, read_text
from errata.model import Code, Retry

_AGAIN = Retry.SAME_CALL

# fmt: off
# Where a service's code says something else than the status it comes with.
_BY_CODE: dict[str, Code | Classification] = {
    "AuthenticationFailed": Code.UNAUTHORIZED,               # 403
    "InvalidAuthenticationInfo": Code.UNAUTHORIZED,          # 400
    "NoAuthenticationInformation": Code.UNAUTHORIZED,
    "ExpiredAuthenticationToken": Code.UNAUTHORIZED,
    "InvalidAuthenticationToken": Code.UNAUTHORIZED,
    "ConditionNotMet": Code.CONFLICT,                        # 412
    "TargetConditionNotMet": Code.CONFLICT,
    "SourceConditionNotMet": Code.CONFLICT,
    "UpdateConditionNotSatisfied": Code.CONFLICT,
    "AppendPositionConditionNotMet": Code.CONFLICT,
    "LeaseIdMissing": Code.CONFLICT,
    "LeaseIdMismatchWithBlobOperation": Code.CONFLICT,
    "LeaseLost": Code.CONFLICT,
    "BlobBeingRehydrated": Classification(Code.CONFLICT, _AGAIN),
    "ContainerBeingDeleted": Classification(Code.CONFLICT, _AGAIN),
    "QueueBeingDeleted": Classification(Code.CONFLICT, _AGAIN),
    "TableBeingDeleted": Classification(Code.CONFLICT, _AGAIN),
    "ShareBeingDeleted": Classification(Code.CONFLICT, _AGAIN),
    "AnotherOperationInProgress": Classification(Code.CONFLICT, _AGAIN),
    "OperationTimedOut": Code.TIMEOUT,                       # 500
    "ServerBusy": Code.SERVICE_UNAVAILABLE,
    "QuotaExceeded": Classification(Code.RATE_LIMITED, Retry.NEVER),  # 409
    "SubscriptionNotFound": Code.CONFIGURATION_ERROR,
    "FeatureVersionMismatch": Code.CONFIGURATION_ERROR,
}
# fmt: on
_PRECONDITION, _RETRY_WITH = 412, 449


def _code(error: BaseException) -> RuleResult:
    """The service's error code, where it says more than the status."""
    word = read_text(error, "error_code") or read_text(error, "error", "code") or read_text(error, "code") or ""
    meant = _BY_CODE.get(word)
    if meant is None:
        return None
    known = meant if isinstance(meant, Classification) else Classification(meant)
    status = read_status(error)
    wait = None if status is None else classify_status(status, error).retry_after_ms
    return known._replace(http_status=status, retry_after_ms=wait)


def _status(error: BaseException) -> RuleResult:
    """The HTTP status it carries; 412 is somebody else's change, 449 asks to do it again."""
    status = read_status(error)
    if status == _PRECONDITION:
        return Classification(Code.CONFLICT, http_status=status)
    return Classification(Code.CONFLICT, _AGAIN, status) if status == _RETRY_WITH else by_status(error)


def _as(code: Code) -> Rule:
    """Make a rule for a class whose kind is known, whatever the status it came with."""

    def read(error: BaseException) -> RuleResult:
        return Classification(code, http_status=read_number(error, "status_code"))

    read.__doc__ = f"{code}, with the HTTP status it came with"
    return read


_RESPONSE = first(_code, _status, Code.UPSTREAM_ERROR)
_REQUEST = first(by_what_broke, by_network_words, REFUSED)
_ANSWER = by_connection

# fmt: off
_CORE: dict[str, Rule | Otherwise] = {
    "AzureError": Otherwise(_ANSWER),
    "HttpResponseError": _RESPONSE,
    "ODataV4Error": _RESPONSE,
    "ServiceRequestError": _REQUEST,  # "No request was sent", by its documentation.
    "ServiceResponseError": _ANSWER,
    "ClientAuthenticationError": _as(Code.UNAUTHORIZED),  # Also with 400 and 403.
    "ResourceNotFoundError": _as(Code.NOT_FOUND),
    "ResourceExistsError": first(_code, _as(Code.CONFLICT)),
    "ResourceModifiedError": _as(Code.CONFLICT),
    "ResourceNotModifiedError": _as(Code.CONFLICT),
}
_AZURE: Table = {
    **{f"azure.core.exceptions.{name}": rule for name, rule in _CORE.items()},
    "azure.cosmos.exceptions.CosmosHttpResponseError": _RESPONSE,
    "azure.cosmos.exceptions.CosmosAccessConditionFailedError": _as(Code.CONFLICT),
    "azure.cosmos.exceptions.CosmosBatchOperationError": _RESPONSE,
    "azure.data.tables.TableTransactionError": _RESPONSE,

    # Before azure-core.
    "msrest.exceptions.ClientException": Otherwise(first(held_at("inner_exception"), Code.UPSTREAM_ERROR)),
    "msrest.exceptions.HttpOperationError": _RESPONSE,
    "msrest.exceptions.ClientRequestError": first(held_at("inner_exception"), _ANSWER),
    "msrestazure.azure_exceptions.CloudError": _RESPONSE,
    "azure.common.AzureHttpError": _RESPONSE,
}
# fmt: on


# Other clouds, each with a class and a code of its own.


# fmt: off
_HETZNER: dict[str, Code | Classification] = {
    "forbidden": Code.FORBIDDEN, "unauthorized": Code.UNAUTHORIZED, "token_readonly": Code.FORBIDDEN, "invalid_input": Code.INVALID_PARAMS, "json_error": Code.INVALID_PARAMS,
    "not_found": Code.NOT_FOUND, "rate_limit_exceeded": Code.RATE_LIMITED, "uniqueness_error": Code.CONFLICT, "protected": Code.OPERATION_NOT_ALLOWED,
    "locked": Classification(Code.CONFLICT, Retry.SAME_CALL), "conflict": Classification(Code.CONFLICT, Retry.SAME_CALL), "resource_limit_exceeded": Classification(Code.RATE_LIMITED, Retry.NEVER),
    "resource_unavailable": Code.SERVICE_UNAVAILABLE, "service_error": Code.UPSTREAM_ERROR, "server_error": Code.UPSTREAM_ERROR, "maintenance": Code.SERVICE_UNAVAILABLE,
    "timeout": Code.TIMEOUT, "unsupported_error": Code.NOT_IMPLEMENTED,
}
# fmt: on


def by_code(error: BaseException) -> Classification | None:
    """The cloud's error code, else the HTTP status."""
    code = call_method(error, "get_error_code")  # Alibaba's first SDK has no attribute for it.
    word = read_text(error, "code") or read_text(error, "error_code") or (code if isinstance(code, str) else "")
    meant = classify_cloud_code(word or "")
    status = read_status(error)
    return (
        by_status(error)
        if meant is None
        else meant._replace(http_status=status, retry_after_ms=read_wait(error, status))
    )


def _hetzner(error: BaseException) -> RuleResult:
    """Hetzner's error code."""
    return _HETZNER.get(read_text(error, "code") or "")


_SERVICE = first(by_code, Code.UPSTREAM_ERROR)

# fmt: off
_OTHERS: Table = {
    # S3's relatives.
    "minio.error.S3Error": _SERVICE,
    "minio.error.ResponseError": _SERVICE,
    "minio.error.ServerError": _SERVICE,
    "minio.error.MinioAdminException": first(by_status, Code.UPSTREAM_ERROR),
    "b2sdk._internal.exception.B2Error": Otherwise(first(by_status, Code.UPSTREAM_ERROR)),

    # Alibaba.
    "aliyunsdkcore.acs_exception.exceptions.ServerException": _SERVICE,
    "aliyunsdkcore.acs_exception.exceptions.ClientException": Otherwise(by_connection),
    "Tea.exceptions.TeaException": _SERVICE,
    "Tea.exceptions.UnretryableException": first(held_at("inner_exception"), by_connection),
    "oss2.exceptions.OssError": _SERVICE,
    "oss2.exceptions.ServerError": _SERVICE,
    "oss2.exceptions.RequestError": first(held_at("exception"), by_connection),

    # Tencent.
    "tencentcloud.common.exception.tencent_cloud_sdk_exception.TencentCloudSDKException": first(by_code, by_network_words, Code.UPSTREAM_ERROR),
    "qcloud_cos.cos_exception.CosServiceError": first(by_status, Code.UPSTREAM_ERROR),
    "qcloud_cos.cos_exception.CosClientError": by_connection,

    # Oracle.
    "oci.exceptions.ServiceError": first(by_status, Code.UPSTREAM_ERROR),
    "oci.exceptions.TransientServiceError": first(by_status, Code.SERVICE_UNAVAILABLE),
    "oci.exceptions.RequestException": by_connection,
    "oci.exceptions.CompositeOperationError": first(held_at("cause"), Code.UPSTREAM_ERROR),

    # IBM.
    "ibm_cloud_sdk_core.api_exception.ApiException": first(by_status, Code.UPSTREAM_ERROR),
    "ibm_botocore.exceptions.ClientError": _SERVICE,

    # OpenStack.
    "keystoneauth1.exceptions.http.HttpError": first(by_status, Code.UPSTREAM_ERROR),
    "keystoneauth1.exceptions.connection.ConnectionError": by_connection,
    "keystoneauth1.exceptions.connection.ConnectFailure": first(by_what_broke, by_network_words, REFUSED),
    "keystoneauth1.exceptions.connection.UnknownConnectionError": by_connection,
    "openstack.exceptions.HttpException": first(by_status, Code.UPSTREAM_ERROR),
    "swiftclient.exceptions.ClientException": first(by_status, by_connection),

    # Smaller ones.
    "hcloud.APIException": first(_hetzner, by_status, Code.UPSTREAM_ERROR),
    "linode_api4.errors.ApiError": first(by_status, Code.UPSTREAM_ERROR),
    "linode_api4.errors.UnexpectedResponseError": first(by_status, Code.UPSTREAM_ERROR),
    "cloudflare.APIConnectionError": first(by_what_broke, Code.NETWORK_ERROR),
    "cloudflare.APIStatusError": first(by_status, Code.UPSTREAM_ERROR),
    "libcloud.common.types.ProviderError": first(by_status, Code.UPSTREAM_ERROR),
    "libcloud.common.exceptions.BaseHTTPError": first(by_status, Code.UPSTREAM_ERROR),
}
# fmt: on

TABLE: Table = {**_AZURE, **_OTHERS}
