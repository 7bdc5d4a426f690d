"""Does anything count as leave to repeat that nobody gave?"""

import socket
import threading

import fastmcp
import httpx2
import pytest
from hostile.test_refunds import AT_ONCE
from support.ports import free_port
from support.scripted_http_server import DESTROYS, READS, Reply, connect, listening

import errata
from errata import Code, Fault, FaultError, Retry, classify, dialects
from errata.client import Caller, CallFailed
from errata.resilience import backoff_for, protect, retry

pytestmark = pytest.mark.anyio
LICENCE = Fault(code=Code.SERVICE_UNAVAILABLE, message="Busy.", retry=Retry.SAME_CALL, http_status=503)


@pytest.fixture
def server():
    with listening() as answering:
        yield answering


async def runs_of(server, tool, *answers, **arguments):
    server.answers = [*answers]
    async with connect(server.url, retry=AT_ONCE) as caller:
        with pytest.raises(CallFailed):
            await caller.call(tool, arguments)
    return server.calls(tool)


def data_of(dialect):
    payload = dialects.get(dialect).encode(LICENCE)["structuredContent"]
    return {"content": [], "structuredContent": payload, "isError": True, "resultType": "complete"}


@pytest.mark.parametrize(
    "listing", [None, Reply(503), Reply(500), Reply(200, b"no")], ids=["listed", "503", "500", "garbage"]
)
@pytest.mark.parametrize("dialect", dialects.names())
async def test_data_alone_license_nothing_whether_or_not_the_tools_can_be_listed(server, dialect, listing):
    server.annotations = {"do_it": DESTROYS}
    server.listing = listing
    assert await runs_of(server, "do_it", *[data_of(dialect)] * 5) == 1


@pytest.mark.parametrize("status", [400, 403, 404, 409, 413, 423, 500, 502, 504])
async def test_a_status_that_is_not_made_for_it_licenses_nothing_whatever_its_headers_say(server, status):
    server.annotations = {"pay": DESTROYS}
    busy = Reply(
        status, b'{"error": "rate limit exceeded"}', (("content-type", "application/json"), ("retry-after", "0"))
    )
    assert await runs_of(server, "pay", *[busy] * 5) == 1


@pytest.mark.parametrize("key", ["", " ", "\u200b", "\u3164", "null", "None", "undefined", "string"])
async def test_a_key_that_stands_for_nothing_is_none(server, key):
    server.annotations = {"pay": DESTROYS}
    server.properties = {"pay": {"idempotency_key": {}}}
    lost = Reply(500)
    assert await runs_of(server, "pay", *[lost] * 5, idempotency_key=key) == 1


async def test_who_calls_a_tool_read_only_and_destructive_is_believed_the_worse(server):
    server.annotations = {"pay": DESTROYS | READS}
    assert await runs_of(server, "pay", *[Reply(500)] * 5) == 1


@pytest.mark.parametrize("name", ["get_cash", "list_for_sale", "read_receipt"])
async def test_a_name_that_reads_is_said_and_not_acted_upon(name):
    runs = []
    shop = fastmcp.FastMCP("shop")

    def tool() -> str:
        runs.append(name)
        raise TimeoutError

    shop.tool(tool, name=name)
    errata.install(shop)
    async with fastmcp.Client(shop) as client:
        with pytest.raises(CallFailed) as caught:
            await Caller(client, retry=AT_ONCE).call(name)
    assert runs == [name]
    assert "Retry: yes" in caught.value.response["content"][0]["text"]
    assert caught.value.fault.retry is Retry.IF_HARMLESS


class SilentBank:
    """Takes the money and hangs up."""

    def __init__(self):
        self.payments = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/pay"

    def __enter__(self):
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def _serve(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                if connection.recv(65536):
                    self.payments += 1

    def __exit__(self, *_):
        self._listener.close()


def pay_somewhere(bank):
    with httpx2.Client(timeout=30) as http:
        try:
            http.post(bank.url)
        except httpx2.TransportError:
            http.post(f"http://127.0.0.1:{free_port()}/pay")


async def test_a_second_way_that_is_refused_says_nothing_about_the_first():
    shop = fastmcp.FastMCP("shop")
    with SilentBank() as bank:

        @shop.tool(annotations=DESTROYS)
        def pay() -> None:
            pay_somewhere(bank)

        errata.install(shop)
        async with fastmcp.Client(shop) as client:
            with pytest.raises(CallFailed) as caught:
                await Caller(client, retry=AT_ONCE).call("pay")
        assert (bank.payments, caught.value.fault.retry) == (1, Retry.VERIFY_FIRST)
        with pytest.raises(httpx2.ConnectError) as refused:
            pay_somewhere(bank)
    assert classify(refused.value).retry is Retry.IF_HARMLESS
    assert backoff_for(refused.value) is False


def test_what_a_library_wraps_is_one_failure_with_its_wrapping():
    with httpx2.Client() as http, pytest.raises(httpx2.ConnectError) as refused:
        http.get(f"http://127.0.0.1:{free_port()}/")
    assert classify(refused.value).retry is Retry.SAME_CALL


@pytest.mark.parametrize("wrap", ["guard", "retry", "protect"])
async def test_a_mask_hides_what_nobody_foresaw_also_behind_wrappers_of_errata(wrap):
    shop = fastmcp.FastMCP("shop")

    def fails():
        raise ConnectionRefusedError(111, "orders-db.internal refused")

    def guarded():
        with errata.guard("reading orders"):
            fails()

    wrapped = {
        "guard": guarded,
        "retry": retry(sleep=lambda _: None)(fails),
        "protect": protect("orders of the mask", retry=retry(sleep=lambda _: None))(fails),
    }[wrap]

    @shop.tool(annotations=READS)
    def orders() -> None:
        wrapped()

    @shop.tool
    def foreseen() -> None:
        try:
            fails()
        except OSError as error:
            raise FaultError(Code.SERVICE_UNAVAILABLE, "The shop is closed.") from error

    errata.install(shop, mask=True)
    async with fastmcp.Client(shop) as client:
        hidden = await client.call_tool("orders", raise_on_error=False)
        meant = await client.call_tool("foreseen", raise_on_error=False)
    assert "internal" not in hidden.content[0].text
    assert "The shop is closed." in meant.content[0].text


@pytest.mark.parametrize("name", ["error", "reason", "status", "type"])
def test_a_sentence_in_an_attribute_is_words_like_any_other(name):
    error = RuntimeError("Not done.")
    setattr(error, name, "The payment is done; too many requests for the receipt")
    assert classify(error).retry is not Retry.SAME_CALL
    setattr(error, name, "rate_limit_exceeded")
    assert classify(error).code is Code.RATE_LIMITED
