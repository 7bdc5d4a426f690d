"""How `order_recovery` asks the order service: what comes back is an answer, or a FaultError with the way out of it."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, TypeVar

import httpx2
from pydantic import TypeAdapter, ValidationError, validate_call
from settings import number, setting

from errata import (
    Code,
    Fault,
    FaultError,
    Recovery,
    RecoveryHint,
    Retry,
    business_rule_violation,
    classify,
    duplicate_operation,
    insufficient_balance,
    not_found,
    operation_not_allowed,
    upstream_error,
    validation_error,
)
from errata.http import error_from_response
from errata.resilience import Breaker

PATIENCE_S = 1.0
WAIT_MS = 5_000
SERVICE = "The order service"

http = httpx2.AsyncClient(timeout=PATIENCE_S)
orders = Breaker(
    "order-service",
    failures=int(number("ORDERS_FAILURES", usual=5)),
    open_s=number("ORDERS_OPEN_S", usual=60),
)
T = TypeVar("T")


async def ask_orders(kind: type[T], method: str, path: str, body: object = None) -> T:
    """Ask for something of a kind, and get that or a FaultError; while the service is left alone, at once."""
    try:
        return await _asked(kind, method, path, body)
    except FaultError as error:
        if error.code is Code.CIRCUIT_OPEN:
            raise with_a_wait(error.fault) from error
        raise


@orders
async def _asked(kind: type[T], method: str, path: str, body: object) -> T:
    """Ask the service. Every call goes through here, so that the breaker sees all of its answers."""
    url = f"{setting('ORDERS_URL')}{path}"
    try:
        response = await http.request(method, url, json=body)
    except httpx2.HTTPError as error:
        raise with_a_wait(_unanswered(error)) from error
    if response.is_error:
        raise refused(response)
    if not response.is_success:  # A redirect from a POST often means that it is done.
        raise _something_else(response)
    try:
        return _read(kind, response.content)
    except ValueError as error:
        raise _something_else(response) from error


def is_down(fault: Fault) -> bool:
    """Whether the service itself fails, so that it may answer later; if it only refuses this call, it is well."""
    return fault.code in _FAILING and fault.retryable


def is_undone(fault: Fault) -> bool:
    """Whether it is certain that nothing was done: nobody was reached, or whoever was refused in so many words."""
    if fault.retry is Retry.IF_HARMLESS:
        return False
    return fault.http_status is None or fault.http_status in _REFUSES


def with_a_wait(fault: Fault) -> FaultError:
    """Say when to ask again, where asking again may help."""
    if not fault.retryable:
        return FaultError.from_fault(fault)
    wait_ms = fault.retry_after_ms or WAIT_MS  # `Retry-After: 0` names no time, either.
    recovery = replace(
        fault.recovery or Recovery(),
        hint_class=RecoveryHint.RETRY_LATER,
        user_message=f"{SERVICE} cannot answer right now. It can be asked again in {math.ceil(wait_ms / 1000)} s.",
    )
    return FaultError.from_fault(replace(fault, retry_after_ms=wait_ms, recovery=recovery))


def refused(response: httpx2.Response) -> FaultError:
    """Say what a refusal means, and what can be done about it; the status alone says it where there is no reason."""
    if response.is_server_error:  # Whatever it says, it is in no state to know.
        return with_a_wait(error_from_response(response, service=SERVICE).fault)
    try:
        said = _SAID.validate_json(response.content)
        return _REFUSALS[str(said.pop("reason"))](**said)
    except (ValidationError, KeyError):
        return with_a_wait(error_from_response(response, service=SERVICE).fault)


def _no_order(order_id: str, **_: object) -> FaultError:
    return not_found(
        f"Order {order_id} not found", {"orderId": order_id}, recovery=Recovery(fallback_tool="list_orders")
    )


def _no_user(user_id: str, **_: object) -> FaultError:
    return not_found(
        f"User {user_id} not found",
        {"userId": user_id},
        recovery=Recovery(user_message=f"The shop knows nobody by the name of {user_id}. Please check the name."),
    )


def _quantity(order_id: str, quantity: int, lowest: int, highest: int, **_: object) -> FaultError:
    return validation_error(
        f"`quantity` is {quantity}; the lowest allowed is {lowest}, and {highest} are in stock.",
        {"orderId": order_id, "lowest": lowest, "highest": highest},
        field="quantity",
        recovery=Recovery(
            corrective_params={"quantity": max(lowest, min(quantity, highest))},
            user_message=f"Between {lowest} and {highest} of these can be ordered.",
        ),
    )


def _balance(order_id: str, balance_cents: int, due_cents: int, **_: object) -> FaultError:
    due, balance, rest = (f"{cents / 100:.2f}" for cents in (due_cents, balance_cents, due_cents - balance_cents))
    return insufficient_balance(
        f"Order {order_id} costs {due}, and the balance is {balance}.",
        {"orderId": order_id, "balanceCents": balance_cents, "dueCents": due_cents},
        recovery=Recovery(
            user_message=f"This order costs {due}, and your balance is {balance}. Please add {rest} before you pay."
        ),
    )


def _too_late(order_id: str, days: int, limit_days: int, **_: object) -> FaultError:
    return business_rule_violation(
        f"Order {order_id} was paid {days} days ago; refunds end after {limit_days} days.",
        {"orderId": order_id, "days": days, "limitDays": limit_days},
        recovery=Recovery(
            user_message=f"This order was paid {days} days ago, and can be refunded for {limit_days} days only. "
            "The shop's support decides about exceptions."
        ),
    )


def _done_already(order_id: str, operation: str, **_: object) -> FaultError:
    return duplicate_operation(
        f"The {operation} of order {order_id} was made already, and was not made again.",
        {"orderId": order_id},
        recovery=Recovery(
            fallback_tool="payment_status",
            user_message=f"The {operation} of this order was made already. No money was moved again.",
        ),
    )


def _status(
    order_id: str, status: str, operation: Literal["cancel", "refund", "pay", "change"], **_: object
) -> FaultError:
    done, instead = _DONE[operation], _INSTEAD.get((operation, status))
    return operation_not_allowed(
        f"Order {order_id} is {status}, and an order that is {status} cannot be {done}.",
        {"orderId": order_id, "status": status},
        recovery=Recovery(
            hint_class=RecoveryHint.TRY_ALTERNATIVE if instead else RecoveryHint.REPORT_TO_USER,
            fallback_tool=instead,
            user_message=f"This order is {status}, so it cannot be {done}.",
        ),
    )


_INSTEAD = {("cancel", "paid"): "refund_order", ("refund", "open"): "cancel_order"}
_DONE = {"cancel": "cancelled", "refund": "refunded", "pay": "paid", "change": "changed"}
_SAID = TypeAdapter(dict[str, Any])
_REFUSALS: dict[str, Callable[..., FaultError]] = {
    "no_order": validate_call(_no_order),
    "no_user": validate_call(_no_user),
    "quantity": validate_call(_quantity),
    "balance": validate_call(_balance),
    "too_late": validate_call(_too_late),
    "done_already": validate_call(_done_already),
    "status": validate_call(_status),
}
"""By the reason that the service gives: what it stands for. What comes with a reason is checked before it is used."""


_FAILING = {Code.TIMEOUT, Code.NETWORK_ERROR, Code.UPSTREAM_ERROR, Code.SERVICE_UNAVAILABLE}
_REFUSES = {*range(400, 500), 503}


def _unanswered(error: httpx2.HTTPError) -> Fault:
    fault = classify(error)
    if fault.code is Code.TIMEOUT:
        return replace(fault, message=f"{SERVICE} did not answer within {PATIENCE_S:g} s.")
    return replace(
        fault,
        message=f"{SERVICE} gave no answer: {fault.message}",
        # The address is a setting, and nothing that a caller could correct.
        code=fault.code if fault.code in _FAILING else Code.UPSTREAM_ERROR,
        # That a name is not known may pass, too: it is gone while a service is started anew.
        retry=Retry.SAME_CALL if isinstance(error, httpx2.ConnectError) else Retry.IF_HARMLESS,
    )


def _read(kind: type[T], content: bytes) -> T:
    said = _SAID.validate_json(content)
    if said.get("error") or said.get("errors"):
        raise ValueError("Beside an error, an empty list says nothing.")
    return TypeAdapter(kind).validate_python(said)


def _something_else(response: httpx2.Response) -> FaultError:
    message = f"{SERVICE} answered {response.status_code} with something else than was asked for."
    return with_a_wait(upstream_error(message).fault)
