"""How a program ended and what it wrote before: the end of it, and the lines there that say why.

Programs explain themselves on stderr, some on stdout, among progress, usage and advice for people at a terminal.
"""

import re
import signal

from errata.model import is_a
from errata.redaction import make_visible, put_on_one_line, quote_words, redact, redact_within, repair_unicode

_MOST = 32_000
_MOST_LINES = 400
_MOST_CHOSEN = 3
_INDENTED = 2  # Source and frames stand that far in, at least; git's " ! [rejected]" does not.
_LONGEST_QUOTED = 600
_LONGEST_OUTPUT = 2_000
_LONGEST_LINE, _LONGEST_QUOTED_LINE = 500, 140
_MOST_QUOTED = 3
_OF_A_SHELL = 128
"""Shells and containers add the number of a signal to this."""
_LARGEST_STATUS = 255
_ESCAPES = re.compile(r"\x1b\[[0-9;?]{0,20}[A-Za-z]|\x1b\][^\x07]{0,200}\x07")
_ADVICE = re.compile(
    r"usage\b|hint\b|note\b|tip\b|help\b|info\b|debug\b|options?:|commands?:|examples?:|(?:positional|optional) arguments"
    r"|\(?use [\"'`-]|try [\"'`\u2018]?.{0,80}(?:help|--)|try [\"'`\u2018]|see [\"'`\u2018]?\S{1,60} (?:--help|help)|(?:please )?(?:run|type|see|use) [\"'`\u2018]"
    r"|for (?:more|further) (?:details|information|help)|please (?:commit|make sure|see|check the log)|a complete log\b|[A-Z]:\\|[#=*_~^.\-\s]{2,}$"
    r"|traceback\b|file \"|at \S{1,200}[ (:]|\.{3} \d+ (?:more|common)|caused by: \.\.\.",
    re.IGNORECASE,
)
_TELLING = re.compile(
    r"\b(?:error|fatal|fail(?:ed|s|ure)|cannot|can't|could ?n[o']t|could not|unable|denied|invalid|illegal|bad|unknown|unrecogni[sz]ed|unexpected|unsupported"
    r"|no such|no .{1,60} (?:named|found|matching)|not (?:a|an|found|permitted|allowed|supported|valid|known)|does not|doesn't|did not|must|missing|required|refused|rejected|panic"
    r"|nothing to|unauthorized|forbidden|expired|conflict|unmatched|unbalanced|unterminated|too (?:many|few|large|long|big)|already|overwritten|timed out|killed|out of memory)\b"
    r"|[A-Za-z](?:Error|Exception)\b|^E:|ERR!",
    re.IGNORECASE,
)


def read_last_output(stderr: object, stdout: object, *, limit: int = _MOST) -> str:
    """Return the end of what a program wrote on stderr, or else on stdout; whole lines only."""
    return _end_of(stderr, limit) or _end_of(stdout, limit)


def pick_telling_lines(output: str) -> str:
    """Return the last few lines that say why a program failed, joined; without usage, advice and stack frames."""
    lines = [_render(line) for line in output.splitlines()[-_MOST_LINES:]]
    lines = [line for line in lines if line.strip() and not _ADVICE.match(line.strip())]
    outer = [line for line in lines if not line[:_INDENTED].isspace()] or lines
    chosen = [line for line in outer if _TELLING.search(line)] or outer
    return _join([_with_next(line, lines) for line in chosen[-_MOST_CHOSEN:]])


def describe_end(status: int | None) -> str:
    """Return how a program has ended, by its exit status, as a predicate; None for one that only closed its output."""
    if status is None:
        return "closed its standard output"
    if status < 0:
        return f"was ended by {signal_name(-status) or f'the signal {-status}'}"
    if name := signal_name(status - _OF_A_SHELL):
        return f"ended with exit status {status} ({_OF_A_SHELL} + {name})"
    return f"ended with exit status {status}" + (f" (0x{status:X})" if status > _LARGEST_STATUS else "")


def signal_name(number: int) -> str | None:
    """Return the name of a signal; None for a number that is none."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return None


def _lines(output: str) -> list[str]:
    """Return the lines of an output, redacted together, because some secrets span several lines."""
    return [_short(line, _LONGEST_LINE) for line in redact(make_visible(output)).splitlines() if line.strip()]


def last_lines(output: str) -> str:
    """Return the end of an output, from the beginning of a line."""
    lines = _lines(output)
    while len(lines) > 1 and sum(map(len, lines)) + len(lines) > _LONGEST_OUTPUT:
        del lines[0]
    return "\n".join(lines)


def first_lines(output: str) -> str:
    """Return the first lines of an output and its last, as of a help text or a banner."""
    lines = [_short(line.strip(), _LONGEST_QUOTED_LINE) for line in _lines(output)]
    return " ".join(dict.fromkeys([*lines[:_MOST_QUOTED], *lines[-1:]]))


def choose_lines(output: str) -> str:
    """Return the lines that give the cause: all of a few; of more, those that mention an error, and the last one."""
    lines = [_short(line, _LONGEST_QUOTED_LINE) for line in output.splitlines()]
    outer = [chosen for line in lines if not line[0].isspace() and (chosen := pick_telling_lines(line))]
    if 0 < len(outer) <= _MOST_QUOTED:
        return " ".join(outer)
    telling, last = pick_telling_lines("\n".join(lines)), pick_telling_lines(lines[-1])
    return telling if last in telling else f"{telling} … {last}"


def _short(line: str, limit: int) -> str:
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def quote_output(words: str) -> str:
    """Return lines of an output as a quotation: on one line, redacted and bounded."""
    return quote_words(redact_within(put_on_one_line(words), _LONGEST_QUOTED))


def _end_of(output: object, limit: int) -> str:
    if is_a(output, bytes) or is_a(output, bytearray):
        text = bytes(output[-limit - 1 :]).decode("utf-8", "replace")
    else:
        text = repair_unicode(str.__str__(output)[-limit - 1 :]) if is_a(output, str) else ""
    # The first line may be half of one then, with half of a secret in it that nobody recognises.
    return (text.partition("\n")[2] if len(text) > limit else text).strip()


def _render(line: str) -> str:
    """Return a line as a terminal shows it in the end: a carriage return begins it anew."""
    return _ESCAPES.sub("", line.rstrip().rpartition("\r")[2])


def _with_next(line: str, lines: list[str]) -> str:
    """Return a line, completed by the next one if it ends in a colon."""
    after = lines.index(line) + 1
    if line.endswith(":") and after < len(lines) and lines[after][0].isspace():
        line = f"{line} {lines[after]}"
    return " ".join(line.split())


def _join(lines: list[str]) -> str:
    text = ""
    for line in dict.fromkeys(lines):
        text += (("" if text.endswith((".", ":", ";", "!", "?")) else ";") + " " if text else "") + line
    return text
