"""Python's own exceptions, and those of its standard library that are not about a format or a loop."""

from errata.classification._answer import Otherwise, RuleResult, Table, first
from errata.classification._errno import by_errno, by_resolver
from errata.classification._reach import read_argument, read_text
from errata.classification._verdicts import BUG, REFUSED, TLS
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
"""Classes that people inherit from to say something else: a subclass of these is asked for its words first."""

# fmt: off
TABLE: Table = {
    "builtins.ArithmeticError": BUG,
    "builtins.AssertionError": BUG,
    "builtins.AttributeError": BUG,
    "builtins.BufferError": BUG,
    "builtins.EOFError": _of_an_end,
    "builtins.FloatingPointError": BUG,
    "builtins.GeneratorExit": BUG,
    "builtins.ImportError": BUG,
    "builtins.IndentationError": _of_syntax,
    "builtins._IncompleteInputError": _of_syntax,  # Python 3.13.
    "builtins.IndexError": BUG,
    "builtins.KeyError": BUG,
    "builtins.LookupError": BUG,
    "builtins.MemoryError": BUG,
    "builtins.ModuleNotFoundError": BUG,
    "builtins.NameError": BUG,
    "builtins.OverflowError": BUG,
    "builtins.PythonFinalizationError": Code.SERVICE_UNAVAILABLE,  # Python 3.13: the server is shutting down.
    "builtins.RecursionError": BUG,
    "builtins.ReferenceError": BUG,
    "builtins.StopAsyncIteration": BUG,
    "builtins.StopIteration": BUG,
    "builtins.SyntaxError": _of_syntax,
    "builtins.SystemError": BUG,
    "builtins.SystemExit": BUG,
    "builtins.TabError": _of_syntax,
    "builtins.TypeError": BUG,
    "builtins.UnboundLocalError": BUG,
    "builtins.Warning": BUG,
    "builtins.ZeroDivisionError": BUG,
    "builtins.KeyboardInterrupt": Code.CANCELLED,
    "builtins.NotImplementedError": Code.NOT_IMPLEMENTED,
    "builtins.RuntimeError": Otherwise(Code.INTERNAL_ERROR),  # People raise it with a message of their own.
    "builtins.ValueError": _of_a_value,
    "builtins.UnicodeError": Code.SERIALIZATION_ERROR,
    "builtins.UnicodeDecodeError": Code.SERIALIZATION_ERROR,
    "builtins.UnicodeEncodeError": Code.SERIALIZATION_ERROR,
    "builtins.UnicodeTranslateError": Code.SERIALIZATION_ERROR,
    "decimal.DecimalException": Code.VALIDATION_FAILED,

    # The operating system's. Without an errno, the class tells.
    "builtins.OSError": by_errno,
    "builtins.BlockingIOError": Code.SERVICE_UNAVAILABLE,
    "builtins.BrokenPipeError": Code.NETWORK_ERROR,
    "builtins.ChildProcessError": Code.INTERNAL_ERROR,
    "builtins.ConnectionAbortedError": Code.NETWORK_ERROR,
    "builtins.ConnectionError": first(by_errno, Code.NETWORK_ERROR),
    "builtins.ConnectionRefusedError": REFUSED,
    "builtins.ConnectionResetError": Code.NETWORK_ERROR,
    "builtins.FileExistsError": Code.CONFLICT,
    "builtins.FileNotFoundError": Code.NOT_FOUND,
    "builtins.InterruptedError": Code.SERVICE_UNAVAILABLE,
    "builtins.IsADirectoryError": Code.INVALID_PARAMS,
    "builtins.NotADirectoryError": Code.INVALID_PARAMS,
    "builtins.PermissionError": Code.FORBIDDEN,
    "builtins.ProcessLookupError": Code.NOT_FOUND,
    "builtins.TimeoutError": Code.TIMEOUT,
    "io.UnsupportedOperation": BUG,
    "shutil.SameFileError": Code.INVALID_PARAMS,
    "shutil.SpecialFileError": Code.INVALID_PARAMS,
    "shutil.ReadError": Code.SERIALIZATION_ERROR,
    "socket.gaierror": by_resolver,
    "socket.herror": by_resolver,
    "ssl.SSLError": TLS,
    "ssl.SSLCertVerificationError": TLS,
    "ssl.SSLEOFError": Code.NETWORK_ERROR,
    "ssl.SSLSyscallError": Code.NETWORK_ERROR,
    "ssl.SSLZeroReturnError": Code.NETWORK_ERROR,
    "ssl.SSLWantReadError": Code.SERVICE_UNAVAILABLE,
    "ssl.SSLWantWriteError": Code.SERVICE_UNAVAILABLE,

    # Queues.
    "queue.Empty": Code.INTERNAL_ERROR,
    "_queue.Empty": Code.INTERNAL_ERROR,
    "queue.Full": Code.SERVICE_UNAVAILABLE,
}
# fmt: on
