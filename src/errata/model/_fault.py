"""One failure as a value: `Fault`, with its `Recovery` and its `FieldIssue`s.

`Fault(…)` is the border: it reads whatever an author or the wire gives as what it should be, and never fails. Inside errata
a fault is a plain value: `replace_fields` takes what it is given as it is.
"""

import dataclasses
from collections.abc import Callable, Mapping
from functools import partial
from operator import attrgetter
from types import MemberDescriptorType
from typing import Final, TypedDict, Unpack, cast

from errata.model._codes import Code, RecoveryHint, Retry, decide_retry
from errata.model._coercion import (
    code_or_none,
    http_status_or_none,
    is_a,
    items_of,
    known_word,
    text_or_none,
    tool_name_or_none,
)
from errata.model._identity import new_correlation_id, now, timestamp_or_none
from errata.model._waits import wait_ms
from errata.redaction import as_object, jsonable, jsonable_object, make_redacted_repr, text_of

_UNDECIDED = cast("Retry", None)  # The default of `retry`: the table decides during construction.
_NONE: Final = ()  # The default of what may be several; it is in order.


@dataclasses.dataclass(frozen=True, slots=True)
class FieldIssue:
    """What is wrong with one argument."""

    field: str
    """Where: a dotted path, `order.items.0.sku`."""
    problem: str
    """What is wrong with it, without the rejected value: "must be a whole number"."""
    expected: str | None = None
    """What would be right, if that can be said in a few words."""

    def __post_init__(self) -> None:
        if not (_is_plain(self.field) and _is_plain(self.problem) and self.expected is None):
            _set(self, field=text_of(self.field), problem=text_of(self.problem), expected=text_or_none(self.expected))

    def __repr__(self) -> str:
        return make_redacted_repr(self)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """The way out of a failure, as far as it is known."""

    hint: str | None = None
    """One sentence for the model; starts with a verb and names a tool, a parameter or a time."""
    hint_class: RecoveryHint | None = None
    """The kind of next step, if it is another one than the code suggests. RETRY_LATER is a verdict, too: a fault that
    nobody gave one may then be repeated where that does no harm."""
    actions: tuple[str, ...] = _NONE
    """Machine-readable steps: `verify_resource_id`."""
    fallback_tool: str | None = None
    """A tool that reaches the same goal in another way. What cannot be the name of a tool is dropped, here and below."""
    verify_tool: str | None = None
    """A tool that tells whether the call took effect."""
    corrective_params: Mapping[str, object] = dataclasses.field(default_factory=dict[str, object], hash=False)
    """Arguments that would have worked."""
    user_message: str | None = None
    """What to tell the person behind the agent."""

    def __post_init__(self) -> None:
        _coerce_fields(self, _RECOVERY_FIELDS)
        if self.actions is not _NONE:
            _set(self, actions=tuple(filter(None, map(text_or_none, items_of(self.actions)))))
        params = self.corrective_params
        object.__setattr__(self, "corrective_params", {} if _is_empty(params) else jsonable_object(params))

    def __repr__(self) -> str:
        return make_redacted_repr(self)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One failure: what happened, whether the same call may be repeated, and what to do next.

    A Fault puts itself in order when it is made, so building one never fails. `data` is copied and made
    plain JSON; it is there to be read, and to change it is to make another Fault with `dataclasses.replace`. The reserved
    keys of `data` (`reason`, `recovery.hint`, `retryable`, `retryAfter`) move into the fields they stand
    for; a field that was given as well wins. A blank message becomes the code's sentence, other blank text None, an
    unknown code `UNKNOWN_ERROR` with the given one in `origin`.
    """

    code: Code
    message: str = ""
    retry: Retry = _UNDECIDED
    """The verdict; without one, that of the table."""
    retry_declared: bool = False
    """Whether a person decided the verdict, not the table."""
    retry_after_ms: int | None = None
    reason: str | None = None
    """The declared failure this is an instance of: `no_match`."""
    field: str | None = None
    """The argument at fault, as a dotted path."""
    issues: tuple[FieldIssue, ...] = _NONE
    recovery: Recovery | None = None
    http_status: int | None = None
    """What the upstream answered, if it spoke HTTP."""
    origin: str | None = None
    """A foreign identifier: an adapter's `ORDER_NOT_FOUND`, a number nobody knows."""
    data: Mapping[str, object] = dataclasses.field(default_factory=dict[str, object], hash=False)
    """What the author attached; of a classified exception, the `body` of the response that it carries."""
    correlation_id: str | None = None
    timestamp: str | None = None

    @property
    def retryable(self) -> bool:
        """Whether the same call may be repeated, at least where that does no harm."""
        return self.retry.retryable

    @property
    def first_field(self) -> str | None:
        """The argument at fault, or the first of several."""
        return self.field or next((text_or_none(issue.field) for issue in self.issues), None)

    def __repr__(self) -> str:
        return make_redacted_repr(self)

    def __post_init__(self) -> None:
        _coerce_fields(self, _FAULT_FIELDS)
        if (code := code_or_none(self.code)) is None:
            _set(self, code=Code.UNKNOWN_ERROR, origin=self.origin or text_or_none(self.code))
        elif code is not self.code:
            _set(self, code=code)
        if (message := text_or_none(self.message) or self.code.sentence) is not self.message:
            _set(self, message=message)
        if self.retry_declared is not False:
            _set(self, retry_declared=self.retry_declared is True)
        if self.issues is not _NONE:
            _set(self, issues=tuple(map(_issue, items_of(self.issues))))
        if _is_empty(self.data):  # Most errors have none.
            object.__setattr__(self, "data", {})
        else:
            self._take_over(self.data)
        if self.retry is _UNDECIDED:
            self._decide()

    def _decide(self) -> None:
        """Take the table's verdict; advice to retry later means that the call may be repeated."""
        own = decide_retry(self.code, http_status=self.http_status)
        advised = self.recovery is not None and self.recovery.hint_class is RecoveryHint.RETRY_LATER
        if advised and not own.retryable:
            _set(self, retry=decide_retry(self.code, http_status=self.http_status, flag=True), retry_declared=True)
        else:
            _set(self, retry=own)

    def _take_over(self, given: object) -> None:
        """Copy the data. Reserved keys go to their fields; a value of the wrong kind stays where it is."""
        data = _shallow_copy(given)
        if _RESERVED.isdisjoint(data):
            _set(self, data=jsonable_object(data) if data else data)
            return
        data |= {key: jsonable(data[key]) for key in _RESERVED if key in data}
        if is_a(reason := data.get("reason"), str):
            del data["reason"]
            _set(self, reason=self.reason or text_or_none(reason))
        others = dict(as_object(data.get("recovery")))
        if is_a(hint := others.pop("hint", None), str):
            del data["recovery"]
            data |= {"recovery": others} if others else {}
            recovery = self.recovery or Recovery()
            _set(self, recovery=_recovery_or_none(dataclasses.replace(recovery, hint=recovery.hint or hint)))
        if is_a(flag := data.get("retryable"), bool):
            del data["retryable"]
            self._obey_flag(decide_retry(self.code, http_status=self.http_status, flag=flag))
        if (wait := wait_ms(data.get("retryAfter"), unit_ms=1000)) is not None:
            del data["retryAfter"]
            _set(self, retry_after_ms=wait if self.retry_after_ms is None else self.retry_after_ms)
        _set(self, data=jsonable_object(data))

    def _obey_flag(self, retry: Retry) -> None:
        """Let the data's own flag decide, unless a person did or it would say more than the verdict that was given."""
        if not self.retry_declared and (self.retry is _UNDECIDED or not retry.exceeds(self.retry)):
            _set(self, retry=retry, retry_declared=True)


_RESERVED = frozenset({"reason", "recovery", "retryable", "retryAfter"})


class _FieldsInOrder(TypedDict, total=False):
    code: Code
    message: str
    retry: Retry
    retry_declared: bool
    retry_after_ms: int | None
    reason: str | None
    field: str | None
    issues: tuple[FieldIssue, ...]
    recovery: Recovery | None
    http_status: int | None
    origin: str | None
    data: Mapping[str, object]
    correlation_id: str | None
    timestamp: str | None


def add_identity(
    fault: Fault, *, new_id: Callable[[], str] = new_correlation_id, clock: Callable[[], str] = now
) -> Fault:
    """Return a fault with a correlation id and a timestamp; its own, where it has them."""
    if fault.correlation_id is not None and fault.timestamp is not None:
        return fault
    return replace_fields(fault, correlation_id=fault.correlation_id or new_id(), timestamp=fault.timestamp or clock())


def replace_fields(fault: Fault, **fields: Unpack[_FieldsInOrder]) -> Fault:
    """Return a copy of a Fault with fields that are in order already; `dataclasses.replace` would read them all again."""
    copy = object.__new__(Fault)
    for put, value in zip(_PUT, _TAKE(fault), strict=True):
        put(copy, value)
    for name, value in fields.items():
        object.__setattr__(copy, name, value)
    return copy


def _shallow_copy(given: object) -> dict[str, object]:
    """Copy a dict as far as it takes to look up a key; what is no dict, or has odd keys, is made JSON first."""
    if type(given) is not dict:
        return jsonable_object(given)
    copy = dict(cast("dict[object, object]", given))
    return cast("dict[str, object]", copy) if all(type(key) is str for key in copy) else jsonable_object(copy)


def _set(instance: object, **fields: object) -> None:
    for name, value in fields.items():
        object.__setattr__(instance, name, value)  # A frozen dataclass is still soft while it is made.


def _coerce_fields(instance: object, readers: Mapping[str, Callable[[object], object]]) -> None:
    """Read the given fields as what they should be; None is in order, and most fields are None."""
    for name, read in readers.items():
        given = getattr(instance, name)
        if given is not None and (value := read(given)) is not given:
            object.__setattr__(instance, name, value)


def _is_empty(data: object) -> bool:
    return type(data) is dict and not data


def _is_plain(text: object) -> bool:
    return type(text) is str and text.isascii()


def _issue(value: object) -> FieldIssue:
    """Return a value as an issue; one that is none is at least a problem."""
    if is_a(value, FieldIssue):
        return value
    plain = jsonable(value)
    members = as_object(plain)
    if {"field", "problem"} <= members.keys():
        return FieldIssue(text_of(members["field"]), text_of(members["problem"]), text_or_none(members.get("expected")))
    return FieldIssue("", text_of(plain))


def _recovery_or_none(value: object) -> Recovery | None:
    """Return a value as a Recovery; a text is its hint."""
    if value is None:
        return None
    recovery = value if is_a(value, Recovery) else Recovery(hint=text_or_none(value))
    return recovery if recovery != NO_RECOVERY else None


# fmt: off
_RECOVERY_FIELDS: dict[str, Callable[[object], object]] = {
    "hint":          text_or_none,
    "hint_class":    partial(known_word, RecoveryHint),
    "fallback_tool": tool_name_or_none,
    "verify_tool":   tool_name_or_none,
    "user_message":  text_or_none,
}
_FAULT_FIELDS: dict[str, Callable[[object], object]] = {
    "retry":          partial(known_word, Retry),
    "retry_after_ms": wait_ms,
    "reason":         text_or_none,
    "field":          text_or_none,
    "recovery":       _recovery_or_none,
    "http_status":    http_status_or_none,
    "origin":         text_or_none,
    "correlation_id": text_or_none,
    "timestamp":      timestamp_or_none,
}
# fmt: on
"""How a field is read that may have been given as anything."""

_NAMES = tuple(each.name for each in dataclasses.fields(Fault))
_TAKE: Callable[[Fault], tuple[object, ...]] = attrgetter(*_NAMES)
_PUT = tuple(cast("MemberDescriptorType", vars(Fault)[name]).__set__ for name in _NAMES)

NO_RECOVERY: Recovery = Recovery()
"""What stands for a Recovery where none is known."""
