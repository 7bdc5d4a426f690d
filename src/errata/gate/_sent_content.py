"""What a failing server has sent, as the client gets it: without secrets, bounded, in a shape that every client reads."""

import re
from base64 import b64encode
from binascii import a2b_base64
from collections.abc import Mapping, Sequence
from itertools import starmap
from typing import Final, cast

from errata.redaction import (
    Kind,
    as_object,
    collect_secrets,
    join_announced_lines,
    jsonable,
    prose_within,
    redact_plain,
    redact_visibly,
    redact_within,
)
from errata.wire import read_json, write_json

_SEARCHED: Final = 64_000
"""How many characters of a part of an answer are searched for secrets. What is over is cut."""
_SEARCHED_IN_BINARY: Final = 8_000
"""How much of base64 that holds neither a text nor a picture or the like is searched."""
_LEAST_DECODED: Final = 16
_LEAST: Final = 1_000
_LARGEST: Final = 64 * 1024 * 1024
_MOST_BLOCKS: Final = 1_000
_BASE64: Final = re.compile(r"[A-Za-z0-9+/]*+={0,2}")
_OF_ONE_BYTE: Final = 4
"""Of a number of base64's letters that is one more than a multiple of it, the last one says nothing."""
_MAGIC: Final = (
    b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF", b"BM", b"II*\0", b"MM\0*", b"\0\0\1\0", b"ID3", b"OggS", b"fLaC",
    b"\xff\xfb", b"\xff\xf3", b"\xff\xf1", b"\x1aE\xdf\xa3", b"%PDF", b"PK\3\4", b"wOF",
)  # fmt: skip
"""How files begin that are no text: pictures, sounds, films, documents."""
_NO_TEXT: Final = re.compile(r"[\0-\x08\x0e-\x1a\x1c-\x1f]")
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    "text": ("text",),
    "image": ("data", "mimeType"),
    "audio": ("data", "mimeType"),
    "resource_link": ("uri", "name"),
}
"""The members that a block has to have, all of them texts."""
_WITH_DATA: Final = ("image", "audio", "resource")
_READ: Final = ("text", "name", "title", "description")
"""The members of a block that are read by a model, or shown to a user."""
_OPTIONAL_TEXTS: Final = ("mimeType", "title", "description")
_KIND_OF_OPTION: Final[Mapping[str, type]] = {"_meta": dict, "icons": list, "size": int}


class SentContent:
    """Shows a part of an answer, and counts how much of it has been searched for secrets."""

    def __init__(self) -> None:
        self._left = _SEARCHED

    def show(self, value: object) -> object:
        """Return JSON without secrets; what is too large, or nested too deep, is cut."""
        try:
            size = len(write_json(value))
            if size <= self._left:
                self._left -= size
                return redact_visibly(value)
        except RecursionError:
            size = self._left
        limit, self._left = max(self._left, _LEAST), max(self._left - size, 0)
        return redact_visibly(jsonable(value, size=limit))

    def show_whole(self, value: object) -> object:
        """Return JSON without secrets; None for what would have to be cut."""
        try:
            return redact_visibly(value) if len(write_json(value)) <= self._left else None
        except RecursionError:
            return None

    def show_text(self, text: str) -> str:
        """Return a text without secrets, and with nothing in it that reads like errata's own lines."""
        limit = max(self._left, _LEAST)
        self._left = max(self._left - len(text), 0)
        return prose_within(text, limit)

    def show_block(self, block: object) -> dict[str, object]:
        """Return a content block without secrets; one that clients would refuse becomes a text."""
        if is_text_block(block):
            others = {name: value for name, value in as_object(block).items() if name != "text"}
            shown = as_object(self.show(others)) if len(others) > 1 else others
            shown["text"] = self.show_text(str(as_object(block)["text"]))
        elif isinstance(block, dict):
            rest, data = _take_data(as_object(cast("object", block)))
            shown = _put_back(_make_inert(as_object(self.show(rest))), data and self._show_data(data))
        else:
            return self._to_text_block(block)
        shown = {name: value for name, value in shown.items() if _is_right(name, value)}
        return shown if is_block(shown) else self._to_text_block(shown)

    def _show_data(self, data: str) -> str:
        shown = _redact_data(data, max(self._left, _LEAST))
        raw = _decode(data)
        if _read_text(raw) is not None:
            self._left -= min(self._left, len(data))
        elif not _is_media(raw):
            self._left -= min(self._left, len(data), _SEARCHED_IN_BINARY)
        return shown

    def show_blocks(self, blocks: Sequence[object]) -> list[dict[str, object]]:
        """Return the blocks of a content, the first ones if they are too many or too large."""
        shown: list[dict[str, object]] = []
        for block in blocks[:_MOST_BLOCKS]:
            if self._left <= 0:
                break
            shown.append(self.show_block(block))
        return shown

    def _to_text_block(self, value: object) -> dict[str, object]:
        return {"type": "text", "text": self.show_text(value if isinstance(value, str) else _write(value))}


def redact_whole(value: object) -> object:
    """Return JSON without secrets, however large; what is nested too deep is cut."""
    try:
        return redact_plain(value)
    except RecursionError:
        return redact_plain(jsonable(value, size=_LARGEST))


def redact_block(block: object) -> object:
    """Return a content block without secrets; pictures and sounds stay as they are."""
    rest, data = _take_data(as_object(block))
    if data is None:
        return redact_whole(block)
    return _put_back(as_object(redact_whole(rest)), _redact_data(data))


def _take_data(block: dict[str, object]) -> tuple[dict[str, object], str | None]:
    """Return a block without the base64 of a picture, a sound or a file in it, and that."""
    kind, resource = block.get("type"), as_object(block.get("resource"))
    holder, name = (resource, "blob") if kind == "resource" else (block, "data")
    data = holder.get(name)
    if kind not in _WITH_DATA or not isinstance(data, str) or not _is_base64(data):
        return block, None
    rest: dict[str, object] = {key: value for key, value in holder.items() if key != name}
    return (block | {"resource": rest} if holder is resource else rest), data


def _put_back(block: dict[str, object], data: str | None) -> dict[str, object]:
    if data is None:
        return block
    if "resource" in block:
        return block | {"resource": as_object(block["resource"]) | {"blob": data}}
    return block | {"data": data}


def _redact_data(data: str, limit: int = _LARGEST) -> str:
    """Return base64 without secrets: a text in it is redacted and encoded again; a picture or a sound stays."""
    raw = _decode(data)
    if (text := _read_text(raw)) is not None:
        shown = redact_within(text, limit) if len(text) > limit else cast("str", redact_plain(text))
        if shown != text:
            return b64encode(shown.encode()).decode()
    elif _is_media(raw):
        return data
    head = data[:_SEARCHED_IN_BINARY]  # It may be a login, packed, or a key that is no text.
    shown = cast("str", redact_plain(head))
    return data if shown == head else shown


def _is_media(raw: bytes) -> bool:
    return raw.startswith(_MAGIC) or raw[4:8] == b"ftyp"


def _decode(data: str) -> bytes:
    letters = "".join(data.split()).rstrip("=")
    return a2b_base64(letters + "=" * (-len(letters) % _OF_ONE_BYTE))


def _read_text(raw: bytes) -> str | None:
    """Return the text that bytes are; None if they are no text."""
    is_wide = raw.startswith((b"\xff\xfe", b"\xfe\xff"))
    try:
        text = raw.decode("utf-16" if is_wide else "utf-8-sig")
    except UnicodeDecodeError:
        return None
    is_text = len(raw) >= _LEAST_DECODED and not _NO_TEXT.search(text, 0, _SEARCHED)
    return text if is_text else None


def _make_inert(block: dict[str, object]) -> dict[str, object]:
    """Return a block whose texts for a reader neither load anything nor read like errata's own lines."""
    inert = {name: prose_within(str(block[name]), _SEARCHED) for name in _READ if isinstance(block.get(name), str)}
    resource = as_object(block.get("resource"))
    return block | inert | ({"resource": _make_inert(resource)} if resource else {})


def collect_from(answer: Mapping[str, object], request: Mapping[str, object]) -> dict[str, Kind]:
    """Return the secrets that some part of an answer or of its request names.

    What a text announces at its end may begin the next one, so all texts are also read as one.
    """
    blocks = list_blocks(answer.get("content"))[:_MOST_BLOCKS]
    texts = list(filter(None, map(_read_block, blocks)))
    parsed = [read_json(text) if text.lstrip()[:1] in {"{", "["} else None for text in texts]
    joined = "\n".join(text for text, value in zip(texts, parsed, strict=True) if value is None)[:_SEARCHED]
    bare = [_take_data(as_object(block))[0] for block in blocks if not is_text_block(block)]
    others = {name: value for name, value in answer.items() if name != "content"}
    return collect_secrets(request, joined, join_announced_lines(joined), parsed, bare, others)


def _read_block(block: object) -> str | None:
    """Return the text of a block, or of the file in it; None for what has none."""
    members, resource = as_object(block), as_object(as_object(block).get("resource"))
    data = _take_data(members)[1]
    text = members.get("text") or resource.get("text") or (data and _read_text(_decode(data)))
    return text if isinstance(text, str) else None


def list_blocks(content: object) -> list[object]:
    """Return the blocks of a content; one that is no list is its only block, and a text is that of a block."""
    match content:
        case None:
            return []
        case list():
            return cast("list[object]", content)
        case str():
            return [{"type": "text", "text": content}]
        case _:
            return [content]


def _write(value: object) -> str:
    try:
        return write_json(value)
    except RecursionError:
        return write_json(jsonable(value))


def is_text_block(block: object) -> bool:
    """Return whether a block is a text."""
    members = as_object(block)
    return members.get("type") == "text" and isinstance(members.get("text"), str)


def is_block(members: Mapping[str, object]) -> bool:
    """Return whether clients accept a content block; one of a kind that nobody knows yet may be for newer ones."""
    kind, resource = members.get("type"), as_object(members.get("resource"))
    if not isinstance(kind, str) or not all(isinstance(members.get(each), str) for each in _NEEDED.get(kind, ())):
        return False
    match kind:
        case "image" | "audio":
            return _is_base64(members.get("data"))
        case "resource_link":
            return _is_address(members.get("uri"))
        case "resource":
            has_content = isinstance(resource.get("text"), str) or _is_base64(resource.get("blob"))
            return has_content and _is_address(resource.get("uri")) and all(starmap(_is_right, resource.items()))
        case _:
            return True


def _is_right(name: str, value: object) -> bool:
    """Return whether a member that a block may have is of the kind that the protocol says."""
    if name in _OPTIONAL_TEXTS:
        return isinstance(value, str)
    if name == "annotations":
        return isinstance(value, dict) and _is_for_somebody(as_object(cast("object", value)))
    return isinstance(value, _KIND_OF_OPTION.get(name, object))


def _is_for_somebody(notes: Mapping[str, object]) -> bool:
    audience, priority, modified = map(notes.get, ("audience", "priority", "lastModified"), ([], 0, ""))
    if not isinstance(audience, list) or not isinstance(modified, str):
        return False
    is_ranked = type(priority) in {int, float} and 0 <= cast("float", priority) <= 1
    return is_ranked and all(each in ("user", "assistant") for each in cast("list[object]", audience))


def _is_address(uri: object) -> bool:
    return isinstance(uri, str) and _SCHEME.match(uri) is not None


def _is_base64(data: object) -> bool:
    if not isinstance(data, str):
        return False
    letters = "".join(data.split())
    return _BASE64.fullmatch(letters) is not None and len(letters.rstrip("=")) % _OF_ONE_BYTE != 1
