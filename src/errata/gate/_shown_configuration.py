"""A client's configuration as it may be shown: line for line the same, without what its servers are given in confidence."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from itertools import pairwise

from errata.gate._commented_json import (
    CommentedJsonError,
    JsonArray,
    JsonNode,
    JsonObject,
    JsonString,
    read_commented_json,
)
from errata.gate._configuration import Replacement, replace_spans
from errata.redaction import redact, redact_data

_HIDDEN = "[redacted]"
_CONFIDENTIAL = frozenset({"env", "environment", "headers", "http_headers"})
"""The objects whose values nobody else has to see, whatever they are called."""
_TAKE_A_SECRET = frozenset(
    {"-e", "--env", "-H", "--header", "--headers", "-k", "--key", "--dsn", "--connection-string"}
)
_TAKE_A_USER = frozenset({"-u", "-U", "--user", "--proxy-user"})
_MIXED = r"(?=[^\s'\"]*\d)(?=[^\s'\"]*[A-Za-z])"
_PORTS = r"[\d.:-]++(?:/[a-z]++)?(?![^\s'\"])"
_PASSWORD = re.compile(rf"(?!{_PORTS}){_MIXED}.+", re.DOTALL)
_KEY = re.compile(rf"{_MIXED}[\w.~+/=-]{{8,}}")
_VALUE = r"""(?:'[^']*+'|"[^"]*+"|\S++)"""
_ARGUMENT = re.compile(r"(?P<name>\A-{0,2}[A-Za-z_][\w-]*+)(?P<sign>=).++", re.DOTALL)
_STRING_OR_COMMENT = re.compile(r'"(?:[^"\\]|\\.)*+"|(?P<comment>//[^\r\n]*+|/\*.*?\*/)', re.DOTALL)
_LINE = re.compile(r"[^\r\n]++")
_QUOTED = re.compile(r'"(?P<inner>(?:[^"\\]|\\.)*+)(?:"(?P<colon>\s*+:)?|(?P<open>\\?\Z))')
_OPTION = re.compile(r"--?[A-Za-z][A-Za-z-]*+")
_MARGIN = re.compile(r"\s*+(?://++|/?\*++(?!/))?\s*+")
_OPEN_NAME = re.compile(r"(?P<name>(?<![\w-])(?:-{1,2}|[A-Za-z_])[\w-]*+)[\"']?\s*+(?P<sign>[:=]?)\s*+\Z")
_FLAG = re.compile(rf"(?P<name>(?<!\S)--?[A-Za-z][\w-]*+)(?P<sign>=|\s++(?!-)){_VALUE}")
_VARIABLE = re.compile(rf"(?P<name>(?<![\w.-])(?:-e)?[A-Za-z_]\w*+)(?P<sign>=){_VALUE}")
_HEADER = re.compile(r"(?P<name>(?<!\S)[A-Za-z][\w-]*+)(?P<sign>:\s*+)(?!//).+", re.DOTALL)
_PAIR = re.compile(rf"(?P<start>(?<![\w.-])key[=:])(?!//){_VALUE}", re.IGNORECASE)
_WORD_BEFORE = re.compile(rf"(?P<name>(?<![\w.-])[A-Za-z][\w-]*+)(?P<sign>\s++){_KEY.pattern}(?![^\s'\",;])")
_USER_OPTION = re.compile(
    rf"(?P<start>(?<!\S)(?:-[uU]\s*+|--(?:proxy-)?user(?:=|\s++))['\"]?[^\s'\":/]++:)(?!//){_VALUE}"
)
_PASSWORD_OPTION = re.compile(rf"(?P<start>(?<!\S)-p[\s=]*+['\"]?)(?!{_PORTS}|[a-z-]++=){_MIXED}[^\s'\"]++")
_ADDRESS = re.compile(r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]*+://[^\s\"']+")
_USER = re.compile(r"(?<=://)[^/?#]*@")
_PARAMETER = re.compile(r"(?P<start>[?&;#](?:[^=&;#]*+=)?)[^&;#]++")
_SEGMENT = re.compile(r"(?<=/)(?=[^/?#]*\d)(?=[^/?#]*[A-Za-z])[\w~%+-]{20,}+(?=[/?#]|\Z)")
_LONGEST_NAME = 200
_SAMPLE = "Hq7vX2mWzR9bTk4L"


def hide_secrets(text: str) -> str:
    """Return a configuration to be shown; raise CommentedJsonError if it cannot be read."""
    return replace_spans(text, [*_hide_in_values(text), *_hide_in_comments(text)])


def hide_in_address(address: str) -> str:
    """Return an address without its user, its parameters and the parts of its path that look like a key."""
    anonymous = _USER.sub(f"{_HIDDEN}@", address)
    return _SEGMENT.sub(_HIDDEN, _PARAMETER.sub(rf"\g<start>{_HIDDEN}", anonymous))


def _hide_in_values(text: str) -> Iterator[Replacement]:
    """Yield the values that are not shown as they are."""
    for node, hidden in _find_secrets(read_commented_json(text)):
        shown = _hide_in_argument(node.value) if hidden is None and isinstance(node, JsonString) else hidden
        if shown is not None and not (isinstance(node, JsonString) and shown == node.value):
            yield Replacement(node.start, node.end, json.dumps(shown, ensure_ascii=False))


def _hide_in_comments(text: str) -> Iterator[Replacement]:
    """Yield the comments, which may be servers of yesterday: of what is quoted, only names and options are shown."""
    end, is_announced = 0, False
    for token in _STRING_OR_COMMENT.finditer(text):
        if comment := token["comment"]:
            is_announced = is_announced and not text[end : token.start()].strip()
            shown: list[str] = []
            for line in comment.splitlines(keepends=True):
                content = line.rstrip("\r\n")
                shown += [_hide_in_comment_line(content, is_announced=is_announced), line[len(content) :]]
                is_announced = _leaves_open(content, is_announced=is_announced)
            yield Replacement(*token.span(), "".join(shown))
            end = token.end()


def _hide_in_comment_line(line: str, *, is_announced: bool) -> str:
    """Return a line of a comment to be shown; nothing of it if the line before ends with the name of a secret."""
    start, end = _find_content(line)
    content = line[start:end]
    if is_announced and content:
        return f"{line[:start]}{_HIDDEN}{line[end:]}"
    if any(quoted["open"] is not None for quoted in _QUOTED.finditer(content)):  # Which quote opens, nobody knows.
        before, quote, rest = content.partition('"')
        content = f"{before}{quote}{_HIDDEN if rest else ''}"
    shown = _hide_in_text(_QUOTED.sub(_hide_quoted, content)) if content else content
    return f"{line[:start]}{shown}{line[end:]}"


def _hide_quoted(match: re.Match[str]) -> str:
    inner = match["inner"]
    is_shown = match["colon"] or match["open"] is not None or not inner.strip() or _OPTION.fullmatch(inner)
    return match[0] if is_shown else f'"{_HIDDEN}"'


def _leaves_open(line: str, *, is_announced: bool) -> bool:
    """Return whether a line of a comment ends with the name of a secret, whose value is on the next one."""
    start, end = _find_content(line)
    if start == end:
        return is_announced
    name = _OPEN_NAME.search(line, max(start, end - _LONGEST_NAME), end)
    return name is not None and bool(name["sign"] or name["name"].startswith("-")) and _is_secret(name)


def _find_content(line: str) -> tuple[int, int]:
    """Return where the words of a line of a comment start and end, without the signs around them."""
    margin = _MARGIN.match(line)
    start = margin.end() if margin else 0
    body = line.removesuffix("*/") if len(line) - 2 >= start else line
    return start, max(start, len(body.rstrip()))


def _find_secrets(node: JsonNode) -> Iterator[tuple[JsonNode, str | None]]:
    """Yield the values that may not be shown as they are, with what is shown; None for texts that are to be searched."""
    if isinstance(node, JsonObject):
        for name, value in node.members:
            yield from _find_in_member(name.value, value)
    elif isinstance(node, JsonArray):
        for before, item in pairwise([None, *node.items]):
            if item:
                yield from _find_in_item(before, item)
    elif isinstance(node, JsonString):
        yield node, None


def _find_in_item(before: JsonNode | None, item: JsonNode) -> Iterator[tuple[JsonNode, str | None]]:
    if not isinstance(before, JsonString):
        return _find_secrets(item)
    if before.value.startswith("-") and _announces(before.value):
        return _find_leaves(item)
    if isinstance(item, JsonString) and (shown := _hide_behind(before.value, item.value)) is not None:
        return iter([(item, shown)])
    return _find_secrets(item)


def _hide_behind(option: str, text: str) -> str | None:
    """Return what is shown of an argument if the one before it makes it a secret, or None."""
    user, colon, password = text.partition(":")
    if option in _TAKE_A_USER and password and not password.startswith("//"):
        return f"{user}{colon}{_HIDDEN}"
    is_password = option == "-p" and _PASSWORD.match(text)
    is_key = not option.startswith("-") and _KEY.fullmatch(text) and _announces_argument(option)
    return _HIDDEN if is_password or is_key else None


def _find_in_member(name: str, value: JsonNode) -> Iterator[tuple[JsonNode, str | None]]:
    is_secret = name.lower() in _CONFIDENTIAL or (isinstance(value, JsonString) and _announces(name))
    return _find_leaves(value) if is_secret else _find_secrets(value)


def _find_leaves(node: JsonNode) -> Iterator[tuple[JsonNode, str | None]]:
    """Yield every value in a node that has no others in it: what is shown keeps its lines."""
    if isinstance(node, JsonObject):
        for _, value in node.members:
            yield from _find_leaves(value)
    elif isinstance(node, JsonArray):
        for item in node.items:
            yield from _find_leaves(item)
    else:
        yield node, _HIDDEN


def _hide_in_argument(text: str) -> str:
    """Return an argument to be shown; JSON in it is searched as a configuration is."""
    start = min((index for index in map(text.find, "{[") if index >= 0), default=0)
    end = max(map(text.rfind, "}]")) + 1
    if start < end:
        with suppress(CommentedJsonError):
            text = f"{text[:start]}{hide_secrets(text[start:end])}{text[end:]}"
    return _hide_in_text(text)


def _hide_in_text(text: str) -> str:
    """Return an argument, or a line for a shell, without the values that their names announce as secrets."""
    shown = _ADDRESS.sub(lambda address: hide_in_address(address[0]), text)
    for pattern in (_ARGUMENT, _FLAG, _VARIABLE, _HEADER, _WORD_BEFORE):
        shown = pattern.sub(_hide_announced, shown)
    for pattern in (_USER_OPTION, _PASSWORD_OPTION, _PAIR):
        shown = pattern.sub(rf"\g<start>{_HIDDEN}", shown)
    return redact(shown)


def _hide_announced(match: re.Match[str]) -> str:
    return f"{match['name']}{match['sign']}{_HIDDEN}" if _is_secret(match) else match[0]


def _is_secret(match: re.Match[str]) -> bool:
    """Return whether a name, with the sign behind it, stands before a secret."""
    name = match["name"]
    is_variable = match["sign"] == "=" and not name.startswith("--") and name.removeprefix("-e").isupper()
    return is_variable or _announces_argument(name)


def _announces_argument(name: str) -> bool:
    """Return whether a name of an argument says that a secret follows; `key` is more than that in other objects."""
    return name.lower() == "key" or _announces(name)


@lru_cache(maxsize=1_000)
def _announces(name: str) -> bool:
    """Return whether a name says that its value is a secret: `--api-key`."""
    sample = {name: _SAMPLE}
    return name in _TAKE_A_SECRET or redact_data(sample) != sample
