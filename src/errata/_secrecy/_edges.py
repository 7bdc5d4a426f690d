"""Where a word begins in text that went through other hands: after an escape, a colour or a percent sign, too."""

BEGAN = (
    r"(?:(?<![A-Za-z0-9].)"
    r"|(?<=\\[nrtbf0].)"  # A newline or a tab that somebody escaped: `\nAKIA…`
    r"|(?<=%[0-9A-Fa-f]{2}.)"  # `token%3DAKIA…`
    r"|(?<=\\u00[0-9A-Fa-f]{2}.)|(?<=\\x[0-9A-Fa-f]{2}.)"
    r"|(?<=\x1b\[[0-9]m.)|(?<=\x1b\[[0-9]{2}m.)|(?<=\x1b\[[0-9];[0-9]{2}m.))"
)
"""Matches behind the first letter of a word. Before it, it would have to be tried at every letter of a text."""

QUOTE = r"""(?:\\{0,7}["'`]|%2[27]|&quot;|&\#3[49];|\\u002[27]|\\x2[27])"""
"""Matches a quotation mark, however often it was escaped."""

COLOUR = r"(?:(?:\x1b|\\x1b|\\u001[bB]|\\033)\[[0-9;]{0,16}+m)"
"""Matches what makes the following text coloured in a terminal, as it is or escaped."""
