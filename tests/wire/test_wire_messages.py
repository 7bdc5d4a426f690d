"""JSON-RPC messages: whatever comes is read or is not, and what is not changed stays byte for byte."""

import json
import sys

import pytest
from hypothesis import assume, example, given, strategies as st

from errata.wire import (
    Message,
    edit_object,
    first_message,
    key_of_cancelled,
    member_text,
    peek_answer,
    read_json,
    read_messages,
    replace_items,
    to_frame,
    write_json,
)

blanks = st.text(" \t\r\n", max_size=2)
SCALARS = [
    "1.0",
    "-0",
    "1E400",
    "12345678901234567890123",
    "null",
    "true",
    '"\\u0061\\ud800"',
    '"é\udcff"',
    '"}"',
    '"\\""',
]
names = st.sampled_from(["id", "result", "method", "a", "b", "\\u0061", "i\\u0064", "\\ud800", "é", "\udcfe", "", "{"])


def written_objects(values):
    member = st.builds(lambda b, name, c, d, value: f'{b}"{name}"{c}:{d}{value}', blanks, names, blanks, blanks, values)
    return st.builds(lambda items, b: "{" + ",".join(items) + b + "}", st.lists(member, max_size=4), blanks)


def written_arrays(values):
    item = st.builds("{}{}{}".format, blanks, values, blanks)
    return st.builds(lambda items: "[" + ",".join(items) + "]", st.lists(item, min_size=1, max_size=4))


texts = st.recursive(
    st.sampled_from(SCALARS), lambda inner: written_objects(inner) | written_arrays(inner), max_leaves=8
)
objects = written_objects(texts)
arrays = written_arrays(texts)
ids = st.sampled_from(["1", '"1"', "1.0", "-7", '"a b"', "null", "true", '"\\u0031"', "[1]", "1" * 20, "NaN", "1e400"])
extras = st.lists(
    st.sampled_from(
        [
            '"id":2', '"i\\u0064":3', '"\\u006Dethod":"x"', '"method":"x"', '"result":{"id":4}', '"error":0', '"jsonrpc":"2.0"',
            '"note":"\\"id\\":5"', '"x":",\\"jsonrpc\\":\\"2.0\\",\\"id\\":6}"', '"x":{"jsonrpc":"2.0","id":8}', '"id":null',
        ]
    ),
    max_size=2,
)  # fmt: skip


def written_answer(number, blank, before, after, *, is_last):
    head = [f'"jsonrpc":{blank}"2.0"', f'"id":{blank}{number}']
    body = ['"result":{}', *before]
    return "{" + f",{blank}".join([*body, *head, *after] if is_last else [*head, *body, *after]) + "}"


answers = st.builds(
    written_answer, ids, st.sampled_from(["", " ", "\n", "\x0c"]), extras, extras, is_last=st.booleans()
)


def pairs_of(text):
    return json.loads(text, object_pairs_hook=list, parse_int=str, parse_float=str, parse_constant=str)


@given(st.binary() | texts.map(to_frame) | answers.map(to_frame))
@example(b"")
@example(b"\xef\xbb\xbf {}")
@example(b"[" * 100_000)
@example(b'{"a":' * 100_000)
@example(b'{"id":' + b"9" * 100_000 + b"}")
@example(b'{"id":NaN,"method":"x"}')
@example(b'[{"id":"\\ud800"}, {}]')
@example(b'{"id":"\xed\xa0\x80"}')
@example(b"[[]]")
@example(b"{} {}")
def test_any_frame_is_read_or_is_not(frame):
    messages = read_messages(frame)

    assert (peek_answer(frame) or "").isascii()
    for message in messages or ():
        assert message.key is None or json.loads(message.key) == message.members["id"]
        assert not (message.is_request and message.is_answer)
        assert to_frame(message.text) in frame
        assert isinstance(message.members, dict)
        key_of_cancelled(message)
    assert (first_message(frame) is not None) == (messages is not None and len(messages) == 1)


@given(answers)
@example('{"jsonrpc":"2.0","id":1,"result":{},"id":2}')
@example('{"jsonrpc":"2.0","id":1,"result":{},"\\u0069d":2}')
@example('{"jsonrpc":"2.0","id":1,"result":{},"method":"ping"}')
@example('{"result":{},"\\u006Dethod":"ping","jsonrpc":"2.0","id":1}')
@example('{"result":",\\"jsonrpc\\":\\"2.0\\",\\"id\\":6}"}')
@example('\x0c{"result":{},"jsonrpc":"2.0","id":1}')
def test_what_a_glance_tells_is_what_reading_tells(text):
    key = peek_answer(to_frame(text))
    if key is not None:
        (message,) = read_messages(to_frame(text))
        assert message.is_answer
        assert message.key == key


@pytest.mark.parametrize("number", ["0", "-1", "17", '"1"', '"a-b c"'])
@pytest.mark.parametrize("body", ['"result":{"content":[]}', '"error":{"code":-32602,"message":"\\"id\\":5"}'])
@pytest.mark.parametrize("blank", ["", " "])
def test_both_orders_in_which_answers_are_written_are_known_at_a_glance(number, body, blank):
    head = f'"jsonrpc":{blank}"2.0",{blank}"id":{blank}{number}'

    assert peek_answer(f"{{{head},{blank}{body}}}\n".encode()) == number
    assert peek_answer(f"{{{body},{blank}{head}}}\n".encode()) == number


def test_an_answer_of_ten_megabytes_is_known_without_being_read(monkeypatch):
    monkeypatch.delattr("errata.wire._messages._DECODER")
    head, body = b'"jsonrpc":"2.0","id":7', b'"result":{"content":[{"text":"' + b"x" * 10_000_000 + b'"}]}'

    assert peek_answer(b"{" + head + b"," + body + b"}") == "7"
    assert peek_answer(b"{" + body + b"," + head + b"}") == "7"


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("1", "1"), ('"1"', '"1"'), ("1.0", "1"), ("1e2", "100"), ("1.5", "1.5"), ("-0", "0"), ('"\\u0031"', '"1"'),
        ("9007199254740993", "9007199254740993"), ("null", None), ("true", None), ("[1]", None), ("NaN", None),
        ("-Infinity", None), ("1e999", None), ("9" * 5000, None), ('""', '""'),
    ],
)  # fmt: skip
def test_an_id_is_known_by_its_kind_and_value(written, key):
    assert first_message(f'{{"id":{written},"method":"ping"}}'.encode()).key == key


@given(objects, names, texts)
@example('{"a":1,"a":2}', "a", "3")
@example('{"a":{"a":1},"b":"\\"a\\":1"}', "a", "2")
@example('{ "\\u0061" : 1.0 }', "a", "12345678901234567890")
def test_an_edit_changes_one_member_and_leaves_all_other_bytes(text, name, value):
    name = json.loads(f'"{name}"')
    before, edited = pairs_of(text), edit_object(text, {name: value})
    counting = [key for key, _ in before]
    if name not in counting:
        assert pairs_of(edited) == [*before, (name, pairs_of(value))]
        kept, _, end = edited.rpartition(("," if before else "") + f"{write_json(name)}:{value}")
        assert kept + end == text
        return
    last = len(counting) - 1 - counting[::-1].index(name)
    assert [pair for number, pair in enumerate(pairs_of(edited)) if number != last] == before[:last] + before[
        last + 1 :
    ]
    old = member_text(text, name)
    start = next(start for start in range(len(text)) if text[:start] + value + text[start + len(old) :] == edited)
    assert text[start:].startswith(old)
    assert member_text(edited, name) == value
    assert edit_object(edited, {name: old}) == text


@given(objects, names)
def test_the_text_of_a_member_is_what_stands_there_for_the_last_one_of_that_name(text, name):
    name = json.loads(f'"{name}"')
    found = member_text(text, name)
    values = dict(pairs_of(text))

    assert (found is None) == (name not in values)
    if found is not None:
        assert found in text
        assert pairs_of(found) == values[name]


@given(arrays, st.data())
def test_items_are_replaced_and_all_others_left(text, data):
    items = pairs_of(text)
    given_items = data.draw(st.lists(st.none() | texts, min_size=len(items), max_size=len(items)))
    replaced = replace_items(text, given_items)

    assert pairs_of(replaced) == [
        old if new is None else pairs_of(new) for old, new in zip(items, given_items, strict=True)
    ]
    assert replace_items(text, [None] * len(items)) == text


@given(objects, st.dictionaries(names, st.sampled_from(["a", "new", '"']), max_size=2))
@example('{"a":1,"a":2}', {"a": "new"})
def test_members_with_another_name_keep_their_values(text, renamed):
    renamed = {json.loads(f'"{old}"'): new for old, new in renamed.items()}

    assert pairs_of(edit_object(text, {}, renamed=renamed)) == [
        (renamed.get(name, name), value) for name, value in pairs_of(text)
    ]


@pytest.mark.parametrize(
    ("text", "edited"),
    [
        ("{}", '{"n":0}'),
        ("{ }", '{"n":0 }'),
        ('{"a":1}', '{"a":1,"n":0}'),
        ('{"n":1,"n":2}', '{"n":1,"n":0}'),
        ('{"\\u006e" : 12345678901234567890 }', '{"\\u006e" : 0 }'),
        ('{"n":[{"n":"]}"}],"b":1.0}', '{"n":0,"b":1.0}'),
    ],
)
def test_one_member_is_edited_or_added(text, edited):
    assert edit_object(text, {"n": "0"}) == edited


def test_what_is_no_object_has_no_members():
    assert member_text('[{"a":1}]', "a") is None
    assert member_text('"{\\"a\\":1}"', "a") is None
    with pytest.raises(ValueError, match="no object"):
        edit_object('[{"a":1}]', {"a": "2"})


@given(st.binary(max_size=60) | arrays.map(to_frame))
def test_bytes_that_are_no_utf_8_go_out_as_they_came(frame):
    assert to_frame(frame.decode("utf-8", "surrogateescape")) == frame


@given(st.lists(objects, min_size=1, max_size=4), blanks)
def test_a_batch_is_its_messages_as_they_are_written(items, blank):
    frame = to_frame("[" + f"{blank},{blank}".join(items) + "]")

    assert [message.text for message in read_messages(frame)] == items
    assert [message.members for message in read_messages(frame)] == [
        read_messages(to_frame(item))[0].members for item in items
    ]


@given(st.recursive(st.floats() | st.text() | st.integers(), lambda inner: st.lists(inner, max_size=3), max_leaves=4))
@example(float("inf"))
@example("\ud800 and \udcff")
def test_what_is_written_is_json_on_one_line_and_can_be_sent(value):
    text = write_json(value)

    assert "\n" not in text
    assert to_frame(text).decode()
    json.loads(text, parse_constant=pytest.fail)


def test_what_was_read_can_be_edited_by_who_has_more_callers():
    deepest = next(
        depth for depth in range(sys.getrecursionlimit(), 0, -1) if read_messages(b'[{"a":' + b"[" * depth + b"]" * depth + b"}]")
    )  # fmt: skip
    (message,) = read_messages(b'[{"a":' + b"[" * deepest + b"]" * deepest + b"}]")

    def call_deeper(levels):
        return call_deeper(levels - 1) if levels else edit_object(message.text, {"b": "1"})

    assert call_deeper(20) == message.text[:-1] + ',"b":1}'


def test_a_member_among_a_hundred_thousand_brackets_is_found():
    text = '{"a":' + "[" * 100_000 + "]" * 100_000 + ',"b":1}'

    assert read_json(text) is None
    assert member_text(text, "b") == "1"


@given(st.sampled_from([1, 1.0, "1", True, None, [], {}]), st.sampled_from(["x", None, 5]), st.booleans())
def test_a_message_is_a_request_an_answer_or_neither(number, method, has_result):
    members = {"id": number} | ({"method": method} if method else {}) | ({"result": 0} if has_result else {})
    message = Message("", members)
    assume(message.key is not None)

    assert message.is_request == (method == "x")
    assert message.is_answer == (method != "x" and has_result)


def test_a_cancellation_names_its_request():
    assert key_of_cancelled(first_message(b'{"method":"c","params":{"requestId":"7"}}')) == '"7"'
    assert key_of_cancelled(first_message(b'{"method":"c","params":[7]}')) is None


def test_an_array_that_is_longer_than_any_batch_is_read_by_nobody():
    assert len(read_messages(b"[" + b",".join([b"{}"] * 1_000) + b"]") or ()) == 1_000
    assert read_messages(b"[" + b",".join([b"{}"] * 1_001) + b"]") is None
