"""What Pydantic refuses, in both of its versions: the fields and the rules, never the values."""

from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice
from types import FrameType, TracebackType
from typing import cast

from errata._fault import FieldIssue
from errata._taxonomy import Code
from errata._values import is_a, items_of
from errata.classification._answer import Answer
from errata.classification._families._refusal import REQUIRED, path_of, predicate, refused
from errata.classification._reach import called, peek, text_at

_DEEPEST = 10_000
_SETTINGS = ("pydantic_settings.", "pydantic.v1.env_settings", "pydantic.env_settings")
_INNERMOST = 3
"""How close to the refusal the settings must be: a validator of theirs may build a model in turn."""


def by_fields(error: BaseException) -> Answer:
    """The fields it names; a setting of this server is no argument of a caller."""
    refusal = refused(map(_issue, _details(error)), text_at(error, "title") or text_at(error, "model", "__name__"))
    if _is_about_settings(error):
        return refusal._replace(code=Code.CONFIGURATION_ERROR, issues=())
    return refusal


def _details(error: BaseException) -> tuple[object, ...]:
    method = cast("Callable[..., object]", peek(error, "errors"))
    try:
        return items_of(method(include_url=False, include_context=False, include_input=False))
    except TypeError:  # The first version takes no such options, and gives no input.
        return items_of(called(error, "errors"))


def _issue(detail: object) -> FieldIssue:
    kind, message = text_at(detail, "type") or "", text_at(detail, "msg") or "is not allowed here"
    where = path_of(part for part in items_of(peek(detail, "loc")) if part != "__root__")
    if kind.startswith("missing") or kind == "value_error.missing":
        return FieldIssue(where, REQUIRED)
    named = kind in {"enum", "literal_error"}
    return FieldIssue(where, predicate(message), message.removeprefix("Input should be ") if named else None)


def _is_about_settings(error: BaseException) -> bool:
    """Whether pydantic-settings asked for the model; only the traceback knows."""
    frames = deque(islice(_frames(error), _DEEPEST), maxlen=_INNERMOST)
    return any((text_at(frame.f_globals, "__name__") or "").startswith(_SETTINGS) for frame in frames)


def _frames(error: BaseException) -> Iterator[FrameType]:
    traceback = peek(error, "__traceback__")
    while is_a(traceback, TracebackType):
        yield traceback.tb_frame
        traceback = traceback.tb_next
