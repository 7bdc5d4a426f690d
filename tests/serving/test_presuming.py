"""May a call be repeated whose tool declares nothing? The request that failed and the tool's name are presumed by."""

import anyio
import httpx2
import pytest
import requests
from serving.test_settling import DESTROYS, IDEMPOTENT, LOOK, NOTHING, READS, SERVERS, TWICE_IS_TWO, native_fault
from support.failing_http_server import Server
from support.three_servers import connected

import errata
from errata import Code, FaultError, Retry, dialects
from errata.resilience import effect, marks_effects, retry

pytestmark = pytest.mark.anyio

UNANSWERED, BAD_GATEWAY, BUSY = "/silent", "/page", "/busy"
_CONNECT_S, _READ_S = 10, 0.05
AT_ONCE = retry(sleep=lambda _: None, random=lambda: 0.0)


def by_httpx2(method, url, **headers):
    limits = httpx2.Timeout(_CONNECT_S, read=_READ_S)
    httpx2.request(method, url, headers=headers, timeout=limits).raise_for_status()


def by_requests(method, url, **headers):
    requests.request(method, url, headers=headers, timeout=(_CONNECT_S, _READ_S)).raise_for_status()


SENDERS = {"httpx2": by_httpx2, "requests": by_requests}


@pytest.fixture(scope="module")
def upstream():
    with Server().running() as server:
        yield server.base


@pytest.fixture(params=SENDERS)
def send(request, upstream):
    """Send a real request that fails, with a real library, in a thread."""

    async def send(method, path=UNANSWERED, **headers):
        await anyio.to_thread.run_sync(lambda: SENDERS[request.param](method, upstream + path, **headers))

    return send


def tool_named(name, run):
    async def tool() -> str:
        await run()
        return "done"

    tool.__name__ = name
    return tool


async def answer_of(server, tool):
    async with connected(server) as client:
        return await client.call_tool(tool, {})


async def told(kind, name, run, annotations=NOTHING):
    """Call a tool that fails; gives its verdict, and the next step that the text tells."""
    server = SERVERS[kind](annotations, tool_named(name, run))
    errata.install(server)
    result = await answer_of(server, name)
    fault = native_fault(result)
    assert f"Recovery: {fault.recovery.hint}\n" in result.content[0].text
    return fault.retry, fault.recovery.hint


REPEAT = (Retry.SAME_CALL, "{}: wait a few seconds, then repeat the same call; tell the user if it keeps failing.")
CHECK = (Retry.VERIFY_FIRST, "{}: check whether it happened before you call again.")


def because(verdict, why):
    return verdict[0], verdict[1].format(why)


# fmt: off
PRESUMED = {
    ("check_table",  "GET"):   because(REPEAT, "The request was a GET"),
    ("handle",       "POST"):  because(CHECK,  "The request was a POST"),
    ("handle",       "PATCH"): because(CHECK,  "The request was a PATCH"),
    ("book_table",   "GET"):   because(CHECK,  "By its name, `book_table` changes something"),
    ("book_table",   "POST"):  because(CHECK,  "The request was a POST"),
    ("book_table",   "PUT"):   because(CHECK,  "By its name, `book_table` changes something"),
    ("find_table",   "GET"):   because(REPEAT, "The request was a GET"),
    ("find_table",   "PUT"):   because(REPEAT, "By its name, `find_table` only reads"),
}
# fmt: on


@pytest.mark.parametrize("path", [UNANSWERED, BAD_GATEWAY])
@pytest.mark.parametrize(("tool", "method"), PRESUMED)
async def test_the_method_of_the_request_and_the_verb_of_the_name_settle_the_verdict(send, tool, method, path):
    assert await told("MCPServer", tool, lambda: send(method, path)) == PRESUMED[tool, method]


@pytest.mark.parametrize(("tool", "method"), [("handle", "PUT"), ("handle", "DELETE"), ("find_table", "POST")])
async def test_where_neither_says_enough_the_agent_decides(send, tool, method):
    verdict, hint = await told("MCPServer", tool, lambda: send(method))

    assert verdict is Retry.IF_HARMLESS
    assert hint == Code.TIMEOUT.next_step


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_it_is_presumed_alike_on_all_servers(kind, send, method):
    tool = "check_table" if method == "GET" else "handle"

    assert await told(kind, tool, lambda: send(method)) == PRESUMED[tool, method]


async def raise_a_timeout():
    raise TimeoutError


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        ("book_table", because(CHECK, "By its name, `book_table` changes something")),
        ("find_table", because(REPEAT, "By its name, `find_table` only reads")),
        ("handle", (Retry.IF_HARMLESS, Code.TIMEOUT.next_step)),
    ],
)
async def test_without_a_request_the_name_is_all_there_is(kind, tool, expected):
    assert await told(kind, tool, raise_a_timeout) == expected


@pytest.mark.parametrize("wrapping", [RuntimeError, TimeoutError])
async def test_the_request_of_a_cause_counts(send, wrapping):
    async def run():
        try:
            await send("POST")
        except (httpx2.HTTPError, requests.RequestException) as error:
            raise wrapping("The till is stuck.") from error

    assert (await told("MCPServer", "handle", run))[0] is Retry.VERIFY_FIRST


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_refusal_is_repeated_whatever_was_sent(send, method):
    server = SERVERS["MCPServer"](NOTHING, tool_named("book_table", lambda: send(method, BUSY)))
    errata.install(server)

    fault = native_fault(await answer_of(server, "book_table"))
    assert (fault.code, fault.retry, fault.retry_after_ms) == (Code.SERVICE_UNAVAILABLE, Retry.SAME_CALL, 7_000)
    assert "By its name" not in fault.recovery.hint


async def test_a_request_with_an_idempotency_key_may_be_repeated(send):
    async def run():
        await send("POST", **{"Idempotency-Key": "visual-17"})

    expected = because(REPEAT, "The request had an idempotency key")
    assert await told("MCPServer", "handle", run) == expected


async def test_a_key_of_one_request_does_not_make_a_tool_that_changes_something_harmless(send):
    async def run():
        await send("POST", **{"Idempotency-Key": "visual-17"})

    assert await told("MCPServer", "book_table", run) == because(CHECK, "The request was a POST")


# What the author said comes before what is presumed.


@pytest.mark.parametrize(
    ("annotations", "verdict"),
    [
        (READS, Retry.SAME_CALL),
        (IDEMPOTENT, Retry.SAME_CALL),
        (DESTROYS, Retry.VERIFY_FIRST),
        (TWICE_IS_TWO, Retry.VERIFY_FIRST),
    ],
)
async def test_annotations_win(kind, send, annotations, verdict):
    tool, method = ("book_table", "POST") if verdict is Retry.SAME_CALL else ("find_table", "GET")

    told_verdict, hint = await told(kind, tool, lambda: send(method), annotations)
    assert told_verdict is verdict
    assert "The request was" not in hint
    assert "By its name" not in hint


@pytest.mark.parametrize("kind", ["MCPServer", "FastMCP"])
async def test_an_effect_that_was_marked_and_has_not_begun_has_not_happened(kind, send):
    @marks_effects
    async def book_table() -> str:
        await send("POST")
        with effect(LOOK):
            return "booked"

    server = SERVERS[kind](NOTHING, book_table)
    errata.install(server)

    assert native_fault(await answer_of(server, "book_table")).retry is Retry.SAME_CALL


@pytest.mark.parametrize("kind", ["MCPServer", "FastMCP"])
@pytest.mark.parametrize("tool", ["handle", "find_table"])
async def test_an_effect_that_has_begun_may_have_happened_whatever_failed_after_it(kind, send, tool):
    async def books() -> str:
        with effect(LOOK):
            await send("GET")
        return "booked"

    books.__name__ = tool
    server = SERVERS[kind](NOTHING, books)
    errata.install(server)

    fault = native_fault(await answer_of(server, tool))
    assert (fault.retry, fault.recovery.verify_tool) == (Retry.VERIFY_FIRST, LOOK)


class Till:
    """It marks its effect where nobody sees it who reads the tool."""

    def book(self):
        with effect(LOOK):
            pass


@pytest.mark.parametrize("tool", ["handle", "find_table"])
async def test_an_effect_that_has_begun_deeper_down_may_have_happened_too(kind, send, tool):
    till = Till()

    async def run():
        till.book()
        await send("GET")

    server = SERVERS[kind](NOTHING, tool_named(tool, run))
    errata.install(server)

    fault = native_fault(await answer_of(server, tool))
    assert (fault.retry, fault.recovery.verify_tool) == (Retry.VERIFY_FIRST, LOOK)


@pytest.mark.parametrize("retry", [Retry.NEVER, Retry.VERIFY_FIRST])
async def test_a_verdict_that_somebody_declared_is_not_raised(kind, retry):
    async def run():
        raise FaultError(Code.TIMEOUT, "The till did not answer.", retry=retry)

    server = SERVERS[kind](NOTHING, tool_named("find_table", run))
    errata.install(server)

    assert native_fault(await answer_of(server, "find_table")).retry is retry


# Nothing is done because of it.


@pytest.mark.parametrize(("tool", "method"), [("check_table", "GET"), ("find_table", "GET"), ("find_table", "PUT")])
async def test_a_retry_policy_repeats_nothing_that_is_only_presumed_harmless(kind, send, tool, method):
    calls = []

    async def run():
        calls.append(method)
        await send(method)

    server = SERVERS[kind](NOTHING, tool_named(tool, run))
    errata.install(server, retry=AT_ONCE)

    assert native_fault(await answer_of(server, tool)).retry is Retry.SAME_CALL
    assert calls == [method]


async def test_a_retry_policy_repeats_the_same_where_it_is_declared(kind, send):
    calls = []

    async def run():
        calls.append("GET")
        await send("GET")

    server = SERVERS[kind](READS, tool_named("handle", run))
    errata.install(server, retry=AT_ONCE)
    await answer_of(server, "handle")

    assert len(calls) > 1


@pytest.mark.parametrize("dialect", dialects.names())
async def test_every_dialect_says_what_it_can_of_a_presumed_verdict(send, dialect):
    server = SERVERS["MCPServer"](
        NOTHING, tool_named("handle", lambda: send("POST")), tool_named("check_table", lambda: send("GET"))
    )
    errata.install(server, dialect=dialect)

    posted, got = [
        dialects.get(dialect).decode((await answer_of(server, tool)).model_dump(by_alias=True, exclude_none=True))
        for tool in ("handle", "check_table")
    ]
    assert not posted.retryable
    assert got.retryable
