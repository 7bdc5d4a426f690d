"""Announcing the changes of a circuit: one line in the log, and a call of every listener."""

import logging
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeAlias
from weakref import ref

from errata._log import format_indented_stack
from errata.redaction import line_of
from errata.resilience._circuit import Change, Limits, Listener, State

_LOG = logging.getLogger("errata")
_LONGEST_NAME = 200


class _Line(NamedTuple):
    level: int
    text: str


# fmt: off
_LINES = {
    (State.CLOSED, State.OPEN): _Line(logging.WARNING,
        "Circuit `{upstream}` opened: it failed {failures} within {window} s{share}{last}. It is left alone for {open} s."),
    (State.HALF_OPEN, State.OPEN): _Line(logging.WARNING,
        "Circuit `{upstream}` opened again: it was tried and failed{last}. It is left alone for {open} s."),
    (State.OPEN, State.HALF_OPEN): _Line(logging.INFO,
        "Circuit `{upstream}` is half-open: one call at a time tries it."),
    (State.HALF_OPEN, State.CLOSED): _Line(logging.INFO,
        "Circuit `{upstream}` closed: it answered {successes} and is called as usual."),
    (State.OPEN, State.CLOSED): _Line(logging.INFO,
        "Circuit `{upstream}` closed: it answers elsewhere and is called as usual."),
}
# fmt: on


_Reference: TypeAlias = Callable[[], Listener | None]


class Listeners:
    """The listeners of a circuit: each for as long as somebody else keeps it, and equal ones once."""

    __slots__ = ("_references",)

    def __init__(self) -> None:
        self._references: tuple[_Reference, ...] = ()

    def add(self, listener: Listener) -> None:
        """Add a listener, and forget those that nobody keeps."""
        self._references = (
            *(reference for reference in self._references if reference() is not None),
            _refer_to(listener),
        )

    def __iter__(self) -> Iterator[Listener]:
        listeners: list[Listener] = []
        for reference in self._references:
            listener = reference()
            if listener is not None and listener not in listeners:
                listeners.append(listener)
                yield listener


def _refer_to(listener: Listener) -> _Reference:
    try:
        return ref(listener)
    except TypeError:  # One whose class has slots: it stays, as the lesser evil.
        return lambda: listener


def announce(change: Change, limits: Limits, listeners: Iterable[Listener]) -> None:
    """Log a change, and call the listeners; one that fails costs nobody a call."""
    _log(change, limits)
    for listener in listeners:
        try:
            listener(change)
        except Exception as error:  # noqa: BLE001 - whatever a hook raises, the call comes first.
            _LOG.warning(
                "`on_change` of circuit `%s` failed; the call goes on.\n%s", _name(change), format_indented_stack(error)
            )


def _log(change: Change, limits: Limits) -> None:
    line = _LINES.get((change.before, change.after))
    if line is None or not _LOG.isEnabledFor(line.level):
        return
    facts = {"circuit": _name(change), "state": change.after.value, "code": change.code and change.code.value}
    text = line.text.format(
        upstream=facts["circuit"],
        last=f", last with {change.code}" if change.code else "",
        failures="once" if limits.failures == 1 else f"{limits.failures} times",
        share=f" and in {limits.failure_rate:.0%} of its calls or more" if limits.failure_rate else "",
        successes="when it was tried" if limits.successes == 1 else f"{limits.successes} times in a row",
        window=f"{limits.window_s:g}",
        open=f"{limits.open_s:g}",
    )
    _LOG.log(line.level, "%s", text, extra={"errata": {name: fact for name, fact in facts.items() if fact}})


def _name(change: Change) -> str:
    return line_of(change.upstream, _LONGEST_NAME)
