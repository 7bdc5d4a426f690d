"""What a schema refuses, field by field and without the values: for JSON Schema, XML and the validators below."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import cast

from errata.classification._exception_rules import WITHHELD, Classification
from errata.classification._foreign import peek, read_number, read_text
from errata.model import Code, FieldIssue, is_a, items_of
from errata.redaction import quote_name, text_of

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


def refuse(
    problems: Iterable[FieldIssue], by: str | None = None, *, each: str = _VALUE, by_format: bool = False
) -> Classification:
    """Return the classification of an input whose fields are refused; a problem without a field is one of the whole input.

    The code holds for all of the problems: MISSING_REQUIRED_FIELD if every field is absent, INVALID_FORMAT if every
    value is of the right type and written in the wrong way (`by_format`), and VALIDATION_FAILED for anything else and
    for several kinds at once.
    """
    issues = tuple(islice(problems, _MOST))
    if not issues:
        return Classification(Code.VALIDATION_FAILED, text=f"The input does not fit `{by}`." if by else WITHHELD)
    absent = all(issue.problem == REQUIRED for issue in issues)
    code = Code.INVALID_FORMAT if by_format else Code.VALIDATION_FAILED
    code = Code.MISSING_REQUIRED_FIELD if absent else code
    return Classification(
        code, text=_sentence(issues, by, each), issues=tuple(issue for issue in issues if issue.field)
    )


def path_of(parts: object) -> str:
    """Write a path of names and numbers with dots: `order.items.0.sku`."""
    return ".".join(_name(part) for part in items_of(parts)[:_DEEPEST])


def predicate(text: str) -> str:
    """Return a library's message as what follows the name of a field: "Input should be a date" reads "must be a date"."""
    for pattern, words in _REWORDED:
        if match := re.match(pattern, text, re.DOTALL):
            text = words + text[match.end() :]
            break
    return text[: _LONGEST * 4].rstrip(". ")


def flatten_problems(messages: object, path: tuple[object, ...] = ()) -> Iterator[FieldIssue]:
    """Yield the problems in messages that are nested like the input they are about."""
    match messages:
        case str():
            yield FieldIssue(path_of(path), predicate(str.__str__(messages)))
        case Mapping() if len(path) < _DEEPEST:
            for name, inside in cast("Mapping[object, object]", messages).items():
                yield from flatten_problems(inside, path if name in _OF_THE_WHOLE else (*path, name))
        case list() | tuple() if len(path) < _DEEPEST:
            for message in items_of(cast("object", messages)):
                yield from flatten_problems(message, path)
        case _:
            return


def list_choices(values: object) -> str:
    """Return a few of the allowed values as text: `'a', 'b'`."""
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
    return f"{_begin_sentence(issues, by, each)}: {clauses}{more}."


def _begin_sentence(issues: Sequence[FieldIssue], by: str | None, each: str) -> str:
    """Return how many values do not fit, or how many problems one value has."""
    wrong = {issue.field if each == _VALUE else issue.field.partition(".")[0] for issue in issues}
    if len(wrong) == 1 < len(issues):
        (where,) = wrong
        subject = quote_name(where) if where else "the input"
        return f"{_in_words(len(issues))} problems in {subject}{f' of `{by}`' if by else ''}"
    count = f"{_in_words(len(wrong))} {each}s do" if len(wrong) > 1 else f"One {each} does"
    return f"{count} not fit{f' `{by}`' if by else ''}"


def _in_words(number: int) -> str:
    return _IN_WORDS[number] if number < len(_IN_WORDS) else str(number)


def _clause(issue: FieldIssue) -> str:
    subject = quote_name(issue.field) if issue.field else "the input"
    return f"{subject} {issue.problem}" if issue.problem.startswith(_PREDICATES) else f"{subject}: {issue.problem}"


# What a broken rule of JSON Schema asks for, in words that leave the rejected value out.


# fmt: off
_MUST = {
    "type":                  "must be of type {}",
    "enum":                  "must be one of {}",
    "const":                 "must be {}",
    "format":                "must be a valid {}",
    "pattern":               "must match the pattern {}",
    "minimum":               "must be at least {}",
    "maximum":               "must be at most {}",
    "exclusiveMinimum":      "must be greater than {}",
    "exclusiveMaximum":      "must be less than {}",
    "multipleOf":            "must be a multiple of {}",
    "divisibleBy":           "must be a multiple of {}",
    "minLength":             "must have at least {} characters",
    "maxLength":             "must have at most {} characters",
    "minItems":              "must have at least {} items",
    "maxItems":              "must have at most {} items",
    "minProperties":         "must have at least {} properties",
    "maxProperties":         "must have at most {} properties",
    "minContains":           "must have at least {} items of the required form",
    "maxContains":           "must have at most {} items of the required form",
    "contentEncoding":       "must be encoded as {}",
    "contentMediaType":      "must be of the media type {}",
    "contains":              "has no item of the required form",
    "uniqueItems":           "must not have the same item twice",
    "additionalItems":       "has more items than are allowed",
    "unevaluatedItems":      "has more items than are allowed",
    "additionalProperties":  "has properties that are not allowed",
    "unevaluatedProperties": "has properties that are not allowed",
    "propertyNames":         "has a property whose name is not allowed",
    "dependencies":          "lacks a property that another one needs",
    "dependentRequired":     "lacks a property that another one needs",
    "required":              "lacks a required property",
    "anyOf":                 "fits none of the allowed forms",
    "oneOf":                 "must fit exactly one of the allowed forms",
    "allOf":                 "does not fit all of the required forms",
    "not":                   "has a form that is not allowed",
    "$ref":                  "does not fit the schema",
}
# fmt: on
FORMATS = frozenset({"contentEncoding", "contentMediaType", "format", "pattern"})
"""The rules on how a value is written."""
_TELL_WHAT_IS_EXPECTED = {"type", "enum", "const", "format"}


def issue_of(path: object, keyword: str | None, allowed: object) -> FieldIssue:
    """Return which rule of a schema is broken, and where."""
    shown = _types(allowed) if keyword == "type" else list_choices(allowed) if keyword == "enum" else _plain(allowed)
    problem = _MUST.get(keyword or "", "is not allowed here").format(shown)
    return FieldIssue(path_of(path), problem, shown if keyword in _TELL_WHAT_IS_EXPECTED else None)


def of_jsonschema(error: object) -> FieldIssue:
    """Read an error of the library jsonschema."""
    keyword, allowed = read_text(error, "validator"), peek(error, "validator_value")
    path, rules = items_of(peek(error, "absolute_path")), items_of(peek(error, "absolute_schema_path"))
    if "propertyNames" in rules[-2:-1]:
        return issue_of(path, "propertyNames", None)
    if keyword == "required" and (name := _find_missing(error, allowed)):
        return FieldIssue(path_of((*path, name)), REQUIRED)
    if keyword == "additionalProperties" and (extra := _extra(error)):
        return FieldIssue(path_of(path), f"may not have {list_choices(extra)}")
    if keyword in {"anyOf", "oneOf"} and (types := _types_in(error)):
        return issue_of(path, "type", types)
    return issue_of(path, keyword, allowed)


def _find_missing(error: object, allowed: object) -> str | None:
    """Return the missing name: jsonschema makes one error for each, and has the name in its message only."""
    message = read_text(error, "message") or ""
    names = (name for name in items_of(allowed) if is_a(name, str))
    return next((name for name in names if message.startswith(f"{name!r} ")), None)


def _extra(error: object) -> list[str]:
    if peek(error, "schema", "patternProperties"):
        return []
    allowed = items_of(peek(error, "schema", "properties"))
    return [name for name in items_of(peek(error, "instance")) if is_a(name, str) and name not in allowed]


def _types_in(error: object) -> list[str]:
    """Read the types that would do, if nothing but the type is wrong."""
    inside = items_of(peek(error, "context"))
    if not all(read_text(each, "validator") == "type" and not items_of(peek(each, "relative_path")) for each in inside):
        return []
    return [name for each in inside for name in items_of(peek(each, "validator_value")) if is_a(name, str)]


def _types(allowed: object) -> str:
    return " or ".join(name for name in items_of(allowed) if is_a(name, str))


def _plain(allowed: object) -> str:
    return str.__str__(allowed) if is_a(allowed, str) else list_choices([allowed])


# What an XML schema refuses: the element and the rule, without the value.


_ELEMENT = r"^Element '[^']*'(?:, attribute '([^']*)')?: "
# fmt: off
_QUOTED = (  # Where libxml2 quotes the value, by the words around it.
    (r"^'.*' is not ",                "is not "),
    (r"\[facet '[^']*'\] ",           ""),
    (r"^The value '.*?' (?=is |has |does |must )", "the value "),
)
# fmt: on


def by_error_log(error: BaseException) -> Classification:
    """The elements in its log, and the rules they break."""
    return refuse(_in_log(items_of(peek(error, "error_log"))))


def _in_log(entries: tuple[object, ...]) -> Iterator[FieldIssue]:
    for entry in entries:
        message = read_text(entry, "message") or "is not valid"
        attribute = match[1] if (match := re.match(_ELEMENT, message)) else None
        position = read_text(entry, "path") or f"line {read_number(entry, 'line')}"
        yield FieldIssue(
            f"{position}/@{attribute}" if attribute else position, _leave_out_value(re.sub(_ELEMENT, "", message))
        )


def _leave_out_value(message: str) -> str:
    for pattern, words in _QUOTED:
        message = re.sub(pattern, words, message, flags=re.DOTALL)
    return predicate(message)


def by_schema_reason(error: BaseException) -> Classification:
    """The element and the reason."""
    return refuse(
        [FieldIssue(read_text(error, "path") or "", _leave_out_value(read_text(error, "reason") or "is not valid"))]
    )
