"""Other formats know yes or no where errata has a verdict: one rule for both directions.

The flag may say yes only if reading it back permits no more than the fault does.
"""

from errata.model import Code, Fault, Retry, verdict

_NOT_TAKEN_ON = 503


def verdict_read(code: Code, *, flag: bool | None = None, status: int | None = None) -> Retry:
    """Read the verdict of a word, and of the flag and the status beside it.

    Every dialect that has a word for SERVICE_UNAVAILABLE also uses it for broken connections, after which
    the call may have happened. So only a 503 beside it is proof that nothing did.
    """
    told = verdict(code, http_status=status, flag=flag)
    if code is Code.SERVICE_UNAVAILABLE and told is Retry.SAME_CALL and status != _NOT_TAKEN_ON:
        return Retry.IF_HARMLESS
    return told


def may_say_yes(fault: Fault, code: Code, *, status: int | None = None) -> bool:
    """Whether "retryable" may be said of a fault whose word is read as this code."""
    return fault.retryable and not verdict_read(code, flag=True, status=status).exceeds(fault.retry)
