"""Bodies bounded by what they are after decompression: a megabyte on the wire can be gigabytes in memory.

httpx decodes at once whatever arrived, and so did the first versions of httpx2. So a body is decoded here in pieces, layer
by layer, with the decoders of the client's own library, and counted after each layer.
"""

from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Awaitable,
    Callable,
    Generator,
    Iterable,
    Iterator,
)
from contextlib import AsyncExitStack, ExitStack, aclosing, closing
from functools import cache, partial
from importlib import import_module
from inspect import isawaitable
from typing import Any, cast

from errata._runtime import deadline, run_in_thread
from errata.http._response import as_body, attribute
from errata.model import is_a
from errata.redaction import text_of

MAX_BODY_BYTES = 64 * 1024 * 1024
"""How large a body may be, decompressed, where nobody has set another limit."""
_LIBRARIES = frozenset({"httpx2", "httpx"})
_PIECES = {"gzip": 1024, "deflate": 1024, "zstd": 32, "br": 8}
"""How many bytes are decoded at once. At worst, zlib makes 1,032 bytes of one, zstd 128 KiB of four, and brotli 16 MiB of
a few: no step makes more than some megabytes."""
_PIECE = 1024 * 1024
_MOST_LAYERS = 5
_CHUNK = 16 * 1024
_Method = Callable[..., object]
_Closing = Callable[[], Awaitable[None]]


class BodyTooLargeError(Exception):
    """A body is larger than the reader allows."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.limit = limit

    def __str__(self) -> str:
        """Return how large the body may be, in words."""
        return f"the body is larger than {size(self.limit)} once it is decompressed (`max_body_bytes`)"


def body_limit_of(max_body_bytes: object) -> int:
    """Read the setting; a limit that is no positive number of bytes is a mistake in the program."""
    if not is_a(max_body_bytes, int) or is_a(max_body_bytes, bool) or max_body_bytes <= 0:
        raise TypeError(
            f"`max_body_bytes` is {text_of(max_body_bytes)}, and every body has a limit. "
            "Give a number of bytes, such as `max_body_bytes=64 * 1024 * 1024`."
        )
    return int(max_body_bytes)


def size(count: int) -> str:
    """Write a number of bytes as a person would: 64 MiB, or 1,000 bytes."""
    for factor, unit in ((1024**3, "GiB"), (1024**2, "MiB"), (1024, "KiB")):
        if count >= factor and count % factor == 0:
            return f"{count // factor:,} {unit}"
    return f"{count:,} bytes"


def bound_body(response: Any, limit: int | None) -> None:  # noqa: ANN401 - of httpx2 or httpx.
    """Let whoever reads the body get it decoded, and `BodyTooLargeError` where it becomes larger; None for no limit.

    The response is taken for one without an encoding from now on.
    """
    library = library_of(response)
    if library is None or not hasattr(response.stream, "__aiter__"):
        return
    response.stream = _stream_class(library.AsyncByteStream)(response.stream, library, _layers(response), limit)
    response.headers = _without_encoding(response.headers)


async def read_bounded(response: Any, limit: int) -> None:  # noqa: ANN401 - as above.
    """Read a body into its response, as `aread` does; the header fields stay as they came."""
    fields = response.headers
    bound_body(response, limit)
    try:
        await response.aread()
    finally:
        response.headers = fields


async def read_body(response: object, *, limit: int, seconds: float) -> bytes | str | None:
    """Read so much of a body, for so long at most; None for one that hangs, breaks off or is not there."""
    try:
        async with deadline(seconds):
            return await _read(response, limit)
    except Exception:  # noqa: BLE001 - a connection fails in as many ways as its client has classes for.
        return None


async def _decode_chunks(
    chunks: AsyncIterable[bytes],
    response: Any,  # noqa: ANN401 - as above.
) -> AsyncGenerator[bytes]:
    """Decode chunks from the wire in pieces, by the response's `Content-Encoding`."""
    async with aclosing(_decode_layers(chunks, library_of(response), _layers(response), None)) as parts:
        async for part in parts:
            yield part


def _decode_blocking(chunks: Iterable[bytes], response: Any) -> Generator[bytes]:  # noqa: ANN401 - as above.
    """Decode like `_decode_chunks`, without an event loop."""
    library = library_of(response)
    with ExitStack() as stack:
        for name in reversed(_layers(response)):
            pieces = stack.enter_context(closing(_pieces_blocking(chunks, _step(library, name))))
            layer = library.Response(200, headers={"content-encoding": name}, content=pieces)
            chunks = stack.enter_context(closing(layer.iter_bytes()))
        yield from chunks


def library_of(response: object) -> Any:  # noqa: ANN401 - a module; its type is its name.
    """Return the module of httpx2 or httpx if the response is one of its own; None for any other."""
    names = (kind.__module__.partition(".")[0] for kind in type(response).__mro__ if kind.__name__ == "Response")
    name = next((name for name in names if name in _LIBRARIES), None)
    return import_module(name) if name else None


@cache
def _stream_class(base: Any) -> type[Any]:  # noqa: ANN401 - as above.
    """Make the class for one library: it takes no other stream than its own."""

    class BoundedStream(base):  # type: ignore[misc]  # Which library's it is, is known at run time.
        def __init__(self, stream: Any, library: Any, layers: list[str], limit: int | None) -> None:  # noqa: ANN401 - as above.
            self._stream = stream
            self._parts = library, layers, limit

        async def __aiter__(self) -> AsyncGenerator[bytes]:
            async with aclosing(_decode_layers(self._stream, *self._parts)) as parts:
                async for part in parts:
                    yield part

        async def aclose(self) -> None:
            await self._stream.aclose()

    return BoundedStream


async def _decode_layers(
    chunks: AsyncIterable[bytes],
    library: Any,  # noqa: ANN401 - as above.
    layers: list[str],
    limit: int | None,
) -> AsyncGenerator[bytes]:
    async with AsyncExitStack() as stack:
        chunks = aiter(chunks)
        if hasattr(chunks, "aclose"):  # A generator, of which the library would not close its own.
            await stack.enter_async_context(aclosing(cast("AsyncGenerator[bytes]", chunks)))
        for name in reversed(layers):
            pieces = await stack.enter_async_context(aclosing(_pieces(chunks, limit, _step(library, name))))
            layer = library.Response(200, headers={"content-encoding": name}, content=pieces)
            chunks = await stack.enter_async_context(aclosing(layer.aiter_bytes()))
        whole = await stack.enter_async_context(aclosing(_pieces(chunks, limit, _PIECE)))
        async for piece in whole:
            yield piece


async def _pieces(chunks: AsyncIterable[bytes], limit: int | None, step: int) -> AsyncGenerator[bytes]:
    """Yield chunks in pieces of at most `step` bytes; raise BodyTooLargeError beyond the limit."""
    count = 0
    async for chunk in chunks:
        count += len(chunk)
        if limit is not None and count > limit:
            raise BodyTooLargeError(limit)
        for start in range(0, len(chunk), step):
            yield chunk[start : start + step]


def _pieces_blocking(chunks: Iterable[bytes], step: int) -> Generator[bytes]:
    for chunk in chunks:
        for start in range(0, len(chunk), step):
            yield chunk[start : start + step]


def _step(library: Any, encoding: str) -> int:  # noqa: ANN401 - as above.
    """Return how many bytes are decoded at once."""
    return _PIECE if _hands_out_pieces(library.__name__) else _PIECES.get(encoding, _PIECE)


@cache
def _hands_out_pieces(library: str) -> bool:
    """Return whether the decoders of a library bound by themselves how much they return at once, as newer httpx2 does."""
    try:
        return hasattr(import_module(f"{library}._decoders"), "MAX_DECODE_CHUNK_SIZE")
    except ImportError:
        return False


def _layers(response: Any) -> list[str]:  # noqa: ANN401 - as above.
    """Return the encodings in the order in which they were applied; too many raise DecodingError, as in httpx2."""
    names = [name.strip().lower() for name in response.headers.get("content-encoding", "").split(",")]
    layers = [name for name in names if name and name != "identity"]
    if len(layers) > _MOST_LAYERS:
        raise library_of(response).DecodingError(
            f"The body is encoded {len(layers)} times; {_MOST_LAYERS} is the most."
        )
    return layers


def _without_encoding(headers: Any) -> Any:  # noqa: ANN401 - as above.
    kept = headers.copy()
    kept.pop("content-encoding", None)
    return kept


async def _read(response: object, limit: int) -> bytes | str | None:
    """Read a body in the way of its client; `content` comes last, because that of requests blocks to the end."""
    if library_of(response) is not None:  # httpx, httpx2
        return await _read_decompressed(response, limit)
    if hasattr(attribute(response, "stream"), "__aiter__") and (chunks := _method(response, "aiter_bytes")):
        return await _join(cast("AsyncIterator[bytes]", chunks()), limit)  # What looks like them.
    for name in ("iter_content", "iter_bytes"):  # requests · what looks like httpx
        if chunks := _method(response, name):
            return await run_in_thread(partial(_join_blocking, cast("Iterator[bytes]", chunks(_CHUNK)), limit))
    if _method(response, "readable") and (read := _method(response, "read")):  # urllib3, urllib
        return as_body(await run_in_thread(partial(read, limit)))
    if chunks := _method(attribute(response, "content"), "iter_chunked"):  # aiohttp
        return await _join(cast("AsyncIterator[bytes]", chunks(_CHUNK)), limit)
    return await _all_at_once(response)


async def _read_decompressed(response: object, limit: int) -> bytes:
    """Read a body of httpx or httpx2, which is decoded here: neither bounds what a few bytes may become."""
    if hasattr(attribute(response, "stream"), "__aiter__"):
        raw = cast("AsyncIterator[bytes]", cast("_Method", _method(response, "aiter_raw"))())
        return await _join(_decode_chunks(raw, response), limit)
    raw_here = cast("Iterator[bytes]", cast("_Method", _method(response, "iter_raw"))(_CHUNK))
    return await run_in_thread(partial(_join_blocking, _decode_blocking(raw_here, response), limit))


async def _join(chunks: AsyncIterator[bytes], limit: int) -> bytes:
    body = bytearray()
    try:
        async for chunk in chunks:
            body += chunk
            if len(body) >= limit:
                break
    finally:
        if close := _method(chunks, "aclose"):  # A generator that is dropped half-way is closed when it is too late.
            await cast("_Closing", close)()
    return bytes(body)


def _join_blocking(chunks: Iterator[bytes], limit: int) -> bytes:
    body = bytearray()
    for chunk in chunks:
        body += chunk
        if len(body) >= limit:
            break
    return bytes(body)


async def _all_at_once(response: object) -> bytes | str | None:
    for name in ("aread", "read", "text"):
        if read := _method(response, name):
            body = read()
            return as_body(await body if isawaitable(body) else body)
    return None


def _method(subject: object, name: str) -> _Method | None:
    method = attribute(subject, name)
    return method if callable(method) else None
