"""What the error codes of AWS mean. S3's relatives and other clouds chose the same words.

AWS's 200 services know some 2,700 codes, made of few words: a code is looked up as it is, then by its words.
"""

import re
from functools import lru_cache

from errata.classification._answer import Classification
from errata.model import Code, Retry

_LONGEST = 200
_AGAIN = Retry.SAME_CALL
_CONTENTION = Classification(Code.CONFLICT, _AGAIN)
_USED_UP = Classification(Code.RATE_LIMITED, Retry.NEVER)  # An account's quota of things: waiting does not free any.

# fmt: off
_BY_CODE: dict[str, Code | Classification] = {
    # The SDK's own list of throttles. `LimitExceeded` without a suffix is IAM's, and a quota.
    "BandwidthLimitExceeded": Code.RATE_LIMITED, "EC2ThrottledException": Code.RATE_LIMITED, "LimitExceededException": Code.RATE_LIMITED,
    "PriorRequestNotComplete": Code.RATE_LIMITED, "ProvisionedThroughputExceededException": Code.RATE_LIMITED, "RequestLimitExceeded": Code.RATE_LIMITED,
    "SlowDown": Code.RATE_LIMITED, "TooManyUpdates": Code.RATE_LIMITED, "TooManyInvalidationsInProgress": Code.RATE_LIMITED, "OverQuota": Code.RATE_LIMITED,
    "KmsThrottled": Code.RATE_LIMITED, "OverLimit": Code.RATE_LIMITED, "ConcurrentInvocationLimitExceeded": Code.RATE_LIMITED,
    "TransactionInProgressException": _CONTENTION, "TransactionConflictException": _CONTENTION, "OperationAborted": _CONTENTION,
    "ConditionalRequestConflict": _CONTENTION, "ReplicatedWriteConflictException": _CONTENTION, "RetryableConflictException": _CONTENTION,
    "TransactionCanceledException": Code.CONFLICT, "ConditionalCheckFailedException": Code.CONFLICT, "IdempotentParameterMismatch": Code.CONFLICT,
    "DependencyViolation": Code.CONFLICT, "DisabledException": Code.CONFLICT, "InvalidObjectState": Code.CONFLICT, "ObjectNotInActiveTierError": Code.CONFLICT,
    "InvalidBucketState": Code.CONFLICT, "UserNotConfirmedException": Code.OPERATION_NOT_ALLOWED, "PasswordResetRequiredException": Code.OPERATION_NOT_ALLOWED,

    "AuthFailure": Code.UNAUTHORIZED, "CredentialsNotSupported": Code.UNAUTHORIZED, "ExpiredCodeException": Code.UNAUTHORIZED, "CodeMismatchException": Code.UNAUTHORIZED,
    "InvalidClientException": Code.UNAUTHORIZED, "InvalidGrantException": Code.UNAUTHORIZED, "NotAuthorizedException": Code.UNAUTHORIZED,  # Cognito's: a wrong password.
    "RequestExpired": Code.UNAUTHORIZED, "RequestTimeTooSkewed": Code.UNAUTHORIZED, "Unauthorized": Code.UNAUTHORIZED, "UnauthorizedException": Code.UNAUTHORIZED,
    "InvalidToken": Code.UNAUTHORIZED, "InvalidSecurity": Code.UNAUTHORIZED, "IDPRejectedClaim": Code.UNAUTHORIZED, "TokenRefreshRequired": Code.UNAUTHORIZED,
    "AccountProblem": Code.FORBIDDEN, "AllAccessDisabled": Code.FORBIDDEN, "InvalidPayer": Code.FORBIDDEN, "KMSKeyNotAccessibleFault": Code.FORBIDDEN,
    "NotAuthorized": Code.FORBIDDEN, "NotSignedUp": Code.FORBIDDEN, "OptInRequired": Code.FORBIDDEN, "SubscriptionRequiredException": Code.FORBIDDEN,
    "RegionDisabledException": Code.FORBIDDEN, "SNSNoAuthorization": Code.FORBIDDEN, "Blocked": Code.FORBIDDEN,

    # The client talks to the wrong region or endpoint.
    "AuthorizationHeaderMalformed": Code.CONFIGURATION_ERROR, "IllegalLocationConstraintException": Code.CONFIGURATION_ERROR,
    "PermanentRedirect": Code.CONFIGURATION_ERROR, "TemporaryRedirect": Code.CONFIGURATION_ERROR, "Redirect": Code.CONFIGURATION_ERROR,

    "InvalidAction": Code.NOT_IMPLEMENTED, "UnknownOperationException": Code.NOT_IMPLEMENTED, "MethodNotAllowed": Code.INVALID_REQUEST,
    "SerializationException": Code.INVALID_PARAMS, "MalformedQueryString": Code.INVALID_REQUEST,
    "ServiceException": Code.UPSTREAM_ERROR, "ServerException": Code.UPSTREAM_ERROR, "ModelErrorException": Code.UPSTREAM_ERROR, "ModelStreamErrorException": Code.UPSTREAM_ERROR,
    "ServiceFailureException": Code.UPSTREAM_ERROR, "ServiceFailure": Code.UPSTREAM_ERROR, "ModelError": Code.UPSTREAM_ERROR, "ModelStreamError": Code.UPSTREAM_ERROR, "UnknownError": Code.UPSTREAM_ERROR, "DryRunOperation": Code.OPERATION_NOT_ALLOWED,
}
_BY_WORDS: tuple[tuple[Code | Classification, re.Pattern[str]], ...] = tuple((answer, re.compile("|".join(words))) for answer, words in (
    (Code.UNAUTHORIZED, ("ExpiredToken", "TokenExpired", "SessionExpired", "ClientTokenId", "UnrecognizedClient", "UnauthorizedClient",
        "SignatureDoesNotMatch", "(Invalid|Incomplete)Signature", "AuthenticationToken", "AccessKeyId", "SecretIdNotFound", "SecurityToken",
        "IdentityToken", "Unauthenticated", "^(Invalid|Incorrect)Credential", "AuthenticationFail", "^ExpiredAuth")),
    (Code.RATE_LIMITED, ("Throttl", "TooManyRequest", "TooManyConcurrent", "RequestLimit", "SlowDown", "ThroughputExceeded", "RateExceeded",
        "RateLimit", "RequestRate", "CallRate")),
    (Code.NOT_FOUND, ("NotFound", "NotFond", "NoSuch", "NotExist", "NonExistent", "Nonexistent", "^Unknown(?!Error|Exception|Operation|Parameter)")),
    (Code.VALIDATION_FAILED, ("SizeExceed", "LengthExceed", "SizeLimit", "SizeTooLarge")),
    (_USED_UP, ("^(?!Invalid).*(Limits?Exceed|LimitReached|LimitException|Limit$|ExceedsLimit|Quota|Exceeded(Exception|Fault)?$)",)),
    (_CONTENTION, ("Concurrent", "Contention", "OptimisticLock")),
    (Code.CONFLICT, ("Exist", "Duplicate", "InUse", "Conflict", "Precondition", "Condition(al)?(NotMet|CheckFail|OperationFail)", "NotEmpty",
        "NonEmpty", "Already", "Idempoten", "InProgress", "Pending", "Lock(ed|Client)", "Stale", "(Version|RevisionId)Mismatch", "NotDisabled",
        "Disabled", "NotEnabled", "NotActive", "Inactive", "NotRegistered",
        "(NotRunning|Running|Stopping|Deleting|Deleted|Associated)(Exception|Fault)?$", "StillContains", "StillReferenced", "ClusterContains",
        "OutOfSync", "BeingCopied", "Restoring", "State(Exception|Fault)$",
        r"^(Invalid|Incorrect|Illegal|Unsupported)\w*?(State|Status)(Exception|Fault|Error)?$")),
    (Code.FORBIDDEN, ("AccessDenied", "Forbidden", "Unauthori[sz]ed", "NotAuthori[sz]ed", "NotPermitted", "NotAllowed", "NotEntitled",
        "PermissionDenied", "MissingPermission", r"^Insufficient\w*(Permission|Privilege|Policy|Access)", "Blocked", "Denied", "OptInRequired",
        "SubscriptionRequired", "Authorization(Error|Fail|Permission)", "NoAuthorization", "Suspended", "SendingPaused", "AccountDisabled")),
    (Code.TIMEOUT, ("^(?!Invalid|Illegal|Unsupported).*(Timeout|TimedOut|TimeOut|DeadlineExceeded)",)),
    (Code.SERVICE_UNAVAILABLE, ("Unavailable", "NotReady", "Overload", "Busy", "Unreachable", "Connectivity", "Offline", "Shutdown",
        r"^(Insufficient|No)\w*Capacity", "CapacityNotAvailable", "TryAgain")),
    (Code.NOT_IMPLEMENTED, ("NotImplemented", "NotSupported", "NotSupport", "Unsupported", "NoLongerSupported", "NotAvailableInRegion",
        "NotInServiceRegion")),
    (Code.UPSTREAM_ERROR, ("^Internal", "Internal(Error|Fail|Serv|Exception)", "ServiceError", "ServerError", "ServerInternal", "ServiceInternal",
        "^Dependency(Exception|Fail)", "DependentService", "FailedDependency", "Unexpected", "BadGateway")),
    (Code.GONE, ("^Gone",)),
    (Code.CANCELLED, ("^Cancell?ed",)),
    (Code.VALIDATION_FAILED, ("Validation", "Violat", "TooMany", "TooLarge", "TooLong", "TooSmall", "TooBig", "TooShort", "TooOld", "OutOfRange",
        "OutOfBounds", "Unprocessable", "NotSatisfiable", "Oversized")),
    (Code.MISSING_REQUIRED_FIELD, ("^Missing", "Required(Exception|Fault)?$", "Missing(Exception|Fault)?$")),
    (Code.INVALID_PARAMS, ("Invalid", "Malformed", "^Illegal", "BadRequest", "BadDigest", "Incorrect", "Mismatch", "DoesNotMatch", "^Incomplete",
        "Incompatible", "Inconsistent", "^Insufficient", "NotValid", "Pars(e|ing)", "^Expired", "NotAcceptable", "^Empty")),
))
# fmt: on


@lru_cache(maxsize=512)
def classify_cloud_code(code: str) -> Classification | None:
    """Say what a cloud's error code means; None for one that says nothing."""
    bare = code[-_LONGEST:].rpartition("#")[2]  # `com.amazon.coral.service#ThrottlingException`
    known = _BY_CODE.get(bare) or _BY_CODE.get(bare.removesuffix("Exception"))
    meant = known or next((answer for answer, words in _BY_WORDS if words.search(bare)), None)
    return Classification(meant) if isinstance(meant, Code) else meant
