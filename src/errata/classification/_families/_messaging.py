"""Brokers, queues and WebSockets: AMQP's reply codes, Kafka's names, the codes a WebSocket is closed with."""

from errata.classification._carried import by_status
from errata.classification._exception_rules import (
    LOCKED,
    REDIRECTS,
    REFUSED,
    UNKNOWN_HOST,
    WAIT,
    Classification,
    Rule,
    RuleResult,
    Table,
    first,
    in_words,
    words_at,
)
from errata.classification._families._network import by_connection, by_network_words, by_what_broke
from errata.classification._foreign import call_method, peek, read_argument, read_exception, read_number, read_text
from errata.http import status_to_code
from errata.model import Code, Retry, is_a, items_of
from errata.redaction import text_of

_MOST = 8

# fmt: off
_AMQP: dict[int, Code | Classification] = {
    311: Code.VALIDATION_FAILED,      # content too large
    312: Code.NOT_FOUND,              # no route
    313: WAIT,                        # no consumers
    320: Code.SERVICE_UNAVAILABLE,    # closed by the broker, most often to shut down
    402: Code.CONFIGURATION_ERROR,    # no such virtual host
    403: Code.FORBIDDEN, 404: Code.NOT_FOUND,
    405: LOCKED,                      # the queue is somebody else's for now
    406: Code.CONFLICT,               # declared before with other arguments
    501: Code.UPSTREAM_ERROR, 502: Code.UPSTREAM_ERROR, 503: Code.INTERNAL_ERROR, 504: Code.INTERNAL_ERROR, 505: Code.UPSTREAM_ERROR,
    506: Code.SERVICE_UNAVAILABLE,    # out of resources
    530: Code.FORBIDDEN, 540: Code.NOT_IMPLEMENTED, 541: Code.UPSTREAM_ERROR,
}
_CLOSED: dict[int, Code | Classification] = {
    1002: Code.UPSTREAM_ERROR,        # protocol error
    1003: Code.INVALID_PARAMS, 1007: Code.INVALID_PARAMS,  # data the peer cannot read
    1008: Code.FORBIDDEN,             # policy violation
    1009: Code.VALIDATION_FAILED,     # message too big
    1010: Code.NOT_IMPLEMENTED,       # extension missing
    1011: Code.UPSTREAM_ERROR,        # internal error
    1012: Code.SERVICE_UNAVAILABLE, 1013: Code.SERVICE_UNAVAILABLE, 1014: Code.SERVICE_UNAVAILABLE,  # restart, try again later, bad gateway
    1015: Classification(Code.NETWORK_ERROR, Retry.NEVER),         # TLS
    3000: Code.UNAUTHORIZED, 3003: Code.FORBIDDEN, 3008: Code.TIMEOUT,
}
_MQTT: dict[int, Code | Classification] = {
    3: WAIT, 4: Code.UNAUTHORIZED, 5: Code.UNAUTHORIZED,  # as versions 3 count
    134: Code.UNAUTHORIZED, 135: Code.FORBIDDEN, 136: WAIT, 137: WAIT, 149: Code.VALIDATION_FAILED, 151: Code.RATE_LIMITED, 159: Code.RATE_LIMITED,
}
_STATUS_AS_CLOSE_CODE = range(4400, 4600)  # Many services add 4000 to an HTTP status.
_KAFKA_NAMES: dict[Code | Classification, tuple[str, ...]] = {  # As the brokers write them, and librdkafka, whose own begin with "_".
    Code.TIMEOUT: ("_MSG_TIMED_OUT", "_TIMED_OUT", "_TIMED_OUT_QUEUE", "REQUEST_TIMED_OUT"),
    Code.NETWORK_ERROR: ("_TRANSPORT", "NETWORK_EXCEPTION"),
    REFUSED: ("_ALL_BROKERS_DOWN",),
    UNKNOWN_HOST: ("_RESOLVE", "_SSL"),
    Code.UNAUTHORIZED: ("_AUTHENTICATION", "SASL_AUTHENTICATION_FAILED"),
    Code.FORBIDDEN: ("TOPIC_AUTHORIZATION_FAILED", "GROUP_AUTHORIZATION_FAILED", "CLUSTER_AUTHORIZATION_FAILED", "TRANSACTIONAL_ID_AUTHORIZATION_FAILED"),
    Code.NOT_FOUND: ("UNKNOWN_TOPIC_OR_PART", "UNKNOWN_TOPIC_OR_PARTITION", "_UNKNOWN_TOPIC", "_UNKNOWN_PARTITION", "_UNKNOWN_GROUP", "GROUP_ID_NOT_FOUND"),
    Code.CONFLICT: ("TOPIC_ALREADY_EXISTS", "ILLEGAL_GENERATION", "UNKNOWN_MEMBER_ID", "_STATE", "_CONFLICT", "_FENCED", "PRODUCER_FENCED", "INVALID_PRODUCER_EPOCH"),
    LOCKED: ("REBALANCE_IN_PROGRESS", "CONCURRENT_TRANSACTIONS"),
    Code.VALIDATION_FAILED: ("MSG_SIZE_TOO_LARGE", "MESSAGE_SIZE_TOO_LARGE", "RECORD_LIST_TOO_LARGE", "INVALID_TIMESTAMP", "OFFSET_OUT_OF_RANGE", "_BAD_MSG", "INVALID_RECORD"),
    Code.INVALID_PARAMS: ("_INVALID_ARG", "TOPIC_EXCEPTION", "INVALID_TOPIC", "INVALID_GROUP_ID", "POLICY_VIOLATION", "INVALID_PARTITIONS", "INVALID_REPLICATION_FACTOR", "INVALID_CONFIG"),
    Code.RATE_LIMITED: ("THROTTLING_QUOTA_EXCEEDED",),
    WAIT: ("_QUEUE_FULL", "LEADER_NOT_AVAILABLE", "NOT_LEADER_FOR_PARTITION", "COORDINATOR_NOT_AVAILABLE", "COORDINATOR_LOAD_IN_PROGRESS", "NOT_COORDINATOR", "NOT_CONTROLLER", "BROKER_NOT_AVAILABLE", "NOT_ENOUGH_REPLICAS", "REPLICA_NOT_AVAILABLE"),
    Code.NOT_IMPLEMENTED: ("UNSUPPORTED_VERSION", "UNSUPPORTED_FOR_MESSAGE_FORMAT", "UNSUPPORTED_SASL_MECHANISM", "_UNSUPPORTED_FEATURE", "_NOT_IMPLEMENTED"),
    Code.SERIALIZATION_ERROR: ("_KEY_SERIALIZATION", "_VALUE_SERIALIZATION", "_KEY_DESERIALIZATION", "_VALUE_DESERIALIZATION"),
}
# fmt: on
_BY_KAFKA_NAME = {name: known for known, names in _KAFKA_NAMES.items() for name in names}


def _by_amqp_code(error: BaseException) -> RuleResult:
    """AMQP's reply code."""
    code = next((number for name in ("reply_code", "code") if (number := read_number(error, name))), None)
    code = read_number({"it": read_argument(error)}, "it") if code is None else code
    text = text_of(error)[:1000].lower()
    if code == 403 and "login was refused" in text:  # noqa: PLR2004 - ACCESS_REFUSED, for the connection and for a queue
        return Code.UNAUTHORIZED
    if code == 530 and "vhost" in text:  # noqa: PLR2004 - NOT_ALLOWED
        return Code.CONFIGURATION_ERROR
    return _AMQP.get(code or 0)


def _by_workflow(error: BaseException) -> RuleResult:
    """What broke, inside the attempts to connect."""
    for _ in range(_MOST):
        attempts = [each for each in items_of(peek(error, "exceptions")) if is_a(each, BaseException)]
        deeper = read_exception(error, "exception") or (
            attempts[-1] if attempts else read_exception(read_argument(error))
        )
        if deeper is None:
            return None
        if not type(deeper).__module__.startswith("pika."):
            return deeper
        error = deeper
    return None


def _by_close_code(error: BaseException) -> RuleResult:
    """The code that the peer closed the connection with."""
    code = read_number(error, "rcvd", "code")
    if code is None or peek(error, "rcvd_then_sent") is False:  # Only an echo of ours.
        return None
    return status_to_code(code - 4000) if code in _STATUS_AS_CLOSE_CODE else _CLOSED.get(code)


def _by_kafka_name(error: BaseException) -> RuleResult:
    """Kafka's name for the failure, and whether it may be tried again."""
    failure = read_argument(error)
    name = call_method(failure, "name")
    known = _BY_KAFKA_NAME.get(name if is_a(name, str) else "")
    return known or (WAIT if call_method(failure, "retriable") is True else None)


def _by_brokers_name(error: BaseException) -> RuleResult:
    """The broker's name for the failure."""
    return _BY_KAFKA_NAME.get(read_text(error, "message") or "")


def _by_mqtt_reason(error: BaseException) -> RuleResult:
    """MQTT's reason code."""
    return _MQTT.get(read_number(error, "rc") or read_number(error, "rc", "value") or 0)


_AMQP_ROW = first(_by_amqp_code, by_what_broke, Code.UPSTREAM_ERROR)
_CLOSED_BY_BROKER = in_words(words_at("reply_text"), first(_by_amqp_code, Code.NETWORK_ERROR))

# fmt: off
_PIKA: dict[str, Rule] = {
    "AMQPConnectionError": first(_by_workflow, by_connection),
    "ChannelClosed": _CLOSED_BY_BROKER,
    "ConnectionClosed": _CLOSED_BY_BROKER,
    "StreamLostError": by_connection,
}
_KAFKA: dict[str, Rule] = {
    "BrokerResponseError": first(_by_brokers_name, Code.UPSTREAM_ERROR),
    "KafkaConnectionError": by_connection,
    "KafkaError": first(by_network_words, Code.UPSTREAM_ERROR),
}
_NATS: dict[str, Rule] = {
    "js.errors.APIError": first(by_status, Code.UPSTREAM_ERROR),
}
_WEBSOCKETS: dict[str, Rule] = {
    "exceptions.ConnectionClosed": first(_by_close_code, by_what_broke, Code.NETWORK_ERROR),
    "exceptions.InvalidMessage": first(by_what_broke, Code.UPSTREAM_ERROR),
    "exceptions.InvalidProxyStatus": first(by_status, Code.NETWORK_ERROR),
    "exceptions.InvalidStatus": first(by_status, REDIRECTS),
    "exceptions.ProxyError": first(by_what_broke, Code.NETWORK_ERROR),
    "legacy.exceptions.AbortHandshake": first(by_status, Code.UPSTREAM_ERROR),
    "legacy.exceptions.InvalidStatusCode": first(by_status, REDIRECTS),
}
TABLE: Table = {
    **{f"pika.exceptions.{name}": rule for name, rule in _PIKA.items()},
    "pika.adapters.utils.connection_workflow.AMQPConnectorException": first(_by_workflow, Code.NETWORK_ERROR),
    "amqp.exceptions.AMQPError": _AMQP_ROW,
    "amqp.exceptions.RecoverableConnectionError": first(_by_amqp_code, by_what_broke, Code.NETWORK_ERROR),
    "aiormq.exceptions.AMQPConnectionError": first(_by_amqp_code, by_connection),
    "aiormq.exceptions.AMQPError": _AMQP_ROW,
    "aiormq.exceptions.ConnectionClosed": first(_by_amqp_code, Code.NETWORK_ERROR),
    "kombu.exceptions.OperationalError": by_connection,
    **{f"{package}.errors.{name}": rule for package in ("kafka", "aiokafka") for name, rule in _KAFKA.items()},
    "cimpl.KafkaException": first(_by_kafka_name, Code.UPSTREAM_ERROR),
    "confluent_kafka.error.KafkaException": first(_by_kafka_name, Code.UPSTREAM_ERROR),
    **{f"nats.{name}": rule for name, rule in _NATS.items()},
    "aiomqtt.exceptions.MqttCodeError": first(_by_mqtt_reason, Code.NETWORK_ERROR),
    "aiomqtt.exceptions.MqttError": by_connection,
    **{f"websockets.{name}": rule for name, rule in _WEBSOCKETS.items()},
    "websocket._exceptions.WebSocketBadStatusException": first(by_status, REDIRECTS),
    "websocket._exceptions.WebSocketException": first(by_what_broke, by_network_words, Code.UPSTREAM_ERROR),
    "socketio.exceptions.ConnectionError": by_connection,
}
# fmt: on
