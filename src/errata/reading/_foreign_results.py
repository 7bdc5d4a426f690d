"""Results and errors of servers that speak no dialect: prose, JSON in prose, and failures disguised as successes."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from errata.dialects import (
    INVALID_PARAMS,
    QUESTION,
    ToolResult,
    code_of_number,
    flag_in,
    integer_in,
    items_in,
    json_text,
    object_in,
    present,
    read_embedded_fault,
    text_in,
)
from errata.model import Code, Fault, Recovery
from errata.reading._error_bodies import read_body
from errata.reading._meaning import Meaning, has_meaning, read_meaning
from errata.reading._payload_evidence import (
    is_code_with_message,
    is_marked_block,
    lists_one_failure,
    lists_only_failures,
    says_it_failed,
)
from errata.reading._prose_evidence import needs_no_cause, opens_like_a_failure, skip_opening
from errata.reading._symbols import classify_symbol
from errata.reading._text_parts import parse_whole_list, parse_whole_object, split_trailer
from errata.reading._validation_text import to_field_issues
from errata.redaction import as_object, jsonable_object

_LONGEST_HTTP_BODY = 500
_OF_RESULTS = frozenset({"content", "structuredContent", "isError", "_meta", "resultType"})
_ONLY_AN_ERROR = frozenset({"code", "detail", "details", "error", "message", "ok", "status", "success"})
_OF_STORES = ("file:", "git:", "github:", "http:", "https:", "repo:", "s3:")
TOOL_FAILURE = "io.modelcontextprotocol/toolFailure"
"""The metadata in which SEP-3313 describes a failed call for programs."""
_WORD_OF_CLASS = {"capability": "not_supported", "reliability": "upstream_error", "governance": "forbidden"}


def read_foreign_result(result: ToolResult) -> Fault | None:
    """Return the fault in a result that is marked as a failure, or clearly tells of one; None for a success."""
    if not result.is_error:
        return _read_disguised_failure(result)
    trailer = split_trailer("\n".join(result.texts))
    structured = object_in(result.raw, "structuredContent") or ({} if result.texts else _unknown_members(result.raw))
    beside = _read_tool_failure(result.meta) or present(retryable=trailer.retryable)
    fault = _build_fault(trailer.text, structured, beside)
    return replace(
        fault,
        reason=fault.reason or trailer.reason,
        recovery=fault.recovery or Recovery(hint=trailer.hint),
        correlation_id=fault.correlation_id or trailer.request_id,
    )


def _unknown_members(raw: Mapping[str, object]) -> dict[str, object]:
    """Return the members of a result that the protocol does not define: some servers put their message there."""
    return {key: value for key, value in raw.items() if key not in _OF_RESULTS}


def add_guidance(fault: Fault, meta: Mapping[str, object]) -> Fault:
    """Return a fault with the advice and the reference of SEP-3313's metadata, which are the server's own."""
    failure = object_in(meta, TOOL_FAILURE)
    if not failure:
        return fault
    return replace(
        fault,
        recovery=fault.recovery or Recovery(hint=text_in(failure, "agentGuidance")),
        correlation_id=fault.correlation_id or text_in(failure, "correlationId"),
    )


def _read_tool_failure(meta: Mapping[str, object]) -> dict[str, object]:
    """Return SEP-3313's metadata as the error body of an API; its class counts if its code has no meaning."""
    failure = object_in(meta, TOOL_FAILURE)
    code, kind = text_in(failure, "code"), text_in(failure, "class")
    return present(
        code=code,
        type=None if code and classify_symbol(code) else _WORD_OF_CLASS.get(kind or ""),
        retryable=flag_in(failure, "retryable"),
        retryAfter=failure.get("retryNotBefore"),
    )


def _read_disguised_failure(result: ToolResult) -> Fault | None:
    structured = object_in(result.raw, "structuredContent")
    texts = result.texts or tuple(_prompt_texts(result.raw))
    if structured.get("kind") == QUESTION:
        return None
    if (len(texts) == 1 and _tells_of_a_failure(texts[0])) or (texts and _is_marked(result.raw)):
        return _build_fault("\n".join(texts), structured)
    if not texts and "content" in result.raw and _is_an_error(structured):
        return _build_fault(json_text(structured), structured)
    if says_it_failed(structured) and _texts_agree(texts, structured):
        return _build_fault("\n".join(texts) or json_text(structured), structured)
    return _read_bare(result.raw)


def _is_marked(raw: Mapping[str, object]) -> bool:
    """Return whether every block is flagged as an error; a single one among others may be a program's stderr."""
    blocks = items_in(raw, "content")
    return bool(blocks) and all(is_marked_block(as_object(block)) for block in blocks)


def _tells_of_a_failure(text: str) -> bool:
    if opens_like_a_failure(text):
        return needs_no_cause(text) or has_meaning(skip_opening(text))
    items = parse_whole_list(text)
    if lists_only_failures(items):
        return True
    return says_it_failed(parse_whole_object(text)) or (lists_one_failure(items) and has_meaning(text))


def _is_an_error(structured: Mapping[str, object]) -> bool:
    """Return whether the data are an error's code and message, and nothing else."""
    return is_code_with_message(structured, lambda code: classify_symbol(code) is not None)


def _texts_agree(texts: tuple[str, ...], structured: Mapping[str, object]) -> bool:
    """Return whether the texts, if any, say the same as the data; the text of a success sums its data up."""
    message = read_body(structured).message
    return not any(text.strip() for text in texts) or any(
        parse_whole_object(text) == structured or (message and message in text) for text in texts
    )


def _read_resource(raw: Mapping[str, object]) -> Fault | None:
    """Return the fault in contents of a resource that are nothing but an error; None for any other.

    Contents of a file may say anything; contents that a server composes may be an error.
    """
    contents = [as_object(each) for each in items_in(raw, "contents")]
    if not contents or not all(map(_is_failed_content, contents)):
        return None
    return _build_fault("\n".join(filter(None, (text_in(each, "text") for each in contents))), {})


def _is_failed_content(content: Mapping[str, object]) -> bool:
    if is_marked_block(content):
        return True
    uri, body = text_in(content, "uri") or "", parse_whole_object(text_in(content, "text") or "")
    is_stored = uri.startswith(_OF_STORES) or uri.endswith((".json", ".log", ".txt"))
    return not is_stored and "error" in body and body.keys() <= _ONLY_AN_ERROR and says_it_failed(body)


def _read_bare(raw: Mapping[str, object]) -> Fault | None:
    """Return the fault in an object that is no tool result: an API's error, or the text of an HTTP refusal."""
    if "contents" in raw:
        return _read_resource(raw)
    if "content" not in raw and says_it_failed(raw):
        return _build_fault(json_text(raw), {})
    body = text_in(raw, "text") or "" if raw.keys() == {"text"} else ""
    return _build_fault(body, {}) if body and len(body) <= _LONGEST_HTTP_BODY and has_meaning(body) else None


def _prompt_texts(raw: Mapping[str, object]) -> Iterator[str]:
    """Yield the texts of a prompt's messages; a server may report a failure in one."""
    for message in map(as_object, items_in(raw, "messages")):
        if (text := text_in(object_in(message, "content"), "text")) is not None:
            yield text


def _build_fault(text: str, structured: Mapping[str, object], beside: Mapping[str, object] | None = None) -> Fault:
    meaning = read_meaning(text, body=structured or beside or None)
    return to_fault(meaning, data={**structured, **keep_unread_text(meaning, text)})


def to_fault(
    meaning: Meaning, *, data: Mapping[str, object], field: str | None = None, origin: str | None = None
) -> Fault:
    """Return the Fault for a meaning; a `field` that the server names outright wins over those in the text."""
    return Fault(
        code=meaning.code,
        message=meaning.message,
        retry=meaning.retry,
        retry_declared=meaning.retry_declared,
        retry_after_ms=meaning.wait_ms,
        field=field or next((each.field for each in meaning.issues if each.field), None),
        issues=to_field_issues(meaning.issues),
        http_status=meaning.status,
        origin=origin,
        data=data,
    )


def keep_unread_text(meaning: Meaning, text: str) -> dict[str, object]:
    """Return the JSON of a text, and the text itself if message and fields do not say all of it."""
    body = as_object(meaning.body)
    return body if meaning.is_whole else body | {"text": text}


def read_protocol_error(body: Mapping[str, object]) -> Fault:
    """Return the fault in the `error` member of a JSON-RPC response, by its number, its text and its data."""
    return read_embedded_fault(body) or _read_foreign_error(body)


def _read_foreign_error(body: Mapping[str, object]) -> Fault:
    number, data, text = integer_in(body, "code"), body.get("data"), text_in(body, "message") or ""
    meaning = read_meaning(text, number=number, body=data)
    members = object_in(body, "data")
    if number == INVALID_PARAMS and text_in(members, "uri"):  # SEP-2164
        meaning = meaning._replace(code=Code.NOT_FOUND, retry=Code.NOT_FOUND.retry)
    is_known = number is None or code_of_number(number) is not None
    return to_fault(
        meaning,
        data=keep_unread_text(meaning, text) if data is None else jsonable_object(data),
        field=text_in(members, "field"),
        origin=None if is_known else str(number),
    )
