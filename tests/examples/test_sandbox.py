"""Does the sandbox behind the example servers fail exactly as it is told, and only then?"""

import json
import socket
import threading
import time

import httpx2
import pytest
from upstreams import Reply, Upstream, _sandbox

SHORT = httpx2.Timeout(5, read=0.2)
NO_TLS = False  # To load the certificates takes longer than a test.
API_KEY = "sk-sandbox-0f3b7a91c2d4e6f8"
LONGER_THAN_ANY_CLIENT_S = 600


def shop(request):
    """Answer with what was asked, so that a test sees what arrived."""
    return Reply({"method": request.method, "path": request.path, "query": request.query, "body": request.body})


@pytest.fixture
def upstream():
    with Upstream(shop) as upstream:
        yield upstream


@pytest.fixture
def http(upstream):
    with httpx2.Client(base_url=upstream.url, timeout=10, verify=NO_TLS) as http:
        yield http


def send_raw(upstream, sent):
    """Send bytes that no client would, and give all that comes back before the connection is closed."""
    address = ("127.0.0.1", int(upstream.url.rpartition(":")[2]))
    with socket.create_connection(address, timeout=10) as connection:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(65536), b""))


def test_an_app_is_asked_with_what_was_sent(http):
    answer = http.post("/orders/17%2Fb/é?limit=5&q=a%20b", json={"note": "ü"})

    assert answer.json() == {
        "method": "POST",
        "path": ["orders", "17/b", "é"],
        "query": {"limit": "5", "q": "a b"},
        "body": {"note": "ü"},
    }


def test_a_body_that_is_not_json_is_text_and_none_is_none(http):
    assert http.post("/", content=b"\xff plain").json()["body"] == "\N{REPLACEMENT CHARACTER} plain"
    assert http.get("/").json()["body"] is None


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
def test_every_method_reaches_the_app(http, method):
    assert http.request(method, "/orders").json()["method"] == method


@pytest.mark.parametrize("status", [400, 401, 404, 418, 429, 451, 499, 500, 503, 599])
def test_a_status_comes_with_an_explanation_and_a_secret(http, status):
    answer = http.get(f"/orders/answer-{status}")

    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["message"].endswith(".")
    assert answer.json()["debug"] == {"api_key": API_KEY}
    assert "retry-after" not in answer.headers


@pytest.mark.parametrize(("told", "status", "wait"), [("429-after-17", 429, "17"), ("503-after-0", 503, "0")])
def test_a_wait_is_a_header(http, told, status, wait):
    answer = http.get(f"/orders/answer-{told}")

    assert (answer.status_code, answer.headers["retry-after"]) == (status, wait)


def test_garbage_is_a_200_that_is_not_the_json_it_claims_to_be(http):
    answer = http.get("/orders/answer-garbage")

    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    with pytest.raises(ValueError, match="utf-8"):
        answer.json()


def test_a_hang_is_no_answer_for_as_long_as_anyone_waits(http):
    with pytest.raises(httpx2.ReadTimeout):
        http.get("/orders/answer-hang", timeout=SHORT)


def test_a_closed_connection_is_one_without_an_answer(http):
    with pytest.raises(httpx2.RemoteProtocolError, match="without sending a response"):
        http.get("/orders/answer-close")


@pytest.mark.parametrize(
    "request_",
    [
        {"url": "/orders/answer-503"},
        {"url": "/orders/17/answer-503/lines"},
        {"url": "/orders", "params": {"q": "all of answer-503, please"}},
        {"url": "/orders", "json": {"order": {"lines": [{"note": "answer-503"}]}}},
        {"url": "/orders", "json": ["a", ["answer-503"]]},
        {"url": "/orders", "content": "answer-503"},
        {"url": "/orders/%61nswer-503"},
    ],
    ids=str,
)
def test_one_request_is_told_by_a_value_anywhere_in_it(http, request_):
    assert http.request("POST", **request_).status_code == 503
    assert http.post("/orders").status_code == 200


@pytest.mark.parametrize(
    "word", ["answer-", "answer-302", "answer-600", "answer-5031", "answer-hangover", "503", "hang"]
)
def test_what_is_no_order_is_none(http, word):
    assert http.get(f"/orders/{word}").status_code == 200


def test_all_requests_are_told_until_told_otherwise(upstream, http):
    upstream.tell("503")
    assert [http.get("/orders").status_code for _ in range(3)] == [503] * 3

    upstream.tell("429-after-17")
    assert http.get("/orders").headers["retry-after"] == "17"

    upstream.tell(None)
    assert http.get("/orders").status_code == 200


@pytest.mark.parametrize("body", [{"json": "503"}, {"json": 503}, {"content": "503"}], ids=str)
def test_another_process_tells_it_over_http(http, body):
    assert http.put("/_answer", **body).json() == {"answer": "503", "requests": 0}
    assert http.get("/orders").status_code == 503
    assert http.get("/_answer").json() == {"answer": "503", "requests": 1}
    assert http.delete("/_answer").json() == {"answer": None, "requests": 1}
    assert http.get("/orders").status_code == 200


@pytest.mark.parametrize(
    ("order", "named"),
    [
        ("302", "'302'"),
        (200, "200"),
        ("answer-503", "'answer-503'"),
        ("429-after-soon", "'429-after-soon'"),
        ("", "''"),
        (True, "True"),
        (503.0, "503.0"),
        (None, "None"),
        ([503], "[503]"),
        ({"status": 503}, "{'status': 503}"),
        ("x" * 100_000, "...x"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_bad_order_is_refused_and_says_what_a_good_one_is(http, order, named):
    http.put("/_answer", json=503)

    refused = http.put("/_answer", json=order)

    assert refused.status_code == 422
    assert named in refused.json()["message"]
    assert refused.json()["message"].endswith(
        "Tell it a status from 400 to 599 (`429-after-17` with a wait), `garbage`, `hang` or `close`."
    )
    assert len(refused.json()["message"]) < 300
    assert http.get("/_answer").json()["answer"] == "503"


def test_a_bad_order_in_the_same_process_is_a_value_error(upstream):
    with pytest.raises(ValueError, match=r"cannot answer '302'\. Tell it a status from 400 to 599"):
        upstream.tell("302")


def test_orders_are_given_with_put_and_ended_with_delete(http):
    refused = http.post("/_answer", json=503)

    assert refused.status_code == 405
    assert refused.json() == {"message": "POST is no order. Give one with PUT, end it with DELETE."}
    assert http.get("/orders").status_code == 200


def test_it_can_be_talked_to_while_it_is_told_to_fail(http):
    http.put("/_answer", json="close")
    with pytest.raises(httpx2.RemoteProtocolError):
        http.get("/orders")

    assert http.delete("/_answer").json()["answer"] is None


def test_requests_are_counted_however_they_are_answered(upstream, http):
    for path in ("/orders", "/orders/answer-503", "/orders/answer-garbage"):
        http.get(path)
    with pytest.raises(httpx2.RemoteProtocolError):
        http.get("/orders/answer-close")
    http.get("/_answer")

    assert upstream.requests == 4


def test_no_request_is_lost_to_the_count(upstream):
    def ask():
        with httpx2.Client(base_url=upstream.url, timeout=10, verify=NO_TLS) as http:
            for _ in range(20):
                http.get("/orders/answer-503")

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert upstream.requests == 160


def test_one_that_hangs_holds_up_no_other(upstream, http):
    with socket.create_connection(("127.0.0.1", int(upstream.url.rpartition(":")[2]))) as hanging:
        hanging.sendall(b"GET /answer-hang HTTP/1.1\r\n\r\n")

        assert http.get("/orders").status_code == 200


def test_a_body_of_10_mb_is_taken_to_its_end_before_it_is_refused(upstream):
    answer = send_raw(upstream, b"POST /orders HTTP/1.1\r\nContent-Length: 10000000\r\n\r\n" + b"x" * 10_000_000)

    assert answer.startswith(b"HTTP/1.1 413 ")


def test_a_body_of_10_mb_is_refused_in_words_and_the_next_request_is_not(http):
    refused = http.post("/orders", content=b"x" * 10_000_000)

    assert refused.status_code == 413
    assert refused.json() == {"message": "The body has 10000000 bytes; the most are 1000000."}
    assert http.get("/orders").status_code == 200


def test_a_body_of_unknown_length_is_refused(http):
    assert http.post("/orders", content=iter([b"GET /answer-503 HTTP/1.1\r\n\r\n"])).status_code == 411
    assert http.get("/orders").status_code == 200


@pytest.mark.parametrize("length", [b"abc", b"-5", b"1e3", b"", b"9" * 5000, "\N{SUPERSCRIPT TWO}".encode()], ids=repr)
def test_a_length_that_is_no_number_is_refused(upstream, http, capfd, length):
    answer = send_raw(upstream, b"POST /orders HTTP/1.1\r\nContent-Length: " + length + b"\r\n\r\n{}")

    assert answer.startswith(b"HTTP/1.1 411 ")
    assert answer.count(b"HTTP/1.1") == 1  # What follows is the rest of the body, and no request.
    assert b"The length of the body is missing, or is not a number." in answer
    assert http.get("/orders").status_code == 200
    assert capfd.readouterr() == ("", "")


def test_a_body_that_breaks_off_is_dropped(upstream, http, capfd):
    assert send_raw(upstream, b"POST /orders HTTP/1.1\r\nContent-Length: 900\r\n\r\n{") == b""
    assert http.get("/_answer").json()["requests"] == 0
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "line",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"hello",
        b"GET / / HTTP/1.1",
        b"GET / HTTP/one",
        b"POST /",
        b"GET http://[ HTTP/1.1",
        b"GET /" + b"a" * 65_540 + b" HTTP/1.1",
        b"BREW /coffee HTTP/1.1",
    ],
    ids=lambda line: str(line[:20]),
)
def test_a_line_that_is_no_request_is_refused_in_json(upstream, http, capfd, line):
    answer = send_raw(upstream, line + b"\r\n\r\n")
    head, _, body = answer.partition(b"\r\n\r\n")

    assert head.split()[0] == b"HTTP/1.1"
    assert 400 <= int(head.split()[1]) < 600
    assert json.loads(body)["message"]
    assert http.get("/orders").status_code == 200
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("depth", [100, 900, 1_000, 400_000])
def test_json_that_is_nested_too_deeply_is_not_read_and_costs_nothing(http, capfd, depth):
    body = "[" * depth + "]" * depth

    assert http.post("/orders/answer-503", content=body).status_code == 503
    assert http.put("/_answer", content=body).status_code == 422
    assert capfd.readouterr() == ("", "")


def test_clients_that_hang_up_are_not_worth_a_traceback(upstream, http, capfd):
    with socket.create_connection(("127.0.0.1", int(upstream.url.rpartition(":")[2]))) as rude:
        rude.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
        rude.sendall(b"POST /orders HTTP/1.1\r\nContent-Length: 9")

    assert http.get("/orders").status_code == 200
    assert capfd.readouterr() == ("", "")


def test_closing_while_one_hangs_ends_it(monkeypatch):
    monkeypatch.setattr(_sandbox, "_LONGEST_HANG_S", LONGER_THAN_ANY_CLIENT_S)
    ended = threading.Event()

    def wait_for_an_answer(url):
        with pytest.raises(httpx2.RemoteProtocolError):
            httpx2.get(f"{url}/answer-hang", timeout=60)
        ended.set()

    with Upstream(shop) as upstream:
        waiting = threading.Thread(target=wait_for_an_answer, args=(upstream.url,))
        waiting.start()
        while waiting.is_alive() and not upstream.requests:
            time.sleep(0)

    waiting.join()
    assert ended.is_set()


def test_what_is_closed_answers_no_more_even_where_a_connection_is_left():
    with httpx2.Client() as http:
        with Upstream(shop) as upstream:
            assert http.get(f"{upstream.url}/orders").status_code == 200

        with pytest.raises(httpx2.TransportError):
            http.get(f"{upstream.url}/orders")
