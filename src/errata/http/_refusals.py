"""What the words of a refusal make of its status: a 429 may be a bill, a 400 a key, a 404 a wrong address.

The status decides unless the body says plainly that it means something else. Codes for programs are believed before
sentences, and a sentence that speaks of a rate is about a rate, whatever else it recommends.
"""

import re
from typing import NamedTuple

from errata.http._body_message import BodyMessage
from errata.http._verdict import HttpVerdict, http_verdict
from errata.http._waits import wait_from_text
from errata.model import Code, Retry
from errata.redaction import without_quotations

_MOST = 2_000


class Refusal(NamedTuple):
    """What a refusal really is; `retry` is None where the taxonomy decides."""

    code: Code
    retry: Retry | None = None
    is_prose: bool = False
    """Whether only a sentence says so, which may quote whoever called: that licenses nothing."""


_UNPAID = Refusal(Code.INSUFFICIENT_BALANCE, Retry.NEVER)
_CREDENTIALS = Refusal(Code.UNAUTHORIZED, Retry.NEVER)
_OWN_SETTING = Refusal(Code.CONFIGURATION_ERROR, Retry.NEVER)
_TOO_MANY = Refusal(Code.RATE_LIMITED)
_TOO_MANY_IN_WORDS = Refusal(Code.RATE_LIMITED, Retry.IF_HARMLESS, is_prose=True)
_NOT_YET = Refusal(Code.SERVICE_UNAVAILABLE, Retry.IF_HARMLESS, is_prose=True)
_NOT_IN_THIS_STATE = Refusal(Code.OPERATION_NOT_ALLOWED)

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


def judge_response(status: int | None, headers: object, message: BodyMessage) -> HttpVerdict:
    """Judge a response by its status, its headers and what its body says."""
    judged = http_verdict(status, headers)
    wait = message.wait_ms if judged.wait_ms is None else judged.wait_ms
    refusal = None if status is None else refusal_of(judged.code, status, message, wait_ms=wait)
    if refusal is None:
        return judged._replace(wait_ms=wait_asked_for(judged.code, wait, message.sentence))
    if refusal.retry is Retry.NEVER:
        return HttpVerdict(refusal.code, Retry.NEVER, None)
    retry = refusal.retry or http_verdict(status, headers, code=refusal.code).retry
    wait = wait_asked_for(refusal.code, wait, message.sentence)
    return HttpVerdict(refusal.code, retry, wait, refusal.is_prose)


def wait_asked_for(code: Code, wait_ms: int | None, text: str) -> int | None:
    """Choose the wait that is known, else the one that a text asks for where the failure is one that passes."""
    return wait_from_text(text) if wait_ms is None and code in _PASSING else wait_ms


_PASSING = {Code.RATE_LIMITED, Code.SERVICE_UNAVAILABLE, Code.UPSTREAM_ERROR, Code.CIRCUIT_OPEN}


def refusal_of(code: Code, status: int, message: BodyMessage, *, wait_ms: int | None) -> Refusal | None:
    """Say what a refusal with this status really is; None where its words do not contradict the code."""
    if code not in _OPEN_TO_WORDS:
        return None
    words = _Words(" ".join(message.sentence[:_MOST].split()), message.codes)
    waits = wait_ms is not None or wait_from_text(words.sentence) is not None
    rules = _RULES.get(status, ())
    return next((refusal for rule in rules if (refusal := rule(words, waits))), None)


class _Words(NamedTuple):
    sentence: str
    codes: tuple[str, ...]

    def say(self, phrases: re.Pattern[str]) -> bool:
        return phrases.search(self.sentence) is not None

    def say_themselves(self, phrases: re.Pattern[str]) -> bool:
        """Whether they say it outside of what they quote, which may be the caller's."""
        return phrases.search(without_quotations(self.sentence)) is not None

    def name(self, codes: re.Pattern[str]) -> bool:
        return any(codes.search(code) for code in self.codes)


def _unpaid(words: _Words, waits: bool) -> Refusal | None:  # noqa: FBT001 - all rules are called alike.
    """Tell a bill from a rate: no wait mends it."""
    if words.name(_CODES_OF_UNPAID) and not (waits and words.name(_CODES_OF_RATES)):
        return _UNPAID
    if words.say(_RATE) or words.name(_CODES_OF_RATES):
        return None
    return _UNPAID if words.say(_MONEY) or (not waits and words.say(_USED_UP)) else None


def _credentials(words: _Words, _: bool) -> Refusal | None:  # noqa: FBT001 - as above.
    return _CREDENTIALS if words.name(_CODES_OF_CREDENTIALS) or words.say(_BAD_CREDENTIALS) else None


def _retired(words: _Words, _: bool) -> Refusal | None:  # noqa: FBT001 - as above.
    return _OWN_SETTING if words.say(_RETIRED_API) else None


def _too_many(words: _Words, waits: bool) -> Refusal | None:  # noqa: FBT001 - as above.
    """Believe a refusal that speaks of a rate if it also has a code for it or says when it is over."""
    if words.name(_CODES_OF_RATES):
        return _TOO_MANY
    return _TOO_MANY_IN_WORDS if waits and words.say_themselves(_LIMIT_ON_CALLS) else None


def _not_ready(words: _Words, _: bool) -> Refusal | None:  # noqa: FBT001 - as above.
    return _NOT_YET if words.say_themselves(_STARTING) else _NOT_IN_THIS_STATE if words.say(_WAITING) else None


def _no_route(words: _Words, _: bool) -> Refusal | None:  # noqa: FBT001 - as above.
    return _OWN_SETTING if words.say(_NO_ROUTE) or words.name(_NO_ROUTE) else None


_RULES = {
    400: (_credentials, _retired, _not_ready, _unpaid),
    403: (_unpaid, _too_many, _retired),
    404: (_no_route, _retired),
    406: (_retired,),
    410: (_retired,),
    426: (_retired,),
    429: (_unpaid,),
}
