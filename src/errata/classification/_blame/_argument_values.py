"""The values of a call's arguments, to be found again in texts, frames and the names of files."""

import re
from collections.abc import Iterable, Iterator
from types import FrameType
from typing import cast

from errata.classification._blame._provenance import Provenance, merge
from errata.classification._call import Call
from errata.model import is_a, is_any

_LONGEST = 20_000
"""Characters of a value, or of a text, that are compared."""
_MOST_MEMBERS = 50
_MOST_HITS = 100
_MOST_CHARACTERS = 200_000
"""Of all values together; what comes after is not compared."""
_SHORTEST_INSIDE = 4
"""Shorter values stand in a longer text by chance."""


class ArgumentValues:
    """Every value in the arguments, with its dotted path."""

    __slots__ = ("_leaves", "_texts")

    def __init__(self, call: Call) -> None:
        self._leaves = call.leaves()
        self._texts: list[tuple[str, str]] = []
        left = _MOST_CHARACTERS
        for path, value in self._leaves:
            if left > 0 and (text := _comparable(value)):
                self._texts.append((path, text))
                left -= len(text)

    def value(self, path: str) -> object:
        """Return the value of an argument."""
        return next((value for each, value in self._leaves if each == path), None)

    def text(self, path: str) -> str:
        """Return the value of an argument as it is compared; "" for one that is no text or number."""
        return next((text for each, text in self._texts if each == path), "")

    def equal_to(self, word: str) -> tuple[str, ...]:
        """Return the arguments whose value is a word."""
        folded = _fold(word)
        return tuple(path for path, text in self._texts if text == folded) if folded else ()

    def containing(self, word: str) -> tuple[str, ...]:
        """Return the arguments in whose value a word stands."""
        folded = _fold(word)
        return tuple(path for path, text in self._texts if folded in text) if len(folded) > 1 else ()

    def within(self, word: str) -> tuple[str, ...]:
        """Return the arguments whose values stand in a longer word, such as the name of a file."""
        folded = _fold(word)
        return tuple(path for path, text in self._texts if len(text) > 1 and has_word(folded, text))

    def is_related_to(self, text: str) -> bool:
        """Return whether a text has anything of an argument in it, or the other way round."""
        folded = _fold(text)
        if len(folded) > 1 and any(folded in value for _, value in self._texts):
            return True
        words = {word for _, value in self._texts for word in (value, *re.split(r"\W+", value, maxsplit=_MOST_HITS))}
        return any(len(word) > 1 and word in folded for word in words)

    def around(self, word: str) -> tuple[str, ...]:
        """Return the arguments of which a word is a part, and not the whole."""
        folded = _fold(word)
        longer = [(path, text) for path, text in self._texts if len(text) > len(folded) > 1 and folded in text]
        return tuple(path for path, text in longer if has_word(text, folded)) if longer else ()

    def held_as(self, text: str) -> tuple[str, ...]:
        """Return the arguments that are a text."""
        stripped = text[:_LONGEST].strip()
        return tuple(
            path for path, value in self._leaves if is_a(value, str) and value and value[:_LONGEST].strip() == stripped
        )

    def mentioned_in(self, text: str) -> tuple[str, ...]:
        """Return the arguments whose values are words of a text in lower case."""
        telling = [(path, value) for path, value in self._texts if len(value) > 1 or value.isdigit()]
        return tuple(path for path, value in telling if value in text and has_word(text, value, behind="."))

    def in_file_name(self, name: str) -> tuple[str, ...]:
        """Return the arguments that the name of a file is made of."""
        folded = _fold(name)
        parts = {part for piece in re.split(r"[/\\]", folded) for part in (piece, piece.partition(".")[0])}
        return tuple(path for path, text in self._texts if len(text) > 1 and _makes_up(text, folded, parts))

    def in_address(self, path_of_address: str) -> tuple[str, ...]:
        """Return the arguments that are segments of an address's path."""
        segments = {*_fold(path_of_address).split("/")}
        return tuple(
            path
            for path, text in self._texts
            if text.strip("/") in segments or f"/{text}/" in f"{path_of_address.casefold()}/"
        )

    def odd(self) -> tuple[str, ...]:
        """Return the arguments that are zero, negative or empty."""
        return tuple(path for path, value in self._leaves if _is_odd(value))

    def held_by(self, frame: FrameType) -> tuple[str, ...]:
        """Return the arguments that are local variables of a frame, or in a tuple or list among them."""
        held = list(_with_items(list(frame.f_locals.values())[:_MOST_MEMBERS]))
        return tuple(path for path, value in self._leaves if _is_telling(value) and any(value is each for each in held))

    def origin_of(self, value: object, name: str = "") -> Provenance | None:
        """Return where a variable comes from, told by its value alone: for what came through a thread or a decorator.

        A value that is too common to tell, such as 0, tells if the argument has the variable's name.
        """
        for path, each in self._leaves:
            tells = _is_telling(value) or (bool(name) and path.rpartition(".")[2] == name)
            if tells and (each is value or are_equal(each, value)):
                return Provenance.of(path)
        if is_a(value, str):
            inside = self._inside(value)
            return Provenance(inside) if inside else None
        members = list(cast("dict[object, object]", value).items())[: _MOST_MEMBERS + 1] if is_a(value, dict) else []
        if 0 < len(members) <= _MOST_MEMBERS:
            origins = [origin for key, each in members if (origin := self.origin_of(each, str(key))) is not None]
            return merge(origins) if origins else None
        return None

    def _inside(self, text: str) -> frozenset[str]:
        """Return the arguments whose values stand in a text, such as an address."""
        folded = _fold(text)
        return frozenset(path for path, value in self._texts if len(value) >= _SHORTEST_INSIDE and value in folded)


def has_word(text: str, word: str, *, behind: str = "") -> bool:
    """Return whether a word stands in a text as a whole word, and behind none of some characters.

    Searched by hand: a pattern for every value would have to be compiled, which takes longer than all the rest.
    """
    at = text.find(word)
    for _ in range(_MOST_HITS):
        if at < 0:
            return False
        before, after = text[at - 1 : at] if at else "", text[at + len(word) : at + len(word) + 1]
        if not (_is_of_a_word(before) or (before and before in behind) or _is_of_a_word(after)):
            return True
        at = text.find(word, at + len(word))
    return False


def _is_of_a_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _fold(text: str) -> str:
    return text[:_LONGEST].strip().casefold()


def _comparable(value: object) -> str:
    if is_a(value, str):
        return _fold(value)
    is_number = (is_a(value, int) and not is_a(value, bool)) or is_a(value, float)
    try:
        return str(value) if is_number else ""
    except ValueError:  # More digits than Python writes.
        return ""


def _makes_up(text: str, name: str, parts: Iterable[str]) -> bool:
    return name.endswith(text.lstrip("./") or "\0") or text in parts or re.sub(r"\W+", "-", text) in name


def _with_items(values: Iterable[object]) -> Iterator[object]:
    for value in values:
        yield value
        if is_a(value, tuple) or is_a(value, list):
            yield from cast("list[object]", value)[:_MOST_MEMBERS]


def are_equal(one: object, other: object) -> bool:
    """Return whether two plain values are of one kind and equal; what others compare themselves by is not run."""
    return type(one) is type(other) and (is_a(one, str) or is_a(one, int) or is_a(one, float)) and one == other


def _is_telling(value: object) -> bool:
    """Return whether a value is so particular that the same one elsewhere is the same thing."""
    kind = type(value)
    if issubclass(kind, str):
        return len(cast("str", value)) > 1
    if issubclass(kind, (dict, list)):
        return bool(value)
    return issubclass(kind, int) and kind is not bool and abs(cast("int", value)) > 1


def _is_odd(value: object) -> bool:
    if is_a(value, int) or is_a(value, float):
        return not is_a(value, bool) and value <= 0
    return is_any(value, str, list, dict) and not value
