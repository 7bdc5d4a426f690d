"""Databases that speak no SQL: Redis, MongoDB, Neo4j, search engines, wide columns, vectors."""

from collections.abc import Iterator
from typing import cast

from errata.classification._carried import by_status, classify_status
from errata.classification._exception_rules import (
    BUG,
    LOCKED,
    NOT_SENT_IN_TIME,
    REFUSED,
    WAIT,
    Classification,
    Rule,
    RuleResult,
    Table,
    first,
    in_words,
    words_at,
)
from errata.classification._families._network import by_connection, by_network_words, by_what_broke, held_at
from errata.classification._families._sql_drivers import by_server_words
from errata.classification._foreign import call_method, find_cause, peek, read_number, read_text
from errata.http import read_headers
from errata.model import Code, Retry, is_a, items_of, status_to_code, wait_ms
from errata.redaction import text_of

_MOVED = WAIT._replace(
    text="The key is moving to another node of the cluster."
)  # The exception's text is a slot and an address.

# fmt: off
_REPLIES: dict[str, Code | Classification] = {
    "NOAUTH": Code.UNAUTHORIZED, "WRONGPASS": Code.UNAUTHORIZED,
    "NOPERM": Code.FORBIDDEN, "DENIED": Code.FORBIDDEN,
    "BUSY": WAIT, "LOADING": WAIT, "CLUSTERDOWN": WAIT, "MASTERDOWN": WAIT, "NOMASTERLINK": WAIT, "NOREPLICAS": WAIT, "INPROG": WAIT,
    "NOGOODSLAVE": WAIT, "TRYAGAIN": WAIT, "OOM": Code.SERVICE_UNAVAILABLE,
    "READONLY": WAIT,                          # After a failover, until the client has found the new master.
    "MOVED": _MOVED, "ASK": _MOVED,
    "MISCONF": Code.DATABASE_ERROR,            # It cannot write to its disk.
    "BUSYGROUP": Code.CONFLICT, "BUSYKEY": Code.CONFLICT,
    "NOGROUP": Code.NOT_FOUND, "NOSCRIPT": Code.NOT_FOUND, "NOTREADY": WAIT,
    "NOPROTO": Code.NOT_IMPLEMENTED,
    "UNBLOCKED": Code.CANCELLED,
    "EXECABORT": Code.DATABASE_ERROR, "CROSSSLOT": Code.DATABASE_ERROR, "WRONGTYPE": Code.DATABASE_ERROR,
}
_SAYINGS: tuple[tuple[str, Code | Classification], ...] = (
    ("max number of clients reached", WAIT), ("too many connections", WAIT), ("no connection available", WAIT),
    ("invalid password", Code.UNAUTHORIZED), ("no such key", Code.NOT_FOUND), ("db index is out of range", Code.CONFIGURATION_ERROR),
)
# fmt: on


def _by_reply(error: BaseException) -> RuleResult:
    """The word the server's reply begins with."""
    text = text_of(error)[:1000]
    known = _REPLIES.get(read_text(error, "status_code") or "") or _REPLIES.get(text.partition(" ")[0])
    return known or next((outcome for phrase, outcome in _SAYINGS if phrase in text.lower()), None)


def _of_time(error: BaseException) -> RuleResult:
    """Whether the time ran out while connecting."""
    return NOT_SENT_IN_TIME if "connecting to" in text_of(error)[:200] else Code.TIMEOUT


def _of_locks(error: BaseException) -> RuleResult:
    """Whether the lock could not be had in time."""
    return LOCKED if "acquire" in text_of(error)[:200] else Code.CONFLICT


def _of_clusters(error: BaseException) -> RuleResult:
    """Whether no node of the cluster answers."""
    return REFUSED if "cannot be connected" in text_of(error)[:200] else Code.DATABASE_ERROR


_REDIS_CONNECTION = first(_by_reply, by_connection)

# fmt: off
_CLIENT: dict[str, Rule] = {
    "exceptions.ConnectionError": _REDIS_CONNECTION,
    "exceptions.LockError": _of_locks,
    "exceptions.ResponseError": first(_by_reply, Code.DATABASE_ERROR),
    "exceptions.TimeoutError": _of_time,
    "multidb.exception.UnhealthyDatabaseException": first(held_at("original_exception"), WAIT),
}
_REDIS: Table = {
    **{f"{package}.{name}": rule for package in ("redis", "valkey", "aioredis") for name, rule in _CLIENT.items()},
    "redis.exceptions.RedisClusterException": _of_clusters,
    "redis.exceptions.RedisError": first(_by_reply, by_network_words, Code.DATABASE_ERROR),
    "valkey.exceptions.ValkeyClusterException": _of_clusters,
    "valkey.exceptions.ValkeyError": first(_by_reply, by_network_words, Code.DATABASE_ERROR),
    "aioredis.exceptions.RedisError": first(_by_reply, by_network_words, Code.DATABASE_ERROR),
    "aioredis.errors.ReplyError": first(_by_reply, Code.DATABASE_ERROR),
}
# fmt: on


# MongoDB: what the server's error codes and labels mean, BSON, and the mappers on top.


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
    Classification(Code.DATABASE_ERROR, Retry.NEVER): (14031,),           # the disk is full
}
# fmt: on
_BY_CODE = {number: known for known, numbers in _MEANING.items() for number in numbers}


def _by_code(error: BaseException) -> RuleResult:
    """The server's error code, and the labels it puts on errors that may be tried again."""
    code = read_number(error, "code") or 0
    if code == _ATLAS:
        return by_server_words(error) or Code.FORBIDDEN
    known = _BY_CODE.get(code, Code.DATABASE_ERROR)
    if _has_label(error, "UnknownTransactionCommitResult"):
        return Classification(known if isinstance(known, Code) else known.code, Retry.VERIFY_FIRST)
    if _has_label(error, "SystemOverloadedError"):
        return Classification(Code.SERVICE_UNAVAILABLE, Retry.SAME_CALL)
    if isinstance(known, Code) and _has_label(error, "TransientTransactionError"):
        return Classification(Code.CONFLICT if known is Code.DATABASE_ERROR else known, Retry.SAME_CALL)
    return known


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
    return next((known for code in codes if (known := _BY_CODE.get(code or 0)) is not None), None)


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
    "AutoReconnect": by_connection,
    "BulkWriteError": in_words(_server_message, first(_by_failed_write, _by_code)),
    "ClientBulkWriteException": first(held_at("error"), in_words(_server_message, first(_by_failed_write, _by_code))),
    "CollectionInvalid": first(_of_collections, Code.VALIDATION_FAILED),
    "ConnectionFailure": by_connection,
    "CursorNotFound": in_words(_server_message, Code.NOT_FOUND),
    "DuplicateKeyError": in_words(_server_message, Code.CONFLICT),
    "EncryptedCollectionError": first(held_at("cause"), Code.DATABASE_ERROR),
    "EncryptionError": first(held_at("cause"), Code.DATABASE_ERROR),
    "ExecutionTimeout": in_words(_server_message, Code.TIMEOUT),
    "NotMasterError": in_words(_server_message, Code.SERVICE_UNAVAILABLE),
    "NotPrimaryError": in_words(_server_message, Code.SERVICE_UNAVAILABLE),
    "OperationFailure": _SERVERS,
    "ServerSelectionTimeoutError": _of_servers,
    "WriteConcernError": _SERVERS,
    "WriteError": _SERVERS,
    "WTimeoutError": in_words(_server_message, _HALF_DONE),
}
_MONGOENGINE: dict[str, Rule] = {
    "errors.BulkWriteError": first(find_cause, Code.DATABASE_ERROR),
    "errors.OperationError": first(find_cause, Code.DATABASE_ERROR),
    "connection.ConnectionFailure": first(find_cause, Code.CONFIGURATION_ERROR),
}
_MONGODB: Table = {
    **{f"pymongo.errors.{name}": rule for name, rule in _PYMONGO.items()},
    **{f"mongoengine.{name}": rule for name, rule in _MONGOENGINE.items()},
}
# fmt: on


# Neo4j: the server's codes, `Neo.ClientError.Schema.ConstraintValidationFailed`, and the driver's own classes.


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
    if known := _TITLES.get(title):
        return known
    if title.startswith("Security."):
        return Code.UNAUTHORIZED
    if title.endswith("AlreadyExists"):
        return Code.CONFLICT
    return WAIT if kind == "TransientError" else None


def _of_single_records(error: BaseException) -> RuleResult:
    """Whether there was no record, or several."""
    return Code.NOT_FOUND if "No records" in text_of(error)[:200] else Code.CONFLICT


def _in_server_words(rule: Rule) -> Rule:
    """Make a rule that speaks in the server's message: the text is a dump of the whole record."""
    return in_words(words_at("message"), first(_by_neo4j_code, rule))


# fmt: off
_CLASSES: dict[str, Rule] = {
    "AuthError": _in_server_words(Code.UNAUTHORIZED),
    "ClientError": _in_server_words(Code.DATABASE_ERROR),
    "ConstraintError": _in_server_words(Code.CONFLICT),
    "CypherSyntaxError": _in_server_words(Code.DATABASE_ERROR),
    "CypherTypeError": _in_server_words(Code.DATABASE_ERROR),
    "DatabaseError": _in_server_words(Code.DATABASE_ERROR),
    "DatabaseUnavailable": _in_server_words(WAIT),
    "Forbidden": _in_server_words(Code.FORBIDDEN),
    "ForbiddenOnReadOnlyDatabase": _in_server_words(WAIT),
    "GqlError": _in_server_words(Code.DATABASE_ERROR),
    "Neo4jError": _in_server_words(Code.DATABASE_ERROR),
    "NotALeader": _in_server_words(WAIT),
    "ResultFailedError": first(find_cause, BUG),
    "ResultNotSingleError": _of_single_records,
    "ServiceUnavailable": first(by_what_broke, Code.SERVICE_UNAVAILABLE),
    "TokenExpired": _in_server_words(Code.UNAUTHORIZED),
    "TransactionError": first(find_cause, BUG),
    "TransientError": _in_server_words(WAIT),
}
# fmt: on
_NEO4J: Table = {f"neo4j.exceptions.{name}": rule for name, rule in _CLASSES.items()}


# Search engines, graphs, wide columns, vectors, and databases behind an HTTP API.


def _by_meta(error: BaseException) -> RuleResult:
    """The HTTP status and headers of the reply."""
    status = read_number(error, "meta", "status") or read_number(error, "status_code")
    if status is None or not 400 <= status <= 599:  # noqa: PLR2004 - HTTP's range of failures
        return None
    wait = read_headers(peek(error, "meta", "headers")).wait_ms(status=status)
    return classify_status(status, error)._replace(retry_after_ms=wait)


def _by_failed_item(error: BaseException) -> RuleResult:
    """The HTTP status of the first item that failed."""
    for item in items_of(peek(error, "errors")):
        for action in ("index", "create", "update", "delete"):
            status = read_number(item, action, "status")
            if status is not None:
                return Classification(status_to_code(status), http_status=status)
    return None


def _by_inner_errors(error: BaseException) -> RuleResult:
    """What broke the connection, in `errors`."""
    answers = (
        by_what_broke(each) or by_network_words(each)
        for each in items_of(peek(error, "errors"))
        if is_a(each, BaseException)
    )
    return next((outcome for outcome in answers if outcome is not None), None)


def _by_node_errors(error: BaseException) -> RuleResult:
    """The first error of a host, by its address."""
    errors = peek(error, "errors")
    values = items_of(cast("dict[object, object]", errors).values()) if is_a(errors, dict) else ()
    return next(
        (each for each in values if is_a(each, BaseException) and type(each).__module__.startswith("cassandra")), None
    )


def _by_chroma_status(error: BaseException) -> RuleResult:
    """The HTTP status that its class stands for."""
    status = call_method(error, "code")
    return classify_status(status, error) if is_a(status, int) and 400 <= status <= 599 else None  # noqa: PLR2004 - HTTP's range of failures


def _by_milvus_code(error: BaseException) -> RuleResult:
    """Milvus's error code."""
    return _MILVUS.get(read_number(error, "code") or 0) or by_network_words(error)


def _with_qdrants_wait(error: BaseException) -> RuleResult:
    """How long the server asks to wait."""
    seconds = read_number(error, "retry_after_s") or 0
    return Classification(Code.RATE_LIMITED, retry_after_ms=wait_ms(seconds * 1000) if seconds else None)


# fmt: off
_MILVUS: dict[int, Code | Classification] = {
    1: WAIT, 2: WAIT, 3: WAIT, 4: WAIT, 7: Code.NOT_IMPLEMENTED, 8: Code.RATE_LIMITED, 9: Code.RATE_LIMITED,
    100: Code.NOT_FOUND, 101: WAIT, 200: Code.NOT_FOUND, 201: WAIT, 700: Code.NOT_FOUND, 800: Code.NOT_FOUND, 802: Code.INVALID_PARAMS,
    1100: Code.INVALID_PARAMS, 1101: Code.MISSING_REQUIRED_FIELD, 1400: Code.UNAUTHORIZED, 1401: Code.FORBIDDEN, 1402: Code.FORBIDDEN,
}
_ELASTIC: dict[str, Rule] = {
    "ApiError": first(_by_meta, Code.UPSTREAM_ERROR),
    "BadRequestError": first(_by_meta, Code.INVALID_PARAMS),
    "ConnectionError": first(by_what_broke, _by_inner_errors, by_network_words, Code.NETWORK_ERROR),
    "RequestError": first(_by_meta, Code.INVALID_PARAMS),
    "TransportError": first(_by_meta, by_network_words, Code.NETWORK_ERROR),
}
_ELASTIC_MORE: dict[str, Rule] = {
    "helpers.errors.BulkIndexError": first(_by_failed_item, Code.DATABASE_ERROR),
}
_CASSANDRA: dict[str, Rule] = {
    "cluster.NoHostAvailable": first(_by_node_errors, REFUSED),
}
_WEAVIATE: dict[str, Rule] = {
    "UnexpectedStatusCodeError": first(by_status, Code.UPSTREAM_ERROR),
    "UnexpectedStatusCodeException": first(by_status, Code.UPSTREAM_ERROR),
    "WeaviateBaseError": first(by_status, Code.DATABASE_ERROR),
    "WeaviateConnectionError": by_connection,
}
_STORES: Table = {
    **{f"elasticsearch.exceptions.{name}": rule for name, rule in _ELASTIC.items()},  # Until version 7 it had all of them.
    **{f"opensearchpy.exceptions.{name}": rule for name, rule in _ELASTIC.items()},
    **{f"{package}.{name}": rule for package in ("elasticsearch", "opensearchpy") for name, rule in _ELASTIC_MORE.items()},
    "elastic_transport.ApiError": first(_by_meta, Code.UPSTREAM_ERROR),
    "elastic_transport.ConnectionError": _ELASTIC["ConnectionError"],
    "elastic_transport.TransportError": _ELASTIC["TransportError"],
    **{f"cassandra.{name}": rule for name, rule in _CASSANDRA.items()},
    **{f"weaviate.exceptions.{name}": rule for name, rule in _WEAVIATE.items()},
    "arango.exceptions.ArangoServerError": first(by_status, Code.DATABASE_ERROR),
    "arango.exceptions.ServerConnectionError": first(by_status, by_network_words, Code.NETWORK_ERROR),
    "chromadb.errors.ChromaError": first(_by_chroma_status, Code.DATABASE_ERROR),
    "influxdb.exceptions.InfluxDBClientError": first(by_status, Code.DATABASE_ERROR),
    "influxdb_client.client.exceptions.InfluxDBError": first(by_status, Code.DATABASE_ERROR),
    "influxdb_client.rest.ApiException": first(by_status, by_network_words, Code.UPSTREAM_ERROR),
    "influxdb_client_3.exceptions.exceptions.InfluxDBError": first(by_status, by_what_broke, Code.DATABASE_ERROR),
    "pinecone.exceptions.PineconeApiException": first(by_status, Code.UPSTREAM_ERROR),
    "pymilvus.exceptions.MilvusException": first(_by_milvus_code, Code.DATABASE_ERROR),
    "qdrant_client.common.client_exceptions.ResourceExhaustedResponse": _with_qdrants_wait,
    "qdrant_client.http.exceptions.ResponseHandlingException": first(held_at("source"), Code.UPSTREAM_ERROR),
    "qdrant_client.http.exceptions.UnexpectedResponse": first(by_status, Code.UPSTREAM_ERROR),
    "meilisearch.errors.MeilisearchCommunicationError": by_connection,
}
# fmt: on

TABLE: Table = {**_REDIS, **_MONGODB, **_NEO4J, **_STORES}
