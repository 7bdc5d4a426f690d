"""A transport of the SDK that notes the answer to `server/discover`, and how a program that it started ended.

The SDK falls back to the older handshake whatever error the newer one gets, and reports a server that died as "Connection
closed". It keeps the process to itself, and passes its standard error through.
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
"""How long a program may take to end after it has closed its output; then the SDK ends it."""
_LONGEST_DRAIN_S = 1.0
_EVERY_S = 0.005
_PATIENCE_MS = 1_000
_CHUNK = 65_536
_TAIL = 16_384
"""How much of the end of a program's standard error is kept."""
_MOST_LINES = 20
_LONGEST_LINE = 1_000
_DISCOVER = "server/discover"
_CALLS = frozenset({"tools/call", "resources/read", "prompts/get"})


class ProgramState(NamedTuple):
    """The state of a program that was started as a server."""

    has_ended: bool
    """Whether it has ended, or at least closed its output."""
    status: int | None
    """Its exit status, negative for a signal; None while it runs, or if it is not known."""
    was_open: bool
    """Whether it has answered the handshake."""
    errors: str | None
    """The end of its standard error, secrets included; None if that goes elsewhere."""
    printed: str
    """Its standard output that is no MCP, secrets included."""


class WatchedTransport(AbstractAsyncContextManager[Any]):
    """A transport for `mcp.Client`: a program of `StdioServerParameters`, or a transport that somebody else made."""

    def __init__(self, server: StdioServerParameters | AbstractAsyncContextManager[Any]) -> None:
        self._parameters = server if isinstance(server, StdioServerParameters) else None
        self._transport = None if isinstance(server, StdioServerParameters) else server
        self._errors: _ErrorOutput | None = None
        self._process: _StartedProcess | None = None
        self._output: _TappedOutput | None = None
        self._status: int | None = None
        self._is_closing = False
        self._is_left = False
        self._was_open = False
        self._strays = _StrayOutput()
        self._probe: str | None = None
        self._calls: set[str] = set()
        self.discovery: MCPError | None = None
        """The error that answered `server/discover`, if there was one."""
        self.has_served: bool = False
        """Whether a call has been answered, and not only the handshake."""

    async def __aenter__(self) -> Any:  # noqa: ANN401 - two streams, as the SDK takes them.
        if self._parameters is not None:
            self._errors = _ErrorOutput()
            self._transport = stdio_client(self._parameters, errlog=self._errors.file)
        transport = cast("AbstractAsyncContextManager[Any]", self._transport)
        try:
            reading, writing = await transport.__aenter__()
        except BaseException:
            await self._drain_errors()
            raise
        self._process = _find_process(transport)
        self._output = _tap_output(self._process, self._note_output)
        return _ReceiveStream(reading, self), _SendStream(writing, self)

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
            await self._drain_errors()

    @property
    def has_ended(self) -> bool:
        """Whether a program was started, and has ended by itself."""
        self._note_status()
        return self._is_closing or self._status is not None

    @property
    def program(self) -> ProgramState | None:
        """The state of the program; None if none was started."""
        if self._process is None and self._errors is None:
            return None
        errors = self._errors.text if self._errors else None
        return ProgramState(self.has_ended, self._status, self._was_open, errors, self._strays.text)

    async def wait_for_end(self) -> None:
        """Wait, not for long, until a program that has closed its output has ended and its output is read."""
        if self._process is None and self._errors is None:
            return
        self._is_closing = True
        await _wait_until(lambda: self._process is None or self._process.returncode is not None, _LONGEST_END_S)
        self._note_status()
        if self._status is not None or self._process is None:
            output = self._output
            await _wait_until(lambda: output is None or output.is_over, _LONGEST_DRAIN_S)
            await self._drain_errors()

    def note_handshake(self) -> None:
        """Note that the handshake has worked, the newer or the older one."""
        self._was_open = True
        self.discovery = None

    def note_sent(self, message: SessionMessage) -> None:
        """Note a message to the server."""
        match message.message:
            case JSONRPCRequest(id=number, method=method):
                if method == _DISCOVER:
                    self._probe = str(number)
                elif method in _CALLS and not self.has_served:
                    self._calls.add(str(number))
            case _:
                """No answer will come."""

    def note_received(self, item: object) -> None:
        """Note what came from the server: an answer, or output that is none."""
        match item:
            case SessionMessage(message=JSONRPCError(id=number, error=error)) if str(number) == self._probe:
                self.discovery = MCPError(error.code, error.message, error.data)
            case SessionMessage(message=JSONRPCError(id=number) | JSONRPCResponse(id=number)) if (
                str(number) in self._calls
            ):
                self.has_served = True
                self._calls.clear()
            case Exception() if self._output is None or not self._output.has_output:
                self._strays.add(_find_line(item))
            case _:
                """An ordinary message."""

    def _note_status(self) -> None:
        """Note the exit status, unless the SDK has ended the program."""
        if self._status is None and self._process is not None and not self._is_left:
            self._status = self._process.returncode

    def _note_unreadable(self, error: BaseException) -> None:
        """Note output that is no text. The SDK reports it only after the program has closed its output."""
        if self._process is not None and isinstance(error, UnicodeDecodeError):
            self._is_closing = True
            self._status = self._process.returncode if self._status is None else self._status

    def _note_output(self, output: bytes) -> None:
        """Keep output that is no message, as long as it may show why there is none."""
        if not self._was_open:
            self._strays.feed(output)

    async def _drain_errors(self) -> None:
        if self._errors is not None:
            with anyio.CancelScope(shield=True):
                await self._errors.finish()


async def _wait_until(is_over: Callable[[], bool], longest_s: float) -> bool:
    """Wait until something is over; return False if it is not within the limit."""
    with anyio.move_on_after(longest_s):
        while not is_over():  # noqa: ASYNC110 - a process or a thread sets no event of the loop.
            await anyio.sleep(_EVERY_S)
        return True
    return False


class _StartedProcess(Protocol):
    @property
    def returncode(self) -> int | None: ...


def _find_process(transport: object) -> _StartedProcess | None:
    """Return the process that the SDK's transport has started; None if another version keeps it elsewhere."""
    frame = getattr(getattr(transport, "gen", None), "ag_frame", None)
    process: object = getattr(frame, "f_locals", {}).get("process")
    return cast("_StartedProcess", process) if hasattr(process, "returncode") else None


class _TappedOutput:
    """The standard output of a process, of which a copy goes to a function."""

    def __init__(self, stream: Any, note: Callable[[bytes], None]) -> None:  # noqa: ANN401 - one of several classes of anyio.
        self._stream = stream
        self._note_output = note
        self.has_output: bool = False
        self.is_over: bool = False

    async def receive(self, max_bytes: int = _CHUNK) -> bytes:
        try:
            output = cast("bytes", await self._stream.receive(max_bytes))
        except Exception:
            self.is_over = True
            raise
        self.has_output = True
        self._note_output(output)
        return output

    async def aclose(self) -> None:
        await self._stream.aclose()

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - as above.
        return getattr(self._stream, name)


def _tap_output(process: object, note: Callable[[bytes], None]) -> _TappedOutput | None:
    """Copy the output of a process that nobody has begun to read.

    The SDK drops what it reads after a failed write, which is all the output of a program that ends at once. This relies on
    anyio's process; where another one keeps its output elsewhere, the lines that the SDK could not read have to do.
    """
    stream = getattr(process, "_stdout", None)
    if stream is None:
        return None
    tapped = _TappedOutput(stream, note)
    cast("Any", process)._stdout = tapped  # noqa: SLF001 - see above.
    return tapped


class _WatchedStream:
    """What both streams have in common: all methods but one are those of the stream inside."""

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


class _ReceiveStream(_WatchedStream):
    """The messages from the server. Its end is passed on after the program's end has been noted."""

    async def receive(self) -> Any:  # noqa: ANN401 - as above.
        try:
            item = await self._stream.receive()
        except anyio.EndOfStream:
            await self._transport.wait_for_end()
            raise
        self._transport.note_received(item)
        return item

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:  # noqa: ANN401 - as above.
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None


class _SendStream(_WatchedStream):
    """The messages to the server."""

    async def send(self, item: SessionMessage, /) -> None:
        self._transport.note_sent(item)
        try:
            await self._stream.send(item)
        except anyio.BrokenResourceError:
            await self._transport.wait_for_end()
            raise


class _StrayOutput:
    """The first and the last lines that a program has printed besides its messages."""

    def __init__(self) -> None:
        self._first: list[str] = []
        self._last: deque[str] = deque(maxlen=_MOST_LINES)
        self._begun = b""

    def feed(self, output: bytes) -> None:
        """Keep those lines of some output that are no messages."""
        *lines, self._begun = (self._begun + output).split(b"\n")
        for line in lines:
            if not _is_message(line):
                self.add(line.decode("utf-8", "replace"))
        if len(self._begun) > 2 * _LONGEST_LINE:
            self._begun = self._begun[: 2 * _LONGEST_LINE]  # The rest is not needed.

    def add(self, line: str) -> None:
        """Keep a line."""
        lines = self._first if len(self._first) < _MOST_LINES else self._last
        lines.append(line[:_LONGEST_LINE])

    @property
    def text(self) -> str:
        """The lines that were kept."""
        begun = "" if _is_message(self._begun) else self._begun[:_LONGEST_LINE].decode("utf-8", "replace")
        return "\n".join([*self._first, *self._last, begun])


def _is_message(line: bytes) -> bool:
    """Return whether a line is JSON-RPC, or may be: a long one is cut off."""
    return line.lstrip().startswith(b"{") and (b'"jsonrpc"' in line or len(line) > _LONGEST_LINE)


def _find_line(error: Exception) -> str:
    """Return the text that pydantic could not read as a message."""
    errors: Callable[..., list[dict[str, object]]] | None = getattr(error, "errors", None)
    try:
        given = errors(include_url=False)[0].get("input") if errors else ""
    except Exception:  # noqa: BLE001 - another class, or a value that cannot be shown.
        return ""
    return text_of(given)


class _ErrorOutput:
    """The standard error of a program: it is passed on to that of this process, and its end is kept.

    A thread reads it, so that no program waits for a busy event loop. It stops at a mark that is written after everything
    else, and not at the end of the pipe, which a child of the program may keep open.
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
        """The end of the output so far."""
        return self._tail.decode("utf-8", "replace")

    async def finish(self) -> None:
        """Wait, not for long, until the output so far is read, and read no more."""
        if await _wait_until(lambda: self._sink.closed or self._write_mark(), _LONGEST_DRAIN_S):
            await _wait_until(lambda: not self._thread.is_alive(), _LONGEST_DRAIN_S)
        self._sink.close()

    def _write_mark(self) -> bool:
        """Write the mark if there is room for it; return whether it was written. The reader may be blocked."""
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
    """Return how many bytes at the end of a text may be the beginning of a mark."""
    return next((size for size in range(min(len(text), len(mark)), 0, -1) if text.endswith(mark[:size])), 0)


class _Outlet:
    """The standard error of this process, as it was when the program was started."""

    def __init__(self) -> None:
        self._stream = cast("TextIO | None", sys.stderr)  # None without a console.
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        try:
            self._file = os.dup(self._stream.fileno()) if self._stream else None
        except (AttributeError, OSError, ValueError):  # No file, or closed.
            self._file = None

    def write(self, output: bytes) -> None:
        """Pass on the output of the program; nobody could be told of an error."""
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
    """Return whether a write would not block; on Windows this is not known, and True is returned."""
    if not hasattr(select, "poll"):
        return True
    poll = select.poll()
    poll.register(file, select.POLLOUT)
    return bool(poll.poll(wait_ms))
