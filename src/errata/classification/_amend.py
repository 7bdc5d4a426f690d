"""What the call changes about a fault: its verdict, its words, and the argument that it names.

Only open faults become "correct the arguments": those that say what broke, and not whose doing it was. A
refusal, a missing right, a setting, an outage or a lock stays what it is, whoever is mentioned in it.
"""

import ast
import dataclasses
import enum
import inspect
from collections.abc import Iterable

from errata._half_done import mentions_finished_work
from errata.classification._blame import Blame, FailingSite, is_halfway, keys_written_out
from errata.classification._call import Call, is_secret
from errata.classification._foreign import peek, read_argument, read_text
from errata.classification._words import classify_words
from errata.model import Code, Fault, FieldIssue, Retry, did_you_mean, is_a, replace_fields
from errata.redaction import text_of
from errata.tools import only_reads, read_harmless

OPEN = frozenset({
    Code.INTERNAL_ERROR,
    Code.UNKNOWN_ERROR,
    Code.DATABASE_ERROR,
    Code.SERIALIZATION_ERROR,
    Code.UPSTREAM_ERROR,
    Code.NOT_IMPLEMENTED,
})  # fmt: skip
"""Codes that, with the verdict NEVER, leave open whose doing the failure was."""

# fmt: off
_MENDED = {
    Code.SERIALIZATION_ERROR: Code.INVALID_FORMAT,
}
"""The code of an open fault once an argument is at fault; for all others it is VALIDATION_FAILED."""
_ABOUT_ARGUMENTS = frozenset({
    Code.INVALID_PARAMS, Code.INVALID_FORMAT, Code.VALIDATION_FAILED, Code.MISSING_REQUIRED_FIELD, Code.PARSE_ERROR,
    Code.INVALID_REQUEST,
})
_NOT_OF_ARGUMENTS: dict[str | None, Code] = {
    "fetched": Code.SERIALIZATION_ERROR,  # A file or an answer that does not have its format.
    "literal": Code.DATABASE_ERROR,       # A statement of the server's own.
    None:      Code.UNKNOWN_ERROR,        # The call has no arguments at all that could be corrected.
}
"""The code of a refused value that is not the caller's, by the signal that says so; the rest are bugs."""
_PROBLEM_OF_CLASS: tuple[tuple[type[BaseException], str], ...] = (
    (ZeroDivisionError, "must not lead to a division by zero"),
    (IndexError,        "is out of range"),
    (OverflowError,     "is out of range"),
    (UnicodeError,      "cannot be read in the expected format"),
)
_PROBLEM_OF_CODE = {
    Code.CONFLICT:            "conflicts with what is there",
    Code.SERIALIZATION_ERROR: "cannot be read in the expected format",
    Code.INVALID_FORMAT:      "cannot be read in the expected format",
    Code.PARSE_ERROR:         "cannot be read in the expected format",
}
_SENTENCE_OF_CLASS: tuple[tuple[type[BaseException], str], ...] = (
    (ZeroDivisionError, "The call leads to a division by zero: {}."),
    (RecursionError,    "{} is nested too deeply to be read."),
)
# fmt: on
_OF_THE_REQUEST = frozenset({405, 406, 407, 411, 415, 421, 426, 431})
"""Statuses about the request as the server sends it: its method, its headers, its route."""
_MOST_CHOICES = 12
_LONGEST_TEXT = 500
_LONGEST_VALUE = 60


def is_open(fault: Fault) -> bool:
    """Return whether the verdict may be raised if an argument turns out to be at fault."""
    return fault.retry is Retry.NEVER and fault.code in OPEN


def concerns_arguments(fault: Fault) -> bool:
    """Return whether it matters for a fault which argument is at fault, if one is."""
    return is_open(fault) or fault.retry is Retry.FIX_INPUT


def amend_fault(fault: Fault, blame: Blame, call: Call, text: str, *, is_withheld: bool) -> Fault:
    """Return a fault as the call changes it. `text` is the exception's own, which may be withheld so far."""
    if blame.fields and fault.http_status not in _OF_THE_REQUEST:
        mended = _at_fault(fault, blame, call, text, is_withheld=is_withheld)
        is_halfway = blame.is_halfway and not _is_harmless(call)
        return replace_fields(mended, retry=Retry.VERIFY_FIRST) if is_halfway else mended
    if fault.retry is Retry.FIX_INPUT:
        has_arguments = call.arguments or call.properties()
        is_callers = has_arguments and not blame.acquitted and fault.http_status not in _OF_THE_REQUEST
        return fault if is_callers else _not_at_fault(fault, blame)
    if blame.is_pythons and type(blame.error) is RuntimeError:
        return replace_fields(fault, message=fault.code.sentence)
    is_written = blame.is_written or blame.is_reworded
    if is_written and has_words(text) and (is_withheld or fault.code is Code.INTERNAL_ERROR):
        return _written(fault, blame, text if is_withheld else fault.message)
    return _of_the_machine(fault, blame)


def guard_half_done(fault: Fault, call: Call, error: BaseException) -> Fault:
    """Lower the verdict of a failure before which something was done: its words say so, or a batch failed in the middle."""
    if fault.retry is Retry.SAME_CALL:
        if not _is_harmless(call) and _may_be_halfway(error, call):
            return replace_fields(fault, retry=Retry.VERIFY_FIRST)
        return replace_fields(fault, retry=Retry.IF_HARMLESS) if mentions_finished_work(fault.message) else fault
    has_more = " but " in fault.message or " however" in fault.message
    if fault.retry is not Retry.FIX_INPUT or not has_more or not mentions_finished_work(fault.message):
        return fault
    return fault if _is_harmless(call) else replace_fields(fault, retry=Retry.VERIFY_FIRST)


def _may_be_halfway(error: BaseException, call: Call) -> bool:
    try:
        return is_halfway(error, call)
    except Exception:  # noqa: BLE001 - it reads foreign frames; where it cannot, the more careful answer counts.
        return True


def _is_harmless(call: Call) -> bool:
    """Return whether calling a tool twice does no harm, by what it has marked, what it declares, and its name."""
    if call.effects is not None and call.effects.begun:
        return call.effects.keyed
    declared = read_harmless(call.annotations)
    return only_reads(call.tool) if declared is None else declared


# An argument is at fault.


def _at_fault(fault: Fault, blame: Blame, call: Call, text: str, *, is_withheld: bool) -> Fault:
    fields = blame.fields
    problem = _problem(fault, blame, call)
    if len(fields) > 1:
        problem = "may be what is refused"
    issues = fault.issues or tuple(FieldIssue(field, problem, _list_values(blame)) for field in fields)
    code, retry = fault.code, fault.retry
    if is_open(fault):
        code = Code.NOT_FOUND if blame.is_lookup else _MENDED.get(fault.code, Code.VALIDATION_FAILED)
        retry = Retry.FIX_INPUT
    message = fault.message
    if is_withheld:
        is_written = (blame.is_written or blame.is_reworded) and has_words(text)
        message = text if is_written else _sentence(blame, text)
    return replace_fields(
        fault, code=code, retry=retry, message=message, field=fault.field or next(iter(fields)), issues=issues
    )


def _problem(fault: Fault, blame: Blame, call: Call) -> str:
    """Return in a few words what is wrong with the argument."""
    error = blame.error
    if blame.is_template and is_a(error, KeyError):
        return f"asks for {_shown(read_argument(error), blame)}, which nothing fills in"
    if is_a(error, KeyError) and not blame.is_lookup:
        return f"lacks {_shown(read_argument(error), blame)}"
    if blame.is_lookup or fault.code is Code.NOT_FOUND:
        return _not_there(blame, call)
    by_class = next((problem for kind, problem in _PROBLEM_OF_CLASS if is_a(error, kind)), None)
    return by_class or _PROBLEM_OF_CODE.get(fault.code, "is refused as it is")


def _not_there(blame: Blame, call: Call) -> str:
    """Return that nothing is there by the name that the caller gave."""
    field = next(iter(blame.fields), "")
    value = next((value for path, value in call.leaves() if path == field), None)
    is_short = (is_a(value, str) and 0 < len(value) <= _LONGEST_VALUE) or (is_a(value, int) and not is_a(value, bool))
    return f"there is no {_shown(value, blame._replace(is_shown=True))}" if is_short else "names nothing that is there"


def _sentence(blame: Blame, text: str) -> str:
    """Return as a sentence what Python's own text says to a programmer."""
    error, named = blame.error, " or ".join(f"`{field}`" for field in blame.fields)
    key = (
        read_argument(error)
        if is_a(error, KeyError)
        else read_text(error, "name")
        if is_a(error, AttributeError)
        else None
    )
    is_nothing = "'NoneType' object" in text or is_a(error, StopIteration) or is_a(error, StopAsyncIteration)
    if is_nothing:
        unfit = f"{named} does not have the form that the tool expects."
        return f"Nothing was found for {named}." if blame.is_lookup else unfit
    if blame.is_template:
        return f"Nothing fills in {_shown(key, blame)}."
    if key is not None and not (is_a(key, str) and " " in key.strip()):
        missing = f"There is no {_shown(key, blame)} here. {_near(key, blame)}".strip()
        return missing if blame.is_lookup else f"{named} has no {_shown(key, blame)}."
    for kind, sentence in _SENTENCE_OF_CLASS:
        if is_a(error, kind):
            return sentence.format(named)
    own_words = text.strip().rstrip(".")[:_LONGEST_TEXT]
    return f"{named} is refused: {own_words}." if own_words else f"{named} is refused by the tool."


def _shown(key: object, blame: Blame) -> str:
    """Return a key in quotes, unless the argument's name says that it is a secret."""
    field = next(iter(blame.fields), "").rpartition(".")[2]
    shown = (key if is_a(key, str) else text_of(key))[:100]
    is_hidden = not blame.is_shown or (bool(field) and is_secret(field, shown))
    return "such value" if is_hidden else str(shown) if is_a(key, int) else repr(shown)


def _near(key: object, blame: Blame) -> str:
    """Return a "did you mean" of the nearest names in the source; what a table holds at run time is not shown to anybody."""
    return did_you_mean(text_of(key), _choices(blame.site)) if blame.site and blame.is_shown else ""


def _choices(site: FailingSite) -> list[str]:
    """List the keys of a table, or the names of a class, that are written out in the source."""
    if not isinstance(site.node, ast.Call) or not site.node.args:
        return list(keys_written_out(site))
    kinds = type(_resolve(site, site.node.args[0])).__mro__[:-1]
    return [name for kind in kinds for name in vars(kind) if not name.startswith("_")]


def _list_values(blame: Blame) -> str | None:
    """List the values of an enumeration that did not have the one it was given."""
    site = blame.site
    if site is None or not isinstance(site.node, ast.Call) or not is_a(blame.error, ValueError):
        return None
    kind = _resolve(site, site.node.func)
    if not (is_a(kind, type) and issubclass(kind, enum.Enum)):
        return None
    values = [text_of(member.value) for member in list(kind)[: _MOST_CHOICES + 1]]
    return "one of " + ", ".join(values) if 0 < len(values) <= _MOST_CHOICES else None


def _resolve(site: FailingSite, node: ast.AST) -> object:
    """Return the object that a dotted name means where it failed; nothing is run for it."""
    if isinstance(node, ast.Name):
        return site.frame.f_locals.get(node.id, site.frame.f_globals.get(node.id))
    if isinstance(node, ast.Attribute) and (holder := _resolve(site, node.value)) is not None:
        return inspect.getattr_static(holder, node.attr, None)
    return None


# No argument is at fault.


def _not_at_fault(fault: Fault, blame: Blame) -> Fault:
    """Return a fault without the advice to correct the arguments."""
    if is_a(blame.error, OSError) or blame.acquitted == "setting":
        return _of_the_machine(_never(fault, Code.CONFIGURATION_ERROR), blame)
    if fault.http_status is not None:
        return _never(fault, Code.UPSTREAM_ERROR)
    if fault.code not in _ABOUT_ARGUMENTS:
        return replace_fields(fault, retry=Retry.NEVER)
    if blame.acquitted != "fetched" and (blame.is_written or blame.is_reworded):
        return _written(fault, blame, fault.message)
    if code := _NOT_OF_ARGUMENTS.get(blame.acquitted):
        return _never(fault, code)
    return Fault(code=Code.INTERNAL_ERROR, correlation_id=fault.correlation_id, timestamp=fault.timestamp)


def _never(fault: Fault, code: Code, message: str | None = None) -> Fault:
    """Return a fault that no argument mends."""
    message = fault.message if message is None else message
    return replace_fields(fault, code=code, retry=Retry.NEVER, message=message, issues=(), field=None)


def _of_the_machine(fault: Fault, blame: Blame) -> Fault:
    """Name what the server itself lacks: a program, a file, a module, a variable of the environment."""
    error = blame.error
    if is_a(error, ModuleNotFoundError) and (name := read_text(error, "name")):
        return _never(fault, Code.CONFIGURATION_ERROR, f"The module `{name}` is not installed on this server.")
    if blame.acquitted == "setting" and is_a(error, KeyError):
        return _never(
            fault,
            Code.CONFIGURATION_ERROR,
            f"The environment variable `{text_of(read_argument(error))[:100]}` is not set on this server.",
        )
    if is_a(error, FileNotFoundError) and blame.acquitted and _is_program(blame):
        return _never(
            fault,
            Code.CONFIGURATION_ERROR,
            f"`{text_of(peek(error, 'filename'))[:100]}` is not installed on this server.",
        )
    return fault


def _is_program(blame: Blame) -> bool:
    name = text_of(peek(blame.error, "filename"))
    frames: Iterable[object] = _modules_below(blame.error)
    return "/" not in name and "subprocess" in frames


def _modules_below(error: object) -> set[str]:
    modules: set[str] = set()
    step = peek(error, "__traceback__")
    while step is not None and len(modules) < 50:  # noqa: PLR2004 - enough to know.
        name = peek(step, "tb_frame", "f_globals", "__name__")
        modules.add(name.partition(".")[0] if is_a(name, str) else "")
        step = peek(step, "tb_next")
    return modules


# Somebody wrote it.


def has_words(text: str) -> bool:
    """Return whether a text is a message to somebody: two words at least. A key or a name alone is none."""
    words = text[:_LONGEST_TEXT].split()
    return sum(len(word) > 1 and any(map(str.isalpha, word)) for word in words) > 1


def _written(fault: Fault, blame: Blame, text: str) -> Fault:
    """Return the fault with the words of the server's author, and the code that they or the failing check stand for."""
    meaning = classify_words(text)
    # FIX_INPUT blames the arguments, and none of them is at fault.
    is_acquitted = blame.acquitted is not None or fault.retry is Retry.FIX_INPUT
    if meaning is not None and not (is_acquitted and (meaning.retry or meaning.code.retry) is Retry.FIX_INPUT):
        retry = meaning.retry or meaning.code.retry
        return dataclasses.replace(
            fault, code=meaning.code, retry=Retry.IF_HARMLESS if retry is Retry.SAME_CALL else retry, message=text
        )
    code = fault.code
    if blame.acquitted == "setting":
        code = Code.CONFIGURATION_ERROR
    elif "state" in blame.signals:
        code = Code.BUSINESS_RULE_VIOLATION
    elif is_a(blame.error, AssertionError):
        code = Code.INTERNAL_ERROR
    elif code is Code.INTERNAL_ERROR or code in _ABOUT_ARGUMENTS:
        code = Code.UNKNOWN_ERROR
    return dataclasses.replace(fault, code=code, retry=Retry.NEVER, message=text, issues=(), field=None)
