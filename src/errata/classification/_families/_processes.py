"""Programs that were run and failed: how they ended and what they said, but never the command line: it may hold a token."""

import os
import re
import signal
from collections.abc import Sequence
from typing import NamedTuple, cast

from errata._process_output import pick_telling_lines, read_last_output
from errata.classification._exception_rules import Classification, RuleResult, Table, first
from errata.classification._foreign import peek, read_number
from errata.classification._words import classify_words, spell_out
from errata.http import LONGEST_MESSAGE, LONGEST_NAME, clean, quote_behind
from errata.model import Code, Retry, is_a

_COMMAND_NAMES = ("cmd", "command", "argv", "full_cmd")  # subprocess · GitPython, invoke, docker · plumbum · sh
_STATUS_NAMES = ("returncode", "status", "exited", "retcode", "exit_code", "exit_status")
_SHELLS = frozenset(
    {"sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "busybox", "cmd", "cmd.exe", "powershell", "pwsh"}
)
_OF_A_SCRIPT = re.compile(r"[\s|&;<>$`*?\"'=()]")
_OF_SHELL = re.compile(r"^(?:/\S{0,100}/)?(?:ba|da|z|k|a|fi)?sh: (?:(?:line )?\d{1,9}: )?")
_GITPYTHON = re.compile(r"^\s{0,4}std(?:err|out): '([\s\S]*)'\s*$")
_LONGEST_QUOTED = 100_000
_REFUSED = Classification(Code.UPSTREAM_ERROR, Retry.NEVER)  # It said no; it will say so again.
_STOPPED = Classification(Code.UPSTREAM_ERROR, Retry.IF_HARMLESS)  # Somebody ended it, half-way perhaps.
_CRASHES = frozenset({"SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGSEGV", "SIGSYS", "SIGTRAP"})
_COMMAND_NOT_FOUND = 127
# A shell, and whoever runs programs for others, adds 128 to the number of the signal. git means another thing by 129.
_BY_SIGNAL = {130: signal.SIGINT, 134: signal.SIGABRT, 137: signal.SIGKILL, 139: signal.SIGSEGV, 143: signal.SIGTERM}


class _Exit(NamedTuple):
    program: str | None
    """The name of the program; None for a shell, which is not the news."""
    status: int
    output: str


def by_exit(error: BaseException) -> RuleResult:
    """How the program ended, and what it said."""
    ended = _exit_of(error)
    if ended is None:
        return None
    lines = _own_lines(ended)
    killer = _signal_of(ended.status)
    return _judge(ended, killer, lines)._replace(text=_sentence(ended, killer, lines))


def _judge(ended: _Exit, killer: str | None, lines: str) -> Classification:
    if killer is not None:
        return _REFUSED if killer in _CRASHES else _STOPPED
    if ended.program is None and ended.status == _COMMAND_NOT_FOUND:
        return Classification(Code.NOT_FOUND)
    return _by_lines(lines)


def by_time_limit(error: BaseException) -> Classification:
    """How long it was given."""
    seconds = peek(error, "timeout")
    limit = f" after {_round_seconds(seconds)} seconds" if is_a(seconds, float) or is_a(seconds, int) else ""
    return Classification(Code.TIMEOUT, text=f"{_name_in_sentence(_program(peek(error, 'cmd')))} timed out{limit}.")


def _round_seconds(seconds: float) -> str:
    return f"{seconds:.3g}" if seconds < 1 else f"{round(seconds, 2):.12g}"


def _exit_of(error: BaseException) -> _Exit | None:
    for subject in (error, peek(error, "result")):  # invoke keeps all of it there.
        command = next((value for name in _COMMAND_NAMES if (value := peek(subject, name))), None)
        status = next((number for name in _STATUS_NAMES if (number := read_number(subject, name)) is not None), None)
        if command is not None and status is not None:
            output = read_last_output(_unquote(peek(subject, "stderr")), _unquote(peek(subject, "stdout")))
            return _Exit(_program(command), status, output)
    return None


def _unquote(output: object) -> object:
    """Return an output without GitPython's quotation marks."""
    quoted = _GITPYTHON.match(output) if is_a(output, str) and len(output) <= _LONGEST_QUOTED else None
    return quoted[1] if quoted else output


def _program(command: object) -> str | None:
    """Return the name of a command's program; None for a shell, and for a line that a shell has to read."""
    if is_a(command, list) or is_a(command, tuple):
        name = _name(next(iter(cast("Sequence[object]", command)), ""))
    else:
        line = _path(command)
        name = "" if _OF_A_SCRIPT.search(line) else _name(line)
    return None if not name or name.lower() in _SHELLS else clean(name, LONGEST_NAME)


def _name(path: object) -> str:
    return re.split(r"[/\\]", _path(path))[-1]


def _path(item: object) -> str:
    try:
        return os.fsdecode(cast("str", item))[:4096]
    except Exception:  # noqa: BLE001 - no path, or one whose own method raises.
        return ""


def _own_lines(ended: _Exit) -> str:
    """Return what the program said, without its own name in front."""
    lines = clean(pick_telling_lines(ended.output), LONGEST_MESSAGE)
    if ended.program:
        return lines.removeprefix(f"{ended.program}: ").replace(f"; {ended.program}: ", "; ")
    return _OF_SHELL.sub("", lines)


def _by_lines(lines: str) -> Classification:
    """Return what the program's lines mean; part of its work may be done, so nothing is simply repeated."""
    meant = classify_words(spell_out(lines)) if lines else None
    if meant is None or meant.code in {Code.INTERNAL_ERROR, Code.CANCELLED, Code.METHOD_NOT_FOUND}:
        return _REFUSED
    if meant.retry is Retry.SAME_CALL:
        return meant._replace(retry=Retry.IF_HARMLESS)
    # Something is in the way that no other argument moves, unless it is what the call would have made.
    in_the_way = meant.code is Code.CONFLICT and "exist" not in lines
    return meant._replace(retry=Retry.NEVER) if in_the_way else meant


def _signal_of(status: int) -> str | None:
    try:
        return signal.Signals(-status).name if status < 0 else _BY_SIGNAL[status].name
    except (KeyError, ValueError):
        return None


def _sentence(ended: _Exit, killer: str | None, lines: str) -> str:
    who = _name_in_sentence(ended.program)
    if killer is not None and ended.status < 0:
        what = f"{who} was killed by {killer}"
    else:
        meaning = f" (killed by {killer})" if killer else ""
        if ended.status == _COMMAND_NOT_FOUND and not lines:
            meaning = " (command not found)"
        what = f"{who} failed with exit status {ended.status}{meaning}"
    return quote_behind(clean(what, LONGEST_MESSAGE), lines) if lines else clean(f"{what}.", LONGEST_MESSAGE)


def _name_in_sentence(program: str | None) -> str:
    return f"`{program}`" if program else "The command"


# fmt: off
TABLE: Table = {
    "subprocess.CalledProcessError": by_exit,
    "subprocess.TimeoutExpired": by_time_limit,
    "sh.ErrorReturnCode": first(by_exit, _REFUSED),
    "plumbum.commands.processes.ProcessExecutionError": first(by_exit, _REFUSED),
}
# fmt: on
