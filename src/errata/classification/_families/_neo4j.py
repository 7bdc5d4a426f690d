"""Neo4j: the server's codes, `Neo.ClientError.Schema.ConstraintValidationFailed`, and the driver's own classes."""

from errata.classification._answer import Classification, Rule, RuleResult, Table, first
from errata.classification._families._connection import NOT_SENT_IN_TIME, by_what_broke
from errata.classification._families._rewording import in_words, words_at
from errata.classification._reach import read_text
from errata.classification._unwrap import find_cause
from errata.classification._verdicts import BUG, LOCKED, WAIT
from errata.model import Code, Retry
from errata.redaction import text_of

# fmt: off
_TITLES: dict[str, Code | Classification] = {
    # Neo.ClientError.…
    "Security.AuthenticationRateLimit": Code.RATE_LIMITED,
    "Security.AuthorizationExpired": Classification(Code.UNAUTHORIZED, Retry.SAME_CALL),  # The driver logs in again by itself.
    "Security.Forbidden": Code.FORBIDDEN,
    "Statement.AccessMode": Code.FORBIDDEN,
    "Statement.ArgumentError": Code.INVALID_PARAMS,
    "Statement.EntityNotFound": Code.NOT_FOUND,
    "Statement.ParameterMissing": Code.INVALID_PARAMS,
    "Statement.NotSystemDatabaseError": Code.NOT_IMPLEMENTED,
    "Statement.UnsupportedOperationError": Code.NOT_IMPLEMENTED,
    "Schema.ConstraintValidationFailed": Code.CONFLICT,
    "Schema.ConstraintViolation": Code.CONFLICT,
    "Database.DatabaseNotFound": Code.CONFIGURATION_ERROR,
    "Database.ExistingDatabaseFound": Code.CONFLICT,
    "Request.Invalid": Code.INVALID_REQUEST,
    "Procedure.ProcedureNotFound": Code.NOT_FOUND,
    "Transaction.TransactionTimedOut": Code.TIMEOUT,
    "Transaction.TransactionTimedOutClientConfiguration": Code.TIMEOUT,
    "Transaction.Terminated": Code.CANCELLED,
    "Transaction.LockClientStopped": Code.CANCELLED,
    "Transaction.TransactionConcurrentUpdate": LOCKED,
    "Cluster.NotALeader": WAIT,
    "General.ForbiddenOnReadOnlyDatabase": WAIT,  # As the one above: the driver asks for the new leader.
    "General.ForbiddenReadOnlyDatabase": Code.FORBIDDEN,
    # Neo.TransientError.…
    "Transaction.DeadlockDetected": LOCKED,
    "Transaction.LockAcquisitionTimeout": LOCKED,
    "Transaction.Outdated": LOCKED,
    "Transaction.ConstraintsChanged": LOCKED,
}
# fmt: on


def _by_neo4j_code(error: BaseException) -> RuleResult:
    """The server's code, and whether it calls it transient."""
    _, kind, title = [*(read_text(error, "code") or "").split(".", 2), "", "", ""][:3]
    if said := _TITLES.get(title):
        return said
    if title.startswith("Security."):
        return Code.UNAUTHORIZED
    if title.endswith("AlreadyExists"):
        return Code.CONFLICT
    return WAIT if kind == "TransientError" else None


def _of_single_records(error: BaseException) -> RuleResult:
    """Whether there was no record, or several."""
    return Code.NOT_FOUND if "No records" in text_of(error)[:200] else Code.CONFLICT


def _told(rule: Rule) -> Rule:
    """Tell it in the server's message: the text is a dump of the whole record."""
    return in_words(words_at("message"), first(_by_neo4j_code, rule))


# fmt: off
_CLASSES: dict[str, Rule] = {
    "AuthConfigurationError": Code.CONFIGURATION_ERROR,
    "AuthError": _told(Code.UNAUTHORIZED),
    "BrokenRecordError": Code.DATABASE_ERROR,
    "CertificateConfigurationError": Code.CONFIGURATION_ERROR,
    "ClientError": _told(Code.DATABASE_ERROR),
    "ConfigurationError": Code.CONFIGURATION_ERROR,
    "ConnectionAcquisitionTimeoutError": NOT_SENT_IN_TIME,
    "ConnectionPoolError": WAIT,
    "ConstraintError": _told(Code.CONFLICT),
    "CypherSyntaxError": _told(Code.DATABASE_ERROR),
    "CypherTypeError": _told(Code.DATABASE_ERROR),
    "DatabaseError": _told(Code.DATABASE_ERROR),
    "DatabaseUnavailable": _told(WAIT),
    "DriverError": BUG,
    "Forbidden": _told(Code.FORBIDDEN),
    "ForbiddenOnReadOnlyDatabase": _told(WAIT),
    "GqlError": _told(Code.DATABASE_ERROR),
    "IncompleteCommit": Classification(Code.NETWORK_ERROR, Retry.VERIFY_FIRST),
    "Neo4jError": _told(Code.DATABASE_ERROR),
    "NotALeader": _told(WAIT),
    "ReadServiceUnavailable": WAIT,
    "ResultConsumedError": BUG,
    "ResultError": BUG,
    "ResultFailedError": first(find_cause, BUG),
    "ResultNotSingleError": _of_single_records,
    "RoutingServiceUnavailable": WAIT,
    "ServiceUnavailable": first(by_what_broke, Code.SERVICE_UNAVAILABLE),
    "SessionError": BUG,
    "SessionExpired": Code.SERVICE_UNAVAILABLE,
    "TokenExpired": _told(Code.UNAUTHORIZED),
    "TransactionError": first(find_cause, BUG),
    "TransactionNestingError": BUG,
    "TransientError": _told(WAIT),
    "UnsupportedServerProduct": Code.CONFIGURATION_ERROR,
    "WriteServiceUnavailable": WAIT,
}
# fmt: on
TABLE: Table = {f"neo4j.exceptions.{name}": rule for name, rule in _CLASSES.items()}
