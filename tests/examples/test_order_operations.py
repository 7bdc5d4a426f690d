"""Does `order_operations` answer what document 001 promises? Its lines are gone through in their order."""

import json
import re
import socket
import subprocess
import tempfile
import threading
from contextlib import contextmanager
from functools import partial

import anyio
import jsonschema
import pytest
from mcp.shared.exceptions import MCPError
from order_adapters import ADAPTERS
from support import raw_http_client
from support.example_servers import connected, listening, over_stdio, payload
from support.raw_http_client import request
from upstreams import Reply, Upstream
from upstreams.depot import depot as depot_app
from upstreams.storefront import storefront as storefront_app

import errata
from errata import dialects

pytestmark = pytest.mark.anyio

ORDER = {
    "reference": "PO-7",
    "customer": {"email": "mia.wong@acme.io"},
    "lines": [{"sku": "MUG-1", "quantity": 1}],
}
LONGEST_S = 120
CODES = {2001, 2002, 2003, 3001, 3002, 4001, 4002, 5001}
TEXTS = {"field", "reason", "suggestion", "originalError"}
PRIVATE = (
    "sk-sandbox-0f3b7a91c2d4e6f8",  # in the body of every failure that the sandbox is told to answer with
    "sf-sandbox-91b7c2e05d",  # the storefront's key
    "dp-sandbox-44d0e8a1f3",  # the depot's key
    "letmein94",  # a password in the depot's words
    "mia.wong",  # who orders
    "ann.lee",  # whose the orders are
    "ann lee",
    "oper7",  # who has a record open
    "declined@",
    "4111 1111",
)


def order(**changes):
    return {"order": {**ORDER, **changes}}


def storefront(order_id):
    return "get_order", {"order_id": order_id}


def depot(tool, order_id):
    return tool, {"order_id": order_id, "adapter": "depot"}


# fmt: off
FAILURES = {
    "wrong type":              (("create_order", order(lines=[{"sku": "MUG-1", "quantity": "many"}])), 2001, False),
    "out of range":            (("create_order", order(lines=[{"sku": "MUG-1", "quantity": 0}])),      2001, False),
    "no such adapter":         (("get_order", {"order_id": "1001", "adapter": "warehouse"}),           2001, False),
    "two things wrong":        (("create_order", order(customer={}, lines="none")),                    2001, False),
    "too large a correction":  (("adjust_inventory", {"sku": "MUG-1", "by": 5_000}),                   2001, False),
    "missing":                 (("create_order", order(customer={})),                                  2002, False),
    "nothing to find":         (("find_orders", {}),                                                   2002, False),
    "nothing given":           (("cancel_order", {}),                                                  2002, False),
    "no address":              (("create_order", order(customer={"email": "mia.wong(at)acme"})),       2003, False),
    "too many requests":       (storefront("answer-429"),                                              3001, True),
    "too many, wait":          (storefront("answer-429-after-17"),                                     3001, True),
    "gateway timeout":         (storefront("answer-504"),                                              3002, True),
    "no order":                (storefront("9999"),                                                    4001, False),
    "no order in the depot":   (depot("get_order", "9999"),                                            4001, False),
    "wrong state":             (("cancel_order", {"order_id": "1002"}),                                4001, False),
    "wrong state in depot":    (depot("fulfill_order", "1002"),                                        4001, False),
    "record locked":           (depot("fulfill_order", "1003"),                                        4001, True),
    "out of stock":            (("create_order", order(lines=[{"sku": "LAMP-7", "quantity": 5}])),     4001, False),
    "card declined":           (("create_order", order(customer={"email": "declined@acme.io"})),       4001, False),
    "no article":              (("get_inventory", {"sku": "NOPE"}),                                    4001, False),
    "refused upstream":        (storefront("answer-422"),                                              4001, False),
    "no article to correct":   (("adjust_inventory", {"sku": "NOPE", "by": 1}),                        4001, False),
    "broken while correcting": (("adjust_inventory", {"sku": "answer-500", "by": 1}),                  4001, False),
    "unauthorized":            (storefront("answer-401"),                                              4001, False),
    "forbidden":               (storefront("answer-403"),                                              4001, False),
    "gone":                    (storefront("answer-410"),                                              4001, False),
    "broken upstream":         (storefront("answer-500"),                                              4001, True),
    "broken while ordering":   (("create_order", order(reference="answer-500")),                       4001, False),
    "unreadable":              (storefront("answer-garbage"),                                          4001, True),
    "unreadable while ordering": (("create_order", order(reference="answer-garbage")),                 4001, False),
    "unknown state":           (depot("get_order", "1004"),                                            4001, True),
    "unknown tool":            (("get_ordre", {"order_id": "1001"}),                                   4001, False),
    "down":                    (storefront("answer-503"),                                              4002, True),
    "down while ordering":     (("create_order", order(reference="answer-503")),                       4002, True),
    "down while finding":      (("find_orders", {"reference": "answer-503"}),                          4002, True),
    "depot is down":           (depot("get_order", "answer-503"),                                      4002, True),
    "hung up":                 (storefront("answer-close"),                                            4002, True),
    "hung up while ordering":  (("create_order", order(reference="answer-close")),                     4002, False),
    "unsupported":             (depot("cancel_order", "1001"),                                         5001, False),
    "not implemented":         (storefront("answer-501"),                                              5001, False),
}
# fmt: on


@pytest.fixture(scope="module")
async def results(client):
    """Give what all the calls above come back with."""
    return {name: payload(await client.call_tool(*call)) for name, (call, *_) in FAILURES.items()}


@pytest.fixture
def errors(results):
    return {name: result["structuredContent"]["error"] for name, result in results.items()}


@pytest.fixture(scope="module")
async def late(client):
    """Give what comes back from calls that nobody answers within a second; all of them wait at once."""
    slow = [{"sku": "SLOW-1", "quantity": 1}]
    calls = {
        "a read": storefront("answer-hang"),
        "an order": ("create_order", order(reference="PO-late", lines=slow)),
        "an order with a key": ("create_order", order(reference="PO-keyed", lines=slow) | {"idempotency_key": "k-17"}),
        "a correction": ("adjust_inventory", {"sku": "answer-hang", "by": 3}),
        "a shipment": depot("fulfill_order", "answer-hang"),
    }
    errors = {}

    async def wait(name, tool, arguments):
        errors[name] = payload(await client.call_tool(tool, arguments))["structuredContent"]["error"]

    async with anyio.create_task_group() as group:
        for name, (tool, arguments) in calls.items():
            group.start_soon(wait, name, tool, arguments)
    return errors


# Error Structure


@pytest.mark.parametrize("name", FAILURES)
async def test_every_failure_has_the_documents_structure_its_code_and_its_flag(results, name):
    _, code, retryable = FAILURES[name]
    result = results[name]
    error = result["structuredContent"]["error"]
    details = error.get("details", {"reason": ""})

    assert result["isError"] is True
    assert list(result["structuredContent"]) == ["error"]
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    assert (error["code"], error["retryable"]) == (code, retryable)
    assert error["message"].strip()
    assert error.keys() <= {"code", "message", "retryable", "details"}
    assert details.keys() <= TEXTS | {"context"}
    assert details, "details that say nothing are left out"
    assert all(isinstance(details[name], str) for name in TEXTS & details.keys())


@pytest.mark.parametrize("name", FAILURES)
async def test_a_message_is_a_sentence_that_people_can_read(errors, name):
    message = errors[name]["message"]

    sentence = re.fullmatch(r"[A-Z0-9`][^{}\n]{15,200}[.?]", message)
    assert sentence or message == "Adapter error"  # Which are the document's own words.
    assert not re.search(r"\w(Error|Exception)\b|Traceback|httpx|pydantic|None|0x", message)


async def test_all_four_details_are_told_where_there_is_something_to_tell(errors):
    assert errors["wrong state"] == {
        "code": 4001,
        "message": "Order `1002` is `shipped`; to be changed it has to be `paid`.",
        "retryable": False,
        "details": {
            "reason": "already_shipped",
            "suggestion": "Tell the user that the order is shipped, and ask how to go on.",
            "context": {"order": "1002", "state": "shipped", "needed": "paid"},
            "originalError": "INVALID_ORDER_STATE",
        },
    }


async def test_details_are_left_out_where_there_are_none(errors):
    assert errors["down"] == {
        "code": 4002,
        "message": "The storefront answered 503 Service Unavailable.",
        "retryable": True,
    }


async def test_the_advertised_schema_of_every_tool_admits_its_errors_and_its_success(client, call, results):
    schemas = {tool.name: tool.output_schema for tool in (await client.list_tools()).tools}
    first, second = [(await call("create_order", **order()))["structuredContent"]["id"] for _ in range(2)]
    right = {
        "create_order": order(),
        "find_orders": {"reference": "PO-7"},
        "get_order": {"order_id": first},
        "cancel_order": {"order_id": first},
        "fulfill_order": {"order_id": second},
        "get_inventory": {"sku": "MUG-1"},
        "adjust_inventory": {"sku": "MUG-1", "by": 5},
    }
    assert schemas.keys() == right.keys() == {tool for (tool, _), *_ in FAILURES.values()} - {"get_ordre"}

    for name, ((tool, _), *_) in FAILURES.items():
        if tool in schemas:
            jsonschema.validate(results[name]["structuredContent"], schemas[tool])
    for tool, arguments in right.items():
        result = await call(tool, **arguments)
        assert result["isError"] is False, tool
        jsonschema.validate(result["structuredContent"], schemas[tool])
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({"error": {"code": 4001}}, schemas[tool])


# Code Ranges


@pytest.mark.parametrize(
    ("first", "names"),
    {
        2: ["wrong type", "missing", "no address"],
        3: ["too many requests", "gateway timeout"],  # "System" by the document's table, which decides over its ranges.
        4: ["no order", "down", "broken upstream"],
        5: ["unsupported", "not implemented"],
    }.items(),
)
async def test_a_code_is_in_the_range_of_its_category(errors, first, names):
    assert {errors[name]["code"] // 1000 for name in names} == {first}


# Standard Codes


async def test_all_standard_codes_and_no_others_can_be_reached_by_a_client(errors):
    assert {error["code"] for error in errors.values()} == CODES == {*dialects.ErrorResponseCode}


@pytest.mark.parametrize(
    ("answer", "code"),
    {"429": 3001, "504": 3002, "401": 4001, "500": 4001, "garbage": 4001, "503": 4002, "501": 5001}.items(),
)
async def test_every_tool_says_the_same_about_the_same_failure(client, call, answer, code):
    naming = {"create_order": order(reference=f"answer-{answer}"), "find_orders": {"reference": f"answer-{answer}"}}
    for tool in (await client.list_tools()).tools:
        by = {"by": 1} if tool.name == "adjust_inventory" else {}
        arguments = naming.get(tool.name) or {tool.input_schema["required"][0]: f"answer-{answer}", **by}
        assert (await call(tool.name, **arguments))["structuredContent"]["error"]["code"] == code, tool.name


async def test_every_tool_says_the_same_about_arguments_that_do_not_fit(client, call):
    for tool in (await client.list_tools()).tools:
        first = tool.input_schema["required"][0]
        missing = (await call(tool.name))["structuredContent"]["error"]
        wrong = (await call(tool.name, **{**dict.fromkeys(tool.input_schema["required"], 1), first: 17}))[
            "structuredContent"
        ]
        assert (missing["code"], missing["details"]["field"]) == (2002, first), tool.name
        assert (wrong["error"]["code"], wrong["error"]["details"]["field"]) == (2001, first), tool.name


async def test_parameters_that_fail_the_schema_are_2001(errors):
    assert errors["wrong type"] == {
        "code": 2001,
        "message": "One argument does not fit `create_order`: `order.lines.0.quantity` must be a whole number.",
        "retryable": False,
        "details": {"field": "order.lines.0.quantity"},
    }


async def test_a_required_field_that_is_missing_is_2002(errors):
    assert errors["missing"] == {
        "code": 2002,
        "message": "One argument does not fit `create_order`: `order.customer.email` is required.",
        "retryable": False,
        "details": {"field": "order.customer.email"},
    }


async def test_a_field_with_the_wrong_format_is_2003(errors):
    assert errors["no address"] == {
        "code": 2003,
        "message": "`order.customer.email` is not an e-mail address; one has a name, an `@` and a domain.",
        "retryable": False,
        "details": {
            "field": "order.customer.email",
            "reason": "not_an_address",
            "suggestion": "Ask the user for the customer's e-mail address, and write it as name@example.org.",
        },
    }


async def test_too_many_requests_are_3001_and_say_how_long_to_wait(errors):
    assert errors["too many, wait"] == {
        "code": 3001,
        "message": "The storefront answered 429 Too Many Requests.",
        "retryable": True,
        "details": {"suggestion": "Wait 17 s, then repeat the same call.", "context": {"retryAfterMs": 17_000}},
    }


async def test_no_answer_in_time_is_3002(late):
    assert late["a read"] == {
        "code": 3002,
        "message": "The storefront did not answer within 1 s.",
        "retryable": True,
    }


async def test_an_adapters_error_is_4001_and_retryable_as_its_data_say(errors):
    locked, missing = errors["record locked"], errors["no order in the depot"]

    assert locked == {
        "code": 4001,
        "message": "Adapter error",
        "retryable": True,
        "details": {"originalError": "RECORD_LOCKED"},
    }
    assert missing == locked | {"retryable": False, "details": {"originalError": "ORDER_NOT_FOUND"}}


async def test_a_backend_that_is_down_or_hangs_up_is_4002(errors):
    assert [errors[name]["code"] for name in ("down", "depot is down", "hung up")] == [4002, 4002, 4002]


@pytest.mark.parametrize("tool", ["create_order", "find_orders", "cancel_order", "adjust_inventory"])
async def test_what_an_adapter_does_not_support_is_5001_and_names_the_one_that_does(call, tool):
    arguments = {
        "create_order": order(),
        "find_orders": {"reference": "PO-7"},
        "cancel_order": {"order_id": "1001"},
        "adjust_inventory": {"sku": "MUG-1", "by": 1},
    }[tool]

    assert (await call(tool, **arguments, adapter="depot"))["structuredContent"]["error"] == {
        "code": 5001,
        "message": f"The adapter `depot` does not support `{tool}`; `storefront` does.",
        "retryable": False,
        "details": {
            "reason": "unsupported_by_adapter",
            "suggestion": f"Call `{tool}` again with `adapter` set to `storefront`.",
            "context": {"adapter": "depot", "supportedBy": ["storefront"]},
        },
    }


def test_what_no_adapter_supports_says_so():
    fault = ADAPTERS["depot"]._lacks("repair_order").fault

    assert fault.message == "The adapter `depot` does not support `repair_order`; no adapter does."
    assert fault.recovery.hint == "Do without `repair_order`."


@pytest.mark.parametrize(
    ("name", "identifier"),
    {
        "no order": "ORDER_NOT_FOUND",
        "no order in the depot": "ORDER_NOT_FOUND",
        "wrong state": "INVALID_ORDER_STATE",
        "wrong state in depot": "INVALID_ORDER_STATE",
        "out of stock": "OUT_OF_STOCK",
        "card declined": "CARD_DECLINED",
        "unauthorized": "UNAUTHORIZED",
        "unreadable": "UNREADABLE_ANSWER",
        "unknown state": "UNREADABLE_ANSWER",
    }.items(),
)
async def test_an_identifier_of_the_domain_goes_beside_a_standard_code(errors, name, identifier):
    error = errors[name]

    assert (error["code"], error["details"]["originalError"]) == (4001, identifier)


class Vendor:
    """A vendor that answers the same to everything."""

    def __init__(self):
        self.reply = Reply({})

    def __call__(self, _):
        return self.reply


@pytest.fixture(scope="module")
async def scripted():
    """Connect to a server with two vendors that answer what they are told; gives what tells them and makes a call."""
    vendor = Vendor()
    with Upstream(vendor) as both:
        settings = dict.fromkeys(("STOREFRONT_URL", "DEPOT_URL"), both.url)
        keys = dict.fromkeys(("STOREFRONT_API_KEY", "DEPOT_API_KEY"), "k")
        async with connected("order_operations", "stdio", **settings, **keys) as client:

            async def answer(call, body, status=200, **headers):
                vendor.reply = Reply(body, status, {**headers, "Connection": "close"})
                return payload(await client.call_tool(*call))["structuredContent"]["error"]

            yield answer


EVERY_CALL = {
    "create": ("create_order", order()),
    "create with a key": ("create_order", order() | {"idempotency_key": "k-1"}),
    "find": ("find_orders", {"reference": "PO-7"}),
    "get": storefront("1001"),
    "cancel": ("cancel_order", {"order_id": "1001"}),
    "fulfil": ("fulfill_order", {"order_id": "1001"}),
    "count": ("get_inventory", {"sku": "MUG-1"}),
    "adjust": ("adjust_inventory", {"sku": "MUG-1", "by": 1}),
    "get from the depot": depot("get_order", "1001"),
    "fulfil in the depot": depot("fulfill_order", "1001"),
    "count in the depot": ("get_inventory", {"sku": "MUG-1", "adapter": "depot"}),
}
"""Everything that a vendor is asked for."""

TO_VERIFY = {
    "create": "find_orders",
    "cancel": "get_order",
    "fulfil": "get_order",
    "adjust": "get_inventory",
    "fulfil in the depot": "get_order",
}

UNREADABLE = {
    "nothing in it": {"rc": 0},
    "no quantity": {"rc": 0, "out": {"no": "1", "st": "PD", "items": "a"}},
    "a quantity of none": {"rc": 0, "out": {"no": "1", "st": "PD", "items": "a*0"}},
    "a quantity in words": {"rc": 0, "out": {"no": "1", "st": "PD", "items": "a*two", "sku": "a", "qty": "two"}},
    "an unknown state": {"rc": 0, "out": {"no": "1", "st": "Q7", "items": "a*1"}},
    "an order without lines": {"id": "1", "state": "paid"},
    "null": None,
    "a list of nothing": [None],
}


@pytest.mark.parametrize("said", UNREADABLE)
@pytest.mark.parametrize("name", EVERY_CALL)
async def test_an_answer_that_makes_no_sense_is_the_adapters_error_and_not_the_callers(scripted, name, said):
    error = await scripted(EVERY_CALL[name], UNREADABLE[said])

    service = "The depot" if "depot" in name else "The storefront"
    assert (error["code"], error["details"]["originalError"]) == (4001, "UNREADABLE_ANSWER")
    assert error["message"] == f"{service} answered in a form that its adapter does not know."
    assert error["retryable"] is (name not in TO_VERIFY)
    if tool := TO_VERIFY.get(name):
        assert error["details"]["reason"] == "may_have_happened"
        assert error["details"]["suggestion"].startswith(f"Call `{tool}` ")


@pytest.mark.parametrize("name", ["create", "get", "adjust", "get from the depot", "fulfil in the depot"])
async def test_a_vendors_complaint_about_no_argument_in_particular_is_the_adapters_error(scripted, name):
    for status in (400, 405, 406, 407, *range(411, 419), 421, 422, 426, 428, 431, 451, 499):
        error = await scripted(EVERY_CALL[name], {"message": "letmein94"}, status)
        assert (error["code"], error["retryable"]) == (4001, False), status
        assert error["details"] == {"originalError": f"HTTP_{status}"}
        assert f" answered {status}" in error["message"]
        assert "letmein94" not in error["message"]


@pytest.mark.parametrize("status", range(400, 500, 3))
async def test_whatever_status_a_vendor_refuses_with_the_parameters_were_not_at_fault(scripted, status):
    error = await scripted(EVERY_CALL["get"], {"type": "QUOTA_17"}, status)

    assert error["code"] // 1000 != 2
    assert error["details"]["originalError"] == "QUOTA_17"


async def test_a_complaint_that_passes_says_when(scripted):
    error = await scripted(EVERY_CALL["get"], {}, 413, **{"Retry-After": "17"})

    assert (error["code"], error["retryable"]) == (4001, True)
    assert error["details"]["suggestion"] == "Wait 17 s, then repeat the same call."


@pytest.mark.parametrize("name", EVERY_CALL)
async def test_a_redirect_is_no_answer_whatever_it_says(scripted, name):
    order = {"id": "1", "state": "paid", "lines": [], "sku": "MUG-1", "available": 3, "rc": 0}
    for status in (301, 302, 303, 304, 307, 308):
        out = {"no": "1", "st": "PD", "items": "a*1", "sku": "a", "qty": "1"}
        said = [] if name == "find" else {**order, "out": out}
        error = await scripted(EVERY_CALL[name], said, status, Location="/elsewhere")
        assert (error["code"], error["details"]["originalError"]) == (4001, "UNREADABLE_ANSWER"), status
        assert error["retryable"] is (name not in TO_VERIFY), status


async def test_an_answer_that_cannot_be_unpacked_is_unreadable(scripted):
    error = await scripted(EVERY_CALL["create"], {}, **{"Content-Encoding": "gzip"})

    assert error["details"]["originalError"] == "UNREADABLE_ANSWER"
    assert error["details"]["reason"] == "may_have_happened"


# Mapping to JSON-RPC


async def test_a_success_is_the_tools_own_result(call):
    result = await call("get_order", order_id="1001")

    assert result["structuredContent"] == {
        "id": "1001",
        "state": "paid",
        "lines": [{"sku": "MUG-1", "quantity": 1}],
    }
    assert result["isError"] is False


async def test_the_documents_domain_failure_comes_out_exactly(call):
    result = await call("get_order", order_id="9999", adapter="depot")

    assert result["structuredContent"] == {
        "error": {
            "code": 4001,
            "message": "Adapter error",
            "retryable": False,
            "details": {"originalError": "ORDER_NOT_FOUND"},
        }
    }
    assert dialects.error_response.as_jsonrpc_result(errata.decode(result)) == result["structuredContent"]


@pytest.mark.parametrize(
    ("customer", "code"), [({}, "MISSING_REQUIRED_FIELD"), ({"email": "x"}, "INVALID_FORMAT"), ("x", "INVALID_PARAMS")]
)
async def test_what_is_wrong_before_anything_runs_is_32602_with_its_field(client, customer, code):
    with pytest.raises(MCPError) as refused:
        await client.get_prompt("confirmation_letter", {"order": json.dumps({**ORDER, "customer": customer})})

    assert refused.value.code == -32602
    assert refused.value.data["field"] == ("order.customer" if customer == "x" else "order.customer.email")
    assert refused.value.data["code"] == code


async def test_a_prompt_without_its_argument_is_32602_with_its_field(client):
    with pytest.raises(MCPError) as refused:
        await client.get_prompt("confirmation_letter", {})

    assert (refused.value.code, refused.value.data["field"]) == (-32602, "order")


@pytest.mark.parametrize("uri", ["orders://9999", "invoices://1001"])
async def test_a_resource_that_is_not_there_is_32602_with_its_uri(client, uri):
    with pytest.raises(MCPError) as missing:
        await client.read_resource(uri)

    assert (missing.value.code, missing.value.data["uri"]) == (-32602, uri)


async def test_a_resource_behind_a_backend_that_is_down_is_32603(client):
    with pytest.raises(MCPError) as down:
        await client.read_resource("orders://answer-503")

    assert (down.value.code, down.value.data["retry"]) == (-32603, "same_call")


async def test_a_resource_and_a_prompt_that_are_right_are_given(client):
    [read] = (await client.read_resource("orders://1001")).contents
    [asked] = (await client.get_prompt("confirmation_letter", {"order": json.dumps(ORDER)})).messages

    assert json.loads(read.text)["state"] == "paid"
    assert asked.content.text == "Write a short letter that confirms order PO-7: 1 of MUG-1."


# Transport-level failures, as JSON-RPC knows them: here, nothing stands between the test and the wire.


@pytest.fixture(scope="module")
def post():
    """Send a body to the server over HTTP, and give the message that comes back."""
    with listening("order_operations") as url:
        yield partial(raw_http_client.post, url)


@pytest.fixture(scope="module", params=["http", "stdio"])
def send(request):
    """Send a request to the server, over HTTP as above or on its stdin, and give the message that comes back."""
    if request.param == "http":
        yield request.getfixturevalue("post")
        return
    with tempfile.TemporaryFile("w+") as log, talking(log) as ask:
        yield lambda body, _method=None, **_: ask(body)


@pytest.mark.parametrize("method", ["tools/call", None], ids=["newer protocol", "older protocol"])
def test_a_body_that_is_no_json_is_32700(post, method):
    assert post("{not json", method)["error"]["code"] == -32700


@pytest.mark.parametrize("body", ['{"jsonrpc": "1.0", "id": 1, "method": "tools/list"}', "[]", '"hello"'])
def test_a_body_that_is_no_request_is_32600(post, body):
    assert post(body)["error"]["code"] == -32600


def test_on_the_older_protocol_the_sdk_calls_a_body_that_is_no_request_32602(post):
    assert post("[]", method=None)["error"]["code"] == -32602


def test_a_method_that_is_not_there_is_32601(send):
    assert send(request("tools/fly", {}), "tools/fly")["error"]["code"] == -32601


def test_params_that_are_none_are_32602_before_the_tool_runs(send):
    answer = send(request("tools/call", {"name": "get_order", "arguments": ["1001"]}), name="get_order")

    assert answer["error"]["code"] == -32602


def test_a_prompts_argument_that_does_not_fit_is_an_error_object_with_its_field(send):
    arguments = {"order": json.dumps({**ORDER, "customer": {}})}
    answer = send(
        request("prompts/get", {"name": "confirmation_letter", "arguments": arguments}),
        "prompts/get",
        name="confirmation_letter",
    )

    assert answer.keys() == {"jsonrpc", "id", "error"}
    assert (answer["error"]["code"], answer["error"]["data"]["field"]) == (-32602, "order.customer.email")


@pytest.mark.parametrize("name", ["missing", "no order in the depot", "down", "unsupported"])
def test_a_tools_failure_is_a_successful_response(send, name):
    (tool, arguments), code, _ = FAILURES[name]
    answer = send(request("tools/call", {"name": tool, "arguments": arguments}, 17), name=tool)

    assert answer.keys() == {"jsonrpc", "id", "result"}
    assert answer["id"] == 17
    assert answer["result"]["structuredContent"]["error"]["code"] == code


# Retry Guidance


@pytest.mark.parametrize("name", ["a read", "an order with a key", "a shipment"])
async def test_a_timeout_is_retryable_where_doing_it_twice_does_no_harm(late, name):
    assert (late[name]["code"], late[name]["retryable"]) == (3002, True)


async def test_an_order_that_timed_out_is_not_retryable_and_says_how_to_find_it(call, late):
    assert late["an order"] == {
        "code": 3002,
        "message": "The storefront did not answer within 1 s.",
        "retryable": False,
        "details": {
            "reason": "may_have_happened",
            "suggestion": "Call `find_orders` with the same `reference` to see whether the order was made, "
            "before you call again.",
        },
    }
    found = (await call("find_orders", reference="PO-late"))["structuredContent"]["result"]
    assert [each["state"] for each in found] == ["paid"], "it was made, and to order again would make another one"


async def test_an_order_with_a_key_is_made_once_however_often_it_is_repeated(call, late):
    assert late["an order with a key"]["retryable"]
    again = order(reference="PO-keyed", lines=[{"sku": "SLOW-1", "quantity": 1}]) | {"idempotency_key": "k-17"}
    first, second = await call("create_order", **again), await call("create_order", **again)
    found = (await call("find_orders", reference="PO-keyed"))["structuredContent"]["result"]

    assert found == [first["structuredContent"]] == [second["structuredContent"]]


async def test_a_correction_that_timed_out_is_not_retryable_and_says_how_to_check_it(late):
    assert (late["a correction"]["code"], late["a correction"]["retryable"]) == (3002, False)
    assert "`get_inventory`" in late["a correction"]["details"]["suggestion"]


async def test_who_reads_the_errors_back_may_repeat_what_the_server_meant_and_no_more(results):
    read = {name: errata.decode(result).retryable for name, result in results.items()}

    assert read == {name: retryable for name, (_, _, retryable) in FAILURES.items()}


async def test_a_correction_after_the_suggestion_works(call):
    wrong = {"order_id": "1001", "adapter": "warehouse"}
    refused = (await call("get_order", **wrong))["structuredContent"]["error"]
    assert refused["retryable"] is False
    assert "'storefront' or 'depot'" in refused["message"]
    for adapter in ("storefront", "depot"):
        right = await call("get_order", **wrong | {refused["details"]["field"]: adapter})
        assert right["structuredContent"]["id"] == "1001"


async def test_the_field_that_was_missing_is_all_that_was_missing(call):
    refused = (await call("create_order", **order(customer={})))["structuredContent"]["error"]
    assert (refused["retryable"], refused["details"]["field"]) == (False, "order.customer.email")

    assert (await call("create_order", **order()))["structuredContent"]["state"] == "paid"


async def test_the_adapter_that_is_suggested_does_what_the_other_could_not(call):
    made = (await call("create_order", **order(reference="PO-8")))["structuredContent"]["id"]
    refused = (await call("cancel_order", order_id=made, adapter="depot"))["structuredContent"]["error"]
    [able] = refused["details"]["context"]["supportedBy"]

    cancelled = await call("cancel_order", order_id=made, adapter=able)
    assert (refused["retryable"], cancelled["structuredContent"]["state"]) == (False, "cancelled")


# Best Practices


@pytest.mark.parametrize("name", FAILURES)
async def test_no_secret_and_no_customer_is_in_an_answer(results, name):
    said = json.dumps(results[name]).lower()

    assert [private for private in PRIVATE if private in said] == []


@pytest.mark.parametrize("given", ["mia.wong@acme.io", "4111 1111 1111 1111"])
async def test_what_is_private_is_not_told_back_even_where_it_does_not_belong(call, client, given):
    answers = [
        await call("get_order", order_id=given),
        await call("get_order", order_id="1001", adapter=given),
        await call("create_order", **order(lines=[{"sku": "MUG-1", "quantity": given}])),
        await call("create_order", order=json.dumps({**ORDER, "lines": given})),
        await call(given),
    ]
    with pytest.raises(MCPError) as missing:
        await client.read_resource(f"orders://{given}".replace(" ", ""))

    said = json.dumps([answer["structuredContent"] for answer in answers]) + missing.value.message
    assert given.replace(" ", "") not in said.replace(" ", "")
    assert all(answer["isError"] for answer in answers)


async def test_a_specific_code_goes_before_a_general_one(errors):
    names = ("missing", "no address", "too many requests", "gateway timeout", "down", "not implemented")

    assert [errors[name]["code"] for name in names] == [2002, 2003, 3001, 3002, 4002, 5001]


@pytest.mark.parametrize(
    ("name", "field"),
    {
        "wrong type": "order.lines.0.quantity",
        "out of range": "order.lines.0.quantity",
        "no such adapter": "adapter",
        "two things wrong": "order.customer.email",
        "missing": "order.customer.email",
        "nothing given": "order_id",
        "no address": "order.customer.email",
    }.items(),
)
async def test_what_is_refused_names_its_field(errors, name, field):
    assert errors[name]["details"]["field"] == field


async def test_an_order_that_is_sent_as_text_is_refused_like_an_object(call):
    arguments = {"order": json.dumps({**ORDER, "customer": {}})}

    assert (await call("create_order", **arguments))["structuredContent"]["error"]["details"] == {
        "field": "order.customer.email"
    }


@contextmanager
def talking(log, **environment):
    """Start the server on stdin and stdout; gives what sends lines and reads the answer to the last of them."""
    start = over_stdio("order_operations", **environment)
    command = [start.command, *start.args]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": log}
    with subprocess.Popen(command, env=start.env, text=True, **pipes) as process:
        too_long = threading.Timer(LONGEST_S, process.kill)
        too_long.start()

        def ask(*lines):
            process.stdin.write("\n".join(lines) + "\n")
            process.stdin.flush()
            wanted = json.loads(lines[-1])["id"]
            return next(answer for answer in map(json.loads, process.stdout) if answer["id"] == wanted)

        yield ask
        process.stdin.close()
        process.wait()
        too_long.cancel()


@pytest.fixture(scope="module")
def logged():
    """Give what the server says and what it logs, for an answer that cannot be read, for a vendor's refusal and without a connection."""
    calls = {
        "unknown state": depot("get_order", "1004"),
        "refusal": depot("get_order", "9999"),
        "locked": depot("fulfill_order", "1003"),
        "no connection": ("create_order", order()),
        "after lines that are no requests": ("get_inventory", {"sku": "MUG-1", "adapter": "depot"}),
    }
    with socket.socket() as nobody, tempfile.TemporaryFile("w+") as log:
        nobody.bind(("127.0.0.1", 0))  # Bound and not listening: whoever connects is refused.
        address = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        with talking(log, STOREFRONT_URL=address, STOREFRONT_API_KEY="sf-sandbox-91b7c2e05d", COLUMNS="400") as ask:
            surrogate = request("tools/call", {"name": "get_order", "arguments": {"order_id": "\ud800"}})
            ask("{not json", "", "[]", '{"jsonrpc": "1.0"}', "\x00\x1b[31m", surrogate, request("tools/list", {}, 2))
            answers = {
                name: ask(request("tools/call", {"name": tool, "arguments": arguments}, name))["result"]
                for name, (tool, arguments) in calls.items()
            }
        log.seek(0)
        return answers, "".join(log.read().split())  # Whoever prints the log breaks its lines where it likes.


@pytest.mark.parametrize(
    ("name", "cause"),
    {
        "unknown state": "KeyError:'Q7'",
        "refusal": "?ORDNF9999WHSE1",
        "locked": "?RECLCK1003BYOPER7",
        "no connection": "ConnectError",
    }.items(),
)
def test_the_cause_is_in_the_log_under_the_reference_and_not_in_the_answer(logged, name, cause):
    answers, log = logged
    reference = answers[name]["_meta"]["errata/correlationId"]
    record = log.partition(f"(reference{reference})")[2].partition("(reference")[0]

    assert cause in record
    assert cause not in "".join(json.dumps(answers[name]).split())


def test_the_log_has_no_secrets_either(logged):
    _, log = logged
    secrets = ("letmein94", "dp-sandbox-44d0e8a1f3", "sf-sandbox-91b7c2e05d", "ann.lee@acme.io", "mia.wong@acme.io")

    assert [secret for secret in secrets if secret in log] == []
    assert "PW=[redacted:password]" in log


def test_without_a_connection_nothing_happened_and_an_order_may_be_repeated(logged):
    answers, _ = logged

    assert answers["no connection"]["structuredContent"]["error"] == {
        "code": 4002,
        "message": "The storefront could not be reached, or hung up.",
        "retryable": True,
    }


# Whatever is sent, an answer comes back and the server goes on.

HOSTILE = {
    "here": ".",
    "up": "..",
    "a path": "../../v2/stock/MUG-1",
    "a query": "1001?x=1#y",
    "control characters": "\x00\x1b[31m\r\nX-Evil: 1",
    "another script": "Bestellung №17",
    "a template": "{{7*7}}${jndi:ldap://x}%s%n",
    "markup": "<script>alert(1)</script>",
}


IN_A_PATH = {
    "get_order": "order_id",
    "cancel_order": "order_id",
    "fulfill_order": "order_id",
    "get_inventory": "sku",
    "adjust_inventory": "sku",
}


@pytest.fixture(scope="module")
async def counted():
    """Connect to a server whose two vendors count what they are asked."""
    with Upstream(storefront_app) as shop, Upstream(depot_app) as depot:
        settings = {"STOREFRONT_URL": shop.url, "STOREFRONT_API_KEY": "k", "DEPOT_URL": depot.url, "DEPOT_API_KEY": "k"}
        async with connected("order_operations", "stdio", **settings) as client:
            yield client, lambda: shop.requests + depot.requests


@pytest.mark.parametrize("adapter", ["storefront", "depot"])
@pytest.mark.parametrize("tool", IN_A_PATH)
async def test_what_is_no_identifier_is_refused_by_name_and_no_vendor_is_asked(counted, tool, adapter):
    client, requests = counted
    before, field = requests(), IN_A_PATH[tool]
    by = {"by": 1} if tool == "adjust_inventory" else {}

    for name, hostile in HOSTILE.items():
        result = payload(await client.call_tool(tool, {field: hostile, "adapter": adapter, **by}))
        error = result["structuredContent"]["error"]
        assert (error["code"], error["details"]["field"]) == (2003, field), name
    assert requests() == before
    assert not (await client.call_tool("get_inventory", {"sku": "MUG-1", "adapter": adapter})).is_error
    assert requests() == before + 1


@pytest.mark.parametrize("uri", ["orders://.", "orders://..", "orders://%2e%2e", "orders://..%2Fstock%2FMUG-1"])
async def test_a_resource_is_no_way_around_that(counted, uri):
    client, requests = counted
    before = requests()

    with pytest.raises(MCPError) as refused:
        await client.read_resource(uri)
    assert refused.value.code == -32602
    assert requests() == before


@pytest.mark.parametrize("wrong", [17, 1.5, None, True, [], {}, ["1001"], {"id": "1001"}], ids=repr)
async def test_an_id_of_the_wrong_type_is_refused_by_name(call, wrong):
    error = (await call("get_order", order_id=wrong))["structuredContent"]["error"]

    assert (error["code"], error["details"]["field"]) == (2001, "order_id")


async def test_an_argument_of_megabytes_is_refused_in_a_few_words(call):
    no_id, no_adapter = {"order_id": "x" * 3_000_000}, {"order_id": "1001", "adapter": "[" * 3_000_000}
    for arguments, code in ((no_id, 2003), (no_adapter, 2001)):
        result = await call("get_order", **arguments)
        assert result["structuredContent"]["error"]["code"] == code
        assert len(json.dumps(result)) < 2_000


async def test_an_argument_of_ten_megabytes_is_refused_and_the_next_call_answered(call, way):
    huge = {"order_id": "x" * 10_000_000}
    if "stdio" in way:
        assert (await call("get_order", **huge))["structuredContent"]["error"]["code"] == 2003
    else:
        with pytest.raises(MCPError):  # The SDK takes four megabytes over HTTP, and answers 413 by itself.
            await call("get_order", **huge)
    assert (await call("get_order", order_id="1001"))["isError"] is False


def test_a_lone_surrogate_is_refused_by_name(post):
    answer = post(request("tools/call", {"name": "get_order", "arguments": {"order_id": "\ud800"}}), name="get_order")
    error = answer["result"]["structuredContent"]["error"]

    assert (error["code"], error["details"]["field"]) == (2001, "order_id")


def test_lines_that_are_no_requests_cost_nobody_an_answer(logged):
    answers, _ = logged

    assert answers["after lines that are no requests"]["structuredContent"] == {"sku": "MUG-1", "available": 400}
