"""JSON with comments and trailing commas, read with the position of every value, so that a file can be edited in place."""

import json
import re
from dataclasses import dataclass, field

_MOST_DEEP = 200
_LONGEST_SHOWN = 20
_TRIVIA = re.compile(r"(?:[ \t\r\n]++|//[^\r\n]*+|/\*(?s:.*?)\*/)*+")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"')
_SCALAR = re.compile(r"(?:-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?|true|false|null)(?![\w.+-])")
_WORD = re.compile(r"[^\s,:\[\]{}\"]+|.", re.DOTALL)
_LINE_END = re.compile(r"\r\n|\r|\n")


class CommentedJsonError(ValueError):
    """A text is not JSON, not even with comments and trailing commas."""

    def __init__(self, reason: str, line: int, column: int) -> None:
        super().__init__(reason, line, column)
        self.reason = reason
        self.line = line
        self.column = column


@dataclass(slots=True)
class JsonNode:
    """A value and where it is in the text; by itself a number, `true`, `false` or `null`."""

    start: int
    end: int


@dataclass(slots=True)
class JsonString(JsonNode):
    """A string; its span includes the quotes."""

    value: str


@dataclass(slots=True)
class JsonArray(JsonNode):
    """An array."""

    items: list[JsonNode] = field(default_factory=list[JsonNode])


@dataclass(slots=True)
class JsonObject(JsonNode):
    """An object, with every member in the order of the text, those of one name too."""

    members: list[tuple[JsonString, JsonNode]] = field(default_factory=list[tuple[JsonString, JsonNode]])


def read_commented_json(text: str) -> JsonNode:
    """Return the value that a text holds; raise CommentedJsonError if it holds none, or more than one."""
    scanner = _Scanner(text)
    root = scanner.read_value()
    scanner.skip_trivia()
    if scanner.position < len(text):
        raise scanner.error(f"{scanner.show_next()} stands behind the end of the document")
    return root


def line_and_column(text: str, position: int) -> tuple[int, int]:
    """Return the line and the column of a position, both counted from 1."""
    ends = [end.end() for end in _LINE_END.finditer(text, 0, position)]
    return len(ends) + 1, position - (ends[-1] if ends else 0) + 1


def skip_trivia(text: str, position: int) -> int:
    """Return the next position with something that is neither blank nor part of a comment."""
    return _end_of(_TRIVIA, text, position)


class _Scanner:
    """Reads values one after the other."""

    __slots__ = ("_depth", "_text", "position")

    def __init__(self, text: str) -> None:
        self._text = text
        self._depth = 0
        self.position = int(text.startswith("\ufeff"))

    def read_value(self) -> JsonNode:
        self.skip_trivia()
        match self._text[self.position : self.position + 1]:
            case "{":
                return self._read_object()
            case "[":
                return self._read_array()
            case '"':
                return self._read_string()
            case _:
                return self._read_scalar()

    def skip_trivia(self) -> None:
        """Move to the next character that is neither blank nor part of a comment."""
        self.position = skip_trivia(self._text, self.position)
        if self._text.startswith("/*", self.position):
            raise self.error("a comment is not closed")

    def show_next(self) -> str:
        """Return what stands at the position, in backticks."""
        if not (word := _WORD.match(self._text, self.position)):
            return "the end of the text"
        shown = word[0] if len(word[0]) <= _LONGEST_SHOWN else f"{word[0][:_LONGEST_SHOWN]}…"
        return f"`{shown}`" if shown.isprintable() else f"the character U+{ord(shown[0]):04X}"

    def error(self, reason: str) -> CommentedJsonError:
        return CommentedJsonError(reason, *line_and_column(self._text, self.position))

    def _read_object(self) -> JsonObject:
        node = JsonObject(self.position, self._open())
        while self._is_inside("}", node, needs_comma=bool(node.members)):
            if not self._text.startswith('"', self.position):
                raise self.error(f"{self.show_next()} stands where a name in quotes or `}}` is expected")
            name = self._read_string()
            self.skip_trivia()
            if not self._text.startswith(":", self.position):
                raise self.error(f"{self.show_next()} stands where `:` is expected")
            self.position += 1
            node.members.append((name, self.read_value()))
        return node

    def _read_array(self) -> JsonArray:
        node = JsonArray(self.position, self._open())
        while self._is_inside("]", node, needs_comma=bool(node.items)):
            node.items.append(self.read_value())
        return node

    def _open(self) -> int:
        """Move behind an opening bracket and return where that is."""
        self._depth += 1
        if self._depth > _MOST_DEEP:
            raise self.error(f"more than {_MOST_DEEP} brackets stand inside one another")
        self.position += 1
        return self.position

    def _is_inside(self, closing: str, node: JsonNode, *, needs_comma: bool) -> bool:
        """Move to the next member or item; return False if there is none, behind the closing bracket."""
        self.skip_trivia()
        if needs_comma and self._text.startswith(",", self.position):
            self.position += 1
            self.skip_trivia()
            needs_comma = False
        if self._text.startswith(closing, self.position):
            self._depth -= 1
            self.position += 1
            node.end = self.position
            return False
        if needs_comma:
            raise self.error(f"{self.show_next()} stands where `,` or `{closing}` is expected")
        return True

    def _read_string(self) -> JsonString:
        start = self.position
        self.position = _end_of(_STRING, self._text, start)
        if self.position == start:
            raise self.error("a string is not closed, or holds a line break or an escape that JSON does not know")
        written = self._text[start : self.position]
        return JsonString(start, self.position, str(json.loads(written)) if "\\" in written else written[1:-1])

    def _read_scalar(self) -> JsonNode:
        start = self.position
        self.position = _end_of(_SCALAR, self._text, start)
        if self.position == start:
            raise self.error(f"{self.show_next()} stands where a value is expected")
        return JsonNode(start, self.position)


def _end_of(pattern: re.Pattern[str], text: str, start: int) -> int:
    match = pattern.match(text, start)
    return match.end() if match else start
