"""What a store can be given, and what it says to the rest."""

import subprocess
import sys

import pytest
import redis
import redis.asyncio
from redis_server import running_cluster, running_redis
from resilience.replicas import replicas_of

from errata.resilience import RedisStore
from errata.resilience._circuit import Limits


def test_a_client_is_taken_for_its_address_and_left_alone():
    with running_redis() as server:
        client = redis.Redis.from_url(server.url, socket_timeout=None, decode_responses=True, db=3)
        with replicas_of(client) as (one, other):
            one.fail(5)
            other.catch_up()
            assert other.refuses
            assert one.store._worker._link._client.connection_pool is not client.connection_pool
            assert client.keys() == ["errata:1:{ncbi}:circuit"]


def test_the_time_limits_of_a_url_are_not_ours():
    with RedisStore("redis://localhost:1?socket_timeout=300&max_connections=7", timeout_s=0.25) as store:
        settings = store._worker._link._make().connection_pool.connection_kwargs
        assert settings["socket_timeout"] == settings["socket_connect_timeout"] == 0.25


def test_a_client_that_asks_sentinels_asks_them_for_us_too():
    sentinel = redis.Sentinel([("localhost", 1)])
    with RedisStore(sentinel.master_for("main", username="u"), timeout_s=0.25) as store:
        pool = store._worker._link._make().connection_pool
        assert (pool.service_name, pool.sentinel_manager, pool.is_master) == ("main", sentinel, True)
        assert pool.connection_kwargs["username"] == "u"
        assert pool.connection_kwargs["socket_timeout"] == 0.25


def test_tls_is_kept():
    client = redis.Redis(host="cache", ssl=True, ssl_ca_certs="/ca.pem", username="u")
    with RedisStore(client) as store:
        pool = store._worker._link._make().connection_pool
        assert pool.connection_class is redis.SSLConnection
        assert pool.connection_kwargs["ssl_ca_certs"] == "/ca.pem"
        assert pool.connection_kwargs["username"] == "u"


@pytest.mark.parametrize("given", [redis.asyncio.Redis(), None, 6379, b"redis://localhost"])
def test_anything_else_is_refused_with_what_to_give(given):
    with pytest.raises(TypeError, match=r"`RedisStore` got a `.+`\. Give it a URL such as `redis://localhost"):
        RedisStore(given)


@pytest.mark.parametrize("url", ["", "localhost:6379", "http://localhost"])
def test_a_url_of_something_else_is_refused(url):
    with pytest.raises(ValueError, match="schemes"):
        RedisStore(url)


@pytest.mark.parametrize("prefix", ["", "{a}", "a}"])
def test_a_prefix_that_would_move_keys_to_other_slots_is_refused(prefix):
    with pytest.raises(ValueError, match="has no braces in it"):
        RedisStore("redis://localhost", prefix=prefix)


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf")])
@pytest.mark.parametrize("name", ["patience_s", "refresh_s", "timeout_s"])
def test_a_time_that_is_none_is_refused(name, seconds):
    with pytest.raises(ValueError, match=f"`{name}` is {seconds}"):
        RedisStore("redis://localhost", **{name: seconds})


def test_without_redis_py_it_is_said_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "redis", None)
    with pytest.raises(ImportError, match=r'needs redis, .* Install it with: pip install "errata\[redis\]"'):
        RedisStore("redis://localhost")


def test_nothing_of_redis_py_is_loaded_by_those_who_do_not_use_it():
    code = "import sys, errata.resilience; sys.exit('redis' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_one_upstream_has_one_circuit_with_one_set_of_limits():
    with RedisStore("redis://localhost") as store:
        circuit = store.circuit("ncbi", Limits())
        assert store.circuit("ncbi", Limits()) is circuit
        with pytest.raises(ValueError, match="`ncbi` has a circuit already"):
            store.circuit("ncbi", Limits(failures=6))


def test_a_cluster_shares_too():
    with running_cluster() as cluster, replicas_of(cluster) as (one, other):
        one.fail(5)
        other.catch_up()
        assert other.refuses
