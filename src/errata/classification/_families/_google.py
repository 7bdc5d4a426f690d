"""Google's clouds and gRPC: the status says what happened, the details when to come back."""

from errata.classification._answer import WITHHELD, Classification, Otherwise, Rule, RuleResult, Table, first
from errata.classification._carried import by_status, read_wait
from errata.classification._families._connection import (
    REDIRECTS,
    broken_by,
    by_network_words,
    by_what_broke,
    held_at,
    in_arguments,
)
from errata.classification._families._retry_info import wait_in_details, wait_in_metadata
from errata.classification._grpc import GRPC
from errata.classification._reach import call_method, peek, read_number, read_text
from errata.classification._verdicts import BUG
from errata.classification._words import classify_words
from errata.model import Code, Retry, items_of

_SETTING = Code.CONFIGURATION_ERROR
_TOO_MANY = {"rateLimitExceeded", "userRateLimitExceeded", "RATE_LIMIT_EXCEEDED", "concurrentLimitExceeded"}
_USED_UP = {"quotaExceeded", "dailyLimitExceeded", "dailyLimitExceededUnreg", "QUOTA_EXCEEDED", "limitExceeded"}


def by_rpc_status(error: BaseException) -> Classification | None:
    """The gRPC status, and when its trailers say to come back."""
    name = read_text(call_method(error, "code"), "name") or read_text(peek(error, "status"), "name") or ""
    meant = GRPC.get(name)
    if meant is None:
        return None
    told = call_method(error, "details")
    details = told if isinstance(told, str) else read_text(error, "message") or ""
    wait, stop = wait_in_metadata(error)
    answer = _sharper(name, details, meant if isinstance(meant, Classification) else Classification(meant))
    # Its own text is a page for debugging, of which the details are the part for people.
    return answer._replace(text=details or WITHHELD, retry_after_ms=wait, retry=Retry.NEVER if stop else answer.retry)


def _sharper(name: str, details: str, answer: Classification) -> Classification:
    """Tell apart what the client library itself reports in the words of a server."""
    if details.startswith(("Exception serializing", "Exception deserializing")):
        return Classification(Code.SERIALIZATION_ERROR)
    if name != "UNAVAILABLE":
        return answer
    meant = classify_words(details)
    if meant is None or meant.code is not Code.NETWORK_ERROR:
        return answer
    return meant if meant.retry is Retry.NEVER else answer._replace(retry=meant.retry or Retry.IF_HARMLESS)


def _api_call(error: BaseException) -> RuleResult:
    """Its gRPC status, else its HTTP status, with the wait in its details."""
    quota = _quota(error)
    meant = quota or GRPC.get(read_text(error, "grpc_status_code", "name") or "") or by_status(error)
    answer = Classification(meant) if isinstance(meant, Code) else meant
    return (
        None
        if answer is None
        else _waiting(answer._replace(http_status=read_number(error, "code") or answer.http_status), error)
    )


def _waiting(answer: Classification, error: BaseException) -> Classification:
    wait = wait_in_details(peek(error, "details"))
    if wait is None:
        wait = wait_in_details(peek(error, "details", "error", "details"))
    return answer if wait is None else answer._replace(retry_after_ms=wait)


def _quota(error: BaseException) -> Classification | None:
    """Tell a quota from a permission: both come as 403."""
    status = read_number(error, "code") or read_number(error, "resp", "status")
    if status != 403:  # noqa: PLR2004 - Forbidden
        return None
    listed = [*items_of(peek(error, "errors")), *items_of(peek(error, "error_details")), peek(error, "error_info")]
    reasons = {read_text(each, "reason") for each in listed[:20]}
    if reasons & _TOO_MANY:
        return Classification(Code.RATE_LIMITED, http_status=status, retry_after_ms=read_wait(error, status))
    return Classification(Code.RATE_LIMITED, Retry.NEVER, status) if reasons & _USED_UP else None


def _with(rule: Code | Classification) -> Rule:
    """Make a rule for a class whose kind is known, and whose details may have a wait."""

    def read(error: BaseException) -> RuleResult:
        answer = Classification(rule) if isinstance(rule, Code) else rule
        return _waiting(answer._replace(http_status=read_number(error, "code")), error)

    read.__doc__ = f"{rule.code if isinstance(rule, Classification) else rule}, with the wait in its details"
    return read


def _firebase(error: BaseException) -> RuleResult:
    """Google's status name."""
    return GRPC.get(read_text(error, "code") or "")


# fmt: off
_API_CORE: dict[str, Rule | Otherwise] = {
    "GoogleAPIError": Otherwise(Code.UPSTREAM_ERROR),
    "GoogleAPICallError": first(_api_call, Code.UPSTREAM_ERROR),
    "RetryError": first(held_at("cause"), Code.TIMEOUT),
    "Redirection": REDIRECTS,
    "Aborted": _with(GRPC["ABORTED"]),
    "AlreadyExists": _with(Code.CONFLICT),
    "BadRequest": _with(Code.INVALID_PARAMS),
    "Cancelled": Code.CANCELLED,
    "Conflict": _with(Code.CONFLICT),
    "DataLoss": _with(GRPC["DATA_LOSS"]),
    "DeadlineExceeded": _with(Code.TIMEOUT),
    "FailedPrecondition": _with(Code.CONFLICT),
    "InvalidArgument": _with(Code.INVALID_PARAMS),
    "OutOfRange": _with(Code.VALIDATION_FAILED),
    "PreconditionFailed": _with(Code.CONFLICT),
    "ResourceExhausted": _with(Code.RATE_LIMITED),
    "Unknown": _with(Code.UPSTREAM_ERROR),
    "ResumableTransferError": first(by_what_broke, _api_call, Code.NETWORK_ERROR),
    "TransferStalledError": Code.TIMEOUT,
    "UploadCancelledError": Code.CANCELLED,
    "MissingStatusHeaderError": Code.UPSTREAM_ERROR,
    "UnseekableStreamError": BUG,
    "DuplicateCredentialArgs": _SETTING,
    "AsyncRestUnsupportedParameterError": BUG,
}
_AUTH: dict[str, Rule | Otherwise] = {
    "GoogleAuthError": Otherwise(Code.UNAUTHORIZED),
    "TransportError": first(in_arguments, broken_by, by_network_words, Code.NETWORK_ERROR),
    "TimeoutError": Code.TIMEOUT,
    "RefreshError": first(broken_by, Code.UNAUTHORIZED),
    "UserAccessTokenError": Code.UNAUTHORIZED,
    "OAuthError": Code.UNAUTHORIZED,
    "ReauthFailError": Code.UNAUTHORIZED,
    "ReauthSamlChallengeFailError": Code.UNAUTHORIZED,
    "ResponseError": Code.UPSTREAM_ERROR,
    "DefaultCredentialsError": _SETTING,
    "ClientCertError": _SETTING,
    "MutualTLSChannelError": _SETTING,
    "InvalidOperation": _SETTING,
    "InvalidResource": _SETTING,
    "InvalidType": _SETTING,
    "InvalidValue": _SETTING,
    "MalformedError": _SETTING,
    "OSError": _SETTING,
}
TABLE: Table = {
    "grpc.RpcError": first(by_rpc_status, Code.UPSTREAM_ERROR),
    "grpc.FutureTimeoutError": Code.TIMEOUT,
    "grpc.FutureCancelledError": Code.CANCELLED,
    "grpc.aio.BaseError": BUG,
    "grpc.aio.UsageError": BUG,
    "grpc.aio.AbortError": BUG,
    "grpc.aio.InternalError": Code.INTERNAL_ERROR,
    "grpclib.exceptions.GRPCError": first(by_rpc_status, Code.UPSTREAM_ERROR),
    "grpclib.exceptions.ProtocolError": BUG,
    "grpclib.exceptions.StreamTerminatedError": Code.NETWORK_ERROR,

    **{f"google.api_core.exceptions.{name}": rule for name, rule in _API_CORE.items()},
    **{f"google.auth.exceptions.{name}": rule for name, rule in _AUTH.items()},
    "google.resumable_media.common.InvalidResponse": first(by_status, Code.UPSTREAM_ERROR),
    "google.resumable_media.common.DataCorruption": Code.UPSTREAM_ERROR,
    "google.cloud.storage.exceptions.InvalidPathError": Code.INVALID_PARAMS,
    "google.cloud.pubsub_v1.publisher.exceptions.MessageTooLargeError": Code.VALIDATION_FAILED,
    "google.cloud.pubsub_v1.publisher.exceptions.FlowControlLimitError": Code.RATE_LIMITED,
    "google.cloud.pubsub_v1.publisher.exceptions.PublishToPausedOrderingKeyException": Code.CONFLICT,
    "googleapiclient.errors.HttpError": first(_api_call, Code.UPSTREAM_ERROR),
    "googleapiclient.errors.Error": Otherwise(Code.INTERNAL_ERROR),
    "googleapiclient.errors.InvalidJsonError": Code.SERIALIZATION_ERROR,
    "googleapiclient.errors.UnknownApiNameOrVersion": _SETTING,
    "googleapiclient.errors.MediaUploadSizeError": Code.VALIDATION_FAILED,
    "googleapiclient.errors.ResumableUploadError": first(_api_call, Code.UPSTREAM_ERROR),
    "googleapiclient.errors.InvalidChunkSizeError": BUG,
    "googleapiclient.errors.BatchError": Code.UPSTREAM_ERROR,
    "oauth2client.client.AccessTokenRefreshError": Code.UNAUTHORIZED,
    "oauth2client.client.ApplicationDefaultCredentialsError": _SETTING,

    "vertexai.generative_models.ResponseBlockedError": Code.VALIDATION_FAILED,
    "vertexai.generative_models.ResponseValidationError": Code.UPSTREAM_ERROR,
    "firebase_admin.exceptions.FirebaseError": first(_firebase, by_status, Code.UPSTREAM_ERROR),
    "firebase_admin._auth_utils.UserNotFoundError": Code.NOT_FOUND,
    "firebase_admin._auth_utils.InvalidIdTokenError": Code.UNAUTHORIZED,
    "gcsfs.retry.HttpError": first(by_status, Code.UPSTREAM_ERROR),
    "gcsfs.retry.ChecksumError": Code.UPSTREAM_ERROR,
}
# fmt: on
