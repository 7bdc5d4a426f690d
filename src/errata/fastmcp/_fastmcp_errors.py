"""What FastMCP makes of exceptions, and how to tell what they were before."""

import re
from types import FrameType, TracebackType

from fastmcp import FastMCP
from fastmcp.exceptions import (
    FastMCPError,
    NotFoundError,
    PromptError,
    ResourceError,
    ResourceSecurityError,
    ToolError,
    ValidationError as InvalidArguments,
)
from fastmcp.prompts.base import Prompt
from fastmcp.resources.template import ResourceTemplate
from fastmcp.tools.function_tool import FunctionTool
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from errata.fastmcp._mounts import is_proxy
from errata.fastmcp._signatures import is_own_time_limit, read_missing, read_transformed, validate
from errata.model import FaultError
from errata.redaction import text_of
from errata.serving import (
    Kind,
    MissingArguments,
    ProtocolFailure,
    RefusedArguments,
    RefusedModel,
    Request,
    RequestFailure,
    ServerBug,
    find_cause,
    was_raised_in,
)

INTENDED = (FaultError, FastMCPError)
"""What somebody raises for the client."""
ABSENT = (NotFoundError, ResourceSecurityError)
"""What FastMCP raises for what is not there."""
MASKED = re.compile(r"""Error (?:calling tool|reading resource|rendering prompt) (?:'[^']*'|"[^"]*")""")
"""What FastMCP says for a server that withholds the rest."""
_WRAPPERS = (ToolError, ResourceError, PromptError)
_WRAPPED = re.compile(
    r"Error (?:calling tool|reading resource|rendering prompt) |Rate limited by upstream API, |Upstream request timed out, "
)
_CORE = {FastMCP.call_tool.__code__, FastMCP.read_resource.__code__, FastMCP.render_prompt.__code__}
_CONVERSION = re.compile(r"Could not convert argument '")
_TEMPLATES = "fastmcp.resources.template"
_OF_THE_BODY = "_ToolBodyError"
"""FastMCP's private mark for what Pydantic refused in the body of a tool."""
_MISSING = "Missing required arguments: "
_ERROR_HANDLING = "fastmcp.server.middleware.error_handling"


def is_from_core(error: BaseException) -> bool:
    """Return whether the server itself ran into it: an exception that a middleware raises never came through there.

    The same functions start the middleware, too. An exception that is raised again and again remembers having left them.
    """
    frames: list[FrameType] = []
    at: TracebackType | None = error.__traceback__
    while at is not None:
        if at.tb_frame.f_code in _CORE:
            frames.append(at.tb_frame)
        at = at.tb_next
    # The innermost one first: to look at the variables of a frame copies them all.
    return any(frame.f_locals.get("run_middleware") is False for frame in reversed(frames))


def is_wrapper(error: BaseException, cause: BaseException) -> bool:  # noqa: ARG001 - the words tell.
    """Return whether FastMCP put an exception around another one."""
    return type(error) in _WRAPPERS and _WRAPPED.match(text_of(error)) is not None


def read_protocol_error(error: MCPError, behind: object) -> RequestFailure:
    """Return what an error of the protocol is; FastMCP's own time limit, or a server behind this one, is the tool's failure."""
    is_the_tools = is_proxy(behind) or is_own_time_limit(error)
    return RequestFailure(error) if is_the_tools else ProtocolFailure(error)


def look_behind_middleware(error: BaseException) -> BaseException:
    """Return the exception that FastMCP's ErrorHandlingMiddleware made an error of the protocol of; else the exception."""
    cause = find_cause(error)
    return cause if cause is not None and was_raised_in(_ERROR_HANDLING, error) else error


def read_refusal(error: BaseException, request: Request, behind: object) -> RequestFailure | None:
    """Return what Pydantic refused, the arguments or a model in the body; None if it is about something else."""
    cause = find_cause(error)
    if isinstance(error, InvalidArguments) and isinstance(cause, ValidationError):
        if renamed := read_transformed(cause, behind, request):
            return RefusedArguments(renamed, is_intended=True)
        if hasattr(behind, "parent_tool") and not _is_about(cause, behind):  # The client has sent no such thing.
            return RefusedModel(cause)
        return ServerBug(cause) if _is_about_another(cause, behind) else RefusedArguments(cause, is_intended=True)
    if request.kind is not Kind.TOOL and (refusal := _check_signature(error, request, behind)):
        return refusal
    if isinstance(error, TypeError) and (names := read_missing(error, request)):
        return MissingArguments(error, is_intended=True, names=names)
    in_body = cause if type(error).__name__ == _OF_THE_BODY else error
    return RefusedModel(in_body) if isinstance(in_body, ValidationError) else None


def _is_about_another(refusal: ValidationError, behind: object) -> bool:
    """Return whether the refused arguments are those of another function, by the name that Pydantic gives."""
    name: str | None = getattr(behind.fn, "__name__", None) if type(behind) is FunctionTool else None
    return name is not None and not _is_about(refusal, behind)


def _is_about(refusal: ValidationError, behind: object) -> bool:
    """Return whether the refused arguments are those of a tool's own function."""
    return refusal.title == f"call[{getattr(getattr(behind, 'fn', None), '__name__', None)}]"


def _check_signature(error: BaseException, request: Request, behind: object) -> RequestFailure | None:
    """Return a refusal of the arguments of a prompt or a template, which FastMCP reports in four different ways."""
    component = request.component
    if isinstance(component, Prompt) and text_of(error).startswith(_MISSING):
        wanted = [argument.name for argument in component.arguments or () if argument.required]
        names = tuple(name for name in wanted if name not in request.arguments)
        return MissingArguments(error, is_intended=True, names=names) if names else None
    if not (
        isinstance(error, ValidationError) or _CONVERSION.match(text_of(error)) or was_raised_in(_TEMPLATES, error)
    ):
        return None
    given = component.matches(request.name) if isinstance(component, ResourceTemplate) else request.arguments
    refusal = validate(getattr(behind, "fn", None), given or {})
    return RefusedArguments(refusal, is_intended=True) if refusal else None
