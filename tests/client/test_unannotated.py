"""A server that says nothing of what its tools do, as most: is what was only read told, and what was done looked at first?"""

import itertools
from contextlib import asynccontextmanager

import anyio
import pytest
from support.paused_time import SkippingLoop, skip
from support.scripted_agent import pursue

from errata.client import AskUser, CallFailed, Repeat, TellModel, UseTool, decide

pytestmark = pytest.mark.anyio

WAYS = list(itertools.product(("stdio", "HTTP"), ("legacy", "auto")))
DIAGONAL = [("stdio", "auto"), ("HTTP", "legacy")]  # Each transport and each era once; all four below, with a write.
LIMIT_S = 60


@pytest.fixture
def anyio_backend():
    return "asyncio", {"loop_factory": SkippingLoop}


@asynccontextmanager
async def impatient(books):
    """Let the time for a call be over as soon as the shop hangs, and no sooner."""

    async def watch():
        times = 0
        while True:
            hanging = sum(line.startswith("hangs ") for line in books.lines)
            if hanging > times:
                skip(LIMIT_S + 1)
            times = hanging
            await anyio.sleep(0.005)

    async with anyio.create_task_group() as group:
        group.start_soon(watch)
        yield
        group.cancel_scope.cancel()


class Agent:
    """A model that wants one thing done, looks where it is told to, and believes what it sees."""

    def __init__(self, caller, is_done=lambda _: True):
        self._caller, self._is_done = caller, is_done
        self.steps = []

    async def run(self, tool, arguments):
        self._call = tool, arguments
        return await pursue(self._caller, self._call, self.choose)

    async def choose(self, step, call, outcome):
        self.steps.append(step)
        match step:
            case UseTool(name, to_verify=True):
                return name, {}
            case None if call != self._call and not self._is_done(outcome):
                return self._call
        return None


def sees_order(outcome):
    return "PO-17" in str(outcome.content)


@pytest.mark.parametrize(
    ("way", "mode", "when"),
    [(*way, when) for way, when in zip(WAYS, ("hangs", "hangs_before", "hangs_before", "hangs"), strict=True)],
)
async def test_a_write_that_got_no_answer_is_looked_for_and_made_exactly_once(books, reach_shop, way, mode, when):
    books.let("create_order", when)
    async with reach_shop(way, mode, timeout_s=LIMIT_S) as caller, impatient(books):
        agent = Agent(caller, sees_order)
        end = await agent.run("create_order", {"reference": "PO-17"})
    assert agent.steps[0] == UseTool("list_orders", to_verify=True)
    assert (agent.steps[0].has_effect, agent.steps[0].is_presumed) == (False, True)
    assert agent.steps[1:] == [None] * (1 if when == "hangs" else 2)
    assert not end.is_error
    assert books.lines.count("does create_order") == 1


@pytest.mark.parametrize(("way", "mode"), DIAGONAL)
async def test_a_read_that_got_no_answer_goes_back_to_the_model(books, reach_shop, way, mode):
    books.let("get_order", "hangs")
    async with reach_shop(way, mode, timeout_s=LIMIT_S) as caller, impatient(books):
        agent = Agent(caller)
        end = await agent.run("get_order", {"order_id": 17})
    assert agent.steps == [TellModel(str(end))]
    assert str(end).startswith("This client waited 60 s for `get_order` and got no answer from `shop`.")
    assert books.lines.count("begins get_order") == 1


@pytest.mark.parametrize(("way", "mode", "tool"), [(*DIAGONAL[0], "reserve_table"), (*DIAGONAL[1], "run_report")])
async def test_where_no_tool_would_show_it_a_person_is_asked(books, reach_shop, way, mode, tool):
    """No list of tables shows a reservation, and what a report does, nobody knows."""
    books.let(tool, "hangs")
    async with reach_shop(way, mode, timeout_s=LIMIT_S) as caller, impatient(books):
        end = await Agent(caller).run(tool, {"hour": 8})
    assert isinstance(end, AskUser)
    assert end.message.endswith("Check whether it happened before it is done again.")
    assert books.lines.count(f"does {tool}") == 1


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_server_that_died_is_looked_at_with_a_tool_that_was_known(books, reach_shop, mode):
    books.let("create_order", "dies")
    async with reach_shop("stdio", mode) as caller:
        await caller.tools()
        books.let("tools", "unlisted")
        with pytest.raises(CallFailed) as caught:
            await caller.call("create_order", {"reference": "PO-17"})
    assert decide(caught.value) == UseTool("list_orders", to_verify=True)
    assert books.lines.count("does create_order") == 1


@pytest.mark.parametrize(
    ("effect", "step"),
    [
        ("read_only", Repeat(1_000)),
        ("idempotent", Repeat(1_000)),
        ("destructive", UseTool("list_orders", to_verify=True)),
    ],
)
async def test_the_word_of_the_program_says_what_is_looked_at_first(books, reach_shop, effect, step):
    books.let("create_order", "hangs")
    options = {"timeout_s": LIMIT_S, "effects": {"create_order": effect}, "retry": None}
    async with reach_shop("stdio", "auto", **options) as caller, impatient(books):
        with pytest.raises(CallFailed) as caught:
            await caller.call("create_order", {"reference": "PO-17"})
    assert caught.value.has_effect is (effect != "read_only")
    assert decide(caught.value) == step
