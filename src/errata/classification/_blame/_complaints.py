"""What the words of an exception, and the name of its class, are about: a form, a thing that is not there, a broken database."""

import ast
import re

from errata.model import is_a

_QUOTED = re.compile(
    r"'([^'\n]{1,200})'|\"([^\"\n]{1,200})\"|`([^`\n]{1,200})`|\u201c([^\u201d\n]{1,200})\u201d|\[([^\]\n]{1,80})\]"
)
_MARKED = re.compile(
    r"(?:: |\bnear |\bnamed? |\bcolumn |\btable |\bfunction |\boption |\bkey |\bunknown |\bno such )[\"'`]?([\w.$@-]{2,60})"
)
FORM = re.compile(
    r"\b(?:syntax|pars(?:e|er|ing)|malformed|invalid|unrecogni[sz]ed|unknown|unexpected|unterminated|unmatched|unbalanced"
    r"|expected|expecting|incomplete|badly|illegal|bad|not a valid|unsupported|no such|does not exist|not found|did not match"
    r"|ambiguous|usage|one statement|out of range|too (?:long|large|many|big|short|small))\b",
    re.IGNORECASE,
)
BROKEN = re.compile(
    r"\b(?:unable to open database|not a database|malformed database|disk image is malformed|disk i/o|database or disk is full"
    r"|out of memory|too many connections|server closed the connection|read-?only (?:database|file ?system)|no space left"
    r"|internal (?:server )?error|killed|segmentation fault)\b",
    re.IGNORECASE,
)
DAMAGED = re.compile(r"\b(?:crc|checksum|corrupt(?:ed|ion)?|damaged|truncated)\b", re.IGNORECASE)
"""Beside the name of a thing: the thing is there, and broken."""
ABOUT_A_TEXT = re.compile(r"Template|Syntax|Pars|Undefined|Lex|Token|Decod|Format|Grammar|BadZip|ReadError|Corrupt")
"""In the name of a class: it is about a text, or a file's content."""
OF_A_SCHEMA = re.compile(
    r"no such (?:table|column|function|module|collection|index)|(?:relation|column|table) \S{1,200} does not exist"
    r"|unknown column|undefined (?:table|column)",
    re.IGNORECASE,
)
CONSTRAINT = re.compile(r"^(?!.*\bnull\b).*\bconstraint\b", re.IGNORECASE | re.DOTALL)
"""A constraint between rows or values: the table that it names is not what it complains about."""
OF_AN_ADDRESS = re.compile(r"URL|Schema$|Scheme|Protocol$|LocationPars")
"""In the name of a class: it is about the address, and not about what is sent there."""
OF_AN_ANSWER = re.compile(r"^(?:BadStatusLine|IncompleteRead|RemoteProtocol|InvalidResponse|ResponseNotReady)")
"""In the name of a class: it is about what an upstream answered."""
EMPTY = re.compile(
    r"\bempty (?:sequence|iterable|range|list|collection)\b|at least one|no (?:data|values|columns)\b", re.IGNORECASE
)
OF_THE_SERVER = re.compile(
    r"(?:Executable|Binary|Program|Command|Driver|Tesseract|Config\w*|Profile|Credentials?|Module|Package|Library)NotFound"
)
"""In the name of a class: what is not there is something that the server needs."""
_NOT_THERE = ("NoResultFound", "DoesNotExist", "NotFound", "NoMatches", "NoRecord", "UnknownObject")
"""How the names of classes end that say so."""


def is_missing(error: BaseException) -> bool:
    """Return whether the class of an exception says that something was looked for and is not there."""
    names = (cls.__name__.removesuffix("Error").removesuffix("Exception") for cls in type(error).__mro__)
    return any(name.endswith(_NOT_THERE) or name.startswith("NoSuch") for name in names)


def is_of_a_pattern(error: BaseException) -> bool:
    """Return whether it is about a regular expression, which is the first thing that `re` is given."""
    return type(error).__module__ in {"re", "re._constants", "sre_constants"}


def is_of_a_program(error: BaseException) -> bool:
    """Return whether another program failed: its words say what it was given, and its command line is long."""
    return type(error).__module__ == "subprocess"


def list_quoted(text: str) -> list[str]:
    """List what a text quotes."""
    return [word for groups in _QUOTED.findall(text) for word in groups if word.strip()]


def list_marked(text: str) -> list[str]:
    """List the words behind `near`, a colon and the like, where parsers put what they stumbled over."""
    return _MARKED.findall(text)


def list_complaints(text: str) -> set[str]:
    """Return the words that a text is about, in lower case."""
    return {word.lower() for word in (*list_quoted(text), *list_marked(text))}


def list_texts(node: ast.AST) -> set[str]:
    """Return the texts that are written out in an expression."""
    return {each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and is_a(each.value, str)}
