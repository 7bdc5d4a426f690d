"""What does a body cost that is small on the wire and huge once it is decompressed?"""

import gzip
import urllib.request
from urllib.error import HTTPError

import aiohttp
import httpx
import httpx2
import pytest
import requests
import urllib3
from support.decompression_bombs import HUGE, bombing, bombs, memory

from errata import Code, FaultError, Retry
from errata.http import aerror_from_response, fetch_with_timeout

pytestmark = pytest.mark.anyio

LIMIT = 1024 * 1024
AFFORDABLE = HUGE // 4


@pytest.fixture
def anyio_backend():
    """Under trio both libraries leave generators of their own open when a response is closed half-way."""
    return "asyncio"


@pytest.fixture(scope="module")
def base():
    with bombing() as address:
        yield address


@pytest.fixture(params=[httpx, httpx2], ids=lambda library: library.__name__)
def library(request):
    return request.param


@pytest.mark.parametrize("encoding", [*bombs()])
async def test_a_huge_body_is_given_up_before_it_fills_the_memory(base, library, encoding):
    async with library.AsyncClient(trust_env=False) as client:
        with memory() as peak, pytest.raises(FaultError) as failed:
            await fetch_with_timeout(
                f"{base}/200/{encoding}", client=client, timeout_ms=60_000, max_body_bytes=LIMIT, service="NCBI"
            )
        assert (await fetch_with_timeout(f"{base}/200/plain", client=client)).text == "fine"
    assert peak[0] < AFFORDABLE
    assert (failed.value.fault.code, failed.value.fault.retry) == (Code.UPSTREAM_ERROR, Retry.NEVER)
    assert "larger than 1 MiB" in failed.value.fault.message
    assert "max_body_bytes" in failed.value.fault.message


@pytest.mark.parametrize("encoding", [*bombs()])
async def test_a_huge_failure_costs_no_more_than_its_beginning(base, library, encoding):
    async with library.AsyncClient(trust_env=False) as client:
        with memory() as peak, pytest.raises(FaultError) as failed:
            await fetch_with_timeout(f"{base}/503/{encoding}", client=client, timeout_ms=60_000)
    assert peak[0] < AFFORDABLE
    assert failed.value.fault.code is Code.SERVICE_UNAVAILABLE


@pytest.mark.parametrize("encoding", [*bombs()])
async def test_a_stream_without_an_event_loop_is_bounded_as_well(base, library, encoding):
    url = f"{base}/503/{encoding}"
    with library.Client(trust_env=False) as client, client.stream("GET", url) as response, memory() as peak:
        error = await aerror_from_response(response, body_timeout_ms=60_000)
    assert peak[0] < AFFORDABLE
    assert error.fault.code is Code.SERVICE_UNAVAILABLE


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "identity"])
async def test_other_clients_bound_what_they_decompress(base, encoding):
    url = f"{base}/503/{encoding}"
    with memory() as peak:
        with requests.get(url, stream=True, timeout=60) as response:  # noqa: ASYNC210 - nothing else runs.
            await aerror_from_response(response, body_timeout_ms=60_000)
        with urllib3.PoolManager() as pool:
            await aerror_from_response(pool.request("GET", url, preload_content=False), body_timeout_ms=60_000)
        async with aiohttp.ClientSession() as session, session.get(url) as response:
            await aerror_from_response(response, body_timeout_ms=60_000)
        with pytest.raises(HTTPError) as failed:
            urllib.request.urlopen(url, timeout=60)  # noqa: ASYNC210, S310 - as above; it is our own address.
        await aerror_from_response(failed.value, body_timeout_ms=60_000)
        failed.value.close()
    assert peak[0] < AFFORDABLE


@pytest.mark.parametrize("encodings", [["gzip"], ["gzip", "gzip"], []])
async def test_a_body_within_the_limit_is_read_and_its_fields_stay(library, encodings):
    text = "fine\n" * 10_000
    body = text.encode()
    for _ in encodings:
        body = gzip.compress(body)
    fields = {"content-encoding": ", ".join(encodings)} if encodings else {}

    async def answer(_):
        return library.Response(200, headers={"content-type": "text/plain", **fields}, stream=_Chunks(library, body))

    async with library.AsyncClient(transport=library.MockTransport(answer)) as client:
        response = await fetch_with_timeout("http://127.0.0.1/", client=client)
    assert response.text == text
    assert response.headers.get("content-encoding") == fields.get("content-encoding")


async def test_a_body_that_is_encoded_more_often_than_anybody_needs_is_refused(library):
    fields = {"content-encoding": ", ".join(["gzip"] * 6)}

    async def answer(_):
        return library.Response(200, headers=fields, stream=_Chunks(library, b"fine"))

    async with library.AsyncClient(transport=library.MockTransport(answer)) as client:
        with pytest.raises(FaultError) as failed:
            await fetch_with_timeout("http://127.0.0.1/", client=client)
    assert failed.value.fault.retry is not Retry.SAME_CALL


@pytest.mark.parametrize("limit", [0, -1, True, 1.5, None])
async def test_a_limit_that_is_no_number_of_bytes_is_refused(limit):
    with pytest.raises(TypeError, match="max_body_bytes"):
        await fetch_with_timeout("http://127.0.0.1/", max_body_bytes=limit)


def _Chunks(library, body):  # noqa: N802 - it makes one of a class.
    class Chunks(library.AsyncByteStream):
        async def __aiter__(self):
            for start in range(0, len(body), 7):
                yield body[start : start + 7]

    return Chunks()
