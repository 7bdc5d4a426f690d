"""Where something went wrong, in the words of a message."""

import signal
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from errata._process_output import telling_lines
from errata.client._call_failed import ClientRequest
from errata.dialects import to_seconds
from errata.redaction import make_visible, put_on_one_line, quote_words, redact, redact_within

if TYPE_CHECKING:  # It needs what the SDK brings along.
    from errata.client._watched_transport import ProgramState


_LONGEST_QUOTED = 600
_LONGEST_OUTPUT = 2_000
_LONGEST_LINE, _LONGEST_QUOTED_LINE = 500, 140
_MOST_LINES = 3
_OF_A_SHELL = 128
"""Shells and containers add the number of a signal to this."""
_LARGEST_STATUS = 255


class FailureContext(NamedTuple):
    """Where it happened: the words that stand in a message."""

    request: ClientRequest
    server: str | None
    timeout_s: float | None
    program: "ProgramState | None" = None
    """What is known of a server that was started here."""
    schema: Mapping[str, object] | None = None
    """The schema of the tool's arguments, as far as it is known."""

    @property
    def params(self) -> dict[str, object]:
        """The `params` of what was asked; what is no tool has only a name."""
        return {"name": self.request.name, "arguments": self.request.arguments} if self.request.kind == "tool" else {}

    @property
    def tool(self) -> dict[str, object] | None:
        """The tool's entry in the list, as far as reading an answer takes it."""
        return None if self.schema is None else {"name": self.request.name, "inputSchema": self.schema}

    @property
    def named(self) -> str:
        """The server, in a sentence."""
        return f"`{self.server}`" if self.server else "the server"

    @property
    def in_time(self) -> str:
        """Within which time, in a sentence."""
        return "in time" if self.timeout_s is None else f"within {format_duration(self.timeout_s)}"

    @property
    def unsent(self) -> str:
        """What has not been sent for want of a connection, at the end of a sentence."""
        return "" if self.request.kind == "connection" else f", so {self.request} was not sent"

    @property
    def effect(self) -> str:
        """That it may have happened, as the end of a message; a handshake and a list have no effect."""
        return "" if self.request.kind in {"connection", "list"} else " Whether it took effect is not known."

    @property
    def end(self) -> str:
        """How the program has ended, behind the name of it."""
        return _end(self.program.status) if self.program else "has ended"

    @property
    def because(self) -> str:
        """The same as the end of a sentence about a connection that was lost."""
        return f", because it {self.end}" if self.program and self.program.has_ended else ""

    @property
    def moment(self) -> str:
        """When a program has ended that never did what it was started for."""
        was_open = self.program is not None and self.program.was_open
        return "after the handshake, before the first call" if was_open else "before it answered the handshake"

    @property
    def wrote(self) -> str:
        """What a program has written last, or instead of MCP, as a sentence; one that runs may have written nothing yet."""
        program = self.program
        if program is None:
            return ""
        if errors := _last_lines(program.errors or ""):
            return f" The last that it wrote on its standard error: {_quoted(_telling(errors))}."
        if printed := _first_lines(program.printed):
            return f" It wrote this on its standard output, which is no MCP: {_quoted(printed)}."
        return " It wrote nothing on its standard error." if program.has_ended and program.errors is not None else ""

    @property
    def facts(self) -> dict[str, object]:
        """The same for programs: how it ended, and what it wrote."""
        program = self.program
        if program is None:
            return {}
        status, name = program.status, _signal(-(program.status or 0))
        written = {"stderr": _last_lines(program.errors or ""), "stdout": _last_lines(program.printed)}
        ended: dict[str, object] = {} if status is None else {"signal": name} if name else {"exitStatus": status}
        return ended | {stream: text for stream, text in written.items() if text}


def _end(status: int | None) -> str:
    if status is None:
        return "closed its standard output"
    if status < 0:
        return f"was ended by {_signal(-status) or f'the signal {-status}'}"
    if name := _signal(status - _OF_A_SHELL):
        return f"ended with exit status {status} ({_OF_A_SHELL} + {name})"
    return f"ended with exit status {status}" + (f" (0x{status:X})" if status > _LARGEST_STATUS else "")


def _signal(number: int) -> str | None:
    try:
        return signal.Signals(number).name
    except ValueError:
        return None


def _lines(output: str) -> list[str]:
    """Return the lines that a program wrote, as they may be shown; redacted together, because some secrets have several."""
    return [_short(line, _LONGEST_LINE) for line in redact(make_visible(output)).splitlines() if line.strip()]


def _last_lines(output: str) -> str:
    """Return the end of what a program wrote; it may have stopped in the middle of a line, but begins with a whole one."""
    lines = _lines(output)
    while len(lines) > 1 and sum(map(len, lines)) + len(lines) > _LONGEST_OUTPUT:
        del lines[0]
    return "\n".join(lines)


def _first_lines(output: str) -> str:
    """Return how a help or a banner begins, and how it ends."""
    lines = [_short(line.strip(), _LONGEST_QUOTED_LINE) for line in _lines(output)]
    return " ".join(dict.fromkeys([*lines[:_MOST_LINES], *lines[-1:]]))


def _telling(output: str) -> str:
    """Return the lines that tell why: a few are shown all; of more, those that speak of an error, and the last one."""
    lines = [_short(line, _LONGEST_QUOTED_LINE) for line in output.splitlines()]
    outer = [told for line in lines if not line[0].isspace() and (told := telling_lines(line))]
    if 0 < len(outer) <= _MOST_LINES:
        return " ".join(outer)
    telling, last = telling_lines("\n".join(lines)), telling_lines(lines[-1])
    return telling if last in telling else f"{telling} … {last}"


def _short(line: str, limit: int) -> str:
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def _quoted(words: str) -> str:
    return quote_words(redact_within(put_on_one_line(words), _LONGEST_QUOTED))


def format_duration(timeout_s: float) -> str:
    """Say a time; one of less than a millisecond was probably meant in another unit, and must not look like none."""
    milliseconds = round(timeout_s * 1000)
    return f"{to_seconds(milliseconds)} s" if milliseconds else f"{timeout_s * 1000:.2g} ms"
