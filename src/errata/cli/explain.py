"""`errata explain`: what a code means, whose a word or a number is, and what becomes of an exception."""

import argparse

from errata._taxonomy import Code
from errata._values import did_you_mean, known_word
from errata.cli._exceptions import exception_names, exception_page
from errata.cli._pages import code_page, known_words, overview, word_page
from errata.cli._terminal import complain, print_page

HELP: str = (
    "say what a code means and how it looks on the wire, whose a word or a number is, or what an exception becomes"
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "name",
        nargs="?",
        metavar="NAME",
        help="a code (NOT_FOUND), a dialect's word (SERVER_ERROR) or a number (-32001); without one, all codes",
    )
    parser.add_argument(
        "--exception",
        metavar="CLASS",
        help="an exception class, by its dotted name (botocore.exceptions.ClientError) or the last part of it",
    )


def run(given: argparse.Namespace) -> int:
    """Print the page of a code, of a word or of an exception class."""
    if given.exception is not None and given.name is not None:
        return complain("`NAME` and `--exception` ask for two pages at once", "ask for one, then for the other")
    if given.exception is not None:
        return _explain_exception(given.exception)
    name: str | None = given.name
    page = overview() if name is None else _page(name)
    if page is None:
        return complain(f"there is no code, word or number `{name}`", _advice(str(name)))
    print_page(page)
    return 0


def _explain_exception(name: str) -> int:
    page = exception_page(name)
    if page is None:
        question = did_you_mean(name, exception_names())
        advice = f"d{question[1:]}" if question else "give its dotted name, as in `httpx.ConnectError`"
        return complain(f"no table names an exception `{name}`, and its name says nothing", advice)
    print_page(page)
    return 0


def _page(name: str) -> str | None:
    code = known_word(Code, name.upper())
    return code_page(code) if code else word_page(name) or word_page(name.upper())


def _advice(name: str) -> str:
    question = did_you_mean(name.upper(), known_words())
    return f"d{question[1:]}" if question else "list all codes with `errata explain`"
