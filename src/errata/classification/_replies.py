"""What the reply of a web API says: its status, the word for the failure in its body, its message.

A status decides, except that 400 and a success say little: then the word does. A few words decide always.
"""

from collections.abc import Mapping
from typing import TypeAlias

from errata._taxonomy import Code, Retry
from errata.classification._answer import Answer, Reader
from errata.classification._carried import of_status, status_of
from errata.classification._reach import number_at, text_at

Place: TypeAlias = tuple[str, ...]
Words: TypeAlias = Mapping[str, Code | Answer]

_VAGUE = (None, 400)
_MORE_STATUSES = {451: Code.FORBIDDEN, 499: Code.CANCELLED}
_NO_WORDS: Words = {}
_BODY = (("body", "error", "message"), ("body", "message"), ("body", "detail"), ("body", "error"))


def by_reply(  # noqa: PLR0913 - each says where one part of the reply is.
    words: Words = _NO_WORDS,
    *,
    always: Words = _NO_WORDS,
    word_at: tuple[Place, ...] = (),
    text_at: tuple[Place, ...] = _BODY,
    status_at: tuple[Place, ...] = (),
    again: frozenset[int] = frozenset(),
) -> Reader:
    """Make a rule of a service's words, and of where its SDK puts word, message and status.

    The statuses in `again` are those that the SDK itself repeats.
    """

    def read(error: BaseException) -> Answer | None:
        status = next((at for place in status_at if (at := number_at(error, *place))), None) or status_of(error)
        spoken = [word.lower() for place in word_at if (word := _word(error, place))]
        said = _meaning(always, spoken) or (_meaning(words, spoken) if status in _VAGUE else None)
        answer = _with_status(said, status, error)
        if answer is None:
            return None
        if said is None and status in again:
            answer = answer._replace(retry=Retry.SAME_CALL)
        return answer._replace(text=answer.text or _text(error, text_at))

    read.__doc__ = "The status and the words of the service's reply"
    return read


def replied(code: Code, retry: Retry | None = None, *, text_at: tuple[Place, ...] = _BODY) -> Reader:
    """Make a rule for a class that says it all: this code, with the status and the message of the reply."""

    def read(error: BaseException) -> Answer:
        return Answer(code, retry, status_of(error), text=_text(error, text_at))

    read.__doc__ = f"{code}, {retry}" if retry else str(code)
    return read


def _word(error: BaseException, place: Place) -> str | None:
    number = number_at(error, *place)
    return text_at(error, *place) if number is None else str(number)


def _meaning(words: Words, spoken: list[str]) -> Answer | None:
    said = next((words[word] for word in spoken if word in words), None)
    return Answer(said) if isinstance(said, Code) else said


def _with_status(said: Answer | None, status: int | None, error: BaseException) -> Answer | None:
    if said is not None:
        return said._replace(http_status=status)
    if status is None:
        return None
    known = _MORE_STATUSES.get(status)
    return Answer(known, http_status=status) if known else of_status(status, error)


def _text(error: BaseException, places: tuple[Place, ...]) -> str | None:
    return next((text for place in places if (text := text_at(error, *place))), None)
