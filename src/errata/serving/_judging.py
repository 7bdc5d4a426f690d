"""What a failure is: asked for something that is not there, given what does not fit, or failed in its own way."""

import dataclasses
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any, ClassVar, NoReturn

from errata.classification import (
    classify,
    classify_refused_arguments,
    classify_refused_model,
    classify_with_ground,
    walk_leaves,
)
from errata.model import (
    Code,
    Fault,
    FaultError,
    FieldIssue,
    NeedsInput,
    Recovery,
    asked_for,
    identified,
    is_a,
    nearest,
    with_next_step,
)
from errata.redaction import jsonable, quote_name, redact_plain, redact_within
from errata.serving._request import Kind, Request

_DEEPEST = 32


@dataclasses.dataclass(slots=True)
class Failed:
    """A failure as an adapter sees it, with its SDK's wrapping taken off."""

    error: BaseException
    """What was raised: its traceback goes into the log."""
    on_purpose: bool = False
    """Whether somebody meant it: a FaultError, a ToolError. Its words are never masked."""
    has_run: ClassVar[bool] = True
    """Whether the tool got as far as running: where it did not, there is nothing in a traceback."""

    def fault(self, request: Request) -> Fault:
        """Say what it means."""
        fault = classify(self.error, request.call)
        return _located(fault, request.name) if request.kind is Kind.RESOURCE else fault

    def rests_on_words(self, request: Request) -> bool:
        """Whether only the words of its text say what it means. Other kinds of failures were seen by what happened."""
        return type(self) is Failed and classify_with_ground(self.error, request.call)[1]


class ForTheProtocol(Failed):
    """An error that its author meant for the protocol, found inside what hid it: it is raised again as it is."""

    __slots__ = ()


class Bug(Failed):
    """A mistake of this server, whatever its class says: a model in a tool's body, or a result that breaks its schema."""

    __slots__ = ()

    def fault(self, request: Request) -> Fault:
        """Say no more than that: its text quotes data."""
        fault = Fault(code=Code.INTERNAL_ERROR)
        return identified(_located(fault, request.name) if request.kind is Kind.RESOURCE else fault)


class RefusedModel(Failed):
    """A model in the body of a tool refused its data: the caller's if it is an argument, and otherwise the server's own."""

    __slots__ = ()

    def fault(self, request: Request) -> Fault:
        """Say what is wrong with the argument, or no more than that the server has a bug."""
        fault = classify_refused_model(self.error, request.call)
        return _located(fault, request.name) if request.kind is Kind.RESOURCE else fault


class RefusedArguments(Failed):
    """The arguments do not fit; Pydantic says why."""

    __slots__ = ()
    has_run: ClassVar[bool] = False

    def fault(self, request: Request) -> Fault:
        """Say everything that is wrong with them at once."""
        return classify_refused_arguments(self.error, request.name, request.arguments or None)


@dataclasses.dataclass(slots=True)
class MissingArguments(Failed):
    """Some arguments are absent; the SDK named them in words of its own."""

    names: tuple[str, ...] = ()
    has_run: ClassVar[bool] = False

    def fault(self, request: Request) -> Fault:
        """Name them."""
        told = ", ".join(map(quote_name, self.names))
        return identified(
            Fault(
                code=Code.MISSING_REQUIRED_FIELD,
                message=f"The {request.kind} {quote_name(request.short_name)} needs {told}.",
                field=next(iter(self.names), None),
                issues=tuple(FieldIssue(name, "is required") for name in self.names),
            )
        )


@dataclasses.dataclass(slots=True)
class Unknown(Failed):
    """There is nothing of that name."""

    known: tuple[str, ...] | None = ()
    """What there is instead; None where that cannot be said."""
    has_run: ClassVar[bool] = False

    def fault(self, request: Request) -> Fault:
        """Name what is nearest, four at most."""
        what, known = f"{request.kind} {quote_name(request.short_name)}", self.known or ()
        if request.name in known:  # Tools have versions, too.
            message, hint = f"There is no such version of the {what}.", "Call it without a version to get the latest."
        else:
            near = nearest(request.name, {*known})
            message = f"There is no {what}. {asked_for(near)}".strip()
            hint = _next_step(request.kind, near, self.known)
        fault = Fault(code=Code.NOT_FOUND, message=message, recovery=Recovery(hint=hint))
        return identified(_located(fault, request.name) if request.kind is Kind.RESOURCE else fault)


class Refused(Failed):
    """A breaker did not let the call through; it says why."""

    __slots__ = ()
    has_run: ClassVar[bool] = False


@dataclasses.dataclass(slots=True)
class Exhausted(Failed):
    """It was repeated and failed every time; what was raised last is what is judged by."""

    told: Fault | None = None
    """The last failure, with the number of attempts."""

    def fault(self, request: Request) -> Fault:
        """Say how often it was tried."""
        return self.told or Failed.fault(self, request)


_URL_ELICITATION_REQUIRED = -32042
_LONGEST_MESSAGE = 32_000
_LARGEST_DATA = 64 * 1024


def hide_secrets(error: BaseException) -> None:
    """Redact an error that its author meant for the protocol, before it leaves; of any other exception nothing is changed.

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


def raise_as_it_is(error: BaseException) -> NoReturn:
    """Raise what was found inside of another exception, which would become its context, and it is the cause of that."""
    context = error.__context__
    try:
        raise error
    finally:  # A circle, which some loggers never leave.
        error.__context__ = context


def unwrapped(
    error: BaseException,
    is_wrapping: Callable[[BaseException, BaseException], bool],
    meant: tuple[type[BaseException], ...],
) -> BaseException:
    """Take off what an SDK put around an exception, however often a tool called another one."""
    for _ in range(_DEEPEST):  # An exception may be its own cause.
        cause = error.__cause__
        if cause is None or not is_wrapping(error, cause):
            break
        error = cause
    return meant_in(error, meant)


def meant_in(error: BaseException, meant: tuple[type[BaseException], ...]) -> BaseException:
    """Find what somebody raised on purpose, or asked, in a task: it arrives alone in a group."""
    if not is_a(error, BaseExceptionGroup):
        return error
    leaves = list(islice(walk_leaves(error), 2))
    return leaves[0] if len(leaves) == 1 and isinstance(leaves[0], (*meant, NeedsInput)) else error


def _located(fault: Fault, uri: str) -> Fault:
    """Say which resource it is about, as the protocol wants it (SEP-2164)."""
    return dataclasses.replace(fault, data={**fault.data, "uri": uri})


def _next_step(kind: Kind, near: Iterable[str], known: tuple[str, ...] | None) -> str:
    if near:
        return f"Ask for the {kind} that you meant by its exact name, or list what this server offers."
    if known == ():
        return f"This server offers no {kind} at all; use another server."
    return f"List the {kind}s of this server and choose one of them."


def masked(fault: Fault, failed: Failed) -> Fault:
    """Withhold all words but those that were meant for the client; the code, the verdict and the wait stay."""
    is_meant = not failed.error.is_classified if isinstance(failed.error, FaultError) else failed.on_purpose
    if is_meant:
        return fault
    data = {name: value for name, value in fault.data.items() if name != "body"}
    return dataclasses.replace(fault, message="", issues=(), field=None, origin=None, data=data)


def advised(fault: Fault, failed: Failed, why: str | None = None) -> Fault:
    """Add the code's own next step to a failure that nobody wrote a way out for, or that of its verdict.

    `why` is what the verdict rests on, where the effect of the tool was presumed.

    What an author raised stays what it is. In 003's words a classified exception has a code and a message only, and in
    004's a recovery is an author's; so this is for errata's own dialect.
    """
    return fault if isinstance(failed.error, FaultError) else with_next_step(fault, why)
