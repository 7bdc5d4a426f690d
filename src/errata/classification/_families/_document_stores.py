"""Search engines, graphs, wide columns, vectors, and databases behind an HTTP API."""

from typing import cast

from errata.classification._answer import Classification, Rule, RuleResult, Table, first
from errata.classification._carried import by_status, classify_status
from errata.classification._families._connection import NOT_SENT_IN_TIME, by_network_words, by_what_broke, held_at
from errata.classification._reach import call_method, peek, read_number
from errata.classification._verdicts import BUG, LOCKED, REFUSED, TLS, WAIT
from errata.http import read_headers
from errata.model import Code, Retry, is_a, items_of, status_to_code, wait_ms

_CONNECTION = first(by_what_broke, by_network_words, Code.NETWORK_ERROR)


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
    return next((answer for answer in answers if answer is not None), None)


def _by_node_errors(error: BaseException) -> RuleResult:
    """The first error of a host, by its address."""
    errors = peek(error, "errors")
    found = items_of(cast("dict[object, object]", errors).values()) if is_a(errors, dict) else ()
    return next(
        (each for each in found if is_a(each, BaseException) and type(each).__module__.startswith("cassandra")), None
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
    "AuthenticationException": Classification(Code.UNAUTHORIZED, http_status=401),
    "AuthorizationException": Classification(Code.FORBIDDEN, http_status=403),
    "BadRequestError": first(_by_meta, Code.INVALID_PARAMS),
    "ConflictError": Classification(Code.CONFLICT, http_status=409),
    "ConnectionError": first(by_what_broke, _by_inner_errors, by_network_words, Code.NETWORK_ERROR),
    "ConnectionTimeout": Code.TIMEOUT,
    "ImproperlyConfigured": Code.CONFIGURATION_ERROR,
    "NotFoundError": Classification(Code.NOT_FOUND, http_status=404),
    "RequestError": first(_by_meta, Code.INVALID_PARAMS),
    "SSLError": TLS,
    "SerializationError": Code.SERIALIZATION_ERROR,
    "TransportError": first(_by_meta, by_network_words, Code.NETWORK_ERROR),
}
_ELASTIC_MORE: dict[str, Rule] = {
    "dsl.exceptions.IllegalOperation": BUG,
    "dsl.exceptions.UnknownDslObject": BUG,
    "dsl.exceptions.ValidationException": Code.VALIDATION_FAILED,
    "helpers.errors.BulkIndexError": first(_by_failed_item, Code.DATABASE_ERROR),
    "helpers.errors.ScanError": Code.DATABASE_ERROR,
}
_CASSANDRA: dict[str, Rule] = {
    "AlreadyExists": Code.CONFLICT, "AuthenticationFailed": Code.UNAUTHORIZED, "CDCWriteFailure": Code.DATABASE_ERROR, "ConfigurationException": Code.CONFIGURATION_ERROR,
    "CoordinationFailure": Code.DATABASE_ERROR, "DriverException": Code.DATABASE_ERROR, "FunctionFailure": Code.DATABASE_ERROR, "InvalidRequest": Code.INVALID_REQUEST,
    "OperationTimedOut": Code.TIMEOUT, "ReadFailure": Code.DATABASE_ERROR, "ReadTimeout": Code.TIMEOUT, "RequestExecutionException": Code.DATABASE_ERROR,
    "RequestValidationException": Code.INVALID_REQUEST, "Timeout": Code.TIMEOUT, "Unauthorized": Code.FORBIDDEN, "Unavailable": WAIT,
    "UnsupportedOperation": Code.NOT_IMPLEMENTED, "WriteFailure": Code.DATABASE_ERROR, "WriteTimeout": Code.TIMEOUT,
    "cluster.NoHostAvailable": first(_by_node_errors, REFUSED), "cluster.QueryExhaustedException": Code.DATABASE_ERROR,
    "connection.ConnectionBusy": WAIT, "connection.ConnectionException": Code.NETWORK_ERROR, "connection.ConnectionShutdown": Code.NETWORK_ERROR,
    "connection.CrcMismatchException": Code.NETWORK_ERROR, "connection.ProtocolError": Code.UPSTREAM_ERROR, "connection.ProtocolVersionUnsupported": Code.NOT_IMPLEMENTED,
    "cqlengine.CQLEngineException": Code.DATABASE_ERROR, "cqlengine.ValidationError": Code.VALIDATION_FAILED, "cqlengine.query.DoesNotExist": Code.NOT_FOUND,
    "cqlengine.query.LWTException": Code.CONFLICT, "cqlengine.query.MultipleObjectsReturned": Code.CONFLICT, "cqlengine.query.QueryException": BUG,
    "pool.NoConnectionsAvailable": WAIT, "protocol.BadCredentials": Code.UNAUTHORIZED, "protocol.IsBootstrappingErrorMessage": WAIT,
    "protocol.OverloadedErrorMessage": WAIT, "protocol.SyntaxException": Code.DATABASE_ERROR, "protocol.TruncateError": Code.DATABASE_ERROR,
}
_COUCHBASE: dict[str, Rule] = {
    "AmbiguousTimeoutException": Code.TIMEOUT, "AuthenticationException": Code.UNAUTHORIZED, "BucketAlreadyExistsException": Code.CONFLICT, "BucketDoesNotExistException": Code.CONFIGURATION_ERROR,
    "BucketNotFoundException": Code.CONFIGURATION_ERROR, "CASMismatchException": Code.CONFLICT, "CasMismatchException": Code.CONFLICT, "CollectionAlreadyExistsException": Code.CONFLICT,
    "CollectionNotFoundException": Code.NOT_FOUND, "CouchbaseException": Code.DATABASE_ERROR, "DocumentExistsException": Code.CONFLICT, "DocumentLockedException": LOCKED,
    "DocumentNotFoundException": Code.NOT_FOUND, "DocumentUnretrievableException": Code.NOT_FOUND, "DurabilityAmbiguousException": Classification(Code.TIMEOUT, Retry.VERIFY_FIRST),
    "DurabilityImpossibleException": WAIT, "FeatureUnavailableException": Code.NOT_IMPLEMENTED, "IndexAlreadyExistsException": Code.CONFLICT, "IndexNotFoundException": Code.NOT_FOUND,
    "InternalServerFailureException": Code.DATABASE_ERROR, "InvalidArgumentException": Code.INVALID_PARAMS, "InvalidValueException": Code.VALIDATION_FAILED, "KeyspaceNotFoundException": Code.NOT_FOUND,
    "ParsingFailedException": Code.DATABASE_ERROR, "PathExistsException": Code.CONFLICT, "PathNotFoundException": Code.NOT_FOUND, "QueryIndexNotFoundException": Code.NOT_FOUND,
    "QuotaLimitedException": Code.RATE_LIMITED, "RateLimitedException": Code.RATE_LIMITED, "RequestCanceledException": Code.CANCELLED, "ScopeNotFoundException": Code.NOT_FOUND,
    "ServiceUnavailableException": WAIT, "TemporaryFailException": WAIT, "TimeoutException": Code.TIMEOUT, "UnAmbiguousTimeoutException": NOT_SENT_IN_TIME, "ValueTooLargeException": Code.VALIDATION_FAILED,
}
_WEAVIATE: dict[str, Rule] = {
    "AuthenticationFailedError": Code.UNAUTHORIZED, "AuthenticationFailedException": Code.UNAUTHORIZED, "InsufficientPermissionsError": Code.FORBIDDEN, "MissingScopeError": Code.CONFIGURATION_ERROR,
    "ObjectAlreadyExistsError": Code.CONFLICT, "ObjectAlreadyExistsException": Code.CONFLICT, "SchemaValidationError": Code.VALIDATION_FAILED, "SchemaValidationException": Code.VALIDATION_FAILED,
    "UnexpectedStatusCodeError": first(by_status, Code.UPSTREAM_ERROR), "UnexpectedStatusCodeException": first(by_status, Code.UPSTREAM_ERROR), "WeaviateBaseError": first(by_status, Code.DATABASE_ERROR),
    "WeaviateBatchError": Code.DATABASE_ERROR, "WeaviateClosedClientError": BUG, "WeaviateConnectionError": _CONNECTION, "WeaviateGRPCUnavailableError": WAIT, "WeaviateInvalidInputError": Code.INVALID_PARAMS,
    "WeaviateQueryError": Code.DATABASE_ERROR, "WeaviateRetryError": WAIT, "WeaviateStartUpError": WAIT, "WeaviateTimeoutError": Code.TIMEOUT, "WeaviateUnsupportedFeatureError": Code.NOT_IMPLEMENTED,
}
TABLE: Table = {
    **{f"elasticsearch.exceptions.{name}": rule for name, rule in _ELASTIC.items()},  # Until version 7 it had all of them.
    **{f"opensearchpy.exceptions.{name}": rule for name, rule in _ELASTIC.items()},
    **{f"{package}.{name}": rule for package in ("elasticsearch", "opensearchpy") for name, rule in _ELASTIC_MORE.items()},
    "elasticsearch.exceptions.UnsupportedProductError": Code.CONFIGURATION_ERROR,
    "elastic_transport.ApiError": first(_by_meta, Code.UPSTREAM_ERROR),
    "elastic_transport.ConnectionError": _ELASTIC["ConnectionError"],
    "elastic_transport.ConnectionTimeout": Code.TIMEOUT,
    "elastic_transport.SerializationError": Code.SERIALIZATION_ERROR,
    "elastic_transport.SniffingError": Code.NETWORK_ERROR,
    "elastic_transport.TlsError": TLS,
    "elastic_transport.TransportError": _ELASTIC["TransportError"],
    **{f"cassandra.{name}": rule for name, rule in _CASSANDRA.items()},
    **{f"couchbase.exceptions.{name}": rule for name, rule in _COUCHBASE.items()},
    **{f"weaviate.exceptions.{name}": rule for name, rule in _WEAVIATE.items()},
    "arango.exceptions.ArangoClientError": BUG,
    "arango.exceptions.ArangoServerError": first(by_status, Code.DATABASE_ERROR),
    "arango.exceptions.JWTAuthError": Code.UNAUTHORIZED,
    "arango.exceptions.ServerConnectionError": first(by_status, by_network_words, Code.NETWORK_ERROR),
    "chromadb.errors.ChromaError": first(_by_chroma_status, Code.DATABASE_ERROR),
    "influxdb.exceptions.InfluxDBClientError": first(by_status, Code.DATABASE_ERROR),
    "influxdb.exceptions.InfluxDBServerError": Code.UPSTREAM_ERROR,
    "influxdb_client.client.exceptions.InfluxDBError": first(by_status, Code.DATABASE_ERROR),
    "influxdb_client.rest.ApiException": first(by_status, by_network_words, Code.UPSTREAM_ERROR),
    "influxdb_client_3.exceptions.exceptions.InfluxDBError": first(by_status, by_what_broke, Code.DATABASE_ERROR),
    "pinecone.exceptions.PineconeApiException": first(by_status, Code.UPSTREAM_ERROR),
    "pinecone.exceptions.PineconeConfigurationError": Code.CONFIGURATION_ERROR,
    "pinecone.exceptions.PineconeProtocolError": Code.UPSTREAM_ERROR,
    "pymilvus.exceptions.ConnectError": Code.NETWORK_ERROR,
    "pymilvus.exceptions.DataNotMatchException": Code.VALIDATION_FAILED,
    "pymilvus.exceptions.MilvusException": first(_by_milvus_code, Code.DATABASE_ERROR),
    "pymilvus.exceptions.MilvusUnavailableException": WAIT,
    "pymilvus.exceptions.ParamError": Code.INVALID_PARAMS,
    "qdrant_client.common.client_exceptions.ResourceExhaustedResponse": _with_qdrants_wait,
    "qdrant_client.http.exceptions.ResponseHandlingException": first(held_at("source"), Code.UPSTREAM_ERROR),
    "qdrant_client.http.exceptions.UnexpectedResponse": first(by_status, Code.UPSTREAM_ERROR),
    "supabase._sync.client.SupabaseException": Code.CONFIGURATION_ERROR,
    "meilisearch.errors.MeilisearchCommunicationError": _CONNECTION,
    "meilisearch.errors.MeilisearchTimeoutError": Code.TIMEOUT,
    "typesense.exceptions.ObjectAlreadyExists": Code.CONFLICT,
    "typesense.exceptions.ObjectNotFound": Code.NOT_FOUND,
    "typesense.exceptions.ObjectUnprocessable": Code.VALIDATION_FAILED,
    "typesense.exceptions.RequestMalformed": Code.INVALID_REQUEST,
    "typesense.exceptions.RequestUnauthorized": Code.UNAUTHORIZED,
    "typesense.exceptions.RequestForbidden": Code.FORBIDDEN,
    "typesense.exceptions.ServerError": Code.UPSTREAM_ERROR,
    "typesense.exceptions.ServiceUnavailable": WAIT,
    "typesense.exceptions.Timeout": Code.TIMEOUT,
}
# fmt: on
