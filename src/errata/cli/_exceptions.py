"""The pages of `errata explain --exception`: what a class maps to, and why."""

from errata.classification import (
    FAMILIES,
    REGISTRY,
    Classification,
    Otherwise,
    Rule,
    classify_words,
    describe_rule,
    spell_out,
)
from errata.dialects import retry_sentence
from errata.model import Fault

_THEN = """\
Where that says nothing, these are asked in turn: its bases' rows, what it carries (an HTTP status, a gRPC status, an
SQLSTATE), the cause it was raised from, the words of its name and text. In the end it is INTERNAL_ERROR."""


def exception_page(name: str) -> str | None:
    """Write the page of an exception class, given by its dotted name or its last part; None if nobody knows it."""
    known = _known(name)
    if not known:
        return _page_by_words(name)
    pages = [f"# {each}\n\n{_row(each)}" for each in known]
    return "\n\n".join([*pages, *([_THEN] if any(map(_may_say_nothing, known)) else [])])


def exception_names() -> list[str]:
    """List every class that has a row."""
    return REGISTRY.names()


def _known(name: str) -> list[str]:
    if "." in name:
        return [name] if REGISTRY.rule_for(name) is not None else []
    return [known for known in REGISTRY.names() if known.rpartition(".")[2] == name]


def _may_say_nothing(name: str) -> bool:
    rule = REGISTRY.rule_for(name)
    return (
        callable(rule) and not describe_rule(rule).rpartition(" ")[2].isupper()
    )  # "…, else UPSTREAM_ERROR" never does.


def _row(name: str) -> str:
    row = REGISTRY.rule_for(name)
    rule = row.rule if isinstance(row, Otherwise) else row
    family = next((family for family, table in FAMILIES.items() if any(_is_same(name, known) for known in table)), None)
    lines = [f"- table: {family}"] if family else []
    lines.append(f"- decided by: {_decided_by(rule)}" if callable(rule) else f"- code: {_outcome(rule)}")
    if isinstance(row, Otherwise):
        lines.append("- only if nothing else says more: it says little by itself")
    return "\n".join(lines)


def _is_same(name: str, known: str) -> bool:
    """Whether two dotted names are one class, also if it moved inside its package."""
    ends = [(each.partition(".")[0], each.rpartition(".")[2]) for each in (name, known)]
    return ends[0] == ends[1]


def _page_by_words(name: str) -> str | None:
    meaning = classify_words(spell_out(name.rpartition(".")[2]))
    if meaning is None:
        return None
    return f"# {name}\n\nNo table names it. By its name alone it is:\n\n- code: {_outcome(meaning)}"


def _decided_by(rule: Rule) -> str:
    text = describe_rule(rule)
    return text if text[:2].isupper() else text[0].lower() + text[1:]


def _outcome(rule: Rule | None) -> str:
    answer = rule if isinstance(rule, Classification) else Classification(rule) if rule and not callable(rule) else None
    if answer is None:
        return "nothing"
    fault = Fault(code=answer.code, retry=answer.retry or answer.code.retry)
    return f"{answer.code} ({answer.code.sentence.rstrip('.')})\n- retry: {retry_sentence(fault)}"
