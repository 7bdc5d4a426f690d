"""A shop's order service: who ordered what, what it costs, and whether it is paid.

| order | whose | what is special about it |
| --- | --- | --- |
| `ord-1` | `ada` | open; 10 are in stock |
| `ord-2` | `ada` | paid 3 days ago |
| `ord-3` | `ada` | paid 45 days ago |
| `ord-4` | `bob` | open, and more than he has |
| `ord-5` | `dan` | open; his bank takes the money, and its time |
| `ord-6` | `dan` | cancelled |

`eve` has no orders at all.
"""

import dataclasses
import time
from collections import Counter
from dataclasses import dataclass

from upstreams import Reply, Request

_REFUND_DAYS = 30
_BALANCES_CENTS = {"ada": 10_000, "bob": 2_500, "dan": 10_000, "eve": 0}
_SLOW_BANK = {"dan"}
_SLOW_S = 3  # Longer than anybody waits.


@dataclass(frozen=True)
class _Order:
    id: str
    user_id: str
    item: str
    quantity: int
    due_cents: int
    status: str = "open"
    paid_days_ago: int = 0
    in_stock: int = 10


_ORDERS = (
    _Order("ord-1", "ada", "lamp", 2, 3_000),
    _Order("ord-2", "ada", "desk", 1, 24_000, "paid", 3),
    _Order("ord-3", "ada", "chair", 4, 32_000, "paid", 45),
    _Order("ord-4", "bob", "shelf", 1, 9_000),
    _Order("ord-5", "dan", "clock", 1, 4_500),
    _Order("ord-6", "dan", "carpet", 1, 18_000, "cancelled"),
)


class OrderService:
    """An app that remembers what it did, and how often."""

    def __init__(self) -> None:
        self.start_over()

    def start_over(self) -> None:
        """Forget everything that happened."""
        self._orders = {order.id: order for order in _ORDERS}
        self._balances_cents = dict(_BALANCES_CENTS)
        self.payments = Counter({order.id: 1 for order in _ORDERS if order.status == "paid"})
        """How often each order was paid: more than once is what nobody wants."""
        self.refunds = Counter[str]()

    def __call__(self, request: Request) -> Reply:
        """Answer like the service; money that was taken stays taken, whether the answer arrives or not."""
        match request.path:
            case ("users", user, "orders") if user in self._balances_cents:
                orders = [_shown(order) for order in self._orders.values() if order.user_id == user]
                return Reply({"orders": orders, "total": len(orders)})
            case ("users", user, "orders"):
                return Reply({"reason": "no_user", "user_id": user}, 404)
            case ("orders", identifier, *_) if identifier not in self._orders:
                return Reply({"reason": "no_order", "order_id": identifier}, 404)
            case ("orders", identifier, *rest):
                return self._about(self._orders[identifier], request.method, tuple(rest), request.body)
            case _:
                return Reply({"message": f"There is no /{'/'.join(request.path)} here."}, 404)

    def _about(self, order: _Order, method: str, rest: tuple[str, ...], body: object) -> Reply:  # noqa: PLR0911 - one for each operation.
        match method, rest, body:
            case "GET", (), _:
                return Reply(_shown(order))
            case "PUT", ("quantity",), {"quantity": int(quantity)}:
                return self._change(order, quantity)
            case "GET", ("payment",), _:
                return self._payment(order)
            case "POST", ("payment",), _:
                return self._pay(order)
            case "POST", ("refund",), _:
                return self._refund(order)
            case "POST", ("cancellation",), _:
                return self._cancel(order)
            case _:
                return Reply({"message": f"`{method}` of that is not possible here."}, 405)

    def _change(self, order: _Order, quantity: int) -> Reply:
        if order.status != "open":
            return _not_now(order, "change")
        if not 1 <= quantity <= order.in_stock:
            limits = {"lowest": 1, "highest": order.in_stock}
            return Reply({"reason": "quantity", "order_id": order.id, "quantity": quantity, **limits}, 422)
        due_cents = order.due_cents // order.quantity * quantity
        return Reply(_shown(self._put(order, quantity=quantity, due_cents=due_cents)))

    def _pay(self, order: _Order) -> Reply:
        if order.status == "paid":
            return _done_already(order, "payment")
        if order.status != "open":
            return _not_now(order, "pay")
        balance = self._balances_cents[order.user_id]
        if order.due_cents > balance:
            money = {"balance_cents": balance, "due_cents": order.due_cents}
            return Reply({"reason": "balance", "order_id": order.id, "user_id": order.user_id, **money}, 402)
        self._balances_cents[order.user_id] -= order.due_cents
        self.payments[order.id] += 1
        paid = self._put(order, status="paid")
        if order.user_id in _SLOW_BANK:
            time.sleep(_SLOW_S)
        return self._payment(paid)

    def _refund(self, order: _Order) -> Reply:
        if order.status == "refunded":
            return _done_already(order, "refund")
        if order.status != "paid":
            return _not_now(order, "refund")
        if order.paid_days_ago > _REFUND_DAYS:
            days = {"days": order.paid_days_ago, "limit_days": _REFUND_DAYS}
            return Reply({"reason": "too_late", "order_id": order.id, **days}, 422)
        self._balances_cents[order.user_id] += order.due_cents
        self.refunds[order.id] += 1
        return self._payment(self._put(order, status="refunded"))

    def _cancel(self, order: _Order) -> Reply:
        if order.status not in {"open", "cancelled"}:
            return _not_now(order, "cancel")
        return Reply(_shown(self._put(order, status="cancelled")))

    def _payment(self, order: _Order) -> Reply:
        counts = {"payments": self.payments[order.id], "refunds": self.refunds[order.id]}
        return Reply({"order_id": order.id, "status": order.status, **counts})

    def _put(self, order: _Order, **changes: int | str) -> _Order:
        changed = dataclasses.replace(order, **changes)  # type: ignore[arg-type]
        self._orders[order.id] = changed
        return changed


def _shown(order: _Order) -> dict[str, object]:
    shown = ("id", "user_id", "item", "quantity", "due_cents", "status")
    return {name: value for name, value in dataclasses.asdict(order).items() if name in shown}


def _not_now(order: _Order, operation: str) -> Reply:
    return Reply({"reason": "status", "order_id": order.id, "status": order.status, "operation": operation}, 409)


def _done_already(order: _Order, operation: str) -> Reply:
    return Reply({"reason": "done_already", "order_id": order.id, "operation": operation}, 409)


order_service = OrderService()
