"""What broke a connection: clients wrap the error of the system, the resolver or TLS, and it knows the verdict."""

import re
from collections.abc import Iterator

from errata.classification._carried import by_status, classify_status
from errata.classification._error_codes import by_errno
from errata.classification._exception_rules import (
    REDIRECTS,
    Classification,
    Otherwise,
    Reader,
    RuleResult,
    as_classification,
    first,
)
from errata.classification._families import _python
from errata.classification._foreign import (
    find_cause_or_context,
    peek,
    read_argument,
    read_exception,
    read_number,
    walk_leaves,
)
from errata.classification._words import classify_words
from errata.model import Code, is_a
from errata.redaction import text_of

_ABOUT_CONNECTIONS = {Code.NETWORK_ERROR, Code.TIMEOUT}
_MOST = 16
"""How many exceptions inside one another are looked at."""
_HELD_AT = (("os_error",), ("reason",), ("original_error",), ("inner_exception",), ("kwargs", "error"))
_FINAL_STATUS_AT = (("response", "status_code"), ("status",), ("code",))
_STATUS_IN_TEXT = re.compile(r"(?:^|failed: |too many |error: |status code[: ]{1,2})([45][0-9]{2})\b", re.IGNORECASE)
_PROXY_WANTS_CREDENTIALS = 407  # It answered in the server's place; what it wants, no argument can say.


def by_what_broke(error: BaseException) -> Classification | None:
    """The error of the system, the resolver or TLS inside it."""
    broken = broken_by(error)
    return None if broken is None else _of_the_system(broken)


def broken_by(error: BaseException) -> BaseException | None:
    """The error of the system, the resolver or TLS inside it, in its own words."""
    return next((each for each in _inside(error) if _of_the_system(each) is not None), None)


def by_network_words(error: BaseException) -> Classification | None:
    """What its text says about the connection."""
    meant = classify_words(text_of(error))
    return meant if meant is not None and meant.code in _ABOUT_CONNECTIONS else None


def by_final_status(error: BaseException) -> Classification | None:
    """The HTTP status it carries, also that of a redirect nobody followed."""
    if failed := by_status(error):
        return failed
    numbers = (read_number(error, *path) for path in _FINAL_STATUS_AT)
    status = next((each for each in numbers if each is not None and 300 <= each < 400), None)  # noqa: PLR2004 - HTTP's range
    return None if status is None else REDIRECTS._replace(http_status=status)


def by_status_in_text(error: BaseException) -> Classification | None:
    """The HTTP status its text starts with or ends in: a proxy's, or the one that came too often."""
    match = _STATUS_IN_TEXT.search(text_of(error)[:1000])
    status = int(match[1]) if match else 0
    if status == _PROXY_WANTS_CREDENTIALS:
        return Classification(Code.UNAUTHORIZED, http_status=status)
    return classify_status(status, error) if status else None


def held_at(*path: str) -> Reader:
    """Make a rule that classifies the exception at a path instead, if it says more."""

    def read(error: BaseException) -> RuleResult:
        held = read_exception(error, *path)
        return held if held is not None and _can_tell(held) else None

    read.__doc__ = f"The exception in `{'.'.join(path)}`"
    return read


def in_arguments(error: BaseException) -> RuleResult:
    """The exception it was made with."""
    values = (read_exception(read_argument(error, index)) for index in range(3))
    return next((value for value in values if value is not None and _can_tell(value)), None)


def _can_tell(error: BaseException) -> bool:
    """Return whether an exception says more than the one that holds it: a socket's missing file is no missing thing."""
    return type(error).__module__ != "builtins" or _of_the_system(error) is not None


def _inside(error: BaseException) -> Iterator[BaseException]:
    """Walk what an exception holds or was raised from, nearest first, each once."""
    waiting, seen = [error], {id(error)}
    while waiting:
        for inner in _held(waiting.pop(0)):
            if id(inner) not in seen and len(seen) < _MOST:
                seen.add(id(inner))
                waiting.append(inner)
                yield inner


def _held(error: BaseException) -> Iterator[BaseException]:
    if is_a(error, BaseExceptionGroup):
        yield from walk_leaves(error)
    # What a library was handling when it raised an error of its own is that error's cause, named or not.
    named = peek(error, "__suppress_context__") is True
    held = [read_exception(error, *path) for path in _HELD_AT]
    held += [read_exception(read_argument(error, index)) for index in range(3)]
    held += [read_exception(error, "__cause__") if named else find_cause_or_context(error)]
    yield from (each for each in held if each is not None)


def _of_the_system(error: BaseException) -> Classification | None:
    """Return what one of Python's own exceptions means for a connection; None for all others."""
    rows = (_python.TABLE.get(f"{kind.__module__}.{kind.__qualname__}") for kind in type(error).__mro__)
    rule = next((row for row in rows if row is not None and not isinstance(row, Otherwise)), by_errno)
    result = as_classification(rule(error) if callable(rule) else rule)
    return result if isinstance(result, Classification) and result.code in _ABOUT_CONNECTIONS else None


by_connection = first(by_what_broke, by_network_words, Code.NETWORK_ERROR)
"""What broke the connection, or else that it broke."""
