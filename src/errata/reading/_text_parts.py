"""The parts of a text that tells of a failure: wrappers before the message, JSON inside it, a trailer behind it."""

import json
import re
from typing import NamedTuple, cast

from errata.redaction import as_object, jsonable

_LONGEST = 256 * 1024
"""Nobody needs more to say what went wrong; JSON in a longer text is not looked for."""
LONGEST_FAILURE = 4_000
"""A longer text is not taken apart to see whether it tells of a failure."""
_MOST_STARTS = 4
_OPENING = r"\ufeff?\s{0,100}(\{|```)"
_FENCE = r"(?s)\s{0,100}```[a-zA-Z0-9]{0,10}\s{0,100}\n(.*?)\n?```\s{0,100}"
_START = r"[{\[]\s{0,100}[\"'{\]}]"
_LONGEST_PYTHON = 8 * 1024
_PYTHON = r"'((?:[^'\\]|\\.)*)'|(\"(?:[^\"\\]|\\.)*\"|\b(?:None|True|False)\b)"
_CONSTANTS = {"None": "null", "True": "true", "False": "false"}
_decoder = json.JSONDecoder()


class JsonInText(NamedTuple):
    """A JSON object or list in a text, and the words before it."""

    value: object
    before: str


def find_json(text: str) -> JsonInText | None:
    """Return the first JSON object or list in a text, also as Python writes one; None if there is none."""
    if len(text) > _LONGEST or not ("{" in text or "[" in text):
        return None
    fenced = re.fullmatch(_FENCE, text)
    text = fenced[1] if fenced else text.removeprefix("\ufeff")
    for number, start in enumerate(re.finditer(_START, text)):
        if number == _MOST_STARTS:
            break
        value = _parse(text[start.start() :])
        if isinstance(value, dict | list) and value:
            return JsonInText(value, text[: start.start()].strip())
    return None


def parse_whole_object(text: str) -> dict[str, object]:
    """Return the JSON object that a whole text is, fenced or not; an empty one for any other text."""
    if len(text) > LONGEST_FAILURE or not (opening := re.match(_OPENING, text)):
        return {}
    fenced = re.fullmatch(_FENCE, text) if opening[1] == "```" else None
    try:
        return as_object(json.loads(fenced[1] if fenced else text.removeprefix("\ufeff")))
    except (ValueError, RecursionError):
        return {}


def parse_whole_list(text: str) -> list[object]:
    """Return the JSON list that a whole text is; an empty one for any other text."""
    if len(text) > LONGEST_FAILURE or not text.lstrip("\ufeff \t\r\n").startswith("["):
        return []
    try:
        value: object = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return []
    return cast("list[object]", jsonable(cast("object", value))) if isinstance(value, list) else []


def _parse(text: str) -> object:
    try:
        return jsonable(_decoder.raw_decode(text)[0])
    except (ValueError, RecursionError):
        return _parse_python(text[:_LONGEST_PYTHON])


def _parse_python(text: str) -> object:
    """Parse a dict that Python's `str` has written: `{'error': {'message': …}}`."""
    if "'" not in text:
        return None
    try:
        return jsonable(_decoder.raw_decode(re.sub(_PYTHON, _as_json, text))[0])
    except (ValueError, RecursionError):
        return None


def _as_json(literal: re.Match[str]) -> str:
    if literal[2]:
        return _CONSTANTS.get(literal[2], literal[2])
    inner = literal[1].replace("\\'", "'").replace('"', '\\"')
    return f'"{inner}"'


_ROUNDS = 8  # Proxies wrap what other proxies wrapped.
_NAME = r"(?:'[^'\n]{1,100}'|\"[^\"\n]{1,100}\"|`[^`\n]{1,100}`|[\w.\-/:]{1,100})"

# fmt: off
_WRAPPERS = (
    r"(?:McpError|MCPError|ToolError|ToolException): ",
    rf"Error (?:executing|calling|invoking|running)(?: remote| MCP)?(?: tool| method)?(?: call)?(?: {_NAME})?: ",
    rf"(?:Failed to|Could not) (?:call|execute|run|invoke)(?: MCP)? tool(?: {_NAME})?: ",
    rf"(?:MCP )?[Tt]ool(?: call)?(?: {_NAME})?(?: execution)? (?:failed|error): ",
    r"\*\*(?:[A-Z][a-z]+ )?Error:?\*\*:?\s+",
    r"\#{1,6} (?:Result|Error)\n+",
    r"[\u274c\u2717\u2718\U0001f6ab\u26d4\u26a0]\ufe0f?\s*(?=\w)",
    r"(?:An?|The) (?:unexpected |unknown |internal )?error (?:has )?occurred: ",
    r"(?:Unexpected |Uncaught )?[Ee]xception: ",
    r"(?:Unexpected |Uncaught )?(?:E|e)rror(?:: | - )(?=\S)",
    r"\[[Ee]rror\]:? (?=\S)",
    r"ERROR: (?=\S)",
)
# fmt: on
_WRAPPER = re.compile("|".join(_WRAPPERS))
_LONGEST_TRAILER = 2_500
_NUMBERED = re.compile(r"(?:Mcp|MCP)[ -]?(?:E|e)rror:? (-?[0-9]{1,6}):? ")


# What mcp-ts-core puts behind a message, and in this order; each of the three may be missing.
_RECOVERY = re.compile(r"\n\nRecovery: ([^\n]{1,2000})\s*\Z")
_TRAILER = re.compile(
    r"\n\n\((?=reason |not retryable|retryable|request )(?:reason (?P<reason>[\w.\-]{1,100}))?(?: \u00b7 )?"
    r"(?P<retryable>(?:not )?retryable)?(?: \u00b7 )?(?:request (?P<request>[\w.\-]{1,100}))?\)\s*\Z"
)


class Trailer(NamedTuple):
    """A text without the trailer of mcp-ts-core, and what the trailer says."""

    text: str
    hint: str | None = None
    reason: str | None = None
    retryable: bool | None = None
    request_id: str | None = None


def split_trailer(text: str) -> Trailer:
    """Split `Recovery: …` and `(reason … · not retryable · request …)` off the end of a text."""
    end = _TRAILER.search(text[-_LONGEST_TRAILER:]) if text.rstrip().endswith(")") else None
    if end:
        text = text[: len(text) - len(end[0])]
    hint = _RECOVERY.search(text[-_LONGEST_TRAILER:])
    flag = end["retryable"] if end else None
    return Trailer(
        text[: len(text) - len(hint[0])] if hint else text,
        hint[1] if hint else None,
        end["reason"] if end else None,
        None if flag is None else flag == "retryable",
        end["request"] if end else None,
    )


class Unwrapped(NamedTuple):
    """A message without its wrappers, and the JSON-RPC number before it."""

    text: str
    number: int | None


def unwrap(text: str) -> Unwrapped:
    """Remove the wrappers before a message; a text that is nothing but wrappers stays whole."""
    rest, number = text.lstrip(), None
    for _ in range(_ROUNDS):
        if match := _NUMBERED.match(rest):
            number = int(match[1]) if number is None else number
        elif not (match := _WRAPPER.match(rest)):
            break
        if match.end() == len(rest):
            break
        rest = rest[match.end() :].lstrip()
    return Unwrapped(rest.rstrip() or text.strip(), number)
