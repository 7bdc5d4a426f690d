"""The pages of `errata explain`; docs/errors holds those of the codes."""

from collections.abc import Iterator

from errata import dialects
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
from errata.dialects import Dialect, code_of_number, json_text, texts_in, write_lines, write_retry_sentence
from errata.model import FACTORY_NAMES, Code, Fault
from errata.redaction import as_object

DIALECTS: tuple[Dialect, ...] = tuple(map(dialects.get, dialects.names()))


def overview() -> str:
    """Return every code with its sentence, one per line."""
    width = max(map(len, Code))
    return "\n".join(f"{code:<{width}}  {code.sentence}" for code in Code)


def code_page(code: Code) -> str:
    """Return the page of a code."""
    fault = Fault(
        code=code, correlation_id="0f8c6f8e-3b1d-4c58-9a52-6d0c1f0f7a11", timestamp="2026-11-15T12:00:00.000Z"
    )
    sections = (
        f"# {code}",
        code.sentence,
        f"- Retry: {write_retry_sentence(fault)}\n- Kind of next step: {code.hint_class}\n- As HTTP: {code.http_status}",
        f"## When to use it\n\n{code.use_when}",
        f"```python\n{_write_example(code)}\n```",
        f"## What the agent should do\n\n{code.next_step}",
        f"Default actions, in `taxonomy`: {', '.join(f'`{action}`' for action in _default_actions(fault))}.",
        "## Its words\n\n" + "\n".join(_write_word_table(code)),
        "## How it looks",
        *(f"### {dialect.name}\n\n{_show_encoded(dialect, fault)}" for dialect in DIALECTS),
    )
    return "\n\n".join(sections)


def word_page(word: str) -> str | None:
    """Return the page of a dialect's word or number; None for an unknown one."""
    sections = [_write_word_section(dialect, word) for dialect in DIALECTS] if word else []
    if number := _number(word):
        sections += [_write_range_section(number), _write_protocol_section(number)]
    known_sections = [section for section in sections if section]
    return "\n\n".join([f"# {word}", *known_sections]) if known_sections else None


def known_words() -> set[str]:
    """Return every name that has a page."""
    words = {word for dialect in DIALECTS for word in dialect.vocabulary.words.values()}
    return set(Code) | {str(word) for word in words} | {word.name for word in words if hasattr(word, "name")}


def spell(word: str | int) -> str:
    """Return a word as its document spells it: a number with its name."""
    return f"{word:d} {getattr(word, 'name', '')}".strip() if isinstance(word, int) else str(word)


def _write_example(code: Code) -> str:
    name = FACTORY_NAMES.get(code)
    if name is None:
        return f'from errata import Code, FaultError\n\nerror = FaultError(Code.{code}, "{code.sentence}")'
    return f'from errata import {name}\n\nerror = {name}("{code.sentence}")'


def _default_actions(fault: Fault) -> tuple[str, ...]:
    return texts_in(as_object(dialects.taxonomy.encode(fault)["structuredContent"]), "recovery_actions")


def _write_word_table(code: Code) -> Iterator[str]:
    rows = [("dialect", "word", "is read as", "also says"), ("---",) * 4]
    for dialect in DIALECTS:
        vocabulary = dialect.vocabulary
        word = vocabulary.words[code]
        others = ", ".join(other for other in vocabulary.codes_for(word) if other is not code)
        rows.append((dialect.name, spell(word), str(vocabulary.code_for(word)), others))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    widths[-1] = 0  # The last column may be long, and nothing stands behind it.
    for row in rows:
        yield f"| {' | '.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))} |"


def _show_encoded(dialect: Dialect, fault: Fault) -> str:
    if dialect is dialects.native:
        return f"```text\n{write_lines(fault)}\n```"
    return f"```json\n{json_text(as_object(dialect.encode(fault)['structuredContent']))}\n```"


def _write_word_section(dialect: Dialect, name: str) -> str | None:
    vocabulary = dialect.vocabulary
    word = next(
        (known for known in vocabulary.words.values() if name in {str(known), getattr(known, "name", "")}), None
    )
    if word is None:
        return None
    statuses = [str(status) for status, word_sent in vocabulary.statuses.items() if word_sent == word]
    others = {status // 100 for status in vocabulary.statuses}
    statuses += [
        f"{'other ' if first in others else ''}{first}xx"
        for first, word_sent in vocabulary.status_classes.items()
        if word_sent == word
    ]
    lines = [
        f"## In {dialect.name}\n",
        f"- `{spell(word)}` can mean: {', '.join(vocabulary.codes_for(word))}",
        f"- it is read as: {vocabulary.code_for(word)}",
    ]
    if statuses:
        lines.append(f"- it is said for the HTTP statuses: {', '.join(statuses)}")
    return "\n".join(lines)


def _number(word: str) -> int | None:
    try:
        return int(word)
    except ValueError:
        return None


def _write_range_section(number: int) -> str | None:
    """Return the section for a number that `error-response` does not name, by its range; None if it has no meaning."""
    error = {"code": number, "message": "-", "retryable": False}
    fault = dialects.error_response.from_payload({"error": error}, is_error=True)
    if fault is None or fault.origin is None or fault.code is Code.UNKNOWN_ERROR:
        return None
    return (
        f"## In error-response\n\n- `{number}` has no name; by its range it is read as: {fault.code}, "
        "with the number in `origin`"
    )


def _write_protocol_section(number: int) -> str | None:
    code = code_of_number(number)
    if code is not None:
        return f"## In a JSON-RPC error\n\n- `{number}` is read as: {code}"
    if -32099 <= number <= -32000:  # noqa: PLR2004 - the range JSON-RPC leaves to implementations.
        return (
            f"## In a JSON-RPC error\n\n- `{number}` means nothing by itself: who sent it decides. It is read as "
            f"{Code.UNKNOWN_ERROR} with the number in `origin`, and errata never sends it."
        )
    return None


_THEN = """\
Where that says nothing, these are asked in turn: its bases' rows, what it carries (an HTTP status, a gRPC status, an
SQLSTATE), the cause it was raised from, the words of its name and text. In the end it is INTERNAL_ERROR."""


def exception_page(name: str) -> str | None:
    """Return the page of an exception class, named in full or by its last part; None if it is unknown."""
    known = _known(name)
    if not known:
        return _page_by_words(name)
    pages = [f"# {each}\n\n{_write_row(each)}" for each in known]
    return "\n\n".join([*pages, *([_THEN] if any(map(_may_say_nothing, known)) else [])])


def exception_names() -> list[str]:
    """Return every class that has a row."""
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


def _write_row(name: str) -> str:
    row = REGISTRY.rule_for(name)
    rule = row.rule if isinstance(row, Otherwise) else row
    family = next((family for family, table in FAMILIES.items() if any(_is_same(name, known) for known in table)), None)
    lines = [f"- table: {family}"] if family else []
    lines.append(
        f"- decided by: {_describe_decision(rule)}" if callable(rule) else f"- code: {_describe_outcome(rule)}"
    )
    if isinstance(row, Otherwise):
        lines.append("- only if nothing else says more: it says little by itself")
    return "\n".join(lines)


def _is_same(name: str, known: str) -> bool:
    """Return whether two dotted names are one class, which may have moved inside its package."""
    ends = [(each.partition(".")[0], each.rpartition(".")[2]) for each in (name, known)]
    return ends[0] == ends[1]


def _page_by_words(name: str) -> str | None:
    meaning = classify_words(spell_out(name.rpartition(".")[2]))
    if meaning is None:
        return None
    return f"# {name}\n\nNo table names it. By its name alone it is:\n\n- code: {_describe_outcome(meaning)}"


def _describe_decision(rule: Rule) -> str:
    text = describe_rule(rule)
    return text if text[:2].isupper() else text[0].lower() + text[1:]


def _describe_outcome(rule: Rule | None) -> str:
    known = rule if isinstance(rule, Classification) else Classification(rule) if rule and not callable(rule) else None
    if known is None:
        return "nothing"
    fault = Fault(code=known.code, retry=known.retry or known.code.retry)
    return f"{known.code} ({known.code.sentence.rstrip('.')})\n- retry: {write_retry_sentence(fault)}"
