"""The next step that a server tells: what somebody wrote, or a tool that exists."""

from contextvars import ContextVar

import fastmcp
import pytest
from fastmcp.server.middleware import Middleware
from support.three_servers import MAKERS, connected, fast_mcp, mcp_server

import errata
from errata import Code, Contract, Failure, Recovery, not_found, raises, register
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


async def get_order(order_id: str) -> str:
    raise RuntimeError(f"Order {order_id} not found.")


async def get_note(note_id: str) -> str:  # noqa: ARG001 - as below.
    raise RuntimeError("Not found.")


async def get_order_text(order_id: str) -> str:  # noqa: ARG001 - the words are to be the same.
    raise RuntimeError("Not found.")


async def get_bill(bill_id: str) -> str:
    raise not_found(f"There is no bill {bill_id}.")


async def get_mail(mail_id: str) -> str:
    raise not_found(f"There is no mail {mail_id}.", recovery=Recovery(hint="Ask the user for another mail."))


async def list_orders(user: str = "") -> list[str]:
    return [user]


async def list_bills() -> list[str]:
    return []


async def list_mails() -> list[str]:
    return []


ADVISED = (get_order, get_note, get_order_text, get_bill, get_mail, list_orders, list_bills, list_mails)


async def hints(client, *names):
    for name in names:
        argument = f"{name.removesuffix('_text').removeprefix('get_')}_id"
        answer = await client.call_tool(name, {argument: "7"})
        error = answer.structured_content["error"]
        assert error["code"] == Code.NOT_FOUND
        yield error["recovery"]["hint"]


@pytest.mark.parametrize("is_listed", [False, True])
async def test_what_was_not_found_leads_to_the_tool_that_shows_what_there_is(kind, era, is_listed):
    server = MAKERS[kind](*ADVISED)
    errata.install(server)

    async with connected(server, era) as client:
        if is_listed:
            await client.list_tools()
        names = ["get_order", "get_bill", "get_mail", "get_note", "get_order_text", "get_note"]
        orders, bills, mails, note, text, again = [hint async for hint in hints(client, *names)]
    assert orders == text == "Call `list_orders` to see which exist, then call again with one of them."
    assert bills == "Call `list_bills` to see which exist, then call again with one of them."
    assert mails == "Ask the user for another mail."
    assert note == again == Code.NOT_FOUND.next_step


async def test_other_dialects_are_not_told_what_nobody_wrote(kind):
    server = MAKERS[kind](*ADVISED)
    errata.install(server, dialect="json-rpc")

    async with connected(server) as client:
        answer = await client.call_tool("get_bill", {"bill_id": "7"})
    assert "recovery" not in answer.structured_content["error"].get("data", {})


async def test_a_tool_that_is_hidden_from_a_client_is_not_named_to_it():
    server = MAKERS["FastMCP"](get_order, list_orders)
    errata.install(server)

    async with connected(server) as client:
        await client.list_tools()
        server.disable(names={"list_orders"})
        (hint,) = [hint async for hint in hints(client, "get_order")]
    assert hint == Code.NOT_FOUND.next_step


# Names that nobody has

WHO = ContextVar("who", default="guest")


class OnlyForAdmins(Middleware):
    async def on_list_tools(self, context, call_next):
        return [tool for tool in await call_next(context) if "admin" not in tool.tags or WHO.get() == "admin"]


async def message_for(server, tool, who="guest"):
    WHO.set(who)
    async with connected(server) as client:
        if who == "admin":
            await client.list_tools()
        return (await client.call_tool(tool, {})).structured_content["error"]["message"]


async def test_a_tool_that_another_client_has_listed_is_not_proposed_to_one_that_may_not_see_it():
    server = fastmcp.FastMCP("clinic", middleware=[OnlyForAdmins()])
    server.tool(list_flights)
    server.tool(book, name="purge_patients", tags={"admin"})
    errata.install(server)

    assert "`purge_patients`" in await message_for(server, "purge_patient", "admin")
    assert await message_for(server, "purge_patient") == "There is no tool `purge_patient`."


@pytest.mark.parametrize("make", [fast_mcp, mcp_server])
async def test_a_tool_that_was_removed_is_not_proposed_and_one_that_was_added_is(make):
    server = make(book, list_flights)
    errata.install(server)

    async with connected(server) as client:
        await client.list_tools()
        (server.local_provider if make is fast_mcp else server).remove_tool("book")
        server.add_tool(take)
        answers = [
            (await client.call_tool(tool, {})).structured_content["error"] for tool in ("book", "books", "takes")
        ]
    assert [answer["message"] for answer in answers] == [
        "There is no tool `book`.",
        "There is no tool `books`.",
        "There is no tool `takes`. Did you mean `take`?",
    ]


@pytest.mark.parametrize("make", [fast_mcp, mcp_server])
async def test_whoever_wanted_to_read_is_offered_no_tool_that_does_more(make):
    def delete_flight() -> None:
        """Delete."""

    server = make(delete_flight, list_flights)
    errata.install(server)

    message = "There is no tool `get_flight`. Did you mean `list_flights`?"
    assert await message_for(server, "get_flight") == message
    assert "Did you mean `delete_flight`" in await message_for(server, "delet_flight")
