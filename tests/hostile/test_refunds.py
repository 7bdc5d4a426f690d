"""Can an upstream, a server or an answer make a client do something twice that must happen once?"""

import json
import sys
import threading
from collections import Counter
from contextlib import asynccontextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import anyio
import httpx2
import pytest
from fastmcp import FastMCP
from mcp import StdioServerParameters
from support import refund_server
from support.hostile_payloads import BODIES
from support.refund_server import DESTROYS, WAYS, fastmcp_server, lowlevel_server, mcp_server
from support.scripted_agent import LONGEST_S, _listening, pursue

import errata
from errata.client import Caller, CallFailed, FixArguments, UseTool, decide
from errata.resilience import effect, retry

pytestmark = pytest.mark.anyio


class Upstream:
    """A shop that makes every refund it is asked for, and answers with what the request names, and with a status."""

    def __init__(self):
        self.refunds = Counter()
        self.status = None
        upstream = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                """Say nothing."""

            def do_POST(self):
                request = json.loads(self.rfile.read(int(self.headers["content-length"])))
                upstream.refunds[request["order_id"]] += 1
                body = BODIES[request["body"]].encode()
                self.send_response(upstream.status or request.get("status", 500))
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self._http.shutdown()
        self._http.server_close()


@pytest.fixture
def upstream():
    with Upstream() as upstream:
        yield upstream


async def no_time(_):
    """Take none."""


AT_ONCE = retry(sleep=no_time, deadline_s=None, random=lambda: 0.0, budget=None)
"""Repeats as errata does, without waiting, and without a budget that would hide a loop."""


@asynccontextmanager
async def reached(server):
    """Serve over HTTP, and connect to it."""
    async with _listening(server) as url, Caller.connect(url, retry=AT_ONCE) as caller:
        yield caller


async def obey(step, call, _):
    """Choose as a model does that does whatever it is told."""
    match step:
        case UseTool(name):
            return name, call[1]
        case FixArguments(corrective_params=better) if better:
            return call[0], {**call[1], **better}
        case _:
            return None


async def obey_with_care(step, call, outcome):
    """Choose as such a model does, but for what is marked as changing something."""
    return None if getattr(step, "has_effect", None) else await obey(step, call, outcome)


async def run_all(caller, upstream, tools, choose=obey):
    """Let an obedient agent make a refund with each tool and each body; return those that were made more than once."""
    for tool in tools:
        for body in BODIES:
            order_id = f"{tool}: {body}"
            with anyio.fail_after(LONGEST_S):
                await pursue(caller, (tool, {"order_id": order_id, "body": body}), choose, no_time)
    assert len(upstream.refunds) == len(tools) * len(BODIES)
    return {order: times for order, times in upstream.refunds.items() if times > 1}


@pytest.mark.parametrize(
    ("make", "with_errata", "annotations"),
    [
        (fastmcp_server, True, DESTROYS),
        (fastmcp_server, False, None),
        (mcp_server, True, None),
        (mcp_server, False, DESTROYS),
    ],
    ids=["FastMCP with errata", "FastMCP, undeclared", "MCPServer with errata, undeclared", "MCPServer"],
)
async def test_no_body_of_an_upstream_makes_a_refund_twice(upstream, make, with_errata, annotations):
    server = make(upstream.url, annotations=annotations, with_errata=with_errata)
    async with reached(server) as caller:
        assert await run_all(caller, upstream, [f"refund_{way}" for way in WAYS]) == {}


@pytest.mark.parametrize("annotations", [DESTROYS, None], ids=["declared", "undeclared"])
async def test_nor_does_one_that_is_handed_on_as_structured_content_of_an_error(upstream, annotations):
    """It is the server's own word there, so that other arguments are proposed; but the step says that they change something."""
    async with reached(lowlevel_server(upstream.url, annotations=annotations)) as caller:
        assert await run_all(caller, upstream, ["refund"], obey_with_care) == {}


async def test_nor_over_stdio(upstream):
    script = Path(refund_server.__file__)
    server = StdioServerParameters(command=sys.executable, args=[str(script), "fastmcp", upstream.url])
    async with Caller.connect(server, retry=AT_ONCE) as caller:
        assert await run_all(caller, upstream, ["refund_passes_text_on", "refund_raises_text"]) == {}


async def test_what_a_caller_has_repeated_is_not_repeated_by_its_agent(upstream):
    upstream.status = 503
    server = fastmcp_server(upstream.url, annotations=DESTROYS, with_errata=True)
    async with reached(server) as caller:
        with pytest.raises(CallFailed) as caught:
            await caller.call("refund_raises_status", {"order_id": "17", "body": "prose"})
        assert caught.value.attempts == upstream.refunds["17"] == 3
        await pursue(caller, ("refund_raises_status", {"order_id": "18", "body": "prose"}), obey, no_time)
    assert upstream.refunds["18"] == 3
    assert "made 3 times" in str(decide(caught.value))


RECEIPTS = [
    lambda amount: json.dumps({"error": {"code": "INVALID_PARAMS", "message": f"not {amount}", "retry": "fix_input"}}),
    lambda amount: f"Error: amount must not be {amount}",
    lambda amount: json.dumps({"success": False, "error": f"Invalid amount {amount}"}),
    lambda amount: json.dumps({"status": 422, "error": f"Invalid amount {amount}"}),
    lambda amount: f"Error: Refund of {amount} was made, but the receipt address is invalid",
    lambda amount: f"Error: no such customer {amount}",
]


@pytest.mark.parametrize("with_errata", [True, False])
@pytest.mark.parametrize("annotations", [DESTROYS, None], ids=["declared", "undeclared"])
async def test_what_a_success_says_is_wrong_with_the_arguments_makes_no_second_refund(annotations, with_errata):
    made = Counter()
    shop = FastMCP("shop")

    @shop.tool(annotations=annotations)
    def refund(receipt: int, amount: int) -> str:
        made[receipt] += 1
        return RECEIPTS[receipt](amount)

    async def vary(step, call, _):
        return (call[0], {**call[1], "amount": call[1]["amount"] + 1}) if isinstance(step, FixArguments) else None

    if with_errata:
        errata.install(shop)
    async with Caller.connect(shop, retry=AT_ONCE) as caller:
        for receipt in range(len(RECEIPTS)):
            await pursue(caller, ("refund", {"receipt": receipt, "amount": 5}), vary, no_time)
    assert made == dict.fromkeys(range(len(RECEIPTS)), 1)


QUOTING = {"message": "The title 'not ready yet, too many requests, try again in 5 seconds' is too long."}
SAYING = {"message": "The page is not ready yet: too many requests, try again in 5 seconds."}
ANSWERS = [
    *((status, {"message": "Refund 17 made."}, {"x-should-retry": "true"}) for status in (401, 402, 403, 410, 501)),
    *((status, body, {}) for status in (400, 403, 409, 422) for body in (QUOTING, SAYING)),
]


@pytest.mark.parametrize("settings", [{}, {"retry": AT_ONCE}], ids=["client", "server"])
async def test_no_answer_inside_an_effect_makes_it_a_second_time(settings):
    made = Counter()
    shop = FastMCP("shop")

    @shop.tool(annotations=DESTROYS)
    def refund(answer: int) -> None:
        with effect():
            made[answer] += 1
            status, body, headers = ANSWERS[answer]
            request = httpx2.Request("POST", "https://bank.example/refunds")
            httpx2.Response(status, json=body, headers=headers, request=request).raise_for_status()

    errata.install(shop, **settings)
    async with Caller.connect(shop, retry=None if settings else AT_ONCE) as caller:
        for answer in range(len(ANSWERS)):
            with pytest.raises(CallFailed):
                await caller.call("refund", {"answer": answer})
    assert made == dict.fromkeys(range(len(ANSWERS)), 1)


@pytest.mark.parametrize(
    "result",
    [
        {"content": [{"type": "text", "text": '{"status": 503, "error": "busy"}'}], "isError": True},
        {"content": [{"type": "text", "text": '{"error": {"code": "RATE_LIMITED", "retry": "same_call"}}'}]},
    ],
)
async def test_what_a_gateway_reads_and_raises_again_licenses_no_more_than_it_did(result):
    made = []
    gateway = FastMCP("gateway")

    @gateway.tool(annotations=DESTROYS)
    def refund() -> None:
        made.append(1)
        raise errata.FaultError.from_fault(errata.decode(result))

    errata.install(gateway)
    async with Caller.connect(gateway, retry=AT_ONCE) as caller:
        await pursue(caller, ("refund", {}), obey, no_time)
    assert len(made) == 1


async def test_a_question_after_the_refund_does_not_make_it_again():
    made = []
    shop = FastMCP("shop")

    @shop.tool(annotations=DESTROYS)
    def refund() -> None:
        with effect(verify_tool="get_refund"):
            made.append(1)
        raise errata.NeedsInput("Which receipt?", fields=["receipt"])

    @shop.tool(annotations={"readOnlyHint": True})
    def get_refund() -> str:
        return "made"

    errata.install(shop)
    async with Caller.connect(shop, retry=AT_ONCE) as caller:
        with pytest.raises(CallFailed) as caught:
            await caller.call("refund", {})
    assert len(made) == 1
    assert decide(caught.value) == UseTool("get_refund", to_verify=True, has_effect=False)


def test_of_two_statuses_the_more_careful_one_counts():
    error = RuntimeError("no luck")
    error.status, error.response = 503, httpx2.Response(500)
    assert errata.classify(error).retry is errata.Retry.IF_HARMLESS
