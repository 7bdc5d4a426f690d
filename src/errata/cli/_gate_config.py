"""`errata gate --config FILE`: the gate in front of every server of a client's configuration, shown, written or undone."""

import argparse
import contextlib
import difflib
import errno
import os
import re
import secrets
import shlex
import stat
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterator, Sequence
from itertools import count, takewhile, zip_longest
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import errata
from errata.cli._lint_output import print_note
from errata.cli._terminal import complain, paint
from errata.gate import (
    ConfigurationEdit,
    ConfigurationError,
    GatedEntry,
    add_gate,
    hide_in_address,
    hide_secrets,
    remove_gate,
)
from errata.linter import escape_text
from errata.redaction import redact

_MEBIBYTE = 1 << 20
_LONGEST_FILE = 32 * _MEBIBYTE
_LONGEST_LINE = 2_000
_LEAD = 60
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_ANYBODY_WRITES = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH
_MOST_BACKUPS = 99
_CONTEXT = 1
_FIRST_PORT = 8700
_OUTCOMES = {
    "added": "the gate is in front of it",
    "replaced": "its gate is replaced",
    "removed": "the gate is taken out",
    "kept": "it has this gate already",
    "absent": "it has no gate",
}
_OTHER_FORMATS = {".toml": "TOML", ".yaml": "YAML", ".yml": "YAML"}
_STYLES = {"+": ("green",), "-": ("red",), "@": ("cyan",)}
_LINE_END = re.compile(r"\r\n|\r|\n")
_FIND_ERRATA = """\
import importlib.util, os, sys
spec = importlib.util.find_spec("errata")
sys.stdout.buffer.write(os.fsencode(spec.origin) if spec else b"")
"""
_HTTP = re.compile(r"https?://[^/]", re.IGNORECASE)
_USER = re.compile(r"(?<=://)[^/?#]*@")
_SEND_THE_USER = "the client has to send the user and the password of the old one in a header, `Authorization`"
_CACHE = re.compile(r"\.?caches?|(archive|builds|environments)-v\d+", re.IGNORECASE)


class _ConfigurationFile(NamedTuple):
    """A file as it was read."""

    name: str
    """What it was called on the command line."""
    path: Path
    """Where it is; links are followed."""
    content: bytes


def run_config(given: argparse.Namespace) -> int:
    """Show the gate in a client's configuration, write it or take it out, and return the exit code."""
    try:
        file = _read_file(given.config)
        text = _decode(file.content)
        if given.undo:
            return _write(file, remove_gate(text), given)
        _check_log(given.log)
        command = _find_command()
        edit = _skip_other_schemes(add_gate(text, command, given.carried))
        if edit.replacements:
            _try(command[0])
            _warn_of_temporary_environment()
        return _write(file, edit, given) if given.write else _show(file, edit, given)
    except ConfigurationError as error:
        return complain(f"{_quote(given.config)} {escape_text(error.what)}", escape_text(error.advice))


def _find_command() -> list[str]:
    """Return what starts a gate, wherever the client may start it."""
    if not sys.executable:
        raise ConfigurationError(
            "cannot hold the gate: this Python does not know its own path", "run `python -m errata`"
        )
    # -E: the server's environment may have a PYTHONPATH, which is not for the gate.
    # -P: the directory in which a client starts its servers may have a file `json.py` in it.
    return [os.path.abspath(sys.executable), "-E", "-P", "-m", "errata", "gate"]  # noqa: PTH100 - a venv is found by its link.


def _try(python: str) -> None:
    """Raise a ConfigurationError if a Python finds errata only here, as by a PYTHONPATH, and not where a client starts it."""
    try:
        done = subprocess.run(  # noqa: S603 - it is our own.
            [python, "-E", "-P", "-c", _FIND_ERRATA], stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        finds_errata = bool(done.stdout) and os.path.samefile(os.fsdecode(done.stdout), errata.__file__)  # noqa: PTH121 - as it is printed.
    except OSError as error:
        what = f"cannot hold the gate: {_quote(python)} cannot be started: {_reason_of(error)}"
        raise ConfigurationError(
            what, "repair this Python, or install errata for another one, and run this again"
        ) from error
    if not finds_errata:
        what = f"cannot hold the gate: {_quote(python)} does not find errata by itself, as a client has to start it"
        raise ConfigurationError(what, "install errata with `pip install errata-mcp`, and run this again")


def _skip_other_schemes(edit: ConfigurationEdit) -> ConfigurationEdit:
    """Return an edit in which no server has an address to which a gate cannot connect."""
    servers = (
        entry._replace(reason="its address is not http", address=None)
        if entry.address and not _HTTP.match(entry.address)
        else entry
        for entry in edit.servers
    )
    return edit._replace(servers=tuple(servers))


def _check_log(log: str | None) -> None:
    """Raise a ConfigurationError if a log cannot be written: no server would start."""
    if log is not None and (os.path.isdir(log) or not Path(log).absolute().parent.is_dir()):  # noqa: PTH112 - any text may be a path.
        what = f"cannot hold the gate: its log {_quote(log)} is a directory, or is in one that does not exist"
        raise ConfigurationError(what, "name a file in a directory that exists")


def _show(file: _ConfigurationFile, edit: ConfigurationEdit, given: argparse.Namespace) -> int:
    for line in _write_diff(file.name, edit):
        print(line)
    for entry in edit.servers:
        if entry.change in {"kept", "skipped"} and not entry.address:
            print_note(_describe(entry))
    _print_ways_to_listen(edit.servers, given.carried)
    print_note("nothing was written; `--write` does it" if edit.replacements else "there is nothing to change")
    return 0


def _write(file: _ConfigurationFile, edit: ConfigurationEdit, given: argparse.Namespace) -> int:
    backup = _replace_file(file, edit.after.encode()) if edit.replacements else None
    for entry in edit.servers:
        if not entry.address:
            print(_describe(entry))
    if not given.undo:
        _print_ways_to_listen(edit.servers, given.carried)
    if not backup:
        print(f"{_quote(file.name)} stays as it is")
        return 0
    print(f"{_quote(file.name)} is written; as it was before, it is in {_quote(str(backup))}")
    print_note("restart the client, which reads its configuration when it starts")
    return 0


def _describe(entry: GatedEntry) -> str:
    return f"{_name(entry)}: {_OUTCOMES.get(entry.change) or f'skipped, because {entry.reason}'}"


def _name(entry: GatedEntry) -> str:
    project = f" of {_quote(entry.path[1])}" if entry.path[0] == "projects" else ""
    return f"{_quote(entry.path[-1])}{project}"


def _print_ways_to_listen(servers: Sequence[GatedEntry], options: Sequence[str]) -> None:
    """Say how a gate is put before the servers that are reached over HTTP."""
    addresses = dict.fromkeys(entry.address for entry in servers if entry.address)
    taken = set(map(_find_local_port, addresses))
    free = (port for port in count(_FIRST_PORT) if port not in taken)
    ports = dict(zip(addresses, free, strict=False))
    carried = [option for option in options if option != "--restart"]  # That is for programs.
    for entry in servers:
        if address := entry.address:
            here = f"127.0.0.1:{ports[address]}"
            anonymous = _USER.sub("", address)
            command = shlex.join(["errata", "gate", *carried, "--listen", here, "--to", hide_in_address(anonymous)])
            credentials = "" if anonymous == address else f"; {_SEND_THE_USER}"
            print_note(
                f"{_name(entry)} is reached over HTTP: start {_quote(command)} yourself, "
                f"and write {_quote(hide_in_address(f'http://{here}{_find_path(address)}'))} as its address{credentials}"
            )


def _find_local_port(address: str) -> int | None:
    with contextlib.suppress(ValueError):
        parts = urlsplit(address)
        if parts.hostname in {"127.0.0.1", "localhost", "::1"}:
            return parts.port
    return None


def _find_path(address: str) -> str:
    with contextlib.suppress(ValueError):
        return urlsplit(address).path
    return "/mcp"


def _write_diff(name: str, edit: ConfigurationEdit) -> Iterator[str]:
    """Yield the lines of a unified diff for a person to read: without secrets and control characters."""
    before, after = (_LINE_END.split(hide_secrets(text)) for text in (edit.before, edit.after))
    if edit.replacements:
        yield from (_paint_line(f"{sign} {_clean(name)}") for sign in ("---", "+++"))
    for old, new in _find_hunks(edit):
        yield _paint_line(f"@@ -{old.start + 1},{len(old)} +{new.start + 1},{len(new)} @@")
        yield from map(_paint_line, _compare(before[old.start : old.stop], after[new.start : new.stop]))


def _compare(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    """Yield lines as they are in a diff, and of long ones the part that has changed."""
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for change, start, end, new_start, new_end in matcher.get_opcodes():
        pairs = list(zip_longest(before[start:end], after[new_start:new_end], fillvalue=""))
        if change == "equal":
            yield from (f" {_excerpt(line, '')}" for line, _ in pairs)
        else:
            yield from (f"-{_excerpt(line, other)}" for line, other in pairs[: end - start])
            yield from (f"+{_excerpt(line, other)}" for other, line in pairs[: new_end - new_start])


def _clean(line: str) -> str:
    return redact(escape_text(line.expandtabs()))


def _excerpt(line: str, other: str) -> str:
    """Return a line, and of a long one the part from which on it is not like another one."""
    if len(line) <= _LONGEST_LINE:
        return _clean(line)
    start = max(sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(line, other, strict=False))) - _LEAD, 0)
    end = start + _LONGEST_LINE
    # No secret is cut in two here: those in strings are hidden already.
    return f"{'…' if start else ''}{_clean(line[start:end])}{'…' if end < len(line) else ''}"


def _find_hunks(edit: ConfigurationEdit) -> Iterator[tuple[range, range]]:
    """Yield the lines around changes before and after; difflib by itself takes minutes for a file of some megabytes."""
    hunks: list[tuple[range, range]] = []
    last = _count_lines(edit.before.removesuffix("\n"))
    line = position = shift = 0
    for start, end, text in edit.replacements:
        line += _count_lines(edit.before[position:start])
        first, position = line, end
        line += (height := _count_lines(edit.before[start:end]))
        old_shift, shift = shift, shift + _count_lines(text) - height
        old = range(max(first - _CONTEXT, 0), min(line + _CONTEXT, last) + 1)
        new = range(old.start + old_shift, old.stop + shift)
        if hunks and old.start <= hunks[-1][0].stop:
            before, after = hunks.pop()
            old, new = range(before.start, old.stop), range(after.start, new.stop)
        hunks.append((old, new))
    yield from hunks


def _count_lines(text: str) -> int:
    """Return how many lines end in a text."""
    return len(_LINE_END.findall(text))


def _paint_line(line: str) -> str:
    return paint(line, *_STYLES.get(line[:1], ()))


def _warn_of_temporary_environment() -> None:
    """Warn if this Python may be gone tomorrow: that of `uvx` and of `pipx run` is in a cache."""
    prefix = Path(sys.prefix)
    if any(map(_CACHE.fullmatch, prefix.parts)) or prefix.is_relative_to(tempfile.gettempdir()):
        print(
            f"warning: errata runs in {_quote(sys.prefix)}, which is temporary; once that is gone, no server with the gate "
            "starts\nhelp: install it with `pipx install errata-mcp` or `pip install errata-mcp`, and run this again",
            file=sys.stderr,
        )


def _quote(text: str) -> str:
    return f"`{redact(escape_text(text))}`"


def _read_file(name: str) -> _ConfigurationFile:
    try:
        path = Path(os.path.realpath(name, strict=True))
        _refuse_other_formats(path)
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise ConfigurationError("is a directory", "name the configuration file in it")
        if not stat.S_ISREG(status.st_mode):
            raise ConfigurationError("is not a file but a device or a pipe", "name the client's configuration file")
        if status.st_size > _LONGEST_FILE:
            what = (
                f"has {status.st_size / _MEBIBYTE:.0f} MiB; the most that is read is {_LONGEST_FILE // _MEBIBYTE} MiB"
            )
            raise ConfigurationError(what, "name the client's configuration file, or put the gate in by hand")
        return _ConfigurationFile(name, path, path.read_bytes())
    except FileNotFoundError as error:
        what = "is a link to a file that does not exist" if os.path.lexists(name) else "does not exist"
        raise ConfigurationError(what, "check the path, or let the client write the file") from error
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            f"cannot be read: {_reason_of(error)}", "check the path and its permissions"
        ) from error


def _refuse_other_formats(path: Path) -> None:
    if path.suffix.lower() in _OTHER_FORMATS:
        command = shlex.join([*_find_command(), "--"])
        what = f"is {_OTHER_FORMATS[path.suffix.lower()]}; only JSON is edited, with or without comments"
        raise ConfigurationError(what, f"put this before the command of each server by hand: {command}")


def _decode(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        before = content[: error.start].decode()
        *lines, last = _LINE_END.split(before)
        what = f"is not UTF-8 at line {len(lines) + 1}, column {len(last) + 1}: byte 0x{content[error.start]:02X}"
        raise ConfigurationError(what, "save it as UTF-8, and try again; nothing was changed") from error


def _replace_file(file: _ConfigurationFile, content: bytes) -> Path:
    """Replace a file in one step, and return the backup of it; nobody sees half of it."""
    temporary = file.path.with_name(f".{file.path.name[:100]}.{secrets.token_hex(4)}.tmp")
    try:
        status = file.path.stat()
        if not (status.st_mode & _ANYBODY_WRITES and os.access(file.path, os.W_OK)):
            raise ConfigurationError("is read-only", "make it writable; nothing was changed")
        _create_like(status, temporary, content)
        with _backup(file, status) as backup:
            if file.path.read_bytes() != file.content:
                what = "was changed by another program meanwhile"
                raise ConfigurationError(what, "run this again; nothing was changed")
            temporary.replace(file.path)
    except OSError as error:
        what = f"cannot be written: {_reason_of(error)}"
        advice = "make room for it" if error.errno in _NO_ROOM else "make the file and its directory writable"
        raise ConfigurationError(what, f"{advice}; nothing was changed") from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()
    return backup


@contextlib.contextmanager
def _backup(file: _ConfigurationFile, status: os.stat_result) -> Generator[Path]:
    """Provide a file with the content of before, an older one if it has that; a new one goes if the rest fails."""
    for number in range(1, _MOST_BACKUPS + 1):
        backup = file.path.with_name(f"{file.path.name}.backup{f'-{number}' if number > 1 else ''}")
        try:
            _create_like(status, backup, file.content)
        except FileExistsError:
            if not backup.is_file() or backup.read_bytes() != file.content:
                continue
            yield backup
            return
        try:
            yield backup
        except BaseException:
            backup.unlink()
            raise
        return
    raise ConfigurationError(f"has {_MOST_BACKUPS} backups", "move them elsewhere; nothing was changed")


def _create_like(status: os.stat_result, path: Path, content: bytes) -> None:
    """Create a file with the owner and the mode of another one."""
    with open(path, "xb", opener=_open_for_owner) as new:
        try:
            new.write(content)
            new.flush()
            os.fsync(new.fileno())
            if sys.platform != "win32":
                made = os.fstat(new.fileno())
                if (made.st_uid, made.st_gid) != (status.st_uid, status.st_gid):
                    os.fchown(new.fileno(), status.st_uid, status.st_gid)
            path.chmod(stat.S_IMODE(status.st_mode))
        except BaseException:
            path.unlink()
            raise


def _open_for_owner(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _reason_of(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()
