"""Responses as they really come: from every client, from a real server, read and unread."""

import asyncio
import ssl
import urllib.error
import urllib.request
from contextlib import asynccontextmanager, contextmanager

import pytest
from support.failing_http_server import Server
from support.required_libraries import need

from errata import Code, FieldIssue
from errata.http import aerror_from_response, error_from_response

PATIENCE_MS = 100
LONGER_THAN_THE_SERVER_S = 60
CERTIFICATES = ssl.create_default_context()  # httpx would read them anew for each request.


@pytest.fixture(scope="module")
def server():
    with Server().running() as server:
        yield server


@contextmanager
def httpx_read(url, library="httpx"):
    yield need(library).get(url, verify=CERTIFICATES, timeout=LONGER_THAN_THE_SERVER_S)


@contextmanager
def httpx_unread(url, library="httpx"):
    options = {"verify": CERTIFICATES, "timeout": LONGER_THAN_THE_SERVER_S}
    with need(library).stream("GET", url, **options) as response:
        yield response


def httpx2_read(url):
    return httpx_read(url, "httpx2")


def httpx2_unread(url):
    return httpx_unread(url, "httpx2")


@contextmanager
def requests_read(url):
    yield need("requests").get(url, timeout=LONGER_THAN_THE_SERVER_S)


@contextmanager
def requests_unread(url):
    with need("requests").get(url, timeout=LONGER_THAN_THE_SERVER_S, stream=True) as response:
        yield response


@contextmanager
def urllib3_read(url):
    with need("urllib3").PoolManager(retries=False) as pool:
        yield pool.request("GET", url)


@contextmanager
def urllib3_unread(url):
    with need("urllib3").PoolManager(retries=False) as pool:
        response = pool.request("GET", url, preload_content=False)
        yield response
        response.close()


@contextmanager
def urllib_unread(url):
    try:
        with urllib.request.urlopen(url, timeout=LONGER_THAN_THE_SERVER_S):  # noqa: S310 - our own server.
            raise AssertionError(url)
    except urllib.error.HTTPError as error:
        with error:
            yield error


@asynccontextmanager
async def async_httpx(url, library="httpx"):
    async with need(library).AsyncClient(verify=CERTIFICATES) as client, client.stream("GET", url) as response:
        yield response


def async_httpx2(url):
    return async_httpx(url, "httpx2")


@asynccontextmanager
async def aiohttp_unread(url):
    aiohttp = need("aiohttp")
    async with aiohttp.ClientSession() as session, session.get(url) as response:
        yield response


def entered_here(sync):
    """Open a response of a blocking client beside the event loop, as careless programs do."""

    @asynccontextmanager
    async def enter(url):
        with sync(url) as response:
            yield response

    return enter


READ = [httpx_read, httpx2_read, requests_read, urllib3_read]
BLOCKING = [httpx_unread, httpx2_unread, requests_unread, urllib3_unread, urllib_unread]
ASYNC = [async_httpx, async_httpx2, aiohttp_unread]
UNREAD = [*ASYNC, *map(entered_here, BLOCKING)]
UNREAD_IDS = [client.__name__ for client in (*ASYNC, *BLOCKING)]

any_read = pytest.mark.parametrize("get", READ, ids=lambda get: get.__name__)
any_blocking = pytest.mark.parametrize("get", BLOCKING, ids=lambda get: get.__name__)
any_unread = pytest.mark.parametrize("get", UNREAD, ids=UNREAD_IDS)


@pytest.fixture
def anyio_backend():
    return "asyncio"


@any_read
def test_a_response_that_was_read_says_everything(get, server):
    with get(f"{server.base}/busy") as response:
        fault = error_from_response(response, service="NCBI").fault

    assert fault.message == "NCBI answered 503 Service Unavailable: ‹Too many readers.›"
    assert (fault.code, fault.http_status, fault.retry_after_ms) == (Code.SERVICE_UNAVAILABLE, 503, 7_000)
    assert fault.data == {"body": '{"message": "Too many readers."}'}


@any_read
@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/missing", "The service answered 404 Not Found: ‹No article 17.›"),
        ("/page", "The service answered 502 Bad Gateway: ‹Down for maintenance›"),
        ("/latin", "The service answered 400 Bad Request: ‹Schlüssel›"),
        ("/invalid", "The service answered 422 Unprocessable Content: ‹`email`: Field required›"),
    ],
)
def test_a_body_is_read_as_its_client_decodes_it(get, server, path, message):
    with get(server.base + path) as response:
        fault = error_from_response(response).fault

    assert fault.message == message
    assert fault.issues == ((FieldIssue("email", "Field required"),) if path == "/invalid" else ())


@any_blocking
def test_nothing_is_said_of_a_body_that_would_have_to_be_waited_for(get, server):
    target = f"/stalls?{get.__name__}"
    with get(server.base + target) as response:
        fault = error_from_response(response).fault
        assert not server.end_of(target).is_set()

    assert fault.message == "The service answered 503 Service Unavailable."
    assert (fault.retry_after_ms, fault.data) == (7_000, {})


@any_unread
@pytest.mark.anyio
async def test_nothing_is_said_of_a_body_that_would_have_to_be_awaited(get, server):
    async with get(f"{server.base}/busy") as response:
        fault = error_from_response(response).fault

    assert (fault.http_status, fault.retry_after_ms, fault.data) == (503, 7_000, {})


@any_unread
@pytest.mark.anyio
async def test_a_body_that_was_not_read_is_read(get, server):
    async with get(f"{server.base}/missing") as response:
        fault = (await aerror_from_response(response, service="NCBI")).fault

    assert fault.message == "NCBI answered 404 Not Found: ‹No article 17.›"
    assert fault.data == {"body": '{"error": {"message": "No article 17."}}'}


@any_unread
@pytest.mark.anyio
async def test_a_body_that_hangs_costs_only_the_body(get, server):
    async with get(f"{server.base}/hesitates") as response:
        fault = (await aerror_from_response(response, body_timeout_ms=PATIENCE_MS)).fault

    assert (fault.http_status, fault.retry_after_ms, fault.data) == (503, 7_000, {})


@any_unread
@pytest.mark.anyio
async def test_a_body_that_breaks_off_costs_only_the_body(get, server):
    async with get(f"{server.base}/breaks") as response:
        fault = (await aerror_from_response(response)).fault

    assert (fault.http_status, fault.retry_after_ms, fault.data) == (503, 7_000, {})


@any_unread
@pytest.mark.anyio
async def test_a_body_without_end_is_not_swallowed(get, server):
    before = server.sent
    async with get(f"{server.base}/endless") as response:
        fault = (await aerror_from_response(response, body_limit=60)).fault

    assert fault.data["body"].startswith("x" * 50)
    assert server.sent - before < 50 * 1024**2  # What the system buffers in between; the body has 10 GB.


@any_unread
@pytest.mark.anyio
async def test_a_body_that_is_not_wanted_is_not_read(get, server):
    async with get(f"{server.base}/stalls") as response:
        fault = (await aerror_from_response(response, capture_body=False, body_timeout_ms=60_000)).fault

    assert (fault.http_status, fault.data) == (503, {})


@pytest.mark.anyio
async def test_a_response_of_aiohttp_that_was_read_says_everything(server):
    async with aiohttp_unread(f"{server.base}/missing") as response:
        await response.read()
        fault = error_from_response(response).fault

    assert fault.message == "The service answered 404 Not Found: ‹No article 17.›"


@pytest.mark.anyio
async def test_a_cancellation_passes_while_a_body_is_read(server):
    async with async_httpx2(f"{server.base}/stalls") as response:
        reading = asyncio.ensure_future(aerror_from_response(response, body_timeout_ms=60_000))
        await asyncio.sleep(0)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
