"""What a broken rule of JSON Schema asks for, in words that leave the rejected value out."""

from errata.classification._families._refusal import REQUIRED, listed, path_of
from errata.classification._reach import peek, read_text
from errata.model import FieldIssue, is_a, items_of

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


def issue_of(path: object, keyword: str | None, asked: object) -> FieldIssue:
    """Say which rule is broken where."""
    shown = _types(asked) if keyword == "type" else listed(asked) if keyword == "enum" else _plain(asked)
    problem = _MUST.get(keyword or "", "is not allowed here").format(shown)
    return FieldIssue(path_of(path), problem, shown if keyword in _TELL_WHAT_IS_EXPECTED else None)


def of_jsonschema(error: object) -> FieldIssue:
    """Read an error of the library jsonschema."""
    keyword, asked = read_text(error, "validator"), peek(error, "validator_value")
    path, rules = items_of(peek(error, "absolute_path")), items_of(peek(error, "absolute_schema_path"))
    if "propertyNames" in rules[-2:-1]:
        return issue_of(path, "propertyNames", None)
    if keyword == "required" and (name := _missing(error, asked)):
        return FieldIssue(path_of((*path, name)), REQUIRED)
    if keyword == "additionalProperties" and (extra := _extra(error)):
        return FieldIssue(path_of(path), f"may not have {listed(extra)}")
    if keyword in {"anyOf", "oneOf"} and (types := _types_in(error)):
        return issue_of(path, "type", types)
    return issue_of(path, keyword, asked)


def _missing(error: object, asked: object) -> str | None:
    """Find the name it misses: it makes one error per name, and says the name in its message only."""
    message = read_text(error, "message") or ""
    names = (name for name in items_of(asked) if is_a(name, str))
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


def _types(asked: object) -> str:
    return " or ".join(name for name in items_of(asked) if is_a(name, str))


def _plain(asked: object) -> str:
    return str.__str__(asked) if is_a(asked, str) else listed([asked])
