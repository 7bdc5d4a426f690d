"""What the gate lets through to its one server, for whom, and what it says when the server is not there."""

import asyncio
import http.client
import json
import logging
import socket
import ssl
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple
from urllib.parse import quote

import anyio
import httpx2
import pytest
import uvicorn
from gate.fidelity_server import kept_port
from hypothesis import given, strategies as st
from starlette.applications import Starlette
from starlette.routing import Mount
from support.gated_http import (
    BOOM,
    DONE,
    LONGEST_S,
    NEW,
    OLD,
    answer_to,
    call,
    fault_in,
    gated,
    head,
    message_of,
    request,
    respond,
    serving,
    text_in,
)
from support.instant_waits import NO_WAIT, Patience

from errata.gate import Gatekeeper, GateOptions, GateRecord, asgi, serve
from errata.gate._reverse_proxy import ReverseProxy, read_body
from errata.resilience import Breaker, retry


@pytest.fixture(scope="module")
def pair():
    def script(arrival):
        pair.arrived.put(arrival)
        if message_of(arrival).get("method") == "tools/call":
            respond(arrival)
        else:
            arrival.respond("200 OK", b"{}", [("Set-Cookie", "user=a")])

    with gated(script, hosts=["gate.example"], origins=["https://page.example"]) as pair:
        yield pair


def exchange(pair, raw):
    """Send bytes to the gate; return the status of its response."""
    host, port = pair.url.removeprefix("http://").removesuffix("/mcp").split(":")
    with socket.create_connection((host, int(port)), timeout=LONGEST_S) as connection:
        connection.sendall(raw)
        response = http.client.HTTPResponse(connection)
        response.begin()
        return response.status


def ask(pair, target="/mcp", *headers, method="GET", host="127.0.0.1"):
    lines = [f"{method} {target} HTTP/1.1", f"Host: {host}", "Connection: close", *headers, "", ""]
    return exchange(pair, "\r\n".join(lines).encode("latin-1"))


# For whom.


@pytest.mark.parametrize("host", ["127.0.0.1:1", "localhost", "[::1]:8700", "gate.example", "GATE.example:80"])
def test_a_client_that_knows_the_gate_by_its_name_is_let_in(pair, host):
    assert ask(pair, host=host) == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost@evil.example", "[::1", "", "testserver", "0.0.0.0:80"]
)
def test_a_name_that_somebody_else_has_given_to_this_machine_is_refused(pair, host):
    assert ask(pair, host=host) == 421


@pytest.mark.parametrize("origin", ["https://page.example", "http://localhost:5173", "http://127.0.0.1"])
def test_a_web_page_that_may_use_the_gate_does(pair, origin):
    assert ask(pair, "/mcp", f"Origin: {origin}") == 200


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "null",
        "https://page.example.evil.example",
        "file://localhost",
        "https://localhost@evil",
        "x",
    ],
)
def test_another_web_page_is_refused(pair, origin):
    assert ask(pair, "/mcp", f"Origin: {origin}") == 403


@pytest.mark.parametrize("host", ["gate.example:8700", "[fd00::1]", "fd00::1", "GATE.example"])
def test_a_name_may_be_given_as_it_is_in_an_address(host):
    app = asgi("http://127.0.0.1:9/mcp", hosts=[host])
    name = "gate.example:8700" if "gate" in host.lower() else "[fd00::1]:8700"
    assert status_of(app, "/elsewhere", [(b"host", name.encode())]) == 404
    assert status_of(app, "/elsewhere", [(b"host", b"other.example")]) == 421


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"hosts": ["https://gate.example"]}, ValueError),
        ({"hosts": ["gate.example/mcp"]}, ValueError),
        ({"hosts": "gate.example"}, TypeError),
        ({"origins": "https://page.example"}, TypeError),
    ],
)
def test_what_no_request_could_match_is_refused_at_the_start(settings, error):
    for server in ("http://127.0.0.1:9/mcp", _nowhere):
        with pytest.raises(error, match="Write it"):
            asgi(server, **settings)


@pytest.mark.parametrize(
    ("settings", "host", "origin", "status"),
    [
        ({}, b"any.example", b"https://any.example", 204),
        ({"hosts": ["gate.example"]}, b"any.example", None, 421),
        ({"hosts": ["gate.example"]}, b"gate.example", b"https://page.example", 403),
        ({"origins": ["https://page.example"]}, b"any.example", b"https://page.example", 204),
        ({"origins": ["https://page.example"]}, b"any.example", b"https://any.example", 403),
    ],
)
def test_an_application_checks_names_itself_unless_the_gate_is_given_some(settings, host, origin, status):
    async def application(_, __, send):
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    headers = [(b"host", host), *([(b"origin", origin)] if origin else [])]
    assert status_of(asgi(application, **settings), "/mcp", headers) == status


def test_the_address_that_stands_for_all_addresses_is_no_name_of_the_gate(monkeypatch):
    configs = []
    monkeypatch.setattr(uvicorn.Server, "run", lambda server, _: configs.append(server.config))
    monkeypatch.setattr(socket, "create_server", lambda *_, **__: None)  # It would be open to all the network.
    keeper = Gatekeeper(GateOptions.of({}), GateRecord("till"))
    serve(keeper, "http://127.0.0.1:9/mcp", "0.0.0.0:0", hosts=["gate.example"])
    (config,) = configs
    assert config.timeout_keep_alive > 60
    assert status_of(config.app, "/elsewhere", [(b"host", b"gate.example:1")]) == 404
    assert status_of(config.app, "/elsewhere", [(b"host", b"0.0.0.0:1")]) == 421


def status_of(app, path, headers):
    """Return the status that an application answers a request with."""
    return asyncio.run(messages_of(app, path, headers))[0]["status"]


async def messages_of(app, path, headers, body=b"", /, **changes):
    """Return what an application answers a request with, without a server."""
    scope = {"type": "http", "method": "POST" if body else "GET", "path": path, "raw_path": path.encode()}
    messages, parts = [], [{"type": "http.request", "body": body}]

    async def receive():
        return parts.pop() if parts else await anyio.sleep_forever()

    async def send(message):
        messages.append(message)

    client = ("127.0.0.1", 1)
    await app({**scope, "query_string": b"", "headers": headers, "client": client, **changes}, receive, send)
    return messages


@pytest.mark.parametrize("twice", [("Host: localhost",), ("Origin: http://localhost", "Origin: https://evil.example")])
def test_two_names_are_none(pair, twice):
    assert ask(pair, "/mcp", *twice) == 400


# What, and where to.


@pytest.mark.parametrize(
    "target",
    [
        "/mcp/../admin",
        "/mcp/%2e%2e/admin",
        "/mcp/%2E%2E%2Fadmin",
        "/mcp/..%5cadmin",
        "/mcp/%252e%252e/admin",
        "/mcp/x/%25252e%25252e%25252fadmin",
        "/.well-known/../admin",
        "//evil.example/mcp",
        "/admin",
        "/mcpx",
        "/mcp/..;/admin",
        "/mcp/%2e%2e;x=1/admin",
        "/.well-known/..%3b/admin",
        "/mcp/%20../admin",
        "/mcp/..%00/admin",
        "/mcp/.%09./admin",
        "/mcp/%c0%ae%c0%ae/admin",
        "/mcp/%u002e%u002e/admin",
        "/mcp/%2525252561",
        "http://localhost/admin",
        "http://localhost/mcp/../admin",
    ],
)
def test_what_is_not_the_address_of_the_server_or_below_it_is_not_found(pair, target):
    pair.arrived.clear()
    assert ask(pair, target) == 404
    assert pair.arrived.take(timeout_s=0) is None


@given(
    st.lists(
        st.sampled_from(
            ["..", ".", "%2e", "%2E", "%252e", "%2f", "/", "\\", "%5c", "mcp", "admin", "%25", ";", "%3b", "%20", "%00"]
        ),
        max_size=9,
    )
)
def test_no_way_to_write_a_path_leads_out_of_the_address(parts):
    reached = []

    async def remember(scope, _, __):
        reached.append(scope)

    proxy = ReverseProxy("http://127.0.0.1:9/mcp")
    proxy._pass = lambda _, path, *__: remember(path, None, None)
    target = "/mcp/" + "".join(parts)
    scope = {"type": "http", "method": "GET", "path": target, "raw_path": target.encode(), "headers": []}
    asyncio.run(proxy(scope, None, _nowhere))
    for path in reached:
        assert path.startswith("/mcp/")
        steps = httpx2.URL(f"http://x{path}").path.replace("\\", "/").split("/")
        assert ".." not in {step.partition(";")[0].strip(" \0") for step in steps}


async def _nowhere(_):
    """Send it nowhere."""


@pytest.mark.parametrize("target", ["http://evil.example/mcp", "HTTPS://localhost@evil.example/mcp", "http:///mcp"])
def test_a_target_with_a_name_that_is_not_the_gates_is_refused(pair, target):
    pair.arrived.clear()
    assert ask(pair, target) == 421
    assert pair.arrived.take(timeout_s=0) is None


def test_a_target_with_the_name_of_the_gate_is_the_path_in_it(pair):
    pair.arrived.clear()
    assert ask(pair, "http://localhost:1/mcp?x=1") == 200
    assert pair.arrived.take(timeout_s=LONGEST_S).target == "/mcp?x=1"


@pytest.mark.parametrize(
    "target",
    ["/mcp", "/mcp/", "/mcp/100%25", "/mcp/below?x=%2e%2e", "/.well-known/oauth-protected-resource/mcp", "/"],
)
def test_the_address_and_what_is_below_it_is_asked_for_as_it_is_written(pair, target):
    pair.arrived.clear()
    assert ask(pair, target) == 200
    assert pair.arrived.take(timeout_s=LONGEST_S).target == ("/mcp" if target == "/" else target)


def test_where_no_address_is_known_none_is_shown():
    app = asgi("http://127.0.0.1:9/s/secret-4711/mcp?key=4711")
    body = asyncio.run(messages_of(app, "/wrong", [(b"host", b"localhost")]))[1]["body"]
    assert body == b"This gate passes on its server's address and what is below it."


def test_the_slash_at_the_end_of_an_address_is_kept():
    with gated(lambda arrival: arrival.respond("200 OK", arrival.target.encode())) as pair:
        for address, path in ((f"{pair.upstream}/", "/mcp/"), (pair.upstream, "/mcp")):
            with serving(asgi(address)) as url:
                assert httpx2.get(f"{url}/", timeout=LONGEST_S).text == path
                assert httpx2.get(f"{url}/mcp", timeout=LONGEST_S).text == "/mcp"


@pytest.mark.parametrize(
    ("location", "shown"),
    [
        ("{up}/mcp/?key=4711&x=1", "/a%20b/mcp/?x=1"),
        ("/mcp/?x=1&key=4711#part", "/a%20b/mcp/?x=1#part"),
        ("mcp/", "/a%20b/mcp/"),
        ("{up}/login?key=4711", "{up}/login"),
        ("https://id.example/login?next=1", "https://id.example/login?next=1"),
        ("https://id.example/login?key=4711", "https://id.example/login"),
        ("http://[", "http://["),
    ],
)
def test_a_redirect_leads_through_the_gate_and_shows_no_query_of_its_address(location, shown):
    with gated() as pair:
        upstream = pair.upstream.removesuffix("/mcp")
        site = Starlette(routes=[Mount("/a b", asgi(f"{pair.upstream}?key=4711"))])
        with serving(site) as address:
            pair.url = f"{address}/a%20b/mcp"
            response = pair.post(call())
            headers = [("Location", location.format(up=upstream))]
            pair.arrival().respond("307 Temporary Redirect", b"", headers)
            assert response.result(LONGEST_S).headers["location"] == shown.format(up=upstream)


@pytest.mark.parametrize("mount", ["/my files", "/caf\u00e9", "/t/{tenant}/up"])
@pytest.mark.parametrize("below", ["/", "/mcp", "/mcp/a%20b"])
def test_a_gate_may_be_mounted_where_the_path_needs_encoding(mount, below):
    with gated(lambda arrival: arrival.respond("200 OK", arrival.target.encode())) as pair:
        site = Starlette(routes=[Mount(mount, asgi(pair.upstream))])
        with serving(site) as address:
            url = f"{address}{quote(mount.format(tenant='a b'))}{below}"
            assert httpx2.get(url, timeout=LONGEST_S).text == ("/mcp" if below == "/" else below)


def test_a_response_with_two_lengths_has_the_one_that_counts():
    with gated() as pair:
        response = pair.send("GET")
        arrival = pair.arrival()
        arrival.begin([("Content-Length", "2")], content_type="text/plain")
        arrival.part(b"hello")
        arrival.end()
        response = response.result(LONGEST_S)
    assert response.text == "hello"
    assert "content-length" not in response.headers


@pytest.mark.parametrize("status", ["610 Odd", "999 Odd"])
def test_a_status_that_http_does_not_have_is_that_of_a_bad_gateway(status):
    with gated(lambda arrival: arrival.respond(status, b"{}")) as pair:
        assert pair.send("GET").result(LONGEST_S).status_code == 502
        assert pair.post(call()).result(LONGEST_S).json()["result"]["isError"] is True


def test_an_answer_of_an_application_has_one_length_though_it_named_an_encoding():
    async def application(scope, receive, send):
        if scope["type"] != "http":
            return
        body = answer_to(Arrival(await read_body(receive, 1 << 20)), BOOM)
        headers = [(b"content-type", b"application/json"), (b"transfer-encoding", b"chunked")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    with serving(asgi(application)) as url:
        response = httpx2.post(f"{url}/mcp", json=call(), headers=head({}), timeout=LONGEST_S)
    assert text_in(response.json()).startswith("Error [")
    assert "transfer-encoding" not in response.headers


class Arrival(NamedTuple):
    raw: bytes


def test_the_server_hears_its_own_name_once_and_no_header_of_a_hop(pair):
    pair.arrived.clear()
    hops = ["Connection: close, X-Mine", "X-Mine: 1", "Keep-Alive: 5", "TE: trailers", "Proxy-Authorization: Basic x"]
    hops.append("Expect: 100-continue")
    assert ask(pair, "/mcp", *hops, "X-Other: 1", host="localhost") == 200
    headers = pair.arrived.take(timeout_s=LONGEST_S).head
    assert headers.all("host") == [pair.upstream.removeprefix("http://").removesuffix("/mcp")]
    names = {name.lower() for name, _ in headers.headers}
    assert names.isdisjoint({"x-mine", "keep-alive", "te", "proxy-authorization", "expect"})
    assert "x-other" in names


@pytest.mark.parametrize("method", ["POST", "DELETE", "PUT"])
def test_two_lengths_of_one_body_smuggle_no_second_request(pair, method):
    pair.arrived.clear()
    smuggled = b"GET /mcp/smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"
    lengths = [f"Content-Length: {len(smuggled) + 5}", "Transfer-Encoding: chunked"]
    lines = [f"{method} /mcp HTTP/1.1", "Host: localhost", "Connection: close", *lengths, "", ""]
    try:
        exchange(pair, "\r\n".join(lines).encode() + b"0\r\n\r\n" + smuggled)
    except (ConnectionError, http.client.HTTPException):
        return
    while (arrival := pair.arrived.take(timeout_s=0)) is not None:
        assert (arrival.target, arrival.raw, arrival.head.get("transfer-encoding")) == ("/mcp", b"", None)


def test_no_cookie_of_one_client_is_sent_for_another(pair):
    ask(pair)
    pair.arrived.clear()
    ask(pair)
    assert pair.arrived.take(timeout_s=LONGEST_S).head.get("cookie") is None


@pytest.mark.parametrize("method", ["DELETE", "OPTIONS", "PUT"])
def test_other_methods_pass(pair, method):
    pair.arrived.clear()
    assert ask(pair, "/mcp", method=method) == 200
    assert pair.arrived.take(timeout_s=LONGEST_S).method == method


def test_a_request_whose_client_hangs_up_in_the_middle_does_not_reach_the_server(pair):
    pair.arrived.clear()
    body = json.dumps(call("pay")).encode()
    host, port = pair.url.removeprefix("http://").removesuffix("/mcp").split(":")
    with socket.create_connection((host, int(port)), timeout=LONGEST_S) as connection:
        lines = ["POST /mcp HTTP/1.1", "Host: localhost", f"Content-Length: {len(body) + 1}", "", ""]
        connection.sendall("\r\n".join(lines).encode() + body)
        connection.shutdown(socket.SHUT_RDWR)
    marker = pair.post(call("marker")).result(LONGEST_S)
    assert marker.status_code == 200
    assert message_of(pair.arrived.take(timeout_s=LONGEST_S))["params"]["name"] == "marker"


@pytest.mark.parametrize(
    "address",
    ["ftp://x/mcp", "x", "", "http://", "https://user:pw-4711@x/mcp", "http://[::1", "http://127.0.0.1:99999/mcp"],
)
def test_an_address_that_cannot_be_asked_is_refused_without_repeating_a_password(address):
    with pytest.raises(ValueError, match="address") as caught:
        asgi(address)
    assert "pw-4711" not in str(caught.value)


def test_the_password_in_the_query_of_the_address_is_sent_and_said_to_nobody(caplog):
    caplog.set_level(logging.DEBUG)
    with gated() as pair:
        app = asgi(f"{pair.upstream}?api_key=sk-4711-secret")
        with serving(app) as address:
            pair.url = f"{address}/mcp"
            response = pair.post(call(), authorization="Bearer sk-4712-secret")
            arrival = pair.arrival()
            assert arrival.target == "/mcp?api_key=sk-4711-secret"
            assert arrival.head.get("authorization") == "Bearer sk-4712-secret"
            arrival.break_off()
            assert "secret" not in response.result(LONGEST_S).text
    assert "secret" not in caplog.text


def test_neither_path_nor_query_of_the_address_is_in_a_message_or_in_the_log(tmp_path):
    log = tmp_path / "failures"
    with kept_port() as port:
        address = f"http://127.0.0.1:{port}/s/NDk4ZjYtMjM0NS00/mcp?key=abc-4711"
        command = [
            sys.executable,
            "-m",
            "errata",
            "gate",
            "--listen",
            "127.0.0.1:0",
            "--to",
            address,
            "--log",
            str(log),
        ]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        url = process.stderr.readline().removeprefix("errata gate: ").strip()
        response = httpx2.post(url, json=call(), headers=head({}), timeout=LONGEST_S)
        process.terminate()
        goodbye = process.communicate(timeout=LONGEST_S)[1]
    assert f"`127.0.0.1:{port}` could not be reached" in text_in(response.json())
    for shown in (response.text, log.read_text(), goodbye):
        assert "NDk4" not in shown
        assert "4711" not in shown


def test_the_log_has_the_name_that_the_server_was_given(tmp_path):
    log = tmp_path / "failures"
    with gated(lambda arrival: arrival.respond("500 Internal Server Error"), log=str(log)) as pair:
        pair.post(call()).result(LONGEST_S)
    assert json.loads(log.read_text())["server"] == "till"


# Through a proxy.


@pytest.fixture
def proxied(monkeypatch):
    """Set one variable that names a proxy, and no other."""
    for name in ("http", "https", "all", "no"):
        monkeypatch.delenv(f"{name}_proxy", raising=False)
        monkeypatch.delenv(f"{name}_proxy".upper(), raising=False)
    return monkeypatch.setenv


@pytest.mark.parametrize(("name", "scheme"), [("http_proxy", ""), ("http_proxy", "http://"), ("all_proxy", "http://")])
def test_a_server_is_reached_through_the_proxy_that_the_environment_names(proxied, name, scheme):
    with gated() as pair:
        proxied(name, pair.upstream.replace("http://", scheme).removesuffix("/mcp"))
        with serving(asgi("http://upstream.example/mcp")) as address:
            pair.url = f"{address}/mcp"
            proxied("no_proxy", "127.0.0.1")  # For the client of this test.
            response = pair.post(call())
            arrival = pair.arrival()
            respond(arrival)
            assert response.result(LONGEST_S).json()["result"] == DONE
    assert arrival.target == "http://upstream.example/mcp"


@pytest.mark.parametrize("proxy", ["ht!tp://joe:pw-4711@x", "joe:pw-4711@x:99999", "http://joe:pw-4711@", "socks4://x"])
def test_a_proxy_that_cannot_be_used_is_refused_without_repeating_a_password(proxied, proxy):
    proxied("http_proxy", proxy)
    with pytest.raises(ValueError, match="proxy") as caught:
        asgi("http://upstream.example/mcp")
    assert "4711" not in str(caught.value)


def test_a_proxy_that_needs_another_package_says_which(proxied, monkeypatch):
    monkeypatch.setitem(sys.modules, "socksio", None)
    proxied("all_proxy", "socks5://127.0.0.1:9")
    with pytest.raises(ValueError, match="pip install socksio"):
        asgi("http://upstream.example/mcp")


# When it is not there.


@pytest.mark.parametrize(
    "odd",
    [
        {"query_string": b"q=\xc3\xa9"},
        {"raw_path": b"/mcp/\xc3\xa9"},
        {"headers": [(b"host", b"localhost"), (b"x a", b"")]},
    ],
)
def test_a_request_that_cannot_be_sent_is_not_repeated_and_says_nothing_of_the_server(odd):
    async def ask_twice(app):
        headers = [(b"host", b"localhost")]
        body = json.dumps(call("pay")).encode()
        return [await messages_of(app, "/mcp", headers, body, **odd) for _ in range(2)]

    with gated() as pair:
        app = asgi(pair.upstream, name="till", retry=NO_WAIT, breaker=Breaker(f"unsendable-{odd}", failures=1))
        for messages in asyncio.run(ask_twice(app)):
            answer = json.loads(messages[1]["body"])
            assert fault_in(answer)["retry"] == "never"
            assert "`till` was not sent the request" in text_in(answer)
        assert pair.arrived.take(timeout_s=0) is None


@pytest.fixture
def port():
    with kept_port() as port:
        yield port


@pytest.mark.parametrize("era", [OLD, NEW])
def test_a_call_to_a_server_that_is_not_there_may_be_made_again_as_it_was_not_sent(port, era):
    with serving(asgi(f"http://127.0.0.1:{port}/mcp", name="till")) as url:
        response = httpx2.post(
            f"{url}/mcp", json=call("pay"), headers=head({"mcp-protocol-version": era}), timeout=LONGEST_S
        )
    assert response.status_code == 200
    assert fault_in(response.json())["retry"] == "same_call"
    assert "`till` could not be reached" in text_in(response.json())


@pytest.mark.parametrize("settings", [{}, {"repair": False}])
def test_another_request_to_a_server_that_is_not_there_gets_an_error_of_its_own(port, settings):
    with serving(asgi(f"http://127.0.0.1:{port}/mcp", name="till", **settings)) as url:
        asked = httpx2.post(f"{url}/mcp", json=request("tools/list", "x"), headers=head({}), timeout=LONGEST_S)
        listened = httpx2.get(f"{url}/mcp", headers={"accept": "text/event-stream"}, timeout=LONGEST_S)
    assert (asked.status_code, asked.json()["id"]) == (502, "x")
    assert "could not be reached" in asked.json()["error"]["message"]
    assert (listened.status_code, "could not be reached" in listened.text) == (502, True)


def test_a_call_is_made_again_when_the_server_is_back(port):
    servers = []

    async def come_back(_):
        server = ThreadingHTTPServer(("127.0.0.1", port), _Comeback)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        servers.append(server)

    policy = retry(**Patience().options(sleep=come_back))
    with serving(asgi(f"http://127.0.0.1:{port}/mcp", name="till", retry=policy)) as url:
        response = httpx2.post(f"{url}/mcp", json=call("pay"), headers=head({}), timeout=LONGEST_S)
    (server,) = servers
    server.shutdown()
    server.server_close()
    assert text_in(response.json()) == "I am back."
    assert response.json()["result"]["_meta"]["errata/attempts"] == 2


class _Comeback(BaseHTTPRequestHandler):
    def do_POST(self):
        number = json.loads(self.rfile.read(int(self.headers["content-length"])))["id"]
        result = {"content": [{"type": "text", "text": "I am back."}]}
        body = json.dumps({"jsonrpc": "2.0", "id": number, "result": result}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Say nothing."""


def test_a_certificate_that_is_not_trusted_is_told_and_the_call_is_not_repeated(tmp_path):
    key, certificate = tmp_path / "key", tmp_path / "certificate"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"]
    subprocess.run([*made, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    handshakes = []

    def shake_hands():
        connection, _ = listening.accept()
        try:
            context.wrap_socket(connection, server_side=True).close()
        except OSError as error:
            handshakes.append(error)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=shake_hands, daemon=True)
        thread.start()
        with serving(asgi(f"https://127.0.0.1:{listening.getsockname()[1]}/mcp", name="till", retry=NO_WAIT)) as url:
            response = httpx2.post(f"{url}/mcp", json=call("pay"), headers=head({}), timeout=LONGEST_S)
        thread.join(LONGEST_S)
    assert len(handshakes) == 1
    assert fault_in(response.json())["retry"] == "never"
    assert "certificate" in text_in(response.json()).lower()
