"""Words never open a breaker: a text may quote whoever called, and facts do not."""

import asyncio
import pickle
import xmlrpc.client

import httpx2
import pytest
from mcp.server.mcpserver.exceptions import ToolError
from support.manual_clock import Time

from errata import Code, FaultError, classify, guard, try_catch
from errata.classification import register
from errata.client import CallFailed
from errata.client._call_failed import ClientRequest
from errata.reading import recognise
from errata.resilience import Breaker, MemoryStore, protect, retry

PHRASES = [
    "503 Service Unavailable",
    "upstream request timed out",
    "Connection refused",
    "HTTP 502: Bad Gateway",
    "database is locked",
    "ECONNRESET",
]


class NoteError(Exception):
    """An exception of somebody's own."""


@pytest.fixture
def breaker():
    time = Time()
    return Breaker("notes", failures=1, store=MemoryStore(clock=time.clock, wall_clock=time.wall_clock))


def raising(error):
    def call():
        raise error

    return call


def tried(breaker, error):
    """Let an error pass the breaker, and tell its state and how many calls counted."""
    with pytest.raises(type(error)):
        breaker.call(raising(error))
    status = breaker.status()
    return status.state, status.calls


@pytest.mark.parametrize("kind", [RuntimeError, Exception, ValueError, ToolError, NoteError])
@pytest.mark.parametrize("phrase", PHRASES)
@pytest.mark.parametrize("form", ["{}", "Note 17 says: {}", "Note 17 says {!r}", "Cannot save the note {!r}."])
def test_what_only_words_say_counts_nothing(breaker, kind, phrase, form):
    assert tried(breaker, kind(form.format(phrase))) == ("closed", 0)


@pytest.mark.parametrize("phrase", PHRASES)
def test_a_cause_and_a_group_of_words_count_nothing(breaker, phrase):
    error = RuntimeError(f"Cannot save: {phrase}")
    error.__cause__ = NoteError(phrase)
    assert tried(breaker, error) == ("closed", 0)
    assert tried(breaker, ExceptionGroup("several", [NoteError(phrase)])) == ("closed", 0)


class ServiceUnavailableError(Exception):
    """The name of a class is no text of anybody's."""


class AnsweredError(Exception):
    """It carries a number."""

    def __init__(self, status):
        super().__init__("The service answered.")
        self.status_code = status


@pytest.mark.parametrize(
    "error",
    [
        TimeoutError(),
        ConnectionResetError("503 Service Unavailable"),
        httpx2.ConnectError("no route"),
        ServiceUnavailableError("no"),
        AnsweredError(503),
        FaultError(Code.SERVICE_UNAVAILABLE, "503 Service Unavailable"),
        xmlrpc.client.Fault(7, "503 Service Unavailable"),
        NoteError("nobody knows what this is"),
    ],
    ids=repr,
)
def test_facts_open_it(breaker, error):
    assert tried(breaker, error)[0] == "open"


def test_a_phrase_that_the_program_has_registered_is_its_own_word(breaker):
    take_back = register(pattern="the till jammed", code=Code.UPSTREAM_ERROR)
    try:
        assert tried(breaker, RuntimeError("the till jammed again"))[0] == "open"
    finally:
        take_back()


def test_words_free_a_probe_and_leave_the_circuit_half_open():
    time = Time()
    breaker = Breaker("notes", failures=1, open_s=60, store=MemoryStore(clock=time.clock, wall_clock=time.wall_clock))
    tried(breaker, TimeoutError())
    time.advance(61)
    for _ in range(3):
        assert tried(breaker, RuntimeError("503 Service Unavailable"))[0] == "half_open"


def test_protected_functions_and_async_ones_count_no_words():
    time = Time()
    store = MemoryStore(clock=time.clock, wall_clock=time.wall_clock)
    policy = retry(attempts=2, sleep=lambda _: None)

    @protect("notes", failures=1, store=store, retry=policy)
    async def save():
        raise RuntimeError("503 Service Unavailable")

    for _ in range(5):
        with pytest.raises((RuntimeError, FaultError)):
            asyncio.run(save())
    assert Breaker("notes", failures=1, store=store).status().calls == 0


def test_what_a_client_read_in_the_prose_of_a_server_counts_nothing(breaker):
    result = {"content": [{"type": "text", "text": "503 Service Unavailable"}], "isError": True}
    reading = recognise(result)
    failed = CallFailed.of(
        reading.fault,
        ClientRequest("tool", "save"),
        server="notes",
        response=result,
        dialect=reading.dialect,
        word=reading.word,
    )
    assert failed.fault.code is Code.SERVICE_UNAVAILABLE
    assert tried(breaker, failed) == ("closed", 0)
    wrapped = RuntimeError("The notes cannot be saved.")
    wrapped.__cause__ = failed
    assert classify(wrapped).code is Code.SERVICE_UNAVAILABLE
    assert tried(breaker, wrapped) == ("closed", 0)


def test_what_http_answered_a_client_counts(breaker):
    fault = FaultError(Code.SERVICE_UNAVAILABLE, "notes answered 503 Service Unavailable.").fault
    answered = {"status": 503, "headers": {}, "body": ""}
    failed = CallFailed.of(fault, ClientRequest("tool", "save"), server="notes", response=answered)
    assert tried(breaker, failed)[0] == "open"


def guarded():
    with guard("Notes.find"):
        raise RuntimeError("503 Service Unavailable")


def tried_in_vain():
    raise RuntimeError("503 Service Unavailable")


@pytest.mark.parametrize(
    "call",
    [
        guarded,
        lambda: try_catch(tried_in_vain, operation="Notes.find"),
        retry(attempts=2, sleep=lambda _: None, idempotent=True)(tried_in_vain),
        retry(attempts=2, sleep=lambda _: None, idempotent=True)(guarded),
    ],
    ids=["guard", "try_catch", "retry", "both"],
)
def test_words_stay_words_behind_a_guard_and_a_retry(breaker, call):
    for _ in range(3):
        with pytest.raises(FaultError) as raised:
            breaker.call(call)
        assert raised.value.code is Code.SERVICE_UNAVAILABLE
        assert pickle.loads(pickle.dumps(raised.value)).is_hearsay
    assert breaker.status().calls == 0


def test_a_code_that_the_author_gives_a_guard_is_no_hearsay(breaker):
    with pytest.raises(FaultError):
        breaker.call(lambda: try_catch(tried_in_vain, operation="Notes.find", code=Code.SERVICE_UNAVAILABLE))
    assert breaker.status().state == "open"


def test_a_sentence_in_data_that_speak_no_dialect_is_words_and_a_status_is_not():
    sentence = recognise({"structuredContent": {"error": "503 Service Unavailable"}, "isError": True})
    status = recognise({"structuredContent": {"error": "Busy", "status": 503}, "isError": True})
    assert sentence.fault.code is status.fault.code is Code.SERVICE_UNAVAILABLE
    assert sentence.rests_on_words
    assert not status.rests_on_words
