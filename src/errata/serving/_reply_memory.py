"""Replies that a server sends again and again, in bad times a thousand times a minute, come from memory.

Python's own exceptions that carry nothing but a text are judged by that text and by the call alone. All that is new is
the reference and the time. Measured as `benchmarks/serving.py` does (best of six processes), a failing call that repeats an
earlier one takes 199 µs with the memory and 477 µs without it on MCPServer (148 µs without errata), and 815 µs and 1188 µs
on FastMCP (688 µs): 58 % and 31 % less. A call that fails in new words takes 3 to 4 % longer.
"""

from types import CodeType
from typing import NamedTuple

from errata.classification import rules_in_force
from errata.dialects import native
from errata.model import new_correlation_id, now
from errata.redaction import are_harmless
from errata.serving._encoding import ServerReply
from errata.serving._requests import Request

_PLAIN = frozenset({Exception, NotImplementedError, RuntimeError, ValueError})
"""Python's own exceptions that carry nothing but a text, and whose text is sent; the text of a bug is not."""
_MOST = 512
_SCALARS = frozenset({str, int, float, bool, type(None)})
_LONGEST_ARGUMENT = 200


class Key(NamedTuple):
    """All that a reply depends on."""

    kind: type[BaseException]
    text: str
    trail: tuple[int, ...]
    """The way to where it was raised: the identities of the frames' code, and the instruction in each."""
    tool: str
    arguments: int
    """A hash of their text. What a caller sent is nobody's to keep; the hash is another one in every process."""


class ReplyMemory:
    """The replies that one server sent in errata's own dialect. No text is kept that has a secret in it."""

    def __init__(self) -> None:
        self._rules = rules_in_force()
        self._kept: dict[Key, tuple[ServerReply, list[CodeType]]] = {}
        """With the code of the frames, whose identities are in the keys."""

    def recall(self, key: Key) -> ServerReply | None:
        """Return the reply to the same exception in the same call, with a reference and a time of its own."""
        kept = self._kept.get(key)
        if kept is None or self._rules != rules_in_force() or not are_harmless(key.text):
            return None
        earlier, reference, time = kept[0], new_correlation_id(), now()
        return ServerReply(earlier.fault, native.again(earlier.encoded, reference, time), reference, time)

    def keep(self, key: Key, reply: ServerReply, error: BaseException) -> None:
        """Remember a reply for the next time."""
        if reply.fault.http_status is not None or not are_harmless(key.text):
            return  # The status may be that of a response that was at hand.
        if self._rules != rules_in_force() or len(self._kept) >= _MOST:
            self._kept.clear()
            self._rules = rules_in_force()
        own = native.again(reply.encoded, reply.correlation_id or "", reply.timestamp or "")
        self._kept[key] = reply._replace(encoded=own), _list_code(error)  # What was sent is somebody else's by now.


def make_key(error: BaseException, request: Request) -> Key | None:
    """Return what the reply to an exception depends on; None if that is more than a text and a few short arguments."""
    kind = type(error)
    if type(kind) is not type or kind not in _PLAIN:  # Another metaclass may do anything when it is looked up.
        return None
    texts = error.args
    if len(texts) != 1 or type(texts[0]) is not str or error.__dict__:
        return None
    if error.__cause__ is not None or error.__context__ is not None:
        return None
    arguments = request.arguments
    for value in arguments.values():
        if type(value) not in _SCALARS or (type(value) is str and len(value) > _LONGEST_ARGUMENT):
            return None
    trail: list[int] = []
    step = error.__traceback__
    while step is not None:
        trail += (id(step.tb_frame.f_code), step.tb_lasti)
        step = step.tb_next
    return Key(kind, texts[0], tuple(trail), request.name, hash(repr(arguments)))


def _list_code(error: BaseException) -> list[CodeType]:
    codes: list[CodeType] = []
    step = error.__traceback__
    while step is not None:
        codes.append(step.tb_frame.f_code)
        step = step.tb_next
    return codes
