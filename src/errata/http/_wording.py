"""The sentence about a response: who answered, with which status, and in which words."""

import re
from http import HTTPStatus
from urllib.parse import urlsplit

from errata.model import Code, FieldIssue, text_or_none
from errata.redaction import cut, defuse_markup, make_visible, quote_words, redact

LONGEST_MESSAGE = 300
LONGEST_NAME = 100
ABOUT_ARGUMENTS = frozenset({400, 422})
"""The statuses whose bodies may complain about single arguments."""
_SHORTEST_CUT = 40  # A shorter text has no room for the mark of the cutting.
_LONGEST_HOST = 80
_MARGIN = 8192  # Characters; longer than any secret, a private key included.
_MOST = 32_000
_ROOM_FOR_QUOTING = len(": \u2039\u203a")
_ADDRESS = re.compile(r"\b[A-Za-z][A-Za-z0-9+.\-]{1,15}://[^\s'\"<>)\]}]{1,2000}")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?")
_TOP_LABEL = re.compile(r"[a-z]{2,24}|xn--[a-z0-9-]{2,59}")
# What names are made of that are known in one network only. `local.example` is somebody's site, `db.local` is not.
_PRIVATE_LABELS = frozenset({"cluster", "corp", "internal", "intranet", "lan", "svc"})
_PRIVATE_ENDINGS = _PRIVATE_LABELS | {
    "arpa", "consul", "docker", "home", "invalid", "k8s", "local", "localdomain", "localhost", "nomad", "onion", "private",
}  # fmt: skip
# RFC 9110's words; Python's own changed with 3.13.
_RENAMED = {413: "Content Too Large", 414: "URI Too Long", 416: "Range Not Satisfiable", 422: "Unprocessable Content"}
_USUAL_PORTS = {None, 80, 443}
_ENDINGS = {
    1: ", which is not an error.",
    2: ", which is not an error.",
    3: ", a redirect that was not followed.",
}
_SAYS_NOTHING = {"", "error", "errorresponse", "errorpage", "null", "none", "true", "false"}


def describe_response(status: int, reason: str, sentence: str, *, code: Code, service: str) -> str:
    """Return the sentence about a response: who answered with which status, and the body's own words if they say more."""
    phrase = _status_phrase(status, clean(reason, LONGEST_NAME))
    statement = f"{service} answered {status} {phrase}".rstrip()
    own_words = _without_status(
        clean(without_internal_addresses(make_visible(sentence)[:_MOST]), LONGEST_MESSAGE), status
    )
    if _letters(own_words) not in _SAYS_NOTHING | {_letters(phrase)}:
        return quote_behind(statement, own_words)
    return statement + (_ENDINGS.get(status // 100) or ("." if phrase else f". {code.sentence}"))


def quote_behind(statement: str, words: str) -> str:
    """Return a statement followed by the quoted words of a service or a program."""
    statement = cut(statement, LONGEST_MESSAGE // 2)
    return f"{statement}: {quote_words(cut(words, LONGEST_MESSAGE - len(statement) - _ROOM_FOR_QUOTING))}"


def service_name(service: object) -> str:
    """Return the name of a service for the start of a sentence; "The service" where it has none."""
    return clean(text_or_none(service) or "The service", LONGEST_NAME)


def public_host(url: str | None) -> str | None:
    """Return the host of an address that anybody could have; None for an internal name, an IP or an unusual port."""
    try:
        parts = urlsplit((url or "")[:2000])
        host, port = (parts.hostname or "").lower().rstrip("."), parts.port
    except ValueError:
        return None
    labels = host.split(".")
    is_name = len(labels) > 1 and _TOP_LABEL.fullmatch(labels[-1]) and all(map(_LABEL.fullmatch, labels))
    is_private = labels[-1] in _PRIVATE_ENDINGS or not _PRIVATE_LABELS.isdisjoint(labels)
    return host if is_name and not is_private and port in _USUAL_PORTS and len(host) <= _LONGEST_HOST else None


def without_internal_addresses(text: str) -> str:
    """Take the addresses out of a text that only this server can reach."""
    return _ADDRESS.sub(_unless_internal, text) if "://" in text else text


def clean(text: str, limit: int) -> str:
    """Return foreign text on one line, without secrets, cut to the limit."""
    return excerpt(" ".join(make_visible(text)[:_MOST].split()), limit)


def clean_issue(issue: FieldIssue) -> FieldIssue:
    """Return an issue with its texts on one line each, without secrets."""
    return FieldIssue(clean(issue.field, LONGEST_NAME), clean(issue.problem, LONGEST_MESSAGE))


def excerpt(text: str, limit: int) -> str:
    """Return the beginning of a foreign text that loads nothing, redacted before it is cut: half a secret is not recognised.

    Of a long text only what matters is redacted, and what may be half a secret at its end is dropped.
    """
    enough = limit + 1 + _MARGIN
    text = make_visible(text)
    safe = defuse_markup(redact(text) if len(text) <= enough else redact(text[:enough])[:-_MARGIN])
    return cut(safe, limit) if limit >= _SHORTEST_CUT else safe[:limit]


def _status_phrase(status: int, otherwise: str) -> str:
    """Return HTTP's own words for a status; those of the response where HTTP has none."""
    try:
        return _RENAMED.get(status) or HTTPStatus(status).phrase
    except ValueError:
        return otherwise


def _unless_internal(address: re.Match[str]) -> str:
    return address[0] if public_host(address[0]) else "[internal address]"


def _without_status(sentence: str, status: int) -> str:
    return sentence.removeprefix(str(status)).lstrip(" :-") if sentence.startswith(str(status)) else sentence


def _letters(text: str) -> str:
    return "".join(filter(str.isalpha, text.casefold()))
