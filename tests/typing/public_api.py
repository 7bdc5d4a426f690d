"""What a type checker sees of the public names. Checked by mypy and pyright; never run."""

import json
from collections.abc import Mapping
from typing import Any, assert_type

import httpx2

import errata
from errata import (
    AdapterError,
    Code,
    Fault,
    FaultError,
    FieldIssue,
    NeedsInput,
    Recovery,
    RecoveryHint,
    Retry,
    not_found,
    rate_limited,
)
from errata.classification import Step, explain
from errata.dialects import (
    Dialect,
    ErrorCategory,
    ErrorResponseCode,
    JsonRpcErrorCode,
    MCPErrorCode,
    as_jsonrpc_error,
    category_of,
    error_response,
    get,
    get_default_recovery,
    http_status_to_error_code,
    json_rpc,
    names,
    native,
)
from errata.http import (
    aerror_from_response,
    error_from_response,
    fetch_with_timeout,
    parse_retry_after,
    status_to_code,
)
from errata.reading import Reading, recognise

assert_type(not_found("No order 17.", {"order": 17}), FaultError)
assert_type(rate_limited("Slow down.", retry_after_ms=30_000, recovery=Recovery(hint="Wait.")), FaultError)
assert_type(rate_limited(cause=OSError()).fault, Fault)
assert_type(AdapterError("ORDER_NOT_FOUND", retry=Retry.SAME_CALL).code, Code)
assert_type(AdapterError.from_fault(Fault(code=Code.GONE)), AdapterError)
assert_type(Fault(code=Code.GONE).retry, Retry)
assert_type(Fault(code=Code.GONE).retryable, bool)
assert_type(Fault(code=Code.GONE).data, Mapping[str, object])
assert_type(Code.GONE.hint_class, RecoveryHint)
assert_type(errata.decode({"isError": True}), Fault | None)
assert_type(errata.decode_needs_input({}), NeedsInput | None)
assert_type(recognise({}), Reading | None)
assert_type(status_to_code(404), Code)
assert_type(error_from_response(object(), service="NCBI", data={"id": 1}, capture_body=False, body_limit=0), FaultError)
assert_type(parse_retry_after("120", date="Fri, 06 Nov 2026 08:49:37 GMT"), int | None)


assert_type(errata.classify(OSError()), Fault)
assert_type(explain(OSError()).step, Step)
assert_type(errata.redact("x"), str)
assert_type(errata.register_secret("grapefruit-at-dawn")(), None)
assert_type(errata.redact_data({"a": 1}), object)
take_back = errata.register("mylib.Slow", Code.TIMEOUT, retry=Retry.SAME_CALL, retry_after_ms=lambda error: error.wait)
assert_type(take_back(), None)
errata.register(OSError, Code.TIMEOUT, retry_after_ms=500)
errata.register(pattern=["no seats left", "fully booked"], code=Code.CONFLICT)
errata.register(OSError, Code.TIMEOUT, recovery="Call `list_flights` and choose another flight.")
errata.register(pattern="no seats left", code=Code.CONFLICT, recovery=errata.Recovery(fallback_tool="wait_list"))
assert_type(errata.try_catch(lambda: 7, operation="Orders.count", code=Code.GONE), int)
assert_type(errata.try_catch(lambda: json.loads("{}"), operation="Settings.parse"), Any)


@errata.guard("Orders.count", context={"shop": 1}, critical=True)
def count(shop: int) -> int:
    """What is guarded keeps its signature."""
    return shop


assert_type(count(1), int)


async def fetch(client: httpx2.AsyncClient) -> None:
    """What is awaited."""
    assert_type(await aerror_from_response(object(), service="NCBI", body_timeout_ms=500), FaultError)
    assert_type(await fetch_with_timeout("https://a.example", client=client, json={"a": 1}), httpx2.Response)
    assert_type((await fetch_with_timeout("https://a.example", timeout_ms=500)).status_code, int)
    assert_type(await errata.try_catch(lambda: client.get("https://a.example"), operation="a"), httpx2.Response)


assert_type(get("native"), Dialect)
assert_type(names(), tuple[str, ...])
assert_type(native.encode(Fault(code=Code.GONE), format="json"), dict[str, object])
assert_type(error_response.as_jsonrpc_result(Fault(code=Code.GONE)), dict[str, object])
assert_type(as_jsonrpc_error(Fault(code=Code.GONE)), dict[str, object])
assert_type(as_jsonrpc_error(Fault(code=Code.GONE), dialect=json_rpc), dict[str, object])
assert_type(ErrorResponseCode.TIMEOUT.category, ErrorCategory)
assert_type(category_of(3001), ErrorCategory | None)
assert_type(get_default_recovery(MCPErrorCode.TIMEOUT), list[str])
assert_type(http_status_to_error_code(500), JsonRpcErrorCode)
assert_type(FaultError(JsonRpcErrorCode.NotFound, "x").code, Code)
assert_type(AdapterError("GONE", code=MCPErrorCode.NOT_FOUND).code, Code)

FaultError(Code.INVALID_PARAMS, "x", issues=[FieldIssue("days", "must be a whole number")])
NeedsInput("Which?", fields=["id"], reason="ambiguous", suggestions={"id": ["a", "b"]}, options=[{"value": 1}])

# What has to be refused. An ignore that is not needed is an error itself, so each line proves a refusal.
Code.NOT_FOND  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
FaultError("NOT_FOUND", "x")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
not_found("x", retry_after="soon")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
not_found("x", retry="same_call")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
errata.register("mylib.Slow")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
errata.guard("x", cod=Code.GONE)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
count("1")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
Fault(Code.GONE)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
Fault(code=Code.GONE).message = "y"  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]

assert_type(
    errata.install(object(), dialect="json-rpc", per_tool={"a": native}, mask=True).undeclared[("a", Code.GONE)], int
)
assert_type(errata.answers(), Mapping[str, object])
errata.install(object(), dialectt="native")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
errata.install(object(), mask="yes")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
