"""What the name of a tool, and the method of the request that failed, say about doing it twice."""

import pytest
from hypothesis import given, strategies as st

from errata.tools import does_more_each_time, find_verb, has_effect, only_reads, presume, read_harmless

METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PATCH", "PUT", "DELETE", None)
ONLY_READS = (
    "get_order", "getOrder", "get-order", "GetOrder", "list_orders", "list_posts", "read_book", "fetch_mail",
    "find_place", "search", "count_comments", "describe_schedule", "lookup_user", "show_update", "whoami",
)  # fmt: skip
MAY_CHANGE = (
    "get_or_create", "getOrCreate", "find_and_delete", "read_and_reply", "get_and_set", "list_remove",
    "fetch_or_order", "check_and_update", "create_issue", "send_mail", "book_table", "delete_order", "set_price",
)  # fmt: skip
DOES_NOT_SAY = (
    "query", "check_order", "execute_query", "orders_list", "shop_list_orders", "order_status", "weather", "handle",
    "validate_input", "export_report", "download_visual", "", "_", "17", "été",
)  # fmt: skip
NAMES = (*ONLY_READS, *MAY_CHANGE, *DOES_NOT_SAY)


@pytest.mark.parametrize("tool", ONLY_READS)
def test_a_tool_named_for_reading_only_reads(tool):
    assert only_reads(tool)


@pytest.mark.parametrize("tool", [*MAY_CHANGE, *DOES_NOT_SAY])
def test_no_other_tool_is_said_to_only_read(tool):
    assert not only_reads(tool)


POST, PATCH, GET, HEAD = (f"The request was a {method}" for method in ("POST", "PATCH", "GET", "HEAD"))
READS, CHANGES = "By its name, `{}` only reads", "By its name, `{}` changes something"
UNKNOWN = (None, None)
# fmt: off
PRESUMED = [
    # The name does not say: the method does.
    ("handle",           "GET",     UNKNOWN),  # It may have sent other requests before.
    ("check_order",      "GET",     (True, GET)),
    ("check_order",      "HEAD",    (True, HEAD)),
    ("handle",           "POST",    (False, POST)),
    ("handle",           "PATCH",   (False, PATCH)),
    ("handle",           "PUT",     UNKNOWN),
    ("handle",           "DELETE",  UNKNOWN),
    ("handle",           None,      UNKNOWN),
    ("handle",           "get",     UNKNOWN),  # A method is given in capitals.
    # It changes something: a GET says only how far it came.
    ("book_table",       "GET",     (False, CHANGES)),
    ("book_table",       "POST",    (False, POST)),
    ("book_table",       "PUT",     (False, CHANGES)),
    ("book_table",       None,      (False, CHANGES)),
    ("create_issue",     "GET",     (False, CHANGES)),
    ("send_mail",        None,      (False, CHANGES)),
    # It reads: a POST may be a search, and is not held against it.
    ("list_orders",      "GET",     (True, GET)),
    ("list_orders",      "POST",    UNKNOWN),
    ("list_orders",      "DELETE",  (True, READS)),
    ("list_orders",      None,      (True, READS)),
    # Names that say two things, or too little.
    ("get_or_create",    None,      (False, CHANGES)),
    ("get_or_create",    "POST",    (False, POST)),
    ("check_and_update", None,      (False, CHANGES)),
    ("check_and_update", "POST",    (False, POST)),
    ("query",            None,      UNKNOWN),
    ("query",            "POST",    (False, POST)),
    ("query",            "GET",     (True, GET)),
    ("orders_list",      None,      UNKNOWN),
    ("orders_list",      "GET",     (True, GET)),
    ("orders_list",      "POST",    (False, POST)),
]
# fmt: on


@pytest.mark.parametrize(("tool", "method", "expected"), PRESUMED)
def test_a_tool_is_presumed_by_the_method_and_the_verb(tool, method, expected):
    harmless, why = expected

    assert presume(tool, method) == (harmless, why and why.format(tool))


@pytest.mark.parametrize("method", METHODS)
def test_a_request_with_a_key_may_be_repeated_unless_the_tool_changes_something(method):
    assert presume("handle", method, is_keyed=True) == (True, "The request had an idempotency key")
    assert presume("find_table", method, is_keyed=True).harmless is True
    assert presume("book_table", method, is_keyed=True).harmless is False


@given(
    st.sampled_from(NAMES) | st.text(max_size=40),
    st.sampled_from(METHODS) | st.none() | st.text(max_size=8),
    st.booleans(),
)
def test_whatever_is_presumed_says_what_by(tool, method, is_keyed):
    harmless, why = presume(tool, method, is_keyed=is_keyed)

    assert (harmless is None) is (why is None)


@given(st.sampled_from(NAMES) | st.text(max_size=40), st.sampled_from(["POST", "PATCH"]))
def test_an_unsafe_request_without_a_key_is_never_presumed_harmless(tool, method):
    assert presume(tool, method).harmless is not True


@pytest.mark.parametrize("tool", ["check_and_update", "find_and_delete", "read_and_reply"])
def test_a_safe_request_of_a_tool_that_also_changes_something_is_not_presumed_harmless(tool):
    assert presume(tool, "GET").harmless is not True


READ_ONLY = {"readOnlyHint": True}


@pytest.mark.parametrize("tool", ["email_search", "trade_history", "swap_quote", "checkout_status", "order_list"])
def test_a_noun_before_something_to_read_is_no_deed(tool):
    assert find_verb(tool) is None
    assert has_effect(tool) is None
    assert presume(tool, "POST").harmless is False


@pytest.mark.parametrize(
    "tool",
    ["email_user", "trade", "update_status", "set_price", "charge_and_search", "shop_set_price", "order_update_price"],
)
def test_a_deed_is_one_whatever_it_is_done_to(tool):
    assert has_effect(tool) is True


def test_a_default_beside_read_only_is_taken_neither_for_yes_nor_for_no():
    both = READ_ONLY | {"destructiveHint": True}
    assert read_harmless(READ_ONLY) is True
    assert read_harmless(both) is None
    assert [has_effect(tool, both) for tool in ("pay", "list_orders", "handle")] == [True, False, None]
    assert [has_effect(tool, READ_ONLY) for tool in ("pay", "list_orders", "handle")] == [False, False, False]


ONCE_MORE = (
    "debit_account", "topup_wallet", "donate_money", "payout_vendor", "repay_loan", "mint_token", "trade_stock", "bid_on_item",
    "sms_customer", "tweet", "retweet", "email_user", "make_payment", "new_invoice", "push_notification", "ship_order",
    "wire_money", "move_money", "spend_points", "increment_counter", "toggle_light", "create_issue", "refund_charge",
)  # fmt: skip
ONCE = (
    "update_order", "set_price", "save_document", "upsert_row", "delete_issue", "move_file", "void_invoice", "cancel_payment",
    "rename_file", "merge_request", "deploy_app", "get_order", "trade_history", "email_search", "frobnicate",
)  # fmt: skip


@pytest.mark.parametrize("tool", ONCE_MORE)
def test_some_deeds_are_done_once_more_each_time(tool):
    assert does_more_each_time(tool)
    assert has_effect(tool)


@pytest.mark.parametrize("tool", ONCE)
def test_other_deeds_may_come_to_the_same(tool):
    assert not does_more_each_time(tool)
