"""Tools, resources and prompts that fail in every way there is, each written once for all kinds of servers.

Where two SDKs each have a class of their own, the function is made for the one it is registered on.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, Field

import errata
from errata import (
    AdapterError,
    Code,
    Contract,
    Failure,
    FaultError,
    FieldIssue,
    NeedsInput,
    Recovery,
    RecoveryHint,
    Retry,
    raises,
)
from support.sdk import protocol_error, tool_result, types

try:
    import httpx2
except ImportError:  # Before mcp 2, the SDKs brought the one that it grew out of.
    import httpx as httpx2

NEVER_SHOWN = "the-text-of-a-bug"
"""In the text of every exception that nobody wrote for a client."""
SECRET = "ghp_" + "Zr5Lk8Qm2Xw9Tb4Vn7Jd3Hs6Fy1Gc0Pa8Ue5"
TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736"
TRACED = {"traceparent": f"00-{TRACE_ID}-00f067aa0ba902b7-01"}
HUGE = 1_000_000
PRICES = {"ACME": 31.4, "ACRE": 2.7}

EVERYTHING = {
    "data": {"key": "k-1", "password": "hunter2hunter2"},
    "retry": Retry.VERIFY_FIRST,
    "retry_after_ms": 1500,
    "reason": "bank_timeout",
    "field": "amount",
    "issues": [FieldIssue("amount", "is large", "at most 100")],
    "recovery": Recovery(
        hint="Look up the payment by its key before paying again.",
        hint_class=RecoveryHint.TRY_ALTERNATIVE,
        actions=("verify_payment",),
        fallback_tool="pay_later",
        verify_tool="get_payment",
        corrective_params={"amount": 100},
        user_message="The bank did not answer.",
    ),
    "http_status": 504,
    "origin": "BANK_504",
    "correlation_id": "payment-17",
}


class FetchErrors(Contract):
    """What fetching can fail with."""

    no_match = Failure(
        Code.NOT_FOUND,
        when="No requested PMID returned data",
        recovery="Call pubmed_search_articles first to discover valid PMIDs.",
    )
    queue_full = Failure(
        Code.RATE_LIMITED,
        retryable=True,
        retry_after_ms=30_000,
        when="The local request queue is at capacity",
        recovery="Wait 30 seconds and retry, or ask for fewer PMIDs.",
    )


class Customer(BaseModel):
    email: str
    age: int


class Line(BaseModel):
    sku: str
    quantity: int = Field(ge=1)


class Receipt(BaseModel):
    total: int
    note: str | None = None


class Unprintable(Exception):  # noqa: N818 - what it is called is no matter.
    def __str__(self):
        raise TypeError(NEVER_SHOWN)

    __repr__ = __str__


class Own(NamedTuple):
    """What each SDK has a class of its own for."""

    error: type[Exception]
    context: type


def tools(own: Own) -> list[Callable[..., object]]:
    """Make every tool for one SDK."""

    @raises(FetchErrors)
    async def declared(pmids: list[str]) -> Receipt:
        raise FetchErrors.no_match(f"None of {len(pmids)} PMIDs returned data", data={"pmids": pmids})

    @raises(FetchErrors)
    def declared_by_name() -> str:
        raise errata.fail("queue_full", None, {**errata.recovery_for("queue_full")})

    async def own_error() -> str:
        raise own.error("The printer is out of paper")

    async def progressing(ctx: own.context) -> str:
        await ctx.report_progress(1, 2, "half way")
        await ctx.report_progress(2, 2)
        raise ConnectionResetError("connection reset by peer")

    return [*TOOLS, declared, declared_by_name, own_error, progressing]


async def everything() -> Receipt:
    raise FaultError(Code.TIMEOUT, "No answer from the bank within 10 s.", **EVERYTHING)


async def adapter() -> dict[str, int]:
    raise AdapterError("ORDER_NOT_FOUND", "There is no order 17.", {"order": 17})


async def value(limit: int) -> str:
    if not 1 <= limit <= 100:
        raise ValueError("limit must be between 1 and 100")
    return "fine"


async def value_of_its_own() -> str:
    raise ValueError("limit must be between 1 and 100")


def price(symbol: str) -> float:
    return PRICES[symbol]


def too_slow() -> str:
    raise TimeoutError


def forbidden():
    raise PermissionError(13, "Permission denied", "/srv/reports/2026")


async def bug() -> str:
    return {}[NEVER_SHOWN]


def bug_in_a_thread() -> Receipt:
    raise TypeError(NEVER_SHOWN)


async def upstream(status: int) -> dict[str, Any]:
    url = f"https://bank.example/pay?access_token={SECRET}"
    request = httpx2.Request("POST", url)
    body = {"message": "The teller is busy.", "access_token": SECRET}
    httpx2.Response(status, request=request, headers={"Retry-After": "17"}, json=body).raise_for_status()
    return {}


async def unanswered() -> str:
    raise httpx2.ReadTimeout("", request=httpx2.Request("POST", f"https://bank.example/pay?access_token={SECRET}"))


async def asked() -> str:
    raise httpx2.ReadTimeout("", request=httpx2.Request("GET", "https://bank.example/rates"))


async def several(day: int) -> str:
    raise ExceptionGroup(
        "both", [ConnectionRefusedError(111, "Connection refused"), ValueError(f"day {day} is no day")]
    )


async def chained(account: str) -> str:
    try:
        raise KeyError(NEVER_SHOWN)  # noqa: TRY301 - it is to be the cause of another one.
    except KeyError as error:
        raise ValueError(f"there is no account {account!r}") from error


async def secret() -> str:
    raise RuntimeError(f"401 Unauthorized: the token {SECRET} has expired")


async def body() -> str:
    return Customer.model_validate({"email": NEVER_SHOWN}).email


async def order(
    customer: Customer,
    lines: list[Line],
    priority: Literal["low", "high"],
    delivery: int | list[int] = 0,
    note: str | None = None,
) -> Receipt:
    return Receipt(total=len(lines) + len(customer.email) + len(priority), note=f"{delivery}{note}")


async def broken() -> Annotated[int, Field(le=10)]:
    return 17


async def protocol() -> str:
    raise protocol_error(-32602, "The author wants this one as it is", {"a": [1, None]})


async def stumbling() -> str:
    foreign = asyncio.get_running_loop().create_future()
    foreign.cancel()
    await foreign
    return "never"


async def asking(style: str = "") -> str:
    raise NeedsInput(f"Which style{style}?", fields=["style"], suggestions={"style": ["plain", "bold"]})


async def formatted(format: Literal["markdown", "json", "both"] = "both") -> str:
    raise errata.not_found(f"There is no pattern in {format}")


async def unprintable() -> str:
    raise Unprintable


def huge() -> str:
    raise ValueError("The list is too long: " + "ab " * (HUGE // 3))


async def failing_itself() -> types.CallToolResult:
    structured = {"why": None, "error": {"mine": True}}
    return tool_result("It did not work.", "Ask Ann.", structured=structured, is_error=True, meta={"mine": 1})


async def text(word: str = "fine") -> str:
    return word


def untyped(word: str = "fine"):
    return word


async def model() -> Receipt:
    return Receipt(total=7)


def numbers() -> list[int]:
    return [1, 2]


async def nothing() -> None:
    return None


async def whole_result() -> types.CallToolResult:
    return tool_result("Error: none", structured={"a": None}, meta={"mine": 1})


TOOLS = (
    everything, adapter, value, value_of_its_own, price, too_slow, forbidden, bug, bug_in_a_thread, upstream, unanswered,
    asked, several, chained, secret, body, order, broken, protocol, stumbling, asking, formatted, unprintable, huge, failing_itself, text, untyped, model,
    numbers, nothing, whole_result,
)  # fmt: skip


class Call(NamedTuple):
    """One call of a tool."""

    tool: str
    arguments: Mapping[str, object] = {}
    meta: Mapping[str, object] | None = None


_LINES = [{"sku": "a-1", "quantity": 0}, {"quantity": "many"}]
_CUSTOMER = {"email": "ann@example.org", "age": 40}

VALIDATED = {
    "arguments_several": Call("order", {"customer": {"email": NEVER_SHOWN, "age": "old"}, "lines": _LINES, "priority": "low"}),
    "arguments_missing": Call("order", {"customer": _CUSTOMER}),
    "arguments_missing_all": Call("order"),
    "arguments_enum": Call("order", {"customer": _CUSTOMER, "lines": [], "priority": NEVER_SHOWN}),
    "arguments_union": Call("order", {"customer": _CUSTOMER, "lines": [], "priority": "low", "delivery": NEVER_SHOWN}),
    "arguments_union_inside": Call("order", {"customer": _CUSTOMER, "lines": [], "priority": "low", "delivery": [1, NEVER_SHOWN]}),
    "arguments_wrong_kind": Call("order", {"customer": [], "lines": {}, "priority": 7}),
}  # fmt: skip
"""Refused before the tool runs, by who looks at arguments first."""

PROGRESSING = (Call("progressing"),)
"""What tells how far it is before it fails."""

KNOWN_TO_THE_SERVER = {
    "unknown_tool": Call("forbiden"),
    "unknown_tool_like_no_other": Call("zzzzzzzzzzzz"),
    "broken_result": Call("broken"),
}
"""What the low-level Server has no opinion about."""

FAILING = {
    "everything": Call("everything"),
    "declared": Call("declared", {"pmids": ["1", "2"]}),
    "declared_by_name": Call("declared_by_name"),
    "adapter": Call("adapter"),
    "value": Call("value", {"limit": 500}),
    "value_without_arguments": Call("value_of_its_own"),
    "key_in_a_thread": Call("price", {"symbol": "ACNE"}),
    "timeout_in_a_thread": Call("too_slow"),
    "permission_in_a_thread": Call("forbidden"),
    "bug": Call("bug"),
    "bug_in_a_thread": Call("bug_in_a_thread"),
    "bug_traced": Call("bug", meta=TRACED),
    "upstream_503": Call("upstream", {"status": 503}),
    "upstream_429": Call("upstream", {"status": 429}),
    "upstream_401": Call("upstream", {"status": 401}),
    "upstream_read_timeout": Call("unanswered"),
    "upstream_read_timeout_of_a_get": Call("asked"),
    "exception_group": Call("several", {"day": 32}),
    "exception_with_a_cause": Call("chained", {"account": "ann"}),
    "own_error": Call("own_error"),
    "secret": Call("secret"),
    "bug_in_a_model": Call("body"),
    "own_cancellation": Call("stumbling"),
    "question": Call("asking"),
    "unprintable": Call("unprintable"),
    "huge": Call("huge"),
    "after_progress": Call("progressing"),
    "protocol_error": Call("protocol"),
    **VALIDATED,
    **KNOWN_TO_THE_SERVER,
}

IN_EVERY_DIALECT = {
    **{
        case: FAILING[case]
        for case in (
            "everything", "declared", "declared_by_name", "adapter", "bug", "bug_traced", "upstream_429", "secret",
            "own_cancellation", "question", "arguments_several", "unknown_tool",
        )
    },
    "formatted": Call("formatted"),
    "formatted_markdown": Call("formatted", {"format": "markdown"}),
    "formatted_json": Call("formatted", {"format": "json"}),
    "formatted_wrongly": Call("formatted", {"format": "xml"}),
}  # fmt: skip

SUCCEEDING = {
    call.tool: call
    for call in (
        Call("text"),
        Call("untyped"),
        Call("model"),
        Call("numbers"),
        Call("nothing"),
        Call("whole_result"),
        Call("failing_itself"),
        Call("order", {"customer": _CUSTOMER, "lines": [{"sku": "a-1", "quantity": 2}], "priority": "high"}),
    )
}
"""What errata leaves alone: results, also those that a tool made an error by itself."""


async def crashing() -> str:
    raise KeyError(NEVER_SHOWN)


def lacking() -> str:
    raise FileNotFoundError(2, "No such file or directory", "/srv/reports/2026")


@raises(FetchErrors)
async def declaring() -> str:
    raise FetchErrors.queue_full()


async def refusing() -> str:
    raise protocol_error(-32602, "The author wants this one as it is", {"a": [1, None]})


async def everything_in_it() -> str:
    raise FaultError(Code.TIMEOUT, "No answer from the bank within 10 s.", **EVERYTHING)


async def page(number: int) -> str:
    if number > 100:
        raise ValueError("the report has 100 pages")
    return ["first", "second"][number]


@raises(FetchErrors)
async def article(pmid: str) -> str:
    raise FetchErrors.no_match(f"There is no article {pmid}")


def greeting(name: str, days: int) -> str:
    if not name:
        raise ValueError("a name has at least one letter")
    return f"{name}, for the {days}th time"


RESOURCES = {
    "report://crashing": crashing,
    "report://lacking": lacking,
    "report://declaring": declaring,
    "report://refusing": refusing,
    "report://everything": everything_in_it,
}
TEMPLATES = {"report://pages/{number}": page, "report://articles/{pmid}": article}
PROMPTS = (crashing, lacking, declaring, refusing, everything_in_it, greeting)


class Read(NamedTuple):
    """One reading of a resource."""

    uri: str


class Render(NamedTuple):
    """One rendering of a prompt."""

    prompt: str
    arguments: Mapping[str, str] = {}


UNKNOWN = {
    "resource_unknown": Read("report://crashin"),
    "resource_like_no_other": Read("zzzz://zzzzzzzzzzzz"),
    "template_bad_parameter": Read("report://pages/seven"),
    "prompt_unknown": Render("greting", {"name": "Ann"}),
    "prompt_missing_argument": Render("greeting", {"name": "Ann"}),
    "prompt_missing_all": Render("greeting"),
    "prompt_bad_argument": Render("greeting", {"name": "Ann", "days": "seven"}),
}
"""Refused by the server; the low-level one refuses nothing."""

ASKED = {
    "resource_crash": Read("report://crashing"),
    "resource_file_not_found": Read("report://lacking"),
    "resource_declared": Read("report://declaring"),
    "resource_protocol_error": Read("report://refusing"),
    "resource_everything": Read("report://everything"),
    "template_crash": Read("report://pages/7"),
    "template_value": Read("report://pages/101"),
    "template_declared": Read("report://articles/17"),
    "prompt_crash": Render("crashing"),
    "prompt_file_not_found": Render("lacking"),
    "prompt_declared": Render("declaring"),
    "prompt_protocol_error": Render("refusing"),
    "prompt_everything": Render("everything_in_it"),
    "prompt_value": Render("greeting", {"name": "", "days": "7"}),
    **UNKNOWN,
}
ANSWERED = {
    "resource_success": Read("report://pages/1"),
    "prompt_success": Render("greeting", {"name": "Ann", "days": "7"}),
}
