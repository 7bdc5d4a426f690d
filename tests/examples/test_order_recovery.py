"""Does `order_recovery` answer what document 004 promises, to its author and a client of their own?"""

import asyncio
import importlib
import json
import re
import subprocess
import uuid
from datetime import UTC, datetime, timedelta
from subprocess import DEVNULL, PIPE

import httpx2
import pytest
from asking_orders import refused
from mcp.shared.exceptions import MCPError
from support.example_servers import EXAMPLES, connected, listening, over_stdio, payload
from support.raw_http_client import post, tool_call
from support.taxonomy_words import RECOVERY_MAP

from errata import Code

pytestmark = pytest.mark.anyio

A_WHILE = timedelta(hours=1)  # Clocks are set while tests run.
FAILURES = {
    "INVALID_INPUT": ("update_quantity", {"order_id": "ord-1", "quantity": "many"}),
    "UNAUTHORIZED": ("payment_status", {"order_id": "answer-401"}),
    "FORBIDDEN": ("payment_status", {"order_id": "answer-403"}),
    "NOT_FOUND": ("get_order", {"order_id": "ord-17"}),
    "RATE_LIMITED": ("payment_status", {"order_id": "answer-429-after-17"}),
    "VALIDATION_FAILED": ("update_quantity", {"order_id": "ord-1", "quantity": 12}),
    "INTERNAL_ERROR": ("get_order", {"order_id": "answer-500"}),
    "SERVICE_UNAVAILABLE": ("payment_status", {"order_id": "answer-503"}),
    "TIMEOUT": ("payment_status", {"order_id": "answer-504"}),
    "DEPENDENCY_FAILED": ("list_orders", {"user_id": "answer-500"}),
    "BUSINESS_RULE_VIOLATION": ("refund_order", {"order_id": "ord-3"}),
    "INSUFFICIENT_BALANCE": ("pay_order", {"order_id": "ord-4"}),
    "DUPLICATE_OPERATION": ("pay_order", {"order_id": "ord-2"}),
    "OPERATION_NOT_ALLOWED": ("cancel_order", {"order_id": "ord-2"}),
}
"""One call for each word, from a client alone."""

OTHER_FAILURES = {
    "no such user": ("list_orders", {"user_id": "nobody"}),
    "no copy": ("cached_orders", {"user_id": "nobody"}),
    "none at all": ("update_quantity", {"order_id": "ord-1", "quantity": 0}),
    "changed too late": ("update_quantity", {"order_id": "ord-6", "quantity": 2}),
    "cancelled before": ("pay_order", {"order_id": "ord-6"}),
    "not paid": ("refund_order", {"order_id": "ord-1"}),
    "paid, perhaps": ("pay_order", {"order_id": "answer-500"}),
    "not paid yet": ("pay_order", {"order_id": "answer-503"}),
    "refunded, perhaps": ("refund_order", {"order_id": "answer-close"}),
    "nothing given": ("get_order", {}),
    "no such tool": ("get_orders", {"order_id": "ord-1"}),
}
CASES = FAILURES | OTHER_FAILURES

UPSTREAM_TOOLS = {
    "get_order": {"order_id": "ord-1"},
    "list_orders": {"user_id": "ada"},
    "update_quantity": {"order_id": "ord-1", "quantity": 3},
    "cancel_order": {"order_id": "ord-1"},
    "pay_order": {"order_id": "ord-1"},
    "refund_order": {"order_id": "ord-2"},
    "payment_status": {"order_id": "ord-2"},
}
"""Every tool that asks the order service, with arguments that work."""

# fmt: off
ANSWERS = [
    "400", "401", "403", "404", "408", "409", "422", "429", "429-after-17", "500", "501", "502", "503", "504",
    "garbage", "close",
]
# fmt: on
"""What a service may answer instead of an answer. `hang` is one, too, and takes a second."""

DOWN = ["408", "500", "502", "503", "504", "garbage", "close"]
"""What says that the service itself fails."""
MAY_HAVE_HAPPENED = ["408", "500", "502", "504", "garbage", "close"]
DID_NOT_HAPPEN = ["429", "503"]
MOVE_MONEY = ["pay_order", "refund_order"]

ORDER = {"id": "ord-1", "user_id": "ada", "item": "lamp", "quantity": 2, "due_cents": 3_000, "status": "open"}
GOOD = {
    "code": "DEPENDENCY_FAILED",
    "message": "Order service unavailable",
    "retry_after_ms": 5_000,
    "recovery_actions": ["use_fallback_service", "retry_later"],
    "recovery_hint": "RETRY_LATER",
    "userMessage": "Could not load orders. The order service is temporarily unavailable.",
}
NEVER = "1000000"
"""After how many failures the service is left alone, where a test is about single ones."""
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"

IN_EVERY_ERROR = ["code", "message", "recovery_actions", "correlation_id", "timestamp"]
IN_SOME_ERRORS = ["details", "retry_after_ms", "fallback_tool", "recovery_hint", "userMessage", "corrective_params"]


@pytest.fixture(scope="module")
def service():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(EXAMPLES)
        return importlib.import_module("upstreams.order_service").OrderService()


@pytest.fixture(scope="module")
def said_instead():
    """Hold what the service answers instead of what it would say, if anything."""
    return []


@pytest.fixture(scope="module")
def upstream(way, service, said_instead):  # noqa: ARG001 - one for each way.
    def answer(request):
        return said_instead[-1] if said_instead else service(request)

    with importlib.import_module("upstreams").Upstream(answer) as listening_upstream:
        yield listening_upstream


@pytest.fixture(scope="module")
async def client(way, upstream):
    """Connect to the server, with a service behind it that this process runs, tells what to do and counts in."""
    async with connected("order_recovery", way, ORDERS_URL=upstream.url, ORDERS_FAILURES=NEVER) as connection:
        yield connection


@pytest.fixture
def call(client, upstream, service):
    """Call a tool on a service where nothing has happened yet."""
    service.start_over()

    async def call(tool, meta=None, **arguments):
        return payload(await client.call_tool(tool, arguments, meta=meta))

    yield call
    upstream.tell(None)


@pytest.fixture
def say(said_instead):
    """Have the service answer with a body, a status and headers, until the test ends."""
    reply = importlib.import_module("upstreams").Reply

    def say(body, status=200, **headers):
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        said_instead.append(reply(body, status, fields | {"Connection": "close"}))  # A 304 has no body to be read.

    yield say
    said_instead.clear()


@pytest.fixture
def fail(call):
    """Call a tool that has to fail, and give the error."""

    async def fail(tool, **arguments):
        return error_in(await call(tool, **arguments))

    return fail


@pytest.fixture(scope="module")
async def cases(client, service):
    """Make every call of CASES once."""
    service.start_over()
    return await results_of(client, CASES)


@pytest.fixture(scope="module")
async def swept(client):
    """Make every tool get every answer once."""
    return await results_of(
        client,
        {
            (tool, answer): (tool, arguments | {next(iter(arguments)): f"answer-{answer}"})
            for tool, arguments in UPSTREAM_TOOLS.items()
            for answer in ANSWERS
        },
    )


async def results_of(client, calls):
    """Make calls, a few at a time: more would wait for each other longer than the server waits for its service."""
    a_few = asyncio.Semaphore(4)

    async def result_of(tool, arguments):
        async with a_few:
            return payload(await client.call_tool(tool, arguments))

    return dict(zip(calls, await asyncio.gather(*(result_of(*call) for call in calls.values())), strict=True))


def error_in(result):
    assert result["isError"] is True, result
    return result["structuredContent"]


def without_identity(error):
    return {key: value for key, value in error.items() if key not in {"correlation_id", "timestamp"}}


# §1 MCPErrorCode, MCPError, MCPErrorFactory


@pytest.mark.parametrize("word", FAILURES)
async def test_a_word_has_the_actions_of_the_recovery_map(cases, word):
    error = error_in(cases[word])

    assert (error["code"], error["recovery_actions"]) == (word, RECOVERY_MAP[word])


async def test_every_word_but_that_of_the_open_circuit_is_said_after_a_single_call(cases):
    assert RECOVERY_MAP.keys() - {error_in(result)["code"] for result in cases.values()} == {"CIRCUIT_OPEN"}


@pytest.mark.parametrize("case", CASES)
async def test_an_error_has_the_members_of_the_interface_in_their_order_and_no_others(cases, case):
    error = error_in(cases[case])

    told = [key for key in (*IN_EVERY_ERROR, *IN_SOME_ERRORS) if key in error]
    assert set(error) == set(told)
    assert set(error) >= set(IN_EVERY_ERROR)
    in_order = ["code", "message", "details", "retry_after_ms", "recovery_actions", "fallback_tool"]
    in_order += ["correlation_id", "timestamp", "recovery_hint", "userMessage", "corrective_params"]
    assert list(error) == [key for key in in_order if key in error]
    assert error["code"] in RECOVERY_MAP
    assert error["message"]
    assert all(isinstance(action, str) for action in error["recovery_actions"])
    assert isinstance(error.get("details", {}), dict)
    assert isinstance(error.get("retry_after_ms", 0), int)


@pytest.mark.parametrize("case", CASES)
async def test_the_text_is_the_object_printed_with_two_spaces_and_the_result_says_that_it_is_an_error(cases, case):
    result = cases[case]

    assert result["isError"] is True
    (block,) = result["content"]
    assert block["type"] == "text"
    assert block["text"] == json.dumps(result["structuredContent"], indent=2, ensure_ascii=False)


async def test_what_is_undefined_is_absent(fail):
    assert set(await fail("payment_status", order_id="ord-17")) == {*IN_EVERY_ERROR, "details", "fallback_tool"}


async def test_a_failure_has_a_random_uuid_of_its_own(fail):
    first, second = [(await fail("get_order", order_id="ord-17"))["correlation_id"] for _ in range(2)]

    assert first != second
    assert [uuid.UUID(each).version for each in (first, second)] == [4, 4]


async def test_a_call_with_a_trace_is_answered_under_that_trace(call):
    result = await call("get_order", order_id="ord-17", meta={"traceparent": f"00-{TRACE}-00f067aa0ba902b7-01"})

    assert result["structuredContent"]["correlation_id"] == TRACE


async def test_the_timestamp_is_that_of_the_failure_as_to_iso_string_writes_it(fail):
    timestamp = (await fail("get_order", order_id="ord-17"))["timestamp"]

    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", timestamp)
    assert abs(datetime.now(UTC) - datetime.fromisoformat(timestamp)) < A_WHILE


# Recovery Hints


@pytest.mark.parametrize("case", CASES)
async def test_a_hint_comes_with_a_message_for_the_user_and_with_what_the_agent_needs_to_follow_it(client, cases, case):
    error = error_in(cases[case])
    tools = {each.name for each in (await client.list_tools()).tools}

    assert ("recovery_hint" in error) == ("userMessage" in error)
    assert error.get("fallback_tool") in {None, *tools}
    match error.get("recovery_hint"):
        case "RETRY_LATER":
            assert error["retry_after_ms"] > 0
        case "CHECK_INPUT":
            assert error["corrective_params"].keys() <= CASES[case][1].keys()
        case "TRY_ALTERNATIVE":
            assert error["fallback_tool"]
        case "REPORT_TO_USER":
            assert error["userMessage"].endswith(".")
        case hint:
            assert hint is None


async def test_retry_later_is_followed_by_the_same_call(fail, call, upstream):
    upstream.tell("429-after-17")
    error = await fail("payment_status", order_id="ord-2")
    upstream.tell(None)  # As it would after that time.

    assert (error["recovery_hint"], error["retry_after_ms"]) == ("RETRY_LATER", 17_000)
    assert not (await call("payment_status", order_id="ord-2"))["isError"]


@pytest.mark.parametrize("answer", DOWN)
async def test_an_outage_or_a_timeout_says_retry_later_and_when(swept, answer):
    error = error_in(swept["payment_status", answer])

    assert (error["recovery_hint"], error["retry_after_ms"]) == ("RETRY_LATER", 5_000)


@pytest.mark.parametrize(("given", "corrected"), [(12, 10), (-3, 1)])
async def test_check_input_is_followed_by_the_call_with_corrective_params(fail, call, given, corrected):
    arguments = {"order_id": "ord-1", "quantity": given}
    error = await fail("update_quantity", **arguments)

    assert (error["code"], error["recovery_hint"]) == ("VALIDATION_FAILED", "CHECK_INPUT")
    assert error["corrective_params"] == {"quantity": corrected}
    result = await call("update_quantity", **arguments | error["corrective_params"])
    assert result["structuredContent"]["quantity"] == corrected


@pytest.mark.parametrize(
    ("case", "fallback", "status"),
    [
        ("OPERATION_NOT_ALLOWED", "refund_order", "refunded"),
        ("not paid", "cancel_order", "cancelled"),
        ("DUPLICATE_OPERATION", "payment_status", "paid"),
    ],
)
async def test_try_alternative_is_followed_by_the_fallback_tool_with_the_same_arguments(
    cases, call, case, fallback, status
):
    error = error_in(cases[case])

    assert (error["recovery_hint"], error["fallback_tool"]) == ("TRY_ALTERNATIVE", fallback)
    assert (await call(error["fallback_tool"], **CASES[case][1]))["structuredContent"]["status"] == status


@pytest.mark.parametrize(
    ("case", "user_message"),
    [
        (
            "INSUFFICIENT_BALANCE",
            "This order costs 90.00, and your balance is 25.00. Please add 65.00 before you pay.",
        ),
        (
            "BUSINESS_RULE_VIOLATION",
            "This order was paid 45 days ago, and can be refunded for 30 days only. The shop's support decides about exceptions.",
        ),
        (
            "no such user",
            "The shop knows nobody by the name of nobody. Please check the name.",
        ),
    ],
)
async def test_report_to_user_has_something_to_report(cases, case, user_message):
    error = error_in(cases[case])

    assert (error["recovery_hint"], error["userMessage"]) == ("REPORT_TO_USER", user_message)


async def test_what_was_done_already_names_the_way_to_its_result(fail, service):
    error = await fail("pay_order", order_id="ord-2")

    assert without_identity(error) == {
        "code": "DUPLICATE_OPERATION",
        "message": "The payment of order ord-2 was made already, and was not made again.",
        "details": {"orderId": "ord-2"},
        "recovery_actions": ["get_existing_result", "skip_operation"],
        "fallback_tool": "payment_status",
        "recovery_hint": "TRY_ALTERNATIVE",
        "userMessage": "The payment of this order was made already. No money was moved again.",
    }
    assert service.payments["ord-2"] == 1


# What may have happened


@pytest.mark.parametrize("answer", MAY_HAVE_HAPPENED)
@pytest.mark.parametrize("tool", MOVE_MONEY)
async def test_money_that_may_have_moved_is_looked_for_and_not_moved_again(swept, tool, answer):
    error = error_in(swept[tool, answer])

    assert (error["recovery_hint"], error["fallback_tool"]) == ("TRY_ALTERNATIVE", "payment_status")
    assert "retry_after_ms" not in error
    assert error["recovery_actions"] == ["contact_support"]


@pytest.mark.parametrize("answer", DID_NOT_HAPPEN)
@pytest.mark.parametrize("tool", MOVE_MONEY)
async def test_money_that_was_not_moved_may_be_moved_later(swept, tool, answer):
    error = error_in(swept[tool, answer])

    assert (error["recovery_hint"], error["retry_after_ms"]) == ("RETRY_LATER", 5_000)


@pytest.mark.parametrize("status", [204, 206, 301, 302, 303, 304, 307, 308, 500, 501, 505, 599])
@pytest.mark.parametrize("tool", MOVE_MONEY)
async def test_money_is_looked_for_after_every_status_that_is_no_clear_refusal(fail, say, tool, status):
    say({"reason": "balance", "order_id": "ord-1"}, status, Location="/orders/ord-1", X_Should_Retry="false")
    error = await fail(tool, order_id="ord-1")

    assert (error["recovery_hint"], error["fallback_tool"]) == ("TRY_ALTERNATIVE", "payment_status")
    assert error["recovery_actions"] == ["contact_support"]
    assert "retry_after_ms" not in error
    assert error["userMessage"].startswith("It is not known yet whether the ")


@pytest.mark.parametrize("status", [400, 402, 405, 407, 418, 451])
@pytest.mark.parametrize("tool", MOVE_MONEY)
async def test_money_that_was_clearly_refused_need_not_be_looked_for(fail, say, tool, status):
    say({}, status)

    assert "fallback_tool" not in await fail(tool, order_id="ord-1")


@pytest.mark.parametrize("status", [301, 302, 303, 304, 307, 308])
async def test_a_redirect_is_no_list_and_no_order(fail, say, status):
    say({"orders": [], "total": 0, **ORDER}, status, Location="/elsewhere")

    assert without_identity(await fail("list_orders", user_id="carl")) == GOOD
    assert (await fail("get_order", order_id="ord-1"))["code"] == "INTERNAL_ERROR"
    assert (await fail("cancel_order", order_id="ord-1"))["code"] == "DEPENDENCY_FAILED"


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
@pytest.mark.parametrize(("tool", "named"), [("list_orders", "user_id"), ("payment_status", "order_id")])
async def test_a_wait_of_nothing_is_the_usual_one(fail, say, tool, named, status):
    say({}, status, Retry_After="0")
    error = await fail(tool, **{named: "carl"})

    assert (error["recovery_hint"], error["retry_after_ms"]) == ("RETRY_LATER", 5_000)
    assert " 0 s" not in error["userMessage"]


async def test_an_answer_that_cannot_be_unpacked_says_nothing_about_the_money(fail, say):
    say({}, Content_Encoding="gzip")
    error = await fail("pay_order", order_id="ord-1")

    assert (error["code"], error["fallback_tool"]) == ("DEPENDENCY_FAILED", "payment_status")


async def test_a_payment_that_times_out_is_verified_with_the_tool_that_it_names_and_was_made_once(fail, call, service):
    error = await fail("pay_order", order_id="ord-5")
    assert without_identity(error) == {
        "code": "TIMEOUT",
        "message": "The order service did not answer within 1 s.",
        "recovery_actions": ["contact_support"],
        "fallback_tool": "payment_status",
        "recovery_hint": "TRY_ALTERNATIVE",
        "userMessage": "It is not known yet whether the payment was made. It is looked up before anything is repeated.",
    }

    verified = await call(error["fallback_tool"], order_id="ord-5")
    assert verified["structuredContent"] == {"order_id": "ord-5", "status": "paid", "payments": 1, "refunds": 0}
    assert service.payments["ord-5"] == 1

    again = await fail("pay_order", order_id="ord-5")
    assert again["code"] == "DUPLICATE_OPERATION"
    assert service.payments["ord-5"] == 1


# No-FAKE-EMPTY-Data


async def test_somebody_without_orders_has_an_empty_list_and_a_success(call):
    result = await call("list_orders", user_id="eve")

    assert result["isError"] is False
    assert result["structuredContent"] == {"orders": [], "total": 0, "status": "success"}
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]


async def test_somebodys_orders_are_all_there(call):
    listed = (await call("list_orders", user_id="ada"))["structuredContent"]

    assert listed["orders"][0] == ORDER
    assert ([order["id"] for order in listed["orders"]], listed["total"]) == (["ord-1", "ord-2", "ord-3"], 3)
    assert listed["status"] == "success"


@pytest.mark.parametrize("answer", DOWN)
async def test_a_list_that_failed_is_the_error_of_the_good_example(swept, answer):
    assert without_identity(error_in(swept["list_orders", answer])) == GOOD


@pytest.mark.parametrize(
    "said",
    [
        {"orders": [], "total": 3},
        {"orders": [ORDER], "total": 0},
        {"orders": [], "total": 0, "error": "database timeout"},
        {"orders": [], "total": 0, "error": {"code": 17}},
        {"orders": [], "total": 0, "errors": ["shard 2 is down"]},
        {"orders": []},
        {"total": 0},
        [],
        None,
    ],
    ids=repr,
)
async def test_a_list_that_contradicts_itself_or_stands_beside_an_error_is_a_failure(fail, say, said):
    say(said)

    assert without_identity(await fail("list_orders", user_id="carl")) == GOOD


async def test_a_payment_that_stands_beside_an_error_is_looked_for(fail, say):
    say({"order_id": "ord-1", "status": "open", "payments": 0, "refunds": 0, "error": "ledger"})

    assert (await fail("pay_order", order_id="ord-1"))["fallback_tool"] == "payment_status"


async def test_an_error_that_is_none_leaves_the_list_as_it_is(call, say):
    say({"orders": [ORDER], "total": 1, "error": None})

    assert (await call("list_orders", user_id="carl"))["structuredContent"]["orders"] == [ORDER]


@pytest.mark.parametrize(
    ("answer", "word"), [("401", "UNAUTHORIZED"), ("403", "FORBIDDEN"), ("429-after-17", "RATE_LIMITED")]
)
async def test_a_list_that_was_refused_says_so_because_waiting_five_seconds_is_not_the_way_out(swept, answer, word):
    error = error_in(swept["list_orders", answer])

    assert error["code"] == word
    assert error.get("retry_after_ms") == (17_000 if word == "RATE_LIMITED" else None)


@pytest.mark.parametrize("tool", UPSTREAM_TOOLS)
async def test_whatever_the_service_answers_a_failure_is_an_error_and_never_an_empty_result(swept, tool):
    for answer in ANSWERS:
        result = swept[tool, answer]
        error = error_in(result)

        assert error["code"] in RECOVERY_MAP, answer
        assert error.keys().isdisjoint({"orders", "total", "status"}), answer
        assert result["content"][0]["text"] == json.dumps(error, indent=2, ensure_ascii=False), answer


@pytest.mark.parametrize("tool", UPSTREAM_TOOLS)
async def test_a_tool_that_fails_so_often_works_when_its_service_does(call, tool):
    assert (await call(tool, **UPSTREAM_TOOLS[tool]))["isError"] is False


async def test_a_service_that_hangs_fails_every_tool_within_the_time_limit(call, upstream):
    upstream.tell("hang")
    results = await asyncio.gather(*(call(tool, **arguments) for tool, arguments in UPSTREAM_TOOLS.items()))

    assert [result["isError"] for result in results] == [True] * len(UPSTREAM_TOOLS)
    assert {
        tool: result["structuredContent"]["code"] for tool, result in zip(UPSTREAM_TOOLS, results, strict=True)
    } == {
        "get_order": "INTERNAL_ERROR",
        "list_orders": "DEPENDENCY_FAILED",
        **dict.fromkeys(("update_quantity", "cancel_order", "pay_order", "refund_order", "payment_status"), "TIMEOUT"),
    }


@pytest.mark.parametrize("answer", ["503", "429-after-17"])
async def test_the_fallback_tool_has_the_last_list_that_was_right_and_says_how_old_it_is(fail, call, upstream, answer):
    listed = (await call("list_orders", user_id="ada"))["structuredContent"]

    upstream.tell(answer)
    error = await fail("list_orders", user_id="ada")
    assert error["fallback_tool"] == "cached_orders"

    cached = (await call(error["fallback_tool"], user_id="ada"))["structuredContent"]
    assert (cached["orders"], cached["total"], cached["status"]) == (listed["orders"], listed["total"], "cached")
    assert abs(datetime.now(UTC) - datetime.fromisoformat(cached["as_of"])) < A_WHILE
    assert 0 <= cached["age_ms"] < A_WHILE.total_seconds() * 1000


async def test_the_copy_is_that_of_the_last_list_and_not_of_the_first(call):
    await call("list_orders", user_id="ada")
    await call("update_quantity", order_id="ord-1", quantity=5)
    await call("list_orders", user_id="ada")

    cached = (await call("cached_orders", user_id="ada"))["structuredContent"]
    assert cached["orders"][0] == ORDER | {"quantity": 5, "due_cents": 7_500}


async def test_a_copy_that_was_never_made_is_an_error_and_no_empty_list(fail, upstream):
    upstream.tell("503")
    assert "fallback_tool" not in await fail("list_orders", user_id="bob")
    assert without_identity(await fail("cached_orders", user_id="bob")) == {
        "code": "NOT_FOUND",
        "message": "No copy of the orders of bob was made since this server started",
        "details": {"userId": "bob"},
        "recovery_actions": ["verify_resource_id", "list_available_resources"],
        "fallback_tool": "list_orders",
    }


async def test_somebody_unknown_is_not_somebody_without_orders(fail):
    assert (await fail("list_orders", user_id="nobody"))["code"] == "NOT_FOUND"


# Usage Example


async def test_an_order_is_told_as_json_with_two_spaces(call):
    result = await call("get_order", order_id="ord-1")

    assert result["isError"] is False
    assert [(block["type"], block["text"]) for block in result["content"]] == [("text", json.dumps(ORDER, indent=2))]


async def test_an_order_that_is_not_there_is_the_error_of_the_usage_example(fail):
    assert without_identity(await fail("get_order", order_id="ord-17")) == {
        "code": "NOT_FOUND",
        "message": "Order ord-17 not found",
        "details": {"orderId": "ord-17"},
        "recovery_actions": ["verify_resource_id", "list_available_resources"],
        "fallback_tool": "list_orders",
    }


@pytest.mark.parametrize(
    ("answer", "original"),
    [
        ("500", "The order service answered 500 Internal Server Error: ‹The database refused a connection.›"),
        ("403", "The order service answered 403 Forbidden: ‹This key may read and not write.›"),
        ("garbage", "The order service answered 200 with something else than was asked for."),
        ("close", "The order service gave no answer: Server disconnected without sending a response."),
    ],
)
async def test_an_order_that_cannot_be_retrieved_is_the_other_error_of_the_usage_example(swept, answer, original):
    assert without_identity(error_in(swept["get_order", answer])) == {
        "code": "INTERNAL_ERROR",
        "message": "Failed to retrieve order",
        "details": {"orderId": f"answer-{answer}", "originalError": original},
        "recovery_actions": ["retry_once", "contact_support"],
    }


# CIRCUIT_OPEN: a service that keeps failing is left alone


@pytest.fixture(scope="module")
def service_of_its_own():
    """Run a service for a server whose circuit opens."""
    service = importlib.import_module("upstreams.order_service").OrderService()
    with importlib.import_module("upstreams").Upstream(service) as upstream:
        yield service, upstream


@pytest.fixture(scope="module")
async def left_alone(way, service_of_its_own):
    """Let the service fail until it is left alone, then be well again; gives what every tool says then."""
    service, upstream = service_of_its_own
    settings = {"ORDERS_URL": upstream.url, "ORDERS_FAILURES": "3", "ORDERS_OPEN_S": "3600"}
    async with connected("order_recovery", way, **settings) as client:
        await client.call_tool("list_orders", {"user_id": "ada"})
        for answer in ("404", "503", "429", "500", "close"):  # Refusals in between do not speak for it.
            await client.call_tool("payment_status", {"order_id": f"answer-{answer}"})
        asked, paid = upstream.requests, dict(service.payments)
        calls = {tool: (tool, arguments) for tool, arguments in UPSTREAM_TOOLS.items()}
        others = {
            "status": ("check_service_status", {}),
            "copy": ("cached_orders", {"user_id": "ada"}),
            "no copy": ("list_orders", {"user_id": "bob"}),
        }
        results = await results_of(client, calls | others)
    assert (upstream.requests, dict(service.payments)) == (asked, paid), "nobody asked, and nothing was paid"
    return results


@pytest.mark.parametrize("tool", UPSTREAM_TOOLS)
async def test_a_service_that_keeps_failing_is_left_alone_by_every_tool(left_alone, tool):
    error = error_in(left_alone[tool])

    assert (error["code"], error["recovery_actions"]) == ("CIRCUIT_OPEN", RECOVERY_MAP["CIRCUIT_OPEN"])
    assert error["recovery_hint"] == "RETRY_LATER"
    assert 0 < error["retry_after_ms"] <= 3_600_000
    assert error["userMessage"].startswith("The order service cannot answer right now. It can be asked again in ")
    assert error["details"]["upstream"] == "order-service"
    assert f"paused since {error['details']['since']}" in error["message"]


async def test_an_open_circuit_names_the_fallback_where_there_is_one_and_it_works(left_alone):
    assert error_in(left_alone["list_orders"])["fallback_tool"] == "cached_orders"
    assert left_alone["copy"]["structuredContent"]["status"] == "cached"
    assert "fallback_tool" not in error_in(left_alone["no copy"])


async def test_the_status_of_the_service_can_be_checked_as_the_actions_say(left_alone):
    status = left_alone["status"]["structuredContent"]

    since = error_in(left_alone["get_order"])["details"]["since"]
    assert status == {
        "upstream": "order-service",
        "state": "open",
        "failure_rate": 0.75,
        "failures": 3,
        "calls": 4,
        "last_success": status["last_success"],
        "last_failure": since,
        "last_failure_code": "NETWORK_ERROR",
        "since": since,
        "expected_recovery": status["expected_recovery"],
        "fallback_tool": None,
        "recommendation": f"Do not call `order-service` before {status['expected_recovery']}.",
    }
    assert status["last_success"] < since < status["expected_recovery"]


async def test_a_service_that_is_back_is_asked_again_and_the_circuit_closes(way, service_of_its_own):
    _, upstream = service_of_its_own
    settings = {"ORDERS_URL": upstream.url, "ORDERS_FAILURES": "1", "ORDERS_OPEN_S": "0.05"}
    async with connected("order_recovery", way, **settings) as client:

        async def ask(tool, **arguments):
            return payload(await client.call_tool(tool, arguments))

        await ask("payment_status", order_id="answer-503")
        answered = 0
        async with asyncio.timeout(60):
            while answered < 2:
                result = await ask("payment_status", order_id="ord-2")
                answered += not result["isError"]
                if result["isError"]:
                    await asyncio.sleep(error_in(result)["retry_after_ms"] / 1000)
        status = (await ask("check_service_status"))["structuredContent"]

    assert (status["state"], status["since"]) == ("closed", None)
    assert status["recommendation"] == "Call `order-service` as usual."


def test_a_setting_that_is_no_number_is_refused_when_the_server_starts():
    server = over_stdio("order_recovery", ORDERS_OPEN_S="a minute")
    done = subprocess.run([server.command, *server.args], env=server.env, capture_output=True, text=True, check=False)

    assert done.returncode != 0
    assert "`ORDERS_OPEN_S` is 'a minute'. Set it to a number, or leave it out for 60." in done.stderr


# What the document does not say, and a server in production has to do


async def test_no_secret_of_the_service_and_nothing_of_the_server_is_told(swept, cases):
    told = json.dumps([*swept.values(), *cases.values()])

    assert "[redacted: key]" in told  # The service does quote it.
    for inside in ("sk-sandbox", "0f3b7a91c2d4e6f8", "Traceback", "127.0.0.1", "asking_orders", "httpx"):
        assert inside not in told


@pytest.mark.parametrize(
    "body",
    [
        b"<html>",
        b"[]",
        b"{}",
        b'{"reason": []}',
        b'{"reason": "weather"}',
        b'{"reason": "no_order"}',
        b'{"reason": "no_order", "order_id": {}}',
        b'{"reason": "status", "order_id": "ord-1", "status": "open", "operation": "paint"}',
    ],
)
def test_a_refusal_that_makes_no_sense_is_what_its_status_says(body):
    fault = refused(httpx2.Response(409, content=body)).fault

    assert fault.code is Code.CONFLICT
    assert fault.message.startswith("The order service answered 409 Conflict")


async def test_the_tools_say_what_they_do(client):
    told = {
        tool.name: (
            tool.annotations.read_only_hint,
            bool(tool.annotations.destructive_hint),
            bool(tool.annotations.idempotent_hint),
        )
        for tool in (await client.list_tools()).tools
    }

    reads, repeatable, once = (True, False, True), (False, True, True), (False, True, False)
    assert told == {
        "get_order": reads,
        "list_orders": reads,
        "cached_orders": reads,
        "payment_status": reads,
        "check_service_status": reads,
        "update_quantity": repeatable,
        "cancel_order": repeatable,
        "pay_order": once,
        "refund_order": once,
    }


async def test_what_is_called_repeatable_is_so(call):
    for tool, arguments in (
        ("update_quantity", {"order_id": "ord-1", "quantity": 3}),
        ("cancel_order", {"order_id": "ord-1"}),
    ):
        once, twice = [(await call(tool, **arguments))["structuredContent"] for _ in range(2)]
        assert once == twice


@pytest.mark.parametrize(
    "order_id",
    [
        "",
        "..",
        ".",
        "../users/ada/orders",
        "ord-1/payment",
        "ord-1?x=1",
        "ord-1#",
        "%2e%2e",
        "ord\x00\x1b[31m-1",
        "ord-1\n",
    ],
)
async def test_an_id_that_would_lead_elsewhere_does_not_leave_the_server(fail, upstream, order_id):
    asked = upstream.requests
    error = await fail("get_order", order_id=order_id)

    assert error["code"] == "INVALID_INPUT"
    assert "`order_id`" in error["message"]
    assert upstream.requests == asked


@pytest.mark.parametrize("quantity", ["many", None, [], {"$gt": 0}, 2.5, "9" * 5_000])
async def test_a_quantity_of_another_kind_is_refused_without_being_quoted(fail, quantity):
    error = await fail("update_quantity", order_id="ord-1", quantity=quantity)

    assert error["code"] == "INVALID_INPUT"
    assert len(error["message"]) < 300


async def test_an_argument_of_ten_megabytes_is_refused_and_the_server_lives_on(call, fail, way):
    huge = {"order_id": "x" * 10_000_000}
    if "stdio" in way:
        error = await fail("get_order", **huge)
        assert (error["code"], len(error["message"]) < 300) == ("INVALID_INPUT", True)
    else:
        with pytest.raises(MCPError):  # The SDK takes four megabytes and answers 413 to more.
            await call("get_order", **huge)

    assert (await call("get_order", order_id="ord-1"))["isError"] is False


def test_without_a_service_the_server_brings_its_own_and_half_a_character_does_not_end_it():
    server = over_stdio("order_recovery")
    command = [server.command, *server.args]
    with subprocess.Popen(command, env=server.env, text=True, stdin=PIPE, stdout=PIPE, stderr=DEVNULL) as process:
        for order in ("\ud800", "ord-1"):
            process.stdin.write(tool_call("get_order", order_id=order) + "\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())  # On stdio, the SDK reads no further in what is no Unicode.
        process.stdin.close()

    assert answer["result"]["structuredContent"] == ORDER


def test_half_a_character_is_no_name_and_a_service_that_is_not_there_is_an_error():
    with listening("order_recovery", ORDERS_URL="http://127.0.0.1:9") as url:
        half, nobody = [
            post(url, tool_call("payment_status", order_id=order), name="payment_status")["result"]
            for order in ("\ud800", "ord-1")
        ]

    assert error_in(half)["code"] == "INVALID_INPUT"
    assert (error_in(nobody)["code"], error_in(nobody)["recovery_hint"]) == ("SERVICE_UNAVAILABLE", "RETRY_LATER")


@pytest.fixture(scope="module")
def nowhere():
    """Give what every tool says when the service's name is not known to anybody."""
    with listening("order_recovery", ORDERS_URL="http://nx.invalid", ORDERS_FAILURES=NEVER) as url:
        return {
            tool: post(url, tool_call(tool, **arguments), name=tool)["result"]
            for tool, arguments in UPSTREAM_TOOLS.items()
        }


@pytest.mark.parametrize("tool", sorted(UPSTREAM_TOOLS.keys() - {"get_order", "list_orders"}))
def test_a_service_whose_name_nobody_knows_is_one_that_is_down_and_nothing_was_done(nowhere, tool):
    error = without_identity(error_in(nowhere[tool]))

    assert error.pop("message").startswith("The order service gave no answer: ")
    assert error == {
        "code": "SERVICE_UNAVAILABLE",
        "retry_after_ms": 5_000,
        "recovery_actions": RECOVERY_MAP["SERVICE_UNAVAILABLE"],
        "recovery_hint": "RETRY_LATER",
        "userMessage": "The order service cannot answer right now. It can be asked again in 5 s.",
    }


def test_a_list_of_a_service_whose_name_nobody_knows_is_the_error_of_the_good_example(nowhere):
    assert without_identity(error_in(nowhere["list_orders"])) == GOOD
    assert error_in(nowhere["get_order"])["code"] == "INTERNAL_ERROR"


@pytest.mark.parametrize("tool", UPSTREAM_TOOLS)
async def test_after_whatever_status_there_is_a_hint_and_a_message_or_neither(fail, say, tool):
    for status in (204, 301, 303, 304, 308, 400, 407, 413, 418, 499, 500, 501, 505, 599):
        say({}, status, Retry_After="0")
        error = await fail(tool, **UPSTREAM_TOOLS[tool])
        assert ("recovery_hint" in error) == ("userMessage" in error), status
        assert error.get("recovery_hint") != "RETRY_LATER" or error["retry_after_ms"], status
