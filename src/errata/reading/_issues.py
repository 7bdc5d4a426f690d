"""What is wrong with an argument, as validators say it: which kind of problem it is, and where."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from errata.model import Code, FieldIssue

_MOST = 500

# The first that fits says the kind; what none fits is a wrong type, an unknown name or a value outside an enumeration.
_KINDS = (
    (re.compile(r"extra_forbidden|unexpected|unrecognized|unknown|additional propert|\benum\b|invalid_enum|invalid option|expected one of|possible values", re.IGNORECASE), Code.INVALID_PARAMS),
    (
        re.compile(
            r"\bmissing|missing\b|missing_argument|required|received undefined|not provided|not present|must not be null"
            r"|must specify|cannot be blank|blank\b",
            re.IGNORECASE,
        ),
        Code.MISSING_REQUIRED_FIELD,
    ),
    (
        re.compile(
            r"too_small|too_big|too_short|too_long|too (?:small|big|short|long|large|few|many|high|low)|[<>]=? ?-?[0-9]|[<>]= "
            r"|greater|less than|at least|at most|between|range|minimum|maximum|exceed|longer|shorter|multiple_of"
            r"|positive|negative|before|after|start with|unique",
            re.IGNORECASE,
        ),
        Code.VALIDATION_FAILED,
    ),
    (
        re.compile(
            r"invalid_format|invalid_string|invalid_date|(?:url|uuid|date|time|datetime|pattern)_(?:parsing|mismatch|type)"
            r"|\bformat\b|\bpattern\b|must match|valid (?:url|uri|email|e-mail|uuid|date|time|ip|hostname)"
            r"|invalid (?:url|uri|email|uuid|date|datetime|time)\b",
            re.IGNORECASE,
        ),
        Code.INVALID_FORMAT,
    ),
)  # fmt: skip

_ENVELOPES = ("params", "arguments", "body", "$", "data")


class Issue(NamedTuple):
    """One problem, and what kind of failure it makes of the call."""

    field: str
    problem: str
    kind: Code


def issue(where: Iterable[object] | str, problem: str, word: str = "") -> Issue:
    """Make an issue of a place, what is said of it, and the validator's word for it."""
    problem = " ".join(problem[:_MOST].split())
    return Issue(path_of(where), problem or word, kind_of(f"{word} {problem}"))


def kind_of(problem: str) -> Code:
    """Say what kind of problem a validator's words describe."""
    return next((code for shape, code in _KINDS if shape.search(problem)), Code.INVALID_PARAMS)


def path_of(where: Iterable[object] | str) -> str:
    """Write a place as a dotted path, without the envelope that every argument comes in."""
    steps = re.split(r"[./\[\]]+", where) if isinstance(where, str) else [str(step) for step in where]
    steps = [step.strip("'\"` ") for step in steps]
    steps = [step for step in steps if step]
    while len(steps) > 1 and steps[0] in _ENVELOPES:
        del steps[0]
    return ".".join(steps)


def field_issues(issues: Iterable[Issue]) -> tuple[FieldIssue, ...]:
    """Write issues as a fault carries them."""
    return tuple(FieldIssue(each.field, each.problem) for each in issues if each.field)
