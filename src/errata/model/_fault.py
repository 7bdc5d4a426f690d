"""One failure, and the exceptions that carry it.

Exception
├── FaultError          carries a Fault
│   └── AdapterError    … that an adapter knows by an identifier of its own (001)
└── NeedsInput          is no failure: the tool asks before it acts (002; `_needs_input.py`)
"""

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from operator import attrgetter
from types import MemberDescriptorType
from typing import Final, Protocol, Self, TypedDict, Unpack, cast

from errata.model._codes import Code, RecoveryHint, Retry, verdict
from errata.model._identity import new_correlation_id, now
from errata.model._values import (
    code_or_none,
    http_status_or_none,
    is_a,
    items_of,
    known_word,
    text_or_none,
    timestamp_or_none,
    tool_name_or_none,
)
from errata.model._waits import wait_ms
from errata.redaction import (
    LONGEST_SHOWN,
    as_object,
    jsonable,
    jsonable_object,
    make_redacted_repr,
    redact_within,
    text_of,
)

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
    """Machine-readable steps, as 004 has them: `verify_resource_id`."""
    fallback_tool: str | None = None
    """A tool that reaches the same goal in another way. What cannot be the name of a tool is dropped, here and below."""
    verify_tool: str | None = None
    """A tool that tells whether the call took effect."""
    corrective_params: Mapping[str, object] = dataclasses.field(default_factory=dict[str, object], hash=False)
    """Arguments that would have worked."""
    user_message: str | None = None
    """What to tell the person behind the agent."""

    def __post_init__(self) -> None:
        _put_in_order(self, _RECOVERY_FIELDS)
        if self.actions is not _NONE:
            _set(self, actions=tuple(filter(None, map(text_or_none, items_of(self.actions)))))
        params = self.corrective_params
        _set(self, corrective_params={} if _is_nothing(params) else jsonable_object(params))

    def __repr__(self) -> str:
        return make_redacted_repr(self)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One failure: what happened, whether the same call may be repeated, and what to do next.

    A Fault puts itself in order when it is made, so building one never fails. `data` is copied and made
    plain JSON; it is there to be read, and to change it is to make another Fault with `dataclasses.replace`. The keys
    of `data` that 003 reserves (`reason`, `recovery.hint`, `retryable`, `retryAfter`) move into the fields they stand
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
        _put_in_order(self, _FAULT_FIELDS)
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
        self._take_over(self.data)
        if self.retry is _UNDECIDED:
            self._decide()

    def _decide(self) -> None:
        """Take the table's verdict; who advises to retry later has said that the call may be repeated."""
        own = verdict(self.code, http_status=self.http_status)
        advised = self.recovery is not None and self.recovery.hint_class is RecoveryHint.RETRY_LATER
        if advised and not own.retryable:
            _set(self, retry=verdict(self.code, http_status=self.http_status, flag=True), retry_declared=True)
        else:
            _set(self, retry=own)

    def _take_over(self, given: object) -> None:
        """Copy the data. 003's reserved keys go to their fields; a value of the wrong kind stays where it is."""
        data: dict[str, object] = {} if _is_nothing(given) else _shallow_copy(given)
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
            self._obey(told=verdict(self.code, http_status=self.http_status, flag=flag))
        if (wait := wait_ms(data.get("retryAfter"), unit_ms=1000)) is not None:
            del data["retryAfter"]
            _set(self, retry_after_ms=wait if self.retry_after_ms is None else self.retry_after_ms)
        _set(self, data=jsonable_object(data))

    def _obey(self, told: Retry) -> None:
        """Let the data's own flag decide, unless a person did or it would say more than the verdict that was given."""
        if not self.retry_declared and (self.retry is _UNDECIDED or not told.exceeds(self.retry)):
            _set(self, retry=told, retry_declared=True)


_RESERVED = frozenset({"reason", "recovery", "retryable", "retryAfter"})


class FaultFields(TypedDict, total=False):
    """The fields of a Fault that may be given by keyword wherever one is raised."""

    retry: Retry
    retry_declared: bool
    retry_after_ms: int | None
    reason: str | None
    field: str | None
    issues: Iterable[FieldIssue]
    recovery: Recovery | None
    http_status: int | None
    origin: str | None
    correlation_id: str | None
    timestamp: str | None


class CodeWord(Protocol):
    """A word that stands for a code: a member of a dialect's enumeration, or of your own."""

    @property
    def code(self) -> Code:
        """The code it stands for."""
        ...


class FaultError(Exception):
    """An exception that carries a Fault: raise it, and the client is told everything in it.

        raise FaultError(Code.NOT_FOUND, "No order 17.", {"order": 17}, recovery=Recovery(hint="…"))

    The text is the message, without secrets. A verdict given here (`retry=…`) counts as declared by a person. A dialect's word
    (`JsonRpcErrorCode.NotFound`) is taken for the code that it is read as.
    """

    fault: Fault
    is_classified: bool = False
    """Whether errata made it of its cause, as `guard` and `retry` do: its words are those of the cause."""
    is_hearsay: bool = False
    """Whether only words say what it is, which anybody may have written: they prove nothing about an upstream."""

    def __init__(
        self,
        code: Code | CodeWord,
        message: str = "",
        data: object = None,
        *,
        cause: object = None,
        **fields: Unpack[FaultFields],
    ) -> None:
        fault = _fault(code, message, data, fields)
        super().__init__(fault.message)
        self.fault = fault
        _chain(self, cause)

    @classmethod
    def from_fault(cls, fault: Fault, *, cause: object = None) -> Self:
        """Wrap a Fault that exists already, unchanged."""
        error = Exception.__new__(cls, fault.message)
        error.fault = fault
        _chain(error, cause)
        return error

    @property
    def code(self) -> Code:
        """The code of the fault."""
        return self.fault.code

    def __str__(self) -> str:
        return redact_within(super().__str__(), LONGEST_SHOWN)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return _revive, (type(self), self.fault), self.__dict__


class AdapterError(FaultError):
    """A backend's own failure, known by the identifier its adapter gives it (001).

        raise AdapterError("ORDER_NOT_FOUND", "There is no order 17.")

    Such a failure is a fact about the domain, so without a `code` that says more it is not called retryable,
    unless `retry=` or `data["retryable"]` says so.
    """

    def __init__(
        self,
        identifier: str,
        message: str = "",
        data: object = None,
        *,
        code: Code | CodeWord = Code.UPSTREAM_ERROR,
        cause: object = None,
        **fields: Unpack[FaultFields],
    ) -> None:
        fields["origin"] = identifier
        super().__init__(code, message, data, cause=cause, **fields)
        if not self.fault.retry_declared and self.fault.code is Code.UPSTREAM_ERROR:
            self.fault: Fault = dataclasses.replace(self.fault, retry=Retry.NEVER)


def made_of(cause: BaseException, fault: Fault, *, is_hearsay: bool = False) -> FaultError:
    """Return an exception that carries what errata made of another one, and says whose words those are."""
    error = FaultError.from_fault(fault, cause=cause)
    error.is_classified = cause.is_classified if is_a(cause, FaultError) else True
    error.is_hearsay = is_hearsay
    return error


def identified(
    fault: Fault, *, new_id: Callable[[], str] = new_correlation_id, clock: Callable[[], str] = now
) -> Fault:
    """Give a Fault the correlation id and the timestamp it lacks."""
    if fault.correlation_id is not None and fault.timestamp is not None:
        return fault
    return dataclasses.replace(
        fault,
        correlation_id=fault.correlation_id or new_id(),
        timestamp=fault.timestamp or clock(),
    )


def rewritten(fault: Fault, **fields: object) -> Fault:
    """Copy a Fault with fields that are in order already; `dataclasses.replace` would read all of them again."""
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


def _fault(code: Code | CodeWord, message: str, data: object, fields: FaultFields) -> Fault:
    given: dict[str, object] = {"retry_declared": known_word(Retry, fields.get("retry")) is not None, **fields}
    given["correlation_id"] = text_or_none(given.get("correlation_id")) or new_correlation_id()
    given["timestamp"] = timestamp_or_none(given.get("timestamp")) or now()
    build = cast("Callable[..., Fault]", Fault)
    return build(code=code, message=message, data=data, **given)


def _revive(kind: type[FaultError], fault: Fault) -> FaultError:
    return kind.from_fault(fault)


def _chain(error: BaseException, cause: object) -> None:
    """Set the cause as `raise … from …` does; one that is no exception becomes a note."""
    if is_a(cause, BaseException):
        error.__cause__ = cause
    elif cause is not None:
        error.add_note(f"Cause: {text_of(cause)}")


def _set(instance: object, **fields: object) -> None:
    for name, value in fields.items():
        object.__setattr__(instance, name, value)  # A frozen dataclass is still soft while it is made.


def _put_in_order(instance: object, readers: Mapping[str, Callable[[object], object]]) -> None:
    """Read the fields that were given as what they should be; None is in order, and most fields are None."""
    for name, read in readers.items():
        given = getattr(instance, name)
        if given is not None and (value := read(given)) is not given:
            object.__setattr__(instance, name, value)


def _is_nothing(data: object) -> bool:
    """Whether there is nothing to copy and to put in order; most errors have no data."""
    kind: object = type(data)
    return kind is dict and not data


def _issue(value: object) -> FieldIssue:
    """Take a value for an issue; one that is none is at least a problem."""
    if is_a(value, FieldIssue):
        return value
    plain = jsonable(value)
    members = as_object(plain)
    if {"field", "problem"} <= members.keys():
        return FieldIssue(text_of(members["field"]), text_of(members["problem"]), text_or_none(members.get("expected")))
    return FieldIssue("", text_of(plain))


def _recovery_or_none(value: object) -> Recovery | None:
    """Take a value for a Recovery; a text is its hint."""
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
