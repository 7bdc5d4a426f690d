"""Whatever an author attaches, it leaves as JSON. docs/data.md is this file in prose."""

import collections
import dataclasses
import datetime as dt
import decimal
import enum
import json
import pathlib
import re
import types
import uuid

import pydantic
import pytest
from hypothesis import given, strategies as st
from support.strategies import json_values

from errata.redaction._jsonable import DEPTH, SIZE, jsonable, jsonable_object, repair_unicode, text_of


class Colour(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


@dataclasses.dataclass
class Order:
    number: int
    token: str = dataclasses.field(repr=False, default="hidden")


class Owner(pydantic.BaseModel):
    name: str
    token: str = pydantic.Field(default="hidden", repr=False)
    key: pydantic.SecretStr = pydantic.SecretStr("hidden")


class Model(pydantic.BaseModel):
    id: int
    owner: Owner


class Plain:
    pass


class Mean:
    def __str__(self):
        raise RuntimeError("no text for you")


class MeanMapping(collections.abc.Mapping):
    def __getitem__(self, key):
        raise RuntimeError(key)

    def __iter__(self):
        raise RuntimeError("no keys for you")

    def __len__(self):
        return 3


class Liar(str):
    __slots__ = ()

    def __str__(self):
        return 42  # noqa: PLE0307 - a lie is the point.


class Endless(collections.abc.Mapping):
    """Has a next entry whatever happens."""

    def __getitem__(self, key):
        return "x" * 100

    def __iter__(self):
        number = 0
        while True:
            yield number
            number += 1

    def __len__(self):
        return 10**9


DECIDED = {
    "nan": (float("nan"), None),
    "infinity": (float("-inf"), None),
    "bytes that are text": (b"caf\xc3\xa9", "café"),
    "bytes that are not": (b"\xff\x00", "\\xff\x00"),
    "set": ({"b", "a"}, ["a", "b"]),
    "tuple": ((1, 2), [1, 2]),
    "deque": (collections.deque([1, 2]), [1, 2]),
    "range": (range(3), [0, 1, 2]),
    "dict view": ({"a": 1}.keys(), ["a"]),
    "datetime": (dt.datetime(2026, 11, 15, 12, tzinfo=dt.UTC), "2026-11-15T12:00:00+00:00"),
    "date": (dt.date(2026, 11, 15), "2026-11-15"),
    "time": (dt.time(12, 30), "12:30:00"),
    "timedelta": (dt.timedelta(seconds=90), "0:01:30"),
    "decimal": (decimal.Decimal("1.10"), "1.10"),
    "uuid": (uuid.UUID(int=7), "00000000-0000-0000-0000-000000000007"),
    "path": (pathlib.PurePosixPath("/a/b"), "/a/b"),
    "enum": (Colour.RED, "red"),
    "int enum": (Level.HIGH, 3),
    "named tuple": (collections.namedtuple("Pair", "a b")(1, 2), {"a": 1, "b": 2}),  # noqa: PYI024
    "dataclass": (Order(17), {"number": 17}),
    "pydantic model": (
        Model(id=7, owner=Owner(name="x")),
        {"id": 7, "owner": {"name": "x", "key": "**********"}},
    ),
    "exception": (ValueError("bad"), "ValueError: bad"),
    "object": (Plain(), f"<{__name__}.Plain object>"),
    "class": (Plain, str(Plain)),
    "namespace": (types.SimpleNamespace(a=1), "namespace(a=1)"),
    "__str__ that raises": (Mean(), "<Mean>"),
    "mapping that raises": (MeanMapping(), "<MeanMapping>"),
    "text that lies": (Liar("truth"), "truth"),
    "lone surrogate": ("a\ud800b", "a\ufffdb"),
    "surrogate pair": ("\ud83d\ude00", "😀"),
    "integer too long to print": (10**5000, "[integer of 16610 bits]"),
    "odd keys": (
        {None: "b", False: "c", 2.5: "d", (1, 2): "e"},
        {"null": "b", "false": "c", "2.5": "d", "(1, 2)": "e"},
    ),
    "keys that collide": ({1: "a", "1": "b"}, {"1": "a", "1~2": "b"}),
    "key that raises": ({Mean(): 1}, {"<Mean>": 1}),
    "enum as key": ({Colour.RED: 1}, {"red": 1}),
}


@pytest.mark.parametrize(("value", "expected"), DECIDED.values(), ids=DECIDED.keys())
def test_every_kind_of_value_is_decided(value, expected):
    assert jsonable({"value": value}) == {"value": expected}


def test_an_iterator_is_not_used_up():
    letters = (letter for letter in "ab")

    assert re.fullmatch(r"<generator object <?\S+>", jsonable(letters))
    assert list(letters) == ["a", "b"]


def test_a_cycle_is_cut():
    order = {"number": 17}
    order["self"] = order
    order["list"] = [order]

    assert jsonable(order) == {"number": 17, "self": "[cycle]", "list": ["[cycle]"]}


def test_the_same_thing_twice_is_no_cycle():
    shared = [1]

    assert jsonable([shared, shared]) == [[1], [1]]


@pytest.mark.parametrize("wrap", [lambda inner: [inner], lambda inner: {"a": inner}], ids=["lists", "objects"])
def test_deep_nesting_is_cut(wrap):
    value = "core"
    for _ in range(100_000):
        value = wrap(value)

    plain = jsonable(value)

    assert json.dumps(plain).count("a" if isinstance(plain, dict) else "[[") <= DEPTH + 1
    assert "[nested too deep]" in json.dumps(plain)


@pytest.mark.parametrize(
    "value",
    [
        "x" * 10**7,
        ["x" * 1000] * 10_000,
        dict.fromkeys(range(10**6), "x"),
        list(range(10**6)),
        range(10**9),
        Endless(),
        {"k" * 10**7: "v" * 10**7},
        [[["x" * 300] * 50] * 50] * 50,
        [2**1023] * 7000,
        frozenset(range(10**6)),
    ],
    ids=["text", "texts", "entries", "numbers", "range", "no end", "key", "nested", "long numbers", "set"],
)
def test_a_large_value_is_cut_to_size_and_says_so(value):
    written = json.dumps(jsonable(value), ensure_ascii=False)

    assert len(written) <= SIZE
    assert "cut]" in written or "more]" in written


@given(st.integers(1, 200), json_values)
def test_converting_again_changes_nothing(repeat, value):
    once = jsonable([value] * repeat, size=4000)

    assert jsonable(once, size=4000) == once
    json.dumps(once, allow_nan=False).encode()


@given(json_values)
def test_plain_json_of_a_usual_size_is_copied_as_it_is(value):
    def finite(found):
        match found:
            case float():
                return found if found - found == 0 else None
            case dict():
                return {repair_unicode(key): finite(item) for key, item in found.items()}
            case list():
                return list(map(finite, found))
            case str():
                return repair_unicode(found)
            case _:
                return found

    if all(abs(number) < 2**1024 for number in _integers(value)):
        assert jsonable(value) == finite(value)


def _integers(value):
    match value:
        case bool():
            return []
        case int():
            return [value]
        case dict():
            return [number for item in value.values() for number in _integers(item)]
        case list():
            return [number for item in value for number in _integers(item)]
        case _:
            return []


def test_a_great_many_empty_lists_are_counted_and_cut():
    tree = []
    for _ in range(40):
        tree = [tree, tree]

    assert "more]" in json.dumps(jsonable(tree, size=10**9, depth=100))


@pytest.mark.parametrize("value", ["x" * 65_530, [[]] * 32_000, b"x" * 10**6])
def test_an_object_made_of_something_else_stays_as_it_is(value):
    once = jsonable_object(value)

    assert list(once) == ["value"]
    assert jsonable_object(once) == once


def test_data_that_is_no_object_becomes_one():
    assert jsonable_object([1, 2]) == {"value": [1, 2]}
    assert jsonable_object("text") == {"value": "text"}
    assert jsonable_object(None) == {}


def test_text_of_never_raises():
    assert text_of(Mean()) == "<Mean>"
    assert text_of(Liar("truth")) == "<Liar>"
    assert text_of(ValueError("bad")) == "bad"
