"""A Fault as a JSON-RPC error, for resources, prompts and the protocol itself."""

import dataclasses

from errata.dialects._dialect import Dialect
from errata.dialects._json_rpc import json_rpc
from errata.dialects._members import text_in
from errata.dialects._native import native
from errata.dialects._outgoing import outgoing
from errata.dialects._protocol import INTERNAL_ERROR, NUMBER_OF
from errata.dialects._sentences import retry_sentence
from errata.model import Fault
from errata.redaction import put_on_one_line


def as_jsonrpc_error(fault: Fault, *, dialect: Dialect = native) -> dict[str, object]:
    """Say a fault as the `error` member of a JSON-RPC response, with a number that the protocol allows.

    The message says everything in one line, because `data` reaches no model. A missing resource is
    found in `data.uri`, a bad argument in `data.field`, 003's number in `data.legacyCode`. In 003's dialect the data is
    what the author attached, as 003 has it, and the fault is in `data["errata/fault"]`.
    """
    fault = outgoing(dataclasses.replace(fault, field=fault.first_field))
    data = dialect.error_data(fault)
    data.setdefault("legacyCode", int(json_rpc.vocabulary.word_for(fault)))
    if uri := text_in(fault.data, "uri"):
        data["uri"] = uri
    return {"code": NUMBER_OF.get(fault.code, INTERNAL_ERROR), "message": _message(fault), "data": data}


def _message(fault: Fault) -> str:
    hint = fault.recovery and fault.recovery.hint
    parts = [f"{fault.code}: {fault.message}", f"Recovery: {hint}" if hint else "", f"Retry: {retry_sentence(fault)}"]
    return " ".join(_sentence(put_on_one_line(part)) for part in parts if part)


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."
