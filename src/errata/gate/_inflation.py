"""A response that is compressed although nobody has asked for it, made plain as it comes."""

import zlib
from collections.abc import MutableMapping
from typing import Any

from errata.gate._reverse_proxy import Send

_ENCODINGS = frozenset({b"gzip", b"x-gzip", b"deflate"})
_GZIP_OR_ZLIB = zlib.MAX_WBITS | 32
_OF_THE_COMPRESSED = frozenset({b"content-encoding", b"content-length", b"etag"})


def inflated(send: Send) -> Send:
    """Return what takes a response and sends it on without gzip and deflate; `zlib.error` for what is neither."""
    inflate = None

    async def take(message: MutableMapping[str, Any]) -> None:
        nonlocal inflate
        if message["type"] == "http.response.start":
            headers = list(message.get("headers", ()))
            encodings = [value.strip().lower() for key, value in headers if key.lower() == b"content-encoding"]
            if len(encodings) == 1 and encodings[0] in _ENCODINGS:
                inflate = zlib.decompressobj(_GZIP_OR_ZLIB).decompress
                kept = [(key, value) for key, value in headers if key.lower() not in _OF_THE_COMPRESSED]
                message = {**message, "headers": kept}
        elif message["type"] == "http.response.body" and inflate is not None:
            message = {**message, "body": inflate(message.get("body", b""))}
        await send(message)

    return take
