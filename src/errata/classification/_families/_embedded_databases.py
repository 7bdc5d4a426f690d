"""Databases inside the process: SQLite, by its result codes, and DuckDB, by its classes."""

from errata.classification._answer import Classification, Rule, RuleResult, Table, first
from errata.classification._carried import by_status
from errata.classification._families._pep249 import by_constraint_words, driver
from errata.classification._reach import read_number
from errata.classification._verdicts import LOCKED
from errata.model import Code, Retry
from errata.redaction import text_of

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
    return next((answer for phrase, answer in phrases if phrase in text), None)


def _files_of_duckdb(error: BaseException) -> RuleResult:
    """What its text says about the file."""
    return _find_phrase(_DUCKDB_SAYS_IO, error)


def _transaction_of_duckdb(error: BaseException) -> RuleResult:
    """Whether another transaction came first."""
    return LOCKED if "conflict" in text_of(error)[:1000].lower() else None


def _existing(error: BaseException) -> RuleResult:
    """Whether something of that name exists already."""
    return Code.CONFLICT if "already exists" in text_of(error)[:1000] else None


_TRIED_WITH_SQLITE = first(by_sqlite_code, _by_sqlite_text)

# fmt: off
_APSW: dict[str, Rule] = {
    "AbortError": Code.DATABASE_ERROR, "AuthError": Code.FORBIDDEN, "BindingsError": Code.INTERNAL_ERROR, "BusyError": LOCKED, "CantOpenError": Code.DATABASE_ERROR,
    "ConnectionClosedError": Code.INTERNAL_ERROR, "ConstraintError": first(_TRIED_WITH_SQLITE, Code.CONFLICT),
    "CorruptError": Code.DATABASE_ERROR, "CursorClosedError": Code.INTERNAL_ERROR,
    "Error": first(_TRIED_WITH_SQLITE, Code.DATABASE_ERROR), "FullError": _FULL, "InterruptError": Code.CANCELLED, "IOError": Code.DATABASE_ERROR,
    "LockedError": LOCKED, "MismatchError": Code.VALIDATION_FAILED, "MisuseError": Code.INTERNAL_ERROR,
    "NoMemError": Code.SERVICE_UNAVAILABLE, "NotADBError": Code.DATABASE_ERROR, "PermissionsError": Code.FORBIDDEN, "ProtocolError": LOCKED,
    "RangeError": Code.INTERNAL_ERROR, "ReadOnlyError": Code.FORBIDDEN, "SchemaChangeError": LOCKED, "SQLError": Code.DATABASE_ERROR,
    "ThreadingViolationError": Code.INTERNAL_ERROR, "TooBigError": Code.VALIDATION_FAILED,
}
_DUCKDB: dict[str, Rule] = {
    "BinderException": Code.DATABASE_ERROR,
    "CatalogException": first(_existing, Code.DATABASE_ERROR),
    "ConnectionException": Code.INTERNAL_ERROR,  # It was closed: there is no server.
    "ConstraintException": first(by_constraint_words, Code.CONFLICT),
    "ConversionException": Code.VALIDATION_FAILED,
    "DependencyException": Code.CONFLICT,
    "FatalException": Code.DATABASE_ERROR,
    "HTTPException": first(by_status, _files_of_duckdb, Code.UPSTREAM_ERROR),
    "InternalException": Code.DATABASE_ERROR,
    "InterruptException": Code.CANCELLED,
    "InvalidInputException": Code.INVALID_PARAMS,
    "InvalidTypeException": Code.INVALID_PARAMS,
    "IOException": first(_files_of_duckdb, Code.DATABASE_ERROR),
    "NotImplementedException": Code.NOT_IMPLEMENTED,
    "OutOfMemoryException": Code.SERVICE_UNAVAILABLE,
    "OutOfRangeException": Code.VALIDATION_FAILED,
    "ParserException": Code.DATABASE_ERROR,
    "PermissionException": Code.FORBIDDEN,
    "ResourceInUseException": LOCKED,
    "SequenceException": Code.DATABASE_ERROR,
    "SerializationException": Code.SERIALIZATION_ERROR,
    "SyntaxException": Code.DATABASE_ERROR,
    "TransactionException": first(_transaction_of_duckdb, Code.DATABASE_ERROR),
    "TypeMismatchException": Code.VALIDATION_FAILED,
}
# fmt: on

TABLE: Table = {
    **driver("sqlite3", by_sqlite_code, _by_sqlite_text),  # aiosqlite raises these, too.
    **driver("pysqlite3.dbapi2", by_sqlite_code, _by_sqlite_text),
    **driver("sqlcipher3.dbapi2", by_sqlite_code, _by_sqlite_text),
    **{f"apsw.{name}": rule for name, rule in _APSW.items()},
    **driver("_duckdb"),
    **{f"_duckdb.{name}": rule for name, rule in _DUCKDB.items()},
    **driver("duckdb"),  # Its home until version 1.3.
    **{f"duckdb.{name}": rule for name, rule in _DUCKDB.items()},
}
