"""What stands beside a payload, in `_meta`: what the words of a dialect have no place for, and no client of it looks at."""

from collections.abc import Mapping
from dataclasses import replace

from errata.dialects._members import object_in, present, text_in
from errata.dialects._outgoing import outgoing_text
from errata.model import NO_RECOVERY, Fault, Retry, known_word, wait_ms

CORRELATION_ID = "errata/correlationId"
RETRY = "errata/retry"
PRESUMED = "errata/presumed"
"""Whether the verdict rests on the name of a tool or on the request that failed, and not on what its author declared."""
_WORTH_SAYING = frozenset({Retry.SAME_CALL, Retry.IF_HARMLESS, Retry.VERIFY_FIRST})
"""The other two are understood from every dialect."""


def verdict_beside(fault: Fault) -> dict[str, object] | None:
    """Say exactly whether a call may be repeated, when, and what to call before or instead."""
    if fault.retry not in _WORTH_SAYING:
        return None
    recovery = fault.recovery or NO_RECOVERY
    return present(
        verdict=fault.retry.value,
        afterMs=fault.retry_after_ms,
        fallbackTool=outgoing_text(recovery.fallback_tool),
        verifyTool=outgoing_text(recovery.verify_tool),
    )


def has_verdict(meta: Mapping[str, object]) -> bool:
    """Whether a verdict stands beside a payload, and is not only presumed."""
    return meta.get(PRESUMED) is not True and known_word(Retry, text_in(object_in(meta, RETRY), "verdict")) is not None


def with_verdict(fault: Fault, meta: Mapping[str, object]) -> Fault:
    """Take a verdict from beside a payload; it is the server's own, before a dialect put it into fewer words."""
    told = object_in(meta, RETRY)
    verdict = known_word(Retry, text_in(told, "verdict"))
    if verdict is None:
        return fault
    recovery = replace(
        fault.recovery or NO_RECOVERY,
        fallback_tool=text_in(told, "fallbackTool"),
        verify_tool=text_in(told, "verifyTool"),
    )
    return replace(fault, retry=verdict, retry_after_ms=wait_ms(told.get("afterMs")), recovery=recovery)
