"""A server whose tools all fail, each in its own way; with errata, or bare.

python clients/server.py errata|bare [FILE]

The names of the tools it is asked for go into the file, so that a client that answers in its place is found out.
"""

import argparse
import logging
from pathlib import Path
from typing import Any, TypedDict

import httpx2
from mcp.server.mcpserver import Context, MCPServer

from errata import Code, Contract, Failure, FaultError, Recovery, Retry, dialects, install, raises

PRICES = {"ACME": 31.4}


class OrderErrors(Contract):
    """What looking for an order can fail with."""

    no_match = Failure(
        Code.NOT_FOUND,
        when="No order has this number",
        recovery="Call `list_orders` first to see the orders that exist.",
        retryable=False,
    )


class Balance(TypedDict):
    """What `balance` gives when it succeeds."""

    account: str
    cents: int


class Server(MCPServer):
    """One that remembers what it was asked."""

    asked: Path | None = None

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Context | None = None) -> Any:  # noqa: ANN401 - the SDK's.
        """Write the name down, and answer."""
        if self.asked:
            with self.asked.open("a") as file:
                print(name, file=file)
        return await super().call_tool(name, arguments, context)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("variant", choices=["errata", "bare"])
    parser.add_argument("asked", type=Path, nargs="?")
    arguments = parser.parse_args()
    server = build()
    server.asked = arguments.asked
    if arguments.variant == "errata":
        install(server, per_tool={in_dialect(name): name for name in dialects.names()})
    logging.disable()  # What counts is on the wire.
    server.run()


def build() -> Server:
    """Make the server, without errata."""
    server = Server("orders", version="1.0")
    for tool in (find_order, quote, forecast, pay, stock):
        server.add_tool(tool, structured_output=False)
    server.add_tool(quote, name="quote_again", structured_output=False)
    for name in dialects.names():
        server.add_tool(find_order, name=in_dialect(name), structured_output=False)
    server.add_tool(balance)
    return server


def in_dialect(name: str) -> str:
    """Name the tool that fails in a dialect."""
    return f"find_order_{name.replace('-', '_')}"


@raises(OrderErrors)
def find_order(order: int) -> str:
    """Find an order; none is ever found."""
    raise OrderErrors.no_match(f"There is no order {order}")


def quote(symbol: str, days: int) -> str:
    """Tell the price of a share."""
    return f"{symbol}: {PRICES[symbol]} in {days} days"


def forecast(city: str) -> str:
    """Ask an upstream service that has had enough."""
    request = httpx2.Request("GET", f"https://forecasts.example/v1/{city}")
    response = httpx2.Response(429, headers={"Retry-After": "17"}, request=request)
    return response.raise_for_status().text


def pay(order: int) -> str:
    """Pay an order; whether it happened nobody knows."""
    raise FaultError(
        Code.TIMEOUT,
        f"The bank did not answer about order {order}",
        retry=Retry.VERIFY_FIRST,
        recovery=Recovery(hint="Look the payment up before you pay again.", verify_tool="get_payment"),
    )


def stock(article: str) -> str:
    """Crash, as code with a bug does."""
    shelf: dict[str, int] = {}
    return f"{article}: {shelf['count']}"


def balance(account: str) -> Balance:
    """Fail where a success would have a schema."""
    raise FaultError(
        Code.FORBIDDEN,
        f"Account {account} belongs to somebody else",
        recovery=Recovery(hint="Ask the user for an account of their own."),
    )


if __name__ == "__main__":
    main()
