"""The request that an answer belongs to: whose words are the caller's own, and which argument the answer is about."""

import dataclasses
import re
from collections.abc import Callable, Iterator, Mapping
from typing import cast

from errata._fault import Fault, FieldIssue
from errata._jsonable import as_object
from errata._taxonomy import Code
from errata.classification._blame._values import ArgumentValues, has_word
from errata.classification._call import Call
from errata.dialects._incoming import plain_object
from errata.dialects._members import items_in, object_in, text_in

_MOST = 4_000
_LONGEST_NAME = 100
_SHORTEST_ECHO = 12
"""Shorter texts stand in an answer by chance."""
_SHORTEST_NAME = 3
_OF_ARGUMENTS = frozenset(
    {Code.INVALID_PARAMS, Code.MISSING_REQUIRED_FIELD, Code.INVALID_FORMAT, Code.VALIDATION_FAILED, Code.PARSE_ERROR}
)
_OF_A_VALUE = frozenset({Code.NOT_FOUND, Code.CONFLICT, Code.DATABASE_ERROR, Code.NOT_IMPLEMENTED})
"""Codes that may be about an argument's value, if the answer says which one."""
_JSON_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int, float),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}
_WANTED = re.compile(
    r"required|missing|must (?:be (?:provided|set|specified)|have|provide|specify)|not (?:provided|set)"
)


def call_from(request: object, tool: object) -> Call | None:
    """Return the call that a request and the server's description of its tool make; None for what is neither.

    The request is a JSON-RPC request or its `params`; the tool is an entry of `tools/list`. Both may be objects of an SDK.
    """
    message = plain_object(request)
    params = object_in(message, "params") or message
    entry = plain_object(tool)
    name = text_in(params, "name") or text_in(entry, "name")
    arguments = object_in(params, "arguments")
    if text_in(message, "method") == "resources/read" and (uri := text_in(params, "uri")) is not None:
        name, arguments = uri, {"uri": uri}
    if name is None:
        return None
    return Call(
        tool=name,
        arguments=arguments,
        schema=object_in(entry, "inputSchema") or object_in(entry, "input_schema"),
        annotations=object_in(entry, "annotations"),
    )


def is_echo(text: str, call: Call | None) -> bool:
    """Whether a text is the caller's own, given back."""
    text = text.strip()
    own = call.texts() if call is not None and len(text) >= _SHORTEST_ECHO else ()
    return any(text in value or (len(value) >= _SHORTEST_ECHO and text.startswith(value)) for value in own)


def with_argument(fault: Fault, call: Call | None) -> Fault:
    """Return a fault that names the argument it is about, as the request has it, where that can be told."""
    if call is None or fault.code not in _OF_ARGUMENTS | _OF_A_VALUE:
        return fault
    field = _argument(fault, call)
    if field is None or field == fault.field:
        return fault
    issues = tuple(
        dataclasses.replace(each, field=field) if each.field == fault.field else each for each in fault.issues
    )
    if fault.code in _OF_ARGUMENTS and not issues:
        issues = (
            FieldIssue(field, "is required" if fault.code is Code.MISSING_REQUIRED_FIELD else "is refused as it is"),
        )
    return dataclasses.replace(fault, field=field, issues=issues)


def _argument(fault: Fault, call: Call) -> str | None:
    if fault.field and (named := _as_sent(fault.field, call)):
        return named
    values, text = ArgumentValues(call), fault.message[:_MOST]
    evidence: tuple[Callable[[], Iterator[str]], ...] = (
        lambda: iter(_in_quotes(values, text)),
        lambda: _misfits(call) if fault.code in _OF_ARGUMENTS else iter(()),
        lambda: iter(values.mentioned_in(text.casefold())),
        lambda: _named(call, text),
        lambda: _left_out(call, text) if fault.code in _OF_ARGUMENTS else iter(()),
        lambda: _only_one(call) if fault.code in _OF_ARGUMENTS else iter(()),
    )
    found = (_the_one(list(find())) for find in evidence)
    return fault.field or next(filter(None, found), None)


def _the_one(paths: list[str]) -> str | None:
    """Return the one argument that is pointed at; of an object and a value in it, the value."""
    deepest = [path for path in dict.fromkeys(paths) if not any(each.startswith(f"{path}.") for each in paths)]
    return deepest[0] if len(deepest) == 1 else None


def _as_sent(field: str, call: Call) -> str | None:
    """Return the name that an argument really has: servers write `page size` and `body.page_size` of `pageSize`."""
    names = [*dict.fromkeys([*call.arguments, *call.properties()])]
    head, *rest = re.split(r"[.\[\]]+", field.strip("."))
    for name in names:
        if _bare(name) == _bare(head):
            return ".".join(filter(None, [name, *rest]))
    last = next((part for part in reversed(rest) if part and not part.isdigit()), head)
    return next((name for name in names if _bare(name) == _bare(last)), None)


def _bare(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name[:_LONGEST_NAME].lower())


_QUOTED = re.compile(r"'([^'\n]{1,300})'|\"([^\"\n]{1,300})\"|`([^`\n]{1,300})`|\u201c([^\u201d\n]{1,300})\u201d")


def _in_quotes(values: ArgumentValues, text: str) -> tuple[str, ...]:
    """Return the arguments whose values a text quotes."""
    words = [word for groups in _QUOTED.findall(text) for word in groups if word.strip()]
    return tuple(dict.fromkeys(path for word in words for path in values.equal_to(word)))


def _named(call: Call, text: str) -> Iterator[str]:
    """Give the arguments that a text calls by their names, which are words of a sentence as well."""
    folded = text.casefold()
    spaced = re.sub(r"[_\-]", " ", folded)
    for name in dict.fromkeys([*call.arguments, *call.properties()]):
        plain = re.sub(r"[_\-]|(?<=[a-z0-9])(?=[A-Z])", " ", name).casefold()
        if len(plain) >= _SHORTEST_NAME and (has_word(folded, name.casefold()) or has_word(spaced, plain)):
            yield name


def _left_out(call: Call, text: str) -> Iterator[str]:
    """Give the arguments that the tool requires and the request lacks, if the text says that something is missing."""
    if _WANTED.search(text.casefold()):
        yield from _missing(call)


def _missing(call: Call) -> Iterator[str]:
    required = [name for name in items_in(as_object(call.schema), "required") if isinstance(name, str)]
    yield from (name for name in required if call.arguments.get(name) in (None, ""))


def _misfits(call: Call) -> Iterator[str]:
    """Give the arguments that do not fit the schema that the tool publishes: one of those is what it refused."""
    yield from _missing(call)
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


def _only_one(call: Call) -> Iterator[str]:
    """Give the only argument that was sent."""
    if len(call.arguments) == 1:
        yield from call.arguments
