"""Other clouds, each with a class and a code of its own."""

from errata.classification._answer import Classification, Otherwise, RuleResult, Table, first
from errata.classification._carried import by_status, read_status, read_wait
from errata.classification._families._cloud_codes import classify_cloud_code
from errata.classification._families._connection import by_network_words, by_what_broke, held_at
from errata.classification._reach import call_method, read_text
from errata.classification._verdicts import BUG, REFUSED
from errata.model import Code, Retry

_SETTING = Code.CONFIGURATION_ERROR
_NETWORK = first(by_what_broke, by_network_words, Code.NETWORK_ERROR)

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
    said = call_method(error, "get_error_code")  # Alibaba's first SDK has no attribute for it.
    word = read_text(error, "code") or read_text(error, "error_code") or (said if isinstance(said, str) else "")
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
TABLE: Table = {
    # S3's relatives.
    "minio.error.S3Error": _SERVICE,
    "minio.error.ResponseError": _SERVICE,
    "minio.error.ServerError": _SERVICE,
    "minio.error.InvalidResponseError": Code.UPSTREAM_ERROR,
    "minio.error.MinioAdminException": first(by_status, Code.UPSTREAM_ERROR),
    "minio.error.MinioException": Otherwise(Code.UPSTREAM_ERROR),
    "b2sdk._internal.exception.B2Error": Otherwise(first(by_status, Code.UPSTREAM_ERROR)),

    # Alibaba.
    "aliyunsdkcore.acs_exception.exceptions.ServerException": _SERVICE,
    "aliyunsdkcore.acs_exception.exceptions.ClientException": Otherwise(_NETWORK),
    "Tea.exceptions.TeaException": _SERVICE,
    "Tea.exceptions.UnretryableException": first(held_at("inner_exception"), _NETWORK),
    "Tea.exceptions.RequiredArgumentException": Code.MISSING_REQUIRED_FIELD,
    "oss2.exceptions.OssError": _SERVICE,
    "oss2.exceptions.ServerError": _SERVICE,
    "oss2.exceptions.RequestError": first(held_at("exception"), _NETWORK),
    "oss2.exceptions.ClientError": Code.INVALID_PARAMS,
    "oss2.exceptions.InconsistentError": Code.UPSTREAM_ERROR,
    "oss2.exceptions.OpenApiFormatError": Code.UPSTREAM_ERROR,

    # Tencent.
    "tencentcloud.common.exception.tencent_cloud_sdk_exception.TencentCloudSDKException": first(by_code, by_network_words, Code.UPSTREAM_ERROR),
    "qcloud_cos.cos_exception.CosServiceError": first(by_status, Code.UPSTREAM_ERROR),
    "qcloud_cos.cos_exception.CosClientError": _NETWORK,

    # Oracle.
    "oci.exceptions.ServiceError": first(by_status, Code.UPSTREAM_ERROR),
    "oci.exceptions.TransientServiceError": first(by_status, Code.SERVICE_UNAVAILABLE),
    "oci.exceptions.RequestException": _NETWORK,
    "oci.exceptions.ConnectTimeout": Classification(Code.TIMEOUT, Retry.SAME_CALL),
    "oci.exceptions.MaximumWaitTimeExceeded": Code.TIMEOUT,
    "oci.exceptions.CompositeOperationError": first(held_at("cause"), Code.UPSTREAM_ERROR),
    "oci.exceptions.MultipartUploadError": Code.UPSTREAM_ERROR,
    "oci.exceptions.WaitUntilNotSupported": BUG,
    "oci.exceptions.ClientError": _SETTING,

    # IBM.
    "ibm_cloud_sdk_core.api_exception.ApiException": first(by_status, Code.UPSTREAM_ERROR),
    "ibm_botocore.exceptions.ClientError": _SERVICE,

    # OpenStack.
    "keystoneauth1.exceptions.base.ClientException": Otherwise(Code.UPSTREAM_ERROR),
    "keystoneauth1.exceptions.http.HttpError": first(by_status, Code.UPSTREAM_ERROR),
    "keystoneauth1.exceptions.connection.ConnectionError": _NETWORK,
    "keystoneauth1.exceptions.connection.ConnectFailure": first(by_what_broke, by_network_words, REFUSED),
    "keystoneauth1.exceptions.connection.ConnectTimeout": Code.TIMEOUT,
    "keystoneauth1.exceptions.connection.SSLFailure": Classification(Code.NETWORK_ERROR, Retry.NEVER),
    "keystoneauth1.exceptions.connection.UnknownConnectionError": _NETWORK,
    "keystoneauth1.exceptions.auth.AuthorizationFailure": Code.UNAUTHORIZED,
    "keystoneauth1.exceptions.catalog.CatalogException": _SETTING,
    "keystoneauth1.exceptions.auth_plugins.AuthPluginException": _SETTING,
    "keystoneauth1.exceptions.discovery.DiscoveryFailure": _SETTING,
    "openstack.exceptions.SDKException": Otherwise(Code.UPSTREAM_ERROR),
    "openstack.exceptions.HttpException": first(by_status, Code.UPSTREAM_ERROR),
    "openstack.exceptions.ResourceTimeout": Code.TIMEOUT,
    "openstack.exceptions.ResourceFailure": Classification(Code.UPSTREAM_ERROR, Retry.NEVER),
    "openstack.exceptions.ResourceNotFound": Code.NOT_FOUND,
    "openstack.exceptions.NotFoundException": Code.NOT_FOUND,
    "openstack.exceptions.DuplicateResource": Code.CONFLICT,
    "openstack.exceptions.InvalidRequest": Code.INVALID_PARAMS,
    "openstack.exceptions.ConfigException": _SETTING,
    "openstack.exceptions.NotSupported": Code.NOT_IMPLEMENTED,
    "swiftclient.exceptions.ClientException": first(by_status, _NETWORK),

    # Smaller ones.
    "hcloud.APIException": first(_hetzner, by_status, Code.UPSTREAM_ERROR),
    "hcloud.ActionTimeoutException": Code.TIMEOUT,
    "hcloud.ActionFailedException": Classification(Code.UPSTREAM_ERROR, Retry.NEVER),
    "linode_api4.errors.ApiError": first(by_status, Code.UPSTREAM_ERROR),
    "linode_api4.errors.UnexpectedResponseError": first(by_status, Code.UPSTREAM_ERROR),
    "digitalocean.baseapi.TokenError": _SETTING,
    "digitalocean.baseapi.NotFoundError": Code.NOT_FOUND,
    "digitalocean.baseapi.ServerError": Code.UPSTREAM_ERROR,
    "digitalocean.baseapi.JSONReadError": Code.SERIALIZATION_ERROR,
    "digitalocean.baseapi.DataReadError": Otherwise(Code.UPSTREAM_ERROR),
    "cloudflare.APIConnectionError": first(by_what_broke, Code.NETWORK_ERROR),
    "cloudflare.APITimeoutError": Code.TIMEOUT,
    "cloudflare.APIResponseValidationError": Code.SERIALIZATION_ERROR,
    "cloudflare.APIStatusError": first(by_status, Code.UPSTREAM_ERROR),
    "cloudflare.CloudflareError": Otherwise(_SETTING),
    "CloudFlare.exceptions.CloudFlareError": Otherwise(Code.UPSTREAM_ERROR),
    "heroku3.models.app.RateLimitExceeded": Code.RATE_LIMITED,
    "libcloud.common.types.LibcloudError": Otherwise(Code.UPSTREAM_ERROR),
    "libcloud.common.types.ProviderError": first(by_status, Code.UPSTREAM_ERROR),
    "libcloud.common.types.InvalidCredsError": Code.UNAUTHORIZED,
    "libcloud.common.types.MalformedResponseError": Code.SERIALIZATION_ERROR,
    "libcloud.common.types.ResourceNotFoundError": Code.NOT_FOUND,
    "libcloud.common.types.ResourceExistsError": Code.CONFLICT,
    "libcloud.common.exceptions.BaseHTTPError": first(by_status, Code.UPSTREAM_ERROR),
    "libcloud.common.exceptions.RateLimitReachedError": Code.RATE_LIMITED,
    "libcloud.storage.types.ContainerDoesNotExistError": Code.NOT_FOUND,
    "libcloud.storage.types.ObjectDoesNotExistError": Code.NOT_FOUND,
    "libcloud.storage.types.ContainerAlreadyExistsError": Code.CONFLICT,
    "libcloud.storage.types.ContainerIsNotEmptyError": Code.CONFLICT,
    "libcloud.storage.types.ObjectHashMismatchError": Code.UPSTREAM_ERROR,
    "libcloud.compute.types.DeploymentError": Code.UPSTREAM_ERROR,
}
# fmt: on
