"""A failure in the words that a model reads, the same from every server."""

from typing import cast

from errata.client._failed import CallFailed
from errata.client._outcome import fault_of
from errata.dialects import native
from errata.model import with_next_step


def rendered(outcome: object) -> str:
    """Say a fault or an error as a server with errata would have; "" for what is no failure."""
    fault = fault_of(outcome)
    if fault is None:
        return ""
    is_native = isinstance(outcome, CallFailed) and outcome.dialect == native.name
    told = native.encode(fault if is_native else with_next_step(fault))
    blocks = cast("list[dict[str, str]]", told["content"])
    return blocks[0]["text"]
