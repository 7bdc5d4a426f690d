"""A tool that fails in a way it does not declare: counted, and said once."""

import logging

import pytest
from support.three_servers import ERAS, KINDS, MAKERS, connected, fast_mcp

import errata
from errata import Code, Contract, Failure, FaultError, raises
from errata.dialects._json_rpc import BASELINE

pytestmark = pytest.mark.anyio
WITH_FUNCTIONS = ("MCPServer", "FastMCP")


class OrderErrors(Contract):
    no_match = Failure(Code.NOT_FOUND, when="No order matched", recovery="Call list_orders first to see them.")


@raises(OrderErrors)
async def ordering(code: Code, days: int = 1) -> str:
    raise FaultError(code, f"{days} days")


@raises(OrderErrors)
async def paying(code: Code) -> str:
    raise FaultError(code)


async def undeclared(code: Code) -> str:
    raise FaultError(code)


def _said(caplog):
    return [record.getMessage() for record in caplog.records if "does not declare" in record.getMessage()]


async def _fail(server, tool, *codes, era="auto"):
    async with connected(server, era) as client:
        for code in codes:
            await client.call_tool(tool, {"code": code})


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("kind", WITH_FUNCTIONS)
async def test_a_code_that_is_not_declared_is_counted_each_time_and_said_once(kind, era, caplog):
    server = MAKERS[kind](ordering, paying)
    installation = errata.install(server)
    await _fail(server, "ordering", "CONFLICT", "CONFLICT", "GONE", era=era)
    assert installation.undeclared == {("ordering", Code.CONFLICT): 2, ("ordering", Code.GONE): 1}
    conflict, gone = _said(caplog)
    assert conflict.startswith("Tool `ordering` failed with CONFLICT, which its contract does not declare.")
    assert gone.startswith("Tool `ordering` failed with GONE, which its contract does not declare.")
    await _fail(server, "paying", "GONE", era=era)
    assert installation.undeclared["paying", Code.GONE] == 1
    assert len(_said(caplog)) == 3


@pytest.mark.parametrize("kind", WITH_FUNCTIONS)
async def test_what_is_declared_or_may_happen_to_any_tool_is_no_drift(kind, caplog):
    server = MAKERS[kind](ordering)
    installation = errata.install(server)
    await _fail(server, "ordering", "NOT_FOUND", *sorted(BASELINE))
    assert installation.undeclared == {}
    assert not _said(caplog)


@pytest.mark.parametrize("kind", WITH_FUNCTIONS)
async def test_a_call_that_does_not_fit_is_no_drift(kind, caplog):
    server = MAKERS[kind](ordering)
    installation = errata.install(server)
    async with connected(server) as client:
        await client.call_tool("ordering", {})
        await client.call_tool("ordering", {"code": "CONFLICT", "days": "x"})
        await client.call_tool("orderin", {})
    assert installation.undeclared == {}
    assert not _said(caplog)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_tool_without_a_contract_declares_nothing_that_it_could_break(kind, caplog):
    server = MAKERS[kind](undeclared)
    installation = errata.install(server)
    await _fail(server, "undeclared", "CONFLICT")
    assert installation.undeclared == {}
    assert not _said(caplog)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_contract_from_outside_is_compared_as_well(kind, caplog):
    server = MAKERS[kind](undeclared)
    installation = errata.install(server, contracts={"undeclared": OrderErrors})
    await _fail(server, "undeclared", "NOT_FOUND", "CONFLICT")
    assert installation.undeclared == {("undeclared", Code.CONFLICT): 1}
    assert len(_said(caplog)) == 1


async def test_a_mounted_tool_is_counted_by_the_name_that_clients_know(caplog):
    outer, inner = fast_mcp(), fast_mcp(ordering)
    outer.mount(inner, namespace="inner")
    installation = errata.install(outer)
    await _fail(outer, "inner_ordering", "CONFLICT")
    assert installation.undeclared == {("inner_ordering", Code.CONFLICT): 1}
    assert len(_said(caplog)) == 1


@pytest.mark.parametrize("kind", WITH_FUNCTIONS)
async def test_it_is_counted_where_nobody_reads_the_log(kind, monkeypatch):
    monkeypatch.setattr(logging.getLogger("errata"), "disabled", True)
    server = MAKERS[kind](ordering)
    installation = errata.install(server)
    await _fail(server, "ordering", "CONFLICT")
    assert installation.undeclared == {("ordering", Code.CONFLICT): 1}


async def test_the_counts_that_were_given_out_do_not_change():
    server = MAKERS["MCPServer"](ordering)
    installation = errata.install(server)
    before = installation.undeclared
    await _fail(server, "ordering", "CONFLICT")
    assert before == {}
