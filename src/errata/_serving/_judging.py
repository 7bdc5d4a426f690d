"""What a failure is: asked for something that is not there, given what does not fit, or failed in its own way."""

import dataclasses
from collections.abc import Iterable, Mapping

from errata._fault import Fault, FaultError, FieldIssue, Recovery, identified
from errata._serving._request import Kind, Request
from errata._taxonomy import Code
from errata._values import nearest
from errata.classification import classify
from errata.classification._arguments import refused_arguments


@dataclasses.dataclass(frozen=True, slots=True)
class Failed:
    """A failure as an adapter sees it, with its SDK's wrapping taken off."""

    error: BaseException
    """What was raised: its traceback goes into the log."""
    on_purpose: bool = False
    """Whether somebody meant it: a FaultError, a ToolError. Its words are never masked."""

    def fault(self, request: Request) -> Fault:  # noqa: ARG002 - for those that depend on it.
        """Say what it means."""
        return classify(self.error)


class RefusedArguments(Failed):
    """The arguments do not fit; Pydantic says why."""

    __slots__ = ()

    def fault(self, request: Request) -> Fault:
        """Say everything that is wrong with them at once."""
        return refused_arguments(self.error, request.name, request.arguments)


@dataclasses.dataclass(frozen=True, slots=True)
class MissingArguments(Failed):
    """Some arguments are absent; the SDK named them in words of its own."""

    names: tuple[str, ...] = ()

    def fault(self, request: Request) -> Fault:
        """Name them."""
        told = ", ".join(f"`{name}`" for name in self.names)
        return identified(
            Fault(
                code=Code.MISSING_REQUIRED_FIELD,
                message=f"The {request.kind} `{request.name}` needs {told}.",
                issues=tuple(FieldIssue(name, "is required") for name in self.names),
            )
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Unknown(Failed):
    """There is nothing of that name."""

    known: tuple[str, ...] = ()

    def fault(self, request: Request) -> Fault:
        """Name what is nearest, four at most."""
        near = nearest(request.name, self.known)
        data: Mapping[str, object] = {"uri": request.name} if request.kind is Kind.RESOURCE else {}
        return identified(
            Fault(
                code=Code.NOT_FOUND,
                message=f"There is no {request.kind} `{request.name}`.",
                recovery=Recovery(hint=_next_step(request.kind, near, self.known)),
                data=data,
            )
        )


def _next_step(kind: Kind, near: Iterable[str], known: Iterable[str]) -> str:
    if near:
        return f"Use {' or '.join(f'`{name}`' for name in near)} if that is what you meant."
    if known:
        return f"List the {kind}s of this server and choose one of them."
    return f"This server offers no {kind} at all; use another server."


def masked(fault: Fault, failed: Failed) -> Fault:
    """Withhold all words but those that were meant for the client; the code, the verdict and the wait stay."""
    if failed.on_purpose or isinstance(failed.error, FaultError):
        return fault
    return dataclasses.replace(fault, message="", issues=(), field=None, origin=None)
