"""Redacting takes time in proportion to the text: shown by what is read of it, because a clock would show the machine."""

import re

import pytest
from support.redaction_patterns import all_patterns, costly_repeats
from support.secret_fragments import three_parts, two_parts

from errata import redact_data
from errata.redaction import _header_values, _key_value_pairs, _tables_and_sql
from errata.redaction._spans import free_name

LENGTH = 800


def test_no_search_walks_far_and_fails():
    costly = {pattern.pattern: repeats for pattern in all_patterns() if (repeats := costly_repeats(pattern))}

    assert costly == {}


def test_a_repeat_that_could_walk_far_and_fail_is_noticed():
    assert costly_repeats(re.compile(r"a\w+;"))
    assert costly_repeats(re.compile(r"(?:ab*c){0,3}"))
    assert costly_repeats(re.compile(r"a(?=\s*$)"))
    assert costly_repeats(re.compile(r"a(?:x|b+c)"))
    assert not costly_repeats(re.compile(r"a\w{1,40};b+"))
    assert not costly_repeats(re.compile(r"a(?:/b+)*c?"))


class Reader:
    """Counts the characters that are read of a text."""

    def __init__(self):
        self.count = 0

    def text(self, text):
        return _Read(text, self)

    def pattern(self, pattern):
        return _Matched(pattern, self)


class _Read(str):
    """A text of which every part that is taken, and every part that is searched, is counted."""

    __slots__ = ("_reader",)

    def __new__(cls, text, reader):
        made = super().__new__(cls, text)
        made._reader = reader
        return made

    def __getitem__(self, key):
        part = super().__getitem__(key)
        self._reader.count += len(part)
        return part

    def find(self, sign, start=0, end=None):
        at = super().find(sign, start, len(self) if end is None else end)
        self._reader.count += (len(self) if at < 0 else at) - start
        return at


class _Matched:
    """A pattern whose matches are counted."""

    def __init__(self, pattern, reader):
        self._pattern = pattern
        self._reader = reader

    def match(self, text, *positions):
        found = self._pattern.match(text, *positions)
        self._reader.count += len(found[0]) if found else 1
        return found


@pytest.fixture
def reader(monkeypatch):
    reader = Reader()
    for module, names in (
        (_key_value_pairs, ["_BARE", "_TO_ANGLE", "_TO_QUERY", "_MORE"]),
        (_header_values, ["_WORD", "_PARAMETERS", "_CRUMB"]),
    ):
        for name in names:
            monkeypatch.setattr(module, name, reader.pattern(getattr(module, name)))
    return reader


def _read(reader, layer, unit, length):
    text = unit * (length // len(unit))
    reader.count = 0
    list(layer(reader.text(text), reader.text(text.lower())))
    return reader.count


@pytest.mark.parametrize("layer", [_key_value_pairs.find_pairs, _tables_and_sql.find_rows], ids=["pairs", "rows"])
def test_twice_the_text_is_twice_the_reading(reader, layer):
    units = [*two_parts()[::5], *three_parts(200)]  # All of them are in benchmarks/redacting.py.
    dear = [
        (unit, once, twice)
        for unit in units
        if (twice := _read(reader, layer, unit, 2 * LENGTH)) > 2.5 * (once := _read(reader, layer, unit, LENGTH)) + 500
    ]

    assert dear == []


def test_reading_again_and_again_is_noticed(reader):
    def again(text, _):
        yield from (text.find("x", start) for start in range(0, len(text), 10))

    assert _read(reader, again, "ab", 2 * LENGTH) > 3 * _read(reader, again, "ab", LENGTH)


def test_names_that_became_alike_are_told_apart_in_one_step_each():
    class Counted(dict):
        asked = 0

        def __contains__(self, name):
            Counted.asked += 1
            return super().__contains__(name)

    taken = Counted({f"a~{number}": 1 for number in range(2, 500)})
    taken["a"] = 1
    for _ in range(400):
        taken[free_name("a", taken)] = 1

    assert Counted.asked < 2_500
    assert len(redact_data({f"{name}@acme.io": 1 for name in "abc"})) == 3
