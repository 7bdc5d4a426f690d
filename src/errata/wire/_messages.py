"""JSON-RPC messages in the bytes of a frame: what they are, and how one member is exchanged while the rest stays.

Text that is no UTF-8 survives (`surrogateescape`); what Python's reader cannot read is no message, and is passed on.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import NamedTuple, cast

_JSON_BLANKS = " \t\n\r"
_BLANKS = re.compile(r"[ \t\n\r]*+")
_LARGEST_BATCH = 1_000
"""More messages than that in one array are passed on, and nobody looks at them."""
_DECODER = json.JSONDecoder(parse_int=lambda digits: int(digits) if len(digits) <= _LONGEST_INTEGER else float("inf"))
_LONGEST_INTEGER = 4_000
"""Python refuses to read more digits than that."""
_ID = rb'(0|-?[1-9][0-9]{0,17}|"[^"\\\x00-\x1f\x7f-\xff]{0,200}")'
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_ANSWER_HEAD = re.compile(rb' {0,4}\{ ?"jsonrpc": ?"2\.0", ?"id": ?' + _ID + rb', ?"(?:result|error)":')
_RESULT_HEAD = re.compile(rb' {0,4}\{ ?"(?:result|error)":')
_ANSWER_TAIL = re.compile(rb', ?"jsonrpc": ?"2\.0", ?"id": ?' + _ID + rb" ?\}[ \r\n]{0,4}\Z")
_LONGEST_TAIL = 300
_ESCAPED_LETTERS = (rb"\u006", rb"\u007")
"""How a letter begins that is written as an escape, which hides the name of a member; no encoder writes one so."""
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{}]', re.DOTALL)
"""A string, which may not be closed where a text is no JSON: it goes on to the end then, and is not searched again."""
_SCALAR = re.compile(r"[^\s,\]}]+")
_STEP = {"[": 1, "{": 1, "]": -1, "}": -1}
_SURROGATE = re.compile("[\ud800-\udfff]")


class Message:
    """One JSON-RPC message: its text, and its members as far as somebody looks at them."""

    def __init__(self, text: str, members: Mapping[str, object]) -> None:
        self.text = text
        self.members = members

    @cached_property
    def key(self) -> str | None:
        """The id as JSON, by which `1` and `"1"` are two, and `1.0` is `1`; None without an id that could be one."""
        match self.members.get("id"):
            case float(number) if number.is_integer():  # Most languages write it as `1` in the answer.
                return json.dumps(int(number))
            case float(number) if not math.isfinite(number):  # No JSON, or more digits than anybody keeps.
                return None
            case bool():
                return None
            case (int() | float() | str()) as each:
                return json.dumps(each)
            case _:
                return None

    @property
    def method(self) -> str | None:
        """The method of a request or a notification."""
        method = self.members.get("method")
        return method if isinstance(method, str) else None

    @property
    def params(self) -> Mapping[str, object]:
        """The params of a request or a notification; empty if they are no object."""
        return members_of(self.members.get("params"))

    @property
    def is_request(self) -> bool:
        """Whether it waits for an answer."""
        return self.method is not None and self.key is not None

    @property
    def is_answer(self) -> bool:
        """Whether it answers a request."""
        return self.method is None and self.key is not None and not {"result", "error"}.isdisjoint(self.members)


def read_messages(frame: bytes) -> list[Message] | None:
    """Return the messages in a frame: one, or those of a batch; None for what is no JSON-RPC."""
    text = frame.decode("utf-8", "surrogateescape").removeprefix("\ufeff").strip(_JSON_BLANKS)
    if text.startswith("["):
        return _read_batch(text)
    value = read_json(text)
    return [Message(text, cast("dict[str, object]", value))] if isinstance(value, dict) else None


def _read_batch(text: str) -> list[Message] | None:
    """Return the messages of an array; None if it is none, or longer than any batch is: then it is not read to its end."""
    messages: list[Message] = []
    start = _skip_blanks(text, 1)
    try:
        while len(messages) < _LARGEST_BATCH:
            value, end = _DECODER.raw_decode(text, start)
            if not isinstance(value, dict):
                return None
            messages.append(Message(text[start:end], cast("dict[str, object]", value)))
            position = _skip_blanks(text, end)
            if text[position] == "]":
                return messages if position == len(text) - 1 else None
            if text[position] != ",":
                return None
            start = _skip_blanks(text, position + 1)
    except (ValueError, RecursionError, IndexError):
        return None
    return None


def read_json(text: str) -> object:
    """Return what a JSON text holds; None if it is no JSON, or nested too deep to be read."""
    try:
        value, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return cast("object", value) if end == len(text) else None


def write_json(value: object) -> str:
    """Return a value as JSON on one line, its characters as they are; numbers that JSON does not have become null."""
    try:
        text = _ENCODER.encode(value)
    except ValueError:
        text = write_json(json.loads(json.dumps(value), parse_constant=lambda _: None))
    # Half a character can only be written as an escape.
    return text if text.isascii() else _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def to_frame(text: str) -> bytes:
    """Return a text as the bytes of a frame; those that came in as no UTF-8 go out as they came."""
    return text.encode("utf-8", "surrogateescape")


def peek_answer(frame: bytes) -> str | None:
    """Return the key of the request that a frame answers, without reading the answer; None where only reading tells.

    This is for the two orders in which the SDKs write an answer. A large success is passed on without being read. Any
    frame that `read_messages` reads has that key there, too: where a member might come twice, only reading tells.
    """
    if (head := _ANSWER_HEAD.match(frame)) and not _may_name(frame, head.end(), b'"id"', b'"method"'):
        return head[1].decode("ascii")
    if _RESULT_HEAD.match(frame) and (tail := _ANSWER_TAIL.search(frame, max(0, len(frame) - _LONGEST_TAIL))):
        return None if _may_name(frame, 0, b'"method"') else tail[1].decode("ascii")
    return None


def _may_name(frame: bytes, start: int, *names: bytes) -> bool:
    """Return whether a member of one of these names, however it is written, may stand behind a position."""
    return any(frame.find(part, start) >= 0 for part in (*names, *_ESCAPED_LETTERS))


def members_of(value: object) -> Mapping[str, object]:
    """Return the members of an object; none for any other value."""
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


class _Member(NamedTuple):
    """Where a member of an object stands in its text."""

    name: str
    start: int
    value: int
    end: int


def edit_object(text: str, changes: Mapping[str, str], *, renamed: Mapping[str, str] | None = None) -> str:
    """Return an object's text with other values for some of its members; those that it does not have are added.

    The values are JSON texts. `renamed` gives members another name. Everything else stays byte for byte. The text is that
    of a `Message`, or of a member of one; `ValueError` if it is of no object.
    """
    if not text.lstrip(_JSON_BLANKS).startswith("{"):
        raise ValueError("This JSON text is of no object, so it has no members to change.")
    names = renamed or {}
    members = [(names.get(member.name, member.name), member) for member in _locate_members(text)]
    counting = dict(members)  # Of two of one name the last one counts.
    parts: list[str] = []
    position = 0
    for name, member in members:
        if name != member.name:
            parts += [text[position : member.start], write_json(name)]
            position = _end_of_value(text, member.start)
        if name in changes and counting[name] is member:
            parts += [text[position : member.value], changes[name]]
            position = member.end
    last = members[-1][1].end if members else text.index("{") + 1
    added = [f"{write_json(name)}:{value}" for name, value in changes.items() if name not in counting]
    if added:
        parts += [text[position:last], "," if members else "", ",".join(added)]
        position = last
    return "".join([*parts, text[position:]])


def member_text(text: str, name: str) -> str | None:
    """Return the text of a member's value as it stands in an object's text; None if there is none, or no object."""
    if not text.lstrip(_JSON_BLANKS).startswith("{"):
        return None
    values = {member.name: text[member.value : member.end] for member in _locate_members(text) if member.name == name}
    return values.get(name)  # Of two of one name the last one counts.


def has_twins(text: str) -> bool:
    """Return whether an object, or one inside of it, has two members of one name: readers differ in which one they take."""
    try:
        json.loads(text, object_pairs_hook=_refuse_twins)
    except ValueError:
        return True
    return False


def _refuse_twins(pairs: list[tuple[str, object]]) -> None:
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError


def replace_items(text: str, items: list[str | None]) -> str:
    """Return an array's text with other texts for some of its items; None leaves an item as it is."""
    parts: list[str] = []
    position = 0
    for (start, end), item in zip(_locate_items(text), items, strict=True):
        if item is not None:
            parts += [text[position:start], item]
            position = end
    return "".join([*parts, text[position:]])


def _locate_members(text: str) -> Iterator[_Member]:
    position = _skip_blanks(text, text.index("{") + 1)
    while text[position] != "}":
        start = position
        position = _end_of_value(text, start)
        name = text[start + 1 : position - 1]
        if "\\" in name:
            name = str(json.loads(text[start:position]))
        value = _skip_blanks(text, _skip_blanks(text, position) + 1)
        end = _end_of_value(text, value)
        yield _Member(name, start, value, end)
        position = _skip_blanks(text, end)
        if text[position] == ",":
            position = _skip_blanks(text, position + 1)


def _locate_items(text: str) -> Iterator[tuple[int, int]]:
    position = _skip_blanks(text, text.index("[") + 1)
    while text[position] != "]":
        end = _end_of_value(text, position)
        yield position, end
        position = _skip_blanks(text, end)
        if text[position] == ",":
            position = _skip_blanks(text, position + 1)


def _end_of_value(text: str, start: int) -> int:
    """Return where the value ends that begins at a position of a text that was read before.

    Nothing is read again: how deep Python's reader gets depends on who calls it, and what it read once it may refuse.
    """
    depth = 0
    for token in (_TOKEN if text[start] in '"[{' else _SCALAR).finditer(text, start):
        depth += _STEP.get(token[0], 0)
        if depth == 0:
            return token.end()
    return len(text)


def _skip_blanks(text: str, position: int) -> int:
    """Return where something stands that is no blank, at or after a position; the end if there is nothing."""
    blanks = _BLANKS.match(text, position)
    return blanks.end() if blanks else position
