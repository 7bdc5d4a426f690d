"""The caller's arguments, refused by Pydantic or by a tool's schema: before the tool ran, or in its body."""

from collections.abc import Mapping
from typing import cast

from errata.classification._blame import find_blame
from errata.classification._call import Call
from errata.classification._families import by_arguments, by_fields, by_rules
from errata.model import Code, Fault, FieldIssue, add_identity, new_correlation_id, now


def classify_refused_arguments(error: BaseException, of: str, given: Mapping[str, object] | None) -> Fault:
    """Return the fault of arguments that were refused: all that is wrong with them, and nothing of what they were.

    The error is Pydantic's, or a group of those of jsonschema, and somebody knows that it is about the arguments: the
    same error out of the body of a tool is a bug.
    """
    if isinstance(error, ExceptionGroup):
        known = by_rules(cast("ExceptionGroup[Exception]", error).exceptions, of)
    else:
        known = by_arguments(error, of, given)
    return Fault(
        code=known.code,
        message=known.text or "",
        field=known.issues[0].field if known.issues else None,
        issues=known.issues,
        correlation_id=new_correlation_id(),
        timestamp=now(),
    )


def classify_refused_model(error: BaseException, call: Call | None) -> Fault:
    """Return the fault of a model in a tool's body: the caller's if its data is an argument, otherwise a bug of the server."""
    known = by_fields(error)
    if known.code is Code.CONFIGURATION_ERROR:  # A setting of this server's.
        return add_identity(Fault(code=known.code, message=known.text or ""))
    try:
        blame = find_blame(error, call, {}) if call is not None else None
    except Exception:  # noqa: BLE001 - it reads foreign frames, source and values, which may be anything.
        blame = None
    if blame is None or not blame.fields:
        return add_identity(Fault(code=Code.INTERNAL_ERROR))
    root = blame.fields[0]
    issues = tuple(_below(root, issue, is_whole=blame.whole == root) for issue in known.issues)
    return add_identity(
        Fault(
            code=Code.VALIDATION_FAILED,
            message=known.text or "",
            field=issues[0].field if issues else root,
            issues=issues or (FieldIssue(root, "is refused as it is"),),
        )
    )


def _below(root: str, issue: FieldIssue, *, is_whole: bool) -> FieldIssue:
    """Name a field inside of an argument; where the argument is text that was parsed, the problem names it instead."""
    if is_whole and issue.field:
        return FieldIssue(f"{root}.{issue.field}", issue.problem, issue.expected)
    return FieldIssue(root, f"`{issue.field}` {issue.problem}" if issue.field else issue.problem, issue.expected)
