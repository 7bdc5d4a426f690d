"""The ways out of the process: data, log lines, prose for a model, and reprs; each visible, redacted and bounded."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from errata.redaction._foreign_text import defuse_markup, make_data_visible, make_visible, put_on_one_line, quote_labels
from errata.redaction._jsonable import SEEN_BEYOND, cut, jsonable, text_of
from errata.redaction._recurring_secrets import collect_secrets, hiding, is_hiding, join_announced_lines
from errata.redaction._redact import redact, redact_plain, register_secret
from errata.redaction._spans import TEXT, mark

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

__all__ = ["redact", "redact_data", "register_secret"]

_ROUNDS = 4
_LONGEST_LINE = 2_000
LONGEST_SHOWN = 8_000
"""How much of a text an exception or a fault shows of itself, to a log for example."""


def redact_data(value: object) -> object:
    """Copy data as plain JSON without secrets and personal data.

    Strings are redacted as `redact` does it. What is under a key that announces a secret (`password`, `apiKey`,
    `Set-Cookie`) is hidden whatever it looks like; `token_count` and `password_required` announce none. Data that is no
    JSON becomes JSON as an error's data does: cycles, depth and size are bounded, and nothing raises.
    """
    return redact_plain(jsonable(value))


def redact_visibly(value: object) -> object:
    """Copy plain JSON without what a reader does not see, then without secrets: the one may stand inside the other."""
    return redact_plain(make_data_visible(value))


def redact_within(text: str, limit: int) -> str:
    """Return a text visible, redacted and cut to the limit; of a far longer one, no more is redacted than that takes."""
    head = text[: limit + 2 * SEEN_BEYOND]  # Some of it may be unseen, and is dropped.
    seen, goes_on = make_visible(head), len(head) < len(text)
    short = redact(seen) if len(seen) <= limit and not goes_on else seen
    return make_visible(cut(short, limit, goes_on=goes_on))


def line_of(value: object, limit: int = _LONGEST_LINE) -> str:
    """Return a value on one line for a log or a terminal: visible, redacted and bounded."""
    text = redact_within(text_of(value), limit)  # While it still has its lines: they tell a table from a sentence.
    return put_on_one_line(redact_within(put_on_one_line(text), limit))


def make_redacted_repr(instance: "DataclassInstance") -> str:
    """Represent a dataclass as Python does, with the texts in it as a log may show them."""
    members = ", ".join(f"{name}={_show_member(getattr(instance, name))}" for name in instance.__dataclass_fields__)
    return f"{type(instance).__qualname__}({members})"


def prose_within(text: str, limit: int) -> str:
    """Return a text for a model or a client: redacted, bounded, and nothing in it loads or reads like errata's own lines."""
    if not is_hiding() and (joined := join_announced_lines(text[: limit + 2 * SEEN_BEYOND])):
        with hiding(collect_secrets(joined)):
            return _make_inert(text, limit)
    return _make_inert(text, limit)


def _make_inert(text: str, limit: int) -> str:
    text = redact_within(text, limit)
    for _ in range(_ROUNDS):
        safe = quote_labels(defuse_markup(text))
        if safe == text:
            return text
        text = redact_within(safe, limit)
    return mark(TEXT)  # Each change asked for another one: nobody writes such text by accident.


def _show_member(value: object) -> str:
    if type(value) is str:
        return repr(redact_within(value, LONGEST_SHOWN))
    if isinstance(value, Mapping):
        return repr(redact_visibly(jsonable(cast("Mapping[object, object]", value))))
    if isinstance(value, tuple):
        shown = ", ".join(map(_show_member, cast("tuple[object, ...]", value)))
        return f"({shown},)" if shown and len(cast("tuple[object, ...]", value)) == 1 else f"({shown})"
    return repr(value)
