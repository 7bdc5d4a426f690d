"""Results of servers that speak no dialect: prose, JSON in prose, and failures dressed as success."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from errata.dialects import (
    INVALID_PARAMS,
    QUESTION,
    ToolResult,
    code_of_number,
    fault_in,
    flag_in,
    integer_in,
    items_in,
    json_text,
    object_in,
    present,
    text_in,
)
from errata.model import Code, Fault, Recovery
from errata.reading._error_bodies import read_body
from errata.reading._meaning import Meaning, has_meaning, meaning_of_text
from errata.reading._payload_evidence import (
    is_code_with_message,
    is_marked_block,
    lists_one_failure,
    lists_only_failures,
    says_it_failed,
)
from errata.reading._prose_evidence import cause_in, needs_no_cause, opens_like_a_failure
from errata.reading._symbols import of_symbol
from errata.reading._text_parts import split_trailer, whole_json, whole_list
from errata.reading._validation_text import field_issues
from errata.redaction import as_object, jsonable_object

_LONGEST_HTTP_BODY = 500
_OF_RESULTS = frozenset({"content", "structuredContent", "isError", "_meta", "resultType"})
_ONLY_AN_ERROR = frozenset({"code", "detail", "details", "error", "message", "ok", "status", "success"})
_OF_STORES = ("file:", "git:", "github:", "http:", "https:", "repo:", "s3:")
TOOL_FAILURE = "io.modelcontextprotocol/toolFailure"
"""Where SEP-3313 puts what a program should know of a failed call."""
_WORD_OF_CLASS = {"capability": "not_supported", "reliability": "upstream_error", "governance": "forbidden"}


def read_stranger(result: ToolResult) -> Fault | None:
    """Read a result that failed, or that says beyond doubt that it did; None for a success."""
    if not result.is_error:
        return _dressed_as_success(result)
    trailer = split_trailer("\n".join(result.texts))
    structured = object_in(result.raw, "structuredContent") or ({} if result.texts else _beside_content(result.raw))
    beside = _tool_failure(result.meta) or present(retryable=trailer.retryable)
    fault = _fault(trailer.text, structured, beside)
    return replace(
        fault,
        reason=fault.reason or trailer.reason,
        recovery=fault.recovery or Recovery(hint=trailer.hint),
        correlation_id=fault.correlation_id or trailer.request_id,
    )


def _beside_content(raw: Mapping[str, object]) -> dict[str, object]:
    """Return the members of a result that the protocol does not know: where some servers put what they have to say."""
    return {key: value for key, value in raw.items() if key not in _OF_RESULTS}


def with_guidance(fault: Fault, meta: Mapping[str, object]) -> Fault:
    """Add the advice and the reference of SEP-3313's description, which are the server's own words."""
    failure = object_in(meta, TOOL_FAILURE)
    if not failure:
        return fault
    return replace(
        fault,
        recovery=fault.recovery or Recovery(hint=text_in(failure, "agentGuidance")),
        correlation_id=fault.correlation_id or text_in(failure, "correlationId"),
    )


def _tool_failure(meta: Mapping[str, object]) -> dict[str, object]:
    """Read SEP-3313's description of a failure as the body of an API's error; its class counts where its code says nothing."""
    failure = object_in(meta, TOOL_FAILURE)
    code, kind = text_in(failure, "code"), text_in(failure, "class")
    return present(
        code=code,
        type=None if code and of_symbol(code) else _WORD_OF_CLASS.get(kind or ""),
        retryable=flag_in(failure, "retryable"),
        retryAfter=failure.get("retryNotBefore"),
    )


def _dressed_as_success(result: ToolResult) -> Fault | None:
    structured = object_in(result.raw, "structuredContent")
    texts = result.texts or tuple(_prompt_texts(result.raw))
    if structured.get("kind") == QUESTION:
        return None
    if (len(texts) == 1 and _tells_of_a_failure(texts[0])) or (texts and _is_marked(result.raw)):
        return _fault("\n".join(texts), structured)
    if not texts and "content" in result.raw and _is_an_error(structured):
        return _fault(json_text(structured), structured)
    if says_it_failed(structured) and _agree(texts, structured):
        return _fault("\n".join(texts) or json_text(structured), structured)
    return _bare(result.raw)


def _is_marked(raw: Mapping[str, object]) -> bool:
    """Whether every block says of itself that it is an error; one that does beside others may be what went to stderr."""
    blocks = items_in(raw, "content")
    return bool(blocks) and all(is_marked_block(as_object(block)) for block in blocks)


def _tells_of_a_failure(text: str) -> bool:
    if opens_like_a_failure(text):
        return needs_no_cause(text) or has_meaning(cause_in(text))
    items = whole_list(text)
    if lists_only_failures(items):
        return True
    return says_it_failed(whole_json(text)) or (lists_one_failure(items) and has_meaning(text))


def _is_an_error(structured: Mapping[str, object]) -> bool:
    """Whether all there is is an error's code and message."""
    return is_code_with_message(structured, lambda code: of_symbol(code) is not None)


def _agree(texts: tuple[str, ...], structured: Mapping[str, object]) -> bool:
    """Whether the text says the same, if there is one: what a tool found is structured, too, and its text sums it up."""
    message = read_body(structured).message
    return not any(text.strip() for text in texts) or any(
        whole_json(text) == structured or (message and message in text) for text in texts
    )


def _of_resource(raw: Mapping[str, object]) -> Fault | None:
    """Read the contents of a resource that say of themselves that they are none.

    What is read from a file may say anything; what a server makes for the purpose may be an error and nothing else.
    """
    contents = [as_object(each) for each in items_in(raw, "contents")]
    if not contents or not all(map(_is_failed_content, contents)):
        return None
    return _fault("\n".join(filter(None, (text_in(each, "text") for each in contents))), {})


def _is_failed_content(content: Mapping[str, object]) -> bool:
    if is_marked_block(content):
        return True
    uri, body = text_in(content, "uri") or "", whole_json(text_in(content, "text") or "")
    is_stored = uri.startswith(_OF_STORES) or uri.endswith((".json", ".log", ".txt"))
    return not is_stored and "error" in body and body.keys() <= _ONLY_AN_ERROR and says_it_failed(body)


def _bare(raw: Mapping[str, object]) -> Fault | None:
    """Read what is no result at all: an API's error, or the text that an HTTP server refused the request with."""
    if "contents" in raw:
        return _of_resource(raw)
    if "content" not in raw and says_it_failed(raw):
        return _fault(json_text(raw), {})
    body = text_in(raw, "text") or "" if raw.keys() == {"text"} else ""
    return _fault(body, {}) if body and len(body) <= _LONGEST_HTTP_BODY and has_meaning(body) else None


def _prompt_texts(raw: Mapping[str, object]) -> Iterator[str]:
    """Give what the messages of a prompt say; a server may put into one that it could not be made."""
    for message in map(as_object, items_in(raw, "messages")):
        if (text := text_in(object_in(message, "content"), "text")) is not None:
            yield text


def _fault(text: str, structured: Mapping[str, object], beside: Mapping[str, object] | None = None) -> Fault:
    meaning = meaning_of_text(text, body=structured or beside or None)
    return fault_of(meaning, data={**structured, **all_of(meaning, text)})


def fault_of(
    meaning: Meaning, *, data: Mapping[str, object], field: str | None = None, origin: str | None = None
) -> Fault:
    """Make a Fault of what a failure turned out to be; a `field` that is named outright wins over those that were found."""
    return Fault(
        code=meaning.code,
        message=meaning.message,
        retry=meaning.retry,
        retry_declared=meaning.retry_declared,
        retry_after_ms=meaning.wait_ms,
        field=field or next((each.field for each in meaning.issues if each.field), None),
        issues=field_issues(meaning.issues),
        http_status=meaning.status,
        origin=origin,
        data=data,
    )


def all_of(meaning: Meaning, text: str) -> dict[str, object]:
    """Keep what was said as it was said, where message and fields do not say all of it."""
    body = as_object(meaning.body)
    return body if meaning.is_whole else body | {"text": text}


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
