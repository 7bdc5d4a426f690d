"""The next step that a server tells: what somebody wrote, or a tool that exists."""

import pytest
from serving.three_servers import MAKERS, connected

import errata
from errata import Code, Contract, Failure, raises, register
from errata.resilience import Breaker

pytestmark = pytest.mark.anyio
HINT = "Call `list_flights` and choose another flight."


class BookErrors(Contract):
    no_flight = Failure(
        Code.NOT_FOUND,
        when="There is no such flight",
        recovery="Call list_flight to see which exist, and use `search_dates` for others.",
    )


async def list_flights(search_dates: list[str]) -> list[str]:
    return search_dates


@raises(BookErrors)
async def take(flight: str) -> str:
    raise BookErrors.no_flight(f"There is no flight {flight}.")


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


async def list_tools(server, times):
    async with connected(server) as client:
        for _ in range(times):
            await client.list_tools()


async def test_a_recovery_that_names_no_tool_is_logged_once(kind, caplog):
    server = MAKERS[kind](list_flights, take)
    errata.install(server, contracts={"take": BookErrors} if kind == "Server" else None)

    await list_tools(server, 3)

    logged = [(record.levelname, record.getMessage()) for record in caplog.records if record.name == "errata"]
    complaint = (
        "Reason `no_flight` of tool `take` names the tool `list_flight`, which the server does not list. "
        "Did you mean `list_flights`?"
    )
    assert logged == [("ERROR", complaint)]


async def test_a_breaker_that_sends_callers_to_no_tool_is_logged_once(kind, caplog):
    server = MAKERS[kind](list_flights)
    errata.install(server, breaker={"list_flights": Breaker("airline", fallback_tool="archive")})

    await list_tools(server, 2)

    logged = [record.getMessage() for record in caplog.records if record.name == "errata"]
    assert logged == ["The breaker `airline` names the tool `archive`, which the server does not list."]
