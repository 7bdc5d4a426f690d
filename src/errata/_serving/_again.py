"""What a server says again and again, in bad times a thousand times a minute, is said from memory.

Python's own exceptions that carry nothing but a text are judged and told by that text alone. All that is new is the
reference and the time. To work it all out again costs three times as much.
"""

from errata._identity import new_correlation_id, now
from errata._secrecy import are_harmless
from errata._serving._answering import Answer
from errata.classification import rules_in_force
from errata.dialects import native

_PLAIN = frozenset({Exception, NotImplementedError, RuntimeError, ValueError})
"""Python's own that carry nothing but a text, and whose text is told; that of a bug is not."""
_MOST = 512


class Memory:
    """The answers that one server gave in errata's own dialect. No text is kept that has a secret in it."""

    def __init__(self) -> None:
        self._rules = rules_in_force()
        self._kept: dict[tuple[type, str], Answer] = {}

    def recall(self, error: BaseException) -> Answer | None:
        """Give the answer to the same exception, with a reference and a time of its own; None if there was none."""
        if (text := _all_there_is_to(error)) is None or self._rules != rules_in_force() or not are_harmless(text):
            return None
        before = self._kept.get((type(error), text))
        if before is None:
            return None
        reference, time = new_correlation_id(), now()
        return Answer(before.fault, native.again(before.told, reference, time), reference, time)

    def keep(self, error: BaseException, answer: Answer) -> None:
        """Remember an answer for the next time."""
        if (text := _all_there_is_to(error)) is None or not are_harmless(text):
            return
        if self._rules != rules_in_force() or len(self._kept) >= _MOST:
            self._kept.clear()
            self._rules = rules_in_force()
        own = native.again(answer.told, answer.correlation_id or "", answer.timestamp or "")
        self._kept[type(error), text] = answer._replace(told=own)  # What was sent is somebody else's by now.


def _all_there_is_to(error: BaseException) -> str | None:
    """Give the text of an exception that has nothing else; None for any other."""
    kind = type(error)
    if type(kind) is not type or kind not in _PLAIN:  # Another metaclass may do anything when it is looked up.
        return None
    arguments = error.args
    if len(arguments) != 1 or type(arguments[0]) is not str or error.__dict__:
        return None
    return arguments[0] if error.__cause__ is None and error.__context__ is None else None
