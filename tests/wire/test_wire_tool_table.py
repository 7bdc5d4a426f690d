"""What is known of a server's tools from the lists that passed by, and what is not known any more."""

import functools

import pytest
from hypothesis import given, strategies as st
from support.strategies import json_objects, json_values

from errata.wire import ToolTable, _tool_table

names = st.sampled_from("abcdef")
pages = st.lists(st.lists(names, max_size=4), min_size=1, max_size=5)


def page(tools, next_cursor=None, **members):
    return {
        "tools": [{"name": name} for name in tools],
        **({"nextCursor": next_cursor} if next_cursor else {}),
        **members,
    }


def note_all(table, listed, *, without=None):
    for number, tools in enumerate(listed):
        if number != without:
            params = {"cursor": f"c{number}"} if number else {}
            table.note_page(params, page(tools, f"c{number + 1}" if number + 1 < len(listed) else None))


@pytest.fixture
def clock(monkeypatch):
    """A time that passes when it is told to."""
    now = [1_000.0]
    monkeypatch.setattr(_tool_table.time, "monotonic", lambda: now[0])
    return now


@given(pages)
def test_all_pages_in_their_order_are_the_whole_list(listed):
    table = ToolTable()
    note_all(table, listed)

    assert table.names == {name for tools in listed for name in tools}
    assert table.entries().keys() == table.names


@given(pages.filter(lambda listed: len(listed) > 1), st.data())
def test_a_list_of_which_a_page_has_not_passed_is_not_whole(listed, data):
    missing = data.draw(st.integers(0, len(listed) - 1))
    table = ToolTable()
    note_all(table, listed, without=missing)

    assert table.names is None
    assert table.entries() is None
    seen = {name for number, tools in enumerate(listed) if number != missing for name in tools}
    assert all(table.get(name) == {"name": name} for name in seen)


@given(pages, pages)
def test_a_list_that_comes_again_takes_the_place_of_the_old_one(before, after):
    table = ToolTable()
    note_all(table, before)
    note_all(table, after)

    assert table.names == {name for tools in after for name in tools}


@given(pages, st.data())
def test_after_a_change_was_announced_no_list_is_good_until_the_next_one(listed, data):
    table = ToolTable()
    note_all(table, listed[: data.draw(st.integers(1, len(listed)))])
    table.mark_changed()
    assert not table.is_current
    assert table.names is None
    note_all(table, listed)
    assert table.is_current
    assert table.names is not None


def test_a_change_that_is_announced_between_two_pages_counts():
    table = ToolTable()
    table.note_page({}, page("a", "more"))
    table.mark_changed()
    table.note_page({"cursor": "more"}, page("b"))

    assert table.names is None
    assert table.get("a") == {"name": "a"}


def test_a_list_is_good_for_as_long_as_its_first_page_to_expire(clock):
    table = ToolTable()
    table.note_page({}, page("a", "more", ttlMs=1_000))
    table.note_page({"cursor": "more"}, page("b", ttlMs=60_000))
    assert table.names == {"a", "b"}

    clock[0] += 1.0
    assert table.names is None
    assert table.get("a") == {"name": "a"}
    table.note_page({}, page("a"))
    clock[0] += 1e9
    assert table.names == {"a"}


@pytest.mark.parametrize("ttl_ms", [None, "1000", True, -1, float("nan"), float("inf"), 10**4000, [0]])
def test_a_time_to_live_that_is_none_is_not_heeded(ttl_ms, clock):
    table = ToolTable()
    table.note_page({}, page("a", ttlMs=ttl_ms))
    clock[0] += 1e9

    assert table.names == {"a"}


def test_a_list_that_is_not_to_be_kept_is_not():
    table = ToolTable()
    table.note_page({}, page("a", ttlMs=0))

    assert table.names is None


def test_of_too_many_tools_the_last_ones_are_known_and_no_list_is_whole(monkeypatch):
    monkeypatch.setattr(_tool_table, "_MOST_TOOLS", 3)
    table = ToolTable()
    table.note_page({}, page("abcde"))
    assert table.names is None
    assert [name for name in "abcde" if table.get(name)] == ["c", "d", "e"]

    table.note_page({}, page("xyz"))  # Those of an old list make room for others.
    assert table.names == set("xyz")
    assert table.get("e") is None


def test_pages_without_end_cost_no_memory_without_end(monkeypatch):
    monkeypatch.setattr(_tool_table, "_MOST_TOOLS", 3)
    table = ToolTable()
    table.note_page({}, page("a", "0"))
    for number in range(100):
        table.note_page({"cursor": str(number)}, page([f"tool {number}"], str(number + 1)))

    assert len(table._entries) == 3
    assert len(table._page) == 4


def test_cursors_that_are_no_text_follow_no_page():
    def nest(depth):
        return functools.reduce(lambda inner, _: [inner], range(depth), "core")

    table = ToolTable()
    table.note_page({}, {"tools": [], "nextCursor": nest(900)})
    table.note_page({"cursor": nest(900)}, page("a"))

    assert table.names is None


@given(st.lists(st.tuples(json_objects, json_objects), max_size=4), json_values)
def test_no_list_is_too_strange(hostile, cursor):
    table = ToolTable()
    for params, result in hostile:
        table.note_page(params, result)
        table.note_page({"cursor": cursor}, {"tools": [params, None, {"name": cursor}], **result})
    assert table.get(None) is None
    assert table.names is None or table.names <= table._entries.keys()


def test_whoever_reads_the_entries_is_not_disturbed_by_a_page_that_comes_meanwhile():
    table = ToolTable()
    table.note_page({}, page("abc"))
    reading = iter(table._entries)
    assert next(reading) == "a"
    table.note_page({}, page("dab"))

    assert list(reading) == ["b", "c"]
    assert table.entries().keys() == {"d", "a", "b"}


@pytest.mark.parametrize("tools", [None, {}, "a", 5])
def test_an_answer_without_a_list_changes_nothing(tools):
    table = ToolTable()
    table.note_page({}, page("a"))
    table.note_page({}, {"tools": tools})

    assert table.names == {"a"}


def test_the_last_entry_of_a_name_counts():
    table = ToolTable()
    table.note_page({}, {"tools": [{"name": "a", "v": 1}, {"name": "a", "v": 2}, {"name": 5}, "b"]})

    assert table.get("a") == {"name": "a", "v": 2}
    assert table.names == {"a"}
