"""A storefront's API, as shops have it today: orders and stock in JSON, refusals as a status with a `type`."""

import time
from collections import Counter
from collections.abc import Mapping
from itertools import count
from typing import Any

from upstreams import Reply, Request

_LONGER_THAN_ANYBODY_WAITS_S = 3
_CUSTOMER = {"email": "ann.lee@acme.io", "name": "Ann Lee", "card": "4111 1111 1111 1111"}

_numbers = count(2001)
_stock = {"MUG-1": 40, "LAMP-7": 2, "SLOW-1": 9}
_orders: dict[str, dict[str, object]] = {
    number: {
        "id": number,
        "reference": f"PO-{number}",
        "state": state,
        "lines": [{"sku": "MUG-1", "quantity": 1}],
        "customer": _CUSTOMER,
    }
    for number, state in {"1001": "paid", "1002": "shipped"}.items()
}
_made_with: dict[str, str] = {}


def storefront(request: Request) -> Reply:
    """Answer like a storefront. An order of `SLOW-1` is taken, and confirmed when nobody waits for it any more."""
    match request:
        case Request(_, ("v2", "orders", *_)):
            return _answer_orders(request)
        case Request("GET", ("v2", "stock", sku)) if sku in _stock:
            return Reply({"sku": sku, "available": _stock[sku]})
        case Request("POST", ("v2", "stock", sku, "adjustments"), _, {"by": int(by)}) if sku in _stock:
            _stock[sku] = max(0, _stock[sku] + by)
            return Reply({"sku": sku, "available": _stock[sku]})
        case Request(_, ("v2", "stock", sku, *_)):
            return _refuse(404, "SKU_NOT_FOUND", f"No article {sku}.", sku=sku)
        case _:
            return Reply({"message": f"There is no /{'/'.join(request.path)} here."}, 404)


def _answer_orders(request: Request) -> Reply:  # noqa: PLR0911 - one for each thing that can be asked.
    match request:
        case Request("POST", ("v2", "orders"), {"idempotency_key": key}) if key in _made_with:
            return Reply(_orders[_made_with[key]])
        case Request("POST", ("v2", "orders"), query, {"customer": {"email": str(email)}, "lines": list()}):
            return _declined(email) if email.startswith("declined") else _take(request.body, query)
        case Request("GET", ("v2", "orders"), {"reference": reference}):
            return Reply([order for order in _orders.values() if order["reference"] == reference])
        case Request("GET", (_, _, number)) if number in _orders:
            return Reply(_orders[number])
        case Request("POST", (_, _, number, "cancellation")) if number in _orders:
            return _move(number, "cancelled")
        case Request("POST", (_, _, number, "fulfilment")) if number in _orders:
            return _move(number, "shipped")
        case Request(_, (_, _, number, *_)):
            return _refuse(404, "ORDER_NOT_FOUND", f"No order {number}.", order=number)
        case _:
            return Reply({"message": "An order has a reference, a customer and lines."}, 400)


def _take(order: Any, query: Mapping[str, str]) -> Reply:  # noqa: ANN401 - it is JSON.
    wanted = Counter[str]()
    for line in order["lines"]:
        wanted[line["sku"]] += line["quantity"]
    for sku, quantity in wanted.items():
        if quantity > (available := _stock.get(sku, 0)):
            said = f"{quantity} of {sku} wanted, {available} there."
            return _refuse(409, "OUT_OF_STOCK", said, sku=sku, wanted=quantity, available=available)
    number = str(next(_numbers))
    _orders[number] = {**order, "id": number, "state": "paid"}
    if key := query.get("idempotency_key"):
        _made_with[key] = number
    if "SLOW-1" in wanted:
        time.sleep(_LONGER_THAN_ANYBODY_WAITS_S)
    return Reply(_orders[number], 201)


def _move(number: str, to: str) -> Reply:
    state = _orders[number]["state"]
    if state != "paid":
        said = f"Order {number} of {_CUSTOMER['name']} <{_CUSTOMER['email']}> is {state}."
        return _refuse(409, "INVALID_ORDER_STATE", said, order=number, state=state, needed="paid")
    _orders[number]["state"] = to
    return Reply(_orders[number])


def _declined(email: str) -> Reply:
    return _refuse(402, "CARD_DECLINED", f"Card {_CUSTOMER['card']} of {email} was declined by its bank.")


def _refuse(status: int, kind: str, message: str, **facts: object) -> Reply:
    return Reply({"type": kind, "message": message, **facts}, status)
