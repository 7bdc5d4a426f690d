"""What the gate makes of the responses to calls over HTTP, between a client and a server written by hand."""

import gzip
import json
import zlib

import pytest
from support.gated_http import (
    BOOM,
    BUSY,
    DONE,
    LIST,
    LONGEST_S,
    NEW,
    OLD,
    answer_to,
    call,
    event,
    events_in,
    fault_in,
    gated,
    message_of,
    request,
    respond,
    serving,
    text_in,
)
from support.instant_waits import NO_WAIT

from errata.gate import asgi
from errata.resilience import Breaker

ERAS = (OLD, NEW)


@pytest.fixture(scope="module")
def pair():
    with gated() as pair:
        yield pair


def answered(pair, respond_to, message=None, **headers):
    """Send a call, let the server respond to it, and return what the client gets."""
    response = pair.post(message or call(), **headers)
    respond_to(pair.arrival())
    return response.result(LONGEST_S)


def test_two_clients_with_the_same_id_at_the_same_time_get_their_own_answers(pair):
    first = pair.post(call("pay", 1, to="first"))
    arrival_of_first = pair.arrival()
    second = pair.post(call("get_price", 1, to="second"))
    arrival_of_second = pair.arrival()
    respond(arrival_of_second, {"content": [{"type": "text", "text": "boom"}], "isError": True})
    respond(arrival_of_first, {"content": [{"type": "text", "text": "paid"}]})
    assert text_in(first.result(LONGEST_S).json()) == "paid"
    assert text_in(second.result(LONGEST_S).json()).startswith("Error [")


def test_the_failure_of_one_client_is_told_with_the_tool_that_this_client_called(pair):
    exchanges = [(tool, pair.post(call(tool, 1)), pair.arrival()) for tool in ("pay", "get_price", "send_mail")]
    for tool, response, arrival in reversed(exchanges):
        arrival.respond("504 Gateway Timeout")
        fault = fault_in(response.result(LONGEST_S).json())
        assert fault["retry"] == ("if_harmless" if tool == "get_price" else "verify_first")


@pytest.mark.parametrize(
    ("status", "headers"),
    [
        ("401 Unauthorized", [("WWW-Authenticate", 'Bearer scope="a"')]),
        ("403 Forbidden", [("WWW-Authenticate", 'Bearer error="insufficient_scope"')]),
        ("404 Not Found", []),
        ("405 Method Not Allowed", [("Allow", "POST")]),
        ("202 Accepted", []),
        ("307 Temporary Redirect", [("Location", "https://elsewhere.example/mcp")]),
    ],
)
def test_a_status_of_the_protocol_passes_even_with_a_json_rpc_error_in_it(pair, status, headers):
    body = {}

    def refuse(arrival):
        body["sent"] = answer_to(arrival, code=-32001, message="No.")
        arrival.respond(status, body["sent"], headers)

    response = answered(pair, refuse)
    assert (response.status_code, response.content) == (int(status[:3]), body["sent"])
    assert all(response.headers[name] == value for name, value in headers)


@pytest.mark.parametrize(("status", "wait"), [("429 Too Many Requests", 17), ("503 Service Unavailable", 7)])
def test_a_refusal_with_retry_after_becomes_a_result_that_says_how_long_to_wait(pair, status, wait):
    response = answered(pair, lambda arrival: arrival.respond(status, b"later", [("Retry-After", str(wait))]))
    message = response.json()
    assert response.status_code == 200
    assert "retry-after" not in response.headers
    assert message["id"] == 1
    assert message["result"]["isError"] is True
    assert f"after {wait} s." in text_in(message)
    assert fault_in(message)["retryAfterMs"] == wait * 1000


def test_a_refusal_keeps_the_headers_by_which_a_browser_lets_its_page_read_it(pair):
    headers = [("Access-Control-Allow-Origin", "*"), ("Mcp-Session-Id", "s-1")]
    response = answered(pair, lambda arrival: arrival.respond("503 Service Unavailable", b"", headers))
    assert (response.headers["access-control-allow-origin"], response.headers["mcp-session-id"]) == ("*", "s-1")


@pytest.mark.parametrize("settings", [{"keep_protocol_errors": True}, {"repair": False}])
def test_a_refusal_passes_as_it_is_where_the_gate_is_told_to_leave_it(settings):
    with gated(retry=True, **settings) as pair:
        refuse = lambda arrival: arrival.respond("429 Too Many Requests", b"later", [("Retry-After", "1")])  # noqa: E731
        response = answered(pair, refuse)
        assert (response.status_code, response.content, response.headers["retry-after"]) == (429, b"later", "1")


def test_a_page_where_an_answer_was_due_is_told_as_a_lost_answer(pair):
    page = b"<html><title>Please log in</title></html>"
    response = answered(pair, lambda arrival: arrival.respond("200 OK", page, content_type="text/html"))
    fault = fault_in(response.json())
    assert fault["retry"] == "verify_first"
    assert "text/html" in fault["message"]


@pytest.mark.parametrize("era", ERAS)
def test_a_stream_that_breaks_without_an_answer_is_answered_and_a_payment_is_not_called_again(pair, era):
    def break_off(arrival):
        arrival.begin()
        arrival.part(event(b'{"jsonrpc":"2.0","method":"notifications/message","params":{}}'))
        arrival.part(b'event: message\ndata: {"jsonrpc":"2.0","id":1,"resu')
        arrival.break_off()

    messages = events_in(answered(pair, break_off, mcp_protocol_version=era))
    assert [message.get("method") for message in messages] == ["notifications/message", None]
    assert fault_in(messages[1])["retry"] == "verify_first"
    assert "took effect" in text_in(messages[1])


def test_a_stream_with_event_ids_of_the_older_protocol_is_left_to_resumption(pair):
    def end(arrival):
        arrival.begin()
        arrival.part(b"id: 7\nretry: 10\ndata:\n\n")
        arrival.end()

    response = answered(pair, end, mcp_protocol_version=OLD, mcp_session_id="s-resume")
    assert response.content == b"id: 7\nretry: 10\ndata:\n\n"


def test_the_answer_on_a_resumed_stream_is_repaired(pair):
    session = {"mcp_protocol_version": OLD, "mcp_session_id": "s-resumed"}

    def end(arrival):
        arrival.begin()
        arrival.part(b"id: 7\ndata:\n\n")
        arrival.end()

    answered(pair, end, call("pay", 5), **session)
    resumed = pair.send("GET", accept="text/event-stream", last_event_id="7", **session)
    arrival = pair.arrival()
    arrival.begin()
    frame = json.dumps({"jsonrpc": "2.0", "id": 5, "result": BOOM}).encode()
    arrival.part(event(frame, 8) + event(frame, 9))
    arrival.end()
    first, second = events_in(resumed.result(LONGEST_S))
    assert text_in(first).startswith("Error [")
    assert text_in(second) == "boom"


def test_the_answer_on_the_stream_of_another_client_is_none_of_ours(pair):
    def end(arrival):
        arrival.begin()
        arrival.part(b"id: 7\ndata:\n\n")
        arrival.end()

    answered(pair, end, call("pay", 5), mcp_protocol_version=OLD, mcp_session_id="s-a")
    for other in ({"mcp_session_id": "s-b"}, {"mcp_session_id": "s-a", "authorization": "Bearer other"}, {}):
        resumed = pair.send("GET", accept="text/event-stream", mcp_protocol_version=OLD, **other)
        arrival = pair.arrival()
        arrival.begin()
        frame = event(json.dumps({"jsonrpc": "2.0", "id": 5, "result": BOOM}).encode(), 8)
        arrival.part(frame)
        arrival.end()
        assert resumed.result(LONGEST_S).content == frame


def test_an_unfinished_event_at_the_end_passes_where_no_answer_is_due(pair):
    def end(arrival):
        arrival.begin()
        arrival.part(event(answer_to(arrival)) + b"data: and then")
        arrival.end()

    assert answered(pair, end).content.endswith(b"\n\ndata: and then")


def test_without_repair_nothing_is_added_to_a_stream_that_ends_without_an_answer():
    with gated(repair=False, retry=True, breaker=True) as pair:

        def end(arrival):
            arrival.begin()
            arrival.part(b": nothing\n\ndata: unfinis")
            arrival.end()

        assert answered(pair, end).content == b": nothing\n\ndata: unfinis"
        assert pair.app._app.record.failures == {"NETWORK_ERROR": 1}
        assert pair.app._app.record.repaired == 0


def test_a_name_written_in_escapes_is_no_way_to_be_answered_twice(pair):
    def answer(arrival):
        arrival.begin()
        arrival.part(event(rb'{"jsonrpc":"2.0","\u0069\u0064":1,"result":{"content":[]}}'))
        arrival.end()

    assert answered(pair, answer).content.count(b"data:") == 1


def test_a_json_rpc_error_with_status_400_becomes_a_result_unless_it_steers_the_client(pair):
    def refuse(code):
        return lambda arrival: respond(arrival, status="400 Bad Request", code=code, message="Unknown tool: pay")

    repaired = answered(pair, refuse(-32602))
    assert (repaired.status_code, repaired.json()["result"]["isError"]) == (200, True)
    steering = answered(pair, refuse(-32600))
    assert (steering.status_code, steering.json()["error"]["code"]) == (400, -32600)


def test_a_batch_of_one_stays_a_batch(pair):
    def answer(arrival):
        arrival.respond("200 OK", json.dumps([{"jsonrpc": "2.0", "id": 1, "result": BOOM}]).encode())

    message = json.dumps([call()]).encode()
    (only,) = answered(pair, answer, message, mcp_protocol_version="2025-03-26").json()
    assert text_in(only).startswith("Error [")


@pytest.mark.parametrize("begins", [False, True])
def test_the_calls_of_a_batch_whose_answers_are_lost_are_explained_one_by_one(pair, begins):
    def break_off(arrival):
        if begins:
            arrival.begin()
            arrival.part(event(b'{"jsonrpc":"2.0","id":1,"result":{}}'))
        arrival.break_off()

    message = json.dumps([request("ping", 1), call("pay", 2), request("ping", 3)]).encode()
    response = answered(pair, break_off, message, mcp_protocol_version="2025-03-26")
    lines = [line for line in response.text.splitlines() if "[" in line]
    answers = {each["id"]: each for each in json.loads(lines[-1].removeprefix("data: "))}
    assert sorted(answers) == ([2, 3] if begins else [1, 2, 3])
    assert fault_in(answers[2])["retry"] == "verify_first"
    assert answers[3]["error"]["code"] == -32603


def test_a_batch_without_calls_that_is_lost_is_a_bad_gateway(pair):
    message = json.dumps([request("ping", 1), request("ping", 2)]).encode()
    response = answered(pair, lambda arrival: arrival.break_off(), message, mcp_protocol_version="2025-03-26")
    assert (response.status_code, [each["id"] for each in response.json()]) == (502, [1, 2])


def test_a_compressed_answer_passes_as_it_is(pair):
    def answer(arrival):
        assert arrival.head.get("accept-encoding") == "identity"
        body = gzip.compress(answer_to(arrival, BOOM))
        arrival.respond("200 OK", body, [("Content-Encoding", "gzip")])

    assert text_in(answered(pair, answer).json()) == "boom"


# Who knows what.


def learn(pair, tools, **headers):
    response = pair.post(request("tools/list", 2), **headers)
    respond(pair.arrival(), {"tools": tools})
    response.result(LONGEST_S)


def verdict_for(pair, tool, **headers):
    response = pair.post(call(tool), **headers)
    pair.arrival().respond("504 Gateway Timeout")
    return fault_in(response.result(LONGEST_S).json())["retry"]


@pytest.mark.parametrize(
    "other",
    [
        {"authorization": "Bearer b"},
        {"authorization": "Bearer a", "cookie": "user=b"},
        {"authorization": "Bearer a", "x_api_key": "b"},
        {"authorization": "Bearer a", "mcp_api_key": "b"},
        {"authorization": "Bearer a", "x_workspan_tenant": "b"},
        {"authorization": "Bearer a", "path": "/b"},
        {"authorization": "Bearer a", "path": "?key=b"},
        {"authorization": "Bearer a", "mcp_session_id": "s-of-b"},
    ],
)
def test_the_list_of_one_user_is_not_used_for_another(pair, other):
    learn(
        pair, [{"name": "get_run", "annotations": {"readOnlyHint": True}, "inputSchema": {}}], authorization="Bearer a"
    )
    assert verdict_for(pair, "get_run", authorization="Bearer a") == "same_call"
    assert verdict_for(pair, "get_run", **other) != "same_call"


def test_a_tool_is_not_repeated_for_what_a_server_on_another_path_says_of_one_of_its_name():
    with gated(retry=NO_WAIT) as pair:
        for path, hint in (("/b", "destructiveHint"), ("/a", "readOnlyHint")):
            learn(pair, [{"name": "run", "annotations": {hint: True}, "inputSchema": {}}], path=path)
        response = pair.post(call("run"), path="/b")
        pair.arrival().break_off()
        assert fault_in(response.result(LONGEST_S).json())["retry"] == "verify_first"


def test_the_version_of_one_client_is_not_used_for_another(pair):
    answered(pair, respond, mcp_protocol_version=NEW)

    def end(arrival):
        arrival.begin()
        arrival.part(b"id: 7\ndata:\n\n")
        arrival.end()

    assert answered(pair, end, mcp_protocol_version="").content == b"id: 7\ndata:\n\n"


def test_a_list_is_learned_from_no_server_that_refuses_its_reader(pair):
    response = pair.post(request("tools/list"), authorization="Bearer thief")
    respond(pair.arrival(), {"tools": [{"name": "get_run", "annotations": {"readOnlyHint": True}}]}, status="401 No")
    response.result(LONGEST_S)
    assert verdict_for(pair, "get_run", authorization="Bearer thief") != "same_call"


def test_a_session_keeps_what_is_known_when_the_credential_is_renewed(pair):
    begun = pair.post(request("initialize", 1, protocolVersion=OLD), authorization="Bearer 1")
    respond(pair.arrival(), {"protocolVersion": OLD}, headers=[("Mcp-Session-Id", "s-long")])
    begun.result(LONGEST_S)
    session = {"mcp_session_id": "s-long", "mcp_protocol_version": OLD}
    learn(
        pair,
        [{"name": "get_run", "annotations": {"readOnlyHint": True}, "inputSchema": {}}],
        authorization="Bearer 1",
        **session,
    )
    answered(pair, respond, authorization="Bearer 2", **session)
    assert verdict_for(pair, "get_run", authorization="Bearer 2", **session) == "same_call"


@pytest.mark.parametrize("ending", ["DELETE", "404"])
def test_what_is_known_of_a_session_ends_with_it(pair, ending):
    session = {"mcp_session_id": f"s-{ending}", "mcp_protocol_version": OLD}
    learn(pair, [{"name": "get_run", "annotations": {"readOnlyHint": True}, "inputSchema": {}}], **session)
    assert verdict_for(pair, "get_run", **session) == "same_call"
    ended = pair.send("DELETE", **session) if ending == "DELETE" else pair.post(call(), **session)
    pair.arrival().respond("200 OK" if ending == "DELETE" else "404 Not Found")
    ended.result(LONGEST_S)
    assert verdict_for(pair, "get_run", **session) != "same_call"


# Repeating.


def counting(*responses):
    """Return a script that responds to calls in this order, and to lists; and what has arrived."""
    arrived = []

    def script(arrival):
        if arrival.method == "POST" and message_of(arrival).get("method") == "tools/list":
            respond(arrival, LIST)
        elif arrival.method == "POST" and message_of(arrival).get("method") == "tools/call":
            arrived.append(arrival)
            responses[min(len(arrived), len(responses)) - 1](arrival)
        else:
            arrival.respond("202 Accepted")

    return script, arrived


def refuse(arrival):
    arrival.respond("503 Service Unavailable", b"", [("Access-Control-Allow-Origin", "*")])


def stream(*parts, number=None):
    def answer(arrival):
        arrival.begin()
        for part in parts:
            arrival.part(event(part if isinstance(part, bytes) else answer_to(arrival, part), number))
        arrival.end()

    return answer


OF_ANOTHER_GATE = "errata-0123456789abcdef0123456789abcdef-Nw"
CANCELLATION = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
NOTE = b'{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"x"}}'
ASK = b'{"jsonrpc":"2.0","id":"ask-1","method":"sampling/createMessage","params":{}}'


def test_a_call_that_was_refused_is_repeated_with_an_id_of_its_own_and_without_its_progress_token():
    script, arrived = counting(refuse, respond)
    with gated(script, retry=NO_WAIT) as pair:
        sent = call("pay", 7, meta={"progressToken": 3, "x": 1})
        response = pair.post(sent).result(LONGEST_S)
    first, second = map(message_of, arrived)
    assert first == sent
    assert second["id"] != 7
    assert second["params"]["_meta"] == {"x": 1}
    assert (response.json()["id"], response.json()["result"]["_meta"]) == (7, {"errata/attempts": 2})
    assert response.json()["result"]["content"] == DONE["content"]


def test_the_events_of_a_repetition_reach_the_client_though_the_first_response_was_none():
    script, _ = counting(refuse, stream(NOTE, ASK, DONE))
    with gated(script, retry=NO_WAIT) as pair:
        messages = events_in(pair.post(call()).result(LONGEST_S))
    assert messages[:2] == [json.loads(NOTE), json.loads(ASK)]
    assert (messages[2]["id"], messages[2]["result"]["content"]) == (1, DONE["content"])


def test_a_repetition_that_is_answered_with_a_body_ends_the_stream_of_the_first_response():
    script, _ = counting(stream(NOTE, BUSY), respond)
    with gated(script, retry=NO_WAIT, effects={"pay": "read_only"}) as pair:
        messages = events_in(pair.post(call()).result(LONGEST_S))
    assert [message.get("id") for message in messages] == [None, 1]
    assert messages[1]["result"]["content"] == DONE["content"]


def test_a_server_that_leaves_its_stream_open_behind_the_answer_does_not_stop_the_repetition():
    def answer(arrival):
        arrival.begin()
        arrival.part(event(answer_to(arrival, BUSY)))

    script, _ = counting(answer, respond)
    with gated(script, retry=NO_WAIT, effects={"pay": "read_only"}) as pair:
        (message,) = events_in(pair.post(call()).result(LONGEST_S))
    assert message["result"]["content"] == DONE["content"]


@pytest.mark.parametrize("kind", ["body", "stream"])
def test_a_result_that_asks_for_input_is_passed_as_it_is_after_a_repetition(kind):
    asks = {"resultType": "input_required", "inputRequests": {}}
    script, _ = counting(refuse, (lambda arrival: respond(arrival, asks)) if kind == "body" else stream(asks))
    with gated(script, retry=NO_WAIT) as pair:
        response = pair.post(call()).result(LONGEST_S)
    message = response.json() if kind == "body" else events_in(response)[0]
    assert message == {"jsonrpc": "2.0", "id": 1, "result": asks}


@pytest.mark.parametrize("kind", ["body", "stream"])
def test_an_answer_that_is_nested_too_deep_is_the_only_one(kind):
    deep = '{"content":[],"structuredContent":{"id":7,"tree":' + "[" * 100_000 + "]" * 100_000 + "}}"

    def answer(arrival):
        data = f'{{"jsonrpc":"2.0","id":{message_of(arrival)["id"]},"result":{deep}}}'.encode()
        if kind == "body":
            arrival.respond("200 OK", data, [("Content-Type", "application/json")])
        else:
            arrival.begin()
            arrival.part(event(data))
            arrival.end()

    script, arrivals = counting(answer)
    with gated(script, retry=NO_WAIT, effects={"get_price": "read_only"}) as pair:
        response = pair.post(call("get_price")).result(LONGEST_S)
    assert response.text.count('"jsonrpc"') == 1
    assert deep in response.text
    assert len(arrivals) == 1


def test_a_repetition_that_the_server_refuses_to_this_client_is_refused_to_the_client():
    script, _ = counting(refuse, lambda arrival: arrival.respond("401 No", b"no", [("WWW-Authenticate", "Bearer")]))
    with gated(script, retry=NO_WAIT) as pair:
        response = pair.post(call()).result(LONGEST_S)
    assert (response.status_code, response.headers["www-authenticate"]) == (401, "Bearer")


@pytest.mark.parametrize(
    "lose",
    [
        lambda arrival: arrival.respond("504 Gateway Timeout"),
        lambda arrival: arrival.respond("500 Internal Server Error"),
        lambda arrival: arrival.break_off(),
        lambda arrival: (arrival.begin(), arrival.part(b": on my way\n\n"), arrival.break_off()),
        lambda arrival: (arrival.begin(), arrival.end()),
        lambda arrival: respond(arrival, BUSY),
        lambda arrival: respond(
            arrival, {"content": [{"type": "text", "text": "Your card was declined."}], "isError": True}
        ),
    ],
)
@pytest.mark.parametrize("era", ERAS)
def test_a_payment_whose_answer_is_lost_is_made_once(lose, era):
    script, arrived = counting(lose)
    with gated(script, retry=NO_WAIT) as pair:
        pair.post(request("tools/list", 9), mcp_protocol_version=era).result(LONGEST_S)
        response = pair.post(call("pay"), mcp_protocol_version=era).result(LONGEST_S)
    assert len(arrived) == 1
    assert b'"isError":true' in response.content.replace(b" ", b"")


def test_a_lost_answer_of_a_tool_that_only_reads_is_asked_for_again():
    script, arrived = counting(lambda arrival: arrival.break_off(), stream(NOTE, DONE))
    with gated(script, retry=NO_WAIT) as pair:
        pair.post(request("tools/list", 9)).result(LONGEST_S)
        messages = events_in(pair.post(call("get_price")).result(LONGEST_S))
    assert len(arrived) == 2
    assert messages[-1]["result"]["content"] == DONE["content"]


def test_the_last_failure_says_how_often_the_call_was_made():
    script, arrived = counting(refuse)
    with gated(script, retry=NO_WAIT) as pair:
        response = pair.post(call()).result(LONGEST_S)
    assert len(arrived) == 3
    assert "3 attempts" in text_in(response.json())
    assert response.json()["result"]["_meta"]["errata/attempts"] == 3
    assert response.headers["access-control-allow-origin"] == "*"


def test_a_breaker_that_opens_between_two_attempts_still_leaves_the_call_an_answer():
    script, arrived = counting(refuse)
    with gated(script, retry=NO_WAIT, breaker=Breaker("till-between", failures=1)) as pair:
        response = pair.post(call()).result(LONGEST_S)
    assert len(arrived) == 1
    assert fault_in(response.json())["code"] == "CIRCUIT_OPEN"


def test_an_open_breaker_answers_calls_and_passes_everything_else():
    script, arrived = counting(refuse)
    with gated(script, breaker=Breaker("till-open", failures=1)) as pair:
        pair.post(call()).result(LONGEST_S)
        refused = pair.post(call("pay", "x")).result(LONGEST_S).json()
        listed = pair.post(request("tools/list", 9)).result(LONGEST_S).json()
    assert len(arrived) == 1
    assert (refused["id"], fault_in(refused)["code"]) == ("x", "CIRCUIT_OPEN")
    assert listed["result"] == LIST


def test_a_cancellation_reaches_the_attempt_that_is_alive_and_ends_the_repeating():
    with gated(retry=NO_WAIT) as pair:
        session = {"mcp_session_id": "s-1", "mcp_protocol_version": OLD}
        answered(pair, respond, **session)
        response = pair.post(call("pay", 7), **session)
        pair.arrival().respond("503 Service Unavailable")
        alive = pair.arrival()
        alive.begin()
        cancelled = pair.post(
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7, "reason": "x"}},
            **session,
        )
        arrival = pair.arrival()
        assert message_of(arrival)["params"] == {"requestId": message_of(alive)["id"], "reason": "x"}
        arrival.respond("202 Accepted")
        alive.end()
        assert cancelled.result(LONGEST_S).status_code == 202
        assert response.result(LONGEST_S).content == b""


@pytest.mark.parametrize("renewed", [{"cookie": "node=2"}, {"authorization": "Bearer 2"}])
def test_a_cancellation_with_a_renewed_credential_ends_the_repeating_if_the_server_accepts_it(renewed):
    with gated(retry=NO_WAIT) as pair:
        session = {"mcp_session_id": "s-1", "mcp_protocol_version": OLD}
        answered(pair, respond, cookie="node=0", **session)
        response = pair.post(call("pay", 7), cookie="node=1", **session)
        pair.arrival().respond("503 Service Unavailable")
        alive = pair.arrival()
        cancelled = pair.post(CANCELLATION, **renewed, **session)
        arrival = pair.arrival()
        assert message_of(arrival)["params"] == {"requestId": message_of(alive)["id"]}
        arrival.respond("202 Accepted")
        cancelled.result(LONGEST_S)
        alive.respond("503 Service Unavailable")
        assert fault_in(response.result(LONGEST_S).json())["code"] == "SERVICE_UNAVAILABLE"
        assert pair.arrived.take(timeout_s=0) is None


def test_a_cancellation_that_the_server_refuses_ends_nothing():
    with gated(retry=NO_WAIT) as pair:
        session = {"mcp_session_id": "s-1", "mcp_protocol_version": OLD}
        answered(pair, respond, authorization="Bearer a", **session)
        health = pair.send("GET", path="/health", authorization="Bearer b", **session)
        pair.arrival().respond("200 OK", b"{}")
        health.result(LONGEST_S)
        response = pair.post(call("pay", 7), authorization="Bearer a", **session)
        pair.arrival().respond("503 Service Unavailable")
        alive = pair.arrival()
        cancelled = pair.post(CANCELLATION, authorization="Bearer b", **session)
        pair.arrival().respond("401 Unauthorized")
        assert cancelled.result(LONGEST_S).status_code == 401
        alive.respond("503 Service Unavailable")
        respond(pair.arrival())
        assert response.result(LONGEST_S).json()["result"]["content"] == DONE["content"]


@pytest.mark.parametrize("is_accepted", [True, False])
def test_no_attempt_begins_while_a_cancellation_is_on_its_way(is_accepted):
    with gated(retry=NO_WAIT) as pair:
        session = {"mcp_session_id": "s-1", "mcp_protocol_version": OLD}
        response = pair.post(call("pay", 7), **session)
        first = pair.arrival()
        cancelled = pair.post(CANCELLATION, **session)
        arrival = pair.arrival()
        first.respond("503 Service Unavailable")
        assert pair.arrived.take(timeout_s=0.3) is None
        arrival.respond("202 Accepted" if is_accepted else "401 Unauthorized")
        cancelled.result(LONGEST_S)
        if not is_accepted:
            respond(pair.arrival())
        message = response.result(LONGEST_S).json()
        assert pair.arrived.take(timeout_s=0) is None
        assert message["result"].get("isError", False) is is_accepted


@pytest.mark.parametrize("other", [{"mcp_session_id": "s-2"}, {"mcp_session_id": "s-1", "path": "/b"}, {}])
def test_the_cancellation_of_one_client_does_not_reach_the_call_of_another(other):
    with gated(retry=NO_WAIT) as pair:
        session = {"mcp_session_id": "s-1", "mcp_protocol_version": OLD}
        answered(pair, respond, **session)
        response = pair.post(call("pay", 7), **session)
        pair.arrival().respond("503 Service Unavailable")
        alive = pair.arrival()
        cancelled = pair.post(CANCELLATION, **other)
        arrival = pair.arrival()
        assert message_of(arrival)["params"] == {"requestId": 7}
        arrival.respond("202 Accepted")
        cancelled.result(LONGEST_S)
        alive.respond("503 Service Unavailable")
        respond(pair.arrival())
        assert response.result(LONGEST_S).json()["result"]["content"] == DONE["content"]


def test_the_answer_to_a_repetition_that_comes_on_a_resumed_stream_has_the_id_of_the_client():
    session = {"mcp_session_id": "s-1", "mcp_protocol_version": OLD}
    with gated(retry=NO_WAIT) as pair:
        answered(pair, respond, **session)
        response = pair.post(call("pay", 7), **session)
        pair.arrival().respond("503 Service Unavailable")
        alive = pair.arrival()
        alive.begin()
        alive.part(b"id: 1\ndata:\n\n")
        alive.end()
        assert response.result(LONGEST_S).content == b"id: 1\ndata:\n\n"
        resumed = pair.send("GET", accept="text/event-stream", last_event_id="1", **session)
        arrival = pair.arrival()
        arrival.begin()
        arrival.part(event(answer_to(alive), 2) + event(answer_to(alive, BOOM), 3))
        arrival.end()
        (done,) = [message for message in events_in(resumed.result(LONGEST_S)) if message["id"] == 7]
        assert done["result"]["content"] == DONE["content"]


def resumed(pair, frame, **headers):
    """Send for a stream once more; gives the messages that come there."""
    response = pair.send("GET", accept="text/event-stream", last_event_id="1", **headers)
    arrival = pair.arrival()
    arrival.begin()
    arrival.part(frame)
    arrival.end()
    return events_in(response.result(LONGEST_S))


def interrupted(pair, sent, **headers):
    """Make a call that is repeated, and whose second stream ends before the answer; gives the second request."""
    response = pair.post(sent, **headers)
    pair.arrival().respond("503 Service Unavailable")
    alive = pair.arrival()
    alive.begin()
    alive.part(b"id: 1\ndata:\n\n")
    alive.end()
    response.result(LONGEST_S)
    return alive


@pytest.mark.parametrize("number", [7, "seven", "7", 1.5, "\u00e9\ud800", "x" * 150, OF_ANOTHER_GATE])
@pytest.mark.parametrize("change", ["large", "cookie", "gate"])
def test_the_answer_to_a_repetition_has_the_id_of_the_client_wherever_it_comes(change, number):
    session = {"mcp_session_id": "s-1", "mcp_protocol_version": OLD}
    with gated(retry=NO_WAIT) as pair, serving(asgi(pair.upstream, name="till")) as other:
        answered(pair, respond, **session)
        alive = interrupted(pair, call("pay", number, text="x" * (33_000 if change == "large" else 1)), **session)
        if change == "cookie":
            session["cookie"] = "node=2"
        if change == "gate":
            pair.url = f"{other}/mcp"
        (message,) = resumed(pair, event(answer_to(alive), 2), **session)
    assert message == {"jsonrpc": "2.0", "id": number, "result": DONE}


def test_a_very_long_id_is_remembered_where_the_one_of_a_repetition_cannot_hold_it():
    session = {"mcp_session_id": "s-1", "mcp_protocol_version": OLD}
    with gated(retry=NO_WAIT) as pair:
        answered(pair, respond, **session)
        alive = interrupted(pair, call("pay", "x" * 5_000), **session)
        assert len(message_of(alive)["id"]) < 50
        (message,) = resumed(pair, event(answer_to(alive), 2), **session)
    assert message["id"] == "x" * 5_000


def test_the_answer_to_a_large_call_is_repaired_on_a_resumed_stream():
    session = {"mcp_session_id": "s-1", "mcp_protocol_version": OLD}
    with gated(retry=NO_WAIT) as pair:
        answered(pair, respond, **session)
        alive = interrupted(pair, call("pay", 7, text="x" * 100_000), **session)
        (message,) = resumed(pair, event(answer_to(alive, BOOM), 2), **session)
    assert message["id"] == 7
    assert text_in(message).startswith("Error [")


@pytest.mark.parametrize("is_known", [True, False])
def test_the_answer_to_a_repetition_has_the_id_of_the_client_through_two_gates(is_known):
    session = {"mcp_session_id": "s-1", "mcp_protocol_version": OLD}
    with (
        gated(keep_protocol_errors=True) as pair,
        serving(asgi(pair.url, retry=NO_WAIT, name="outer")) as outer,
    ):
        pair.url = f"{outer}/mcp"
        answered(pair, respond, **session)
        alive = interrupted(pair, call("pay", 7), **session)
        if not is_known:
            session["cookie"] = "node=2"
        (message,) = resumed(pair, event(answer_to(alive), 2), **session)
    assert message["id"] == 7


def test_an_id_of_a_client_that_looks_like_one_of_a_repetition_is_its_own():
    session = {"mcp_session_id": "s-1", "mcp_protocol_version": OLD}
    script, arrived = counting(respond, stream(DONE), refuse, respond, refuse, stream(DONE))
    with gated(script, retry=NO_WAIT) as pair:
        for _ in range(4):
            response = pair.post(call("pay", OF_ANOTHER_GATE), **session).result(LONGEST_S)
            assert OF_ANOTHER_GATE in response.text
    assert [message_of(each)["id"] == OF_ANOTHER_GATE for each in arrived] == [True, True, True, False, True, False]


@pytest.mark.parametrize("kind", ["body", "stream"])
def test_an_answer_to_a_repetition_that_comes_in_an_array_has_the_id_of_the_client(kind):
    def answer(arrival):
        frame = b"[" + answer_to(arrival) + b"]"
        if kind == "body":
            arrival.respond("200 OK", frame)
        else:
            stream(frame)(arrival)

    script, _ = counting(refuse, answer)
    with gated(script, retry=NO_WAIT) as pair:
        text = pair.post(call("pay", 7)).result(LONGEST_S).text
    (message,) = json.loads(text[text.index("[") :])
    assert (message["id"], message["result"]["_meta"]) == (7, {"errata/attempts": 2})


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br"])
@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
def test_a_compressed_answer_to_a_repetition_has_the_id_of_the_client_or_is_lost(encoding, kind):
    def answer(arrival):
        compress = {"gzip": gzip.compress, "deflate": zlib.compress, "br": bytes}[encoding]
        frame = answer_to(arrival) if kind == "application/json" else event(answer_to(arrival))
        arrival.respond("200 OK", compress(frame), [("Content-Encoding", encoding)], content_type=kind)

    script, arrived = counting(refuse, answer)
    with gated(script, retry=NO_WAIT) as pair:
        response = pair.post(call("pay", 7)).result(LONGEST_S)
    message = json.loads(response.text[response.text.index("{") :])
    assert "content-encoding" not in response.headers
    assert (len(arrived), message["id"]) == (2, 7)
    if encoding == "br":
        assert fault_in(message)["retry"] == "verify_first"
    else:
        assert message["result"]["content"] == DONE["content"]


def test_two_gates_in_front_of_one_server_repeat_under_different_ids():
    script, arrived = counting(refuse)
    with gated(script, retry=NO_WAIT) as pair:
        pair.post(call("pay", 7)).result(LONGEST_S)
        with serving(asgi(pair.upstream, retry=NO_WAIT)) as other:
            pair.url = f"{other}/mcp"
            pair.post(call("pay", 7)).result(LONGEST_S)
    repeated = [message_of(arrival)["id"] for arrival in arrived if message_of(arrival)["id"] != 7]
    assert len(set(repeated)) == len(repeated) == 4


@pytest.mark.parametrize(("status", "code"), [("401 Unauthorized", "UNAUTHORIZED"), ("404 Not Found", "NOT_FOUND")])
def test_a_repetition_that_the_protocol_refuses_is_the_last_one_and_says_so(status, code):
    with gated(retry=NO_WAIT) as pair:
        answered(pair, lambda arrival: respond(arrival, LIST), request("tools/list"))
        response = pair.post(call("get_price", 7))
        arrival = pair.arrival()
        arrival.begin()
        arrival.part(event(answer_to(arrival, BUSY)))
        arrival.end()
        pair.arrival().respond(status, b"no")
        (done,) = events_in(response.result(LONGEST_S))
        assert fault_in(done)["code"] == code
        assert fault_in(done)["retry"] != "same_call"
        assert pair.arrived.take(timeout_s=0) is None


def test_a_repaired_answer_keeps_no_hash_of_the_one_that_it_was():
    hashes = [("ETag", '"1"'), ("Content-MD5", "x"), ("Digest", "y"), ("X-Other", "z")]
    with gated() as pair:
        for result, kept in ((BOOM, {"x-other"}), (DONE, {"x-other", "etag", "content-md5", "digest"})):
            response = pair.post(call())
            respond(pair.arrival(), result, headers=hashes)
            names = set(response.result(LONGEST_S).headers)
            assert names & {"etag", "content-md5", "digest", "x-other"} == kept
