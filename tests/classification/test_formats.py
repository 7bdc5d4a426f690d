"""Formats of text and of files: what cannot be read is told by place, without quoting it."""

import bz2
import configparser
import csv
import gzip
import importlib
import inspect
import io
import json
import lzma
import mailbox
import pickle
import re
import struct
import sys
import tarfile
import tomllib
import xml.dom.minidom
import xml.sax
import zipfile
import zlib
import zoneinfo
from binascii import unhexlify
from xml.etree import ElementTree as ET

import pytest
from support.library_tables import Library, check_decided, check_names, module, raised

from errata import Code, Retry, classify
from errata.classification import FAMILIES
from errata.classification._registry import REGISTRY, dotted_name

SECRET = "hunter2-in-the-file"  # noqa: S105 - stands for one
WARNINGS = frozenset({"builtins.Warning"})
TEXTS = [
    Library("json", ("json.decoder",)),
    Library("orjson", ("orjson",)),
    Library("yaml", ("yaml",), telling=frozenset({"yaml.error.YAMLError"})),
    Library("tomllib", ("tomllib",)),
    Library("tomlkit", ("tomlkit.exceptions",), telling=frozenset({"tomlkit.exceptions.ParseError"})),
    Library("xml.etree", ("xml.etree.ElementTree", "xml.etree.ElementInclude"), telling=frozenset({"xml.etree.ElementInclude.FatalIncludeError"})),
    Library("xml.parsers", ("xml.parsers.expat",)),
    Library("xml.sax", ("xml.sax",)),
    Library("xml.dom", ("xml.dom",), telling=frozenset({"xml.dom.DOMException"})),
    Library("defusedxml", ("defusedxml.common",)),
    Library("lxml", ("lxml.etree", "lxml.sax", "lxml.ElementInclude"), telling=frozenset({"lxml.etree.LxmlError", "lxml.etree._TargetParserResult"})),
    Library("_csv", ("_csv",)),
    Library("configparser", ("configparser",), telling=frozenset({"configparser.Error"})),
    Library("jinja2", ("jinja2.exceptions",), telling=frozenset({"jinja2.exceptions.TemplateSyntaxError"})),
    Library("dateutil", ("dateutil.parser",), telling=WARNINGS),
    Library("pytz", ("pytz.exceptions",), telling=frozenset({"pytz.exceptions.InvalidTimeError"})),
    Library("isodate", ("isodate",)),
    Library("zoneinfo", ("zoneinfo",), telling=WARNINGS),
    Library("jmespath", ("jmespath.exceptions",), telling=frozenset({"jmespath.exceptions.JMESPathError"})),
    Library("idna", ("idna",), telling=frozenset({"idna.core.IDNAError"})),
]  # fmt: skip
FILES = [
    Library("zipfile", ("zipfile",)),
    Library("tarfile", ("tarfile",), telling=frozenset({"tarfile.TarError"})),
    Library("zlib", ("zlib",)),
    Library("gzip", ("gzip",)),
    Library("struct", ("struct",)),
    Library("binascii", ("binascii",)),
    Library("_pickle", ("_pickle",), telling=frozenset({"_pickle.PickleError"})),
    Library("plistlib", ("plistlib",)),
    Library("msgpack", ("msgpack.exceptions",)),
    Library("PIL", ("PIL", "PIL.Image", "PIL.ImageCms", "PIL.PdfParser", "PIL.BlpImagePlugin"), telling=WARNINGS),
    Library("pypdf", ("pypdf.errors",), telling=WARNINGS | {"pypdf.errors.PyPdfError"}),
    Library("openpyxl", ("openpyxl.utils.exceptions", "openpyxl.formula.tokenizer", "openpyxl.formula.translate")),
    Library(
        "fastavro",
        ("fastavro.read", "fastavro.schema", "fastavro.validation", "fastavro._read_common", "fastavro.repository.base"),
    ),
    Library("email", ("email.errors",), telling=frozenset({"email.errors.MessageError", "email.errors.MessageDefect"}), former=frozenset({"email.errors.HeaderWriteError"})),
    Library("mailbox", ("mailbox",)),
    Library("google.protobuf", ("google.protobuf.message",), inherited=frozenset({"google.protobuf.message.Error", "google.protobuf.message.FrozenInstanceError"})),
    Library("pyasn1", ("pyasn1.error",), telling=frozenset({"pyasn1.error.PyAsn1Error"})),
]  # fmt: skip
NOT_OURS = {"asyncio", "concurrent", "http", "urllib", "socket", "ssl", "sqlite3", "subprocess", "xmlrpc", "smtplib", "imaplib", "poplib", "ftplib", "telnetlib", "decimal", "test", "idlelib", "lib2to3", "turtledemo", "antigravity", "this"}  # fmt: skip
"""Modules of the standard library that other tables speak of, or that must not be imported."""


@pytest.mark.parametrize("library", [*TEXTS, *FILES], ids=lambda each: each.package)
def test_every_name_in_the_table_is_a_class_of_its_library(library):
    check_names(library)


@pytest.mark.parametrize("library", [*TEXTS, *FILES], ids=lambda each: each.package)
def test_every_exception_of_the_library_was_decided_about(library):
    check_decided(library)


def standard_exceptions():
    """Find every public exception that a module of the standard library holds itself."""
    for name in sorted(sys.stdlib_module_names - NOT_OURS):
        if name.startswith("_"):
            continue
        try:
            module = importlib.import_module(name)
        except Exception:  # noqa: BLE001, S112 - of another platform, or removed.
            continue
        for cls_name, cls in inspect.getmembers(module, inspect.isclass):
            if issubclass(cls, Exception) and cls.__module__ != "builtins" and not cls_name.startswith("_"):
                yield cls


@pytest.mark.filterwarnings("ignore")
def test_every_exception_of_the_standard_library_was_decided_about():
    undecided = {
        dotted_name(cls)
        for cls in standard_exceptions()
        if not issubclass(cls, Warning)
        and cls.__module__.split(".")[0] not in NOT_OURS
        and not any(REGISTRY.rule_for(dotted_name(base)) for base in cls.__mro__ if base.__module__ != "builtins")
    }
    assert not undecided


@pytest.mark.filterwarnings("ignore")
def test_every_row_on_the_standard_library_is_found_again():
    kinds = {dotted_name(cls) for cls in standard_exceptions()}
    table = {name: rule for name, rule in FAMILIES["Python"].items() if not name.startswith("builtins.")}
    here = [name for name in table if name in kinds]
    assert len(here) > len(table) / 2
    for name in here:
        assert REGISTRY.rule_for(name) is table[name], name


def look_alike(name, *arguments, **attributes):
    """Make an exception of a class that has the name of a library's class, and its attributes."""
    where, _, called = name.rpartition(".")
    error = type(called, (Exception,), {"__module__": where, "__qualname__": called})(*arguments)
    for attribute, value in attributes.items():
        setattr(error, attribute, value)
    return error


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (json.loads, "{"),
        (tomllib.loads, "a ="),
        (ET.fromstring, "<a>"),
        (xml.dom.minidom.parseString, "nope"),
        (lambda text: xml.sax.parseString(text, xml.sax.ContentHandler()), b"<"),  # noqa: S317 - our own text
        (lambda text: list(csv.reader([text], strict=True)), '"a"b'),
        (lambda data: zipfile.ZipFile(io.BytesIO(data)), b"nope"),
        (lambda data: tarfile.open(fileobj=io.BytesIO(data)), b"nope"),  # noqa: SIM115 - it does not open
        (gzip.decompress, b"nope"),
        (zlib.decompress, b"nope"),
        (lzma.decompress, b"nope"),
        (pickle.loads, b"nope"),
        (unhexlify, "1"),
        (lambda data: struct.unpack("i", data), b"x"),
    ],
)
def test_what_cannot_be_read_is_a_serialization_error(call, argument):
    fault = classify(raised(call, argument))
    assert (fault.code, fault.retryable) == (Code.SERIALIZATION_ERROR, False)


def test_a_member_that_would_land_elsewhere_is_refused(tmp_path):
    member = tarfile.TarInfo("../../evil")
    fault = classify(raised(tarfile.data_filter, member, str(tmp_path)))
    assert fault.code is Code.VALIDATION_FAILED


def test_a_stream_that_was_closed_early_is_no_bug_of_a_format():
    assert classify(raised(bz2.decompress, b"not at all")).retryable is False


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f"password={SECRET}", "`<string>` cannot be read (line 1)."),
        (f"[a]\n{SECRET}", "`<string>` cannot be read (line 2)."),
        (f"[a]\npassword=%{SECRET}", "Option `password` of section `a` refers to another one that cannot be put in."),
    ],
)
def test_a_line_of_the_configuration_is_not_quoted(text, says):
    def read():
        parser = configparser.ConfigParser()
        parser.read_string(text)
        parser.get("a", "password")

    fault = classify(raised(read))
    assert (fault.code, fault.message) == (Code.CONFIGURATION_ERROR, says)


def test_a_line_of_yaml_is_not_quoted():
    fault = classify(raised(module("yaml").safe_load, f"password: [{SECRET}"))
    assert fault.code is Code.SERIALIZATION_ERROR
    assert fault.message.endswith("but got '<stream end>' (line 1, column 31)")
    assert SECRET not in repr(fault)


def test_an_object_that_yaml_cannot_write_is_not_shown():
    fault = classify(raised(module("yaml").safe_dump, type(SECRET, (), {})()))
    assert (fault.code, fault.message) == (Code.SERIALIZATION_ERROR, "cannot represent an object")


def test_toml_that_is_searched_says_which_key_in_plain_words():
    fault = classify(raised(lambda: module("tomlkit").parse("a = 1")["b"]))
    assert (fault.code, fault.message) == (Code.NOT_FOUND, 'Key "b" does not exist.')


def test_an_xml_schema_is_told_by_element_and_without_the_value():
    etree = module("lxml.etree")
    schema = etree.XMLSchema(
        etree.fromstring(
            '<s:schema xmlns:s="http://www.w3.org/2001/XMLSchema"><s:element name="a"><s:complexType><s:sequence>'
            '<s:element name="b" type="s:int"/></s:sequence><s:attribute name="q" type="s:int"/></s:complexType>'
            "</s:element></s:schema>"
        )
    )
    fault = classify(raised(schema.assertValid, etree.fromstring(f'<a q="{SECRET}"><b>{SECRET}</b></a>')))
    assert fault.code is Code.VALIDATION_FAILED
    assert [issue.field for issue in fault.issues] == ["/a/@q", "/a/b"]
    assert SECRET not in repr(fault)


def test_what_an_xml_parser_forbids_is_said_in_words():
    parse = module("defusedxml.ElementTree").fromstring
    fault = classify(raised(parse, '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>'))
    assert (fault.code, fault.message) == (
        Code.VALIDATION_FAILED,
        "The XML has entities of its own, which is not allowed.",
    )


def test_templates_are_the_callers():
    jinja2 = module("jinja2")
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, loader=jinja2.DictLoader({}))
    assert classify(raised(environment.from_string("{{ a }}").render)).code is Code.INVALID_PARAMS
    syntax = classify(raised(environment.from_string, "x\n{% if %}"))
    assert (syntax.code, syntax.message.endswith("(line 2)")) == (Code.INVALID_PARAMS, True)
    missing = classify(raised(environment.get_template, "x.html"))
    assert (missing.code, missing.message) == (Code.NOT_FOUND, "Template `x.html` was not found.")


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (raised(zoneinfo.ZoneInfo, "Mars/Base"), Code.NOT_FOUND, "No time zone found with key Mars/Base"),
        (look_alike("pytz.exceptions.UnknownTimeZoneError", "Mars/Base"), Code.NOT_FOUND, "Time zone `Mars/Base` is not known."),
        (raised(re.compile, "("), Code.INVALID_PARAMS, "missing ), unterminated subpattern at position 0"),
        (look_alike("PIL.UnidentifiedImageError", "<_io.BytesIO object at 0x7f>"), Code.SERIALIZATION_ERROR, "The file is not an image in a known format."),
        (look_alike("pypdf.errors.WrongPasswordError", ""), Code.UNAUTHORIZED, "The file is encrypted, and the password does not open it."),
        (look_alike("liquid.exceptions.LiquidError", "x"), Code.INVALID_PARAMS, "x"),
        (look_alike("thrift.transport.TTransport.TTransportException", "x", type=3), Code.TIMEOUT, "x"),
        (look_alike("ruamel.yaml.error.MarkedYAMLError", "", problem=f'found duplicate key "a" with value "{SECRET}"'), Code.SERIALIZATION_ERROR, 'The YAML cannot be read: found duplicate key "a"'),
    ],
    ids=lambda each: type(each).__name__ if isinstance(each, Exception) else "",
)  # fmt: skip
def test_a_text_that_only_names_something_becomes_a_sentence(error, code, message):
    fault = classify(error)
    assert (fault.code, fault.message) == (code, message)


def test_a_mailbox_that_is_locked_may_be_tried_again():
    assert classify(mailbox.ExternalClashError("x")).retry is Retry.SAME_CALL


@pytest.mark.parametrize("name", sorted(name for name, rule in FAMILIES["formats"].items() if callable(rule)))
@pytest.mark.parametrize(
    "junk", [None, 0, "x", [], {}, object(), [None, 1], {"a": None}], ids=lambda junk: type(junk).__name__
)
def test_any_attribute_may_be_anything(name, junk):
    class AnythingError(Exception):
        def __getattribute__(self, attribute):
            return junk if not attribute.startswith("__") else super().__getattribute__(attribute)

    AnythingError.__module__, _, AnythingError.__qualname__ = name.rpartition(".")
    assert classify(AnythingError("…")).message
