"""The next step for a failure that nobody wrote one for."""

import dataclasses

from errata.model._codes import Code, Retry
from errata.model._fault import Fault, Recovery, replace_fields

_BY_CODE = {code: Recovery(hint=code.next_step) for code in Code}
_BY_VERDICT = {
    Retry.SAME_CALL: Recovery(hint="Wait a few seconds, then repeat the same call; tell the user if it keeps failing."),
    Retry.IF_HARMLESS: Recovery(
        hint="Repeat the call if doing it twice does no harm; otherwise check whether it happened."
    ),
    Retry.FIX_INPUT: Recovery(hint="Change the arguments as the message says, and call again."),
    Retry.VERIFY_FIRST: Recovery(hint="Check whether it happened before you call again."),
    Retry.NEVER: Recovery(hint="Tell the user what the message says; the same call will fail again."),
}

_PRESUMED = {
    Retry.SAME_CALL: "wait a few seconds, then repeat the same call; tell the user if it keeps failing.",
    Retry.VERIFY_FIRST: "check whether it happened before you call again.",
}
"""The next step by a verdict that was presumed; what it rests on stands before it."""


def add_next_step(fault: Fault, why: str | None = None) -> Fault:
    """Return a fault with the code's own next step, or that of the verdict; an author's recovery stays.

    `why` says what the verdict rests on, where it rests on less than a declaration.
    """
    recovery = fault.recovery
    if recovery is None and why is not None and fault.retry in _PRESUMED:
        return replace_fields(fault, recovery=Recovery(hint=f"{why}: {_PRESUMED[fault.retry]}"))
    if recovery is None:
        by_code = fault.retry is fault.code.retry and (
            fault.retry_after_ms is not None or fault.retry is not Retry.SAME_CALL
        )
        return replace_fields(fault, recovery=_BY_CODE[fault.code] if by_code else _BY_VERDICT[fault.retry])
    if not _only_names_a_tool(recovery):
        return fault
    hint = f"Call `{recovery.verify_tool}` to see whether it happened before you call this tool again."
    return replace_fields(fault, recovery=dataclasses.replace(recovery, hint=hint))


def wants_list(fault: Fault) -> bool:
    """Return whether a list of what exists would help: something was not found, and there is no recovery yet."""
    return fault.code is Code.NOT_FOUND and fault.retry is Retry.FIX_INPUT and fault.recovery is None


def add_list_hint(fault: Fault, tool: str) -> Fault:
    """Return a fault whose hint names the tool that lists what exists."""
    hint = f"Call `{tool}` to see which exist, then call again with one of them."
    return replace_fields(fault, recovery=Recovery(hint=hint))


def _only_names_a_tool(recovery: Recovery) -> bool:
    """Return whether a recovery has a `verify_tool` and no hint, as an `effect` in the function leaves it."""
    return recovery.verify_tool is not None and recovery.hint is None
