"""JSON that stands in a text: as the whole of it, in a fence, or behind a few words."""

import json
import re
from typing import NamedTuple, cast

from errata.redaction import as_object, jsonable

_LONGEST = 256 * 1024
"""Nobody says what went wrong in more; a text that is longer is left as it is."""
LONGEST_FAILURE = 4_000
"""A success may be as long; what is longer is not taken apart to see whether it is one."""
_MOST_STARTS = 4
_OPENING = r"\ufeff?\s{0,100}(\{|```)"
_FENCE = r"(?s)\s{0,100}```[a-zA-Z0-9]{0,10}\s{0,100}\n(.*?)\n?```\s{0,100}"
_START = r"[{\[]\s{0,100}[\"'{\]}]"
_LONGEST_PYTHON = 8 * 1024
_PYTHON = r"'((?:[^'\\]|\\.)*)'|(\"(?:[^\"\\]|\\.)*\"|\b(?:None|True|False)\b)"
_CONSTANTS = {"None": "null", "True": "true", "False": "false"}
_decoder = json.JSONDecoder()


class Found(NamedTuple):
    """A JSON object or list, and the words that stood before it."""

    value: object
    before: str


def json_in(text: str) -> Found | None:
    """Find the first JSON object or list in a text; Python's way of writing one will do."""
    if len(text) > _LONGEST or not ("{" in text or "[" in text):
        return None
    fenced = re.fullmatch(_FENCE, text)
    text = fenced[1] if fenced else text.removeprefix("\ufeff")
    for number, start in enumerate(re.finditer(_START, text)):
        if number == _MOST_STARTS:
            break
        found = _parsed(text[start.start() :])
        if isinstance(found, dict | list) and found:
            return Found(found, text[: start.start()].strip())
    return None


def whole_json(text: str) -> dict[str, object]:
    """Read a text that is a JSON object from end to end, fenced or not; an empty one for any other."""
    if len(text) > LONGEST_FAILURE or not (opening := re.match(_OPENING, text)):
        return {}
    fenced = re.fullmatch(_FENCE, text) if opening[1] == "```" else None
    try:
        return as_object(json.loads(fenced[1] if fenced else text.removeprefix("\ufeff")))
    except (ValueError, RecursionError):
        return {}


def whole_list(text: str) -> list[object]:
    """Read a text that is a JSON list from end to end; an empty one for any other."""
    if len(text) > LONGEST_FAILURE or not text.lstrip("\ufeff \t\r\n").startswith("["):
        return []
    try:
        found: object = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return []
    return cast("list[object]", jsonable(cast("object", found))) if isinstance(found, list) else []


def _parsed(text: str) -> object:
    try:
        return jsonable(_decoder.raw_decode(text)[0])
    except (ValueError, RecursionError):
        return _python(text[:_LONGEST_PYTHON])


def _python(text: str) -> object:
    """Read what Python's `str` made of a dict: `{'error': {'message': …}}`."""
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
