"""What is left of the standard library: neither built in, nor about the network, a database or a format of data."""

from errata._taxonomy import Code
from errata.classification._answer import WITHHELD, Answer, Otherwise, Table, first
from errata.classification._carried import carried

_BUG = Answer(Code.INTERNAL_ERROR, text=WITHHELD)

# fmt: off
TABLE: Table = {
    # Values.
    "calendar.IllegalMonthError": Code.VALIDATION_FAILED,
    "calendar.IllegalWeekdayError": Code.VALIDATION_FAILED,
    "ipaddress.AddressValueError": Code.INVALID_FORMAT,
    "ipaddress.NetmaskValueError": Code.INVALID_FORMAT,
    "tokenize.TokenError": Code.SERIALIZATION_ERROR,
    "pathlib.UnsupportedOperation": Code.NOT_IMPLEMENTED,
    "py_compile.PyCompileError": Code.VALIDATION_FAILED,

    # Settings of the machine and of this server.
    "importlib.metadata.PackageNotFoundError": Code.CONFIGURATION_ERROR,
    "importlib.resources.abc.TraversalError": Code.NOT_FOUND,
    "locale.Error": Code.CONFIGURATION_ERROR,
    "netrc.NetrcParseError": Code.CONFIGURATION_ERROR,
    "shutil.Error": Otherwise(Code.INTERNAL_ERROR),  # It lists what went wrong with each file.
    "shutil.ExecError": Code.CONFIGURATION_ERROR,
    "shutil.RegistryError": _BUG,
    "webbrowser.Error": Code.CONFIGURATION_ERROR,
    "zipimport.ZipImportError": Code.CONFIGURATION_ERROR,

    # News, before Python 3.13.
    "nntplib.NNTPError": Otherwise(Code.UPSTREAM_ERROR),
    "nntplib.NNTPDataError": Code.UPSTREAM_ERROR,
    "nntplib.NNTPProtocolError": Code.UPSTREAM_ERROR,
    "nntplib.NNTPTemporaryError": Otherwise(Code.SERVICE_UNAVAILABLE),

    # Screens, debuggers, tests, compilers: no tool means to raise these.
    "_curses.error": _BUG,
    "_curses_panel.error": _BUG,
    "_tkinter.TclError": _BUG,
    "termios.error": _BUG,
    "asyncore.ExitNow": _BUG,
    "bdb.BdbQuit": Code.CANCELLED,
    "pdb.Restart": _BUG,
    "copy.Error": _BUG,
    "ctypes.ArgumentError": _BUG,
    "dataclasses.FrozenInstanceError": _BUG,
    "distutils.errors.CCompilerError": _BUG,
    "distutils.errors.DistutilsError": _BUG,
    "doctest.DocTestFailure": _BUG,
    "doctest.UnexpectedException": _BUG,
    "encodings.CodecRegistryError": _BUG,
    "inspect.ClassFoundException": _BUG,
    "inspect.EndOfBlock": _BUG,
    "multiprocessing.managers.RemoteError": _BUG,
    "pydoc.ErrorDuringImport": _BUG,
    "nis.error": Code.UPSTREAM_ERROR,
    "ossaudiodev.OSSAudioError": _BUG,
    "signal.itimer_error": first(carried, Code.INVALID_PARAMS),
    "tabnanny.NannyNag": _BUG,
    "tokenize.StopTokenizing": _BUG,
    "turtle.Terminator": _BUG,
    "turtle.TurtleGraphicsError": _BUG,
    "unittest.case.SkipTest": _BUG,
    "unittest.mock.InvalidSpecError": _BUG,
}
# fmt: on
