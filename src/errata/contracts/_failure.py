"""One declared failure, and the exception it makes."""

import dataclasses
from typing import Unpack, cast

from errata.model import (
    Code,
    Fault,
    FaultError,
    FaultFields,
    Recovery,
    decide_retry,
    is_a,
    known_word,
    replace_fields,
    text_or_none,
    wait_ms,
)
from errata.redaction import make_redacted_repr, text_of

_NOT_GIVEN = cast("str", None)  # The default of `recovery`: a missing one is another mistake than an empty one.


@dataclasses.dataclass(frozen=True, slots=True)
class Failure:
    """One way in which a tool can fail, declared before it happens.

        no_match = Failure(Code.NOT_FOUND, when="No PMID returned data", recovery="Call search_articles first to …")

    Calling it makes the exception: `raise FetchErrors.no_match("None of 3 PMIDs returned data")`. Its rules are
    applied where it is declared: in a `Contract`, or by `@raises`.
    """

    code: Code
    _: dataclasses.KW_ONLY
    when: str = ""
    """When it happens, in one sentence; also the message of an exception that is given none."""
    recovery: str = _NOT_GIVEN
    """The agent's next step, in at least five words."""
    retryable: bool | None = None
    """Whether the same call may be repeated; None leaves it to the code."""
    retry_after_ms: int | None = None
    reason: str = ""
    """Its name on the wire; in a Contract that of the attribute, unless another is given."""

    def __post_init__(self) -> None:
        for name in ("when", "recovery", "reason"):
            if is_a(text := getattr(self, name), str):
                object.__setattr__(self, name, text_of(text))
        object.__setattr__(self, "code", known_word(Code, self.code) or self.code)

    def __repr__(self) -> str:
        return make_redacted_repr(self)

    def __call__(
        self,
        message: str = "",
        data: object = None,
        *,
        cause: object = None,
        **fields: Unpack[FaultFields],
    ) -> FaultError:
        """Make the exception. What is given here wins over what was declared; only the reason does not change."""
        return build_error(self, message, data, cause, fields, hint=self.recovery)


def build_error(  # noqa: PLR0913 - what an exception is made from, and the failure it is made by.
    failure: Failure, message: str, data: object, cause: object, fields: FaultFields, *, hint: str | None
) -> FaultError:
    """Make the exception of a declared failure, with the hint given unless the author wrote one."""
    error = FaultError(failure.code, text_or_none(message) or failure.when, data, cause=cause, **fields)
    error.fault = _complete(error.fault, failure, hint=hint, decided=fields.get("retry") is not None)
    return error


def _complete(fault: Fault, failure: Failure, *, hint: str | None, decided: bool) -> Fault:
    """Add what was declared to what the author raised."""
    decided = decided or fault.retry_declared or not is_a(failure.retryable, bool)
    return replace_fields(
        fault,
        reason=text_or_none(failure.reason) or fault.reason,
        retry=fault.retry
        if decided
        else decide_retry(fault.code, http_status=fault.http_status, flag=failure.retryable),
        retry_declared=fault.retry_declared or not decided,
        retry_after_ms=wait_ms(failure.retry_after_ms) if fault.retry_after_ms is None else fault.retry_after_ms,
        recovery=_add_hint(fault.recovery, text_or_none(hint)),
    )


def _add_hint(recovery: Recovery | None, hint: str | None) -> Recovery | None:
    if recovery is None:
        return Recovery(hint=hint) if hint else None
    return recovery if recovery.hint else dataclasses.replace(recovery, hint=hint)
