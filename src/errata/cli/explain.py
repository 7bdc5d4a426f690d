"""`errata explain`: what a code means, whose a word or a number is, what a rule finds, what becomes of an exception."""

import argparse
import re
from typing import TYPE_CHECKING

from errata.cli._explain_pages import code_page, exception_names, exception_page, known_words, overview, word_page
from errata.cli._terminal import complain, print_page
from errata.model import Code, did_you_mean, find_nearest, known_word, phrase_suggestion

if TYPE_CHECKING:
    from errata.linter import Rule

HELP: str = (
    "say what a code means and how it looks on the wire, whose a word or a number is, what a rule of the linter finds, "
    "or what an exception becomes"
)
_LIKE_A_RULE = re.compile(r"[a-z]+(-[a-z0-9]*)+")
_RULES = "\nThe rules of the linter have pages, too: `errata lint --rules` lists them."


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "name",
        nargs="?",
        metavar="NAME",
        help="a code (NOT_FOUND), a dialect's word (SERVER_ERROR), a number (-32001) or a rule of the linter "
        "(bare-except); without one, all codes",
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
    page = f"{overview()}\n{_RULES}" if name is None else _page(name)
    if page is None:
        kind = "rule" if _LIKE_A_RULE.fullmatch(str(name)) else "code, word or number"
        return complain(f"there is no {kind} `{name}`", _advice(str(name)))
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
    return code_page(code) if code else word_page(name) or word_page(name.upper()) or _rule_page(name.lower())


def _rule_page(name: str) -> str | None:
    rule = _rules().get(name.replace("_", "-"))
    return f"# {rule.name} ({rule.severity})\n\n{(rule.page or '').strip()}" if rule else None


def _rules() -> "dict[str, Rule]":
    from errata.linter import RULES  # noqa: PLC0415 - only who asks for a rule, or mistypes, pays for loading them.

    return RULES


def _advice(name: str) -> str:
    near = find_nearest(name.upper(), known_words())
    rules = find_nearest(name.lower(), _rules())
    near = [*rules, *near] if _LIKE_A_RULE.fullmatch(name) else [*near, *rules]
    return f"d{phrase_suggestion(near[:4])[1:]}" if near else "list all codes with `errata explain`"
