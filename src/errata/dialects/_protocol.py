"""JSON-RPC's own numbers, as MCP 2026-07-28 defines them.

Between -32768 and -32000 a server may send only what JSON-RPC and the protocol define, so these are all
there is. What a number in -32000…-32019 means depends on who sent it: alone, it means nothing.
"""

from collections.abc import Mapping

from errata.dialects._payload import object_in, read_payload, text_in
from errata.model import Code, Fault
from errata.redaction import jsonable_object

INTERNAL_ERROR = -32603
INVALID_PARAMS = -32602
FAULT = "errata/fault"
"""The key of a fault in the data of an error, if the data is somebody else's."""

# fmt: off
NUMBER_OF = {
    Code.PARSE_ERROR:            -32700,
    Code.INVALID_REQUEST:        -32600,
    Code.METHOD_NOT_FOUND:       -32601,
    Code.INVALID_PARAMS:         INVALID_PARAMS,
    Code.MISSING_REQUIRED_FIELD: INVALID_PARAMS,
    Code.INVALID_FORMAT:         INVALID_PARAMS,
    Code.VALIDATION_FAILED:      INVALID_PARAMS,
    Code.NOT_FOUND:              INVALID_PARAMS,  # SEP-2164: a missing resource, with `data.uri`.
}
"""The number a code is sent as; every other one is sent as INTERNAL_ERROR."""

_CODE_OF = {
    -32700:         Code.PARSE_ERROR,
    -32600:         Code.INVALID_REQUEST,
    -32601:         Code.METHOD_NOT_FOUND,
    INVALID_PARAMS: Code.INVALID_PARAMS,
    INTERNAL_ERROR: Code.INTERNAL_ERROR,
    -32002:         Code.NOT_FOUND,        # Resource not found, until 2025-11-25; no longer sent, still read.
    -32020:         Code.INVALID_REQUEST,  # HeaderMismatch
    -32021:         Code.INVALID_REQUEST,  # MissingRequiredClientCapability
    -32022:         Code.INVALID_REQUEST,  # UnsupportedProtocolVersion
}
# fmt: on


def code_of_number(number: int) -> Code | None:
    """Return the code that a number in a JSON-RPC error stands for; None for one that means nothing by itself."""
    return _CODE_OF.get(number)


def read_embedded_fault(error: Mapping[str, object]) -> Fault | None:
    """Return the fault that errata put into the data of a JSON-RPC error; None where somebody else wrote it."""
    data = object_in(error, "data")
    return read_payload(object_in(data, FAULT)) or read_payload(data)


def read_error(body: Mapping[str, object]) -> Fault:
    """Read the `error` member of a JSON-RPC response, whoever sent it."""
    return read_embedded_fault(body) or _read_foreign(body, object_in(body, "data"))


def _read_foreign(body: Mapping[str, object], data: Mapping[str, object]) -> Fault:
    number = body.get("code")
    code = code_of_number(number) if isinstance(number, int) else None
    if code is Code.INVALID_PARAMS and text_in(data, "uri"):
        code = Code.NOT_FOUND
    return Fault(
        code=code or Code.UNKNOWN_ERROR,
        message=text_in(body, "message") or "",
        field=text_in(data, "field"),
        origin=None if code or number is None else str(number),
        data=jsonable_object(body.get("data")),
    )
