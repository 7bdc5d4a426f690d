"""The connection of a store to its Redis, with its own short time limits."""

import contextlib
import functools
import hashlib
import math
import pkgutil
import re
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Final, NamedTuple, TypeAlias, cast
from urllib.parse import quote, unquote

OF_A_CIRCUIT: Final = ("circuit", "failures")
"""How the names of a circuit's keys end."""
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

_OF_ONE: Final = frozenset({"db", "host", "path", "port"})
_IDENTITY: Final = frozenset({"credential_provider", "password", "username"})
_SCHEMES: Final = frozenset({"redis", "rediss", "unix"})
_WAYS: Final = frozenset({"sentinel", "cluster"})

_Settings: TypeAlias = Mapping[str, Any]


def _redis(module: str = "redis") -> Any:  # noqa: ANN401 - most of redis-py has no types to speak of.
    """Load redis-py, or a part of it, when it is used: it is an extra."""
    return import_module(module)


class RedisConnection:
    """Runs scripts on one Redis or one cluster. It is used by one thread."""

    def __init__(self, redis: object, *, prefix: str, timeout_s: float) -> None:
        self._make, self.where = _find_address(redis, timeout_s)
        self._prefix = prefix
        self._timeout_ms = timeout_s * 1000
        self._ahead_ms = -math.inf  # By how much the server's clock is ahead of ours, at most.
        self._client: Any = None
        _load_what_a_connection_needs()

    def run(
        self, upstream: str, arguments: list[str | int], script: str = "circuit", keys: Sequence[str] = OF_A_CIRCUIT
    ) -> object:
        """Run a script; raises whatever went wrong, and then the next time begins with a new connection."""
        try:
            return self._run_in_time(_script(script), name_keys(self._prefix, upstream, keys), arguments)
        except Exception as error:
            self.drop()
            _forget_how(error)
            raise

    def drop(self) -> None:
        """Close the connection."""
        client, self._client = self._client, None
        with contextlib.suppress(Exception):  # It is broken, perhaps in this respect too, and nobody needs it any more.
            client.close()

    def forget(self) -> None:
        """Leave the connection to the process that this one was forked from."""
        self._client = None

    def _run_in_time(self, script: "_Script", keys: Sequence[str], arguments: list[str | int]) -> object:
        """Run a script so that it decides nothing once nobody waits for it: a hung Redis goes on with what it was sent."""
        for _ in range(_TRIES):
            began_ms = time.monotonic() * 1000
            void_after = max(began_ms + self._ahead_ms + self._timeout_ms, 0)
            match self._run(script, keys, [math.ceil(void_after), *arguments]):
                case [int(now), *answer]:
                    self._ahead_ms = now - began_ms
                    if answer:
                        return answer
                case strange:
                    return strange
        raise TimeoutError("What it was told arrived too late to count")

    def _run(self, script: "_Script", keys: Sequence[str], arguments: list[str | int]) -> Any:  # noqa: ANN401 - as above.
        if self._client is None:
            self._client = self._make()
        try:
            return self._client.evalsha(script.sha, len(keys), *keys, *arguments)
        except _redis().exceptions.NoScriptError:  # It is new there, or was restarted.
            return self._client.eval(script.text, len(keys), *keys, *arguments)


def _load_what_a_connection_needs() -> None:
    """Load now what a first connection would load in a thread: a child forked then would find it locked for ever."""
    _redis().Connection()  # Connects to nothing, and reads redis-py's version as every connection does.
    "localhost".encode("idna")


def name_keys(prefix: str, upstream: str, keys: Sequence[str] = OF_A_CIRCUIT) -> tuple[str, ...]:
    """Return the names of an upstream's keys. What is in the braces decides the slot of a cluster: all are in one."""
    name = f"{prefix}:{_VERSION}:{{{quote(upstream, safe=':/@ ', errors='surrogatepass')}}}"
    return tuple(f"{name}:{key}" for key in keys)


class _Script(NamedTuple):
    text: str
    sha: str


@functools.cache
def _script(name: str) -> _Script:
    text = pkgutil.get_data(__name__.rpartition(".")[0], f"_{name}.lua")
    if text is None:
        raise FileNotFoundError(f"`errata/resilience/stores/_{name}.lua` cannot be read. Install errata again.")
    return _Script(text.decode(), hashlib.sha1(text, usedforsecurity=False).hexdigest())


def _forget_how(error: BaseException | None) -> None:
    """Break the cycle of redis-py's exceptions and frames: it would keep all callers alive until the next collection."""
    for _ in range(_MOST_CAUSES):
        if error is not None:
            traceback.clear_frames(error.__traceback__)
            error = error.__context__


class _Address(NamedTuple):
    make: Callable[[], Any]
    where: str


def _find_address(redis: object, timeout_s: float) -> _Address:
    if isinstance(redis, str):
        return _read_url(redis, timeout_s)
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


def _read_url(url: str, timeout_s: float) -> _Address:
    """Return the address in a URL. A Valkey is spoken to as a Redis is."""
    scheme, _, rest = url.partition("://")
    name, _, way = scheme.lower().partition("+")
    name = {"valkey": "redis", "valkeys": "rediss"}.get(name, name)
    if not rest or name not in _SCHEMES or (way and (name == "unix" or way not in _WAYS)):
        shown = f"`{scheme}://…`" if rest else "no URL"
        raise ValueError(
            f"`RedisStore` was given {shown}. The schemes it knows are redis, rediss (with TLS) and unix, valkey and valkeys; "
            "`redis+sentinel://host:26379,host:26379/service` asks sentinels, `redis+cluster://host:6379` is a cluster."
        )
    if not way:
        return _address_like(_redis().ConnectionPool.from_url(f"{name}://{rest}"), timeout_s)
    address = _SeveralHosts.of(name, rest)
    return _of_sentinels(address, timeout_s) if way == "sentinel" else _of_cluster(address, timeout_s)


def _quote_identity(who: str) -> str:
    """Return `name:password@`, quoted so that no sign in it ends it."""
    return f"{quote(who, safe=':%')}@" if who else ""


class _SeveralHosts(NamedTuple):
    """A URL that names some hosts of many: `name:password@one:1,two:2/path?ssl_ca_certs=…`."""

    hosts: list[tuple[str, int]]
    path: list[str]
    settings: dict[str, Any]
    is_secure: bool

    @classmethod
    def of(cls, name: str, rest: str) -> "_SeveralHosts":
        parts = _SEVERAL.fullmatch(rest)
        if parts is None:
            raise ValueError(
                "`RedisStore` was given hosts that are none. Give each with its port, as in `one:26379,two:26379`."
            )
        who, query, path = parts["who"] or "", parts["query"] or "", parts["path"] or ""
        like_one = _redis().ConnectionPool.from_url(f"{name}://{_quote_identity(who)}one/?{query}")
        settings = {key: value for key, value in _kept(like_one.connection_kwargs).items() if key not in _OF_ONE}
        hosts = [cls._host(each) for each in parts["hosts"].split(",")]
        return cls(hosts, [unquote(part) for part in path.split("/") if part], settings, name == "rediss")

    @staticmethod
    def _host(text: str) -> tuple[str, int]:
        host, _, port = text.rpartition(":")
        return host.strip("[]"), int(port)


_HOST = r"(?:\[[0-9a-fA-F:.]+\]|[\w.\-]+):\d{1,5}"
_SEVERAL = re.compile(rf"(?:(?P<who>.*)@)?(?P<hosts>{_HOST}(?:,{_HOST})*)(?P<path>/[^?]*)?(?:\?(?P<query>.*))?")
"""Hosts with their ports, and who asks before them: a password may have any sign in it."""


def _of_sentinels(address: _SeveralHosts, timeout_s: float) -> _Address:
    """Return an address that asks sentinels which Redis is the master; name and password are for the master."""
    match address.path:
        case [service]:
            database = 0
        case [service, number] if number.isdecimal():
            database = int(number)
        case _:
            raise ValueError(
                "`RedisStore` was given sentinels, and not which service they watch. "
                "Give it behind the hosts: `redis+sentinel://host:26379/service`, or `/service/0` with a database."
            )

    def make() -> Any:  # noqa: ANN401 - as above.
        settings = {**address.settings, **_limits(timeout_s, 0), "ssl": address.is_secure}
        unnamed = {name: value for name, value in settings.items() if name not in _IDENTITY}
        sentinels = _redis("redis.sentinel").Sentinel(address.hosts, sentinel_kwargs=unnamed)
        client = sentinels.master_for(service, db=database, **settings)
        client.close = lambda: [each.connection_pool.disconnect() for each in (client, *sentinels.sentinels)]
        return client

    return _Address(make, f"{service} of {_join_hosts(address.hosts)}")


def _of_cluster(address: _SeveralHosts, timeout_s: float) -> _Address:
    module = _redis("redis.cluster")
    nodes = [module.ClusterNode(host, port) for host, port in address.hosts]
    settings = {**address.settings, **_limits(timeout_s, 1), "ssl": address.is_secure}
    return _Address(lambda: module.RedisCluster(startup_nodes=nodes, **settings), _join_hosts(address.hosts))


def _join_hosts(hosts: list[tuple[str, int]]) -> str:
    return ", ".join(f"{host}:{port}" for host, port in hosts[:3])


def _address_like(pool: Any, timeout_s: float) -> _Address:  # noqa: ANN401 - as above.
    return _Address(lambda: _client_like(pool, timeout_s), _name_redis(pool.connection_kwargs))


def _client_like(pool: Any, timeout_s: float) -> Any:  # noqa: ANN401 - as above.
    client = _redis().Redis(connection_pool=_pool_like(pool, timeout_s))
    client.close = client.connection_pool.disconnect  # Its pool is nobody else's: to close it is to hang up.
    return client


def _pool_like(pool: Any, timeout_s: float) -> Any:  # noqa: ANN401 - as above.
    """Return a pool that connects to the same Redis as another, within our time limits."""
    settings = {"connection_class": pool.connection_class, **_kept(pool.connection_kwargs), **_limits(timeout_s, 0)}
    sentinel = _redis("redis.sentinel").SentinelConnectionPool
    if isinstance(pool, sentinel):
        return sentinel(pool.service_name, pool.sentinel_manager, is_master=pool.is_master, **settings)
    return _redis().ConnectionPool(**settings)


def _cluster_like(cluster: Any, timeout_s: float) -> Any:  # noqa: ANN401 - as above.
    """Return a client for the same cluster as another, within our time limits. It asks the cluster where its slots are."""
    module = _redis("redis.cluster")
    given: _Settings = cluster.nodes_manager.connection_kwargs
    settings = {name: value for name, value in _kept(given).items() if name not in _OF_ONE}
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


def _name_redis(settings: _Settings) -> str:
    """Return the name of a Redis in the log, without any secret."""
    path = settings.get("path")
    return str(path) if path else f"{settings.get('host', 'localhost')}:{settings.get('port', 6379)}"
