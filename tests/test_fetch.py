import asyncio
import ssl
import sys
from itertools import chain, repeat

import pytest
from support.failing_http_server import PATIENCE_S, Server, refused
from support.required_libraries import need

from errata import Code, FaultError, Retry
from errata.http import _fetch, fetch_with_timeout

PATIENCE_MS = 100
ROOM_MS = 60_000  # For what is to happen before a time limit, however busy the machine is.
CERTIFICATES = ssl.create_default_context()  # Each client would read them anew, which takes longer than the tests.
LIBRARIES = ["httpx2", "httpx"]


@pytest.fixture(scope="module")
def server():
    with Server().running() as server:
        yield server


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request):
    if request.param == "trio":
        need("trio")
    return request.param


@pytest.fixture(params=LIBRARIES)
async def client(request, anyio_backend):  # noqa: ARG001 - it decides under what the client runs.
    async with need(request.param).AsyncClient(verify=CERTIFICATES) as client:
        yield client


pytestmark = pytest.mark.anyio


async def fault_of(url, **options):
    with pytest.raises(FaultError) as caught:
        await fetch_with_timeout(url, **{"timeout_ms": ROOM_MS, "service": "NCBI", **options})
    return caught.value.fault


async def test_a_success_comes_back_read(client, server):
    response = await fetch_with_timeout(f"{server.base}/ok", client=client)

    assert (response.status_code, response.text) == (200, "fine")


@pytest.mark.parametrize("library", LIBRARIES)
async def test_without_a_client_one_is_made_that_follows_redirects(library, server, monkeypatch):
    need(library)
    monkeypatch.setattr(_fetch, "_LIBRARIES", (library,))
    response = await fetch_with_timeout(f"{server.base}/moved", params={"db": "pubmed"})

    assert (response.status_code, response.text) == (200, "fine")
    assert type(response).__module__.partition(".")[0] == library


async def test_a_client_keeps_its_own_habits_unless_told_otherwise(client, server):
    kept = await fetch_with_timeout(f"{server.base}/moved", client=client)
    told = await fetch_with_timeout(f"{server.base}/moved", client=client, follow_redirects=True)

    assert (kept.status_code, told.status_code) == (302, 200)


async def test_a_status_becomes_what_the_table_says(client, server):
    fault = await fault_of(f"{server.base}/busy", client=client, data={"pmid": 17})

    assert fault.message == "NCBI answered 503 Service Unavailable: ‹Too many readers.›"
    assert (fault.code, fault.retry_after_ms) == (Code.SERVICE_UNAVAILABLE, 7_000)
    assert fault.data == {"pmid": 17, "body": '{"message": "Too many readers."}'}


async def test_a_body_that_is_not_wanted_appears_nowhere(client, server):
    fault = await fault_of(f"{server.base}/busy", client=client, capture_body=False)

    assert "readers" not in repr(fault)


async def test_a_failure_whose_body_hangs_is_still_that_failure(client, server, monkeypatch):
    came_late_s = (ROOM_MS - PATIENCE_MS) / 1000
    monkeypatch.setattr(_fetch, "monotonic", chain([0], repeat(came_late_s)).__next__)
    fault = await fault_of(f"{server.base}/stalls", client=client)

    assert (fault.code, fault.http_status, fault.retry_after_ms) == (Code.SERVICE_UNAVAILABLE, 503, 7_000)


# Under trio both libraries leave generators of their own open when a response is closed half-way.
@pytest.mark.filterwarnings("ignore:Async generator 'http(x|core):ResourceWarning")
async def test_a_failure_without_end_is_not_swallowed(client, server):
    before = server.sent
    fault = await fault_of(f"{server.base}/endless", client=client)

    assert fault.http_status == 500
    assert server.sent - before < 50 * 1024**2


async def test_no_answer_in_time_is_a_timeout(client, server):
    fault = await fault_of(f"{server.base}/silent?api_key=s3cr3t", client=client, timeout_ms=1_000)

    assert fault.message == f"NCBI did not answer `GET {server.base}/silent` within 1 s."
    assert (fault.code, fault.retry) == (Code.TIMEOUT, Retry.IF_HARMLESS)


@pytest.mark.parametrize("timeout_ms", [0, -5, 0.5])
async def test_a_time_that_is_over_is_a_timeout(client, server, timeout_ms):
    fault = await fault_of(f"{server.base}/silent", client=client, timeout_ms=timeout_ms)

    assert fault.code is Code.TIMEOUT


async def test_the_deadline_covers_a_success_that_never_ends(client, server):
    """A body that comes in drops never exceeds the client's own timeouts."""
    fault = await fault_of(f"{server.base}/drips", client=client, timeout_ms=PATIENCE_MS, timeout=60)

    assert fault.code is Code.TIMEOUT


async def test_a_refused_connection_was_not_processed(client):
    base = refused()
    fault = await fault_of(f"{base.replace('//', '//user:pass@')}/x?token=Harbor#y", client=client, method="POST")

    assert fault.message.startswith(f"NCBI did not answer `POST {base}/x`: ")
    assert "pass" not in repr(fault)
    assert "Harbor" not in repr(fault)
    assert (fault.code, fault.retry) == (Code.NETWORK_ERROR, Retry.SAME_CALL)


async def test_a_peer_that_speaks_tls_badly_is_never_asked_again(client, server):
    fault = await fault_of(f"{server.base.replace('http:', 'https:')}/ok", client=client)

    assert (fault.code, fault.retry) == (Code.NETWORK_ERROR, Retry.NEVER)


async def test_a_broken_answer_is_the_upstreams_fault(client, server):
    fault = await fault_of(f"{server.base}/garbage", client=client)

    assert fault.code in {Code.NETWORK_ERROR, Code.UPSTREAM_ERROR}
    assert "NCBI" in fault.message


@pytest.mark.parametrize("url", ["gopher://x/y", "no url", "http://", "http://[::1", "http://a\0b"])
async def test_a_url_that_is_none_is_a_fault_as_well(client, url):
    fault = await fault_of(url, client=client)

    assert not fault.retryable


async def test_a_mistake_in_the_call_is_no_fault(client, server):
    with pytest.raises(TypeError, match="jsn"):
        await fetch_with_timeout(f"{server.base}/ok", client=client, jsn={})
    with pytest.raises(TypeError, match="url"):
        await fetch_with_timeout(17, client=client)


@pytest.mark.parametrize("timeout_ms", [None, "5", True, float("nan"), float("inf")])
async def test_a_time_limit_that_is_none_is_said_to_be(timeout_ms):
    with pytest.raises(TypeError) as caught:
        await fetch_with_timeout("https://example.org", timeout_ms=timeout_ms)

    assert str(caught.value) == (
        f"`timeout_ms` is {timeout_ms}, and every request has a time limit. "
        "Give a number of milliseconds, such as `timeout_ms=10_000`."
    )


async def test_a_success_that_cannot_be_read_is_closed(client, server, monkeypatch):
    responses = []

    async def send(*args, **options):
        responses.append(await type(client).send(client, *args, **options))
        return responses[0]

    monkeypatch.setattr(client, "send", send)
    fault = await fault_of(f"{server.base}/short", client=client)

    assert fault.code in {Code.NETWORK_ERROR, Code.UPSTREAM_ERROR}
    assert responses[0].is_closed


async def test_every_failure_of_the_connection_keeps_its_cause(client):
    with pytest.raises(FaultError) as caught:
        await fetch_with_timeout(refused(), client=client)

    assert type(caught.value.__cause__).__name__ == "ConnectError"


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_cancellation_passes(server):
    fetching = asyncio.ensure_future(fetch_with_timeout(f"{server.base}/silent?then=cancelled", timeout_ms=ROOM_MS))
    assert await asyncio.to_thread(server.arrival_of("/silent?then=cancelled").wait, PATIENCE_S)
    fetching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await fetching


async def test_without_a_library_the_message_says_what_to_install(monkeypatch):
    for library in LIBRARIES:
        monkeypatch.setitem(sys.modules, library, None)

    fault = await fault_of("https://example.org")

    assert fault.code is Code.CONFIGURATION_ERROR
    assert fault.message.endswith("neither is installed. Install one with: pip install httpx2")


async def test_a_library_that_lacks_something_itself_says_so(monkeypatch, tmp_path):
    (tmp_path / "half_installed.py").write_text("import something_it_needs")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(_fetch, "_LIBRARIES", ("half_installed",))

    with pytest.raises(ModuleNotFoundError, match="something_it_needs"):
        await fetch_with_timeout("https://example.org")
