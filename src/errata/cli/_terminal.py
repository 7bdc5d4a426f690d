"""Colour where there is a terminal to show it, plain text everywhere else."""

import os
import sys

from errata.redaction import put_on_one_line

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}


def paint(text: str, *styles: str) -> str:
    """Return a text in colour if there is a terminal to show it."""
    codes = ";".join(_STYLES[style] for style in styles)
    return f"\x1b[{codes}m{text}\x1b[0m" if text and _shows_colour() else text


def print_page(markdown: str) -> None:
    """Print a page of Markdown as it is; on a terminal, with coloured headings and dimmed code."""
    if not _shows_colour():
        print(markdown)
        return
    in_code = False
    for line in markdown.split("\n"):
        if line.startswith("```"):
            in_code = not in_code
        elif in_code:
            print(paint(f"    {line}", "dim"))
        else:
            print(paint(line.lstrip("# "), "bold", "cyan") if line.startswith("#") else line)


def complain(what: str, advice: str) -> int:
    """Print what is wrong and what to do about it on standard error; return exit code 2."""
    print(f"errata: {put_on_one_line(what)}\nhelp: {put_on_one_line(advice)}", file=sys.stderr)
    return 2


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()  # None: it was closed before we started.


def _shows_colour() -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (_is_terminal() and os.environ.get("TERM") != "dumb")
