"""What foreign text may do on its way out: be read, and nothing else.

Foreign is every text that errata did not write itself: an author's message, an upstream's body, a program's output, the
name of a tool that a caller made up. docs/redaction.md says what becomes of each kind of character.

- `make_visible`: nothing in it that a reader does not see, or that a terminal obeys.
- `put_on_one_line`: the same, on one line, so that it cannot make a line of its own.
- `defuse_markup`: no Markdown and no HTML in it that loads or hides something when a client renders it.
- `quote_labels`: none of the labels in it that errata's own lines begin with.
- `quote_words`: in quotation marks that it cannot leave.

Each leaves text alone that has nothing of the kind, and doing it twice is the same as doing it once.
"""

import re
from typing import cast
from unicodedata import normalize

from errata.redaction._redact import redact
from errata.redaction._spans import UNSEEN, compile_late, free_name

LABELS: tuple[str, ...] = ("Recovery", "Alternative", "Tell the user", "Retry", "Reference")
"""What the lines of an answer begin with that are errata's own word."""

# fmt: off
_LINE_BREAKS = r"\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029"
_REST_OF_A_SEQUENCE = (  # … that a terminal obeys, behind its first character.
    r"(?:(?<=\x1b)\[|(?<=\x9b))[0-?]*[ -/]*[@-~]"                                                  # Colours, the cursor.
    r"|(?:(?<=\x1b)[\]PX^_]|(?<=[\x90\x98\x9d-\x9f]))[^\x07\x1b\x80-\x9f\r\n]*(?:\x07|\x1b\\|\x9c)"  # Titles, links, the clipboard.
    r"|(?<=\x1b)[ -/]*[0-~]"
)
_NEVER_SEEN = r"\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\ufdd0-\ufdef\ufffe\uffff" + UNSEEN
_EMOJI = r"\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u27bf\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_JOINED_SCRIPTS = r"\u0600-\u061b\u061d-\u109f\u1780-\u17b3\u17b6-\u180a\u1810-\u18af\ufb50-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc"
"""Arabic, the scripts of India and their neighbours, in which a joiner between two letters changes how a word is read."""
_MEANT = compile_late(
    rf"(?:(?<=[{_EMOJI}])|(?<=[{_EMOJI}]\ufe0f))\u200d(?=[{_EMOJI}])"
    rf"|(?<=[{_EMOJI}])\ufe0f|(?<=[0-9#*])\ufe0f(?=\u20e3)"
    rf"|(?<=[{_JOINED_SCRIPTS}])[\u200c\u200d](?=[{_JOINED_SCRIPTS}])"
)
_UNSEEN = compile_late(rf"[{_LINE_BREAKS}{_NEVER_SEEN}\u2800](?:(?<=\r)\n|{_REST_OF_A_SEQUENCE})?")
_REPLACED = dict.fromkeys("\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029", "\n") | {"\u2800": " "}
_BEGINNINGS = "\x1b\x90\x98\x9b\x9d\x9e\x9f"
"""What begins a sequence that a terminal obeys."""
_WITHOUT_BEGINNINGS = dict.fromkeys(map(ord, _BEGINNINGS))
_LONGEST_WITH_SEQUENCES = 64_000
"""Of a longer text only the beginnings of sequences are dropped: to look for secrets in all of it would take too long."""
_JOINERS = "\u200c\u200d\ufe0f"
_NEW_EMOJI = range(0x1F000, 0x1FB00)  # Where the next ones will be that this Python has not heard of.

_RUNS_LOADS_OR_HIDES = r"(?:script|style|template|title|textarea|xmp|plaintext|no(?:script|frames|embed)|iframe|svg|math|select|details|dialog)\b"
_TAG = (
    r"<(?=[A-Za-z!?])"                                                        # A tag, a comment or a link, unless …
    rf"(?!(?!(?i:{_RUNS_LOADS_OR_HIDES}))[A-Za-z][\w .'\[\]\-]{{0,60}}/?>)"  # … it is `<module>` or `<class 'int'>`.
)
_RENDERED = compile_late(rf"\](?=\()|!(?=\[)|{_TAG}")  # A link, an image, a tag.
_RENDERED_IN_JSON = compile_late(rf"\((?<=\]\()|\[(?<=!\[)|{_TAG}")
_DEFINITION = compile_late(r"(?m)^[ \t>*+\-0-9.)]*\[[^\[\]]{1,999}\](?=:)")
"""Where the links of a text may lead: `[x]: https://…` at the beginning of a line."""
_LABELLED = compile_late(
    rf"(?<![\w\-])(?i:{'|'.join(LABELS)})(?=[ \t]{{0,8}}:)|(?<![\w\-])(?i:error)(?=[ \t]?\[[A-Z_]{{2,40}}\]:)"
    rf"|(?m:^[ \t>*_#-]{{0,16}}+)(?P<dashed>(?i:{'|'.join(LABELS)}))(?=[ \t]{{1,8}}-[ \t])"
)
_QUOTED = compile_late(
    r"(?P<before>\b[\w-]{1,40}:?\s)?(?:"
    r"(?<!\w)'(?:[^'\n]|(?<=\w)'(?=\w)){1,300}'(?!\w)"
    r'|(?<!\w)"[^"\n]{1,300}"(?!\w)|(?<!\w)`[^`\n]{1,300}`|\u201c[^\u201d\n]{1,300}\u201d|\u00ab[^\u00bb\n]{1,300}\u00bb)'
)
# Behind these words stands what failed, not what it failed on: "Client error '429 Too Many Requests' for url …".
_INTRODUCES = frozenset([
    "answered", "cause", "code", "description", "detail", "error", "exception", "failure", "fault", "kind", "message", "msg",
    "reason", "response", "returned", "said", "says", "status", "type", "with",
])
_LINES_AND_TABS = re.compile(r"[\n\t]+")
_STEMS = (*map(str.lower, LABELS), "error [", "error[")
_LETTERS_THAT_LOOK_ALIKE = {
    "A": "\u0391\u0410", "B": "\u0392\u0412", "C": "\u0421\u03f9\u2ca4", "E": "\u0395\u0415", "I": "\u0399\u0406\u04c0", "O": "\u039f\u041e",
    "R": "\u13a1\ua4e3", "T": "\u03a4\u0422", "U": "\u054d", "a": "\u0430\u0251\u03b1", "c": "\u0441\u03f2", "e": "\u0435\u04bd\u212e",
    "f": "\u0192\u017f", "h": "\u04bb\u0570", "i": "\u0456\u0131\u03b9\u04cf", "l": "\u04cf\u01c0\u2223", "n": "\u0578\u057c\u043f", "o": "\u043e\u03bf\u0585",
    "r": "\u0433\u0280\u1d26", "s": "\u0455\ua731", "t": "\u0442\u03c4", "u": "\u03c5\u057d\u028b", "v": "\u03bd\u0475", "y": "\u0443\u04af\u028f\u03b3",
    ":": "\u2236\ua789\ufe55\uff1a\u02d0\u02f8\u0589\u05c3\u205a\u0703\u0704\u16ec\u205d\ufe13\ua4fd\u0903\u0a83", " ": "\u1680",
    "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d\u2500",
}
# fmt: on


class _Looks(dict[int, str]):
    """What each character looks like to a reader: a letter of ASCII, a blank, a colon or a dash, or itself."""

    def __missing__(self, number: int) -> str:
        character = chr(number)
        plain = normalize("NFKC", character)
        self[number] = look = plain if len(plain) == 1 else character
        return look


_LOOK = _Looks({ord(each): letter for letter, others in _LETTERS_THAT_LOOK_ALIKE.items() for each in others})


def make_visible(text: str) -> str:
    r"""Drop what a reader does not see or a terminal obeys, and make every line break `\n`.

    What joins the letters of a word or the parts of an emoji stays where it does that. A character that nobody has
    assigned, of private use or half of a pair is written as its number: `\u{e000}`.
    """
    if text.isprintable() and (text.isascii() or not _UNSEEN.search(text)):
        return text
    begins = any(map(text.__contains__, _BEGINNINGS))
    if begins and len(text) <= _LONGEST_WITH_SEQUENCES:
        text = redact(text)  # A sequence swallows letters behind it, which may be the first ones of a secret.
    elif begins:
        text = text.translate(_WITHOUT_BEGINNINGS)
    text = _UNSEEN.sub(_replace_unseen, text)
    if text.isascii() or text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return "".join(map(_show_character, text))


def make_data_visible(value: object) -> object:
    """Copy plain JSON so that every text in it, keys included, is visible."""
    match value:
        case str():
            return make_visible(value)
        case list():
            return [make_data_visible(item) for item in cast("list[object]", value)]
        case dict():
            plain: dict[str, object] = {}
            for key, item in cast("dict[str, object]", value).items():
                plain[free_name(make_visible(key), plain)] = make_data_visible(item)
            return plain
        case _:
            return value


def put_on_one_line(text: str) -> str:
    """Put foreign text on one line, visibly, so that it cannot pass itself off as the next one."""
    if text.isascii() and text.isprintable():
        return text.strip()
    return _LINES_AND_TABS.sub(" ", make_visible(text)).strip()


def defuse_markup(text: str) -> str:
    """Keep links, images and tags from working when a client renders a text; its words and addresses stay readable."""
    if _may_be_rendered(text):
        text = _RENDERED.sub(r"\g<0> ", text)
    return _DEFINITION.sub(r"\g<0> ", text) if "]:" in text else text


def defuse_json(text: str) -> str:
    """Keep links, images and tags in JSON from working, without changing what it says: by escapes of JSON."""
    return _RENDERED_IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", text) if _may_be_rendered(text) else text


def quote_labels(text: str) -> str:
    """Put the labels of errata's own lines into quotation marks, so that `Retry: yes` in a text does not read like ours.

    So are those that only look like them, with a Cyrillic letter or a colon of another script.
    """
    plain = text if text.isascii() else text.translate(_LOOK)
    lower = plain.lower()
    if not any(map(lower.__contains__, _STEMS)):
        return text
    opening, closing = "\u2039\u203a" if '"' in text else '""'  # JSON stays JSON.
    pieces, seen = list[str](), 0
    for match in _LABELLED.finditer(plain):
        start, end = match.span("dashed" if match["dashed"] else 0)
        pieces += (text[seen:start], opening, text[start:end], closing)
        seen = end
    return "".join((*pieces, text[seen:]))


def blank_quotations(text: str) -> str:
    """Return a text without what it quotes in prose; JSON and its like stay."""
    if not any(quote in text for quote in "'\"`\u201c\u00ab"):
        return text
    return _QUOTED.sub(_blank, text)


def _blank(quotation: re.Match[str]) -> str:
    """Blank a quotation that a word of prose stands before."""
    before = quotation["before"]
    if before is None or before.strip(": \n\t").lower() in _INTRODUCES:
        return quotation[0]
    return f"{before}\u2026"


def quote_words(text: str) -> str:
    """Put somebody's words into quotation marks, with none of the same kind in between."""
    return "\u2039" + re.sub("[\u2039\u203a]", "'", text) + "\u203a"


def unquote_words(text: str) -> str:
    """Remove the quotation marks that `quote_words` puts around somebody's words."""
    return text.replace("\u2039", "").replace("\u203a", "")


def quote_name(name: str) -> str:
    """Put a name that somebody else made up between backticks, with none in between."""
    return "`" + _LINES_AND_TABS.sub(" ", make_visible(name)).replace("`", "'") + "`"


def _may_be_rendered(text: str) -> bool:
    return "](" in text or "![" in text or "<" in text


def _replace_unseen(match: re.Match[str]) -> str:
    first = match[0][0]
    if first in _JOINERS and _MEANT.match(match.string, match.start()):
        return first
    return _REPLACED.get(first, "")


def _show_character(character: str) -> str:
    if character.isprintable() or character.isspace() or character in _JOINERS or ord(character) in _NEW_EMOJI:
        return character
    return f"\\u{{{ord(character):x}}}"
