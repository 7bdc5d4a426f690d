"""A question to the user, which is a normal turn of the conversation and not an error.

It is a `needsInput:v1` result, an `elicitation/create` request, or such a request inside an `input_required` result.
"""

from collections.abc import Mapping

from errata.dialects._envelope import QUESTION, ToolResult, choose_blocks, open_message
from errata.dialects._outgoing import redact_question
from errata.dialects._payload import items_in, object_in, present, text_in, texts_in
from errata.model import NeedsInput
from errata.redaction import as_object, text_of

METHOD = "elicitation/create"
QUESTION_KEY = "errata"
"""The name of our question among the requests of an `input_required` result."""
_REASON = "errata/reason"
_SUGGESTIONS = "For example: "
_KINDS = frozenset({"string", "integer", "number", "boolean"})
_KEPT = ("title", "description", "minimum", "maximum", "minLength", "maxLength", "default")
_FORMATS = frozenset({"email", "uri", "date", "date-time"})


def encode_needs_input(question: NeedsInput, *, format: str = "markdown") -> dict[str, object]:
    """Return a question as the JSON of a `CallToolResult`, without isError; the content depends on the `format`."""
    question = redact_question(question)
    payload = present(
        kind=QUESTION,
        type="elicitation",
        message=question.message,
        needsInput=present(
            fields=list(question.fields), reason=question.reason, suggestions=question.suggestions or None
        ),
        options=list(question.options) or None,
    )
    return {"content": choose_blocks(question.message, payload, format), "structuredContent": payload}


def decode_needs_input(message: object) -> NeedsInput | None:
    """Read a question: a `needsInput:v1` result, an `input_required` result or an elicitation; None for anything else."""
    match open_message(message):
        case ToolResult() as result:
            questions = (_read_question(each.members) or _read_elicitation(each.members) for each in result.payloads())
            return next(filter(None, questions), None)
        case _:
            return None


def build_elicitation(question: NeedsInput, schema: Mapping[str, object]) -> dict[str, object]:
    """Return the params of an `elicitation/create` request; `schema` is that of the tool's own arguments."""
    question = redact_question(question)
    properties = {name: _field(name, question, _look_up(name, schema)) for name in question.fields}
    return {
        "mode": "form",
        "message": question.message,
        "requestedSchema": {"type": "object", "properties": properties, "required": list(properties)},
        "_meta": {_REASON: question.reason},
    }


def build_input_required(question: NeedsInput, schema: Mapping[str, object], state: str | None) -> dict[str, object]:
    """Return the result that asks the client to come back with an answer (2026-07-28)."""
    params = build_elicitation(question, schema)
    meta = params.pop("_meta")  # The protocol does not have it in there.
    request = {"method": METHOD, "params": params}
    return present(resultType="input_required", inputRequests={QUESTION_KEY: request}, requestState=state, _meta=meta)


def _read_elicitation(message: Mapping[str, object]) -> NeedsInput | None:
    """Read a question from an `elicitation/create` request, or from the requests of an `input_required` result."""
    if message.get("method") == METHOD:
        params = object_in(message, "params")
        return _read_params(params, object_in(params, "_meta"))
    if message.get("resultType") == "input_required":
        requests = map(as_object, object_in(message, "inputRequests").values())
        all_params = (object_in(request, "params") for request in requests if request.get("method") == METHOD)
        questions = (_read_params(params, object_in(message, "_meta")) for params in all_params)
        return next(filter(None, questions), None)
    return None


def _look_up(name: str, schema: Mapping[str, object]) -> Mapping[str, object]:
    """Return the schema of an argument; an optional one is declared with an alternative, or under `$defs`."""
    outer = object_in(object_in(schema, "properties"), name)
    given = [each for each in map(as_object, items_in(outer, "anyOf")) if each.get("type") != "null"]
    inner = given[0] if len(given) == 1 else outer
    group, _, title = (text_in(inner, "$ref") or "").removeprefix("#/").partition("/")
    return {**object_in(object_in(schema, group), title), **inner, **outer}


def _field(name: str, question: NeedsInput, declared: Mapping[str, object]) -> dict[str, object]:
    """Return the schema of one field, as far as an elicitation allows."""
    kind = declared.get("type")
    field: dict[str, object] = {"type": kind if kind in _KINDS else "string"}
    field |= {key: declared[key] for key in _KEPT if kind in _KINDS and declared.get(key) is not None}
    if kind == "string" and "enum" in declared:  # The protocol lets a person choose from texts alone.
        field["enum"] = declared["enum"]
    if declared.get("format") in _FORMATS:
        field["format"] = declared["format"]
    if suggested := question.suggestions.get(name):
        examples = _SUGGESTIONS + ", ".join(map(text_of, suggested))
        field["description"] = f"{field['description']} {examples}" if "description" in field else examples
    if question.options and len(question.fields) == 1 and field["type"] == "string":
        field["enum"] = offered = [text_of(option["value"]) for option in question.options]
        field["enumNames"] = [text_of(option["label"]) for option in question.options]
        if field.get("default") not in offered:  # The tool's own is mostly the "" that made it ask.
            field.pop("default", None)
    return field


def _read_params(params: Mapping[str, object], meta: Mapping[str, object]) -> NeedsInput | None:
    message = text_in(params, "message")
    properties = object_in(object_in(params, "requestedSchema"), "properties")
    if message is None or not properties:
        return None
    fields = {name: as_object(field) for name, field in properties.items()}
    reason = text_in(meta, _REASON)
    return NeedsInput(
        message,
        fields=fields,
        reason="missing_input" if reason is None else reason,
        suggestions={name: values for name, field in fields.items() if (values := _suggestions(field))},
        options=[option for field in fields.values() for option in _options(field)] if len(fields) == 1 else (),
    )


def _suggestions(field: Mapping[str, object]) -> list[object]:
    _, mark, examples = (text_in(field, "description") or "").partition(_SUGGESTIONS)
    return list(examples.split(", ")) if mark else []


def _options(field: Mapping[str, object]) -> list[dict[str, object]]:
    values = items_in(field, "enum") or [as_object(each).get("const") for each in items_in(field, "oneOf")]
    labels = items_in(field, "enumNames") or [as_object(each).get("title") for each in items_in(field, "oneOf")]
    labels += values[len(labels) :]
    return [{"label": label, "value": value} for label, value in zip(labels, values, strict=False)]


def _read_question(payload: Mapping[str, object]) -> NeedsInput | None:
    message = text_in(payload, "message")
    if payload.get("kind") != QUESTION or message is None or not isinstance(payload.get("needsInput"), dict):
        return None
    needs = object_in(payload, "needsInput")
    return NeedsInput(
        message,
        fields=texts_in(needs, "fields"),
        reason=text_in(needs, "reason") or "",
        suggestions=object_in(needs, "suggestions"),
        options=map(as_object, items_in(payload, "options")),
    )
