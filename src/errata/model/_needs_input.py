"""A tool that asks before it acts: a normal turn of the conversation, and not a failure."""

from collections.abc import Iterable, Mapping

from errata.model._coercion import items_of
from errata.model._current import CURRENT
from errata.redaction import jsonable, jsonable_object, make_visible, redact, text_of


def answers() -> Mapping[str, object]:
    """Return the answers to the questions that this call asked, by field; empty in the first round.

    style = style or answers().get("style")
    if style is None:
        raise NeedsInput("Which style?", fields=["style"])
    """
    request = CURRENT.get()
    return {} if request is None else request.answers()


class NeedsInput(Exception):  # noqa: N818 - see above: it is not an error.
    """The tool cannot go on without an answer; raise it before doing anything.

    raise NeedsInput("Which pattern?", fields=["pattern_id"], reason="ambiguous",
                     suggestions={"pattern_id": ["retry", "circuit-breaker"]})
    """

    def __init__(
        self,
        message: str,
        *,
        fields: Iterable[str],
        reason: str = "missing_input",
        suggestions: Mapping[str, object] | None = None,
        options: Iterable[Mapping[str, object]] = (),
    ) -> None:
        self.message: str = text_of(message)
        super().__init__(self.message)
        self.fields: tuple[str, ...] = tuple(text_of(name) for name in items_of(fields))
        self.reason: str = text_of(reason)
        self.suggestions: dict[str, list[object]] = {
            name: list(items_of(values)) for name, values in jsonable_object(suggestions).items()
        }
        self.options: tuple[dict[str, object], ...] = tuple(map(_option, items_of(jsonable(items_of(options)))))

    def __str__(self) -> str:
        return redact(make_visible(super().__str__()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return _revive_question, (type(self), self.message), self.__dict__


def _revive_question(kind: type[NeedsInput], message: str) -> NeedsInput:
    return kind.__new__(kind, message)


def _option(option: object) -> dict[str, object]:
    plain = jsonable_object(option)
    label = text_of(plain.get("label", plain.get("value", "")))
    return {**plain, "label": label, "value": plain.get("value", label)}
