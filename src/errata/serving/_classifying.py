"""Step 2, classify: the fault that a failed request is about.

Each kind of failure is a class here; `fault` says what it means. An adapter chooses the class when it unwraps an exception.
"""

import dataclasses
from collections.abc import Iterable
from typing import ClassVar

from errata.classification import classify, classify_refused_arguments, classify_refused_model, classify_with_ground
from errata.model import (
    Code,
    Fault,
    FaultError,
    FieldIssue,
    Recovery,
    add_identity,
    find_nearest,
    phrase_suggestion,
    replace_fields,
)
from errata.redaction import quote_name
from errata.serving._requests import Kind, Request
from errata.tools import find_near_tools, has_effect


@dataclasses.dataclass(slots=True)
class RequestFailure:
    """A failure of a request, with the SDK's wrapping taken off: in general, whatever the handler raised."""

    error: BaseException
    """What was raised: its traceback goes into the log."""
    is_intended: bool = False
    """Whether somebody raised it for the client: a FaultError, a ToolError. Its words are never masked."""
    has_run: ClassVar[bool] = True
    """Whether the handler got as far as running: where it did not, there is nothing in a traceback."""

    def fault(self, request: Request) -> Fault:
        """Return the fault that the failure means."""
        return _add_uri(classify(self.error, request.call), request)

    def rests_on_words(self, request: Request) -> bool:
        """Return whether only the words of its text say what it means. Other kinds of failures rest on what happened."""
        return type(self) is RequestFailure and classify_with_ground(self.error, request.call)[1]


class ProtocolFailure(RequestFailure):
    """An error that its author meant for the protocol, hidden by the SDK in another one: it is raised as it is."""

    __slots__ = ()


class ServerBug(RequestFailure):
    """A mistake of this server, whatever its class says: a result that breaks its schema, or a mistake of errata's."""

    __slots__ = ()

    def fault(self, request: Request) -> Fault:
        """Return an internal error without words: the text of the exception quotes data."""
        return add_identity(_add_uri(Fault(code=Code.INTERNAL_ERROR), request))


class RefusedModel(RequestFailure):
    """A model in the body of a handler refused its data: the caller's if it is an argument, otherwise the server's own."""

    __slots__ = ()

    def fault(self, request: Request) -> Fault:
        """Return what is wrong with the argument, or an internal error."""
        return _add_uri(classify_refused_model(self.error, request.call), request)


class RefusedArguments(RequestFailure):
    """The arguments do not fit; Pydantic says why."""

    __slots__ = ()
    has_run: ClassVar[bool] = False

    def fault(self, request: Request) -> Fault:
        """Return one fault that names everything wrong with the arguments."""
        return classify_refused_arguments(self.error, request.name, request.arguments or None)


@dataclasses.dataclass(slots=True)
class MissingArguments(RequestFailure):
    """Some arguments are absent; the SDK named them in words of its own."""

    names: tuple[str, ...] = ()
    has_run: ClassVar[bool] = False

    def fault(self, request: Request) -> Fault:
        """Return a fault that names the missing arguments."""
        return add_identity(
            Fault(
                code=Code.MISSING_REQUIRED_FIELD,
                message=f"The {request.kind} {quote_name(request.short_name)} needs {', '.join(map(quote_name, self.names))}.",
                field=next(iter(self.names), None),
                issues=tuple(FieldIssue(name, "is required") for name in self.names),
            )
        )


@dataclasses.dataclass(slots=True)
class UnknownName(RequestFailure):
    """The server has nothing of that name."""

    known: tuple[str, ...] | None = None
    """The names that it has; None where they cannot be listed."""
    has_run: ClassVar[bool] = False

    def fault(self, request: Request) -> Fault:
        """Return a fault that names what is nearest, four names at most."""
        what, known = f"{request.kind} {quote_name(request.short_name)}", self.known or ()
        if request.name in known:  # FastMCP has versions of a tool.
            message, hint = f"There is no such version of the {what}.", "Call it without a version to get the latest."
        else:
            is_tool, names = request.kind is Kind.TOOL, dict.fromkeys(known)
            near = find_near_tools(request.name, names, has_effect) if is_tool else find_nearest(request.name, names)
            message = f"There is no {what}. {phrase_suggestion(near)}".strip()
            hint = _advise_on_names(request.kind, near, self.known)
        return add_identity(
            _add_uri(Fault(code=Code.NOT_FOUND, message=message, recovery=Recovery(hint=hint)), request)
        )


class RefusedByBreaker(RequestFailure):
    """A breaker did not let the call through; it says why."""

    __slots__ = ()
    has_run: ClassVar[bool] = False


@dataclasses.dataclass(slots=True)
class RepeatedFailure(RequestFailure):
    """A call that was repeated and failed every time; what was raised last is what it is judged by."""

    last: Fault | None = None
    """The last failure, with the number of attempts."""

    def fault(self, request: Request) -> Fault:
        """Return the last failure, which says how often the call was tried."""
        return self.last or RequestFailure.fault(self, request)


def classify_failure(failure: RequestFailure, request: Request, *, mask: bool | None) -> Fault:
    """Return the fault of a failed request, in the request's trace, with its words withheld where they are masked."""
    fault = failure.fault(request)
    if (trace_id := request.trace_id()) and fault.correlation_id != trace_id:  # It was made outside of the request.
        fault = replace_fields(fault, correlation_id=trace_id)
    return _mask_fault(fault, failure) if (request.masks if mask is None else mask) else fault


def _mask_fault(fault: Fault, failure: RequestFailure) -> Fault:
    """Withhold all words but those that were meant for the client; the code, the verdict and the wait stay."""
    is_intended = not failure.error.is_classified if isinstance(failure.error, FaultError) else failure.is_intended
    if is_intended:
        return fault
    data = {name: value for name, value in fault.data.items() if name != "body"}
    return dataclasses.replace(fault, message="", issues=(), field=None, origin=None, data=data)


def _add_uri(fault: Fault, request: Request) -> Fault:
    """Add the URI of a resource to its fault, as the protocol wants it (SEP-2164)."""
    if request.kind is not Kind.RESOURCE:
        return fault
    return dataclasses.replace(fault, data={**fault.data, "uri": request.name})


def _advise_on_names(kind: Kind, near: Iterable[str], known: tuple[str, ...] | None) -> str:
    if near:
        return f"Ask for the {kind} that you meant by its exact name, or list what this server offers."
    if known == ():
        return f"This server offers no {kind} at all; use another server."
    return f"List the {kind}s of this server and choose one of them."
