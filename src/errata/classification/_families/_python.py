"""Python's own exceptions, and those of its standard library that are not about a format or a loop."""

from errata.classification._carried import by_carried
from errata.classification._error_codes import by_errno, by_resolver
from errata.classification._exception_rules import BUG, RuleResult, Table, first
from errata.classification._families._rows import read_rows
from errata.classification._foreign import read_argument, read_text
from errata.model import Code, is_a
from errata.redaction import text_of


def _of_a_value(error: BaseException) -> RuleResult:
    """Whether it is about a closed file (a bug), about JSON that cannot be written, or about the value that was given."""
    text = text_of(read_argument(error)).lower()
    if "closed file" in text or "already closed" in text:
        return BUG
    return Code.SERIALIZATION_ERROR if any(words in text for words in _UNWRITABLE) else Code.VALIDATION_FAILED


_UNWRITABLE = ("circular reference detected", "not json compliant")


def _of_an_end(error: BaseException) -> RuleResult:
    """Whether a file ended too early, or there was nobody to ask."""
    text = read_argument(error)
    return Code.SERIALIZATION_ERROR if is_a(text, str) and not text.startswith("EOF when reading") else BUG


def _of_syntax(error: BaseException) -> RuleResult:
    """Whether it is in a text that was given, or in the server's own source."""
    return Code.INVALID_FORMAT if read_text(error, "filename") in {"<unknown>", "<string>"} else BUG


GENERAL = frozenset(
    {
        "builtins.ArithmeticError",
        "builtins.AssertionError",
        "builtins.AttributeError",
        "builtins.BufferError",
        "builtins.EOFError",
        "builtins.ImportError",
        "builtins.IndexError",
        "builtins.KeyError",
        "builtins.LookupError",
        "builtins.NameError",
        "builtins.OverflowError",
        "builtins.RuntimeError",
        "builtins.StopAsyncIteration",
        "builtins.StopIteration",
        "builtins.SyntaxError",
        "builtins.SystemError",
        "builtins.TypeError",
        "builtins.UnicodeError",
        "builtins.ValueError",
        "builtins.Warning",
    }
)
"""Classes that people inherit from to say something else: the words of a subclass of these come first."""

# fmt: off
_BUILTINS: Table = {
    "builtins.EOFError": _of_an_end,
    "builtins.IndentationError": _of_syntax,
    "builtins._IncompleteInputError": _of_syntax,  # Python 3.13.
    "builtins.SyntaxError": _of_syntax,
    "builtins.TabError": _of_syntax,
    "builtins.ValueError": _of_a_value,

    # The operating system's. Without an errno, the class tells.
    "builtins.OSError": by_errno,
    "builtins.ConnectionError": first(by_errno, Code.NETWORK_ERROR),
    "socket.gaierror": by_resolver,
    "socket.herror": by_resolver,
}
# fmt: on


# What is left of the standard library: neither built in, nor about the network, a database or a format of data.


# fmt: off
_STANDARD_LIBRARY: Table = {
    # Screens, debuggers, tests, compilers: no tool means to raise these.
    "signal.itimer_error": first(by_carried, Code.INVALID_PARAMS),
}
# fmt: on

TABLE: Table = {**read_rows("python"), **_BUILTINS, **_STANDARD_LIBRARY}
