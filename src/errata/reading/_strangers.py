"""Results of servers that speak no dialect: prose, JSON in prose, and failures dressed as success."""

from collections.abc import Iterator, Mapping

from errata._fault import Fault
from errata._jsonable import as_object
from errata.dialects._content import json_text
from errata.dialects._incoming import QUESTION, ToolResult
from errata.dialects._members import items_in, object_in, text_in
from errata.reading._bodies import read_body
from errata.reading._evidence import is_code_with_message, is_marked_block, lists_one_failure, says_it_failed
from errata.reading._issues import field_issues
from errata.reading._json_in_text import whole_json, whole_list
from errata.reading._judgement import Meaning, has_meaning, meaning_of_text
from errata.reading._openings import cause_in, needs_no_cause, opens_like_a_failure
from errata.reading._symbols import of_symbol

_LONGEST_HTTP_BODY = 500


def read_stranger(result: ToolResult) -> Fault | None:
    """Read a result that failed, or that says beyond doubt that it did; None for a success."""
    if result.is_error:
        return _fault("\n".join(result.texts), object_in(result.raw, "structuredContent"))
    return _dressed_as_success(result)


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
    return says_it_failed(whole_json(text)) or (lists_one_failure(whole_list(text)) and has_meaning(text))


def _is_an_error(structured: Mapping[str, object]) -> bool:
    """Whether all there is is an error's code and message."""
    return is_code_with_message(structured, lambda code: of_symbol(code) is not None)


def _agree(texts: tuple[str, ...], structured: Mapping[str, object]) -> bool:
    """Whether the text says the same, if there is one: what a tool found is structured, too, and its text sums it up."""
    message = read_body(structured).message
    return not any(text.strip() for text in texts) or any(
        whole_json(text) == structured or (message and message in text) for text in texts
    )


def _bare(raw: Mapping[str, object]) -> Fault | None:
    """Read what is no result at all: an API's error, or the text that an HTTP server refused the request with."""
    if "content" not in raw and says_it_failed(raw):
        return _fault(json_text(raw), {})
    body = text_in(raw, "text") or "" if raw.keys() == {"text"} else ""
    return _fault(body, {}) if body and len(body) <= _LONGEST_HTTP_BODY and has_meaning(body) else None


def _prompt_texts(raw: Mapping[str, object]) -> Iterator[str]:
    """Give what the messages of a prompt say; a server may put into one that it could not be made."""
    for message in map(as_object, items_in(raw, "messages")):
        if (text := text_in(object_in(message, "content"), "text")) is not None:
            yield text


def _fault(text: str, structured: Mapping[str, object]) -> Fault:
    meaning = meaning_of_text(text, body=structured or None)
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
