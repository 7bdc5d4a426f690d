"""Checks of what a program passes to `Caller`, before anything is sent."""

import json
import math
from collections.abc import Mapping
from typing import Any, TypedDict, TypeGuard, cast

from errata.client._call_failed import ClientRequest
from errata.model import Code, Fault, Retry
from errata.redaction import put_on_one_line

KEYS = frozenset({"idempotency_key", "idempotencyKey"})
"""A tool that declares one of these arguments recognises a repetition by it."""


class HttpSettings(TypedDict):
    """What `Caller.connect` was given for HTTP."""

    headers: Mapping[str, str] | None
    auth: object
    timeout_s: float | None
    http_options: Mapping[str, Any] | None
    max_body_bytes: int | None


def check_name(kind: str, name: object) -> str:
    """Return the name of a tool, resource or prompt; raise TypeError for anything but a non-empty text."""
    if not isinstance(name, str) or not name:
        raise TypeError(f"The name of a {kind} is a text, and `{name!r}` is none. Nothing was sent.")
    return name


def copy_arguments(name: str, arguments: object) -> dict[str, object]:
    """Return a copy of the arguments, which later changes do not reach; raise TypeError for what is no mapping."""
    if arguments is None:
        return {}
    if not isinstance(arguments, Mapping):
        raise TypeError(
            f"The arguments of `{name}` are a mapping of names to values, and a {type(arguments).__name__} is none. "
            f'Nothing was sent. Pass them as in `call("{name}", {{"name": value}})`.'
        )
    return dict(cast("Mapping[str, object]", arguments))


def check_key(name: str, key: object) -> str | None:
    """Return an idempotency key; None for a blank one, which identifies nothing; raise TypeError for what is no text."""
    if key is not None and not isinstance(key, str):
        raise TypeError(
            f"The key of a call is a text, and a {type(key).__name__} is none. Nothing was sent. "
            f'Pass it as in `call("{name}", {{…}}, key="order-17")`.'
        )
    return key if is_key(key) else None


def is_key(value: object) -> TypeGuard[str]:
    """Return whether a value can serve as an idempotency key: a visible text, and no word for nothing."""
    return isinstance(value, str) and put_on_one_line(value).lower() not in _NO_KEYS


_NO_KEYS = frozenset({"", "null", "none", "nil", "undefined", "nan", "string", "uuid"})


def check_timeout(timeout_s: object) -> float | None:
    """Return a time limit in seconds, None for an endless one; raise an error for anything else."""
    if timeout_s is None:
        return None
    if isinstance(timeout_s, bool) or not isinstance(timeout_s, int | float):
        raise TypeError(
            f"`timeout_s` is `{timeout_s!r}`. Give the seconds that an attempt may take, or None for no limit."
        )
    if not timeout_s > 0:  # This refuses NaN, too.
        raise ValueError(
            f"`timeout_s` is {timeout_s}. Give the seconds that an attempt may take, more than 0, or None for no limit."
        )
    return None if timeout_s == math.inf else timeout_s


def is_sendable(kind: str, arguments: Mapping[str, object]) -> bool:
    """Return whether arguments can be written as JSON; an error while they are sent would end the connection."""
    if not all(isinstance(name, str) for name in arguments):
        return False
    if kind == "prompt" and not all(isinstance(value, str) for value in arguments.values()):
        return False
    from pydantic_core import to_jsonable_python  # noqa: PLC0415 - the SDKs serialise with it, so every client brings it along.

    try:
        json.dumps(to_jsonable_python(dict(arguments)), ensure_ascii=False, allow_nan=False).encode()
    except Exception:  # noqa: BLE001 - a value may have its own serialisation, which may raise anything.
        return False
    return True


def refuse_unsendable(request: ClientRequest) -> Fault:
    """Return the fault of arguments that cannot be written as JSON."""
    return Fault(
        code=Code.INVALID_PARAMS,
        message=(_NOT_TEXTS if request.kind == "prompt" else _NOT_JSON).format(request=request),
        retry=Retry.FIX_INPUT,
    )


_NOT_JSON = (
    "The arguments of {request} cannot be written as JSON, so nothing was sent. Pass only texts, finite numbers, true, "
    "false, null, and lists and mappings of these that do not contain themselves."
)
_NOT_TEXTS = (
    "The arguments of {request} could not be sent, because one of them is no text. Pass texts only to a prompt."
)
