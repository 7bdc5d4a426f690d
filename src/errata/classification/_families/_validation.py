"""Libraries that validate: what they refuse, told field by field."""

import re
from collections.abc import Iterable

from errata.classification._exception_rules import WITHHELD, Classification, RuleResult, Table, first
from errata.classification._families._pydantic import by_fields
from errata.classification._families._refusals import (
    FORMATS,
    REQUIRED,
    flatten_problems,
    issue_of,
    of_jsonschema,
    path_of,
    predicate,
    refuse,
)
from errata.classification._foreign import call_method, peek, read_argument, read_text
from errata.model import Code, FieldIssue, is_a, items_of
from errata.redaction import text_of

_AT = r" - at `(?:key` in `)?(\$[^`]*)`$"
_STEP = r"\.([^.\[]+)|\[(\.\.\.|\d+)\]"
_MSGSPEC_FORMAT = r"Expected `str` matching regex |Invalid (?:RFC3339|ISO8601|UUID|base64)"
_MOST = 4_000


def by_rule(error: BaseException) -> Classification:
    """The path and the rule of the schema."""
    return refuse([of_jsonschema(error)], by_format=_is_about_format(error))


def by_rules(errors: Iterable[BaseException], of: str) -> Classification:
    """All the rules of a tool's schema that its arguments break."""
    errors = tuple(errors)
    refusal = refuse(map(of_jsonschema, errors), of, each="argument", by_format=all(map(_is_about_format, errors)))
    return refusal if refusal.code is not Code.VALIDATION_FAILED else refusal._replace(code=Code.INVALID_PARAMS)


def _is_about_format(error: object) -> bool:
    """Return whether the rule is one on how a value is written; the name of a property is no value."""
    rules = items_of(peek(error, "absolute_schema_path"))
    return read_text(error, "validator") in FORMATS and "propertyNames" not in rules[-2:-1]


def by_schema_position(error: BaseException) -> Classification:
    """The part of the schema that is wrong."""
    position = path_of(peek(error, "absolute_path"))
    return Classification(
        Code.CONFIGURATION_ERROR, text=f"The schema is not valid{f' at `{position}`' if position else ''}."
    )


def by_fastjsonschema(error: BaseException) -> Classification | None:
    """The path and the rule of the schema."""
    path, rule, allowed = items_of(peek(error, "path"))[1:], read_text(error, "rule"), peek(error, "rule_definition")
    value = peek(error, "value")
    if rule is None:
        return None
    if rule == "required" and is_a(value, dict):
        return refuse(FieldIssue(path_of((*path, name)), REQUIRED) for name in items_of(allowed) if name not in value)
    return refuse([issue_of(path, rule, allowed)], by_format=rule in FORMATS)


def by_jsonschema_rs(error: BaseException) -> Classification:
    """The path and the rule of the schema."""
    path, rule = items_of(peek(error, "instance_path")), read_text(error, "kind", "name")
    allowed = peek(error, "kind", "value")
    if rule == "required":
        return refuse([FieldIssue(path_of((*path, allowed)), REQUIRED)])
    return refuse([issue_of(path, rule, allowed)], by_format=rule in FORMATS)


def by_rapidjson(error: BaseException) -> Classification:
    """The path and the rule of the schema, its first and third argument."""
    pointer = read_argument(error, 2)
    path = str.__str__(pointer).split("/")[1:] if is_a(pointer, str) else ()
    rule = _text(read_argument(error))
    return refuse([issue_of(path, rule, None)], by_format=rule in FORMATS)


def by_msgspec_text(error: BaseException) -> Classification:
    """The path and the rule in its text."""
    text = text_of(error)[-_MOST:]
    at = re.search(_AT, text)
    message = text[: at.start()] if at else text
    path = [name or index.replace("...", "*") for name, index in re.findall(_STEP, at[1] if at else "")]
    if match := re.match(r"Object missing required field `([^`]*)`", message):
        return refuse([FieldIssue(path_of((*path, match[1])), REQUIRED)])
    if match := re.match(r"Object contains unknown field `([^`]*)`", message):
        return refuse([FieldIssue(path_of((*path, match[1])), "is not a known field")])
    if re.match(r"Invalid (?:enum )?value ", message):  # It quotes the value.
        return refuse([FieldIssue(path_of(path), "is not one of the allowed values")])
    expected = re.match(r"Expected (.*?)(?:, got .*)?$", message)
    problem = predicate(message.replace("Expected ", "expected ", 1).replace(", got ", ", not "))
    issue = FieldIssue(path_of(path), problem, expected[1].strip("`") if expected else None)
    return refuse([issue], by_format=re.match(_MSGSPEC_FORMAT, message) is not None)


def by_messages(error: BaseException) -> Classification:
    """The messages it keeps by field."""
    messages, field = peek(error, "messages"), read_text(error, "field_name")
    return refuse(flatten_problems(messages, (field,) if field and is_a(messages, list) and field != "_schema" else ()))


def by_dict_of_messages(error: BaseException) -> Classification:
    """The messages it gives by field."""
    for method in ("as_dict", "asdict", "to_primitive"):
        if (messages := call_method(error, method)) is not None:
            return refuse(flatten_problems(messages))
    return refuse(())


def by_located_messages(error: BaseException) -> Classification:
    """The messages it lists, each with its position."""
    each = items_of(peek(error, "errors"))
    return refuse(FieldIssue(path_of(peek(one, "loc")), predicate(read_text(one, "err") or "")) for one in each)


def by_voluptuous_paths(error: BaseException) -> Classification:
    """The path and the message of each error in it."""
    return refuse(map(_of_voluptuous, items_of(peek(error, "errors")) or (error,)))


def _of_voluptuous(error: object) -> FieldIssue:
    path = [read_text(part, "schema") or part for part in items_of(peek(error, "path"))]
    return FieldIssue(path_of(path), predicate(read_text(error, "msg") or "is not allowed here"))


def by_schema_autos(error: BaseException) -> Classification:
    """The keys in its trail, and what its author says of the last one."""
    trail = [line for line in map(_text, items_of(peek(error, "autos"))) if line]
    own = [line for line in map(_text, items_of(peek(error, "errors"))) if line]
    path = [match[1] for line in trail if (match := re.match(r"Key '([^']*)' error:", line))]
    last = trail[-1] if trail else ""
    if own:
        return refuse([FieldIssue(path_of(path), predicate(own[-1]))])
    if match := re.match(r"Missing key: '([^']*)'", last):
        return refuse([FieldIssue(path_of((*path, match[1])), REQUIRED)])
    if match := re.match(r"Wrong key '([^']*)'", last):
        return refuse([FieldIssue(path_of((*path, match[1])), "is not a known field")])
    _, allowed, kind = last.rpartition(" should be instance of ")
    problem = f"must be an instance of {kind}" if allowed else "is not allowed here"
    return refuse([FieldIssue(path_of(path), problem, kind.strip("'") if allowed else None)])


def by_typed_field(error: BaseException) -> Classification:
    """The field it names, and its type."""
    field = read_text(error, "field_path") or read_text(error, "field_name") or ""
    kind = read_text(error, "field_type_name") or read_text(error, "field_type", "__name__")
    problem = f"must be of type {kind}" if kind else "is not of the right type"
    return refuse([FieldIssue(field, problem, kind)], read_text(error, "holder_class_name"))


def by_missing_field(error: BaseException) -> Classification:
    """The field that is missing."""
    field = read_text(error, "field_path") or read_text(error, "field_name") or read_text(error, "param", "name") or ""
    return refuse([FieldIssue(field, REQUIRED)], read_text(error, "holder_class_name"))


def by_unknown_keys(error: BaseException) -> Classification:
    """The keys that nobody knows."""
    names = items_of(peek(error, "keys") or peek(error, "extra_keys") or peek(error, "extra_fields"))
    return refuse(FieldIssue(path_of((name,)), "is not a known field") for name in names)


def by_parameter(error: BaseException) -> Classification:
    """The parameter it names."""
    message = predicate(read_text(error, "message") or "is not allowed here")
    return refuse([FieldIssue(read_text(error, "param", "name") or "", message)])._replace(code=Code.INVALID_PARAMS)


def by_columns(error: BaseException) -> Classification:
    """The columns and the checks they fail."""
    each = items_of(peek(error, "schema_errors"))
    return refuse(map(_of_column, each or (error,)), read_text(error, "schema", "name") if each else None)


def _of_column(error: object) -> FieldIssue:
    check = (
        read_text(error, "check", "error")
        or read_text(error, "check", "name")
        or read_text(error, "check")
        or "a check"
    )
    return FieldIssue(read_text(error, "column_name") or "", f"does not pass {check}")


def of_what_came_in(error: BaseException) -> RuleResult:
    """Whether it is about what came in, or about what this server returns."""
    comes_out = text_of(error).startswith(("the return value", "value yielded", "the yielded value"))
    return Classification(Code.INTERNAL_ERROR, text=WITHHELD) if comes_out else Code.VALIDATION_FAILED


def by_command_line(error: BaseException) -> Code:
    """Whether an argument is missing."""
    return Code.MISSING_REQUIRED_FIELD if "required" in text_of(error)[:_MOST] else Code.INVALID_PARAMS


def by_failed_function(error: BaseException) -> Classification:
    """The name of the check."""
    name = read_text(error, "func", "__name__")
    return Classification(Code.VALIDATION_FAILED, text=f"The value is not a valid {name}." if name else WITHHELD)


def _text(value: object) -> str | None:
    return str.__str__(value) if is_a(value, str) else None


# Libraries that check values, and parsers of command lines. No answer repeats the value that was refused.


# fmt: off
TABLE: Table = {
    # Pydantic. What it says of a model that cannot be built is for the author of the server.
    "pydantic_core._pydantic_core.ValidationError": by_fields,
    # Its first version is `pydantic` itself, or `pydantic.v1`; the rows above and below are found by package and name.
    "pydantic.v1.error_wrappers.ValidationError": by_fields,

    # JSON Schema. A wrong schema is this server's own.
    "jsonschema.exceptions.ValidationError": by_rule,
    "jsonschema.exceptions.SchemaError": by_schema_position,
    "fastjsonschema.exceptions.JsonSchemaException": first(by_fastjsonschema, Code.VALIDATION_FAILED),
    "jsonschema_rs.ValidationError": by_jsonschema_rs,
    "rapidjson.ValidationError": by_rapidjson,

    # Structs, schemas, data classes.
    "msgspec.ValidationError": by_msgspec_text,
    "marshmallow.exceptions.ValidationError": by_messages,
    "cattrs.errors.ForbiddenExtraKeysError": by_unknown_keys,
    "dacite.exceptions.MissingValueError": by_missing_field,
    "dacite.exceptions.StrictUnionMatchError": by_typed_field,
    "dacite.exceptions.UnexpectedDataError": by_unknown_keys,
    "dacite.exceptions.WrongTypeError": by_typed_field,
    "mashumaro.exceptions.ExtraKeysError": by_unknown_keys,
    "mashumaro.exceptions.InvalidFieldValue": by_typed_field,
    "mashumaro.exceptions.MissingField": by_missing_field,
    "apischema.validation.errors.ValidationError": by_located_messages,
    "schematics.exceptions.BaseError": by_dict_of_messages,

    # Checks of plain values.
    "voluptuous.error.Invalid": by_voluptuous_paths,
    "schema.SchemaError": by_schema_autos,
    "trafaret.dataerror.DataError": by_dict_of_messages,
    "colander.Invalid": by_dict_of_messages,
    "validators.utils.ValidationError": by_failed_function,
    "validators.ValidationFailure": by_failed_function,
    "typeguard.TypeCheckError": of_what_came_in,
    "pandera.errors.SchemaError": by_columns,
    "pandera.errors.SchemaErrors": by_columns,
    "great_expectations.exceptions.exceptions.GreatExpectationsValidationError": by_messages,

    # Command lines.
    "argparse.ArgumentError": by_command_line,
    "click.exceptions.BadParameter": by_parameter,
    "click.exceptions.MissingParameter": by_missing_field,
    "typer._click.exceptions.BadParameter": by_parameter,
    "typer._click.exceptions.MissingParameter": by_missing_field,
}
# fmt: on
