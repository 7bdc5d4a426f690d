"""A fault in the lines that a model reads, and back."""

import re
from collections.abc import Iterator

from errata.dialects._sentences import retry_in, retry_sentence
from errata.model import NO_RECOVERY, Code, Fault, FieldIssue, Recovery, known_word, wait_ms
from errata.redaction import LABELS, defuse_markup, put_on_one_line, quote_labels, quote_name

_FIRST = r"Error \[([A-Z_]+)\]: (.+)"
_ISSUE = r"- ([^:]*): (.*)"
_PATH = r"[\w.\[\]\-]+"
_TOOL = r"`([^`]+)`"
_WAIT = r"after ([0-9.]+) s\b"


def lines_of(fault: Fault) -> str:
    """Say everything a model can use, one fact a line."""
    return "\n".join(_lines(fault))


def from_lines(text: str) -> Fault | None:
    """Read the lines back: less than the whole fault, for those who get only the text."""
    first, *others = [line for line in text.split("\n") if line.strip()] or [""]
    opening = re.fullmatch(_FIRST, first)
    code = known_word(Code, opening[1]) if opening else None
    labelled = _labelled(others)
    if opening is None or code is None or "Retry" not in labelled:
        return None
    wait = re.search(_WAIT, labelled["Retry"])
    return Fault(
        code=code,
        message=opening[2],
        retry=retry_in(labelled["Retry"]),
        issues=tuple(FieldIssue(found[1], found[2]) for line in others[:100] if (found := re.fullmatch(_ISSUE, line))),
        recovery=Recovery(
            hint=labelled.get("Recovery"),
            fallback_tool=_tool_in(labelled.get("Alternative", "")),
            verify_tool=_tool_in(labelled["Retry"]),
            user_message=labelled.get("Tell the user"),
        ),
        retry_after_ms=wait_ms(wait[1], unit_ms=1000) if wait else None,
        correlation_id=labelled.get("Reference"),
    )


def _labelled(lines: list[str]) -> dict[str, str]:
    """Return what stands behind each label; nothing if there is a line that errata does not write, or not there."""
    labelled: dict[str, str] = {}
    expected = [*LABELS]  # In their order.
    for line in lines:
        label, colon, rest = line.partition(": ")
        if label in expected and colon:
            labelled[label] = rest
            del expected[: expected.index(label) + 1]
        elif labelled or not re.fullmatch(_ISSUE, line):
            return {}
    return labelled


def _lines(fault: Fault) -> Iterator[str]:
    recovery = fault.recovery or NO_RECOVERY
    yield f"Error [{fault.code}]: {put_on_one_line(fault.message) or fault.code.sentence}"
    for issue in fault.issues:
        yield defuse_markup(f"- {_issue(issue)}")
    if recovery.hint:
        yield f"Recovery: {put_on_one_line(recovery.hint)}"
    if recovery.fallback_tool:
        yield f"Alternative: call {quote_name(recovery.fallback_tool)}."
    if recovery.user_message:
        yield f"Tell the user: {put_on_one_line(recovery.user_message)}"
    yield f"Retry: {retry_sentence(fault)}"
    if fault.correlation_id:
        yield reference_line(fault.correlation_id)


def _issue(issue: FieldIssue) -> str:
    """Say what is wrong with an argument; a name that is none, or one of our labels, does not begin a line like ours."""
    field = put_on_one_line(issue.field)
    expected = f" (expected: {put_on_one_line(issue.expected)})" if issue.expected else ""
    text = f"{field}: {put_on_one_line(issue.problem)}{expected}"
    return text if re.fullmatch(_PATH, field) and field not in LABELS else quote_labels(text)


def reference_line(correlation_id: str) -> str:
    """Say where to look it up; it is the last line."""
    return f"Reference: {put_on_one_line(correlation_id)}"


def _tool_in(line: str) -> str | None:
    found = re.search(_TOOL, line)
    return found[1] if found else None
