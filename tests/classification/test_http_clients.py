"""HTTP clients: what broke inside them decides whether the same call may be repeated."""

import asyncio
import socket
import ssl
import threading
import urllib.error
import urllib.request
from http.client import BadStatusLine, IncompleteRead

import pytest
from support.library_tables import Library, check_decided, check_names, module
from support.required_libraries import need

from errata import Code, Retry, classify

WARNINGS = frozenset({"builtins.Warning"})
LIBRARIES = [
    Library("httpx", ("httpx",)),
    Library("httpx2", ("httpx2",)),
    Library("httpcore", ("httpcore",)),
    Library("httpcore2", ("httpcore2",)),
    Library("h11", ("h11",)),
    Library("requests", ("requests.exceptions",), telling=WARNINGS),
    Library("urllib3", ("urllib3.exceptions",), telling=WARNINGS),
    Library("urllib.error", ("urllib.error",)),
    Library("http.client", ("http.client",)),
]
AIOHTTP = Library(
    "aiohttp",
    ("aiohttp", "aiohttp.web", "aiohttp.client_exceptions", "aiohttp.http_exceptions", "aiohttp.http_websocket"),
    telling=frozenset({"aiohttp.web_exceptions.HTTPException", "builtins.Warning"}),
)
STARLETTE = Library(
    "starlette",
    (
        "starlette.exceptions",
        "starlette.requests",
        "starlette.responses",
        "starlette.routing",
        "starlette.formparsers",
        "starlette.config",
        "starlette.authentication",
        "starlette.websockets",
    ),
    telling=WARNINGS,
)
UNRESOLVABLE = "nobody.invalid"


@pytest.mark.parametrize("library", [*LIBRARIES, AIOHTTP, STARLETTE], ids=lambda each: each.package)
def test_every_name_in_the_table_is_a_class_of_its_library(library):
    check_names(library)


@pytest.mark.parametrize("library", [*LIBRARIES, AIOHTTP, STARLETTE], ids=lambda each: each.package)
def test_every_exception_of_the_library_was_decided_about(library):
    check_decided(library)


@pytest.fixture
def answering():
    """A server that answers every connection with the same bytes, and then hangs up."""
    servers = []

    def serve(answer: bytes) -> str:
        listener = socket.create_server(("127.0.0.1", 0))
        servers.append(listener)

        def run():
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(65536)
                    connection.sendall(answer)

        threading.Thread(target=run, daemon=True).start()
        return f"http://127.0.0.1:{listener.getsockname()[1]}/"

    yield serve
    for server in servers:
        server.shutdown(socket.SHUT_RDWR)
        server.close()


def fault_of(call, *args, **kwargs):
    with pytest.raises(Exception) as caught:  # noqa: PT011 - which one it is, is not the question here.
        call(*args, **kwargs)
    return classify(caught.value)


def verdict_of(call, *args, **kwargs):
    fault = fault_of(call, *args, **kwargs)
    return fault.code, fault.retry


def clients():
    """Every synchronous client, as a function that gets a URL."""

    def httpx_like(name):
        def get(url):
            with module(name).Client(trust_env=False) as client:
                client.get(url).raise_for_status()

        return get

    def with_requests(url):
        requests = module("requests")

        with requests.Session() as session:
            session.trust_env = False
            session.get(url).raise_for_status()

    def with_urllib3(url):
        urllib3 = module("urllib3")

        with urllib3.PoolManager(retries=urllib3.Retry(1, backoff_factor=0)) as pool:
            pool.request("GET", url)

    def with_urllib(url):
        try:
            urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url).close()
        except urllib.error.HTTPError as answer:
            answer.close()
            raise

    def with_aiohttp(url):
        aiohttp = module("aiohttp")

        async def get():
            async with aiohttp.ClientSession() as session, session.get(url) as response:
                response.raise_for_status()
                await response.read()

        asyncio.run(get())

    return {
        "httpx": httpx_like("httpx"),
        "httpx2": httpx_like("httpx2"),
        "requests": with_requests,
        "urllib3": with_urllib3,
        "urllib": with_urllib,
        "aiohttp": with_aiohttp,
    }


CLIENTS = clients()
CLIENT = pytest.mark.parametrize("get", CLIENTS.values(), ids=CLIENTS.keys())


@CLIENT
def test_a_refused_connection_was_not_processed_whoever_reports_it(get, closed_port):
    assert verdict_of(get, f"http://127.0.0.1:{closed_port}/") == (Code.NETWORK_ERROR, Retry.SAME_CALL)


@CLIENT
def test_an_unknown_host_stays_unknown_whoever_reports_it(get, monkeypatch):
    def nobody(*_args, **_kwargs):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", nobody)
    assert verdict_of(get, f"http://{UNRESOLVABLE}/") == (Code.NETWORK_ERROR, Retry.NEVER)


@CLIENT
def test_a_name_server_in_trouble_is_asked_again_whoever_reports_it(get, monkeypatch):
    def later(*_args, **_kwargs):
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    monkeypatch.setattr(socket, "getaddrinfo", later)
    assert verdict_of(get, f"http://{UNRESOLVABLE}/") == (Code.NETWORK_ERROR, Retry.SAME_CALL)


@CLIENT
def test_a_server_that_hangs_up_may_have_done_it(get, answering):
    assert verdict_of(get, answering(b"")) == (Code.NETWORK_ERROR, Retry.IF_HARMLESS)


@CLIENT
def test_an_answer_that_is_not_http_is_not_quoted(get, answering):
    fault = fault_of(get, answering(b"\x00sesame\r\n\r\n"))
    assert fault.code is Code.UPSTREAM_ERROR
    assert "sesame" not in fault.message


@CLIENT
def test_a_status_speaks_for_itself_and_says_when_to_come_back(get, answering):
    if get is CLIENTS["urllib3"]:
        pytest.skip("urllib3 raises nothing for a status")
    answer = b"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 7\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    fault = fault_of(get, answering(answer))
    assert (fault.code, fault.http_status, fault.retry_after_ms) == (Code.RATE_LIMITED, 429, 7000)


@CLIENT
def test_a_redirect_loop_is_not_repeated(get, answering):
    answer = b"HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    assert verdict_of(get, answering(answer)) == (Code.UPSTREAM_ERROR, Retry.NEVER)


@CLIENT
def test_half_an_answer_is_a_broken_connection(get, answering):
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 40\r\nConnection: close\r\n\r\nhalf"
    if get is CLIENTS["urllib"]:
        pytest.skip("urllib raises only when the answer is read")
    assert verdict_of(get, answering(answer))[0] is Code.NETWORK_ERROR


@CLIENT
def test_a_url_of_another_kind_is_the_callers_mistake(get):
    assert verdict_of(get, "gopher://127.0.0.1/") == (Code.INVALID_PARAMS, Retry.FIX_INPUT)


@pytest.mark.parametrize("name", ["httpx", "httpx2"])
def test_tls_will_not_mend_itself(name):
    library = module(name)
    error = library.ConnectError("[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate")
    assert classify(error).retry is Retry.NEVER


@pytest.mark.parametrize("name", ["httpx", "httpx2"])
def test_the_cause_inside_a_group_settles_the_verdict(name):
    library = module(name)
    attempts = ExceptionGroup("multiple connection attempts failed", [ConnectionRefusedError(111, "refused")] * 2)
    error = library.ConnectError("All connection attempts failed")
    error.__cause__ = OSError("All connection attempts failed")
    error.__cause__.__cause__ = attempts
    assert classify(error).retry is Retry.SAME_CALL


@pytest.mark.parametrize("name", ["httpx", "httpx2"])
def test_the_key_in_a_malformed_header_is_not_quoted(name):
    with module(name).Client(trust_env=False) as client:
        fault = fault_of(client.get, "http://127.0.0.1:9/", headers={"Authorization": "Bearer sesame\n"})
    assert fault.code in {Code.INVALID_PARAMS, Code.NETWORK_ERROR}
    assert "sesame" not in fault.message


@pytest.mark.parametrize("name", ["httpx", "httpx2"])
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("407 Proxy Authentication Required", Code.UNAUTHORIZED),
        ("403 Forbidden", Code.FORBIDDEN),
        ("Malformed reply", Code.NETWORK_ERROR),
    ],
)
def test_a_proxy_speaks_in_statuses(name, text, code):
    assert classify(module(name).ProxyError(text)).code is code


def test_a_tunnel_that_wants_a_password_says_so_through_all_wrappers():
    requests = module("requests")
    urllib3 = module("urllib3")

    tunnel = urllib3.exceptions.ProxyError(
        "Unable to connect to proxy", OSError("Tunnel connection failed: 407 Proxy Authentication Required")
    )
    retried = urllib3.exceptions.MaxRetryError(None, "/", tunnel)
    assert classify(requests.exceptions.ProxyError(retried)).code is Code.UNAUTHORIZED


def test_a_socket_that_is_not_there_is_no_missing_thing():
    urllib3 = module("urllib3")
    error = urllib3.exceptions.ProtocolError("Connection aborted.", FileNotFoundError(2, "No such file or directory"))
    assert classify(module("requests").ConnectionError(error)).code is Code.NETWORK_ERROR


def test_a_url_with_its_parameters_is_not_told_when_retries_ran_out():
    urllib3 = module("urllib3")

    error = urllib3.exceptions.MaxRetryError(
        None, "/v1?customer=4711", urllib3.exceptions.ResponseError("too many 503 error responses")
    )
    fault = classify(error)
    assert (fault.code, fault.http_status) == (Code.SERVICE_UNAVAILABLE, 503)
    assert "4711" not in fault.message


@pytest.mark.parametrize(
    ("reason", "code", "retry"),
    [
        ("unknown url type: foo", Code.INVALID_PARAMS, Retry.FIX_INPUT),
        ("no host given", Code.INVALID_PARAMS, Retry.FIX_INPUT),
        (ssl.SSLCertVerificationError(1, "certificate verify failed"), Code.NETWORK_ERROR, Retry.NEVER),
        (TimeoutError("timed out"), Code.TIMEOUT, Retry.IF_HARMLESS),
        (FileNotFoundError(2, "No such file or directory"), Code.NOT_FOUND, Retry.FIX_INPUT),
        (OSError("Tunnel connection failed: 407 Proxy Authentication Required"), Code.UNAUTHORIZED, Retry.NEVER),
        (OSError("something of the system"), Code.NETWORK_ERROR, Retry.IF_HARMLESS),
    ],
)
def test_a_url_error_is_its_reason(reason, code, retry):
    fault = classify(urllib.error.URLError(reason))
    assert (fault.code, fault.retry) == (code, retry)


@pytest.mark.parametrize(
    ("error", "code"),
    [(BadStatusLine("sesame"), Code.UPSTREAM_ERROR), (IncompleteRead(b"sesame", 3), Code.NETWORK_ERROR)],
)
def test_bytes_of_the_peer_are_not_told(error, code):
    fault = classify(error)
    assert fault.code is code
    assert "sesame" not in fault.message


def test_an_answer_raised_as_an_exception_keeps_its_status_and_its_wait():
    web = module("aiohttp.web")

    fault = classify(web.HTTPTooManyRequests(headers={"Retry-After": "9"}))
    assert (fault.code, fault.http_status, fault.retry_after_ms) == (Code.RATE_LIMITED, 429, 9000)


def test_a_framework_answers_in_the_words_of_its_detail():
    starlette = module("starlette.exceptions")
    fault = classify(starlette.HTTPException(404, "No order 17", headers={"Retry-After": "3"}))
    assert (fault.code, fault.message, fault.retry_after_ms) == (Code.NOT_FOUND, "No order 17", 3000)


def look_alike(name, *bases, **members):
    """A class that a library nobody installed would have."""
    module, _, own = name.rpartition(".")
    return type(own, bases or (Exception,), {"__module__": module, **members})


@pytest.mark.parametrize(
    ("error", "code", "retry"),
    [
        (look_alike("pycurl.error")(7, "Failed to connect"), Code.NETWORK_ERROR, Retry.SAME_CALL),
        (look_alike("pycurl.error")(6, "Could not resolve host"), Code.NETWORK_ERROR, Retry.NEVER),
        (look_alike("pycurl.error")(22, "The requested URL returned error: 404"), Code.NOT_FOUND, Retry.FIX_INPUT),
        (look_alike("tornado.httpclient.HTTPClientError", code=599)("HTTP 599: Timeout"), Code.TIMEOUT, None),
        (look_alike("tornado.httpclient.HTTPClientError", code=404)("HTTP 404: Not Found"), Code.NOT_FOUND, None),
        (look_alike("rest_framework.exceptions.Throttled", wait=12)("Wait."), Code.RATE_LIMITED, Retry.SAME_CALL),
        (look_alike("werkzeug.exceptions.HTTPException", code=410, description="It left.")(), Code.GONE, Retry.NEVER),
        (look_alike("niquests.exceptions.ConnectTimeout", OSError)("late"), Code.TIMEOUT, Retry.SAME_CALL),
    ],
    ids=lambda each: type(each).__name__,
)
def test_clients_nobody_installed_are_known_by_name(error, code, retry):
    fault = classify(error)
    assert fault.code is code
    assert retry in {None, fault.retry}


@pytest.mark.parametrize("library", ["httpx", "httpx2"])
def test_a_refused_status_is_told_without_the_address_and_the_advice_for_programmers(library):
    client = need(library)
    response = client.Response(
        410, request=client.Request("GET", "https://napkin.example/files/7?token=hunter2hunter2")
    )
    with pytest.raises(client.HTTPStatusError) as raised:
        response.raise_for_status()

    assert "For more information" in str(raised.value)
    assert classify(raised.value).message == "napkin.example answered 410 Gone."
