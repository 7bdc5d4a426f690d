"""From a failing answer to the one that a server with errata would have sent.

The first text block becomes errata's lines. Everything else that the server sent stays, without its secrets; nothing is
added to `structuredContent`, and the fault itself goes into `_meta["errata/fault"]`.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple, cast

from errata.dialects import FAULT, Dialect, native, read_lines, redact_fault, write_payload
from errata.gate._gate_options import GateOptions
from errata.gate._own_words import is_laid_out, list_missing, list_own_words, quote_own_words, shorten
from errata.gate._sent_content import (
    SentContent,
    collect_from,
    is_text_block,
    list_blocks,
    redact_block,
    redact_whole,
)
from errata.gate._verdicts import KnownCall, advise, has_safe_advice, settle
from errata.model import Fault, add_identity, replace_fields
from errata.reading import Reading, read_sentences, recognise
from errata.redaction import Kind, hiding, jsonable, prose_within, redact_visibly
from errata.tools import Effect
from errata.wire import Message, edit_object, has_twins, member_text, members_of, read_json, replace_items, write_json

ATTEMPTS: Final = "errata/attempts"
"""The metadata that says how often a call was made, where the gate has repeated it."""
STEERING: Final = frozenset({-32601, -32700, -32600, -32020, -32021, -32022, -32042, -32800})
"""The numbers by which clients change what they do; a model never sees them."""
_REPLIES: Final = frozenset({"inputResponses", "requestState"})
"""What a client itself adds to a call, to answer a question of the server; whoever refuses it tells the client."""
_NEWER: Final = "2026"
_LONGEST_WORDS: Final = 32_000
"""How much of the first text that a failing server sent goes on to the model."""
_LONGEST_DATA: Final = 8_000
"""How much of the data of a JSON-RPC error goes on to the model, which would see none of it."""
_SAYS_NOTHING: Final = re.compile(
    r"(?:an? |the )?(?:(?:generic|internal|server|unexpected|unhandled|unknown|tool|execution|validation) )*(?:error|exception|failure|problem)"
    r"(?: (?:has )?occurred)?|(?:the )?(?:\w+ )?(?:call|execution|operation|request|something|tool|validation)(?: has)? failed|something went wrong|failed"
    r"|bad request|invalid (?:arguments?|input|parameters?|params|request)",
    re.IGNORECASE,
)
"""A message after which nobody knows what failed."""
_MAY_FAIL: Final = re.compile(rb'"isError"\s*:\s*true|"error"\s*:')
_ESCAPED_LETTERS: Final = (rb"\u004", rb"\u005", rb"\u006", rb"\u007")
"""How a letter begins that is written as an escape, which hides the name of a member; no encoder writes one so."""
_MAY_BE_TASK: Final = b'"taskId"'
_NOT_FINAL: Final = ("input_required", "task")
_WRITTEN: Final = frozenset({"content", "isError", "_meta"})
_APART: Final = _WRITTEN | {"structuredContent"}
"""The members of a result that are not shown like any others."""
_KINDS: Final[Mapping[str, type]] = {"content": list, "structuredContent": dict, "_meta": dict, "resultType": str}
"""What the members of a result are; clients refuse a result that has others."""
_FEW: Final = 50
_MOST_BLOCKS: Final = 2_000
"""More blocks than that are counted, and nobody looks at them."""
_LARGEST: Final = 64 * 1024 * 1024


class Repair(NamedTuple):
    """A failing answer, repaired."""

    fault: Fault
    """What failed, whether the call may be repeated, and what to do next."""
    result: dict[str, object]
    """The `CallToolResult` as a server with errata would have sent it."""


class Judged(NamedTuple):
    """What was concluded about the answer to a call that failed."""

    fault: Fault
    """The fault with its final verdict, as it is told to the model."""
    dialect: str
    """Whose words the server used, as `recognise` names them."""
    is_kept: bool
    """Whether the answer passes as it is: it is as good already, or clients need it so."""
    is_hearsay: bool = False
    """Whether only words say what failed; they prove nothing about the server."""
    is_soft: bool = False
    """Whether the server marked it as a success."""
    secrets: Mapping[str, Kind] = MappingProxyType({})
    """What the answer or the request names secret somewhere, to be hidden wherever else it stands."""
    beside: tuple[str, ...] = ()
    """What the server says in no text of a result: the data of an error, and advice."""
    left_out: int = 0
    """How many blocks of the content were left out already."""


def may_fail(frame: bytes) -> bool:
    """Return whether a frame has to be read to know that it tells of no failure; large successes need not be."""
    return _MAY_FAIL.search(frame) is not None or any(map(frame.__contains__, _ESCAPED_LETTERS))


def may_be_task(frame: bytes) -> bool:
    """Return whether a frame may be about a task."""
    return _MAY_BE_TASK in frame


def find_result(response: Mapping[str, object], *, is_task: bool = False) -> Mapping[str, object] | None:
    """Return the `CallToolResult` in a response, also in that of a completed task; None where there is none yet."""
    result = response.get("result")
    if not isinstance(result, dict):
        return None
    members = cast("dict[str, object]", result)
    if is_task and "status" in members and "content" not in members:
        inner = members.get("result")
        is_over = members.get("status") == "completed"
        return cast("dict[str, object]", inner) if is_over and isinstance(inner, dict) else None
    is_open = members.get("resultType") in _NOT_FINAL or isinstance(members.get("task"), dict)
    return None if is_open else members


def judge(
    response: Mapping[str, object], call: KnownCall, options: GateOptions, *, is_task: bool = False
) -> Judged | None:
    """Return what failed, by the response to a call; None for a success, and for what is no answer yet."""
    error = response.get("error")
    if error is not None:
        return None if is_task else _judge_error(error, call, options)
    result = find_result(response, is_task=is_task)
    if result is None or not (result.get("isError") is True or options.soft):
        return None
    return judge_result(result, call, options)


def _judge_error(error: object, call: KnownCall, options: GateOptions) -> Judged | None:
    reading = recognise({"jsonrpc": "2.0", "error": error}, request=call.params, tool=call.entry)
    if reading is None:
        return None
    number = members_of(error).get("code")
    is_steering = isinstance(number, int | float) and number in STEERING
    is_for_client = is_steering or not _REPLIES.isdisjoint(call.params)
    is_kept = options.keep_protocol_errors or not options.repair or is_for_client
    secrets = collect_from({"error": error}, call.params)
    data = members_of(error).get("data")
    fault = _hide_in(_add_detail(_conclude(reading, call, has_run=False), data), secrets)
    beside = (*_write_data(data), *_list_advice(reading))
    return Judged(fault, reading.dialect, is_kept, reading.rests_on_words, secrets=secrets, beside=beside)


def judge_result(result: Mapping[str, object], call: KnownCall, options: GateOptions) -> Judged | None:
    """Return what failed, by the result of a call; None for a success."""
    opened = dict(result)
    if "content" in result:
        opened["content"] = list_blocks(result["content"])[:_MOST_BLOCKS]
    reading = recognise(opened, request=call.params, tool=call.entry)
    if reading is None:
        return None
    is_soft = result.get("isError") is not True
    secrets = collect_from(opened, call.params)
    detailed = _add_detail(_conclude(reading, call, has_run=is_soft), result.get("structuredContent"))
    fault = _hide_in(detailed, secrets)
    with hiding(secrets):
        is_kept = not options.repair or (not is_soft and _is_as_good(result, reading, fault, call, options.dialect))
    return Judged(fault, reading.dialect, is_kept, reading.rests_on_words, is_soft, secrets, _list_advice(reading))


def judge_loss_of_answer(fault: Fault, call: KnownCall, *, is_hearsay: bool = False) -> Judged:
    """Return the judgement of a call for which the server has sent no answer that the protocol knows."""
    secrets = collect_from({"message": fault.message, "data": fault.data}, call.params)
    return Judged(_hide_in(add_identity(fault), secrets), "none", is_kept=False, is_hearsay=is_hearsay, secrets=secrets)


def _hide_in(fault: Fault, secrets: Mapping[str, Kind]) -> Fault:
    """Return a fault without the secrets that only the whole answer and the request name; the log reads it, too."""
    if not secrets:
        return fault
    with hiding(secrets):
        return redact_fault(fault)


def _conclude(reading: Reading, call: KnownCall, *, has_run: bool) -> Fault:
    return add_identity(settle(reading, call, has_run=has_run))


def _add_detail(fault: Fault, data: object) -> Fault:
    """Return a fault whose message names what failed, where only the data beside a message that says nothing do."""
    own = "" if fault.message == fault.code.sentence else fault.message.strip(" .:!")
    if own and not _SAYS_NOTHING.fullmatch(own):
        return fault
    details = (text.strip() for text in read_sentences(data))
    detail = next((text for text in details if text and not _SAYS_NOTHING.fullmatch(text.strip(" .:!"))), None)
    if detail is None or detail in fault.message:
        return fault
    return replace_fields(fault, message=": ".join(filter(None, [own, shorten(detail)])))


def _write_data(data: object) -> list[str]:
    """Return the data of a JSON-RPC error as a text."""
    if data is None or isinstance(data, str):
        return [data] if data else []
    return [write_json(redact_visibly(jsonable(data, size=_LONGEST_DATA)))]


def _list_advice(reading: Reading) -> tuple[str, ...]:
    hint = reading.fault.recovery and reading.fault.recovery.hint
    return (hint,) if hint else ()


def _is_as_good(
    result: Mapping[str, object], reading: Reading, fault: Fault, call: KnownCall, dialect: Dialect
) -> bool:
    """Return whether a server has said itself, in the dialect that is asked for, what the gate would say."""
    if reading.dialect != dialect.name or fault.retry is not reading.fault.retry:
        return False
    if not has_safe_advice(reading.fault, call):
        return False
    plain = jsonable(dict(result))
    is_whole = all(isinstance(value, _KINDS.get(name, object)) for name, value in result.items())
    return (
        is_whole and plain == result and redact_visibly(plain) == plain and _has_content(result, fault, call, dialect)
    )


def _has_content(result: Mapping[str, object], fault: Fault, call: KnownCall, dialect: Dialect) -> bool:
    """Return whether the content begins with what the dialect says of a fault, and has nothing in it that misleads."""
    content = result.get("content")
    blocks = cast("list[object]", content) if isinstance(content, list) else []
    texts = [str(members_of(block)["text"]) for block in blocks if is_text_block(block)]
    if not texts or not _says(texts[0], fault, call, dialect):
        return False
    emptied = [{**members_of(block), "text": ""} if is_text_block(block) else block for block in blocks]
    return SentContent().show_blocks(emptied) == emptied and all(map(_is_inert, texts[1:]))


def _says(text: str, fault: Fault, call: KnownCall, dialect: Dialect) -> bool:
    if dialect is not native:
        return text == _first_text(dialect, redact_fault(fault))
    lines = read_lines(text)
    return lines is not None and (lines.code, lines.retry) == (fault.code, fault.retry) and has_safe_advice(lines, call)


def _is_inert(text: str) -> bool:
    return prose_within(text, _LONGEST_WORDS) == text


def write_response(  # noqa: PLR0913 - one for each thing that is known of an answer.
    message: Message,
    judged: Judged,
    call: KnownCall,
    options: GateOptions,
    *,
    version: str | None = None,
    attempts: int = 1,
) -> str:
    """Return the text of a response, repaired; what is not repaired keeps its bytes."""
    first, left_out = _keep_first_blocks(message.members)
    text, response = _open_response(Message("", first) if left_out else message)
    error = response.get("error")
    if error is not None:
        message_text = members_of(error).get("message", error)
        words = message_text if isinstance(message_text, str) else "".join(_write_data(message_text))
        made = write_failure(judged, call, options, words=words, version=version, attempts=attempts)
        plain = _drop(text, response, {"result"} & response.keys())
        return edit_object(plain, {"result": made}, renamed={"error": "result"})
    outer = member_text(text, "result") or "{}"
    inner = member_text(outer, "result") if find_result(response) is not find_result(response, is_task=True) else None
    judged = judged._replace(left_out=left_out)
    repaired = write_result(inner or outer, judged, call, options, version=version, attempts=attempts)
    return edit_object(text, {"result": edit_object(outer, {"result": repaired}) if inner else repaired})


def _keep_first_blocks(response: Mapping[str, object]) -> tuple[Mapping[str, object], int]:
    """Return a response with the first blocks of its content, and how many were left out."""
    result = find_result(response, is_task=True) or {}
    blocks = list_blocks(result.get("content"))
    if len(blocks) <= _MOST_BLOCKS:
        return response, 0
    outer, first = members_of(response.get("result")), {**result, "content": blocks[:_MOST_BLOCKS]}
    return {**response, "result": first if outer is result else {**outer, "result": first}}, len(blocks) - _MOST_BLOCKS


def _open_response(message: Message) -> tuple[str, Mapping[str, object]]:
    """Return a response as a text that can be edited, and its members.

    Of two members of one name a reader may take either, so only the one that counts is left. What is nested too deep to
    be read again is cut.
    """
    try:
        if not has_twins(message.text):
            return message.text, message.members
        return write_json(message.members), message.members
    except RecursionError:
        plain = members_of(jsonable(dict(message.members), size=_LARGEST))
        return write_json(plain), plain


def write_failure(  # noqa: PLR0913 - as above.
    judged: Judged,
    call: KnownCall,
    options: GateOptions,
    *,
    words: str = "",
    version: str | None = None,
    attempts: int = 1,
) -> str:
    """Return the text of a result for a failure that the server has sent no result for, but `words` at most."""
    content = {"content": [{"type": "text", "text": words}]} if words.strip() else {}
    kind = {"resultType": "complete"} if (version or "") >= _NEWER else {}
    return write_result(write_json(content | kind), judged, call, options, attempts=attempts)


def write_result(  # noqa: PLR0913 - as above.
    text: str,
    judged: Judged,
    call: KnownCall,
    options: GateOptions,
    *,
    version: str | None = None,
    attempts: int = 1,
) -> str:
    """Return the text of a `CallToolResult`, repaired."""
    with hiding(judged.secrets):
        return _write_result(text, judged, call, options, version=version, attempts=attempts)


def _write_result(  # noqa: PLR0913 - as above.
    text: str, judged: Judged, call: KnownCall, options: GateOptions, *, version: str | None, attempts: int
) -> str:
    result = members_of(read_json(text))
    shown = redact_fault(advise(judged.fault, call, has_own_words=judged.dialect == native.name))
    others = _show_others(result, version)
    if options.structured:
        others["structuredContent"] = options.dialect.encode(shown)["structuredContent"]
    meta = {FAULT: write_json(write_payload(shown))} | ({ATTEMPTS: str(attempts)} if attempts > 1 else {})
    changes = {name: write_json(value) for name, value in others.items() if value != result.get(name)}
    texts = _write_texts(_first_words(result), shown, call, options.dialect, judged.beside)
    if not (others.keys() >= {"structuredContent"} or result.get("structuredContent") is None):
        texts.append(f"[structured content of {len(member_text(text, 'structuredContent') or '')} characters left out]")
    changes["content"] = _write_content(text, result.get("content"), texts, judged.left_out)
    changes["_meta"] = edit_object(_show_meta(text, result), meta)
    if result.get("isError") is not True:
        changes["isError"] = "true"
    return edit_object(_drop(text, result, result.keys() - others.keys() - _WRITTEN), changes)


def _show_others(result: Mapping[str, object], version: str | None) -> dict[str, object]:
    """Return what may be shown of the members that are neither the content nor the metadata.

    Structured content is shown whole or not at all: clients check it against a schema, before 2026 against that of an
    object at least.
    """
    apart = _APART if isinstance(result.get("resultType"), str) else _APART | {"resultType"}
    plain = SentContent().show({name: value for name, value in result.items() if name not in apart})
    others = dict(members_of(plain))
    may_pass = isinstance(result.get("structuredContent"), dict) or (version or "") >= _NEWER
    whole = SentContent().show_whole(result.get("structuredContent")) if may_pass else None
    return others if whole is None else others | {"structuredContent": whole}


def _show_meta(text: str, result: Mapping[str, object]) -> str:
    """Return the text of the metadata as it may be shown, with a fault in it perhaps that is to be replaced."""
    meta = members_of(result.get("_meta"))
    others = {name: value for name, value in meta.items() if name != FAULT}
    shown = SentContent().show(others)
    written = member_text(text, "_meta") if meta else "{}"
    return written if written is not None and shown == others else write_json(shown)


def _first_words(result: Mapping[str, object]) -> str:
    return next(
        (str(members_of(block)["text"]) for block in list_blocks(result.get("content")) if is_text_block(block)), ""
    )


def _write_content(text: str, content: object, texts: Sequence[str], left_out: int) -> str:
    """Return the text of the content: some texts in place of the first one, or before everything else."""
    blocks = list_blocks(content)
    first = next((place for place, block in enumerate(blocks) if is_text_block(block)), None)
    old: Mapping[str, object] = {} if first is None else members_of(blocks[first])
    ours = [{**SentContent().show_block({**old, "type": "text", "text": ""}), "text": texts[0]}]
    ours += [{"type": "text", "text": each} for each in texts[1:]]
    others = [block for place, block in enumerate(blocks) if place != first]
    shown = SentContent().show_blocks(others)
    place = first or 0
    if any(map(is_text_block, shown[:place])):  # A block that clients would refuse has become a text.
        place = 0
    if len(shown) < len(others) or place != (first or 0) or not isinstance(content, list):
        return write_json([*shown[:place], *ours, *shown[place:], *_count_cut(len(others) - len(shown) + left_out)])
    items = [None if now == was else write_json(now) for now, was in zip(shown, others, strict=True)]
    lead = ",".join(map(write_json, ours))
    if first is not None:
        items.insert(first, None if ours == [old] else lead)
    written = replace_items(member_text(text, "content") or "[]", items)
    return written if first is not None else f"[{lead}{',' if blocks else ''}{written[1:]}"


def _count_cut(blocks: int) -> list[dict[str, object]]:
    return [{"type": "text", "text": f"[{blocks} more blocks]"}] if blocks else []


def _write_texts(text: str, fault: Fault, call: KnownCall, dialect: Dialect, beside: Sequence[str]) -> list[str]:
    """Return the texts in place of the server's first one: errata's, with the server's words if they say more.

    In errata's own dialect they stand in one text, because some clients show no other. In others the first text is for
    programs, and the words stand in one behind it. `beside` are words of the server that stand in no text.
    """
    lines = _first_text(dialect, fault)
    base = lines if dialect is native else fault.message
    own = [] if text == lines else [prose_within(each, _LONGEST_WORDS) for each in list_own_words(text, fault)]
    words = list_missing(base, own, fault, call.params)
    others = [prose_within(each, _LONGEST_WORDS) for each in beside]
    hint = (fault.recovery and fault.recovery.hint) or ""
    words_of_others = list_missing("\n".join([lines, base, hint, *words]), others, fault, call.params)
    quoted = "\n".join([*words, *words_of_others])
    if not quoted:
        return [lines]
    if dialect is not native:
        return [lines, quote_own_words(quoted)]
    if any(map(is_laid_out, words)):
        lines = _first_text(dialect, redact_fault(replace_fields(fault, message=shorten(fault.message))))
    return [f"{lines}\n\n{quote_own_words(quoted)}"]


def _first_text(dialect: Dialect, fault: Fault) -> str:
    """Return what a dialect says first of a fault that is ready to leave."""
    return dialect.content(fault, dialect.payload(fault), "markdown")[0]["text"]


def _drop(text: str, members: Mapping[str, object], gone: Collection[str]) -> str:
    """Return an object's text without some of its members."""
    if not gone:
        return text
    kept = [name for name in members if name not in gone]
    values = (member_text(text, name) if len(kept) <= _FEW else write_json(members[name]) for name in kept)
    return "{" + ",".join(f"{write_json(name)}:{value}" for name, value in zip(kept, values, strict=True)) + "}"


def write_attempts(message: Message, attempts: int) -> str:
    """Return the text of a successful response that says how often the call was made."""
    text = message.text
    result = members_of(message.members.get("result"))
    if not result:
        return text
    written = member_text(text, "result") or "{}"
    meta = member_text(written, "_meta") if isinstance(result.get("_meta"), dict) else None
    changed = edit_object(written, {"_meta": edit_object(meta or "{}", {ATTEMPTS: str(attempts)})})
    return edit_object(text, {"result": changed})


def redact_success(message: Message) -> str:
    """Return the text of a successful response without secrets; the same text if there are none."""
    text, response = _open_response(message)
    result = members_of(response.get("result"))
    shown = redact_result(result)
    changes = {name: write_json(value) for name, value in shown.items() if value != result[name]}
    outer = member_text(text, "result")
    return edit_object(text, {"result": edit_object(outer, changes)}) if changes and outer else text


def redact_result(result: Mapping[str, object]) -> dict[str, object]:
    """Return a result without secrets; pictures and sounds stay as they are."""
    return {
        name: value if name in {"isError", "resultType"} else _redact_member(name, value)
        for name, value in result.items()
    }


def _redact_member(name: str, value: object) -> object:
    if name == "content" and isinstance(value, list):
        return [redact_block(block) for block in cast("list[object]", value)]
    return redact_whole(value)


def repair_result(  # noqa: PLR0913 - one for each thing that may be known of a call, and three settings.
    result: Mapping[str, object],
    *,
    request: Mapping[str, object],
    tool: Mapping[str, object] | None = None,
    tools: Collection[Mapping[str, object]] | None = None,
    effects: Mapping[str, Effect] | None = None,
    dialect: str | Dialect = native,
    structured: bool = False,
    soft: bool = False,
) -> Repair | None:
    """Return a failing `CallToolResult` repaired, with its fault; None for a success. Neither argument is changed.

    `request` has the params of the call (`name`, `arguments`), `tool` is the tool's entry of `tools/list`, and `tools` are
    the entries of the whole list, if that is known: only then are tools named that may help. The others are those of
    `GateSettings`. Raises a TypeError, a ValueError or a LookupError for a setting that is wrong.
    """
    options = GateOptions.of({"dialect": dialect, "structured": structured, "soft": soft, "effects": effects})
    entries = {str(entry.get("name")): entry for entry in tools or ()}
    name = request.get("name")
    known = name if isinstance(name, str) else ""
    call = KnownCall(
        request, tool or entries.get(known), None if tools is None else entries, options.effects.get(known)
    )
    if not (result.get("isError") is True or options.soft):
        return None
    text = _write_plain(result)
    plain = members_of(read_json(text))
    judged = judge_result(plain, call, options)
    if judged is None:
        return None
    if judged.is_kept:
        return Repair(judged.fault, dict(result))
    return Repair(judged.fault, dict(members_of(read_json(write_result(text, judged, call, options)))))


def _write_plain(result: Mapping[str, object]) -> str:
    """Return a result as JSON, whatever a program has put into it; what is nested too deep to be read again is cut."""
    try:
        text = write_json(dict(result))
        if read_json(text) is not None:
            return text
    except (RecursionError, TypeError, ValueError):
        pass
    return write_json(jsonable(dict(result), size=_LARGEST))
