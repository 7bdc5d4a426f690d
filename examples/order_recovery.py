"""Orders, payments and refunds: an MCP server that says the way out of every failure, in the dialect `taxonomy`.

    python examples/order_recovery.py              on stdin and stdout
    python examples/order_recovery.py --http 8000  at http://127.0.0.1:8000/mcp

It calls the order service at ORDERS_URL. Without that it starts one of its own that fails when told to: list the
orders of `answer-503`, or pay the order `answer-hang`. Its orders are described in upstreams/order_service.py; paying
`ord-5` takes the money at once, and answers too late.

After five failures within two minutes the order service is left alone for a minute; ORDERS_FAILURES and ORDERS_OPEN_S
change that.
"""

import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Annotated, Literal

from annotations import CHANGES, CHANGES_EACH_TIME, READS
from asking_orders import WAIT_MS, ask_orders, is_down, is_undone, orders
from mcp.server.mcpserver import MCPServer
from pydantic import Field
from running import run
from upstreams.order_service import order_service

import errata
from errata import (
    Code,
    FaultError,
    Recovery,
    RecoveryHint,
    Retry,
    internal_error,
    not_found,
    upstream_error,
)
from errata.resilience import BreakerStatus

server = MCPServer("order-recovery")
installed = errata.install(server, dialect="taxonomy")

# An identifier becomes a part of a URL, and `..` would be a part of another one.
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$")]


@dataclass
class Order:
    """What somebody ordered."""

    id: str
    user_id: str
    item: str
    quantity: int
    due_cents: int
    status: Literal["open", "paid", "refunded", "cancelled"]


@dataclass
class Found:
    """What the service says about somebody's orders."""

    orders: list[Order]
    total: int

    def __post_init__(self) -> None:
        """Refuse a list that is not whole: who reads it would take what is missing for what is not there."""
        if self.total != len(self.orders):
            raise ValueError(f"`total` is {self.total}, and there are {len(self.orders)} orders.")


@dataclass
class Orders(Found):
    """Somebody's orders. None is an answer too: they have none."""

    status: Literal["success"] = "success"


@dataclass
class CachedOrders(Found):
    """Somebody's orders as they were a while ago."""

    as_of: str
    age_ms: int
    status: Literal["cached"] = "cached"


@dataclass
class Payment:
    """What became of the money for an order."""

    order_id: str
    status: Literal["open", "paid", "refunded", "cancelled"]
    payments: int
    refunds: int


@dataclass
class Copy:
    """What the service said the last time that it answered."""

    found: Found
    as_of: datetime
    taken_s: float


last_known: dict[str, Copy] = {}


@server.tool(annotations=READS)
async def get_order(order_id: Name) -> Order:
    """Look up one order."""
    try:
        return await ask_orders(Order, "GET", f"/orders/{order_id}")
    except FaultError as error:
        if error.code in {Code.NOT_FOUND, Code.CIRCUIT_OPEN}:
            raise
        # `taxonomy`'s own example answers so to whatever else goes wrong, even a 503; `list_orders` says what may be repeated.
        details = {"orderId": order_id, "originalError": str(error)}
        raise internal_error("Failed to retrieve order", details) from error


@server.tool(annotations=READS)
async def list_orders(user_id: Name) -> Orders:
    """List somebody's orders. An empty list means that there are none."""
    try:
        found = await ask_orders(Found, "GET", f"/users/{user_id}/orders")
    except FaultError as error:
        raise unlisted(error, user_id) from error
    last_known[user_id] = Copy(found, datetime.now(UTC), time.monotonic())
    return Orders(found.orders, found.total)


@server.tool(annotations=READS)
async def cached_orders(user_id: Name) -> CachedOrders:
    """Show somebody's orders as they were when list_orders last worked, and how long ago that was."""
    if not (copy := last_known.get(user_id)):
        raise not_found(
            f"No copy of the orders of {user_id} was made since this server started",
            {"userId": user_id},
            recovery=Recovery(fallback_tool="list_orders"),
        )
    age_ms = round((time.monotonic() - copy.taken_s) * 1000)
    return CachedOrders(copy.found.orders, copy.found.total, copy.as_of.isoformat(), age_ms)


@server.tool(annotations=CHANGES)
async def update_quantity(order_id: Name, quantity: int) -> Order:
    """Change how many of the item are ordered."""
    return await ask_orders(Order, "PUT", f"/orders/{order_id}/quantity", {"quantity": quantity})


@server.tool(annotations=CHANGES)
async def cancel_order(order_id: Name) -> Order:
    """Cancel an order that is not paid yet."""
    return await ask_orders(Order, "POST", f"/orders/{order_id}/cancellation")


@server.tool(annotations=CHANGES_EACH_TIME)
async def pay_order(order_id: Name) -> Payment:
    """Pay an order from its owner's balance."""
    with moving_money("payment"):
        return await ask_orders(Payment, "POST", f"/orders/{order_id}/payment")


@server.tool(annotations=CHANGES_EACH_TIME)
async def refund_order(order_id: Name) -> Payment:
    """Pay the money for an order back."""
    with moving_money("refund"):
        return await ask_orders(Payment, "POST", f"/orders/{order_id}/refund")


@server.tool(annotations=READS)
async def payment_status(order_id: Name) -> Payment:
    """Tell whether an order is paid, and how often money was moved for it."""
    return await ask_orders(Payment, "GET", f"/orders/{order_id}/payment")


@server.tool(annotations=READS)
async def check_service_status() -> BreakerStatus:
    """Tell how the order service has been doing, whether it is asked at the moment, and what to do if it is not."""
    return orders.status()


def unlisted(error: FaultError, user_id: str) -> FaultError:
    """Say that there is no list, which is something else than an empty one, and offer the copy if there is one."""
    fault = error.fault
    if is_down(fault):
        recovery = Recovery(
            hint_class=RecoveryHint.RETRY_LATER,
            user_message="Could not load orders. The order service is temporarily unavailable.",
        )
        wait_ms = fault.retry_after_ms or WAIT_MS
        fault = upstream_error("Order service unavailable", retry_after_ms=wait_ms, recovery=recovery).fault
    if fault.retryable and user_id in last_known:
        recovery = replace(fault.recovery or Recovery(), fallback_tool="cached_orders")
        fault = replace(fault, recovery=recovery)
    return FaultError.from_fault(fault)


@contextmanager
def moving_money(what: str) -> Generator[None]:
    """Turn whatever is no clear refusal into "look first": money must not be moved twice."""
    try:
        yield
    except FaultError as error:
        if is_undone(error.fault):
            raise
        recovery = Recovery(
            verify_tool="payment_status",
            user_message=f"It is not known yet whether the {what} was made. It is looked up before anything is repeated.",
        )
        fault = replace(error.fault, retry=Retry.VERIFY_FIRST, retry_after_ms=None, recovery=recovery)
        raise FaultError.from_fault(fault) from error


if __name__ == "__main__":
    run(server, installed.uninstall, ORDERS_URL=order_service)
