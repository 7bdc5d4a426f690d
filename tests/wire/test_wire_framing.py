"""Frames out of bytes: nothing is lost or added, wherever the bytes were cut."""

import re

import pytest
from hypothesis import example, given, strategies as st

from errata.wire import Event, EventSplitter, LineSplitter

MEGABYTE = 1_000_000
BOM = b"\xef\xbb\xbf"

line_bytes = st.lists(st.sampled_from([b"\n", b"\r", b"\r\n", b"{}", b"\xff\xfe", b"\0", b" "]) | st.binary(max_size=5))
event_lines = st.sampled_from(
    [
        b"data", b"data:", b"data: ", b"data:  x", b"data: {}", b"data:a:b", b"id: 7", b"id: a\0b", b"id", b"retry: 10",
        b": ping", b":", b"", b"event: message", b"event:", b" data: x", b"DATA: x", BOM + b"data: y", b"\xff\xfe",
        b"unknown: field",
    ]
)  # fmt: skip
line_ends = st.sampled_from([b"\n", b"\r", b"\r\n"])
streams = st.builds(
    lambda mark, lines, rest: mark + b"".join(line + end for line, end in lines) + rest,
    st.sampled_from([b"", BOM, BOM + BOM, BOM[:2]]),
    st.lists(st.tuples(event_lines, line_ends), max_size=20),
    st.sampled_from([b"", b"data: unfinished", BOM[:1]]) | st.binary(max_size=4),
)


@st.composite
def cut_up(draw, wholes):
    """Draw bytes, and the pieces that they come in; some of these are empty."""
    whole = draw(wholes)
    cuts = sorted(draw(st.lists(st.integers(0, len(whole)), max_size=12)))
    return whole, [whole[start:end] for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]


def read_all(splitter, pieces):
    frames = [frame for piece in pieces for frame in splitter.feed(piece)]
    return frames, splitter.end()


def read_events(whole):
    """Read events as the standard describes it, with the whole text at hand."""
    *lines, _ = re.split(rb"\r\n|\n|\r", whole.removeprefix(BOM))
    events, fields = [], []
    for line in lines:
        name, _, value = line.partition(b":")
        fields.append((name, value.removeprefix(b" ")))
        if not line:
            data = [value for name, value in fields if name == b"data"]
            names = [value for name, value in fields if name == b"event"]
            ids = [value for name, value in fields if name == b"id" and b"\0" not in value]
            events.append((b"\n".join(data) if data else None, (names or [None])[-1], (ids or [None])[-1]))
            fields = []
    return events


def what_they_say(events):
    return [event[1:] for event in events if event.raw != BOM]


@given(cut_up(line_bytes.map(b"".join)))
@example((b"a\nb", [b"a", b"\n", b"b"]))
def test_lines_and_the_rest_are_what_came_in_wherever_it_was_cut(stream):
    whole, pieces = stream
    lines, rest = read_all(LineSplitter(), pieces)

    assert b"".join([*lines, rest]) == whole
    assert all(line.count(b"\n") == 1 and line.endswith(b"\n") for line in lines)
    assert b"\n" not in rest


@given(cut_up(streams | line_bytes.map(b"".join)))
@example((BOM + b"data: 1\r\n\r\n", [BOM[:1], BOM[1:] + b"data: 1\r", b"", b"\n\r", b"\n"]))
@example((b"data: 1\n\n" + BOM + b"data: 2\n\n", [b"data: 1\n\n" + BOM + b"data: 2\n\n"]))
def test_events_say_what_the_whole_text_says_wherever_it_was_cut(stream):
    whole, pieces = stream
    events, rest = read_all(EventSplitter(), pieces)

    assert b"".join([*(event.raw for event in events), rest]) == whole
    assert what_they_say(events) == read_events(whole)


@given(cut_up(streams))
def test_a_splitter_begins_anew_after_the_end(stream):
    _, pieces = stream
    splitter = EventSplitter()
    first = read_all(splitter, pieces)

    assert read_all(splitter, pieces) == first


@given(cut_up(streams), st.binary(max_size=20))
@example((b"data: 1\r\n\r\n", [b"data: 1\r\n\r", b"\n"]), b"a\rb")
@example((b"data: 1\rdata: 2\n\n", [b"data: 1\rdata: 2\n\n"]), b"{}")
def test_an_event_with_other_data_has_changed_in_its_data_lines_only(stream, data):
    def other_lines(raw):
        lines = re.findall(rb"[^\r\n]*(?:\r\n|\n|\r)", raw)
        return [line for line in lines if re.split(rb"[:\r\n]", line)[0] != b"data"]

    events, _ = read_all(EventSplitter(), stream[1])
    for event in events:
        changed = event.with_data(data)
        if event.data is None:
            assert changed == event.raw
            continue
        assert other_lines(changed) == other_lines(event.raw)
        *_, again = EventSplitter().feed(b"\n" + changed)
        assert again[1:] == (re.sub(rb"\r\n|\r", b"\n", data), event.name, event.id)


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_an_event_keeps_its_id_comments_and_line_ends(end):
    lines = [b"id: 7", b": ping", b"event: message", b'data: {"a":', b"retry: 10", b"data: 1}", b"", b""]
    (event,) = EventSplitter().feed(end.join(lines))

    assert event.data == b'{"a":\n1}'
    assert (event.name, event.id) == (b"message", b"7")
    assert event.with_data(b"{}") == end.join(
        [b"id: 7", b": ping", b"event: message", b"retry: 10", b"data: {}", b"", b""]
    )


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_a_comment_that_keeps_a_stream_open_waits_for_no_blank_line(end):
    splitter = EventSplitter()

    assert [event.raw for event in splitter.feed(b": alive" + end + b": alive" + end)] == [b": alive" + end] * 2
    assert [event.raw for event in splitter.feed(b"data: 1" + end + b": within" + end)] == []
    (event,) = splitter.feed(end)
    assert (event.data, event.raw) == (b"1", b"data: 1" + end + b": within" + end + end)


def test_the_empty_event_that_primes_a_stream_has_data_and_an_id():
    (event,) = EventSplitter().feed(b"id: 1\nretry: 500\ndata: \n\n")

    assert event == Event(b"id: 1\nretry: 500\ndata: \n\n", b"", None, b"1")


def test_an_unfinished_event_is_none_and_is_given_back_as_it_came():
    splitter = EventSplitter()

    assert splitter.feed(b"id: 1\r\ndata: 2\r") == []
    assert splitter.feed(b"") == []
    assert splitter.end() == b"id: 1\r\ndata: 2\r"


def in_pieces(whole, size=64 * 1024):
    return [whole[start : start + size] for start in range(0, len(whole), size)]


def test_a_line_of_ten_megabytes_is_joined_once():
    splitter, whole = LineSplitter(), b"x" * (10 * MEGABYTE) + b"\n"
    *pieces, last = in_pieces(whole)
    for piece in pieces:
        assert splitter.feed(piece) == []
    assert all(part is piece for part, piece in zip(splitter._parts, pieces, strict=True))  # None was joined so far.

    assert splitter.feed(last) == [whole]
    assert splitter._parts == []


def test_an_event_of_ten_megabytes_is_joined_once():
    splitter, whole = EventSplitter(), b"data: " + b"x" * (10 * MEGABYTE) + b"\n\n"
    *pieces, last = in_pieces(whole)
    for piece in pieces:
        assert splitter.feed(piece) == []
    assert list(map(len, splitter._line)) == list(map(len, pieces))  # Nothing was joined so far.

    (event,) = splitter.feed(last)
    assert event.raw == whole
    assert len(event.data) == 10 * MEGABYTE


def test_a_million_short_lines_come_out_of_one_piece():
    assert LineSplitter().feed(b"{}\n" * MEGABYTE) == [b"{}\n"] * MEGABYTE
