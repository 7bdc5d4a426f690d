"""Orders, fulfilment and inventory over two vendors: an MCP server that fails in the dialect `error-response`.

    python examples/order_operations.py              on stdin and stdout
    python examples/order_operations.py --http 8000  at http://127.0.0.1:8000/mcp

The adapter `storefront` calls the API at STOREFRONT_URL with STOREFRONT_API_KEY, the adapter `depot` that at DEPOT_URL
with DEPOT_API_KEY. Without the URLs it starts both itself, and they fail when told to: get the order `answer-503`,
create one with the reference `answer-429-after-17`, count the article `answer-hang`. An order of `SLOW-1` is taken, but
the answer to it never arrives. The depot knows the orders 1001 to 1004; somebody has 1003 open, and nobody remembers
the state of 1004.
"""

import json
import re
from dataclasses import asdict
from typing import Annotated, Literal

from annotations import ADDS, CHANGES, CHANGES_EACH_TIME, READS
from mcp.server.mcpserver import MCPServer
from order_adapters import ADAPTERS, IDENTIFIER, Identifier, NewOrder, Order, Stock, Text
from pydantic import Field, Json
from running import run
from upstreams.depot import depot
from upstreams.storefront import storefront

import errata
from errata import Code, FaultError, Recovery, not_found

AdapterName = Literal["storefront", "depot"]

# At INFO httpx2 logs every address it asks, and in one of them a customer's may stand.
server = MCPServer("order-operations", log_level="WARNING")
# Masked: a message reaches the client only if somebody wrote it for the client; the cause is in the log.
installed = errata.install(server, dialect="error-response", mask=True)


@server.tool(annotations=ADDS)
async def create_order(
    order: NewOrder, adapter: AdapterName = "storefront", idempotency_key: Text | None = None
) -> Order:
    """Make an order. With an `idempotency_key` the same call can be repeated, and makes no second order."""
    return await ADAPTERS[adapter].create_order(checked(order), idempotency_key)


@server.tool(annotations=READS)
async def find_orders(reference: Text, adapter: AdapterName = "storefront") -> list[Order]:
    """List the orders with a buyer's own number; an empty list says that there are none."""
    return await ADAPTERS[adapter].find_orders(reference)


@server.tool(annotations=READS)
async def get_order(order_id: Identifier, adapter: AdapterName = "storefront") -> Order:
    """Tell what was ordered, and how far it is."""
    return await ADAPTERS[adapter].get_order(order_id)


@server.tool(annotations=CHANGES)
async def cancel_order(order_id: Identifier, adapter: AdapterName = "storefront") -> Order:
    """Cancel an order that was paid and not shipped."""
    return await ADAPTERS[adapter].cancel_order(order_id)


@server.tool(annotations=CHANGES)
async def fulfill_order(order_id: Identifier, adapter: AdapterName = "storefront") -> Order:
    """Ship an order that was paid."""
    return await ADAPTERS[adapter].fulfill_order(order_id)


@server.tool(annotations=READS)
async def get_inventory(sku: Identifier, adapter: AdapterName = "storefront") -> Stock:
    """Tell how many of an article are there."""
    return await ADAPTERS[adapter].get_inventory(sku)


@server.tool(annotations=CHANGES_EACH_TIME)
async def adjust_inventory(
    sku: Identifier, by: Annotated[int, Field(ge=-1000, le=1000)], adapter: AdapterName = "storefront"
) -> Stock:
    """Correct the count of an article after a delivery or a loss: `by` is added to it."""
    return await ADAPTERS[adapter].adjust_inventory(sku, by)


@server.resource("orders://{order_id}", mime_type="application/json")
async def order(order_id: str) -> str:
    """Give an order of the storefront as JSON."""
    if not re.fullmatch(IDENTIFIER, order_id):  # Here and not in the type: what is refused there is quoted.
        raise not_found("The storefront has no order of that name.", reason="no_identifier")
    return json.dumps(asdict(await ADAPTERS["storefront"].get_order(order_id)))


@server.prompt()
def confirmation_letter(order: Json[NewOrder]) -> str:
    """Ask for the letter that confirms an order to its customer; `order` is its JSON, as in `create_order`."""
    articles = ", ".join(f"{line.quantity} of {line.sku}" for line in checked(order).lines)
    return f"Write a short letter that confirms order {order.reference}: {articles}."


def checked(order: NewOrder) -> NewOrder:
    """Refuse what a schema cannot: an address that is none."""
    if not re.fullmatch(r"[^@\s]+@[^@\s]+\.[^@\s]+", order.customer.email):
        raise FaultError(
            Code.INVALID_FORMAT,
            "`order.customer.email` is not an e-mail address; one has a name, an `@` and a domain.",
            field="order.customer.email",
            reason="not_an_address",
            recovery=Recovery(hint="Ask the user for the customer's e-mail address, and write it as name@example.org."),
        )
    return order


if __name__ == "__main__":
    run(
        server,
        installed.uninstall,
        STOREFRONT_URL=storefront,
        STOREFRONT_API_KEY="sf-sandbox-91b7c2e05d",
        DEPOT_URL=depot,
        DEPOT_API_KEY="dp-sandbox-44d0e8a1f3",
    )
