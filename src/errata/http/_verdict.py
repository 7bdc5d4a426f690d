"""What a failed response says in its status and its headers: the same to whoever asks.

`errata.http` asks for a response, `errata.classification` for the exception that a client made of one.
"""

from typing import NamedTuple

from errata.http._headers import header_fields
from errata.http._status import status_to_code
from errata.http._waits import quota_used_up, wait_from_headers
from errata.model import Code, Retry, verdict

_FORBIDDEN = 403
# Conflict, Content Too Large, Locked: with a wait they were refused only for now (RFC 9110, 15.5.14).
_MAY_PASS = {409, 413, 423}
_FLAG_NAMES = ("x-should-retry", "stripe-should-retry")
_FLAGS = {"true": True, "false": False}


class HttpVerdict(NamedTuple):
    """What kind of failure it is, and whether and when to repeat the call."""

    code: Code
    retry: Retry | None
    """None where the table decides."""
    wait_ms: int | None
    is_prose: bool = False
    """Whether only a sentence of the body says so."""


def http_verdict(
    status: int | None, headers: object, *, code: Code | None = None, wait_ms: int | None = None
) -> HttpVerdict:
    """Judge a response; a `code` or a wait that is known from elsewhere goes before what the response says."""
    fields = header_fields(headers)
    wait = wait_from_headers(fields, status=status) if wait_ms is None else wait_ms
    if status == _FORBIDDEN and (wait is not None or quota_used_up(fields)):
        code = Code.RATE_LIMITED  # GitHub and others refuse too many calls like this.
    code = code or (Code.UNKNOWN_ERROR if status is None else status_to_code(status))
    return HttpVerdict(code, _retry(code, status, should_retry(fields), waits=wait is not None), wait)


def _retry(code: Code, status: int | None, flag: bool | None, *, waits: bool) -> Retry | None:  # noqa: FBT001 - a yes, a no or neither.
    if waits and status in _MAY_PASS and flag is not False:
        return Retry.SAME_CALL
    return None if flag is None else verdict(code, http_status=status, flag=flag)


def should_retry(headers: object) -> bool | None:
    """Ask the response whether the call may be repeated; None if it does not say."""
    fields = header_fields(headers)
    return next((_FLAGS[said] for name in _FLAG_NAMES if (said := fields.get(name, "").lower()) in _FLAGS), None)
