"""A server, found by what a person types: `module:attribute`, or `path/to/file.py:attribute`."""

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

_FILE = re.compile(r"(?P<place>.+\.py)(?::(?P<attribute>.*))?", re.DOTALL)
_MODULE = re.compile(r"(?P<place>[^:]*)(?::(?P<attribute>.*))?", re.DOTALL)
_USUAL_NAMES = ("mcp", "server", "app")
_LONGEST_REASON = 500
_KINDS = "an MCPServer or a low-level Server of mcp, or a FastMCP server"


class NotFoundError(Exception):
    """There is no such server; carries what is wrong and what would help."""

    def __init__(self, what: str, advice: str) -> None:
        super().__init__(what, advice)
        self.what = what
        self.advice = advice


class _Place(NamedTuple):
    """Where a module is: the directory to import it from, and its name there."""

    root: Path
    module: str
    file: Path | None = None


def find_server(target: str) -> object:
    """Import the module and find the server in it."""
    match = _FILE.fullmatch(target) or _MODULE.fullmatch(target)
    place, attribute = (match["place"], match["attribute"]) if match else (target, None)
    module = _imported(_located(place), place)
    return _at(module, attribute, place) if attribute else _only_one(module, place)


def _located(place: str) -> _Place:
    """Tell a file from a module. A file in a package is imported as a part of it."""
    if not place.endswith(".py"):
        return _Place(Path.cwd(), place)
    file = Path(place).resolve()
    if not file.is_file():
        raise NotFoundError(
            f"there is no file `{place}`", "check the path, or give a module, as in `package.module:server`"
        )
    root, names = file.parent, [file.stem]
    while (root / "__init__.py").is_file():
        names.insert(0, root.name)
        root = root.parent
    return _Place(root, ".".join(names), file)


def _imported(place: _Place, typed: str) -> ModuleType:
    """Import a module as `python -m` would find it; what it prints is no part of our answer."""
    sys.path.insert(0, str(place.root))
    try:
        with contextlib.redirect_stdout(sys.stderr):
            module = import_module(place.module)
    except (Exception, SystemExit) as error:
        raise _not_imported(error, place.module, typed) from error
    if place.file and Path(module.__file__ or "").resolve() != place.file:
        what = f"`{typed}` cannot be imported: another module called `{place.module}` is in its way"
        raise NotFoundError(what, "rename the file, or move it into a package")
    return module


def _not_imported(error: BaseException, module: str, typed: str) -> NotFoundError:
    absent = error.name if isinstance(error, ModuleNotFoundError) else None
    if not module.strip(".") or (absent and f"{module}.".startswith(f"{absent}.")):
        advice = "run it where the module can be imported, or give its file, as in `path/to/server.py:server`"
        return NotFoundError(f"there is no module `{absent or typed}`", advice)
    what = f"`{typed}` cannot be imported{_line_in(error)}: {in_a_line(error)}"
    return NotFoundError(what, "install what it needs and set what it reads, or mend it")


def in_a_line(error: BaseException) -> str:
    """Say what was raised, without what nobody else may see."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return redact_within(put_on_one_line(f"{type(error).__name__}: {error}".removesuffix(": ")), _LONGEST_REASON)


def _line_in(error: BaseException) -> str:
    """Say at which line of the outermost file that is somebody else's than Python's and ours it went wrong."""
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [frame for frame in frames[1:] if "importlib" not in frame.filename]
    lines = [frame.lineno for frame in theirs if frame.filename == theirs[0].filename]
    return f" (line {lines[-1]} of `{Path(theirs[0].filename).name}`)" if lines else ""


def _at(module: ModuleType, attribute: str, typed: str) -> object:
    found, where = cast("object", module), typed
    for name in attribute.split("."):
        if not hasattr(found, name):
            raise NotFoundError(f"`{where}` has no attribute `{name}`", _nearest(name, dir(found)))
        found, where = getattr(found, name), f"{where}{':' if found is module else '.'}{name}"
    if not is_server(found):
        raise NotFoundError(f"`{where}` is no server but of type `{type(found).__name__}`", f"name {_KINDS}")
    return found


def _nearest(name: str, known: Iterable[str]) -> str:
    question = did_you_mean(name, [each for each in known if not each.startswith("__")])
    return f"d{question[1:]}" if question else f"name {_KINDS}"


def _only_one(module: ModuleType, typed: str) -> object:
    """Take the server of a module: the only one, else the one with a usual name."""
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
