"""A transport of the SDK, watched: what it answers to `server/discover`, and how a program that it starts has ended.

The SDK falls back to the older handshake whatever the newer one failed with, and of a server that dies it says
"Connection closed". It keeps the process to itself, and hands its standard error through.
"""

import codecs
import os
import secrets
import select
import sys
from collections import deque
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress
from threading import Thread
from types import TracebackType
from typing import Any, NamedTuple, Protocol, Self, TextIO, cast

import anyio
from mcp import MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCError, JSONRPCRequest, JSONRPCResponse

from errata.client._outcomes import unwrap_group
from errata.redaction import text_of

_LONGEST_END_S = 2.0
"""So long a program may take to end after it has closed its output; the SDK ends it then."""
_LONGEST_DRAIN_S = 1.0
_EVERY_S = 0.005
_PATIENCE_MS = 1_000
_CHUNK = 65_536
_TAIL = 16_384
"""So much of the end of its standard error is kept."""
_MOST_LINES = 20
_LONGEST_LINE = 1_000
_DISCOVER = "server/discover"
_CALLS = frozenset({"tools/call", "resources/read", "prompts/get"})


class ProgramState(NamedTuple):
    """What is known of a program that was started to be a server."""

    has_ended: bool
    """Whether it has ended, or at least closed its output."""
    status: int | None
    """Its exit status; the number of a signal below 0; None while it runs, or where nobody knows."""
    was_open: bool
    """Whether it has answered the handshake."""
    errors: str | None
    """The end of its standard error, secrets included; None where that goes elsewhere."""
    printed: str
    """What it has printed on its standard output that is no MCP, secrets included."""


class WatchedTransport(AbstractAsyncContextManager[Any]):
    """A transport for `mcp.Client`; a program of `StdioServerParameters`, or one that somebody else has made."""

    def __init__(self, server: StdioServerParameters | AbstractAsyncContextManager[Any]) -> None:
        self._parameters = server if isinstance(server, StdioServerParameters) else None
        self._transport = None if isinstance(server, StdioServerParameters) else server
        self._errors: _ErrorOutput | None = None
        self._process: _Process | None = None
        self._output: _Tapped | None = None
        self._status: int | None = None
        self._is_closing = False
        self._is_left = False
        self._was_open = False
        self._strays = _Strays()
        self._probe: str | None = None
        self._calls: set[str] = set()
        self.discovery: MCPError | None = None
        """What `server/discover` was answered with, if that was an error."""
        self.has_served: bool = False
        """Whether a call, beyond the handshake, was answered."""

    async def __aenter__(self) -> Any:  # noqa: ANN401 - two streams, as the SDK takes them.
        if self._parameters is not None:
            self._errors = _ErrorOutput()
            self._transport = stdio_client(self._parameters, errlog=self._errors.file)
        transport = cast("AbstractAsyncContextManager[Any]", self._transport)
        try:
            reading, writing = await transport.__aenter__()
        except BaseException:
            await self._hear_out()
            raise
        self._process = _process_of(transport)
        self._output = _tapped(self._process, self._hear)
        return _Reading(reading, self), _Writing(writing, self)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        self._note_status()
        self._is_left = True
        transport = cast("AbstractAsyncContextManager[Any]", self._transport)
        try:
            return await transport.__aexit__(kind, error, traceback)
        except Exception as failure:
            self._note_unreadable(unwrap_group(failure))
            raise
        finally:
            await self._hear_out()

    @property
    def has_ended(self) -> bool:
        """Whether a program was started, and has ended by itself."""
        self._note_status()
        return self._is_closing or self._status is not None

    @property
    def program(self) -> ProgramState | None:
        """What is known of the program; None where none was started."""
        if self._process is None and self._errors is None:
            return None
        errors = self._errors.text if self._errors else None
        return ProgramState(self.has_ended, self._status, self._was_open, errors, self._strays.text)

    async def see_the_end(self) -> None:
        """Wait until a program that has closed its output has ended, and what it wrote is read; not for long."""
        if self._process is None and self._errors is None:
            return
        self._is_closing = True
        await _until(lambda: self._process is None or self._process.returncode is not None, _LONGEST_END_S)
        self._note_status()
        if self._status is not None or self._process is None:
            output = self._output
            await _until(lambda: output is None or output.is_over, _LONGEST_DRAIN_S)
            await self._hear_out()

    def opened(self) -> None:
        """Take note that the handshake has worked, in whichever way."""
        self._was_open = True
        self.discovery = None

    def sent(self, message: SessionMessage) -> None:
        """Take note of a message to the server."""
        match message.message:
            case JSONRPCRequest(id=number, method=method):
                if method == _DISCOVER:
                    self._probe = str(number)
                elif method in _CALLS and not self.has_served:
                    self._calls.add(str(number))
            case _:
                """Nobody will answer it."""

    def received(self, item: object) -> None:
        """Take note of what came from the server: an answer, or what is none."""
        match item:
            case SessionMessage(message=JSONRPCError(id=number, error=error)) if str(number) == self._probe:
                self.discovery = MCPError(error.code, error.message, error.data)
            case SessionMessage(message=JSONRPCError(id=number) | JSONRPCResponse(id=number)) if (
                str(number) in self._calls
            ):
                self.has_served = True
                self._calls.clear()
            case Exception() if self._output is None or not self._output.is_heard:
                self._strays.add(_line_in(item))
            case _:
                """It is what it should be."""

    def _note_status(self) -> None:
        """Keep the exit status, as long as it is not the SDK that has ended the program."""
        if self._status is None and self._process is not None and not self._is_left:
            self._status = self._process.returncode

    def _note_unreadable(self, error: BaseException) -> None:
        """Take note of output that is no text. The SDK tells of it when the program has closed its output, and not before."""
        if self._process is not None and isinstance(error, UnicodeDecodeError):
            self._is_closing = True
            self._status = self._process.returncode if self._status is None else self._status

    def _hear(self, output: bytes) -> None:
        """Keep what is no message, as long as it may tell why there is none."""
        if not self._was_open:
            self._strays.feed(output)

    async def _hear_out(self) -> None:
        if self._errors is not None:
            with anyio.CancelScope(shield=True):
                await self._errors.finish()


async def _until(is_over: Callable[[], bool], longest_s: float) -> bool:
    """Wait until something is over; False if it is not, after so long."""
    with anyio.move_on_after(longest_s):
        while not is_over():  # noqa: ASYNC110 - a process or a thread sets no event of the loop.
            await anyio.sleep(_EVERY_S)
        return True
    return False


class _Process(Protocol):
    @property
    def returncode(self) -> int | None: ...


def _process_of(transport: object) -> _Process | None:
    """Find the process that the SDK's transport has started; another version may keep it elsewhere, and then it has no status."""
    frame = getattr(getattr(transport, "gen", None), "ag_frame", None)
    process: object = getattr(frame, "f_locals", {}).get("process")
    return cast("_Process", process) if hasattr(process, "returncode") else None


class _Tapped:
    """The standard output of a process, heard by somebody else as well."""

    def __init__(self, stream: Any, hear: Callable[[bytes], None]) -> None:  # noqa: ANN401 - one of several classes of anyio.
        self._stream = stream
        self._hear = hear
        self.is_heard: bool = False
        self.is_over: bool = False

    async def receive(self, max_bytes: int = _CHUNK) -> bytes:
        try:
            output = cast("bytes", await self._stream.receive(max_bytes))
        except Exception:
            self.is_over = True
            raise
        self.is_heard = True
        self._hear(output)
        return output

    async def aclose(self) -> None:
        await self._stream.aclose()

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - as above.
        return getattr(self._stream, name)


def _tapped(process: object, hear: Callable[[bytes], None]) -> _Tapped | None:
    """Listen to the output of a process that nobody has begun to read.

    The SDK drops what it reads after it has failed to write: all that a program says which ends at once. It is anyio's
    process; where another one keeps its output elsewhere, what the SDK could not read has to do.
    """
    stream = getattr(process, "_stdout", None)
    if stream is None:
        return None
    tapped = _Tapped(stream, hear)
    cast("Any", process)._stdout = tapped  # noqa: SLF001 - see above.
    return tapped


class _Stream:
    """What reading and writing have in common: all but one method is that of the stream."""

    def __init__(self, stream: Any, transport: WatchedTransport) -> None:  # noqa: ANN401 - one of several classes of the SDK.
        self._stream = stream
        self._transport = transport

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - as above.
        return getattr(self._stream, name)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> bool | None:
        return cast("bool | None", await self._stream.__aexit__(*error))


class _Reading(_Stream):
    """What comes from the server. Its end is told when it is known how the program has ended."""

    async def receive(self) -> Any:  # noqa: ANN401 - as above.
        try:
            item = await self._stream.receive()
        except anyio.EndOfStream:
            await self._transport.see_the_end()
            raise
        self._transport.received(item)
        return item

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:  # noqa: ANN401 - as above.
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None


class _Writing(_Stream):
    """What goes to the server."""

    async def send(self, item: SessionMessage, /) -> None:
        self._transport.sent(item)
        try:
            await self._stream.send(item)
        except anyio.BrokenResourceError:
            await self._transport.see_the_end()
            raise


class _Strays:
    """The first and the last lines that a program has printed among its messages, or instead of them."""

    def __init__(self) -> None:
        self._first: list[str] = []
        self._last: deque[str] = deque(maxlen=_MOST_LINES)
        self._begun = b""

    def feed(self, output: bytes) -> None:
        """Keep the lines of some output that are no messages."""
        *lines, self._begun = (self._begun + output).split(b"\n")
        for line in lines:
            if not _is_message(line):
                self.add(line.decode("utf-8", "replace"))
        if len(self._begun) > 2 * _LONGEST_LINE:
            self._begun = self._begun[: 2 * _LONGEST_LINE]  # The rest of it tells no more.

    def add(self, line: str) -> None:
        """Keep a line."""
        lines = self._first if len(self._first) < _MOST_LINES else self._last
        lines.append(line[:_LONGEST_LINE])

    @property
    def text(self) -> str:
        """The lines."""
        begun = "" if _is_message(self._begun) else self._begun[:_LONGEST_LINE].decode("utf-8", "replace")
        return "\n".join([*self._first, *self._last, begun])


def _is_message(line: bytes) -> bool:
    """Whether a line is JSON-RPC, or may be: of a long one the end is not known."""
    return line.lstrip().startswith(b"{") and (b'"jsonrpc"' in line or len(line) > _LONGEST_LINE)


def _line_in(error: Exception) -> str:
    """Find the text that pydantic could not read as a message."""
    errors: Callable[..., list[dict[str, object]]] | None = getattr(error, "errors", None)
    try:
        given = errors(include_url=False)[0].get("input") if errors else ""
    except Exception:  # noqa: BLE001 - of another class, or with a value that cannot be shown.
        return ""
    return text_of(given)


class _ErrorOutput:
    """The standard error of a program: it goes on to that of this one, and its end is kept.

    A thread reads it, so that no program waits for an event loop that is busy. It ends at a mark that is written behind all
    the rest, and not at the end of the pipe: a program that this one has started may keep that open.
    """

    def __init__(self) -> None:
        self._source, sink = os.pipe()
        self._sink = os.fdopen(sink, "wb", buffering=0)
        self._mark = secrets.token_bytes(32)
        self._tail = b""
        self._thread = Thread(target=self._read, args=(_Outlet(),), name="errata-stderr", daemon=True)
        self._thread.start()

    @property
    def file(self) -> TextIO:
        """The end that the program writes to."""
        return cast("TextIO", self._sink)

    @property
    def text(self) -> str:
        """The end of what was written up to now."""
        return self._tail.decode("utf-8", "replace")

    async def finish(self) -> None:
        """Wait until all is read that was written up to now, and take no more; not for long."""
        if await _until(lambda: self._sink.closed or self._marked(), _LONGEST_DRAIN_S):
            await _until(lambda: not self._thread.is_alive(), _LONGEST_DRAIN_S)
        self._sink.close()

    def _marked(self) -> bool:
        """Write the mark if there is room for it: whoever reads may be held up."""
        if not _has_room(self._sink.fileno()):
            return False
        with suppress(OSError):
            self._sink.write(self._mark)
        self._sink.close()
        return True

    def _read(self, outlet: "_Outlet") -> None:
        held = b""
        try:
            while chunk := os.read(self._source, _CHUNK):
                held, mark, _ = (held + chunk).partition(self._mark)
                kept = 0 if mark else _overlap(held, self._mark)
                whole, held = held[: len(held) - kept], held[len(held) - kept :]
                self._tail = (self._tail + whole)[-_TAIL:]
                outlet.write(whole)
                if mark:
                    break
        finally:
            os.close(self._source)
            outlet.close()


def _overlap(text: bytes, mark: bytes) -> int:
    """Count the bytes at the end of a text that a mark may have begun with."""
    return next((size for size in range(min(len(text), len(mark)), 0, -1) if text.endswith(mark[:size])), 0)


class _Outlet:
    """The standard error of this program, as it was when the other one was started."""

    def __init__(self) -> None:
        self._stream = cast("TextIO | None", sys.stderr)  # None in a program without a console.
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        try:
            self._file = os.dup(self._stream.fileno()) if self._stream else None
        except (AttributeError, OSError, ValueError):  # It is no file, or is closed.
            self._file = None

    def write(self, output: bytes) -> None:
        """Pass on what the other one has written; if that fails, nobody is left to be told."""
        with suppress(Exception):
            if self._file is not None:
                _write(self._file, output)
            elif self._stream is not None:
                self._stream.write(self._decoder.decode(output))
                self._stream.flush()

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)


def _write(file: int, output: bytes) -> None:
    rest = memoryview(output)
    while rest:
        try:
            rest = rest[os.write(file, rest) :]
        except BlockingIOError:
            if not _has_room(file, wait_ms=_PATIENCE_MS):
                raise


def _has_room(file: int, *, wait_ms: int = 0) -> bool:
    """Whether something can be written without waiting; on Windows nobody knows, and it is tried."""
    if not hasattr(select, "poll"):
        return True
    poll = select.poll()
    poll.register(file, select.POLLOUT)
    return bool(poll.poll(wait_ms))
