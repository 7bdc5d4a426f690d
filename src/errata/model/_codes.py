"""The taxonomy: thirty kinds of failure, one row each.

Everything errata knows about a code by itself is in `_ROWS`; which code an HTTP status stands for is in
`_CODE_OF_STATUS`. How a code is *spelled* on the wire is in neither: words and numbers belong to the dialects, because
the same number means different things to different peers.
"""

from enum import StrEnum
from typing import NamedTuple


class Retry(StrEnum):
    """The verdict: whether the call may be repeated."""

    SAME_CALL = "same_call"
    """Repeat it as it is: it was not processed, or repeating is safe."""
    IF_HARMLESS = "if_harmless"
    """It may or may not have happened: repeat it if doing it twice does no harm."""
    FIX_INPUT = "fix_input"
    """Change the arguments first."""
    VERIFY_FIRST = "verify_first"
    """It may have happened and must not happen twice: look before repeating."""
    NEVER = "never"
    """Repeating it will not help."""

    @property
    def retryable(self) -> bool:
        """Whether the same call may be sent again at all."""
        return self in _LICENCE

    def exceeds(self, other: "Retry") -> bool:
        """Return whether this verdict permits more repeating than the other one."""
        return _LICENCE.get(self, 0) > _LICENCE.get(other, 0)


_LICENCE = {Retry.SAME_CALL: 2, Retry.IF_HARMLESS: 1}


class RecoveryHint(StrEnum):
    """What kind of next step helps."""

    RETRY_LATER = "RETRY_LATER"
    CHECK_INPUT = "CHECK_INPUT"
    TRY_ALTERNATIVE = "TRY_ALTERNATIVE"
    REPORT_TO_USER = "REPORT_TO_USER"


class Code(StrEnum):
    """The canonical name of a kind of failure."""

    PARSE_ERROR = "PARSE_ERROR"
    INVALID_REQUEST = "INVALID_REQUEST"
    METHOD_NOT_FOUND = "METHOD_NOT_FOUND"
    INVALID_PARAMS = "INVALID_PARAMS"
    MISSING_REQUIRED_FIELD = "MISSING_REQUIRED_FIELD"
    INVALID_FORMAT = "INVALID_FORMAT"
    VALIDATION_FAILED = "VALIDATION_FAILED"
    UNAUTHORIZED = "UNAUTHORIZED"
    FORBIDDEN = "FORBIDDEN"
    NOT_FOUND = "NOT_FOUND"
    GONE = "GONE"
    CONFLICT = "CONFLICT"
    RATE_LIMITED = "RATE_LIMITED"
    TIMEOUT = "TIMEOUT"
    CANCELLED = "CANCELLED"
    NETWORK_ERROR = "NETWORK_ERROR"
    UPSTREAM_ERROR = "UPSTREAM_ERROR"
    SERVICE_UNAVAILABLE = "SERVICE_UNAVAILABLE"
    CIRCUIT_OPEN = "CIRCUIT_OPEN"
    CONFIGURATION_ERROR = "CONFIGURATION_ERROR"
    INITIALIZATION_FAILED = "INITIALIZATION_FAILED"
    DATABASE_ERROR = "DATABASE_ERROR"
    SERIALIZATION_ERROR = "SERIALIZATION_ERROR"
    NOT_IMPLEMENTED = "NOT_IMPLEMENTED"
    BUSINESS_RULE_VIOLATION = "BUSINESS_RULE_VIOLATION"
    INSUFFICIENT_BALANCE = "INSUFFICIENT_BALANCE"
    DUPLICATE_OPERATION = "DUPLICATE_OPERATION"
    OPERATION_NOT_ALLOWED = "OPERATION_NOT_ALLOWED"
    INTERNAL_ERROR = "INTERNAL_ERROR"
    UNKNOWN_ERROR = "UNKNOWN_ERROR"

    @property
    def http_status(self) -> int:
        """The status a gateway would answer with."""
        return _ROWS[self].http_status

    @property
    def retry(self) -> Retry:
        """The verdict, as long as nothing more is known than the code."""
        return _ROWS[self].retry

    @property
    def hint_class(self) -> RecoveryHint:
        """The kind of next step that helps."""
        return _ROWS[self].hint_class

    @property
    def sentence(self) -> str:
        """The message of a failure that has none of its own."""
        return _ROWS[self].sentence

    @property
    def use_when(self) -> str:
        """When a server author should choose this code."""
        return _ROWS[self].use_when

    @property
    def next_step(self) -> str:
        """The next step for the agent on the other side."""
        return _ROWS[self].next_step


class _CodeRow(NamedTuple):
    http_status: int
    retry: Retry
    hint_class: RecoveryHint
    sentence: str
    use_when: str
    next_step: str


_SAME, _HARMLESS, _FIX, _NEVER = Retry.SAME_CALL, Retry.IF_HARMLESS, Retry.FIX_INPUT, Retry.NEVER
_LATER, _INPUT = RecoveryHint.RETRY_LATER, RecoveryHint.CHECK_INPUT
_OTHER, _REPORT = RecoveryHint.TRY_ALTERNATIVE, RecoveryHint.REPORT_TO_USER

# fmt: off
_ROWS = {
    Code.PARSE_ERROR: _CodeRow(400, _FIX, _INPUT, "The text is not the JSON it claims to be.",
        "A request or a document that was to be JSON cannot be parsed at all.",
        "Send the same content again as well-formed JSON."),
    Code.INVALID_REQUEST: _CodeRow(400, _FIX, _INPUT, "The request as a whole is refused.",
        "The arguments fit one by one, but the request makes no sense, or a capability of the client is missing.",
        "Read the message, change the request and call again."),
    Code.METHOD_NOT_FOUND: _CodeRow(404, _NEVER, _OTHER, "There is no such method.",
        "A protocol method does not exist on this server. For a missing record use NOT_FOUND.",
        "List what the server offers and choose from that."),
    Code.INVALID_PARAMS: _CodeRow(400, _FIX, _INPUT, "An argument does not fit the schema.",
        "An argument has the wrong type, is not one of the allowed values, or is unknown.",
        "Correct the named arguments and call again."),
    Code.MISSING_REQUIRED_FIELD: _CodeRow(400, _FIX, _INPUT, "A required argument is absent.",
        "An argument that the call cannot do without was left out.",
        "Add the named argument and call again; ask the user if its value is not known."),
    Code.INVALID_FORMAT: _CodeRow(400, _FIX, _INPUT, "An argument has the right type and the wrong format.",
        "A date, e-mail address, id or pattern is written in a way the tool cannot read.",
        "Rewrite the named argument in the expected format and call again."),
    Code.VALIDATION_FAILED: _CodeRow(422, _FIX, _INPUT, "The value is well-formed, but it is refused.",
        "A value fits the schema and still cannot be accepted: out of range, in the past, mutually exclusive.",
        "Choose another value within the rule that the message names, and call again."),
    Code.UNAUTHORIZED: _CodeRow(401, _NEVER, _REPORT, "The credentials are missing, wrong or expired.",
        "The upstream does not know who is asking. For somebody known without the right use FORBIDDEN.",
        "Tell the user that the server's credentials need attention; no argument will change this."),
    Code.FORBIDDEN: _CodeRow(403, _NEVER, _OTHER, "The caller is known, but not permitted to do this.",
        "The credentials are good and their permissions do not cover the operation.",
        "Use another way to the goal, or tell the user which permission is missing."),
    Code.NOT_FOUND: _CodeRow(404, _FIX, _REPORT, "The thing does not exist.",
        "An id, name, path or URI points at nothing. An empty search result is a result and not an error.",
        "Look the name up with a search or list tool and call again; otherwise tell the user it does not exist."),
    Code.GONE: _CodeRow(410, _NEVER, _REPORT, "The thing existed and was removed.",
        "The upstream knows that it was there once: an expired download, a deleted record.",
        "Tell the user it was removed; create it anew if a tool offers that."),
    Code.CONFLICT: _CodeRow(409, _FIX, _INPUT, "The change conflicts with the current state.",
        "A version mismatch, a duplicate key, a concurrent change. A deadlock is a CONFLICT with `Retry.SAME_CALL`.",
        "Read the current state, adapt the change to it and call again."),
    Code.RATE_LIMITED: _CodeRow(429, _SAME, _LATER, "There were too many calls.",
        "A limit on calls per time was hit, here or upstream. Give `retry_after_ms` if the wait is known.",
        "Wait for the stated time, then repeat the same call."),
    Code.TIMEOUT: _CodeRow(504, _HARMLESS, _LATER, "There was no answer within the time limit.",
        "The time ran out. Whether the call took effect is unknown.",
        "Repeat the call if doing it twice does no harm; otherwise check first whether it happened."),
    Code.CANCELLED: _CodeRow(499, _NEVER, _REPORT, "The operation was cancelled.",
        "Somebody upstream cancelled the work. For a time limit use TIMEOUT.",
        "Ask the user whether it is still wanted."),
    Code.NETWORK_ERROR: _CodeRow(503, _HARMLESS, _LATER, "There was no connection, or it broke.",
        "No answer came because of the network. A refused connection is `Retry.SAME_CALL`; a TLS failure and an "
        "unknown host are `Retry.NEVER`.",
        "Repeat the call after a moment if doing it twice does no harm."),
    Code.UPSTREAM_ERROR: _CodeRow(502, _HARMLESS, _LATER, "A dependency answered with a failure of its own.",
        "The service behind the tool failed, and nothing says that it is down as a whole.",
        "Repeat the call once if doing it twice does no harm; after that tell the user which service fails."),
    Code.SERVICE_UNAVAILABLE: _CodeRow(503, _SAME, _LATER, "A dependency is down or overloaded.",
        "The service behind the tool takes no work at the moment.",
        "Wait, then repeat the same call."),
    Code.CIRCUIT_OPEN: _CodeRow(503, _SAME, _LATER, "Calls to a failing dependency are paused.",
        "A circuit breaker is open, so the dependency was not called.",
        "Use the fallback tool if there is one, or wait for the stated time."),
    Code.CONFIGURATION_ERROR: _CodeRow(500, _NEVER, _REPORT, "A setting of this server is missing or wrong.",
        "An environment variable, a file or an option of the server itself has to be mended.",
        "Tell the user which setting the message names; only the operator of the server can mend it."),
    Code.INITIALIZATION_FAILED: _CodeRow(500, _NEVER, _REPORT, "This server did not start up properly.",
        "A component failed while starting and the tool depends on it.",
        "Tell the user that the server has to be restarted or mended by its operator."),
    Code.DATABASE_ERROR: _CodeRow(500, _NEVER, _REPORT, "The storage layer failed.",
        "A query or a write failed for good. A lost connection or a deadlock gets its own, transient code.",
        "Tell the user; the same query will fail again."),
    Code.SERIALIZATION_ERROR: _CodeRow(500, _NEVER, _REPORT, "Data could not be read or written in its format.",
        "A document that the server itself reads or writes does not fit JSON, XML, YAML or the like.",
        "Tell the user which data is unreadable; repeating does not change it."),
    Code.NOT_IMPLEMENTED: _CodeRow(501, _NEVER, _OTHER, "This backend does not support the operation.",
        "The tool exists, but the adapter or service behind it lacks the feature.",
        "Use another tool, or do without the feature."),
    Code.BUSINESS_RULE_VIOLATION: _CodeRow(422, _NEVER, _REPORT, "A rule of the domain forbids it.",
        "Everything is well-formed and permitted, and a rule of the business says no.",
        "Tell the user the rule; do not try variations of the same request."),
    Code.INSUFFICIENT_BALANCE: _CodeRow(402, _NEVER, _REPORT, "Money or quota is missing.",
        "The operation costs more than is there.",
        "Tell the user what is missing; ask before choosing a smaller amount."),
    Code.DUPLICATE_OPERATION: _CodeRow(409, _NEVER, _OTHER, "It was done already.",
        "The same operation, known by its key or content, has taken effect before.",
        "Fetch the existing result and do not send the operation again."),
    Code.OPERATION_NOT_ALLOWED: _CodeRow(403, _NEVER, _OTHER, "It is not allowed in this state, or not for this caller.",
        "The thing is in a state that excludes the operation: a shipped order cannot be cancelled.",
        "Read the current state and choose an operation that it allows."),
    Code.INTERNAL_ERROR: _CodeRow(500, _NEVER, _REPORT, "The server has a bug.",
        "The failure is the server's own fault and nobody else's. Bugs become this by themselves; it is rarely raised.",
        "Tell the user, with the reference, so that the server's author can find it."),
    Code.UNKNOWN_ERROR: _CodeRow(500, _NEVER, _REPORT, "Something failed, and nothing says what.",
        "Nothing else fits. Prefer any other code.",
        "Tell the user what was attempted and what the message says."),
}
# fmt: on


def decide_retry(code: Code, *, http_status: int | None = None, flag: bool | None = None) -> Retry:
    """Return the verdict for a code, given the upstream's status and a yes or no from somebody else.

    A flag never makes more of a code than the table does: "yes" to a failure that may have
    happened is still only `IF_HARMLESS`, "no" to bad arguments is still `FIX_INPUT`.
    """
    own = code.retry
    if code is Code.SERVICE_UNAVAILABLE and http_status not in {None, 503}:
        own = Retry.IF_HARMLESS  # 503 says that the work was not taken on; 502 and its kin do not.
    if flag is None:
        return own
    if flag:
        return own if own is Retry.SAME_CALL else Retry.IF_HARMLESS
    return own if own is Retry.FIX_INPUT else Retry.NEVER


# fmt: off
_CODE_OF_STATUS = {
    400: Code.INVALID_PARAMS,
    401: Code.UNAUTHORIZED,
    402: Code.INSUFFICIENT_BALANCE,
    403: Code.FORBIDDEN,
    404: Code.NOT_FOUND,
    408: Code.TIMEOUT,
    409: Code.CONFLICT,
    410: Code.GONE,
    422: Code.VALIDATION_FAILED,
    423: Code.CONFLICT,
    424: Code.CONFLICT,
    425: Code.TIMEOUT,
    429: Code.RATE_LIMITED,
    500: Code.UPSTREAM_ERROR,
    501: Code.NOT_IMPLEMENTED,
    504: Code.TIMEOUT,
}
_CODE_OF_CLASS = {
    4: Code.INVALID_REQUEST,
    5: Code.SERVICE_UNAVAILABLE,
}
# fmt: on


def status_to_code(status: int) -> Code:
    """Return the code that an upstream's HTTP status stands for; UNKNOWN_ERROR outside of 400-599."""
    return _CODE_OF_STATUS.get(status) or _CODE_OF_CLASS.get(status // 100, Code.UNKNOWN_ERROR)
