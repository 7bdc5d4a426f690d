"""Texts in a format: data, markup, settings, templates, dates, and the small languages of queries and patterns."""

from errata.classification._answer import WITHHELD, Classification, Otherwise, Table
from errata.classification._families._xml import by_error_log, by_schema_reason
from errata.classification._reach import peek, read_argument, read_exception, read_number, read_text
from errata.classification._verdicts import BUG
from errata.model import Code, is_a, items_of

_LONGEST = 300


def _forbidden(what: str) -> Classification:
    return Classification(Code.VALIDATION_FAILED, text=f"The XML has {what}, which is not allowed.")


def by_mark(error: BaseException) -> Classification:
    """Its problem and the place of it, without the line it quotes."""
    mark = peek(error, "problem_mark") or peek(error, "context_mark")
    problem = (read_text(error, "problem") or "").partition(" with value ")[0]  # A key that is there twice.
    told = ", ".join(filter(None, (read_text(error, "context"), problem)))
    return Classification(
        Code.SERIALIZATION_ERROR, text=_at(f"The YAML cannot be read: {told}", mark) if told else None
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
    listed = items_of(peek(error, "errors"))
    line = read_number(error, "lineno") or _line_in(listed)
    return Classification(
        Code.CONFIGURATION_ERROR, text=f"`{source}` cannot be read{f' (line {line})' if line else ''}."
    )


def by_option(error: BaseException) -> Classification:
    """The option it could not expand, without its value."""
    section, option = read_text(error, "section"), read_text(error, "option")
    told = f"Option `{option}` of section `{section}` refers to another one that cannot be put in."
    return Classification(Code.CONFIGURATION_ERROR, text=told if option else WITHHELD)


def by_template_name(error: BaseException) -> Classification:
    """The name of the template."""
    name = read_text(error, "name")
    return Classification(Code.NOT_FOUND, text=f"Template `{name[:_LONGEST]}` was not found." if name else None)


def by_template_line(error: BaseException) -> Classification:
    """Its message and the line, without the template's text."""
    told, line = read_text(error, "message"), read_number(error, "lineno")
    return Classification(Code.INVALID_PARAMS, text=f"{told} (line {line})" if told and line else told)


def by_time_zone(error: BaseException) -> Classification:
    """The name of the time zone."""
    given = read_argument(error)
    told = str.__str__(given)[:_LONGEST] if is_a(given, str) else ""
    return Classification(
        Code.NOT_FOUND, text=told if " " in told else f"Time zone `{told}` is not known." if told else None
    )


def by_missing_key(error: BaseException) -> Classification:
    """The words it was made with: as text, Python puts a KeyError in quotes."""
    given = read_argument(error)
    return Classification(Code.NOT_FOUND, text=str.__str__(given) if is_a(given, str) else None)


def of_original(error: BaseException) -> BaseException | None:
    """The exception it stands for."""
    return read_exception(error, "original_error") or read_exception(error, "__cause__")


def _line_in(listed: tuple[object, ...]) -> int | None:
    """Read the line number in the first of several pairs of number and text."""
    pair = items_of(listed[0]) if listed else ()
    return next((int.__index__(value) for value in pair if is_a(value, int)), None)


def _at(told: str, mark: object) -> str:
    line, column = read_number(mark, "line"), read_number(mark, "column")
    return told if line is None or column is None else f"{told} (line {line + 1}, column {column + 1})"


# fmt: off
TABLE: Table = {
    # JSON.
    "json.decoder.JSONDecodeError": Code.SERIALIZATION_ERROR,
    "orjson.JSONDecodeError": Code.SERIALIZATION_ERROR,
    "simplejson.errors.JSONDecodeError": Code.SERIALIZATION_ERROR,
    "simplejson.scanner.JSONDecodeError": Code.SERIALIZATION_ERROR,
    "ujson.JSONDecodeError": Code.SERIALIZATION_ERROR,
    "rapidjson.JSONDecodeError": Code.SERIALIZATION_ERROR,
    "hjson.scanner.HjsonDecodeError": Code.SERIALIZATION_ERROR,
    "pyjson5.Json5Exception": Code.SERIALIZATION_ERROR,
    "ijson.common.JSONError": Code.SERIALIZATION_ERROR,
    "ijson.backends.YAJLImportError": Code.CONFIGURATION_ERROR,
    "jsonlines.jsonlines.Error": Code.SERIALIZATION_ERROR,
    "jsonpatch.JsonPatchException": Code.VALIDATION_FAILED,
    "jsonpatch.JsonPatchConflict": Code.CONFLICT,
    "jsonpointer.JsonPointerException": Otherwise(Code.VALIDATION_FAILED),

    # YAML and TOML.
    "yaml.error.YAMLError": Code.SERIALIZATION_ERROR,
    "yaml.error.MarkedYAMLError": by_mark,
    "yaml.representer.RepresenterError": by_first_words,
    "ruamel.yaml.error.YAMLError": Code.SERIALIZATION_ERROR,
    "ruamel.yaml.error.MarkedYAMLError": by_mark,
    "ruamel.yaml.representer.RepresenterError": by_first_words,
    "ruamel.yaml.error.YAMLStreamError": Code.SERIALIZATION_ERROR,
    "strictyaml.ruamel.error.YAMLError": Code.SERIALIZATION_ERROR,
    "strictyaml.ruamel.error.MarkedYAMLError": by_mark,
    "strictyaml.ruamel.error.YAMLStreamError": Code.SERIALIZATION_ERROR,
    "strictyaml.exceptions.InvalidValidatorError": BUG,
    "strictyaml.exceptions.YAMLValidationError": by_mark_of_value,
    "tomllib.TOMLDecodeError": Code.SERIALIZATION_ERROR,
    "tomli.TOMLDecodeError": Code.SERIALIZATION_ERROR,
    "toml.decoder.TomlDecodeError": Code.SERIALIZATION_ERROR,
    "_rtoml.TomlParsingError": Code.SERIALIZATION_ERROR,
    "_rtoml.TomlSerializationError": Code.SERIALIZATION_ERROR,
    "tomlkit.exceptions.TOMLKitError": Code.SERIALIZATION_ERROR,
    "tomlkit.exceptions.ParseError": Code.SERIALIZATION_ERROR,
    "tomlkit.exceptions.ConvertError": Code.SERIALIZATION_ERROR,
    "tomlkit.exceptions.InvalidStringError": Code.SERIALIZATION_ERROR,
    "tomlkit.exceptions.KeyAlreadyPresent": Code.CONFLICT,
    "tomlkit.exceptions.NonExistentKey": by_missing_key,

    # XML and HTML. What an XML parser forbids is in the document, not about the caller.
    "xml.etree.ElementTree.ParseError": Code.SERIALIZATION_ERROR,
    "xml.etree.ElementInclude.FatalIncludeError": Code.SERIALIZATION_ERROR,
    "xml.parsers.expat.ExpatError": Code.SERIALIZATION_ERROR,
    "pyexpat.ExpatError": Code.SERIALIZATION_ERROR,
    "xml.sax._exceptions.SAXException": Code.SERIALIZATION_ERROR,
    "xml.sax._exceptions.SAXParseException": Code.SERIALIZATION_ERROR,
    "xml.sax._exceptions.SAXNotRecognizedException": Code.NOT_IMPLEMENTED,
    "xml.sax._exceptions.SAXNotSupportedException": Code.NOT_IMPLEMENTED,
    "xml.sax._exceptions.SAXReaderNotAvailable": Code.CONFIGURATION_ERROR,
    "xml.dom.DOMException": BUG,  # The tree was changed in a way it does not allow.
    "xml.dom.InvalidCharacterErr": Code.VALIDATION_FAILED,
    "xml.dom.NamespaceErr": Code.VALIDATION_FAILED,
    "xml.dom.NotFoundErr": Code.NOT_FOUND,
    "xml.dom.NotSupportedErr": Code.NOT_IMPLEMENTED,
    "xml.dom.SyntaxErr": Code.SERIALIZATION_ERROR,
    "xml.dom.ValidationErr": Code.VALIDATION_FAILED,
    "xmltodict.ParsingInterrupted": Code.SERIALIZATION_ERROR,
    "defusedxml.common.DefusedXmlException": Code.VALIDATION_FAILED,
    "defusedxml.common.DTDForbidden": _forbidden("a document type"),
    "defusedxml.common.EntitiesForbidden": _forbidden("entities of its own"),
    "defusedxml.common.ExternalReferenceForbidden": _forbidden("a reference to another document"),
    "defusedxml.common.NotSupportedError": Code.NOT_IMPLEMENTED,
    "lxml.etree.Error": Code.SERIALIZATION_ERROR,
    "lxml.etree.LxmlError": Code.SERIALIZATION_ERROR,
    "lxml.etree.LxmlRegistryError": BUG,
    "lxml.etree.DocumentInvalid": by_error_log,
    "lxml.etree.DTDParseError": Code.CONFIGURATION_ERROR,  # A schema or stylesheet is this server's own.
    "lxml.etree.DTDValidateError": by_error_log,
    "lxml.etree.RelaxNGParseError": Code.CONFIGURATION_ERROR,
    "lxml.etree.RelaxNGValidateError": by_error_log,
    "lxml.etree.SchematronParseError": Code.CONFIGURATION_ERROR,
    "lxml.etree.SchematronValidateError": by_error_log,
    "lxml.etree.XMLSchemaParseError": Code.CONFIGURATION_ERROR,
    "lxml.etree.XMLSchemaValidateError": by_error_log,
    "lxml.etree.XPathError": Code.INVALID_PARAMS,
    "lxml.etree.XSLTError": Otherwise(Code.INTERNAL_ERROR),
    "lxml.etree.XSLTParseError": Code.CONFIGURATION_ERROR,
    "lxml.etree.XSLTSaveError": Code.SERIALIZATION_ERROR,
    "lxml.html.formfill.FormNotFound": Code.NOT_FOUND,
    "xmlschema.exceptions.XMLSchemaException": Code.CONFIGURATION_ERROR,
    "xmlschema.exceptions.XMLResourceParseError": Code.SERIALIZATION_ERROR,
    "xmlschema.validators.exceptions.XMLSchemaValidationError": by_schema_reason,
    "html5lib.html5parser.ParseError": Code.SERIALIZATION_ERROR,
    "html5lib.serializer.SerializeError": Code.SERIALIZATION_ERROR,
    "bs4.exceptions.FeatureNotFound": Code.CONFIGURATION_ERROR,
    "bs4.exceptions.ParserRejectedMarkup": Code.SERIALIZATION_ERROR,
    "feedparser.exceptions.ThingsNobodyCaresAboutButMe": Code.SERIALIZATION_ERROR,
    "feedparser.exceptions.UndeclaredNamespace": Code.SERIALIZATION_ERROR,
    "docutils.utils.SystemMessage": Code.SERIALIZATION_ERROR,
    "nbformat.reader.NotJSONError": Code.SERIALIZATION_ERROR,
    "nbformat.validator.NotebookValidationError": Classification(Code.VALIDATION_FAILED, text=WITHHELD),

    # Tables of text.
    "_csv.Error": Code.SERIALIZATION_ERROR,

    # Settings.
    "configparser.Error": Code.CONFIGURATION_ERROR,
    "configparser.InterpolationError": by_option,
    "configparser.ParsingError": by_unread_line,
    "dotenv.parser.Error": Code.CONFIGURATION_ERROR,
    "decouple.UndefinedValueError": Code.CONFIGURATION_ERROR,
    "environs.exceptions.EnvError": Code.CONFIGURATION_ERROR,
    "dynaconf.validator.ValidationError": Code.CONFIGURATION_ERROR,
    "omegaconf.errors.OmegaConfBaseException": Code.CONFIGURATION_ERROR,
    "hydra.errors.HydraException": Code.CONFIGURATION_ERROR,
    "configobj.ConfigObjError": Code.CONFIGURATION_ERROR,
    "confuse.exceptions.ConfigError": Code.CONFIGURATION_ERROR,

    # Templates.
    "jinja2.exceptions.TemplateError": Code.INVALID_PARAMS,
    "jinja2.exceptions.TemplateNotFound": by_template_name,
    "jinja2.exceptions.TemplatesNotFound": Code.NOT_FOUND,
    "jinja2.exceptions.TemplateSyntaxError": by_template_line,
    "jinja2.exceptions.TemplateRuntimeError": Code.INVALID_PARAMS,
    "jinja2.exceptions.FilterArgumentError": Code.INVALID_PARAMS,
    "jinja2.exceptions.UndefinedError": Code.INVALID_PARAMS,
    "jinja2.exceptions.SecurityError": Code.FORBIDDEN,
    "mako.exceptions.MakoException": Code.INVALID_PARAMS,
    "mako.exceptions.TemplateLookupException": Code.NOT_FOUND,
    "liquid.exceptions.Error": Code.INVALID_PARAMS,
    "liquid.exceptions.LiquidError": Code.INVALID_PARAMS,
    "liquid.exceptions.ResourceLimitError": Code.VALIDATION_FAILED,
    "liquid.exceptions.TemplateNotFound": Code.NOT_FOUND,
    "liquid.exceptions.TemplateNotFoundError": Code.NOT_FOUND,
    "chevron.tokenizer.ChevronError": Code.INVALID_PARAMS,

    # Dates, zones, languages, units.
    "dateutil.parser._parser.ParserError": Code.INVALID_FORMAT,
    "pendulum.parsing.exceptions.ParserError": Code.INVALID_FORMAT,
    "pendulum.exceptions.PendulumException": Code.VALIDATION_FAILED,
    "pendulum.tz.exceptions.TimezoneError": Code.VALIDATION_FAILED,
    "pendulum.tz.exceptions.InvalidTimezone": by_time_zone,
    "arrow.parser.ParserError": Code.INVALID_FORMAT,
    "isodate.isoerror.ISO8601Error": Code.INVALID_FORMAT,
    "iso8601.iso8601.ParseError": Code.INVALID_FORMAT,
    "croniter.croniter.CroniterError": Code.INVALID_FORMAT,
    "pytz.exceptions.Error": Code.VALIDATION_FAILED,
    "pytz.exceptions.UnknownTimeZoneError": by_time_zone,
    "zoneinfo._common.ZoneInfoNotFoundError": by_time_zone,
    "backports.zoneinfo._common.ZoneInfoNotFoundError": by_time_zone,
    "babel.core.UnknownLocaleError": Code.NOT_FOUND,
    "babel.dates.ParseError": Code.INVALID_FORMAT,
    "babel.numbers.NumberFormatError": Code.INVALID_FORMAT,
    "babel.numbers.UnknownCurrencyError": Code.NOT_FOUND,
    "babel.numbers.UnknownCurrencyFormatError": Code.NOT_FOUND,
    "babel.numbers.UnsupportedNumberingSystemError": Code.NOT_IMPLEMENTED,
    "babel.messages.pofile.PoFileError": Code.SERIALIZATION_ERROR,
    "babel.plural.RuleError": Code.INVALID_FORMAT,
    "babel.units.UnknownUnitError": Code.NOT_FOUND,
    "pint.errors.PintError": Code.VALIDATION_FAILED,
    "pint.errors.DefinitionSyntaxError": Code.INVALID_FORMAT,

    # Queries, patterns, grammars, versions: what the caller wrote has a mistake.
    "re.error": Code.INVALID_PARAMS,
    "re.PatternError": Code.INVALID_PARAMS,
    "regex._regex_core.error": Code.INVALID_PARAMS,
    "re2.error": Code.INVALID_PARAMS,
    "cssselect.parser.SelectorError": Code.INVALID_PARAMS,
    "soupsieve.util.SelectorSyntaxError": Code.INVALID_PARAMS,
    "jmespath.exceptions.JMESPathError": Code.INVALID_PARAMS,
    "jsonpath.jsonpath.ExprSyntaxError": Code.INVALID_PARAMS,
    "jsonpath.jsonpath.JSONPathTypeError": Code.INVALID_PARAMS,
    "jsonpath_ng.exceptions.JSONPathError": Code.INVALID_PARAMS,
    "lark.exceptions.LarkError": Code.INVALID_FORMAT,
    "lark.exceptions.ConfigurationError": BUG,
    "lark.exceptions.GrammarError": BUG,
    "pyparsing.exceptions.ParseBaseException": Code.INVALID_FORMAT,
    "parsimonious.exceptions.ParsimoniousError": Code.INVALID_FORMAT,
    "pycparser.c_parser.ParseError": Code.INVALID_FORMAT,
    "sqlglot.errors.SqlglotError": Code.INVALID_PARAMS,
    "sqlglot.errors.UnsupportedError": Code.NOT_IMPLEMENTED,
    "sqlparse.exceptions.SQLParseError": Code.INVALID_PARAMS,
    "simpleeval.InvalidExpression": Code.INVALID_PARAMS,
    "graphql.error.graphql_error.GraphQLError": of_original,
    "graphql.error.syntax_error.GraphQLSyntaxError": Code.INVALID_PARAMS,
    "packaging.version.InvalidVersion": Code.INVALID_FORMAT,
    "packaging.specifiers.InvalidSpecifier": Code.INVALID_FORMAT,
    "packaging.requirements.InvalidRequirement": Code.INVALID_FORMAT,
    "packaging.markers.InvalidMarker": Code.INVALID_FORMAT,
    "idna.core.IDNAError": Code.INVALID_FORMAT,
}
# fmt: on
