"""The linter and the library never disagree about a contract that is written out: both are asked about the same source."""

import re
import textwrap
import warnings
from itertools import combinations

import pytest
from hypothesis import given, strategies as st

from errata.linter import lint_source
from errata.linter.rules import RULES

ABOUT_TOOLS = {
    "error-contract-conformance",
    "error-contract-prefer-fail",
    "error-contract-unknown-reason",
    "error-contract-unknown-tool",
}
STRUCTURAL = {name for name in RULES if name.startswith("error-contract-")} - ABOUT_TOOLS
FRAME = """
from http import HTTPStatus

from errata import Code, Contract, Failure, conflict, raises
from errata.dialects import JsonRpcErrorCode

NEXT = "Call list_orders to see valid numbers."
WHEN = "No order has this number"
SHORT = "Try again."


class Lost(Exception):
    pass


class Base(Contract):
    no_match = Failure(Code.NOT_FOUND, when=WHEN, recovery=NEXT)


class Other(Contract):
    other = Failure(Code.GONE, reason="no_match", when=WHEN, recovery=NEXT)


"""
WORDS = [
    "''",
    "'  '",
    "' \\n\\u2003'",
    "'\\udc80'",
    "'\\x00'",
    "None",
    "404",
    "1.5",
    "True",
    "b'text'",
    "[]",
    "{'a': 1}",
    "lambda: 1",
]
GIVEN = {
    "code": [
        *("Code.NOT_FOUND", "Code.UNKNOWN_ERROR", "Code.NOT_FOND", "'NOT_FOUND'", "'UNKNOWN_ERROR'", "'ORDER_LOST'"),
        *("'not_found'", "HTTPStatus.NOT_FOUND", "JsonRpcErrorCode.NotFound", "-32001", "conflict('x')"),
        *("(Code.GONE, Code.CONFLICT)", *WORDS),
    ],
    "when": ["WHEN", "'It ' + 'broke'", "Code.NOT_FOUND", *WORDS],
    "recovery": [
        *(
            "NEXT",
            "SHORT",
            "'Try ' + SHORT",
            "'Wait for it to end'",
            "'a\\u2003b c\\nd e'",
            "'重新调用列表工具'",
            *WORDS,
        ),
    ],
    "retryable": ["False", "'yes'", "1", "0.0", *WORDS],
    "reason": [
        *("'no_match'", "'noMatch'", "'NO-MATCH'", "'_a'", "'a__b'", "'a_'", "'http_404'", "'ä'", "'a b'", "Code.GONE"),
        *WORDS,
    ],
}
ATTRIBUTES = ["no_match", "noMatch", "_hidden", "a__b", "http_404", "X", "ö"]
RIGHT = {"code": "Code.CONFLICT", "when": "WHEN", "recovery": "NEXT"}
ENTRIES = [
    "'NOT_FOUND'",
    "None",
    "5",
    "(1, 2)",
    "[Failure]",
    "Code.GONE",
    "conflict('x')",
    "dict(a=1)",
    "lambda: 1",
    "str",
    "Lost",
]
ARGUMENTS = [
    "",
    "Base",
    "Base, Other",
    "Base, Base",
    "Lost",
    "ValueError",
    "None",
    "'x'",
    "[Base]",
    "Code.GONE",
    "conflict",
    "Contract",
]
ARGUMENTS += [
    "Base.no_match",
    "Base.no_match, Base",
    "Base.no_match, Other",
    "{}",
    "WHEN",
    "Failure",
    "lambda: 1",
    "Base, 5",
]


def failure(**arguments):
    return f"Failure({', '.join(f'{name}={text}' for name, text in arguments.items() if text)})"


def contract(*lines, bases="Contract"):
    body = textwrap.indent("\n".join(lines) or "pass", "    ")
    return f"{FRAME}class Errors({bases}):\n{body}\n"


def declared(arguments):
    return f"{FRAME}@raises({arguments})\ndef get_order():\n    pass\n"


def said_before(source):
    return {finding.rule for finding in lint_source(source) if finding.rule in STRUCTURAL}


def said_at_run_time(source):
    """Run a source, and give the rules that are named by what it raises and warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        told = [*_raised_by(source), *(str(each.message) for each in caught)]
    return {rule for text in told for rule in re.findall(r"\((error-contract-[a-z-]+)\)", text)}


def _raised_by(source):
    try:
        exec(source, {"__name__": "server"})  # noqa: S102 - it is our own.
    except AttributeError as error:  # Python itself refuses a member that there is not.
        yield "(error-contract-code-unknown)" if "NOT_FOND" in str(error) else str(error)
    except (TypeError, ValueError) as error:
        missing = "missing 1 required positional argument: 'code'" in str(error)
        yield "(error-contract-code-type)" if missing else str(error)


SINGLE = [
    *(contract(f"{name} = {failure(**RIGHT)}") for name in ATTRIBUTES),
    *(contract(f"x = {failure(**{**RIGHT, name: text})}") for name, texts in GIVEN.items() for text in [*texts, ""]),
    *(declared(failure(**{**RIGHT, "reason": text})) for text in [*GIVEN["reason"], ""]),
    *(contract(f"{name} = {text}", f"a = {failure(**RIGHT)}") for text in ENTRIES for name in ("x", "_x")),
    *(contract(f"x = {failure(**RIGHT)}", f"{other} = {failure(**RIGHT)}") for other in ("x", "y")),
    *(contract(f"x = {failure(**RIGHT)}", "x = 'text'") for _ in "1"),
    *(
        contract(*lines, bases=bases)
        for lines in ([], ["_x = 1"], ["def x(cls): ..."])
        for bases in ("Contract", "Base", "Base, Other")
    ),
    *(
        contract(f"{name} = {failure(**RIGHT, reason=reason)}", bases="Base")
        for name in ("no_match", "x")
        for reason in ("", "'no_match'")
    ),
    *map(declared, ARGUMENTS),
]


@pytest.mark.parametrize("source", SINGLE, ids=lambda source: source.removeprefix(FRAME))
def test_of_one_mistake_the_linter_says_what_the_library_says(source):
    assert said_before(source) == said_at_run_time(source)


@given(
    st.fixed_dictionaries({name: st.sampled_from([*texts, ""]) for name, texts in GIVEN.items()}),
    st.sampled_from(ATTRIBUTES),
)
def test_of_many_mistakes_the_linter_says_at_least_what_the_library_stops_at(arguments, name):
    source = contract(f"{name} = {failure(**arguments)}")
    before, at_run_time = said_before(source), said_at_run_time(source)

    assert at_run_time <= before
    assert bool(at_run_time) == bool(before)


def test_the_linter_names_every_mistake_at_once():
    wrong = {"code": "404", "when": "''", "recovery": "'Try again.'", "retryable": "'no'", "reason": "'NO'"}
    of = {name: said_before(contract(f"x = {failure(**{**RIGHT, name: text})}")) for name, text in wrong.items()}

    for some in (each for size in range(len(wrong) + 1) for each in combinations(wrong, size)):
        source = contract(f"x = {failure(**RIGHT | {name: wrong[name] for name in some})}")
        assert said_before(source) == set().union(*(of[name] for name in some))


def test_the_sources_are_about_every_structural_rule():
    assert set().union(*map(said_at_run_time, SINGLE)) == STRUCTURAL
