"""A question on the wire: as 002 asks it, and as MCP asks it twice; one reader for all three."""

import json

import pytest
from hypothesis import given, strategies as st
from jsonschema import Draft202012Validator
from support.strategies import json_objects, json_values, secretive_texts, texts

from errata import NeedsInput, decode_needs_input
from errata.dialects import build_elicitation, build_input_required, encode_needs_input, redact_question

_TYPES = ("string", "integer", "number", "boolean")
options = st.lists(json_objects | st.builds(dict, label=texts, value=texts), max_size=3)
questions = st.builds(
    NeedsInput,
    texts,
    fields=st.lists(texts, max_size=4),
    reason=texts,
    suggestions=st.dictionaries(texts, st.lists(json_values, max_size=3), max_size=3),
    options=options,
)
# One field, and options that are text: all that an elicitation has a place for.
names = st.text(min_size=1, max_size=20)
choices = st.lists(st.builds(dict, label=texts, value=texts), min_size=1, max_size=4)
simple_questions = st.builds(
    NeedsInput, texts, fields=st.lists(names, min_size=1, max_size=4, unique=True), reason=names
) | st.builds(NeedsInput, texts, fields=names.map(lambda name: [name]), reason=names, options=choices)
formats = st.sampled_from(["markdown", "json", "both"])


def _told(question):
    return {name: getattr(question, name) for name in ("message", "fields", "reason", "suggestions", "options")}


@given(questions, formats)
def test_a_question_of_002_reads_back_as_what_was_sent(question, format):
    sent = encode_needs_input(question, format=format)
    assert _told(decode_needs_input(json.loads(json.dumps(sent)))) == _told(redact_question(question))


@given(questions)
def test_a_question_of_002_reads_back_from_its_json_block_alone(question):
    sent = encode_needs_input(question, format="json")
    del sent["structuredContent"]
    assert _told(decode_needs_input(sent)) == _told(redact_question(question))


@given(questions, formats)
def test_a_question_is_no_error(question, format):
    assert "isError" not in encode_needs_input(question, format=format)


@given(simple_questions, st.none() | st.text())
def test_an_input_required_result_reads_back_as_what_was_asked(question, state):
    sent = json.loads(json.dumps(build_input_required(question, {}, state)))
    expected = redact_question(question)
    found = decode_needs_input(sent)
    assert (found.message, found.reason) == (expected.message, expected.reason)
    assert found.fields == expected.fields
    assert found.options == expected.options


@given(simple_questions)
def test_an_elicitation_reads_back_as_what_was_asked(question):
    sent = {"jsonrpc": "2.0", "id": 1, "method": "elicitation/create", "params": build_elicitation(question, {})}
    found, expected = decode_needs_input(json.loads(json.dumps(sent))), redact_question(question)
    assert (found.message, found.fields, found.options) == (expected.message, expected.fields, expected.options)


@given(questions, json_values)
def test_a_question_can_always_be_asked_whatever_the_tool_declares(question, schema):
    """Of a tool's schema nobody knows more than that it is JSON."""
    schema = schema if isinstance(schema, dict) else {"properties": dict.fromkeys(question.fields, schema)}
    asked = build_elicitation(question, schema)["requestedSchema"]
    Draft202012Validator.check_schema(
        {"properties": {name: {"type": each["type"]} for name, each in asked["properties"].items()}}
    )
    assert all(each["type"] in _TYPES for each in asked["properties"].values())
    json.dumps(asked)


@given(json_values)
def test_anything_at_all_is_a_question_or_is_none(message):
    assert isinstance(decode_needs_input(message), NeedsInput | None)


telling = st.sampled_from(
    [
        "elicitation/create",
        "input_required",
        "needsInput:v1",
        "form",
        {"method": "elicitation/create", "params": {"message": "a", "requestedSchema": {"properties": {"b": {}}}}},
        {"properties": {"a": {"enum": [1, None, {}], "enumNames": "x", "description": "For example: a, b"}}},
        {"properties": {"a": {"oneOf": [{"const": 1, "title": []}, 7], "description": 3}}},
    ]
)
_WORDS = "method params resultType inputRequests errata message requestedSchema properties _meta kind needsInput fields"
keys = st.sampled_from([*_WORDS.split(), "reason", "options", "suggestions", "structuredContent", "content", "result"])
mischief = st.recursive(
    telling | json_values,
    lambda inner: st.dictionaries(keys, inner, max_size=5) | st.lists(inner, max_size=3),
    max_leaves=12,
)


@given(mischief)
def test_whatever_looks_like_a_question_is_one_or_is_none(message):
    assert isinstance(decode_needs_input(message), NeedsInput | None)


@given(secretive_texts)
def test_no_secret_leaves_with_a_question(secretive):
    text, secret = secretive
    question = NeedsInput(
        text,
        fields=[text, "note"],
        reason=text,
        suggestions={"note": [text], text: [1]},
        options=[{"label": text, "value": secret}],
    )
    for sent in (encode_needs_input(question, format="both"), build_input_required(question, {}, None)):
        assert secret not in json.dumps(sent, ensure_ascii=False)


_SCHEMA = {
    "$defs": {"Style": {"enum": ["dark", "light"], "type": "string", "title": "Style"}},
    "properties": {
        "style": {"$ref": "#/$defs/Style"},
        "maybe_style": {"anyOf": [{"$ref": "#/$defs/Style"}, {"type": "null"}], "default": None},
        "size": {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}], "default": None, "title": "Size"},
        "either": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        "mail": {"type": "string", "format": "email", "minLength": 3},
        "id": {"type": "string", "format": "uuid"},
        "level": {"type": "integer", "enum": [1, 2]},
        "lost": {"$ref": "#/$defs/Nowhere"},
        "deep": {"$ref": "https://example.com/schema.json"},
    },
}


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("style", {"type": "string", "enum": ["dark", "light"], "title": "Style"}),
        ("maybe_style", {"type": "string", "enum": ["dark", "light"], "title": "Style"}),
        ("size", {"type": "integer", "minimum": 1, "title": "Size"}),
        ("either", {"type": "string"}),
        ("mail", {"type": "string", "format": "email", "minLength": 3}),
        ("id", {"type": "string"}),
        ("level", {"type": "integer"}),
        ("lost", {"type": "string"}),
        ("deep", {"type": "string"}),
        ("unheard_of", {"type": "string"}),
    ],
)
def test_a_field_is_described_as_the_tool_declares_it(name, field):
    asked = build_elicitation(NeedsInput("?", fields=[name]), _SCHEMA)["requestedSchema"]["properties"]
    assert asked == {name: field}


def test_an_option_that_a_declared_type_cannot_take_is_not_offered():
    question = NeedsInput("How many?", fields=["size"], options=[{"label": "a few", "value": 3}])
    assert "enum" not in build_elicitation(question, _SCHEMA)["requestedSchema"]["properties"]["size"]


@pytest.mark.parametrize(("declared", "kept"), [("", {}), ("dark", {"default": "dark"})])
def test_a_default_that_is_none_of_the_options_is_not_offered(declared, kept):
    question = NeedsInput("Which?", fields=["style"], options=[{"label": "Dark", "value": "dark"}])
    schema = {"properties": {"style": {"type": "string", "default": declared}}}
    assert build_elicitation(question, schema)["requestedSchema"]["properties"] == {
        "style": {"type": "string", "enum": ["dark"], "enumNames": ["Dark"], **kept}
    }


def test_options_that_belong_to_no_single_field_are_not_guessed():
    question = NeedsInput("Which?", fields=["a", "b"], options=[{"label": "A", "value": "a"}])
    for field in build_elicitation(question, {})["requestedSchema"]["properties"].values():
        assert field == {"type": "string"}


def test_titles_of_the_newer_protocol_are_read_as_options():
    """Since 2025-11-25 a choice may be told with `oneOf`; another server's question may be told so."""
    field = {"type": "string", "oneOf": [{"const": "a", "title": "A"}, {"const": "b", "title": "B"}]}
    params = {"message": "Which?", "requestedSchema": {"type": "object", "properties": {"x": field}}}
    found = decode_needs_input({"method": "elicitation/create", "params": params})
    assert found.options == ({"label": "A", "value": "a"}, {"label": "B", "value": "b"})


def test_somebody_elses_input_required_result_is_read_as_well():
    sampling = {"method": "sampling/createMessage", "params": {"message": "x"}}
    asked = {"message": "Who?", "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}}}
    result = {
        "resultType": "input_required",
        "inputRequests": {"a": sampling, "b": {"method": "elicitation/create", "params": asked}},
    }
    found = decode_needs_input({"jsonrpc": "2.0", "id": 3, "result": result})
    assert (found.message, found.fields, found.reason) == ("Who?", ("name",), "missing_input")
