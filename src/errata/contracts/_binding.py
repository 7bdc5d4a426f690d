"""Which tool is running, and failing by a reason that it declares."""

from contextlib import suppress
from contextvars import ContextVar, Token
from typing import NamedTuple, Unpack

from errata.contracts._contract import DeclaredFailures
from errata.contracts._failure import Failure, build_error
from errata.contracts._rules import describe_undeclared, quote_value
from errata.model import Code, FaultError, FaultFields
from errata.redaction import text_of


class _RunningTool(NamedTuple):
    tool: str
    declared: DeclaredFailures


_RUNNING: ContextVar[_RunningTool | None] = ContextVar("errata_running_tool", default=None)


class bind_declared:  # noqa: N801 - it is used like a function: `with bind_declared(declared, "get_order"):`
    """Bind what a tool declares, so that `fail` and `recovery_for` know it while the tool runs."""

    __slots__ = ("_running", "_token")

    _token: Token[_RunningTool | None]

    def __init__(self, declared: DeclaredFailures, name: str) -> None:
        self._running = _RunningTool(name, declared)

    def __enter__(self) -> None:
        self._token = _RUNNING.set(self._running)

    def __exit__(self, *_: object) -> None:
        with suppress(ValueError):  # A coroutine left half-way is closed elsewhere, where nothing was bound.
            _RUNNING.reset(self._token)


def fail(
    reason: str,
    /,
    message: str = "",
    data: object = None,
    *,
    cause: object = None,
    **fields: Unpack[FaultFields],
) -> FaultError:
    """Make the exception of a reason that the running tool declares.

        raise fail("no_match", f"None of {len(pmids)} PMIDs returned data", {**recovery_for("no_match")})

    It has the code, the verdict and the wait that were declared, and a recovery only if one is given here. A reason
    that is not declared is a bug of the server, and becomes an `INTERNAL_ERROR` that says so.
    """
    failure = _find_failure(reason)
    if failure is None:
        return FaultError(Code.INTERNAL_ERROR, _describe_missing(text_of(reason)), cause=cause)
    return build_error(failure, message, data, cause, fields, hint=None)


def recovery_for(reason: str) -> dict[str, object]:
    """Return the declared recovery, to be spread into `data`; empty where none is declared."""
    failure = _find_failure(reason)
    return {} if failure is None else {"recovery": {"hint": failure.recovery}}


def _find_failure(reason: object) -> Failure | None:
    running = _RUNNING.get()
    return running.declared.failures.get(text_of(reason)) if running else None


def _describe_missing(reason: str) -> str:
    running = _RUNNING.get()
    if running is not None:
        return describe_undeclared(reason, "reason", f"Tool {quote_value(running.tool)}", running.declared.failures)
    return (
        f"`fail` was called with reason {quote_value(reason)} where no tool with a contract runs. "
        "Put `@raises(…)` on the tool's function, or raise an error that needs no contract, such as `not_found(…)`."
    )
