"""A tool that asks: the question goes to the client in the way it declared, and the answer reaches the tool."""

import inspect
import json
import logging
import socket
from contextlib import asynccontextmanager
from typing import Annotated, Literal

import anyio
import mcp_types as wire
import pytest
import uvicorn
from jsonschema import Draft202012Validator
from mcp import Client
from mcp.client.session import ClientSession
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel, Field
from support.three_servers import MAKERS, connected, low_level, mcp_server

import errata
from errata import NeedsInput, answers, decode_needs_input

pytestmark = pytest.mark.anyio
WITH_SCHEMA = ("MCPServer", "FastMCP")


class Person:
    """Who answers the questions of a client, one after the other, and remembers them."""

    def __init__(self, *replies):
        self._replies = list(replies)
        self.asked = []

    async def __call__(self, _, params):
        self.asked.append(params)
        reply = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, str):
            return wire.ElicitResult(action=reply)
        return reply if isinstance(reply, wire.ErrorData) else wire.ElicitResult(action="accept", content=reply)


async def get_pattern(pattern_id: str = "", copies: Annotated[int, Field(ge=1, le=9)] = 1) -> str:
    """Get a pattern."""
    pattern_id = pattern_id or answers().get("pattern_id", "")
    if not pattern_id:
        raise NeedsInput("Which pattern?", fields=["pattern_id"], reason="ambiguous")
    return f"{copies} of {pattern_id}"


async def ordering() -> str:
    for field in ("city", "street", "number"):
        if field not in answers():
            raise NeedsInput(f"Which {field}?", fields=[field])
    return json.dumps(dict(answers()), sort_keys=True)


async def never_content() -> str:
    raise NeedsInput("And now?", fields=["more"])


def asking_in_a_thread() -> str:
    if "name" not in answers():
        raise NeedsInput("Who?", fields=["name"])
    return f"hello {answers()['name']}"


def _installed(kind, *tools, **settings):
    server = MAKERS[kind](*tools)
    errata.install(server, **settings)
    return server


def _json(result):
    return result.model_dump(by_alias=True, mode="json", exclude_none=True)


async def test_the_answer_reaches_the_tool_in_a_second_round(kind, era):
    person = Person({"pattern_id": "retry"})
    async with connected(_installed(kind, get_pattern), era, elicitation_callback=person) as client:
        result = await client.call_tool("get_pattern", {"copies": 2})
    assert not result.is_error
    assert result.content[0].text == "2 of retry"
    assert [params.message for params in person.asked] == ["Which pattern?"]


async def test_the_answer_reaches_a_tool_that_runs_in_a_thread(kind, era):
    person = Person({"name": "Ann"})
    async with connected(_installed(kind, asking_in_a_thread), era, elicitation_callback=person) as client:
        assert (await client.call_tool("asking_in_a_thread", {})).content[0].text == "hello Ann"


async def test_a_task_of_the_tool_may_ask(kind, era):
    async def in_a_task() -> str:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(get_pattern)
        return answers()["pattern_id"]

    person = Person({"pattern_id": "retry"})
    async with connected(_installed(kind, in_a_task), era, elicitation_callback=person) as client:
        assert (await client.call_tool("in_a_task", {})).content[0].text == "retry"


async def test_the_answers_of_several_rounds_add_up(kind, era):
    person = Person({"city": "Ulm"}, {"street": "Am Zinken"}, {"number": 7, "city": "Bonn"})
    async with connected(_installed(kind, ordering), era, elicitation_callback=person) as client:
        result = await client.call_tool("ordering", {})
    assert json.loads(result.content[0].text) == {"city": "Bonn", "street": "Am Zinken", "number": 7}
    assert len(person.asked) == 3


async def test_large_answers_add_up_as_well(kind, era):
    person = Person({"city": "U" * 30_000}, {"street": "\N{SNOWMAN}" * 9_000}, {"number": 7})
    async with connected(_installed(kind, ordering), era, elicitation_callback=person) as client:
        result = await client.call_tool("ordering", {})
    given = json.loads(result.content[0].text)
    assert [len(str(given[field])) for field in ("city", "street", "number")] == [30_000, 9_000, 1]
    assert len(person.asked) == 3


async def test_the_answers_of_one_call_are_not_those_of_the_next(kind, era):
    person = Person({"name": "Ann"}, {"name": "Bob"})
    async with connected(_installed(kind, asking_in_a_thread), era, elicitation_callback=person) as client:
        texts = [(await client.call_tool("asking_in_a_thread", {})).content[0].text for _ in range(2)]
    assert texts == ["hello Ann", "hello Bob"]


@pytest.mark.parametrize("reply", ["decline", "cancel"])
async def test_a_person_who_does_not_answer_cancels_the_call(kind, era, reply, caplog):
    person = Person(reply)
    async with connected(_installed(kind, get_pattern), era, elicitation_callback=person) as client:
        result = await client.call_tool("get_pattern", {})
    fault = errata.decode(_json(result))
    assert (fault.code, fault.retryable) == ("CANCELLED", False)
    assert ("declined" in fault.message) is (reply == "decline")
    assert "Ask the user" in fault.recovery.hint
    assert len(person.asked) == 1
    (record,) = [record for record in caplog.records if record.name == "errata"]
    assert record.levelno == logging.WARNING


async def test_a_question_is_no_failure_and_is_not_logged(kind, era, caplog):
    person = Person({"pattern_id": "retry"})
    async with connected(_installed(kind, get_pattern), era, elicitation_callback=person) as client:
        await client.call_tool("get_pattern", {})
    async with connected(_installed(kind, get_pattern), era) as client:
        await client.call_tool("get_pattern", {})
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


async def test_a_tool_that_asks_for_ever_is_stopped(kind, era):
    person = Person({"more": "x"})
    async with connected(
        _installed(kind, never_content), era, elicitation_callback=person, input_required_max_rounds=1_000
    ) as client:
        result = await client.call_tool("never_content", {})
    assert decode_needs_input(_json(result)).fields == ("more",)
    assert len(person.asked) < 12


async def test_a_tool_that_asks_a_silent_person_for_ever_is_stopped(kind, era):
    person = Person({})
    async with connected(
        _installed(kind, never_content), era, elicitation_callback=person, input_required_max_rounds=1_000
    ) as client:
        await client.call_tool("never_content", {})
    assert len(person.asked) < 12


async def test_a_client_that_cannot_be_asked_is_told_the_question(kind, era):
    async with connected(_installed(kind, get_pattern), era) as client:
        result = await client.call_tool("get_pattern", {})
    assert not result.is_error
    assert result.content[0].text == "Which pattern?"
    assert result.structured_content == {
        "kind": "needsInput:v1",
        "type": "elicitation",
        "message": "Which pattern?",
        "needsInput": {"fields": ["pattern_id"], "reason": "ambiguous"},
    }


async def test_a_client_that_only_opens_pages_is_told_the_question(kind, era, monkeypatch):
    build = ClientSession._build_capabilities

    def only_by_url(self, version):
        declared = build(self, version)
        return declared.model_copy(
            update={"elicitation": wire.ElicitationCapability(url=wire.UrlElicitationCapability())}
        )

    monkeypatch.setattr(ClientSession, "_build_capabilities", only_by_url)
    person = Person({"pattern_id": "retry"})
    async with connected(_installed(kind, get_pattern), era, elicitation_callback=person) as client:
        result = await client.call_tool("get_pattern", {})
    assert decode_needs_input(_json(result)).reason == "ambiguous"
    assert not person.asked


@pytest.mark.parametrize(
    "trouble", [RuntimeError("no window"), wire.ErrorData(code=-32600, message="not now")], ids=["raises", "refuses"]
)
async def test_a_client_of_the_older_protocol_that_fails_to_ask_is_told_the_question(kind, trouble):
    person = Person(trouble)
    async with connected(_installed(kind, get_pattern), "legacy", elicitation_callback=person) as client:
        result = await client.call_tool("get_pattern", {})
    assert decode_needs_input(_json(result)).message == "Which pattern?"


@asynccontextmanager
async def _over_http(server, **options):
    """Where the server listens on this machine, while the block lasts."""
    app = server.streamable_http_app(**options)
    listening = socket.create_server(("127.0.0.1", 0))
    http = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="on", timeout_graceful_shutdown=1))
    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(http.serve, [listening])
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
            http.should_exit = True


@pytest.mark.parametrize("make", [mcp_server, low_level])
async def test_a_client_that_cannot_be_reached_in_between_is_told_the_question(make):
    server = make(get_pattern)
    errata.install(server)
    person = Person({"pattern_id": "retry"})
    async with (
        _over_http(server, stateless_http=True, json_response=True) as url,
        Client(url, mode="legacy", elicitation_callback=person) as client,
    ):
        result = await client.call_tool("get_pattern", {})
    assert decode_needs_input(_json(result)).message == "Which pattern?"


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
@pytest.mark.parametrize("make", [mcp_server, low_level])
async def test_a_question_travels_over_http(make, mode):
    server = make(ordering)
    errata.install(server)
    person = Person({"city": "Ulm"}, {"street": "Am Zinken"}, {"number": 7})
    async with (
        _over_http(server) as url,
        Client(url, mode=mode, elicitation_callback=person) as client,
    ):
        result = await client.call_tool("ordering", {})
    assert json.loads(result.content[0].text)["street"] == "Am Zinken"


class Style(BaseModel):
    name: str


async def styling(  # noqa: PLR0913, PLR0917 - one of each type.
    style: Literal["dark", "light"] | None = None,  # noqa: ARG001
    size: Annotated[int, Field(ge=1, le=9, description="How large.")] = 0,  # noqa: ARG001
    ratio: float = 0,  # noqa: ARG001
    bold: bool = False,  # noqa: ARG001, FBT001, FBT002
    nested: Style | None = None,  # noqa: ARG001
    tags: list[str] | None = None,  # noqa: ARG001
) -> str:
    """Style it."""
    raise NeedsInput(
        "How?",
        fields=["style", "size", "ratio", "bold", "nested", "tags", "unheard_of"],
        suggestions={"size": [3, 5]},
    )


async def test_the_question_takes_the_types_of_the_tools_own_arguments(kind, era):
    person = Person("decline")
    async with connected(_installed(kind, styling), era, elicitation_callback=person) as client:
        await client.call_tool("styling", {})
    schema = person.asked[0].requested_schema
    Draft202012Validator.check_schema(schema)
    asked = schema["properties"]
    assert {name: field["type"] for name, field in asked.items()} == {
        "style": "string",
        "size": "integer",
        "ratio": "number",
        "bold": "boolean",
        "nested": "string",
        "tags": "string",
        "unheard_of": "string",
    }
    assert sorted(asked["style"]["enum"]) == ["dark", "light"]  # typing keeps one order of a Literal for all modules.
    assert (asked["size"]["minimum"], asked["size"]["maximum"]) == (1, 9)
    assert asked["size"]["description"] == "How large. For example: 3, 5"
    assert schema["required"] == list(asked)
    assert all(not isinstance(value, dict) for field in asked.values() for value in field.values())


async def choosing() -> str:
    raise NeedsInput(
        "Which?", fields=["pattern_id"], options=[{"label": "Retry", "value": "retry"}, {"label": "Wait", "value": 2}]
    )


async def test_options_are_what_the_person_may_choose(kind, era):
    person = Person("cancel")
    async with connected(_installed(kind, choosing), era, elicitation_callback=person) as client:
        await client.call_tool("choosing", {})
    field = person.asked[0].requested_schema["properties"]["pattern_id"]
    assert field == {"type": "string", "enum": ["retry", "2"], "enumNames": ["Retry", "Wait"]}


async def test_a_secret_in_a_question_stays_here(kind, era):
    async def indiscreet() -> str:
        raise NeedsInput("Is password=hunter2hunter2 yours?", fields=["yes"], suggestions={"yes": ["ghp_" + "a1" * 18]})

    for person in (None, Person("cancel")):
        async with connected(_installed(kind, indiscreet), era, elicitation_callback=person) as client:
            result = await client.call_tool("indiscreet", {})
        seen = json.dumps(_json(result)) + str(person and person.asked)
        assert "hunter2hunter2" not in seen
        assert "a1a1a1" not in seen


async def _ask_by_hand(client, tool="get_pattern", **continued):
    return await client.session.call_tool(tool, {}, allow_input_required=True, **continued)


async def test_the_question_on_the_newer_protocol_can_be_read_by_a_client(kind):
    async with connected(_installed(kind, get_pattern), elicitation_callback=Person("cancel")) as client:
        result = await _ask_by_hand(client)
    assert result.result_type == "input_required"
    question = decode_needs_input(_json(result))
    assert (question.message, question.fields, question.reason) == ("Which pattern?", ("pattern_id",), "ambiguous")


@pytest.mark.parametrize(
    "state",
    [
        "",
        "nonsense",
        "errata/answers ",
        "errata/answers {",
        "errata/answers 7",
        'errata/answers ["a"]',
        'errata/answers {"pattern_id": NaN}',
        'errata/answers {"x": "\\ud800"}',
        "errata/answers " + "[" * 15_000,
        "errata/answers " + '{"a":' * 3_000 + "1" + "}" * 3_000,
        "errata/answers " + "9" * 10_000,
        "errata/answers " + json.dumps({"x": "y" * 500_000}),
    ],
)
async def test_a_state_that_nobody_here_wrote_does_no_harm(state):
    """MCPServer and FastMCP seal a state, and refuse one that they did not; the low-level Server takes what comes."""
    async with connected(_installed("Server", get_pattern), elicitation_callback=Person("cancel")) as client:
        result = await _ask_by_hand(client, request_state=state)
        assert decode_needs_input(_json(result)).message == "Which pattern?"
        again = await _ask_by_hand(
            client,
            request_state=state,
            input_responses={"errata": wire.ElicitResult(action="accept", content={"pattern_id": "retry"})},
        )
        assert again.content[0].text == "1 of retry"


@pytest.mark.parametrize(
    "responses",
    [
        {"somebody": wire.ElicitResult(action="accept", content={"pattern_id": "retry"})},
        {"errata": wire.ElicitResult(action="accept", content=None)},
        {"errata": wire.ElicitResult(action="accept", content={})},
    ],
)
async def test_a_reply_to_somebody_elses_question_or_without_content_is_asked_again(kind, responses):
    async with connected(_installed(kind, get_pattern), elicitation_callback=Person("cancel")) as client:
        result = await _ask_by_hand(client, input_responses=responses)
    assert decode_needs_input(_json(result)).message == "Which pattern?"


async def test_a_reply_of_another_kind_is_no_answer(kind):
    async with connected(_installed(kind, get_pattern), elicitation_callback=Person("cancel")) as client:
        result = await _ask_by_hand(client, input_responses={"errata": wire.ListRootsResult(roots=[])})
    assert "pattern" not in result.content[0].text or result.is_error


async def test_a_tool_that_asks_by_itself_is_left_alone():
    async def handling(_, params):
        if params.input_responses:
            return wire.CallToolResult(content=[wire.TextContent(type="text", text=params.request_state)])
        request = wire.ElicitRequest(
            params=wire.ElicitRequestFormParams(message="Mine?", requested_schema={"type": "object", "properties": {}})
        )
        return wire.InputRequiredResult(input_requests={"mine": request}, request_state="my own")

    server = low_level()
    errata.install(server)
    server.add_request_handler("tools/call", wire.CallToolRequestParams, handling)
    async with connected(server, elicitation_callback=Person({})) as client:
        assert (await client.call_tool("any", {})).content[0].text == "my own"


async def report() -> str:
    if "year" not in answers():
        raise NeedsInput("Which year?", fields=["year"])
    return f"report of {answers()['year']}"


def _of_other_kinds(kind):
    server = MAKERS[kind](resources={"data://report": report}, prompts=[report])
    errata.install(server)
    return server


async def test_a_resource_and_a_prompt_ask_as_well(kind, era):
    person = Person({"year": 2026})
    async with connected(_of_other_kinds(kind), era, elicitation_callback=person) as client:
        assert (await client.read_resource("data://report")).contents[0].text == "report of 2026"
        assert (await client.get_prompt("report")).messages[0].content.text == "report of 2026"


@pytest.mark.parametrize("reply", [None, "decline"])
async def test_a_resource_and_a_prompt_without_an_answer_are_errors_that_say_what_was_asked(kind, era, reply):
    person = reply and Person(reply)
    async with connected(_of_other_kinds(kind), era, elicitation_callback=person) as client:
        for ask in (lambda: client.read_resource("data://report"), lambda: client.get_prompt("report")):
            with pytest.raises(MCPError) as refused:
                await ask()
            assert refused.value.code in {wire.INVALID_PARAMS, wire.INTERNAL_ERROR}
            if reply is None:
                assert "Which year?" in refused.value.message
            else:
                assert refused.value.data["code"] == "CANCELLED"


class Pattern(BaseModel):
    name: str
    lines: int


async def typed() -> Pattern:
    raise NeedsInput("Which pattern?", fields=["pattern_id"])


async def counted() -> int:
    raise NeedsInput("Which pattern?", fields=["pattern_id"])


@pytest.mark.parametrize("tool", [typed, counted])
@pytest.mark.parametrize("kind", WITH_SCHEMA)
async def test_a_question_passes_the_output_schema_of_its_tool(kind, era, tool):
    async with connected(_installed(kind, tool), era) as client:
        (listed,) = (await client.list_tools()).tools
        result = await client.call_tool(tool.__name__, {})
    assert listed.output_schema
    assert decode_needs_input(_json(result)).fields == ("pattern_id",)
    Draft202012Validator(listed.output_schema).validate(result.structured_content)


@pytest.mark.parametrize("tool", [typed, counted])
@pytest.mark.parametrize("kind", WITH_SCHEMA)
async def test_a_tool_with_an_output_schema_is_answered_too(kind, era, tool):
    returned = inspect.signature(tool).return_annotation

    async def answered() -> returned:
        if not answers():
            return await tool()
        return Pattern(name="retry", lines=3) if tool is typed else 3

    async with connected(_installed(kind, answered), era, elicitation_callback=Person({"pattern_id": "x"})) as client:
        result = await client.call_tool("answered", {})
    assert result.structured_content == ({"name": "retry", "lines": 3} if tool is typed else {"result": 3})


async def formatted(format: Literal["markdown", "json", "both"] = "both") -> str:
    raise NeedsInput(f"In {format}?", fields=["pattern_id"])


@pytest.mark.parametrize(("arguments", "blocks"), [({}, 2), ({"format": "json"}, 1), ({"format": "markdown"}, 1)])
async def test_the_format_that_a_caller_asks_for_gates_the_blocks(kind, era, arguments, blocks):
    async with connected(_installed(kind, formatted), era) as client:
        result = await client.call_tool("formatted", arguments)
    assert len(result.content) == blocks
    is_json = arguments.get("format") != "markdown"
    assert (result.content[-1].text.startswith("{")) is is_json
    assert result.structured_content["kind"] == "needsInput:v1"


async def test_a_call_from_inside_the_process_raises_the_question():
    server = mcp_server(get_pattern)
    errata.install(server)
    with pytest.raises(Exception, match="Error executing tool") as raised:
        await server.call_tool("get_pattern", {})
    assert isinstance(raised.value.__cause__, NeedsInput)
