"""Whether a result from the wire is a failure, and which: `decode` and `recognise`."""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple, cast

from errata import dialects
from errata.dialects import (
    FAULT,
    PRESUMED,
    TOOL_CALL_ID,
    ErrorObject,
    ToolResult,
    Trust,
    add_meta,
    apply_trust,
    drop_licence,
    has_verdict,
    lower_hearsay,
    object_in,
    open_message,
    read_embedded_fault,
    read_lines,
    read_payload,
    redact_fault,
    text_in,
)
from errata.model import Code, Fault, FaultError, Retry, is_a
from errata.reading._payload_evidence import is_marked_block, lists_one_failure, lists_only_failures, says_it_failed
from errata.reading._prose_evidence import opens_like_a_failure
from errata.reading._text_parts import LONGEST_FAILURE, parse_whole_list, parse_whole_object

_UNKNOWN = Code.UNKNOWN_ERROR.value
_NO_DIALECT, _OF_THE_PROTOCOL = "none", "JSON-RPC error"


class Reading(NamedTuple):
    """What `recognise` concluded about a result."""

    fault: Fault
    dialect: str
    """The name of a dialect, `JSON-RPC error`, or `none` for a failure that speaks no dialect we know."""
    word: Trust
    """How far it may be believed: the server's own verdict or data, its text, or something that it may only quote."""

    @property
    def rests_on_words(self) -> bool:
        """Whether it rests on words only, which prove nothing: a text, or a sentence in data of no dialect."""
        return is_hearsay(self.fault, self.dialect, self.word)


def is_hearsay(fault: Fault, dialect: str, trust: Trust) -> bool:
    """Return whether only words say what a failure is: they may quote the caller, even a status in them."""
    return trust < Trust.DATA or (dialect == _NO_DIALECT and not _is_in(fault.data, fault.http_status))


def limit_trust(fault: Fault, trust: Trust, *, harmless: bool | None, changes: bool | None, has_run: bool) -> Fault:
    """Return the fault of a call, as far as it may be believed where a repetition may do harm.

    Neither text nor data prove that nothing has happened, because an upstream may have written them. Advice in the text of
    a tool with effects is not followed either. `harmless` says whether doing it twice does no harm, `changes` whether the
    tool changes something, None where that is not known; `has_run` that its result is marked as a success.
    """
    if trust is Trust.VERDICT:
        return fault
    fault = _drop_check(fault, changes=changes)
    if harmless:
        return fault
    if not (harmless is False or changes) or trust >= Trust.DATA:
        return drop_licence(fault)
    lowered = lower_hearsay(fault)
    if lowered.retry is Retry.FIX_INPUT and has_run:
        return replace(lowered, retry=Retry.VERIFY_FIRST)  # The tool has run to its end, whatever its text says.
    return lowered


def _drop_check(fault: Fault, *, changes: bool | None) -> Fault:
    """Return the fault of a tool that changes nothing without the verdict that something may have been done."""
    is_idle = changes is False and fault.retry is Retry.VERIFY_FIRST and not fault.retry_declared
    return replace(fault, retry=fault.code.retry) if is_idle else fault


def _is_in(value: object, status: int | None) -> bool:
    """Return whether a status is a member of some data, and not only part of a sentence."""
    match value:
        case bool() | None:
            return False
        case int() | str():
            return status is not None and str(value) == str(status)
        case list():
            return any(_is_in(item, status) for item in cast("list[object]", value))
        case Mapping():
            return any(_is_in(item, status) for item in cast("Mapping[str, object]", value).values())
        case _:
            return False


def decode(message: object, *, request: object = None, tool: object = None) -> Fault | None:
    """Return the fault in a `CallToolResult`, a JSON-RPC response or a JSON-RPC error object; None if it is no failure.

    An exception, LangChain's `ToolMessage` and CrewAI's `ToolFailure` are read by their text.
    `request` is the JSON-RPC request that it answers, or its `params`; `tool` is the tool's entry of `tools/list`. With
    them the fault names the argument it is about, and the caller's own words are not taken for the server's.

    Never raises, whatever the arguments are.
    """
    reading = recognise(message, request=request, tool=tool)
    return reading.fault if reading else None


def recognise(message: object, *, request: object = None, tool: object = None) -> Reading | None:
    """Read a message as `decode` does; return the fault with its dialect and how far it may be believed."""
    if is_a(message, FaultError):  # It holds what was concluded before.
        return Reading(redact_fault(message.fault), dialects.native.name, Trust.HEARSAY)
    arrived = None if _is_success_at_a_glance(message) else open_message(message)
    if request is None and tool is None:
        return _read(arrived)
    return None if arrived is None else _read_with_request(arrived, request, tool)


def _read_with_request(arrived: ToolResult | ErrorObject | None, request: object, tool: object) -> Reading | None:
    """Read a message as the answer to a request."""
    from errata.classification import CALL  # noqa: PLC0415 - as below.
    from errata.reading._request_comparison import build_call, is_echo, name_argument  # noqa: PLC0415 - as below.
    from errata.tools import has_effect  # noqa: PLC0415 - as below.

    call = build_call(request, tool)
    token = CALL.set(call)
    try:
        reading = _read(arrived)
    finally:
        CALL.reset(token)
    if reading is None or (isinstance(arrived, ToolResult) and not arrived.is_error and is_echo(arrived.texts, call)):
        return None
    is_of_a_dialect = reading.dialect not in (
        _NO_DIALECT,
        _OF_THE_PROTOCOL,
    )  # A dialect names the argument itself, if at all.
    if is_of_a_dialect or call is None:
        return reading
    changes = has_effect(call.tool) or has_effect(call.tool, call.annotations)
    return reading._replace(fault=_drop_check(name_argument(reading.fault, call), changes=changes))


def read_sentences(value: object) -> list[str]:
    """Return the sentences of an error body: what APIs call the message, the detail, the description."""
    from errata.reading._error_bodies import list_sentences  # noqa: PLC0415 - as below.

    return list_sentences(value)


def _read(arrived: ToolResult | ErrorObject | None) -> Reading | None:
    match arrived:
        case ErrorObject(body):
            from errata.reading._foreign_results import read_protocol_error  # noqa: PLC0415 - as below.

            fault, trust = read_protocol_error(body), _judge_trust_in_error(body)
            return Reading(fault if trust is Trust.DATA else drop_licence(fault), _OF_THE_PROTOCOL, trust)
        case ToolResult() as result:
            return _read_result(result)
        case None:
            return None


def _read_result(result: ToolResult) -> Reading | None:
    """Read a result in its dialect; if it has none, or uses an unknown word, by its text and data."""
    spoken = _read_dialect(result)
    if spoken and not _has_an_unknown_word(spoken.fault, result):
        return spoken
    from errata.reading._foreign_results import add_guidance, read_foreign_result  # noqa: PLC0415 - only a failure pays for loading the tables.

    fault = read_foreign_result(result)
    if fault is None or (spoken and fault.code is Code.UNKNOWN_ERROR):
        return spoken
    trust = _judge_trust_in_result(result)
    if trust < Trust.DATA:
        fault = lower_hearsay(fault) if trust is Trust.HEARSAY and fault.retry_declared else drop_licence(fault)
    return Reading(add_meta(add_guidance(fault, result.meta), trust, result), _NO_DIALECT, trust)


def _judge_trust_in_result(result: ToolResult) -> Trust:
    """Return how far a failure in no dialect may be believed."""
    if not result.is_error:
        return Trust.HEARSAY
    structured = object_in(result.raw, "structuredContent")
    if structured and all("{" not in text or parse_whole_object(text) == structured for text in result.texts):
        return Trust.DATA
    return Trust.TEXT if len(result.texts) == 1 and parse_whole_object(result.texts[0]) else Trust.HEARSAY


def _judge_trust_in_error(body: Mapping[str, object]) -> Trust:
    """Return how far a JSON-RPC error may be believed: its data are the server's, its message may quote anybody."""
    quotes = "{" in (text_in(body, "message") or "")
    return Trust.DATA if read_embedded_fault(body) or (body.get("data") is not None and not quotes) else Trust.HEARSAY


def _has_an_unknown_word(fault: Fault, result: ToolResult) -> bool:
    """Return whether the code in a payload is no word of the dialect; UNKNOWN_ERROR itself is one."""
    if fault.code is not Code.UNKNOWN_ERROR or fault.origin is None:
        return False
    if object_in(result.meta, FAULT).get("code") == _UNKNOWN:
        return False
    return not any(
        _UNKNOWN in (each.members.get("code"), object_in(each.members, "error").get("code"))
        for each in result.payloads()
    )


def _read_dialect(result: ToolResult) -> Reading | None:
    if result.is_error and FAULT in result.meta and (fault := read_payload(object_in(result.meta, FAULT))):
        return Reading(fault, dialects.native.name, Trust.VERDICT)  # By a gate, which has weighed all the rest.
    for payload in result.payloads():  # The most complete payload decides, whichever dialect it is in.
        for name in dialects.names():
            if fault := dialects.get(name).from_payload(payload.members, is_error=result.is_error):
                trust = Trust.VERDICT if _says_its_verdict(fault, payload.trust, result) else payload.trust
                return _build_reading(apply_trust(fault, trust, result), name, trust)
    fault = dialects.native.read(result)  # Its lines may have come through alone.
    return _build_reading(fault, dialects.native.name, result.trust_in_text(result.texts[0])) if fault else None


def _build_reading(fault: Fault, dialect: str, trust: Trust) -> Reading:
    """Return a reading; a text, whoever wrote it, licenses no repetition by itself."""
    return Reading(drop_licence(fault) if trust < Trust.DATA else fault, dialect, trust)


def _says_its_verdict(fault: Fault, trust: Trust, result: ToolResult) -> bool:
    """Return whether the server states its verdict besides its data, in lines or in metadata."""
    if trust is not Trust.DATA or not result.is_error:
        return False
    if has_verdict(result.meta):
        return True
    lines = read_lines(result.texts[0]) if result.texts and result.meta.get(PRESUMED) is not True else None
    return lines is not None and (lines.code, lines.retry) == (fault.code, fault.retry)


def _is_success_at_a_glance(message: object) -> bool:
    """Return whether a message is an ordinary success. This runs on every call, so it makes few calls itself."""
    try:
        if type(message) is not dict:
            return False
        result = cast("dict[str, object]", message)
        if type(inner := result.get("result")) is dict and not {"content", "error"} & result.keys():
            result = cast("dict[str, object]", inner)
        content = result.get("content")
        if type(content) is not list or result.get("isError") is True:
            return False
        if not _ODD_KEYS.isdisjoint(result) and _is_odd(result):
            return False
        structured = result.get("structuredContent")
        if structured is not None and _may_be_structured(structured, is_alone=content == []):
            return False
        return not _may_be_failure(cast("list[object]", content))
    except Exception:  # noqa: BLE001 - an odd object somewhere inside deserves a closer look.
        return False


def _is_odd(result: dict[str, object]) -> bool:
    return not _OTHER_NAMES.isdisjoint(result) or _has_a_mark(result)


def _may_be_structured(structured: object, *, is_alone: bool) -> bool:
    if type(structured) is not dict:
        return True
    members = cast("dict[str, object]", structured)
    return (is_alone and "message" in members) or _may_be_payload(members)


def _has_a_mark(members: dict[str, object]) -> bool:
    if _MARK_KEYS.isdisjoint(members):
        return False
    return any(all(members.get(key) is not None for key in mark) for mark in dialects.MARKS)


def _may_be_payload(members: dict[str, object]) -> bool:
    return _has_a_mark(members) or says_it_failed(members)


def _may_be_failure(blocks: list[object]) -> bool:
    for block in blocks:
        if type(block) is not dict:
            return True
        members = cast("dict[str, object]", block)
        text = members.get("text")
        if (len(members) > _PLAIN_BLOCK or members.get("type") != "text") and is_marked_block(members):
            return True
        if isinstance(text, str) and (
            opens_like_a_failure(text) if text[:1] not in _BEFORE_JSON else _may_be_json(text)
        ):
            return True
    return False


def _may_be_json(text: str) -> bool:
    start = text.lstrip(_BLANKS)
    if start.startswith(("{", "```")):
        return _may_be_object(text)
    return _may_be_list(text) if start.startswith("[") else opens_like_a_failure(text)


def _may_be_object(text: str) -> bool:
    if len(text) <= LONGEST_FAILURE:
        return any(word in text for word in _TELLING) and _may_be_payload(parse_whole_object(text))
    return any(all(f'"{key}"' in text for key in mark) for mark in dialects.MARKS)


def _may_be_list(text: str) -> bool:
    if len(text) > LONGEST_FAILURE:
        return False
    may_tell = any(word in text for word in _TELLING)
    return opens_like_a_failure(text) or (may_tell and _lists_failures(text))


def _lists_failures(text: str) -> bool:
    items = parse_whole_list(text)
    return lists_one_failure(items) or lists_only_failures(items)


_MARK_KEYS = frozenset[str]().union(*dialects.MARKS)
_OTHER_NAMES = frozenset({"is_error", "structured_content", TOOL_CALL_ID})
"""The SDK's Python names, and a framework's tool message."""
_ODD_KEYS = _MARK_KEYS | _OTHER_NAMES
_PLAIN_BLOCK = 2
"""The number of members that most blocks have: a type and a text."""
_BLANKS = "\ufeff \t\r\n"
_BEFORE_JSON = frozenset("{[`" + _BLANKS)
_TELLING = (
    "rror",
    '"message"',
    '"detail',
    '"title"',
    '"description"',
    '"reason"',
    '"msg"',
    "Failure",
    "eason",
    "statusText",
)
"""JSON without any of these does not say that something failed."""
