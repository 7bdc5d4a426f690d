"""A question as MCP asks it: an elicitation, by itself or inside an `input_required` result."""

from collections.abc import Mapping

from errata.dialects._members import items_in, object_in, present, text_in
from errata.dialects._outgoing import outgoing_question
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


def elicitation(question: NeedsInput, schema: Mapping[str, object]) -> dict[str, object]:
    """Make the params of an `elicitation/create` request; `schema` is that of the tool's own arguments."""
    question = outgoing_question(question)
    asked = {name: _field(name, question, _declared(name, schema)) for name in question.fields}
    return {
        "mode": "form",
        "message": question.message,
        "requestedSchema": {"type": "object", "properties": asked, "required": list(asked)},
        "_meta": {_REASON: question.reason},
    }


def input_required(question: NeedsInput, schema: Mapping[str, object], state: str | None) -> dict[str, object]:
    """Make the result that asks the client to come back with an answer (2026-07-28)."""
    params = elicitation(question, schema)
    meta = params.pop("_meta")  # The protocol has no place for it in there.
    request = {"method": METHOD, "params": params}
    return present(resultType="input_required", inputRequests={QUESTION_KEY: request}, requestState=state, _meta=meta)


def read_elicitation(message: Mapping[str, object]) -> NeedsInput | None:
    """Read a question from an `elicitation/create` request, or from the requests of an `input_required` result."""
    if message.get("method") == METHOD:
        params = object_in(message, "params")
        return _question(params, object_in(params, "_meta"))
    if message.get("resultType") == "input_required":
        requests = map(as_object, object_in(message, "inputRequests").values())
        asked = (object_in(request, "params") for request in requests if request.get("method") == METHOD)
        return next((found for each in asked if (found := _question(each, object_in(message, "_meta")))), None)
    return None


def _declared(name: str, schema: Mapping[str, object]) -> Mapping[str, object]:
    """Look up how the tool declares an argument; what may be left out is declared with an alternative, or elsewhere."""
    found = object_in(object_in(schema, "properties"), name)
    given = [each for each in map(as_object, items_in(found, "anyOf")) if each.get("type") != "null"]
    inner = given[0] if len(given) == 1 else found
    group, _, title = (text_in(inner, "$ref") or "").removeprefix("#/").partition("/")
    return {**object_in(object_in(schema, group), title), **inner, **found}


def _field(name: str, question: NeedsInput, declared: Mapping[str, object]) -> dict[str, object]:
    """Describe what is wanted of one field, in the few words that an elicitation allows."""
    kind = declared.get("type")
    field: dict[str, object] = {"type": kind if kind in _KINDS else "string"}
    field |= {key: declared[key] for key in _KEPT if kind in _KINDS and declared.get(key) is not None}
    if kind == "string" and "enum" in declared:  # The protocol lets a person choose from texts alone.
        field["enum"] = declared["enum"]
    if declared.get("format") in _FORMATS:
        field["format"] = declared["format"]
    if suggested := question.suggestions.get(name):
        told = _SUGGESTIONS + ", ".join(map(text_of, suggested))
        field["description"] = f"{field['description']} {told}" if "description" in field else told
    if question.options and len(question.fields) == 1 and field["type"] == "string":
        field["enum"] = offered = [text_of(option["value"]) for option in question.options]
        field["enumNames"] = [text_of(option["label"]) for option in question.options]
        if field.get("default") not in offered:  # The tool's own is mostly the "" that made it ask.
            field.pop("default", None)
    return field


def _question(params: Mapping[str, object], meta: Mapping[str, object]) -> NeedsInput | None:
    message = text_in(params, "message")
    asked = object_in(object_in(params, "requestedSchema"), "properties")
    if message is None or not asked:
        return None
    fields = {name: as_object(field) for name, field in asked.items()}
    return NeedsInput(
        message,
        fields=fields,
        reason=text_in(meta, _REASON) or "missing_input",
        suggestions={name: found for name, field in fields.items() if (found := _suggested(field))},
        options=[option for field in fields.values() for option in _options(field)] if len(fields) == 1 else (),
    )


def _suggested(field: Mapping[str, object]) -> list[object]:
    _, marked, told = (text_in(field, "description") or "").partition(_SUGGESTIONS)
    return list(told.split(", ")) if marked else []


def _options(field: Mapping[str, object]) -> list[dict[str, object]]:
    values = items_in(field, "enum") or [as_object(each).get("const") for each in items_in(field, "oneOf")]
    labels = items_in(field, "enumNames") or [as_object(each).get("title") for each in items_in(field, "oneOf")]
    labels += values[len(labels) :]
    return [{"label": label, "value": value} for label, value in zip(labels, values, strict=False)]
