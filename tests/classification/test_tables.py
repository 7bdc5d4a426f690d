"""The tables as a whole."""

from collections import defaultdict

import pytest

from errata import Code
from errata.classification._answer import Answer, Otherwise
from errata.classification._tables import FAMILIES, Registry


def test_no_class_stands_in_two_tables():
    homes = defaultdict(list)
    for family, table in FAMILIES.items():
        for name in table:
            homes[name].append(family)
    assert not {name: families for name, families in homes.items() if len(families) > 1}


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
        assert isinstance(rule, Code | Answer) or rule.__doc__, name
