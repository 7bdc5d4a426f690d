"""What a failure described in words means: the facts are collected here, the classification tables decide."""

import re
from typing import NamedTuple

from errata._half_done import mentions_finished_work
from errata._languages import in_english
from errata.classification import PATTERNS, VAGUE, Patterns, blank_arguments, spell_out
from errata.dialects import code_of_number
from errata.model import Code, Retry, decide_retry, status_to_code, wait_from_text
from errata.reading._error_bodies import NOTHING, Body, read_body
from errata.reading._payload_evidence import did_a_part
from errata.reading._symbols import classify_first_symbol, classify_symbols, find_codes
from errata.reading._text_parts import find_json, unwrap
from errata.reading._validation_text import (
    ONLY_NAMED,
    Issue,
    is_about_arguments,
    read_formatted,
    read_mentioned,
    read_named,
)

_MOST = 8_000
_APART = " \0 "  # Between the parts: no phrase of the tables reaches across it.
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]{0,20}://[^\s'\"<>)\]}]{1,2000}")
# How an HTTP client reports the answer to a request: "PUT https://…/README.md: 409 does not match". Statuses that say only
# that something is wrong with the request are left out: the words behind them say more.
_ANSWERED = re.compile(
    r"\b(?:GET|HEAD|POST|PUT|PATCH|DELETE) [^\s]{1,2000}?[\])]?:? (?:[=\-]> )?[(\[]?(?!400|405|406|415|422)([45][0-9]{2})\b(?![.:\-]\d)"
)
_STATUS_IN_BRACKETS = re.compile(r"\bfailed \(([45][0-9]{2})\)")
# SMTP's reply to a mail, in the words of RFC 5321 or with a number of RFC 3463: "550 5.1.1 No such user".
_MAIL_REPLY = re.compile(
    r"(?:(?<=[:\0\n] )|(?:^|(?<=\n))\s{0,8})\(?(421|45[0-2]|53[0458]|55[0-5])(?:[ \-]|, b['\"])"
    r"(?:[45]\.(\d)\.\d{1,3}\b|(?i:(?=[^\n]{0,200}\b(?:auth\w*|e?mail|mailbox|recipient|relay\w*|sender|smtp|requested action)\b)))"
)
# `Option::unwrap()` in backticks is no quotation.
_FUNCTION_IN_BACKTICKS = re.compile(r"`([\w:.]{1,80}\(\))`")
_PASSED_ON = re.compile(r"\b(?:Mcp|MCP) ?[Ee]rror:? (-32[0-9]{3})\b")
# ClickHouse numbers its errors, and 403 is a bad JOIN there.
_NUMBERED = re.compile(r"\b[Cc]ode:? [0-9]{1,4}(?=[.\s])")
_THING = r"(?:tool|prompt|resource(?: template)?|task)"
_NO_SUCH = re.compile(
    rf"(?:unknown|no such|unrecognized|invalid)(?: or \w{{1,20}})? {_THING}(?: name)?\b(?! (?:type|uri))[: ]"
    rf"|{_THING}(?: with (?:name|id|uri))?(?: [^\s]{{1,300}})?:? (?:was |is )?(?:not (?:enabled|found|registered|recognized)|does not exist)\b"
    rf"|{_THING} not found\b",
    re.IGNORECASE,
)
_REFUSED_AS_A_WHOLE = re.compile(
    r"(?:bad request|not acceptable|unsupported media type|invalid request|invalid json-?rpc)\b[:.]?", re.IGNORECASE
)
# "Collection is empty. Add entries using add_entry first."
_DO_FIRST = re.compile(
    r"(?:^|[.!:;] )(?:please |you (?:must|need to|have to) )?(?:add|call|create|load|open|run|select|set|start|use)\b[^.\n]{1,120} first(?:[.!,;]|$)",
    re.IGNORECASE,
)
# "Connection failed: unsupported database": why it failed says more than what.
_FAILED_BECAUSE = re.compile(r"(?:\bfailed|失败|失敗|실패)\s?[:\uff1a]\s?", re.IGNORECASE)
# What says of an argument that it is not there.
_LEFT_OUT = re.compile(
    r"\bmust provide\b|\b(?:is|are) (?:required|mandatory)(?:$|[.,;:!]| (?:for|to|when|but)\b)|\b(?:must be|was not|were not|not) provided\b|\bno [\w ]{1,40} (?:given|provided|specified|supplied)\b"
    r"|\bmissing (?:required |mandatory )?[\w`'\" ]{1,40}(?:argument|field|parameter)",
    re.IGNORECASE,
)
# "Failed to parse thread_id": no data of the server's own, but an argument.
_PARSED_ARGUMENT = re.compile(
    r"\b(?:[Ff]ailed to|[Cc]ould not|[Uu]nable to|[Cc]annot) parse [`'\"]?[a-z]{1,40}(?:_[a-z0-9]|[A-Z])\w{0,60}"
)
# What would have been accepted instead: another value helps.
_OFFERS = re.compile(
    r"\b(?:(?<!not )allowed|available|choose from|one of|supported|use|valid)\b[^.\n:]{0,20}: ?\S", re.IGNORECASE
)
# The name of an environment variable, and what says that it has to be set.
_SETTING = re.compile(
    r"\b[A-Z][A-Z0-9]{1,30}(?:_[A-Z0-9]{1,30}){0,6}_(?:ACCOUNT|API|AUTH|BASE|CREDENTIALS|DB|DIR|DSN|EMAIL|ENDPOINT|FILE|HOST|ID|KEY|LEVEL|MODE|PASS|PASSWORD|PATH|PORT|PROJECT|PROVIDER|REGION|SCOPES|SECRET|SERVER|TIMEOUT|TOKEN|URI|URL|USER|USERNAME)\b"
)
_TO_BE_SET = re.compile(
    r"\b(?:set|unset|configure|define|export|provide|missing|required|must|environment|not (?:set|found|configured|provided|defined))\b|\.env\b|is not on",
    re.IGNORECASE,
)
_OF_SETTINGS = frozenset(
    {None, Code.NOT_FOUND, Code.VALIDATION_FAILED, Code.OPERATION_NOT_ALLOWED, Code.SERIALIZATION_ERROR}
)
"""What an answer seems to say that really asks for a setting of the server's."""
# What may follow a message: how it should be done, and, under a rule and a heading, another text altogether.
_HELP = re.compile(
    r"\n[ \t\r]{0,8}\n[ \t*_#]{0,8}(?:Examples?|Help|Hints?|How to|Suggestions?|Tips?|Troubleshooting|Usage)\b",
    re.IGNORECASE,
)
# What may be done about it: "File not found: x. Try an absolute path or set the PDF_DIR environment variable."
_ADVICE = re.compile(r"[.!] (?:Please |You (?:can|may|should) )?(?:Check|Ensure|Make sure|Set|Try|Use|Verify)\b")
_ANOTHER_TEXT = re.compile(r"\n-{3,20}\s{1,8}#{1,6} ")
# To repeat the same; "fetch it anew and try again" and "try again with another name" ask for something else.
_REPEAT = re.compile(
    r"(?<!and )(?<!then )(?<!before you )\b(?:please )?(?:try again|try it again|retry)\b"
    r"(?! (?:with|using|by|after (?!\d)|when|once|if|as|count|limit|polic))",
    re.IGNORECASE,
)
_SETTLED = re.compile(r"\b(?:already|exists|taken|duplicate)\b", re.IGNORECASE)  # It will not pass.
# Complaints about what came back: the tool has run, and no argument is at fault. A quoted `response` is the name of one.
_OF_THE_RESULT = re.compile(
    r"output ?schema|structured ?content|(?:invalid|no) structured|output validation|validating tool output"
    r"|validation errors? for \w{0,80}(?:output|reply|response|result)\b",
    re.IGNORECASE,
)
_OF_THE_RESPONSE = re.compile(
    r"\b(?:bad|empty|invalid|malformed|missing|unexpected) (?:[\w`'\"./\-]{1,40} ){0,6}?(?<!argument )(?<!field )(?<!parameter )"
    r"(?:reply|response)\b(?! (?:format|mode|type)\b)"
    r"|\b(?:decod|deserializ|pars|unmarshal|validat)\w{0,8} (?:[\w\-]{1,40} ){0,3}?(?:reply|response)\b(?! (?:format|mode|type)\b)"
    r"|\b(?:reply|response) ?(?:body )?(?:validation|(?:could|did|does|is|was) not|failed|lacks)\b"
    r"|\breturned (?:an? )?(?:empty|invalid|malformed|unexpected) (?:body|data|json|output|payload|result)\b"
    r"|struct field \w{0,80}(?:output|reply|response|result)\."
    r"|^EOF while parsing a value at line 1 column 0",
    re.IGNORECASE,
)
_WITHOUT_A_CAUSE = frozenset({
    None, Code.INVALID_PARAMS, Code.MISSING_REQUIRED_FIELD, Code.INVALID_FORMAT, Code.VALIDATION_FAILED,
    Code.SERIALIZATION_ERROR, Code.UPSTREAM_ERROR,
})  # fmt: skip
"""What the words of such a complaint say besides, if they do not say why nothing better came back."""
_NOT_IN_TIME = re.compile(r"\bno [\w ]{1,40} (?:in|within the) time(?: limit)?\s*(?:[.,;:!]|$)", re.IGNORECASE)
# "Charge ch_1 has already been refunded"; where a seat is booked, another one may be free.
_DONE_BEFORE = re.compile(
    r"\balready[ _](?:been[ _])?(?:successfully[ _])?(?:approved|cancell?ed|captured|charged|claimed|completed|confirmed|credited"
    r"|debited|delivered|dispatched|executed|fulfilled|paid|processed|purchased|redeemed|refunded|sent|settled|shipped|submitted"
    r"|transferred|voided|voted|withdrawn|being processed|in progress|underway)\b"
    r"|^(?![^\n]{0,200}\b(?:date|period|seat|slot|time)s?\b)[^\n]{0,200}\balready (?:been )?booked\b",
    re.IGNORECASE | re.MULTILINE,
)

_NAMES_AN_ARGUMENT = frozenset({Code.NOT_FOUND, Code.CONFLICT})
"""Codes other than that of a refused value that may be about one argument."""

_EXACT = frozenset({Code.MISSING_REQUIRED_FIELD, Code.INVALID_FORMAT})
"""Codes that say more than that a value was refused."""

_STATUSES = range(400, 600)  # Some servers put one where JSON-RPC has its own numbers.
_VAGUE = Patterns(VAGUE)
_OF_CALLERS = frozenset({
    Code.NOT_FOUND, Code.VALIDATION_FAILED, Code.CONFLICT, Code.GONE, Code.NOT_IMPLEMENTED, Code.UNAUTHORIZED, Code.FORBIDDEN,
})  # fmt: skip
# What many put on whatever goes wrong, and what words about the call say more exactly.
_LITTLE_STATUSES = {400: _OF_CALLERS - {Code.VALIDATION_FAILED}, 500: _OF_CALLERS}
_LITTLE_STATUS = re.compile(
    r"\b(?:400|500)\b:? ?(?:Bad Request|Client Error|Internal Server Error|Server Error)?:?|Internal Server Error|Bad Request",
    re.IGNORECASE,
)
# "Failed to parse CSV content": what was tried, and not why it failed, which another member may say.
_SAYS_LITTLE = re.compile(
    r"(?:Failed to|Could not|Unable to|Error while|An error occurred) [^:.\n]{1,80}\.?", re.IGNORECASE
)
_CODE_OF_STATUS = {405: Code.OPERATION_NOT_ALLOWED}  # No argument of a tool chooses the method.
_PARSE, _REQUEST, _METHOD, _PARAMS, _INTERNAL = -32700, -32600, -32601, -32602, -32603
_C = Code
# A number of the protocol, and what a text may say beside it without saying more than the number does.
_SAYS_NO_MORE = {
    _PARSE: frozenset(Code),
    _REQUEST: frozenset({_C.VALIDATION_FAILED, _C.NOT_IMPLEMENTED, _C.NETWORK_ERROR, _C.SERIALIZATION_ERROR}),
    _METHOD: frozenset(Code) - {_C.UNAUTHORIZED, _C.FORBIDDEN, _C.RATE_LIMITED},
    _PARAMS: frozenset({
        _C.VALIDATION_FAILED, _C.SERIALIZATION_ERROR, _C.INTERNAL_ERROR, _C.INVALID_REQUEST, _C.NOT_IMPLEMENTED,
        _C.METHOD_NOT_FOUND, _C.UPSTREAM_ERROR, _C.GONE,
    }),
    _INTERNAL: frozenset({_C.UPSTREAM_ERROR}),
    -32020: frozenset(Code),
    -32021: frozenset(Code),
    -32022: frozenset(Code),
}  # fmt: skip


_NO = r"(?:there (?:is|are|was|were) )?no "
_CAME = r" (?:was |were |has been )?(?:came|received|returned|sent)\b"
_LEFT = r" (?:is |are )?(?:available|left|remaining)\b"
_END = r"\s*(?:[.,;:!(]|$)"
# How an answer begins that says little else.
_FIRST_WORDS = tuple((re.compile(rf"(?:^|: )(?:{shape})", re.IGNORECASE), code) for shape, code in (
    (r"(?:unknown|unrecogni[sz]ed) (?!errors?\b|exception|failure|problem|issue|reason)\w[^\n]{0,200}\b(?:available|expected|must be|one of|supported|use|valid)\b", _C.VALIDATION_FAILED),
    (r"(?:unknown|unrecogni[sz]ed) (?!errors?\b|exception|failure|problem|issue|reason)\w", _C.NOT_FOUND),
    # What is not there was no argument: an answer, a connection, a quota, anything to do.
    (rf"{_NO}(?:\w+ )?(?:ack(?:nowledge?ment)?|answer|reply|response)(?: (?:body|could|from|has|in|was|within|yet)\b|{_CAME}|{_END})", _C.TIMEOUT),
    (rf"{_NO}(?:content|data|output|results?|value)(?:{_CAME})(?! (?:by|for|matching)\b)|{_NO}(?:content|output){_END}", _C.UPSTREAM_ERROR),
    (rf"{_NO}(?:\w+ )?(?:connection|connectivity|internet|network)(?: (?:access|could|from|is|to|was)\b|{_LEFT}|{_END})", _C.NETWORK_ERROR),
    (rf"{_NO}(?:[\w ]{{1,30}} )?(?:calls|credits?|quota|requests|tokens)(?:{_LEFT})", _C.RATE_LIMITED),
    (rf"{_NO}(?:more )?(?:attempts|retries|tries)(?:{_LEFT}|{_END})", _C.UPSTREAM_ERROR),
    (rf"{_NO}(?:more )?(?:capacity|memory|resources|space|workers)(?:{_LEFT}|{_END})", _C.SERVICE_UNAVAILABLE),
    (rf"{_NO}(?:budget|funds|money)(?:{_LEFT}|{_END})", _C.INSUFFICIENT_BALANCE),
    (rf"{_NO}(?:changes?|modifications?|updates?)(?: (?:are|detected|found|is|made|necessary|needed|required|to|was|were)\b|{_END})", _C.OPERATION_NOT_ALLOWED),
    (rf"{_NO}(?!errors?\b)[a-z]", _C.NOT_FOUND),
    (r"(?:you )?(?:cannot|can't|can not) (?!compare|convert|decode|interpret|parse|read)\w", _C.OPERATION_NOT_ALLOWED),
    (r"(?:please )?(?:add|choose|enter|give|include|pass|pick|provide|select|specify|supply)\b", _C.VALIDATION_FAILED),
))  # fmt: skip


class Meaning(NamedTuple):
    """The conclusion about a failure."""

    code: Code
    message: str
    retry: Retry
    retry_declared: bool
    status: int | None
    wait_ms: int | None
    issues: tuple[Issue, ...]
    body: object
    """The JSON in the text, or None."""
    is_whole: bool
    """Whether message and body together hold all of the text."""


class _Source(NamedTuple):
    """The parts of a failure that the conclusion is drawn from."""

    text: str
    """Without wrappers."""
    message: str
    facts: Body
    """The facts of the JSON in the text, else of the data beside it."""
    body: object
    beside: str | None
    """The words of the data beside the text."""
    payloads: tuple[object, ...]
    """The JSON in the text, and the data beside it."""
    number: int | None


class _Lookup(NamedTuple):
    """What the tables say about the words of a failure."""

    code: Code | None = None
    retry: Retry | None = None
    status: int | None = None
    wait_ms: int | None = None


def read_meaning(text: str, *, number: int | None = None, body: object = None) -> Meaning:
    """Return what a text about a failure means, with the JSON-RPC number and the data beside it."""
    source = _split(text, number, body)
    facts, lookup = source.facts, _look_up_words(source)
    issues = (
        facts.issues
        or _read_quoted_issues(source)
        or read_formatted(source.text)
        or read_formatted(source.beside or "")
    )
    mention = read_mentioned(in_english(source.message)) or facts.mention or read_mentioned(source.beside or "")
    of_result = _complains_of_result(source.message) if issues or lookup.code in _WITHOUT_A_CAUSE else None
    if of_result is not None:
        issues, mention = (), None
        lookup = lookup if lookup.code is of_result else lookup._replace(code=of_result, retry=Retry.VERIFY_FIRST)
    code = of_result or _choose_code(source, issues, mention, lookup)
    if mention is None and is_about_arguments(code):
        mention = read_named(source.message, find_codes(source.message))
    if mention and not issues and (is_about_arguments(code) or code in _NAMES_AN_ARGUMENT):
        issues = (mention,)
    waits = (facts.wait_ms, wait_from_text(source.message), lookup.wait_ms)
    retry = _choose_verdict(code, _apply_advice(lookup, source.message), source)
    return Meaning(
        code=code,
        message=source.message,
        retry=retry,
        retry_declared=facts.flag is not None and retry is not Retry.VERIFY_FIRST,
        status=lookup.status,
        wait_ms=next((wait for wait in waits if wait is not None), None),
        issues=issues,
        body=source.body,
        is_whole=source.message == text.strip() or (isinstance(source.body, dict) and text.lstrip().startswith("{")),
    )


def _apply_advice(lookup: _Lookup, message: str) -> _Lookup:
    """Allow a repetition if a conflict asks for one: a call that is refused for now changed nothing."""
    passes = lookup.code is Code.CONFLICT and lookup.retry is None and _asks_to_repeat(message)
    return lookup._replace(retry=Retry.IF_HARMLESS) if passes else lookup


def _asks_to_repeat(text: str) -> bool:
    return bool(_REPEAT.search(text[:_MOST])) and not _SETTLED.search(text[:_MOST])


def _split(text: str, number: int | None, body: object) -> _Source:
    inner, numbered = unwrap(text)
    quoted = find_json(inner)
    inside, beside = read_body(quoted.value) if quoted else NOTHING, read_body(body)
    payloads = (quoted.value if quoted else None, body)
    if quoted and _has_facts(inside):
        message = _join_message(inner, inside, quoted.before)
        source = _Source(inner, message, inside, quoted.value, None, payloads, None)
    else:
        words = body if isinstance(body, str) else beside.message
        source = _Source(inner, inner if inner.strip() else words or "", beside, None, words, payloads, None)
    numbers = (numbered, number, source.facts.number)
    outer = next((each for each in numbers if each is not None), None)
    return source._replace(number=_inner_number(inner) or outer)


def _inner_number(text: str) -> int | None:
    """Return the number of the error that a text passes on; the one outside is the wrapper's own."""
    numbers = _PASSED_ON.findall(text[:_MOST])
    return int(numbers[-1]) if numbers else None


def _read_quoted_issues(source: _Source) -> tuple[Issue, ...]:
    """Return the issues that a body quotes as JSON in its message, as servers quote a ZodError."""
    quoted = find_json(source.message) if source.body is not None else None
    return read_body(quoted.value).issues if quoted else ()


def has_meaning(text: str) -> bool:
    """Return whether a text describes a failure that the tables know, or mentions an argument."""
    return _look_up([text]).code is not None or read_mentioned(text) is not None


def _has_facts(body: Body) -> bool:
    return bool(body.message or body.issues or body.status or body.number)


def _join_message(text: str, body: Body, before: str) -> str:
    """Return the message of a body in a text, behind the words before it."""
    if body.message is None:
        return text
    inner, before = unwrap(body.message).text, before.rstrip(" -:\n")
    return f"{before}: {inner}" if before else inner


def _look_up_words(source: _Source) -> _Lookup:
    """Look up the words of a failure: phrases of the tables, codes that are words, first words, vague words."""
    message = _text_before(_ANOTHER_TEXT, source.message)
    texts = _order_texts(message, source.facts)
    lookup = _look_up_phrases(source, texts)
    if lookup.code is None and not _DO_FIRST.search(message[:_MOST]):
        code = _read_first_words(in_english(message))
        lookup = _Lookup(code) if code else _look_up(list(texts), _VAGUE)
    if (
        lookup.code is Code.NETWORK_ERROR
        and (why := _look_up([_text_after(_FAILED_BECAUSE, message)])).code in _OF_CALLERS
    ):
        lookup = why
    if lookup.code in _OF_SETTINGS and _asks_for_setting(message[:_MOST]):
        lookup = _Lookup(Code.CONFIGURATION_ERROR)
    if lookup.code is Code.NOT_FOUND and _NOT_IN_TIME.search(message[:_MOST]):
        lookup = _Lookup(Code.TIMEOUT)
    if lookup.code in (None, Code.CONFLICT) and _DONE_BEFORE.search(message[:_MOST]):
        lookup = _Lookup(Code.DUPLICATE_OPERATION, status=lookup.status)
    status = source.facts.status
    return lookup if lookup.status or status is None else lookup._replace(status=status)


def _order_texts(message: str, facts: Body) -> tuple[str, ...]:
    """Return the texts that may say what happened; those that only say what was tried come last."""
    texts = (_text_before(_ADVICE, message), _text_before(_HELP, message), message, *facts.sentences)
    ordered = sorted(filter(str.strip, texts), key=lambda text: bool(_SAYS_LITTLE.fullmatch(text.strip())))
    return tuple(dict.fromkeys(ordered))


def _look_up_phrases(source: _Source, texts: tuple[str, ...]) -> _Lookup:
    facts, lookup = source.facts, _Lookup()
    status = facts.status or (source.number if source.number in _STATUSES else None)
    for text in texts or ("",):
        parts = (f"status {status}" if status else "", *facts.words, text, source.beside or "")
        lookup = _look_up([part for part in parts if part.strip()])
        if lookup.code is not None:
            break
    if lookup.status in _LITTLE_STATUSES:
        answers = (_look_up([_LITTLE_STATUS.sub(" ", text)]) for text in texts)
        words = next((answer for answer in answers if answer.code in _LITTLE_STATUSES[lookup.status]), None)
        lookup = words._replace(status=lookup.status) if words else lookup
    if (known := classify_first_symbol(blank_arguments(source.message))) is not None:  # In a text, it licenses nothing.
        retry = Retry.IF_HARMLESS if known.retry is Retry.SAME_CALL else known.retry
        return _Lookup(known.code, retry, known.http_status, known.retry_after_ms)
    if lookup.code is None and (meant := classify_symbols(facts.words, source.message)):
        return _Lookup(meant.code, meant.retry, meant.http_status, meant.retry_after_ms)
    return lookup


def _asks_for_setting(message: str) -> bool:
    """Return whether a text names an environment variable and says that it has to be set."""
    return bool(_SETTING.search(message) and _TO_BE_SET.search(in_english(message)))


def _text_after(shape: re.Pattern[str], message: str) -> str:
    hit = shape.search(message[:_MOST])
    return message[hit.end() :] if hit else ""


def _read_first_words(message: str) -> Code | None:
    """Return the code for the first words of a text that has no phrase of the tables."""
    return next((code for shape, code in _FIRST_WORDS if shape.search(message[:_MOST])), None)


def _text_before(shape: re.Pattern[str], message: str) -> str:
    hit = shape.search(message[:_MOST])
    return message[: hit.start()] if hit and message[: hit.start()].strip() else message


def _look_up(parts: list[str], patterns: Patterns = PATTERNS) -> _Lookup:
    own = blank_arguments(_APART.join(part[:_MOST] for part in parts)[: 2 * _MOST], patterns)
    words = _MAIL_REPLY.sub(r"smtp \1 \2 ", _ANSWERED.sub(r"status \1:", own))
    words = _FUNCTION_IN_BACKTICKS.sub(r"\1", words)
    words = _NUMBERED.sub("code", words) if "DB::Exception" in words else words
    words = _STATUS_IN_BRACKETS.sub(r"failed: status \1", words)
    hit = patterns.first(spell_out(_URL.sub(" ", words) if "://" in words else words))
    if hit is None:
        return _Lookup()
    row, status = hit
    code = row.code or _CODE_OF_STATUS.get(status or 0) or status_to_code(status or 0)
    return _Lookup(code, row.retry, status, row.retry_after_ms)


def _choose_code(source: _Source, issues: tuple[Issue, ...], mention: Issue | None, lookup: _Lookup) -> Code:
    message, number = source.message, source.number
    if _NO_SUCH.match(message):
        return Code.NOT_FOUND
    if lookup.code in (Code.NOT_IMPLEMENTED, Code.OPERATION_NOT_ALLOWED) and _OFFERS.search(message[:_MOST]):
        lookup = lookup._replace(code=Code.VALIDATION_FAILED)
    if issues:
        return issues[0].kind
    does_first = lookup.code is None and _DO_FIRST.search(message[:_MOST])
    code = _combine_with_number(number, Code.OPERATION_NOT_ALLOWED if does_first else lookup.code)
    if number is not None and code is not Code.NOT_FOUND and _REFUSED_AS_A_WHOLE.match(message):
        code = Code.INVALID_PARAMS if number == _PARAMS else Code.INVALID_REQUEST
    return _sharpen(code, mention, number, in_english(message))


def _complains_of_result(message: str) -> Code | None:
    """Return the code of a complaint about the tool's own result, or about the answer of a service behind it."""
    if _OF_THE_RESULT.search(message[:_MOST]):
        return Code.INTERNAL_ERROR
    return Code.UPSTREAM_ERROR if _OF_THE_RESPONSE.search(message[:_MOST]) else None


def _sharpen(code: Code, mention: Issue | None, number: int | None, message: str) -> Code:
    """Return a more exact code for an argument, if the code says only that one is refused."""
    if code is Code.SERIALIZATION_ERROR and _PARSED_ARGUMENT.search(message[:_MOST]):
        return mention.kind if mention is not None else Code.VALIDATION_FAILED
    is_left_out = _LEFT_OUT.search(message[:_MOST]) and "nvalid" not in message[:_MOST]
    if mention is None and code is Code.VALIDATION_FAILED and is_left_out:
        return Code.MISSING_REQUIRED_FIELD
    if mention is None or not (
        mention.kind in _EXACT or (code in (Code.UNKNOWN_ERROR, Code.INTERNAL_ERROR) and _is_refused(mention))
    ):
        return code
    vague = (
        is_about_arguments(code) or code is Code.UNKNOWN_ERROR or (code is Code.INTERNAL_ERROR and number == _INTERNAL)
    )
    return mention.kind if vague or (number == _PARAMS and code is Code.CONFIGURATION_ERROR) else code


def _is_refused(mention: Issue) -> bool:
    """Return whether a mention refuses an argument: "Docker must be started" is about no argument."""
    return mention.field[:1].islower() and mention.problem != ONLY_NAMED


def _choose_verdict(code: Code, lookup: _Lookup, source: _Source) -> Retry:
    """Return the verdict: no advice to call again with other arguments, and no licence, where a part was done before.

    SAME_CALL needs a fact, such as a status beside the text: a phrase in prose gives at most IF_HARMLESS.
    """
    retry = _choose_first_verdict(code, lookup, source)
    is_half_done = retry in (Retry.FIX_INPUT, Retry.SAME_CALL) and _is_half_done(source)
    if is_half_done:
        return Retry.VERIFY_FIRST if retry is Retry.FIX_INPUT else Retry.IF_HARMLESS
    return retry


def _is_half_done(source: _Source) -> bool:
    return mentions_finished_work(f"{source.text}\n{source.beside or ''}") or any(map(did_a_part, source.payloads))


def _choose_first_verdict(code: Code, lookup: _Lookup, source: _Source) -> Retry:
    """Return the verdict of what is said: the server's own flag counts, as far as the code and the table's row allow it."""
    flag, row = source.facts.flag, lookup.retry if code is lookup.code else None
    if flag is not None and not (flag and row):
        return decide_retry(code, http_status=lookup.status, flag=flag)
    retry = row or decide_retry(code, http_status=lookup.status)
    is_prose = source.facts.status is None and flag is None and not source.facts.words
    is_foreign = in_english(source.message) != source.message  # Work done before is recognised best in English.
    return Retry.IF_HARMLESS if retry is Retry.SAME_CALL and (is_prose or is_foreign) else retry


def _combine_with_number(number: int | None, lookup: Code | None) -> Code:
    """Return the code of the number or that of the words, whichever says more."""
    by_number = code_of_number(number) if number is not None else None
    if by_number is None:
        return lookup or Code.UNKNOWN_ERROR
    return by_number if lookup is None or lookup in _SAYS_NO_MORE.get(number or 0, ()) else lookup
