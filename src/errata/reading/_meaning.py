"""What a failure means that was told in words: the facts are found here, the classification tables decide."""

import re
from typing import NamedTuple

from errata._half_done import tells_of_work_done
from errata._languages import in_english
from errata.classification import PATTERNS, VAGUE, Patterns, blank_arguments, spell_out
from errata.dialects import code_of_number
from errata.model import Code, Retry, status_to_code, verdict, wait_from_text
from errata.reading._error_bodies import NOTHING, Body, read_body
from errata.reading._symbols import known_symbol, meaning_of_symbols
from errata.reading._text_parts import json_in, unwrapped
from errata.reading._validation_text import ONLY_NAMED, Issue, formatted, is_about_arguments, mentioned, named_in

_MOST = 8_000
_APART = " \0 "  # Between the parts: no phrase of the tables reaches across it.
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]{0,20}://[^\s'\"<>)\]}]{1,2000}")
# What an HTTP client says of a request that was answered: "PUT https://…/README.md: 409 does not match". Statuses that
# say only that something is wrong with the request say less than the words behind them.
_ANSWERED = re.compile(
    r"\b(?:GET|HEAD|POST|PUT|PATCH|DELETE) [^\s]{1,2000}?[\])]?:? (?:[=\-]> )?[(\[]?(?!400|405|406|415|422)([45][0-9]{2})\b(?![.:\-]\d)"
)
_STATUS_IN_BRACKETS = re.compile(r"\bfailed \(([45][0-9]{2})\)")
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
    r"\b(?:allowed|available|choose from|one of|supported|use|valid)\b[^.\n:]{0,20}: ?\S", re.IGNORECASE
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
# What is added to what went wrong: how it should be done, and, under a rule and a heading, another text altogether.
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
_OF_THE_RESULT = re.compile(r"output ?schema|structured ?content|output validation|invalid structured", re.IGNORECASE)

_NAMES_AN_ARGUMENT = frozenset({Code.NOT_FOUND, Code.CONFLICT})
"""What else than a refused value may be about one argument."""

_EXACT = frozenset({Code.MISSING_REQUIRED_FIELD, Code.INVALID_FORMAT})
"""What says more than that a value was refused."""

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


# How an answer begins that says little else.
_FIRST_WORDS = tuple((re.compile(rf"(?:^|: )(?:{shape})", re.IGNORECASE), code) for shape, code in (
    (r"(?:unknown|unrecogni[sz]ed) (?!errors?\b|exception|failure|problem|issue|reason)\w[^\n]{0,200}\b(?:available|expected|must be|one of|supported|use|valid)\b", _C.VALIDATION_FAILED),
    (r"(?:unknown|unrecogni[sz]ed) (?!errors?\b|exception|failure|problem|issue|reason)\w", _C.NOT_FOUND),
    (r"(?:there (?:is|are|was|were) )?no (?!errors?\b)[a-z]", _C.NOT_FOUND),
    (r"(?:you )?(?:cannot|can't|can not) (?!compare|convert|decode|interpret|parse|read)\w", _C.OPERATION_NOT_ALLOWED),
    (r"(?:please )?(?:add|choose|enter|give|include|pass|pick|provide|select|specify|supply)\b", _C.VALIDATION_FAILED),
))  # fmt: skip


class Meaning(NamedTuple):
    """What a failure turned out to be."""

    code: Code
    message: str
    retry: Retry
    retry_declared: bool
    status: int | None
    wait_ms: int | None
    issues: tuple[Issue, ...]
    body: object
    """The JSON that was found in the text, or None."""
    is_whole: bool
    """Whether message and body together say all that the text said."""


class _Source(NamedTuple):
    """What there is to go by."""

    text: str
    """Without prefixes."""
    message: str
    facts: Body
    """Of the JSON in the text, or else of what came beside it."""
    body: object
    beside: str | None
    """What was said beside the text."""
    number: int | None


class _Told(NamedTuple):
    """What the tables say about words."""

    code: Code | None
    retry: Retry | None
    status: int | None
    wait_ms: int | None


def meaning_of_text(text: str, *, number: int | None = None, body: object = None) -> Meaning:
    """Read a text that tells of a failure, with the JSON-RPC number and the data that came beside it."""
    source = _source(text, number, body)
    facts, told = source.facts, _asked(source)
    issues = facts.issues or _quoted_issues(source) or formatted(source.text) or formatted(source.beside or "")
    mention = mentioned(in_english(source.message)) or facts.mention or mentioned(source.beside or "")
    code = _code(source, issues, mention, told)
    if mention is None and is_about_arguments(code):
        mention = named_in(source.message)
    if mention and not issues and (is_about_arguments(code) or code in _NAMES_AN_ARGUMENT):
        issues = (mention,)
    waits = (facts.wait_ms, wait_from_text(source.message), told.wait_ms)
    told = _as_advised(told, source.message)
    return Meaning(
        code=code,
        message=source.message,
        retry=_verdict(code, told, source),
        retry_declared=facts.flag is not None,
        status=told.status,
        wait_ms=next((wait for wait in waits if wait is not None), None),
        issues=issues,
        body=source.body,
        is_whole=source.message == text.strip() or (isinstance(source.body, dict) and text.lstrip().startswith("{")),
    )


def _as_advised(told: _Told, message: str) -> _Told:
    """Believe who refuses a call for now and asks to repeat it: a conflict that passes changed nothing."""
    passes = told.code is Code.CONFLICT and told.retry is None and _asks_to_repeat(message)
    return told._replace(retry=Retry.IF_HARMLESS) if passes else told


def _asks_to_repeat(text: str) -> bool:
    return bool(_REPEAT.search(text[:_MOST])) and not _SETTLED.search(text[:_MOST])


def _source(text: str, number: int | None, body: object) -> _Source:
    said, numbered = unwrapped(text)
    found = json_in(said)
    inside, beside = read_body(found.value) if found else NOTHING, read_body(body)
    if found and _tells(inside):
        source = _Source(said, _message(said, inside, found.before), inside, found.value, None, None)
    else:
        told = body if isinstance(body, str) else beside.message
        source = _Source(said, said if said.strip() else told or "", beside, None, told, None)
    numbers = (number, numbered, source.facts.number)
    outer = next((each for each in numbers if each is not None), None)
    return source._replace(number=_inner_number(said) or outer)


def _inner_number(text: str) -> int | None:
    """Return the number of the error that a text passes on: whoever wraps it has a number of its own for that."""
    numbers = _PASSED_ON.findall(text[:_MOST])
    return int(numbers[-1]) if numbers else None


def _quoted_issues(source: _Source) -> tuple[Issue, ...]:
    """Read the issues that a body quotes as JSON in its message, as whoever passes a ZodError on does."""
    found = json_in(source.message) if source.body is not None else None
    return read_body(found.value).issues if found else ()


def has_meaning(text: str) -> bool:
    """Whether a text speaks of a failure that the tables know, or of an argument."""
    return _look_up([text]).code is not None or mentioned(text) is not None


def _tells(body: Body) -> bool:
    return bool(body.message or body.issues or body.status or body.number)


def _message(said: str, body: Body, before: str) -> str:
    """Say it in the words of the body, behind the words that stood before it."""
    if body.message is None:
        return said
    inner, before = unwrapped(body.message).text, before.rstrip(" -:\n")
    return f"{before}: {inner}" if before else inner


def _asked(source: _Source) -> _Told:
    """Return what the words of a failure say: phrases of the tables, codes that are words, first words, vague words."""
    message = _before(_ANOTHER_TEXT, source.message)
    texts = _telling_first(message, source.facts)
    told = _by_phrases(source, texts)
    if told.code is None and not _DO_FIRST.search(message[:_MOST]):
        code = _by_opening(in_english(message))
        told = _Told(code, None, None, None) if code else _look_up(list(texts), _VAGUE)
    if told.code is Code.NETWORK_ERROR and (why := _look_up([_after(_FAILED_BECAUSE, message)])).code in _OF_CALLERS:
        told = why
    if told.code in _OF_SETTINGS and _asks_for_setting(message[:_MOST]):
        told = _Told(Code.CONFIGURATION_ERROR, None, None, None)
    status = source.facts.status
    return told if told.status or status is None else told._replace(status=status)


def _telling_first(message: str, facts: Body) -> tuple[str, ...]:
    """Return the texts that may say what happened, those last that only say what was tried."""
    texts = (_before(_ADVICE, message), _before(_HELP, message), message, *facts.sentences)
    told = sorted(filter(str.strip, texts), key=lambda text: bool(_SAYS_LITTLE.fullmatch(text.strip())))
    return tuple(dict.fromkeys(told))


def _by_phrases(source: _Source, texts: tuple[str, ...]) -> _Told:
    facts, told = source.facts, _Told(None, None, None, None)
    for text in texts or ("",):
        parts = (f"status {facts.status}" if facts.status else "", *facts.words, text, source.beside or "")
        told = _look_up([part for part in parts if part.strip()])
        if told.code is not None:
            break
    if told.status in _LITTLE_STATUSES:
        answers = (_look_up([_LITTLE_STATUS.sub(" ", text)]) for text in texts)
        words = next((answer for answer in answers if answer.code in _LITTLE_STATUSES[told.status]), None)
        told = words._replace(status=told.status) if words else told
    if (known := known_symbol(blank_arguments(source.message))) is not None:  # In a text, it licenses nothing.
        retry = Retry.IF_HARMLESS if known.retry is Retry.SAME_CALL else known.retry
        return _Told(known.code, retry, known.http_status, known.retry_after_ms)
    if told.code is None and (meant := meaning_of_symbols(facts.words, source.message)):
        return _Told(meant.code, meant.retry, meant.http_status, meant.retry_after_ms)
    return told


def _asks_for_setting(message: str) -> bool:
    """Whether a text names an environment variable and says that it has to be set."""
    return bool(_SETTING.search(message) and _TO_BE_SET.search(in_english(message)))


def _after(shape: re.Pattern[str], message: str) -> str:
    found = shape.search(message[:_MOST])
    return message[found.end() :] if found else ""


def _by_opening(message: str) -> Code | None:
    """Return what the first words say of an answer that no phrase of the tables is in."""
    return next((code for shape, code in _FIRST_WORDS if shape.search(message[:_MOST])), None)


def _before(shape: re.Pattern[str], message: str) -> str:
    found = shape.search(message[:_MOST])
    return message[: found.start()] if found and message[: found.start()].strip() else message


def _look_up(parts: list[str], patterns: Patterns = PATTERNS) -> _Told:
    words = _ANSWERED.sub(r"status \1:", blank_arguments(_APART.join(part[:_MOST] for part in parts)[: 2 * _MOST]))
    words = _NUMBERED.sub("code", words) if "DB::Exception" in words else words
    words = _STATUS_IN_BRACKETS.sub(r"failed: status \1", words)
    found = patterns.first(spell_out(_URL.sub(" ", words) if "://" in words else words))
    if found is None:
        return _Told(None, None, None, None)
    row, status = found
    return _Told(row.code or status_to_code(status or 0), row.retry, status, row.retry_after_ms)


def _code(source: _Source, issues: tuple[Issue, ...], mention: Issue | None, told: _Told) -> Code:
    message, number = source.message, source.number
    if _NO_SUCH.match(message):
        return Code.NOT_FOUND
    if told.code in (Code.NOT_IMPLEMENTED, Code.OPERATION_NOT_ALLOWED) and _OFFERS.search(message[:_MOST]):
        told = told._replace(code=Code.VALIDATION_FAILED)
    if issues:
        return Code.INTERNAL_ERROR if _OF_THE_RESULT.search(message[:_MOST]) else issues[0].kind
    does_first = told.code is None and _DO_FIRST.search(message[:_MOST])
    code = _beside(number, Code.OPERATION_NOT_ALLOWED if does_first else told.code)
    if number is not None and code is not Code.NOT_FOUND and _REFUSED_AS_A_WHOLE.match(message):
        code = Code.INVALID_PARAMS if number == _PARAMS else Code.INVALID_REQUEST
    return _sharpened(code, mention, number, in_english(message))


def _sharpened(code: Code, mention: Issue | None, number: int | None, message: str) -> Code:
    """Say more exactly what is wrong with an argument, where the code says only that one is refused."""
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
    """Whether something is said against an argument: "Docker must be started" is about no argument."""
    return mention.field[:1].islower() and mention.problem != ONLY_NAMED


def _verdict(code: Code, told: _Told, source: _Source) -> Retry:
    """Let the server's own yes or no count, as far as the code and the table's row allow it.

    To repeat the same call takes a fact, such as a status beside the text: a phrase in prose, or a text that tells of
    work done before, says at most that it may be repeated if that does no harm.
    """
    flag, row = source.facts.flag, told.retry if code is told.code else None
    if flag is not None and not (flag and row):
        return verdict(code, http_status=told.status, flag=flag)
    retry = row or verdict(code, http_status=told.status)
    is_prose = source.facts.status is None and flag is None and not source.facts.words
    is_foreign = in_english(source.message) != source.message  # Whether work was done before is known in English only.
    if retry is Retry.SAME_CALL and (
        is_prose or is_foreign or tells_of_work_done(f"{source.text}\n{source.beside or ''}")
    ):
        return Retry.IF_HARMLESS
    return retry


def _beside(number: int | None, told: Code | None) -> Code:
    """Choose between what a number says and what the words say: the one that says more."""
    by_number = code_of_number(number) if number is not None else None
    if by_number is None:
        return told or Code.UNKNOWN_ERROR
    return by_number if told is None or told in _SAYS_NO_MORE.get(number or 0, ()) else told
