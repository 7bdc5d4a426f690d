"""An agent of twenty lines before servers whose upstreams go wrong: is the work done once, and nobody asked in vain?"""

import importlib
import threading
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import count
from typing import Any

import httpx2
import pytest
from mcp import Client
from support.paused_time import be_patient
from support.scripted_agent import (
    BREAKS_OFF,
    GARBAGE,
    HANGS_UP,
    LONGEST_S,
    LOOP,
    SECRETS,
    Agent,
    Clock,
    Restarted,
    Unreliable,
    Way,
    served,
    status,
)
from upstreams import Upstream

from errata.client import AskUser, Caller, FixArguments, Stop, TellModel, UseTool
from errata.resilience import Breaker, retry

pytestmark = pytest.mark.anyio

MOST_STEPS = 12
DONE, ASKS, STOPS = "done", "asks", "stops"
numbers = count(1)


@pytest.fixture(autouse=True)
def patiently(monkeypatch):
    """Let every list of tools have its time."""
    be_patient(monkeypatch)


@dataclass(frozen=True)
class Errand:
    """A piece of work for an agent, and how often it was done by the books of the upstream."""

    server: str
    agent: Callable[[int], Agent]
    times_done: Callable[[Any, int], int] | None = None
    """None for what is only read."""
    is_blind: bool = False
    """Whether nobody but a person can find out if it was done, or decide that twice does no harm."""


def books(upstream, name):
    return getattr(importlib.import_module(f"upstreams.{upstream}"), name)


def service():
    return books("order_service", "order_service")


def order(number):
    lines = [{"sku": "MUG-1", "quantity": 1}]
    return {"reference": f"PO-{number}", "customer": {"email": "bo@example.org"}, "lines": lines}


def orders_made(_, number):
    return sum(each["reference"] == f"PO-{number}" for each in books("storefront", "_orders").values())


# fmt: off
ERRANDS = {
    "pay": Errand("order_recovery",
        lambda _: Agent("pay_order", {"order_id": "ord-1"}, is_done=lambda told: told["payments"] == 1),
        lambda *_: service().payments["ord-1"]),
    "refund": Errand("order_recovery",
        lambda _: Agent("refund_order", {"order_id": "ord-2"}, is_done=lambda told: told["refunds"] == 1),
        lambda *_: service().refunds["ord-2"]),
    "give money back for what cannot be cancelled": Errand("order_recovery",
        lambda _: Agent("cancel_order", {"order_id": "ord-2"}),
        lambda *_: service().refunds["ord-2"]),
    "order as many as there are": Errand("order_recovery",
        lambda _: Agent("update_quantity", {"order_id": "ord-1", "quantity": 50}),
        lambda *_: service()._orders["ord-1"].quantity == 10),
    "make an order": Errand("order_operations",
        lambda n: Agent("create_order", {"order": order(n)}, {"find_orders": {"reference": f"PO-{n}"}},
                        is_done=lambda told: bool(told["result"])),
        orders_made),
    "make an order with a key": Errand("order_operations",
        lambda n: Agent("create_order", {"order": order(n), "idempotency_key": f"key-{n}"}),
        orders_made),
    "correct the stock": Errand("order_operations",
        lambda _: Agent("adjust_inventory", {"sku": "MUG-1", "by": 5}, {"get_inventory": {"sku": "MUG-1"}},
                        is_done=lambda told: told["available"] == 45),
        lambda *_: (books("storefront", "_stock")["MUG-1"] - 40) // 5),
    "ship": Errand("order_operations",
        lambda _: Agent("fulfill_order", {"order_id": "1001"}, is_done=lambda told: told["state"] == "shipped"),
        lambda *_: books("storefront", "_orders")["1001"]["state"] == "shipped"),
    "make a picture": Errand("napkin_visuals",
        lambda _: Agent("create_visual", {"content": "Two boxes and an arrow"}),
        lambda upstream, _: upstream.made["v1/visual"], is_blind=True),
    "book a berth": Errand("harbor_berths",
        lambda _: Agent("book_berth", {"harbor": "Nyhavn", "nights": 2}),
        lambda upstream, _: upstream.made["bookings"], is_blind=True),
    "list orders": Errand("order_recovery", lambda _: Agent("list_orders", {"user_id": "ada"})),
    "look up an order": Errand("order_operations", lambda _: Agent("get_order", {"order_id": "1002"})),
    "ask for a picture": Errand("napkin_visuals", lambda _: Agent("visual_status", {"visual_id": "visual-17"})),
    "search patterns": Errand("pattern_library", lambda _: Agent("search_patterns", {"query": "retry"})),
    "search articles": Errand("pubmed_articles", lambda _: Agent("pubmed_search_articles", {"term": "sepsis"})),
    "find a berth": Errand("harbor_berths", lambda _: Agent("find_berths", {"harbor": "Nyhavn"})),
}
# fmt: on
NOT_TAKEN_ON = [status(429, 17), status(503)]
NOBODY_KNOWS = [status(504), HANGS_UP, BREAKS_OFF]
NOBODY_KNOWS += [way.after_the_work() for way in (status(500), HANGS_UP, BREAKS_OFF)]
FOR_A_PERSON = [status(401)]
UNREADABLE = [GARBAGE, GARBAGE.after_the_work()]
SEE_NO_WAY_OUT = {"napkin_visuals", "pattern_library", "pubmed_articles", "harbor_berths"}
"""Servers that call an answer without sense a failure for good, as their documents do, or as they know no better."""
REFUSED_THE_SECOND_TIME = {"ship"}
"""What was done before the answer was lost is repeated, as it may be, and refused: so the agent is told that it is done."""


def expected(name, way):
    """Say how an errand has to end if its first request goes wrong, and how often it has to be done then."""
    errand = ERRANDS[name]
    asks = way in FOR_A_PERSON or (way in NOBODY_KNOWS and errand.is_blind)
    stops = (way in UNREADABLE and errand.server in SEE_NO_WAY_OUT) or (
        way in NOBODY_KNOWS and way.is_done and name in REFUSED_THE_SECOND_TIME
    )
    end = ASKS if asks else STOPS if stops else DONE
    return end, None if errand.times_done is None else int(end == DONE or way.is_done)


@pytest.fixture(scope="module")
def patch():
    with pytest.MonkeyPatch.context() as patch:
        yield patch


@pytest.fixture(scope="module")
def clock():
    return Clock()


@pytest.fixture(scope="module")
async def places(patch, clock, tmp_path_factory):
    patch.setenv("READING_LISTS", str(tmp_path_factory.mktemp("lists")))
    async with served(patch, clock) as places:
        yield places


@pytest.fixture(scope="module")
async def clients(places):
    async with AsyncExitStack() as stack:
        yield {name: await stack.enter_async_context(Client(place.url)) for name, place in places.items()}


@pytest.fixture
def begin_anew(clock):
    """Close the circuits, and put the upstreams' books back."""

    def begin_anew():
        Breaker.reset_all()
        service().start_over()
        books("storefront", "_stock")["MUG-1"] = 40
        books("storefront", "_orders")["1001"]["state"] = "paid"
        books("napkin", "_polls")["visual-17"] = 0
        importlib.import_module("order_recovery").last_known.clear()
        clock.waits = 0

    yield begin_anew
    begin_anew()


def policy(clock):
    return retry(sleep=clock.sleep, clock=clock, budget=None)


def ending(end):
    return ASKS if isinstance(end, AskUser) else STOPS if isinstance(end, Stop) else DONE


@pytest.fixture
def run(begin_anew, clients, places, clock):
    """Send an agent on an errand, while the upstream goes wrong; gives the end, how often it was done, and the agent."""

    async def run(errand, *script, always=None, opened=None):
        begin_anew()
        if opened is not None:
            for _ in range(5):
                with pytest.raises(ConnectionRefusedError):
                    opened.call(_refuse)
        number, upstream = next(numbers), places[errand.server].upstream
        agent = errand.agent(number)
        upstream.tell(*script, always=always)
        end = await agent.run(Caller(clients[errand.server], retry=policy(clock)), clock.sleep)
        times_done = None if errand.times_done is None else int(errand.times_done(upstream, number))
        assert len(agent.steps) + clock.waits <= MOST_STEPS
        assert not [secret for secret in SECRETS for line in agent.seen if secret in line]
        return end, times_done, agent

    return run


@pytest.mark.parametrize("name", ERRANDS)
async def test_the_work_is_done_once_and_a_person_is_asked_what_only_a_person_knows(run, name):
    is_read = ERRANDS[name].times_done is None
    ways = [*NOT_TAKEN_ON, *NOBODY_KNOWS, *FOR_A_PERSON, *UNREADABLE]
    ends = {}
    for way in ways:
        if not (is_read and way.is_done):  # To read is to do nothing.
            end, times_done, _ = await run(ERRANDS[name], way)
            ends[way] = ending(end), times_done

    assert ends == {way: expected(name, way) for way in ends}


@pytest.mark.parametrize("name", ["pay", "make an order", "search patterns"])
async def test_an_outage_is_waited_out_for_a_while_and_then_told(run, name):
    errand = ERRANDS[name]
    nothing = None if errand.times_done is None else 0

    end, times_done, agent = await run(errand, always=status(503))
    assert (ending(end), times_done) == (STOPS, nothing)
    made = 3 if nothing == 0 else 6  # What was read is tried once more by the agent itself.
    assert end.reason.startswith(f"The same call was made {made} times: ")
    assert agent.steps == ([] if nothing == 0 else [TellModel(agent.steps[0].message)])

    end, times_done, _ = await run(errand, *[status(503)] * 2)
    assert (ending(end), times_done) == (DONE, None if nothing is None else 1)


async def test_one_trouble_after_the_other_still_pays_once(run):
    troubles = [status(503), HANGS_UP, status(429, 17), BREAKS_OFF, status(500)]

    end, times_done, agent = await run(ERRANDS["pay"], *troubles)

    assert (ending(end), times_done) == (DONE, 1)
    assert {type(step) for step in agent.steps} <= {UseTool, TellModel, type(None)}


def _refuse():
    raise ConnectionRefusedError


async def test_a_payment_waits_until_the_circuit_closes_again(run, clock):
    begun_s = clock()

    end, times_done, _ = await run(ERRANDS["pay"], opened=importlib.import_module("asking_orders").orders)

    assert (ending(end), times_done) == (DONE, 1)
    assert clock() - begun_s >= 60


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (Agent("pay_order", {"order_id": "ord-4"}), "Please add 65.00 before you pay."),
        (Agent("refund_order", {"order_id": "ord-3"}), "The shop's support decides about exceptions."),
    ],
)
async def test_money_and_exceptions_are_for_a_person(run, agent, words):
    end, times_done, _ = await run(
        Errand("order_recovery", lambda _: agent, lambda upstream, _: sum(upstream.made.values()))
    )

    assert (ending(end), times_done) == (ASKS, 0)
    assert end.message.endswith(words)


async def test_what_a_tool_asks_is_asked(run):
    end, _, agent = await run(Errand("pattern_library", lambda _: Agent("search_patterns", {})))

    assert (ending(end), end.fields, agent.steps) == (ASKS, ("query",), [])


async def test_wrong_arguments_are_mended_by_the_model_and_others_given_up(run):
    mended = Agent("fetch_articles", {"pmids": ["99999999"]}, mends={"pmids": ["38052148"]})
    end, _, _ = await run(Errand("pubmed_articles", lambda _: mended), status(503))
    assert end.structured_content["articles"]
    assert [type(step) for step in mended.steps] == [FixArguments, type(None)]

    stubborn = Agent("fetch_articles", {"pmids": ["99999999"]})
    end, _, _ = await run(Errand("pubmed_articles", lambda _: stubborn))
    assert (ending(end), len(stubborn.steps)) == (STOPS, 2)


@pytest.mark.parametrize("is_done", [False, True])
async def test_an_upstream_that_hangs_is_looked_after_before_money_is_moved_again(run, monkeypatch, is_done):
    """However long this machine takes: who has lost patience once more looks once more."""
    over = threading.Event()
    hangs = Way("hangs", lambda: over.wait(LONGEST_S) and None, is_done=is_done)
    async with httpx2.AsyncClient(timeout=1) as impatient:
        monkeypatch.setattr(importlib.import_module("asking_orders"), "http", impatient)
        try:
            end, times_done, agent = await run(ERRANDS["pay"], hangs)
        finally:
            over.set()

    assert (ending(end), times_done) == (DONE, 1)
    assert UseTool in map(type, agent.steps)


async def test_a_server_that_dies_after_the_work_was_done_has_done_it_once(clock):
    """With a key in its arguments, an order may be repeated as soon as somebody has started the server again."""
    shop, number = books("storefront", "storefront"), next(numbers)
    upstream = Unreliable(shop)
    with (
        Upstream(upstream) as api,
        Restarted("order_operations", STOREFRONT_URL=api.url, STOREFRONT_API_KEY="x") as server,
    ):
        upstream.tell(Way("dies", server.die, is_done=True))
        agent = ERRANDS["make an order with a key"].agent(number)

        async def sleep(seconds):
            server.start()
            await clock.sleep(seconds)

        again = retry(sleep=sleep, clock=clock, budget=None)
        async with Caller.connect(server.url, retry=again) as caller:
            end = await agent.run(caller, sleep)

    assert (ending(end), orders_made(None, number)) == (DONE, 1)


def test_the_loop_has_no_more_than_twenty_lines():
    assert len(LOOP.strip().splitlines()) <= 20
