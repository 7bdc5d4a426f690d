"""Circuits in the memory of one process."""

import time
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from typing import Protocol, TypeVar

from errata.resilience._circuit import Limits
from errata.resilience._memory_circuit import Clock, MemoryCircuit
from errata.resilience._recent import Recent


class MemoryStore:
    """Keeps circuits in memory: every process protects itself.

    `clock` measures, `wall_clock` tells the time of day. Tests give their own. A circuit is kept as long as somebody
    uses it, and those that were asked for last beyond that.
    """

    def __init__(self, *, clock: Clock = time.monotonic, wall_clock: Clock = time.time) -> None:
        self._clock = clock
        self._wall_clock = wall_clock
        self._circuits: Recent[MemoryCircuit] = Recent()

    def circuit(self, upstream: str, limits: Limits) -> MemoryCircuit:
        """Give the circuit of an upstream; the same one to everybody who asks for it."""
        make = partial(MemoryCircuit, upstream, limits, clock=self._clock, wall_clock=self._wall_clock)
        return circuit_with(limits, upstream, self._circuits, make)

    def reset(self) -> None:
        """Close all circuits and forget what they have seen, so that a test begins as a new process does."""
        self._circuits.forget_unused()
        for circuit in self._circuits.all():
            circuit.reset()


class _Limited(Protocol):
    limits: Limits


_C = TypeVar("_C", bound=_Limited)


def circuit_with(limits: Limits, upstream: str, circuits: Recent[_C], make: Callable[[], _C]) -> _C:
    """Give the circuit of an upstream. One that nobody uses makes way for one with other limits."""
    if circuits.get(upstream, make).limits != limits:
        circuits.forget_unused(upstream)
    circuit = circuits.get(upstream, make)
    _refuse_other_limits(upstream, circuit.limits, limits)
    return circuit


def _refuse_other_limits(upstream: str, known: Limits, limits: Limits) -> None:
    """Refuse to give an upstream in use two sets of limits."""
    for each in fields(Limits):
        had, given = getattr(known, each.name), getattr(limits, each.name)
        if had != given:
            raise ValueError(
                f"`{upstream}` has a circuit already, with `{each.name}` {had:g}; here it is {given:g}. "
                f"Give the same limits everywhere, or keep this circuit in a store of its own."
            )
