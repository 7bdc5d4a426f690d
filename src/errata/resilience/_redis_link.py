"""The connection of a store to its Redis, with its own short time limits."""

import contextlib
import functools
import hashlib
import math
import pkgutil
import time
import traceback
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Final, NamedTuple, TypeAlias, cast
from urllib.parse import quote

_MOST_CAUSES: Final = 10
_TRIES: Final = 2  # The first one may only tell the server's time, where it is not known or was set.
_VERSION: Final = 1  # Replicas whose script keeps other fields use other keys.

# Where a connection goes, and as whom. How long it waits, and how often it tries, is for the store to say.
_KEPT: Final = frozenset(
    {
        "credential_provider", "db", "host", "password", "path", "port", "socket_keepalive", "socket_keepalive_options",
        "socket_type", "username",
    }
)  # fmt: skip

_Settings: TypeAlias = Mapping[str, Any]


def _redis(module: str = "redis") -> Any:  # noqa: ANN401 - most of redis-py has no types to speak of.
    """Load redis-py, or a part of it, when it is used: it is an extra."""
    return import_module(module)


class RedisLink:
    """Runs the script on one Redis or one cluster. It is used by one thread."""

    def __init__(self, redis: object, *, prefix: str, timeout_s: float) -> None:
        self._make, self.where = _address_of(redis, timeout_s)
        self._prefix = prefix
        self._timeout_ms = timeout_s * 1000
        self._ahead_ms = -math.inf  # By how much the server's clock is ahead of ours, at most.
        self._client: Any = None

    def run(self, upstream: str, arguments: list[str | int]) -> object:
        """Run the script; raises whatever went wrong, and then the next time begins with a new connection."""
        try:
            return self._run_in_time(upstream, arguments)
        except Exception as error:
            self.drop()
            _forget_how(error)
            raise

    def drop(self) -> None:
        """Give up the connection."""
        client, self._client = self._client, None
        with contextlib.suppress(Exception):  # It is broken, perhaps in this respect too, and nobody needs it any more.
            client.close()

    def forget(self) -> None:
        """Leave the connection to the process that this one was forked from."""
        self._client = None

    def _run_in_time(self, upstream: str, arguments: list[str | int]) -> object:
        """Have it decide nothing once its answer is not waited for any more: a hung Redis goes on with what it was sent."""
        for _ in range(_TRIES):
            began_ms = time.monotonic() * 1000
            void_after = max(began_ms + self._ahead_ms + self._timeout_ms, 0)
            match self._run(upstream, [math.ceil(void_after), *arguments]):
                case [int(now), *answer]:
                    self._ahead_ms = now - began_ms
                    if answer:
                        return answer
                case strange:
                    return strange
        raise TimeoutError("What it was told arrived too late to count")

    def _run(self, upstream: str, arguments: list[str | int]) -> Any:  # noqa: ANN401 - as above.
        if self._client is None:
            self._client = self._make()
        keys = keys_of(self._prefix, upstream)
        try:
            return self._client.evalsha(_script().sha, len(keys), *keys, *arguments)
        except _redis().exceptions.NoScriptError:  # It is new there, or was restarted.
            return self._client.eval(_script().text, len(keys), *keys, *arguments)


def keys_of(prefix: str, upstream: str) -> tuple[str, str]:
    """Name the keys of an upstream. What is in the braces decides the slot of a cluster: all are in one."""
    name = f"{prefix}:{_VERSION}:{{{quote(upstream, safe=':/@ ', errors='surrogatepass')}}}"
    return f"{name}:circuit", f"{name}:failures"


class _Script(NamedTuple):
    text: str
    sha: str


@functools.cache
def _script() -> _Script:
    text = pkgutil.get_data(__name__.rpartition(".")[0], "_circuit.lua")
    if text is None:
        raise FileNotFoundError("`errata/resilience/_circuit.lua` cannot be read. Install errata again.")
    return _Script(text.decode(), hashlib.sha1(text, usedforsecurity=False).hexdigest())


def _forget_how(error: BaseException | None) -> None:
    """Break the circle of redis-py's exceptions and frames: it would keep all that leads here until the next collection."""
    for _ in range(_MOST_CAUSES):
        if error is not None:
            traceback.clear_frames(error.__traceback__)
            error = error.__context__


class _Address(NamedTuple):
    make: Callable[[], Any]
    where: str


def _address_of(redis: object, timeout_s: float) -> _Address:
    if isinstance(redis, str):
        return _address_like(_redis().ConnectionPool.from_url(redis), timeout_s)
    if isinstance(redis, _redis().Redis):
        return _address_like(cast("Any", redis).connection_pool, timeout_s)
    if isinstance(redis, _redis("redis.cluster").RedisCluster):
        cluster = cast("Any", redis)
        nodes = ", ".join(f"{node.host}:{node.port}" for node in cluster.get_nodes()[:3])
        return _Address(lambda: _cluster_like(cluster, timeout_s), nodes)
    kind = f"{type(redis).__module__}.{type(redis).__name__}"
    raise TypeError(
        f"`RedisStore` got a `{kind}`. Give it a URL such as `redis://localhost:6379/0`, a `redis.Redis` or a "
        f"`redis.cluster.RedisCluster`; it opens connections of its own."
    )


def _address_like(pool: Any, timeout_s: float) -> _Address:  # noqa: ANN401 - as above.
    return _Address(lambda: _client_like(pool, timeout_s), _where(pool.connection_kwargs))


def _client_like(pool: Any, timeout_s: float) -> Any:  # noqa: ANN401 - as above.
    client = _redis().Redis(connection_pool=_pool_like(pool, timeout_s))
    client.close = client.connection_pool.disconnect  # Its pool is nobody else's: to close it is to hang up.
    return client


def _pool_like(pool: Any, timeout_s: float) -> Any:  # noqa: ANN401 - as above.
    """Make a pool that goes to the same place as another, within our time limits."""
    settings = {"connection_class": pool.connection_class, **_kept(pool.connection_kwargs), **_limits(timeout_s, 0)}
    sentinel = _redis("redis.sentinel").SentinelConnectionPool
    if isinstance(pool, sentinel):
        return sentinel(pool.service_name, pool.sentinel_manager, is_master=pool.is_master, **settings)
    return _redis().ConnectionPool(**settings)


def _cluster_like(cluster: Any, timeout_s: float) -> Any:  # noqa: ANN401 - as above.
    """Make a client for the same cluster as another, within our time limits. It asks the cluster where its slots are."""
    module = _redis("redis.cluster")
    given: _Settings = cluster.nodes_manager.connection_kwargs
    settings = {name: value for name, value in _kept(given).items() if name not in {"db", "host", "port", "path"}}
    return module.RedisCluster(
        startup_nodes=[module.ClusterNode(node.host, node.port) for node in cluster.get_nodes()],
        address_remap=getattr(cluster.nodes_manager, "address_remap", None),
        ssl=issubclass(given.get("connection_class", object), _redis().SSLConnection),
        **settings,
        **_limits(timeout_s, 1),  # A slot that moved is found by asking twice.
    )


def _kept(settings: _Settings) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if name in _KEPT or name.startswith("ssl_")}


def _limits(timeout_s: float, retries: int) -> dict[str, Any]:

    return {
        "socket_timeout": timeout_s,
        "socket_connect_timeout": timeout_s,
        "retry": _redis("redis.retry").Retry(_redis("redis.backoff").NoBackoff(), retries),
        "protocol": 2,  # Every server and proxy speaks it, and nothing of the third is needed.
    }


def _where(settings: _Settings) -> str:
    """Name a Redis in the log; what it is entered with is not told."""
    path = settings.get("path")
    return str(path) if path else f"{settings.get('host', 'localhost')}:{settings.get('port', 6379)}"
