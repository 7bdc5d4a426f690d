"""The linter on servers that others wrote and published: it reads them all, finds their handlers, and survives them."""

import os
import runpy
from pathlib import Path

import pytest

from errata.linter import Report, Settings, lint

ROOT = Path(__file__).resolve().parents[1]
SERVERS, FEWEST_SERVERS = 26, 20
FEWEST_HANDLERS = 300
# These have none in Python, or make them of data that only a running server has.
WITHOUT_HANDLERS = {"mcp-server-apache-airflow"}


@pytest.fixture(scope="module")
def servers() -> dict[str, Path]:
    """Fetch them; one that was taken from the index, or is fetched by another process meanwhile, costs no other."""
    script = runpy.run_path(str(ROOT / "scripts" / "wild_servers.py"))
    into = ROOT / ".wild" / "dev"
    some = dict(list(script["DEV"].items())[:SERVERS])
    failed = list(script["fetch_group"](script["choose_index_url"](), some, into))
    homes = {name: into / f"{name}-{version}" for name, version in some.items()}
    fetched = {name: home for name, home in homes.items() if home.exists()}
    if len(fetched) < FEWEST_SERVERS:
        reason = f"published servers could NOT BE FETCHED, so the linter was not tried on them: {failed[:3]}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return fetched


@pytest.fixture(scope="module")
def reports(servers: dict[str, Path]) -> dict[str, Report]:
    return {name: lint([home], Settings(exclude=("tests", "examples"), root=home)) for name, home in servers.items()}


def test_handlers_are_found_in_every_published_server(reports):
    assert {name for name, report in reports.items() if not report.handlers} <= WITHOUT_HANDLERS
    assert sum(report.handlers for report in reports.values()) >= FEWEST_HANDLERS


def test_no_published_server_is_too_much_for_a_rule(reports):
    unjudged = [
        (finding.path, finding.message)
        for report in reports.values()
        for finding in report.findings
        if finding.rule == "unreadable-file" and "cannot be read by Python" not in finding.message
    ]

    assert not unjudged


def test_most_published_servers_have_something_to_mend(reports):
    rules = {finding.rule for report in reports.values() for finding in report.findings}

    assert {"fake-empty-data", "leaked-exception-text", "error-as-result", "preserve-cause-on-rethrow"} <= rules
    assert sum(bool(report.findings) for report in reports.values()) > len(reports) / 2
