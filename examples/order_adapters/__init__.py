"""Two vendors behind one interface: each adapter speaks its vendor's language and fails in `error-response`."""

from order_adapters._adapter import Adapter
from order_adapters._depot import Depot
from order_adapters._records import IDENTIFIER, Identifier, NewOrder, Order, Stock, Text
from order_adapters._storefront import Storefront

ADAPTERS: dict[str, Adapter] = {adapter.name: adapter for adapter in (Storefront(), Depot())}

__all__ = ["ADAPTERS", "IDENTIFIER", "Identifier", "NewOrder", "Order", "Stock", "Text"]
