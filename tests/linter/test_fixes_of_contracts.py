"""What `--fix` makes of a declared code that is raised past its contract, and what it leaves to a person."""

import ast

import pytest

from errata.linter import Settings, lint_source
from errata.linter._fixes import fix_source

SERVER = """from errata import Code, Contract, Failure, FaultError, not_found, conflict, raises
from mcp.server.mcpserver import MCPServer

server = MCPServer("orders")


class OrderErrors(Contract):
    no_match = Failure(Code.NOT_FOUND, when="No such order", recovery="Call list_orders to see valid numbers.")
    changed = Failure(Code.CONFLICT, when="It was changed", recovery="Read the order again and repeat it.")
    taken = Failure(Code.CONFLICT, when="It is taken", recovery="Choose another number and call again.")


def find(number: int) -> None:
    raise not_found("From a service")


@server.tool()
@raises(OrderErrors)
def get_order(number: int) -> None:
    find(number)
"""


def fixed(body):
    """Fix a body of the tool, and give it back with the number of findings there were."""
    source = f"{SERVER}    {body}\n"
    findings = lint_source(source, settings=Settings(select=("error-contract-prefer-fail",)))
    after = fix_source(source, findings).after.decode()
    ast.parse(after)
    assert after.startswith(SERVER)
    return after.removeprefix(SERVER).strip(), len(findings) - 1  # One stands in the service.


@pytest.mark.parametrize(
    ("body", "after"),
    [
        ("raise not_found('No order')", "raise OrderErrors.no_match('No order')"),
        ("raise not_found('No', {'n': 1}, cause=None)", "raise OrderErrors.no_match('No', {'n': 1}, cause=None)"),
        ("raise FaultError(Code.NOT_FOUND)", "raise OrderErrors.no_match()"),
        ("raise FaultError(Code.NOT_FOUND, 'No')", "raise OrderErrors.no_match('No')"),
        ("raise FaultError('NOT_FOUND', data={})", "raise OrderErrors.no_match(data={})"),
        ("error = not_found('Ä')\n    raise error", "error = OrderErrors.no_match('Ä')\n    raise error"),
    ],
)
def test_the_declared_failure_takes_the_place_of_its_code(body, after):
    assert fixed(body) == (after, 1)


@pytest.mark.parametrize(
    "body",
    [
        "raise conflict('Two failures have this code')",
        "raise not_found('It has a reason', {'reason': 'no_match'})",
        "raise FaultError(code=Code.NOT_FOUND, message='No')",
        "raise FaultError(  # A comment would be lost.\n        Code.NOT_FOUND,\n        'No',\n    )",
    ],
)
def test_what_is_not_mechanical_is_left_to_a_person(body):
    assert fixed(body) == (body, 1)
