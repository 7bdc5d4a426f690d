"""Database drivers by PEP 249: PostgreSQL, MySQL, and the databases that are embedded in a process."""

from errata.classification._carried import by_status
from errata.classification._error_codes import by_sqlstate, classify_sqlstate
from errata.classification._exception_rules import (
    LOCKED,
    NOT_SENT_IN_TIME,
    REFUSED,
    TLS,
    UNKNOWN_HOST,
    Classification,
    Rule,
    RuleResult,
    Table,
    Words,
    first,
    in_words,
    words_at,
)
from errata.classification._families._network import by_what_broke
from errata.classification._foreign import read_argument, read_number, read_text
from errata.classification._words import classify_words
from errata.model import Code, Retry, is_a
from errata.redaction import text_of

_ABOUT_THE_SERVER = {
    Code.CANCELLED,
    Code.CONFIGURATION_ERROR,
    Code.CONFLICT,
    Code.FORBIDDEN,
    Code.NETWORK_ERROR,
    Code.RATE_LIMITED,
    Code.SERVICE_UNAVAILABLE,
    Code.TIMEOUT,
    Code.UNAUTHORIZED,
}
"""What the text of a driver is believed about. "No such column" finds nothing missing that an agent asked for."""
_OF_TWO_ROWS = ("unique", "duplicate", "foreign key", "primary key", "already exists")
_OF_ONE_ROW = ("not null", "not-null", "be null", "value null", "null value", "check constraint", "into null")


def by_server_words(error: BaseException) -> Classification | None:
    """What its text says about the connection, time, locks or rights."""
    meant = classify_words(text_of(error))
    return meant if meant is not None and meant.code in _ABOUT_THE_SERVER else None


def by_constraint_words(error: BaseException) -> Code | None:
    """Which constraint its text names: one that a row breaks alone is a matter of its values."""
    text = text_of(error)[:1000].lower()
    if any(words in text for words in _OF_TWO_ROWS):
        return Code.CONFLICT
    return Code.VALIDATION_FAILED if any(words in text for words in _OF_ONE_ROW) else None


# fmt: off
_NAMES: dict[str, tuple[Rule, ...]] = {
    "Error":             (by_server_words, Code.DATABASE_ERROR),
    "Warning":           (Code.DATABASE_ERROR,),
    "InterfaceError":    (by_server_words, Code.INTERNAL_ERROR),  # The driver is used wrongly, or a connection after its end.
    "DatabaseError":     (by_server_words, Code.DATABASE_ERROR),
    "DataError":         (Code.VALIDATION_FAILED,),
    "OperationalError":  (by_server_words, Code.DATABASE_ERROR),
    "IntegrityError":    (by_constraint_words, Code.CONFLICT),
    "InternalError":     (Code.DATABASE_ERROR,),
    "ProgrammingError":  (Code.DATABASE_ERROR,),
    "NotSupportedError": (Code.NOT_IMPLEMENTED,),
}
# fmt: on


def driver(module: str, *readers: Rule, words: Words | None = None) -> Table:
    """Make the rows of a driver: its own error numbers first, then what the nine names mean."""
    rows = {f"{module}.{name}": first(*readers, *rules) for name, rules in _NAMES.items()}
    return {name: in_words(words, rule) for name, rule in rows.items()} if words else rows


PEP249: dict[str, Rule] = {name: first(*rules) for name, rules in _NAMES.items()}
"""What the names mean in a driver that nobody tabled."""


# PostgreSQL: its SQLSTATEs, whichever driver brings them, and what libpq says when there is no connection yet.


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


def _by_cancellation(error: BaseException) -> Code | None:
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

_POSTGRESQL: Table = {
    **_libpq("psycopg"),
    "psycopg.errors.QueryCanceled": in_words(_PRIMARY, _by_cancellation),
    **_libpq("psycopg2"),
    **{
        f"psycopg2.errors.{name}": in_words(
            _PRIMARY, first(by_sqlstate, classify_sqlstate(state) or Code.DATABASE_ERROR)
        )
        for name, state in _PSYCOPG2.items()
    },
    "psycopg2.errors.QueryCanceled": in_words(_PRIMARY, _by_cancellation),
    "psycopg2.extensions.QueryCanceledError": in_words(_PRIMARY, _by_cancellation),
    "psycopg2.extensions.TransactionRollbackError": in_words(_PRIMARY, first(by_sqlstate, LOCKED)),
    "psycopg2.pool.PoolError": first(by_libpq_text, Classification(Code.SERVICE_UNAVAILABLE, Retry.SAME_CALL)),
    "asyncpg.exceptions._base.PostgresError": _BY_STATE,
    "asyncpg.exceptions._base.FatalPostgresError": _BY_STATE,
    "asyncpg.exceptions._base.UnknownPostgresError": _BY_STATE,
    "asyncpg.exceptions._base.InterfaceError": first(by_libpq_text, Code.INTERNAL_ERROR),
    "asyncpg.exceptions.QueryCanceledError": in_words(words_at("message"), _by_cancellation),
    **_pg8000("pg8000.exceptions"),
    **_pg8000("redshift_connector.error"),
}


# MySQL and MariaDB: what their error numbers mean, whichever driver brings them.


_LOST = first(by_what_broke, Code.NETWORK_ERROR)  # Only the socket's own error tells a timeout from a hang-up.
_NO_CONNECTION = first(by_what_broke, REFUSED)
_POOL_IS_EMPTY = Classification(Code.SERVICE_UNAVAILABLE, Retry.SAME_CALL)

# fmt: off
_MEANING: dict[Rule, tuple[int, ...]] = {
    Code.CONFLICT: (
        1007, 1050, 1060, 1061, 1304, 1359, 1537, 1826,  # a database, table, column, key, routine… of that name exists
        1022, 1062, 1169, 1557, 1586, 1761, 1762, 1859,  # duplicate keys
        1216, 1217, 1451, 1452,                          # foreign keys
    ),
    LOCKED: (
        1020,                          # the row has changed since it was read
        1213, 3058,                    # deadlocks
        1223, 1689, 3572,              # locked by somebody else
        1613, 1614, 3101,              # rolled back by a deadlock, or by the group
    ),
    Classification(Code.TIMEOUT, Retry.SAME_CALL): (1205,),      # lock wait timeout: the statement was rolled back
    Code.TIMEOUT: (1159, 1161, 1969, 3024),
    Code.VALIDATION_FAILED: (
        1048, 1138, 1263, 1364,                          # null, or no default
        1264, 1265, 1292, 1300, 1365, 1366, 1367, 1406, 1411, 1416, 1426, 1427, 1441, 1525, 1690, 3140, 3141, 3156, 3157,
        1104, 1118, 1153, 1162, 1301, 2020,              # too much of it
        1369, 3819, 4025,                                # CHECK, and a view's CHECK OPTION
    ),
    Code.BUSINESS_RULE_VIOLATION: (1644,),               # SIGNAL: a stored program says so on purpose
    Code.UNAUTHORIZED: (1045, 1130, 1251, 1524, 1698, 1820, 1862, 3118, 3955, 4151, 2049),
    Code.FORBIDDEN: (1044, 1095, 1129, 1142, 1143, 1227, 1370, 1410, 1419, 1792, 2068),
    Code.CONFIGURATION_ERROR: (1046, 1049, 3159, 2054, 2058, 2059, 2061),
    Code.NOT_FOUND: (1008, 1094, 1329),
    Code.NOT_IMPLEMENTED: (1178, 1235, 1289, 2007),
    Code.SERVICE_UNAVAILABLE: (
        1040, 1203, 1226,                                # too many connections, of this user's too
        1037, 1038, 1041, 1135, 1637,                    # out of memory, threads, transactions
        1047, 1053, 1077, 1079, 1836, 3100, 3168,        # starting, stopping, out of its cluster, read-only
    ),
    Classification(Code.DATABASE_ERROR, Retry.NEVER): (1021, 1114),  # full
    Code.CANCELLED: (1317,),
    Code.NETWORK_ERROR: (1042, 1043, 1152, 1156, 1157, 1158, 1160, 1184, 1927, 2006, 2012, 2027, 4031),
    _LOST: (2013, 2055),
    _NO_CONNECTION: (2001, 2002, 2003, 2004),
    Classification(Code.NETWORK_ERROR, Retry.NEVER): (2005, 2026),  # an unknown host; TLS
    Code.INTERNAL_ERROR: (2014, 2030, 2048, 2051, 2053),  # the driver is not used as it must be
}
# fmt: on
_BY_NUMBER = {number: rule for rule, numbers in _MEANING.items() for number in numbers}


def by_mysql_number(error: BaseException) -> RuleResult:
    """The server's error number."""
    number = read_number(error, "errno")
    rule = _BY_NUMBER.get(read_number({"it": read_argument(error)}, "it") or 0 if number is None else number)
    return rule(error) if callable(rule) else rule


def _message(error: BaseException) -> str | None:
    """Find the message beside the number."""
    message = read_text(error, "msg") or read_argument(error, 1)
    return str.__str__(message) if is_a(message, str) and message else None


def _pool(error: BaseException) -> RuleResult:
    """Whether the pool is empty, or not set up properly."""
    return _POOL_IS_EMPTY if "exhausted" in (_message(error) or "") else Code.CONFIGURATION_ERROR


def _with_sqlstate(module: str) -> Table:
    return driver(module, by_mysql_number, by_sqlstate, words=_message)


_MYSQL: Table = {
    **driver("pymysql.err", by_mysql_number, words=_message),  # aiomysql raises these, too.
    **driver("MySQLdb._exceptions", by_mysql_number, words=_message),
    **driver("asyncmy.errors", by_mysql_number, words=_message),
    **driver("cymysql.err", by_mysql_number, words=_message),
    **_with_sqlstate("mariadb"),
    **_with_sqlstate("mysql.connector.errors"),
    "mysql.connector.errors.PoolError": _pool,
}


# Databases inside the process: SQLite, by its result codes, and DuckDB, by its classes.


_FULL = Classification(Code.DATABASE_ERROR, Retry.NEVER)

# fmt: off
_SQLITE: dict[int, Code | Classification] = {
    1:  Code.DATABASE_ERROR,          # SQLITE_ERROR: the SQL is wrong, or names a table that is not there
    2:  Code.DATABASE_ERROR,          # INTERNAL
    3:  Code.FORBIDDEN,               # PERM
    4:  Code.DATABASE_ERROR,          # ABORT
    5:  LOCKED,                       # BUSY: another process holds the lock
    6:  LOCKED,                       # LOCKED: another statement of this one does
    7:  Code.SERVICE_UNAVAILABLE,     # NOMEM
    8:  Code.FORBIDDEN,               # READONLY
    9:  Code.CANCELLED,               # INTERRUPT
    10: Code.DATABASE_ERROR,          # IOERR
    11: Code.DATABASE_ERROR,          # CORRUPT
    13: _FULL,                        # FULL
    14: Code.DATABASE_ERROR,          # CANTOPEN
    15: LOCKED,                       # PROTOCOL: a race for the lock
    17: LOCKED,                       # SCHEMA: it changed under the statement
    18: Code.VALIDATION_FAILED,       # TOOBIG
    19: Code.CONFLICT,                # CONSTRAINT
    20: Code.VALIDATION_FAILED,       # MISMATCH
    21: Code.INTERNAL_ERROR,          # MISUSE
    22: Code.NOT_IMPLEMENTED,         # NOLFS
    23: Code.FORBIDDEN,               # AUTH
    25: Code.INTERNAL_ERROR,          # RANGE
    26: Code.DATABASE_ERROR,          # NOTADB
    # Extended codes that say something else than their first byte.
    275:  Code.VALIDATION_FAILED,     # CONSTRAINT_CHECK
    1299: Code.VALIDATION_FAILED,     # CONSTRAINT_NOTNULL
    3091: Code.VALIDATION_FAILED,     # CONSTRAINT_DATATYPE
    1811: Code.BUSINESS_RULE_VIOLATION,  # CONSTRAINT_TRIGGER: RAISE() in a trigger, on purpose
    516:  LOCKED,                     # ABORT_ROLLBACK: another statement rolled the transaction back
}
# The texts of SQLite's codes, for an exception that was made without one.
_SQLITE_SAYS: tuple[tuple[str, Code | Classification], ...] = (
    ("is locked", LOCKED), ("schema has changed", LOCKED), ("locking protocol", LOCKED),
    ("unique constraint", Code.CONFLICT), ("foreign key constraint", Code.CONFLICT),
    ("check constraint", Code.VALIDATION_FAILED), ("not null constraint", Code.VALIDATION_FAILED), ("datatype mismatch", Code.VALIDATION_FAILED),
    ("string or blob too big", Code.VALIDATION_FAILED), ("too large to convert", Code.VALIDATION_FAILED),
    ("readonly database", Code.FORBIDDEN), ("not authorized", Code.FORBIDDEN), ("access permission denied", Code.FORBIDDEN),
    ("interrupted", Code.CANCELLED), ("disk is full", _FULL), ("already exists", Code.CONFLICT),
)
_DUCKDB_SAYS_IO: tuple[tuple[str, Code | Classification], ...] = (
    ("could not set lock", LOCKED), ("conflicting lock", LOCKED), ("being used by another process", LOCKED),
    ("no files found", Code.NOT_FOUND), ("no such file", Code.NOT_FOUND), ("does not exist", Code.NOT_FOUND),
    ("permission denied", Code.FORBIDDEN), ("no space left", _FULL), ("timeout", Code.TIMEOUT), ("timed out", Code.TIMEOUT),
    ("could not establish connection", Code.NETWORK_ERROR), ("could not connect", Code.NETWORK_ERROR), ("connection", Code.NETWORK_ERROR),
)
# fmt: on


def by_sqlite_code(error: BaseException) -> Code | Classification | None:
    """SQLite's result code."""
    code = read_number(error, "sqlite_errorcode")
    if code is None:
        code = read_number(error, "extendedresult")  # As apsw calls it.
    return None if code is None else _SQLITE.get(code) or _SQLITE.get(code & 0xFF)


def _by_sqlite_text(error: BaseException) -> Code | Classification | None:
    """SQLite's text for a result code."""
    return _find_phrase(_SQLITE_SAYS, error)


def _find_phrase(
    phrases: tuple[tuple[str, Code | Classification], ...], error: BaseException
) -> Code | Classification | None:
    text = text_of(error)[:1000].lower()
    return next((known for phrase, known in phrases if phrase in text), None)


def _files_of_duckdb(error: BaseException) -> RuleResult:
    """What its text says about the file."""
    return _find_phrase(_DUCKDB_SAYS_IO, error)


def _transaction_of_duckdb(error: BaseException) -> RuleResult:
    """Whether another transaction came first."""
    return LOCKED if "conflict" in text_of(error)[:1000].lower() else None


def _by_existing(error: BaseException) -> RuleResult:
    """Whether something of that name exists already."""
    return Code.CONFLICT if "already exists" in text_of(error)[:1000] else None


_TRIED_WITH_SQLITE = first(by_sqlite_code, _by_sqlite_text)

# fmt: off
_APSW: dict[str, Rule] = {
    "ConstraintError": first(_TRIED_WITH_SQLITE, Code.CONFLICT),
    "Error": first(_TRIED_WITH_SQLITE, Code.DATABASE_ERROR),
}
_DUCKDB: dict[str, Rule] = {
    "CatalogException": first(_by_existing, Code.DATABASE_ERROR),
    "ConstraintException": first(by_constraint_words, Code.CONFLICT),
    "HTTPException": first(by_status, _files_of_duckdb, Code.UPSTREAM_ERROR),
    "IOException": first(_files_of_duckdb, Code.DATABASE_ERROR),
    "TransactionException": first(_transaction_of_duckdb, Code.DATABASE_ERROR),
}
# fmt: on

_EMBEDDED: Table = {
    **driver("sqlite3", by_sqlite_code, _by_sqlite_text),  # aiosqlite raises these, too.
    **driver("pysqlite3.dbapi2", by_sqlite_code, _by_sqlite_text),
    **driver("sqlcipher3.dbapi2", by_sqlite_code, _by_sqlite_text),
    **{f"apsw.{name}": rule for name, rule in _APSW.items()},
    **driver("_duckdb"),
    **{f"_duckdb.{name}": rule for name, rule in _DUCKDB.items()},
    **driver("duckdb"),  # Its home until version 1.3.
    **{f"duckdb.{name}": rule for name, rule in _DUCKDB.items()},
}

TABLE: Table = {**_POSTGRESQL, **_MYSQL, **_EMBEDDED}
