"""The laws of every dialect. An example can be argued with; a law cannot."""

import ast
import dataclasses
import functools
import inspect
import json

import pytest
from hypothesis import given, settings, strategies as st
from jsonschema import Draft202012Validator
from mcp_types import CallToolResult
from support.sample_secrets import survives
from support.strategies import faults, formats, json_objects, json_values, large_faults, secretive_faults

import errata
from errata import Code, Fault, Recovery, RecoveryHint, Retry, dialects, redact
from errata.dialects import open_message, redact_fault
from errata.reading._decode import _is_success_at_a_glance, _read

DIALECTS = [dialects.get(name) for name in dialects.names()]
SEEDS = [dialect for dialect in DIALECTS if dialect.name != "native"]
HALF = settings.default.max_examples // 2  # Of the largest faults, which take their time.

every_dialect = pytest.mark.parametrize("dialect", DIALECTS, ids=dialects.names())
every_seed = pytest.mark.parametrize("dialect", SEEDS, ids=[dialect.name for dialect in SEEDS])


def over_the_wire(message):
    return json.loads(json.dumps(message, allow_nan=False, ensure_ascii=False).encode())


@every_dialect
@given(fault=faults, fmt=formats)
def test_whatever_the_fault_an_answer_is_sent_that_says_it_is_an_error(dialect, fault, fmt):
    wire = over_the_wire(dialect.encode(fault, format=fmt))

    assert wire["isError"] is True
    assert wire["structuredContent"]
    assert all(block["text"] for block in wire["content"])
    assert wire["content"]


@every_dialect
@given(fault=faults, fmt=formats)
def test_a_decoded_fault_encodes_to_the_same_bytes_again(dialect, fault, fmt):
    wire = over_the_wire(dialect.encode(fault, format=fmt))

    again = dialect.encode(dialect.decode(wire), format=fmt)

    assert json.dumps(again) == json.dumps(wire)


@every_dialect
@settings(max_examples=HALF)
@given(fault=large_faults, fmt=formats)
def test_the_same_holds_at_every_limit(dialect, fault, fmt):
    wire = over_the_wire(dialect.encode(fault, format=fmt))
    again = dialect.encode(dialect.decode(wire), format=fmt)

    assert json.dumps(again) == json.dumps(wire)
    assert len(json.dumps(wire)) < 1_000_000
    assert dataclasses.replace(fault) == fault


@every_dialect
@given(fault=large_faults)
@settings(max_examples=HALF)
def test_no_text_leaves_that_is_longer_than_documented(dialect, fault):
    fault = redact_fault(dataclasses.replace(fault, data={}))
    payload = dialect.encode(fault)["structuredContent"]
    found = [functools.reduce(lambda inner, key: inner[key], path, payload) for path in _places(payload)]
    texts = [value for value in found if isinstance(value, str)]

    assert len(fault.message) <= 8000
    assert all(len(text) <= 2000 for text in texts if text != fault.message)


@every_dialect
@given(fault=faults, fmt=formats)
def test_reading_back_never_raises_the_verdict(dialect, fault, fmt):
    back = dialect.decode(over_the_wire(dialect.encode(fault, format=fmt)))

    assert not back.retry.exceeds(fault.retry)


@given(fault=faults)
def test_native_loses_nothing(fault):
    assert dialects.native.decode(over_the_wire(dialects.native.encode(fault))) == redact_fault(fault)


@every_dialect
@given(secretive=secretive_faults, fmt=formats)
def test_no_secret_of_a_fault_is_sent(dialect, secretive, fmt):
    fault, secret = secretive
    fault = dataclasses.replace(fault, correlation_id=fault.message, timestamp=secret)
    wire = over_the_wire(dialect.encode(fault, format=fmt))
    error = over_the_wire(dialects.as_jsonrpc_error(fault, dialect=dialect))

    assert not [text for text in _strings([wire, error]) if survives(secret, text)]
    assert json.dumps(dialect.encode(dialect.decode(wire), format=fmt)) == json.dumps(wire)


@every_dialect
@given(fault=faults | secretive_faults.map(lambda pair: pair[0]), fmt=formats)
def test_nothing_is_sent_that_redaction_would_change(dialect, fault, fmt):
    wire = over_the_wire(dialect.encode(fault, format=fmt))

    assert [text for text in _strings(wire) if redact(text) != text] == []


@given(fault=faults | large_faults | secretive_faults.map(lambda pair: pair[0]))
def test_what_leaves_is_in_order_and_may_leave_as_it_is(fault):
    ready = redact_fault(fault)

    assert ready == dataclasses.replace(ready) == redact_fault(ready)


@every_dialect
def test_whoever_changes_what_is_sent_does_not_change_the_fault(dialect):
    fault = Fault(
        code=Code.NOT_FOUND,
        data={"order": {"id": 17}},
        recovery=Recovery(hint_class=RecoveryHint.CHECK_INPUT, corrective_params={"order": {"id": 18}}),
    )
    before = json.dumps(dataclasses.asdict(fault))

    _empty(dialect.encode(fault))

    assert json.dumps(dataclasses.asdict(fault)) == before


def _empty(value):
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for item in [*inside]:
        _empty(item)
    if isinstance(value, dict | list):
        value.clear()


@given(secretive=secretive_faults)
def test_native_loses_nothing_but_secrets(secretive):
    fault, _ = secretive

    assert dialects.native.decode(over_the_wire(dialects.native.encode(fault))) == redact_fault(fault)
    assert redact_fault(redact_fault(fault)) == redact_fault(fault)


@every_dialect
@given(fault=faults, fmt=formats)
def test_every_payload_fits_the_schema_of_its_dialect(dialect, fault, fmt):
    schema = dialect.error_schema()
    Draft202012Validator.check_schema(schema)

    payload = over_the_wire(dialect.encode(fault, format=fmt))["structuredContent"]

    Draft202012Validator(schema).validate(payload)


@every_dialect
@given(payload=json_values)
def test_any_json_value_decodes_to_a_fault_or_to_none(dialect, payload):
    for message in (payload, {"structuredContent": payload, "isError": True}, {"jsonrpc": "2.0", "error": payload}):
        assert isinstance(dialect.decode(message), Fault | None)
        assert isinstance(errata.decode(message), Fault | None)


@every_dialect
@given(fault=faults, fmt=formats, noise=json_objects, how=st.data())
def test_a_damaged_payload_still_gets_an_answer(dialect, fault, fmt, noise, how):
    wire = over_the_wire(dialect.encode(fault, format=fmt))
    place = how.draw(st.sampled_from(_places(wire)))

    damaged = _damage(wire, place, how)

    assert isinstance(dialect.decode(damaged), Fault | None)
    assert isinstance(errata.decode(damaged), Fault | None)
    assert isinstance(errata.decode({**noise, "result": damaged}), Fault | None)


@every_dialect
@given(fault=faults, fmt=formats, how=st.data())
def test_a_glance_never_overlooks_a_failure(dialect, fault, fmt, how):
    wire = over_the_wire(dialect.encode(fault, format=fmt))
    message = _damage(wire, how.draw(st.sampled_from(_places(wire))), how)

    if _is_success_at_a_glance(message):
        assert _read(open_message(message)) is None


@every_dialect
@given(fault=faults, fmt=formats)
def test_the_reader_tells_which_dialect_it_is(dialect, fault, fmt):
    wire = dialect.encode(fault, format=fmt)
    response = {"jsonrpc": "2.0", "id": 1, "result": wire}

    for message in (wire, response, over_the_wire(wire)):
        reading = errata.reading.recognise(message)
        assert (reading.dialect, reading.fault) == (dialect.name, dialect.decode(message))


@every_dialect
@given(fault=faults, fmt=formats)
def test_what_the_sdk_makes_of_a_result_reads_the_same(dialect, fault, fmt):
    wire = over_the_wire(dialect.encode(fault, format=fmt))

    assert errata.decode(CallToolResult.model_validate(wire)) == errata.decode(wire)


@every_dialect
@given(fault=faults, fmt=formats)
def test_encoding_leaves_the_fault_alone_and_shares_nothing_with_it(dialect, fault, fmt):
    before = dataclasses.replace(fault)
    wire = dialect.encode(fault, format=fmt)
    _scribble(wire)

    assert fault == before


@every_seed
@pytest.mark.parametrize("code", Code)
def test_every_word_of_a_seed_survives_a_reading(dialect, code):
    for retry in Retry:
        wire = dialect.encode(Fault(code=code, retry=retry))

        assert dialect.encode(dialect.decode(wire)) == wire


@every_seed
def test_a_shared_word_is_read_as_a_code_that_says_it(dialect):
    for code, word in dialect.vocabulary.words.items():
        read = dialect.vocabulary.code_for(word)
        assert dialect.vocabulary.words[read] == word
        if dialect.vocabulary.codes_for(word) == (code,):
            assert read is code


@every_dialect
def test_a_dialect_knows_no_other_dialect(dialect):
    source = inspect.getsource(inspect.getmodule(type(dialect)))
    imports = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)]
    modules = {node.module for node in imports} | {alias.name for node in imports for alias in node.names}

    assert modules.isdisjoint({type(other).__module__ for other in DIALECTS})
    assert modules.isdisjoint({"errata.dialects", *(name.replace("-", "_") for name in dialects.names())})


@every_dialect
def test_every_code_has_a_word(dialect):
    assert list(dialect.vocabulary.words) == list(Code)


@every_dialect
@given(fault=faults)
def test_a_jsonrpc_error_has_a_legal_number_and_loses_nothing(dialect, fault):
    error = over_the_wire(dialects.as_jsonrpc_error(fault, dialect=dialect))

    assert error["code"] in {-32700, -32600, -32601, -32602, -32603}
    assert "\n" not in error["message"]
    assert errata.decode({"jsonrpc": "2.0", "id": 7, "error": error}) == errata.decode(error)
    sent = redact_fault(fault)
    assert errata.decode(error) == dataclasses.replace(sent, field=sent.first_field)
    assert dialects.as_jsonrpc_error(errata.decode(error), dialect=dialect) == error


@given(fault=faults)
def test_a_jsonrpc_error_of_003_has_the_authors_data_where_003_has_it(fault):
    error = over_the_wire(dialects.as_jsonrpc_error(fault, dialect=dialects.json_rpc))
    ours = {"recovery", "retryable", "retryAfter", "field", "issues", "reason", "errata/fault"}

    assert {key: error["data"][key] for key in redact_fault(fault).data if key not in ours} == {
        key: value for key, value in over_the_wire(dict(redact_fault(fault).data)).items() if key not in ours
    }


def _places(value, path=()):
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, item in inner for place in _places(item, (*path, key)))]


def _strings(value):
    inner = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [value] if isinstance(value, str) else [text for item in inner for text in _strings(item)]


def _damage(value, path, how):
    if not path:
        return how.draw(
            st.sampled_from([None, [], {}, [value], {"error": value}, str(value)[: len(str(value)) // 2], 1e308, True])
            | json_values
        )
    key, *rest = path
    copy = value.copy()
    if not rest and how.draw(st.booleans()):
        del copy[key]
    else:
        copy[key] = _damage(value[key], rest, how)
    return copy


def _scribble(value):
    for inner in list(value.values() if isinstance(value, dict) else value):
        if isinstance(inner, dict | list):
            _scribble(inner)
    value.clear()
