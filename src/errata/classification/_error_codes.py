"""What the error codes of other systems mean: the operating system's, SQLSTATE, gRPC's and those of clouds."""

import errno
import re
import socket
from functools import lru_cache

from errata.classification._exception_rules import REFUSED, Classification
from errata.classification._foreign import call_method, peek, read_number, read_text
from errata.model import Code, Retry, is_a

# fmt: off
BY_NAME: dict[str, Code | Classification] = {
    "ENOENT": Code.NOT_FOUND, "ESRCH": Code.NOT_FOUND, "ENXIO": Code.NOT_FOUND, "ENODEV": Code.NOT_FOUND, "ENOTTY": Code.INVALID_PARAMS,
    "EACCES": Code.FORBIDDEN, "EPERM": Code.FORBIDDEN, "EROFS": Code.FORBIDDEN,
    "EEXIST": Code.CONFLICT, "ENOTEMPTY": Code.CONFLICT, "ESTALE": Code.CONFLICT, "EADDRINUSE": Code.CONFLICT, "EISCONN": Code.CONFLICT,
    "EBUSY": Classification(Code.CONFLICT, Retry.SAME_CALL), "ETXTBSY": Classification(Code.CONFLICT, Retry.SAME_CALL),
    "EDEADLK": Classification(Code.CONFLICT, Retry.SAME_CALL), "ENOLCK": Classification(Code.CONFLICT, Retry.SAME_CALL),
    "EINVAL": Code.INVALID_PARAMS, "EISDIR": Code.INVALID_PARAMS, "ENOTDIR": Code.INVALID_PARAMS, "ENAMETOOLONG": Code.INVALID_PARAMS,
    "ELOOP": Code.INVALID_PARAMS, "EDOM": Code.INVALID_PARAMS, "ERANGE": Code.INVALID_PARAMS, "EILSEQ": Code.INVALID_PARAMS,
    "EDESTADDRREQ": Code.INVALID_PARAMS, "EXDEV": Code.INVALID_PARAMS, "ESPIPE": Code.INVALID_PARAMS, "EFBIG": Code.VALIDATION_FAILED, "E2BIG": Code.VALIDATION_FAILED,
    "EMSGSIZE": Code.VALIDATION_FAILED, "EOVERFLOW": Code.VALIDATION_FAILED,
    "ETIMEDOUT": Code.TIMEOUT, "ETIME": Code.TIMEOUT, "ECANCELED": Code.CANCELLED,
    "ECONNREFUSED": REFUSED, "EHOSTUNREACH": REFUSED, "ENETUNREACH": REFUSED, "EHOSTDOWN": REFUSED, "ENETDOWN": REFUSED,
    "EADDRNOTAVAIL": REFUSED, "ENONET": REFUSED,
    "ECONNRESET": Code.NETWORK_ERROR, "ECONNABORTED": Code.NETWORK_ERROR, "EPIPE": Code.NETWORK_ERROR, "ESHUTDOWN": Code.NETWORK_ERROR,
    "ENOTCONN": Code.NETWORK_ERROR, "ENETRESET": Code.NETWORK_ERROR, "EREMOTEIO": Code.NETWORK_ERROR, "ECOMM": Code.NETWORK_ERROR, "ENOLINK": Code.NETWORK_ERROR, "EPROTO": Code.NETWORK_ERROR,
    "EMFILE": Code.SERVICE_UNAVAILABLE, "ENFILE": Code.SERVICE_UNAVAILABLE, "ENOBUFS": Code.SERVICE_UNAVAILABLE, "ENOMEM": Code.SERVICE_UNAVAILABLE,
    "EAGAIN": Code.SERVICE_UNAVAILABLE, "EWOULDBLOCK": Code.SERVICE_UNAVAILABLE, "EINTR": Code.SERVICE_UNAVAILABLE, "EUSERS": Code.SERVICE_UNAVAILABLE,
    # A full disk waits for a person, not for time.
    "ENOSPC": Classification(Code.SERVICE_UNAVAILABLE, Retry.NEVER), "EDQUOT": Classification(Code.SERVICE_UNAVAILABLE, Retry.NEVER),
    "ENOSYS": Code.NOT_IMPLEMENTED, "EOPNOTSUPP": Code.NOT_IMPLEMENTED, "ENOTSUP": Code.NOT_IMPLEMENTED, "EPROTONOSUPPORT": Code.NOT_IMPLEMENTED,
    "EAFNOSUPPORT": Code.NOT_IMPLEMENTED, "ESOCKTNOSUPPORT": Code.NOT_IMPLEMENTED, "EPFNOSUPPORT": Code.NOT_IMPLEMENTED,
    "ENOEXEC": Code.CONFIGURATION_ERROR, "ENOKEY": Code.CONFIGURATION_ERROR, "EKEYEXPIRED": Code.UNAUTHORIZED, "EKEYREVOKED": Code.UNAUTHORIZED, "EKEYREJECTED": Code.UNAUTHORIZED,
    "EIO": Code.INTERNAL_ERROR, "EBADF": Code.INTERNAL_ERROR, "EFAULT": Code.INTERNAL_ERROR, "ECHILD": Code.INTERNAL_ERROR, "ENOTSOCK": Code.INTERNAL_ERROR,
}
_BY_RESOLVER_NAME = {
    "EAI_AGAIN": Classification(Code.NETWORK_ERROR, Retry.SAME_CALL),
    "EAI_MEMORY": Classification(Code.NETWORK_ERROR, Retry.SAME_CALL),
}
# fmt: on
_BY_NUMBER: dict[int, Code | Classification] = {
    number: BY_NAME[name] for name in BY_NAME if (number := getattr(errno, name, None)) is not None
}
_BY_RESOLVER_NUMBER = {
    number: _BY_RESOLVER_NAME[name] for name in _BY_RESOLVER_NAME if (number := getattr(socket, name, None)) is not None
}


def by_errno(error: BaseException) -> Classification | Code | None:
    """The errno it carries."""
    return _BY_NUMBER.get(read_number(error, "errno") or 0) if is_a(error, OSError) else None


def by_resolver(error: BaseException) -> Classification:
    """The resolver's error number: an unknown host stays unknown, a name server in trouble does not."""
    unknown = Classification(Code.NETWORK_ERROR, Retry.NEVER)
    return _BY_RESOLVER_NUMBER.get(read_number(error, "errno") or 0, unknown)


# What SQLSTATEs mean: five characters that PostgreSQL, ODBC and others agree on.


_AGAIN = Retry.SAME_CALL

# fmt: off
SQLSTATES: dict[str, Code | Classification] = {
    "23505": Code.CONFLICT,                                              # unique_violation
    "23503": Code.CONFLICT,                                              # foreign_key_violation
    "23P01": Code.CONFLICT,                                              # exclusion_violation
    "23001": Code.CONFLICT,                                              # restrict_violation
    "23502": Code.VALIDATION_FAILED,                                     # not_null_violation
    "23514": Code.VALIDATION_FAILED,                                     # check_violation
    "40001": Classification(Code.CONFLICT, _AGAIN),                      # serialization_failure
    "40P01": Classification(Code.CONFLICT, _AGAIN),                      # deadlock_detected
    "40002": Code.CONFLICT,                                              # transaction_integrity_constraint_violation
    "40003": Classification(Code.DATABASE_ERROR, Retry.VERIFY_FIRST),    # statement_completion_unknown
    "08007": Classification(Code.DATABASE_ERROR, Retry.VERIFY_FIRST),    # transaction_resolution_unknown
    "55P03": Classification(Code.CONFLICT, _AGAIN),                      # lock_not_available
    "55006": Classification(Code.CONFLICT, _AGAIN),                      # object_in_use
    "25006": Code.FORBIDDEN,                                             # read_only_sql_transaction
    "25P03": Code.TIMEOUT, "25P04": Code.TIMEOUT, "57P05": Code.TIMEOUT,  # idle or transaction timeouts
    "42501": Code.FORBIDDEN,                                             # insufficient_privilege
    "42710": Code.CONFLICT, "42P04": Code.CONFLICT, "42P06": Code.CONFLICT, "42P07": Code.CONFLICT, "42701": Code.CONFLICT,  # duplicate_*
    "3D000": Code.CONFIGURATION_ERROR,                                   # invalid_catalog_name: the database itself
    "53100": Classification(Code.DATABASE_ERROR, Retry.NEVER),           # disk_full
    "53300": Code.SERVICE_UNAVAILABLE,                                   # too_many_connections
    "57014": Code.TIMEOUT,                                               # query_canceled, most often by statement_timeout
    "57P01": Code.SERVICE_UNAVAILABLE, "57P02": Code.SERVICE_UNAVAILABLE, "57P03": Code.SERVICE_UNAVAILABLE,  # shutting down, crashed, starting up
    "57P04": Code.DATABASE_ERROR,                                        # database_dropped
    "08001": Classification(Code.NETWORK_ERROR, _AGAIN),                 # unable to establish the connection
    "08004": Code.SERVICE_UNAVAILABLE,                                   # the server rejected the connection
    "72000": Classification(Code.CONFLICT, _AGAIN),                      # snapshot_too_old
    "HYT00": Code.TIMEOUT, "HYT01": Code.TIMEOUT,                        # ODBC: timeout expired
    "HY008": Code.CANCELLED,                                             # ODBC: operation canceled
    "HYC00": Code.NOT_IMPLEMENTED,                                       # ODBC: optional feature not implemented
    "IM002": Code.CONFIGURATION_ERROR, "IM003": Code.CONFIGURATION_ERROR,  # ODBC: no data source, no driver
    "P0004": Code.INTERNAL_ERROR,                                        # assert_failure
    "P0002": Code.NOT_FOUND, "02000": Code.NOT_FOUND,                    # no_data_found
    "42S02": Code.DATABASE_ERROR,
}
_BY_CLASS: dict[str, Code | Classification] = {
    "08": Code.NETWORK_ERROR,                            # connection exception
    "0A": Code.NOT_IMPLEMENTED,                          # feature not supported
    "22": Code.VALIDATION_FAILED,                        # data exception
    "23": Code.CONFLICT,                                 # integrity constraint violation
    "28": Code.UNAUTHORIZED,                             # invalid authorization specification
    "40": Classification(Code.CONFLICT, _AGAIN),         # transaction rollback
    "44": Code.VALIDATION_FAILED,                        # with check option violation
    "53": Code.SERVICE_UNAVAILABLE,                      # insufficient resources
    "54": Code.VALIDATION_FAILED,                        # program limit exceeded
    "57": Code.SERVICE_UNAVAILABLE,                      # operator intervention
    "F0": Code.CONFIGURATION_ERROR,                      # configuration file error
    "58": Code.DATABASE_ERROR,                           # system error
    "P0": Code.BUSINESS_RULE_VIOLATION,                  # raised by a stored procedure on purpose
}
# fmt: on


def by_sqlstate(error: BaseException) -> Code | Classification | None:
    """The SQLSTATE it carries."""
    for name in ("sqlstate", "pgcode"):
        if state := read_text(error, name):
            return classify_sqlstate(state)
    return None


def classify_sqlstate(state: str) -> Code | Classification | None:
    """Return what an SQLSTATE means; None for any other text."""
    if len(state) != 5 or not state.isalnum() or state == "HY000":  # noqa: PLR2004 - five characters, by the standard
        return None  # HY000 is ODBC's and MySQL's word for "general error".
    return SQLSTATES.get(state) or _BY_CLASS.get(state[:2], Code.DATABASE_ERROR)


# What gRPC's statuses mean; Google's HTTP APIs use the same names.


# fmt: off
GRPC: dict[str, Code | Classification] = {
    "CANCELLED": Code.CANCELLED,
    "UNKNOWN": Code.UPSTREAM_ERROR,
    "INVALID_ARGUMENT": Code.INVALID_PARAMS,
    "DEADLINE_EXCEEDED": Code.TIMEOUT,
    "NOT_FOUND": Code.NOT_FOUND,
    "ALREADY_EXISTS": Code.CONFLICT,
    "PERMISSION_DENIED": Code.FORBIDDEN,
    "RESOURCE_EXHAUSTED": Code.RATE_LIMITED,
    "FAILED_PRECONDITION": Code.CONFLICT,
    "ABORTED": Classification(Code.CONFLICT, Retry.SAME_CALL),  # "A sequencer check failure, transaction abort": begin again.
    "OUT_OF_RANGE": Code.VALIDATION_FAILED,
    "UNIMPLEMENTED": Code.NOT_IMPLEMENTED,
    "INTERNAL": Code.UPSTREAM_ERROR,
    "UNAVAILABLE": Code.SERVICE_UNAVAILABLE,
    "DATA_LOSS": Classification(Code.UPSTREAM_ERROR, Retry.NEVER),
    "UNAUTHENTICATED": Code.UNAUTHORIZED,
}
# fmt: on


def by_grpc_status(error: BaseException) -> Code | Classification | None:
    """The gRPC status it carries."""
    name = read_text(call_method(error, "code"), "name") or read_text(peek(error, "grpc_status_code"), "name")
    return GRPC.get(name or "")


# What the error codes of AWS mean. S3's relatives and other clouds chose the same words.


_LONGEST = 200
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
_BY_WORDS: tuple[tuple[Code | Classification, re.Pattern[str]], ...] = tuple((outcome, re.compile("|".join(words))) for outcome, words in (
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
    """Return what a cloud's error code means; None for one whose words say nothing."""
    bare = code[-_LONGEST:].rpartition("#")[2]  # `com.amazon.coral.service#ThrottlingException`
    known = _BY_CODE.get(bare) or _BY_CODE.get(bare.removesuffix("Exception"))
    meant = known or next((outcome for outcome, words in _BY_WORDS if words.search(bare)), None)
    return Classification(meant) if isinstance(meant, Code) else meant
