"""A fault as a JSON-RPC error, for resources, prompts and the protocol itself."""

from errata.dialects._dialect import Dialect
from errata.dialects._json_rpc import json_rpc
from errata.dialects._native import native
from errata.dialects._native_lines import write_retry_sentence
from errata.dialects._outgoing import redact_fault
from errata.dialects._payload import text_in
from errata.dialects._protocol import INTERNAL_ERROR, NUMBER_OF
from errata.model import Fault, replace_fields
from errata.redaction import put_on_one_line


def as_jsonrpc_error(fault: Fault, *, dialect: Dialect = native) -> dict[str, object]:
    """Return a fault as the `error` member of a JSON-RPC response, with a number that the protocol allows.

    The message says everything in one line, because `data` reaches no model. A missing resource is
    named in `data.uri`, a bad argument in `data.field`, the number of the json-rpc dialect in `data.legacyCode`. In that
    dialect the data is what the author attached, and the fault is in `data["errata/fault"]`.
    """
    fault = redact_fault(fault)
    fault = replace_fields(fault, field=fault.first_field)
    data = dialect.error_data(fault)
    data.setdefault("legacyCode", int(json_rpc.vocabulary.word_for(fault)))
    if uri := text_in(fault.data, "uri"):
        data["uri"] = uri
    return {"code": NUMBER_OF.get(fault.code, INTERNAL_ERROR), "message": _message(fault), "data": data}


def _message(fault: Fault) -> str:
    hint = fault.recovery and fault.recovery.hint
    parts = [
        f"{fault.code}: {fault.message}",
        f"Recovery: {hint}" if hint else "",
        f"Retry: {write_retry_sentence(fault)}",
    ]
    return " ".join(_sentence(put_on_one_line(part)) for part in parts if part)


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."
