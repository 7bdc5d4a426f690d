"""What the messages of a client-side failure say about request, server, time limit and program."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from errata._process_output import (
    choose_lines,
    describe_end,
    first_lines,
    last_lines,
    quote_output,
    signal_name,
)
from errata.client._call_failed import ClientRequest
from errata.dialects import to_seconds

if TYPE_CHECKING:  # It needs what the SDK brings along.
    from errata.client._watched_transport import ProgramState


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
        return describe_end(self.program.status) if self.program else "has ended"

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
        if errors := last_lines(program.errors or ""):
            return f" The last that it wrote on its standard error: {quote_output(choose_lines(errors))}."
        if printed := first_lines(program.printed):
            return f" It wrote this on its standard output, which is no MCP: {quote_output(printed)}."
        return " It wrote nothing on its standard error." if program.has_ended and program.errors is not None else ""

    @property
    def facts(self) -> dict[str, object]:
        """How the program ended and what it wrote, as data."""
        program = self.program
        if program is None:
            return {}
        status, name = program.status, signal_name(-(program.status or 0))
        written = {"stderr": last_lines(program.errors or ""), "stdout": last_lines(program.printed)}
        ended: dict[str, object] = {} if status is None else {"signal": name} if name else {"exitStatus": status}
        return ended | {stream: text for stream, text in written.items() if text}


def format_duration(timeout_s: float) -> str:
    """Return a duration as text; less than a millisecond is shown in ms, so that it does not look like none."""
    milliseconds = round(timeout_s * 1000)
    return f"{to_seconds(milliseconds)} s" if milliseconds else f"{timeout_s * 1000:.2g} ms"
