"""Step 1, unwrap: the failure inside what the SDK made of an exception.

Some exceptions are not errata's to answer. A cancelled request and a handler that stumbled over something cancelled arrive
as the same exception: answering the first breaks the protocol, and passing the second on ends the server.
"""

import math
from asyncio import CancelledError
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from types import FrameType, TracebackType
from typing import Any, NoReturn, cast

import anyio

from errata.classification import walk_leaves
from errata.model import NeedsInput
from errata.redaction import jsonable, redact_plain, redact_within
from errata.resilience import count_cancellations
from errata.serving._adapter import Adapter
from errata.serving._classifying import RequestFailure, ServerBug, UnknownName
from errata.serving._requests import Request

_DEEPEST = 32
_URL_ELICITATION_REQUIRED = -32042
_LONGEST_MESSAGE = 32_000
_LARGEST_DATA = 64 * 1024


def must_pass(error: BaseException, cancellations_before: int) -> bool:
    """Return whether an exception must go on: the request was cancelled, or somebody ends the whole server."""
    if isinstance(error, CancelledError):
        return count_cancellations() > cancellations_before or anyio.current_effective_deadline() == -math.inf
    if isinstance(error, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        return group.split((Exception, CancelledError))[1] is not None
    return False


async def unwrap_failure(adapter: Adapter, error: BaseException, request: Request) -> RequestFailure | None:
    """Return the failure that an exception is; None for one that is not errata's to answer."""
    try:
        failure = await adapter.unwrap(error, request)
        if isinstance(failure, UnknownName):
            failure.known = await _list_names(adapter, request)
    except Exception as mistake:  # noqa: BLE001 - a reply is always sent; this failure is as good as a bug.
        return ServerBug(mistake)
    return failure


async def _list_names(adapter: Adapter, request: Request) -> tuple[str, ...] | None:
    try:
        return tuple([offer.name for offer in await adapter.list_visible(request)])
    except Exception:  # noqa: BLE001 - it runs the server's own lists and middleware; then nobody can say.
        return None


def remove_wrappers(
    error: BaseException,
    is_wrapper: Callable[[BaseException, BaseException], bool],
    intended: tuple[type[BaseException], ...],
) -> BaseException:
    """Return the exception that an SDK wrapped, however often a tool called another one.

    `is_wrapper` says of an exception and its cause whether the SDK put one around the other.
    """
    for _ in range(_DEEPEST):  # An exception may be its own cause.
        cause = find_cause(error)
        if cause is None or not is_wrapper(error, cause):
            break
        error = cause
    return find_intended(error, intended)


def find_cause(error: BaseException) -> BaseException | None:
    """Return the cause of an exception; of one that was raised from itself, what it was raised over."""
    return error.__context__ if error.__cause__ is error else error.__cause__


def find_intended(error: BaseException, intended: tuple[type[BaseException], ...]) -> BaseException:
    """Return what somebody raised for the client, or asked, in a task: it arrives alone in a group."""
    if not isinstance(error, BaseExceptionGroup):
        return error
    group = cast("BaseExceptionGroup[BaseException]", error)
    leaves = list(islice(walk_leaves(group), 2))
    return leaves[0] if len(leaves) == 1 and isinstance(leaves[0], (*intended, NeedsInput)) else group


def refuses_arguments(error: BaseException, arguments: Mapping[str, object]) -> bool:
    """Return whether a handler that validates for itself refused what the client sent, and not its own data.

    The error is one of Pydantic's.
    """
    try:
        return all(
            _find_value(arguments, detail["loc"], detail["type"]) == detail["input"]
            for detail in cast("Any", error).errors()
        )
    except Exception:  # noqa: BLE001 - it compares foreign objects, which may do anything; then nobody can say.
        return False


def _find_value(arguments: object, path: tuple[int | str, ...], problem: str) -> object:
    """Return the value at a path; parts that lead nowhere, such as the name of a union's member, are skipped."""
    for part in path[:-1] if problem == "missing" else path:
        with suppress(LookupError, TypeError):
            arguments = cast("Any", arguments)[part]
    return arguments


def was_raised_in(package: str, error: BaseException) -> bool:
    """Return whether the code of a package raised an exception itself: `mcp.server` raised it, and no tool."""
    last = error.__traceback__
    if last is None:
        return False
    while last.tb_next is not None:  # To look at a frame takes longer than to pass it by.
        last = last.tb_next
    return _is_of(package, last.tb_frame)


def was_raised_under(package: str, function: str, error: BaseException) -> bool:
    """Return whether an exception came out of a function of a package, however deep below it."""
    return any(frame.f_code.co_name == function and _is_of(package, frame) for frame in _walk_frames(error))


def _walk_frames(error: BaseException) -> Iterator[FrameType]:
    at: TracebackType | None = error.__traceback__
    while at is not None:
        yield at.tb_frame
        at = at.tb_next


def _is_of(package: str, frame: FrameType) -> bool:
    name = frame.f_globals.get("__name__")
    return isinstance(name, str) and f"{name}.".startswith(f"{package}.")


def hide_secrets(error: BaseException) -> None:
    """Redact an error that its author meant for the protocol, before it leaves; no other exception is changed.

    The data of an elicitation stay as they are: the address in them is for the user, with all that it takes to sign in.
    """
    if not any(kind.__name__ in {"MCPError", "McpError"} for kind in type(error).__mro__):
        return
    body: Any = getattr(error, "error", None)
    message, data = getattr(body, "message", None), getattr(body, "data", None)
    if isinstance(message, str) and (redacted := redact_within(message, _LONGEST_MESSAGE)) != message:
        body.message = redacted
    if data is not None and getattr(body, "code", None) != _URL_ELICITATION_REQUIRED:
        plain = redact_plain(jsonable(data, size=_LARGEST_DATA))
        if plain != data:
            body.data = plain


def raise_unchanged(error: BaseException) -> NoReturn:
    """Raise an exception that was inside of another one, which must not become its context: it is the cause of that."""
    context = error.__context__
    try:
        raise error
    finally:  # A circle, which some loggers never leave.
        error.__context__ = context
