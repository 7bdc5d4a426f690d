"""What does an answer cost that is small on the wire and huge once it is decompressed?"""

import gzip
import json

import pytest
from mcp import StdioServerParameters
from support.decompression_bombs import HUGE, bombs, memory
from support.scripted_http_server import DESTROYS, READS, Reply, connect

from errata import Code, Retry
from errata.client import Caller, CallFailed

pytestmark = pytest.mark.anyio

LIMIT = 1024 * 1024
AFFORDABLE = HUGE // 4
JSON, EVENTS, PAGE = "application/json", "text/event-stream", "text/html"


def encoded(encoding, content_type=JSON, status=200):
    return Reply(status, bombs()[encoding], (("content-type", content_type), ("content-encoding", encoding)))


async def failure(server, answer, tool="pay", **options):
    """Make one call that fails, and look at what it cost; the caller must still work afterwards."""
    server.answers = [answer]
    async with connect(server.url, retry=None, **{"max_body_bytes": LIMIT, **options}) as caller:
        with memory() as peak, pytest.raises(CallFailed) as failed:
            await caller.call(tool)
        assert (await caller.call(tool)).content[0].text == "done"
    assert peak[0] < AFFORDABLE
    return failed.value


@pytest.mark.parametrize("encoding", [*bombs()])
async def test_a_huge_answer_is_given_up_before_it_fills_the_memory(server, encoding):
    failed = await failure(server, encoded(encoding))
    assert (failed.code, failed.fault.retry) == (Code.UPSTREAM_ERROR, Retry.NEVER)
    assert "larger than 1 MiB" in failed.fault.message
    assert "max_body_bytes" in failed.fault.message


@pytest.mark.parametrize("encoding", [*bombs()])
async def test_a_huge_failure_costs_no_more_than_its_beginning(server, encoding):
    failed = await failure(server, encoded(encoding, PAGE, 503))
    assert failed.code is Code.SERVICE_UNAVAILABLE


@pytest.mark.parametrize("encoding", [*bombs()])
async def test_a_huge_event_is_given_up(server, encoding):
    failed = await failure(server, encoded(encoding, EVENTS))
    assert (failed.code, failed.fault.retry) == (Code.UPSTREAM_ERROR, Retry.NEVER)
    assert "max_body_bytes" in failed.fault.message


@pytest.mark.parametrize("hints", [READS, DESTROYS])
async def test_an_answer_that_was_too_large_is_never_asked_for_again(server, at_once, hints):
    server.annotations = {"pay": hints}
    server.answers = [encoded("gzip")] * 5
    async with connect(server.url, retry=at_once, max_body_bytes=LIMIT) as caller:
        with pytest.raises(CallFailed) as failed:
            await caller.call("pay")
    assert server.calls() == 1
    assert "Whether it took effect is not known." in failed.value.fault.message


async def test_without_a_setting_a_huge_answer_is_given_up_too(server):
    server.answers = [encoded("gzip")]
    async with connect(server.url, retry=None) as caller:
        with pytest.raises(CallFailed, match="larger than 16 MiB"):
            await caller.call("pay")


@pytest.mark.parametrize("encoding", ["gzip", "identity"])
@pytest.mark.parametrize("content_type", [JSON, EVENTS])
async def test_an_answer_within_the_limit_arrives(server, encoding, content_type):
    text = "x" * (LIMIT // 2)

    def answer(handler, message):
        result = {"content": [{"type": "text", "text": text}], "resultType": "complete"}
        body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode()
        body = body if content_type == JSON else b"data: " + body + b"\n\n"
        body = gzip.compress(body) if encoding == "gzip" else body
        handler.send(Reply(200, body, (("content-type", content_type), ("content-encoding", encoding))))

    server.answers = [answer]
    async with connect(server.url, retry=None, max_body_bytes=LIMIT) as caller:
        assert (await caller.call("pay")).content[0].text == text


async def test_a_huge_list_of_tools_costs_no_call(server):
    server.listing = encoded("gzip")
    server.answers = [Reply(502)]
    async with connect(server.url, retry=None, max_body_bytes=LIMIT) as caller:
        with memory() as peak, pytest.raises(CallFailed) as failed:
            await caller.call("pay")
    assert failed.value.code is Code.SERVICE_UNAVAILABLE
    assert peak[0] < AFFORDABLE


async def test_hooks_of_the_program_get_the_bounded_body(server):
    async def hook(response):
        await response.aread()

    server.answers = [encoded("gzip")]
    options = {"event_hooks": {"response": [hook]}}
    async with Caller.connect(server.url, retry=None, max_body_bytes=LIMIT, http_options=options) as caller:
        with memory() as peak, pytest.raises(CallFailed, match="larger than 1 MiB"):
            await caller.call("pay")
    assert peak[0] < AFFORDABLE


@pytest.mark.parametrize("limit", [0, -1, True, 1.5, "1"])
async def test_a_limit_that_is_no_number_of_bytes_is_refused(limit):
    with pytest.raises(TypeError, match="max_body_bytes"):
        async with Caller.connect("http://127.0.0.1/mcp", max_body_bytes=limit):
            """Nothing is opened."""


async def test_a_limit_is_for_addresses():
    with pytest.raises(TypeError, match="`max_body_bytes` is for HTTP"):
        async with Caller.connect(StdioServerParameters(command="true"), max_body_bytes=1):
            """Nothing is started."""
