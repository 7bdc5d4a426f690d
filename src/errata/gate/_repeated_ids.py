"""The id of a call that is made again over HTTP. It holds the id that the client has given the call.

So whichever gate meets the answer can give it back the client's id, also one that has not seen the call: another worker,
or one that was started since. An id that comes from another gate before this one is an id like any other: it is wrapped
once more, and one layer is taken off in turn.
"""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from uuid import uuid4

from errata.wire import Message, read_json, to_frame

MARK = b'"errata-'
"""A frame with such an id has this in it."""
_LONGEST = 200
_WRAPPED = re.compile(r'"errata-[0-9a-f]{32}-([A-Za-z0-9_-]+)"')


def wrap_id(number: str) -> str:
    """Return a new id, as JSON, for a repetition of the call that has this one; it does not hold a very long one."""
    kept = urlsafe_b64encode(to_frame(number)).decode().rstrip("=") if len(number) <= _LONGEST else ""
    return f'"errata-{uuid4().hex}-{kept}"'


def unwrap_id(key: str | None) -> str | None:
    """Return the id, as JSON, of the call that was repeated under this one; None for any other id."""
    wrapped = _WRAPPED.fullmatch(key or "")
    if wrapped is None:
        return None
    try:
        number = urlsafe_b64decode(wrapped[1] + "=" * (-len(wrapped[1]) % 4)).decode("utf-8", "surrogateescape")
    except ValueError:
        return None
    return number if Message("", {"id": read_json(number)}).key is not None else None
