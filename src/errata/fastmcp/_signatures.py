"""What a function has against its arguments, by its signature: FastMCP does not always say it."""

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any, cast

from pydantic import Field, ValidationError, create_model
from pydantic_core import InitErrorDetails

from errata.redaction import text_of
from errata.serving import Request, refuses_arguments, was_raised_in

_ABSENT = re.compile(
    r"Missing required arguments?(?:\(s\))?: ?(.+)|.*\(\) missing \d+ required \S+ arguments?: (.+)", re.DOTALL
)
_QUOTED = re.compile(r"'([^']+)'")
_DEEPEST = 32
_OWN_TIME_LIMIT = re.compile(r"Tool '.*' execution timed out after ", re.DOTALL)
_NAME = re.compile(r"[^\s,'\"\[\]{}()]+")


def is_own_time_limit(error: BaseException) -> bool:
    """Return whether FastMCP says that a tool took longer than its author allows."""
    return _OWN_TIME_LIMIT.match(text_of(error)) is not None and was_raised_in("fastmcp.tools", error)


def read_missing(error: TypeError, request: Request) -> tuple[str, ...]:
    """Return the arguments that a transformed tool lacks: FastMCP raises a bare TypeError for them, or Python does."""
    match = _ABSENT.match(text_of(error)) if was_raised_in("fastmcp", error) else None
    named = _NAME.findall(match[1]) if match and match[1] else _QUOTED.findall(match[2]) if match else []
    return tuple(name for name in named if name not in request.arguments)


def read_transformed(refusal: ValidationError, tool: object, request: Request) -> ValidationError | None:
    """Return what was refused of a transformed tool's arguments, by their names in the request.

    None if it is not about them: a constant that the tool passes on is not the client's, nor is a value it has made.
    """
    transformed = list[Any]()
    while (parent := getattr(tool, "parent_tool", None)) is not None and len(transformed) < _DEEPEST:
        transformed.append(tool)
        tool = parent
        if refusal.title == f"call[{getattr(getattr(tool, 'fn', None), '__name__', None)}]":
            try:
                renamed = _rename(refusal, [each.transform_args or {} for each in reversed(transformed)])
            except Exception:  # noqa: BLE001 - foreign objects, which may be anything; then nobody can say.
                return None
            return renamed if refuses_arguments(renamed, request.arguments) else None
    return None


def _rename(refusal: ValidationError, transformations: list[Mapping[str, Any]]) -> ValidationError:
    """Return the same refusal with the names that its arguments have for the client."""
    details = list[InitErrorDetails]()
    for each in refusal.errors():
        name, *rest = each["loc"]
        for transformation in transformations:
            argument = transformation.get(str(name))
            if getattr(argument, "hide", None) is True:
                raise LookupError(name)
            renamed = getattr(argument, "name", None)
            name = renamed if isinstance(renamed, str) else name
        context = each.get("ctx", {})
        details.append(InitErrorDetails(type=each["type"], loc=(name, *rest), input=each["input"], ctx=context))
    return ValidationError.from_exception_data(refusal.title, details)


def validate(function: object, given: Mapping[str, object]) -> ValidationError | None:
    """Return what Pydantic has against arguments, by a function's signature; None if nothing."""
    try:
        parameters = inspect.signature(cast("Callable[..., object]", function), eval_str=True).parameters.values()
        fields = {
            f"argument_{number}": (parameter.annotation, Field(alias=parameter.name))  # Pydantic minds some names.
            for number, parameter in enumerate(parameters)
            if parameter.name in given and parameter.annotation is not parameter.empty
        }
        create_model("arguments", **cast("dict[str, Any]", fields)).model_validate(dict(given))
    except ValidationError as refusal:
        return refusal
    except Exception:  # noqa: BLE001 - annotations may be anything; then nobody can say.
        return None
    return None
