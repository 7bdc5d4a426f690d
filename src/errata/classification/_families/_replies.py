"""What the reply of a web API says: its status, the word for the failure in its body, its message.

A status decides, except that 400 and a success say little: then the word does. A few words decide always.
"""

import json
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from errata.classification._answer import Classification, Reader
from errata.classification._carried import classify_status, read_status
from errata.classification._reach import peek, read_number, read_text
from errata.model import Code, Retry

Place: TypeAlias = tuple[str, ...]
Words: TypeAlias = Mapping[str, Code | Classification]

_VAGUE = (None, 400)
_FOR_LEGAL_REASONS = 451
_LONGEST_BODY = 50_000
_NO_MESSAGE = ("<", "{")  # A page, or data that nobody took apart
_NO_WORDS: Words = {}
_BODY = (("body", "error", "message"), ("body", "message"), ("body", "detail"), ("body", "error"))


def by_reply(  # noqa: PLR0913 - each says where one part of the reply is.
    words: Words = _NO_WORDS,
    *,
    always: Words = _NO_WORDS,
    word_at: tuple[Place, ...] = (),
    said_at: tuple[Place, ...] = _BODY,
    status_at: tuple[Place, ...] = (),
    again: frozenset[int] = frozenset(),
) -> Reader:
    """Make a rule of a service's words, and of where its SDK puts word, message and status.

    The statuses in `again` are those that the SDK itself repeats.
    """

    def read(error: BaseException) -> Classification | None:
        status = next((at for place in status_at if (at := read_number(error, *place))), None) or read_status(error)
        reply = _Reply(error, _opened(error))
        spoken = [word.lower() for place in word_at if (word := reply.word(place))]
        said = _meaning(always, spoken) or (_meaning(words, spoken) if status in _VAGUE else None)
        answer = _with_status(said, status, error)
        if answer is None:
            return None
        if said is None and status in again:
            answer = answer._replace(retry=Retry.SAME_CALL)
        return answer._replace(text=answer.text or reply.message(said_at))

    read.__doc__ = "The status and the words of the service's reply"
    return read


def by_code_and_reply(code: Code, retry: Retry | None = None, *, said_at: tuple[Place, ...] = _BODY) -> Reader:
    """Make a rule for a class that says it all: this code, with the status and the message of the reply."""

    def read(error: BaseException) -> Classification:
        return Classification(code, retry, read_status(error), text=_Reply(error, _opened(error)).message(said_at))

    read.__doc__ = f"{code}, {retry}" if retry else str(code)
    return read


class _Reply(NamedTuple):
    error: BaseException
    body: object

    def word(self, place: Place) -> str | None:
        subject, path = self._start(place)
        number = read_number(subject, *path)
        return read_text(subject, *path) if number is None else str(number)

    def message(self, places: tuple[Place, ...]) -> str | None:
        texts = (read_text(subject, *path) or "" for subject, path in map(self._start, places))
        return next((text for text in texts if text and not text.lstrip().startswith(_NO_MESSAGE)), None)

    def _start(self, place: Place) -> tuple[object, Place]:
        return (self.body, place[1:]) if place[0] == "body" else (self.error, place)


def _opened(error: BaseException) -> object:
    """Read the body, also where it is still JSON text."""
    body = read_text(error, "body")
    if body is None or not body.startswith("{") or len(body) > _LONGEST_BODY:
        return peek(error, "body")
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _meaning(words: Words, spoken: list[str]) -> Classification | None:
    said = next((words[word] for word in spoken if word in words), None)
    return Classification(said) if isinstance(said, Code) else said


def _with_status(said: Classification | None, status: int | None, error: BaseException) -> Classification | None:
    if said is not None:
        return said._replace(http_status=status)
    if status is None:
        return None
    answer = classify_status(status, error)
    return answer._replace(code=Code.FORBIDDEN) if status == _FOR_LEGAL_REASONS else answer
