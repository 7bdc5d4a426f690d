"""JSON with comments: a value or an error with its line, for any text; and every value where it says it is."""

import json
import re

import pytest
from hypothesis import example, given, strategies as st
from support.commented_json_texts import MARK, documents, finite_values

from errata.gate._commented_json import (
    CommentedJsonError,
    JsonArray,
    JsonObject,
    JsonString,
    line_and_column,
    read_commented_json,
)

LITTLE = st.text(alphabet='{}[]",:0123456789.eE+-truefalsn \t\r\n/*\\u\ufeff\x00a', max_size=30)
TOKENS = st.lists(
    st.sampled_from(
        [
            *'{}[],:" \n',
            '"a"',
            '"\\u0041"',
            "1",
            "-0",
            "01",
            "1.",
            "1e5",
            "true",
            "nul",
            "NaN",
            "/*",
            "*/",
            "// x\n",
            MARK,
        ]
    ),
    max_size=12,
).map("".join)
STRING_OR_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\r\n]*|/\*.*?\*/', re.DOTALL)
STRING_OR_LAST_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)


def value_of(text):
    return build(text, read_commented_json(text))


def read_or_error(text):
    try:
        return read_commented_json(text)
    except CommentedJsonError as error:
        return error


def build(text, node):
    match node:
        case JsonString():
            return node.value
        case JsonArray():
            return [build(text, item) for item in node.items]
        case JsonObject():
            return {name.value: build(text, value) for name, value in node.members}
    return json.loads(text[node.start : node.end])


def nodes_in(node):
    yield node
    inner = node.items if isinstance(node, JsonArray) else []
    inner = [each for member in node.members for each in member] if isinstance(node, JsonObject) else inner
    for each in inner:
        yield from nodes_in(each)


def strict_json(text):
    return json.loads(text, parse_constant=refuse)


def refuse(constant):
    raise ValueError(constant)


def plain(text):
    """Return a text as JSON without comments and trailing commas, by other means than the reader's."""
    bare = STRING_OR_COMMENT.sub(lambda match: match[1] or " ", text.removeprefix(MARK))
    return STRING_OR_LAST_COMMA.sub(lambda match: match[1] or " ", bare)


@given(st.text() | LITTLE | TOKENS)
@example("[" * 100_000)
@example('{"a":' * 100_000)
@example('"' + "\\" * 100_000)
@example("/*" * 100_000)
@example("-" + "1" * 100_000)
def test_any_text_is_a_value_or_an_error_with_the_line_and_column_of_it(text):
    match read_or_error(text):
        case CommentedJsonError(reason=reason, line=line, column=column):
            lines = re.split(r"\r\n|\r|\n", text)
            assert reason
            assert 1 <= line <= len(lines)
            assert 1 <= column <= len(lines[line - 1]) + 1
        case node:
            assert 0 <= node.start < node.end <= len(text)


@given(st.text() | LITTLE | TOKENS)
def test_what_json_reads_is_read_and_means_the_same(text):
    try:
        expected = strict_json(text)
    except ValueError:
        return
    assert value_of(text) == expected


@given(LITTLE | TOKENS | documents(finite_values).map(lambda document: document[0]))
def test_what_is_read_is_json_but_for_comments_trailing_commas_and_a_mark(text):
    try:
        value = value_of(text)
    except CommentedJsonError:
        return
    assert strict_json(plain(text)) == value


@given(finite_values, st.sampled_from([None, 2, "\t"]), st.booleans())
def test_plain_json_is_read_as_json_reads_it(value, indent, is_ascii):
    assert value_of(json.dumps(value, indent=indent, ensure_ascii=is_ascii)) == value


@given(documents(finite_values))
def test_comments_commas_blanks_and_escapes_do_not_change_the_value(document):
    text, value = document

    assert value_of(text) == value


@given(documents(finite_values))
def test_every_value_is_written_where_its_position_says(document):
    text, _ = document

    for node in nodes_in(read_commented_json(text)):
        assert value_of(text[node.start : node.end]) == build(text, node)


@given(st.text(alphabet="ab\r\n\u2028\x0b"), st.data())
def test_lines_are_counted_as_editors_count_them(text, data):
    position = data.draw(st.integers(0, len(text)))
    line, column = line_and_column(text, position)

    before = re.split(r"\r\n|\r|\n", text[:position])
    splits_an_end = text[position - 1 : position + 1] == "\r\n"
    assert splits_an_end or (line, column) == (len(before), len(before[-1]) + 1)


@pytest.mark.parametrize(
    ("text", "line", "column", "reason"),
    [
        ("", 1, 1, "the end of the text stands where a value is expected"),
        ('{"a": 1,\n "b" 2}', 2, 6, "`2` stands where `:` is expected"),
        ('{\r\n"a": 1\r\n"b": 2}', 3, 1, '`"` stands where `,` or `}` is expected'),
        ("{'a': 1}", 1, 2, "`'a'` stands where a name in quotes or `}` is expected"),
        ("[1, 2", 1, 6, "the end of the text stands where `,` or `]` is expected"),
        ("[,]", 1, 2, "`,` stands where a value is expected"),
        ("[1,,]", 1, 4, "`,` stands where a value is expected"),
        ('{"a": tru}', 1, 7, "`tru` stands where a value is expected"),
        ('{"a": "x\ny"}', 1, 7, "a string is not closed, or holds a line break or an escape that JSON does not know"),
        ('["\\x"]', 1, 2, "a string is not closed, or holds a line break or an escape that JSON does not know"),
        ("[1] /* never", 1, 5, "a comment is not closed"),
        ("{} x", 1, 4, "`x` stands behind the end of the document"),
        ("[\x00]", 1, 2, "the character U+0000 stands where a value is expected"),
        ("[" * 201, 1, 201, "more than 200 brackets stand inside one another"),
        (f"[{'x' * 50}]", 1, 2, f"`{'x' * 20}…` stands where a value is expected"),
    ],
)
def test_an_error_says_what_stands_where(text, line, column, reason):
    with pytest.raises(CommentedJsonError) as caught:
        read_commented_json(text)

    assert (caught.value.line, caught.value.column, caught.value.reason) == (line, column, reason)


def test_members_of_one_name_are_all_there():
    root = read_commented_json('{"a": 1, "\\u0061": 2}')

    assert [name.value for name, _ in root.members] == ["a", "a"]
