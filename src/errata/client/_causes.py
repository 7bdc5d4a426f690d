"""The causes of a failed call, redacted for logs.

`logging.exception` writes the text of every cause: a URL with its token, a password that a server repeats, a value that a
validator refused.
"""

import copy
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple, cast

from errata.classification import peek, read_exception
from errata.model import FaultError, is_a, items_of
from errata.redaction import LONGEST_SHOWN, MARK, mark, redact_data, redact_within, text_of

_MOST = 100
"""How many causes, contexts and members of groups are shown."""
_LEAST = 6
"""The least length of a secret that is also hidden in the other texts: a shorter one may be part of any word."""
_LONGEST_READ = 8 * LONGEST_SHOWN
_QUOTED_INPUT = re.compile(r"input_value=[^\n]{0,200}, input_type=")
"""How pydantic quotes a refused value: it cuts out the middle, so that a secret in it is not recognised."""
_LEFT_OUT = "Some that led to this were left out: there are too many."


class _TracebackText(NamedTuple):
    """What a traceback shows of an exception besides its class and its frames."""

    text: str
    notes: tuple[str, ...]


def redact_cause(error: BaseException) -> BaseException:
    """Return an exception whose traceback, with all that led to it, shows no secret.

    An exception without secrets is returned as it is. Else the whole chain is copied: with the same class if that can be made
    from the text alone, else with a stand-in of the same name.
    """
    errors, is_whole = _collect_chain(error)
    originals = [_read_text(each) for each in errors]
    shown = _redact_texts(originals)
    if is_whole and originals == shown and not any(is_a(each, SyntaxError) for each in errors):
        return error
    copies = _copy_chain(errors, shown)
    if not is_whole:
        copies[id(error)].add_note(_LEFT_OUT)
    return copies[id(error)]


def _collect_chain(error: BaseException) -> tuple[list[BaseException], bool]:
    """Return an exception and those that led to it, each once, and whether the chain is complete."""
    errors, seen = [error], {id(error)}
    for each in errors:  # It grows while it is read.
        for led in _iterate_causes(each):
            if id(led) not in seen:
                if len(errors) >= _MOST:
                    return errors, False
                seen.add(id(led))
                errors.append(led)
    return errors, True


def _iterate_causes(error: BaseException) -> Iterator[BaseException]:
    yield from filter(None, (read_exception(error, "__cause__"), read_exception(error, "__context__")))
    yield from _group_members(error)


def _group_members(error: BaseException) -> Iterable[BaseException]:
    if not is_a(error, BaseExceptionGroup):
        return ()
    return cast("tuple[BaseException, ...]", peek(error, "exceptions") or ())


def _read_text(error: BaseException) -> _TracebackText:
    text = text_of(peek(error, "message") if is_a(error, BaseExceptionGroup) else error)
    return _TracebackText(text, tuple(map(text_of, items_of(peek(error, "__notes__")))))


def _redact_texts(originals: list[_TracebackText]) -> list[_TracebackText]:
    """Redact all texts; a secret in one is hidden in all, because another may not label it as a secret."""
    texts = {text: _redact_text(text) for each in originals for text in (each.text, *each.notes)}
    secrets = {part for text, seen in texts.items() for part in find_hidden_parts(text, seen) if len(part) >= _LEAST}
    for secret in sorted(secrets, key=len, reverse=True):
        texts = {text: seen.replace(secret, mark("secret")) for text, seen in texts.items()}
    return [_TracebackText(texts[each.text], tuple(texts[note] for note in each.notes)) for each in originals]


def _redact_text(text: str) -> str:
    return redact_within(_QUOTED_INPUT.sub("input_value=…, input_type=", text[:_LONGEST_READ]), LONGEST_SHOWN)


def find_hidden_parts(text: str, seen: str) -> Iterator[str]:
    """Yield the parts of a text that redaction replaced by marks, as far as the rest is unchanged."""
    pieces = MARK.split(seen)
    at = len(pieces[0])
    if text == seen or not text.startswith(pieces[0]):
        return
    for piece in pieces[1:]:
        end = text.find(piece, at + 1) if piece else len(text)
        if end < 0:
            return
        if MARK.fullmatch(text, at, end) is None:  # It was a mark before.
            yield text[at:end]
        at = end + len(piece)


def _copy_chain(errors: list[BaseException], shown: list[_TracebackText]) -> dict[int, BaseException]:
    """Copy exceptions with their links to each other; members of a group before the group."""
    texts = {id(error): each for error, each in zip(errors, shown, strict=True)}
    copies: dict[int, BaseException] = {}
    for error in reversed(errors):
        _copy_into(copies, error, texts)
    for error in errors:
        made = copies[id(error)]
        made.__cause__ = copies.get(id(read_exception(error, "__cause__")))
        made.__context__ = copies.get(id(read_exception(error, "__context__")))
        made.__suppress_context__ = error.__suppress_context__
        made.__traceback__ = error.__traceback__
        for note in texts[id(error)].notes:
            made.add_note(note)
    return copies


def _copy_into(copies: dict[int, BaseException], error: BaseException, texts: dict[int, _TracebackText]) -> None:
    if id(error) in copies or id(error) not in texts:
        return
    text = texts[id(error)].text
    if not is_a(error, BaseExceptionGroup):
        copies[id(error)] = _copy(error, text)
        return
    members = list(_group_members(error))
    for member in members:
        _copy_into(copies, member, texts)
    known = [copies[id(member)] for member in members if id(member) in copies]
    copies[id(error)] = BaseExceptionGroup(text, known) if known else _make_stand_in(error, text)


def _copy(error: BaseException, text: str) -> BaseException:
    if is_a(error, FaultError):  # It redacts itself, except its notes.
        made_again = copy.copy(error)
        vars(made_again).pop("__notes__", None)
        return made_again
    kind = type(error)
    given = cast("tuple[object, ...]", peek(error, "args") or ())
    for arguments in ([_redact_argument(each, text, error) for each in given], [text]):
        try:
            made = kind(*arguments)
            if type(made) is kind and str(made) == text and not peek(made, "__notes__"):
                return made
        except Exception:  # noqa: BLE001, S112 - its class takes other arguments, or writes another text.
            continue
    return _make_stand_in(error, text)


def _redact_argument(argument: object, text: str, error: BaseException) -> object:
    if is_a(argument, str):
        return text if argument == text_of(error) else redact_within(argument, LONGEST_SHOWN)
    return argument if argument is None or is_a(argument, int) else redact_data(argument)


def _make_stand_in(error: BaseException, text: str) -> Exception:
    kind = type(error)
    return _build_stand_in(kind.__name__, kind.__qualname__, kind.__module__, text)


class _StandIn(Exception):  # noqa: N818 - its subclasses get the names of others.
    """An exception with the name and the text of another one."""

    def __reduce__(self) -> tuple[object, ...]:
        kind = type(self)
        return _build_stand_in, (kind.__name__, kind.__qualname__, kind.__module__, str(self))


def _build_stand_in(name: str, qualified: str, module: str, text: str) -> Exception:
    return _class_named(name, qualified, module)(text)


@lru_cache(maxsize=256)
def _class_named(name: str, qualified: str, module: str) -> type[_StandIn]:
    return type(name, (_StandIn,), {"__qualname__": qualified, "__module__": module})
