"""Web frameworks' own answers, raised in a tool, and smaller HTTP clients."""

from errata.classification._answer import Classification, Otherwise, RuleResult, Table, first
from errata.classification._carried import by_status
from errata.classification._families._connection import (
    NOT_HTTP,
    NOT_SENT_IN_TIME,
    REDIRECTS,
    UNKNOWN_HOST,
    by_final_status,
    by_network_words,
    by_what_broke,
)
from errata.classification._reach import peek, read_number, read_text
from errata.classification._verdicts import BUG, TLS
from errata.http import status_to_code
from errata.model import Code, Retry, wait_ms
from errata.redaction import text_of

_NETWORK = first(by_what_broke, by_network_words, Code.NETWORK_ERROR)
_STATUS = first(by_final_status, Code.UPSTREAM_ERROR)
_OWN_STATUS = first(by_status, Code.INTERNAL_ERROR)
_SETTING = Code.CONFIGURATION_ERROR
_TIMED_OUT = 599


def _detailed(error: BaseException) -> RuleResult:
    """The HTTP status it carries, in the words of its detail."""
    answer = by_status(error)
    detail = read_text(error, "detail") or read_text(error, "description")
    return None if answer is None else answer._replace(text=detail)


def _throttled(error: BaseException) -> RuleResult:
    """The wait it carries, in seconds."""
    return Classification(Code.RATE_LIMITED, http_status=429, retry_after_ms=wait_ms(peek(error, "wait"), unit_ms=1000))


def _tornado(error: BaseException) -> RuleResult:
    """The HTTP status it carries; 599 is the client's own, for no answer at all."""
    if read_number(error, "code") != _TIMED_OUT:
        return by_final_status(error)
    return Code.TIMEOUT if "timeout" in text_of(error).lower() else by_network_words(error) or Code.NETWORK_ERROR


def _xmlrpc(error: BaseException) -> RuleResult:
    """The HTTP status it carries."""
    status = read_number(error, "errcode")
    return Classification(status_to_code(status), http_status=status) if status else None


# fmt: off
TABLE: Table = {
    # What a framework would have answered; a tool that shares code with a web server raises it.
    "starlette.exceptions.HTTPException": first(_detailed, Code.INTERNAL_ERROR),
    "starlette.exceptions.WebSocketException": Code.UPSTREAM_ERROR,
    "starlette.websockets.WebSocketDisconnect": Code.NETWORK_ERROR,
    "starlette.websockets.WebSocketDisconnected": Code.NETWORK_ERROR,
    "starlette.requests.ClientDisconnect": Code.CANCELLED,
    "starlette.formparsers.MultiPartException": Code.INVALID_REQUEST,
    "starlette.authentication.AuthenticationError": Code.UNAUTHORIZED,
    "starlette.routing.NoMatchFound": BUG,
    "starlette.config.EnvironError": _SETTING,
    "starlette.responses.MalformedRangeHeader": Code.INVALID_REQUEST,
    "starlette.responses.RangeNotSatisfiable": Code.VALIDATION_FAILED,
    "werkzeug.exceptions.HTTPException": first(_detailed, Code.INTERNAL_ERROR),
    "werkzeug.routing.exceptions.RoutingException": BUG,
    "werkzeug.routing.exceptions.BuildError": BUG,
    "rest_framework.exceptions.APIException": first(by_status, Code.INTERNAL_ERROR),
    "rest_framework.exceptions.ValidationError": Code.VALIDATION_FAILED,
    "rest_framework.exceptions.ParseError": Code.PARSE_ERROR,
    "rest_framework.exceptions.NotAuthenticated": Code.UNAUTHORIZED,
    "rest_framework.exceptions.AuthenticationFailed": Code.UNAUTHORIZED,
    "rest_framework.exceptions.PermissionDenied": Code.FORBIDDEN,
    "rest_framework.exceptions.Throttled": _throttled,
    "django.http.response.Http404": Code.NOT_FOUND,
    "django.core.exceptions.PermissionDenied": Code.FORBIDDEN,
    "django.core.exceptions.SuspiciousOperation": Code.INVALID_REQUEST,
    "django.core.exceptions.BadRequest": Code.INVALID_PARAMS,
    "django.core.exceptions.ImproperlyConfigured": _SETTING,
    "django.core.exceptions.RequestAborted": Code.CANCELLED,
    "falcon.HTTPError": _OWN_STATUS,
    "falcon.errors.WebSocketDisconnected": Code.NETWORK_ERROR,
    "sanic.exceptions.SanicException": _OWN_STATUS,
    "tornado.web.HTTPError": _OWN_STATUS,
    "tornado.web.MissingArgumentError": Code.MISSING_REQUIRED_FIELD,
    "litestar.exceptions.HTTPException": first(_detailed, Code.INTERNAL_ERROR),
    "litestar.exceptions.ImproperlyConfiguredException": _SETTING,
    "bottle.HTTPError": _OWN_STATUS,
    "cherrypy._cperror.HTTPError": _OWN_STATUS,
    "webob.exc.HTTPError": _OWN_STATUS,
    "pyramid.httpexceptions.HTTPError": _OWN_STATUS,

    # httplib2.
    "httplib2.HttpLib2Error": Otherwise(Code.UPSTREAM_ERROR),
    "httplib2.error.ServerNotFoundError": UNKNOWN_HOST,
    "httplib2.error.RedirectLimit": REDIRECTS,
    "httplib2.error.RedirectMissingLocation": REDIRECTS,
    "httplib2.error.FailedToDecompressContent": Code.SERIALIZATION_ERROR,
    "httplib2.error.MalformedHeader": NOT_HTTP,
    "httplib2.error.RelativeURIError": Code.INVALID_PARAMS,
    "httplib2.error.ProxiesUnavailableError": _SETTING,
    "httplib2.error.UnimplementedDigestAuthOptionError": Code.NOT_IMPLEMENTED,
    "httplib2.error.UnimplementedHmacDigestAuthOptionError": Code.NOT_IMPLEMENTED,

    # tornado, twisted and scrapy.
    "tornado.httpclient.HTTPClientError": first(_tornado, Code.UPSTREAM_ERROR),
    "tornado.httpclient.HTTPError": first(_tornado, Code.UPSTREAM_ERROR),
    "tornado.simple_httpclient.HTTPTimeoutError": Code.TIMEOUT,
    "tornado.simple_httpclient.HTTPStreamClosedError": Code.NETWORK_ERROR,
    "tornado.curl_httpclient.CurlError": _NETWORK,
    "tornado.websocket.WebSocketClosedError": Code.NETWORK_ERROR,
    "twisted.web.error.Error": Otherwise(Code.UPSTREAM_ERROR),
    "twisted.web._newclient.ResponseNeverReceived": Code.NETWORK_ERROR,
    "twisted.web._newclient.ResponseFailed": Code.NETWORK_ERROR,
    "twisted.web._newclient.RequestTransmissionFailed": Code.NETWORK_ERROR,
    "twisted.web._newclient.ParseError": NOT_HTTP,
    "scrapy.spidermiddlewares.httperror.HttpError": _STATUS,
    "scrapy.exceptions.IgnoreRequest": Code.OPERATION_NOT_ALLOWED,

    # Built on other clients.
    "mechanize._mechanize.BrowserStateError": BUG,
    "mechanize._response.HTTPError": _STATUS,
    "uplink.clients.exceptions.ConnectionTimeout": NOT_SENT_IN_TIME,
    "uplink.clients.exceptions.ConnectionError": _NETWORK,
    "uplink.clients.exceptions.ServerTimeout": Code.TIMEOUT,
    "uplink.clients.exceptions.SSLError": TLS,
    "uplink.clients.exceptions.InvalidURL": Code.INVALID_PARAMS,
    "requests_oauthlib.oauth1_session.TokenRequestDenied": Code.UNAUTHORIZED,
    "requests_oauthlib.oauth1_session.TokenMissing": Code.UNAUTHORIZED,
    "requests_oauthlib.oauth1_session.VerifierMissing": Code.UNAUTHORIZED,
    "requests_toolbelt.exceptions.StreamingError": BUG,
    "gql.transport.exceptions.TransportError": Otherwise(_NETWORK),
    "gql.transport.exceptions.TransportServerError": first(by_status, Code.UPSTREAM_ERROR),
    "gql.transport.exceptions.TransportProtocolError": Code.UPSTREAM_ERROR,
    "gql.transport.exceptions.TransportConnectionFailed": _NETWORK,
    "gql.transport.exceptions.TransportClosed": Code.NETWORK_ERROR,
    "gql.transport.exceptions.TransportAlreadyConnected": BUG,
    "zeep.exceptions.TransportError": first(by_status, _NETWORK),
    "zeep.exceptions.Fault": Otherwise(Code.UPSTREAM_ERROR),
    "zeep.exceptions.ValidationError": Code.INVALID_PARAMS,
    "zeep.exceptions.XMLSyntaxError": Code.SERIALIZATION_ERROR,
    "zeep.exceptions.XMLParseError": Code.SERIALIZATION_ERROR,
    "zeep.exceptions.LookupError": Code.INVALID_PARAMS,
    "zeep.exceptions.SignatureVerificationFailed": Classification(Code.UPSTREAM_ERROR, Retry.NEVER),
    "xmlrpc.client.ProtocolError": first(_xmlrpc, Code.UPSTREAM_ERROR),
    "xmlrpc.client.ResponseError": Code.SERIALIZATION_ERROR,
    "xmlrpc.client.Fault": Otherwise(Code.UPSTREAM_ERROR),
}
# fmt: on
