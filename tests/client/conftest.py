"""What the tests of clients share."""

import sys
from contextlib import asynccontextmanager
from importlib.util import find_spec
from subprocess import DEVNULL

import anyio
import pytest
from mcp import StdioServerParameters
from support.ports import free_port

from errata.client import Caller
from errata.resilience import retry

HAS_CLIENT = find_spec("mcp.client.client") is not None
"""Whether `Caller.connect` has a client to make; mcp 1.x has none, and only `test_older_sdks.py` is for it."""
collect_ignore_glob = [] if HAS_CLIENT else ["test_[!o]*.py"]

if HAS_CLIENT:
    from support import undeclared_shop
    from support.paused_time import be_patient
    from support.scripted_http_server import LONGEST_S, connect, listening


@pytest.fixture(autouse=True)
def patiently(monkeypatch):
    """Let every list of tools, and every end of a program, have its time."""
    if HAS_CLIENT:
        be_patient(monkeypatch)


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture
def server():
    """Answer over HTTP as a test tells it to."""
    with listening() as answering:
        yield answering


@pytest.fixture
def at_once():
    """Repeat as errata does, without waiting."""

    async def no_time(_):
        """Take none."""

    return retry(sleep=no_time, deadline_s=None, random=lambda: 0.0)


@pytest.fixture
def books(tmp_path):
    return undeclared_shop.Books(tmp_path)


@pytest.fixture
def reach_shop(books):
    """Start the shop in a process of its own, and connect to it."""

    @asynccontextmanager
    async def reach(way, mode, **options):
        with anyio.fail_after(5 * LONGEST_S):  # Tests skip some of it.
            if way == "stdio":
                server = StdioServerParameters(
                    command=sys.executable, args=[undeclared_shop.__file__, str(books.folder)]
                )
                async with Caller.connect(server, mode=mode, **options) as caller:
                    yield caller
            else:
                async with _listening(books) as url, connect(url, mode=mode, **options) as caller:
                    yield caller

    return reach


@asynccontextmanager
async def _listening(books):
    port = free_port()
    command = [sys.executable, undeclared_shop.__file__, str(books.folder), str(port)]
    async with await anyio.open_process(command, stdin=None, stdout=DEVNULL, stderr=DEVNULL) as process:
        try:
            while process.returncode is None:
                try:
                    await (await anyio.connect_tcp("127.0.0.1", port)).aclose()
                    break
                except OSError:
                    await anyio.sleep(0.01)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.kill()
