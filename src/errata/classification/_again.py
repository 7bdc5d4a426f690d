"""What was judged before.

A server says the same few things again and again, and in bad times a thousand times a minute. Python's own exceptions
that carry nothing but a text are judged by that text alone, so that they are judged once.
"""

from errata._fault import Fault, rewritten
from errata._identity import new_correlation_id, now
from errata._secrecy import are_harmless
from errata.classification._tables import REGISTRY
from errata.classification._words import PATTERNS

_PLAIN = frozenset(
    {
        ArithmeticError,
        AssertionError,
        Exception,
        IndexError,
        KeyError,
        LookupError,
        NotImplementedError,
        OverflowError,
        RuntimeError,
        TypeError,
        ValueError,
        ZeroDivisionError,
    }
)
_MOST = 512
_remembered: dict[tuple[type, str], tuple[object, object, Fault]] = {}


def judged_before(error: BaseException) -> Fault | None:
    """Give what the same exception was judged as, by the same rules, with a reference and a time of its own."""
    if (key := _key(error)) is None or (known := _remembered.get(key)) is None:
        return None
    rules, patterns, fault = known
    if rules is not REGISTRY.edition or patterns is not PATTERNS.edition:
        return None
    return rewritten(fault, correlation_id=new_correlation_id(), timestamp=now())


def remember(error: BaseException, fault: Fault) -> None:
    """Keep what an exception was judged as; a text with a secret in it is not kept."""
    if (key := _key(error)) is None or not are_harmless(key[1]):
        return
    if len(_remembered) >= _MOST:
        _remembered.clear()
    _remembered[key] = (REGISTRY.edition, PATTERNS.edition, fault)


def _key(error: BaseException) -> tuple[type, str] | None:
    """Name an exception by its class and its text, if there is nothing else to it."""
    kind = type(error)
    if type(kind) is not type or kind not in _PLAIN:  # Another metaclass may do anything when it is looked up.
        return None
    arguments = error.args
    if len(arguments) != 1 or type(arguments[0]) is not str or error.__dict__:
        return None
    return (kind, arguments[0]) if error.__cause__ is None and error.__context__ is None else None
