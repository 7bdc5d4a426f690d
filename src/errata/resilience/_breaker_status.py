"""How an upstream is doing, in words, for a health tool."""

import dataclasses
from datetime import UTC, datetime

from errata.model import Code, write_timestamp
from errata.resilience._circuit import Facts, State

# fmt: off
_RECOMMENDATIONS = {
    State.CLOSED:    "Call `{upstream}` as usual.",
    State.OPEN:      "Do not call `{upstream}` before {expected_recovery}.",
    State.HALF_OPEN: "Call `{upstream}` once to see whether it is back.",
}
_WITH_A_FALLBACK = _RECOMMENDATIONS | {
    State.OPEN:      "Do not call `{upstream}` before {expected_recovery}; use `{fallback_tool}` until then.",
    State.HALF_OPEN: "Call `{upstream}` once to see whether it is back; if it is not, use `{fallback_tool}`.",
}
# fmt: on


@dataclasses.dataclass(
    frozen=True, kw_only=True
)  # No slots: MCPServer takes them for defaults, and a tool returns this.
class BreakerStatus:
    """What a breaker knows about its upstream; moments are in ISO 8601, UTC."""

    upstream: str
    state: State
    failure_rate: float
    """The share of failures among the answers within the window: 0.0 to 1.0."""
    failures: int
    """Failures within the window."""
    calls: int
    """Answers within the window that say something about the upstream."""
    last_success: str | None
    last_failure: str | None
    last_failure_code: Code | None
    since: str | None
    """When it opened; None while it is closed."""
    expected_recovery: str | None
    """When it will be tried again; None while it is closed."""
    fallback_tool: str | None
    recommendation: str
    """One sentence: what to do about it."""

    def as_dict(self) -> dict[str, object]:
        """Return it as plain JSON, for a tool to return."""
        members: dict[str, object] = dataclasses.asdict(self)
        members["state"] = self.state.value
        members["last_failure_code"] = self.last_failure_code and self.last_failure_code.value
        return members


def describe_circuit(upstream: str, facts: Facts, fallback_tool: str | None) -> BreakerStatus:
    """Return what is known about a circuit, with one sentence of advice."""
    expected = write_moment(facts.expected_recovery)
    recommendations = _WITH_A_FALLBACK if fallback_tool else _RECOMMENDATIONS
    return BreakerStatus(
        upstream=upstream,
        state=facts.state,
        failure_rate=round(facts.failures / facts.calls, 4) if facts.calls else 0.0,
        failures=facts.failures,
        calls=facts.calls,
        last_success=write_moment(facts.last_success),
        last_failure=write_moment(facts.last_failure),
        last_failure_code=facts.code,
        since=write_moment(facts.since),
        expected_recovery=expected,
        fallback_tool=fallback_tool,
        recommendation=recommendations[facts.state].format(
            upstream=upstream, expected_recovery=expected, fallback_tool=fallback_tool
        ),
    )


def write_moment(moment: float | None) -> str | None:
    """Return a moment of the Unix epoch in ISO 8601, UTC; None for None."""
    return None if moment is None else write_timestamp(datetime.fromtimestamp(moment, UTC))
