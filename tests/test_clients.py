"""What the clients show is measured by `make clients`; here is tested what needs no client."""

import json
import re
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest
from mcp import Client

import errata
from errata import dialects

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "what-your-client-shows.md").read_text(encoding="utf-8")
MODULES = ("frameworks", "probing", "run", "scenarios", "server", "tables")

NATIVE = """\
Error [NOT_FOUND]: There is no order 17
Recovery: Call `list_orders` first to see the orders that exist.
Retry: not with the same arguments.
Reference: 0f8c6f8e-3b1d-4c58-9a52-6d0c1f0f7a11"""
EVERYTHING = {"code", "message", "next_step", "retry"}


@pytest.fixture(scope="module")
def clients():
    """Give the modules of `clients`, which import each other as scripts do."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "clients")
        yield SimpleNamespace(**{name: import_module(name) for name in MODULES})
    for name in MODULES:
        del sys.modules[name]


@pytest.fixture(scope="module")
def declared(clients):
    return clients.scenarios.SCENARIOS["declared"].facts


@pytest.fixture
def findings(clients):
    """Give what would be found if every client showed the text of `native`, whatever was asked."""
    answer = {"content": NATIVE, "marked": True, "asked": True}
    every = dict.fromkeys([*clients.scenarios.SCENARIOS, *clients.scenarios.DIALECTS], answer)
    return {name: {"sdk": "", "errata": every, "bare": every} for name in clients.frameworks.FRAMEWORKS}


@pytest.fixture
def anyio_backend():
    return "asyncio"


def test_a_text_that_says_everything_tells_all_four_facts(clients, declared):
    assert clients.scenarios.find_known(NATIVE, declared) == EVERYTHING


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("NOT_FOUND", "code"),
        ("There is no order 17", "message"),
        ("Call `list_orders` first to see the orders that exist.", "next_step"),
        ("Retry: not with the same arguments.", "retry"),
    ],
)
def test_a_text_that_lacks_one_tells_the_other_three(clients, declared, said, fact):
    assert clients.scenarios.find_known(NATIVE.replace(said, ""), declared) == EVERYTHING - {fact}


def test_what_a_bare_server_says_tells_none(clients, declared):
    assert clients.scenarios.find_known("Error executing tool find_order", declared) == set()


@pytest.mark.parametrize("quoted", [json.dumps, repr, lambda text: json.dumps(json.dumps({"error": text}))])
def test_a_fact_is_found_however_it_is_quoted(clients, declared, quoted):
    assert clients.scenarios.find_known(quoted(NATIVE), declared) == EVERYTHING
    assert clients.scenarios.find_known([{"type": "text", "text": quoted(NATIVE)}], declared) == EVERYTHING


@pytest.mark.anyio
async def test_text_and_structured_content_of_the_server_each_tell_all_four(clients):
    server = clients.server.build()
    errata.install(server)
    async with Client(server) as client:
        for scenario in clients.scenarios.SCENARIOS.values():
            result = await client.call_tool(scenario.tool, scenario.arguments)
            assert clients.scenarios.find_known(result.content[0].text, scenario.facts) == EVERYTHING, scenario.title
            assert clients.scenarios.find_known(result.structured_content, scenario.facts) == EVERYTHING, scenario.title


@pytest.mark.parametrize("name", dialects.names())
def test_the_words_of_a_dialect_are_those_it_says(clients, name):
    fault = clients.server.OrderErrors.no_match("There is no order 17").fault
    facts = clients.scenarios.DIALECTS[name]
    wire = dialects.get(name).encode(fault)

    assert clients.scenarios.find_known(wire, facts) == clients.scenarios.list_stated(facts)
    if not facts.next_step:
        assert fault.recovery.hint not in json.dumps(wire)
    if not facts.retry:
        assert not re.search("retr(y|iable)", json.dumps(wire).lower())


def test_every_framework_has_its_probe_and_every_probe_its_framework(clients):
    probes = {framework.probe or name for name, framework in clients.frameworks.FRAMEWORKS.items()}

    assert probes == {path.stem for path in (ROOT / "clients" / "probes").iterdir() if path.suffix in {".py", ".mjs"}}


def test_every_framework_is_on_the_page_in_the_version_it_is_pinned_to(clients):
    rows = {row.split(" | ")[0].removeprefix("| "): row for row in PAGE.splitlines() if "`" in row}
    for framework in clients.frameworks.FRAMEWORKS.values():
        assert PAGE.count(f"\n| {framework.title} | ") == 2, "write the page anew with: python clients/run.py --write"
        for package in framework.requirements.split():
            assert f"`{package}`" in rows[framework.title] or package.startswith("node-")


def test_every_pin_is_a_version(clients):
    for framework in clients.frameworks.FRAMEWORKS.values():
        assert all(re.search(r".(==|@)\d", package) for package in framework.requirements.split()), framework


def test_the_page_has_the_tables_that_are_written(clients, findings):
    written = clients.run.rewrite(PAGE, findings)
    headings = re.findall(r"^(?:#.*|\| (?:\||dialect).*)$", written, re.MULTILINE)

    assert headings == re.findall(r"^(?:#.*|\| (?:\||dialect).*)$", PAGE, re.MULTILINE)
    assert written.partition(clients.run.BEGIN)[0] == PAGE.partition(clients.run.BEGIN)[0]
    assert written.partition(clients.run.END)[2] == PAGE.partition(clients.run.END)[2]


def test_a_fact_that_does_not_arrive_is_complained_about(clients):
    answer = {"content": NATIVE.replace("Retry: not", "Then"), "marked": True, "asked": True}
    finding = {"strands": {"errata": dict.fromkeys(clients.scenarios.SCENARIOS, answer)}}

    assert "Strands Agents: of a declared failure, the model does not read retry." in clients.run.complain(finding)


def test_a_client_may_refuse_arguments_by_itself_and_nothing_else(clients):
    answer = {"content": "No.", "marked": True, "asked": False}
    finding = {"errata": dict.fromkeys(clients.scenarios.SCENARIOS, answer)}
    complaints = [*clients.run.complain({"strands": finding})]

    assert "Strands Agents: for a crash, the server was not asked." in complaints
    assert not [text for text in complaints if "argument" in text]
    assert set(clients.tables.cells(finding)) == {"not asked", "no"}


def test_a_client_whose_run_ends_is_complained_about_though_it_never_asked(clients):
    answer = {"raised": "TypeError: it takes no such thing", "asked": False}
    finding = {"errata": dict.fromkeys(clients.scenarios.SCENARIOS, answer)}

    assert list(clients.run.complain({"strands": finding}))
    assert next(clients.tables.cells(finding)) == "the run ends"


def test_a_client_that_is_known_to_withhold_is_complained_about_when_it_stops(clients, findings):
    withheld = {"content": "Error: Function failed.", "marked": True, "asked": True}
    silent = {"agent_framework": {"errata": dict.fromkeys(clients.scenarios.SCENARIOS, withheld)}}

    assert not list(clients.run.complain(silent))
    assert any("reads everything, though" in text for text in clients.run.complain(findings))


def test_a_client_that_did_not_run_is_a_row_with_the_reason(clients):
    *_, row = clients.tables.matrix({"strands": {"reason": "`npm` is not installed"}})

    assert row.startswith("| Strands Agents | not run: `npm` is not installed | ")


def test_a_reason_names_no_place_of_this_machine(clients):
    log = "Traceback\nERROR: none of https://index.example/simple/ and /home/me/wheels has mcp==9\n\n"

    assert clients.probing.last_words(log) == "ERROR: none of … and … has mcp==9"


@pytest.mark.parametrize(
    ("log", "reason"),
    [
        ("npm error code E404\nnpm error 404 Not Found\nnpm error A log is in: /home/me/log", "npm error code E404"),
        (
            "Error: Cannot find package 'zod'\n    at main (index.js)\n\nNode.js v22.23.3",
            "Error: Cannot find package 'zod'",
        ),
        ("Traceback\nImportError: no x\n\nTraceback\nValueError: no y\n", "ValueError: no y"),
        ("Killed", "Killed"),
        ("", "it said nothing"),
    ],
)
def test_a_reason_is_the_line_that_says_why(clients, log, reason):
    assert clients.probing.last_words(log) == reason


def test_of_many_the_fewer_are_named(clients):
    assert clients.tables.who(["a"], ["a", "b", "c"]) == "1 of 3: a"
    assert clients.tables.who(["a", "b"], ["a", "b", "c"]) == "2 of 3: all but c"
    assert clients.tables.who(["a"], ["a"]) == "1 of 1"
