"""The verdict in words."""

from errata.model import Fault, Retry, whole_seconds
from errata.redaction import quote_name

_OPENINGS = {
    Retry.SAME_CALL: "yes, the same call",
    Retry.IF_HARMLESS: "only if doing it twice does no harm",
    Retry.FIX_INPUT: "not with the same arguments",
    Retry.VERIFY_FIRST: "not before checking",
    Retry.NEVER: "no",
}
_OLD_IF_HARMLESS = "yes"  # Older versions wrote "yes, after 30 s, if doing it twice does no harm".


def retry_sentence(fault: Fault) -> str:
    """Say the verdict."""
    return f"{_OPENINGS[fault.retry]}{_condition(fault)}."


def retry_in(sentence: str) -> Retry:
    """Read the verdict back; one that nobody knows permits nothing."""
    retry = next((retry for retry, opening in _OPENINGS.items() if sentence.startswith(opening)), None)
    if retry is None:
        return Retry.IF_HARMLESS if sentence.startswith(_OLD_IF_HARMLESS) else Retry.NEVER
    return retry


def seconds(milliseconds: int) -> int | float:
    """Turn milliseconds into seconds, whole ones where they are whole."""
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
