"""Containers, clusters, secrets, repositories and browsers; messages and remote hosts have files of their own."""

import json
import re

from errata.classification._answer import Classification, Otherwise, Rule, RuleResult, Table, first
from errata.classification._carried import by_status
from errata.classification._families import _messaging, _remote_hosts
from errata.classification._families._connection import (
    NOT_SENT_IN_TIME,
    REDIRECTS,
    UNKNOWN_HOST,
    by_network_words,
    by_what_broke,
)
from errata.classification._families._processes import by_exit
from errata.classification._families._rewording import in_words, words_at
from errata.classification._reach import peek, read_text
from errata.classification._verdicts import BUG, LOCKED, REFUSED, TLS, WAIT
from errata.classification._words import classify_words, spell_out
from errata.model import Code, is_a, items_of
from errata.redaction import text_of

_CONNECTION = first(by_what_broke, by_network_words, Code.NETWORK_ERROR)
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
    found = _NET_ERROR.search(text_of(error)[:4000])
    name = found[2] if found else ""
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
    "DetachedShadowRootException": LOCKED, "ElementClickInterceptedException": Code.OPERATION_NOT_ALLOWED, "ElementNotInteractableException": Code.OPERATION_NOT_ALLOWED,
    "ElementNotSelectableException": Code.OPERATION_NOT_ALLOWED, "ElementNotVisibleException": Code.OPERATION_NOT_ALLOWED, "ImeActivationFailedException": Code.UPSTREAM_ERROR,
    "ImeNotAvailableException": Code.NOT_IMPLEMENTED, "InsecureCertificateException": TLS, "InvalidArgumentException": Code.INVALID_PARAMS, "InvalidCookieDomainException": Code.INVALID_PARAMS,
    "InvalidCoordinatesException": Code.INVALID_PARAMS, "InvalidElementStateException": Code.OPERATION_NOT_ALLOWED, "InvalidSelectorException": Code.INVALID_PARAMS,
    "InvalidSessionIdException": Code.GONE, "InvalidSwitchToTargetException": Code.NOT_FOUND, "JavascriptException": Code.UPSTREAM_ERROR, "MoveTargetOutOfBoundsException": Code.VALIDATION_FAILED,
    "NoAlertPresentException": Code.NOT_FOUND, "NoSuchAttributeException": Code.NOT_FOUND, "NoSuchCookieException": Code.NOT_FOUND, "NoSuchDriverException": Code.CONFIGURATION_ERROR,
    "NoSuchElementException": Code.NOT_FOUND, "NoSuchFrameException": Code.NOT_FOUND, "NoSuchShadowRootException": Code.NOT_FOUND, "NoSuchWindowException": Code.NOT_FOUND,
    "ScreenshotException": Code.UPSTREAM_ERROR, "SessionNotCreatedException": Code.CONFIGURATION_ERROR, "StaleElementReferenceException": LOCKED, "TimeoutException": Code.TIMEOUT,
    "UnableToSetCookieException": Code.INVALID_PARAMS, "UnexpectedAlertPresentException": Code.CONFLICT, "UnexpectedTagNameException": Code.INVALID_PARAMS,
    "UnknownMethodException": Code.NOT_IMPLEMENTED, "WebDriverException": first(_by_net_error, by_what_broke, by_network_words, Code.UPSTREAM_ERROR),
}
_KAZOO: dict[str, Rule] = {
    "APIError": Code.UPSTREAM_ERROR, "AuthFailedError": Code.UNAUTHORIZED, "BadArgumentsError": Code.INVALID_PARAMS, "BadVersionError": Code.CONFLICT, "CancelledError": Code.CANCELLED,
    "ConnectionClosedError": Code.NETWORK_ERROR, "ConnectionDropped": Code.NETWORK_ERROR, "ConnectionLoss": Code.NETWORK_ERROR, "ConfigurationError": Code.CONFIGURATION_ERROR,
    "DataInconsistency": Code.DATABASE_ERROR, "InvalidACLError": Code.INVALID_PARAMS, "KazooException": Code.UPSTREAM_ERROR, "LockTimeout": LOCKED, "MarshallingError": Code.SERIALIZATION_ERROR,
    "NoAuthError": Code.FORBIDDEN, "NoChildrenForEphemeralsError": Code.INVALID_PARAMS, "NoNodeError": Code.NOT_FOUND, "NodeExistsError": Code.CONFLICT, "NotEmptyError": Code.CONFLICT,
    "NotReadOnlyCallError": WAIT, "OperationTimeoutError": Code.TIMEOUT, "RolledBackError": Code.CONFLICT, "RuntimeInconsistency": Code.CONFLICT, "SessionExpiredError": Code.NETWORK_ERROR,
    "SessionMovedError": Code.NETWORK_ERROR, "SystemZookeeperError": Code.UPSTREAM_ERROR, "UnimplementedError": Code.NOT_IMPLEMENTED, "WriterNotClosedException": BUG, "InvalidCallbackError": BUG, "ZookeeperError": Code.UPSTREAM_ERROR,
    "ZookeeperStoppedError": BUG,
}
_KUBERNETES: dict[str, Rule] = {
    "ApiAttributeError": BUG,
    "ApiException": in_words(_message_in_body, first(by_status, by_network_words, Code.UPSTREAM_ERROR)),
    "ApiKeyError": BUG,
    "ApiTypeError": Code.INVALID_PARAMS,
    "ApiValueError": Code.INVALID_PARAMS,
    "OpenApiException": Code.UPSTREAM_ERROR,
}
_CONTAINERS: Table = {
    "docker.errors.APIError": _DOCKER,
    "docker.errors.BuildError": Code.UPSTREAM_ERROR,
    "docker.errors.ContainerError": first(by_exit, Code.UPSTREAM_ERROR),
    "docker.errors.ContextAlreadyExists": Code.CONFLICT,
    "docker.errors.ContextException": Code.CONFIGURATION_ERROR,
    "docker.errors.ContextNotFound": Code.CONFIGURATION_ERROR,
    "docker.errors.DeprecatedMethod": Code.NOT_IMPLEMENTED,
    "docker.errors.DockerException": first(by_what_broke, by_network_words, Code.UPSTREAM_ERROR),
    "docker.errors.ImageLoadError": Code.UPSTREAM_ERROR,
    "docker.errors.ImageNotFound": in_words(words_at("explanation"), Classification(Code.NOT_FOUND, http_status=404)),
    "docker.errors.InvalidArgument": Code.INVALID_PARAMS,
    "docker.errors.InvalidConfigFile": Code.CONFIGURATION_ERROR,
    "docker.errors.InvalidRepository": Code.INVALID_PARAMS,
    "docker.errors.InvalidVersion": Code.NOT_IMPLEMENTED,
    "docker.errors.MissingContextParameter": Code.CONFIGURATION_ERROR,
    "docker.errors.NotFound": in_words(words_at("explanation"), Classification(Code.NOT_FOUND, http_status=404)),
    "docker.errors.NullResource": Code.INVALID_PARAMS,
    "docker.errors.StreamParseError": Code.SERIALIZATION_ERROR,
    "docker.errors.TLSParameterError": Code.CONFIGURATION_ERROR,
    "docker.credentials.errors.CredentialsNotFound": Code.CONFIGURATION_ERROR,
    "docker.credentials.errors.InitializationError": Code.CONFIGURATION_ERROR,
    "docker.credentials.errors.StoreError": Code.CONFIGURATION_ERROR,
    "aiodocker.exceptions.DockerError": first(by_status, by_what_broke, Code.UPSTREAM_ERROR),
    "podman.errors.exceptions.APIError": _DOCKER,
    "podman.errors.exceptions.BuildError": Code.UPSTREAM_ERROR,
    "podman.errors.exceptions.ContainerError": Code.UPSTREAM_ERROR,
    "podman.errors.exceptions.PodmanError": first(by_what_broke, by_network_words, Code.UPSTREAM_ERROR),
    "python_on_whales.exceptions.DockerException": Otherwise(Code.UPSTREAM_ERROR),
    "python_on_whales.exceptions.NoSuchContainer": Code.NOT_FOUND,
    "python_on_whales.exceptions.NoSuchImage": Code.NOT_FOUND,
    "python_on_whales.exceptions.NoSuchVolume": Code.NOT_FOUND,
    **{f"{package}.client.exceptions.{name}": rule for package in ("kubernetes", "kubernetes_asyncio") for name, rule in _KUBERNETES.items()},
    "kubernetes.config.config_exception.ConfigException": Code.CONFIGURATION_ERROR,
    "kubernetes_asyncio.config.config_exception.ConfigException": Code.CONFIGURATION_ERROR,
    "kubernetes.dynamic.exceptions.KubernetesValidateMissing": Code.CONFIGURATION_ERROR,
    "kubernetes.dynamic.exceptions.ResourceNotFoundError": Code.NOT_FOUND,
    "kubernetes.dynamic.exceptions.ResourceNotUniqueError": Code.CONFLICT,
    "kubernetes.utils.create_from_yaml.FailToCreateError": first(_first_refusal, Code.UPSTREAM_ERROR),
    "kr8s._exceptions.APITimeoutError": Code.TIMEOUT,
    "kr8s._exceptions.ConnectionClosedError": Code.NETWORK_ERROR,
    "kr8s._exceptions.ExecError": Code.UPSTREAM_ERROR,
    "kr8s._exceptions.NotFoundError": Code.NOT_FOUND,
    "pykube.exceptions.HTTPError": first(by_status, Code.UPSTREAM_ERROR),
    "pykube.exceptions.KubernetesError": Code.UPSTREAM_ERROR,
    "pykube.exceptions.ObjectDoesNotExist": Code.NOT_FOUND,
}
_SETTINGS_AND_SECRETS: Table = {
    "hvac.exceptions.BadGateway": Code.SERVICE_UNAVAILABLE,
    "hvac.exceptions.Forbidden": Code.FORBIDDEN,
    "hvac.exceptions.InternalServerError": Code.UPSTREAM_ERROR,
    "hvac.exceptions.InvalidPath": Code.NOT_FOUND,
    "hvac.exceptions.InvalidRequest": Code.INVALID_PARAMS,
    "hvac.exceptions.ParamValidationError": Code.INVALID_PARAMS,
    "hvac.exceptions.PreconditionFailed": Code.CONFLICT,
    "hvac.exceptions.RateLimitExceeded": Code.RATE_LIMITED,
    "hvac.exceptions.Unauthorized": Code.UNAUTHORIZED,
    "hvac.exceptions.UnexpectedError": Code.UPSTREAM_ERROR,
    "hvac.exceptions.UnsupportedOperation": Code.NOT_IMPLEMENTED,
    "hvac.exceptions.VaultDown": Code.SERVICE_UNAVAILABLE,
    "hvac.exceptions.VaultError": Code.UPSTREAM_ERROR,
    "hvac.exceptions.VaultNotInitialized": Code.CONFIGURATION_ERROR,  # It waits for a person, not for time.
    "consul.base.ACLDisabled": Code.CONFIGURATION_ERROR,
    "consul.base.ACLPermissionDenied": Code.FORBIDDEN,
    "consul.base.BadRequest": Code.INVALID_REQUEST,
    "consul.base.ClientError": Code.INVALID_REQUEST,
    "consul.base.ConsulException": Otherwise(Code.UPSTREAM_ERROR),
    "consul.base.NotFound": Code.NOT_FOUND,
    "consul.base.Timeout": Code.TIMEOUT,
    "etcd3.exceptions.ConnectionFailedError": REFUSED,
    "etcd3.exceptions.ConnectionTimeoutError": Code.TIMEOUT,
    "etcd3.exceptions.InternalServerError": Code.UPSTREAM_ERROR,
    "etcd3.exceptions.InvalidArgumentError": Code.INVALID_PARAMS,
    "etcd3.exceptions.PreconditionFailedError": Code.CONFLICT,
    "etcd3.exceptions.RevisionCompactedError": Code.GONE,
    "etcd3.exceptions.WatchTimedOut": Code.TIMEOUT,
    "etcd.EtcdAlreadyExist": Code.CONFLICT,
    "etcd.EtcdCompareFailed": Code.CONFLICT,
    "etcd.EtcdConnectionFailed": _CONNECTION,
    "etcd.EtcdException": Code.UPSTREAM_ERROR,
    "etcd.EtcdInsufficientPermissions": Code.FORBIDDEN,
    "etcd.EtcdKeyNotFound": Code.NOT_FOUND,
    "etcd.EtcdLockExpired": Code.CONFLICT,
    **{f"kazoo.exceptions.{name}": rule for name, rule in _KAZOO.items()},
    "kazoo.handlers.threading.KazooTimeoutError": NOT_SENT_IN_TIME,
}
_REPOSITORIES: Table = {
    "git.exc.AmbiguousObjectName": Code.INVALID_PARAMS,
    "git.exc.CacheError": Code.UPSTREAM_ERROR,
    "git.exc.CheckoutError": Code.CONFLICT,
    "git.exc.CommandError": Otherwise(Code.UPSTREAM_ERROR),  # Git's own words say more.
    "git.exc.GitCommandError": first(by_exit, _by_words, Code.UPSTREAM_ERROR),
    "git.exc.GitCommandNotFound": Code.CONFIGURATION_ERROR,
    "git.exc.GitError": Otherwise(Code.UPSTREAM_ERROR),
    "git.exc.HookExecutionError": Code.UPSTREAM_ERROR,
    "git.exc.InvalidGitRepositoryError": Code.NOT_FOUND,
    "git.exc.NoSuchPathError": Code.NOT_FOUND,
    "git.exc.RepositoryDirtyError": Code.CONFLICT,
    "git.exc.UnmergedEntriesError": Code.CONFLICT,
    "git.exc.UnsafeOptionError": Code.FORBIDDEN,
    "git.exc.UnsafeProtocolError": Code.FORBIDDEN,
    "git.exc.WorkTreeRepositoryUnsupported": Code.NOT_IMPLEMENTED,
    "gitdb.exc.AmbiguousObjectName": Code.INVALID_PARAMS,
    "gitdb.exc.BadName": Code.NOT_FOUND,
    "gitdb.exc.BadObject": Code.NOT_FOUND,
    "gitdb.exc.InvalidDBRoot": Code.NOT_FOUND,
    "_pygit2.AlreadyExistsError": Code.CONFLICT,
    "_pygit2.GitError": Otherwise(Code.UPSTREAM_ERROR),
    "_pygit2.InvalidSpecError": Code.INVALID_PARAMS,
    "dulwich.client.HTTPProxyUnauthorized": Code.UNAUTHORIZED,
    "dulwich.client.HTTPUnauthorized": Code.UNAUTHORIZED,
    "dulwich.errors.ChecksumMismatch": Code.SERIALIZATION_ERROR,
    "dulwich.errors.CommitError": Code.CONFLICT,
    "dulwich.errors.FileFormatException": Code.SERIALIZATION_ERROR,
    "dulwich.errors.GitProtocolError": Otherwise(Code.UPSTREAM_ERROR),
    "dulwich.errors.HangupException": Code.NETWORK_ERROR,
    "dulwich.errors.HookError": Code.UPSTREAM_ERROR,
    "dulwich.errors.MissingCommitError": Code.NOT_FOUND,
    "dulwich.errors.NotGitRepository": Code.NOT_FOUND,
    "dulwich.errors.ObjectMissing": Code.NOT_FOUND,
    "dulwich.errors.WorkingTreeModifiedError": Code.CONFLICT,
    "hglib.error.CommandError": Otherwise(Code.UPSTREAM_ERROR),
}
TABLE: Table = {
    **_CONTAINERS,
    **_SETTINGS_AND_SECRETS,
    **_REPOSITORIES,
    **{f"selenium.common.exceptions.{name}": rule for name, rule in _SELENIUM.items()},
    "playwright._impl._errors.Error": first(_by_net_error, _of_playwright, by_network_words, Code.UPSTREAM_ERROR),
    "playwright._impl._errors.TargetClosedError": WAIT,
    "playwright._impl._errors.TimeoutError": Code.TIMEOUT,
    "pyppeteer.errors.BrowserError": Code.UPSTREAM_ERROR,
    "pyppeteer.errors.ElementHandleError": Code.NOT_FOUND,
    "pyppeteer.errors.NetworkError": Code.NETWORK_ERROR,
    "pyppeteer.errors.PageError": first(_by_net_error, Code.UPSTREAM_ERROR),
    "pyppeteer.errors.TimeoutError": Code.TIMEOUT,
    **_messaging.TABLE,
    **_remote_hosts.TABLE,
}
# fmt: on
