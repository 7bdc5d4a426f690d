"""A refused value: which field breaks which rule, told without the value itself."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import cast

from errata.classification._answer import WITHHELD, Classification
from errata.model import Code, FieldIssue, is_a, items_of
from errata.redaction import named, text_of

REQUIRED = "is required"
"""The problem of a field that is not there."""
_VALUE = "value"
_MOST = 100
_MOST_SAID = 3
"""How many problems the sentence tells; the issues tell all."""
_DEEPEST = 32
_OF_THE_WHOLE = ("_schema", "__root__", "")
_LONGEST = 100
_IN_WORDS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")
_PREDICATES = ("must ", "is ", "has ", "have ", "does ", "may ", "fits ", "lacks ", "should ", "cannot ")

# fmt: off
_REWORDED = (
    # Pydantic, and its first version.
    (r"(?:\w+ ){1,2}should ",                                         "must "),
    (r"(?:Value error|Assertion failed), ",                           ""),
    (r"Extra inputs are not permitted|extra fields not permitted|Unexpected keyword argument", "is not a known field"),
    (r"Input tag .* does not match any of the expected tags: ",       "must have one of the tags "),  # It quotes the tag.
    (r"Unable to extract tag using discriminator ",                   "must have the field "),
    (r"Input tag .*",                                                 "must have one of the tags that are allowed"),
    (r"ensure this value has ",                                       "must have "),
    (r"ensure this value is ",                                        "must be "),
    (r"value (?=is |must )",                                          ""),
    # marshmallow, colander, voluptuous, trafaret.
    (r"(?:Missing data for required field|[Rr]equired|[Ff]ield required|required key not provided)\.?$", REQUIRED),
    (r"Unknown field\.?$|extra keys not allowed$|.* is not allowed key$", "is not a known field"),
    (r"Must ",                                                        "must "),
    (r"Not ",                                                         "is not "),
    (r"Field may ",                                                   "may "),
    (r"expected ",                                                    "must be "),
    (r"(['\"]).*\1 is not ",                                          "is not "),  # click and colander quote the value.
    (r"Invalid JSON",                                                 "is not valid JSON"),
    (r"Invalid ",                                                     "is not a valid "),
)
# fmt: on


def refused(
    problems: Iterable[FieldIssue], by: str | None = None, *, each: str = _VALUE, by_format: bool = False
) -> Classification:
    """Say what is wrong with the fields of an input, and by which schema; a problem without a field is that of the whole input.

    The code holds for all of the problems: MISSING_REQUIRED_FIELD if every field is absent, INVALID_FORMAT if every
    value is of the right type and written in the wrong way (`by_format`), and VALIDATION_FAILED for anything else and
    for several kinds at once.
    """
    found = tuple(islice(problems, _MOST))
    if not found:
        return Classification(Code.VALIDATION_FAILED, text=f"The input does not fit `{by}`." if by else WITHHELD)
    absent = all(issue.problem == REQUIRED for issue in found)
    code = Code.INVALID_FORMAT if by_format else Code.VALIDATION_FAILED
    code = Code.MISSING_REQUIRED_FIELD if absent else code
    return Classification(code, text=_sentence(found, by, each), issues=tuple(issue for issue in found if issue.field))


def path_of(parts: object) -> str:
    """Write a path of names and numbers with dots: `order.items.0.sku`."""
    return ".".join(_name(part) for part in items_of(parts)[:_DEEPEST])


def predicate(text: str) -> str:
    """Turn a library's message into what is said of a field: "Input should be a date" reads "must be a date"."""
    for pattern, words in _REWORDED:
        if found := re.match(pattern, text, re.DOTALL):
            text = words + text[found.end() :]
            break
    return text[: _LONGEST * 4].rstrip(". ")


def nested(messages: object, path: tuple[object, ...] = ()) -> Iterator[FieldIssue]:
    """Walk messages that are arranged like the input they are about: by name, by number, several to a place."""
    match messages:
        case str():
            yield FieldIssue(path_of(path), predicate(str.__str__(messages)))
        case Mapping() if len(path) < _DEEPEST:
            for name, inside in cast("Mapping[object, object]", messages).items():
                yield from nested(inside, path if name in _OF_THE_WHOLE else (*path, name))
        case list() | tuple() if len(path) < _DEEPEST:
            for message in items_of(cast("object", messages)):
                yield from nested(message, path)
        case _:
            return


def listed(values: object) -> str:
    """List what is allowed, a few of it: `'a', 'b'`."""
    shown = [_literal(value) for value in items_of(values)]
    return ", ".join(shown[:10]) + (", …" if len(shown) > 10 else "")  # noqa: PLR2004 - more than anybody reads


def _name(part: object) -> str:
    return text_of(part)[:_LONGEST] if is_a(part, str) or is_a(part, int) else "…"


def _literal(value: object) -> str:
    if is_a(value, str):
        return f"'{text_of(value)[:_LONGEST]}'"
    return text_of(value)[:_LONGEST] if value is None or is_a(value, int) or is_a(value, float) else "…"


def _sentence(issues: Sequence[FieldIssue], by: str | None, each: str) -> str:
    clauses = "; ".join(map(_clause, issues[:_MOST_SAID]))
    more = f"; and {len(issues) - _MOST_SAID} more" if len(issues) > _MOST_SAID else ""
    return f"{_opening(issues, by, each)}: {clauses}{more}."


def _opening(issues: Sequence[FieldIssue], by: str | None, each: str) -> str:
    """Count what does not fit, or the problems if all of them are in one argument or one value."""
    wrong = {issue.field if each == _VALUE else issue.field.partition(".")[0] for issue in issues}
    if len(wrong) == 1 < len(issues):
        (where,) = wrong
        subject = named(where) if where else "the input"
        return f"{_in_words(len(issues))} problems in {subject}{f' of `{by}`' if by else ''}"
    count = f"{_in_words(len(wrong))} {each}s do" if len(wrong) > 1 else f"One {each} does"
    return f"{count} not fit{f' `{by}`' if by else ''}"


def _in_words(number: int) -> str:
    return _IN_WORDS[number] if number < len(_IN_WORDS) else str(number)


def _clause(issue: FieldIssue) -> str:
    subject = named(issue.field) if issue.field else "the input"
    return f"{subject} {issue.problem}" if issue.problem.startswith(_PREDICATES) else f"{subject}: {issue.problem}"
