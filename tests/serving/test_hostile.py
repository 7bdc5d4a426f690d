"""Whatever goes wrong on the way to an answer, an answer is sent, and nothing of the trouble is in it."""

import json
import logging
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import fastmcp
import pytest
from fastmcp import FastMCP
from fastmcp.exceptions import ToolError as FastToolError
from mcp import Client
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, TextContent
from pydantic import BaseModel

import errata
from errata import Code, NeedsInput, answers
from errata.dialects import Dialect, native

pytestmark = pytest.mark.anyio
PRIVATE = "the word is quagmire"


async def called(server, tool="fail", arguments=None, **how):
    if isinstance(server, FastMCP):
        async with fastmcp.Client(server, **how) as client:
            result = await client.call_tool_mcp(tool, arguments or {})
    else:
        async with Client(server, **how) as client:
            result = await client.call_tool(tool, arguments or {})
    return result.model_dump(mode="json", by_alias=True)


@pytest.fixture(params=[MCPServer, FastMCP], ids=lambda make: make.__name__)
def server(request):
    return request.param("hostile")


def code_of(result):
    return errata.decode(result).code


async def test_an_exception_that_is_its_own_cause_is_answered(server):
    @server.tool()
    async def fail(berth: int):
        error = ValueError(f"there is no berth {berth}")
        raise error from error

    errata.install(server)

    assert code_of(await called(server, arguments={"berth": 17})) is Code.VALIDATION_FAILED


async def test_what_an_sdk_wrapped_in_a_circle_is_answered():
    server = MCPServer("hostile")

    @server.tool()
    async def fail():
        raise RuntimeError("no berth")

    @server.tool()
    async def outer(ctx: Context):
        try:
            await ctx.mcp_server.call_tool("fail", {}, ctx)
        except Exception as error:
            raise error from error

    errata.install(server)

    assert (await called(server, "outer"))["isError"]


class UnreadableError(Exception):
    @property
    def __cause__(self):
        raise OSError(PRIVATE)


async def test_an_exception_that_hides_its_cause_by_force_is_answered(server):
    @server.tool()
    async def fail():
        raise UnreadableError

    errata.install(server)
    result = await called(server)

    assert result["isError"]
    assert PRIVATE not in json.dumps(result)


class Broken(type(native)):
    name = "broken"

    def payload(self, _):
        raise OSError(PRIVATE)


async def test_a_dialect_that_fails_costs_nobody_an_answer(server):
    @server.tool()
    async def fail():
        raise ValueError("no berth")

    errata.install(server, dialect=Broken())
    result = await called(server)

    assert isinstance(Broken(), Dialect)
    assert code_of(result) is Code.INTERNAL_ERROR
    assert PRIVATE not in json.dumps(result)


class Other(type(native)):
    """A dialect of somebody else, which writes results as it likes."""

    name = "other"

    def __init__(self, **result):
        super().__init__()
        self.result = {"isError": True, **result}

    def encode(self, _, **__):
        return self.result


ANNOTATED = {"type": "text", "text": "no", "annotations": {"audience": ["user"]}}
LINK = {"type": "resource_link", "uri": "berths://3", "name": "berth 3"}


@pytest.mark.parametrize("written", [{"content": [ANNOTATED]}, {"content": [LINK], "structuredContent": {"a": 1}}])
async def test_a_dialect_of_somebody_else_is_sent_as_it_is_written(server, written):
    @server.tool()
    async def fail():
        raise ValueError("no berth")

    errata.install(server, dialect=Other(**written))
    result = await called(server)

    whole = CallToolResult.model_validate(written).model_dump(mode="json", by_alias=True)
    assert {name: result[name] for name in written} == {name: whole[name] for name in written}


async def test_one_that_writes_no_result_costs_nobody_an_answer(server):
    @server.tool()
    async def fail():
        raise ValueError("no berth")

    errata.install(server, dialect=Other(content="none"))
    result = await called(server)

    assert code_of(result) is Code.INTERNAL_ERROR


async def test_a_log_that_fails_costs_nobody_an_answer(server):
    def refuse(_):
        raise OSError(PRIVATE)

    @server.tool()
    async def fail(berth: int):
        raise ValueError(f"there is no berth {berth}")

    errata.install(server)
    log = logging.getLogger("errata")
    log.addFilter(refuse)
    try:
        result = await called(server, arguments={"berth": 17})
    finally:
        log.removeFilter(refuse)

    assert code_of(result) is Code.VALIDATION_FAILED


class Order(BaseModel):
    number: int


class Incomparable:
    def __eq__(self, _):
        raise OSError(PRIVATE)

    __hash__ = None


@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_a_handler_that_validates_what_cannot_be_compared_is_answered(era):
    async def call(_, __):
        Order.model_validate({"number": Incomparable()})
        return CallToolResult(content=[TextContent(type="text", text="")])

    server = Server("hostile", on_call_tool=call)
    errata.install(server)
    result = await called(server, arguments={"number": "x"}, mode=era)

    assert code_of(result) is Code.INTERNAL_ERROR
    assert PRIVATE not in json.dumps(result)


async def test_a_prompt_whose_argument_has_a_name_that_pydantic_minds_is_refused_like_any_other():
    server = FastMCP("hostile")

    @server.prompt
    def report(schema: int, validate: int) -> str:
        return f"{schema} {validate}"

    errata.install(server)
    async with fastmcp.Client(server) as client:
        with pytest.raises(Exception, match="`validate` must be a whole number"):
            await client.get_prompt("report", {"schema": "1", "validate": "x"})


async def test_a_schema_that_refers_to_another_machine_is_not_fetched():
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_):
            pass

    upstream = HTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=upstream.serve_forever, daemon=True).start()
    try:
        server = FastMCP("hostile")
        reference = f"http://127.0.0.1:{upstream.server_port}/schema.json"

        @server.tool(output_schema={"type": "object", "properties": {"a": {"$ref": reference}}})
        async def fetch() -> dict[str, int]:
            return {"a": 1}

        errata.install(server)
        result = await called(server, "fetch")
    finally:
        upstream.shutdown()
        upstream.server_close()

    assert result["structuredContent"] == {"a": 1}
    assert asked == []


async def test_a_tool_that_says_what_the_sdk_says_of_unknown_ones_is_there():
    server = FastMCP("hostile")

    @server.tool
    async def fail(wanted: str):
        raise ValueError(f"Unknown tool: {wanted!r} is not in the box")

    errata.install(server)

    assert code_of(await called(server, arguments={"wanted": "fail"})) is Code.VALIDATION_FAILED


async def test_who_changes_the_first_answer_changes_no_other():
    server = MCPServer("hostile")

    @server.tool()
    async def fail():
        raise RuntimeError("the harbour is closed for the season")

    errata.install(server)
    answer = server.call_tool

    async def with_a_user(name, arguments, context=None):
        result = await answer(name, arguments, context)
        result.structured_content["error"].setdefault("user", arguments["user"])
        return result

    server.call_tool = with_a_user
    users = [(await called(server, arguments={"user": name}))["structuredContent"]["error"]["user"] for name in "abc"]

    assert users == ["a", "b", "c"]


async def test_a_tool_that_changes_its_answers_changes_nobody_elses(server):
    seen = []

    @server.tool()
    async def ask():
        seen.append(dict(answers()))
        answers()["leak"] = "alice"
        raise NeedsInput("Who?", fields=["name"])

    errata.install(server)
    for _ in range(2):
        await called(server, "ask")

    assert seen == [{}, {}]


@pytest.mark.parametrize("how", ["by FastMCP", "by errata"])
async def test_what_a_mounted_server_withholds_stays_withheld(how):
    child = FastMCP("child", mask_error_details=how == "by FastMCP")

    @child.tool
    async def fail():
        raise RuntimeError(PRIVATE)

    @child.resource("r://x")
    async def read() -> str:
        raise RuntimeError(PRIVATE)

    if how == "by errata":
        errata.install(child, mask=True)
    parent = FastMCP("parent")
    parent.mount(child)
    errata.install(parent)

    async with fastmcp.Client(parent) as client:
        with pytest.raises(MCPError) as read_error:
            await client.read_resource("r://x")
    assert PRIVATE not in json.dumps(await called(parent))
    assert PRIVATE not in str(read_error.value)


async def test_a_server_that_only_has_templates_offers_them(server):
    @server.resource("order://{number}")
    async def order(number: str) -> str:
        return number

    errata.install(server)
    async with fastmcp.Client(server) if isinstance(server, FastMCP) else Client(server) as client:
        with pytest.raises(Exception, match="List the resources of this server"):
            await client.read_resource("bill://17")
        with pytest.raises(Exception, match=r"Did you mean `order://\{number\}`"):
            await client.read_resource("orders://numbers")


async def test_an_unknown_version_is_called_that():
    server = FastMCP("versions")
    for version in ("1.0", "2.0"):

        @server.tool(version=version)
        async def calculate() -> int:
            return 1

    errata.install(server)
    async with fastmcp.Client(server) as client:
        result = await client.call_tool("calculate", {}, version="9.9", raise_on_error=False)
        near = await client.call_tool_mcp("calculat", {})
        blank = await client.call_tool_mcp(" calculate\n\n", {})

    assert "no such version of the tool `calculate`" in result.content[0].text
    assert "There is no tool `calculat`. Did you mean `calculate`?" in near.content[0].text
    assert "There is no tool ` calculate `. Did you mean `calculate`?" in blank.content[0].text


async def test_settings_for_a_tool_that_is_not_there_are_warned_of_once(server, caplog):
    @server.tool()
    async def cancel_order():
        return ""

    errata.install(server, per_tool={"cancel_ordr": "json-rpc"})
    for _ in range(2):
        async with fastmcp.Client(server) if isinstance(server, FastMCP) else Client(server) as client:
            await client.list_tools()

    warning = "errata was installed with settings for `cancel_ordr`, and the server lists no such tool."
    said = [record.getMessage() for record in caplog.records if "cancel_ordr" in record.getMessage()]
    assert said == [f"{warning} Did you mean `cancel_order`?"]


async def test_a_name_forges_no_line_in_the_log(server, caplog):
    errata.install(server)
    await called(server, "a\nERROR:root:forged")

    assert all("\n" not in record.getMessage() for record in caplog.records if record.name == "errata")


@pytest.mark.parametrize("sent_as", [dict, json.dumps], ids=["object", "text"])
async def test_what_a_validator_quotes_of_an_argument_is_not_told(server, sent_as):
    class Account(BaseModel):
        password: str

        def model_post_init(self, _):
            raise ValueError(f"{self.password} is too easy")

    @server.tool()
    async def sign_up(account: Account):
        return account.password

    sign_up.__annotations__["account"] = Account
    errata.install(server)

    arguments = {"account": sent_as({"password": "swordfish"})}

    assert "swordfish" not in json.dumps(await called(server, "sign_up", arguments))


async def test_the_place_inside_an_argument_that_was_sent_as_text_is_told():
    class Customer(BaseModel):
        email: str

    class Order(BaseModel):
        customer: Customer

    server = MCPServer("orders")

    async def create(order):
        return order.customer.email

    create.__annotations__["order"] = Order
    server.add_tool(create)
    errata.install(server)

    for order, problem in (({"customer": {}}, "is required"), ({"customer": {"email": 17}}, "must be text")):
        for sent in (order, json.dumps(order)):
            result = await called(server, "create", {"order": sent})
            issues = result["structuredContent"]["error"]["issues"]
            assert issues == [{"field": "order.customer.email", "problem": problem}]


@pytest.mark.parametrize("text", ["[" * 100_000, "{", '{"customer": ' + " " * 2_000_000, "[NaN]"], ids=len)
async def test_text_that_only_looks_like_an_object_is_refused_as_what_it_is(text):
    server = MCPServer("orders")

    @server.tool()
    async def create(order: dict[str, str]):
        return order

    errata.install(server)
    result = await called(server, "create", {"order": text})

    assert result["structuredContent"]["error"]["field"] == "order"


async def test_what_an_author_wrote_from_a_cause_keeps_its_words(server):
    error = ToolError if isinstance(server, MCPServer) else FastToolError

    @server.tool()
    async def fail():
        try:
            raise ValueError(PRIVATE)  # noqa: TRY301
        except ValueError as cause:
            raise error("The payment is being processed; ask again in a minute.") from cause

    errata.install(server, mask=True)
    result = await called(server)

    assert "The payment is being processed; ask again in a minute." in result["content"][0]["text"]
    assert PRIVATE not in json.dumps(result)


async def test_a_key_that_does_not_fit_is_not_told(server):
    @server.tool()
    async def count(words: dict[int, str]):
        return len(words)

    errata.install(server)
    result = await called(server, "count", {"words": {"sneaky": "x"}})

    assert "`words` has a key that must be a whole number" in result["content"][0]["text"]
    assert result["structuredContent"]["error"]["field"] == "words"
    assert "sneaky" not in json.dumps(result)


async def test_a_contract_above_the_registration_is_warned_of_where_no_source_tells(server, caplog):
    class Errors(errata.Contract):
        no_berth = errata.Failure(Code.NOT_FOUND, when="No berth is free", recovery="Ask again when a ship has left.")

    async def dock():
        return ""

    errata.raises(Errors)(server.tool()(dock))
    errata.install(server)
    async with fastmcp.Client(server) if isinstance(server, FastMCP) else Client(server) as client:
        await client.list_tools()

    assert "Tool `dock` was registered without its `@raises`" in caplog.text


def test_a_mask_that_is_no_yes_or_no_is_refused(server):
    with pytest.raises(TypeError, match="`mask` is 'yes'"):
        errata.install(server, mask="yes")


@pytest.mark.parametrize("same", [{"dialect": "native"}, {"mask": False}, {"per_tool": {}}, {"contracts": None}])
def test_what_is_set_as_it_is_anyway_is_no_other_setting(server, same):
    assert errata.install(server) is errata.install(server, **same)


def test_a_server_that_cannot_be_hooked_into_is_left_as_it_was(server, monkeypatch):
    before = dict(vars(server))
    with monkeypatch.context() as patch:
        patch.setattr("errata.serving._installation.Installation.replace_attribute", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            errata.install(server)

    assert vars(server) == before
    errata.install(server).uninstall()
