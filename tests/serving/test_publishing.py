"""What a list of tools says about their failures."""

import copy

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel
from support.sdk import OfficialServer
from support.three_servers import ERAS, KINDS, MAKERS, connected, fast_mcp, low_level, mcp_server

import errata
from errata import Code, Contract, Failure, dialects, fail, raises, recovery_for

pytestmark = pytest.mark.anyio
WITH_FUNCTIONS = ("MCPServer", "FastMCP")


@pytest.fixture(params=ERAS)
def era(request):
    return request.param


class FetchErrors(Contract):
    no_match = Failure(
        Code.NOT_FOUND,
        when="No requested PMID returned data",
        recovery="Call pubmed_search_articles first to discover valid PMIDs.",
    )
    queue_full = Failure(
        Code.RATE_LIMITED,
        retry_after_ms=30_000,
        when="The local request queue\nis at capacity",
        recovery="Wait 30 seconds and retry, or ask for fewer PMIDs.",
    )


PUBLISHED = [
    {
        "reason": "no_match",
        "code": "NOT_FOUND",
        "when": "No requested PMID returned data",
        "recovery": "Call pubmed_search_articles first to discover valid PMIDs.",
        "retryable": False,
    },
    {
        "reason": "queue_full",
        "code": "RATE_LIMITED",
        "when": "The local request queue\nis at capacity",
        "recovery": "Wait 30 seconds and retry, or ask for fewer PMIDs.",
        "retryable": True,
        "retryAfterMs": 30_000,
    },
]
LINES = """Fetch articles.

Errors:
- no_match (NOT_FOUND): No requested PMID returned data. Call pubmed_search_articles first to discover valid PMIDs.
- queue_full (RATE_LIMITED): The local request queue is at capacity. Wait 30 seconds and retry, or ask for fewer PMIDs."""


class Article(BaseModel):
    title: str


@raises(FetchErrors)
async def fetch() -> Article:
    """Fetch articles."""
    raise FetchErrors.no_match()


async def plain() -> Article:
    """Fetch articles."""
    raise fail("no_match", "None of 3", {**recovery_for("no_match")})


async def _listed(server, era="auto"):
    async with connected(server, era) as client:
        return {tool.name: tool for tool in (await client.list_tools()).tools}


@pytest.mark.parametrize("kind", WITH_FUNCTIONS)
async def test_a_contract_is_published_with_its_tool(kind, era):
    server = MAKERS[kind](fetch, plain)
    errata.install(server)
    tools = await _listed(server, era)
    assert tools["fetch"].meta["errata/errors"] == PUBLISHED
    assert tools["fetch"].meta["errata/errorSchema"] == dialects.get("native").error_schema()
    assert not (tools["plain"].meta or {}).keys() & {"errata/errors", "errata/errorSchema"}


@pytest.mark.parametrize("kind", KINDS)
async def test_000_shows_the_shape_of_its_errors_with_every_tool(kind, era):
    server = MAKERS[kind](fetch, plain)
    errata.install(server, dialect="mcp-tool-error")
    tools = await _listed(server, era)
    for tool in tools.values():
        assert tool.meta["errata/errorSchema"] == dialects.get("mcp-tool-error").error_schema()
    assert "errata/errors" not in tools["plain"].meta


@pytest.mark.parametrize("kind", WITH_FUNCTIONS)
async def test_what_a_tool_has_in_its_meta_stays(kind, era):
    server = MAKERS[kind]()
    server.tool(meta={"team": "search"})(fetch)
    errata.install(server)
    meta = (await _listed(server, era))["fetch"].meta
    assert meta["team"] == "search"
    assert "errata/errors" in meta


@pytest.mark.parametrize("kind", KINDS)
async def test_a_contract_can_be_given_from_outside(kind, era):
    server = MAKERS[kind](plain)
    errata.install(server, contracts={"plain": FetchErrors})
    assert (await _listed(server, era))["plain"].meta["errata/errors"] == PUBLISHED
    async with connected(server, era) as client:
        error = (await client.call_tool("plain", {})).structured_content["error"]
    assert (error["code"], error["reason"]) == ("NOT_FOUND", "no_match")
    assert error["recovery"]["hint"] == PUBLISHED[0]["recovery"]


async def test_a_contract_from_outside_may_be_several_parts():
    alone = Failure(Code.GONE, reason="removed", when="It was removed", recovery="Tell the user that it is gone.")
    server = mcp_server(plain)
    errata.install(server, contracts={"plain": [FetchErrors, alone]})
    published = (await _listed(server))["plain"].meta["errata/errors"]
    assert [failure["reason"] for failure in published] == ["no_match", "queue_full", "removed"]


@pytest.mark.parametrize("kind", KINDS)
async def test_a_reason_that_a_contract_from_outside_does_not_declare_is_a_bug(kind):
    async def misspelt() -> str:
        raise fail("no_mach")

    server = MAKERS[kind](misspelt)
    errata.install(server, contracts={"misspelt": FetchErrors})
    async with connected(server) as client:
        error = (await client.call_tool("misspelt", {})).structured_content["error"]
    assert error["code"] == "INTERNAL_ERROR"
    assert "Did you mean `no_match`?" in error["message"]


@pytest.mark.parametrize("kind", KINDS)
async def test_a_contract_does_not_reach_the_next_tool(kind):
    server = MAKERS[kind](fetch, plain)
    errata.install(server, contracts={"fetch": FetchErrors})
    async with connected(server) as client:
        await client.call_tool("fetch", {})
        error = (await client.call_tool("plain", {})).structured_content["error"]
    assert error["code"] == "INTERNAL_ERROR"
    assert "where no tool with a contract runs" in error["message"]


@pytest.mark.parametrize("kind", WITH_FUNCTIONS)
async def test_a_description_says_each_failure_in_one_line_and_once(kind, era):
    server = MAKERS[kind](fetch, plain)
    errata.install(server, describe=True)
    for _ in range(2):
        tools = await _listed(server, era)
        assert tools["fetch"].description == LINES
        assert tools["plain"].description == "Fetch articles."


async def test_a_tool_without_a_description_gets_the_failures_alone():
    async def silent() -> str:
        return ""

    server = low_level(silent)
    errata.install(server, describe=True, contracts={"silent": FetchErrors})
    assert (await _listed(server))["silent"].description.startswith("Errors:\n- no_match")


@pytest.mark.parametrize("kind", KINDS)
async def test_descriptions_stay_as_they_are_unless_asked_for(kind, era):
    server = MAKERS[kind](fetch)
    errata.install(server, contracts={"fetch": FetchErrors})
    assert (await _listed(server, era))["fetch"].description == "Fetch articles."


@pytest.mark.parametrize("dialect", dialects.names())
@pytest.mark.parametrize("kind", WITH_FUNCTIONS)
async def test_an_output_schema_admits_the_error_and_the_success(kind, era, dialect):
    server = MAKERS[kind](fetch)
    errata.install(server, dialect=dialect)
    schema = (await _listed(server, era))["fetch"].output_schema
    async with connected(server, era) as client:
        result = await client.call_tool("fetch", {})
    validator = Draft202012Validator(schema)
    validator.validate(result.structured_content)
    validator.validate({"title": "On errors"})
    assert not validator.is_valid({"titel": "On errors"})
    assert schema["properties"].keys() >= {"title"}


def _own(server):
    if isinstance(server, OfficialServer):
        return server._tool_manager.list_tools()
    return list(server._local_provider._components.values())


@pytest.mark.parametrize("kind", WITH_FUNCTIONS)
async def test_listing_twice_gives_the_same_and_leaves_the_servers_own_objects_alone(kind, era):
    server = MAKERS[kind](fetch, plain)
    before = [copy.deepcopy(tool.model_dump(mode="python", exclude={"fn"})) for tool in _own(server)]
    bare = {name: tool.model_dump(by_alias=True) for name, tool in (await _listed(server, era)).items()}
    installation = errata.install(server, describe=True, dialect="mcp-tool-error")
    first, second = await _listed(server, era), await _listed(server, era)
    assert {name: tool.model_dump(by_alias=True) for name, tool in first.items()} == {
        name: tool.model_dump(by_alias=True) for name, tool in second.items()
    }
    assert first["fetch"].output_schema != bare["fetch"]["outputSchema"]
    assert [tool.model_dump(mode="python", exclude={"fn"}) for tool in _own(server)] == before
    installation.uninstall()
    assert {name: tool.model_dump(by_alias=True) for name, tool in (await _listed(server, era)).items()} == bare


async def test_a_mounted_server_publishes_as_its_own_tools_do(era):
    outer, inner = fast_mcp(), fast_mcp(fetch, plain)
    outer.mount(inner, namespace="inner")
    errata.install(outer, describe=True)
    tools = await _listed(outer, era)
    assert tools["inner_fetch"].meta["errata/errors"] == PUBLISHED
    assert tools["inner_fetch"].description == LINES
    assert "anyOf" in tools["inner_fetch"].output_schema


async def test_a_contract_from_outside_names_a_mounted_tool_as_clients_do(era):
    outer, inner = fast_mcp(), fast_mcp(plain)
    outer.mount(inner, namespace="inner")
    errata.install(outer, contracts={"inner_plain": FetchErrors})
    assert (await _listed(outer, era))["inner_plain"].meta["errata/errors"] == PUBLISHED
    async with connected(outer, era) as client:
        assert (await client.call_tool("inner_plain", {})).structured_content["error"]["reason"] == "no_match"


async def test_a_mounted_server_with_errata_in_both_is_published_once(era):
    outer, inner = fast_mcp(), fast_mcp(fetch)
    outer.mount(inner, namespace="inner")
    errata.install(outer, describe=True)
    errata.install(inner, describe=True)
    tool = (await _listed(outer, era))["inner_fetch"]
    assert tool.description == LINES
    assert len(tool.output_schema["anyOf"]) == len((await _listed(inner, era))["fetch"].output_schema["anyOf"])


@pytest.mark.parametrize("kind", KINDS)
async def test_one_tool_may_speak_another_dialect_than_its_server(kind, era):
    server = MAKERS[kind](fetch, plain)
    errata.install(server, dialect="taxonomy", per_tool={"plain": "mcp-tool-error"}, contracts={"fetch": FetchErrors})
    tools = await _listed(server, era)
    assert tools["plain"].meta["errata/errorSchema"] == dialects.get("mcp-tool-error").error_schema()
    assert tools["fetch"].meta["errata/errorSchema"] == dialects.get("taxonomy").error_schema()
    async with connected(server, era) as client:
        fetched, other = await client.call_tool("fetch", {}), await client.call_tool("plain", {})
    assert "recovery_actions" in fetched.structured_content
    assert "retriable" in other.structured_content


async def test_no_secret_of_a_contract_is_published(kind):
    class ShopErrors(Contract):
        closed = Failure(
            Code.SERVICE_UNAVAILABLE,
            when="The till at https://till:hunter22x@shop.example does not answer",
            recovery="Ask again later with password=hunter22x as you did before.",
        )

    @raises(ShopErrors)
    async def pay() -> str:
        """Pay."""
        return "paid"

    server = MAKERS[kind](pay)
    errata.install(server, describe=True, contracts={"pay": ShopErrors})
    async with connected(server) as client:
        listed = (await client.list_tools()).model_dump_json()
    assert "closed" in listed
    assert "hunter22x" not in listed
