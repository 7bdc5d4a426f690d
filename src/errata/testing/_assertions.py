"""What a test asserts: how a call fails, and that the advice of a server can be followed."""

from collections.abc import Iterator
from typing import NamedTuple

from errata._install import adapter_for, find_installation
from errata.contracts import Failure
from errata.http import status_to_code
from errata.model import Code, Fault, did_you_mean, known_word
from errata.redaction import redact_within
from errata.testing._observed import LONGEST_GLIMPSE, ObservedFailure, describe_instead, observe

_ANYTHING = "x"


def assert_fails(
    outcome: object,
    expected: Failure | Code | str | None = None,
    *,
    message: str | None = None,
    field: str | None = None,
    retryable: bool | None = None,
) -> Fault:
    """Assert that a call failed, and how; return its Fault for further checks.

        fault = assert_fails(await call_tool(server, "fetch_articles", {"pmids": []}), FetchErrors.no_match)

    `outcome` is a tool's result, as an object or as JSON, or an exception. `expected` is a failure of a contract, a code, a
    reason, or None for any failure. `message` is a part of the message, `field` the argument at fault. Everything is
    compared as an agent reads it; what the dialect cannot express is not compared.
    """
    __tracebackhide__ = True
    wanted = _parse_expected(expected)
    seen = observe(outcome)
    if seen is None:
        raise AssertionError(f"Expected {wanted}, but {describe_instead(outcome)}")
    problems = [*_compare_kind(seen, wanted), *_compare_details(seen, message, field, retryable=retryable)]
    if problems:
        raise AssertionError("\n".join([*problems, f"The agent reads ({seen.language}):", seen.text]))
    return seen.fault


class _Kind(NamedTuple):
    """The kind of a failure: its code, its reason, both or neither."""

    code: Code | None
    reason: str | None

    def __str__(self) -> str:
        if self.reason is None:
            return self.code or "a failure"
        return f"`{self.reason}` ({self.code})" if self.code else f"the reason `{self.reason}`"


def _parse_expected(expected: Failure | Code | str | None) -> _Kind:
    if isinstance(expected, Failure):
        return _Kind(expected.code, expected.reason or None)
    code = known_word(Code, expected)
    return _Kind(code, None if code else expected)


def _compare_kind(seen: ObservedFailure, wanted: _Kind) -> Iterator[str]:
    """Yield a problem if the code or the reason differs, as far as the dialect expresses them."""
    fault = seen.fault
    code, reason = wanted
    reason_sent = seen.round_trip(Fault(code=code or fault.code, reason=reason)).reason
    if (code and not _may_be(code, seen)) or (reason and reason_sent != fault.reason):
        came = _Kind(fault.code, fault.reason)
        yield " ".join([f"Expected {wanted}, but the call failed with {came}.", *_advise(seen, reason)])
    elif reason and not code and not reason_sent:
        yield (
            f"Expected {wanted}, but the dialect `{seen.language}` has no place for a reason. "
            "Give the failure itself, as in `FetchErrors.no_match`, and its code is compared."
        )


def _compare_details(
    seen: ObservedFailure, message: str | None, field: str | None, *, retryable: bool | None
) -> Iterator[str]:
    fault = seen.fault
    if message is not None and message not in fault.message:
        yield f"Expected a message with {message!r} in it, but it is {redact_within(fault.message, LONGEST_GLIMPSE)!r}."
    fields = {name for name in (fault.field, *(issue.field for issue in fault.issues)) if name}
    if field is not None and field not in fields and seen.round_trip(Fault(code=fault.code, field=_ANYTHING)).field:
        about = ", ".join(f"`{name}`" for name in sorted(fields)) or "none"
        yield f"Expected the field `{field}` to be at fault, but it is {about}."
    if retryable is not None and retryable is not fault.retryable:
        yield f"Expected `retryable` to be {retryable}, but it is {fault.retryable} (`{fault.retry}`)."


def _may_be(code: Code, seen: ObservedFailure) -> bool:
    """Return whether a failure of this code looks like the observed one: a dialect has fewer words than there are codes.

    Its word also depends on the upstream's HTTP status; if that is not sent, it may have been any that means the code.
    """
    fault = seen.fault
    statuses = (fault.http_status, *(status for status in range(400, 600) if status_to_code(status) is code))
    twins = (Fault(code=code, http_status=status, origin=fault.origin) for status in statuses)
    return fault.code is code or any(seen.round_trip(twin).code is fault.code for twin in twins)


def _advise(seen: ObservedFailure, reason: str | None) -> Iterator[str]:
    if seen.language == "none":
        yield "It speaks no dialect."
        yield "Call `errata.install` on the server, or give the whole result where this is the text alone."
    elif reason and (question := did_you_mean(reason, [seen.fault.reason or ""])):
        yield question


async def assert_advice_names_tools(server: object) -> None:
    """Assert that the recoveries a server declares name only tools that it lists.

        async def test_every_next_step_can_be_taken():
            await assert_advice_names_tools(server)

    The contracts of all tools, resources and prompts are checked.
    """
    __tracebackhide__ = True
    from errata.serving import find_missing_tools  # noqa: PLC0415 - it needs what the SDKs bring along.

    offers = await adapter_for(server).list_offers()
    installation = find_installation(server)
    if problems := [str(each) for each in find_missing_tools(offers, installation.setup if installation else None)]:
        raise AssertionError("\n".join(problems))
