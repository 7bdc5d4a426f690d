"""What the messages of a client-side failure say about request, server, time limit and program."""

import signal
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from errata._process_output import pick_telling_lines
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
    """The circumstances of a failure, and the phrases for them in a message."""

    request: ClientRequest
    server: str | None
    timeout_s: float | None
    program: "ProgramState | None" = None
    """The state of a server that was started here."""
    schema: Mapping[str, object] | None = None
    """The schema of the tool's arguments, if it is known."""
    was_lost: bool = False
    """Whether the connection had been lost for good before the request."""
    was_sent: bool = False
    """Whether an attempt before this one may have reached the server."""

    @property
    def params(self) -> dict[str, object]:
        """The `params` of the request for a tool; empty for any other request."""
        return {"name": self.request.name, "arguments": self.request.arguments} if self.request.kind == "tool" else {}

    @property
    def tool(self) -> dict[str, object] | None:
        """The parts of the tool's entry in the list that reading an answer needs; None if it is not known."""
        return None if self.schema is None else {"name": self.request.name, "inputSchema": self.schema}

    @property
    def named(self) -> str:
        """The server, for a sentence."""
        return f"`{self.server}`" if self.server else "the server"

    @property
    def in_time(self) -> str:
        """The time limit, for a sentence."""
        return "in time" if self.timeout_s is None else f"within {format_duration(self.timeout_s)}"

    @property
    def unsent(self) -> str:
        """The end of a sentence that says what was not sent."""
        if self.was_sent:
            return f", so {self.request} was not sent again; whether it took effect before is not known"
        return "" if self.request.kind == "connection" else f", so {self.request} was not sent"

    @property
    def effect(self) -> str:
        """The end of a message that says the call may have taken effect; empty for a handshake or a list."""
        return "" if self.request.kind in {"connection", "list"} else " Whether it took effect is not known."

    @property
    def end(self) -> str:
        """How the program has ended, as a predicate."""
        return _describe_end(self.program.status) if self.program else "has ended"

    @property
    def because(self) -> str:
        """The same, as the end of a sentence about a lost connection."""
        return f", because it {self.end}" if self.program and self.program.has_ended else ""

    @property
    def moment(self) -> str:
        """When a program ended that never answered a call."""
        was_open = self.program is not None and self.program.was_open
        return "after the handshake, before the first call" if was_open else "before it answered the handshake"

    @property
    def wrote(self) -> str:
        """A sentence that quotes the last output of a program, or its output that is no MCP."""
        program = self.program
        if program is None:
            return ""
        if errors := _last_lines(program.errors or ""):
            return f" The last that it wrote on its standard error: {_quote(_choose_lines(errors))}."
        if printed := _first_lines(program.printed):
            return f" It wrote this on its standard output, which is no MCP: {_quote(printed)}."
        return " It wrote nothing on its standard error." if program.has_ended and program.errors is not None else ""

    @property
    def facts(self) -> dict[str, object]:
        """How the program ended and what it wrote, as data."""
        program = self.program
        if program is None:
            return {}
        status, name = program.status, _signal_name(-(program.status or 0))
        written = {"stderr": _last_lines(program.errors or ""), "stdout": _last_lines(program.printed)}
        ended: dict[str, object] = {} if status is None else {"signal": name} if name else {"exitStatus": status}
        return ended | {stream: text for stream, text in written.items() if text}


def _describe_end(status: int | None) -> str:
    if status is None:
        return "closed its standard output"
    if status < 0:
        return f"was ended by {_signal_name(-status) or f'the signal {-status}'}"
    if name := _signal_name(status - _OF_A_SHELL):
        return f"ended with exit status {status} ({_OF_A_SHELL} + {name})"
    return f"ended with exit status {status}" + (f" (0x{status:X})" if status > _LARGEST_STATUS else "")


def _signal_name(number: int) -> str | None:
    try:
        return signal.Signals(number).name
    except ValueError:
        return None


def _lines(output: str) -> list[str]:
    """Return the lines of an output, redacted together, because some secrets span several lines."""
    return [_short(line, _LONGEST_LINE) for line in redact(make_visible(output)).splitlines() if line.strip()]


def _last_lines(output: str) -> str:
    """Return the end of an output, from the beginning of a line."""
    lines = _lines(output)
    while len(lines) > 1 and sum(map(len, lines)) + len(lines) > _LONGEST_OUTPUT:
        del lines[0]
    return "\n".join(lines)


def _first_lines(output: str) -> str:
    """Return the first lines of an output and its last, as of a help text or a banner."""
    lines = [_short(line.strip(), _LONGEST_QUOTED_LINE) for line in _lines(output)]
    return " ".join(dict.fromkeys([*lines[:_MOST_LINES], *lines[-1:]]))


def _choose_lines(output: str) -> str:
    """Return the lines that give the cause: all of a few; of more, those that mention an error, and the last one."""
    lines = [_short(line, _LONGEST_QUOTED_LINE) for line in output.splitlines()]
    outer = [chosen for line in lines if not line[0].isspace() and (chosen := pick_telling_lines(line))]
    if 0 < len(outer) <= _MOST_LINES:
        return " ".join(outer)
    telling, last = pick_telling_lines("\n".join(lines)), pick_telling_lines(lines[-1])
    return telling if last in telling else f"{telling} … {last}"


def _short(line: str, limit: int) -> str:
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def _quote(words: str) -> str:
    return quote_words(redact_within(put_on_one_line(words), _LONGEST_QUOTED))


def format_duration(timeout_s: float) -> str:
    """Return a duration as text; less than a millisecond is shown in ms, so that it does not look like none."""
    milliseconds = round(timeout_s * 1000)
    return f"{to_seconds(milliseconds)} s" if milliseconds else f"{timeout_s * 1000:.2g} ms"
