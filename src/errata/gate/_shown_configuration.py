"""A client's configuration as it may be shown: line for line the same, without what its servers are given in confidence."""

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from errata.gate._commented_json import JsonArray, JsonNode, JsonObject, JsonString, read_commented_json
from errata.gate._configuration import Replacement, replace_spans
from errata.redaction import redact, redact_data

_HIDDEN = "[redacted]"
_CONFIDENTIAL = frozenset({"env", "environment", "headers", "http_headers"})
"""The objects whose values nobody else has to see, whatever they are called."""
_TAKE_A_SECRET = frozenset(
    {"-e", "--env", "-H", "--header", "--headers", "-k", "--key", "--dsn", "--connection-string"}
)
_VALUE = r"""(?:'[^']*+'|"[^"]*+"|\S++)"""
_ARGUMENT = re.compile(r"(?P<name>\A-{0,2}[A-Za-z_][\w-]*+)(?P<sign>=).++", re.DOTALL)
_STRING_OR_COMMENT = re.compile(r'"(?:[^"\\]|\\.)*+"|(?P<comment>//[^\r\n]*+|/\*.*?\*/)', re.DOTALL)
_LINE = re.compile(r"[^\r\n]++")
_MEMBER = re.compile(r'(?P<name>"[^"]*+"\s*+:\s*+)"(?:[^"\\]|\\.)*+"')
_FLAG = re.compile(rf"(?P<name>(?<!\S)--?[A-Za-z][\w-]*+)(?P<sign>=|\s++(?!-)){_VALUE}")
_VARIABLE = re.compile(rf"(?P<name>(?<![\w.-])(?:-e)?[A-Za-z_]\w*+)(?P<sign>=){_VALUE}")
_HEADER = re.compile(r"(?P<name>(?<!\S)[A-Za-z][\w-]*+)(?P<sign>:\s*+)(?!//).+", re.DOTALL)
_ADDRESS = re.compile(r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]*+://[^\s\"']+")
_USER = re.compile(r"(?<=://)[^/?#@]*+@")
_PARAMETER = re.compile(r"(?P<start>[?&;#](?:[^=&;#]*+=)?)[^&;#]++")
_SEGMENT = re.compile(r"(?<=/)(?=[^/?#]*\d)(?=[^/?#]*[A-Za-z])[\w~%+-]{20,}+(?=[/?#]|\Z)")
_SAMPLE = "Hq7vX2mWzR9bTk4L"


def hide_secrets(text: str) -> str:
    """Return a configuration to be shown; raise CommentedJsonError if it cannot be read."""
    values = [
        Replacement(node.start, node.end, json.dumps(shown, ensure_ascii=False))
        for node, shown in _find_secrets(read_commented_json(text))
    ]
    return replace_spans(text, values + list(_hide_in_comments(text)))


def hide_in_address(address: str) -> str:
    """Return an address without its user, its parameters and the parts of its path that look like a key."""
    anonymous = _USER.sub(f"{_HIDDEN}@", address)
    return _SEGMENT.sub(_HIDDEN, _PARAMETER.sub(rf"\g<start>{_HIDDEN}", anonymous))


def _hide_in_comments(text: str) -> Iterator[Replacement]:
    """Yield the comments, which may be servers of yesterday: no value is shown that has a name before it."""
    for token in _STRING_OR_COMMENT.finditer(text):
        if comment := token["comment"]:
            shown = _LINE.sub(lambda line: _hide_in_text(_MEMBER.sub(rf'\g<name>"{_HIDDEN}"', line[0])), comment)
            yield Replacement(*token.span(), shown)


def _find_secrets(node: JsonNode) -> Iterator[tuple[JsonNode, str]]:
    """Yield the values that are not shown as they are, with what is shown."""
    if isinstance(node, JsonObject):
        for name, value in node.members:
            yield from _find_in_member(name.value, value)
    elif isinstance(node, JsonArray):
        for before, item in pairwise([None, *node.items]):
            is_announced = isinstance(before, JsonString) and before.value.startswith("-") and _announces(before.value)
            yield from _find_leaves(item) if is_announced and item else _find_secrets(item) if item else ()
    elif isinstance(node, JsonString) and (shown := _hide_in_text(node.value)) != node.value:
        yield node, shown


def _find_in_member(name: str, value: JsonNode) -> Iterator[tuple[JsonNode, str]]:
    is_secret = name.lower() in _CONFIDENTIAL or (isinstance(value, JsonString) and _announces(name))
    return _find_leaves(value) if is_secret else _find_secrets(value)


def _find_leaves(node: JsonNode) -> Iterator[tuple[JsonNode, str]]:
    """Yield every value in a node that has no others in it: what is shown keeps its lines."""
    if isinstance(node, JsonObject):
        for _, value in node.members:
            yield from _find_leaves(value)
    elif isinstance(node, JsonArray):
        for item in node.items:
            yield from _find_leaves(item)
    else:
        yield node, _HIDDEN


def _hide_in_text(text: str) -> str:
    """Return an argument, or a line for a shell, without the values that their names announce as secrets."""
    shown = _ADDRESS.sub(lambda address: hide_in_address(address[0]), text)
    for pattern in (_ARGUMENT, _FLAG, _VARIABLE, _HEADER):
        shown = pattern.sub(_hide_announced, shown)
    return redact(shown)


def _hide_announced(match: re.Match[str]) -> str:
    name = match["name"]
    is_variable = match["sign"] == "=" and not name.startswith("--") and name.removeprefix("-e").isupper()
    return f"{name}{match['sign']}{_HIDDEN}" if is_variable or _announces(name) else match[0]


@lru_cache(maxsize=1_000)
def _announces(name: str) -> bool:
    """Return whether a name says that its value is a secret: `--api-key`."""
    sample = {name: _SAMPLE}
    return name in _TAKE_A_SECRET or redact_data(sample) != sample
