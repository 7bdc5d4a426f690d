"""Clouds: the service's own code decides, and says when to come back."""

import socket

import pytest
from support.library_tables import Library, check_decided, check_names, module

from errata import Code, Retry, classify
from errata.classification._error_codes import classify_cloud_code

WARNINGS = frozenset({"builtins.Warning"})
LIBRARIES = [
    Library(
        "botocore",
        ("botocore.exceptions", "botocore.parsers", "botocore.utils"),
        inherited=frozenset({"botocore.eventstream.NoInitialResponseError", "botocore.utils._RetriesExceededError"}),
        telling=WARNINGS,
        former=frozenset({"botocore.exceptions.PendingAuthorizationExpiredError"}),
    ),
    Library("boto3", ("boto3.exceptions",), telling=WARNINGS),
    Library("s3transfer", ("s3transfer.exceptions",)),
    Library(
        "google.api_core",
        ("google.api_core.exceptions",),
        telling=frozenset({"google.api_core.exceptions.GoogleAPICallError"}),
    ),
    Library("google.auth", ("google.auth.exceptions",)),
    Library(
        "google.resumable_media",
        ("google.resumable_media.common", "google.cloud.storage.exceptions"),
        telling=frozenset(
            {
                "google.resumable_media.common.InvalidResponse",
                "google.resumable_media.common.DataCorruption",
            }
        ),
    ),
    Library("grpc", ("grpc", "grpc.aio"), inherited=frozenset({"grpc.aio._call.AioRpcError"})),
    Library("azure.core", ("azure.core.exceptions", "azure.core.polling.base_polling")),
    Library("azure.identity", ("azure.identity",)),
    Library("azure.storage.blob", ("azure.storage.blob",)),
    Library(
        "msal",
        ("msal", "msal.exceptions"),
        inherited=frozenset(
            {
                "msal.exceptions.MsalServiceError",
                "msal.managed_identity.ArcPlatformNotSupportedError",
            }
        ),
    ),
]


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda each: each.package)
def test_every_name_in_the_table_is_a_class_of_its_library(library):
    check_names(library)


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda each: each.package)
def test_every_exception_of_the_library_was_decided_about(library):
    check_decided(library)


def client_error(code, status=400, **more):
    response = {"Error": {"Code": code, "Message": "…"}, "ResponseMetadata": {"HTTPStatusCode": status, **more}}
    return module("botocore.exceptions").ClientError(response, "GetThing")


@pytest.mark.parametrize(
    ("code", "status", "expected", "retry"),
    [
        ("ThrottlingException", 400, Code.RATE_LIMITED, Retry.SAME_CALL),
        ("ProvisionedThroughputExceededException", 400, Code.RATE_LIMITED, Retry.SAME_CALL),
        ("LimitExceeded", 409, Code.RATE_LIMITED, Retry.NEVER),
        ("ServiceQuotaExceededException", 402, Code.RATE_LIMITED, Retry.NEVER),
        ("ExpiredTokenException", 400, Code.UNAUTHORIZED, Retry.NEVER),
        ("AuthFailure", 401, Code.UNAUTHORIZED, Retry.NEVER),
        ("UnauthorizedOperation", 403, Code.FORBIDDEN, Retry.NEVER),
        ("InvalidInstanceID.NotFound", 400, Code.NOT_FOUND, Retry.FIX_INPUT),
        ("QueueDoesNotExist", 400, Code.NOT_FOUND, Retry.FIX_INPUT),
        ("com.amazonaws.dynamodb.v20120810#ResourceNotFoundException", 400, Code.NOT_FOUND, Retry.FIX_INPUT),
        ("BucketNotEmpty", 409, Code.CONFLICT, Retry.FIX_INPUT),
        ("IncorrectInstanceState", 400, Code.CONFLICT, Retry.FIX_INPUT),
        ("ConcurrentModificationException", 409, Code.CONFLICT, Retry.SAME_CALL),
        ("RequestTimeout", 400, Code.TIMEOUT, Retry.IF_HARMLESS),
        ("InsufficientInstanceCapacity", 500, Code.SERVICE_UNAVAILABLE, None),
        ("InternalFailure", 500, Code.UPSTREAM_ERROR, Retry.IF_HARMLESS),
        ("MissingParameter", 400, Code.MISSING_REQUIRED_FIELD, Retry.FIX_INPUT),
        ("ValidationException", 400, Code.VALIDATION_FAILED, Retry.FIX_INPUT),
        ("PermanentRedirect", 301, Code.CONFIGURATION_ERROR, Retry.NEVER),
        ("403", 403, Code.FORBIDDEN, Retry.NEVER),
        ("SomethingNobodyHeardOf", 429, Code.RATE_LIMITED, Retry.SAME_CALL),
        ("SomethingNobodyHeardOf", 200, Code.UPSTREAM_ERROR, None),
    ],
)
def test_awss_code_says_more_than_its_status(code, status, expected, retry):
    fault = classify(client_error(code, status))
    assert fault.code is expected
    assert retry in {None, fault.retry}


def test_aws_says_in_a_header_when_to_come_back():
    error = client_error("TooManyRequestsException", 429, HTTPHeaders={"retry-after": "2"})
    assert classify(error).retry_after_ms == 2000


def test_nine_of_ten_modelled_codes_of_aws_mean_something():
    loader = module("botocore.loaders").Loader

    codes = {
        shape.get("error", {}).get("code", name)
        for service in ("s3", "dynamodb", "iam", "lambda", "sqs", "sns", "kms", "sts", "ecs", "rds", "stepfunctions")
        for name, shape in loader().load_service_model(service, "service-2")["shapes"].items()
        if shape.get("exception")
    }
    unread = sorted(code for code in codes if classify_cloud_code(code) is None)
    assert len(unread) < len(codes) / 10, unread


def test_a_waiter_that_gave_up_may_wait_again():
    waiter_error = module("botocore.exceptions").WaiterError

    fault = classify(waiter_error(name="BucketExists", reason="Max attempts exceeded", last_response={}))
    assert (fault.code, fault.retry) == (Code.TIMEOUT, Retry.SAME_CALL)


def test_a_waiter_that_met_an_error_says_which():
    waiter_error = module("botocore.exceptions").WaiterError

    response = {"Error": {"Code": "AccessDenied"}, "ResponseMetadata": {"HTTPStatusCode": 403}}
    error = waiter_error(name="BucketExists", reason="An error occurred (AccessDenied): no", last_response=response)
    assert classify(error).code is Code.FORBIDDEN


def test_a_failed_upload_is_the_error_that_stopped_it():
    failed = module("boto3.exceptions").S3UploadFailedError("Failed to upload a to b/c: …")
    failed.__context__ = client_error("NoSuchBucket", 404)  # boto3 raises it while it handles the other.
    assert classify(failed).code is Code.NOT_FOUND
    quoting = module("boto3.exceptions").S3UploadFailedError("x: An error occurred (AccessDenied) when calling …")
    assert classify(quoting).code is Code.FORBIDDEN


def test_an_endpoint_that_refused_was_not_reached_and_one_nobody_knows_stays_unknown():
    endpoint_connection_error = module("botocore.exceptions").EndpointConnectionError

    def verdict(inside):
        return classify(endpoint_connection_error(endpoint_url="http://nobody.invalid", error=inside)).retry

    assert verdict(ConnectionRefusedError(111, "refused")) is Retry.SAME_CALL
    assert verdict(socket.gaierror(socket.EAI_NONAME, "unknown")) is Retry.NEVER


def rpc_error(status, details="", trailers=()):
    grpc = module("grpc")

    return grpc.aio.AioRpcError(
        getattr(grpc.StatusCode, status), grpc.aio.Metadata(), grpc.aio.Metadata(*trailers), details=details
    )


def varint(value):
    data = bytearray()
    while value > 0x7F:
        data.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*data, value])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def retry_info(seconds, nanos=0):
    """A `google.rpc.Status` with a RetryInfo, written down by hand."""
    delay = field(1, seconds) + field(2, nanos)
    detail = field(1, b"type.googleapis.com/google.rpc.RetryInfo") + field(2, field(1, delay))
    other = field(1, b"type.googleapis.com/google.rpc.DebugInfo") + field(2, b"\x12\x03abc")
    return field(1, 8) + field(2, b"slow down") + field(3, other) + field(3, detail)


@pytest.mark.parametrize(
    ("trailer", "wait"),
    [
        (("grpc-retry-pushback-ms", "250"), 250),
        (("grpc-status-details-bin", retry_info(4)), 4000),
        (("grpc-status-details-bin", retry_info(300, 500_000_000)), 300_500),
        (("grpc-status-details-bin", retry_info(4)[:-6]), None),
        (("grpc-status-details-bin", b"\xff" * 40), None),
        (("grpc-status-details-bin", b""), None),
    ],
)
def test_a_trailer_says_when_to_come_back(trailer, wait):
    fault = classify(rpc_error("RESOURCE_EXHAUSTED", "slow down", [trailer]))
    assert (fault.code, fault.message, fault.retry_after_ms) == (Code.RATE_LIMITED, "slow down", wait)


def test_protobuf_writes_what_we_read():
    info = module("google.rpc.error_details_pb2").RetryInfo()
    info.retry_delay.seconds, info.retry_delay.nanos = 70_000, 1_000_000
    status = module("google.rpc.status_pb2").Status(code=8, message="slow down")
    status.details.add().Pack(info)
    message = status.SerializeToString()
    fault = classify(rpc_error("UNAVAILABLE", "busy", [("grpc-status-details-bin", message)]))
    assert fault.retry_after_ms == 70_000_001


def test_a_server_that_pushes_back_with_a_negative_number_is_not_called_again():
    assert classify(rpc_error("UNAVAILABLE", "busy", [("grpc-retry-pushback-ms", "-1")])).retry is Retry.NEVER


@pytest.mark.parametrize(
    ("status", "details", "code", "retry"),
    [
        (
            "UNAVAILABLE",
            "failed to connect to all addresses; Connection refused",
            Code.SERVICE_UNAVAILABLE,
            "SAME_CALL",
        ),
        ("UNAVAILABLE", "Ssl handshake failed: CERTIFICATE_VERIFY_FAILED", Code.NETWORK_ERROR, "NEVER"),
        ("UNAVAILABLE", "Connection reset by peer", Code.SERVICE_UNAVAILABLE, "IF_HARMLESS"),
        ("INTERNAL", "Exception serializing request!", Code.SERIALIZATION_ERROR, "NEVER"),
        ("ABORTED", "try the transaction again", Code.CONFLICT, "SAME_CALL"),
    ],
)
def test_what_the_client_library_reports_is_told_apart(status, details, code, retry):
    fault = classify(rpc_error(status, details))
    assert (fault.code, fault.retry) == (code, Retry[retry])


def test_the_page_for_debugging_is_not_told():
    assert "debug_error_string" not in classify(rpc_error("INTERNAL")).message


@pytest.mark.parametrize(
    ("name", "code", "retry"),
    [
        ("Aborted", Code.CONFLICT, Retry.SAME_CALL),
        ("Cancelled", Code.CANCELLED, Retry.NEVER),
        ("FailedPrecondition", Code.CONFLICT, Retry.FIX_INPUT),
        ("MethodNotImplemented", Code.NOT_IMPLEMENTED, Retry.NEVER),
        ("NotModified", Code.UPSTREAM_ERROR, Retry.NEVER),
        ("PermissionDenied", Code.FORBIDDEN, Retry.NEVER),
        ("Unauthenticated", Code.UNAUTHORIZED, Retry.NEVER),
    ],
)
def test_googles_classes_mean_their_status(name, code, retry):
    exceptions = module("google.api_core.exceptions")

    fault = classify(getattr(exceptions, name)("…"))
    assert (fault.code, fault.retry) == (code, retry)


def test_google_says_in_its_details_when_to_come_back():
    from_http_status = module("google.api_core.exceptions").from_http_status

    detail = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "11.5s"}
    assert classify(from_http_status(503, "busy", details=[detail])).retry_after_ms == 11_500


@pytest.mark.parametrize(
    ("reason", "code", "retry"),
    [
        ("rateLimitExceeded", Code.RATE_LIMITED, Retry.SAME_CALL),
        ("dailyLimitExceeded", Code.RATE_LIMITED, Retry.NEVER),
        ("forbidden", Code.FORBIDDEN, Retry.NEVER),
    ],
)
def test_a_quota_that_comes_as_403_is_no_permission(reason, code, retry):
    from_http_status = module("google.api_core.exceptions").from_http_status

    fault = classify(from_http_status(403, "no", errors=[{"reason": reason}]))
    assert (fault.code, fault.retry) == (code, retry)


def test_a_refresh_that_failed_for_the_network_is_the_networks():
    auth = module("google.auth.exceptions")
    fault = classify(auth.RefreshError(auth.TransportError(ConnectionRefusedError(111, "refused"))))
    assert (fault.code, fault.retry) == (Code.NETWORK_ERROR, Retry.SAME_CALL)
    assert classify(auth.RefreshError("invalid_grant")).code is Code.UNAUTHORIZED
    assert classify(auth.RefreshError("later", retryable=True)).retryable


def azure_response(status, code=None, headers=None):
    http_response_error = module("azure.core.exceptions").HttpResponseError

    error = http_response_error("…")
    error.status_code = status
    error.error_code = code
    error.headers = headers or {}
    return error


@pytest.mark.parametrize(
    ("status", "code", "expected", "retry"),
    [
        (403, "AuthenticationFailed", Code.UNAUTHORIZED, Retry.NEVER),
        (403, "AuthorizationFailure", Code.FORBIDDEN, Retry.NEVER),
        (409, "ContainerBeingDeleted", Code.CONFLICT, Retry.SAME_CALL),
        (409, "BlobAlreadyExists", Code.CONFLICT, Retry.FIX_INPUT),
        (412, "ConditionNotMet", Code.CONFLICT, Retry.FIX_INPUT),
        (412, None, Code.CONFLICT, Retry.FIX_INPUT),
        (449, None, Code.CONFLICT, Retry.SAME_CALL),
        (500, "OperationTimedOut", Code.TIMEOUT, Retry.IF_HARMLESS),
        (500, None, Code.UPSTREAM_ERROR, Retry.IF_HARMLESS),
        (503, "ServerBusy", Code.SERVICE_UNAVAILABLE, Retry.SAME_CALL),
    ],
)
def test_azures_code_says_more_than_its_status(status, code, expected, retry):
    fault = classify(azure_response(status, code))
    assert (fault.code, fault.retry, fault.http_status) == (expected, retry, status)


def test_azure_says_in_a_header_when_to_come_back():
    assert classify(azure_response(429, None, {"x-ms-retry-after-ms": "1500"})).retry_after_ms == 1500


@pytest.mark.parametrize(
    ("name", "code", "retry"),
    [
        ("ServiceRequestError", Code.NETWORK_ERROR, Retry.SAME_CALL),
        ("ServiceRequestTimeoutError", Code.TIMEOUT, Retry.SAME_CALL),
        ("ServiceResponseError", Code.NETWORK_ERROR, Retry.IF_HARMLESS),
        ("ServiceResponseTimeoutError", Code.TIMEOUT, Retry.IF_HARMLESS),
        ("ClientAuthenticationError", Code.UNAUTHORIZED, Retry.NEVER),
        ("ResourceModifiedError", Code.CONFLICT, Retry.FIX_INPUT),
        ("DecodeError", Code.SERIALIZATION_ERROR, Retry.NEVER),
    ],
)
def test_azures_classes_say_how_far_the_call_came(name, code, retry):
    exceptions = module("azure.core.exceptions")

    fault = classify(getattr(exceptions, name)("…"))
    assert (fault.code, fault.retry) == (code, retry)


def look_alike(name, **members):
    """A class that a library nobody installed would have."""
    module, _, own = name.rpartition(".")
    return type(own, (Exception,), {"__module__": module, **members})("…")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (look_alike("minio.error.S3Error", code="NoSuchKey"), Code.NOT_FOUND),
        (look_alike("oss2.exceptions.ServerError", code="AccessDenied", status=403), Code.FORBIDDEN),
        (
            look_alike(
                "tencentcloud.common.exception.tencent_cloud_sdk_exception.TencentCloudSDKException",
                code="AuthFailure.SecretIdNotFound",
            ),
            Code.UNAUTHORIZED,
        ),
        (
            look_alike("aliyunsdkcore.acs_exception.exceptions.ServerException", error_code="Throttling"),
            Code.RATE_LIMITED,
        ),
        (look_alike("oci.exceptions.ServiceError", status=409, code="IncorrectState"), Code.CONFLICT),
        (look_alike("hcloud._exceptions.APIException", code="uniqueness_error"), Code.CONFLICT),
        (look_alike("keystoneauth1.exceptions.http.HttpError", http_status=404), Code.NOT_FOUND),
        (look_alike("firebase_admin.exceptions.FirebaseError", code="ALREADY_EXISTS"), Code.CONFLICT),
        (look_alike("azure.cosmos.exceptions.CosmosHttpResponseError", status_code=429), Code.RATE_LIMITED),
        (look_alike("boto.exception.S3ResponseError", status=404, error_code="NoSuchKey"), Code.NOT_FOUND),
    ],
    ids=lambda each: type(each).__name__,
)
def test_clouds_nobody_installed_are_known_by_name(error, code):
    assert classify(error).code is code
