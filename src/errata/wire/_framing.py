"""Frames out of bytes, wherever those were cut: the lines of stdio, and the events of an HTTP stream."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_LINE_END = re.compile(rb"\r\n|\n|\r")
_BLANK_LINES = frozenset({b"\n", b"\r\n", b"\r"})
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class LineSplitter:
    """Collects bytes and gives them back as lines; a line may have any length."""

    __slots__ = ("_parts",)

    def __init__(self) -> None:
        self._parts: list[bytes] = []  # Of a line without its end: joined once, however many they are.

    def feed(self, data: bytes) -> list[bytes]:
        """Return the lines that have their end now, each with its line feed."""
        lines = data.split(b"\n")
        rest = lines.pop()
        if lines:
            self._parts.append(lines[0])
            lines[0] = b"".join(self._parts)
            self._parts.clear()
        if rest:
            self._parts.append(rest)
        return [line + b"\n" for line in lines]

    def end(self) -> bytes:
        """Return what came after the last line feed, and begin anew."""
        rest = b"".join(self._parts)
        self._parts.clear()
        return rest


class Event(NamedTuple):
    """One event of a stream; a comment before its fields, settings between two blank lines, or a byte order mark, are one too.

    Those have no data. A comment by itself is how a server keeps a stream open: it is there as soon as its line is.
    """

    raw: bytes
    """As it came, with the blank line that ends it. The line feed of a line end that was cut in two stands before the next."""
    data: bytes | None = None
    """The data, its lines joined by line feeds; None for an event without any."""
    name: bytes | None = None
    id: bytes | None = None
    """The id to resume after, if the event sets one."""

    def with_data(self, data: bytes) -> bytes:
        """Return the event with other data; its id, name, comments and line ends stay where they were.

        An event without data stays without. A lone carriage return in the data, which would end a line, becomes a line end.
        """
        lines = self.raw.splitlines(keepends=True)
        is_data = [_field_of(line)[0] == b"data" for line in lines]
        if True not in is_data:
            return self.raw
        last = len(lines) - 1 - is_data[::-1].index(True)  # What follows it follows its line end: no two become one.
        end = lines[last][len(lines[last].rstrip(b"\r\n")) :]
        written = b"".join(b"data: " + part + end for part in _LINE_END.split(data))
        others = (b"" if is_it else line for is_it, line in zip(is_data[:last], lines[:last], strict=True))
        return b"".join([*others, written, *lines[last + 1 :]])


class EventSplitter:
    """Collects the bytes of a `text/event-stream` and gives them back as events."""

    __slots__ = ("_after_return", "_is_first", "_line", "_lines")

    def __init__(self) -> None:
        self._lines: list[bytes] = []  # Those of an event without its end.
        self._line: list[bytes] = []  # The parts of a line without its end.
        self._after_return = False
        self._is_first = True

    def feed(self, data: bytes) -> list[Event]:
        """Return the events that have their end now."""
        position = 0
        if self._after_return and data:
            self._after_return = False
            if data[:1] == b"\n":  # The second half of a line end whose first half has ended the line already.
                self._lines.append(b"\n")
                position = 1
        events: list[Event] = []
        for end in _LINE_END.finditer(data, position):
            self._line.append(data[position : end.end()])
            position = end.end()
            events += self._end_line()
        if position < len(data):
            self._line.append(data[position:])
        self._after_return = data.endswith(b"\r") or (self._after_return and not data)
        return events

    def end(self) -> bytes:
        """Return the unfinished event at the end of a stream, as it came; by the standard it is none."""
        rest = b"".join([*self._lines, *self._line])
        self._lines.clear()
        self._line.clear()
        self._after_return, self._is_first = False, True
        return rest

    def _end_line(self) -> Iterator[Event]:
        line = b"".join(self._line)
        self._line.clear()
        if self._is_first and line.startswith(_BYTE_ORDER_MARK):
            line = line.removeprefix(_BYTE_ORDER_MARK)
            yield Event(_BYTE_ORDER_MARK)  # Of the stream, and of none of its lines.
        self._is_first = False
        is_first = not any(map(_is_written, self._lines))
        self._lines.append(line)
        if not _is_written(line) or (is_first and line.startswith(b":")):
            yield _read_event(self._lines)
            self._lines.clear()


def _is_written(line: bytes) -> bool:
    """Return whether a line is not blank."""
    return line not in _BLANK_LINES


def _read_event(lines: list[bytes]) -> Event:
    """Return the event that some lines are; as the standard says, the last name and the last id count."""
    data: list[bytes] = []
    name: bytes | None = None
    last_id: bytes | None = None
    for line in lines:
        field, value = _field_of(line)
        if field == b"data":
            data.append(value)
        elif field == b"event":
            name = value
        elif field == b"id" and b"\0" not in value:
            last_id = value
    return Event(b"".join(lines), b"\n".join(data) if data else None, name, last_id)


def _field_of(line: bytes) -> tuple[bytes, bytes]:
    """Return the field of a line and its value; both are empty for a comment and for a blank line."""
    field, _, value = line.rstrip(b"\r\n").partition(b":")
    return field, value.removeprefix(b" ")
