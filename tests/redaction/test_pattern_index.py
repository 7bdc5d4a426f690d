"""Patterns that are tried only where they may match find what searching all of a text for each of them finds."""

from pathlib import Path

import pytest
from support import log_lines

from errata.redaction import _commands, _token_formats
from errata.redaction._pattern_index import read_heads
from errata.redaction._spans import find_word_starts, match_at

HERE = Path(__file__).parent
TEXTS = [
    *(path.read_text(encoding="utf-8") for path in sorted(HERE.glob("*.txt"))),
    "\n".join(template for template, _ in log_lines.DIRTY),
    "\n".join(log_lines.CLEAN),
]


@pytest.mark.parametrize(
    "index",
    [_commands._COMMAND_INDEX, _commands._STATEMENT_INDEX, _commands._LOGIN_INDEX],
    ids=["commands", "statements", "logins"],
)
@pytest.mark.parametrize("text", TEXTS)
def test_an_index_finds_what_each_of_its_patterns_finds(index, text):
    patterns = {pattern for row in index._by_head.values() for pattern in row}
    through_index = {
        (pattern, match.span()) for pattern, match in index.search(text, text.lower()) if pattern in patterns
    }

    assert through_index == {(pattern, match.span()) for pattern in patterns for match in pattern.finditer(text)}
    assert len(patterns) > 20


@pytest.mark.parametrize("text", TEXTS)
def test_tokens_are_found_wherever_their_formats_match(text):
    covered = [range(start, end) for start, end, _ in _token_formats.find_tokens(text, text)]
    patterns = [_token_formats._compile_late(pattern) for _, table in _token_formats._TABLES for _, pattern in table]
    for match in (match for pattern in patterns for match in pattern.finditer(text)):
        assert any(match.start() in span and match.end() - 1 in span for span in covered), match[0]


@pytest.mark.parametrize("text", TEXTS)
def test_a_word_begins_at_one_of_the_starts_of_words(text):
    begins = _token_formats._compile_late("^[A-Za-z0-9]")
    expected = [match.span() for match in begins.finditer(text)]

    assert [match.span() for match in match_at(begins, text, find_word_starts(text))] == expected


@pytest.mark.parametrize(
    ("pattern", "heads"),
    [
        (r"createUser\s{1,8}x", {"cre"}),
        (r"(?:get|\$|by\w{0,12})\(x", {"get", "$(x", "by"}),
        (r"(?:set)?user\s", {"set", "use"}),
        (r"(?<=:\s)(?-i:PSK|EAP)\s", {"psk", "eap"}),
        (r"-[ul]\s", {"-u", "-l"}),
        (r"s:\d{1,4}", {"s:"}),
        (r"[a-z]{1,4} LOGIN", {""}),
        (r"a+b", {"a"}),
        (r"(?:ab){2}", {""}),
    ],
)
def test_the_first_letters_of_a_pattern_are_read_from_it(pattern, heads):
    assert read_heads(pattern) == heads
