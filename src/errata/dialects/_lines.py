"""A fault in the lines that a model reads, and back."""

import re
from collections.abc import Iterator

from errata._fault import NO_RECOVERY, Fault, FieldIssue, Recovery
from errata._taxonomy import Code
from errata._values import known_word, wait_ms
from errata.dialects._sentences import one_line, retry_in, retry_sentence

_FIRST = r"Error \[([A-Z_]+)\]: (.+)"
_ISSUE = r"- ([^:]*): (.*)"
_TOOL = r"`([^`]+)`"
_WAIT = r"after ([0-9.]+) s\b"


def lines_of(fault: Fault) -> str:
    """Say everything a model can use, one fact a line."""
    return "\n".join(_lines(fault))


def from_lines(text: str) -> Fault | None:
    """Read the lines back: less than the whole fault, for those who get only the text."""
    first, *others = text.split("\n")
    opening = re.fullmatch(_FIRST, first)
    code = known_word(Code, opening[1]) if opening else None
    said = {label: rest for line in others for label, _, rest in [line.partition(": ")]}
    if opening is None or code is None or "Retry" not in said:
        return None
    wait = re.search(_WAIT, said["Retry"])
    return Fault(
        code=code,
        message=opening[2],
        retry=retry_in(said["Retry"]),
        issues=tuple(FieldIssue(found[1], found[2]) for line in others[:100] if (found := re.fullmatch(_ISSUE, line))),
        recovery=Recovery(
            hint=said.get("Recovery"),
            fallback_tool=_tool_in(said.get("Alternative", "")),
            verify_tool=_tool_in(said["Retry"]),
            user_message=said.get("Tell the user"),
        ),
        retry_after_ms=wait_ms(wait[1], unit_ms=1000) if wait else None,
        correlation_id=said.get("Reference"),
    )


def _lines(fault: Fault) -> Iterator[str]:
    recovery = fault.recovery or NO_RECOVERY
    yield f"Error [{fault.code}]: {one_line(fault.message) or fault.code.sentence}"
    for issue in fault.issues:
        expected = f" (expected: {one_line(issue.expected)})" if issue.expected else ""
        yield f"- {one_line(issue.field)}: {one_line(issue.problem)}{expected}"
    if recovery.hint:
        yield f"Recovery: {one_line(recovery.hint)}"
    if recovery.fallback_tool:
        yield f"Alternative: call `{one_line(recovery.fallback_tool)}`."
    if recovery.user_message:
        yield f"Tell the user: {one_line(recovery.user_message)}"
    yield f"Retry: {retry_sentence(fault)}"
    if fault.correlation_id:
        yield reference_line(fault.correlation_id)


def reference_line(correlation_id: str) -> str:
    """Say where to look it up; it is the last line."""
    return f"Reference: {one_line(correlation_id)}"


def _tool_in(line: str) -> str | None:
    found = re.search(_TOOL, line)
    return found[1] if found else None
