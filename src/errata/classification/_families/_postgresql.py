"""PostgreSQL: its SQLSTATEs, whichever driver brings them, and what libpq says when there is no connection yet."""

from errata.classification._answer import Classification, RuleResult, Table, first
from errata.classification._families._connection import NOT_SENT_IN_TIME, UNKNOWN_HOST
from errata.classification._families._pep249 import driver
from errata.classification._families._rewording import in_words, words_at
from errata.classification._reach import read_argument, read_text
from errata.classification._sqlstate import by_sqlstate, classify_sqlstate
from errata.classification._verdicts import LOCKED, REFUSED, TLS
from errata.model import Code, Retry
from errata.redaction import text_of

_PRIMARY = words_at("diag", "message_primary")
"""PostgreSQL's message without its DETAIL, which may quote a whole row, and without the line of SQL."""

_OF_VALUES = ("IntegrityError", "DataError")

# fmt: off
_CONNECTING: tuple[tuple[Code | Classification, tuple[str, ...]], ...] = (
    # A server that answered says more than another address of it that did not: it comes first.
    (Code.UNAUTHORIZED, (
        "password authentication failed", "no password supplied", "authentication failed for user", "authentication method",
        "is not permitted to log in", "fatal:  role", "pg_hba.conf", "scram", "sasl", "bad password",
    )),
    (Code.SERVICE_UNAVAILABLE, (
        "too many clients", "too many connections", "connection slots", "starting up", "shutting down", "recovery mode",
        "not yet accepting connections", "not accepting connections", "administrator command", "no more connections allowed",
        "hot standby", "session is read-only", "session is not read-only", "server is in hot standby",
    )),
    (Code.INTERNAL_ERROR, ("the connection is closed", "connection already closed", "cursor already closed", "the cursor is closed")),
    (TLS, ("certificate", "does not support ssl", "ssl was required", "ssl error", "no ssl encryption", "sslmode")),
    (Classification(Code.NETWORK_ERROR, Retry.SAME_CALL), ("temporary failure in name resolution",)),
    (UNKNOWN_HOST, ("could not translate host name", "failed to resolve host", "name or service not known", "nodename nor servname")),
    (NOT_SENT_IN_TIME, ("timeout expired", "connection timed out", "connection timeout")),
    (REFUSED, ("connection refused", "no such file or directory", "no route to host", "network is unreachable", "is the server running")),
    (Code.NETWORK_ERROR, (
        "server closed the connection", "terminating connection", "connection reset", "connection is lost", "connection is bad",
        "connection not open", "eof detected", "syscall error", "could not receive data", "could not send data",
        "consuming input failed", "sending query failed", "no connection to the server", "connection has been closed",
        "lost synchronization", "discarding closed connection",
    )),
    (Code.CONFIGURATION_ERROR, (
        "does not exist", "invalid connection option", "invalid dsn", "invalid port", "invalid integer value", "invalid channel_binding",
        'missing "="', "missing connection option", "invalid uri", "could not match", "definition of service", "invalid value for parameter",
    )),
)
# Classes of psycopg2, which know their SQLSTATE only when the server sent it. All others inherit what is right.
_PSYCOPG2 = {
    "AdminShutdown": "57P01", "CannotConnectNow": "57P03", "CheckViolation": "23514", "CrashShutdown": "57P02",
    "ConnectionException": "08000", "ConnectionDoesNotExist": "08003", "ConnectionFailure": "08006",
    "DeadlockDetected": "40P01", "DiskFull": "53100", "DuplicateTable": "42P07",
    "DuplicateObject": "42710", "ExclusionViolation": "23P01", "FeatureNotSupported": "0A000", "ForeignKeyViolation": "23503",
    "IdleInTransactionSessionTimeout": "25P03", "InsufficientPrivilege": "42501", "InsufficientResources": "53000",
    "InvalidAuthorizationSpecification": "28000", "InvalidCatalogName": "3D000", "InvalidPassword": "28P01",
    "LockNotAvailable": "55P03", "NotNullViolation": "23502", "ObjectInUse": "55006", "OperatorIntervention": "57000", "OutOfMemory": "53200",
    "QueryCanceled": "57014", "RaiseException": "P0001", "ReadOnlySqlTransaction": "25006", "RestrictViolation": "23001",
    "SerializationFailure": "40001", "SqlclientUnableToEstablishSqlconnection": "08001",
    "SqlserverRejectedEstablishmentOfSqlconnection": "08004", "TooManyConnections": "53300", "UniqueViolation": "23505",
}
# fmt: on


def by_libpq_text(error: BaseException) -> RuleResult:
    """What libpq says about the connection: it has no SQLSTATE then."""
    text = text_of(error)[:4000].lower()
    return next((rule for rule, phrases in _CONNECTING if any(each in text for each in phrases)), None)


def _cancelled(error: BaseException) -> Code | None:
    """Whether somebody cancelled the statement, or its time was over."""
    return Code.CANCELLED if "user request" in text_of(error)[:1000] else Code.TIMEOUT


def _state_in_arguments(error: BaseException) -> RuleResult:
    """The SQLSTATE in the server's message."""
    state = read_text(read_argument(error), "C")
    return classify_sqlstate(state) if state else None


def _message_in_arguments(error: BaseException) -> str | None:
    return read_text(read_argument(error), "M")


def _libpq(module: str) -> Table:
    """Make the rows of a driver that stands on libpq. A row's values are not libpq's words, so two names are not asked for them."""
    rows = driver(module, by_sqlstate, by_libpq_text, words=_PRIMARY)
    return {
        **rows,
        **{
            name: rule
            for name, rule in driver(module, by_sqlstate, words=_PRIMARY).items()
            if name.endswith(_OF_VALUES)
        },
    }


def _pg8000(module: str) -> Table:
    return driver(module, _state_in_arguments, words=_message_in_arguments)


_BY_STATE = in_words(
    words_at("message"), first(by_sqlstate, Code.DATABASE_ERROR)
)  # asyncpg's text has the DETAIL, too.

TABLE: Table = {
    **_libpq("psycopg"),
    "psycopg.Rollback": Code.INTERNAL_ERROR,
    "psycopg.errors.CancellationTimeout": Code.TIMEOUT,
    "psycopg.errors.ConnectionTimeout": NOT_SENT_IN_TIME,
    "psycopg.errors.PipelineAborted": Code.DATABASE_ERROR,
    "psycopg.errors.QueryCanceled": in_words(_PRIMARY, _cancelled),
    "psycopg_pool.PoolClosed": Code.INTERNAL_ERROR,
    "psycopg_pool.PoolTimeout": NOT_SENT_IN_TIME,
    "psycopg_pool.TooManyRequests": Classification(Code.SERVICE_UNAVAILABLE, Retry.SAME_CALL),
    **_libpq("psycopg2"),
    **{
        f"psycopg2.errors.{name}": in_words(
            _PRIMARY, first(by_sqlstate, classify_sqlstate(state) or Code.DATABASE_ERROR)
        )
        for name, state in _PSYCOPG2.items()
    },
    "psycopg2.errors.QueryCanceled": in_words(_PRIMARY, _cancelled),
    "psycopg2.extensions.QueryCanceledError": in_words(_PRIMARY, _cancelled),
    "psycopg2.extensions.TransactionRollbackError": in_words(_PRIMARY, first(by_sqlstate, LOCKED)),
    "psycopg2.pool.PoolError": first(by_libpq_text, Classification(Code.SERVICE_UNAVAILABLE, Retry.SAME_CALL)),
    "asyncpg.exceptions._base.PostgresError": _BY_STATE,
    "asyncpg.exceptions._base.FatalPostgresError": _BY_STATE,
    "asyncpg.exceptions._base.UnknownPostgresError": _BY_STATE,
    "asyncpg.exceptions._base.ClientConfigurationError": Code.CONFIGURATION_ERROR,
    "asyncpg.exceptions._base.InterfaceError": first(by_libpq_text, Code.INTERNAL_ERROR),
    "asyncpg.exceptions._base.InternalClientError": Code.INTERNAL_ERROR,
    "asyncpg.exceptions._base.OutdatedSchemaCacheError": LOCKED,
    "asyncpg.exceptions._base.ProtocolError": Code.UPSTREAM_ERROR,
    "asyncpg.exceptions._base.TargetServerAttributeNotMatched": Code.SERVICE_UNAVAILABLE,
    "asyncpg.exceptions._base.UnsupportedClientFeatureError": Code.NOT_IMPLEMENTED,
    "asyncpg.exceptions._base.UnsupportedServerFeatureError": Code.NOT_IMPLEMENTED,
    "asyncpg.exceptions.InvalidCachedStatementError": LOCKED,  # The schema changed under a prepared statement.
    "asyncpg.exceptions.QueryCanceledError": in_words(words_at("message"), _cancelled),
    **_pg8000("pg8000.exceptions"),
    **_pg8000("redshift_connector.error"),
}
