"""What a server says again and again is said from memory, and nobody can tell."""

import dataclasses
import uuid

import pytest
from hypothesis import given, strategies as st
from mcp import Client
from mcp.server.mcpserver import MCPServer

import errata
from errata import Code, FaultError, register, register_secret
from errata.classification import Call, classify
from errata.dialects import native
from errata.serving._encoding import ServerReply
from errata.serving._reply_memory import _LONGEST_ARGUMENT, _MOST, _PLAIN, ReplyMemory, make_key
from errata.serving._requests import Kind, Request

PLAIN = sorted(_PLAIN, key=lambda kind: kind.__name__)
TEXTS = (
    "no berth", "berth 17 is taken", "there is no berth 'north'", "the harbour is closed for the season",
    "The upstream is overloaded. Try again later.", "side must be port or starboard", "",
)  # fmt: skip
ARGUMENTS = (
    {},
    {"berth": 17},
    {"berth": 17.0},
    {"berth": "north"},
    {"side": "north"},
    {"berth": True},
    {"berth": None},
)
SCHEMA = {"properties": {"berth": {}, "side": {"type": "string"}}}


def plainly(kind, text, **_):
    raise kind(text)


def after_a_check(kind, text, **arguments):
    if arguments.get("berth"):
        raise kind(text)
    raise kind(text)


def raised(function, kind, text, arguments=ARGUMENTS[0]):
    """Raise and catch, so that the exception has its traceback."""
    with pytest.raises(kind) as failed:
        function(kind, text, **arguments)
    return failed.value


def called(function, arguments=ARGUMENTS[0]):
    request = Request(Kind.TOOL, function.__name__, arguments, origin=None)
    request.call = Call(tool=function.__name__, arguments=arguments, schema=SCHEMA, function=function)
    return request


def recalled(memory, error, request):
    key = make_key(error, request)
    return None if key is None else memory.recall(key)


def keep(memory, error, request, reply):
    if (key := make_key(error, request)) is not None:
        memory.keep(key, reply, error)


def worked_out(error, request):
    fault = classify(error, request.call)
    return ServerReply(fault, native.encode(fault), fault.correlation_id, fault.timestamp)


def without_identity(fault):
    return dataclasses.replace(fault, correlation_id=None, timestamp=None)


FAILURES = st.tuples(
    st.sampled_from([plainly, after_a_check]),
    st.sampled_from(PLAIN),
    st.sampled_from(TEXTS),
    st.sampled_from(ARGUMENTS),
)


@given(st.lists(FAILURES, max_size=30))
def test_what_is_recalled_is_what_would_be_worked_out(failures):
    memory = ReplyMemory()
    for function, kind, text, arguments in failures:
        error, call = raised(function, kind, text, arguments), called(function, arguments)
        answer, now = recalled(memory, error, call), worked_out(error, call)
        if answer is None:
            keep(memory, error, call, now)
        else:
            assert answer.encoded == native.encode(answer.identify_fault())
            assert without_identity(answer.identify_fault()) == without_identity(now.fault)
            assert answer.correlation_id != now.correlation_id


@pytest.fixture
def memory():
    return ReplyMemory()


@pytest.fixture
def kept(memory):
    """Keep the answer to an exception in a call, and give both."""

    def kept(error, call):
        keep(memory, error, call, worked_out(error, call))
        return error, call

    return kept


def test_the_same_exception_of_the_same_call_is_recalled(memory, kept):
    kept(raised(plainly, ValueError, "no berth", {"berth": 17}), called(plainly, {"berth": 17}))

    assert recalled(memory, raised(plainly, ValueError, "no berth"), called(plainly, {"berth": 17})) is not None


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (raised(plainly, ValueError, "no berth at all"), called(plainly, {"berth": 17})),
        (raised(plainly, RuntimeError, "no berth"), called(plainly, {"berth": 17})),
        (raised(plainly, ValueError, "no berth"), called(plainly)),
        (raised(plainly, ValueError, "no berth"), called(plainly, {"berth": 18})),
        (raised(plainly, ValueError, "no berth"), called(plainly, {"berth": 17.0})),
        (raised(plainly, ValueError, "no berth"), called(plainly, {"berth": 17, "side": None})),
        (raised(plainly, ValueError, "no berth"), called(after_a_check, {"berth": 17})),
        (raised(after_a_check, ValueError, "no berth"), called(plainly, {"berth": 17})),
        (ValueError("no berth"), called(plainly, {"berth": 17})),
    ],
    ids=[
        "text", "class", "no arguments", "value", "kind of value", "further argument", "tool", "line", "never raised",
    ],
)  # fmt: skip
def test_an_exception_that_differs_in_anything_is_not_recalled(memory, kept, error, call):
    kept(raised(plainly, ValueError, "no berth"), called(plainly, {"berth": 17}))

    assert recalled(memory, error, call) is None


def test_another_line_of_the_same_tool_is_another_exception(memory, kept):
    call = called(after_a_check, {"berth": 17})
    kept(raised(after_a_check, ValueError, "no berth", {"berth": 17}), call)

    assert recalled(memory, raised(after_a_check, ValueError, "no berth", {"berth": 17}), call) is not None
    assert recalled(memory, raised(after_a_check, ValueError, "no berth"), call) is None


def test_the_same_line_of_a_library_is_another_exception_where_the_tool_called_it_elsewhere(memory, kept):
    def order(number, tenant):
        uuid.UUID(tenant)
        uuid.UUID(number)

    request = called(order, {"number": "o-17"})
    request.call = dataclasses.replace(request.call, schema={"properties": {"number": {}}})
    with pytest.raises(ValueError, match="badly formed") as of_the_caller:
        order("o-17", str(uuid.UUID(int=0)))
    with pytest.raises(ValueError, match="badly formed") as of_the_server:
        order("o-17", "nobody")
    assert classify(of_the_caller.value, request.call).retry is not classify(of_the_server.value, request.call).retry
    kept(of_the_caller.value, request)

    assert recalled(memory, of_the_server.value, request) is None


def test_arguments_that_have_the_same_hash_are_other_arguments(memory, kept):
    error = raised(plainly, ValueError, "pier -2 is closed")
    kept(error, called(plainly, {"berth": -2}))

    assert recalled(memory, error, called(plainly, {"berth": -1})) is None


@pytest.mark.parametrize("value", ["b" * (_LONGEST_ARGUMENT + 1), [17], {"number": 17}, [], b"17"], ids=type)
def test_a_call_with_a_long_text_or_a_container_is_not_kept(memory, kept, value):
    error, call = kept(raised(plainly, ValueError, "no berth"), called(plainly, {"berth": value}))

    assert recalled(memory, error, call) is None
    assert not memory._kept


def test_what_a_caller_sent_is_not_kept(memory, kept):
    kept(raised(plainly, ValueError, "no berth"), called(plainly, {"berth": "quagmire-lantern"}))

    (key,) = memory._kept
    assert "quagmire-lantern" not in repr(key)


@pytest.mark.parametrize("text", ["password=grapefruit-at-dawn", "postgres://app:Harbor42@db1/orders"])
def test_a_text_with_a_secret_in_it_is_not_kept(memory, kept, text):
    error, call = kept(raised(plainly, ValueError, text), called(plainly, {"berth": 17}))

    assert recalled(memory, error, call) is None
    assert not memory._kept


def test_a_secret_that_is_known_only_now_is_not_said_from_memory(memory, kept):
    text = "the word of the day is quagmire-lantern"
    error, call = kept(raised(plainly, ValueError, text), called(plainly, {"berth": 17}))

    forget = register_secret("quagmire-lantern")
    try:
        assert recalled(memory, error, call) is None
    finally:
        forget()


@pytest.mark.parametrize(
    "rule", [{"pattern": "harbour is closed"}, {"name": RuntimeError}], ids=["of a phrase", "of a class"]
)
def test_a_rule_that_is_registered_meanwhile_counts_at_once(memory, kept, rule):
    error, call = kept(raised(plainly, RuntimeError, "the harbour is closed for the season"), called(plainly))
    assert recalled(memory, error, call) is not None

    take_back = register(**rule, code=Code.SERVICE_UNAVAILABLE)
    try:
        assert recalled(memory, error, call) is None
        kept(error, call)
        assert recalled(memory, error, call).fault.code is Code.SERVICE_UNAVAILABLE
    finally:
        take_back()
    assert recalled(memory, error, call) is None


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
def test_an_exception_that_carries_more_than_its_text_is_never_recalled(memory, kept, make):
    call = called(plainly)
    kept(make(), call)
    kept(RuntimeError("no berth"), call)

    assert recalled(memory, RuntimeError("no berth"), call) is not None
    assert recalled(memory, make(), call) is None


def test_who_changes_an_answer_does_not_change_the_next_one(memory, kept):
    error, call = kept(raised(plainly, ValueError, "no berth"), called(plainly, {"berth": 17}))

    encoded = recalled(memory, error, call).encoded
    encoded["content"][0]["text"] = "changed"
    encoded["structuredContent"]["error"].clear()

    assert recalled(memory, error, call).encoded["structuredContent"]["error"]["code"] == "VALIDATION_FAILED"


def test_no_more_is_kept_than_a_server_says(memory, kept):
    for number in range(3 * _MOST):
        kept(ValueError(f"berth {number} is taken"), called(plainly))

    assert 0 < len(memory._kept) <= _MOST


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
