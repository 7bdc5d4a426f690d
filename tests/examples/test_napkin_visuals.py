"""Does `napkin_visuals` answer what document 000 promises? Asked by its author, who has a client and nothing else."""

import json
import subprocess
import sys
from base64 import b64encode
from urllib.parse import quote

import anyio
import fastmcp
import jsonschema
import napkin_visuals
import pytest
from mcp.shared.exceptions import MCPError
from support.example_servers import EXAMPLES, connected, payload
from upstreams import Reply, Upstream

pytestmark = pytest.mark.anyio

WORDS = [
    "BAD_REQUEST", "UNAUTHORIZED", "FORBIDDEN", "NOT_FOUND", "GONE",
    "RATE_LIMITED", "UPSTREAM_ERROR", "NETWORK_ERROR", "TIMEOUT", "INTERNAL_ERROR",
]  # fmt: skip
SCHEMA_OF_000 = {
    "code": {"type": "string", "enum": WORDS},
    "message": {"type": "string", "minLength": 1},
    "retriable": {"type": "boolean", "default": False},
    "original": {},
}
TOOLS = ("create_visual", "visual_status", "download_visual")
SANDBOX_KEY = "sk-sandbox-0f3b7a91c2d4e6f8"
OWN_KEY = "nk-Tq7vRz31+Lm9/XbE5w"

# What 000 says of a status, and what the sandbox explains it with.
SAID = {
    400: ("BAD_REQUEST", False, "400 Bad Request: ‹The request has a member that this API does not know.›"),
    401: ("UNAUTHORIZED", False, "401 Unauthorized: ‹The API key has expired.›"),
    403: ("FORBIDDEN", False, "403 Forbidden: ‹This key may read and not write.›"),
    404: ("NOT_FOUND", False, "404 Not Found: ‹There is nothing under this address.›"),
    410: ("GONE", False, "410 Gone: ‹It was deleted 30 days after its making.›"),
    429: ("RATE_LIMITED", True, "429 Too Many Requests: ‹This key has used up its requests for the minute.›"),
    500: ("UPSTREAM_ERROR", True, "500 Internal Server Error: ‹The database refused a connection.›"),
    503: ("UPSTREAM_ERROR", True, "503 Service Unavailable: ‹Down for maintenance.›"),
}
OTHER_4XX = (402, 405, 408, 409, 413, 418, 422, 425, 451, 499)
OTHER_5XX = (502, 504, 507, 520, 599)
NOT_KNOWN_OF_AN_ORDER = (500,)
"""Statuses of 000's list after which nobody knows whether an order was taken."""
MAY_BE_MAKING = "Napkin may be making the visual all the same: order it again only if a second one does no harm."


@pytest.fixture
def failing(call):
    """Call a tool with a value that makes its upstream fail; give the error, after checking what holds for every one."""

    async def failing(answer, tool="visual_status", **arguments):
        first = "content" if tool == "create_visual" else "visual_id"
        return error_in(await call(tool, **{first: f"answer-{answer}", **arguments}))

    return failing


def error_in(result):
    """Give the error in a result; both places of it say the same, and 000's schema accepts it."""
    error = result["structuredContent"]
    (block,) = result["content"]
    assert result["isError"] is True
    assert json.loads(block["text"]) == error
    assert_accepted(error)
    return error


def assert_accepted(error):
    """Accept what `McpToolErrorZ` accepts."""
    assert error["code"] in WORDS
    assert isinstance(error["message"], str)
    assert error["message"]
    assert isinstance(error.get("retriable", False), bool)
    assert [*error] == [name for name in SCHEMA_OF_000 if name in error]
    assert {"code", "message", "retriable"} <= error.keys()


async def test_a_visual_is_created_polled_and_downloaded(call):
    ordered = (await call("create_visual", content="Errors, and their corrections"))["structuredContent"]
    polled = [(await call("visual_status", visual_id=ordered["id"]))["structuredContent"] for _ in range(2)]
    picture = (await call("download_visual", visual_id=ordered["id"]))["structuredContent"]

    assert ordered["status"] == "pending"
    assert polled == [ordered, {"id": ordered["id"], "status": "completed"}]
    assert picture["id"] == ordered["id"]
    assert picture["media_type"] == "image/svg+xml"


# The schema, in `tools/list`.


async def test_every_tool_lists_the_schema_of_its_errors(client):
    tools = (await client.list_tools()).tools

    assert {tool.name for tool in tools} == {*TOOLS}
    for tool in tools:
        schema = tool.meta["errata/errorSchema"]
        assert schema["type"] == "object"
        assert schema["properties"] == SCHEMA_OF_000
        assert schema["required"] == ["code", "message"]
        jsonschema.Draft202012Validator.check_schema(schema)


@pytest.fixture(scope="module")
async def listed(client):
    """The validator of every tool's errors, as a client builds it from the list."""
    tools = (await client.list_tools()).tools
    return {tool.name: jsonschema.Draft202012Validator(tool.meta["errata/errorSchema"]) for tool in tools}


@pytest.mark.parametrize("word", WORDS)
async def test_the_schema_accepts_every_documented_code(listed, word):
    for validator in listed.values():
        validator.validate({"code": word, "message": "What happened.", "retriable": True, "original": {"status": 418}})


@pytest.mark.parametrize("code", ["CONFLICT", "bad_request", "", 400, None])
async def test_the_schema_accepts_only_documented_codes(listed, code):
    assert not any(it.is_valid({"code": code, "message": "What happened."}) for it in listed.values())


@pytest.mark.parametrize("rest", [{"message": ""}, {"message": None}, {"message": 7}, {}], ids=str)
async def test_the_schema_requires_a_message_that_is_not_empty(listed, rest):
    assert not any(it.is_valid({"code": "GONE", **rest}) for it in listed.values())


async def test_the_schema_takes_retriable_for_a_boolean_that_is_false_by_default(listed):
    for validator in listed.values():
        validator.validate({"code": "GONE", "message": "It is gone."})
        assert not validator.is_valid({"code": "GONE", "message": "It is gone.", "retriable": "false"})
        assert validator.schema["properties"]["retriable"]["default"] is False


@pytest.mark.parametrize("original", [None, "text", 17, [], {"status": 410, "body": ""}], ids=str)
async def test_the_schema_leaves_original_open_and_optional(listed, original):
    for validator in listed.values():
        validator.validate({"code": "GONE", "message": "It is gone.", "original": original})


async def test_the_output_schema_of_a_tool_admits_its_errors(client, call):
    for tool in (await client.list_tools()).tools:
        arguments = {"content": "answer-503"} if tool.name == "create_visual" else {"visual_id": "answer-503"}
        result = await call(tool.name, **arguments)
        jsonschema.validate(result["structuredContent"], tool.output_schema)


# The mapping.


@pytest.mark.parametrize("status", SAID)
async def test_a_status_gives_its_word_its_flag_and_its_original(failing, status):
    word, retriable, said = SAID[status]

    error = await failing(status)

    explanation = said.partition(": ")[2].strip("‹›")
    assert error == {
        "code": word,
        "message": f"Napkin answered {said}",
        "retriable": retriable,
        "original": {
            "status": status,
            "body": f'{{"message": "{explanation}", "debug": {{"api_key": "[redacted: key]"}}}}',
        },
    }


@pytest.mark.parametrize("tool", TOOLS)
async def test_all_tools_have_one_contract(failing, listed, tool):
    for status, (word, retriable, said) in SAID.items():
        may_have_happened = tool == "create_visual" and status in NOT_KNOWN_OF_AN_ORDER
        error = await failing(status, tool)

        assert (error["code"], error["original"]["status"]) == (word, status)
        assert error["retriable"] is (retriable and not may_have_happened)
        assert error["original"].keys() == {"status", "body"}
        assert error["message"].startswith(f"Napkin answered {said}")
        listed[tool].validate(error)


async def test_every_other_4xx_is_a_bad_request_and_not_retriable(failing):
    answers = {status: await failing(status) for status in OTHER_4XX}

    assert {(error["code"], error["retriable"]) for error in answers.values()} == {("BAD_REQUEST", False)}
    assert [error["original"]["status"] for error in answers.values()] == [*OTHER_4XX]


async def test_every_other_5xx_is_an_upstream_error_and_retriable(failing):
    answers = {status: await failing(status) for status in OTHER_5XX}

    assert {(error["code"], error["retriable"]) for error in answers.values()} == {("UPSTREAM_ERROR", True)}
    assert [error["original"]["status"] for error in answers.values()] == [*OTHER_5XX]


async def test_a_501_is_not_retriable_because_that_is_not_appropriate(failing):
    error = await failing(501)

    assert (error["code"], error["retriable"]) == ("UPSTREAM_ERROR", False)


async def test_the_mapping_is_that_of_napkin_as_it_is_without_any_order(call):
    visual = (await call("create_visual", content="Now"))["structuredContent"]["id"]

    async def said(tool, **arguments):
        error = error_in(await call(tool, **arguments))
        return error["code"], error["retriable"], error["original"]["status"], error["message"]

    assert await said("create_visual", content=" ") == (
        "BAD_REQUEST", False, 400, "Napkin answered 400 Bad Request: ‹`content` is empty; a visual needs a text to show.›",
    )  # fmt: skip
    assert await said("visual_status", visual_id="visual-x") == (
        "NOT_FOUND", False, 404, "Napkin answered 404 Not Found: ‹There is no visual `visual-x`.›",
    )  # fmt: skip
    assert await said("download_visual", visual_id="visual-0") == (
        "GONE", False, 410, "Napkin answered 410 Gone: ‹`visual-0` was deleted after 30 days.›",
    )  # fmt: skip
    assert await said("download_visual", visual_id=visual) == (
        "BAD_REQUEST", False, 409,
        f"Napkin answered 409 Conflict: ‹`{visual}` is still pending; ask for its status until it is completed.›",
    )  # fmt: skip


async def test_a_wait_is_told_in_the_message_because_000_has_no_member_for_it(failing):
    _, _, said = SAID[429]

    assert (await failing("429-after-17"))["message"] == f"Napkin answered {said} Repeat the call after 17 s."
    assert (await failing("400-after-17"))["message"] == f"Napkin answered {SAID[400][2]}"


# Failures without a status.


@pytest.fixture(scope="module")
async def hung(client):
    """What every tool says when nobody answers; they are asked side by side, because that takes a second."""
    errors = {}

    async def ask(tool):
        first = "content" if tool == "create_visual" else "visual_id"
        errors[tool] = error_in(payload(await client.call_tool(tool, {first: "answer-hang"})))

    async with anyio.create_task_group() as group:
        for tool in TOOLS:
            group.start_soon(ask, tool)
    return errors


@pytest.mark.parametrize(("tool", "part"), [("visual_status", "status"), ("download_visual", "file")])
async def test_no_answer_in_time_is_a_timeout_and_retriable(hung, tool, part):
    assert hung[tool] == {
        "code": "TIMEOUT",
        "message": f"Napkin did not answer `GET /v1/visual/answer-hang/{part}` within 1 s.",
        "retriable": True,
    }


async def test_an_order_without_an_answer_in_time_is_not_retriable_because_it_may_have_been_taken(hung):
    assert hung["create_visual"] == {
        "code": "TIMEOUT",
        "message": f"Napkin did not answer `POST /v1/visual` within 1 s. {MAY_BE_MAKING}",
        "retriable": False,
    }


@pytest.mark.parametrize("tool", ["visual_status", "download_visual"])
async def test_a_broken_connection_is_a_network_error_and_retriable(failing, tool):
    error = await failing("close", tool)

    assert error.keys() == {"code", "message", "retriable"}
    assert (error["code"], error["retriable"]) == ("NETWORK_ERROR", True)
    assert error["message"].startswith("Napkin did not answer `GET /v1/visual/answer-close/")


@pytest.mark.parametrize("answer", ["close", "500", "502", "504"])
async def test_an_order_that_may_have_been_taken_says_so(failing, answer):
    error = await failing(answer, "create_visual")

    assert error["retriable"] is False
    assert error["message"].endswith(MAY_BE_MAKING)


@pytest.mark.parametrize(("answer", "retriable"), [("400", False), ("429", True), ("503", True)])
async def test_an_order_that_was_not_taken_says_no_such_thing(failing, answer, retriable):
    error = await failing(answer, "create_visual")

    assert error["retriable"] is retriable
    assert "may be making" not in error["message"]


@pytest.mark.parametrize("tool", TOOLS)
async def test_an_answer_that_is_not_json_says_so_in_plain_words(failing, tool):
    assert await failing("garbage", tool) == {
        "code": "INTERNAL_ERROR",
        "message": "Napkin answered with something that is not JSON. Tell the user that Napkin is out of order.",
        "retriable": False,
    }


async def test_every_word_of_000_can_be_had_by_a_client_alone(failing, hung, listed):
    errors = [await failing(answer) for answer in (*SAID, "close", "garbage")] + [*hung.values()]

    assert {error["code"] for error in errors} == {*WORDS}
    for error in errors:
        listed["visual_status"].validate(error)


# `original`, and what is in it.


async def test_there_is_an_original_exactly_when_napkin_answered_with_an_error(call, failing):
    assert (await failing(503))["original"].keys() == {"status", "body"}
    for result in (
        await call("visual_status", visual_id="answer-close"),
        await call("visual_status", visual_id="answer-garbage"),
        await call("visual_status", visual_id="../secrets"),
        await call("visual_status"),
        await call("paint"),
    ):
        assert "original" not in error_in(result)


@pytest.mark.parametrize("tool", TOOLS)
async def test_no_secret_of_an_error_body_leaves(call, tool):
    first = "content" if tool == "create_visual" else "visual_id"
    for status in SAID:
        result = await call(tool, **{first: f"answer-{status}"})

        assert "[redacted: key]" in result["structuredContent"]["original"]["body"]
        assert SANDBOX_KEY not in json.dumps(result)


# What does not fit, and what is hostile.


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("create_visual", {}, "One argument does not fit `create_visual`: `content` is required."),
        ("create_visual", {"content": 17}, "One argument does not fit `create_visual`: `content` must be text."),
        (
            "create_visual",
            {"content": "x", "style": "oil"},
            "One argument does not fit `create_visual`: `style` must be 'blueprint', 'corporate' or 'sketch'.",
        ),
        ("visual_status", {"visual_id": None}, "One argument does not fit `visual_status`: `visual_id` must be text."),
        (
            "download_visual",
            {"visual_id": ".."},
            "One argument does not fit `download_visual`: `visual_id` must match pattern '^[A-Za-z0-9_-]{1,64}$'.",
        ),
        ("visual_statuses", {}, "There is no tool `visual_statuses`. Did you mean `visual_status`?"),
    ],
    ids=str,
)
async def test_a_call_that_does_not_fit_names_what_does(call, listed, tool, arguments, message):
    error = error_in(await call(tool, **arguments))

    code = "NOT_FOUND" if tool == "visual_statuses" else "BAD_REQUEST"
    assert error == {"code": code, "message": message, "retriable": False}
    listed["visual_status"].validate(error)


@pytest.mark.parametrize(
    "visual_id",
    [
        "..",
        "../../_answer",
        "%2e%2e",
        "",
        " ",
        "a/b",
        "a?b=c",
        "a#b",
        "a\r\nX: y",
        "\x00",
        "é",
        "x" * 65,
        "x" * 1_000_000,
    ],
    ids=lambda value: repr(value[:20]),
)
async def test_an_id_that_means_something_in_a_path_is_refused_before_napkin_is_asked(call, visual_id):
    assert error_in(await call("visual_status", visual_id=visual_id)) == {
        "code": "BAD_REQUEST",
        "message": "One argument does not fit `visual_status`: `visual_id` must match pattern '^[A-Za-z0-9_-]{1,64}$'.",
        "retriable": False,
    }


@pytest.mark.parametrize("size", [5_001, 2_000_000])
async def test_a_text_that_is_too_long_is_refused_and_not_sent_back(call, size):
    result = await call("create_visual", content="x" * size)
    error = error_in(result)

    assert (error["code"], error["retriable"], error["original"]["status"]) == ("BAD_REQUEST", False, 413)
    assert len(json.dumps(result)) < 2_000


async def test_10_mb_are_refused_and_the_server_lives_on(call, way):
    if "stdio" in way:
        assert error_in(await call("create_visual", content="x" * 10_000_000))["code"] == "BAD_REQUEST"
    else:
        with pytest.raises(MCPError):  # The SDK takes 4 MB over HTTP, and says so with a status.
            await call("create_visual", content="x" * 10_000_000)

    assert (await call("create_visual", content="x"))["structuredContent"]["status"] == "pending"


@pytest.mark.parametrize(
    "content", ["\x00\x07\x1b[31m", "\u202e\u2066", "\N{PILE OF POO}" * 1_000, '"}],"code":"X"'], ids=ascii
)
async def test_a_text_of_odd_characters_is_a_text(call, content):
    assert (await call("create_visual", content=content))["structuredContent"]["status"] == "pending"


# Servers of our own: another upstream, other settings. How they are reached makes no difference here.


@pytest.fixture(scope="module")
def answers():
    """What the upstream of `elsewhere` answers; each test puts its own in."""
    return []


@pytest.fixture(scope="module")
async def elsewhere(answers):
    """A server whose Napkin is in this process, until it is gone."""
    with Upstream(lambda _: answers[-1]) as upstream:
        async with connected("napkin_visuals", "stdio", NAPKIN_URL=upstream.url, NAPKIN_API_KEY=OWN_KEY) as client:
            yield client, upstream


@pytest.mark.parametrize(
    ("tool", "body", "kind"),
    [
        ("visual_status", [], "visual"),
        ("visual_status", None, "visual"),
        ("visual_status", {"id": "visual-1"}, "visual"),
        ("visual_status", {"id": 1, "status": "pending"}, "visual"),
        ("visual_status", {"id": "visual-1", "status": OWN_KEY}, "visual"),
        ("download_visual", {"id": "visual-1", "media_type": "image/svg+xml"}, "picture"),
    ],
    ids=str,
)
async def test_json_of_another_shape_is_never_a_success(elsewhere, answers, tool, body, kind):
    answers.append(Reply(body))

    assert error_in(payload(await elsewhere[0].call_tool(tool, {"visual_id": "visual-1"}))) == {
        "code": "INTERNAL_ERROR",
        "message": f"Napkin answered with JSON that is no {kind}. Tell the user that Napkin is out of order.",
        "retriable": False,
    }


async def test_members_that_napkin_adds_one_day_do_no_harm(elsewhere, answers):
    answers.append(Reply({"id": "visual-1", "status": "completed", "credits": 3}))

    result = payload(await elsewhere[0].call_tool("visual_status", {"visual_id": "visual-1"}))

    assert result["structuredContent"] == {"id": "visual-1", "status": "completed"}


@pytest.mark.parametrize(
    "written", [OWN_KEY, f"Bearer {OWN_KEY}", quote(OWN_KEY, safe=""), b64encode(OWN_KEY.encode()).decode()]
)
async def test_the_servers_own_key_does_not_leave_however_napkin_quotes_it(elsewhere, answers, written):
    answers.append(Reply({"message": f"Nobody knows {written} here", "seen": [written]}, 401))

    result = payload(await elsewhere[0].call_tool("visual_status", {"visual_id": "visual-1"}))

    assert error_in(result)["code"] == "UNAUTHORIZED"
    assert written not in json.dumps(result)
    assert OWN_KEY not in json.dumps(result)


async def test_a_body_that_is_no_json_is_an_original_too_and_a_long_one_is_cut(elsewhere, answers):
    answers.append(Reply("x" * 50_000, 502))

    error = error_in(payload(await elsewhere[0].call_tool("visual_status", {"visual_id": "visual-1"})))

    assert error["original"]["status"] == 502
    assert error["original"]["body"].startswith('"xxxx')
    assert len(error["original"]["body"]) <= 520


async def test_an_api_that_refuses_the_connection_is_a_network_error_and_retriable(elsewhere):
    client, upstream = elsewhere
    upstream.__exit__(None, None, None)

    error = error_in(payload(await client.call_tool("create_visual", {"content": "Now"})))

    assert error == {
        "code": "NETWORK_ERROR",
        "message": "Napkin did not answer `POST /v1/visual`: All connection attempts failed",
        "retriable": True,
    }


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "`NAPKIN_URL` is not set."),
        ({"NAPKIN_URL": " ", "NAPKIN_API_KEY": OWN_KEY}, "`NAPKIN_URL` is not set."),
        ({"NAPKIN_URL": "http://127.0.0.1:9"}, "`NAPKIN_API_KEY` is not set."),
        (
            {"NAPKIN_URL": "api.napkin.ai", "NAPKIN_API_KEY": OWN_KEY},
            "`NAPKIN_URL` is not a web address, such as https://api.example.com.",
        ),
        (
            {"NAPKIN_URL": "http://[::1", "NAPKIN_API_KEY": OWN_KEY},
            "`NAPKIN_URL` is not a web address, such as https://api.example.com.",
        ),
        (
            {"NAPKIN_URL": "http://127.0.0.1:99999", "NAPKIN_API_KEY": OWN_KEY},
            "`NAPKIN_URL` is not a web address, such as https://api.example.com.",
        ),
        (
            {"NAPKIN_URL": "http://127.0.0.1:9", "NAPKIN_API_KEY": "clé secrète"},
            "`NAPKIN_API_KEY` is not a key, which has neither spaces nor letters like é.",
        ),
    ],
    ids=str,
)
async def test_a_setting_that_is_missing_or_wrong_says_which_and_who_can_mend_it(monkeypatch, settings, message):
    for name in ("NAPKIN_URL", "NAPKIN_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)

    async with fastmcp.Client(napkin_visuals.server) as client:
        result = payload(await client.call_tool_mcp("visual_status", {"visual_id": "visual-1"}))

    assert error_in(result) == {
        "code": "INTERNAL_ERROR",
        "message": f"{message} Tell the user to set it where this server is started.",
        "retriable": False,
    }


def test_lines_that_no_client_should_send_cost_no_other_line_its_answer():
    def request(number, method, params):
        return f'{{"jsonrpc": "2.0", "id": {number}, "method": "{method}", "params": {params}}}'

    client = '{"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}'
    lines = [
        request(1, "initialize", client),
        '{"jsonrpc": "2.0", "method": "notifications/initialized"}',
        request(2, "tools/call", r'{"name": "visual_status", "arguments": {"visual_id": "\ud800"}}'),
        request(3, "tools/call", '{"name": "visual_status", "arguments": "answer-503"}'),
        "no JSON at all",
        request(4, "tools/call", '{"name": "visual_status", "arguments": {"visual_id": "answer-503"}}'),
    ]
    command = [sys.executable, EXAMPLES / "napkin_visuals.py"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    answered = {}

    with subprocess.Popen(command, text=True, **pipes) as server:
        server.stdin.writelines(f"{line}\n" for line in lines)
        server.stdin.flush()
        while 4 not in answered and (line := server.stdout.readline()):
            answer = json.loads(line)
            answered[answer.get("id")] = answer

    assert answered[3]["error"]["code"] == -32602
    assert error_in(answered[4]["result"])["code"] == "UPSTREAM_ERROR"


async def test_the_annotations_say_that_only_an_order_changes_something(client):
    hints = {tool.name: tool.annotations for tool in (await client.list_tools()).tools}

    assert [hints[tool].read_only_hint for tool in TOOLS] == [False, True, True]
    assert [hints[tool].idempotent_hint for tool in TOOLS] == [None, True, True]
    assert hints["create_visual"].destructive_hint is False
