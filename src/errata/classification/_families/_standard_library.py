"""What is left of the standard library: neither built in, nor about the network, a database or a format of data."""

from errata.classification._answer import Otherwise, Table, first
from errata.classification._carried import by_carried
from errata.classification._verdicts import BUG
from errata.model import Code

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
    "shutil.RegistryError": BUG,
    "webbrowser.Error": Code.CONFIGURATION_ERROR,
    "zipimport.ZipImportError": Code.CONFIGURATION_ERROR,

    # News, before Python 3.13.
    "nntplib.NNTPError": Otherwise(Code.UPSTREAM_ERROR),
    "nntplib.NNTPDataError": Code.UPSTREAM_ERROR,
    "nntplib.NNTPProtocolError": Code.UPSTREAM_ERROR,
    "nntplib.NNTPTemporaryError": Otherwise(Code.SERVICE_UNAVAILABLE),

    # Screens, debuggers, tests, compilers: no tool means to raise these.
    "_curses.error": BUG,
    "_curses_panel.error": BUG,
    "_tkinter.TclError": BUG,
    "termios.error": BUG,
    "asyncore.ExitNow": BUG,
    "bdb.BdbQuit": Code.CANCELLED,
    "pdb.Restart": BUG,
    "copy.Error": BUG,
    "ctypes.ArgumentError": BUG,
    "dataclasses.FrozenInstanceError": BUG,
    "distutils.errors.CCompilerError": BUG,
    "distutils.errors.DistutilsError": BUG,
    "doctest.DocTestFailure": BUG,
    "doctest.UnexpectedException": BUG,
    "encodings.CodecRegistryError": BUG,
    "inspect.ClassFoundException": BUG,
    "inspect.EndOfBlock": BUG,
    "multiprocessing.managers.RemoteError": BUG,
    "pydoc.ErrorDuringImport": BUG,
    "nis.error": Code.UPSTREAM_ERROR,
    "ossaudiodev.OSSAudioError": BUG,
    "signal.itimer_error": first(by_carried, Code.INVALID_PARAMS),
    "tabnanny.NannyNag": BUG,
    "tokenize.StopTokenizing": BUG,
    "turtle.Terminator": BUG,
    "turtle.TurtleGraphicsError": BUG,
    "unittest.case.SkipTest": BUG,
    "unittest.mock.InvalidSpecError": BUG,
}
# fmt: on
