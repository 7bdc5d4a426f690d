"""Bodies bounded by what they are after decompression: a megabyte on the wire can be gigabytes in memory.

httpx decodes at once whatever arrived, and so did the first versions of httpx2. So a body is decoded here in pieces, layer
by layer, with the decoders of the client's own library, and counted after each layer.
"""

from collections.abc import AsyncGenerator, AsyncIterable, Generator, Iterable
from contextlib import AsyncExitStack, ExitStack, aclosing, closing
from functools import cache
from importlib import import_module
from typing import Any, cast

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


class BodyTooLargeError(Exception):
    """A body is larger than the reader allows."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.limit = limit

    def __str__(self) -> str:
        """Say how large it may be."""
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
    response.stream = _bounded_stream(library.AsyncByteStream)(response.stream, library, _layers(response), limit)
    response.headers = _without_encoding(response.headers)


async def read_bounded(response: Any, limit: int) -> None:  # noqa: ANN401 - as above.
    """Read a body into its response, as `aread` does; the header fields stay as they came."""
    fields = response.headers
    bound_body(response, limit)
    try:
        await response.aread()
    finally:
        response.headers = fields


async def decoded(
    chunks: AsyncIterable[bytes],
    response: Any,  # noqa: ANN401 - as above.
) -> AsyncGenerator[bytes]:
    """Decode what comes from the wire, as the response says that it is encoded, in pieces."""
    async with aclosing(_decoded(chunks, library_of(response), _layers(response), None)) as parts:
        async for part in parts:
            yield part


def decoded_here(chunks: Iterable[bytes], response: Any) -> Generator[bytes]:  # noqa: ANN401 - as above.
    """Decode like `decoded`, without an event loop."""
    library = library_of(response)
    with ExitStack() as stack:
        for name in reversed(_layers(response)):
            pieces = stack.enter_context(closing(_pieces_here(chunks, _step(library, name))))
            layer = library.Response(200, headers={"content-encoding": name}, content=pieces)
            chunks = stack.enter_context(closing(layer.iter_bytes()))
        yield from chunks


def library_of(response: object) -> Any:  # noqa: ANN401 - a module; its type is its name.
    """Find httpx2 or httpx if the response is one of its own; None for any other."""
    names = (kind.__module__.partition(".")[0] for kind in type(response).__mro__ if kind.__name__ == "Response")
    name = next((name for name in names if name in _LIBRARIES), None)
    return import_module(name) if name else None


@cache
def _bounded_stream(base: Any) -> type[Any]:  # noqa: ANN401 - as above.
    """Make the class for one library: it takes no other stream than its own."""

    class BoundedStream(base):  # type: ignore[misc]  # Which library's it is, is known at run time.
        def __init__(self, stream: Any, library: Any, layers: list[str], limit: int | None) -> None:  # noqa: ANN401 - as above.
            self._stream = stream
            self._parts = library, layers, limit

        async def __aiter__(self) -> AsyncGenerator[bytes]:
            async with aclosing(_decoded(self._stream, *self._parts)) as parts:
                async for part in parts:
                    yield part

        async def aclose(self) -> None:
            await self._stream.aclose()

    return BoundedStream


async def _decoded(
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
    """Count what comes, and hand it on in pieces."""
    count = 0
    async for chunk in chunks:
        count += len(chunk)
        if limit is not None and count > limit:
            raise BodyTooLargeError(limit)
        for start in range(0, len(chunk), step):
            yield chunk[start : start + step]


def _pieces_here(chunks: Iterable[bytes], step: int) -> Generator[bytes]:
    for chunk in chunks:
        for start in range(0, len(chunk), step):
            yield chunk[start : start + step]


def _step(library: Any, encoding: str) -> int:  # noqa: ANN401 - as above.
    """Return how many bytes are decoded at once."""
    return _PIECE if _hands_out_pieces(library.__name__) else _PIECES.get(encoding, _PIECE)


@cache
def _hands_out_pieces(library: str) -> bool:
    """Whether the decoders of a library bound by themselves what they hand out at once, as those of httpx2 do by now."""
    try:
        return hasattr(import_module(f"{library}._decoders"), "MAX_DECODE_CHUNK_SIZE")
    except ImportError:
        return False


def _layers(response: Any) -> list[str]:  # noqa: ANN401 - as above.
    """List the encodings, the first applied first; more than anybody needs are refused, as httpx2 does."""
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
