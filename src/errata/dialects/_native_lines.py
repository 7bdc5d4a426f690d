"""The lines that a model reads in the native dialect, and back to a fault."""

import re

from errata.model import NO_RECOVERY, Code, Fault, FieldIssue, Recovery, Retry, known_word, wait_ms, whole_seconds
from errata.redaction import LABELS, defuse_markup, put_on_one_line, quote_labels, quote_name

_FIRST = r"Error \[([A-Z_]+)\]: (.+)"
_ISSUE = r"- ([^:]*): (.*)"
_PATH = r"[\w.\[\]\-]+"
_TOOL = r"`([^`]+)`"
_WAIT = r"after ([0-9.]+) s\b"
_OPENINGS = {
    Retry.SAME_CALL: "yes, the same call",
    Retry.IF_HARMLESS: "only if doing it twice does no harm",
    Retry.FIX_INPUT: "not with the same arguments",
    Retry.VERIFY_FIRST: "not before checking",
    Retry.NEVER: "no",
}
OWN_WORDS = "The server's own words:"
"""What stands behind the lines where a gate quotes the server: every line below it is indented."""
_OLD_IF_HARMLESS = "yes"  # Older versions wrote "yes, after 30 s, if doing it twice does no harm".


def write_lines(fault: Fault) -> str:
    """Return everything a model can use of a fault, one fact a line."""
    recovery = fault.recovery or NO_RECOVERY
    lines = [f"Error [{fault.code}]: {put_on_one_line(fault.message) or fault.code.sentence}"]
    lines += [defuse_markup(f"- {_issue(issue)}") for issue in fault.issues]
    if recovery.hint:
        lines.append(f"Recovery: {put_on_one_line(recovery.hint)}")
    if recovery.fallback_tool:
        lines.append(f"Alternative: call {quote_name(recovery.fallback_tool)}.")
    if recovery.user_message:
        lines.append(f"Tell the user: {put_on_one_line(recovery.user_message)}")
    lines.append(f"Retry: {write_retry_sentence(fault)}")
    if fault.correlation_id:
        lines.append(write_reference(fault.correlation_id))
    return "\n".join(lines)


def read_lines(text: str) -> Fault | None:
    """Return the fault in the lines; less than the whole one, for those who get only the text. None for other text."""
    ours, _, quoted = text.partition(f"\n\n{OWN_WORDS}\n")
    if any(line and not line.startswith(" ") for line in quoted.split("\n")):
        return None
    first, *others = [line for line in ours.split("\n") if line.strip()] or [""]
    opening = re.fullmatch(_FIRST, first)
    code = known_word(Code, opening[1]) if opening else None
    labelled = _read_labels(others)
    if opening is None or code is None or "Retry" not in labelled:
        return None
    wait = re.search(_WAIT, labelled["Retry"])
    issues = tuple(FieldIssue(issue[1], issue[2]) for line in others[:100] if (issue := re.fullmatch(_ISSUE, line)))
    is_about_one = len(issues) == 1 and re.fullmatch(_PATH, issues[0].field)
    return Fault(
        code=code,
        message=opening[2],
        retry=read_retry_sentence(labelled["Retry"]),
        field=issues[0].field if is_about_one else None,
        issues=issues,
        recovery=Recovery(
            hint=labelled.get("Recovery"),
            fallback_tool=_tool_in(labelled.get("Alternative", "")),
            verify_tool=_tool_in(labelled["Retry"]),
            user_message=labelled.get("Tell the user"),
        ),
        retry_after_ms=wait_ms(wait[1], unit_ms=1000) if wait else None,
        correlation_id=labelled.get("Reference"),
    )


def write_retry_sentence(fault: Fault) -> str:
    """Return the verdict in words."""
    return f"{_OPENINGS[fault.retry]}{_condition(fault)}."


def read_retry_sentence(sentence: str) -> Retry:
    """Return the verdict that a sentence states; NEVER for one that nobody knows."""
    retry = next((retry for retry, opening in _OPENINGS.items() if sentence.startswith(opening)), None)
    if retry is None:
        return Retry.IF_HARMLESS if sentence.startswith(_OLD_IF_HARMLESS) else Retry.NEVER
    return retry


def to_seconds(milliseconds: int) -> int | float:
    """Return milliseconds as seconds, whole ones where they are whole."""
    return milliseconds // 1000 if milliseconds % 1000 == 0 else milliseconds / 1000


def _condition(fault: Fault) -> str:
    match fault.retry:
        case Retry.SAME_CALL | Retry.IF_HARMLESS:
            return f", after {whole_seconds(fault.retry_after_ms)} s" if fault.retry_after_ms else ""
        case Retry.VERIFY_FIRST:
            tool = fault.recovery and fault.recovery.verify_tool
            return f" with {quote_name(tool)} whether it happened" if tool else " whether it happened"
        case _:
            return ""


def _read_labels(lines: list[str]) -> dict[str, str]:
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


def _issue(issue: FieldIssue) -> str:
    """Write what is wrong with an argument; a field that looks like one of our labels must not begin a line."""
    field = put_on_one_line(issue.field)
    expected = f" (expected: {put_on_one_line(issue.expected)})" if issue.expected else ""
    text = f"{field}: {put_on_one_line(issue.problem)}{expected}"
    return text if re.fullmatch(_PATH, field) and field not in LABELS else quote_labels(text)


def write_reference(correlation_id: str) -> str:
    """Return the last line: the reference to look the failure up by."""
    return f"Reference: {put_on_one_line(correlation_id)}"


def _tool_in(line: str) -> str | None:
    tool = re.search(_TOOL, line)
    return tool[1] if tool else None
