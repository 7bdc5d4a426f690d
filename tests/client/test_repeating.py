"""Is a call repeated when that does no harm, and never otherwise?"""

import anyio
import fastmcp
import pytest
from mcp import Client
from support.paused_time import until
from support.scripted_http_server import DESTROYS, DONE, READS, Reply, connect, hang_up, listed

from errata import Code, Retry
from errata.client import Caller, CallFailed
from errata.resilience import Budget

pytestmark = pytest.mark.anyio

BUSY = Reply(503, b"Busy.")
ERROR = {"content": [{"type": "text", "text": "no"}], "isError": True, "resultType": "complete"}


def dialect_003(number, message, **data):
    return ERROR | {"structuredContent": {"error": {"code": number, "message": message, "data": data}}}


async def call(server, retry, *answers, **options):
    server.answers = [*answers]
    async with connect(server.url, retry=retry) as caller:
        return await caller.call("pay", {"cents": 5}, **options)


async def failure(server, retry, *answers, **options):
    with pytest.raises(CallFailed) as caught:
        await call(server, retry, *answers, **options)
    return caught.value


async def test_what_was_not_taken_on_is_repeated_whatever_the_tool_does(server, at_once):
    server.annotations = {"pay": DESTROYS}
    await call(server, at_once, BUSY, BUSY)
    assert server.calls() == 3


@pytest.mark.parametrize(("annotations", "calls"), [(READS, 2), ({"idempotentHint": True}, 2), ({}, 1), (DESTROYS, 1)])
async def test_what_may_have_happened_is_repeated_only_where_the_tool_declares_that_it_does_no_harm(
    server, at_once, annotations, calls
):
    server.annotations = {"pay": annotations}
    if calls == 1:
        await failure(server, at_once, hang_up)
    else:
        await call(server, at_once, hang_up)
    assert server.calls() == calls


async def test_a_key_makes_a_call_repeatable_and_is_sent_with_it(server, at_once):
    server.annotations = {"pay": DESTROYS}
    await call(server, at_once, hang_up, key="order-17")
    assert [meta["errata/idempotencyKey"] for meta in server.metas] == ["order-17", "order-17"]


NAMES = ("idempotency_key", "idempotencyKey")


@pytest.mark.parametrize(
    ("declares", "given", "calls"),
    [(NAMES, {name: "order-17"}, 2) for name in NAMES]
    + [((), {"idempotency_key": "order-17"}, 1)]
    + [(NAMES, {"idempotency_key": blank}, 1) for blank in ("", "  ", None, 17)]
    + [(NAMES[:1], {"idempotencyKey": "order-17"}, 1)],
)
async def test_an_argument_is_a_key_only_where_the_tool_declares_it(server, at_once, declares, given, calls):
    server.annotations = {"pay": DESTROYS}
    server.properties = {"pay": {name: {} for name in declares}}
    server.answers = [hang_up]
    async with connect(server.url, retry=at_once) as caller:
        if calls == 1:
            with pytest.raises(CallFailed) as caught:
                await caller.call("pay", {"cents": 5, **given})
            assert caught.value.fault.retry is Retry.VERIFY_FIRST
        else:
            await caller.call("pay", {"cents": 5, **given})
    assert server.calls() == calls


async def test_a_key_in_the_arguments_counts_although_the_server_died_and_lists_nothing_any_more(server, at_once):
    server.annotations = {"pay": DESTROYS}
    server.properties = {"pay": {"idempotency_key": {}}}

    def die(handler, message):
        server.listing = BUSY
        hang_up(handler, message)

    server.answers = [die]
    async with connect(server.url, retry=at_once) as caller:
        await caller.call("pay", {"idempotency_key": "order-17"})
    assert server.calls() == 2


async def test_a_call_with_a_key_asks_for_the_list_once(server, at_once):
    server.properties = {"pay": {"idempotency_key": {}}}
    async with connect(server.url, retry=at_once, cache=None) as caller:
        for key in ("order-17", "order-18"):
            await caller.call("pay", {"idempotency_key": key})
    assert server.asked.count("tools/list") == 1


async def test_an_argument_is_no_key_while_nobody_knows_what_the_tool_declares(server, at_once):
    server.listing = BUSY
    server.answers = [hang_up]
    async with connect(server.url, retry=at_once) as caller:
        with pytest.raises(CallFailed) as caught:
            await caller.call("pay", {"idempotency_key": "order-17"})
    assert (caught.value.fault.retry, server.calls()) == (Retry.IF_HARMLESS, 1)


async def test_a_blank_key_is_none(server, at_once):
    server.annotations = {"pay": DESTROYS}
    failed = await failure(server, at_once, hang_up, key="  ")
    assert failed.fault.retry is Retry.VERIFY_FIRST
    assert not any("errata/idempotencyKey" in meta for meta in server.metas)


DOUBTFUL = {"content": [{"type": "text", "text": '{"error": "Mail failed: 503 Service Unavailable", "status": 503}'}]}
DONE_BUT = DOUBTFUL | {"resultType": "complete"}


@pytest.mark.parametrize(
    ("annotations", "verdict", "calls"),
    [(READS, None, 2), ({}, Retry.IF_HARMLESS, 1), (DESTROYS, Retry.VERIFY_FIRST, 1)],
)
async def test_a_result_that_calls_itself_a_success_proves_not_that_nothing_happened(
    server, at_once, annotations, verdict, calls
):
    server.annotations = {"pay": annotations}
    if verdict is None:
        await call(server, at_once, DONE_BUT)
    else:
        assert (await failure(server, at_once, DONE_BUT)).fault.retry is verdict
    assert server.calls() == calls


async def test_a_key_lets_it_be_repeated_all_the_same(server, at_once):
    server.annotations = {"pay": DESTROYS}
    await call(server, at_once, DONE_BUT, key="order-17")
    assert server.calls() == 2


async def test_a_flag_of_such_a_result_is_no_proof_either(server, at_once):
    text = '{"error": "Mail failed: 503 Service Unavailable", "status": 503, "retryable": true}'
    said = DONE_BUT | {"content": [{"type": "text", "text": text}]}
    server.annotations = {"pay": DESTROYS}
    failed = await failure(server, at_once, said)
    assert (failed.fault.retry, server.calls()) == (Retry.VERIFY_FIRST, 1)
    server.annotations = {"pay": READS}
    await call(server, at_once, said)
    assert server.calls() == 3


async def test_a_call_that_is_repeated_in_vain_says_so_and_keeps_what_was_in_hand(server, at_once):
    failed = await failure(server, at_once, BUSY, BUSY, BUSY)
    assert type(failed) is CallFailed
    assert str(failed).endswith("‹Busy.› (failed after 3 attempts)")
    assert failed.fault.data["retryAttempts"] == 3
    assert (failed.code, failed.tool, failed.response["status"]) == (Code.SERVICE_UNAVAILABLE, "pay", 503)
    assert isinstance(failed.__cause__, CallFailed)


@pytest.mark.parametrize(
    "said",
    [dialect_003(-32003, "Slow down", retryAttempts=3), dialect_003(-32003, "Slow down (failed after 3 attempts)")],
)
async def test_what_the_server_has_repeated_in_vain_is_not_repeated_by_the_client(server, at_once, said):
    failed = await failure(server, at_once, said)
    assert (failed.code, server.calls()) == (Code.RATE_LIMITED, 1)


async def test_a_wait_that_does_not_fit_is_not_waited_for_and_is_told(server, at_once):
    wait = Reply(429, b"", (("retry-after", "3600"),))
    failed = await failure(server, at_once(deadline_s=30.0), wait)
    assert (failed.fault.retry_after_ms, server.calls()) == (3_600_000, 1)


async def test_a_veto_of_the_server_counts_for_the_client(server, at_once):
    failed = await failure(server, at_once, dialect_003(-32003, "Not today", retryable=False))
    assert (failed.fault.retry, server.calls()) == (Retry.NEVER, 1)


async def test_an_empty_budget_ends_the_repeating(server, at_once):
    failed = await failure(server, at_once(budget=Budget(14)), BUSY, BUSY, BUSY)
    assert (failed.code, server.calls()) == (Code.SERVICE_UNAVAILABLE, 2)


async def test_callers_of_the_same_server_share_its_budget_and_others_do_not(server, at_once):
    async with (
        connect(server.url, retry=at_once) as one,
        connect(server.url, retry=at_once) as two,
        connect(f"{server.url}/", retry=at_once(upstream="till in the other shop")) as other,
    ):
        budgets = [caller._policy.fresh_budget() for caller in (one, two, other)]
    assert budgets[0] is budgets[1]
    assert budgets[0] is not budgets[2]


async def test_without_a_policy_nothing_is_repeated(server):
    await failure(server, None, BUSY)
    assert server.calls() == 1


NO_LISTING = [BUSY, hang_up, {"error": {"code": -32601, "message": "Method not found"}}]


@pytest.mark.parametrize("listing", NO_LISTING)
async def test_a_server_that_lists_no_tools_is_called_all_the_same(server, at_once, listing):
    server.listing = listing
    await call(server, at_once)
    failed = await failure(server, at_once, hang_up)
    assert failed.fault.retry is Retry.IF_HARMLESS
    assert server.calls() == 2


@pytest.mark.parametrize("kind", [Client, fastmcp.Client])
async def test_a_call_that_was_done_is_not_done_again_because_its_answer_could_not_be_checked(server, at_once, kind):
    server.listing = BUSY
    async with kind(server.url) as client:
        with pytest.raises(CallFailed, match="`pay` was answered, and the answer tells of no failure") as caught:
            await Caller(client, retry=at_once).call("pay")
    assert (caught.value.fault.retry, server.calls()) == (Retry.NEVER, 1)
    assert caught.value.response["content"] == DONE["content"]


async def test_tools_are_listed_after_a_failure_once_for_all_and_once_more_for_an_unknown_one(server, at_once):
    server.annotations = {"look": READS}
    listed = []
    async with connect(server.url, retry=at_once, cache=None) as caller:
        for tools in (["pay", "look"], ["look"], ["look", "look"]):
            for tool in tools:
                await caller.call(tool)
            server.answers = [hang_up]
            await caller.call("look")
            listed.append(server.asked.count("tools/list"))
        for _ in range(3):
            server.answers = [hang_up]
            with pytest.raises(CallFailed):
                await caller.call("guess")
    assert listed == [1, 1, 1]
    assert server.asked.count("tools/list") == 2


@pytest.mark.parametrize("answer", [BUSY, Reply(401), ERROR | {"content": [{"type": "text", "text": "No such order"}]}])
async def test_a_failure_whose_verdict_is_certain_asks_for_no_more_than_the_list_of_the_beginning(server, answer):
    server.answers = [answer]
    async with connect(server.url, retry=None) as caller:
        await listed(caller)
        with pytest.raises(CallFailed):
            await caller.call("pay")
    assert server.asked.count("tools/list") == 1


async def test_calls_that_fail_at_the_same_time_share_one_list(server, at_once):
    server.annotations = {"pay": READS}
    server.answers = [hang_up] * 5
    async with connect(server.url, retry=at_once, cache=None) as caller, anyio.create_task_group() as group:
        for _ in range(5):
            group.start_soon(caller.call, "pay")
    assert server.asked.count("tools/list") == 1


async def test_a_list_that_failed_is_asked_for_again_but_not_for_ever(server, at_once):
    server.annotations = {"pay": READS}
    server.listing = BUSY
    async with connect(server.url, retry=at_once) as caller:
        await until(lambda: caller._lists.current._failures)  # The first one nobody has asked for.
        verdicts = []
        for listing in (BUSY, None):
            server.listing, server.answers = listing, [hang_up]
            try:
                await caller.call("pay")
            except CallFailed as failed:
                verdicts.append(failed.fault.retry)
        server.listing = lambda handler, _: (server.asked.append("in vain"), handler.send(BUSY))
        for _ in range(5):
            server.answers = [hang_up]
            with pytest.raises(CallFailed):
                await caller.call("guess")
    assert verdicts == [Retry.IF_HARMLESS]
    assert server.asked.count("in vain") == 1


async def test_retries_around_a_caller_leave_the_repeating_to_the_outer_layer(server, at_once):
    async with connect(server.url, retry=at_once) as caller:
        server.answers = [BUSY] * 9
        with pytest.raises(Exception, match="failed after 3 attempts"):
            await at_once.call(caller.call, "pay")
    assert server.calls() == 3


@pytest.mark.parametrize("key", ["order-17", lambda _: "order-17"])
async def test_a_policy_with_a_key_is_refused_because_it_would_stand_for_every_call(server, at_once, key):
    with pytest.raises(TypeError, match=r"`call\(…, key=…\)`"):
        async with connect(server.url, retry=at_once(key=key)):
            raise AssertionError


@pytest.mark.parametrize(("annotations", "calls"), [({}, 2), (DESTROYS, 1)])
async def test_a_policy_speaks_for_the_tools_that_declare_nothing(server, at_once, annotations, calls):
    server.annotations = {"pay": annotations}
    if calls == 1:
        await failure(server, at_once(idempotent=True), hang_up)
    else:
        await call(server, at_once(idempotent=True), hang_up)
    assert server.calls() == calls


async def test_what_a_tool_declared_before_the_server_was_started_again_no_longer_counts(server, at_once):
    server.era = "legacy"
    server.annotations = {"pay": READS}
    async with connect(server.url, retry=at_once) as caller:
        await caller.call("pay")
        server.session = "session-2"
        server.annotations = {"pay": DESTROYS}
        server.answers = [ERROR, hang_up]  # The first one is not sent: the session is not known any more.
        with pytest.raises(CallFailed) as caught:
            await caller.call("pay")
    assert (caught.value.fault.retry, server.calls()) == (Retry.VERIFY_FIRST, 3)


async def test_nor_does_it_count_once_the_owner_of_a_client_has_opened_it_again(server, at_once):
    client = fastmcp.Client(server.url)
    caller = Caller(client, retry=at_once)
    server.annotations = {"pay": READS}
    async with client:
        await caller.call("pay")
    server.annotations = {"pay": DESTROYS}
    server.answers = [Reply(500)]
    async with client:
        with pytest.raises(CallFailed) as caught:
            await caller.call("pay")
    assert (caught.value.fault.retry, server.calls()) == (Retry.VERIFY_FIRST, 2)
