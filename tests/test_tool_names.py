"""Names of tools: in advice, where some are not there, and in lists, where one shows what another did not find."""

import pytest
from hypothesis import given, strategies as st

from errata.tools import (
    collect_fields,
    find_listing_tool,
    find_missing_tools,
    find_near_tools,
    find_verifying_tool,
    has_effect,
)
from errata.tools._names import find_mentions

TOOLS = {"list_orders", "get_order", "search_articles", "pay"}


def missing(advice, tools=TOOLS, others=()):
    return [each.name for each in find_missing_tools(advice, tools, others)]


@pytest.mark.parametrize(
    ("advice", "names"),
    [
        ("Call list_ordrs to see which exist.", ["list_ordrs"]),
        ("Call `search` first.", ["search"]),
        ("Use list_bills or get_bill to look.", ["list_bills", "get_bill"]),
        ("Call `list_orders`, `list_bills` or `find_bill`, then call again.", ["list_bills", "find_bill"]),
        ("Try pubmed_search_articles to discover valid PMIDs first.", ["pubmed_search_articles"]),
        ("`get_payment` tells whether it happened.", ["get_payment"]),
        ("Check with the get_payment tool whether it happened.", ["get_payment"]),
        ("Use the tool `refund`.", ["refund"]),
        ("Ask the `refund` tool.", ["refund"]),
        ("Call `get_bill(number)` first.", ["get_bill"]),
        ("Call searchArticles with a term.", ["searchArticles"]),
        ("Wait, then call search-orders.", ["search-orders"]),
        ("Call list_bills, then call list_bills again.", ["list_bills"]),
    ],
)
def test_a_tool_that_is_not_there_is_noticed(advice, names):
    assert missing(advice) == names


@pytest.mark.parametrize(
    "advice",
    [
        "Call list_orders or `get_order` first.",
        "Call again with `order_id` from list_orders.",
        "Call it with `max_items` set to 10, and `page_size` of at most 100.",
        "Set `search_term` to something else and call again.",
        "Use `asc` or `desc`.",
        "Call customer-service, or the check-in desk.",
        "Use OpenSearch with JavaScript, via OAuth2 and client_credentials with read_only scope.",
        "Run `pip install x` and try again.",
        "Use ISO-8601 dates with a time-zone, such as 2024-01-01.",
        "The API call rate_limit was hit; wait 30 seconds.",
        "Provide a non-empty mathematical expression to evaluate.",
        "Call `pay` once you know the amount.",
        "Wait 30 seconds and retry, or reduce batch size.",
        "",
    ],
)
def test_a_word_that_is_no_name_of_a_tool_is_left_alone(advice):
    assert missing(advice) == []


def test_a_parameter_is_no_tool_even_if_it_is_called_like_one():
    assert missing("Use `search_fields` of the index.") == ["search_fields"]
    assert missing("Use `search_fields` of the index.", others={"search_fields"}) == []


def test_a_tool_of_a_server_behind_this_one_is_there():
    assert missing("Call list_orders first.", {"shop_list_orders"}) == []
    assert missing("Call list_orders first.", {"shoplist_orders"}) == ["list_orders"]


def test_the_nearest_tools_are_named():
    (found,) = find_missing_tools("Call list_ordrs first.", TOOLS)

    assert str(found) == (
        "names the tool `list_ordrs`, which the server does not list. Did you mean `list_orders` or `get_order`?"
    )


@given(
    st.lists(st.sampled_from(["call", "use", "`", "the", "tool", "get_bill", "x", ",", "or", ".", "-"])).map(" ".join)
)
def test_an_advice_never_misses_the_tools_that_are_there(advice):
    assert missing(advice, {each.name for each in find_mentions(advice)}) == []


@given(st.text())
def test_any_text_is_read(advice):
    for name in missing(advice):
        assert name in advice


@pytest.mark.parametrize("letter", ["`", "a", "_", "a_", "-", "call ", "`a`", "(", "a.b/"])
def test_a_long_text_takes_no_longer_than_its_beginning(letter):
    assert len([*find_mentions(letter * 10**6)]) < 4_000


def test_fields_are_found_however_deep():
    schema = {
        "properties": {"order": {"anyOf": [{"$ref": "#/$defs/Order"}, {"type": "null"}]}},
        "$defs": {"Order": {"properties": {"line_items": {"items": {"properties": {"sku": {}}}}}}},
    }

    assert collect_fields(schema, {}, None) == {"order", "line_items", "sku"}


def test_a_schema_in_a_circle_has_an_end():
    schema = {"properties": {"a": {}}}
    schema["properties"]["a"] = schema

    assert collect_fields(schema) == {"a"}


def needs(*required, optional=()):
    return {"properties": {name: {} for name in (*required, *optional)}, "required": list(required)}


@pytest.mark.parametrize(
    ("tool", "field", "others", "expected"),
    [
        ("get_order", "order_id", ["list_orders", "search_customers"], "list_orders"),
        ("pay_order", "order_id", ["list_orders", "list_payments"], "list_orders"),
        ("getOrder", "orderId", ["listOrders"], "listOrders"),
        ("get-order", "order", ["list-orders", "list-order-lines"], "list-orders"),
        ("read_note", "name", ["list_notes"], "list_notes"),
        ("orders_get", "id", ["orders_list"], "orders_list"),
        ("get_order_details_by_id", "id", ["list_all_orders"], "list_all_orders"),
        ("get_pull_request", "pull_number", ["list_pull_requests", "list_issues"], "list_pull_requests"),
        ("merge", "pull_request_id", ["list_pull_requests", "list_requests"], "list_pull_requests"),
        ("get_order_line", "order_id", ["list_orders", "list_order_lines"], "list_orders"),
        ("fetch_articles", "pmids", ["search_articles"], "search_articles"),
        ("get_category", "category_id", ["list_categories"], "list_categories"),
        ("read_box", "box_id", ["list_boxes"], "list_boxes"),
        ("describe_table", "table", ["list_tables"], "list_tables"),
        ("create_order", "order.lines.0.product_id", ["list_orders", "list_products"], "list_products"),
        ("add_comment", "issue_id", ["list_comments", "list_issues"], "list_issues"),
        ("shop_get_order", "order_id", ["shop_list_orders", "crm_list_orders"], "shop_list_orders"),
        ("get_order", "order_id", ["list_orders", "search_orders"], "list_orders"),
        ("add_comment", "issue_id", ["list_comments"], None),
        ("get_forecast", "city", ["list_forecasts"], None),
        ("get_order", "order_id", ["search_orders", "find_orders"], None),
        ("get_order", "order_id", ["a_list_orders", "b_list_orders"], None),
        ("get_order", "order_id", ["list_open_orders", "delete_orders", "get_orders"], None),
        ("track", "number", ["list_parcels"], None),
        ("list_orders", "order_id", [], None),
    ],
)
def test_the_tool_that_shows_what_there_is(tool, field, others, expected):
    tools = {tool: needs(field.partition(".")[0])} | dict.fromkeys(others, needs())

    assert find_listing_tool(tool, field, tools) == expected


def test_a_list_that_needs_what_is_wrong_is_of_no_use():
    tools = {"get_order": needs("order_id"), "list_orders": needs("order_id"), "search_orders": needs("words")}

    assert find_listing_tool("get_order", "order_id", tools) == "search_orders"


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (needs("order_id"), "list_orders"),
        (needs("order_id", optional=["with_lines"]), "list_orders"),
        (needs(optional=["order_id"]), "list_orders"),
        (needs("order_id", "warehouse_id"), None),
        (needs(), None),
        ({"required": [7], "properties": 7}, None),
        ({}, None),
    ],
)
def test_without_a_field_the_only_argument_is_meant(schema, expected):
    assert find_listing_tool("get_order", None, {"get_order": schema, "list_orders": needs()}) == expected


NAMES = st.lists(
    st.sampled_from(["list", "search", "get", "order", "orders", "note", "by", "id", "all", "shop", "x"]), max_size=4
).map("_".join)


@given(NAMES, st.none() | NAMES | st.text(), st.dictionaries(NAMES | st.text(), st.builds(needs, NAMES) | st.just({})))
def test_the_tool_is_one_of_the_others_and_can_be_called_without_the_argument(tool, field, tools):
    found = find_listing_tool(tool, field, tools)

    assert found is None or (found in tools and found != tool)
    if found and field:
        assert field.partition(".")[0] not in tools[found].get("required", [])


READERS = {
    "get_order": ["order_id"],
    "list_orders": [],
    "search_orders": ["query"],
    "list_payments": ["customer"],
    "read_file": ["path"],
    "get_booking": ["booking_id"],
    "find_berths": ["harbor"],
    "get_settings": [],
    "shop_list_issues": ["repo"],
    "forum_list_issues": [],
    "visual_status": ["visual_id"],
}


@pytest.mark.parametrize(
    ("tool", "given", "found"),
    [
        ("create_order", ["lines"], "list_orders"),
        ("createOrder", [], "list_orders"),
        ("order_create", [], "list_orders"),
        ("place_order", [], "list_orders"),
        ("update_order", ["order_id", "lines"], "get_order"),
        ("delete_order", ["id"], "get_order"),
        ("cancel_order", ["order_id"], "get_order"),
        ("cancel_orders", ["customer"], "list_orders"),
        ("write_file", ["path", "text"], "read_file"),
        ("create_or_update_file", ["path"], "read_file"),
        ("update_settings", ["theme"], "get_settings"),
        ("pay", ["cents"], "list_payments"),
        ("pay_order", ["order_id"], "list_payments"),
        ("shop_create_issue", ["repo"], "shop_list_issues"),
        ("shop_update_issue", ["repo"], "shop_list_issues"),
    ],
)
def test_a_deed_is_seen_on_what_it_was_done_to(tool, given, found):
    assert find_verifying_tool(tool, given, READERS) == found


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("book_berth", ["harbor"]),  # A booking, and those of others are not listed.
        ("create_visual", ["text"]),  # Nobody knows its number yet.
        ("create_issue", ["repo"]),  # Of which service?
        ("write_file", ["name"]),
        ("refund_order", ["order_id"]),
        ("send_order", ["order_id"]),
        ("process_order", ["order_id"]),
        ("add_item_to_order", ["order_id"]),
        ("run_report", []),
        ("list_orders", []),
        ("wipe", []),
        ("", []),
    ],
)
def test_where_it_would_not_be_seen_for_certain_no_tool_is_proposed(tool, given):
    assert find_verifying_tool(tool, given, READERS) is None


def test_the_name_of_a_service_is_no_thing():
    charts = {"helm_list": [], "helm_repo_list": [], "helm_status": ["release"]}
    assert find_verifying_tool("helm_create", ["name"], charts) is None
    assert find_verifying_tool("helm_repo_add", ["url"], charts) == "helm_repo_list"


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("getOrder", ["get_order"]),
        ("get-orders", ["get_order"]),
        ("orders_list", ["list_orders"]),
        ("fetch_order", ["get_order", "search_orders", "list_orders"]),
        ("xyzzy", []),
        ("", []),
    ],
)
def test_the_nearest_names_are_those_in_the_same_words_or_else_in_similar_letters(name, near):
    assert find_near_tools(name, READERS) == near


def test_whoever_wanted_to_read_is_shown_no_tool_that_changes_something():
    names = ["delete_user", "kill_user", "user", "list_users"]

    assert find_near_tools("list_user", names, has_effect) == ["list_users"]
    assert find_near_tools("list_user", names[:3], has_effect) == ["user"]
    assert "delete_user" in find_near_tools("delet_user", names, has_effect)
    assert "delete_user" in find_near_tools("list_user", names[:3])


class Endless:
    """A list that is longer than anybody wants to read."""

    def __init__(self):
        self.read = 0

    def __iter__(self):
        while True:
            self.read += 1
            yield f"tool_{self.read}"


def test_no_list_is_compared_to_its_end():
    for find in (lambda names: find_near_tools("tool", names), lambda names: find_near_tools("x" * 10**6, names)):
        names = Endless()
        find(names)
        assert names.read <= 1_001


@given(st.text(), st.lists(st.text()), st.dictionaries(st.text(), st.lists(st.text())))
def test_whatever_tools_are_called_one_of_the_others_is_found_or_none(tool, given_names, readers):
    found = find_verifying_tool(tool, given_names, readers)
    assert found is None or (found in readers and found != tool)
    assert {*find_near_tools(tool, readers)} <= readers.keys()
