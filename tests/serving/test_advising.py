"""The next step that a server tells: what somebody wrote, or a tool that exists."""

import pytest
from serving.three_servers import MAKERS, connected

import errata
from errata import Code, register

pytestmark = pytest.mark.anyio
HINT = "Call `list_flights` and choose another flight."


async def book() -> str:
    raise RuntimeError("No seats left on flight 7")


@pytest.fixture
def taught():
    take_back = register(pattern="no seats left", code=Code.CONFLICT, recovery=HINT)
    yield
    take_back()


@pytest.mark.usefixtures("taught")
async def test_a_way_out_that_was_registered_is_told_every_time(kind):
    server = MAKERS[kind](book)
    errata.install(server)

    async with connected(server) as client:
        answers = [(await client.call_tool("book", {})).structured_content["error"] for _ in range(2)]
    assert [answer["recovery"] for answer in answers] == [{"hint": HINT}] * 2


@pytest.mark.usefixtures("taught")
async def test_a_way_out_that_was_registered_is_told_in_003s_words(kind):
    server = MAKERS[kind](book)
    errata.install(server, dialect="json-rpc")

    async with connected(server) as client:
        answer = await client.call_tool("book", {})
    assert answer.structured_content["error"]["data"]["recovery"] == {"hint": HINT}
