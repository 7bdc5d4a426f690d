"""What a widened output schema admits, and what clients make of it."""

import copy
import dataclasses
import datetime as dt
import functools
import json
import operator
from typing import Any, Literal
from uuid import UUID

import fastmcp
import mcp
import pytest
from hypothesis import given, settings, strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, ConfigDict, create_model
from support.replaying_server import FAULT, QUESTION, Replaying, planned
from support.returning_tools import BY_HAND, Line, Node, recorded
from support.strategies import faults

from errata import Code, Fault, dialects
from errata.dialects import encode_needs_input
from errata.serving._widening import widen_schema

pytestmark = pytest.mark.anyio

DIALECTS = [dialects.get(name) for name in dialects.names()]
every_dialect = pytest.mark.parametrize("dialect", DIALECTS, ids=dialects.names())
RECORDINGS = [*recorded(), *BY_HAND]
every_recording = pytest.mark.parametrize("recording", RECORDINGS, ids=str)


# Names that errors and questions have, and names that they do not have.
names = st.sampled_from(
    ["a", "b", "result", "error", "code", "message", "kind", "type", "options", "details", "original"]
)
words = st.sampled_from(["x", "NOT_FOUND", "toolError:v1", "needsInput:v1"])
scalars = st.none() | st.booleans() | st.integers(-2, 2) | words
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(names, inner, max_size=3), max_leaves=5
)
objects = st.dictionaries(names, values, max_size=4)
kinds = st.sampled_from(["object", "array", "string", "integer", "null"])
leaves = st.sampled_from(
    [
        True,
        {},
        {"type": "integer", "default": 1},
        {"type": "string", "title": "Message"},
        {"type": "string", "format": "date-time"},
        {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
        {"$ref": "#/$defs/Line"},
        {"type": "array", "items": {"$ref": "#/$defs/Line"}},
        {"const": "x"},
        False,
    ]
)
LINE = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": False}


def schemas_over(inner):
    """Schemas of any keywords, with these below."""
    some = st.lists(inner, min_size=1, max_size=2)
    return st.fixed_dictionaries(
        {},
        optional={
            "type": kinds | st.lists(kinds, min_size=1, max_size=2, unique=True),
            "properties": st.dictionaries(names, inner, max_size=4),
            "required": st.lists(names, max_size=2, unique=True),
            "additionalProperties": inner,
            "patternProperties": st.dictionaries(st.sampled_from(["^(e|m)", "o", "^a$"]), inner, max_size=2),
            "unevaluatedProperties": inner,
            "propertyNames": st.sampled_from([{"maxLength": 4}, {"pattern": "^[a-k]"}]),
            "minProperties": st.integers(0, 3),
            "maxProperties": st.integers(0, 3),
            "dependentRequired": st.dictionaries(names, st.lists(names, max_size=1), max_size=1),
            "dependentSchemas": st.dictionaries(names, inner, max_size=1),
            "allOf": some,
            "anyOf": some,
            "oneOf": some,
            "not": inner,
            "if": inner,
            "then": inner,
            "else": inner,
            "items": inner,
            "const": objects | scalars,
            "enum": st.lists(objects | scalars, min_size=1, max_size=3),
            "title": st.just("Odd"),
            "x-fastmcp-wrap-result": st.sampled_from([True]),
        },
    )


odd_schemas = st.builds(
    lambda schema, closed: {**closed, **schema, "$defs": {"Line": LINE}},
    st.recursive(leaves, schemas_over, max_leaves=8).map(lambda found: found if isinstance(found, dict) else {}),
    st.sampled_from([{}, {"type": "object"}, {"type": "object", "additionalProperties": False}]),
)
real_schemas = st.sampled_from([recording.schema for recording in recorded()])

# What a field may be declared as, and what it may then hold.
fields = st.sampled_from(
    [
        (int, 1),
        (str, "NOT_FOUND"),
        (str | None, None),
        (dt.datetime, "2026-11-02T12:00:00Z"),
        (UUID, "7a1c0000-0000-4000-8000-00000000beef"),
        (Line, {"sku": "a"}),
        (Line | None, {"sku": "a"}),
        (list[Line], [{"sku": "a"}]),
        (dict[str, Line], {"error": {"sku": "a"}}),
        (Node, {"value": 1, "children": [{"value": 2}]}),
        (dict[str, Any], {"code": "NOT_FOUND", "message": "m", "retry": "never"}),
        (Literal["needsInput:v1"], "needsInput:v1"),
    ]
)


def model_and_value(chosen, optional, extra):
    """Make a model of these fields, and the JSON of one of its kind."""
    types = {name: (kind, None if name in optional else ...) for name, (kind, _) in chosen.items()}
    model = create_model("Made", __config__=ConfigDict(extra=extra), **types)
    held = {name: value for name, (_, value) in chosen.items()}
    return model.model_json_schema(mode="serialization"), model(**held).model_dump(mode="json")


models = st.builds(
    model_and_value,
    st.dictionaries(names, fields, max_size=5),
    st.sets(names, max_size=2),
    st.sampled_from(["ignore", "allow", "forbid"]),
)
schemas = odd_schemas | real_schemas | models.map(operator.itemgetter(0))
# What a tool returned, unchanged and with something changed in it.
returned = st.builds(
    lambda recording, more: {**recording.success, **more} if isinstance(recording.success, dict) else recording.success,
    st.sampled_from(recorded()),
    st.just({}) | objects,
)
instances = objects | returned | values
spoken = st.sampled_from(DIALECTS)


def fits(schema, instance):
    return Draft202012Validator(schema).is_valid(instance)


@settings(max_examples=300)
@given(schema=schemas, dialect=spoken, instance=instances)
def test_what_fitted_before_fits_still(schema, dialect, instance):
    assert fits(widen_schema(schema, dialect), instance) or not fits(schema, instance)


@given(made=models, dialect=spoken)
def test_what_a_model_returns_fits_its_widened_schema(made, dialect):
    schema, value = made

    assert fits(schema, value)
    assert fits(widen_schema(schema, dialect), value)


@settings(max_examples=300)
@given(schema=schemas, dialect=spoken, instance=instances)
def test_nothing_fits_but_a_success_an_error_and_a_question(schema, dialect, instance):
    is_question = isinstance(instance, dict) and instance.get("kind") == "needsInput:v1"

    if fits(widen_schema(schema, dialect), instance) and not is_question:
        assert fits(schema, instance) or fits(dialect.error_schema(), instance)


@settings(max_examples=150)
@given(schema=schemas, dialect=spoken, fault=faults)
def test_every_error_fits(schema, dialect, fault):
    assert fits(widen_schema(schema, dialect), dialect.encode(fault)["structuredContent"])


@every_dialect
@every_recording
def test_every_code_fits_whatever_a_tool_returns(recording, dialect):
    validator = Draft202012Validator(widen_schema(recording.schema, dialect))

    for code in Code:
        assert validator.is_valid(dialect.encode(Fault(code=code, message="m"))["structuredContent"]), code


@given(schema=schemas, dialect=spoken)
def test_a_question_fits(schema, dialect):
    assert fits(widen_schema(schema, dialect), encode_needs_input(QUESTION)["structuredContent"])


@settings(max_examples=150)
@given(schema=schemas, dialect=spoken)
def test_widening_twice_is_widening_once(schema, dialect):
    once = widen_schema(schema, dialect)

    assert widen_schema(once, dialect) == once
    assert widen_schema(json.loads(json.dumps(once)), dialect) == once


@given(schema=schemas, dialect=spoken, other=spoken, fault=faults)
def test_a_schema_can_be_widened_for_two_dialects(schema, dialect, other, fault):
    both = widen_schema(widen_schema(schema, dialect), other)

    assert fits(both, dialect.encode(fault)["structuredContent"])
    assert fits(both, other.encode(fault)["structuredContent"])


@given(schema=schemas, dialect=spoken)
def test_the_schema_given_stays_as_it_is(schema, dialect):
    before = copy.deepcopy(schema)

    widen_schema(schema, dialect)

    assert schema == before


@given(schema=schemas, dialect=spoken)
def test_a_widened_schema_is_a_schema(schema, dialect):
    Draft202012Validator.check_schema(widen_schema(schema, dialect))


@given(schema=schemas, dialect=spoken)
def test_what_clients_look_for_at_the_root_is_there(schema, dialect):
    wide = widen_schema(schema, dialect)

    for key in ("title", "x-fastmcp-wrap-result", "$defs", "description"):
        assert wide.get(key) == schema.get(key)
    if schema.get("type") == "object":
        assert wide["type"] == "object"
        assert list(wide.get("properties", {})) == list(schema.get("properties", {}))
        assert wide.get("additionalProperties") == schema.get("additionalProperties")


@every_dialect
@pytest.mark.parametrize(
    "schema",
    [
        True,
        {},
        {"type": "object"},
        {"type": "object", "additionalProperties": True},
        {"type": "object", "properties": {"total": {"type": "integer"}}},
    ],
)
def test_a_schema_that_admits_everything_is_left_alone(schema, dialect):
    assert widen_schema(schema, dialect) == ({} if schema is True else schema)


@every_dialect
def test_a_root_that_only_points_to_a_definition_is_read_where_it_points(dialect):
    node = {
        "title": "Node",
        "type": "object",
        "properties": {"value": {"type": "integer"}, "next": {"$ref": "#/$defs/Node"}},
        "required": ["value"],
    }
    wide = widen_schema({"$defs": {"Node": node}, "$ref": "#/$defs/Node"}, dialect)

    assert wide["type"] == "object"
    assert wide["properties"] == node["properties"]
    assert fits(wide, {"value": 1, "next": {"value": 2}})
    assert not fits(wide, {"value": 1, "next": {}})


@every_dialect
@pytest.mark.parametrize("ref", ["#/$defs/A", "#/$defs/none", "https://example.org/schema", "#/$defs/a/b", 7, {}])
def test_a_root_that_points_in_a_circle_or_nowhere_is_no_harm(ref, dialect):
    wide = widen_schema({"$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}, "$ref": ref}, dialect)

    assert len(wide["anyOf"]) == 3


INTEGER = {"type": "integer"}


@every_dialect
@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "allOf": [{"properties": {"a": INTEGER}}], "properties": {"b": {"$ref": "#/allOf/0"}}},
        {"type": "object", "properties": {"a": INTEGER, "b": {"properties": {"a": {"$ref": "#/properties/a"}}}}},
        {"type": "object", "properties": {"error": INTEGER, "b": {"properties": {"a": {"$ref": "#/properties/error"}}}}},
        {"type": "object", "additionalProperties": {"anyOf": [INTEGER, {"$ref": "#/patternProperties/x"}]}, "patternProperties": {"x": {"properties": {"a": INTEGER}}}},
        {"anyOf": [{"properties": {"b": {"$ref": "#/anyOf/1"}}, "required": ["b"]}, {"properties": {"a": INTEGER}}]},
        {"items": INTEGER, "properties": {"b": {"properties": {"a": {"$ref": "#/items"}}}}},
        {"properties": {"a": INTEGER, "b": {"$ref": "#"}}},
        {"type": "object", "properties": {"b": {"type": "object"}}, "unevaluatedProperties": False},
        {"type": "object", "properties": {"b": INTEGER}, "unevaluatedProperties": False},
    ],
)  # fmt: skip
def test_a_rule_that_looks_at_another_finds_it_where_it_was_moved(schema, dialect):
    wide = widen_schema(schema, dialect)

    for instance in ({"b": {"a": 1}}, {"b": {"a": "x"}}, {"b": 1}, {"b": {}}):
        assert fits(wide, instance) == fits(schema, instance)


@every_dialect
def test_a_property_may_have_the_name_of_a_keyword(dialect):
    schema = {"type": "object", "properties": {"$ref": {"type": "string"}, "anyOf": INTEGER}, "required": ["$ref"]}

    assert fits(widen_schema(schema, dialect), {"$ref": "#/required", "anyOf": 1})
    assert not fits(widen_schema(schema, dialect), {"anyOf": 1})


@every_dialect
@pytest.mark.parametrize("depth", [100, 5_000])
def test_a_deep_schema_is_widened(dialect, depth):
    deep = functools.reduce(
        lambda inner, _: {"type": "object", "properties": {"a": inner}, "required": ["a"]}, range(depth), {}
    )

    assert widen_schema(deep, dialect)["anyOf"][0] == {"required": ["a"]}


@every_dialect
@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": None, "required": 1},
        {"type": "object", "properties": [], "additionalProperties": None},
        {"type": None, "anyOf": None},
        {"type": "object", "anyOf": [], "$defs": 3, "$ref": "#/$defs/x"},
        {"type": "object", "patternProperties": "x", "additionalProperties": False},
    ],
)
def test_what_is_no_schema_does_no_harm(schema, dialect):
    once = widen_schema(schema, dialect)

    assert once["anyOf"]
    assert widen_schema(once, dialect) == once


def plain(data):
    """Take the typed data of FastMCP's client apart: two classes made from two schemas are never equal."""
    if dataclasses.is_dataclass(data):
        return type(data).__name__, {field.name: plain(getattr(data, field.name)) for field in dataclasses.fields(data)}
    if isinstance(data, BaseModel):
        return type(data).__name__, {name: plain(value) for name, value in dict(data).items()}
    if isinstance(data, dict):
        return {key: plain(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return type(data), [plain(item) for item in data]
    return type(data), data


async def test_the_typed_data_of_every_success_is_what_it_was():
    async with fastmcp.Client(Replaying(planned(RECORDINGS, [None, *dialects.names()]))) as client:
        for recording in RECORDINGS:
            before = await client.call_tool(f"{recording}-None", {"outcome": "success"})
            assert before.data is not None or recording.name == "optional"
            for name in dialects.names():
                after = await client.call_tool(f"{recording}-{name}", {"outcome": "success"})
                assert after.structured_content == recording.success
                assert plain(after.data) == plain(before.data), f"{recording}-{name}"


async def test_the_official_client_takes_successes_errors_and_questions():
    async with mcp.Client(Replaying(planned(RECORDINGS, dialects.names()))) as client:
        for recording in RECORDINGS:
            for dialect in DIALECTS:
                tool = f"{recording}-{dialect.name}"
                success = await client.call_tool(tool, {"outcome": "success"})
                error = await client.call_tool(tool, {"outcome": "error"})
                question = await client.call_tool(tool, {"outcome": "question"})
                assert success.structured_content == recording.success
                assert error.structured_content == dialect.encode(FAULT)["structuredContent"]
                assert question.structured_content["kind"] == "needsInput:v1"
                assert not question.is_error


async def test_without_widening_the_official_client_refuses_a_question():
    closed = [recording for recording in recorded() if recording.name == "closed"]
    async with mcp.Client(Replaying(planned(closed, [None]))) as client:
        for recording in closed:
            with pytest.raises(RuntimeError, match="Invalid structured content"):
                await client.call_tool(f"{recording}-None", {"outcome": "question"})
