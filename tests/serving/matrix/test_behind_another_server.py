"""FastMCP servers mounted in others and behind proxies: the client sees one answer, whoever of them has errata."""

import functools
import json
import logging

import anyio
import fastmcp
import pytest
from fastmcp.server import create_proxy
from fastmcp.server.middleware import Middleware
from support.failing_servers import ERAS, answers, ask, asked_of, fastmcp_server
from support.failing_tools import NEVER_SHOWN, SECRET, Call, FetchErrors, Read, Render
from support.golden_files import differing

import errata


@pytest.fixture(autouse=True, scope="module")
def quiet():
    """Keep the bare servers among them from drawing their tracebacks, a tenth of a second each."""
    logger = logging.getLogger("fastmcp")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    yield
    logger.setLevel(before)


def mounted(*, inner, outer):
    child, parent = fastmcp_server(), fastmcp.FastMCP("parent")
    parent.mount(child)
    return _with_errata(child, parent, inner=inner, outer=outer)


def mounted_twice(*, inner, outer):
    child, between, parent = fastmcp_server(), fastmcp.FastMCP("between"), fastmcp.FastMCP("parent")
    between.mount(child)
    parent.mount(between)
    return _with_errata(child, parent, inner=inner, outer=outer)


def proxied(*, inner, outer):
    backend = fastmcp_server()
    return _with_errata(backend, create_proxy(backend), inner=inner, outer=outer)


def _with_errata(*servers, inner, outer):
    for server, wanted in zip(servers, (inner, outer), strict=True):
        if wanted:
            errata.install(server)
    return servers[1]


INNER, OUTER, BOTH = (
    {"inner": True, "outer": False},
    {"inner": False, "outer": True},
    {"inner": True, "outer": True},
)
_BARE_OUTSIDE = {
    "unknown_tool",
    "unknown_tool_like_no_other",
    "resource_unknown",
    "resource_like_no_other",
    "prompt_unknown",
}
"""What nobody behind it is asked for: a bare server answers that itself."""
_HIDDEN = {"protocol_error"}
"""What FastMCP turns into a result of its own on the way out."""
_ASKED_IN_VAIN = {"question"}
"""A proxy tells the server behind it that it can be asked, whatever its own client can do (2026-07-28 only)."""

# fmt: off
ARRANGEMENTS = {
    "a bare server mounted in one with errata":        (mounted, OUTER, set()),
    "a server with errata mounted in a bare one":      (mounted, INNER, _BARE_OUTSIDE | _HIDDEN),
    "a server mounted in another, both with errata":   (mounted, BOTH, set()),
    "a bare server mounted twice, errata outside":     (mounted_twice, OUTER, set()),
    "a server with errata behind a bare proxy":        (proxied, INNER, _BARE_OUTSIDE | _HIDDEN | _ASKED_IN_VAIN),
    "a server behind a proxy, both with errata":       (proxied, BOTH, _HIDDEN | _ASKED_IN_VAIN),
}
# fmt: on
every_arrangement = pytest.mark.parametrize(
    ("arrangement", "era"), [(arrangement, era) for arrangement in ARRANGEMENTS for era in ERAS]
)


@functools.cache
def seen(arrangement, era):
    make, where, _ = ARRANGEMENTS[arrangement]
    return ask(make(**where), era, asked_of("FastMCP"))


@every_arrangement
def test_the_answers_are_those_of_one_server(arrangement, era):
    left_out = ARRANGEMENTS[arrangement][2]
    answered = answers(seen(arrangement, era))

    assert differing({case: answer for case, answer in answered.items() if case not in left_out}) == {}


@every_arrangement
def test_neither_a_secret_nor_the_text_of_a_bug_is_in_any_answer(arrangement, era):
    for answer in seen(arrangement, era).values():
        told = json.dumps(answer.whole)
        assert NEVER_SHOWN not in told
        assert SECRET not in told


@every_arrangement
def test_progress_arrives_before_a_failure(arrangement, era):
    assert seen(arrangement, era)["after_progress"].progress == [(1, 2, "half way"), (2, 2, None)]


@pytest.mark.parametrize("era", ERAS)
def test_a_protocol_error_from_behind_a_proxy_is_a_failure_of_its_tool(era):
    answer = seen("a server behind a proxy, both with errata", era)["protocol_error"].answer

    assert answer["isError"]
    assert answer["structuredContent"]["error"]["message"] == "The author wants this one as it is"


@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
def test_a_contract_is_listed_once(arrangement):
    make, where, _ = ARRANGEMENTS[arrangement]

    async def listed():
        async with fastmcp.Client(make(**where)) as client:
            return {tool.name: tool for tool in await client.list_tools()}

    declared = anyio.run(listed)["declared"]

    assert [failure["reason"] for failure in declared.meta["errata/errors"]] == [
        FetchErrors.no_match.reason,
        FetchErrors.queue_full.reason,
    ]


def test_a_tool_of_a_mounted_server_keeps_to_its_contract_or_is_counted():
    child, parent = fastmcp.FastMCP("child"), fastmcp.FastMCP("parent")

    @child.tool
    @errata.raises(FetchErrors)
    def drifting() -> str:
        raise errata.gone("It was removed")

    parent.mount(child, namespace="shop")
    installation = errata.install(parent)

    async def call():
        async with fastmcp.Client(parent) as client:
            await client.call_tool_mcp("shop_drifting", {})

    anyio.run(call)

    assert installation.undeclared == {("shop_drifting", errata.Code.GONE): 1}


@pytest.mark.parametrize("era", ERAS)
def test_a_mounted_template_and_prompt_are_refused_under_the_name_they_were_asked_by(era):
    child, parent = fastmcp_server(), fastmcp.FastMCP("parent")
    parent.mount(child, namespace="shop")
    errata.install(parent)
    asked = {
        "template": Read("report://shop/pages/seven"),
        "prompt": Render("shop_greeting", {"name": "Ann", "days": "seven"}),
    }

    refused = {case: answer["error"]["data"]["message"] for case, answer in answers(ask(parent, era, asked)).items()}

    assert refused == {
        "template": "One argument does not fit `report://shop/pages/seven`: `number` must be a whole number.",
        "prompt": "One argument does not fit `shop_greeting`: `days` must be a whole number.",
    }


class Noting(Middleware):
    """Notes what comes through."""

    def __init__(self):
        self.errors = []

    async def on_call_tool(self, context, call_next):
        try:
            return await call_next(context)
        except Exception as error:
            self.errors.append(error)
            raise


def test_a_protocol_error_is_no_cause_of_itself():
    noting = Noting()
    child, parent = fastmcp_server(), fastmcp.FastMCP("parent", middleware=[noting])
    parent.mount(child)
    errata.install(child)

    ask(parent, "2026-07-28", {"protocol": Call("protocol")})

    chain = [noting.errors[0]]
    while (behind := chain[-1].__cause__ or chain[-1].__context__) is not None:
        assert not any(behind is seen for seen in chain)
        chain.append(behind)
