"""JSON-RPC errors of any server: by number *and* text, with `data` of any kind."""

from collections.abc import Mapping

from errata.dialects import INVALID_PARAMS, code_of_number, fault_in, integer_in, object_in, text_in
from errata.model import Code, Fault
from errata.reading._judgement import meaning_of_text
from errata.reading._strangers import all_of, fault_of
from errata.redaction import jsonable_object


def read_protocol_error(body: Mapping[str, object]) -> Fault:
    """Read the `error` member of a JSON-RPC response."""
    return fault_in(body) or _read_stranger(body)


def _read_stranger(body: Mapping[str, object]) -> Fault:
    number, data, text = integer_in(body, "code"), body.get("data"), text_in(body, "message") or ""
    meaning = meaning_of_text(text, number=number, body=data)
    members = object_in(body, "data")
    if number == INVALID_PARAMS and text_in(members, "uri"):  # SEP-2164
        meaning = meaning._replace(code=Code.NOT_FOUND, retry=Code.NOT_FOUND.retry)
    is_known = number is None or code_of_number(number) is not None
    return fault_of(
        meaning,
        data=all_of(meaning, text) if data is None else jsonable_object(data),
        field=text_in(members, "field"),
        origin=None if is_known else str(number),
    )
