"""Foreign text, made harmless: nothing in a file's name or in a source line drives a terminal."""

import unicodedata

from errata.redaction import visible

_TAB = 4


def harmless(text: str) -> str:
    """Write what a reader would not see, or a terminal would obey, as its escape, on one line."""
    return text if text.isprintable() and text.isascii() else "".join(map(_shown, text))


def cells(line: str) -> list[str]:
    """Show each character of a line by what takes its place on a terminal: a tab by blanks, an escape by its name."""
    return [" " * _TAB if character == "\t" else _shown(character) for character in line]


def width(text: str) -> int:
    """Count the columns that a text takes on a terminal."""
    return len(text) if text.isascii() else sum(map(_width, text))


def _shown(character: str) -> str:
    if character.isprintable() and visible(character) == character:
        return character
    return character.encode("unicode_escape").decode("ascii")


def _width(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1
