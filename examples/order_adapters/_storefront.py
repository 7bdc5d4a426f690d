"""The shop on the web."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any, TypeVar

import httpx2
from pydantic import TypeAdapter, ValidationError, validate_call

from errata import AdapterError, Code, FaultError, Recovery
from errata.resilience import effect
from order_adapters._adapter import Adapter, VendorSaid, to_be_verified
from order_adapters._records import NewOrder, Order, Stock

_Answer = TypeVar("_Answer")
_ORDER, _ORDERS, _STOCK = TypeAdapter(Order), TypeAdapter(list[Order]), TypeAdapter(Stock)


class Storefront(Adapter):
    """The shop on the web can do everything. It refuses with a status, and says why in a `type`."""

    name = "storefront"
    service = "The storefront"

    async def create_order(self, order: NewOrder, key: str | None, /) -> Order:
        """Make an order. With a key the shop makes one, however often it is asked."""
        if key:
            with effect(key=key):
                return await self._ask(_ORDER, "POST", "orders", json=asdict(order), params={"idempotency_key": key})
        with to_be_verified("find_orders", "with the same `reference` to see whether the order was made"):
            return await self._ask(_ORDER, "POST", "orders", json=asdict(order))

    async def find_orders(self, reference: str, /) -> list[Order]:
        """List the orders with a buyer's number."""
        return await self._ask(_ORDERS, "GET", "orders", params={"reference": reference})

    async def get_order(self, order_id: str, /) -> Order:
        """Tell how far an order is."""
        return await self._ask(_ORDER, "GET", "orders", order_id)

    async def cancel_order(self, order_id: str, /) -> Order:
        """Cancel an order."""
        with to_be_verified("get_order", "to see whether it is cancelled", refused_twice=True):
            return await self._ask(_ORDER, "POST", "orders", order_id, "cancellation")

    async def fulfill_order(self, order_id: str, /) -> Order:
        """Ship an order."""
        with to_be_verified("get_order", "to see whether it is shipped", refused_twice=True):
            return await self._ask(_ORDER, "POST", "orders", order_id, "fulfilment")

    async def get_inventory(self, sku: str, /) -> Stock:
        """Count an article."""
        return await self._ask(_STOCK, "GET", "stock", sku)

    async def adjust_inventory(self, sku: str, by: int, /) -> Stock:
        """Correct the count of an article."""
        with to_be_verified("get_inventory", "to see whether `available` has changed"):
            return await self._ask(_STOCK, "POST", "stock", sku, "adjustments", json={"by": by})

    async def _ask(self, answer: TypeAdapter[_Answer], method: str, *path: str, **request: object) -> _Answer:
        response = await self.send(method, f"/v2/{'/'.join(path)}", **request)
        if response.is_error:
            raise self._refusal(response) from VendorSaid(response)
        return self.read(answer, response)

    def _refusal(self, response: httpx2.Response) -> FaultError:
        """Say what the shop means, in words of our own: its own name customers."""
        try:
            said = _SAID.validate_json(response.content)
            kind = str(said.pop("type"))
        except (ValidationError, KeyError):
            return self.refused(response)
        try:
            return _REFUSALS[kind](**said)
        except (ValidationError, KeyError):
            return self.refused(response, kind)


def _order_not_found(order: str, **_: object) -> FaultError:
    hint = "Call `find_orders` with the buyer's `reference` to see the id of the order."
    message = f"The storefront has no order `{order}`."
    return AdapterError("ORDER_NOT_FOUND", message, code=Code.NOT_FOUND, recovery=Recovery(hint=hint))


def _sku_not_found(sku: str, **_: object) -> FaultError:
    hint = "Ask the user for the article's `sku`, exactly as it stands in the catalogue."
    message = f"The storefront has no article `{sku}`."
    return AdapterError("SKU_NOT_FOUND", message, code=Code.NOT_FOUND, recovery=Recovery(hint=hint))


def _invalid_order_state(order: str, state: str, needed: str, **_: object) -> FaultError:
    return AdapterError(
        "INVALID_ORDER_STATE",
        f"Order `{order}` is `{state}`; to be changed it has to be `{needed}`.",
        {"order": order, "state": state, "needed": needed},
        code=Code.OPERATION_NOT_ALLOWED,
        reason=f"already_{state}",
        recovery=Recovery(hint=f"Tell the user that the order is {state}, and ask how to go on."),
    )


def _out_of_stock(sku: str, wanted: int, available: int, **_: object) -> FaultError:
    return AdapterError(
        "OUT_OF_STOCK",
        f"{wanted} of `{sku}` are wanted; the storefront has {available}.",
        {"sku": sku, "wanted": wanted, "available": available},
        code=Code.BUSINESS_RULE_VIOLATION,
        recovery=Recovery(hint=f"Order at most {available} of `{sku}`, or ask the user what else to buy."),
    )


def _card_declined(**_: object) -> FaultError:
    hint = "Tell the user that the card was declined; only the customer can name another one."
    message = "The bank declined the customer's card."
    return AdapterError("CARD_DECLINED", message, code=Code.INSUFFICIENT_BALANCE, recovery=Recovery(hint=hint))


_SAID = TypeAdapter(dict[str, Any])
_REFUSALS: dict[str, Callable[..., FaultError]] = {
    "ORDER_NOT_FOUND": validate_call(_order_not_found),
    "SKU_NOT_FOUND": validate_call(_sku_not_found),
    "INVALID_ORDER_STATE": validate_call(_invalid_order_state),
    "OUT_OF_STOCK": validate_call(_out_of_stock),
    "CARD_DECLINED": validate_call(_card_declined),
}
"""By the shop's `type`: what it stands for. What comes with it is checked before it is used."""
