"""Which tools a project has is known, or it is known that nobody can know."""

import pytest

from errata.linter import lint, lint_source

SERVER = """
from errata import Code, Contract, Failure, raises
from fastmcp import FastMCP

mcp = FastMCP("orders")


class OrderErrors(Contract):
    gone = Failure(Code.GONE, when="The order is gone", recovery="Call list_bills to see what is left.")


@mcp.tool
@raises(OrderErrors)
def get_order(number: int) -> str:
    raise OrderErrors.gone()
"""
RULE = "error-contract-unknown-tool"


def accused(findings):
    return RULE in {finding.rule for finding in findings}


def test_a_server_in_one_source_has_the_tools_that_are_seen():
    assert accused(lint_source(SERVER))


@pytest.mark.parametrize(
    "more",
    [
        '@mcp.tool(name=PREFIX + "x")\ndef other() -> str: ...',
        "@mcp.tool(NAME)\ndef other() -> str: ...",
        "@mcp.tool(**OPTIONS)\ndef other() -> str: ...",
        "mcp.add_tool(make_tool())",
        "mcp.add_tool(elsewhere.tool)",
        "for tool in load():\n    mcp.tool(tool)",
        "mcp.mount(other)",
        'mcp.mount(other, prefix="x")',
        'proxy = FastMCP.as_proxy("http://127.0.0.1:9/mcp")',
        "api = FastMCP.from_openapi(spec, client)",
        "@server.list_tools()\nasync def tools(): ...",
        "def tool(function):\n    return mcp.tool(function)\n\n\n@tool\ndef list_all() -> str: ...",
        "more = FastMCP('more', tools=gathered())",
    ],
)
def test_where_tools_may_come_from_elsewhere_nobody_is_accused(more):
    assert not accused(lint_source(f"{SERVER}\n\n{more}\n"))


@pytest.mark.parametrize(
    "more",
    [
        "@mcp.tool\ndef list_bills() -> str: ...",
        '@mcp.tool(name="list_bills")\ndef other() -> str: ...',
        "def list_bills() -> str: ...\n\n\nmcp.add_tool(Tool.from_function(list_bills))",
        "def list_bills() -> str: ...\n\n\nmcp.add_tool(list_bills)",
        "def list_bills() -> str: ...\n\n\nmore = FastMCP('more', tools=[list_bills])",
    ],
)
def test_a_tool_is_known_however_it_is_registered(more):
    source = SERVER.replace("import FastMCP", "import FastMCP\nfrom fastmcp.tools import Tool")

    assert not accused(lint_source(f"{source}\n\n{more}\n"))


def test_an_app_that_mounts_the_server_adds_no_tools():
    assert accused(lint_source(f'{SERVER}\napp.mount("/mcp", mcp.http_app())\n'))


def test_a_contract_alone_is_not_compared_with_anything():
    assert not accused(lint_source(SERVER.partition("@mcp.tool")[0]))


def test_a_file_beside_the_server_that_was_not_read_may_have_the_tool(tmp_path):
    server, more = tmp_path / "server.py", tmp_path / "more.py"
    server.write_text(SERVER)
    assert accused(lint([server]).findings)

    more.write_text("x = 1")
    assert not accused(lint([server]).findings)
    assert accused(lint([tmp_path]).findings)
    assert accused(lint([server, more]).findings)

    more.write_text("from server import mcp\n\n\n@mcp.tool\ndef list_bills() -> str: ...\n")
    assert not accused(lint([tmp_path]).findings)


def test_tests_beside_the_server_have_no_tools_for_it(tmp_path):
    (tmp_path / "server.py").write_text(SERVER)
    (tmp_path / "test_server.py").touch()
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "helpers.py").touch()

    assert accused(lint([tmp_path / "server.py"]).findings)


def test_a_file_that_cannot_be_read_may_have_the_tool(tmp_path):
    (tmp_path / "server.py").write_text(SERVER)
    (tmp_path / "more.py").write_text("def (")

    assert not accused(lint([tmp_path]).findings)
