"""What a server says again and again, in bad times a thousand times a minute, is said from memory.

Python's own exceptions that carry nothing but a text are judged and told by that text alone. All that is new is the
reference and the time. To work it all out again costs three times as much.
"""

from collections.abc import Iterator
from types import CodeType, TracebackType

from errata.classification import Call, rules_in_force
from errata.dialects import native
from errata.model import new_correlation_id, now
from errata.redaction import are_harmless
from errata.serving._answering import Answer

_PLAIN = frozenset({Exception, NotImplementedError, RuntimeError, ValueError})
"""Python's own that carry nothing but a text, and whose text is told; that of a bug is not."""
_MOST = 512


class Memory:
    """The answers that one server gave in errata's own dialect. No text is kept that has a secret in it."""

    def __init__(self) -> None:
        self._rules = rules_in_force()
        self._kept: dict[tuple[object, ...], tuple[Answer, list[CodeType]]] = {}
        """With the code of the frames, whose identities are in the keys."""

    def recall(self, error: BaseException, call: Call | None) -> Answer | None:
        """Give the answer to the same exception in the same call, with a reference and a time of its own, if there was one."""
        key = _key(error, call)
        if key is None or self._rules != rules_in_force():
            return None
        kept = self._kept.get(key)
        if kept is None:
            return None
        before, reference, time = kept[0], new_correlation_id(), now()
        return Answer(before.fault, native.again(before.told, reference, time), reference, time)

    def keep(self, error: BaseException, call: Call | None, answer: Answer) -> None:
        """Remember an answer for the next time."""
        key = _key(error, call)
        if key is None or answer.fault.http_status is not None:  # It may be that of a response that was at hand.
            return
        if self._rules != rules_in_force() or len(self._kept) >= _MOST:
            self._kept.clear()
            self._rules = rules_in_force()
        own = native.again(answer.told, answer.correlation_id or "", answer.timestamp or "")
        codes = [step.tb_frame.f_code for step in _trail(error)]
        self._kept[key] = answer._replace(told=own), codes  # What was sent is somebody else's by now.


def _key(error: BaseException, call: Call | None) -> tuple[object, ...] | None:
    """Return all that an answer depends on: the text, the way to where it was raised, the tool and its arguments.

    None if that is too much.
    """
    text = _all_there_is_to(error)
    if text is None or call is None or not are_harmless(text):
        return None
    arguments = tuple(call.arguments.items())
    if any(
        type(value) not in _SCALARS or (type(value) is str and len(value) > _LONGEST_ARGUMENT) for _, value in arguments
    ):
        return None
    way = tuple((id(step.tb_frame.f_code), step.tb_lasti) for step in _trail(error))
    # What a caller sent is nobody's to keep: a hash of its text will do, which is another one in every process.
    return type(error), text, way, call.tool, hash(repr(arguments))


def _trail(error: BaseException) -> Iterator[TracebackType]:
    step = error.__traceback__
    while step is not None:
        yield step
        step = step.tb_next


_SCALARS = frozenset({str, int, float, bool, type(None)})
_LONGEST_ARGUMENT = 200


def _all_there_is_to(error: BaseException) -> str | None:
    """Give the text of an exception that has nothing else; None for any other."""
    kind = type(error)
    if type(kind) is not type or kind not in _PLAIN:  # Another metaclass may do anything when it is looked up.
        return None
    arguments = error.args
    if len(arguments) != 1 or type(arguments[0]) is not str or error.__dict__:
        return None
    return arguments[0] if error.__cause__ is None and error.__context__ is None else None
