"""What foreign text may do on its way out: be read."""

import sys
import unicodedata

import pytest
from hypothesis import given, strategies as st
from support.hostile_texts import (
    FORGED,
    KEPT,
    LINE_BREAKS,
    LOADING,
    RENDERED_NOW,
    SHOWN,
    UNSEEN,
    UNSEEN_NOW,
    hostile_texts,
)

from errata import redact
from errata.redaction._foreign_text import (
    defuse_json,
    defuse_markup,
    make_data_visible,
    make_visible,
    put_on_one_line,
    quote_labels,
    quote_name,
    quote_words,
)
from errata.redaction._ways_out import line_of, prose_within, redact_within

EVERY_WAY = pytest.mark.parametrize(
    "way", [make_visible, put_on_one_line, defuse_markup, defuse_json, quote_labels, line_of]
)


@pytest.mark.parametrize("text", UNSEEN.values(), ids=UNSEEN)
def test_what_is_not_seen_is_dropped(text):
    assert all(letter.isprintable() for letter in make_visible(f"x{text}y"))
    assert not UNSEEN_NOW.search(make_visible(f"x{text}y"))
    assert "\\" not in make_visible(f"x{text}y")


@pytest.mark.parametrize("text", SHOWN.values(), ids=SHOWN)
def test_what_has_no_glyph_is_shown_by_its_number(text):
    assert make_visible(text) == "".join(f"\\u{{{ord(letter):x}}}" for letter in text)


@pytest.mark.parametrize("text", KEPT)
def test_what_makes_a_word_or_an_emoji_stays(text):
    assert make_visible(f"x {text} y") == f"x {text} y"


@pytest.mark.parametrize("line_break", LINE_BREAKS, ids=ascii)
def test_every_line_break_is_one_and_none_on_one_line(line_break):
    assert make_visible(f"a{line_break}b") == "a\nb"
    assert put_on_one_line(f"a{line_break}b\t{line_break}") == "a b"


def test_no_character_is_left_that_neither_a_glyph_nor_a_blank_stands_for():
    left = "".join(make_visible(chr(number)) for number in range(sys.maxunicode + 1))

    assert {unicodedata.category(letter) for letter in set(left) - set("\n\t")}.isdisjoint(
        {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
    )
    assert not UNSEEN_NOW.search(left)


def test_no_character_breaks_a_line_that_is_one():
    text = "".join(map(chr, range(sys.maxunicode + 1)))

    assert len(put_on_one_line(text).splitlines()) == 1


@pytest.mark.parametrize("text", LOADING)
def test_nothing_loads_and_every_word_can_be_read(text):
    safe = defuse_markup(f"see {text}")

    assert not RENDERED_NOW.search(safe)
    assert safe.replace(" ", "") == f"see {text}".replace(" ", "")


def test_a_definition_of_a_link_leads_nowhere():
    assert defuse_markup("x\n  [x]: https://evil.example\n> [y z]: /") == "x\n  [x] : https://evil.example\n> [y z] : /"


@pytest.mark.parametrize(
    "text",
    [
        "https://example.com/a?b=c",
        "<class 'int'>",
        "File <string>, in <module>",
        "a < b",
        "x[0][1]",
        "<Response [404]>",
    ],
)
def test_what_loads_nothing_stays_as_it_is(text):
    assert defuse_markup(text) == defuse_json(text) == text


@pytest.mark.parametrize("text", FORGED)
def test_a_label_of_ours_in_foreign_words_is_quoted(text):
    safe = quote_labels(f"no luck {text}")

    assert safe != f"no luck {text}"
    assert safe.replace('"', "") == f"no luck {text}"


@pytest.mark.parametrize("text", ["Retry-After: 3", "no-retry: x", '{"retry": 1}', "try a retry", "an error [17]: no"])
def test_what_only_looks_like_a_label_stays(text):
    assert quote_labels(text) == text


@EVERY_WAY
@given(text=hostile_texts | st.text())
def test_doing_it_twice_is_doing_it_once(way, text):
    assert way(way(text)) == way(text)


@given(text=hostile_texts | st.text(), limit=st.integers(20, 200))
def test_text_that_may_leave_may_leave_again(text, limit):
    for way in (redact_within, prose_within):
        once = way(text, limit)
        assert way(once, limit) == once
        assert len(once) <= limit
        assert not UNSEEN_NOW.search(once)


@given(text=hostile_texts)
def test_nothing_leaves_a_quotation(text):
    assert quote_words(text)[1:-1].count("›") == quote_words(text)[1:-1].count("‹") == 0
    assert quote_name(text)[1:-1].count("`") == 0
    assert "\n" not in quote_name(text)


@pytest.mark.parametrize(
    "inside", ["\u200b", "\xad", "\U000e0041", "\x1b[0m", "\ufe0f", "\x00", "\u200d", "\u2060", "\u115f"]
)
def test_nothing_unseen_inside_of_a_secret_hides_it(inside):
    secret = "sk-" + "proj-" + "Zb91kLmQ7xTt40vWcY8aRr2dNf6hJs3e"
    text = f"refused: {secret[:12]}{inside}{secret[12:]}"

    assert redact_within(text, 200) == redact(f"refused: {secret}")


def test_keys_that_become_alike_are_kept_apart():
    assert make_data_visible({"a": 1, "a\u200b": [{"b\x00": "c\u202e"}]}) == {"a": 1, "a~2": [{"b": "c"}]}


@pytest.mark.parametrize("beginning", ["\x1b", "\x1b[", "\x1b]0;", "\x9b", "\x1b(", "\x90"])
@pytest.mark.parametrize("filler", ["", "x" * 70_000])
def test_a_sequence_swallows_no_first_letter_of_a_secret(beginning, filler):
    secret = "pat2yW4Acq9GFz6Y6." + "fb6494384932af3bda62fe8102c0fa7a26774e22af3993a69e2ca7956518f224"
    shown = redact_within(f"no {beginning}{secret} {filler}", 8_000)
    assert secret[2:] not in shown
    assert not set(shown) & set("\x1b\x9b\x90")
