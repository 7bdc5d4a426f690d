"""An answer compared with its request: which words are the caller's own, and which argument the answer is about."""

import dataclasses
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import cast

from errata._half_done import mentions_finished_work
from errata._languages import in_english
from errata.classification import ArgumentValues, Call, has_word
from errata.dialects import items_in, object_in, plain_object, text_in
from errata.model import Code, Fault, FieldIssue, Retry
from errata.redaction import as_object

_MOST = 4_000
_LONGEST_NAME = 100
_LONGEST_JSON = 100_000
_MOST_QUOTATIONS = 20
_MOST_PATHS = 50
_MOST_ARGUMENTS = 200
"""With more, nobody can tell which is meant, and looking takes too long."""
_SHORTEST_ECHO = 12
"""A shorter text may occur in an answer by chance."""
_MOST_OF_IT = 0.8
_TRANSLATES = re.compile(r"translate(?![a-z])", re.IGNORECASE)
_OF_TRANSLATIONS = frozenset(
    {"target_lang", "target_language", "targetLang", "targetLanguage", "to_lang", "toLanguage"}
)
_SHORTEST_NAME = 3
_LONGEST_ENDING = 80
_REFUSED = frozenset(
    {Code.INVALID_PARAMS, Code.MISSING_REQUIRED_FIELD, Code.INVALID_FORMAT, Code.VALIDATION_FAILED, Code.PARSE_ERROR}
)
"""Codes that are always about an argument."""
_MAY_BE_ABOUT_ONE = _REFUSED | {
    Code.NOT_FOUND, Code.GONE, Code.CONFLICT, Code.DATABASE_ERROR, Code.NOT_IMPLEMENTED, Code.FORBIDDEN, Code.INVALID_REQUEST,
    Code.SERIALIZATION_ERROR, Code.OPERATION_NOT_ALLOWED, Code.BUSINESS_RULE_VIOLATION, Code.DUPLICATE_OPERATION,
    Code.UNKNOWN_ERROR,
}  # fmt: skip
_OF_THINGS = _REFUSED | {Code.NOT_FOUND, Code.GONE, Code.CONFLICT, Code.DATABASE_ERROR, Code.INVALID_REQUEST}
"""Codes that are about an argument's value, so that its name in the text is enough to recognise it."""
_ONLY_MISSING = re.compile(r"(?:[\w ]{0,20}\b)?(?:not found|does not exist)\.?", re.IGNORECASE)
"""A text that says only that the one thing asked for does not exist."""
_PATH_OR_ADDRESS = re.compile(r"[/\\]|^\.\.|^localhost\b")
"""A path or an address, which may be out of bounds. A missing permission is no matter of arguments."""
_OF_PERMISSIONS = re.compile(
    r"\b(?:403|accounts?|credentials?|permissions?|privileges?|roles?|scopes?|tokens?|users?)\b", re.IGNORECASE
)
_OPEN = frozenset({Code.DATABASE_ERROR, Code.NOT_IMPLEMENTED, Code.SERIALIZATION_ERROR, Code.UNKNOWN_ERROR})
"""Codes that blame nobody: if an argument is at fault, another value may work."""
_JSON_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int, float),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}
_NO_SUCH_TOOL = re.compile(
    r"\b(?:unknown|no such|disabled) tool\b|\btool\b.{0,200}\b(?:not found|does not exist|unknown)\b", re.IGNORECASE
)
_LEFT_OUT = re.compile(
    r"required|missing|must (?:be (?:provided|set|specified)|have|provide|specify)|not (?:provided|set)"
)
_QUOTED = re.compile(
    r"'([^'\n]{1,300})'|\"([^\"\n]{1,300})\"|`([^`\n]{1,300})`|\u201c([^\u201d\n]{1,300})\u201d|\[([^\[\]\n]{1,100})\]"
)
_SENTENCE_END = re.compile(r"[.!?;](?:\s|$)|\n")
_NAME_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
# What the name of an argument adds to the kind of thing it identifies: `session_id`, `filePath`.
_OF_NAMES = frozenset(
    {"id", "ids", "key", "name", "names", "number", "path", "paths", "ref", "slug", "uri", "url", "uuid"}
)
# fmt: off
# Words of a complaint about a language, and the names of arguments that are written in it.
_LANGUAGES: tuple[tuple[re.Pattern[str], frozenset[str]], ...] = tuple((re.compile(words, re.IGNORECASE), frozenset(names.split())) for words, names in (
    (r"reg(?:ular )?ex|character (?:set|class|range)|subpattern|repeat|parenthes[ie]s|capture group|glob\b", "pattern regex regexp glob expression"),
    (r"\bsyntax\b|\bnear\b|\b(?:relation|table|column|constraint)\b|prepared statement", "sql query statement queries statements"),
    (r"graphql|cannot query field|selection set|fragment", "query mutation document"),
    (r"\bcron\b", "cron schedule expression"),
    (r"\bjson\b", "json data body payload content"),
    (r"\byaml\b|mapping values|while (?:parsing|scanning)", "yaml content text manifest data"),
    (r"\bcsv\b|tokenizing|columns? to parse|fields in line", "csv content data text"),
    (r"\bxml\b|\bhtml\b|xpath|selector", "xml html xpath selector content"),
    (r"express(?:ion)?\b|divi(?:sion|de)|undefined (?:symbol|function|variable)|operator|parenthes[ie]s", "expression formula equation expr"),
    (r"\b(?:date|time|timestamp|datetime|year|month|day|hour|iso ?8601)\b", "date time datetime timestamp start end since until when"),
    (r"\b(?:url|host|hostname|scheme|address)\b", "url uri link address endpoint host"),
    (r"\b(?:file|directory|folder|path|enoent|eisdir)\b", "path file filename filepath directory dir folder source"),
))
# fmt: on


def build_call(request: object, tool: object) -> Call | None:
    """Return the call described by a request and the tool's entry in the list; None if neither names a tool.

    The request is a JSON-RPC request or its `params`; the tool is an entry of `tools/list`. Both may be objects of an SDK.
    """
    message = plain_object(request)
    params = object_in(message, "params") or message
    entry = plain_object(tool)
    name = text_in(params, "name") or text_in(entry, "name")
    arguments = object_in(params, "arguments")
    if text_in(message, "method") == "resources/read":
        name, arguments = "", {"uri": text_in(params, "uri") or ""}
    if name is None:
        return None
    return Call(
        tool=name,
        arguments=arguments,
        schema=object_in(entry, "inputSchema") or object_in(entry, "input_schema"),
        annotations=object_in(entry, "annotations"),
    )


def is_echo(texts: tuple[str, ...], call: Call | None) -> bool:
    """Return whether an answer is the caller's own text, returned or translated."""
    if call is None or len(texts) != 1:
        return False
    text = texts[0].strip().casefold()
    own = [value.strip().casefold() for _, value in call.leaves() if isinstance(value, str) and value.strip()]
    translates = _TRANSLATES.search(call.tool) or (own and not _OF_TRANSLATIONS.isdisjoint(call.arguments))
    if translates and not text.startswith("{"):  # JSON is no translation.
        return True
    long = (value for value in own if len(value) >= _SHORTEST_ECHO and len(text) >= _SHORTEST_ECHO)
    return text in own or any(
        text in value or (text.startswith(value) and len(value) >= _MOST_OF_IT * len(text)) for value in long
    )


def name_argument(fault: Fault, call: Call | None) -> Fault:
    """Return a fault with the argument it is about as its field, if the request and the tool's schema show it."""
    if (
        call is None
        or not call.tool
        or len(call.arguments) > _MOST_ARGUMENTS
        or fault.code not in _MAY_BE_ABOUT_ONE
        or _NO_SUCH_TOOL.search(in_english(fault.message[:_MOST]))
    ):
        return fault
    field = _choose_argument(fault, call)
    if field is None:
        return fault
    issues = tuple(
        dataclasses.replace(each, field=field) if each.field == fault.field else each for each in fault.issues
    )
    if fault.code in _REFUSED and not issues:
        problem = "is required" if fault.code is Code.MISSING_REQUIRED_FIELD else "is refused as it is"
        issues = (FieldIssue(field, problem),)
    is_open = fault.code in _OPEN and fault.retry is Retry.NEVER and not fault.retry_declared
    is_open = is_open and not mentions_finished_work(fault.message)
    return dataclasses.replace(fault, field=field, issues=issues, retry=Retry.FIX_INPUT if is_open else fault.retry)


def _choose_argument(fault: Fault, call: Call) -> str | None:
    """Return the argument that the first conclusive kind of evidence points at; the strongest kind comes first."""
    if fault.field and (named := _match_name(fault.field, call)):
        return named
    values, text = ArgumentValues(call), fault.message[:_MOST]
    first_sentence = _SENTENCE_END.split(text, maxsplit=1)[0]
    is_refused = fault.code in _REFUSED
    # What the answer names is not in this call, and what is missing is no argument of it.
    names_another = bool(fault.field) or fault.code is Code.MISSING_REQUIRED_FIELD
    is_alone = len(call.arguments) == 1 and not names_another
    by_value: list[Callable[[], Iterable[str]]] = [
        lambda: _find_quoted_values(values, text),
        lambda: _find_quoted_parts(values, text),
        lambda: _find_misfits(call) if is_refused else (),
        lambda: values.mentioned_in(first_sentence.casefold()),
        lambda: values.mentioned_in(text.casefold()),
    ]
    by_name: list[Callable[[], Iterable[str]]] = [
        lambda: _find_names(call, text),
        lambda: _find_kinds(call, first_sentence),
        lambda: _find_endings(values, first_sentence),
        lambda: _find_left_out(call, text) if is_refused else (),
        lambda: _find_by_language(call, text),
        lambda: call.arguments if is_alone and (is_refused or _ONLY_MISSING.fullmatch(text)) else (),
    ]
    match fault.code:
        case Code.MISSING_REQUIRED_FIELD:
            evidence = by_name[:1] + by_value + by_name[1:]
        case Code.CONFLICT:
            evidence = by_value + by_name[:1]
        case Code.NOT_FOUND | Code.GONE:  # A file or a date in the text may be the server's own.
            evidence = by_value + by_name[:4] + by_name[5:]
        case code if code in _OF_THINGS:
            evidence = by_value + by_name
        case Code.SERIALIZATION_ERROR:
            evidence = [lambda: _find_broken_json(call)]
        case Code.FORBIDDEN:
            paths = [
                path for path in values.mentioned_in(text.casefold()) if _PATH_OR_ADDRESS.search(values.text(path))
            ]
            evidence = [] if _OF_PERMISSIONS.search(text) else [lambda: paths]
        case _:
            evidence = by_value[:1]
    return next((field for find in evidence if (field := _choose_one(list(find())))), fault.field)


def _choose_one(paths: list[str]) -> str | None:
    """Return the argument if there is only one; of an object and a value inside it, the value."""
    paths = [re.sub(r"\.[0-9]+(?:\..*)?$", "", path) for path in paths]  # An item stands for its list.
    different = list(dict.fromkeys(paths))
    if len(different) > _MOST_PATHS:
        return None
    deepest = [path for path in different if not any(each.startswith(f"{path}.") for each in different)]
    return deepest[0] if len(deepest) == 1 else None


def _match_name(field: str, call: Call) -> str | None:
    """Return the real name of an argument: servers write `page size` and `body.page_size` for `pageSize`."""
    names = _names(call)
    head, *rest = re.split(r"[.\[\]]+", field.strip("."))
    for name in names:
        if _bare(name) == _bare(head):
            return ".".join(filter(None, [name, *rest]))
    last = next((part for part in reversed(rest) if part and not part.isdigit()), head)
    return next((name for name in names if _bare(name) == _bare(last)), None)


def _names(call: Call) -> list[str]:
    return [*dict.fromkeys([*call.arguments, *call.properties()])]


def _bare(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name[:_LONGEST_NAME].lower())


def _quotations(text: str) -> list[str]:
    words = (word for groups in _QUOTED.findall(text) for word in groups if word.strip())
    return list(dict.fromkeys(words))[:_MOST_QUOTATIONS]


def _find_quoted_values(values: ArgumentValues, text: str) -> Iterator[str]:
    """Yield the arguments whose values a text quotes."""
    for word in _quotations(text):
        yield from values.equal_to(word)


def _find_quoted_parts(values: ArgumentValues, text: str) -> Iterator[str]:
    """Yield the arguments that contain what a text quotes: a misspelt keyword, the name of a table, one bad character."""
    for word in _quotations(text):
        yield from values.around(word) or values.containing(word)


def _find_endings(values: ArgumentValues, sentence: str) -> Iterator[str]:
    """Yield the arguments that hold the text behind the last colon: `Invalid prefix length: 99`."""
    ending = sentence.rpartition(": ")[2].strip(" .")
    if sentence != ending and 1 < len(ending) <= _LONGEST_ENDING:
        yield from values.around(ending)


def _find_names(call: Call, text: str) -> Iterator[str]:
    """Yield the arguments whose names occur in a text, also as separate words."""
    folded = text.casefold()
    spaced = re.sub(r"[_\-]", " ", folded)
    for name in _names(call):
        plain = " ".join(_parts(name))
        if len(plain) >= _SHORTEST_NAME and (has_word(folded, name.casefold()) or has_word(spaced, plain)):
            yield name


def _find_kinds(call: Call, sentence: str) -> Iterator[str]:
    """Yield the arguments that identify a kind of thing in the text: `session_id` for "no session was found"."""
    folded = sentence.casefold()
    for name in call.arguments:
        *kind, last = _parts(name) or [""]
        if kind and last in _OF_NAMES and has_word(folded, " ".join(kind)):
            yield name


def _parts(name: str) -> list[str]:
    return [part.lower() for part in _NAME_PARTS.findall(name[:_LONGEST_NAME])]


def _find_left_out(call: Call, text: str) -> Iterator[str]:
    """Yield the arguments that the tool requires and the request lacks, if the text says that something is missing."""
    if _LEFT_OUT.search(text.casefold()):
        yield from _find_missing(call)


def _find_missing(call: Call) -> Iterator[str]:
    required = [name for name in items_in(as_object(call.schema), "required") if isinstance(name, str)]
    yield from (name for name in required if call.arguments.get(name) in (None, ""))


def _find_by_language(call: Call, text: str) -> Iterator[str]:
    """Yield the arguments written in the language that the answer complains about, by their names."""
    for words, names in _LANGUAGES:
        held = [name for name in call.arguments if not names.isdisjoint(_parts(name))]
        if held and words.search(text):
            yield from held
            return


def _find_broken_json(call: Call) -> Iterator[str]:
    """Yield the arguments that begin like JSON but are not valid JSON."""
    for name, value in call.arguments.items():
        if isinstance(value, str) and value.lstrip().startswith(("{", "[")) and len(value) <= _LONGEST_JSON:
            try:
                json.loads(value)
            except (ValueError, RecursionError):
                yield name


def _find_misfits(call: Call) -> Iterator[str]:
    """Yield the arguments that do not fit the tool's schema: one of them was refused."""
    yield from _find_missing(call)
    for name, value in call.arguments.items():
        rules = as_object(call.properties().get(name))
        if rules and not _fits(value, rules):
            yield name


def _fits(value: object, rules: Mapping[str, object]) -> bool:
    kinds = rules.get("type")
    names = [kinds] if isinstance(kinds, str) else cast("list[object]", kinds) if isinstance(kinds, list) else []
    allowed = tuple(kind for name in names if isinstance(name, str) for kind in _JSON_TYPES.get(name, (object,)))
    if allowed and not (
        isinstance(value, allowed) and (bool in allowed or object in allowed or not isinstance(value, bool))
    ):
        return False
    choices = items_in(rules, "enum")
    if choices and value not in choices:
        return False
    low, high = rules.get("minimum"), rules.get("maximum")
    if isinstance(value, int | float) and not isinstance(value, bool):
        return not (isinstance(low, int | float) and value < low) and not (
            isinstance(high, int | float) and value > high
        )
    return True
