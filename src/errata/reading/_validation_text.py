"""What validators say is wrong with arguments: pydantic, zod, ajv, jsonschema, serde, Go, Jackson, .NET, and people.

A validator's own format is proof (`read_formatted`) and decides the code. A sentence that merely mentions an argument
(`read_mentioned`) names the field, and sharpens a code that says only that some value was refused.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple

from errata.model import Code, FieldIssue

_LONGEST_PROBLEM = 500

# The first that fits says the kind; what none fits is a wrong type, an unknown name or a value outside an enumeration.
_KINDS = (
    (re.compile(r"extra_forbidden|unexpected|unrecognized|unknown|additional propert|\benum\b|invalid_enum|invalid option|expected one of|possible values", re.IGNORECASE), Code.INVALID_PARAMS),
    (
        re.compile(
            r"\bmissing|missing\b|missing_argument|required|received undefined|not provided|not present|must not be null"
            r"|must specify|cannot be blank|blank\b",
            re.IGNORECASE,
        ),
        Code.MISSING_REQUIRED_FIELD,
    ),
    (
        re.compile(
            r"too_small|too_big|too_short|too_long|too (?:small|big|short|long|large|few|many|high|low)|[<>]=? ?-?[0-9]|[<>]= "
            r"|greater|less than|at least|at most|between|range|minimum|maximum|exceed|longer|shorter|multiple_of"
            r"|positive|negative|before|after|start with|unique",
            re.IGNORECASE,
        ),
        Code.VALIDATION_FAILED,
    ),
    (
        re.compile(
            r"invalid_format|invalid_string|invalid_date|(?:url|uuid|date|time|datetime|pattern)_(?:parsing|mismatch|type)"
            r"|\bformat\b|\bpattern\b|must match|valid (?:url|uri|email|e-mail|uuid|date|time|ip|hostname)"
            r"|invalid (?:url|uri|email|uuid|date|datetime|time)\b",
            re.IGNORECASE,
        ),
        Code.INVALID_FORMAT,
    ),
)  # fmt: skip

_ENVELOPES = ("params", "arguments", "body", "$", "data")


class Issue(NamedTuple):
    """One problem, and what kind of failure it makes of the call."""

    field: str
    problem: str
    kind: Code


def make_issue(where: Iterable[object] | str, problem: str, word: str = "") -> Issue:
    """Return an issue for a position in the arguments, the problem there, and the validator's word for it."""
    problem = " ".join(problem[:_LONGEST_PROBLEM].split())
    return Issue(to_path(where), problem or word, classify_problem(f"{word} {problem}"))


def classify_problem(problem: str) -> Code:
    """Return the code for the kind of problem that a validator's words describe."""
    return next((code for shape, code in _KINDS if shape.search(problem)), Code.INVALID_PARAMS)


def to_path(where: Iterable[object] | str) -> str:
    """Return a position as a dotted path, without the envelope around all arguments."""
    steps = re.split(r"[./\[\]]+", where) if isinstance(where, str) else [str(step) for step in where]
    steps = [step.strip("'\"` ") for step in steps]
    steps = [step for step in steps if step]
    while len(steps) > 1 and steps[0] in _ENVELOPES:
        del steps[0]
    return ".".join(steps)


def to_field_issues(issues: Iterable[Issue]) -> tuple[FieldIssue, ...]:
    """Return issues as a fault carries them."""
    return tuple(FieldIssue(each.field, each.problem) for each in issues if each.field)


_MOST = 16_000
_SENTENCE = 2_000
_MOST_ISSUES = 50
_QUOTED = r"[\[{(]?[`'\"]([^`'\"\s]{1,100})[`'\"]"
_PLAIN = r"([A-Za-z_$][\w.$\-\[\]]{0,80})"
_MORE_QUOTED = r"(?:,? (?:and |or |& )?[`'\"][^`'\"\s]{1,100}[`'\"]){1,10}"
_MORE_PLAIN = r"(?:, \w{1,80}){0,10},? (?:and|or) \w{1,80}"
# `output_file`, `pageSize`: only a name is written like that.
_JOINED = r"((?-i:[a-z]{1,40}(?:_|[A-Z])\w{0,80}))"

_JOINED_OR_WORD = r"((?-i:[a-z]{1,40}\w{0,80}))"
# What has a few values that are all known.
_ENUMERATED = (
    "action|algorithm|category|format|kind|level|method|mode|operation|operator|provider|status|strategy|type|unit"
)

# A name, and not the first word of what is said: "Invalid argument: sheet not found".
_NO_SENTENCE = r"(?![\w$\-\[\]])(?! (?!(?:and|are|cannot|for|has|in|is|must|of|or|should|value|was)\b)[a-z])"

# No file, address, option of a program, function or tool; a script without spaces may stand right beside it.
_WRITTEN_AS_A_NAME = re.compile(
    r"(?<![A-Za-z0-9_./\\:@$-])(?<!call )(?<!Call )(?<!use )(?<!Use )(?<!run )(?<!tool )(?<!with )(?<!using )(?<!via )[`'\"]?"
    r"([a-z]{1,40}(?:_[a-z0-9]{1,40}){1,6}|[a-z]{2,40}(?:[A-Z][a-z0-9]{1,40}){1,6})(?![A-Za-z0-9_./\\@(-])"
)

ONLY_NAMED = "does not exist"
"""The problem of an argument that a text only names."""

_PYDANTIC = re.compile(r"^(\S[^\n]{0,200})\n {2}([^\n]{1,2000}?) ?\[type=(\w{1,60})", re.MULTILINE)
_ZOD_LINE = re.compile(
    r"((?:Invalid|Too (?:small|big)|Unrecognized|Required|Expected)[^\n]{0,500}?) at ([\w.\[\]$\-]{1,200})$"
)
_ZOD_REFINED = re.compile(r"([^\n]{1,500}) at ([\w.\[\]$\-]{1,200})$")
_ZOD_PRETTY = re.compile(r"\u2716 ([^\n]{1,500})(?:\n\s{1,8}\u2192 at ([^\n]{1,200}))?")
_ARGUMENTS_OF = re.compile(
    r"(?:Input validation error: )?(?:Invalid arguments(?: for (?:tool|prompt) [^\s:]{1,200})?: )"
)
_AJV = re.compile(
    r"(?:^|[\s:,;(\[])(?:data|input|arguments|params)?((?:/[\w.~\-$]{1,80}){1,20}|) (must [^,;\n]{1,300})"
)
_AJV_MISSING = re.compile(rf"required property {_QUOTED}")

# fmt: off
_PROOFS: tuple[tuple[re.Pattern[str], str], ...] = tuple((re.compile(shape), problem) for shape, problem in (
    (r"'([^'\n]{1,100})' is a required property",                                 "is required"),
    (rf"required property {_QUOTED} (?:not found|is missing)",                    "is required"),
    (r"missing propert(?:y|ies): \[?[\"']([^\"'\n]{1,100})[\"']",                 "is required"),
    (r"[Mm]issing required (?:creator )?propert(?:y|ies)[^\n'\"]{0,40}[\"']([^\"'\n]{1,100})[\"']", "is required"),
    (r"missing field `([^`\n]{1,100})`",                                          "is required"),
    (r"missing \d{1,3} required (?:positional|keyword-only) arguments?: '([^'\n]{1,100})'", "is required"),
    (r"missing a value for the required parameter '([^'\n]{1,100})'",             "is required"),
    (r"[Rr]equired (?:request )?parameter '([^'\n]{1,100})'[^\n]{0,60} is not present", "is required"),
    (r"required argument \"([^\"\n]{1,100})\" not found",                         "is required"),
    (r"Additional properties are not allowed \('([^'\n]{1,100})'",                "is not known"),
    (r"unexpected keyword argument '([^'\n]{1,100})'",                            "is not known"),
    (r"unknown field `([^`\n]{1,100})`",                                          "is not known"),
    (r"Unrecognized field \"([^\"\n]{1,100})\"",                                  "is not known"),
    (r"Go struct field (?:\w{1,80}\.)?([\w.]{1,100}) of type",                    "has the wrong type"),
    (r"validating /properties/([\w$\-]{1,100}): \w{1,40}:",                       "does not fit the schema"),
    (r"[Pp]arameter (\w{1,100}) is not of type",                                  "has the wrong type"),
    (r"argument \"([^\"\n]{1,100})\" (?:is not|cannot be converted)",             "has the wrong type"),
    (r"invalid value '[^'\n]{0,200}' for '-{1,2}([\w\-]{1,100})",                 "is not one of the possible values"),
    (r"could not be converted to [^\n]{1,200} Path: \$\.?([\w.\[\]]{1,100})",     "has the wrong type"),
    (r"through reference chain: [^\n]{0,200}\[\"(\w{1,100})\"\]\)",               "has the wrong type"),
    (r"On instance\['([^'\n]{1,100})'\]",                                         "does not fit the schema"),
    (r" is not (?:of type|one of|valid)\b[^\n]{1,200} \((?:argument|parameter|field|property) [`'\"]?([\w.\-]{1,100})[`'\"]?\)", "does not fit the schema"),
))
_UNNAMED = re.compile(
    r" is not (?:of type '|one of \[|valid under any of |a multiple of \d)| is (?:less than the minimum|greater than the maximum) of "
    r"|\binvalid (?:type|value): [^\n]{1,200}, expected |\bunknown variant `"
    r"|[`'\"] is not an? [a-zA-Z][\w \-]{1,40} \((?:accepted|allowed|known|one of|supported|valid)\b"
)
_MENTIONS: tuple[tuple[re.Pattern[str], str], ...] = tuple((re.compile(shape, re.IGNORECASE), problem) for shape, problem in (
    (rf"missing (?:the |a )?(?:required |mandatory )?(?:query |path |header |body |input |tool |positional )?(?:parameter|argument|field|property|input|option|key|envelope key|value)s?(?:\(s\))?(?: for)?:? {_QUOTED}", "is required"),
    (r"[\[{ ]Field:(\w{1,80}) Code:(\w{1,80})", ""),  # go-github
    (r"\bmissing (?:either |both )?[`'\"]([A-Za-z_][\w.\-]{1,80})[`'\"] (?:and|or) [`'\"][A-Za-z_]", "is required"),
    (r"missing (?:the |a )?(?:required |mandatory )?(?:query |path |header |body |input |tool |envelope )?(?:parameter|argument|field|property|input|option|key)s?(?:\(s\))?:? (?:--)?([A-Za-z_$][\w.$/\-]{0,100})", "is required"),
    (rf"(?:parameter|argument|field|property|option) {_QUOTED}(?: \([^()\n]{{1,80}}\))?:? (?:is required|is missing|was not provided|must be provided)", "is required"),
    (rf"{_QUOTED}(?: parameter| argument| field| option)? (?:is required|is missing|must be provided|is a required)", "is required"),
    (rf"(?:^|[:,;] ?|\n|(?:parameter|argument|field) ){_PLAIN}(?: parameter| argument| field)? (?:is required|is missing|must be provided|must be specified)", "is required"),
    (rf"{_QUOTED}{_MORE_QUOTED} (?:are|is) (?:all |both )?(?:required|missing|mandatory)",   "is required"),
    (rf"(?:^|: |\n)(?:both |either )?{_PLAIN}{_MORE_PLAIN} (?:(?:are|is) (?:all |both )?(?:required|missing|mandatory)|must be (?:provided|specified|supplied|set))", "is required"),
    (rf"(?:^|[:,;] ?|\n){_JOINED} (?:path|value|string|list|array|object|ids?|name|file|url) (?:is required|is missing|must be provided)", "is required"),
    (rf"must (?:contain|have|include|specify) (?:a |an |the )?{_QUOTED} (?:property|field|key|member|parameter|argument|attribute)\b", "is required"),
    (rf"(?:^|[:;] ?)no {_PLAIN} (?:was |were )?(?:provided|specified|supplied)(?:[.:,]|$)",  "is required"),
    (rf"(?:^|[:,;] ?|\n){_QUOTED} (?:missing|not specified|not provided|required)\b",     "is required"),
    (rf"(?:^|[:,;] ?|\n){_PLAIN} (?:(?:parameter|argument|field) (?:is )?(?:missing|not (?:specified|provided)|required)|not specified in)\b", "is required"),
    (rf"(?:provide|specify|supply|pass|include)(?: either)? (?:a |an |the |your )?(?:valid |value for (?:the )?)?[`'\"]?{_PLAIN}[`'\"]? (?:parameter|argument|field|option)\b", "is required"),
    (r"(?:must|please|need to|should) (?:provide|specify|supply|pass|include)(?: either| both)? (?:a |an |the |your )?(?:valid )?[`'\"]?((?-i:[a-z]{1,40}(?:[A-Z_]\w{0,80})))", "is required"),
    (rf"(?:^|: )missing (?:the |a )?(?:required )?[`'\"]?{_PLAIN}[`'\"]? (?:parameter|argument|field|property)\b",                "is required"),
    (rf"(?:^|[:,;] ?|\n){_PLAIN}: ((?:Required|Invalid|Expected|Must|Number must|String must|Should|Input should|Cannot be)\b[^\n,;]{{0,200}})", ""),
    (rf"(?:^|[:,;] ?|\n| - )(?:the )?(?:parameter |argument |field )?[`'\"]?(?:(?:body|path|query|params)\.)?{_PLAIN}(?<!\.)[`'\"]?(?: parameter| argument| field| option)? ((?:(?:must|should|has to|have to|needs to|need to) (?:be|have|not|contain|match|start|end|specify)|(?:cannot|can't|may not) be (?:empty|blank|null|negative|zero|longer|shorter|greater|less|more))\b[^\n,;]{{0,200}})", ""),
    (rf"(?:unknown|unexpected|unrecognized|undeclared|unsupported|extra) (?:parameter|argument|field|option|propert(?:y|ie)|key)s?(?:\(s\))?(?:: ?|:? (?=[`'\"]))[`'\"]?(?:--)?{_PLAIN}", "is not known"),
    (rf"(?:parameter|argument|field|option|property) {_QUOTED}:? ((?:must|should|has to|needs to|cannot|can't|may not) [^\n,;]{{1,200}})", ""),
    (rf"(?:^|[:;] ?|\n)(?:the )?[`'\"]?{_PLAIN}[`'\"]? (?:parameter|argument|field|option|property) (?:contains|has|is|was) (?:an? )?(?:invalid|malformed|not valid|out of range)\b", "is not valid"),
    (rf"(?:^|[:;] ?)(?:invalid|malformed|bad) {_JOINED} (?:date|id|list|name|number|path|string|time|timestamp|type|url)\b", "is not valid"),
    (rf"(?:^|[:;] ?)(?:invalid|malformed|bad) {_PLAIN} (?:format|syntax|value) (?:provided|given|supplied|at (?:index|position) \d)", "is not valid"),
    (rf"invalid (?:value |type )?(?:for |of )?(?:the )?(?:parameter|argument|field|option|property):? [`'\"]?{_PLAIN}{_NO_SENTENCE}", "is not valid"),
    (rf"(?:invalid|illegal|bad|unexpected|unable to parse|could not parse|cannot parse) (?:value|type|argument)(?: [`'\"][^`'\"\n]{{0,200}}[`'\"])? for (?:the )?(?:parameter |argument |field |option |property )?[`'\"]?(?:--)?{_PLAIN}", "is not valid"),
    (rf"requires (?:the )?{_QUOTED} to be (?:provided|set|specified)", "is required"),
    (r"(?:^|: )\[(\w{1,80})\]: (Required\b[^\n]{0,200})", ""),
    (rf"(?:deserialize|parse|decode) (?:the )?{_JOINED_OR_WORD} (?:as )?JSON\b", "is not valid"),
    (rf"(?:failed to|could not|unable to|cannot) parse [`'\"]?{_JOINED}", "is not valid"),
    (rf"(?:unknown|unrecognized) (?:\w{{1,30}} )?({_ENUMERATED}): ?[`'\"]?[\w\-]", "is not one of the allowed values"),
    (rf"(?:invalid|unsupported|malformed|illegal) (?:or expired )?{_QUOTED}(?::| )", "is not valid"),
    (rf"(?:^|[:;] ?)(?:invalid|unsupported|malformed|illegal|bad) (?:or expired )?{_PLAIN}(?: (?:format|scheme|value|syntax))?(?:[:.(,]|$)", "is not valid"),
    (rf"(?:^|[:;] ?)(?:invalid|unsupported|malformed|illegal|bad) (?:[A-Z]{{2,8}} )?{_PLAIN} [`'\"][^`'\"\n]{{0,200}}[`'\"](?:[.:,(]|$)", "is not valid"),
    (rf"(?:^|: )(?:unknown|unrecognized) {_PLAIN} [`'\"][^\n]{{0,200}}(?:supported|must be|valid|allowed|expected|one of)", "is not one of the allowed values"),
    (r"(?:with|for) ([a-z]{1,40}(?:Id|_id)) [`'\"]", ONLY_NAMED),
    (r"[Cc]annot (?:specify|use|set|provide|combine) both [`'\"]?(\w{1,80})[`'\"]? and ", "excludes another argument"),
    (r"(?:^|: )([\w.\[\]]{1,100}): Invalid value: ([^\n]{1,200})",               ""),
))
# fmt: on
# A text without any of these words mentions no argument; most failures have none of them.
_SPOKEN = re.compile(
    r"missing|required|invalid|unsupported|malformed|illegal|\bbad |must|should|has to|need|provide|supply|specif|field:|unknown|unrecognized|cannot|could not be converted"
    r"|unexpected|undeclared|additional|validat|not of type|not one of|not valid under|is not an? |not a multiple|struct field|reference chain|instance\['|too (?:small|big)|than the"
    r"|(?:with|for) [a-z]{1,40}(?:id|_id) |: (?:expected|should|number must|string must|input)|expected",
    re.IGNORECASE,
)
_NO_NAMES = frozenset(
    {
        "$first",  # zog's own word for the first of the issues that it lists.
        "$root",
        "access",
        "an",
        "any",
        "api",
        "array",
        "date",
        "apikey",
        "api-key",
        "argument",
        "arguments",
        "auth",
        "authentication",
        "body",
        "character",
        "characters",
        "client",
        "connection",
        "content-type",
        "credentials",
        "data",
        "header",
        "headers",
        "host",
        "http",
        "input",
        "inputs",
        "it",
        "json",
        "key",
        "login",
        "mandatory",
        "number",
        "option",
        "params",
        "parameter",
        "parameters",
        "password",
        "permission",
        "permissions",
        "please",
        "request",
        "required",
        "response",
        "server",
        "session",
        "sql",
        "string",
        "syntax",
        "that",
        "the",
        "this",
        "token",
        "tool",
        "type",
        "value",
        "values",
        "you",
        "your",
    }
)  # fmt: skip
_ID = re.compile(
    r"[a-z]{1,10}(?:_test|_live)?_(?:[0-9]{3,40}|[A-Za-z]{0,20}[0-9]{1,20}(?:[A-Za-z]{1,20}[0-9]{1,20}){1,20}[A-Za-z]{0,20})"
)
_OF_CLASSES = ("error", "exception")  # "ValueError: Invalid …" names a class.
_FAMILY = frozenset({Code.INVALID_PARAMS, Code.MISSING_REQUIRED_FIELD, Code.INVALID_FORMAT, Code.VALIDATION_FAILED})


def read_formatted(text: str) -> tuple[Issue, ...]:
    """Return the issues in a text that has the format of a validator."""
    text = text[:_MOST]
    if not _SPOKEN.search(text):
        return ()
    for reader in _READERS:
        issues = tuple(each for each, _ in zip(reader(text), range(_MOST_ISSUES), strict=False))
        if issues:
            return issues
    return ()


def read_mentioned(text: str) -> Issue | None:
    """Return the issue of the one argument that a sentence mentions."""
    text = text[:_SENTENCE]
    if not _SPOKEN.search(text):
        return None
    for shape, problem in _MENTIONS:
        for match, _ in zip(shape.finditer(text), range(4), strict=False):
            name = match[1].rstrip(".")
            if _may_be_a_name(name):
                complaint = problem or (match[2] if match.re.groups > 1 else "")
                return make_issue([name], complaint, match[0].replace(match[1], " "))
    return None


def read_named(text: str, codes: Collection[str] = ()) -> Issue | None:
    """Return an issue for the first word that is spelt as only names of arguments are, and is no code: `startDate`, `file_path`."""
    for match, _ in zip(_WRITTEN_AS_A_NAME.finditer(text[:_SENTENCE]), range(4), strict=False):
        if _may_be_a_name(match[1]) and match[1] not in codes:
            return make_issue([match[1]], text)
    return None


def _may_be_a_name(word: str) -> bool:
    """Return whether a word may be the name of an argument; `ch_123` and `pi_3Mt8Kz` are ids, `ID!` is a type."""
    return (
        word.lower() not in _NO_NAMES
        and not word.lower().endswith(_OF_CLASSES)
        and not _ID.fullmatch(word)
        and word[-1:] != "!"
    )


def is_about_arguments(code: Code) -> bool:
    """Return whether a code says that the arguments are at fault."""
    return code in _FAMILY


def _read_pydantic(text: str) -> Iterator[Issue]:
    if "validation error" in text:
        for where, problem, word in _PYDANTIC.findall(text):
            yield make_issue(where, problem, word)


def _read_zod_pretty(text: str) -> Iterator[Issue]:
    if "\u2716 " in text:
        for problem, where in _ZOD_PRETTY.findall(text):
            yield make_issue(where, problem)


def _read_zod_lines(text: str) -> Iterator[Issue]:
    opening = _ARGUMENTS_OF.search(text)
    lines = text[opening.end() :].split("\n") if opening else text.split("\n", 1)[:1]
    for line in lines[:_MOST_ISSUES]:
        if match := (_ZOD_REFINED if opening else _ZOD_LINE).match(line.strip()):
            yield make_issue(match[2], match[1])


def _read_ajv(text: str) -> Iterator[Issue]:
    if " must " in text and ("data" in text or "/" in text):
        for where, problem in _AJV.findall(text):
            missing = _AJV_MISSING.search(problem)
            if where or missing:
                yield make_issue(f"{where}/{missing[1]}" if missing else where, problem)


def _read_proofs(text: str) -> Iterator[Issue]:
    for shape, problem in _PROOFS:
        for match in shape.finditer(text):
            yield make_issue(match[1], problem)


def _read_unnamed(text: str) -> Iterator[Issue]:
    """Yield an issue without a field for a validator's text that does not name the argument."""
    if match := _UNNAMED.search(text):
        yield make_issue("", match[0])


_READERS: tuple[Callable[[str], Iterator[Issue]], ...] = (
    _read_pydantic,
    _read_zod_pretty,
    _read_zod_lines,
    _read_proofs,
    _read_ajv,
    _read_unnamed,
)
