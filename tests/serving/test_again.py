"""What a server says again and again is said from memory, and nobody can tell."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client
from mcp.server.mcpserver import MCPServer

import errata
from errata import Code, FaultError, register, register_secret
from errata._serving._again import _MOST, _PLAIN, Answer, Memory
from errata.classification import classify
from errata.dialects import native

PLAIN = sorted(_PLAIN, key=lambda kind: kind.__name__)


def worked_out(error):
    fault = classify(error)
    return Answer(fault, native.encode(fault), fault.correlation_id, fault.timestamp)


def without_identity(fault):
    return dataclasses.replace(fault, correlation_id=None, timestamp=None)


@given(st.sampled_from(PLAIN), st.text(max_size=80))
def test_what_is_recalled_is_what_would_be_worked_out(kind, text):
    memory, error = Memory(), kind(text)
    before = worked_out(error)

    memory.keep(error, before)
    answer = memory.recall(kind(text))

    if answer is not None:
        assert answer.told == native.encode(answer.identified())
        assert without_identity(answer.identified()) == without_identity(before.fault)
        assert answer.correlation_id != before.correlation_id


def test_a_harmless_text_is_recalled():
    memory = Memory()
    memory.keep(ValueError("no berth"), worked_out(ValueError("no berth")))

    assert memory.recall(ValueError("no berth")) is not None
    assert memory.recall(ValueError("no berth at all")) is None
    assert memory.recall(RuntimeError("no berth")) is None


@pytest.mark.parametrize("text", ["password=grapefruit-at-dawn", "postgres://app:Harbor42@db1/orders"])
def test_a_text_with_a_secret_in_it_is_not_kept(text):
    memory = Memory()
    memory.keep(ValueError(text), worked_out(ValueError(text)))

    assert memory.recall(ValueError(text)) is None
    assert not memory._kept


def test_a_secret_that_is_known_only_now_is_not_said_from_memory():
    memory, error = Memory(), ValueError("the word of the day is quagmire-lantern")
    memory.keep(error, worked_out(error))

    forget = register_secret("quagmire-lantern")
    try:
        assert memory.recall(error) is None
    finally:
        forget()


@pytest.mark.parametrize(
    "rule", [{"pattern": "harbour is closed"}, {"name": RuntimeError}], ids=["of a phrase", "of a class"]
)
def test_a_rule_that_is_registered_meanwhile_counts_at_once(rule):
    memory, error = Memory(), RuntimeError("the harbour is closed for the season")
    memory.keep(error, worked_out(error))

    take_back = register(**rule, code=Code.SERVICE_UNAVAILABLE)
    try:
        assert memory.recall(error) is None
        memory.keep(error, worked_out(error))
        assert memory.recall(error).fault.code is Code.SERVICE_UNAVAILABLE
    finally:
        take_back()
    assert memory.recall(error) is None


def with_a_status():
    error = RuntimeError("no berth")
    error.status_code = 429
    return error


def with_a_cause():
    error = RuntimeError("no berth")
    error.__cause__ = TimeoutError()
    return error


def with_a_note():
    error = RuntimeError("no berth")
    error.add_note("ask again")
    return error


@pytest.mark.parametrize(
    "make",
    [
        with_a_status,
        with_a_cause,
        with_a_note,
        lambda: RuntimeError("no berth", 17),
        lambda: OSError("no berth"),
        lambda: type("Own", (RuntimeError,), {})("no berth"),
        lambda: FaultError(Code.GONE, "no berth"),
    ],
)
def test_an_exception_that_carries_more_than_its_text_is_never_recalled(make):
    memory = Memory()
    memory.keep(make(), worked_out(make()))
    memory.keep(RuntimeError("no berth"), worked_out(RuntimeError("no berth")))

    assert memory.recall(make()) is None


def test_who_changes_an_answer_does_not_change_the_next_one():
    memory, error = Memory(), ValueError("no berth")
    memory.keep(error, worked_out(error))

    told = memory.recall(error).told
    told["content"][0]["text"] = "changed"
    told["structuredContent"]["error"].clear()

    assert memory.recall(error).told["structuredContent"]["error"]["code"] == "VALIDATION_FAILED"


def test_no_more_is_kept_than_a_server_says():
    memory = Memory()
    for number in range(3 * _MOST):
        memory.keep(ValueError(f"berth {number} is taken"), worked_out(ValueError(f"berth {number} is taken")))

    assert len(memory._kept) <= _MOST


@pytest.mark.anyio
async def test_a_client_gets_the_same_answer_each_time_with_another_reference(caplog):
    server = MCPServer("harbour")

    @server.tool()
    async def dock() -> str:
        raise RuntimeError("the harbour is closed for the season")

    errata.install(server)
    async with Client(server) as client:
        results = [await client.call_tool("dock", {}) for _ in range(3)]

    faults = [errata.decode(result) for result in results]
    records = [record for record in caplog.records if record.name == "errata"]
    assert len({fault.correlation_id for fault in faults}) == 3
    assert len({repr(without_identity(fault)) for fault in faults}) == 1
    assert [record.errata["correlation_id"] for record in records] == [fault.correlation_id for fault in faults]
    assert all(
        result.content[0].text.endswith(fault.correlation_id) for result, fault in zip(results, faults, strict=True)
    )
