"""The matcher answers as trying one regular expression after the other does, and no text makes it slow."""

import pytest
from hypothesis import example, given, strategies as st
from support import reference_matcher

from errata import Code
from errata.classification._matcher import BadPhraseError, Matcher, split_phrase
from errata.classification._patterns import COMMON, PROVIDERS, ROWS, SHARPER
from errata.classification._words import spell_out

ROWS_OF_PHRASES = [row.phrases for row in ROWS]
TABLE = Matcher(ROWS_OF_PHRASES)
REFERENCE = reference_matcher.compiled(ROWS_OF_PHRASES)
WORDS = sorted({word for row in ROWS for phrase in row.phrases for piece in split_phrase(phrase) for _, word in piece})

# What stands between words in the wild, and what only looks like it: NBSP, other Unicode space, control characters.
between = st.sampled_from(
    [" '", "' ", '"', " ", "  ", "\n", "\t", "_", "-", " - ", "\u00a0", "\u2003", "\u3000", "\u200b", "\x1c", "\x85", "", ".", ": ",
     ":", "=", "(", "['", ", ", "'", "\u2019", "/", "\0", " … ", "·", "\r\n", "é"]
)  # fmt: skip
# The long s, the Kelvin sign, the dotted I and the dotless i are letters that ignoring case takes for s, k and i.
case = st.sampled_from([
    str, str.upper, str.title, str.swapcase, lambda word: word.replace("s", "\u017f"), lambda word: word.replace("k", "\u212a"),
    lambda word: word.replace("i", "\u0130"), lambda word: word.replace("i", "\u0131"), lambda word: word.replace("ss", "ß"), lambda word: word + "s",
    lambda word: "x" + word,
])  # fmt: skip
word = st.one_of(
    st.sampled_from(WORDS), st.sampled_from(["404", "429", "503", "200", "600", "4040", "٤٠٤"]), st.text(max_size=3)
)
texts = st.lists(st.tuples(case, word, between), max_size=12).map(
    lambda parts: "".join(change(each) + after for change, each, after in parts)
)
phrases = st.sampled_from([phrase for row in ROWS for phrase in row.phrases])


def one_of_the_phrases(phrase, fillings):
    text = phrase.replace("{status}", "429")
    for mark in (" … ", " ", ":"):
        text = text.replace(mark, fillings.pop() if fillings else mark)
    return text


@given(texts)
@example("not\nallowed")
@example("access granted\ndenied")
@example("connection\u00a0refused")
@example("STATUS CODE=503 and status code 404")
@example("state 'unauthorized' again")
@example("error 'unauthorized' again")
@example("tests/test_unauthorized.py")
@example("rate_limit_exceeded")
@example("invalid_order")
@example("timeouts and missing_fields")
@example("must be as")
def test_the_table_is_matched_as_the_reference_does_it(text):
    assert TABLE.first(text) == reference_matcher.first(REFERENCE, text)


@given(texts, phrases, st.lists(between, max_size=3), texts)
def test_a_phrase_inside_any_text_is_matched_as_the_reference_does_it(before, phrase, fillings, after):
    text = before + one_of_the_phrases(phrase, fillings) + after
    assert TABLE.first(text) == reference_matcher.first(REFERENCE, text)


SMALL_WORDS = st.sampled_from(["a", "b", "c", "{status}", "429"])
small_phrases = st.lists(SMALL_WORDS, min_size=1, max_size=4).flatmap(
    lambda words: st.lists(st.sampled_from([" ", "'", ":", " … "]), min_size=len(words) - 1, max_size=len(words) - 1).map(
        lambda glue: words[0] + "".join(mark + each for mark, each in zip(glue, words[1:], strict=True))
    )
).filter(lambda phrase: not ("{status}" in phrase and (" … " in phrase or phrase.count("{status}") > 1)))  # fmt: skip
small_texts = st.lists(
    st.tuples(st.sampled_from(["a", "B", "c", "429", "503", "d"]), st.sampled_from([" ", "\n", "'", ":", "_", "."])),
    max_size=14,
).map(lambda parts: "".join(map("".join, parts)))


@given(st.lists(st.lists(small_phrases, min_size=1, max_size=3), min_size=1, max_size=5), small_texts)
def test_any_table_is_matched_as_the_reference_does_it(rows, text):
    found, expected = Matcher(rows).first(text), reference_matcher.first(reference_matcher.compiled(rows), text)
    assert (found and found.row) == (expected and expected.row)


@pytest.mark.parametrize(
    "text",
    [
        "cancelled_orders view is stale",
        "unavailable_items list is empty",
        "tcp_connection_refused_total metric is broken",
        "column timeout_ms was dropped",
        "/srv/not_found/timeout.log is full of lines",
        "tests/test_unauthorized.py crashed",
        "conflict-resolver-v2 crashed",
        "TimeoutScheduler crashed",
        "NotFoundPageRenderer crashed",
        "unexpected state 'unauthorized' in machine",
    ],
)
def test_a_name_that_holds_a_phrase_does_not_say_it(text):
    assert TABLE.first(spell_out(text)) is None


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("channel_not_found", Code.NOT_FOUND),
        ("auth/invalid-api-key", Code.UNAUTHORIZED),
        ("user_not_found_error", Code.NOT_FOUND),
        ("rate_limit_exceeded", Code.RATE_LIMITED),
        ('{"error": "unauthorized"}', Code.UNAUTHORIZED),
        ('upstream said "timeout"', Code.TIMEOUT),
        ("AccessDeniedException", Code.FORBIDDEN),
        ("InvalidOrder", Code.VALIDATION_FAILED),
        ("EISDIR: illegal operation on a directory, read", Code.INVALID_PARAMS),
        ("451 Unavailable For Legal Reasons", Code.FORBIDDEN),
        ("net/http: TLS handshake timeout", Code.TIMEOUT),
        ("merge conflicts", Code.CONFLICT),
        ("RangeError: Maximum call stack size exceeded", Code.INTERNAL_ERROR),
    ],
)
def test_a_word_that_libraries_use_says_what_it_says(text, code):
    assert ROWS[TABLE.first(spell_out(text)).row].code is code


@pytest.mark.parametrize(
    "bad", ["", " ", "a ", " a", "a  b", "A", "a.b", "a|b", "a.*b", "a…b", "… a", "a …", "a-b", "{code}", "é", "a\n"]
)
def test_what_is_no_phrase_is_refused(bad):
    with pytest.raises(BadPhraseError):
        split_phrase(bad)


@pytest.mark.parametrize(
    "text",
    [
        "not logged " * 100_000,
        "access " * 100_000,
        "a" * 1_000_000,
        "A" * 1_000_000,
        " " * 1_000_000,
        "status code:" * 100_000,
        "429" * 300_000,
        "\n".join(["not"] * 100_000),
        " ".join(WORDS) * 100,
    ],
)
def test_a_megabyte_of_anything_is_read_in_one_pass(text):
    TABLE.first(spell_out(text))


def test_no_phrase_is_written_twice_in_a_table():
    for table in (SHARPER, PROVIDERS, COMMON):
        written = [phrase for row in table for phrase in row.phrases]
        assert len(written) == len(set(written)), sorted({each for each in written if written.count(each) > 1})


def written_out(phrase):
    return phrase.replace("{status}", "418").replace(":", ": ").replace(" … ", " of it ")


@pytest.mark.parametrize("row", range(len(SHARPER)))
def test_every_phrase_of_the_sharper_rows_finds_its_own_row(row):
    found = {phrase: TABLE.first(written_out(phrase)) for phrase in SHARPER[row].phrases}
    assert not {phrase: hit for phrase, hit in found.items() if hit is None or hit.row != row}


@pytest.mark.parametrize("row", SHARPER, ids=lambda row: str(row.code))
def test_no_phrase_stands_beside_a_shorter_one_that_says_the_same(row):
    shortest_first = sorted(row.phrases, key=len)
    matcher = Matcher([[phrase] for phrase in shortest_first])
    found = {phrase: shortest_first[matcher.first(written_out(phrase)).row] for phrase in shortest_first}
    assert not {phrase: shorter for phrase, shorter in found.items() if shorter != phrase}
