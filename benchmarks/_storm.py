"""What the clients of one process want of a backend, how it fails, and what comes of it under a policy."""

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from typing import Self

from _virtual_time import VirtualLoop, run_all

from errata import FaultError

SECONDS = 120
CALLS_EACH = 24
"""One in every slot of five seconds, at a moment of its own: the backend is not asked by everybody at once."""
ANSWER_S = 0.02
SLOW_S = 1.0
"""A backend that is well answers sooner than this."""


@dataclass(frozen=True)
class Scenario:
    """How a backend fails."""

    name: str
    says: str
    refused: float = 0.0
    """The share of calls that it refuses; they have no effect."""
    lost: float = 0.0
    """The share of calls that it carries out, and whose answer is lost."""
    down: tuple[int, int] | None = None
    """From when until when it refuses everything."""
    headroom: float | None = None
    """How many times its normal load it can take in a second; it refuses the rest."""


SCENARIOS = (
    Scenario("1 %", "refuses 1 % of calls", refused=0.01),
    Scenario("10 %", "refuses 10 % of calls", refused=0.10),
    Scenario("50 %", "refuses 50 % of calls", refused=0.50),
    Scenario("100 %", "refuses every call", refused=1.0),
    Scenario("outage", "is down from second 30 to 60, and can take twice its normal load", down=(30, 60), headroom=2.0),
    Scenario("lost answers", "carries out every order, and the answers to 10 % are lost", lost=0.10),
)


Order = Callable[[int], Awaitable[str]]
Policy = Callable[[Order, VirtualLoop, int], Order]
"""Takes what calls the backend, the loop whose clock it is to use, and a seed; returns what clients call."""


@dataclass(frozen=True)
class Outcome:
    """What came of one policy in one scenario."""

    scenario: str
    policy: str
    wanted: int
    reached: int
    """Calls that reached the backend."""
    succeeded: int
    duplicates: int
    """Effects beyond the first, of calls that wanted one."""
    peak: float | None
    """The busiest of the ten seconds after an outage, in times of the normal load."""
    well_after_s: float | None
    """How long after an outage the last call failed, or took longer than `SLOW_S`."""
    per_second: tuple[int, ...]
    """How many calls reached the backend in each second."""

    @property
    def load(self) -> float:
        return self.reached / self.wanted

    @property
    def success(self) -> float:
        return self.succeeded / self.wanted

    @classmethod
    def from_json(cls, value: dict[str, object]) -> Self:
        return cls(**{**value, "per_second": tuple(value["per_second"])})

    def as_json(self) -> dict[str, object]:
        return {**asdict(self), "per_second": list(self.per_second)}


class Backend:
    """One backend, which counts what reaches it."""

    def __init__(self, scenario: Scenario, loop: VirtualLoop, normal_load: float, seed: int) -> None:
        self._scenario = scenario
        self._loop = loop
        self._capacity = scenario.headroom and scenario.headroom * normal_load
        self._random = random.Random(seed)  # noqa: S311 - the same storm in every run.
        self.per_second: Counter[int] = Counter()
        self.effects: Counter[int] = Counter()

    async def carry_out(self, order: int) -> str:
        second = int(self._loop.time())
        self.per_second[second] += 1
        await asyncio.sleep(ANSWER_S)
        if self._refuses(second):
            raise ConnectionRefusedError("The backend refused the connection.")
        self.effects[order] += 1
        if self._random.random() < self._scenario.lost:
            raise TimeoutError("The backend did not answer in time.")
        return "done"

    def _refuses(self, second: int) -> bool:
        begin, end = self._scenario.down or (0, 0)
        if begin <= second < end or (self._capacity and self.per_second[second] > self._capacity):
            return True
        return self._random.random() < self._scenario.refused


class Client:
    """What all clients want, and how it went."""

    def __init__(self, order: Order, loop: VirtualLoop) -> None:
        self._order = order
        self._loop = loop
        self.succeeded = 0
        self.last_trouble = 0.0

    async def want(self, number: int) -> None:
        begun = self._loop.time()
        try:
            await self._order(number)
        except (OSError, FaultError):
            self.last_trouble = max(self.last_trouble, begun)
        else:
            self.succeeded += 1
            if self._loop.time() - begun > SLOW_S:
                self.last_trouble = max(self.last_trouble, begun)


def simulate(scenario: Scenario, name: str, policy: Policy, *, clients: int, seed: int = 6) -> Outcome:
    """Let the clients of one process want their calls of one backend."""
    wanted = clients * CALLS_EACH
    loop = VirtualLoop()
    backend = Backend(scenario, loop, wanted / SECONDS, seed)
    client = Client(policy(backend.carry_out, loop, seed), loop)
    random.seed(seed)  # stamina and tenacity draw their jitter here.
    run_all(loop, ((moment, client.want(number)) for number, moment in enumerate(_moments(clients, seed))))
    per_second = tuple(backend.per_second[second] for second in range(SECONDS))
    up = scenario.down and scenario.down[1]
    return Outcome(
        scenario=scenario.name,
        policy=name,
        wanted=wanted,
        reached=backend.per_second.total(),
        succeeded=client.succeeded,
        duplicates=backend.effects.total() - len(backend.effects),
        peak=up and round(max(per_second[up : up + 10]) / (wanted / SECONDS), 2),
        well_after_s=up and round(max(client.last_trouble - up, 0), 1),
        per_second=per_second,
    )


def _moments(clients: int, seed: int) -> list[float]:
    """When each call is wanted, whatever came of the ones before."""
    drawn = random.Random(seed)  # noqa: S311 - as above.
    slot = SECONDS / CALLS_EACH
    return [(call + drawn.random()) * slot for _ in range(clients) for call in range(CALLS_EACH)]
