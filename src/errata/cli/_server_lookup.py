"""Find the server that a person names: `module:attribute`, or `path/to/file.py:attribute`."""

import contextlib
import re
import sys
import traceback
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import NamedTuple, cast

from errata._install import is_server
from errata.model import did_you_mean
from errata.redaction import put_on_one_line, redact_within

_FILE = re.compile(r"(?P<source>.+\.py)(?::(?P<attribute>.*))?", re.DOTALL)
_MODULE = re.compile(r"(?P<source>[^:]*)(?::(?P<attribute>.*))?", re.DOTALL)
_USUAL_NAMES = ("mcp", "server", "app")
_LONGEST_REASON = 500
_KINDS = "an MCPServer or a low-level Server of mcp, or a FastMCP server"


class NotFoundError(Exception):
    """There is no such server; `what` says why, `advice` what would help."""

    def __init__(self, what: str, advice: str) -> None:
        super().__init__(what, advice)
        self.what = what
        self.advice = advice


class _ModuleSource(NamedTuple):
    """The directory to import a module from, and its name there."""

    root: Path
    module: str
    file: Path | None = None


def find_server(target: str) -> object:
    """Import a module and return the server in it; raise NotFoundError if there is none."""
    match = _FILE.fullmatch(target) or _MODULE.fullmatch(target)
    source, attribute = (match["source"], match["attribute"]) if match else (target, None)
    module = _import(_locate(source), source)
    return _resolve(module, attribute, source) if attribute else _choose_server(module, source)


def _locate(source: str) -> _ModuleSource:
    """Return where to import a file or a module from; a file in a package is imported as part of it."""
    if not source.endswith(".py"):
        return _ModuleSource(Path.cwd(), source)
    file = Path(source).resolve()
    if not file.is_file():
        raise NotFoundError(
            f"there is no file `{source}`", "check the path, or give a module, as in `package.module:server`"
        )
    root, names = file.parent, [file.stem]
    while (root / "__init__.py").is_file():
        names.insert(0, root.name)
        root = root.parent
    return _ModuleSource(root, ".".join(names), file)


def _import(source: _ModuleSource, typed: str) -> ModuleType:
    """Import a module as `python -m` would; its output goes to standard error."""
    sys.path.insert(0, str(source.root))
    try:
        with contextlib.redirect_stdout(sys.stderr):
            module = import_module(source.module)
    except (Exception, SystemExit) as error:
        raise _explain_import_error(error, source.module, typed) from error
    if source.file and Path(module.__file__ or "").resolve() != source.file:
        what = f"`{typed}` cannot be imported: another module called `{source.module}` is in its way"
        raise NotFoundError(what, "rename the file, or move it into a package")
    return module


def _explain_import_error(error: BaseException, module: str, typed: str) -> NotFoundError:
    absent = error.name if isinstance(error, ModuleNotFoundError) else None
    if not module.strip(".") or (absent and f"{module}.".startswith(f"{absent}.")):
        advice = "run it where the module can be imported, or give its file, as in `path/to/server.py:server`"
        return NotFoundError(f"there is no module `{absent or typed}`", advice)
    what = f"`{typed}` cannot be imported{_find_line(error)}: {write_in_a_line(error)}"
    return NotFoundError(what, "install what it needs and set what it reads, or mend it")


def write_in_a_line(error: BaseException) -> str:
    """Return an exception in one line, redacted."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return redact_within(put_on_one_line(f"{type(error).__name__}: {error}".removesuffix(": ")), _LONGEST_REASON)


def _find_line(error: BaseException) -> str:
    """Return the line of the user's outermost file at which an import failed, for a message."""
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [frame for frame in frames[1:] if "importlib" not in frame.filename]
    lines = [frame.lineno for frame in theirs if frame.filename == theirs[0].filename]
    return f" (line {lines[-1]} of `{Path(theirs[0].filename).name}`)" if lines else ""


def _resolve(module: ModuleType, attribute: str, typed: str) -> object:
    value, where = cast("object", module), typed
    for name in attribute.split("."):
        if not hasattr(value, name):
            raise NotFoundError(f"`{where}` has no attribute `{name}`", _suggest(name, dir(value)))
        value, where = getattr(value, name), f"{where}{':' if value is module else '.'}{name}"
    if not is_server(value):
        raise NotFoundError(f"`{where}` is no server but of type `{type(value).__name__}`", f"name {_KINDS}")
    return value


def _suggest(name: str, known: Iterable[str]) -> str:
    question = did_you_mean(name, [each for each in known if not each.startswith("__")])
    return f"d{question[1:]}" if question else f"name {_KINDS}"


def _choose_server(module: ModuleType, typed: str) -> object:
    """Return the server of a module: the only one, else the one with a usual name."""
    servers = {name: value for name, value in vars(module).items() if is_server(value)}
    if not servers:
        raise NotFoundError(f"there is no server in `{typed}`", f"name {_KINDS}, as in `{typed}:server`")
    if len({id(server) for server in servers.values()}) == 1:
        return next(iter(servers.values()))
    if usual := next((servers[name] for name in _USUAL_NAMES if name in servers), None):
        return usual
    names = ", ".join(f"`{name}`" for name in sorted(servers))
    raise NotFoundError(
        f"there are several servers in `{typed}`: {names}", f"name one of them, as in `{typed}:{min(servers)}`"
    )
