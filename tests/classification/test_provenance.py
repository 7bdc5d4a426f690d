"""Where a value came from decides who is told to mend it: tools of small servers, at fault and not at fault."""

import pytest
from support import servers_at_fault as tools
from support.failing_calls import call_of, judged

from errata import Code, Retry
from errata.classification import classify

SHOP = tools.Shop()
ADA = "ada@example.org"

# fmt: off
AT_FAULT = [
    # Look-ups.
    (tools.get_region, {"region": "nort"}, Code.NOT_FOUND, "region"),
    (tools.get_size, {"size": "huge"}, Code.VALIDATION_FAILED, "size"),
    (tools.get_nested_city, {"order": {"customer": {"name": "Ada"}}}, Code.VALIDATION_FAILED, "order"),
    (tools.get_order, {"order_id": 5}, Code.NOT_FOUND, "order_id"),
    (tools.get_line, {"index": 7}, Code.VALIDATION_FAILED, "index"),
    (tools.get_metric, {"metric": "cosin"}, Code.NOT_FOUND, "metric"),
    (tools.run_report, {"period": "weekli"}, Code.NOT_FOUND, "period"),
    (tools.get_customer_name, {"order_id": 5}, Code.NOT_FOUND, "order_id"),
    (tools.find_order, {"status": "lost"}, Code.NOT_FOUND, "status"),
    (tools.load_plugin, {"plugin": "pdf"}, Code.NOT_FOUND, "plugin"),
    (tools.set_level, {"level": "medium"}, Code.NOT_FOUND, "level"),
    (tools.search_rows, {"where": "c", "limit": 3}, Code.NOT_FOUND, "where"),
    # Arithmetic and formats.
    (tools.split_bill, {"total": 5.0, "people": 0}, Code.VALIDATION_FAILED, "people"),
    (tools.parse_payload, {"payload": "{oops"}, Code.INVALID_FORMAT, "payload"),
    (tools.search_text, {"pattern": "(a", "text": "b"}, Code.INVALID_PARAMS, "pattern"),
    (tools.parse_day, {"day": "tomorrow"}, Code.VALIDATION_FAILED, "day"),
    (tools.convert_amounts, {"amounts": ["1", "two"]}, Code.VALIDATION_FAILED, "amounts"),
    (tools.convert_with_lambda, {"amounts": ["1", "two"]}, Code.VALIDATION_FAILED, "amounts"),
    (tools.convert_rates, {"currencies": ["EUR", "GBP"]}, Code.NOT_FOUND, "currencies"),
    (tools.encode_name, {"name": "Zo\u00eb"}, Code.INVALID_FORMAT, "name"),
    (tools.unpack_pair, {"pair": "ab"}, Code.VALIDATION_FAILED, "pair"),
    (tools.mean_of, {"values": []}, Code.VALIDATION_FAILED, "values"),
    (tools.repeat_text, {"text": "a", "times": 3}, Code.VALIDATION_FAILED, "text"),
    (tools.root, {"value": -1.0}, Code.VALIDATION_FAILED, "value"),
    # Layers.
    (tools.price_in, {"currency": "GBP", "amount": 1.0}, Code.NOT_FOUND, "currency"),
    (tools.price_all, {"amount": 1.0, "currencies": ["GBP"]}, Code.NOT_FOUND, "currencies"),
    (SHOP.price, {"item": "pear"}, Code.NOT_FOUND, "item"),
    (tools.quote, {"currency": "GBP"}, Code.NOT_FOUND, "currency"),
    (tools.open_window, {"start": 5, "end": 1}, Code.VALIDATION_FAILED, "start"),
    (tools.with_closure, {"currency": "GBP"}, Code.NOT_FOUND, "currency"),
    (tools.in_a_thread, {"currency": "GBP"}, Code.NOT_FOUND, "currency"),
    (tools.in_a_group, {"currency": "GBP"}, Code.NOT_FOUND, "currency"),
    (tools.decorated, {"currency": "GBP"}, Code.NOT_FOUND, "currency"),
    (tools.with_session, {"currency": "GBP"}, Code.NOT_FOUND, "currency"),
    (tools.from_generator, {"currencies": ["GBP"]}, Code.NOT_FOUND, "currencies"),
    (tools.with_star_args, {"numbers": [1, 0]}, Code.VALIDATION_FAILED, "numbers"),
    (tools.with_kwargs, {"options": {"fortnights": 1}}, Code.VALIDATION_FAILED, "options"),
    (tools.match_kind, {"kind": "cube"}, Code.VALIDATION_FAILED, "kind"),
    (tools.with_default, {"title": "a", "currency": "CHF"}, Code.NOT_FOUND, "currency"),
    # Checks.
    (tools.book_seats, {"seats": 11}, Code.VALIDATION_FAILED, "seats"),
    (tools.book_seats_early, {"seats": 11}, Code.VALIDATION_FAILED, "seats"),
    (tools.assert_positive, {"amount": 0}, Code.VALIDATION_FAILED, "amount"),
    (tools.cancel_order, {"order_id": 5}, Code.NOT_FOUND, "order_id"),
    (tools.reworded, {"region": "nort"}, Code.NOT_FOUND, "region"),
    # Files, programs, databases.
    (tools.read_note, {"name": "a.txt"}, Code.NOT_FOUND, "name"),
    (tools.read_path, {"path": "/no/such/file.txt"}, Code.NOT_FOUND, "path"),
    (tools.read_named_setting, {"setting": "ERRATA_NO_SUCH_SETTING"}, Code.NOT_FOUND, "setting"),
    (tools.run_query, {"sql": "SELEC 1"}, Code.VALIDATION_FAILED, "sql"),
    (tools.count_rows, {"table": "people"}, Code.VALIDATION_FAILED, "table"),
    (tools.add_person, {"email": ADA, "age": 3}, Code.CONFLICT, "email"),
    (tools.add_person, {"email": "b@example.org", "age": -3}, Code.VALIDATION_FAILED, "age"),
    (tools.add_note, {"person_id": 99, "body": "hello"}, Code.CONFLICT, "person_id"),
    (tools.get_person_name, {"email": "nobody@example.org"}, Code.NOT_FOUND, "email"),
    (tools.run_program, {"option": "--loud"}, Code.VALIDATION_FAILED, "option"),
    # An upstream.
    (tools.paint, {"colour": "mauve", "width": 3}, Code.INVALID_PARAMS, "colour"),
    (tools.get_user, {"user": "ada"}, Code.NOT_FOUND, "user"),
    (tools.create_account, {"email": ADA, "plan": "free"}, Code.CONFLICT, "email"),
    (tools.register, {"mail": "ada", "plan": "free"}, Code.VALIDATION_FAILED, "mail"),
    (tools.register_by_name, {"email": "ada", "plan": "free"}, Code.VALIDATION_FAILED, "email"),
    (tools.save_customer, {"customer": {"name": "Ada", "age": "old"}}, Code.VALIDATION_FAILED, "customer"),
]
NOT_AT_FAULT = [
    (tools.get_default_region, {"title": "west"}, Code.INTERNAL_ERROR),
    (tools.get_own_size, {"title": "medium"}, Code.INTERNAL_ERROR),
    (tools.get_own_nested, {"order_id": 17}, Code.INTERNAL_ERROR),
    (tools.get_own_line, {"title": "list index"}, Code.INTERNAL_ERROR),
    (tools.run_own_report, {"period": "monthly"}, Code.INTERNAL_ERROR),
    (tools.load_own_plugin, {"title": "own"}, Code.CONFIGURATION_ERROR),
    (tools.split_by_own, {"total": 0.0}, Code.INTERNAL_ERROR),
    (tools.parse_stored, {"title": "property name"}, Code.SERIALIZATION_ERROR),
    (tools.parse_file, {"name": "stored.json"}, Code.SERIALIZATION_ERROR),
    (tools.sum_of_own, {"title": "two"}, Code.INTERNAL_ERROR),
    (tools.unpack_own, {"title": "values"}, Code.INTERNAL_ERROR),
    (tools.add_own, {"text": "dict"}, Code.INTERNAL_ERROR),
    (tools.price_in_own, {"amount": 1.0}, Code.INTERNAL_ERROR),
    (SHOP.own_region, {"item": "pear"}, Code.INTERNAL_ERROR),
    (tools.with_own_closure, {"currency": "EUR"}, Code.INTERNAL_ERROR),
    (tools.in_a_thread_of_own, {"currency": "EUR"}, Code.INTERNAL_ERROR),
    (tools.in_a_group_of_own, {"title": "EUR"}, Code.INTERNAL_ERROR),
    (tools.decorated_with_own, {"currency": "EUR"}, Code.INTERNAL_ERROR),
    (tools.with_own_session, {"currency": "EUR"}, Code.INTERNAL_ERROR),
    (tools.from_own_generator, {"title": "EUR"}, Code.INTERNAL_ERROR),
    (tools.with_star_of_own, {"title": "0"}, Code.INTERNAL_ERROR),
    (tools.with_kwargs_of_own, {"title": "fortnights"}, Code.INTERNAL_ERROR),
    (tools.match_own_kind, {"title": "regions"}, Code.UNKNOWN_ERROR),
    (tools.with_default, {"title": "GBP"}, Code.INTERNAL_ERROR),
    (tools.check_own_state, {"title": "regions"}, Code.UNKNOWN_ERROR),
    (tools.assert_own, {"title": "west"}, Code.INTERNAL_ERROR),
    (tools.cancel_order, {"order_id": 17}, Code.BUSINESS_RULE_VIOLATION),
    (tools.read_own_note, {"title": "index.txt"}, Code.CONFIGURATION_ERROR),
    (tools.read_note_of_missing_folder, {"name": "notes"}, Code.CONFIGURATION_ERROR),
    (tools.read_setting, {"title": "ERRATA_NO_SUCH_SETTING"}, Code.CONFIGURATION_ERROR),
    (tools.run_own_query, {"email": "nickname@example.org"}, Code.DATABASE_ERROR),
    (tools.run_missing_program, {"title": "program"}, Code.CONFIGURATION_ERROR),
    (tools.search_broken, {"file": "database"}, Code.DATABASE_ERROR),
    (tools.get_own_resource, {"title": "status"}, Code.UPSTREAM_ERROR),
    (tools.read_with_wrong_key, {"email": "key"}, Code.UNAUTHORIZED),
    (tools.read_forbidden, {"email": ADA}, Code.FORBIDDEN),
]
# fmt: on


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The folder of the server's own files; one of them is broken."""
    (tmp_path / "stored.json").write_text("{oops")
    monkeypatch.setattr(tools, "FOLDER", tmp_path)
    monkeypatch.delenv("ERRATA_NO_SUCH_SETTING", raising=False)


def named(row):
    return row.__name__ if callable(row) else None


@pytest.mark.parametrize(("tool", "arguments", "code", "field"), AT_FAULT, ids=named)
def test_an_argument_at_fault_is_named_and_may_be_mended(tool, arguments, code, field):
    fault = judged(tool, arguments).fault
    assert (fault.code, fault.retry) == (code, Retry.FIX_INPUT)
    assert fault.field.split(".")[0] == field
    assert fault.issues
    assert fault.message != Code.INTERNAL_ERROR.sentence


@pytest.mark.parametrize(("tool", "arguments", "code"), NOT_AT_FAULT, ids=named)
def test_no_argument_is_blamed_for_what_the_server_did(tool, arguments, code):
    fault = judged(tool, arguments).fault
    assert (fault.code, fault.retry, fault.field, fault.issues) == (code, Retry.NEVER, None, ())


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        (tools.get_region, {"region": "nort"}, "There is no 'nort' here. Did you mean `north`?"),
        (tools.run_report, {"period": "weekli"}, "There is no 'weekli' here. Did you mean `weekly`?"),
        (tools.get_customer_name, {"order_id": 5}, "Nothing was found for `order_id`."),
        (tools.get_nested_city, {"order": {"customer": {}}}, "`order` has no 'address'."),
        (tools.split_bill, {"total": 1, "people": 0}, "The call leads to a division by zero: `people`."),
        (tools.reworded, {"region": "nort"}, "we do not deliver to nort"),
        (tools.load_own_plugin, {"title": "a"}, "The module `servers_plugins_own` is not installed on this server."),
        (tools.run_missing_program, {"title": "a"}, "`errata-no-such-program` is not installed on this server."),
        (tools.read_setting, {"title": "a"}, "The environment variable `ERRATA_NO_SUCH_SETTING` is not set on this server."),
    ],
    ids=named,
)  # fmt: skip
def test_what_python_says_to_a_programmer_is_said_as_a_sentence(tool, arguments, words):
    assert judged(tool, arguments).fault.message == words


def test_a_bug_in_words_of_the_author_is_said_in_them_and_blames_no_argument():
    fault = judged(tools.reworded_own, {"title": "map"}).fault
    assert (fault.message, fault.retry, fault.field) == ("our own map is incomplete", Retry.NEVER, None)


def test_the_values_of_an_enumeration_are_listed():
    assert judged(tools.get_size, {"size": "huge"}).fault.issues[0].expected == "one of small, large"


def test_two_arguments_that_do_not_fit_together_are_both_named():
    fault = judged(tools.repeat_text, {"text": "a", "times": 3}).fault
    assert {issue.field for issue in fault.issues} == {"text", "times"}


@pytest.mark.parametrize("value", ["low", "medium", "high"])
def test_a_value_that_the_schema_advertises_is_never_the_callers_mistake(value):
    schema = {"properties": {"level": {"enum": [value, "low", "high"]}}}
    if value == "medium":
        assert judged(tools.set_level, {"level": value}, schema=schema).fault.code is Code.INTERNAL_ERROR
    else:
        assert tools.set_level(value)


def test_a_default_that_was_not_sent_is_the_servers_own():
    assert judged(tools.with_default, {"title": "GBP"}).fault.field is None
    assert judged(tools.with_default, {"title": "a", "currency": "GBP"}).fault.field == "currency"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (tools.search_own_text, {"text": "hello"}),  # The pattern is the server's own.
        (tools.load_customer, {"title": "Ada"}),  # The age is the server's own.
        (tools.get_part_of_customer, {"order_id": 18}),  # The order is there; its customer is not.
    ],
    ids=named,
)
def test_an_argument_beside_what_failed_is_not_blamed(tool, arguments):
    assert judged(tool, arguments).fault.field is None


# Batches.


def test_a_batch_that_fails_halfway_is_to_be_looked_at_first():
    fault = judged(tools.create_accounts, {"emails": ["b@example.org", ADA]}).fault
    assert (fault.code, fault.retry, fault.field) == (Code.CONFLICT, Retry.VERIFY_FIRST, "emails")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (tools.create_accounts_in_layers, {"emails": ["b@example.org", ADA]}),
        (tools.delete_files, {"names": ["stored.json", "absent.json"]}),
        (tools.add_people, {"people": ["c@example.org", ADA]}),
    ],
    ids=named,
)
def test_a_batch_that_fails_halfway_is_to_be_looked_at_first_however_it_is_written(tool, arguments):
    tools.DATABASE.rollback()
    assert judged(tool, arguments).fault.retry is Retry.VERIFY_FIRST


def test_a_batch_that_fails_at_its_first_item_has_done_nothing():
    assert judged(tools.create_accounts, {"emails": [ADA, "b@example.org"]}).fault.retry is Retry.FIX_INPUT


def test_a_batch_of_a_tool_that_only_reads_may_be_mended():
    assert judged(tools.list_accounts, {"emails": ["b@example.org", ADA]}).fault.retry is Retry.FIX_INPUT


def test_a_batch_of_a_tool_that_says_it_is_idempotent_may_be_mended():
    arguments = {"emails": ["b@example.org", ADA]}
    fault = judged(tools.create_accounts, arguments, annotations={"idempotentHint": True}).fault
    assert fault.retry is Retry.FIX_INPUT


# The function that the call names.


def test_without_the_function_the_flow_is_found_all_the_same():
    try:
        tools.split_bill(total=5.0, people=0)
    except ZeroDivisionError as error:
        call = call_of(tools.split_bill, {"total": 5.0, "people": 0})
        fault = classify(
            error.with_traceback(error.__traceback__.tb_next), type(call)(tool=call.tool, arguments=call.arguments)
        )
    assert fault.field == "people"
