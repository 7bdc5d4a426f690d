"""Whose fault is it? The evidence that an argument of the call is at fault, and the evidence that none is.

`SIGNALS` is the whole of it: what is looked at, what it weighs, and why. An argument is accused if what speaks for it
reaches `ENOUGH`. Flow signals come from the source of the server's own code (`_provenance`), the others from what the
exception says and carries.
"""

import ast
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path, PurePath
from types import FrameType, FunctionType, MappingProxyType
from typing import NamedTuple, cast

from errata._jsonable import text_of
from errata._values import is_a
from errata.classification._call import Call
from errata.classification._provenance import (
    LITERAL,
    UNKNOWN,
    Environment,
    Flow,
    Origin,
    Scope,
    bind_parameters,
    merge,
)
from errata.classification._reach import argument, inner, peek, text_at
from errata.classification._source import OwnCode, Site, Trail, trail_of
from errata.classification._unwrap import leaves_of

ENOUGH = 2.0
"""What it takes to accuse an argument where nothing else says that the caller can mend it."""
ENOUGH_TO_NAME = 1.0
"""What it takes to name an argument where the code says already that the arguments have to be corrected."""


class Signal(NamedTuple):
    """One kind of evidence."""

    weight: float
    why: str


# fmt: off
SIGNALS = {
    # For: the flow of the server's own code.
    "operand":    Signal(4.0, "the operand on which the expression failed is made of the argument: an index, a divisor, what a parser was given"),
    "check":      Signal(4.0, "the server's own check of the argument failed: the test before a `raise`, an `assert`"),
    "selected":   Signal(3.0, "what was looked up by the argument is not there: None, no row, an empty selection"),
    "statement":  Signal(2.0, "the first thing handed to the library that raised is made of the argument: a statement, a path, an address"),
    "form":       Signal(1.0, "… and its words are about the form of what it was given: a syntax, a format, an option"),
    "parameter":  Signal(1.0, "something else handed to that library is made of the argument"),
    "missing":    Signal(1.0, "the class of an exception of the server's own says that something is not there"),
    "state":      Signal(1.0, "the server's own check of something that was looked up by the argument failed"),
    # For: what the exception says.
    "attribute":  Signal(4.0, "an attribute of the exception is the argument: `JSONDecodeError.doc`, `re.error.pattern`"),
    "key":        Signal(3.0, "the missing key or attribute is the argument, or a part of it, and stands nowhere in the source"),
    "field":      Signal(3.0, "the upstream complains about a field of the argument's name"),
    "quoted":     Signal(2.0, "a quoted word of the text is the argument's value"),
    "part":       Signal(2.0, "a quoted word, or the one behind `near` or a colon, stands in a longer argument"),
    "name":       Signal(2.0, "the text has the argument's name as a word"),
    "address":    Signal(2.0, "the argument is a part of the path that the upstream was asked for, and it has no such thing"),
    "absent":     Signal(5.0, "the text asks for an argument that was not sent"),
    "file":       Signal(2.0, "the name of the file is made of the argument"),
    "alias":      Signal(2.0, "the text has the name under which the server handed the argument on"),
    "value":      Signal(0.5, "the text has the argument's value as a word"),
    "told":       Signal(1.0, "… in a text that the server's author wrote"),
    "odd":        Signal(2.0, "the value is zero, negative or empty, and the text is about a range"),
    # Against: nothing that the caller can change.
    "own":        Signal(-9.0, "no argument reaches the expression that failed"),
    "fetched":    Signal(-9.0, "what cannot be read came from a file or from an upstream"),
    "setting":    Signal(-9.0, "what failed comes from the server's environment"),
    "literal":    Signal(-9.0, "what the text complains about is written out in the server's own source"),
    "offered":    Signal(-9.0, "the schema offers the value, so the server has to know it"),
    "broken":     Signal(-9.0, "the text is about the state of the server's own storage or program"),
}
# fmt: on


class Evidence(NamedTuple):
    """One signal that was seen, and the arguments that it is about."""

    signal: str
    paths: tuple[str, ...] = ()


class Blame(NamedTuple):
    """What came of the evidence."""

    fields: tuple[str, ...] = ()
    """The arguments at fault, as dotted paths, the likeliest first; empty if none is known to be."""
    acquitted: str | None = None
    """The signal by which none can be at fault."""
    evidence: tuple[Evidence, ...] = ()
    error: BaseException | None = None
    """The exception that the evidence is about: the one itself, or the cause behind it."""
    site: Site | None = None
    is_written: bool = False
    """Whether somebody wrote its text, in a `raise` or an `assert` of the server's own code."""
    is_lookup: bool = False
    """Whether something was looked up and is not there."""
    whole: str | None = None
    """The argument that the failing expression is, to the letter."""

    @property
    def signals(self) -> frozenset[str]:
        """The names of the signals that were seen."""
        return frozenset(each.signal for each in self.evidence)


_MOST_TEXT = 4_000
_LONGEST_VALUE = 20_000
_MOST_FIELDS = 3
_DEEPEST_CAUSE = 6
_MOST_MEMBERS = 50
_NAMES_OF_TEXTS = (
    "doc",
    "pattern",
    "object",
    "string",
    "source",
    "statement",
    "expression",
    "instance",
    "value",
    "input",
)
_NAMES_OF_KEYS = ("key", "name", "option", "section", "missing")
_NAMES_OF_ARGUMENTS = ("param", "field", "argument", "parameter", "column_name", "parameter_name", "argument_name")
_QUOTED = re.compile(
    r"'([^'\n]{1,200})'|\"([^\"\n]{1,200})\"|`([^`\n]{1,200})`|\u201c([^\u201d\n]{1,200})\u201d|\[([^\]\n]{1,80})\]"
)
_MARKED = re.compile(
    r"(?:: |\bnear |\bnamed? |\bcolumn |\btable |\bfunction |\boption |\bkey |\bunknown |\bno such )[\"'`]?([\w.$@-]{2,60})"
)
_FORM = re.compile(
    r"\b(?:syntax|pars(?:e|er|ing)|malformed|invalid|unrecogni[sz]ed|unknown|unexpected|unterminated|unmatched|unbalanced"
    r"|expected|expecting|incomplete|badly|illegal|bad|not a valid|unsupported|no such|does not exist|not found|did not match"
    r"|ambiguous|usage|one statement|out of range|too (?:long|large|many|big|short|small))\b",
    re.IGNORECASE,
)
_RANGE = re.compile(
    r"\b(?:invalid|positive|negative|zero|greater|least|range|empty|must|less|larger|smaller|between|> ?=? ?\d|minimum|nonnegative)\b|[<>]=? ?\d",
    re.IGNORECASE,
)
_BROKEN = re.compile(
    r"\b(?:unable to open database|not a database|malformed database|disk image is malformed|disk i/o|database or disk is full"
    r"|out of memory|too many connections|server closed the connection|read-?only (?:database|file ?system)|no space left"
    r"|internal (?:server )?error|killed|segmentation fault)\b",
    re.IGNORECASE,
)
_DAMAGED = re.compile(r"\b(?:crc|checksum|corrupt(?:ed|ion)?|damaged|truncated)\b", re.IGNORECASE)
"""Beside the name of a thing: the thing is there, and broken."""
_ABOUT_A_TEXT = re.compile(r"Template|Syntax|Pars|Undefined|Lex|Token|Decod|Format|Grammar|BadZip|ReadError|Corrupt")
"""In the name of a class: it is about a text, or a file's content."""
_OF_A_SCHEMA = re.compile(
    r"no such (?:table|column|function|module|collection|index)|(?:relation|column|table) \S{1,200} does not exist|unknown column|undefined (?:table|column)",
    re.IGNORECASE,
)
_STATUS = re.compile(
    r"\b(?:https?|status(?: code)?|code|said|answered|returned|error|got|with)[ :=(]{1,3}[1-5]\d\d\b|\([45]\d\d\)"
)
"""A number that is a status, and no argument's value."""
_GENERAL = frozenset({Exception, RuntimeError, AssertionError, OSError, SystemError})
"""Classes that say nothing about what a library was given."""
_NO_TEXT_OF_A_TYPE = re.compile(r"'NoneType' object")
_EMPTY_SEQUENCE = re.compile(
    r"\bempty (?:sequence|iterable|range|list|collection)\b|at least one|no (?:data|values|columns)\b", re.IGNORECASE
)


def find_blame(
    error: BaseException,
    call: Call,
    texts: Mapping[int, str] = MappingProxyType({}),
    issues: Iterable[str] = (),
    *,
    enough: float = ENOUGH,
    status: int | None = None,
) -> Blame:
    """Weigh the evidence about one exception. `texts` has what exceptions say where that is better than their own text."""
    own = OwnCode(call.function)
    subject, trail = _subject(error, own)
    site = trail.last
    case = _Case(call, subject, trail, _text(subject, texts), status)
    evidence = [*case.from_flow(), *case.from_text(), *case.from_fields(issues)]
    return case.weigh(evidence, enough)._replace(
        error=subject, site=site, is_written=case.is_written, is_lookup=case.is_lookup, whole=case.whole
    )


def _text(error: BaseException, texts: Mapping[int, str]) -> str:
    known = texts.get(id(error))
    return (text_of(error) if known is None else known)[:_MOST_TEXT]


def _subject(error: BaseException, own: OwnCode) -> tuple[BaseException, Trail]:
    """Find the exception that the matter is about: behind a `raise … from error` in an `except`, the cause."""
    group = Trail((), None)
    for _ in range(_DEEPEST_CAUSE):
        trail = _without_messengers(trail_of(error, own))
        if is_a(error, BaseExceptionGroup):
            leaves = list(leaves_of(error))[:2]
            if len(leaves) != 1:
                break
            error, group = leaves[0], trail
            continue
        if not trail.sites:  # It was raised in a library's task; the server waited for it.
            trail = group
        behind = inner(error, "__cause__") or inner(error, "__context__")
        if behind is None or not (_is_rewording(trail) or _is_pythons_wrapper(error)):
            return error, trail
        error = behind
    return error, _without_messengers(trail_of(error, own))


def _is_pythons_wrapper(error: BaseException) -> bool:
    return type(error) is RuntimeError and text_of(argument(error)).endswith(
        ("raised StopIteration", "raised StopAsyncIteration")
    )


def _without_messengers(trail: Trail) -> Trail:
    """Leave out the frames that only raise an exception which somebody else made: `raise result`."""
    sites, beyond = list(trail.sites), trail.beyond
    while len(sites) > 1 and beyond is None and _is_messenger(sites[-1]):
        beyond = sites.pop().frame
    return Trail(tuple(sites), beyond)


def _is_messenger(site: Site) -> bool:
    match site.node:
        case ast.Raise(exc=ast.Name(id=name)):
            return is_a(site.frame.f_locals.get(name), BaseException)
        case ast.Raise(exc=ast.Attribute() | ast.Subscript()):
            return True
    return False


def _is_rewording(trail: Trail) -> bool:
    """Whether an exception was raised in an `except` block, about what that block caught.

    A test inside of the block that asks about something else than what was caught is a check of its own.
    """
    site = trail.last
    if site is None or trail.beyond is not None or not isinstance(site.node, ast.Raise):
        return False
    handlers = [index for index, parent in enumerate(site.parents) if isinstance(parent, ast.ExceptHandler)]
    if not handlers:
        return False
    caught = cast("ast.ExceptHandler", site.parents[handlers[-1]]).name
    tests = [parent.test for parent in site.parents[handlers[-1] :] if isinstance(parent, ast.If)]
    return all(any(isinstance(node, ast.Name) and node.id == caught for node in ast.walk(test)) for test in tests)


class _Case:
    """One exception, its way through the server's code, and the call."""

    def __init__(self, call: Call, error: BaseException, trail: Trail, text: str, status: int | None) -> None:
        self._status = status
        self.call = call
        self.error = error
        self.trail = trail
        self.text = text
        self.is_written = False
        self.is_lookup = False
        self.whole: str | None = None
        self._values = _Values(call)
        self._flow = _flow_along(trail, call, self._values)
        self._node = _without_await(trail.last.node) if trail.last else None

    # What the flow says.

    def from_flow(self) -> Iterator[Evidence]:
        """Read the expression that failed."""
        site, node = self.trail.last, self._node
        if site is None or node is None:
            yield from self._from_locals()
            return
        if is_a(self.error, AssertionError) and self.trail.beyond is None and (test := _asserted(site)) is not None:
            self.is_written = bool(self.text)
            yield from self._of_check([test])
        elif isinstance(node, ast.Raise):
            self.is_written = bool(self.text)
            yield from self._of_check(list(_guards(site)))
        else:
            yield from self._of_expression(node)

    def _of_expression(self, node: ast.AST) -> Iterator[Evidence]:
        if self.trail.beyond is not None and (lazy := _iterated(node, self.trail.last)) is not None:
            node = lazy  # A library's generator, which fails when it is asked for the first item.
        match node:
            case ast.Subscript(ctx=ast.Load() | ast.Del()) if is_a(self.error, LookupError | TypeError):
                yield from self._of_subscript(node)
            case ast.Attribute() if self.trail.beyond is None:
                yield from self._of_attribute(node)
            case ast.BinOp() if self.trail.beyond is None:
                yield from self._of_operation(node)
            case ast.Call():
                yield from self._of_call(node)
            case ast.Tuple() | ast.List() if (value := self._unpacked(node)) is not None:
                yield from self._of_value(self._flow.value(value))
            case ast.For() | ast.AsyncFor():
                yield from self._of_value(self._flow.value(node.iter))
            case ast.With() | ast.AsyncWith():
                if self.trail.beyond is None or is_a(self.error, OSError):
                    yield from self._of_value(merge(self._flow.value(item.context_expr) for item in node.items))
            case ast.Subscript(ctx=ast.Store()) | ast.Attribute(ctx=ast.Store()) if (
                value := self._unpacked(node)
            ) is not None:
                yield from self._of_value(self._flow.value(value))
            case _:
                yield from self._of_value(self._flow.value(node))

    def _of_subscript(self, node: ast.Subscript) -> Iterator[Evidence]:
        holder, index = self._flow.value(node.value), self._flow.value(node.slice)
        if _NO_TEXT_OF_A_TYPE.search(self.text) and not is_a(self.error, LookupError):
            yield from self._of_nothing(holder)
        elif is_a(self.error, TypeError):
            yield from self._of_type([holder, index])
        elif index.made_of:
            self.is_lookup = is_a(self.error, KeyError)
            yield from self._accuse("operand", index)
        elif index.is_unknown and not holder.made_of:
            return
        elif holder.made_of:
            yield from self._accuse("operand", holder)
        elif holder.is_result and holder.fetched_by and is_a(self.error, IndexError):
            self.is_lookup = True
            yield from self._accuse("selected", holder)
        else:
            yield from self._acquit(merge([holder, index]))

    def _of_attribute(self, node: ast.Attribute) -> Iterator[Evidence]:
        holder = self._flow.value(node.value)
        if _NO_TEXT_OF_A_TYPE.search(self.text):
            yield from self._of_nothing(holder)
        else:
            yield Evidence("own")

    def _of_nothing(self, holder: Origin) -> Iterator[Evidence]:
        """Judge a None: it is the caller's if a look-up by an argument returned it, and a bug if it was a part of something."""
        if holder.is_result and holder.arguments:
            self.is_lookup = bool(holder.fetched_by)
            yield from self._accuse("selected", holder)
        else:
            yield Evidence("own")

    def _of_operation(self, node: ast.BinOp) -> Iterator[Evidence]:
        left, right = self._flow.value(node.left), self._flow.value(node.right)
        if is_a(self.error, ZeroDivisionError):
            yield from self._of_value(right)
        elif is_a(self.error, TypeError):
            yield from self._of_type([left, right])
        else:
            yield from self._of_value(merge([left, right]))

    def _of_type(self, operands: list[Origin]) -> Iterator[Evidence]:
        """Judge a TypeError: the schema has checked the arguments, so anything else in the expression is more likely."""
        whole = merge(operands)
        if whole.made_of and not whole.is_foreign and not whole.fetched_by:
            yield from self._accuse("operand", whole)
        else:
            yield Evidence("own")

    def _of_value(self, origin: Origin) -> Iterator[Evidence]:
        if origin.made_of:
            yield from self._accuse("operand", origin)
        else:
            yield from self._acquit(origin)

    def _acquit(self, origin: Origin) -> Iterator[Evidence]:
        """Speak against every argument, unless something is in the expression that could not be followed."""
        if origin.from_environment:
            yield Evidence("setting")
        elif origin.fetched_by:
            yield Evidence("fetched")
        elif not origin.is_unknown:
            yield Evidence("own")

    def _accuse(self, signal: str, origin: Origin) -> Iterator[Evidence]:
        paths = origin.made_of or origin.fetched_by
        if signal == "operand" and origin.path:
            self.whole = origin.path
        yield Evidence(signal, tuple(sorted(paths)))

    def _is_offered(self, path: str) -> bool:
        """Whether the schema lists the value that was given among those that are allowed."""
        schema = self.call.properties().get(path)
        if not is_a(schema, dict) or path not in self.call.arguments:
            return False
        allowed = cast("dict[str, object]", schema).get("enum")
        return is_a(allowed, list) and self.call.arguments[path] in cast("list[object]", allowed)

    # Calls.

    def _of_call(self, node: ast.Call) -> Iterator[Evidence]:
        operands = _operands(node)
        given = merge(map(self._flow.value, operands))
        holder = self._flow.value(node.func.value) if isinstance(node.func, ast.Attribute) else LITERAL
        if is_a(self.error, TypeError) and self.trail.beyond is None:
            yield from self._of_misuse(node, holder, given)
        elif _is_called(node, "getattr") and is_a(self.error, AttributeError) and len(node.args) > 1:
            self.is_lookup = True
            yield from self._of_value(self._flow.value(node.args[1]))
        elif is_a(self.error, ImportError):
            yield from self._of_import(given)
        elif is_a(self.error, StopIteration | StopAsyncIteration) or _EMPTY_SEQUENCE.search(self.text):
            yield from self._of_empty(
                merge([holder, given]), is_result=any(map(self._flow.results_in, [node.func, *operands]))
            )
        elif is_a(self.error, TypeError) and (chosen := self._chosen(node)) is not None:
            yield from self._accuse("operand", chosen)
        elif not (given.arguments or holder.arguments):
            if operands or not self._is_stateful(node):
                yield from self._acquit(merge([holder, given]))
        elif is_a(self.error, RecursionError) and self._is_recursive():
            yield Evidence("own")
        elif self._is_about_a_value():
            yield from self._of_refused_value(node, holder, given)
        else:
            yield from self._of_library(node, holder, operands)

    def _is_recursive(self) -> bool:
        """Whether it is the server's own function that calls itself."""
        codes = [site.code for site in self.trail.sites]
        return len({*codes}) < len(codes)

    def _is_stateful(self, node: ast.Call) -> bool:
        """Whether it is `session.commit()` or its like: what fails there was put in before, unseen."""
        if self.trail.beyond is None or is_a(self.error, OSError):
            return False
        return isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name)

    def _chosen(self, node: ast.Call) -> Origin | None:
        """Return the argument that selected what a library cannot do this with: `frame[column].mean()`."""
        match node.func:
            case ast.Attribute(value=ast.Subscript(slice=index)) if not node.args:
                origin = self._flow.value(index)
                return origin if origin.made_of else None
        return None

    def _of_misuse(self, node: ast.Call, holder: Origin, given: Origin) -> Iterator[Evidence]:
        """Judge a TypeError of the call itself: an unexpected keyword is the caller's if the caller sent the keywords."""
        spread = merge(self._flow.value(keyword.value) for keyword in node.keywords if keyword.arg is None)
        if spread.made_of:
            yield from self._accuse("operand", spread)
        elif is_a(self.error, TypeError) and _is_signature_text(self.text):
            yield Evidence("own")
        else:
            yield from self._of_type([holder._replace(is_foreign=False), given])

    def _of_import(self, given: Origin) -> Iterator[Evidence]:
        """Judge a module that is missing: the caller's if its name has the argument in it, and not one that it imports."""
        name = text_at(self.error, "name") or ""
        if given.made_of and any(
            value and value in name for path in given.made_of for value in [self._values.folded(path)]
        ):
            self.is_lookup = True
            yield from self._accuse("operand", given)
        else:
            yield Evidence("own")

    def _of_empty(self, origin: Origin, *, is_result: bool) -> Iterator[Evidence]:
        """Judge an empty selection: the caller's if an argument selected, and not if it came empty from elsewhere."""
        self.is_lookup = not origin.made_of
        if origin.made_of:
            yield from self._accuse("operand", origin)
        elif origin.fetched_by and is_result:
            yield from self._accuse("selected", origin)
        else:
            yield from self._acquit(origin)

    def _is_about_a_value(self) -> bool:
        """Whether it is one of Python's own exceptions about a value, or one that inherits from them."""
        return is_a(self.error, ValueError | ArithmeticError | LookupError | RecursionError | SyntaxError | MemoryError)

    def _of_refused_value(self, node: ast.Call, holder: Origin, given: Origin) -> Iterator[Evidence]:
        made = merge([given, holder if holder.made_of else LITERAL])
        if made.made_of and (_reads_a_file(node) or self._is_about_fetched_text(node, holder)):
            yield Evidence("fetched")
            return
        if self._is_of_own_template(node, holder) or (made.made_of and self._is_no_text(made)):
            yield Evidence("fetched" if holder.fetched_by else "own")
        elif made.made_of:
            self.is_lookup = is_a(self.error, KeyError) and not _is_structure(node)
            yield from self._accuse("operand", made)
        elif is_missing(self.error) or "not found" in self.text.lower():
            yield from self._of_empty(merge([holder, given]), is_result=self._flow.results_in(node))
        else:
            yield from self._acquit(merge([holder, given]))

    def _is_of_own_template(self, node: ast.Call, holder: Origin) -> bool:
        """Whether the key that is missing is one of a template or of a literal of the server's own."""
        key = argument(self.error)
        if type(self.error) is not KeyError or not is_a(key, str):
            return False
        is_template = isinstance(node.func, ast.Attribute) and node.func.attr in {"format", "format_map", "substitute"}
        return (is_template and not holder.made_of) or self._is_in_source(key)

    def _is_no_text(self, made: Origin) -> bool:
        """Whether a text cannot be read and no argument is a text: then it is another one, of a file or an upstream."""
        held = [name for name in ("doc", "object") if is_a(peek(self.error, name), str | bytes)]
        return bool(held) and all(not is_a(self._values.value(path), str | dict | list) for path in made.made_of)

    def _of_library(self, node: ast.Call, holder: Origin, operands: list[ast.expr]) -> Iterator[Evidence]:
        origins = [*map(self._flow.value, operands)]
        whole = merge([holder, *origins])
        if is_missing(self.error):
            yield from self._of_empty(whole, is_result=self._flow.results_in(node))
            return
        if self._is_about_fetched_text(node, holder) or (not whole.made_of and self._status is None):
            yield from self._acquit(whole._replace(fetched_by=whole.arguments))
            return
        if holder.is_indirect and not whole.made_of:
            yield Evidence("fetched")
        main = self._main_operand(node, holder, operands, origins)
        if main.made_of:
            self.whole = main.path
            yield Evidence("statement", tuple(sorted(main.made_of)))
            if _FORM.search(self.text):
                yield Evidence("form", tuple(sorted(main.made_of)))
        others = (whole.made_of | whole.fetched_by) - main.made_of
        if others:
            yield Evidence("parameter", tuple(sorted(others)))
        damaged = _DAMAGED.search(self.text) and self._values.mentioned_in(self.text.lower())
        if damaged or _BROKEN.search(self.text):
            yield Evidence("broken")
        if (not is_a(self.error, OSError) and self._is_written_out(operands)) or (
            _OF_A_SCHEMA.search(self.text) and not main.made_of
        ):
            yield Evidence("literal")

    def _is_about_fetched_text(self, node: ast.Call, holder: Origin) -> bool:
        """Whether it is about a text that was fetched: a stored template, the content of a file that an argument names."""
        if not _ABOUT_A_TEXT.search(type(self.error).__name__) or any(
            keyword.arg is None and self._flow.value(keyword.value).made_of for keyword in node.keywords
        ):
            return False
        names_file = bool(node.args) and _is_file_name(node.args[0]) and not is_missing(self.error)
        return names_file or bool(holder.fetched_by and not holder.made_of)

    def _main_operand(self, node: ast.Call, holder: Origin, operands: list[ast.expr], origins: list[Origin]) -> Origin:
        """Return what a library was mainly given: a statement, a path, an address; not the conditions and values beside it."""
        if type(self.error) in _GENERAL or not operands:
            return LITERAL
        made = [origin for origin in origins if origin.made_of]
        first = origins[0] if node.args else made[0] if len(made) == 1 and not holder.fetched_by else LITERAL
        if node.args and isinstance(operands[0], ast.Compare | ast.Lambda):
            first = LITERAL
        return merge([first, holder])._replace(path=first.path) if holder.made_of else first

    def _is_written_out(self, operands: Iterable[ast.expr]) -> bool:
        """Whether a word that the text complains about stands in a text of the server's own, and in no argument."""
        words = {part for word in self._complaints() for part in (word, word.rpartition(".")[2])}
        words = {word for word in words if word and not self._values.containing(word)}
        words = {word for word in words if not self._names_in(word)}
        texts = [text for operand in operands for text in self._own_texts(operand)]
        return any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) for word in words for text in texts)

    def _names_in(self, word: str) -> bool:
        return any(part in self.call.arguments for part in re.split(r"[^\w]", word))

    def _own_texts(self, operand: ast.expr) -> Iterator[str]:
        for node in ast.walk(operand):
            if isinstance(node, ast.Constant) and is_a(node.value, str):
                yield node.value.lower()
            elif isinstance(node, ast.Name) and not self._flow.value(node).made_of and self.trail.last:
                value = self.trail.last.frame.f_locals.get(node.id)
                if is_a(value, str):
                    yield value[:_LONGEST_VALUE].lower()

    def _complaints(self) -> set[str]:
        return {
            *(word.lower() for word in _quoted_in(self.text)),
            *(word.lower() for word in _MARKED.findall(self.text)),
        }

    def _unpacked(self, target: ast.AST) -> ast.expr | None:
        site = self.trail.last
        parent = site.parents[-1] if site and site.parents else None
        match parent:
            case ast.Assign(value=value):
                return value
            case ast.For(iter=value) | ast.comprehension(iter=value):
                return value
        return None

    # Checks of the server's own.

    def _of_check(self, tests: list[ast.AST]) -> Iterator[Evidence]:
        origins = [self._flow.value(test) for test in tests]
        telling = next((pair for pair in zip(tests, origins, strict=True) if pair[1].arguments or pair[1].unsent), None)
        if is_a(self.error, LookupError) or is_missing(self.error):
            self.is_lookup = True
            yield Evidence("missing", tuple(sorted(merge(origins).arguments)))
        if telling is None:
            if tests:
                yield from self._acquit(merge(origins))
            return
        test, origin = telling
        if origin.made_of or (origin.unsent and not origin.fetched_by):
            self.is_lookup = self.is_lookup or _asks_whether_known(test)
            yield Evidence("check", tuple(sorted(origin.made_of or origin.unsent)))
        elif _asks_whether_there(test) and self._flow.results_in(test):
            self.is_lookup = True
            yield Evidence("selected", tuple(sorted(origin.fetched_by)))
        else:
            yield Evidence("state", tuple(sorted(origin.fetched_by)))

    # What the exception says and carries.

    def from_text(self) -> Iterator[Evidence]:
        """Relate the words and attributes of the exception to the arguments."""
        values, text = self._values, self.text
        if paths := self._held():
            yield Evidence("attribute", paths)
        if (
            (key := self._key())
            and (paths := values.matching(key) or values.containing(key))
            and not self._is_in_source(key)
        ):
            self.is_lookup = True
            yield Evidence("key", paths)
        quoted = _quoted_in(text)
        if paths := _several(values.matching(word) for word in quoted):
            yield Evidence("quoted", paths)
        marked = [*quoted, *_MARKED.findall(text)]
        if paths := _several(values.around(word) for word in marked):
            yield Evidence("part", paths)
        lowered = _STATUS.sub(" ", text.lower())
        named = [name for name in self._parameters() if _has_word(lowered, name)]
        if "foreign key" in lowered and (
            keys := [name for name in self.call.arguments if name.lower().endswith(("id", "key", "ref"))]
        ):
            named += keys
        if named:
            yield Evidence("name", tuple(dict.fromkeys(named)))
        absent = [name for name in named if name not in self.call.arguments and _asks_for(lowered, name)]
        if absent:
            yield Evidence("absent", tuple(absent))
        if paths := _several(origins for alias, origins in self._aliases().items() if _has_word(lowered, alias)):
            yield Evidence("alias", paths)
        if paths := values.mentioned_in(lowered):
            yield Evidence("told" if self.is_written else "value", paths)
        if _RANGE.search(text) and (paths := values.odd()):
            yield Evidence("odd", paths)
        if self._is_own_file():
            yield Evidence("own")
        elif paths := self._in_file():
            yield Evidence("file", paths)

    def from_fields(self, fields: Iterable[str]) -> Iterator[Evidence]:
        """Relate the fields that an upstream complains about to the arguments."""
        names = {_plain(alias): origins[0] for alias, origins in self._aliases().items() if len(origins) == 1}
        names |= {_plain(name): name for name in self._parameters()}
        found = [names[last] for field in fields if (last := _plain(field.rpartition(".")[2])) in names]
        found += [name for at in _NAMES_OF_ARGUMENTS if (name := names.get(_plain(text_at(self.error, at) or "")))]
        if found:
            yield Evidence("field", tuple(dict.fromkeys(found)))

    def _parameters(self) -> list[str]:
        return [*dict.fromkeys([*self.call.arguments, *self.call.properties()])]

    def _aliases(self) -> dict[str, tuple[str, ...]]:
        """Return the names under which the server hands arguments on: keywords, and the keys of literal dicts."""
        aliases: dict[str, tuple[str, ...]] = {}
        for site in self.trail.sites[-3:]:
            for name, value in _handed_on(site.function):
                if len(name) > 1 and len(made := self._flow.value(value).made_of) == 1:
                    aliases.setdefault(name, tuple(made))
        return aliases

    def _held(self) -> tuple[str, ...]:
        texts = [held for name in _NAMES_OF_TEXTS if is_a(held := peek(self.error, name), str) and held]
        return _several(self._values.being(held) for held in texts)

    def _key(self) -> str | None:
        if is_a(self.error, KeyError):
            key = argument(self.error)
            return str(key) if is_a(key, str) or (is_a(key, int) and not is_a(key, bool)) else None
        if is_a(self.error, AttributeError | NameError):
            return text_at(self.error, "name")
        return next((key for name in _NAMES_OF_KEYS if (key := text_at(self.error, name))), None)

    def _is_in_source(self, key: str) -> bool:
        """Whether the key is written out where it failed: then it is the server's own, whatever was sent."""
        site, node = self.trail.last, self._node
        if site is None or node is None:
            return False
        names = {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}
        return key in names or key in _texts_in(node)

    def _in_file(self) -> tuple[str, ...]:
        return _several(self._values.in_file(name) for name in _files_of(self.error))

    def _is_own_file(self) -> bool:
        """Whether the missing file is written out in the source, or lies in a folder of the server's own that is not there."""
        name = next(iter(_files_of(self.error)), "")
        paths = self._in_file()
        if not name or (not is_a(self.error, FileNotFoundError) and paths):
            return False
        if self._node is not None and name in _texts_in(self._node):
            return True
        folder = PurePath(name).parent
        if not paths:
            return self._node is None or not self._flow.value(self._node).arguments
        has_folder = any("/" in text or "\\" in text for path in paths for text in [self._values.folded(path)])
        return bool(paths) and not has_folder and str(folder) not in {".", ""} and not _is_folder(folder)

    def _from_locals(self) -> Iterator[Evidence]:
        """Without source: whether the library's first frame was given an argument itself."""
        frame = self.trail.beyond
        if frame is not None and (paths := self._values.identical_in(frame)):
            yield Evidence("statement", paths)

    # The verdict.

    def weigh(self, evidence: list[Evidence], enough: float) -> Blame:
        """Add the evidence up."""
        against = next((each.signal for each in evidence if SIGNALS[each.signal].weight < 0), None)
        if against in {"own", "fetched"} and any(each.signal == "attribute" for each in evidence):
            evidence = [each for each in evidence if each.signal != against]
            against = None
        flow = {"operand", "check", "selected", "statement", "parameter", "state", "missing"}
        reached = {path for each in evidence if each.signal in flow for path in each.paths}
        scores: dict[str, float] = defaultdict(float)
        for signal, paths in evidence:
            for path in paths:
                scores[_root_in(path, reached)] += SIGNALS[signal].weight
        if against:
            return Blame((), against, tuple(evidence))
        if reached:  # The flow says which arguments come into question; the words choose among them.
            named = {path for each in evidence if each.signal in {"absent", "field"} for path in each.paths}
            scores = {
                path: score for path, score in scores.items() if path in reached | (named - {*self.call.arguments})
            }
        best = max(scores.values(), default=0.0)
        accused = [path for path, score in scores.items() if score >= enough and score > best - 1.0]
        if accused and all(map(self._is_offered, accused)):
            return Blame((), "offered", (*evidence, Evidence("offered", tuple(accused))))
        return Blame(tuple(accused[:_MOST_FIELDS]), None, tuple(evidence))


# fmt: off
_NOT_THERE = frozenset([
    "NoResultFound", "DoesNotExist", "ObjectDoesNotExist", "NoSuchElement", "NotFound", "ObjectNotFound", "ResourceNotFound", "NoMatches",
    "NodeNotFound", "NoRecord", "DocumentNotFound", "EntityNotFound", "UnknownObjectException",
])
# fmt: on


def is_missing(error: BaseException) -> bool:
    """Whether the class of an exception says that something was looked for and is not there."""
    return any(
        cls.__name__.removesuffix("Error").removesuffix("Exception") in _NOT_THERE for cls in type(error).__mro__
    )


def _files_of(error: BaseException) -> list[str]:
    """List the names of the files that an OSError is about."""
    if not is_a(error, OSError):
        return []
    held = [peek(error, "filename"), peek(error, "filename2")]
    return [os.fsdecode(name) for name in held if is_a(name, str) or is_a(name, bytes) or is_a(name, PurePath)]


def _texts_in(node: ast.AST) -> set[str]:
    return {each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and is_a(each.value, str)}


def _is_folder(folder: PurePath) -> bool:
    try:
        return Path(folder).is_dir()
    except (OSError, ValueError):
        return True


def _is_structure(node: ast.Call) -> bool:
    """Whether a call builds something from data, so that a missing key is one of the data."""
    name = (
        node.func.attr
        if isinstance(node.func, ast.Attribute)
        else node.func.id
        if isinstance(node.func, ast.Name)
        else ""
    )
    return name.startswith(("structure", "load", "parse", "from_", "validate", "model_validate")) or name[:1].isupper()


def _several(found: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(path for paths in found for path in paths))


def _root_in(path: str, reached: set[str]) -> str:
    """Count what speaks for a part of an argument for the argument that the flow knows."""
    if path in reached:
        return path
    while "." in path:
        path = path.rpartition(".")[0]
        if path in reached:
            return path
    return path if not reached else next((each for each in reached if each.startswith(f"{path}.")), path)


def _quoted_in(text: str) -> list[str]:
    return [word for groups in _QUOTED.findall(text) for word in groups if word.strip()]


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _has_word(text: str, word: str) -> bool:
    """Whether a text has a name as a word, also behind a table's, and in the singular or the plural."""
    word = word.lower()
    stem = word.removesuffix("s") if len(word) > 4 else word  # noqa: PLR2004 - `params`, not `ids`.
    ending = "(?:s|es|eters?|_id|_ids|_key|_no)?" if len(stem) > 3 else ""  # noqa: PLR2004
    return (
        len(word) > 1
        and stem in text
        and re.search(rf"(?<![\w/-]){re.escape(stem)}{ending}(?![\w/])", text) is not None
    )


def _asks_for(text: str, name: str) -> bool:
    """Whether a text asks for an argument: "a container name must be specified", "password required"."""
    name = re.escape(name.lower())
    asking = rf"\b{name}\b[^.;]{{0,40}}\b(?:required|needed|missing|must be)\b"
    wanting = rf"\b(?:missing|specify|provide|without|needs?|with) (?:an? |the )?{name}\b"
    return re.search(f"{asking}|{wanting}", text) is not None


def _handed_on(function: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            yield from ((keyword.arg, keyword.value) for keyword in node.keywords if keyword.arg)
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and is_a(key.value, str):
                    yield key.value, value


def _iterated(node: ast.AST, site: Site | None) -> ast.Call | None:
    """Return the call whose items are iterated over, if that is where it failed."""
    match node:
        case ast.For(iter=ast.Call() as call) | ast.AsyncFor(iter=ast.Call() as call):
            return call
        case (
            ast.ListComp(generators=[first, *_])
            | ast.SetComp(generators=[first, *_])
            | ast.GeneratorExp(generators=[first, *_])
        ):
            return first.iter if isinstance(first.iter, ast.Call) else None
    return None


def _reads_a_file(node: ast.Call) -> bool:
    """Whether a call reads a file whose name is given: then it is not the name that cannot be read."""
    name = (
        node.func.attr
        if isinstance(node.func, ast.Attribute)
        else node.func.id
        if isinstance(node.func, ast.Name)
        else ""
    )
    return (
        name.startswith(("read", "open", "load", "imread", "from_file"))
        and bool(node.args)
        and _is_file_name(node.args[0])
    )


def _is_file_name(node: ast.expr) -> bool:
    match node:
        case ast.BinOp(op=ast.Div()):
            return True
        case ast.JoinedStr(values=values):
            return any(
                isinstance(each, ast.Constant) and ("/" in str(each.value) or "." in str(each.value)) for each in values
            )
        case ast.Call(func=ast.Name(id="Path") | ast.Attribute(attr="Path" | "join" | "joinpath")):
            return True
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name.lower().endswith(("path", "file", "filename", "full", "target"))
        case ast.Call(func=ast.Name(id="str"), args=[inner]):
            return _is_file_name(inner)
    return False


def _without_await(node: ast.AST) -> ast.AST:
    while isinstance(node, ast.Await | ast.Expr | ast.Starred):
        node = node.value
    return node.value if isinstance(node, ast.Return) and node.value is not None else node


def _is_called(node: ast.Call, name: str) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id == name


def _operands(node: ast.Call) -> list[ast.expr]:
    return [*node.args, *(keyword.value for keyword in node.keywords)]


def _is_signature_text(text: str) -> bool:
    return any(
        words in text
        for words in ("positional argument", "unexpected keyword", "required keyword-only", "multiple values for")
    )


def _asserted(site: Site) -> ast.expr | None:
    nodes = [*reversed(site.parents), site.node]
    return next((node.test for node in [site.node, *nodes] if isinstance(node, ast.Assert)), None)


def _guards(site: Site) -> Iterator[ast.AST]:
    """List the tests that lead to a `raise`, the closest first: those around it, and those that would have returned before."""
    chain = [*site.parents, site.node]
    for index in range(len(chain) - 1, 0, -1):
        parent, child = chain[index - 1], chain[index]
        match parent:
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
                yield test
            case ast.match_case(guard=ast.expr() as guard):
                yield guard
            case ast.Match(subject=subject):
                yield subject
            case ast.For(iter=iterated) | ast.AsyncFor(iter=iterated) if child in parent.orelse:
                yield iterated
        yield from _earlier_exits(parent, child)


def _earlier_exits(parent: ast.AST, child: ast.AST) -> Iterator[ast.AST]:
    for name in ("body", "orelse", "finalbody"):
        body = getattr(parent, name, None)
        if isinstance(body, list) and child in body:
            for statement in reversed(cast("list[ast.stmt]", body)[: body.index(child)]):
                yield from (
                    node.test for node in ast.walk(statement) if isinstance(node, ast.If) and _leaves_early(node)
                )


def _leaves_early(node: ast.If) -> bool:
    return any(isinstance(each, ast.Return | ast.Continue | ast.Break) for each in ast.walk(node))


def _asks_whether_known(test: ast.AST) -> bool:
    return any(isinstance(each, ast.In | ast.NotIn) for each in ast.walk(test))


def _asks_whether_there(test: ast.AST) -> bool:
    match test:
        case ast.UnaryOp(op=ast.Not()) | ast.Name():
            return True
        case ast.Compare(ops=[ast.Is() | ast.IsNot() | ast.Eq()], comparators=[ast.Constant(value=None | 0)]):
            return True
        case ast.BoolOp(values=values):
            return any(map(_asks_whether_there, values))
    return False


# The flow from the tool's function down to the expression that failed.


def _flow_along(trail: Trail, call: Call, values: "_Values") -> Flow:
    code = peek(_unwrapped(call.function), "__code__")
    own_files = {site.code.co_filename for site in trail.sites}
    flow: Flow | None = None
    before: Site | None = None
    for site in trail.sites:
        environment = _parameters_of(site, before, flow, call, values, is_tool=site.code is code)
        scope = Scope(
            site.frame.f_globals,
            lambda function: cast("FunctionType", function).__code__.co_filename in own_files,
            partial(_look, site.frame, values),
        )
        flow = Flow(scope, environment)
        flow.follow(site.function.body, (*site.parents, site.node))
        flow.inside(site.parents)
        before = site
    return flow or Flow(Scope({}, lambda _: False), {})


def _look(frame: FrameType, values: "_Values", node: ast.Attribute) -> Origin | None:
    """Tell by its value where an attribute of a local object comes from: `self.name`. No property is run for it."""
    holder = frame.f_locals.get(node.value.id) if isinstance(node.value, ast.Name) else None
    members = peek(holder, "__dict__")
    value = cast("dict[str, object]", members).get(node.attr) if is_a(members, dict) else None
    return values.origin_of(value, node.attr) if value is not None else None


def _unwrapped(function: object) -> object:
    for _ in range(10):
        function = peek(function, "__func__") or function
        wrapped = peek(function, "__wrapped__") or (peek(function, "func") if not peek(function, "__code__") else None)
        if wrapped is None:
            return function
        function = wrapped
    return function


def _parameters_of(  # noqa: PLR0913 - all of it is needed to tell where a parameter comes from.
    site: Site, before: Site | None, flow: Flow | None, call: Call, values: "_Values", *, is_tool: bool
) -> Environment:
    """Return the origins of a function's parameters: of the tool's own, of a call in the source, or by their values."""
    names = [each.arg for each in ast.walk(site.function.args) if isinstance(each, ast.arg)]
    environment: Environment = dict.fromkeys(names, UNKNOWN)
    if is_tool or (before is None and call.arguments and {*call.arguments} <= {*names}):
        sent = {name: Origin.of(name) for name in names if name in call.arguments}
        unsent = {name: Origin(unsent=frozenset({name})) for name in names if name in call.properties()}
        return environment | unsent | sent
    if site.code.co_name.startswith("<"):  # A lambda, or a comprehension, in a frame of its own before Python 3.12.
        return _inner_variables(site, dict(flow.environment) if flow else environment, values)
    called = _without_await(before.node) if before else None
    if flow is not None and isinstance(called, ast.Call) and _calls(called, site.function.name):
        return environment | bind_parameters(site.function, called, flow.value)
    if flow is not None and before is not None and site.function in ast.walk(before.function):
        environment = {**flow.environment, **environment}
    return environment | {name: origin for name in names if (origin := values.origin_of(site.frame.f_locals.get(name)))}


def _inner_variables(site: Site, outer: Environment, values: "_Values") -> Environment:
    """Return the variables of a lambda or a comprehension: those around it, and its own by their values."""
    own = site.code.co_varnames[: site.code.co_argcount + site.code.co_kwonlyargcount]
    held = site.frame.f_locals
    return outer | {name: values.origin_of(held.get(name)) or UNKNOWN for name in own if not name.startswith(".")}


def _calls(node: ast.Call, name: str) -> bool:
    match node.func:
        case ast.Name(id=called) | ast.Attribute(attr=called):
            return called == name or name == "__init__"
    return False


class _Values:
    """The values of the arguments, to be looked for in texts."""

    def __init__(self, call: Call) -> None:
        self._leaves = list(call.leaves())
        self._folded = [(path, folded) for path, value in self._leaves if (folded := _folded(value))]

    def matching(self, word: str) -> tuple[str, ...]:
        """Return the arguments whose value is a word."""
        folded = word.strip().casefold()
        return tuple(path for path, value in self._folded if value == folded) if folded else ()

    def containing(self, word: str) -> tuple[str, ...]:
        """Return the arguments in whose value a word stands."""
        folded = word.strip().casefold()
        if len(folded) < 2:  # noqa: PLR2004 - a letter stands anywhere.
            return ()
        return tuple(path for path, value in self._folded if folded in value)

    def around(self, word: str) -> tuple[str, ...]:
        """Return the arguments of which a word is a part, and not the whole."""
        folded = word.strip().casefold()
        if len(folded) < 2:  # noqa: PLR2004 - as above.
            return ()
        pattern = re.compile(rf"(?<!\w){re.escape(folded)}(?!\w)")
        return tuple(path for path, value in self._folded if value != folded and pattern.search(value))

    def being(self, text: str) -> tuple[str, ...]:
        """Return the arguments that are a text."""
        return tuple(
            path for path, value in self._leaves if is_a(value, str) and value and value.strip() == text.strip()
        )

    def mentioned_in(self, text: str) -> tuple[str, ...]:
        """Return the arguments whose values are words of a text."""
        return tuple(
            path
            for path, value in self._folded
            if 1 < len(value) < _MOST_TEXT or value.isdigit()
            if value in text and re.search(rf"(?<![\w.]){re.escape(value)}(?!\w)", text)
        )

    def in_file(self, name: str) -> tuple[str, ...]:
        """Return the arguments that the name of a file is made of."""
        folded = name.casefold()
        parts = {part for piece in re.split(r"[/\\]", folded) for part in (piece, piece.partition(".")[0])}
        return tuple(
            path
            for path, value in self._folded
            if len(value) > 1
            and (folded.endswith(value.lstrip("./")) or value in parts or re.sub(r"\W+", "-", value) in folded)
        )

    def odd(self) -> tuple[str, ...]:
        """Return the arguments that are zero, negative or empty."""
        return tuple(path for path, value in self._leaves if _is_odd(value))

    def identical_in(self, frame: FrameType) -> tuple[str, ...]:
        """Return the arguments that are local variables of a frame, or in a tuple or list among them."""
        held = list(frame.f_locals.values())[:50]
        held += [
            each
            for value in held
            if is_a(value, tuple) or is_a(value, list)
            for each in list(cast("list[object]", value))[:20]
        ]
        return tuple(path for path, value in self._leaves if _is_telling(value) and any(value is each for each in held))

    def origin_of(self, value: object, name: str = "") -> Origin | None:
        """Return the origin of a variable by its value alone: for what came through a thread, a task or a decorator.

        A value that is too common to tell, such as 0, tells if the argument has the variable's name.
        """
        for path, each in self._leaves:
            tells = _is_telling(value) or (bool(name) and path.rpartition(".")[2] == name)
            if tells and (each is value or (type(each) is type(value) and _equal(each, value))):
                return Origin.of(path)
        if is_a(value, str) and (inside := self._inside(value)):
            return Origin(inside)
        if is_a(value, dict) and len(value) <= _MOST_MEMBERS:
            members = [origin for key, each in value.items() if (origin := self.origin_of(each, str(key)))]
            return merge(members) if members else None
        return None

    def _inside(self, text: str) -> frozenset[str]:
        """Return the arguments whose values stand in a text, such as an address."""
        folded = text[:_LONGEST_VALUE].casefold()
        return frozenset(path for path, value in self._folded if len(value) > 3 and value in folded)  # noqa: PLR2004 - shorter ones are everywhere.

    def folded(self, path: str) -> str:
        """Return the value of an argument as it is compared; "" for one that is no text or number."""
        return next((value for each, value in self._folded if each == path), "")

    def value(self, path: str) -> object:
        """Return the value of an argument."""
        return next((value for each, value in self._leaves if each == path), None)


def _equal(one: object, other: object) -> bool:
    return (is_a(one, str) or is_a(one, int) or is_a(one, float)) and one == other


def _is_telling(value: object) -> bool:
    return (
        (is_a(value, str) and len(value) > 1)
        or ((is_a(value, dict) or is_a(value, list)) and bool(value))
        or (is_a(value, int) and not is_a(value, bool) and abs(value) > 1)
    )


def _is_odd(value: object) -> bool:
    if is_a(value, bool) or value is None:
        return False
    if is_a(value, int) or is_a(value, float):
        return value <= 0
    return (is_a(value, str) or is_a(value, list) or is_a(value, dict)) and not value


def _folded(value: object) -> str:
    if is_a(value, bool) or not (is_a(value, str) or is_a(value, int) or is_a(value, float)):
        return ""
    return (value[:_LONGEST_VALUE] if is_a(value, str) else str(value)).strip().casefold()
