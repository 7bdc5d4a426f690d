"""The tables as a whole."""

from collections import defaultdict
from pathlib import Path

import pytest

from errata import Code, Retry, classify
from errata.classification._exception_rules import Classification, Otherwise
from errata.classification._families import FAMILIES, _rows
from errata.classification._registry import REGISTRY, Registry


def test_no_class_stands_in_two_tables():
    homes = defaultdict(list)
    for family, table in FAMILIES.items():
        for name in table:
            homes[name].append(family)
    assert not {name: families for name, families in homes.items() if len(families) > 1}


def names_of(text):
    rows = (line.partition(" = ")[0] for line in text.splitlines() if " = " in line and not line.startswith("#"))
    return [name for row in rows for name in (_rows._expand(row) if row.startswith("{") else [row])]


def test_every_plain_row_is_in_force_and_stands_in_one_file_only():
    texts = {path.stem: path.read_text("utf-8") for path in Path(_rows.__file__).parent.glob("*.txt")}
    names = [name for text in texts.values() for name in names_of(text)]
    assert len(names) == len(set(names)) > 2_000
    for family in texts:
        for name, rule in _rows.read_rows(family).items():
            assert REGISTRY.rule_for(name) is rule, f"{name} is a row of {family}.txt and of a module"


@pytest.mark.parametrize(
    ("outcome", "rule"),
    [
        ("RATE_LIMITED", Code.RATE_LIMITED),
        ("CONFLICT same_call", Classification(Code.CONFLICT, Retry.SAME_CALL)),
        ("NOT_FOUND 404", Classification(Code.NOT_FOUND, http_status=404)),
        ("UPSTREAM_ERROR otherwise", Otherwise(Code.UPSTREAM_ERROR)),
        ("VALIDATION_FAILED withheld", Classification(Code.VALIDATION_FAILED, text="")),
        ('UNAUTHORIZED never "Say it."', Classification(Code.UNAUTHORIZED, Retry.NEVER, text="Say it.")),
        ("BUG", Classification(Code.INTERNAL_ERROR, text="")),
    ],
)
def test_a_plain_row_says_code_verdict_and_text(outcome, rule):
    assert _rows._read_outcome(outcome) == rule


@pytest.mark.parametrize("outcome", ["", "RATE_LIMITD", "TIMEOUT sometimes", 'TIMEOUT "open', "same_call"])
def test_a_plain_row_with_a_slip_is_refused(outcome):
    with pytest.raises(ValueError, match=r"code|verdict|mark"):
        _rows._read_outcome(outcome)


def test_a_class_that_moved_inside_its_package_is_still_found():
    registry = Registry({"lib.errors.Slow": Code.TIMEOUT})
    assert registry.rule_for("lib._impl.Slow") is Code.TIMEOUT
    assert registry.rule_for("other.errors.Slow") is None


def test_where_two_classes_of_a_package_share_a_name_only_the_whole_one_tells():
    registry = Registry({"lib.a.Error": Code.TIMEOUT, "lib.b.Error": Code.GONE})
    assert registry.rule_for("lib.a.Error") is Code.TIMEOUT
    assert registry.rule_for("lib.b.Error") is Code.GONE
    assert registry.rule_for("lib.c.Error") is None


@pytest.mark.parametrize("family", FAMILIES)
def test_every_row_says_something(family):
    for name, row in FAMILIES[family].items():
        rule = row.rule if isinstance(row, Otherwise) else row
        assert "." in name
        assert isinstance(rule, Code | Classification) or rule.__doc__, name


def driver_class(name, *bases):
    return type(name, bases, {"__module__": "nobodys_driver.exc"})


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("OperationalError", "no such column: b", Code.DATABASE_ERROR),
        ("OperationalError", "connection refused", Code.NETWORK_ERROR),
        ("IntegrityError", "UNIQUE constraint failed", Code.CONFLICT),
        ("IntegrityError", "column may not be null", Code.VALIDATION_FAILED),
        ("ProgrammingError", "user not found in row", Code.DATABASE_ERROR),
        ("NotSupportedError", "no arrays", Code.NOT_IMPLEMENTED),
    ],
)
def test_a_driver_nobody_tabled_means_what_pep_249_says(name, text, code):
    base = driver_class("Error", Exception)
    error = driver_class(name, driver_class("DatabaseError", base))
    assert classify(error(text)).code is code


def test_a_name_of_pep_249_outside_a_driver_is_only_a_name():
    assert classify(driver_class("ProgrammingError", Exception)("user not found")).code is Code.NOT_FOUND
