"""Containers, clusters, secrets, repositories and browsers; messages and remote hosts have files of their own."""

import json
import re

from errata.classification._carried import by_status
from errata.classification._exception_rules import (
    NOT_SENT_IN_TIME,
    REDIRECTS,
    REFUSED,
    TLS,
    UNKNOWN_HOST,
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
from errata.classification._foreign import peek, read_text
from errata.classification._words import classify_words, spell_out
from errata.model import Code, is_a, items_of
from errata.redaction import text_of

_LONGEST_BODY = 100_000
_NET_ERROR = re.compile(r"\b(?:net::|NS_ERROR_)(ERR_)?([A-Z_]{4,60})")


def _message_in_body(error: BaseException) -> str | None:
    """Find the message in the reply's body; the exception's text adds all headers."""
    body = read_text(error, "body")
    try:
        message = read_text(json.loads(body), "message") if body and len(body) < _LONGEST_BODY else None
    except ValueError:
        message = None
    return message or read_text(error, "reason")


def _first_refusal(error: BaseException) -> RuleResult:
    """The first of the API's refusals."""
    return next((each for each in items_of(peek(error, "api_exceptions")) if is_a(each, BaseException)), None)


def _by_words(error: BaseException) -> RuleResult:
    """What its text says."""
    return classify_words(spell_out(text_of(error)[:4000]))


def _by_net_error(error: BaseException) -> RuleResult:
    """The browser's name for what broke the connection."""
    match = _NET_ERROR.search(text_of(error)[:4000])
    name = match[2] if match else ""
    return TLS if name.startswith(("CERT_", "SSL_")) else _NET_ERRORS.get(name)


def _of_playwright(error: BaseException) -> RuleResult:
    """Whether the browser is not installed, or is gone."""
    text = text_of(error)[:1000]
    if "Executable doesn't exist" in text or "playwright install" in text:
        return Code.CONFIGURATION_ERROR
    return WAIT if "has been closed" in text else None


_DOCKER = in_words(words_at("explanation"), first(by_status, Code.UPSTREAM_ERROR))

# fmt: off
_NET_ERRORS: dict[str, Classification | Code] = {
    "ABORTED": Code.CANCELLED, "ADDRESS_UNREACHABLE": REFUSED, "CONNECTION_CLOSED": Code.NETWORK_ERROR, "CONNECTION_REFUSED": REFUSED, "CONNECTION_RESET": Code.NETWORK_ERROR,
    "CONNECTION_TIMED_OUT": NOT_SENT_IN_TIME, "EMPTY_RESPONSE": Code.NETWORK_ERROR, "FILE_NOT_FOUND": Code.NOT_FOUND, "INTERNET_DISCONNECTED": REFUSED, "INVALID_URL": Code.INVALID_PARAMS,
    "NAME_NOT_RESOLVED": UNKNOWN_HOST, "NETWORK_CHANGED": Code.NETWORK_ERROR, "PROXY_CONNECTION_FAILED": REFUSED, "TIMED_OUT": Code.TIMEOUT, "TOO_MANY_REDIRECTS": REDIRECTS,
    "UNKNOWN_HOST": UNKNOWN_HOST, "UNKNOWN_URL_SCHEME": Code.INVALID_PARAMS,
}
_SELENIUM: dict[str, Rule] = {
    "WebDriverException": first(_by_net_error, by_what_broke, by_network_words, Code.UPSTREAM_ERROR),
}
_KUBERNETES: dict[str, Rule] = {
    "ApiException": in_words(_message_in_body, first(by_status, by_network_words, Code.UPSTREAM_ERROR)),
}
_CONTAINERS: Table = {
    "docker.errors.APIError": _DOCKER,
    "docker.errors.ContainerError": first(by_exit, Code.UPSTREAM_ERROR),
    "docker.errors.DockerException": first(by_what_broke, by_network_words, Code.UPSTREAM_ERROR),
    "docker.errors.ImageNotFound": in_words(words_at("explanation"), Classification(Code.NOT_FOUND, http_status=404)),
    "docker.errors.NotFound": in_words(words_at("explanation"), Classification(Code.NOT_FOUND, http_status=404)),
    "aiodocker.exceptions.DockerError": first(by_status, by_what_broke, Code.UPSTREAM_ERROR),
    "podman.errors.exceptions.APIError": _DOCKER,
    "podman.errors.exceptions.PodmanError": first(by_what_broke, by_network_words, Code.UPSTREAM_ERROR),
    **{f"{package}.client.exceptions.{name}": rule for package in ("kubernetes", "kubernetes_asyncio") for name, rule in _KUBERNETES.items()},
    "kubernetes.utils.create_from_yaml.FailToCreateError": first(_first_refusal, Code.UPSTREAM_ERROR),
    "pykube.exceptions.HTTPError": first(by_status, Code.UPSTREAM_ERROR),
}
_SETTINGS_AND_SECRETS: Table = {
    "etcd.EtcdConnectionFailed": by_connection,
}
_REPOSITORIES: Table = {
    "git.exc.GitCommandError": first(by_exit, _by_words, Code.UPSTREAM_ERROR),
}
TABLE: Table = {
    **_CONTAINERS,
    **_SETTINGS_AND_SECRETS,
    **_REPOSITORIES,
    **{f"selenium.common.exceptions.{name}": rule for name, rule in _SELENIUM.items()},
    "playwright._impl._errors.Error": first(_by_net_error, _of_playwright, by_network_words, Code.UPSTREAM_ERROR),
    "pyppeteer.errors.PageError": first(_by_net_error, Code.UPSTREAM_ERROR),
}
# fmt: on
