"""What a function has against its arguments, by its signature: FastMCP does not always say it."""

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any, cast

from pydantic import Field, ValidationError, create_model

from errata.redaction import text_of
from errata.serving import Request, was_raised_in

_ABSENT = re.compile(
    r"Missing required arguments?(?:\(s\))?: ?(.+)|.*\(\) missing \d+ required \S+ arguments?: (.+)", re.DOTALL
)
_QUOTED = re.compile(r"'([^']+)'")
_NAME = re.compile(r"[^\s,'\"\[\]{}()]+")


def read_missing(error: TypeError, request: Request) -> tuple[str, ...]:
    """Return the arguments that a transformed tool lacks: FastMCP raises a bare TypeError for them, or Python does."""
    match = _ABSENT.match(text_of(error)) if was_raised_in("fastmcp", error) else None
    named = _NAME.findall(match[1]) if match and match[1] else _QUOTED.findall(match[2]) if match else []
    return tuple(name for name in named if name not in request.arguments)


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
