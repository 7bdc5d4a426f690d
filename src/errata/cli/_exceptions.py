"""The pages of `errata explain --exception`: what a class maps to, and why."""

from errata._fault import Fault
from errata.classification._answer import Answer, Otherwise, Rule, described
from errata.classification._tables import FAMILIES, REGISTRY
from errata.classification._words import meaning_of, spelled_out
from errata.dialects._sentences import retry_sentence

_THEN = (
    "A subclass follows its nearest base that has a row. Where no row says anything, what the exception carries "
    "decides (an HTTP status, a gRPC status, an SQLSTATE), then the cause it was raised from, then the words of its "
    "name and text; in the end it is INTERNAL_ERROR."
)


def exception_page(name: str) -> str | None:
    """Write the page of an exception class, given by its dotted name or its last part; None if nobody knows it."""
    known = _known(name)
    sections = [_row_section(each) for each in known] if known else [_words_section(name)]
    found = [section for section in sections if section]
    return "\n\n".join([f"# {name}", *found, _THEN]) if found else None


def exception_names() -> list[str]:
    """List every class that has a row."""
    return REGISTRY.names()


def _known(name: str) -> list[str]:
    if "." in name:
        return [name] if REGISTRY.rule_for(name) is not None else []
    return [known for known in REGISTRY.names() if known.rpartition(".")[2] == name]


def _row_section(name: str) -> str:
    row = REGISTRY.rule_for(name)
    rule = row.rule if isinstance(row, Otherwise) else row
    family = next((family for family, table in FAMILIES.items() if row in table.values() and name in table), None)
    lines = [f"## {name}\n"]
    if family:
        lines.append(f"- table: {family}")
    lines.append(f"- decided by: {_decided_by(rule)}" if callable(rule) else f"- code: {_outcome(rule)}")
    if isinstance(row, Otherwise):
        lines.append("- it says little by itself: what it carries and its words are asked first")
    return "\n".join(lines)


def _words_section(name: str) -> str | None:
    meaning = meaning_of(spelled_out(name.rpartition(".")[2]))
    return f"No table names it. By its name alone it is:\n\n- code: {_outcome(meaning)}" if meaning else None


def _decided_by(rule: Rule) -> str:
    text = described(rule)
    return text[0].lower() + text[1:] if not text.split(",")[0].isupper() else text


def _outcome(rule: Rule | None) -> str:
    answer = rule if isinstance(rule, Answer) else Answer(rule) if rule and not callable(rule) else None
    if answer is None:
        return "nothing"
    fault = Fault(code=answer.code, retry=answer.retry or answer.code.retry)
    return f"{answer.code} ({answer.code.sentence.rstrip('.')}). Retry: {retry_sentence(fault)}"
