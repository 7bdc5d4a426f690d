"""`errata explain`: what a code means, and whose a word or a number is."""

import argparse

from errata._taxonomy import Code
from errata._values import did_you_mean, known_word
from errata.cli._pages import code_page, known_words, overview, word_page
from errata.cli._terminal import complain, print_page

HELP: str = "say what a code means and how it looks on the wire, or whose a word or a number is"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "name",
        nargs="?",
        metavar="NAME",
        help="a code (NOT_FOUND), a dialect's word (SERVER_ERROR) or a number (-32001); without one, all codes",
    )


def run(given: argparse.Namespace) -> int:
    """Print the page of a code or of a word."""
    name: str | None = given.name
    page = overview() if name is None else _page(name)
    if page is None:
        return complain(f"there is no code, word or number `{name}`", _advice(str(name)))
    print_page(page)
    return 0


def _page(name: str) -> str | None:
    code = known_word(Code, name.upper())
    return code_page(code) if code else word_page(name) or word_page(name.upper())


def _advice(name: str) -> str:
    question = did_you_mean(name.upper(), known_words())
    return f"d{question[1:]}" if question else "list all codes with `errata explain`"
