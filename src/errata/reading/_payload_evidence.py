"""Whether an object without isError says that the call failed: only if it says so in words, and is no record.

`{"error": "…"}`, `{"success": false, "message": "…"}` and the bodies of RFC 9457, GraphQL and others are failures.
`{"error": null}`, a lint report, a list of failed jobs and the record of somebody else's failure are not.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import cast

from errata.dialects import integer_in, items_in, object_in, text_in
from errata.redaction import as_object

_MOST_KEYS = 16
_MOST_ITEMS = 100
_SHORTEST_SENTENCE = 4

# fmt: off
_NO_ERROR = frozenset({"", "0", "false", "n/a", "nil", "no", "no error", "no errors", "none", "null", "ok", "success"})
_FAILED = frozenset({"error", "failed", "failure", "fail"})
_SUCCEEDED = frozenset({"complete", "completed", "done", "finished", "ok", "passed", "success", "succeeded"})
_FLAGS = ("success", "ok", "succeeded", "isSuccess", "is_success")
_NOT_A_WORD = frozenset({None, "false", "False", "true", "True"})  # `"success": "Erfolg"` is a translation.
_FOUND = ("found", "encontrado", "exito", "sucesso")
_STATES = ("status", "state")
_SAYINGS = (
    "error", "message", "errors", "error_message", "errorMessage", "detail", "details", "description", "msg", "reason",
    "skipReason", "failureReason", "failure_reason", "error_description",
)
# The record of something has these; a failure of the call itself has none of them.
_OF_RECORDS = frozenset({
    "_id", "alert", "case_id", "allowed", "amount", "attempts", "author", "battery", "branch", "build", "build_id", "checks",
    "command", "commit", "conclusion", "container", "count", "created", "currency", "customer", "date", "device",
    "docs", "duration", "duration_ms", "email", "environment", "epoch", "event", "exit_code", "exitcode", "experiment",
    "finished", "firmware", "fix", "frequency", "healthy", "host", "id", "image", "incident", "instance_id", "invoice",
    "ip", "is_valid", "isvalid", "job", "job_id", "jobs", "lang", "last_run", "latency_ms", "level", "line", "logger",
    "meaning", "model", "monitor", "name", "next_run", "node", "occurrences", "order", "order_id", "passed", "pipeline",
    "pod", "progress", "restarts", "retries", "returncode", "rule", "run", "run_id", "score", "service", "severity",
    "sha", "since", "stage", "started", "statement", "stderr", "stdout", "step", "task_id", "test", "ticket",
    "transaction", "translation", "updated", "uptime", "user", "uuid", "valid", "version", "workflow",
})
_OF_ERRORS = frozenset({
    "available", "available_tools", "code", "context", "data", "detail", "details", "error", "error_code", "errorcode",
    "errors", "extensions", "field_errors", "fielderrors", "help", "hint", "issues", "_meta", "meta", "metadata", "parameters",
    "params", "recovery", "retry_after", "retry_after_ms", "retryafter", "retryafterms", "stack", "status",
    "status_code", "statuscode", "suggestion", "suggestions", "trace", "traceback", "valid_values", "validation",
    "validation_errors", "validationerrors", "violations",
})
# What may stand beside a failure's status and its message; anything else makes a record of it.
_BESIDE_A_STATUS = _OF_ERRORS - {"context", "data", "meta", "metadata"} | {
    "duration", "message", "ok", "request_id", "requestid", "stacktrace", "success", "title", "type",
}  # fmt: skip
_BESIDE_A_WORD = _BESIDE_A_STATUS | {"needed", "provided", "result", "state", "warning", *_FLAGS}
# What stands beside a failure that is told in a sentence: also what the call was about.
_BESIDE_A_SENTENCE = _OF_ERRORS | _BESIDE_A_WORD | {
    "action", "args", "arguments", "category", "content", "correlation_id", "description", "directory", "exists",
    "file_path", "filepath", "found", "input", "instance", "is_error", "iserror", "kind", "language", "messages", "msg",
    "operation", "path", "pattern", "query", "reason", "recoverable", "retriable", "retryable", "symbol_name",
    "timestamp", "tool", "tool_name", "toolname", "trace_id", "traceid", "url",
}  # fmt: skip
# What a request names, and an answer names again.
_OF_REQUESTS = ("path", "dir", "directory", "_key", "uri", "pathdescription")
_BESIDE_A_REASON = _BESIDE_A_STATUS | {"caused_by", "msg", "reason", "root_cause", "index", "index_uuid", "resource.id", "resource.type"}
_OF_SPRING = {"path", "requestid", "timestamp"}
# A word that only says that there was an error, as a code: `E_MCP_TOOL_ERROR`, `ToolExecutionError`.
_ERROR_CODE = r"E_[A-Z_]{2,60}|ERR_?[A-Z_]{2,60}|\w{0,60}(?:ERROR|Error|EXCEPTION|Exception|_error|_exception)"
# Where a batch has its outcomes, and how it counts those that went well.
_OUTCOMES = frozenset({"results", "errors", "failures", "operations", "outcomes", "items", "translations", "failed"})
_SUMS = frozenset({"counts", "statistics", "stats", "summary", "totals"})
_DONE = frozenset({
    "added", "applied", "archived", "completed", "created", "deleted", "found", "imported", "inserted", "moved", "ok", "passed", "processed", "removed", "replaced",
    "saved", "sent", "succeeded", "success", "success_count", "successcount", "successes", "successful", "successful_count", "updated", "written",
})
_DONE_TO_THINGS = _DONE - {"found", "passed"} | {
    "booked", "cancelled", "charged", "paid", "published", "refunded", "registered", "shipped", "submitted", "transferred", "uploaded",
}  # fmt: skip
_EARLIEST_TIME = 100_000_000
"""A larger number under `created` is a time, in seconds, and no count."""
# Beside what went wrong, only an envelope for errors says which kind of error it is.
_OF_ENVELOPES = frozenset({"error_code", "error_type", "errorCode", "errorType", "exception_type"})
_NO_ERRORS = (
    r"(?i)\b(?:no|zero|0|sin|keine|aucune?|sem|nenhum) (?:errors?|errores|erros?|erreurs?|fehler|issues?|mistakes?|problems?)\b"
    r"|^none\b|没有错误|无错误|エラーなし|오류 없음"
)
_OF_COUNTING = frozenset({"code", "errno", "index", "limit", "offset", "page", "rows_affected", "status_code", "total", "year"})
_SUCCESSES = ("succeeded", "success_count", "successCount", "successes", "successful", "successful_count")
# fmt: on
_OF_NUMBERED = frozenset({"code", "data", "error", "log_id", "msg", "request_id", "requestId", "success", "timestamp"})
_LAST_SUCCESS = 399
_WENT_WELL = r"(?i)\b(?:accepted|done|ok|okay|succe\w*)\b|成功"
_OF_HTTP_CLIENTS = frozenset({"body", "elapsed", "headers", "responseTime", "response_time", "timings"})
"""Whoever shows these reports how somebody else answered, which is what was asked for."""
_PROBED = frozenset({"url", "host", "hostname", "domain", "endpoint", "target"})
# By which an answer can be found again; it is about nothing.
_REFERENCE = r"(?i)(?:call|correlation|execution|invocation|operation|reference|request|results?|trace)_?id$"
# How things stand, and where to go from there.
_OF_THE_SITUATION = r"^(?:actual|current|expected|previous)(?:_|[A-Z])|(?:_|^)(?:docs|help|upgrade)_?(?:link|url)$|(?:docs|help|upgrade)(?:Link|Url)$"
# What kept somebody from doing a thing; a linter, a test or a log says other things of a file.
_OF_DOING = (
    r"(?i)not found|no such|enoent|eacces|denied|does not exist|failed to|could not|cannot|unable|already exists"
)
_FAILURES = r"(?:^|_)(?:err|errors?|failed|failures?)(?:_|$)|Errors$|Failures$"
# What could have been asked for instead: `available_templates`, `supportedTypes`.
_CHOICES = r"(?:allowed|available|supported|valid)(?:_|[A-Z])\w{1,60}"
# An object without any of these says nothing of a failure.
_TELLING = frozenset(
    {
        *_FLAGS,
        *_STATES,
        *_SUCCESSES,
        "failed",
        "error",
        "errors",
        "errorMessages",
        "error_code",
        "isError",
        "is_error",
        "detail",
        "title",
        "documentation_url",
        "message",
        *_FOUND,
        "msg",
        "err",
        "batch_results",
        "object",
        "kind",
    }
)  # fmt: skip


def says_it_failed(body: Mapping[str, object]) -> bool:
    """Return whether an object says that the call failed."""
    if len(body) == 1 and (inner := object_in(body, "data") or object_in(body, "result")):
        return "error" in inner and inner.keys() <= {"code", "error", "message"} and says_it_failed(inner)
    if not 0 < len(body) <= _MOST_KEYS or _TELLING.isdisjoint(body):
        return False
    if _is_well_known(body) or all_failed(body) or _is_refused(body):
        return True
    return not _is_record(body) and (_is_marked(body) or _has_only_an_error(body) or _says_no_and_why(body))


def _is_refused(body: Mapping[str, object]) -> bool:
    """Return whether it says no, with the reason in a sentence, and names nothing that it could be a record of."""
    is_negative = any(body.get(key) is False for key in _FOUND)
    says_no = any(body.get(key) is False for key in _FLAGS) or text_in(body, "status") in ("error", "ERROR")
    if not (says_no or is_negative) or _is_probe(body) or _went_well(body) or any(map(_is_of_records, body)):
        return False
    if any(_names_something(body, key, value) for key, value in body.items()):
        return False
    reasons = ("error", "message", "details") if says_no else ("error",)  # To find nothing may be good news.
    return any(
        _is_sentence(sentence) and not _denies_errors(sentence)
        for sentence in (text_in(body, key) or "" for key in reasons)
    )


def _names_something(body: Mapping[str, object], key: str, value: object) -> bool:
    """Return whether a member is the subject of a record: no part of an answer, and not mentioned in it."""
    if _is_of_answers(key) or not value or isinstance(value, bool):
        return False
    if isinstance(value, str):
        return _is_payload(body, key, value)
    return not isinstance(value, int | float) or key not in _OF_COUNTING


def _denies_errors(sentence: str) -> bool:
    """Return whether the text under `error` says that there is no error."""
    return sentence.strip().lower() in _NO_ERROR or bool(re.search(_NO_ERRORS, sentence))


def _is_of_answers(key: str) -> bool:
    """Return whether a member belongs to any answer: its message, a reference, the state of things."""
    if key in _SAYINGS or key in _FLAGS or key in _STATES:
        return True
    return bool(re.search(_REFERENCE, key) or re.search(_OF_THE_SITUATION, key))


def lists_one_failure(items: Sequence[object]) -> bool:
    """Return whether a list holds one failure instead of results, or the same failure for each of them."""
    first = as_object(items[0]) if items else {}
    return all(item == first for item in items) and "error" in first and says_it_failed(first)


def lists_only_failures(items: Sequence[object]) -> bool:
    """Return whether every item of a list says that it failed."""
    return 0 < len(items) <= _MOST_ITEMS and all(_is_failed_item(as_object(item)) for item in items)


def _is_failed_item(item: Mapping[str, object]) -> bool:
    """Return whether an item says that it failed, and why, and holds nothing that a record of something else would."""
    if not 1 < len(item) <= _MOST_KEYS or _is_probe(item) or any(map(_is_of_records, item)):
        return False
    denied = any(item.get(key) is False for key in _FLAGS) or (text_in(item, "status") or "").lower() in _FAILED
    is_named = any(key.lower().endswith((*_OF_REQUESTS, "file")) for key in item) and bool(
        re.search(_OF_DOING, text_in(item, "error") or "")
    )
    brings_more = any(object_in(item, key) or items_in(item, key) for key in item if not _is_of_answers(key))
    return _is_text(item.get("error")) and (denied or is_named) and not brings_more


def find_batch(body: Mapping[str, object]) -> Sequence[object]:
    """Return the outcomes of a batch, if an object is one: a list of items, and only counts and words beside it."""
    lists = [key for key, value in body.items() if isinstance(value, dict | list) and value and key not in _SUMS]
    if (
        len(lists) != 1
        or lists[0].removeprefix("batch_") not in _OUTCOMES
        or any(map(_is_of_records, body.keys() - _OUTCOMES))
    ):
        return ()
    if any(isinstance(value, int) and value > 0 for key, value in body.items() if key.lower() in _DONE):
        return ()
    return [*object_in(body, lists[0]).values()] or items_in(body, lists[0])


def all_failed(body: Mapping[str, object]) -> bool:
    """Return whether an object reports a batch in which everything failed."""
    return lists_only_failures(find_batch(body)) or _counts_only_failures(body)


def _counts_only_failures(body: Mapping[str, object]) -> bool:
    """Return whether it counts or lists failures only, each with its reason."""
    counts_none = any(body.get(key) == 0 and body.get(key) is not False for key in _SUCCESSES)
    lists_none = any(value == [] and key.lower() in _DONE - {"found", "passed"} for key, value in body.items())
    if not (counts_none or lists_none) or any(_is_of_records(key) and key not in _DONE for key in body):
        return False
    lists = [key for key in body if items_in(body, key)]
    return len(lists) == 1 and bool(re.search(_FAILURES, lists[0])) and all(map(_says_why, items_in(body, lists[0])))


def _says_why(item: object) -> bool:
    return _is_text(item) or _is_text(as_object(item).get("error"))


def did_a_part(value: object) -> bool:
    """Return whether it reports that a part was done beside what went wrong: `{"created": [1, 2], "failed": [3]}`."""
    body: Mapping[str, object] = {"results": cast("object", value)} if isinstance(value, list) else as_object(value)
    outcomes = [_went_well(as_object(item)) for key in _OUTCOMES for item in items_in(body, key)]
    levels = (body, *(object_in(body, key) for key in ("data", "details", "error", "result", *_SUMS)))
    return any(map(_reports_a_part, levels)) or (any(outcomes) and not all(outcomes))


def _reports_a_part(body: Mapping[str, object]) -> bool:
    failures = [value for key, value in body.items() if value and re.search(_FAILURES, key)]
    counts = any(isinstance(value, int | list) and value is not True for value in failures)
    done = (value for key, value in body.items() if key.lower() in _DONE_TO_THINGS)
    return bool(failures) and any(
        value is True
        or (isinstance(value, dict | list) and value not in ({}, []))
        or (counts and isinstance(value, int) and 0 < value < _EARLIEST_TIME)
        for value in done
    )


def is_marked_block(block: Mapping[str, object]) -> bool:
    """Return whether a block of the content has the error flag that belongs on the result."""
    return block.get("error") is True or block.get("isError") is True or block.get("type") == "error"


def _is_marked(body: Mapping[str, object]) -> bool:
    """Return whether it is a failed result of the protocol inside another result."""
    marked = body.get("isError") is True or body.get("is_error") is True
    return marked and any(_says(body.get(key)) for key in ("content", *_SAYINGS))


def _is_well_known(body: Mapping[str, object]) -> bool:
    """Return whether it has a shape that always means an error, whoever sends it."""
    match body:
        case {"code": int(number), "msg": str(sentence)}:  # Many Chinese services answer like this; 0 is a success.
            is_error = _is_number_of_error(number) and sentence.strip() and not re.search(_WENT_WELL, sentence)
            brings_nothing = not body.get("data") and body.get("success") is not True
            return bool(is_error) and brings_nothing and _OF_NUMBERED.issuperset(body)
        case {"object": "error", "message": str()} | {"kind": "Status", "status": "Failure"}:
            return True
        case {"message": str(), "documentation_url": str(url)}:
            return "://" in url
        case _:
            return _has_failure_status(body) or _lists_errors(body)


def _is_number_of_error(number: int) -> bool:
    return number < 0 or number > _LAST_SUCCESS


def _has_failure_status(body: Mapping[str, object]) -> bool:
    """Return whether it is a problem of RFC 9457, or an error body of a web framework: a failure's status, with words."""
    match body:
        case {"title": str(), "status": int(status)} if "detail" in body or "type" in body:
            kind = text_in(body, "type") or "about:blank"
            return _is_failure(status) and (":" in kind or "/" in kind)
        case {"status": int(status), "error": str()} | {"statusCode": int(status), "message": str()}:
            return _is_failure(status) and not _is_probe(body) and _has_nothing_else(body, _OF_SPRING)
        case {"status": int(status), "statusText": str()} | {"status_code": int(status), "error": str()}:
            is_report = _is_probe(body) or not _OF_HTTP_CLIENTS.isdisjoint(body) or any(map(_is_of_records, body))
            return _is_failure(status) and not is_report
        case {"status": int(status), "message": str()} | {"status_code": int(status), "message": str()}:
            return _is_failure(status) and _has_nothing_else(body)
        case {"code": int(status), "message": str()}:
            return _is_failure(status) and _has_nothing_else(body)
        case _:
            return False


def _has_nothing_else(body: Mapping[str, object], more: Collection[str] = ()) -> bool:
    """Return whether a status and a message stand alone, or only with members of errors and envelopes."""
    return all(
        key.lower() in _BESIDE_A_STATUS or key.lower() in more or not value or _is_of_errors(value)
        for key, value in body.items()
    )


def _is_of_errors(value: object) -> bool:
    """Return whether a value is the error once more."""
    inner = as_object(value)
    return "message" in inner and all(key.lower() in _BESIDE_A_STATUS for key in inner)


def is_code_with_message(body: Mapping[str, object], is_known: Callable[[str], bool]) -> bool:
    """Return whether it is an error's code and message; that is enough if there is nothing else in the result."""
    match body:
        case {"code": str(code), "message": str(message)} if message.strip() and _has_nothing_else(body):
            return bool(re.fullmatch(_ERROR_CODE, code)) or is_known(code)
        case _:
            return False


def _is_probe(body: Mapping[str, object]) -> bool:
    """Return whether it reports how another host answered, or that it did not."""
    if _PROBED.isdisjoint(body):
        return False
    return text_in(body, "status") is None


def _is_failure(status: int) -> bool:
    return 400 <= status <= 599  # noqa: PLR2004 - HTTP's range of failures


def _lists_errors(body: Mapping[str, object]) -> bool:
    """Return whether it is a list of errors as Jira, FastAPI and GraphQL write it; a linter's has line numbers."""
    if any(isinstance(each, str) for each in items_in(body, "errorMessages")):
        return True
    details = [as_object(each) for each in items_in(body, "detail")]
    if details and len(body) == 1:
        return all(_is_of_fastapi(each) for each in details)
    errors = [as_object(each) for each in items_in(body, "errors")]
    return bool(errors) and body.get("data") is None and _has_nothing_else(body) and all(map(_is_graphql, errors))


def _is_of_fastapi(detail: Mapping[str, object]) -> bool:
    position = next(iter(items_in(detail, "loc")), None)
    return position in ("body", "query", "path", "header", "cookie") and text_in(detail, "msg") is not None


def _is_graphql(error: Mapping[str, object]) -> bool:
    return bool(text_in(error, "message")) and not {"locations", "extensions"}.isdisjoint(error) and "line" not in error


def _is_record(body: Mapping[str, object]) -> bool:
    if (text_in(body, "status") or "").lower() in {"invalid", "valid"}:  # The validator itself worked.
        return True
    if _is_probe(body) or _went_well(body) or any(text_in(body, key) not in _NOT_A_WORD for key in _FLAGS):
        return True
    return any(map(_is_of_records, body)) or any(_is_payload(body, key, value) for key, value in body.items())


def _went_well(body: Mapping[str, object]) -> bool:
    """Return whether it says that the call itself succeeded, whatever the result."""
    return any(body.get(key) is True for key in _FLAGS) or any(
        (text_in(body, key) or "").lower() in _SUCCEEDED for key in _STATES
    )


def _is_of_records(key: str) -> bool:
    return key.lower() in _OF_RECORDS or key.endswith(("_at", "At", "_time", "_seen"))


def _is_payload(body: Mapping[str, object], key: str, value: object) -> bool:
    """Return whether a member is a result; a failure has only its message and what the request named."""
    if (
        isinstance(value, str | int | float | None)
        and not _OF_ENVELOPES.isdisjoint(body)
        and any(_is_sentence(text_in(body, name) or "") for name in ("error", "message"))
    ):
        return False
    if key.lower() in _OF_ERRORS or not value or _offers_others(key, value):
        return False
    if not key.isascii() and not (text_in(body, "error") or "").isascii():  # A name in the language of the sentence.
        return False
    if not isinstance(value, str | bool):
        return True
    is_known = (
        bool(re.search(_OF_THE_SITUATION, key))
        or key.lower() in _BESIDE_A_SENTENCE
        or key.lower().startswith("error")
        or key.lower().endswith(_OF_REQUESTS)
    )
    return not is_known and not (isinstance(value, str) and _is_spoken_of(body, value))


def _offers_others(key: str, value: object) -> bool:
    if not isinstance(value, list) or not re.fullmatch(_CHOICES, key):
        return False
    return all(isinstance(each, str) for each in cast("list[object]", value))


def _is_spoken_of(body: Mapping[str, object], value: str) -> bool:
    sources = (body, object_in(body, "error"))
    return any(value in (text_in(each, key) or "") for each in sources for key in _SAYINGS)


def _has_only_an_error(body: Mapping[str, object]) -> bool:
    """Return whether `error` says what went wrong; a single word counts only without unrelated members."""
    sentence = text_in(body, "error")
    if sentence is None:
        return _has_words(object_in(body, "error"))
    return (
        not _denies_errors(sentence)
        and any(map(str.isalpha, sentence))
        and (_is_sentence(sentence) or "://" in sentence or all(map(_is_beside_a_word, body)))
    )


def _is_sentence(text: str) -> bool:
    """Return whether a text has several words; some scripts put no spaces between them."""
    return len(text.split(None, 1)) > 1 or (len(text) >= _SHORTEST_SENTENCE and not text.isascii())


def _is_beside_a_word(key: str) -> bool:
    return key.lower() in _BESIDE_A_WORD or key.lower().startswith("error")


def _has_words(error: Mapping[str, object]) -> bool:
    if _is_text(error.get("message")):
        return True
    return any(
        _is_text(error.get(key)) for key in ("reason", "detail", "details", "msg")
    ) and _BESIDE_A_REASON.issuperset(error)


def _says_no_and_why(body: Mapping[str, object]) -> bool:
    """Return whether it says no, or names a failed state, with the reason."""
    says_no = body.get("error") is True or any(body.get(key) is False for key in _FLAGS)
    failed = any((text_in(body, key) or "").lower() in _FAILED for key in _STATES)
    sayings = (
        _SAYINGS if failed else [key for key in _SAYINGS if key != "reason"]
    )  # "The opponent resigned" is one, too.
    return (says_no or failed or _is_failure(integer_in(body, "error_code") or 0)) and any(
        _says(body.get(key)) for key in sayings
    )


def _says(value: object) -> bool:
    if isinstance(value, list):
        value = next(iter(cast("list[object]", value)), None)
    return _is_text(value) or _has_words(as_object(value))


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())
