"""Does `pattern_library` answer what document 002 promises, to its author and a client of their own?"""

import asyncio
import json
import subprocess
import tempfile
from contextlib import asynccontextmanager
from pathlib import Path

import fastmcp
import mcp_types as wire
import pattern_library
import pytest
from jsonschema import Draft202012Validator
from mcp import Client
from mcp.shared.exceptions import MCPError
from support.example_servers import connected, listening, over_stdio, payload
from support.raw_http_client import post, tool_call
from upstreams import Upstream
from upstreams.patterns import patterns

import errata
from errata.dialects import tool_error_v1

pytestmark = pytest.mark.anyio

DOCUMENT = Path(__file__).parents[1] / "wire" / "002"
"""The document's examples, one JSON file each."""
FORMATS = ("markdown", "json", "both")
API_KEY = "sk-sandbox-0f3b7a91c2d4e6f8"
"""What the library's failures quote."""

AS_DOCUMENTED = {
    "network_timeout": ("search_patterns", {"query": "answer-hang"}),
    "network_timeout_json": ("search_patterns", {"query": "answer-hang", "format": "json"}),
    "network_timeout_both": ("get_pattern", {"pattern_id": "answer-hang", "format": "both"}),
    "authentication_401": ("search_patterns", {"category": "team"}),
    "server_500": ("search_patterns", {"category": "archive"}),
    "client_400": ("search_patterns", {"query": "retry", "limit": 101}),
    "not_found_404": ("search_patterns", {"category": "invalid-resource"}),
    "unknown": ("search_patterns", {"query": "answer-garbage"}),
}
"""A call for each of them, which a client can make without anybody's help."""

STATUSES = {
    400: ("CLIENT_ERROR", False),
    401: ("AUTHENTICATION_ERROR", False),
    403: ("AUTHENTICATION_ERROR", False),
    404: ("NOT_FOUND", False),
    409: ("CLIENT_ERROR", False),
    410: ("CLIENT_ERROR", False),
    422: ("CLIENT_ERROR", False),
    429: ("CLIENT_ERROR", False),
    500: ("SERVER_ERROR", True),
    501: ("SERVER_ERROR", False),  # Repeating it never helps, whatever the document says of 5xx: decided so.
    502: ("SERVER_ERROR", True),
    503: ("SERVER_ERROR", True),
    504: ("SERVER_ERROR", True),
}

FAILURES = {
    "found by the library": ("search_patterns", {"query": "retry", "limit": 0}),
    "of the library": ("get_pattern", {"pattern_id": "answer-503"}),
    "a broken connection": ("get_pattern", {"pattern_id": "answer-close"}),
    "nothing says what": ("get_pattern", {"pattern_id": "answer-garbage"}),
    "an argument of the wrong type": ("get_pattern", {"pattern_id": 7}),
    "two bad arguments": ("search_patterns", {"query": ["retry"], "limit": "many"}),
    "an argument that is too long": ("search_patterns", {"query": "r" * 201}),
    "an argument that nobody knows": ("get_pattern", {"pattern_id": "deadline", "colour": "red"}),
}
"""Failures of the two tools that have a format: in the tool, behind it, and before it has run."""

QUESTIONS = {
    "missing_query": ("search_patterns", {}),
    "too_many_results": ("search_patterns", {"query": "error"}),
    "missing_pattern_id": ("get_pattern", {}),
    "not_found": ("get_pattern", {"pattern_id": "circuit-braker"}),
}

OTHER_FAILURES = {
    "list_analysis_rules": {"format": "json"},
    "analyze_code": {"code": "def f(:\n"},
    "review_code": {"code": "try:\n"},
}
"""A failure of each tool that has no format."""


CODES = {
    "NETWORK_ERROR",
    "SERVER_ERROR",
    "CLIENT_ERROR",
    "NOT_FOUND",
    "AUTHENTICATION_ERROR",
    "UNKNOWN_ERROR",
}


def is_document_error(text):
    """`try { parsed = JSON.parse(text); return parsed && parsed.kind === "toolError:v1" } catch { return false }`."""
    try:
        parsed = json.loads(text or "")
    except ValueError:
        return False
    return isinstance(parsed, dict) and parsed.get("kind") == "toolError:v1"


def parsed_as_documented(result):
    """`const jsonBlock = result.content.find(…)`, and what the document's client does with it."""
    json_block = next((block for block in result["content"] if is_document_error(block.get("text"))), None)
    return json.loads(json_block["text"]) if json_block else None


def essence(result):
    """Leave out what a protocol or errata adds beside the answer."""
    return {key: result[key] for key in ("content", "structuredContent", "isError")}


def documented(name):
    """Read an example, without what the document says that transports may strip."""
    example = json.loads((DOCUMENT / f"{name}.json").read_text(encoding="utf-8"))
    for block in example["content"]:
        del block["mimeType"]
    return example


def texts(result):
    assert all(block["type"] == "text" for block in result["content"])
    return [block["text"] for block in result["content"]]


def as_json(payload):
    return json.dumps(payload, indent=2, ensure_ascii=False)


def gated(human, machine, format):
    """The document's table."""
    return {"markdown": [human], "json": [as_json(machine)], "both": [human, as_json(machine)]}[format]


class Person:
    """Who answers the questions of a client, one after the other."""

    def __init__(self):
        self.replies, self.asked = [], []

    def will(self, *replies):
        self.replies, self.asked = list(replies), []

    async def __call__(self, _, params):
        self.asked.append(params)
        reply = self.replies.pop(0)
        if isinstance(reply, str):
            return wire.ElicitResult(action=reply)
        return wire.ElicitResult(action="accept", content=reply)


@pytest.fixture(scope="module")
def person():
    return Person()


@pytest.fixture(scope="module")
def library():
    with Upstream(patterns) as upstream:
        yield upstream


@pytest.fixture(scope="module")
def address(library):
    """Start the server over HTTP once for all who talk to it: most of this file's time goes into starting servers."""
    with listening("pattern_library", PATTERNS_URL=library.url) as url:
        yield url


@pytest.fixture(scope="module")
def reached(request, way, library):
    """Connect to the server, with or without a person who can be asked."""

    @asynccontextmanager
    async def reached(elicit=None):
        if "stdio" in way:
            async with connected("pattern_library", way, elicit=elicit, PATTERNS_URL=library.url) as client:
                yield client
            return
        mode = "legacy" if "older" in way else "auto"
        url = request.getfixturevalue("address")
        async with Client(url, mode=mode, elicitation_callback=elicit, read_timeout_seconds=20, cache=None) as client:
            yield client

    return reached


@pytest.fixture(scope="module")
async def client(reached):
    """Connect; nobody is there who could answer a question."""
    async with reached() as client:
        yield client


@pytest.fixture(scope="module")
async def attended(reached, person):
    """Connect with a person who can be asked."""
    async with reached(person) as client:
        yield client


@pytest.fixture
def call_attended(attended):
    async def call(tool, **arguments):
        return payload(await attended.call_tool(tool, arguments))

    return call


async def all_at_once(client, calls):
    results = await asyncio.gather(*(client.call_tool(tool, arguments) for tool, arguments in calls.values()))
    return dict(zip(calls, map(payload, results), strict=True))


def in_every_format(calls):
    """Make each call once with each format, and once without one."""
    return {
        (name, format): (tool, arguments | ({"format": format} if format else {}))
        for name, (tool, arguments) in calls.items()
        for format in (*FORMATS, None)
    }


@pytest.fixture(scope="module")
async def as_answered(client):
    """Make all the documented calls: three of them wait for a library that never answers."""
    return await all_at_once(client, AS_DOCUMENTED)


@pytest.fixture(scope="module")
async def failed(client):
    """Make all the calls that fail, in every format."""
    return await all_at_once(client, in_every_format(FAILURES))


@pytest.fixture(scope="module")
async def asked(client):
    """Make all the calls that are answered with a question, in every format."""
    return await all_at_once(client, in_every_format(QUESTIONS))


# The document's examples, and its structure


@pytest.mark.parametrize("name", AS_DOCUMENTED)
async def test_an_example_of_the_document_comes_out_exactly(as_answered, name):
    assert essence(as_answered[name]) == documented(name)


async def test_every_example_of_the_document_is_among_them():
    assert {path.stem for path in DOCUMENT.glob("*.json")} == AS_DOCUMENTED.keys()


async def test_a_client_alone_reaches_every_code(as_answered):
    assert {result["structuredContent"]["code"] for result in as_answered.values()} == CODES


async def test_no_error_has_another_code(client, as_answered, failed):
    calls = {status: ("search_patterns", {"query": f"answer-{status}"}) for status in range(400, 600, 3)}
    calls |= {tool: (tool, arguments) for tool, arguments in OTHER_FAILURES.items()}
    calls |= {"no such tool": ("get_patern", {}), "no such rule": ("analyze_code", {"code": "", "rules": ["x"]})}
    answers = {**as_answered, **failed, **await all_at_once(client, calls)}

    assert {name: result["structuredContent"]["kind"] for name, result in answers.items()} == dict.fromkeys(
        answers, "toolError:v1"
    )
    assert {result["structuredContent"]["code"] for result in answers.values()} == CODES


@pytest.mark.parametrize("failure", FAILURES)
async def test_every_error_has_the_structure_of_the_document(failed, failure):
    error = parsed_as_documented(failed[failure, "json"])

    assert error["kind"] == "toolError:v1"
    assert list(error)[:4] == ["kind", "code", "message", "retryable"]
    assert error.keys() <= {"kind", "code", "message", "retryable", "details"}
    assert isinstance(error["message"], str)
    assert isinstance(error["retryable"], bool)
    assert isinstance(error.get("details", {}), dict)
    assert None not in error.values()


@pytest.mark.parametrize("failure", FAILURES)
async def test_an_error_passes_the_validation_by_schema(failed, failure):
    Draft202012Validator(tool_error_v1.error_schema()).validate(parsed_as_documented(failed[failure, "both"]))


@pytest.mark.parametrize("format", [*FORMATS, None])
async def test_the_flag_and_the_fallback_are_there_in_every_format(failed, format):
    for failure in FAILURES:
        assert failed[failure, format]["isError"] is True
        assert failed[failure, format]["structuredContent"]["kind"] == "toolError:v1"


# The codes


@pytest.mark.parametrize("status", STATUSES)
async def test_a_status_has_its_word_its_flag_and_its_place(call, status):
    error = (await call("search_patterns", query=f"answer-{status}"))["structuredContent"]

    assert (error["code"], error["retryable"]) == STATUSES[status]
    assert error["details"]["statusCode"] == status


async def test_a_broken_connection_is_a_network_error(call):
    error = (await call("search_patterns", query="answer-close"))["structuredContent"]

    assert error == {
        "kind": "toolError:v1",
        "code": "NETWORK_ERROR",
        "message": "Network error: Server disconnected without sending a response.",
        "retryable": True,
    }


@pytest.mark.parametrize("name", ["network_timeout", "unknown"])
async def test_there_are_no_details_without_a_status(as_answered, name):
    assert "details" not in as_answered[name]["structuredContent"]


async def test_a_wait_is_told_and_a_429_is_still_not_called_retryable(call):
    error = (await call("get_pattern", pattern_id="answer-429-after-17"))["structuredContent"]

    assert (error["code"], error["retryable"]) == ("CLIENT_ERROR", False)
    assert error["details"] == {"statusCode": 429, "retryAfterMs": 17_000}


async def test_a_missing_resource_that_is_no_pattern_is_not_found(call):
    error = (await call("search_patterns", category="answer-404", format="json"))["structuredContent"]

    assert error["code"] == "NOT_FOUND"
    assert error["message"] == "Resource not found: /api/patterns/answer-404"


# The format


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("failure", FAILURES)
async def test_an_error_follows_the_table(failed, failure, format):
    error = failed[failure, format]["structuredContent"]

    assert texts(failed[failure, format]) == gated(error["message"], error, format)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("tool", ["search_patterns", "get_pattern"])
async def test_a_success_follows_the_table(call, tool, format):
    arguments = {"search_patterns": {"query": "circuit breaker"}, "get_pattern": {"pattern_id": "circuit-breaker"}}
    result = await call(tool, **arguments[tool], format=format)
    found = result["structuredContent"]
    human = texts(await call(tool, **arguments[tool]))[0]

    assert not result["isError"]
    assert "circuit-breaker" in human
    assert not human.startswith("{")
    assert texts(result) == gated(human, found, format)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("reason", QUESTIONS)
async def test_a_question_follows_the_table(asked, reason, format):
    question = asked[reason, format]["structuredContent"]

    assert texts(asked[reason, format]) == gated(question["message"], question, format)


@pytest.mark.parametrize("failure", FAILURES)
async def test_without_a_format_it_is_markdown(failed, failure):
    assert essence(failed[failure, None]) == essence(failed[failure, "markdown"])


@pytest.mark.parametrize("format", ["xml", "JSON", "", 7, None, ["json"], {"json": True}])
async def test_a_format_that_does_not_exist_is_refused_in_markdown(call, format):
    result = await call("get_pattern", pattern_id="deadline", format=format)
    error = result["structuredContent"]

    assert (error["code"], error["retryable"]) == ("CLIENT_ERROR", False)
    assert texts(result) == ["One argument does not fit `get_pattern`: `format` must be 'markdown', 'json' or 'both'."]


async def test_two_tools_have_a_format_and_three_have_none(client):
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    formats = {name: tool.input_schema["properties"].get("format") for name, tool in tools.items()}

    assert formats.keys() == {"search_patterns", "get_pattern", "list_analysis_rules", "analyze_code", "review_code"}
    assert {name for name, declared in formats.items() if declared} == {"search_patterns", "get_pattern"}
    for name in ("search_patterns", "get_pattern"):
        assert formats[name]["enum"] == list(FORMATS)
        assert formats[name]["default"] == "markdown"


@pytest.mark.parametrize("asked", [{}, {"format": "json"}, {"format": "both"}])
@pytest.mark.parametrize("tool", OTHER_FAILURES)
async def test_the_other_three_fail_in_markdown_whatever_is_asked(call, tool, asked):
    result = await call(tool, **{**OTHER_FAILURES[tool], **asked})

    assert texts(result) == [result["structuredContent"]["message"]]
    assert parsed_as_documented(result) is None


async def test_the_other_three_succeed_in_markdown(call):
    rules = await call("list_analysis_rules")
    analysis = await call("analyze_code", code="def f(x=[]): ...")
    review = await call("review_code", code="def f(x=[]): ...")

    assert [len(texts(result)) for result in (rules, analysis, review)] == [1, 1, 1]
    assert texts(rules)[0].startswith("| rule | severity |")
    assert texts(analysis)[0].startswith("1 finding by 12 rules.\n- line 1: ")
    assert texts(review)[0].startswith("1. **medium**, `mutable-default`, line 1: ")


# What the document tells clients to do


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("format", ["json", "both"])
async def test_the_documents_own_client_finds_the_error(failed, failure, format):
    assert parsed_as_documented(failed[failure, format]) == failed[failure, format]["structuredContent"]


@pytest.mark.parametrize("failure", FAILURES)
async def test_the_documents_own_client_finds_no_block_in_markdown(failed, failure):
    assert parsed_as_documented(failed[failure, "markdown"]) is None


async def test_the_documents_own_client_takes_no_success_and_no_question_for_an_error(call, asked):
    for result in [*asked.values(), await call("get_pattern", pattern_id="fail-loudly", format="both")]:
        assert parsed_as_documented(result) is None
        assert errata.decode(result) is None


@pytest.mark.parametrize("name", AS_DOCUMENTED)
async def test_errata_reads_what_the_document_means(as_answered, name):
    result = as_answered[name]
    fault = errata.decode(result)

    assert fault.message == result["structuredContent"]["message"]
    assert fault.retryable is result["structuredContent"]["retryable"]
    assert fault.http_status == result["structuredContent"].get("details", {}).get("statusCode")


async def test_every_error_has_a_reference_for_the_log_beside_it(as_answered):
    references = {result["_meta"]["errata/correlationId"] for result in as_answered.values()}

    assert len(references) == len(AS_DOCUMENTED)


def test_what_was_unknown_is_in_the_log_under_its_reference():
    started = over_stdio("pattern_library", COLUMNS="400")
    with (
        tempfile.TemporaryFile("w+") as log,
        subprocess.Popen(
            [started.command, *started.args], env=started.env, text=True, stdin=-1, stdout=-1, stderr=log
        ) as server,
    ):
        server.stdin.write(tool_call("search_patterns", query="answer-garbage") + "\n")
        server.stdin.flush()
        answer = json.loads(server.stdout.readline())["result"]
        server.stdin.close()
        server.wait()
        log.seek(0)
        record = "".join(log.read().split()).partition(f"(reference{answer['_meta']['errata/correlationId']})")[2]

    assert answer["structuredContent"]["code"] == "UNKNOWN_ERROR"
    assert "ValidationError" in record
    assert "InvalidJSON" in record
    assert "JSON" not in json.dumps(answer)


# Settings


@pytest.mark.parametrize(
    ("address", "fault"),
    {
        " ": "is not set",
        "banana": "is not a web address, such as https://api.example.com",
        "ftp://patterns.example": "is not a web address, such as https://api.example.com",
        "http://": "is not a web address, such as https://api.example.com",
    }.items(),
)
async def test_an_address_that_is_none_is_a_matter_for_whoever_starts_the_server(monkeypatch, address, fault):
    monkeypatch.setenv("PATTERNS_URL", address)
    async with fastmcp.Client(pattern_library.server) as client:
        result = await client.call_tool_mcp("search_patterns", {"query": "retry"})

    assert result.structured_content == {
        "kind": "toolError:v1",
        "code": "UNKNOWN_ERROR",
        "message": f"`PATTERNS_URL` {fault}. Tell the user to set it where this server is started.",
        "retryable": False,
    }


# Questions


@pytest.mark.parametrize("reason", QUESTIONS)
async def test_a_question_is_no_error(asked, reason):
    result = asked[reason, "both"]

    assert not result["isError"]
    assert result["structuredContent"]["kind"] == "needsInput:v1"
    assert result["structuredContent"]["needsInput"]["reason"] == reason
    assert "errata/correlationId" not in result.get("_meta", {})


async def test_a_search_without_a_query_asks_for_one(call):
    message = "What should the pattern be about? Name a problem or a technique, such as `retry` or `error handling`."

    assert (await call("search_patterns"))["structuredContent"] == {
        "kind": "needsInput:v1",
        "type": "elicitation",
        "message": message,
        "needsInput": {
            "fields": ["query"],
            "reason": "missing_query",
            "suggestions": {"query": ["retry", "timeout", "error handling", "asyncio", "database"]},
        },
    }


async def test_a_search_that_finds_too_much_asks_for_a_category(call):
    question = (await call("search_patterns", query="error"))["structuredContent"]

    assert question["message"] == "9 patterns match. Which `category` should it be: errors (8), observability (1)?"
    assert question["needsInput"] == {
        "fields": ["category"],
        "reason": "too_many_results",
        "suggestions": {"category": ["errors", "observability"]},
    }
    assert question["options"] == [
        {"label": "errors (8)", "value": "errors"},
        {"label": "observability (1)", "value": "observability"},
    ]


async def test_every_category_that_is_suggested_narrows_the_search(call):
    question = (await call("search_patterns", query="error"))["structuredContent"]

    for category in question["needsInput"]["suggestions"]["category"]:
        found = (await call("search_patterns", query="error", category=category))["structuredContent"]
        assert {pattern["category"] for pattern in found["patterns"]} == {category}


async def test_a_search_with_a_limit_gives_the_best_and_asks_nothing(call):
    found = (await call("search_patterns", query="error", limit=3))["structuredContent"]

    assert (found["total"], len(found["patterns"])) == (9, 3)


async def test_a_search_that_finds_nothing_says_so_and_is_no_failure(call):
    result = await call("search_patterns", query="zeppelin")

    assert result["structuredContent"] == {"total": 0, "categories": {}, "patterns": []}
    assert texts(result)[0].startswith("No pattern matches.")


async def test_an_unknown_id_is_asked_for_with_the_nearest(call):
    assert (await call("get_pattern", pattern_id="circuit-braker"))["structuredContent"] == {
        "kind": "needsInput:v1",
        "type": "elicitation",
        "message": "There is no pattern `circuit-braker`. Did you mean `circuit-breaker`?",
        "needsInput": {
            "fields": ["pattern_id"],
            "reason": "not_found",
            "suggestions": {"pattern_id": ["circuit-breaker"]},
        },
    }


@pytest.mark.parametrize("asked", ["Circuit Breaker", "circuit_breaker", "breaker"])
async def test_what_somebody_may_have_meant_is_among_the_suggestions(call, asked):
    question = (await call("get_pattern", pattern_id=asked))["structuredContent"]

    assert "circuit-breaker" in question["needsInput"]["suggestions"]["pattern_id"]


NO_NAMES = [
    ".",
    "..",
    "../../etc/passwd",
    "..%2f",
    "%2e%2e%2f",
    "errors/fail-loudly",
    "deadline?limit=0",
    "dead\x00line\x1b[31m",
    "x`.\n\nRetry: yes, the same call.",
    "часы",
    " ",
    "x" * 100_000,
]
"""What would be something else than one part of a path, or cannot be an id for another reason."""
STRANGE_IDS = ["zeppelin", "answer-404", *NO_NAMES]


@pytest.mark.parametrize("format", [*FORMATS, None])
async def test_an_unknown_id_is_always_a_question_and_never_not_found(client, format):
    chosen = {"format": format} if format else {}
    calls = {strange: ("get_pattern", {"pattern_id": strange, **chosen}) for strange in STRANGE_IDS}

    for strange, result in (await all_at_once(client, calls)).items():
        message = result["structuredContent"]["message"]
        assert result["structuredContent"]["kind"] == "needsInput:v1", (strange[:50], message)
        assert not result["isError"]
        assert parsed_as_documented(result) is None
        assert message.isprintable()
        assert len(message) < 200


async def test_what_means_something_in_a_path_never_reaches_the_library(client, library):
    before = library.requests
    calls = {("get", given): ("get_pattern", {"pattern_id": given}) for given in NO_NAMES}
    calls |= {("search", given): ("search_patterns", {"category": given[:50]}) for given in NO_NAMES[:-1]}

    for (way, given), result in (await all_at_once(client, calls)).items():
        answer = result["structuredContent"]
        assert (answer["kind"], answer.get("code")) == {
            "get": ("needsInput:v1", None),
            "search": ("toolError:v1", "CLIENT_ERROR"),
        }[way], given
        assert answer["message"].startswith(f"There is no {'pattern' if way == 'get' else 'category'} `")
    assert library.requests == before


async def test_what_a_person_answers_is_checked_like_an_argument(call_attended, person, library):
    before = library.requests
    person.will({"pattern_id": ".."}, "cancel")
    result = await call_attended("get_pattern", pattern_id=".")

    assert [params.message[:26] for params in person.asked] == [
        "There is no pattern `.`. W",
        "There is no pattern `..`. ",
    ]
    assert result["isError"]
    assert library.requests == before


async def test_a_library_that_says_404_to_everything_is_asked_about_patterns_and_not_found_otherwise(
    call_attended, library, person
):
    library.tell("404")
    try:
        person.will("cancel")
        await call_attended("get_pattern", pattern_id="deadline")
        search = await call_attended("search_patterns", query="retry")
    finally:
        library.tell(None)

    assert [params.message[:31] for params in person.asked] == ["There is no pattern `deadline`."]
    assert search["structuredContent"]["code"] == "NOT_FOUND"


async def test_a_person_who_answers_gets_the_pattern(call_attended, person):
    person.will({"pattern_id": "circuit-breaker"})
    result = await call_attended("get_pattern", pattern_id="circuit-braker", format="json")

    assert result["structuredContent"]["id"] == "circuit-breaker"
    assert texts(result) == [as_json(result["structuredContent"])]
    (asked,) = person.asked
    assert asked.message == "There is no pattern `circuit-braker`. Did you mean `circuit-breaker`?"
    field = asked.requested_schema["properties"]["pattern_id"]
    assert field["type"] == "string"
    assert field["description"].endswith("For example: circuit-breaker")


async def test_a_person_who_names_another_unknown_id_is_asked_again(call_attended, person):
    person.will({"pattern_id": "bulk"}, {"pattern_id": "bulkhead"})
    result = await call_attended("get_pattern", pattern_id="blukhead")

    assert result["structuredContent"]["id"] == "bulkhead"
    assert [params.message.partition(".")[0] for params in person.asked] == [
        "There is no pattern `blukhead`",
        "There is no pattern `bulk`",
    ]


async def test_a_search_asks_what_and_then_where(call_attended, person):
    person.will({"query": "error"}, {"category": "observability"})
    result = await call_attended("search_patterns")

    assert [found["id"] for found in result["structuredContent"]["patterns"]] == ["log-once"]
    assert [list(params.requested_schema["properties"]) for params in person.asked] == [["query"], ["category"]]
    where = person.asked[1].requested_schema["properties"]["category"]
    assert (where["enum"], where["enumNames"]) == (
        ["errors", "observability"],
        ["errors (8)", "observability (1)"],
    )


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(("reply", "told"), [("decline", "declined to answer"), ("cancel", "closed without an answer")])
async def test_a_person_who_does_not_answer_ends_the_call(call_attended, person, reply, told, format):
    person.will(reply)
    result = await call_attended("get_pattern", pattern_id="zeppelin", format=format)
    error = result["structuredContent"]

    assert error["message"].startswith(f"The user {told}: There is no pattern `zeppelin`.")
    assert (error["kind"], error["retryable"], result["isError"]) == ("toolError:v1", False, True)
    assert texts(result) == gated(error["message"], error, format)


async def test_a_client_that_can_be_asked_is_asked_in_the_way_of_its_protocol(attended, way, person):
    person.will({"pattern_id": "deadline"})
    arguments = {"pattern_id": "dead-line"}
    result = await attended.session.call_tool("get_pattern", arguments, allow_input_required=True)

    if "older" in way:  # It was asked in between, and the result is the pattern.
        assert result.structured_content["id"] == "deadline"
        assert len(person.asked) == 1
        return
    assert not person.asked
    assert result.result_type == "input_required"
    assert errata.decode_needs_input(payload(result)).suggestions == {"pattern_id": ["deadline"]}
    answer = wire.ElicitResult(action="accept", content={"pattern_id": "deadline"})
    again = await attended.session.call_tool(
        "get_pattern", arguments, input_responses={"errata": answer}, request_state=result.request_state
    )
    assert again.structured_content["id"] == "deadline"


# The library and the rules


BROKEN = {
    "string-built-sql": "db.execute(f'SELECT * FROM user WHERE name = {name}')",
    "bare-except": "try:\n    work()\nexcept:\n    log.exception('no')",
    "swallowed-exception": "try:\n    work()\nexcept OSError:\n    pass",
    "empty-data-on-failure": "def f():\n    try:\n        return work()\n    except OSError:\n        return []",
    "swallowed-cancellation": "async def f():\n    try:\n        await g()\n    except BaseException:\n        log.info('no')",
    "blocking-call-in-async": "from time import sleep\nasync def f():\n    sleep(1)",
    "missing-timeout": "import requests as r\nr.get('http://shop.example')",
    "forgotten-task": "import asyncio\nasync def f():\n    asyncio.create_task(g())",
    "mutable-default": "def f(x, *, seen={}): ...",
    "raise-without-cause": "try:\n    work()\nexcept OSError:\n    raise ShopError('no')",
    "broad-raise": "raise Exception('no')",
    "print-in-library": "print('hello')",
}
FINE = [
    "db.execute('SELECT * FROM user WHERE name = ?', (name,))\ndb.execute('SELECT 1 ' + 'FROM user')",
    "log.execute(f'starting {name}')",
    "try:\n    work()\nexcept OSError as error:\n    raise ShopError('no') from error",
    "def f():\n    try:\n        return work()\n    except OSError:\n        log.exception('no')\n        raise",
    "async def f():\n    await asyncio.to_thread(time.sleep, 1)\n    def inner():\n        time.sleep(1)",
    "import requests\nrequests.get(url, timeout=5)\nrequests.get(url, **options)",
    "task = asyncio.create_task(g())",
    "def f(x=(), y=None, *, z=0): ...",
    "def main():\n    print('hello')\nif __name__ == '__main__':\n    print('done')",
    "",
]


async def test_a_rule_finds_what_breaks_it_and_says_in_which_line(client):
    calls = {rule: ("analyze_code", {"code": f"\n\n{BROKEN[rule]}", "rules": [rule]}) for rule in BROKEN}

    for rule, result in (await all_at_once(client, calls)).items():
        head, finding = texts(result)[0].split("\n")
        assert head == "1 finding by 1 rule."
        assert 3 <= int(finding.removeprefix("- line ").partition(":")[0]) <= 2 + len(BROKEN[rule].split("\n"))
        assert finding.endswith(f"`{rule}`)")


async def test_every_rule_is_listed_and_tried(call):
    rows = texts(await call("list_analysis_rules"))[0].split("\n")[2:]

    assert {row.split("`")[1] for row in rows} == BROKEN.keys()


async def test_code_that_breaks_no_rule_is_left_alone(client, call):
    calls = {code: ("analyze_code", {"code": code}) for code in FINE}

    assert {code: texts(result) for code, result in (await all_at_once(client, calls)).items()} == {
        code: ["0 findings by 12 rules."] for code in FINE
    }
    assert texts(await call("review_code", code=FINE[0])) == ["Nothing to change by 12 rules."]


async def test_a_review_begins_with_the_worst_and_links_patterns_that_exist(call):
    code = "\n".join(BROKEN.values())
    (text,) = texts(await call("review_code", code=code))
    severities = [line.split("**")[1] for line in text.split("\n") if "**" in line]
    links = [line.split("Read with `get_pattern`: ")[1] for line in text.split("\n") if "Read with" in line]

    assert severities == sorted(severities, key=["high", "medium", "low"].index)
    assert len(severities) == len(links) == len(BROKEN)
    library = (await call("search_patterns", query="e", limit=100))["structuredContent"]["patterns"]
    assert {link.split("`")[1] for each in links for link in each.split(", ")} <= {pattern["id"] for pattern in library}


async def test_a_review_needs_the_library_and_an_analysis_does_not(call_attended, library):
    code = BROKEN["bare-except"]
    library.tell("503")
    try:
        review = await call_attended("review_code", code=code)
        before = library.requests
        analysis = await call_attended("analyze_code", code=code)
        assert library.requests == before
    finally:
        library.tell(None)

    assert texts(review) == ["Service unavailable: Down for maintenance."]
    assert review["structuredContent"] == {
        "kind": "toolError:v1",
        "code": "SERVER_ERROR",
        "message": "Service unavailable: Down for maintenance.",
        "retryable": True,
        "details": {"statusCode": 503},
    }
    assert not analysis["isError"]


@pytest.mark.parametrize("tool", ["analyze_code", "review_code"])
async def test_a_lot_of_code_keeps_nobody_else_waiting(client, tool):
    done = []

    async def noted(tool, **arguments):
        await client.call_tool(tool, arguments)
        done.append(tool)

    await asyncio.gather(noted(tool, code="f(a, b)[0].c\n" * 7_600), noted("search_patterns", query="retry", limit=1))

    assert done == ["search_patterns", tool]


async def test_the_examples_of_the_library_are_python_that_breaks_no_rule(call):
    library = (await call("search_patterns", query="e", limit=100))["structuredContent"]
    assert len(library["patterns"]) == library["total"] > 30

    code = "\n".join(pattern["example"] for pattern in library["patterns"])
    assert texts(await call("analyze_code", code=code)) == ["0 findings by 12 rules."]


@pytest.mark.parametrize("tool", ["analyze_code", "review_code"])
async def test_code_that_does_not_parse_is_a_client_error_that_says_where(call, tool):
    error = (await call(tool, code="def f():\n    return (1 +\n"))["structuredContent"]

    assert error == {
        "kind": "toolError:v1",
        "code": "CLIENT_ERROR",
        "message": "`code` is not Python at line 2, column 12: '(' was never closed. "
        "Correct that line and call this tool again.",
        "retryable": False,
        "details": {"line": 2, "column": 12},
    }


async def test_a_rule_that_does_not_exist_is_a_client_error_with_the_nearest(call):
    error = (await call("analyze_code", code="", rules=["bare-exept"]))["structuredContent"]

    assert error["code"] == "CLIENT_ERROR"
    assert error["message"] == "`rules` names `bare-exept`, which is no rule. Did you mean `bare-except`?"


async def test_every_tool_says_that_it_only_reads(client):
    for tool in (await client.list_tools()).tools:
        hints = tool.annotations
        assert (hints.read_only_hint, hints.idempotent_hint, hints.destructive_hint) == (True, True, False)


# Secrets and strangers


async def test_nothing_of_the_librarys_answer_leaves_but_its_message(client):
    searches = [("search_patterns", {"query": f"answer-{status}", "format": "both"}) for status in STATUSES]
    readings = [("get_pattern", {"pattern_id": f"answer-{status}", "format": "both"}) for status in STATUSES]
    answers = json.dumps([*(await all_at_once(client, dict(enumerate(searches + readings)))).values()])

    assert "The API key has expired." in answers
    assert API_KEY not in answers
    assert "debug" not in answers


@pytest.mark.parametrize(
    "code",
    ["a\x00b", "(" * 5_000, "-" * 90_000 + "1", "a+" * 40_000 + "1", "\x1b[31m", "x" * 100_001, "\u202e", "import"],
    ids=["null", "brackets", "signs", "terms", "control", "long", "bidi", "unfinished"],
)
async def test_code_from_a_stranger_gets_a_clear_error(call, code):
    result = await call("analyze_code", code=code)

    assert result["structuredContent"]["code"] == "CLIENT_ERROR"
    assert len(result["structuredContent"]["message"]) < 300


@pytest.mark.parametrize("arguments", [{"code": 7}, {"code": None}, {"code": ["x"]}, {}, {"code": "x", "rules": "all"}])
async def test_arguments_of_the_wrong_type_are_named(call, arguments):
    error = (await call("analyze_code", **arguments))["structuredContent"]

    assert error["code"] == "CLIENT_ERROR"
    assert "`rules`" in error["message"] if "rules" in arguments else "`code`" in error["message"]


async def test_a_tool_that_does_not_exist_is_not_found_with_the_nearest(call):
    error = (await call("get_patern", format="json"))["structuredContent"]

    assert error["code"] == "NOT_FOUND"
    assert "`get_pattern`" in error["message"]


async def test_ten_megabytes_get_an_error_and_the_server_lives_on(client, call):
    for tool, argument in (("search_patterns", "query"), ("analyze_code", "code"), ("get_pattern", "pattern_id")):
        try:
            result = payload(await client.call_tool(tool, {argument: "x" * 10_000_000}))
        except MCPError:  # Over HTTP the SDK itself takes no more than a few megabytes.
            continue
        assert result["structuredContent"]["kind"] in {"toolError:v1", "needsInput:v1"}
        assert len(json.dumps(result)) < 2_000

    assert not (await call("get_pattern", pattern_id="deadline"))["isError"]


def said_by_hand(address, tool, **arguments):
    return post(address, tool_call(tool, **arguments), name=tool)["result"]["structuredContent"]


@pytest.mark.parametrize(
    ("tool", "argument", "kind", "code"),
    [
        ("get_pattern", "pattern_id", "needsInput:v1", None),
        ("search_patterns", "query", "toolError:v1", "CLIENT_ERROR"),
        ("search_patterns", "category", "toolError:v1", "CLIENT_ERROR"),
        ("analyze_code", "code", "toolError:v1", "CLIENT_ERROR"),
    ],
)
async def test_a_lone_surrogate_gets_a_clear_answer_and_the_server_lives_on(address, tool, argument, kind, code):
    answer = said_by_hand(address, tool, **{argument: "\ud800"})
    assert (answer["kind"], answer.get("code")) == (kind, code)

    assert said_by_hand(address, "get_pattern", pattern_id="deadline")["id"] == "deadline"
