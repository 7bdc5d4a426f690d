"""What `--fix` makes of what is raised, and what it leaves to a person."""

import ast

import pytest

from errata.linter import Settings, lint_source
from errata.linter._fixing import mended

_SERVER = """\
from mcp.server.fastmcp import FastMCP

mcp = FastMCP("orders")


@mcp.tool()
def get_order(order_id: str, limit: int, timeout: int) -> str:
"""


def fixed(rule, imported, body):
    source = f"{imported}\n{_SERVER}{body}"
    findings = lint_source(source, settings=Settings(select=(rule,)))
    assert findings
    after, _ = mended(source, findings)
    ast.parse(after)
    first, _, rest = after.partition("\n")
    return first, rest.removeprefix(_SERVER)


@pytest.mark.parametrize(
    ("imported", "body", "after"),
    [
        (
            "from errata import Code, FaultError",
            "    raise FaultError(Code.CONFLICT, 'Taken.')",
            ("from errata import Code, FaultError, conflict", "    raise conflict('Taken.')"),
        ),
        (
            "from errata import Code, FaultError, not_found",
            "    raise FaultError(Code.CONFLICT)",
            ("from errata import Code, FaultError, conflict, not_found", "    raise conflict()"),
        ),
        (
            "from errata import Code, FaultError, conflict",
            "    raise FaultError(\n        Code.CONFLICT,\n        'Taken.',\n    )",
            ("from errata import Code, FaultError, conflict", "    raise conflict(\n        'Taken.',\n    )"),
        ),
        (
            "import errata",
            "    raise errata.FaultError('CONFLICT', data={})",
            ("import errata", "    raise errata.conflict(data={})"),
        ),
    ],
)
def test_a_factory_takes_the_place_of_the_constructor(imported, body, after):
    assert fixed("prefer-error-factory", imported, body) == after


@pytest.mark.parametrize(
    ("imported", "body"),
    [
        ("from errata import Code, FaultError", "    raise FaultError(Code.TIMEOUT, 'Late.')"),
        ("from errata import Code, FaultError", "    raise FaultError(message='Taken.', code=Code.CONFLICT)"),
        ("from errata import Code, FaultError", "    raise FaultError(Code.CONFLICT,  # why\n        'Taken.')"),
        ("from errata import Code, FaultError", "    raise FaultError(Code.CONFLICT, ('Ta' 'ken.'))"),
        ("from errata import (Code,\n    FaultError)", "    raise FaultError(Code.CONFLICT, 'Taken.')"),
        (
            "from errata import *; from errata import FaultError, Code",
            "    raise FaultError(*[Code.CONFLICT], code='CONFLICT')",
        ),
    ],
    ids=["name taken", "code not first", "comment", "brackets", "import of several lines", "spread"],
)
def test_a_constructor_is_left_where_more_than_the_call_would_change(imported, body):
    source = f"{imported}\n{_SERVER}{body}"

    findings = lint_source(source, settings=Settings(select=("prefer-error-factory",)))

    assert [finding.edits for finding in findings] == [()]


@pytest.mark.parametrize(
    ("clause", "raised", "after"),
    [
        ("except OSError as e:", "raise ValueError('x')", ("except OSError as e:", "raise ValueError('x') from e")),
        ("except OSError:", "raise ValueError", ("except OSError as error:", "raise ValueError from error")),
        (
            "except (OSError, KeyError) :",
            "raise (ValueError('x'))",
            ("except (OSError, KeyError) as error :", "raise (ValueError('x')) from error"),
        ),
        (
            "except OSError:",
            "error = 1; raise ValueError(error)",
            ("except OSError as caught:", "error = 1; raise ValueError(error) from caught"),
        ),
        ("except (OSError):", "raise ValueError('x')", ("except (OSError):", "raise ValueError('x')")),
        ("except:", "raise ValueError('x')", ("except:", "raise ValueError('x')")),
    ],
)
def test_what_was_caught_is_named_as_the_cause(clause, raised, after):
    body = "    try:\n        return shop.find(order_id)\n    {}\n        {}"

    assert fixed("preserve-cause-on-rethrow", "", body.format(clause, raised))[1] == body.format(*after)


def test_two_errors_of_one_clause_share_its_name():
    body = "    try:\n        shop.open()\n    except OSError{}:\n        if limit:\n            raise ValueError(1){}\n        raise ValueError(2){}"

    after = fixed("preserve-cause-on-rethrow", "", body.format("", "", ""))[1]

    assert after == body.format(" as error", " from error", " from error")


@pytest.mark.parametrize(
    ("test", "raised", "after"),
    [
        ("limit > 9", "invalid_params('x')", "invalid_params('x', field=\"limit\")"),
        ("limit > 9", "invalid_params('x', {},)", "invalid_params('x', {}, field=\"limit\",)"),
        ("not order_id.strip()", "invalid_params('x')", "invalid_params('x', field=\"order_id\")"),
        ("limit > 9", "invalid_params()", "invalid_params()"),
        ("limit > 9", "invalid_params(('x'))", "invalid_params(('x'))"),
    ],
)
def test_the_argument_that_was_tested_becomes_the_field(test, raised, after):
    body = "    if {}:\n        raise {}"

    made = fixed("validation-without-field", "from errata import invalid_params", body.format(test, raised))[1]

    assert made == body.format(test, after)
