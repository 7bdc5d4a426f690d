"""What a store can be given, and what it says to the rest."""

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from typing import NamedTuple

import pytest
import redis
import redis.asyncio
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from support.ports import free_port
from support.redis_replicas import replicas_of
from support.redis_server import (
    LONGEST_S,
    cluster_node,
    redis_on_a_port,
    running_cluster,
    running_redis,
    running_sentinel,
)

from errata.resilience import RedisStore
from errata.resilience._circuit import Limits


class Certificate(NamedTuple):
    """The files of a certificate for this machine, which nobody but its owner knows."""

    chain: str
    key: str


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    directory = tmp_path_factory.mktemp("tls")
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    today = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(today - timedelta(days=1))
        .not_valid_after(today + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    (directory / "chain.pem").write_bytes(made.public_bytes(Encoding.PEM))
    (directory / "key.pem").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return Certificate(str(directory / "chain.pem"), str(directory / "key.pem"))


def test_a_client_is_taken_for_its_address_and_left_alone():
    with running_redis() as server:
        client = redis.Redis.from_url(server.url, socket_timeout=None, decode_responses=True, db=3)
        with replicas_of(client) as (one, other):
            one.fail(5)
            other.catch_up()
            assert other.refuses
            assert one.store._worker._connection._client.connection_pool is not client.connection_pool
            assert client.keys() == ["errata:1:{ncbi}:circuit"]


def test_the_time_limits_of_a_url_are_not_ours():
    with RedisStore("redis://localhost:1?socket_timeout=300&max_connections=7", timeout_s=0.25) as store:
        settings = store._worker._connection._make().connection_pool.connection_kwargs
        assert settings["socket_timeout"] == settings["socket_connect_timeout"] == 0.25


def test_a_client_that_asks_sentinels_asks_them_for_us_too():
    sentinel = redis.Sentinel([("localhost", 1)])
    with RedisStore(sentinel.master_for("main", username="u"), timeout_s=0.25) as store:
        pool = store._worker._connection._make().connection_pool
        assert (pool.service_name, pool.sentinel_manager, pool.is_master) == ("main", sentinel, True)
        assert pool.connection_kwargs["username"] == "u"
        assert pool.connection_kwargs["socket_timeout"] == 0.25


def test_tls_is_kept():
    client = redis.Redis(host="cache", ssl=True, ssl_ca_certs="/ca.pem", username="u")
    with RedisStore(client) as store:
        pool = store._worker._connection._make().connection_pool
        assert pool.connection_class is redis.SSLConnection
        assert pool.connection_kwargs["ssl_ca_certs"] == "/ca.pem"
        assert pool.connection_kwargs["username"] == "u"


@pytest.mark.parametrize("given", [redis.asyncio.Redis(), None, 6379, b"redis://localhost"])
def test_anything_else_is_refused_with_what_to_give(given):
    with pytest.raises(TypeError, match=r"`RedisStore` got a `.+`\. Give it a URL such as `redis://localhost"):
        RedisStore(given)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:6379",
        "http://localhost",
        "sentinel://name:hunter2@localhost",
        "redis+tls://name:hunter2@localhost",
        "unix+sentinel:///hunter2",
        "memcached://name:hunter2@localhost",
    ],
)
def test_a_url_of_something_else_is_refused_with_what_to_give_and_without_its_password(url):
    with pytest.raises(ValueError, match="schemes") as refused:
        RedisStore(url)
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize("path", ["", "/", "/main/one", "/main/0/1"])
def test_sentinels_are_told_for_what_they_are_asked(path):
    with pytest.raises(ValueError, match="which service they watch"):
        RedisStore(f"redis+sentinel://localhost:26379{path}")


@pytest.mark.parametrize("way", ["sentinel", "cluster"])
@pytest.mark.parametrize("hosts", ["localhost", "one:1,two", "", ":1"])
def test_each_of_several_hosts_has_its_port(way, hosts):
    with pytest.raises(ValueError, match="Give each with its port"):
        RedisStore(f"redis+{way}://{hosts}/main")


def shares(url, **settings):
    """Whether two replicas share a circuit through what is at a URL."""
    with replicas_of(url, **settings) as (one, other):
        one.fail(5)
        other.catch_up()
        return other.refuses


def test_a_valkey_is_spoken_to_as_a_redis_is():
    with redis_on_a_port() as (port, _):
        assert shares(f"valkey://127.0.0.1:{port}/2")


def test_tls_is_spoken_and_a_certificate_of_nobody_known_is_refused(certificate):
    secured = ("--tls-cert-file", certificate.chain, "--tls-key-file", certificate.key, "--tls-auth-clients", "no")
    with redis_on_a_port(*secured) as (plain, server):
        port = free_port()
        server.client().config_set("tls-port", port)
        for scheme in ("rediss", "valkeys"):
            assert shares(f"{scheme}://127.0.0.1:{port}/0?ssl_ca_certs={certificate.chain}", prefix=scheme)
            with RedisStore(f"{scheme}://127.0.0.1:{port}/0") as store:
                store.circuit("ncbi", Limits())
                assert not store.flush(LONGEST_S)
        assert plain != port


def test_sentinels_are_asked_where_the_master_is():
    with redis_on_a_port() as (master, server):
        server.client().config_set("requirepass", "hunter2")
        with running_sentinel(master, "hunter2") as sentinel:
            assert shares(f"redis+sentinel://:hunter2@127.0.0.1:{sentinel}/main/1")
        assert server.client(password="hunter2", db=1).keys() == ["errata:1:{ncbi}:circuit"]  # noqa: S106 - of a test.


def test_the_first_sentinel_may_be_away():
    with redis_on_a_port() as (master, _), running_sentinel(master) as sentinel:
        assert shares(f"redis+sentinel://127.0.0.1:1,127.0.0.1:{sentinel}/main")


def test_a_cluster_is_found_by_its_url():
    with cluster_node() as port:
        assert shares(f"redis+cluster://127.0.0.1:{port}")
        assert shares(f"valkey+cluster://127.0.0.1:1,127.0.0.1:{port}", prefix="other")


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
    with pytest.raises(ImportError, match=r'needs redis, .* Install it with: pip install "errata-mcp\[redis\]"'):
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
