"""Where a word begins in text that went through other hands, and where the value behind a name ends.

A word may begin after an escape, a colour or a percent sign, too.
"""

import re

BEGAN = (
    r"(?:(?<![A-Za-z0-9].)"
    r"|(?<=\\[nrtbf0].)"  # A newline or a tab that somebody escaped: `\nAKIA…`
    r"|(?<=%[0-9A-Fa-f]{2}.)"  # `token%3DAKIA…`
    r"|(?<=\\u00[0-9A-Fa-f]{2}.)|(?<=\\x[0-9A-Fa-f]{2}.)"
    r"|(?<=\x1b\[[0-9]m.)|(?<=\x1b\[[0-9]{2}m.)|(?<=\x1b\[[0-9];[0-9]{2}m.))"
)
"""Matches behind the first letter of a word. Before it, it would have to be tried at every letter of a text."""

QUOTE = r"""(?:\\{0,7}["'`]|%2[27]|&quot;|&apos;|&\#3[49];|&\#x2[27];|\\u002[27]|\\x2[27])"""
"""Matches a quotation mark, however often it was escaped."""

COLOUR = r"(?:(?:\x1b|\\x1b|\\u001[bB]|\\033)\[[0-9;]{0,16}+m)"
"""Matches what makes the following text coloured in a terminal, as it is or escaped."""

# fmt: off
UNSEEN = (
    r"\u200b-\u200f\u2060-\u206f\ufeff"      # Of no width, the joiners among them.
    r"\u061c\u202a-\u202e"                   # They turn the direction of reading.
    r"\xad\u034f\u180b-\u180f"
    r"\ufe00-\ufe0f\U000e0000-\U000e0fff"    # Selectors of variants; tags: the letters of ASCII once more.
    r"\u115f\u1160\u17b4\u17b5\u3164\uffa0"  # Letters without a glyph.
    r"\ufff0-\ufffb\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
)
# fmt: on
"""The characters that nobody sees, as a class of `re`; they may stand in the middle of a name or a token."""
INVISIBLE = re.compile(f"[{UNSEEN}]")


def lowered(text: str) -> str:
    """Make lower case without moving a letter; one letter of Unicode becomes two."""
    return text.lower() if text.isascii() else text.replace("\u0130", "i").lower()


class Ends:
    """Where runs of a text end; each run is walked through once, however many names stand in it.

    What a run is made of says where it ends, and not where in it somebody begins to look. So the end that was found from
    one position holds for all positions up to it, and all looking together costs one walk through the text.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._runs: dict[re.Pattern[str], tuple[int, int]] = {}
        self._signs: dict[str, tuple[int, int]] = {}

    def run(self, pattern: re.Pattern[str], start: int) -> int:
        """Find how far a pattern of single characters goes on from a position."""
        begin, end = self._runs.get(pattern, (0, -1))
        if not begin <= start < end:
            found = pattern.match(self.text, start)
            begin, end = start, found.end() if found else start
            self._runs[pattern] = begin, end
        return end

    def sign(self, sign: str, start: int) -> int:
        """Find the next place of a sign, or the end of the text."""
        begin, at = self._signs.get(sign, (0, -1))
        if not begin <= start <= at:
            at = self.text.find(sign, start)
            at = len(self.text) if at < 0 else at
            self._signs[sign] = start, at
        return at
