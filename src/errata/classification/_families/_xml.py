"""What an XML schema refuses: the element and the rule, without the value."""

import re
from collections.abc import Iterator

from errata.classification._answer import Classification
from errata.classification._families._refusal import predicate, refused
from errata.classification._reach import peek, read_number, read_text
from errata.model import FieldIssue, items_of

_ELEMENT = r"^Element '[^']*'(?:, attribute '([^']*)')?: "
# fmt: off
_QUOTED = (  # Where libxml2 quotes the value, by the words around it.
    (r"^'.*' is not ",                "is not "),
    (r"\[facet '[^']*'\] ",           ""),
    (r"^The value '.*?' (?=is |has |does |must )", "the value "),
)
# fmt: on


def by_error_log(error: BaseException) -> Classification:
    """The elements in its log, and the rules they break."""
    return refused(_in_log(items_of(peek(error, "error_log"))))


def _in_log(entries: tuple[object, ...]) -> Iterator[FieldIssue]:
    for entry in entries:
        told = read_text(entry, "message") or "is not valid"
        attribute = found[1] if (found := re.match(_ELEMENT, told)) else None
        place = read_text(entry, "path") or f"line {read_number(entry, 'line')}"
        yield FieldIssue(f"{place}/@{attribute}" if attribute else place, _unquoted(re.sub(_ELEMENT, "", told)))


def _unquoted(told: str) -> str:
    for pattern, words in _QUOTED:
        told = re.sub(pattern, words, told, flags=re.DOTALL)
    return predicate(told)


def by_schema_reason(error: BaseException) -> Classification:
    """The element and the reason."""
    return refused(
        [FieldIssue(read_text(error, "path") or "", _unquoted(read_text(error, "reason") or "is not valid"))]
    )
