"""Reading a body that is still on the wire: bounded in size and in time; whatever goes wrong costs only the body."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import partial
from inspect import isawaitable
from typing import cast

from errata.http._bounded import decoded, decoded_here, library_of
from errata.http._response import as_body, attribute
from errata.http._runtime import deadline, in_thread

_CHUNK = 16 * 1024
_Method = Callable[..., object]
_Closing = Callable[[], Awaitable[None]]


async def read_body(response: object, *, limit: int, seconds: float) -> bytes | str | None:
    """Read so much of a body, for so long at most; None for one that hangs, breaks off or is not there."""
    try:
        async with deadline(seconds):
            return await _read(response, limit)
    except Exception:  # noqa: BLE001 - a connection fails in as many ways as its client has classes for.
        return None


async def _read(response: object, limit: int) -> bytes | str | None:
    """Choose the way to read; `content` comes last, because that of requests blocks until everything is read."""
    if library_of(response) is not None:  # httpx, httpx2
        return await _decompressed(response, limit)
    if hasattr(attribute(response, "stream"), "__aiter__") and (chunks := _method(response, "aiter_bytes")):
        return await _joined(cast("AsyncIterator[bytes]", chunks()), limit)  # What looks like them.
    for name in ("iter_content", "iter_bytes"):  # requests · what looks like httpx
        if chunks := _method(response, name):
            return await in_thread(partial(_blocking_join, cast("Iterator[bytes]", chunks(_CHUNK)), limit))
    if _method(response, "readable") and (read := _method(response, "read")):  # urllib3, urllib
        return as_body(await in_thread(partial(read, limit)))
    if chunks := _method(attribute(response, "content"), "iter_chunked"):  # aiohttp
        return await _joined(cast("AsyncIterator[bytes]", chunks(_CHUNK)), limit)
    return await _all_at_once(response)


async def _decompressed(response: object, limit: int) -> bytes:
    """Read a body of httpx or httpx2, which is decoded here: neither bounds what a few bytes may become."""
    if hasattr(attribute(response, "stream"), "__aiter__"):
        raw = cast("AsyncIterator[bytes]", cast("_Method", _method(response, "aiter_raw"))())
        return await _joined(decoded(raw, response), limit)
    raw_here = cast("Iterator[bytes]", cast("_Method", _method(response, "iter_raw"))(_CHUNK))
    return await in_thread(partial(_blocking_join, decoded_here(raw_here, response), limit))


async def _joined(chunks: AsyncIterator[bytes], limit: int) -> bytes:
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


def _blocking_join(chunks: Iterator[bytes], limit: int) -> bytes:
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
    found = attribute(subject, name)
    return found if callable(found) else None
