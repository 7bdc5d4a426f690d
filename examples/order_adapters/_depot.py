"""The old system of the warehouse."""

from dataclasses import dataclass, field

from pydantic import TypeAdapter

from errata import AdapterError, Retry
from order_adapters._adapter import Adapter, VendorSaid, to_be_verified
from order_adapters._records import Order, Stock


@dataclass
class _Report:
    """What the depot answers to everything: a return code, and a record if that is zero."""

    rc: int
    out: dict[str, str] = field(default_factory=dict[str, str])
    again: str = "N"


_REPORT, _ORDER = TypeAdapter(_Report), TypeAdapter(Order)
_IDENTIFIERS = {44: "ORDER_NOT_FOUND", 45: "SKU_NOT_FOUND", 61: "INVALID_ORDER_STATE", 70: "RECORD_LOCKED"}
_STATES = {"PD": "paid", "SH": "shipped", "CX": "cancelled"}


class Depot(Adapter):
    """The old system of the warehouse reads and ships, and nothing else."""

    name = "depot"
    service = "The depot"

    async def get_order(self, order_id: str, /) -> Order:
        """Tell how far an order is."""
        return self._order(await self._run("ORDER.GET", order_id))

    async def fulfill_order(self, order_id: str, /) -> Order:
        """Ship an order."""
        with to_be_verified("get_order", "to see whether it is shipped", refused_twice=True):
            return self._order(await self._run("ORDER.SHIP", order_id))

    async def get_inventory(self, sku: str, /) -> Stock:
        """Count an article."""
        record = await self._run("STOCK.GET", sku)
        with self.reading():
            return Stock(record["sku"], int(record["qty"]))

    async def _run(self, verb: str, argument: str) -> dict[str, str]:
        response = await self.send("POST", "/cgi-bin/depot", json={"verb": verb, "arg": argument})
        if response.is_error:
            raise self.refused(response) from VendorSaid(response)
        report = self.read(_REPORT, response)
        if report.rc == 0:
            return report.out
        # Its texts tell passwords and customers, so that no more goes on than an identifier and whether to try again.
        identifier = _IDENTIFIERS.get(report.rc, f"DEPOT_{report.rc}")
        retry = Retry.SAME_CALL if report.again == "Y" else Retry.NEVER
        raise AdapterError(identifier, "Adapter error", retry=retry) from VendorSaid(response)

    def _order(self, record: dict[str, str]) -> Order:
        with self.reading():
            items = [item.split("*") for item in record["items"].split(",")]
            lines = [{"sku": sku, "quantity": int(quantity)} for sku, quantity in items]
            return _ORDER.validate_python({"id": record["no"], "state": _STATES[record["st"]], "lines": lines})
