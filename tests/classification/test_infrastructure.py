"""Containers, brokers, remote hosts: their own codes decide, and their texts are told without the dump around them."""

import ftplib
import smtplib

import pytest
from support.library_tables import Library, check_decided, check_names, module, raised

from errata import Code, Retry, classify

DNS_MODULES = (
    "dns.exception", "dns.message", "dns.name", "dns.opcode", "dns.query", "dns.rcode", "dns.rdata", "dns.rdataclass", "dns.rdataset",
    "dns.rdatatype", "dns.resolver", "dns.tokenizer", "dns.transaction", "dns.tsig", "dns.ttl", "dns.versioned", "dns.xfr", "dns.zone", "dns.zonefile",
)  # fmt: skip
LIBRARIES = [
    Library(
        "docker",
        ("docker.errors", "docker.credentials.errors"),
        former=frozenset({"docker.credentials.errors.InitializationError"}),
    ),
    Library(
        "kubernetes",
        ("kubernetes.client.exceptions", "kubernetes.config", "kubernetes.dynamic.exceptions", "kubernetes.utils.create_from_yaml"),
        telling=frozenset({"kubernetes.client.exceptions.ApiException"}),
    ),
    Library("hvac", ("hvac.exceptions",)),
    Library("pika", ("pika.exceptions", "pika.adapters.utils.connection_workflow"), inherited=frozenset({
        "pika.exceptions.ChannelClosedByBroker",
        "pika.exceptions.ConnectionClosedByBroker",
        "pika.exceptions.ProtocolVersionMismatch",
        "pika.exceptions.UnexpectedFrameError",
        *(f"pika.adapters.utils.connection_workflow.AMQPConn{name}" for name in (
            "ectionWorkflowAborted", "ectionWorkflowFailed", "ectionWorkflowWrongState", "ectorAMQPHandshakeError", "ectorAborted",
            "ectorPhaseErrorBase", "ectorSocketConnectError", "ectorTransportSetupError", "ectorWrongState",
        )),
    })),
    Library("websockets", ("websockets.exceptions", "websockets.legacy.exceptions", "websockets.datastructures"), inherited=frozenset(
        f"websockets.exceptions.{name}" for name in (
            "ConnectionClosedError", "ConnectionClosedOK", "DuplicateParameter", "HeaderLineTooLong", "InvalidHeader", "InvalidHeaderFormat",
            "InvalidHeaderValue", "InvalidParameterName", "InvalidParameterValue", "InvalidProtocol", "InvalidProxyMessage", "InvalidUpgrade",
            "NegotiationError", "RequestLineTooLong", "SecurityError", "StatusLineTooLong", "TooManyHeaders",
        )
    )),
    Library("websocket", ("websocket._exceptions",)),
    Library("paramiko", ("paramiko.ssh_exception", "paramiko.sftp", "paramiko.pkey", "paramiko.auth_strategy", "paramiko.buffered_pipe")),
    Library(
        "asyncssh",
        ("asyncssh",),
        inherited=frozenset({"asyncssh.asn1.ASN1DecodeError", "asyncssh.asn1.ASN1EncodeError"}),
        telling=frozenset({"asyncssh.misc.DisconnectError", "asyncssh.sftp.SFTPError"}),
    ),
    Library("ldap3", ("ldap3.core.exceptions",), inherited=frozenset(
        f"ldap3.core.exceptions.LDAP{name}Error" for name in (
            "ConfigurationParameter", "CursorAttribute", "Definition", "PackageUnavailable", "SSLConfiguration", "UnknownAuthenticationMethod", "UnknownStrategy",
        )
    )),
    Library("dns", DNS_MODULES, inherited=frozenset({
        "dns.message.AnswerForNXDOMAIN", "dns.message.ChainTooLong", "dns.message.NotQueryResponse", "dns.message.Truncated",
        "dns.query.UnexpectedSource", "dns.resolver.NoRootSOA", "dns.xfr.TransferError", "dns.xfr.UseTCP",
    }), telling=frozenset({"dns.exception.FormError", "dns.exception.SyntaxError", "dns.exception.Timeout", "dns.tsig.PeerError", "dns.zone.BadZone"})),
    Library("smtplib", ("smtplib",), inherited=frozenset({"smtplib.SMTPDataError", "smtplib.SMTPHeloError", "smtplib.SMTPSenderRefused"})),
    Library("imaplib", ("imaplib",)),
    Library("poplib", ("poplib",)),
    Library("ftplib", ("ftplib",), inherited=frozenset({"ftplib.error_perm", "ftplib.error_proto", "ftplib.error_reply"})),
]  # fmt: skip


def like(dotted_name, **attributes):
    """Make a class as a library that is not installed has it."""
    home, _, name = dotted_name.rpartition(".")
    return type(name, (Exception,), {"__module__": home, **attributes})


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # websockets gives its old classes away with one.
@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.package)
def test_every_name_is_a_class_of_its_library(library):
    check_names(library)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # websockets gives its old classes away with one.
@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.package)
def test_every_exception_of_the_library_is_decided(library):
    check_decided(library)


def test_kubernetes_is_told_without_its_headers():
    client = module("kubernetes.client.exceptions")
    error = client.ApiException(status=404, reason="Not Found", body='{"message": "pods \\"x\\" not found"}')
    error.headers = {"Audit-Id": "42", "Retry-After": "5"}
    fault = classify(error)
    assert (fault.code, fault.http_status) == (Code.NOT_FOUND, 404)
    assert fault.message == 'The service answered 404 Not Found: ‹pods "x" not found›'


def test_what_kubernetes_could_not_create_is_told_by_its_first_refusal():
    client, utils = module("kubernetes.client.exceptions"), module("kubernetes.utils.create_from_yaml")
    refusal = client.ApiException(status=409, reason="Conflict", body='{"message": "already exists"}')
    assert classify(utils.FailToCreateError([refusal])).code is Code.CONFLICT


def test_a_body_of_kubernetes_that_is_no_json_does_no_harm():
    error = module("kubernetes.client.exceptions").ApiException(status=503, reason="Service Unavailable", body="<html>")
    fault = classify(error)
    assert (fault.code, fault.message) == (Code.SERVICE_UNAVAILABLE, "The service answered 503 Service Unavailable.")


# fmt: off
AMQP = [
    ("ChannelClosedByBroker", 404, "NOT_FOUND - no queue 'q'", Code.NOT_FOUND),
    ("ChannelClosedByBroker", 406, "PRECONDITION_FAILED - inequivalent arg", Code.CONFLICT),
    ("ChannelClosedByBroker", 403, "ACCESS_REFUSED - access to queue refused", Code.FORBIDDEN),
    ("ConnectionClosedByBroker", 403, "ACCESS_REFUSED - Login was refused", Code.UNAUTHORIZED),
    ("ConnectionClosedByBroker", 320, "CONNECTION_FORCED - broker forced connection closure", Code.SERVICE_UNAVAILABLE),
    ("ConnectionClosedByBroker", 530, "NOT_ALLOWED - vhost v not found", Code.CONFIGURATION_ERROR),
]
# fmt: on


@pytest.mark.parametrize(("name", "reply_code", "text", "expected"), AMQP)
def test_amqp_is_judged_by_its_reply_code_which_is_no_http_status(name, reply_code, text, expected):
    fault = classify(getattr(module("pika.exceptions"), name)(reply_code, text))
    assert (fault.code, fault.message, fault.http_status) == (expected, text, None)


def test_no_broker(closed_port):
    pika = module("pika")
    fault = classify(raised(lambda: pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", closed_port))))
    assert (fault.code, fault.retry) == (Code.NETWORK_ERROR, Retry.SAME_CALL)


# fmt: off
CLOSED = {
    1001: Code.NETWORK_ERROR, 1008: Code.FORBIDDEN, 1009: Code.VALIDATION_FAILED, 1011: Code.UPSTREAM_ERROR, 1013: Code.SERVICE_UNAVAILABLE,
    4401: Code.UNAUTHORIZED, 4429: Code.RATE_LIMITED, 4001: Code.NETWORK_ERROR,
}
# fmt: on


@pytest.mark.parametrize(("code", "expected"), CLOSED.items())
def test_a_websocket_is_judged_by_the_code_its_peer_closed_it_with(code, expected):
    websockets, frames = module("websockets.exceptions"), module("websockets.frames")
    peers = websockets.ConnectionClosedError(frames.Close(code, ""), None)
    echo = websockets.ConnectionClosedError(frames.Close(code, ""), frames.Close(code, ""), rcvd_then_sent=False)
    assert classify(peers).code is expected
    assert classify(echo).code is Code.NETWORK_ERROR


def test_a_websocket_that_was_refused_says_how_long_to_wait():
    websockets, http, data = (module(f"websockets.{name}") for name in ("exceptions", "http11", "datastructures"))
    response = http.Response(429, "Too Many Requests", data.Headers({"Retry-After": "3"}), b"")
    fault = classify(websockets.InvalidStatus(response))
    assert (fault.code, fault.retry_after_ms) == (Code.RATE_LIMITED, 3000)


def test_nobody_at_home_at_ssh(closed_port):
    paramiko = module("paramiko")
    with paramiko.SSHClient() as client:
        fault = classify(raised(lambda: client.connect("127.0.0.1", port=closed_port)))
    assert (fault.code, fault.retry) == (Code.NETWORK_ERROR, Retry.SAME_CALL)
    assert fault.message.startswith("Unable to connect")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Error reading SSH protocol banner", (Code.NETWORK_ERROR, Retry.IF_HARMLESS)),
        ("Server 'h' not found in known_hosts", (Code.NETWORK_ERROR, Retry.NEVER)),
        ("No authentication methods available", (Code.CONFIGURATION_ERROR, Retry.NEVER)),
        ("Timeout opening channel.", (Code.TIMEOUT, Retry.IF_HARMLESS)),
    ],
)
def test_ssh_is_judged_by_what_paramiko_says(text, expected):
    fault = classify(module("paramiko").SSHException(text))
    assert (fault.code, fault.retry) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("PermissionDenied", Code.UNAUTHORIZED),
        ("HostKeyNotVerifiable", Code.NETWORK_ERROR),
        ("ServiceNotAvailable", Code.SERVICE_UNAVAILABLE),
        ("SFTPNoSuchFile", Code.NOT_FOUND),
        ("SFTPPermissionDenied", Code.FORBIDDEN),
        ("SFTPFileAlreadyExists", Code.CONFLICT),
    ],
)
def test_asyncssh_is_judged_by_its_reason_code(name, expected):
    assert classify(getattr(module("asyncssh"), name)("said")).code is expected


@pytest.mark.parametrize(
    ("result", "expected"),
    [(32, Code.NOT_FOUND), (49, Code.UNAUTHORIZED), (50, Code.FORBIDDEN), (51, Code.SERVICE_UNAVAILABLE), (68, Code.CONFLICT)],
)  # fmt: skip
def test_ldap_is_judged_by_its_result_and_told_in_the_servers_words(result, expected):
    error = module("ldap3.core.exceptions").LDAPOperationResult(result=result, dn="cn=x", message="said")
    assert (classify(error).code, classify(error).message) == (expected, "said")


def test_a_name_that_dns_does_not_know_is_not_found():
    resolver, names = module("dns.resolver"), module("dns.name")
    assert classify(resolver.NXDOMAIN()).code is Code.NOT_FOUND
    assert classify(raised(lambda: names.from_text("a..b"))).code is Code.INVALID_PARAMS


# fmt: off
SMTP = [
    (smtplib.SMTPAuthenticationError(535, b"5.7.8 Bad credentials"), Code.UNAUTHORIZED, "5.7.8 Bad credentials"),
    (smtplib.SMTPRecipientsRefused({"a@b.example": (550, b"5.1.1 User unknown")}), Code.NOT_FOUND, "5.1.1 User unknown"),
    (smtplib.SMTPSenderRefused(550, b"5.7.1 Relaying denied", "a@b.example"), Code.FORBIDDEN, "5.7.1 Relaying denied"),
    (smtplib.SMTPDataError(451, b"Try again later"), Code.SERVICE_UNAVAILABLE, "Try again later"),
    (smtplib.SMTPServerDisconnected("Connection unexpectedly closed"), Code.NETWORK_ERROR, "Connection unexpectedly closed"),
    (ftplib.error_perm("530 Login incorrect."), Code.UNAUTHORIZED, "530 Login incorrect."),  # noqa: S321 - Nothing is sent.
    (ftplib.error_perm("550 Permission denied."), Code.FORBIDDEN, "550 Permission denied."),  # noqa: S321 - Nothing is sent.
    (ftplib.error_temp("450 File busy"), Code.CONFLICT, "450 File busy"),  # noqa: S321 - Nothing is sent.
]
# fmt: on


@pytest.mark.parametrize(("error", "code", "message"), SMTP, ids=lambda given: type(given).__name__)
def test_mail_and_files_are_judged_by_their_reply_codes(error, code, message):
    assert (classify(error).code, classify(error).message) == (code, message)


def kafka_error(name, *, retriable):
    failure = type("KafkaError", (), {"name": lambda _: name, "retriable": lambda _: retriable})()
    return like("cimpl.KafkaException")(failure)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (kafka_error("TOPIC_AUTHORIZATION_FAILED", retriable=False), (Code.FORBIDDEN, Retry.NEVER)),
        (kafka_error("A_NEW_NAME", retriable=True), (Code.SERVICE_UNAVAILABLE, Retry.SAME_CALL)),
        (
            like("kafka.errors.BrokerResponseError", message="TOPIC_ALREADY_EXISTS")("x"),
            (Code.CONFLICT, Retry.FIX_INPUT),
        ),
        (like("kafka.errors.NoBrokersAvailable")("x"), (Code.NETWORK_ERROR, Retry.SAME_CALL)),
        (like("amqp.exceptions.AMQPError", reply_code=404)("no queue"), (Code.NOT_FOUND, Retry.FIX_INPUT)),
        (
            like("playwright._impl._errors.Error")("net::ERR_CONNECTION_REFUSED at http://x"),
            (Code.NETWORK_ERROR, Retry.SAME_CALL),
        ),
        (
            like("playwright._impl._errors.Error")("net::ERR_CERT_AUTHORITY_INVALID at https://x"),
            (Code.NETWORK_ERROR, Retry.NEVER),
        ),
        (like("selenium.common.exceptions.NoSuchElementException")("x"), (Code.NOT_FOUND, Retry.FIX_INPUT)),
        (
            like("git.exc.GitCommandError")("fatal: Authentication failed for 'https://x'"),
            (Code.UNAUTHORIZED, Retry.NEVER),
        ),
        (like("kazoo.exceptions.NoNodeError")("x"), (Code.NOT_FOUND, Retry.FIX_INPUT)),
    ],
    ids=lambda given: type(given).__name__,
)
def test_libraries_that_are_not_installed_are_known_by_name(error, expected):
    assert (classify(error).code, classify(error).retry) == expected
