"""Formats of text and files, and libraries that compute."""

from errata.classification._carried import by_status
from errata.classification._error_codes import by_errno
from errata.classification._exception_rules import WITHHELD, Classification, RuleResult, Table, by_cause, first
from errata.classification._families._refusals import by_error_log, by_schema_reason
from errata.classification._foreign import peek, read_argument, read_exception, read_number, read_text
from errata.model import Code, Retry, is_a, items_of

_LONGEST = 300


def by_mark(error: BaseException) -> Classification:
    """Its problem and the place of it, without the line it quotes."""
    mark = peek(error, "problem_mark") or peek(error, "context_mark")
    problem = (read_text(error, "problem") or "").partition(" with value ")[0]  # A key that is there twice.
    message = ", ".join(filter(None, (read_text(error, "context"), problem)))
    return Classification(
        Code.SERIALIZATION_ERROR, text=_at(f"The YAML cannot be read: {message}", mark) if message else None
    )


def by_mark_of_value(error: BaseException) -> Classification:
    """What was expected and what was found, without the line it quotes."""
    return by_mark(error)._replace(code=Code.VALIDATION_FAILED)


def by_first_words(error: BaseException) -> Classification:
    """The words it was made with, without the object that comes after them."""
    given = read_argument(error)
    return Classification(Code.SERIALIZATION_ERROR, text=str.__str__(given) if is_a(given, str) else WITHHELD)


def by_unread_line(error: BaseException) -> Classification:
    """The source it could not read, without the line it quotes."""
    source = read_text(error, "source") or read_text(error, "filename") or "the configuration"
    line = read_number(error, "lineno") or _line_in(items_of(peek(error, "errors")))
    return Classification(
        Code.CONFIGURATION_ERROR, text=f"`{source}` cannot be read{f' (line {line})' if line else ''}."
    )


def by_option(error: BaseException) -> Classification:
    """The option it could not expand, without its value."""
    section, option = read_text(error, "section"), read_text(error, "option")
    message = f"Option `{option}` of section `{section}` refers to another one that cannot be put in."
    return Classification(Code.CONFIGURATION_ERROR, text=message if option else WITHHELD)


def by_template_name(error: BaseException) -> Classification:
    """The name of the template."""
    name = read_text(error, "name")
    return Classification(Code.NOT_FOUND, text=f"Template `{name[:_LONGEST]}` was not found." if name else None)


def by_template_line(error: BaseException) -> Classification:
    """Its message and the line, without the template's text."""
    message, line = read_text(error, "message"), read_number(error, "lineno")
    return Classification(Code.INVALID_PARAMS, text=f"{message} (line {line})" if message and line else message)


def by_time_zone(error: BaseException) -> Classification:
    """The name of the time zone."""
    given = read_argument(error)
    message = str.__str__(given)[:_LONGEST] if is_a(given, str) else ""
    return Classification(
        Code.NOT_FOUND, text=message if " " in message else f"Time zone `{message}` is not known." if message else None
    )


def by_missing_key(error: BaseException) -> Classification:
    """The words it was made with: as text, Python puts a KeyError in quotes."""
    given = read_argument(error)
    return Classification(Code.NOT_FOUND, text=str.__str__(given) if is_a(given, str) else None)


def of_original(error: BaseException) -> BaseException | None:
    """The exception it stands for."""
    return read_exception(error, "original_error") or read_exception(error, "__cause__")


def _line_in(errors: tuple[object, ...]) -> int | None:
    """Read the line number in the first of several pairs of number and text."""
    pair = items_of(errors[0]) if errors else ()
    return next((int.__index__(value) for value in pair if is_a(value, int)), None)


def _at(message: str, mark: object) -> str:
    line, column = read_number(mark, "line"), read_number(mark, "column")
    return message if line is None or column is None else f"{message} (line {line + 1}, column {column + 1})"


# fmt: off
_TEXTS: Table = {
    # YAML and TOML.
    "yaml.error.MarkedYAMLError": by_mark,
    "yaml.representer.RepresenterError": by_first_words,
    "ruamel.yaml.error.MarkedYAMLError": by_mark,
    "ruamel.yaml.representer.RepresenterError": by_first_words,
    "strictyaml.ruamel.error.MarkedYAMLError": by_mark,
    "strictyaml.exceptions.YAMLValidationError": by_mark_of_value,
    "tomlkit.exceptions.NonExistentKey": by_missing_key,

    # XML and HTML. What an XML parser forbids is in the document, not about the caller.
    "lxml.etree.DocumentInvalid": by_error_log,
    "lxml.etree.DTDValidateError": by_error_log,
    "lxml.etree.RelaxNGValidateError": by_error_log,
    "lxml.etree.SchematronValidateError": by_error_log,
    "lxml.etree.XMLSchemaValidateError": by_error_log,
    "xmlschema.validators.exceptions.XMLSchemaValidationError": by_schema_reason,

    # Settings.
    "configparser.InterpolationError": by_option,
    "configparser.ParsingError": by_unread_line,

    # Templates.
    "jinja2.exceptions.TemplateNotFound": by_template_name,
    "jinja2.exceptions.TemplateSyntaxError": by_template_line,

    # Dates, zones, languages, units.
    "pendulum.tz.exceptions.InvalidTimezone": by_time_zone,
    "pytz.exceptions.UnknownTimeZoneError": by_time_zone,
    "zoneinfo._common.ZoneInfoNotFoundError": by_time_zone,
    "backports.zoneinfo._common.ZoneInfoNotFoundError": by_time_zone,

    # Queries, patterns, grammars, versions: what the caller wrote has a mistake.
    "graphql.error.graphql_error.GraphQLError": of_original,
}
# fmt: on


# Files and bytes in a format: archives, compression, encodings, images, sound, documents, messages, schemas on the wire.


# fmt: off
_TRANSPORT = {  # TTransportException.type
    1: Classification(Code.NETWORK_ERROR, Retry.SAME_CALL),  # NOT_OPEN
    3: Classification(Code.TIMEOUT),
    5: Classification(Code.SERIALIZATION_ERROR),             # NEGATIVE_SIZE
    6: Classification(Code.VALIDATION_FAILED),               # SIZE_LIMIT
}
_APPLICATION = {  # TApplicationException.type
    1: Classification(Code.NOT_IMPLEMENTED),                 # UNKNOWN_METHOD
    7: Classification(Code.SERIALIZATION_ERROR),             # PROTOCOL_ERROR
    10: Classification(Code.NOT_IMPLEMENTED),                # UNSUPPORTED_CLIENT_TYPE
}
# fmt: on


def by_transport_type(error: BaseException) -> RuleResult:
    """Its type, a number."""
    return _TRANSPORT.get(read_number(error, "type") or 0)


def by_application_type(error: BaseException) -> RuleResult:
    """Its type, a number."""
    return _APPLICATION.get(read_number(error, "type") or 0)


# fmt: off
_FILES: Table = {
    # Bytes.
    "thrift.Thrift.TApplicationException": first(by_application_type, Code.UPSTREAM_ERROR),
    "thrift.transport.TTransport.TTransportException": first(by_transport_type, Code.NETWORK_ERROR),

    # Mail in files, and key-value files.
    "_dbm.error": first(by_errno, Code.DATABASE_ERROR),
    "_gdbm.error": first(by_errno, Code.DATABASE_ERROR),
    "dbm.error": first(by_errno, Code.DATABASE_ERROR),
    "dbm.sqlite3.error": first(by_errno, Code.DATABASE_ERROR),
}
# fmt: on


# Libraries that compute: tables, arrays, models, graphs, formulas, places.


# fmt: off
COMPUTING: Table = {
    # pandas.
    "pandas.errors.DatabaseError": first(by_cause, Code.DATABASE_ERROR),

    # Places.
    "geopy.adapters.AdapterHTTPError": by_status,
}
# fmt: on

TABLE: Table = {**_TEXTS, **_FILES}
