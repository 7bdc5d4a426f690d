"""What the gate remembers of the clients over HTTP, for how long, and for whom alone."""

import pytest
from hypothesis import given, strategies as st
from support.gated_http import TOOLS, call

from errata.gate import _conversations
from errata.gate._conversations import Conversations, Visitor
from errata.wire import Ledger, first_message, to_frame, write_json

sessions = st.sampled_from([b"", b"s-1", b"s-2"])
credentials = st.sampled_from([b"Bearer a", b"Bearer b", b""])
others = st.sampled_from([[], [(b"x-api-key", b"1")], [(b"cookie", b"user=a")], [(b"x-forwarded-for", b"10.0.0.1")]])
of_messages = st.lists(
    st.tuples(
        st.sampled_from(
            [b"Accept", b"content-length", b"traceparent", b"X-Request-Id", b"mcp-name", b"Mcp-Method", b"Mcp-Param-Id"]
        ),
        st.binary(max_size=5),
    ),
    max_size=5,
)


addresses = st.sampled_from([("", "/mcp", b""), ("", "/mcp/b", b""), ("/b", "/mcp", b""), ("", "/mcp", b"key=b")])


def visitor(session, credential, other, message=(), address=("", "/mcp", b"")):
    named = [(b"Mcp-Session-Id", session)] if session else []
    root, path, query = address
    return Visitor.of(
        {
            "headers": [*message, *named, (b"authorization", credential), *other],
            "client": ("127.0.0.1", 1),
            "root_path": root,
            "path": path,
            "query_string": query,
        }
    )


visitors = st.builds(visitor, sessions, credentials, others, address=addresses)


@given(sessions, credentials, others, of_messages, of_messages)
def test_what_differs_from_message_to_message_makes_no_other_client(session, credential, other, first, second):
    assert visitor(session, credential, other, first) == visitor(session, credential, other, second)


@pytest.mark.parametrize(
    "name",
    [
        b"mcp-api-key",
        b"x-workspan-tenant",
        b"x-trace-tenant",
        b"sec-user",
        b"host",
        b"content-tenant",
        b"x-forwarded-user",
    ],
)
def test_a_header_that_may_name_a_user_makes_another_client(name):
    first, second = (visitor(b"", b"", [(name, user)]) for user in (b"a", b"b"))
    assert first.key != second.key


@given(st.lists(visitors, min_size=2, max_size=2, unique=True))
def test_no_client_is_given_the_conversation_of_another(pair):
    first, second = pair
    known = Conversations()
    conversation = known.find(first)
    known.note_response(first, conversation, "POST", 200, [])
    assert known.find(first) is conversation
    assert known.find(second) is not conversation


@given(visitors, st.integers(100, 599))
def test_only_a_client_that_the_server_accepts_is_remembered(client, status):
    known = Conversations()
    conversation = known.find(client)
    known.note_response(client, conversation, "POST", status, [])
    assert (known.find(client) is conversation) == (200 <= status < 300)


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
def test_a_page_that_anybody_may_read_lets_nobody_into_a_session(method):
    known = Conversations()
    owner, other = visitor(b"s", b"a", []), visitor(b"s", b"b", [])
    conversation = known.find(owner)
    known.note_response(owner, conversation, "POST", 200, [])
    known.note_response(other, known.find(other), method, 200, [])
    assert known.find(other) is not conversation


def test_what_the_first_request_with_a_new_credential_learns_is_known_to_the_session():
    known = Conversations()
    owner, renewed = visitor(b"s", b"a", []), visitor(b"s", b"b", [])
    conversation, for_now = known.find(owner), known.find(renewed)
    known.note_response(owner, conversation, "POST", 200, [])
    for_now.tools.note_page({}, {"tools": TOOLS[:1]})
    assert conversation.tools.get("get_price") is None
    known.note_response(renewed, for_now, "POST", 200, [])
    for_now.tools.note_page({}, {"tools": TOOLS})
    for_now.expect_elsewhere("1", pending())
    assert conversation.tools.get("pay") == TOOLS[1]
    assert list(conversation.elsewhere) == ["1"]


@given(visitors, visitors)
def test_a_session_that_the_server_begins_is_known_to_nobody_else(first, second):
    known = Conversations()
    before = known.find(first)
    known.note_response(first, before, "POST", 200, [(b"Mcp-Session-Id", b"new")])
    begun = known.find(first._replace(session=b"new"))
    assert begun is known.find(first._replace(session=b"new"))
    assert begun is not before
    is_same = (first.identity, first.path) == (second.identity, second.path)
    assert (known.find(second._replace(session=b"new")) is begun) == is_same


@given(visitors.filter(lambda each: each.session), visitors, st.sampled_from([("DELETE", 200), ("POST", 404)]))
def test_a_session_is_ended_by_those_who_are_in_it(owner, other, ending):
    known = Conversations()
    conversation = known.find(owner)
    known.note_response(owner, conversation, "POST", 200, [])
    known.note_response(other, known.find(other), *ending, [])
    is_own = owner == other
    assert (known.find(owner) is conversation) == (not is_own)


def test_a_conversation_under_way_is_not_forgotten_for_those_that_come_later(monkeypatch):
    monkeypatch.setattr(_conversations, "_MOST_CONVERSATIONS", 3)
    known = Conversations()
    clients = [visitor(b"s-%d" % number, b"", []) for number in range(9)]
    conversations = [known.find(client) for client in clients]
    with conversations[0].use():
        for client, conversation in zip(clients, conversations, strict=True):
            known.note_response(client, conversation, "POST", 200, [])
        assert known.find(clients[0]) is conversations[0]
    assert len(known) == 3
    assert [known.find(client) is each for client, each in zip(clients, conversations, strict=True)][1:] == [
        *[False] * 6,
        True,
        True,
    ]


def test_the_credentials_of_a_session_that_are_remembered_are_few():
    known = Conversations()
    first = visitor(b"s", b"0", [])
    conversation = known.find(first)
    for number in range(100):
        known.note_response(visitor(b"s", b"%d" % number, []), conversation, "POST", 200, [])
    assert len(conversation.identities) == _conversations._MOST_IDENTITIES
    assert known.find(visitor(b"s", b"99", [])) is conversation


def test_a_list_that_many_clients_have_got_is_in_memory_once():
    known = Conversations()
    tables = []
    for number in range(3):
        conversation = known.find(visitor(b"s-%d" % number, b"", []))
        page = conversation.pages.share("the same text", {"tools": [dict(tool) for tool in TOOLS]})
        conversation.tools.note_page({}, page)
        tables.append(conversation.tools)
    assert tables[0].get("pay") is tables[1].get("pay") is tables[2].get("pay")


def test_the_calls_that_are_kept_for_resumed_streams_are_few_and_small_however_many_sessions_there_are(monkeypatch):
    monkeypatch.setattr("errata.wire._ledger._MOST_KEPT_CHARACTERS", 20_000)
    known = Conversations()
    conversations = [known.find(visitor(b"s-%d" % number, b"", [])) for number in range(20)]
    for number in range(400):
        conversations[number % 20].expect_elsewhere(str(number), pending(note="x" * number * 100))
    kept = [each for conversation in conversations for each in conversation.elsewhere.values()]
    assert 100 < len(kept) < 400
    assert sum(len(each.message.text) for each in kept) <= 20_000
    assert conversations[19].is_expected("399")
    assert not conversations[0].is_expected("399")


def pending(**arguments):
    return Ledger().describe(first_message(to_frame(write_json(call(**arguments)))))
