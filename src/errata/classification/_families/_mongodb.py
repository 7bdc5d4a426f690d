"""MongoDB: what the server's error codes and labels mean, BSON, and the mappers on top."""

from collections.abc import Iterator

from errata.classification._answer import Classification, Rule, RuleResult, Table, first
from errata.classification._families._connection import NOT_SENT_IN_TIME, by_network_words, by_what_broke, held_at
from errata.classification._families._pep249 import by_server_words
from errata.classification._families._rewording import in_words
from errata.classification._reach import peek, read_number, read_text
from errata.classification._unwrap import find_cause
from errata.classification._verdicts import BUG, LOCKED, REFUSED
from errata.model import Code, Retry, items_of
from errata.redaction import text_of

_HALF_DONE = Classification(Code.TIMEOUT, Retry.VERIFY_FIRST)
"""The primary did it; whether the others did is not known."""
_ATLAS = 8000
"""The code of MongoDB's cloud for bad logins, missing rights and quotas alike."""
_MOST = 100

# fmt: off
_MEANING: dict[Code | Classification, tuple[int, ...]] = {
    Code.INVALID_PARAMS: (
        2, 9, 14, 28, 40, 52, 53, 54, 55, 56, 57, 66, 72, 73, 168, 241,   # bad values, names, updates, options, stages
        16410, 16840, 17280, 31249, 31254, 40323, 40324, 40352, 40353,
    ),
    Code.VALIDATION_FAILED: (121, 257, 10003, 10334, 17419, 17420),       # a document that is refused, or too large
    Code.UNAUTHORIZED: (11, 18, 334, 391),
    Code.FORBIDDEN: (13,),                                                # 13 calls itself "Unauthorized" and means rights
    Code.NOT_FOUND: (4, 26, 27, 43),
    Code.CONFLICT: (48, 67, 68, 85, 86, 11000, 11001, 12582),
    LOCKED: (24, 46, 112, 117, 225, 244, 251, 267),                       # locks, write conflicts, aborted transactions
    Code.TIMEOUT: (50, 89, 202, 262, 290),
    _HALF_DONE: (64,),
    Code.CANCELLED: (237, 11601),
    Code.SERVICE_UNAVAILABLE: (
        91, 189, 10058, 10107, 11600, 11602, 13435, 13436,                # no longer the primary, or going down
        63, 70, 74, 133, 134, 150, 175, 234, 13388,                       # a shard, a quorum or the routing is not there
        146,                                                              # out of memory
    ),
    Code.NETWORK_ERROR: (6, 7, 9001),
    Code.RATE_LIMITED: (462, 16500),                                      # 16500: Cosmos DB's "request rate is large"
    Code.NOT_IMPLEMENTED: (59, 115, 166, 263, 303),
    Classification(Code.DATABASE_ERROR, Retry.NEVER): (14031,),                   # the disk is full
}
# fmt: on
_BY_CODE = {number: said for said, numbers in _MEANING.items() for number in numbers}


def _by_code(error: BaseException) -> RuleResult:
    """The server's error code, and the labels it puts on errors that may be tried again."""
    code = read_number(error, "code") or 0
    if code == _ATLAS:
        return by_server_words(error) or Code.FORBIDDEN
    said = _BY_CODE.get(code, Code.DATABASE_ERROR)
    if _has_label(error, "UnknownTransactionCommitResult"):
        return Classification(said if isinstance(said, Code) else said.code, Retry.VERIFY_FIRST)
    if _has_label(error, "SystemOverloadedError"):
        return Classification(Code.SERVICE_UNAVAILABLE, Retry.SAME_CALL)
    if isinstance(said, Code) and _has_label(error, "TransientTransactionError"):
        return Classification(Code.CONFLICT if said is Code.DATABASE_ERROR else said, Retry.SAME_CALL)
    return said


def _has_label(error: BaseException, label: str) -> bool:
    return label in items_of(peek(error, "_error_labels"))


def _server_message(error: BaseException) -> str | None:
    """Find the server's message; the exception's text adds the whole reply, with the documents of a write."""
    return read_text(error, "details", "errmsg") or next(
        (text for each in _failures(error) if (text := read_text(each, "errmsg"))), None
    )


def _failures(error: BaseException) -> Iterator[object]:
    """Walk the failed writes of many."""
    for kind in ("writeErrors", "writeConcernErrors"):
        yield from items_of(peek(error, "details", kind))[:_MOST]


def _by_failed_write(error: BaseException) -> RuleResult:
    """The error code of the first write that failed."""
    codes = (read_number(each, "code") for each in _failures(error))
    return next((said for code in codes if (said := _BY_CODE.get(code or 0)) is not None), None)


def _of_servers(error: BaseException) -> RuleResult:
    """What its text says about the servers: unknown hosts and TLS stay as they are."""
    meant = by_network_words(error)
    return meant if meant is not None and meant.retry is Retry.NEVER else REFUSED


def _of_collections(error: BaseException) -> RuleResult:
    """Whether the collection exists already."""
    return Code.CONFLICT if "exists" in text_of(error)[:1000] else None


_SERVERS = in_words(_server_message, _by_code)

# fmt: off
_PYMONGO: dict[str, Rule] = {
    "AutoReconnect": first(by_what_broke, by_network_words, Code.NETWORK_ERROR),
    "BulkWriteError": in_words(_server_message, first(_by_failed_write, _by_code)),
    "ClientBulkWriteException": first(held_at("error"), in_words(_server_message, first(_by_failed_write, _by_code))),
    "CollectionInvalid": first(_of_collections, Code.VALIDATION_FAILED),
    "ConfigurationError": Code.CONFIGURATION_ERROR,
    "ConnectionFailure": first(by_what_broke, by_network_words, Code.NETWORK_ERROR),
    "CursorNotFound": in_words(_server_message, Code.NOT_FOUND),
    "DocumentTooLarge": Code.VALIDATION_FAILED,
    "DuplicateKeyError": in_words(_server_message, Code.CONFLICT),
    "EncryptedCollectionError": first(held_at("cause"), Code.DATABASE_ERROR),
    "EncryptionError": first(held_at("cause"), Code.DATABASE_ERROR),
    "ExecutionTimeout": in_words(_server_message, Code.TIMEOUT),
    "ExceededMaxWaiters": NOT_SENT_IN_TIME,
    "InvalidName": Code.INVALID_PARAMS,
    "InvalidOperation": BUG,
    "InvalidURI": Code.CONFIGURATION_ERROR,
    "NetworkTimeout": Code.TIMEOUT,
    "NotMasterError": in_words(_server_message, Code.SERVICE_UNAVAILABLE),
    "NotPrimaryError": in_words(_server_message, Code.SERVICE_UNAVAILABLE),
    "OperationFailure": _SERVERS,
    "ProtocolError": Code.UPSTREAM_ERROR,
    "PyMongoError": Code.DATABASE_ERROR,
    "ServerSelectionTimeoutError": _of_servers,
    "WaitQueueTimeoutError": NOT_SENT_IN_TIME,
    "WriteConcernError": _SERVERS,
    "WriteError": _SERVERS,
    "WTimeoutError": in_words(_server_message, _HALF_DONE),
}
_MONGOENGINE: dict[str, Rule] = {
    "errors.BulkWriteError": first(find_cause, Code.DATABASE_ERROR),
    "errors.DoesNotExist": Code.NOT_FOUND,
    "errors.FieldDoesNotExist": BUG,
    "errors.InvalidDocumentError": BUG,
    "errors.InvalidQueryError": Code.INVALID_PARAMS,
    "errors.LookUpError": BUG,
    "errors.MongoEngineException": Code.DATABASE_ERROR,
    "errors.MultipleObjectsReturned": Code.CONFLICT,
    "errors.NotRegistered": BUG,
    "errors.NotUniqueError": Code.CONFLICT,
    "errors.OperationError": first(find_cause, Code.DATABASE_ERROR),
    "errors.SaveConditionError": Code.CONFLICT,
    "errors.ValidationError": Code.VALIDATION_FAILED,
    "connection.ConnectionFailure": first(find_cause, Code.CONFIGURATION_ERROR),
}
TABLE: Table = {
    **{f"pymongo.errors.{name}": rule for name, rule in _PYMONGO.items()},
    "bson.errors.BSONError": Code.SERIALIZATION_ERROR,
    "bson.errors.InvalidBSON": Code.SERIALIZATION_ERROR,
    "bson.errors.InvalidDocument": Code.SERIALIZATION_ERROR,
    "bson.errors.InvalidId": Code.INVALID_FORMAT,
    "bson.errors.InvalidStringData": Code.SERIALIZATION_ERROR,
    "gridfs.errors.CorruptGridFile": Code.DATABASE_ERROR,
    "gridfs.errors.FileExists": Code.CONFLICT,
    "gridfs.errors.GridFSError": Code.DATABASE_ERROR,
    "gridfs.errors.NoFile": Code.NOT_FOUND,
    **{f"mongoengine.{name}": rule for name, rule in _MONGOENGINE.items()},
    "beanie.exceptions.CollectionWasNotInitialized": BUG,
    "beanie.exceptions.DocumentAlreadyCreated": Code.CONFLICT,
    "beanie.exceptions.DocumentNotFound": Code.NOT_FOUND,
    "beanie.exceptions.DocumentWasNotSaved": BUG,
    "beanie.exceptions.RevisionIdWasChanged": Code.CONFLICT,
    "odmantic.exceptions.DocumentNotFoundError": Code.NOT_FOUND,
    "odmantic.exceptions.DuplicateKeyError": Code.CONFLICT,
    "mongomock.DuplicateKeyError": Code.CONFLICT,
}
# fmt: on
