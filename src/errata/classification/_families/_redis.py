"""Redis, Valkey and Memcached: the word a server's reply begins with, and the client's classes."""

from errata.classification._answer import Classification, Rule, RuleResult, Table, first
from errata.classification._families._connection import NOT_SENT_IN_TIME, by_network_words, by_what_broke, held_at
from errata.classification._reach import read_text
from errata.classification._verdicts import BUG, LOCKED, REFUSED, WAIT
from errata.model import Code, Retry
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
    "READONLY": WAIT,                         # After a failover, until the client has found the new master.
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
    said = _REPLIES.get(read_text(error, "status_code") or "") or _REPLIES.get(text.partition(" ")[0])
    return said or next((answer for phrase, answer in _SAYINGS if phrase in text.lower()), None)


def _of_time(error: BaseException) -> RuleResult:
    """Whether the time ran out while connecting."""
    return NOT_SENT_IN_TIME if "connecting to" in text_of(error)[:200] else Code.TIMEOUT


def _of_locks(error: BaseException) -> RuleResult:
    """Whether the lock could not be had in time."""
    return LOCKED if "acquire" in text_of(error)[:200] else Code.CONFLICT


def _of_clusters(error: BaseException) -> RuleResult:
    """Whether no node of the cluster answers."""
    return REFUSED if "cannot be connected" in text_of(error)[:200] else Code.DATABASE_ERROR


_CONNECTION = first(_by_reply, by_what_broke, by_network_words, Code.NETWORK_ERROR)

# fmt: off
_CLIENT: dict[str, Rule] = {
    "exceptions.AskError": _MOVED,
    "exceptions.AuthenticationError": Code.UNAUTHORIZED,
    "exceptions.AuthenticationWrongNumberOfArgsError": Code.CONFIGURATION_ERROR,
    "exceptions.AuthorizationError": Code.FORBIDDEN,
    "exceptions.BusyLoadingError": WAIT,
    "exceptions.ChildDeadlockedError": BUG,
    "exceptions.ClusterCrossSlotError": Code.DATABASE_ERROR,
    "exceptions.ClusterDownError": WAIT,
    "exceptions.ClusterError": Code.SERVICE_UNAVAILABLE,
    "exceptions.ConnectionError": _CONNECTION,
    "exceptions.CrossSlotTransactionError": Code.DATABASE_ERROR,
    "exceptions.DataError": Code.INVALID_PARAMS,
    "exceptions.ExecAbortError": Code.DATABASE_ERROR,
    "exceptions.ExternalAuthProviderError": Code.SERVICE_UNAVAILABLE,
    "exceptions.IncorrectPolicyType": BUG,
    "exceptions.InvalidPipelineStack": BUG,
    "exceptions.InvalidResponse": Code.UPSTREAM_ERROR,
    "exceptions.LockError": _of_locks,
    "exceptions.LockNotOwnedError": Code.CONFLICT,
    "exceptions.MasterDownError": WAIT,
    "exceptions.MaxConnectionsError": WAIT,
    "exceptions.ModuleError": Code.DATABASE_ERROR,
    "exceptions.MovedError": _MOVED,
    "exceptions.NoPermissionError": Code.FORBIDDEN,
    "exceptions.NoScriptError": Code.NOT_FOUND,
    "exceptions.NoSuchFieldsetError": Code.DATABASE_ERROR,
    "exceptions.OutOfMemoryError": Code.SERVICE_UNAVAILABLE,
    "exceptions.PubSubError": BUG,
    "exceptions.ReadOnlyError": WAIT,
    "exceptions.ResponseError": first(_by_reply, Code.DATABASE_ERROR),
    "exceptions.SlotNotCoveredError": WAIT,
    "exceptions.TimeoutError": _of_time,
    "exceptions.TryAgainError": WAIT,
    "exceptions.WatchError": LOCKED,
    "sentinel.MasterNotFoundError": WAIT,
    "sentinel.SlaveNotFoundError": WAIT,
    "auth.err.InvalidTokenSchemaErr": Code.UNAUTHORIZED,
    "auth.err.RequestTokenErr": Code.UNAUTHORIZED,
    "auth.err.TokenRenewalErr": Code.UNAUTHORIZED,
    "multidb.exception.InitialHealthCheckFailedError": WAIT,
    "multidb.exception.NoValidDatabaseException": WAIT,
    "multidb.exception.TemporaryUnavailableException": WAIT,
    "multidb.exception.UnhealthyDatabaseException": first(held_at("original_exception"), WAIT),
}
_MEMCACHED: Table = {
    "pymemcache.exceptions.MemcacheClientError": Code.INVALID_REQUEST,
    "pymemcache.exceptions.MemcacheError": Code.DATABASE_ERROR,
    "pymemcache.exceptions.MemcacheIllegalInputError": Code.INVALID_PARAMS,
    "pymemcache.exceptions.MemcacheServerError": Code.DATABASE_ERROR,
    "pymemcache.exceptions.MemcacheUnexpectedCloseError": Code.NETWORK_ERROR,
    "pymemcache.exceptions.MemcacheUnknownCommandError": Code.NOT_IMPLEMENTED,
    "pymemcache.exceptions.MemcacheUnknownError": Code.DATABASE_ERROR,
    "memcache.Client.MemcachedKeyError": Code.INVALID_PARAMS,
    "aiomcache.exceptions.ClientException": Code.DATABASE_ERROR,
    "aiomcache.exceptions.ValidationException": Code.INVALID_PARAMS,
    "pylibmc.Error": Code.DATABASE_ERROR,
    "pylibmc.ConnectionError": Code.NETWORK_ERROR,
    "pylibmc.HostLookupError": Classification(Code.NETWORK_ERROR, Retry.NEVER),
    "pylibmc.NotFound": Code.NOT_FOUND,
    "pylibmc.TooBig": Code.VALIDATION_FAILED,
}
TABLE: Table = {
    **{f"{package}.{name}": rule for package in ("redis", "valkey", "aioredis") for name, rule in _CLIENT.items()},
    "redis.exceptions.RedisClusterException": _of_clusters,
    "redis.exceptions.RedisError": first(_by_reply, by_network_words, Code.DATABASE_ERROR),
    "valkey.exceptions.ValkeyClusterException": _of_clusters,
    "valkey.exceptions.ValkeyError": first(_by_reply, by_network_words, Code.DATABASE_ERROR),
    "aioredis.exceptions.RedisError": first(_by_reply, by_network_words, Code.DATABASE_ERROR),
    "aioredis.errors.AuthError": Code.UNAUTHORIZED,
    "aioredis.errors.ConnectionClosedError": Code.NETWORK_ERROR,
    "aioredis.errors.MaxClientsError": WAIT,
    "aioredis.errors.PoolClosedError": BUG,
    "aioredis.errors.ProtocolError": Code.UPSTREAM_ERROR,
    "aioredis.errors.ReplyError": first(_by_reply, Code.DATABASE_ERROR),
    "aioredis.errors.WatchVariableError": LOCKED,
    **_MEMCACHED,
}
# fmt: on
