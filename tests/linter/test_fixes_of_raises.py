"""What `--fix` makes of what is raised, and what it leaves to a person."""

import ast
from contextlib import nullcontext

import pytest

from errata.linter import Settings, lint_source
from errata.linter._fixes import fix_text

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
    after, _ = fix_text(source, findings)
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


_INNER = """    try:
        return read(order_id)
    except OSError{named}:
        {inner}
        raise RuntimeError("No order.")
"""


@pytest.mark.parametrize("named", ["", " as error", " as e"])
@pytest.mark.parametrize(
    "inner",
    [
        "try:\n            close()\n        except ValueError as {name}:\n            pass",
        "try:\n            close()\n        except ValueError:\n            pass",
        "try:\n            close()\n        except* ValueError as {name}:\n            pass",
        "import logging as {name}",
        "from logging import {name}",
        "def {name}(): pass",
        "class {name}: pass",
        "match order_id:\n            case [{name}, *_]:\n                pass",
        "match order_id:\n            case [*{name}]:\n                pass",
        "match order_id:\n            case {{'a': 1, **{name}}}:\n                pass",
        "del {name}",
        "for {name} in (1, 2):\n            pass",
        "with opened() as {name}:\n            pass",
        "print({name} := 1)",
        "try:\n            close()\n        except ValueError:\n            raise KeyError('a')",
    ],
)
def test_a_cause_is_named_only_where_the_name_still_stands_for_it(named, inner):
    name = named.removeprefix(" as ") or "error"
    source = _SERVER + _INNER.format(named=named, inner=inner.format(name=name))
    before, _ = _raised(source)
    while [finding for finding in _uncaused(source) if finding.edits]:
        source, _ = fix_text(source, _uncaused(source))
    after, cause = _raised(source)

    assert after is before
    assert cause is None or isinstance(cause, OSError | ValueError)


def _uncaused(source):
    return lint_source(source, settings=Settings(select=("preserve-cause-on-rethrow",)))


def _raised(source):
    """Run the tool on a failing `read` and a failing `close`; tell the class of what it raises, and its cause."""
    scope = {"read": _fails(OSError), "close": _fails(ValueError), "opened": nullcontext}
    exec(source[source.index("def get_order") :], scope)  # noqa: S102 - our own source.
    with pytest.raises(Exception) as raised:  # noqa: PT011 - which one it is, is the question.
        scope["get_order"]("1", 2, 3)
    return raised.type, raised.value.__cause__


def _fails(kind):
    def fail(*_):
        raise kind("no")

    return fail
