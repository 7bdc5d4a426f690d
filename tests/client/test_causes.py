"""Does a log that shows a failed call with all its causes show a secret?"""

import asyncio
import copy
import io
import json
import logging
import pickle
import traceback

import httpx2
import pydantic
import pytest
from hypothesis import given, strategies as st
from mcp import Client, MCPError
from mcp.server.mcpserver import MCPServer
from support.decompression_bombs import memory
from support.failing_http_server import refused
from support.scripted_http_server import DONE, connect, hang_up

from errata import Code, Fault, FaultError
from errata.client import Caller, CallFailed
from errata.client._call_failed import ClientRequest
from errata.client._causes import redact_cause

pytestmark = pytest.mark.anyio

KEY = "ghp_" + "a1B2" * 9
PASSWORD = "Harbor42-x9Q7"  # noqa: S105 - it is nobody's, like the next.
TOKEN = "Yacht77pQ12jetty"  # noqa: S105
SECRETS = (KEY, PASSWORD, TOKEN)
SAYING = (
    f"The key {KEY} was rejected",
    f"login failed: password={PASSWORD}",
    f"GET https://orders.example/mcp?token={TOKEN} failed",
    f"postgresql://ann:{PASSWORD}@db/orders is down",
    json.dumps({"api_key": KEY, "detail": "expired"}),
)
INNOCENT = ("", "All connection attempts failed", "there is no order 17")
FAULT = Fault(code=Code.NETWORK_ERROR, message="The connection was lost.")


class Vault(pydantic.BaseModel):
    password: int


def refused_by_pydantic(text):
    try:
        Vault.model_validate({"password": text})
    except pydantic.ValidationError as error:
        return error


class Stubborn(Exception):  # noqa: N818 - as people name them.
    """An exception that is made of something else than its words."""

    def __init__(self, *, text):
        super().__init__()
        self.text = text

    def __str__(self):
        return self.text


KINDS = (
    RuntimeError,
    ConnectionError,
    asyncio.CancelledError,
    KeyError,
    httpx2.ConnectError,
    refused_by_pydantic,
    lambda text: MCPError(-32603, text, {"detail": text}),
    lambda text: OSError(2, "No such file or directory", text),
    lambda text: httpx2.HTTPStatusError(text, request=httpx2.Request("GET", "http://x"), response=httpx2.Response(500)),
    lambda text: Stubborn(text=text),
    lambda text: SyntaxError("invalid", ("settings.py", 1, 1, text)),
    lambda text: FaultError(Code.UPSTREAM_ERROR, text),
)


def logged(error):
    """Return what `logging.exception` writes of an exception."""
    stream = io.StringIO()
    logger, handler = logging.getLogger("nobody's"), logging.StreamHandler(stream)
    logger.addHandler(handler)
    try:
        raise error
    except type(error):
        logger.exception("A call failed")
    finally:
        logger.removeHandler(handler)
    return stream.getvalue()


def all_behind(error):
    """Go through an exception and whatever hangs on it, whether or not a traceback would show it."""
    errors, seen = [error], set()
    for each in errors:
        if id(each) not in seen:
            seen.add(id(each))
            yield each
            errors += filter(None, (each.__cause__, each.__context__, *getattr(each, "exceptions", ())))


def assert_silent(error):
    told = logged(error)
    for each in all_behind(error):
        told += "".join(traceback.TracebackException.from_exception(each).format()) + str(each)
        told += " ".join(map(str, getattr(each, "__notes__", ())))
    assert not [secret for secret in SECRETS if secret in told]
    return told


def failed_because_of(cause):
    return CallFailed.of(FAULT, ClientRequest("tool", "pay"), server="till", is_local=True, cause=cause)


@st.composite
def causes(draw, depth=3):
    """Plant secrets in the text, the arguments and the notes of exceptions, and in those that led to them."""
    error = draw(st.sampled_from(KINDS))(draw(st.sampled_from(SAYING + INNOCENT)))
    for note in draw(st.lists(st.sampled_from(SAYING + INNOCENT), max_size=2)):
        error.add_note(note)
    if depth:
        members = draw(st.lists(causes(depth=depth - 1), max_size=2))
        if members:
            error = BaseExceptionGroup(draw(st.sampled_from(SAYING + INNOCENT)), [error, *members])
        if draw(st.booleans()):
            error.__cause__ = draw(causes(depth=depth - 1))
        if draw(st.booleans()):
            error.__context__ = draw(causes(depth=depth - 1))
        error.__suppress_context__ = draw(st.booleans())
    return error


@given(causes())
def test_no_secret_is_shown_wherever_it_was(cause):
    failed = failed_because_of(cause)
    told = assert_silent(failed)
    assert type(cause).__name__ in told
    assert type(failed.__cause__).__name__ == type(cause).__name__


@pytest.mark.parametrize("kind", KINDS, ids=range(len(KINDS)))
def test_the_class_the_words_and_the_frames_stay(kind):
    def connect_to_the_database():
        raise kind(f"login failed: password={PASSWORD}")

    try:
        connect_to_the_database()
    except BaseException as error:  # noqa: BLE001 - of every kind.
        cause, original = failed_because_of(error).__cause__, error
    shown = "".join(traceback.TracebackException.from_exception(cause).format())
    assert PASSWORD not in shown
    assert "in connect_to_the_database" in shown
    assert (type(cause).__name__, type(cause).__module__) == (type(original).__name__, type(original).__module__)


def test_what_has_nothing_to_hide_stays_the_exception_that_it_was():
    for kind in (each for each in KINDS[:-2] if each is not refused_by_pydantic):  # Which quotes what it was given.
        error = kind("All connection attempts failed")
        error.__cause__ = OSError(111, "Connection refused")
        assert failed_because_of(error).__cause__ is error


def test_a_copy_is_of_the_same_class_where_the_words_suffice_to_make_one():
    for kind in (RuntimeError, httpx2.ConnectError, asyncio.CancelledError, FileNotFoundError):
        cause = failed_because_of(kind(SAYING[1])).__cause__
        assert type(cause) is kind
        assert str(cause) == "login failed: password=[redacted: password]"
    said = failed_because_of(MCPError(-32603, SAYING[1], {"password": PASSWORD})).__cause__
    assert (type(said), said.code, said.data) == (MCPError, -32603, {"password": "[redacted: password]"})
    missing = failed_because_of(FileNotFoundError(2, "No such file", f"/srv/?token={TOKEN}")).__cause__
    assert (type(missing), str(missing)) == (
        FileNotFoundError,
        "[Errno 2] No such file: '/srv/?token=[redacted: token]'",
    )


def test_a_secret_that_one_text_gives_away_is_hidden_in_all():
    error = RuntimeError(f"tried {PASSWORD} in vain")
    error.__cause__ = RuntimeError(f"password={PASSWORD}")
    error.add_note(f"{PASSWORD} was wrong")
    cause = failed_because_of(error).__cause__
    assert str(cause) == "tried [redacted: secret] in vain"
    assert cause.__notes__ == ["[redacted: secret] was wrong"]


def test_causes_without_end_are_cut():
    first = last = RuntimeError(SAYING[0])
    for _ in range(10_000):
        last.__context__ = RuntimeError(SAYING[1])
        last = last.__context__
    cause = failed_because_of(first).__cause__
    assert len([*all_behind(cause)]) == 100
    assert "were left out" in cause.__notes__[-1]
    many = failed_because_of(ExceptionGroup(SAYING[0], [RuntimeError(SAYING[1])] * 10_000)).__cause__
    assert {str(each) for each in many.exceptions} == {"login failed: password=[redacted: password]"}
    assert_silent(
        failed_because_of(ExceptionGroup("", [RuntimeError(f"{text}{n}") for n in range(300) for text in SAYING]))
    )


def test_causes_in_a_circle_are_copied_once():
    one, other = RuntimeError(SAYING[0]), ValueError("nothing")
    one.__cause__, other.__context__ = other, one
    group = ExceptionGroup("both", [one, other])
    one.__context__ = group
    copied = failed_because_of(group).__cause__
    assert copied.exceptions[0].__cause__ is copied.exceptions[1]
    assert copied.exceptions[0].__context__ is copied
    assert_silent(failed_because_of(group))


def test_a_long_text_costs_no_more_than_its_beginning():
    for text in ("input_value=" * 1_000_000, "password=" * 1_000_000, f"password={PASSWORD} " * 300_000):
        with memory() as peak:
            cause = failed_because_of(RuntimeError(text)).__cause__
        assert len(str(cause)) <= 8_000
        assert peak[0] < len(text) * 4
        assert PASSWORD not in str(cause)


class Hostile(Exception):  # noqa: N818 - as above.
    """An exception that fails when it is looked at."""

    def __str__(self):
        raise ValueError

    @property
    def __notes__(self):
        raise ValueError


def test_an_exception_that_cannot_be_looked_at_is_no_obstacle():
    error = Hostile(KEY)
    error.__context__ = RuntimeError(SAYING[0])
    assert_silent(failed_because_of(error))


def test_a_copy_of_the_failure_and_of_its_cause_can_be_made():
    for kind in KINDS:
        failed = failed_because_of(kind(SAYING[1]))
        for again in (pickle.loads(pickle.dumps(failed)), copy.copy(failed), copy.deepcopy(failed)):
            assert (type(again), again.fault, again.tool, str(again)) == (CallFailed, failed.fault, "pay", str(failed))
    stand_in = redact_cause(Stubborn(text=SAYING[1]))
    again = pickle.loads(pickle.dumps(stand_in))
    assert (type(again).__name__, str(again)) == ("Stubborn", str(stand_in))


def said(text, code=-32603):
    return {"error": {"code": code, "message": text, "data": {"detail": text}}}


ANSWERS = {
    "an error": said(SAYING[1]),
    "a text": {"content": [{"type": "text", "text": SAYING[1]}], "isError": True, "resultType": "complete"},
    "no result": {"content": [{"type": "password", "password": PASSWORD}], "resultType": "complete"},
    "hung up": hang_up,
    "no schema": {**DONE, "structuredContent": {"sum": SAYING[0]}},
}


CASES = [(kind, name) for kind in (connect, Client) for name in ANSWERS if (kind, name) != (Client, "hung up")]
"""A client of somebody else that is hung up on ends the block."""


@pytest.mark.parametrize(("kind", "name"), CASES)
async def test_no_call_brings_a_secret_into_a_log(server, at_once, kind, name):
    server.output_schema = {"type": "object", "properties": {"sum": {"type": "integer"}}}
    server.answers = [ANSWERS[name]] * 3
    async with kind(f"{server.url}?token={TOKEN}") as made:
        caller = made if isinstance(made, Caller) else Caller(made, retry=at_once)
        with pytest.raises(CallFailed) as caught:
            await caller.call("pay")
        assert_silent(caught.value)
        server.answers = [said(SAYING[1])] * 2
        with pytest.raises(CallFailed) as read:
            await caller.read(f"orders://17?token={TOKEN}")
        with pytest.raises(CallFailed) as prompted:
            await caller.prompt("order", {"id": "17"})
    assert_silent(read.value)
    assert_silent(prompted.value)


async def test_no_connection_brings_a_secret_into_a_log(server, at_once):
    server.handshake = {"server/discover": said(SAYING[1]), "initialize": said(SAYING[0])}
    for url in (server.url, f"{refused()}/mcp?token={TOKEN}"):
        with pytest.raises(CallFailed) as caught:
            async with connect(url, retry=at_once):
                raise AssertionError
        assert_silent(caught.value)
    with pytest.raises(CallFailed) as caught:
        async with connect(f"{refused()}/mcp", timeout_s=0.000_001, retry=at_once):
            raise AssertionError
    assert_silent(caught.value)


async def test_a_failure_that_leaves_the_block_brings_none_along(server):
    server.answers = [said(SAYING[1])]
    with pytest.raises(CallFailed) as caught:
        async with connect(server.url, retry=None) as caller:
            await caller.call("pay")
    assert_silent(caught.value)
    assert caught.value.__context__ is None


async def test_what_the_program_was_handling_itself_stays(server):
    server.answers = [{"content": [{"type": "text", "text": "No"}], "isError": True, "resultType": "complete"}]

    async def look_up(orders, caller):
        try:
            return orders["17"]
        except KeyError:
            return await caller.call("pay")

    async with connect(server.url, retry=None) as caller:
        with pytest.raises(CallFailed) as caught:
            await look_up({}, caller)
    assert isinstance(caught.value.__context__, KeyError)


async def test_a_server_in_this_process_is_no_way_around_it():
    server = MCPServer("shelf", log_level="CRITICAL")

    @server.tool()
    async def pay() -> str:
        raise MCPError(-32603, SAYING[1])

    async with Caller.connect(server, retry=None) as caller:
        with pytest.raises(CallFailed) as caught:
            await caller.call("pay")
    assert_silent(caught.value)
