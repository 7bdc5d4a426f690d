"""What a failed response means: its code, whether the call may be repeated, and after which wait.

The status decides unless the body says plainly that it means something else: a 429 may be a bill, a 400 a key, a 404 a
wrong address. Codes for programs are believed before sentences, and a sentence that speaks of a rate is about a rate,
whatever else it recommends. `errata.http` asks this of a response, `errata.classification` of the exception that a
client made of one.
"""

import re
from typing import NamedTuple

from errata.http._body_message import BodyMessage
from errata.http._response import UpstreamResponse
from errata.http._response_headers import ResponseHeaders
from errata.model import Code, Retry, decide_retry, status_to_code, wait_from_text
from errata.redaction import blank_quotations

_MOST = 2_000
_FORBIDDEN = 403
# Conflict, Content Too Large, Locked: with a wait they were refused only for now (RFC 9110, 15.5.14).
_MAY_PASS = {409, 413, 423}
_PASSING = {Code.RATE_LIMITED, Code.SERVICE_UNAVAILABLE, Code.UPSTREAM_ERROR, Code.CIRCUIT_OPEN}


class ResponseMeaning(NamedTuple):
    """What kind of failure a response is, and whether and when to repeat the call."""

    code: Code
    retry: Retry | None
    """None where the table of codes decides."""
    wait_ms: int | None
    is_hearsay: bool = False
    """Whether only a sentence of the body says so."""


class Correction(NamedTuple):
    """What the words of a body make of a status; `retry` is None where the table of codes decides."""

    code: Code
    retry: Retry | None = None
    is_hearsay: bool = False
    """Whether only a sentence says so, which may quote whoever called: that licenses nothing."""


_UNPAID = Correction(Code.INSUFFICIENT_BALANCE, Retry.NEVER)
_CREDENTIALS = Correction(Code.UNAUTHORIZED, Retry.NEVER)
_OWN_SETTING = Correction(Code.CONFIGURATION_ERROR, Retry.NEVER)
_TOO_MANY = Correction(Code.RATE_LIMITED)
_TOO_MANY_IN_WORDS = Correction(Code.RATE_LIMITED, Retry.IF_HARMLESS, is_hearsay=True)
_NOT_YET = Correction(Code.SERVICE_UNAVAILABLE, Retry.IF_HARMLESS, is_hearsay=True)
_NOT_IN_THIS_STATE = Correction(Code.OPERATION_NOT_ALLOWED)

_ABOUT_ARGUMENTS = frozenset(
    {
        Code.INVALID_REQUEST,
        Code.INVALID_PARAMS,
        Code.VALIDATION_FAILED,
        Code.MISSING_REQUIRED_FIELD,
        Code.INVALID_FORMAT,
    }
)
_OPEN_TO_WORDS = _ABOUT_ARGUMENTS | {Code.FORBIDDEN, Code.NOT_FOUND, Code.GONE, Code.RATE_LIMITED}
"""What a status may have been taken for that a body's words can correct."""


def _phrases(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{each})" for each in alternatives), re.IGNORECASE)


# fmt: off
_CODES_OF_UNPAID = _phrases(
    r"^insufficient_(?:user_)?(?:quota|balance|credits?|funds)$", r"^exceeded_current_quota_error$", r"^billing_(?:error|hard_limit_reached|not_active)$",
    r"^enforced_spend_limit_reached$", r"^(?:payment_required|out_of_credits|credits_exhausted)$", r"^daily_?limit_?exceeded(?:unreg)?$", r"per_?day",
)
_CODES_OF_RATES = _phrases(r"^(?:user_?)?rate_?limit_?(?:exceeded|reached|error)?$", r"^too_?many_?requests$", r"throttl", r"per_?(?:minute|second|hour)")
_CODES_OF_CREDENTIALS = _phrases(
    r"^(?:api_?key_?(?:invalid|expired|missing)|(?:invalid|expired|missing)_?(?:api_?)?key|invalid_?(?:client|grant|credentials|auth|access_?token)|expired_?token|token_?expired)$",
    r"^(?:unauthenticated|authentication_?(?:error|failed|required))$",
)
_RATE = _phrases(
    r"\bper[ -](?:min|minute|sec|second|hour)\b", r"/(?:min|minute|sec|second|hour)\b", r"\b(?:hourly|rpm|tpm|rps|qps)\b", r"\btoo many (?:requests|calls)\b",
    r"\brate[ -]?limit(?:s|ed|ing)?\b", r"\bthrottl",
)
_MONEY = _phrases(
    r"\bcredit balance is too low\b", r"\b(?:insufficient|not enough|out of|no(?: more| remaining)?|run out of) (?:credits?|funds|balance)\b", r"\bspend(?:ing)? limit\b",
    r"\b(?:usage|request|api|call|plan|account|token)s? (?:limit|quota|allowance)\b.{0,40}\b(?:this month|for the month|billing (?:period|cycle))\b",
    r"\b(?:monthly|yearly|annual)\b.{0,40}\b(?:limit|quota|allowance|credits?)\b", r"\b(?:limit|quota|plan)\b.{0,80}\bupgrade\b", r"\bupgrade (?:your|the) (?:plan|subscription|account)\b",
)
_USED_UP = _phrases(
    r"\b(?:exceeded|exhausted|used up) your (?:current |available |allotted )?quota\b", r"\bplan and billing\b", r"\bdaily (?:limit|quota|usage)\b",
    r"\b(?:quota|limit)\b.{0,100}\bper[ -]day\b", r"\brequests per day\b", r"\bquota has been (?:exhausted|used up)\b",
)
_BAD_CREDENTIALS = _phrases(
    r"\b(?:api|access|secret|subscription|authentication|license|licence)[ _-]?(?:key|token)s?\b.{0,30}\b(?:invalid|not valid|incorrect|expired|missing|revoked|disabled|not recognized|not found)\b",
    r"\b(?:invalid|incorrect|expired|missing|malformed|unknown|wrong|bad|revoked|no) (?:api|access|auth|authentication|bearer|oauth|secret|security|session|refresh|subscription)[ _-]?(?:key|token)\b",
    r"\b(?:bearer|oauth|access|refresh|security|session) token\b.{0,30}\b(?:is invalid|has expired|is expired|expired|was revoked|not valid)\b",
    r"\b(?:invalid|bad|incorrect|missing) credentials\b", r"\bnot authenticated\b", r"\bauthentication (?:failed|required)\b",
)
_RETIRED = r"(?:retired|sunset|deprecated|discontinued|shut down|switched off|turned off|decommissioned|no longer (?:supported|available|active)|(?:is|was) not supported|unsupported|end of life)"
_RETIRED_API = _phrases(
    rf"\bapi\b.{{0,40}}\bv(?:ersion|\d).{{0,60}}\b{_RETIRED}", rf"\bversion\b.{{0,30}}\bapi\b.{{0,40}}\b{_RETIRED}", rf"\bapi endpoint\b.{{0,60}}\b{_RETIRED}",
    r"\b(?:unsupported|invalid|unknown|deprecated) api[ -]version\b", rf"\bthis (?:api|endpoint)\b.{{0,20}}\b{_RETIRED}",
)
_LIMIT_ON_CALLS = _phrases(
    r"\brate[ -]?limit\b.{0,30}\b(?:exceeded|reached|hit)\b", r"\bexceeded\b.{0,40}\brate[ -]?limit", r"\btoo many requests\b", r"\babuse detection\b", r"\brequests? (?:was |were )?throttled\b",
)
_WAITING = _phrases(r"\bis waiting to start\b")
_STARTING = _phrases(
    r"\bwaiting to start: (?:ContainerCreating|PodInitializing)\b", r"\b(?:is|are) not (?:yet ready|ready yet)\b", r"\bnot ready yet\b",
    r"\bstill (?:being (?:created|provisioned|prepared|deployed|processed)|provisioning|initiali[sz]ing|starting|booting|warming up|loading|processing)\b",
)
_NO_ROUTE = _phrases(
    r"^cannot (?:get|head|post|put|patch|delete|options) /", r"\bno route\b", r"\broute\b.{0,200}\bnot found\b", r"\b(?:no such|unknown|invalid|unrecognized|unsupported) (?:api )?(?:endpoint|route)\b",
    r"\bendpoint\b.{0,100}\b(?:not found|does not exist|doesn't exist)\b", r"\bno handler found\b", r"\bno static resource\b", r"\bno http resource was found\b",
    r"\bunrecognized request url\b", r"\bdefault backend\b",
)
# fmt: on


def interpret_response(response: UpstreamResponse) -> ResponseMeaning:
    """Return what a response means by its status, its headers and what its body says."""
    status, message = response.status, response.message
    meaning = interpret_status(status, response.headers)
    wait = message.wait_ms if meaning.wait_ms is None else meaning.wait_ms
    correction = None if status is None else correct_code(meaning.code, status, message, wait_ms=wait)
    if correction is None:
        return meaning._replace(wait_ms=choose_wait(meaning.code, wait, message.sentence))
    if correction.retry is Retry.NEVER:
        return ResponseMeaning(correction.code, Retry.NEVER, None)
    retry = correction.retry or interpret_status(status, response.headers, code=correction.code).retry
    wait = choose_wait(correction.code, wait, message.sentence)
    return ResponseMeaning(correction.code, retry, wait, correction.is_hearsay)


def interpret_status(
    status: int | None, headers: ResponseHeaders, *, code: Code | None = None, wait_ms: int | None = None
) -> ResponseMeaning:
    """Return what a status means with these headers; a `code` or a wait known from elsewhere goes before theirs."""
    wait = headers.wait_ms(status=status) if wait_ms is None else wait_ms
    if status == _FORBIDDEN and (wait is not None or headers.is_quota_used_up):
        code = Code.RATE_LIMITED  # GitHub and others refuse too many calls like this.
    code = code or (Code.UNKNOWN_ERROR if status is None else status_to_code(status))
    return ResponseMeaning(code, _decide_retry(code, status, headers.should_retry, waits=wait is not None), wait)


def _decide_retry(code: Code, status: int | None, flag: bool | None, *, waits: bool) -> Retry | None:  # noqa: FBT001 - a yes, a no or neither.
    if waits and status in _MAY_PASS and flag is not False:
        return Retry.SAME_CALL
    return None if flag is None else decide_retry(code, http_status=status, flag=flag)


def choose_wait(code: Code, wait_ms: int | None, text: str) -> int | None:
    """Return the wait that is known, else the one that a text asks for where the failure is one that passes."""
    return wait_from_text(text) if wait_ms is None and code in _PASSING else wait_ms


def correct_code(code: Code, status: int, message: BodyMessage, *, wait_ms: int | None) -> Correction | None:
    """Return what a refusal with this status really is; None where its words do not contradict the code."""
    if code not in _OPEN_TO_WORDS:
        return None
    words = _BodyWords(" ".join(message.sentence[:_MOST].split()), message.codes)
    waits = wait_ms is not None or wait_from_text(words.sentence) is not None
    rules = _RULES.get(status, ())
    return next((correction for rule in rules if (correction := rule(words, waits))), None)


class _BodyWords(NamedTuple):
    sentence: str
    codes: tuple[str, ...]

    def say(self, phrases: re.Pattern[str]) -> bool:
        return phrases.search(self.sentence) is not None

    def say_themselves(self, phrases: re.Pattern[str]) -> bool:
        """Return whether they say it outside of what they quote, which may be the caller's."""
        return phrases.search(blank_quotations(self.sentence)) is not None

    def name(self, codes: re.Pattern[str]) -> bool:
        return any(codes.search(code) for code in self.codes)


def _find_bill(words: _BodyWords, waits: bool) -> Correction | None:  # noqa: FBT001 - all rules are called alike.
    """Return the correction where a bill is due: no wait mends it, as it would a rate."""
    if words.name(_CODES_OF_UNPAID) and not (waits and words.name(_CODES_OF_RATES)):
        return _UNPAID
    if words.say(_RATE) or words.name(_CODES_OF_RATES):
        return None
    return _UNPAID if words.say(_MONEY) or (not waits and words.say(_USED_UP)) else None


def _find_bad_credentials(words: _BodyWords, _: bool) -> Correction | None:  # noqa: FBT001 - as above.
    return _CREDENTIALS if words.name(_CODES_OF_CREDENTIALS) or words.say(_BAD_CREDENTIALS) else None


def _find_retired_api(words: _BodyWords, _: bool) -> Correction | None:  # noqa: FBT001 - as above.
    return _OWN_SETTING if words.say(_RETIRED_API) else None


def _find_rate_limit(words: _BodyWords, waits: bool) -> Correction | None:  # noqa: FBT001 - as above.
    """Return the correction where a refusal speaks of a rate and has a code for it, or a wait."""
    if words.name(_CODES_OF_RATES):
        return _TOO_MANY
    return _TOO_MANY_IN_WORDS if waits and words.say_themselves(_LIMIT_ON_CALLS) else None


def _find_not_ready(words: _BodyWords, _: bool) -> Correction | None:  # noqa: FBT001 - as above.
    return _NOT_YET if words.say_themselves(_STARTING) else _NOT_IN_THIS_STATE if words.say(_WAITING) else None


def _find_no_route(words: _BodyWords, _: bool) -> Correction | None:  # noqa: FBT001 - as above.
    return _OWN_SETTING if words.say(_NO_ROUTE) or words.name(_NO_ROUTE) else None


_RULES = {
    400: (_find_bad_credentials, _find_retired_api, _find_not_ready, _find_bill),
    403: (_find_bill, _find_rate_limit, _find_retired_api),
    404: (_find_no_route, _find_retired_api),
    406: (_find_retired_api,),
    410: (_find_retired_api,),
    426: (_find_retired_api,),
    429: (_find_bill,),
}
