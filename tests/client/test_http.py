"""Does what HTTP says come back, although the SDK drops it?"""

import datetime as dt
import logging
import socket
import ssl
import threading
from contextlib import contextmanager, suppress

import anyio
import fastmcp
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from mcp import Client
from support.failing_http_server import refused
from support.scripted_http_server import DESTROYS, READS, Reply, connect, cut_off, hang_up, hold_back, json_reply

from errata import Code, Retry
from errata.client import Caller, CallFailed, Repeat, decide
from errata.client._call_failed import ClientRequest
from errata.client._caller_arguments import HttpSettings
from errata.client._failure_context import FailureContext
from errata.client._failures import convert_timeout
from errata.client._targets import connect_to

pytestmark = pytest.mark.anyio

PAGE = b"<!DOCTYPE html><html><head><title>Down for maintenance</title></head></html>"
WAIT = (("content-type", "text/html"), ("retry-after", "7"))
STATUSES = {
    400: (Code.INVALID_PARAMS, Retry.NEVER),
    401: (Code.UNAUTHORIZED, Retry.NEVER),
    403: (Code.FORBIDDEN, Retry.NEVER),
    404: (Code.NOT_FOUND, Retry.NEVER),
    413: (Code.INVALID_REQUEST, Retry.FIX_INPUT),
    429: (Code.RATE_LIMITED, Retry.SAME_CALL),
    500: (Code.UPSTREAM_ERROR, Retry.IF_HARMLESS),
    502: (Code.SERVICE_UNAVAILABLE, Retry.IF_HARMLESS),
    503: (Code.SERVICE_UNAVAILABLE, Retry.SAME_CALL),
    504: (Code.TIMEOUT, Retry.IF_HARMLESS),
}


@pytest.fixture(autouse=True)
def quiet():
    """Keep the SDK from telling everything twice."""
    logger = logging.getLogger("mcp")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    yield
    logger.setLevel(before)


async def failures(server, *answers, **options):
    """Let the server answer in some ways, and catch what a caller makes of each; it must still work afterwards."""
    server.answers = [*answers]
    caught = []
    async with connect(server.url, retry=None) as caller:
        for _ in answers:
            with pytest.raises(CallFailed) as failed:
                await caller.call("pay", **options)
            caught.append(failed.value)
        assert (await caller.call("pay")).content[0].text == "done"
    return caught


async def failure(server, answer, **options):
    (failed,) = await failures(server, answer, **options)
    return failed


async def test_the_statuses_that_the_sdk_drops_come_back(server):
    seen = await failures(server, *(Reply(status, PAGE) for status in STATUSES))
    assert {each.fault.http_status: (each.code, each.fault.retry) for each in seen} == STATUSES
    for status, failed in zip(STATUSES, seen, strict=True):
        assert f"{status} " in str(failed)
        assert "Down for maintenance" in str(failed)
        assert not failed.is_local
        assert failed.response["status"] == status
        assert failed.response["body"] == PAGE.decode()


async def test_the_wait_comes_back(server):
    seen = await failures(server, Reply(429, PAGE, WAIT), Reply(503, PAGE, WAIT))
    assert [failed.fault.retry_after_ms for failed in seen] == [7_000, 7_000]


async def test_a_status_with_a_json_body_that_is_no_json_rpc_says_its_own_sentence(server):
    failed = await failure(server, json_reply({"error": {"message": "Key expired."}}, 401))
    assert failed.code is Code.UNAUTHORIZED
    assert "Key expired." in str(failed)


async def test_a_status_decides_beside_a_json_rpc_error_whose_number_means_nothing(server):
    error = {"code": -32000, "message": "Too many requests from you"}
    failed = await failure(server, json_reply({"jsonrpc": "2.0", "id": None, "error": error}, 429, retry_after="3"))
    assert (failed.code, failed.fault.retry_after_ms) == (Code.RATE_LIMITED, 3_000)
    assert "Too many requests from you" in str(failed)


async def test_a_json_rpc_error_of_the_protocol_keeps_its_number_beside_the_status(server):
    error = {"code": -32602, "message": "Unknown tool: pay"}
    failed = await failure(server, json_reply({"jsonrpc": "2.0", "id": 1, "error": error}, 400))
    assert failed.response == error


async def test_a_secret_in_a_body_or_a_header_is_not_kept(server):
    secret = "sk-live-51H8xK2eZvKYlo2C0aXyQwErT"  # noqa: S105 - it is nobody's.
    headers = (("content-type", "text/plain"), ("set-cookie", f"session={secret}"))
    failed = await failure(server, Reply(500, f"Authorization: Bearer {secret}".encode(), headers))
    assert secret not in f"{failed} {failed.response} {failed.fault}"


LOCAL = {
    "hung up": (hang_up, Code.NETWORK_ERROR),
    "cut off in JSON": (cut_off("application/json"), Code.NETWORK_ERROR),
    "cut off in a stream": (cut_off("text/event-stream"), Code.NETWORK_ERROR),
    "garbage": (Reply(200, b'{"jsonrpc": nope', (("content-type", "application/json"),)), Code.SERIALIZATION_ERROR),
    "no result": ({"what": "is this?"}, Code.SERIALIZATION_ERROR),
}


async def test_an_answer_that_is_none_is_trouble_on_this_side_and_leaves_the_caller_working(server):
    seen = await failures(server, *(answer for answer, _ in LOCAL.values()))
    assert {case: each.code for case, each in zip(LOCAL, seen, strict=True)} == {
        case: code for case, (_, code) in LOCAL.items()
    }
    for failed in seen:
        assert (failed.fault.retry, failed.is_local, failed.response) == (Retry.IF_HARMLESS, True, None)
        assert "`till`" in str(failed)
        assert "`pay`" in str(failed)


async def test_no_answer_in_time_says_how_long_this_client_waited(server):
    failed = await failure(server, hold_back, timeout_s=0.05)
    assert (failed.code, failed.fault.retry, failed.is_local) == (Code.TIMEOUT, Retry.IF_HARMLESS, True)
    assert "This client waited 0.05 s for `pay`" in str(failed)


async def test_a_page_instead_of_mcp_is_an_answer_that_cannot_be_read_like_any_other(server):
    page, other = await failures(server, Reply(200, PAGE), json_reply({"hello": "world"}))
    assert (page.code, page.fault.retry, page.is_local) == (other.code, other.fault.retry, other.is_local)
    assert (page.code, page.fault.retry) == (Code.SERIALIZATION_ERROR, Retry.IF_HARMLESS)
    assert "login page" in str(page)


async def test_an_error_that_names_no_request_is_the_answer_to_the_one_it_came_for(server):
    error = {"code": -32700, "message": "Not today"}
    no_id = [{"jsonrpc": "2.0", "id": None, "error": error}, {"jsonrpc": "2.0", "error": error}]
    for failed in await failures(server, *map(json_reply, no_id)):
        assert (failed.response, failed.is_local) == (error, False)


async def test_a_server_that_is_not_there_says_so_and_may_be_tried_again(at_once):
    with pytest.raises(CallFailed) as caught:
        async with connect(f"{refused()}/mcp", retry=at_once):
            raise AssertionError
    failed = caught.value
    assert (failed.code, failed.fault.retry, failed.is_local) == (Code.NETWORK_ERROR, Retry.SAME_CALL, True)
    assert str(failed).endswith("(failed after 3 attempts)")
    assert failed.tool is None


async def test_a_server_that_wants_credentials_says_so_when_it_is_connected_to(server):
    with pytest.raises(CallFailed) as caught:
        async with connect(server.url, retry=None, headers={"x-refuse": "401"}):
            raise AssertionError
    assert caught.value.code is Code.UNAUTHORIZED


MISSING = {"error": {"code": -32601, "message": "Method not found"}}
DOWN = {"error": {"code": -32603, "message": "The database is down."}}
MAINTENANCE = Reply(503, b"Back at noon", WAIT)
TELLING_HANDSHAKES = {  # What the two handshakes are answered with, what of it counts, and what is said.
    "401, then 404": (Reply(401), Reply(404), Code.UNAUTHORIZED, Retry.NEVER, ["401 Unauth", "404 Not Found"]),
    "503, then 405": (
        MAINTENANCE,
        Reply(405),
        Code.SERVICE_UNAVAILABLE,
        Retry.SAME_CALL,
        ["Back at noon", "405 Method"],
    ),
    "503, then no such method": (
        MAINTENANCE,
        MISSING,
        Code.SERVICE_UNAVAILABLE,
        Retry.SAME_CALL,
        ["noon", "Method not"],
    ),
    "403, then hung up": (Reply(403), hang_up, Code.FORBIDDEN, Retry.NEVER, ["403 Forbidden", "disconnected"]),
    "an error, then no such method": (
        DOWN,
        MISSING,
        Code.INTERNAL_ERROR,
        Retry.NEVER,
        ["database is down", "not found"],
    ),
    "two reasons": (Reply(401), DOWN, Code.INTERNAL_ERROR, Retry.NEVER, ["database is down", "401 Unauthorized"]),
    "no such method, then an error": (MISSING, DOWN, Code.INTERNAL_ERROR, Retry.NEVER, ["database is down"]),
    "404, then 401": (Reply(404), Reply(401), Code.UNAUTHORIZED, Retry.NEVER, ["401 Unauthorized"]),
    "no such method, then hung up": (MISSING, hang_up, Code.NETWORK_ERROR, Retry.SAME_CALL, ["disconnected"]),
    "400, then hung up": (Reply(400), hang_up, Code.NETWORK_ERROR, Retry.SAME_CALL, ["disconnected"]),
    "twice the same": (Reply(401), Reply(401), Code.UNAUTHORIZED, Retry.NEVER, ["401 Unauthorized"]),
}


@pytest.mark.parametrize("case", TELLING_HANDSHAKES)
async def test_the_handshake_that_tells_why_is_told_whichever_it_was(server, case):
    discover, initialize, code, verdict, words = TELLING_HANDSHAKES[case]
    server.handshake = {"server/discover": discover, "initialize": initialize}
    with pytest.raises(CallFailed) as caught:
        async with connect(server.url, retry=None):
            raise AssertionError
    failed = caught.value
    assert (failed.code, failed.fault.retry) == (code, verdict)
    assert all(word in str(failed) for word in words)
    assert any(word in str(failed) for word in ("The older handshake", "`server/discover`")) == (len(words) > 1)
    assert server.asked == ["server/discover", "initialize"]


async def test_a_wait_that_the_newer_handshake_was_told_is_kept(server):
    server.handshake = {"server/discover": MAINTENANCE, "initialize": Reply(404)}
    with pytest.raises(CallFailed) as caught:
        async with connect(server.url, retry=None):
            raise AssertionError
    assert (caught.value.fault.retry_after_ms, caught.value.response["status"]) == (7_000, 503)


async def test_a_handshake_that_is_tried_again_may_work(server, at_once):
    server.handshake = {"server/discover": MAINTENANCE, "initialize": Reply(404)}

    def recover(handler, message):
        server.handshake.clear()
        handler.answer(Reply(404), message)

    server.handshake["initialize"] = recover
    async with connect(server.url, retry=at_once) as caller:
        assert (await caller.call("pay")).content[0].text == "done"


async def test_a_newer_handshake_that_told_why_is_not_forgotten_when_the_time_is_over(server):
    arrived = threading.Event()

    def arrive(handler, message):
        arrived.set()
        hold_back(handler, message)

    server.handshake = {"server/discover": Reply(401), "initialize": arrive}
    settings = HttpSettings(
        headers=None, auth=None, timeout_s=None, http_options={"verify": False}, max_body_bytes=None
    )
    async with connect_to(server.url, settings, {}) as link, anyio.create_task_group() as group:
        group.start_soon(link.open_client)
        assert await anyio.to_thread.run_sync(arrived.wait, 60)
        failed = convert_timeout(
            TimeoutError(), FailureContext(ClientRequest("tool", "pay"), "till", 5), link, is_sent=False
        )
        group.cancel_scope.cancel()
    assert (failed.code, failed.fault.retry) == (Code.UNAUTHORIZED, Retry.NEVER)
    assert (
        "401 Unauthorized. The older handshake, which was tried after that, failed as well: This client could not"
        in str(failed)
    )


async def test_a_certificate_that_nobody_trusts_is_told(tmp_path):
    with pytest.raises(CallFailed, match="CERTIFICATE_VERIFY_FAILED") as caught, tls_server(tmp_path) as url:
        async with connect(url, retry=None):
            raise AssertionError
    assert caught.value.is_local


@contextmanager
def tls_server(folder):
    """Listen with a certificate that was just made up."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = dt.datetime.now(dt.UTC)
    made = x509.CertificateBuilder(name, name, key.public_key(), 1, now, now + dt.timedelta(days=1))
    key_file, certificate = folder / "key.pem", folder / "certificate.pem"
    key_file.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    certificate.write_bytes(made.sign(key, hashes.SHA256()).public_bytes(Encoding.PEM))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key_file)

    def greet():
        with suppress(OSError), listener.accept()[0] as connection:
            context.wrap_socket(connection, server_side=True)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=greet, daemon=True)
        thread.start()
        yield f"https://127.0.0.1:{listener.getsockname()[1]}/mcp"
    thread.join(60)


@pytest.mark.parametrize("kind", [Client, fastmcp.Client])
async def test_a_client_made_by_somebody_else_hides_the_status_and_is_not_taken_for_a_bug(server, kind):
    server.answers = [Reply(503, PAGE, WAIT)]
    async with kind(server.url) as client:
        with pytest.raises(CallFailed) as caught:
            await Caller(client, retry=None).call("pay")
    assert (caught.value.code, caught.value.fault.retry) == (Code.UPSTREAM_ERROR, Retry.IF_HARMLESS)
    assert "Caller.connect" in str(caught.value)


def error_reply(status, number, message):
    return json_reply({"jsonrpc": "2.0", "id": None, "error": {"code": number, "message": message}}, status)


REFUSALS = [
    Reply(404),
    error_reply(404, -32600, "Session not found"),
    error_reply(404, -32600, "Not Found: Session has been terminated"),
    error_reply(404, -32001, "Session not found"),
    error_reply(400, -32600, "Bad Request: Missing session ID"),
    error_reply(400, -32000, "Bad Request: No valid session ID provided"),
    error_reply(400, -32000, "Bad Request: Server not initialized"),
    error_reply(400, -32000, "Bad Request: Mcp-Session-Id header is required"),
    Reply(400, b"Invalid session ID", (("content-type", "text/plain"),)),
    Reply(400, b"Invalid or missing session ID\n", (("content-type", "text/plain"),)),
    json_reply({"detail": "Session not found"}, 400),
]


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda reply: f"{reply.status} {reply.body[-60:]}")
async def test_a_session_that_the_server_has_forgotten_is_begun_anew_also_for_a_tool_that_must_not_run_twice(
    server, at_once, refusal
):
    server.era, server.refusal = "legacy", refusal
    server.annotations = {"pay": DESTROYS}
    async with connect(server.url, retry=at_once) as caller:
        await caller.call("pay")
        server.session = "session-2"  # As after a restart.
        await caller.call("pay")
        await caller.call("pay")
    assert server.asked.count("initialize") == 2
    assert server.calls() == 4  # One of them was refused.


async def test_a_session_that_is_gone_is_trouble_of_the_connection(server):
    server.era, server.refusal = "legacy", REFUSALS[1]
    async with connect(server.url, retry=None) as caller:
        server.session = "session-2"
        with pytest.raises(CallFailed, match="no longer knows this session") as caught:
            await caller.call("pay")
    failed = caught.value
    assert (failed.code, failed.fault.retry, failed.is_local) == (Code.NETWORK_ERROR, Retry.SAME_CALL, True)
    assert isinstance(decide(failed), Repeat)


@pytest.mark.parametrize("refusal", REFUSALS[:2], ids=lambda reply: f"{reply.status} {reply.body[-60:]}")
@pytest.mark.parametrize("kind", [Client, fastmcp.Client])
async def test_a_client_made_by_somebody_else_cannot_begin_another_session_and_says_who_can(
    server, at_once, kind, refusal
):
    server.era, server.refusal = "legacy", refusal
    async with kind(server.url) as client:
        caller = Caller(client, retry=at_once)
        await caller.call("pay")
        server.session = "session-2"
        with pytest.raises(CallFailed, match=r"no longer knows this session.*Open a new client") as caught:
            await caller.call("pay")
        server.session = "session-1"
    assert (caught.value.fault.retry, server.calls()) == (Retry.NEVER, 2)


TELLING = {
    "another method": error_reply(404, -32601, "Method not found"),
    "an argument": error_reply(400, -32602, "Invalid params: session_id is required"),
    "a session of the tool's own": {"error": {"code": -32600, "message": "Session not found"}},
}


@pytest.mark.parametrize("answer", TELLING.values(), ids=TELLING)
async def test_a_session_that_the_server_knows_is_kept_whatever_else_is_missing(server, at_once, answer):
    server.era, server.answers = "legacy", [answer]
    async with connect(server.url, retry=at_once) as caller:
        with pytest.raises(CallFailed) as caught:
            await caller.call("pay")
        await caller.call("pay")
    assert (caught.value.is_local, server.asked.count("initialize"), server.calls()) == (False, 1, 2)


OTHERS = [
    json_reply({"detail": "The field session_date is bad"}, 400),
    json_reply({"error": "session_id must be a UUID"}, 400),
    json_reply(["Invalid session ID"], 400),
    Reply(400, b"<html>Bad request. Your session cookie is too large.</html>"),
]


@pytest.mark.parametrize("answer", OTHERS, ids=lambda reply: f"{reply.body[:40]}")
async def test_a_400_that_has_the_word_session_in_it_is_told_in_the_servers_words(server, at_once, answer):
    server.era, server.answers = "legacy", [answer]
    async with connect(server.url, retry=at_once) as caller:
        with pytest.raises(CallFailed) as caught:
            await caller.call("pay")
    assert caught.value.response["body"] == answer.body.decode()
    assert (caught.value.code, caught.value.fault.retry) == (Code.INVALID_PARAMS, Retry.NEVER)
    assert (server.asked.count("initialize"), server.calls()) == (1, 1)


@pytest.mark.parametrize(("annotations", "verdict"), [(READS, Retry.SAME_CALL), (DESTROYS, Retry.VERIFY_FIRST)])
async def test_what_the_tool_declares_settles_a_lost_answer(server, annotations, verdict):
    server.annotations = {"pay": annotations}
    failed = await failure(server, hang_up)
    assert failed.fault.retry is verdict
