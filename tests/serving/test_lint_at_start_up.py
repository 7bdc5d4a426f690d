"""`install(server, lint=True)`: what will fail badly is in the log as the server starts."""

import importlib
import logging
import sys

import pytest

_SERVER = """
import errata
from {sdk} import {kind} as Server

from {name}_service import count

server = Server("orders")


@server.tool()
def count_orders(customer: str) -> int:
    return count(customer)


def start(**settings):
    return errata.install(server, **settings)
"""
_SERVICE = """
def count(customer):
    try:
        return len(open(customer).read())
    except:
        raise RuntimeError(customer)
"""


@pytest.fixture(params=[("mcp.server.mcpserver", "MCPServer"), ("fastmcp", "FastMCP")], ids=lambda sdk: sdk[1])
def orders(request, tmp_path, monkeypatch):
    sdk, kind = request.param
    name = f"orders_on_{kind.lower()}"
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / f"{name}.py").write_text(_SERVER.format(sdk=sdk, kind=kind, name=name), encoding="utf-8")
    (tmp_path / f"{name}_service.py").write_text(_SERVICE, encoding="utf-8")
    yield importlib.import_module(name)
    for module in (name, f"{name}_service"):
        sys.modules.pop(module, None)


def _rules(caplog):
    return {record.errata["rule"]: record for record in caplog.records if "rule" in getattr(record, "errata", {})}


def test_what_a_service_of_the_server_does_is_logged_as_a_warning(orders, caplog):
    with orders.start(lint=True):
        record = _rules(caplog)["bare-except"]

    assert record.levelno == logging.WARNING
    assert "_service.py:5: bare-except: " in record.getMessage()


def test_nobody_is_told_anything_unless_they_ask(orders, caplog):
    with orders.start():
        assert not _rules(caplog)


def test_the_settings_of_the_project_count(orders, caplog, tmp_path):
    (tmp_path / "pyproject.toml").write_text('[tool.errata.lint]\nignore = ["bare-except"]\n', encoding="utf-8")

    with orders.start(lint=True):
        assert "bare-except" not in _rules(caplog)


def test_broken_settings_are_told_and_do_not_keep_a_server_from_starting(orders, caplog, tmp_path):
    (tmp_path / "pyproject.toml").write_text('[tool.errata.lint]\nignore = ["bare-exept"]\n', encoding="utf-8")

    with orders.start(lint=True):
        assert "did you mean" in caplog.text
        assert "bare-except" in _rules(caplog)


def test_a_server_that_was_typed_in_has_no_file_to_look_at(caplog):
    typed = {"__name__": "__typed__"}
    exec("from fastmcp import FastMCP\nimport errata\ninstalled = errata.install(FastMCP('x'), lint=True)", typed)  # noqa: S102 - as a person types it.

    typed["installed"].uninstall()
    assert "the linter found no file to begin with" in caplog.text


def test_lint_is_a_flag(orders):
    with pytest.raises(TypeError, match="Pass True or False"):
        orders.start(lint="yes")
