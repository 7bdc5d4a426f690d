"""Remote hosts: SSH, DNS, mail, files and directories."""

import re
from typing import cast

from errata.classification._error_codes import by_errno
from errata.classification._exception_rules import (
    LOCKED,
    REFUSED,
    WAIT,
    Classification,
    Rule,
    RuleResult,
    Table,
    first,
    in_words,
    words_at,
)
from errata.classification._families._network import by_connection, by_network_words, by_what_broke
from errata.classification._families._processes import by_exit
from errata.classification._foreign import peek, read_argument, read_number, read_text
from errata.model import Code, Retry, is_a, items_of
from errata.redaction import text_of

_FULL = Classification(Code.SERVICE_UNAVAILABLE, Retry.NEVER)
_NOT_TRUSTED = Classification(Code.NETWORK_ERROR, Retry.NEVER)
_REPLY_CODE = re.compile(r"[^0-9]{0,3}([1-5][0-9]{2})\b")

# fmt: off
_DISCONNECTED: dict[int, Code | Classification] = {  # SSH_DISCONNECT_…
    1: Code.FORBIDDEN, 2: Code.UPSTREAM_ERROR, 3: _NOT_TRUSTED, 5: Code.NETWORK_ERROR, 6: Code.NETWORK_ERROR, 7: Code.SERVICE_UNAVAILABLE,
    8: Code.NOT_IMPLEMENTED, 9: _NOT_TRUSTED, 10: Code.NETWORK_ERROR, 11: Code.NETWORK_ERROR, 12: WAIT, 13: Code.CANCELLED,
    14: Code.UNAUTHORIZED, 15: Code.UNAUTHORIZED,
}
_NO_CHANNEL: dict[int, Code | Classification] = {1: Code.FORBIDDEN, 2: REFUSED, 3: Code.NOT_IMPLEMENTED, 4: WAIT}  # SSH_OPEN_…
_SFTP: dict[int, Code | Classification] = {  # SSH_FX_…
    1: Code.UPSTREAM_ERROR, 2: Code.NOT_FOUND, 3: Code.FORBIDDEN, 5: Code.UPSTREAM_ERROR, 6: REFUSED, 7: Code.NETWORK_ERROR, 8: Code.NOT_IMPLEMENTED,
    9: Code.INTERNAL_ERROR, 10: Code.NOT_FOUND, 11: Code.CONFLICT, 12: Code.FORBIDDEN, 13: Code.SERVICE_UNAVAILABLE, 14: _FULL, 15: _FULL,
    16: Code.NOT_FOUND, 17: LOCKED, 18: Code.CONFLICT, 19: Code.INVALID_PARAMS, 20: Code.INVALID_PARAMS, 21: Code.INVALID_PARAMS, 22: Code.FORBIDDEN,
    23: Code.INVALID_PARAMS, 24: Code.INVALID_PARAMS, 25: LOCKED, 26: LOCKED, 27: LOCKED, 28: Code.SERIALIZATION_ERROR, 29: Code.INVALID_PARAMS,
    30: Code.INVALID_PARAMS, 31: Code.NOT_FOUND,
}
_SSH_SAYS: tuple[tuple[str, Code | Classification], ...] = (
    ("known_hosts", _NOT_TRUSTED), ("host key", _NOT_TRUSTED), ("signature verification", _NOT_TRUSTED), ("no authentication methods", Code.CONFIGURATION_ERROR),
    ("authentication failed", Code.UNAUTHORIZED), ("private key", Code.CONFIGURATION_ERROR), ("openssh key", Code.CONFIGURATION_ERROR), ("key file", Code.CONFIGURATION_ERROR),
    ("timeout opening channel", Code.TIMEOUT), ("timed out", Code.TIMEOUT), ("request denied", Code.FORBIDDEN),
)
_SMTP: dict[int, Code | Classification] = {
    421: Code.SERVICE_UNAVAILABLE, 450: Code.SERVICE_UNAVAILABLE, 451: Code.SERVICE_UNAVAILABLE, 452: Code.SERVICE_UNAVAILABLE, 454: Code.SERVICE_UNAVAILABLE,
    500: Code.INVALID_REQUEST, 501: Code.INVALID_PARAMS, 502: Code.NOT_IMPLEMENTED, 503: Code.INVALID_REQUEST, 504: Code.NOT_IMPLEMENTED, 521: Code.FORBIDDEN,
    530: Code.UNAUTHORIZED, 534: Code.UNAUTHORIZED, 535: Code.UNAUTHORIZED, 538: Code.UNAUTHORIZED, 550: Code.INVALID_PARAMS, 551: Code.INVALID_PARAMS,
    552: Code.VALIDATION_FAILED, 553: Code.INVALID_PARAMS, 554: Code.FORBIDDEN, 555: Code.INVALID_PARAMS, 556: Code.INVALID_PARAMS,
}
_SMTP_VAGUE = frozenset({421, 450, 451, 550, 552, 554})  # The enhanced code behind these says more.
_SMTP_ENHANCED: dict[str, Code | Classification] = {"5.1.1": Code.NOT_FOUND, "5.2.2": _FULL, "5.3.4": Code.VALIDATION_FAILED, "5.7.": Code.FORBIDDEN, "4.7.": Code.RATE_LIMITED}
_FTP: dict[int, Code | Classification] = {
    421: Code.SERVICE_UNAVAILABLE, 425: REFUSED, 426: Code.NETWORK_ERROR, 430: Code.UNAUTHORIZED, 450: LOCKED, 451: Code.UPSTREAM_ERROR, 452: _FULL,
    500: Code.INVALID_REQUEST, 501: Code.INVALID_PARAMS, 502: Code.NOT_IMPLEMENTED, 503: Code.INVALID_REQUEST, 504: Code.NOT_IMPLEMENTED, 522: Code.CONFIGURATION_ERROR,
    530: Code.UNAUTHORIZED, 532: Code.UNAUTHORIZED, 534: Code.CONFIGURATION_ERROR, 550: Code.NOT_FOUND, 551: Code.INVALID_PARAMS, 552: _FULL, 553: Code.INVALID_PARAMS,
}
_C_ARES: dict[int, Code | Classification] = {
    1: Code.NOT_FOUND, 2: Code.INVALID_REQUEST, 3: Code.SERVICE_UNAVAILABLE, 4: Code.NOT_FOUND, 5: Code.NOT_IMPLEMENTED, 6: Code.FORBIDDEN, 8: Code.INVALID_PARAMS,
    10: Code.UPSTREAM_ERROR, 11: REFUSED, 12: Code.TIMEOUT, 16: Code.INTERNAL_ERROR, 24: Code.CANCELLED,
}
# fmt: on


def _by_reply_code(meanings: dict[int, Code | Classification], description: str) -> Rule:
    """Make a rule of what the numbers in `code` mean."""

    def read(error: BaseException) -> RuleResult:
        return meanings.get(read_number(error, "code") or 0)

    read.__doc__ = description
    return read


def _by_ssh_words(error: BaseException) -> RuleResult:
    """What its text says about keys and time."""
    text = text_of(error)[:1000].lower()
    return next((known for phrase, known in _SSH_SAYS if phrase in text), None)


def _by_address(error: BaseException) -> RuleResult:
    """The error at the first address."""
    results = (by_errno(each) for each in _values(peek(error, "errors")) if is_a(each, BaseException))
    return next((known for known in results if known is not None), None)


def _values(errors: object) -> tuple[object, ...]:
    return items_of(cast("dict[object, object]", errors).values()) if is_a(errors, dict) else ()


def _by_smtp_code(error: BaseException) -> RuleResult:
    """The mail server's reply code."""
    code, text = _smtp_reply(error)
    enhanced = next((known for start, known in _SMTP_ENHANCED.items() if text.startswith(start)), None)
    return enhanced if enhanced is not None and code in _SMTP_VAGUE else _SMTP.get(code)


def _smtp_reply(error: BaseException) -> tuple[int, str]:
    refused = _values(peek(error, "recipients"))[:1]
    code, known = [*items_of(refused[0]), None, None][:2] if refused else (None, None)
    code = code or peek(error, "smtp_code") or peek(error, "code")
    return read_number({"it": code}, "it") or 0, _decode(known or peek(error, "smtp_error") or peek(error, "message"))


def _smtp_words(error: BaseException) -> str | None:
    """Find the server's words, which the exception's text has in bytes, beside the addresses."""
    return _smtp_reply(error)[1] or None


def _decode(value: object) -> str:
    return (
        bytes(value).decode(errors="replace")
        if isinstance(value, bytes)
        else text_of(value)
        if is_a(value, str)
        else ""
    )


def _by_ftp_code(error: BaseException) -> RuleResult:
    """The reply code that its text starts with."""
    text = text_of(error)[:1000]
    code = _REPLY_CODE.match(text)
    number = int(code[1]) if code else 0
    if number == 550 and "denied" in text.lower():  # noqa: PLR2004 - "requested action not taken", for several reasons
        return Code.FORBIDDEN
    return _FTP.get(number)


def _by_c_ares_number(error: BaseException) -> RuleResult:
    """c-ares's error number."""
    return _C_ARES.get(read_number({"it": read_argument(error)}, "it") or 0)


# fmt: off
_SSH: Table = {
    "paramiko.sftp.SFTPError": first(by_network_words, Code.UPSTREAM_ERROR),
    "paramiko.ssh_exception.ChannelException": first(_by_reply_code(_NO_CHANNEL, "The server's reason"), Code.UPSTREAM_ERROR),
    "paramiko.ssh_exception.NoValidConnectionsError": in_words(words_at("strerror"), first(_by_address, REFUSED)),
    "paramiko.ssh_exception.SSHException": first(_by_ssh_words, by_connection),
    "asyncssh.misc.ChannelOpenError": first(_by_reply_code(_NO_CHANNEL, "The server's reason"), by_network_words, Code.UPSTREAM_ERROR),
    "asyncssh.misc.DisconnectError": first(_by_reply_code(_DISCONNECTED, "The reason of the disconnect"), Code.NETWORK_ERROR),
    "asyncssh.sftp.SFTPError": first(_by_reply_code(_SFTP, "The SFTP server's code"), Code.UPSTREAM_ERROR),
    "invoke.exceptions.Failure": first(by_exit, Code.UPSTREAM_ERROR),
    "pysnmp.error.PySnmpError": first(by_network_words, Code.UPSTREAM_ERROR),
}
_SMTP_ROW = in_words(_smtp_words, first(_by_smtp_code, Code.UPSTREAM_ERROR))
_MAIL_AND_FILES: Table = {
    "smtplib.SMTPAuthenticationError": in_words(_smtp_words, first(_by_smtp_code, Code.UNAUTHORIZED)),
    "smtplib.SMTPConnectError": in_words(_smtp_words, first(_by_smtp_code, REFUSED)),
    "smtplib.SMTPRecipientsRefused": _SMTP_ROW,
    "smtplib.SMTPResponseException": _SMTP_ROW,
    "aiosmtplib.errors.SMTPAuthenticationError": first(_by_smtp_code, Code.UNAUTHORIZED),
    "aiosmtplib.errors.SMTPConnectError": first(by_what_broke, by_network_words, REFUSED),
    "aiosmtplib.errors.SMTPResponseException": _SMTP_ROW,
    "ftplib.Error": first(_by_ftp_code, Code.UPSTREAM_ERROR),
    "ftplib.error_temp": first(_by_ftp_code, Code.SERVICE_UNAVAILABLE),
    "smbprotocol.exceptions.SMBException": first(by_network_words, Code.UPSTREAM_ERROR),
}
_HOSTS: Table = {
    **_SSH,
    "aiodns.error.DNSError": first(_by_c_ares_number, Code.NETWORK_ERROR),
    **_MAIL_AND_FILES,
}
# fmt: on


# ldap3: the result codes of LDAP are its classes, and the client has its own.


# fmt: off
_RESULTS: dict[Code | Classification, tuple[str, ...]] = {
    Code.UPSTREAM_ERROR: ("OperationsError", "ProtocolError", "Other", "LoopDetected", "Referral"),
    Code.TIMEOUT: ("TimeLimitExceeded",),
    Code.VALIDATION_FAILED: ("SizeLimitExceeded", "AdminLimitExceeded", "ConstraintViolation", "ObjectClassViolation", "NamingViolation"),
    Code.INVALID_PARAMS: ("InvalidAttributeSyntax", "InvalidDNSyntax", "UndefinedAttributeType", "InappropriateMatching", "LCUPInvalidData", "NotAllowedOnRDN", "ObjectClassModsProhibited"),
    Code.UNAUTHORIZED: ("InvalidCredentials", "StrongerAuthRequired", "InappropriateAuthentication", "AuthorizationDenied"),
    Code.FORBIDDEN: ("InsufficientAccessRights", "LCUPSecurityViolation"),
    Code.OPERATION_NOT_ALLOWED: ("UnwillingToPerform", "AffectMultipleDSAS", "CannotCancel", "TooLate"),
    Code.NOT_FOUND: ("NoSuchObject", "NoSuchAttribute", "NoSuchOperation", "AliasProblem", "AliasDereferencingProblem"),
    Code.CONFLICT: ("EntryAlreadyExists", "AttributeOrValueExists", "NotAllowedOnNotLeaf", "AssertionFailed"),
    LOCKED: ("ESyncRefreshRequired", "LCUPReloadRequired"),
    WAIT: ("Busy", "Unavailable", "LCUPResourcesExhausted"),
    Code.NOT_IMPLEMENTED: ("AuthMethodNotSupported", "UnavailableCriticalExtension", "LCUPUnsupportedScheme"),
    Code.CONFIGURATION_ERROR: ("ConfidentialityRequired",),
    Code.CANCELLED: ("Canceled",),
    Code.INTERNAL_ERROR: ("SASLBindInProgress",),
}
_CLIENT: dict[str, Rule] = {
    "Communication": by_connection,
    "MaximumRetries": by_connection,
    "Referral": by_connection,
    "SocketOpen": first(by_what_broke, by_network_words, REFUSED),
    "SocketReceive": by_connection,
    "SocketSend": by_connection,
}
# fmt: on


def _server_words(error: BaseException) -> str | None:
    """Find the server's message; the exception's text adds the entry and the whole response."""
    return read_text(error, "message") or read_text(error, "description")


_LDAP: Table = {
    **{
        f"ldap3.core.exceptions.LDAP{name}Result": in_words(_server_words, known)
        for known, names in _RESULTS.items()
        for name in names
    },
    "ldap3.core.exceptions.LDAPOperationResult": in_words(_server_words, Code.UPSTREAM_ERROR),
    **{f"ldap3.core.exceptions.LDAP{name}Error": rule for name, rule in _CLIENT.items()},
}

TABLE: Table = {**_HOSTS, **_LDAP}
