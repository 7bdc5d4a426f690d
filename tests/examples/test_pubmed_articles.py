"""Does `pubmed_articles` answer what document 003 promises?"""

import asyncio
import json
import sqlite3
import subprocess
from contextlib import closing

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from support.example_servers import connected, listening, over_stdio, payload
from support.raw_http_client import post, request, tool_call
from upstreams import Reply, Upstream

pytestmark = pytest.mark.anyio

TRANSIENT = ("500", "502", "503", "504", "close")
FINAL = ("400", "401", "404", "422", "501", "garbage", "503-after-17")
"""The last one may pass, too, but not within the time that a tool has."""

SEPSIS = "38052113"
A_CHAPTER = "20301295"  # It has no journal, and the server takes for granted that there is one.
MERGED = "m.sklodowska"  # An account that NCBI answers with a redirect.
SLOW = "+".join(["3**200000%3**100000"] * 28)
TOOK_TOO_LONG = "The evaluation took more than 0.05 s of computing."

# The document's own words for `fetch_articles` and `calculate`.
SEARCH_FIRST = "Try pubmed_search_articles to discover valid PMIDs first."
WAIT_OR_REDUCE = "Wait 30 seconds and retry, or reduce batch size."
DEGRADED = "NCBI is degraded; retry in a few minutes."
HINTS = {
    "parse_failed": "Write numbers, + - * / // % ** and parentheses only, such as (2 + 3) * 4.",
    "undefined": "Change the expression so that it neither divides by zero nor takes the root of a negative number.",
    "too_large": "Use smaller numbers and exponents, or divide by a power of ten before the end.",
}
NON_EMPTY = "Provide a non-empty mathematical expression to evaluate."


def failure(number, message, **data):
    """Write down a failure as 003 does: the same on both surfaces, the hint in the text as well."""
    hint = data.get("recovery", {}).get("hint")
    text = f"Error: {message}\n\nRecovery: {hint}" if hint else f"Error: {message}"
    error = {"code": number, "message": message} | ({"data": data} if data else {})
    return {"content": [{"type": "text", "text": text}], "structuredContent": {"error": error}, "isError": True}


def surfaces(result):
    return {key: result[key] for key in ("content", "structuredContent", "isError")}


def told(result):
    assert result["isError"]
    return result["structuredContent"]["error"]


async def refused(client, uri):
    """Read a resource that fails, and give the JSON-RPC error."""
    with pytest.raises(MCPError) as caught:
        await client.read_resource(uri)
    return caught.value.error.model_dump(exclude_none=True)


async def assert_still_there(call):
    assert (await call("calculate", expression="1+1"))["structuredContent"]["value"] == "2"


# The contract


async def test_what_succeeds_is_no_error(call):
    result = await call("fetch_articles", pmids=[SEPSIS, "1"])

    assert not result["isError"]
    assert result["structuredContent"] == {
        "articles": [
            {
                "pmid": SEPSIS,
                "title": "Early antibiotics in suspected sepsis: a registry study",
                "journal": "Crit Care Res",
                "year": 2023,
                "author": "Lindqvist A",
            }
        ]
    }


async def test_fail_has_the_declared_code_and_the_reason_and_no_recovery_that_nobody_asked_for(call):
    result = await call("fetch_articles", pmids=["1", "2", "3"])

    assert surfaces(result) == failure(-32001, "None of 3 PMIDs returned data", reason="no_match")


async def test_the_hint_of_a_contract_can_be_followed(client, call):
    names = [tool.name for tool in (await client.list_tools()).tools]
    found = (await call("pubmed_search_articles", term="sepsis"))["structuredContent"]["pmids"]

    assert "pubmed_search_articles" in SEARCH_FIRST
    assert "pubmed_search_articles" in names
    assert not (await call("fetch_articles", pmids=found))["isError"]


async def test_the_contract_is_published_with_its_tool(client):
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}

    assert tools["fetch_articles"].meta["errata/errors"] == [
        {
            "reason": "no_match",
            "code": "NOT_FOUND",
            "when": "No requested PMID returned data",
            "recovery": SEARCH_FIRST,
            "retryable": False,
        },
        {
            "reason": "queue_full",
            "code": "RATE_LIMITED",
            "when": "Local request queue is at capacity",
            "recovery": WAIT_OR_REDUCE,
            "retryable": True,
        },
        {
            "reason": "ncbi_down",
            "code": "SERVICE_UNAVAILABLE",
            "when": "NCBI E-utilities unreachable after retries",
            "recovery": DEGRADED,
            "retryable": True,
        },
        {
            "reason": "too_many",
            "code": "VALIDATION_FAILED",
            "when": "More PMIDs are asked for than the queue has places",
            "recovery": "Ask for at most 20 PMIDs in one call, and for the rest in further calls.",
            "retryable": False,
        },
    ]


async def test_the_queue_is_full_for_whoever_comes_second(client, call):
    fifteen = {"pmids": ["answer-hang"] + ["1"] * 14}
    both = await asyncio.gather(*(client.call_tool("fetch_articles", fifteen) for _ in range(2)))
    second, first = sorted((payload(result) for result in both), key=lambda result: told(result)["code"] == -32004)

    assert surfaces(second) == failure(
        -32003,
        "15 PMIDs were asked for; 5 of 20 places in the queue are free.",
        recovery={"hint": WAIT_OR_REDUCE},
        retryable=True,
        reason="queue_full",
    )
    assert surfaces(first) == failure(
        -32004, "NCBI did not answer `GET /efetch` within 1 s. (failed after 2 attempts)", retryAttempts=2
    )
    assert not (await call("fetch_articles", pmids=[SEPSIS] * 20))["isError"], "the places are free again"


async def test_the_reason_is_the_declared_one_whatever_the_data_says(call):
    result = await call("pubmed_saved_search", account="m.curie", item_id=107)  # The service puts HTTP's reason there.

    assert told(result)["data"]["reason"] == "no_match"
    assert [*told(result)["data"]] == ["status", "recovery", "reason"]


# Recovery


async def test_a_recovery_is_resolved_from_the_contract_where_the_author_spreads_it(call):
    result = await call("calculate", expression=" \t\n")

    assert surfaces(result) == failure(
        -32007,
        "Expression is empty or whitespace-only.",
        recovery={"hint": NON_EMPTY},
        reason="empty_expression",
    )


async def test_a_recovery_at_the_throw_site_takes_the_place_of_the_declared_one(call):
    result = await call("pubmed_saved_search", account="m.curie", item_id=107)

    assert surfaces(result) == failure(
        -32001,
        "No item 107",
        status=404,
        recovery={"hint": "No item 107; try IDs 1-100 instead."},
        reason="no_match",
    )


async def test_a_service_carries_reason_and_recovery_of_the_tool_that_called_it(call):
    parsing = await call("calculate", expression="2 +* 3")
    fetching = await call("fetch_articles", pmids=["answer-503"])

    assert surfaces(parsing) == failure(
        -32007,
        "Parse failed: invalid syntax",
        recovery={"hint": HINTS["parse_failed"]},
        reason="parse_failed",
    )
    assert surfaces(fetching) == failure(
        -32000,
        "NCBI answered 503 Service Unavailable: ‹Down for maintenance.› (failed after 2 attempts)",
        recovery={"hint": DEGRADED},
        reason="ncbi_down",
    )


async def test_a_service_has_no_recovery_for_a_tool_without_that_reason(call):
    result = await call("save_article", pmid="answer-close", reading_list="to-read")

    assert surfaces(result) == failure(
        -32000,
        "NCBI did not answer `GET /efetch`: Server disconnected without sending a response. (failed after 2 attempts)",
        reason="ncbi_down",
    )


async def test_a_service_may_give_the_reason_alone(call):
    result = await call("calculate", expression=SLOW)

    assert surfaces(result) == failure(-32000, TOOK_TOO_LONG, reason="evaluation_timeout")


@pytest.mark.parametrize(
    ("expression", "reason", "message"),
    [
        ("__import__('os')", "parse_failed", "Parse failed: `__import__('os')` is no arithmetic"),
        ("1/0", "undefined", "The expression has no value. It divides by zero."),
        ("(-1)**0.5", "undefined", "The expression has no value. It takes the root of a negative number."),
        ("9**9**9", "too_large", "The numbers get too large. A step has a result of more than 400,000 bits."),
        ("9**4300", "too_large", "The numbers get too large. The result has more than 4,000 digits."),
        *(
            (
                expression,
                "too_large",
                "The numbers get too large. A number is larger than any that floating point can hold.",
            )
            for expression in ("1e308*10", "-1e308*10", "1e999", "1e308*10-1e308*10", "10.0**400", "10**400*1.0")
        ),
    ],
)
async def test_what_is_wrong_with_an_expression_is_told_by_its_reason(call, expression, reason, message):
    result = await call("calculate", expression=expression)

    assert surfaces(result) == failure(-32007, message, recovery={"hint": HINTS[reason]}, reason=reason)


async def test_the_worth_of_an_expression_comes_back_whole(call):
    assert (await call("calculate", expression="2**100"))["structuredContent"]["value"] == str(2**100)


async def test_what_looks_wrong_is_left_to_the_agent_if_the_server_cannot_know(call):
    result = await call("pubmed_search_articles", term="no title has these words")

    assert not result["isError"]
    assert result["structuredContent"] == {"pmids": []}


SHAPES = {
    "fetch_articles": {
        "no_match": (
            {"pmids": ["1", "2", "3"]},
            failure(-32001, "None of 3 PMIDs returned data", reason="no_match"),
        ),
        "queue_full": (
            {"pmids": ["answer-hang"] + ["1"] * 14},
            failure(
                -32003,
                "15 PMIDs were asked for; 5 of 20 places in the queue are free.",
                recovery={"hint": WAIT_OR_REDUCE},
                retryable=True,
                reason="queue_full",
            ),
        ),
        "ncbi_down": (
            {"pmids": ["answer-503"]},
            failure(
                -32000,
                "NCBI answered 503 Service Unavailable: ‹Down for maintenance.› (failed after 2 attempts)",
                recovery={"hint": DEGRADED},
                reason="ncbi_down",
            ),
        ),
        "too_many": (
            {"pmids": ["1"] * 21},
            failure(
                -32007,
                "21 PMIDs were asked for; the most in one call are 20.",
                recovery={"hint": "Ask for at most 20 PMIDs in one call, and for the rest in further calls."},
                reason="too_many",
            ),
        ),
    },
    "pubmed_saved_search": {
        "no_match": (
            {"account": "m.curie", "item_id": 107},
            failure(
                -32001,
                "No item 107",
                status=404,
                recovery={"hint": "No item 107; try IDs 1-100 instead."},
                reason="no_match",
            ),
        ),
    },
    "calculate": {
        "empty_expression": (
            {"expression": " "},
            failure(
                -32007,
                "Expression is empty or whitespace-only.",
                recovery={"hint": NON_EMPTY},
                reason="empty_expression",
            ),
        ),
        "parse_failed": (
            {"expression": "2 +* 3"},
            failure(
                -32007,
                "Parse failed: invalid syntax",
                recovery={"hint": HINTS["parse_failed"]},
                reason="parse_failed",
            ),
        ),
        "undefined": (
            {"expression": "1/0"},
            failure(
                -32007,
                "The expression has no value. It divides by zero.",
                recovery={"hint": HINTS["undefined"]},
                reason="undefined",
            ),
        ),
        "too_large": (
            {"expression": "1e308*10"},
            failure(
                -32007,
                "The numbers get too large. A number is larger than any that floating point can hold.",
                recovery={"hint": HINTS["too_large"]},
                reason="too_large",
            ),
        ),
        "evaluation_timeout": (
            {"expression": SLOW},
            failure(-32000, TOOK_TOO_LONG, reason="evaluation_timeout"),
        ),
    },
}
"""Every failure that a tool declares: a call for it, and all that comes back."""


@pytest.mark.parametrize(("tool", "reason"), [(tool, reason) for tool in SHAPES for reason in SHAPES[tool]])
async def test_a_declared_failure_has_its_shape_on_the_wire(client, tool, reason):
    arguments, expected = SHAPES[tool][reason]
    at_once = 2 if reason == "queue_full" else 1
    results = await asyncio.gather(*(client.call_tool(tool, arguments) for _ in range(at_once)))

    assert expected in [surfaces(payload(result)) for result in results]


async def test_no_reason_that_a_tool_publishes_is_left_out(client):
    published = {tool.name: tool.meta["errata/errors"] for tool in (await client.list_tools()).tools if tool.meta}

    assert {name: {error["reason"] for error in errors} for name, errors in published.items()} == {
        name: set(reasons) for name, reasons in SHAPES.items()
    }


# Both surfaces

FAILING = {
    "declared": ("fetch_articles", {"pmids": ["1"]}),
    "from a service": ("calculate", {"expression": "2 +* 3"}),
    "by a factory": ("save_article", {"pmid": "1", "reading_list": "to-read"}),
    "from a response": ("pubmed_search_articles", {"term": "answer-429-after-17"}),
    "classified": ("pubmed_search_articles", {"term": "answer-close"}),
    "a bug": ("fetch_articles", {"pmids": [A_CHAPTER]}),
    "bad arguments": ("fetch_articles", {"pmids": []}),
    "no such tool": ("fetch_article", {}),
}


@pytest.mark.parametrize("kind", FAILING)
async def test_both_surfaces_say_the_same_and_meta_has_no_error(call, kind):
    tool, arguments = FAILING[kind]
    result = await call(tool, **arguments)
    error = told(result)

    assert surfaces(result) == failure(error["code"], error["message"], **error.get("data", {}))
    assert set(error) <= {"code", "message", "data"}
    assert set(result["_meta"]) <= {"errata/correlationId", "errata/retry", "io.modelcontextprotocol/serverInfo"}


async def test_a_factory_says_what_it_was_given(call):
    result = await call("save_article", pmid="99", reading_list="to-read")

    assert surfaces(result) == failure(-32001, "Item not found: 99", id="99")


@pytest.mark.parametrize(
    ("tool", "arguments", "number", "message"),
    [
        (
            "pubmed_search_articles",
            {"term": "answer-close"},
            -32000,
            "Server disconnected without sending a response.",
        ),
        ("fetch_articles", {"pmids": [A_CHAPTER]}, -32603, "The server has a bug."),
    ],
    ids=["network", "bug"],
)
async def test_a_classified_exception_is_a_code_and_a_message_and_nothing_else(call, tool, arguments, number, message):
    assert surfaces(await call(tool, **arguments)) == failure(number, message)


async def test_all_that_is_wrong_with_the_arguments_is_in_the_data(call):
    result = await call("pubmed_search_articles", limit=1000)

    assert surfaces(result) == failure(
        -32602,
        "Two arguments do not fit `pubmed_search_articles`: `term` is required; `limit` must be less than or equal to 100.",
        field="term",
        issues=[
            {"field": "term", "problem": "is required"},
            {"field": "limit", "problem": "must be less than or equal to 100"},
        ],
    )


async def test_a_tool_that_is_not_there_is_not_found(call):
    error = told(await call("fetch_article"))

    assert error["code"] == -32001
    assert error["message"].startswith("There is no tool `fetch_article`. Did you mean `fetch_articles`")


# The numbers

NUMBERS = {
    "InvalidRequest": (-32600, "pubmed_search_articles", {"term": "answer-405"}),
    "InvalidParams": (-32602, "pubmed_search_articles", {"term": "sepsis", "limit": 0}),
    "InternalError": (-32603, "fetch_articles", {"pmids": [A_CHAPTER]}),
    "ServiceUnavailable": (-32000, "pubmed_search_articles", {"term": "answer-503"}),
    "NotFound": (-32001, "fetch_articles", {"pmids": ["1"]}),
    "Conflict": (-32002, "pubmed_search_articles", {"term": "answer-409"}),
    "RateLimited": (-32003, "pubmed_search_articles", {"term": "answer-429"}),
    "Timeout": (-32004, "pubmed_search_articles", {"term": "answer-504"}),
    "Forbidden": (-32005, "pubmed_search_articles", {"term": "answer-403"}),
    "Unauthorized": (-32006, "pubmed_search_articles", {"term": "answer-401"}),
    "ValidationError": (-32007, "calculate", {"expression": "1/0"}),
    "ConfigurationError": (-32008, "save_article", {"pmid": SEPSIS, "reading_list": "to-read"}),
    "SerializationError": (-32070, "fetch_articles", {"pmids": ["answer-garbage"]}),
    "UnknownError": (-32099, "pubmed_saved_search", {"account": MERGED, "item_id": 7}),
}


@pytest.mark.parametrize("name", NUMBERS)
async def test_a_number_of_003_reaches_the_client(call, name):
    number, tool, arguments = NUMBERS[name]

    assert told(await call(tool, **arguments))["code"] == number


def ask_for(what):
    """Give a call to each of NCBI's addresses."""
    return {
        "esearch": ("pubmed_search_articles", {"term": what}),
        "efetch": ("fetch_articles", {"pmids": [what]}),
        "myncbi": ("pubmed_saved_search", {"account": what, "item_id": 1}),
    }


@pytest.mark.parametrize("endpoint", ask_for("anything"))
async def test_a_service_maps_what_it_caught(call, endpoint):
    tool, arguments = ask_for("answer-garbage")[endpoint]
    result = await call(tool, **arguments)

    assert surfaces(result) == failure(-32070, f"NCBI answered `{endpoint}` with something that is not JSON.")


def record(**changed):
    source = {"journal": "Crit Care Res"}
    return {"pmid": SEPSIS, "title": "Sepsis", "source": source, "year": 2023, "author": "Moreau J"} | changed


OTHER_SHAPES = {
    "esearch": [
        {"esearchresult": other} for other in (None, [], {}, {"idlist": {}}, {"idlist": "abc"}, {"idlist": [1]})
    ],
    "efetch": [
        {"articles": other}
        for other in (None, {}, "", {"1": 2}, [{}], [record(year="2023")], [record(source=None)], [record(), None])
    ],
    "myncbi": [{"id": 1}, {"id": "1", "term": "x"}, {"id": True, "term": "x"}, {"id": 1, "term": None}],
}


@pytest.fixture(scope="module")
async def answered():
    """Have a server ask an NCBI that answers whatever a test wants."""
    replies = []
    with Upstream(lambda _: replies[-1]) as upstream:
        async with connected("pubmed_articles", "stdio", NCBI_URL=upstream.url, NCBI_API_KEY="key") as client:

            async def answered(endpoint, *reply):
                replies.append(Reply(*reply))
                tool, arguments = ask_for("1")[endpoint]
                return payload(await client.call_tool(tool, arguments))

            yield answered


@pytest.mark.parametrize("endpoint", OTHER_SHAPES)
async def test_json_of_another_shape_is_neither_an_answer_nor_none_found_nor_a_bug(answered, endpoint):
    for body in [[], None, {}, "", 7, *OTHER_SHAPES[endpoint]]:
        said = f"NCBI answered `{endpoint}` with JSON of another shape."
        assert surfaces(await answered(endpoint, body)) == failure(-32070, said), body


@pytest.mark.parametrize(
    ("endpoint", "message"),
    {
        "esearch": "NCBI answered 302 Found: ‹The address has changed.›",
        "efetch": "NCBI answered 302 Found: ‹The address has changed.›",
        "myncbi": "My NCBI answered 302 Found, a redirect that was not followed.",  # Nothing of the body is said.
    }.items(),
)
async def test_a_redirect_is_called_one(answered, endpoint, message):
    error = told(await answered(endpoint, {"message": "The address has changed."}, 302, {"Location": "/elsewhere"}))

    assert (error["code"], error["message"]) == (-32099, message)


async def test_a_missing_setting_is_named(call):
    result = await call("save_article", pmid=SEPSIS, reading_list="to-read")

    assert surfaces(result) == failure(
        -32008,
        "`READING_LISTS` is not set. Tell the user to set it where this server is started.",
    )


# HTTP

# 003's table, and for the last words of its last three rows a status that no row names.
STATUSES = {
    -32602: [400],
    -32006: [401],
    -32005: [402, 403],
    -32001: [404],
    -32004: [408, 425, 504],
    -32002: [409, 423, 424],
    -32007: [422],
    -32003: [429],
    -32600: [405, 406, 410, 412, 415, 416, 417, 428, 431, 451, 418, 499],
    -32603: [500, 501],
    -32000: [502, 503, 505, 599],
}


@pytest.mark.parametrize(
    ("status", "number"), [(status, number) for number, statuses in STATUSES.items() for status in statuses]
)
async def test_a_status_means_what_the_table_says(call, status, number):
    error = told(await call("pubmed_search_articles", term=f"answer-{status}"))

    assert error["code"] == number
    assert error["message"].startswith(f"NCBI answered {status}")
    assert error["data"]["endpoint"] == "esearch"


async def test_a_response_is_captured_with_its_body_its_wait_and_what_the_author_attached(call):
    result = await call("pubmed_search_articles", term="answer-429-after-17")
    request = told(result)["data"]["requestId"]

    assert surfaces(result) == failure(
        -32003,
        "NCBI answered 429 Too Many Requests: ‹This key has used up its requests for the minute.›",
        body='{"message": "This key has used up its requests for the minute.", "debug": {"api_key": "[redacted: key]"}}',
        endpoint="esearch",
        requestId=request,
        retryAfter=17,
    )


async def test_a_service_keeps_the_wait_of_what_it_reports(call):
    data = told(await call("fetch_articles", pmids=["answer-503-after-17"]))["data"]

    assert data == {"recovery": {"hint": DEGRADED}, "retryAfter": 17, "reason": "ncbi_down"}


@pytest.mark.parametrize(
    ("answer", "again"), [*dict.fromkeys(TRANSIENT, True).items(), *dict.fromkeys(FINAL, False).items()]
)
async def test_what_may_pass_is_asked_for_again_and_what_is_final_is_not(call, answer, again):
    error = told(await call("fetch_articles", pmids=[f"answer-{answer}"]))

    assert error["message"].endswith("(failed after 2 attempts)") is again


@pytest.mark.parametrize("status", [401, 403, 422])
async def test_a_body_that_is_withheld_is_nowhere(call, status):
    result = await call("pubmed_saved_search", account=f"answer-{status}", item_id=1)
    message = told(result)["message"]

    assert "data" not in told(result)
    assert message.startswith(f"My NCBI answered {status} ")
    assert "key" not in json.dumps(surfaces(result))


async def test_no_secret_of_the_upstream_or_of_the_server_leaves(call, client):
    told_everywhere = [
        await call(tool, **arguments)
        for answer in ("401", "500", "close")
        for tool, arguments in (
            ("pubmed_search_articles", {"term": f"answer-{answer}"}),
            ("fetch_articles", {"pmids": [f"answer-{answer}"]}),
            ("pubmed_saved_search", {"account": f"answer-{answer}", "item_id": 1}),
        )
    ]
    resources = [await refused(client, f"pubmed://article/answer-{answer}") for answer in ("401", "close")]

    assert all(result["isError"] for result in told_everywhere)
    assert "[redacted: key]" in json.dumps(told_everywhere)
    assert "sandbox" not in json.dumps([told_everywhere, resources])  # It is in both keys.


# Resources


async def test_a_resource_is_read(client):
    (content,) = (await client.read_resource(f"pubmed://article/{SEPSIS}")).contents

    assert json.loads(content.text)["journal"] == "Crit Care Res"


async def test_a_resource_that_is_not_there_is_told_in_the_jsonrpc_envelope(client):
    error = await refused(client, "pubmed://article/99")
    fault = error["data"]["errata/fault"]
    reference, moment = fault.pop("correlationId"), fault.pop("timestamp")

    assert error == {
        "code": -32602,
        "message": "NOT_FOUND: PubMed has no article `99`. "
        "Recovery: Call pubmed_search_articles to find the PMIDs of articles that exist. "
        f"Retry: not with the same arguments. Reference: {reference}.",
        "data": {
            "uri": "pubmed://article/99",
            "reason": "no_article",
            "recovery": {"hint": "Call pubmed_search_articles to find the PMIDs of articles that exist."},
            "legacyCode": -32001,
            "errata/fault": {
                "code": "NOT_FOUND",
                "message": "PubMed has no article `99`.",
                "retry": "fix_input",
                "reason": "no_article",
                "recovery": {"hint": "Call pubmed_search_articles to find the PMIDs of articles that exist."},
                "data": {"uri": "pubmed://article/99"},
            },
        },
    }
    assert moment.endswith("Z")


@pytest.mark.parametrize(
    ("pmid", "number", "of_003", "code"),
    [
        ("answer-503", -32603, -32000, "SERVICE_UNAVAILABLE"),
        ("answer-401", -32603, -32006, "UNAUTHORIZED"),
        ("answer-409", -32603, -32002, "CONFLICT"),
        ("answer-500", -32603, -32603, "UPSTREAM_ERROR"),
        ("answer-garbage", -32603, -32070, "SERIALIZATION_ERROR"),
        (A_CHAPTER, -32603, -32603, "INTERNAL_ERROR"),
        ("answer-404", -32602, -32001, "NOT_FOUND"),
        ("answer-422", -32602, -32007, "VALIDATION_FAILED"),
        ("twelve", -32602, -32602, "INVALID_PARAMS"),
        ("a%20b", -32602, -32602, "INVALID_FORMAT"),
        ("a/b", -32602, -32001, "NOT_FOUND"),
        ("..%2F..%2Fetc%2Fpasswd", -32602, -32001, "NOT_FOUND"),
    ],
)
async def test_a_resource_fails_with_a_number_that_mcp_allows_and_003s_beside_it(client, pmid, number, of_003, code):
    error = await refused(client, f"pubmed://article/{pmid}")

    fault = error["data"]["errata/fault"]

    assert (error["code"], error["data"]["legacyCode"], fault["code"]) == (number, of_003, code)
    assert error["message"].startswith(f"{code}: ")


async def test_a_resource_carries_the_reason_of_a_service_with_its_own_recovery(client):
    error = await refused(client, "pubmed://article/answer-503")
    fault = error["data"]["errata/fault"]
    del fault["timestamp"]
    reference = fault.pop("correlationId")
    message = "NCBI answered 503 Service Unavailable: ‹Down for maintenance.› (failed after 2 attempts)"
    hint = "Read the article again in a few minutes; NCBI is degraded."

    assert error == {
        "code": -32603,
        "message": f"SERVICE_UNAVAILABLE: {message}. Recovery: {hint} Retry: yes, the same call. Reference: {reference}.",
        "data": {
            "uri": "pubmed://article/answer-503",
            "reason": "ncbi_down",
            "recovery": {"hint": hint},
            "legacyCode": -32000,
            "errata/fault": {
                "code": "SERVICE_UNAVAILABLE",
                "message": message,
                "retry": "same_call",
                "reason": "ncbi_down",
                "recovery": {"hint": hint},
                "data": {"uri": "pubmed://article/answer-503"},
            },
        },
    }


async def test_a_resource_carries_reason_recovery_and_body_in_its_data(client):
    down = (await refused(client, "pubmed://article/answer-503"))["data"]
    denied = (await refused(client, "pubmed://article/answer-403"))["data"]

    assert down["reason"] == "ncbi_down"
    assert down["recovery"] == {"hint": "Read the article again in a few minutes; NCBI is degraded."}
    assert json.loads(denied["body"])["message"] == "This key may read and not write."


# What is hostile


HOSTILE = [
    ("calculate", {"expression": "1" * 3_000_000}),
    ("fetch_articles", {"pmids": ["9" * 1_000_000]}),
    ("fetch_articles", {"pmids": ["1"] * 100_000}),
    ("fetch_articles", {"pmids": ["../../myncbi/m.curie/searches/1"]}),
    ("fetch_articles", {"pmids": ["1,2"]}),
    ("fetch_articles", {"pmids": "38052113"}),
    ("fetch_articles", {"pmids": [None, 7, {}]}),
    ("fetch_articles", {}),
    ("pubmed_saved_search", {"account": "..", "item_id": 1}),
    ("pubmed_saved_search", {"account": "m.curie/../..", "item_id": 1}),
    ("pubmed_saved_search", {"account": "m.curie", "item_id": 10**30}),
    ("save_article", {"pmid": SEPSIS, "reading_list": "../../etc/cron"}),
    ("calculate", {"expression": "1\x00+\x1b[31m1"}),
    ("calculate", {"expression": ["1"]}),
    ("calculate", {"expression": "(" * 600}),
    ("calculate", {"expression": "-" * 599 + "x"}),
    ("x" * 10_000, {}),
]


async def test_what_is_hostile_is_refused_in_few_words_and_the_server_lives_on(call):
    for tool, arguments in HOSTILE:
        result = await call(tool, **arguments)
        error, given = told(result), f"{tool} {arguments}"[:80]

        assert error["code"] in {-32602, -32007, -32003, -32001}, given
        assert len(json.dumps(surfaces(result))) < 5_000, given
        assert error["message"].isprintable(), given

    await assert_still_there(call)


async def test_ten_megabytes_are_refused_and_the_server_lives_on(call, client, way):
    huge = client.call_tool("calculate", {"expression": "1" * 10_000_000})
    if "stdio" in way:
        assert told(payload(await huge))["data"]["reason"] == "parse_failed"
    else:  # The SDK takes no message of that size over HTTP.
        with pytest.raises(MCPError):
            await huge

    await assert_still_there(call)


async def test_control_characters_in_a_search_are_words_like_any_other(call):
    assert (await call("pubmed_search_articles", term="\x00\r\n\x1b[31m"))["structuredContent"] == {"pmids": []}


# What needs a server of its own: the raw wire, and a folder for reading lists


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Make a folder with a list that is no database in it, and one that some other program has made."""
    folder = tmp_path_factory.mktemp("lists")
    (folder / "scribbled.db").write_text("Read this first! " * 100)
    with closing(sqlite3.connect(folder / "older.db")) as database:
        database.execute("CREATE TABLE items (number TEXT)")
    return folder


@pytest.fixture(scope="module")
def url(folder):
    with listening("pubmed_articles", READING_LISTS=str(folder)) as url:
        yield url


@pytest.fixture
async def save(url):
    async with Client(url, cache=None) as client:

        async def save(reading_list, pmid=SEPSIS):
            return payload(await client.call_tool("save_article", {"pmid": pmid, "reading_list": reading_list}))

        yield save


async def test_what_changes_something_shows_what_was_and_what_is(save):
    await save("changing")
    result = await save("changing", "38052127")

    assert result["structuredContent"] == {
        "reading_list": "changing",
        "before": [SEPSIS],
        "after": [SEPSIS, "38052127"],
    }


async def test_a_unique_constraint_is_a_conflict(save):
    await save("twice")

    assert surfaces(await save("twice")) == failure(
        -32002,
        "UNIQUE constraint failed: items.pmid",
        field="pmid",
        issues=[{"field": "pmid", "problem": "conflicts with what is there"}],
    )


async def test_a_failure_of_the_storage_is_a_database_error(save):
    assert surfaces(await save("older")) == failure(-32010, "no such column: pmid")


async def test_what_is_caught_gets_the_code_that_the_service_names(save):
    assert surfaces(await save("scribbled")) == failure(-32009, "file is not a database")


def test_malformed_json_is_a_parse_error_of_the_protocol(url):
    assert post(url, '{"jsonrpc": "2.0", "id": 1, ')["error"]["code"] == -32700


def test_a_method_that_is_not_there_is_the_protocols_affair(url):
    assert post(url, request("articles/burn", {}), "articles/burn")["error"]["code"] == -32601


def test_half_a_character_is_refused_over_http(url):
    answer = post(url, tool_call("calculate", expression="1+\ud800"), name="calculate")

    assert answer["result"]["structuredContent"]["error"] == {
        "code": -32007,
        "message": "Parse failed: the expression holds characters that are no text",
        "data": {
            "recovery": {"hint": HINTS["parse_failed"]},
            "reason": "parse_failed",
        },
    }


def test_half_a_character_or_half_a_message_ends_no_server_on_stdio():
    lines = [
        tool_call("calculate", expression="1+\ud800"),
        '{"jsonrpc": "2.0", "id": 2, ',
        "\x00\x1b[31m",
        tool_call("calculate", 3, expression="1+1"),
    ]
    started = over_stdio("pubmed_articles")
    with subprocess.Popen(
        [started.command, *started.args], env=started.env, text=True, stdin=-1, stdout=-1, stderr=subprocess.DEVNULL
    ) as server:
        server.stdin.write("\n".join(lines) + "\n")
        server.stdin.flush()
        answer = next(json.loads(line) for line in server.stdout if json.loads(line).get("id") == 3)
        server.stdin.close()

    assert answer["result"]["structuredContent"]["value"] == "2"
