"""A real redis-server, for tests of what is shared through one."""

import os
import random
import shutil
import signal
import subprocess
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import redis
from redis.cluster import RedisCluster

LONGEST_S = 60.0  # Against what hangs; a busy machine takes the time that it takes.


def until(condition, *, what):
    """Ask again and again until something is so, and give it."""
    ends = time.monotonic() + LONGEST_S
    while not (found := condition()):
        assert time.monotonic() < ends, f"this did not come to be within {LONGEST_S:.0f} s: {what}"
    return found


class EndedError(Exception):
    """The server did not stay: its port was taken."""


class RedisServer:
    """A server in a directory of its own, reached by a socket in it: no port, so nobody else can have taken it."""

    def __init__(self, directory, *options, config=None):
        self._socket = directory / "redis.sock"
        begin = [_program(), str(config), "--sentinel"] if config else [_program(), "--save", ""]
        self._command = [
            *(*begin, "--dir", str(directory), "--unixsocket", str(self._socket), "--port", "0"),
            *options,  # The last word counts.
        ]
        self.url = f"unix://{self._socket}"
        self._process = None

    def start(self):
        """Start it, or start it again, empty."""
        self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        until(self._answers, what="redis-server answers")

    def _answers(self):
        if self._process.poll() is not None:
            raise EndedError
        try:
            return self.client().ping()
        except redis.ConnectionError:
            return False

    @property
    def pid(self):
        return self._process.pid

    def client(self, **settings):
        return redis.Redis.from_url(self.url, decode_responses=True, socket_timeout=LONGEST_S, **settings)

    def hang(self):
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self._process.send_signal(signal.SIGCONT)

    def kill(self):
        self._process.kill()
        self._process.wait(LONGEST_S)


@contextmanager
def running_redis(*options, config=None):
    """Run a server for as long as a block takes."""
    with TemporaryDirectory(prefix="errata-redis-") as directory:
        server = RedisServer(Path(directory), *options, config=config)
        try:
            server.start()
            yield server
        finally:
            server.kill()


@contextmanager
def running_cluster():
    """Run a cluster of one node, and give a client of it."""
    with cluster_node() as port, RedisCluster("127.0.0.1", port) as client:
        yield client


@contextmanager
def cluster_node():
    """Run a cluster of one node, and give its port."""
    with ExitStack() as stack:
        port, server = _on_some_port(stack, "--cluster-enabled", "yes")
        server.client().execute_command("CLUSTER", "ADDSLOTS", *range(16384))
        node = server.client()
        until(lambda: node.execute_command("CLUSTER INFO")["cluster_state"] == "ok", what="the cluster is up")
        yield port


@contextmanager
def redis_on_a_port(*options):
    """Run a server that listens on this machine, and give it with its port."""
    with ExitStack() as stack:
        yield _on_some_port(stack, *options)


@contextmanager
def running_sentinel(master_port, password=None):
    """Run a sentinel that watches a server as `main`, and give its port."""
    with ExitStack() as stack:
        directory = Path(stack.enter_context(TemporaryDirectory(prefix="errata-sentinel-")))
        config = directory / "sentinel.conf"
        known = f"sentinel auth-pass main {password}\n" if password else ""
        config.write_text(f"sentinel monitor main 127.0.0.1 {master_port} 1\n{known}")
        port, sentinel = _on_some_port(stack, config=config)
        until(lambda: sentinel.client().execute_command("SENTINEL", "MASTERS"), what="the sentinel watches")
        yield port


def _on_some_port(stack, *options, config=None):
    """Start a server on a port that nobody uses: below those that the system hands out, with room for the bus."""
    for port in random.Random(os.getpid()).sample(range(15_000, 22_000), 20):
        with suppress(EndedError):
            return port, stack.enter_context(
                running_redis("--port", str(port), "--bind", "127.0.0.1", *options, config=config)
            )
    raise EndedError


def _program():
    found = shutil.which("redis-server")
    if not found:
        reason = (
            "redis-server is NOT INSTALLED, so circuits were not shared through a real one; install Redis 6 or later"
        )
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return found
