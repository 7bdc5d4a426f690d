"""The call as it is given: nothing in it is trusted, and no size of it is more than so much work."""

import sys

import pytest
from hypothesis import given, strategies as st
from support import servers_at_fault as tools
from support.failing_calls import call_of, failure_of
from support.strategies import json_values, texts

from errata import Code, Retry, classify
from errata.classification import Call, explain

LARGE = 10_000_000


def flatten_problems(depth, core="core"):
    for _ in range(depth):
        core = {"a": core}
    return core


def nested_lists(depth):
    core = []
    for _ in range(depth):
        core = [core]
    return core


def cyclic():
    loop = {"region": "nort"}
    loop["self"] = loop
    return loop


def cyclic_list():
    loop = ["nort"]
    loop.append(loop)
    return loop


class Hostile:
    def __eq__(self, other):
        raise SystemError("compared")

    def __hash__(self):
        return 7

    def __str__(self):
        raise SystemError("read")

    __repr__ = __str__

    @property
    def __class__(self):
        raise SystemError("classified")


class Text(str):
    """A text of a class of its own."""

    __slots__ = ()

    def __len__(self):
        return 10**9

    def strip(self, *_):
        raise SystemError("stripped")

    def casefold(self):
        raise SystemError("folded")


# fmt: off
HOSTILE = {
    "long text": {"region": "nort" * (LARGE // 4)},
    "deep": {"region": flatten_problems(10_000)},
    "deep lists": {"region": nested_lists(10_000)},
    "cyclic": cyclic(),
    "cyclic list": {"region": cyclic_list()},
    "not a number": {"region": float("nan")},
    "infinite": {"region": float("-inf")},
    "many digits": {"region": 10**10_000},
    "negative and many digits": {"region": -(10**10_000)},
    "keys that are numbers": {7: "nort", None: 1, (1, 2): 3, True: [1]},
    "keys inside that are numbers": {"region": {7: "nort", None: 1, (1, 2): 3}},
    "half a character": {"region": "\ud800", "\udfff": "nort"},
    "zero bytes": {"region": "\0\0\0\0", "\0": 1},
    "many": {f"region{index}": index for index in range(100_000)},
    "many inside": {"region": [*range(100_000)]},
    "no value": {"region": None},
    "empty": {"": ""},
    "hostile value": {"region": Hostile()},
    "text of its own class": {"region": Text("nort"), Text("x"): 1},
    "bytes": {"region": b"nort\xff"},
    "patterns": {"region": "(((((" * 1000, "(": "["},
}
# fmt: on
ERRORS = {
    "key": KeyError("nort"),
    "value": ValueError("region is wrong: 'nort'"),
    "range": ValueError("must be greater than zero"),
    "bug": TypeError("region"),
    "file": FileNotFoundError(2, "No such file", "/no/such/nort"),
    "words": RuntimeError("there is no region nort"),
}


@pytest.mark.parametrize("arguments", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("error", ERRORS.values(), ids=ERRORS)
def test_no_arguments_break_the_judgement(error, arguments, caplog):
    without = classify(error)
    fault = classify(error, Call(tool="get_region", arguments=arguments))
    assert not fault.retry.exceeds(without.retry)
    assert len(fault.message) < 10_000
    assert not caplog.records


@pytest.mark.parametrize("arguments", [HOSTILE[name] for name in HOSTILE if "key" not in name and name != "many"])
def test_no_arguments_break_the_judgement_of_a_tool_that_was_given_them(arguments):
    value = next(iter(arguments.values()))
    error = failure_of(tools.get_line, {"index": "x"})
    assert classify(error, call_of(tools.get_line, {"index": value})).retry in {Retry.FIX_INPUT, Retry.NEVER}


SCHEMAS = [
    {}, {"properties": None}, {"properties": []}, {"properties": {"region": None}}, {"properties": {"region": True}},
    {"properties": {"region": {"enum": "nort"}}}, {"properties": {"region": {"enum": {"nort": 1}}}}, {"properties": {7: {}}},
    {"properties": {"region": {"enum": [Hostile(), "nort"]}}}, [], "nort", None,
]  # fmt: skip


@pytest.mark.parametrize("schema", SCHEMAS, ids=range(len(SCHEMAS)))
@pytest.mark.parametrize("error", ERRORS.values(), ids=ERRORS)
def test_no_schema_breaks_the_judgement(error, schema, caplog):
    call = Call(tool="get_region", arguments={"region": "nort"}, schema=schema)
    assert not classify(error, call).retry.exceeds(classify(error).retry)
    assert not caplog.records


KNOWN = [
    {"tool": None}, {"tool": 7}, {"tool": ""}, {"annotations": 7}, {"annotations": Hostile()}, {"annotations": {"readOnlyHint": "yes"}},
    {"function": 7}, {"function": Hostile()}, {"function": len}, {"function": str.upper}, {"tools": None},
]  # fmt: skip


@pytest.mark.parametrize("known", KNOWN, ids=range(len(KNOWN)))
@pytest.mark.parametrize("error", ERRORS.values(), ids=ERRORS)
def test_nothing_in_a_call_breaks_the_judgement(error, known, caplog):
    call = Call(**{"tool": "get_region", "arguments": {"region": "nort"}, **known})
    assert not explain(error, call).fault.retry.exceeds(classify(error).retry)
    assert not caplog.records


@pytest.mark.parametrize("arguments", [[], {Hostile(): "nort"}], ids=["list", "hostile key"])
def test_arguments_that_cannot_be_listed_leave_a_fault_as_it_is_without_them(arguments):
    call = Call(tool="get_region", arguments=arguments)
    assert classify(RuntimeError("rate limit exceeded"), call).code is Code.RATE_LIMITED


def work_of(function, *arguments):
    """Count the calls of functions while one runs."""
    calls = 0

    def count(_frame, event, _argument):
        nonlocal calls
        calls += event in {"call", "c_call"}

    sys.setprofile(count)
    try:
        function(*arguments)
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize("make", [
    lambda size: {"region": "n" * size},
    lambda size: {"region": ["n" * 10] * (size // 10)},
    lambda size: {"region": flatten_problems(size // 1000)},
    lambda size: {"region": {str(index): index for index in range(size // 100)}},
], ids=["text", "list", "depth", "object"])  # fmt: skip
@pytest.mark.parametrize("error", ERRORS.values(), ids=ERRORS)
def test_larger_arguments_are_no_more_work_from_some_size_on(error, make):
    small, large = (Call(tool="get_region", arguments=make(size)) for size in (200_000, LARGE))
    classify(error, small)
    assert work_of(classify, error, large) <= 2 * work_of(classify, error, small)


# What a call tells of its arguments.


@given(st.dictionaries(texts, json_values, max_size=5))
def test_every_argument_is_a_leaf_with_its_name(arguments):
    leaves = list(Call(tool="a", arguments=arguments).leaves())
    assert {
        name: value for name, value in leaves if any(value is each for each in arguments.values())
    }.keys() >= arguments.keys()


def test_a_path_leads_to_its_value():
    arguments = {"order": {"lines": [{"sku": "a"}, {"sku": "b"}]}, "note": "c"}
    leaves = dict(Call(tool="a", arguments=arguments).leaves())
    assert leaves["order.lines.1.sku"] == "b"
    assert leaves["order"] is arguments["order"]
    assert list(leaves)[:3] == ["order", "order.lines", "order.lines.0"]


def test_the_longest_texts_come_first_so_that_none_is_left_in_pieces():
    call = Call(tool="a", arguments={"a": "rate limit", "b": "rate limit exceeded", "c": "rat", "d": ["  quota  "]})
    assert call.texts() == ("rate limit exceeded", "rate limit", "quota")


@given(st.dictionaries(texts, json_values, max_size=5), st.integers(0, 300))
def test_the_texts_and_leaves_are_so_many_at_most(arguments, more):
    arguments |= {f"more{index}": f"value {index}" for index in range(more)}
    call = Call(tool="a", arguments=arguments)
    assert len(call.texts()) <= 100
    assert sum(1 for _ in call.leaves()) <= 2_000


def test_a_schema_that_is_none_has_no_properties():
    assert [dict(Call(tool="a", schema=schema).properties()) for schema in ({}, [], None, {"properties": 7})] == [
        {}
    ] * 4
