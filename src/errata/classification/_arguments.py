"""The caller's arguments, refused before a tool ran."""

from collections.abc import Mapping

from errata._fault import Fault
from errata._identity import new_correlation_id, now
from errata.classification._families._pydantic import by_arguments


def refused_arguments(error: BaseException, of: str, given: Mapping[str, object] | None) -> Fault:
    """Say everything that is wrong with the arguments of a call, and nothing of what they were.

    The error is Pydantic's, and somebody knows that it is about the arguments: the same error out of the body of a
    tool is a bug.
    """
    answer = by_arguments(error, of, given)
    return Fault(
        code=answer.code,
        message=answer.text or "",
        field=answer.issues[0].field if answer.issues else None,
        issues=answer.issues,
        correlation_id=new_correlation_id(),
        timestamp=now(),
    )
