"""The effect happened, and the answer got lost: is it done once?"""

import logging
import sys
import threading
from contextlib import asynccontextmanager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import fastmcp
import pytest
from fastmcp.client.transports import StdioTransport
from mcp import StdioServerParameters
from support import payment_till
from support.raw_wire_client import over_http
from support.scripted_http_server import DESTROYS, connect, hang_up

from errata import Code, Retry
from errata.client import Caller, CallFailed

pytestmark = pytest.mark.anyio


class Bank:
    """Takes the money at once, and hangs up instead of answering."""

    def __init__(self):
        self.payments = []
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._teller())
        self.address = f"127.0.0.1:{self._http.server_address[1]}"

    def _teller(self):
        bank = self

        class Teller(BaseHTTPRequestHandler):
            def do_POST(self):
                bank.payments.append(int(self.rfile.read(int(self.headers["content-length"]))))
                hang_up(self, None)

        return Teller

    @contextmanager
    def open(self):
        thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._http.shutdown()
            self._http.server_close()
            thread.join(60)


@pytest.fixture
def bank():
    with Bank().open() as bank:
        yield bank


@pytest.fixture(autouse=True)
def quiet():
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def command(layer, bank):
    return sys.executable, [str(Path(payment_till.__file__)), layer, bank.address]


@asynccontextmanager
async def reached(way, layer, bank):
    """Give what a client connects to."""
    if way == "HTTP":
        async with over_http(payment_till.till(layer, bank.address)) as url:
            yield url
        return
    program, arguments = command(layer, bank)
    environment = {"PYTHONPATH": ":".join(sys.path), "FASTMCP_LOG_LEVEL": "CRITICAL"}
    if layer == "errata":
        yield StdioServerParameters(command=program, args=arguments, env=environment)
    else:
        yield StdioTransport(program, arguments, env=environment)


async def test_payments_whose_answers_got_lost_are_made_once_over_stdio(bank, at_once):
    async with reached("stdio", "errata", bank) as target, Caller.connect(target, retry=at_once) as caller:
        with pytest.raises(CallFailed) as at_the_bank:
            await caller.call("pay", {"cents": 5})
        with pytest.raises(CallFailed) as with_the_server:
            await caller.call("pay_and_die", {"cents": 7})
    assert bank.payments == [5, 7]
    assert (at_the_bank.value.code, at_the_bank.value.fault.retry) == (Code.NETWORK_ERROR, Retry.VERIFY_FIRST)
    assert (with_the_server.value.fault.retry, with_the_server.value.is_local) == (Retry.VERIFY_FIRST, True)


async def test_a_payment_whose_answer_got_lost_is_made_once_over_http(bank, at_once):
    async with reached("HTTP", "errata", bank) as target, Caller.connect(target, retry=at_once) as caller:
        with pytest.raises(CallFailed) as caught:
            await caller.call("pay", {"cents": 5})
    assert bank.payments == [5]
    assert (caught.value.code, caught.value.fault.retry) == (Code.NETWORK_ERROR, Retry.VERIFY_FIRST)


@pytest.mark.parametrize("way", ["stdio", "HTTP"])
async def test_the_same_payment_is_made_four_times_by_the_retries_of_fastmcp(way, bank):
    async with reached(way, "fastmcp", bank) as target, fastmcp.Client(target) as client:
        result = await client.call_tool("pay", {"cents": 5}, raise_on_error=False)
    assert result.is_error
    assert bank.payments == [5, 5, 5, 5]


async def test_a_payment_whose_connection_was_cut_is_made_once(server, at_once):
    paid = []

    def pay(handler, message):
        paid.append(message["params"]["arguments"]["cents"])
        hang_up(handler, message)

    server.annotations = {"pay": DESTROYS}
    server.answers = [pay, pay, pay]
    async with connect(server.url, retry=at_once) as caller:
        with pytest.raises(CallFailed) as caught:
            await caller.call("pay", {"cents": 5})
    assert paid == [5]
    assert caught.value.fault.retry is Retry.VERIFY_FIRST
