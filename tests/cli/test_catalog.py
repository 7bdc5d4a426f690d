"""`errata catalog`: the failures of a server, on one page."""

import json
import subprocess
import sys
import textwrap

import pytest

from errata import Code, dialects
from errata.cli import main
from errata.dialects._json_rpc import BASELINE

CONTRACT = """
import errata
from errata import Code, Contract, Failure, raises


class FetchErrors(Contract):
    no_match = Failure(
        Code.NOT_FOUND,
        when="No requested PMID | returned data",
        recovery="Search for articles first to find one.",
    )
    queue_full = Failure(
        Code.RATE_LIMITED,
        retry_after_ms=30_000,
        when="The queue\\nis full",
        recovery="Wait 30 seconds and try it again.",
    )
"""
OFFERS = """

def offer(server):
    @server.tool()
    def ping() -> str:
        return "pong"

    @server.tool()
    @raises(FetchErrors)
    async def fetch(pmid: str) -> str:
        return pmid

    @server.resource("articles://all")
    @raises(FetchErrors)
    def articles() -> str:
        return ""

    @server.resource("articles://{pmid}{?page}")
    @raises(FetchErrors)
    def article(pmid: str, page: int = 1) -> str:
        return pmid

    @server.prompt()
    @raises(FetchErrors)
    def review(pmid: str) -> str:
        return pmid

    return server

"""
OFFICIAL = f"""
from mcp.server.mcpserver import MCPServer
{CONTRACT}{OFFERS}
print("I am imported.")
server = offer(MCPServer("pubmed"))
"""
FAST = f"""
from fastmcp import FastMCP
{CONTRACT}{OFFERS}
server = offer(FastMCP("pubmed"))
"""
MOUNTED = f"""
from fastmcp import FastMCP
{CONTRACT}{OFFERS}
inner = offer(FastMCP("inner"))
middle = FastMCP("middle")
middle.mount(inner, "deep")
server = FastMCP("pubmed")
server.mount(middle, "far")
"""
LOW = f"""
import mcp_types as types
from mcp.server.lowlevel import Server
{CONTRACT}

async def tools(_, params):
    names = ["fetch"] if params is None or params.cursor is None else ["ping"]
    listed = [types.Tool(name=name, input_schema={{"type": "object"}}) for name in names]
    return types.ListToolsResult(tools=listed, next_cursor="more" if names == ["fetch"] else None)


server = Server("pubmed", on_list_tools=tools)
errata.install(server, contracts={{"fetch": FetchErrors}})
"""


@pytest.fixture
def catalog(tmp_path, monkeypatch, capsys):
    """Write files, then ask for the catalogue; what is imported for it is forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def catalog(*arguments, **files):
        for name, source in files.items():
            (tmp_path / f"{name}.py").write_text(textwrap.dedent(source))
        try:
            code = main(["catalog", *arguments])
        except SystemExit as stop:
            code = stop.code
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    yield catalog
    for name in ("shop", "package", "package.shop", "package.contract"):
        sys.modules.pop(name, None)


def record(catalog, source, *options):
    status, out, _ = catalog("shop", "--json", *options, shop=source)
    assert status == 0
    return json.loads(out)


def test_a_page_for_people(catalog):
    status, out, err = catalog("shop:server", shop=OFFICIAL)

    assert (status, err) == (0, "I am imported.\n")
    assert out == textwrap.dedent("""\
        # pubmed

        What this server offers, and how it can fail. errata is not installed in it.

        ## Tools

        ### fetch

        | reason | code | retry | when | recovery |
        |---|---|---|---|---|
        | no_match | NOT_FOUND | not with the same arguments | No requested PMID \\| returned data | Search for articles first to find one. |
        | queue_full | RATE_LIMITED | yes, the same call, after 30 s | The queue is full | Wait 30 seconds and try it again. |

        Nothing is declared by:

        - ping

        ## Resources

        ### articles://all

        | reason | code | retry | when | recovery |
        |---|---|---|---|---|
        | no_match | NOT_FOUND | not with the same arguments | No requested PMID \\| returned data | Search for articles first to find one. |
        | queue_full | RATE_LIMITED | yes, the same call, after 30 s | The queue is full | Wait 30 seconds and try it again. |

        ## Resource templates

        ### articles://{pmid}{?page}

        | reason | code | retry | when | recovery |
        |---|---|---|---|---|
        | no_match | NOT_FOUND | not with the same arguments | No requested PMID \\| returned data | Search for articles first to find one. |
        | queue_full | RATE_LIMITED | yes, the same call, after 30 s | The queue is full | Wait 30 seconds and try it again. |

        ## Prompts

        ### review

        | reason | code | retry | when | recovery |
        |---|---|---|---|---|
        | no_match | NOT_FOUND | not with the same arguments | No requested PMID \\| returned data | Search for articles first to find one. |
        | queue_full | RATE_LIMITED | yes, the same call, after 30 s | The queue is full | Wait 30 seconds and try it again. |

        ## What any tool may fail with

        VALIDATION_FAILED, TIMEOUT, CANCELLED, NETWORK_ERROR, UPSTREAM_ERROR, SERVICE_UNAVAILABLE, CIRCUIT_OPEN, SERIALIZATION_ERROR, INTERNAL_ERROR: whether it declares them or not. Arguments that do not fit are INVALID_PARAMS, MISSING_REQUIRED_FIELD or INVALID_FORMAT, before the tool runs.
        """)


def test_an_object_for_programs(catalog):
    found = record(catalog, OFFICIAL)

    assert found["tools"] == [
        {
            "name": "fetch",
            "dialect": None,
            "failures": [
                {
                    "reason": "no_match",
                    "code": "NOT_FOUND",
                    "when": "No requested PMID | returned data",
                    "recovery": "Search for articles first to find one.",
                    "retryable": False,
                    "word": None,
                },
                {
                    "reason": "queue_full",
                    "code": "RATE_LIMITED",
                    "when": "The queue\nis full",
                    "recovery": "Wait 30 seconds and try it again.",
                    "retryable": True,
                    "retryAfterMs": 30_000,
                    "word": None,
                },
            ],
        },
        {"name": "ping", "dialect": None, "failures": []},
    ]
    assert found["undeclared"] == ["ping"]
    assert set(found["baseline"]) == BASELINE
    assert (found["server"], found["installed"]) == ("pubmed", False)


def test_advice_that_names_no_tool_is_shown_and_fails(catalog):
    source = OFFICIAL.replace("Search for articles first", "Call `fetsh` or search_articles first")
    status, out, _ = catalog("shop", shop=source)
    machine, record, _ = catalog("shop", "--json")

    assert (status, machine) == (1, 1)
    assert (
        textwrap.dedent("""
        ## Advice that cannot be taken

        - Reason `no_match` of resource `articles://all` names the tool `fetsh`, which the server does not list. Did you mean `fetch`?
        - Reason `no_match` of resource `articles://all` names the tool `search_articles`, which the server does not list.
        """)
        in out
    )
    assert json.loads(record)["missingTools"][2:4] == [
        {
            "kind": "resource",
            "name": "articles://{pmid}{?page}",
            "reason": "no_match",
            "tool": "fetsh",
            "nearest": ["fetch"],
        },
        {
            "kind": "resource",
            "name": "articles://{pmid}{?page}",
            "reason": "no_match",
            "tool": "search_articles",
            "nearest": [],
        },
    ]


def test_a_breaker_that_sends_callers_to_no_tool_is_shown(catalog):
    breaker = (
        'from errata.resilience import Breaker\nerrata.install(server, breaker=Breaker("ncbi", fallback_tool="pin"))\n'
    )
    status, out, _ = catalog("shop", shop=OFFICIAL + breaker)

    assert status == 1
    assert "- The breaker `ncbi` names the tool `pin`, which the server does not list. Did you mean `ping`?" in out


def declared(found):
    return {
        f"{key} {entry['name']}": [failure["reason"] for failure in entry["failures"]]
        for key in ("tools", "resources", "resourceTemplates", "prompts")
        for entry in found[key]
    }


@pytest.mark.parametrize("install", ["", "errata.install(server)\n"])
@pytest.mark.parametrize("source", [OFFICIAL, FAST])
def test_all_that_a_server_offers_is_listed_with_errata_and_without(catalog, source, install):
    both = ["no_match", "queue_full"]

    assert declared(record(catalog, source + install)) == {
        "tools fetch": both,
        "tools ping": [],
        "resources articles://all": both,
        "resourceTemplates articles://{pmid}{?page}": both,
        "prompts review": both,
    }


@pytest.mark.parametrize("install", ["", "errata.install(server)\n", "errata.install(inner)\n"])
def test_a_mounted_server_is_part_of_it(catalog, install):
    both = ["no_match", "queue_full"]

    assert declared(record(catalog, MOUNTED + install)) == {
        "tools far_deep_fetch": both,
        "tools far_deep_ping": [],
        "resources articles://far/deep/all": both,
        "resourceTemplates articles://far/deep/{pmid}{?page}": both,
        "prompts far_deep_review": both,
    }


def test_a_server_behind_a_proxy_says_what_it_published(catalog):
    proxied = MOUNTED + "from fastmcp.server import create_proxy\nerrata.install(inner)\nserver = create_proxy(inner)\n"

    status, out, _ = catalog("shop:server", "--json", shop=proxied)

    assert status == 0
    assert declared(json.loads(out))["tools fetch"] == ["no_match", "queue_full"]


def test_a_low_level_server_is_asked_for_all_its_pages(catalog):
    found = record(catalog, LOW)

    assert declared(found) == {"tools fetch": ["no_match", "queue_full"], "tools ping": []}
    assert found["tools"][0]["dialect"] == "native"


def test_the_words_are_those_the_server_speaks(catalog):
    found = record(catalog, OFFICIAL + 'errata.install(server, dialect="json-rpc", per_tool={"ping": "taxonomy"})\n')

    assert [tool["dialect"] for tool in found["tools"]] == ["json-rpc", "taxonomy"]
    assert [failure["word"] for failure in found["tools"][0]["failures"]] == [-32001, -32003]
    assert found["prompts"][0]["dialect"] == "JSON-RPC error"
    assert [failure["word"] for failure in found["prompts"][0]["failures"]] == [-32602, -32603]


@pytest.mark.parametrize("name", dialects.names())
def test_the_words_of_another_dialect_are_shown_on_demand(catalog, name):
    status, out, _ = catalog("shop", "--dialect", name, shop=OFFICIAL + "errata.install(server)\n")
    word = dialects.get(name).vocabulary.words[Code.RATE_LIMITED]

    assert status == 0
    assert (f"| RATE_LIMITED | {word}" in out) is (name != "native")
    assert "| code | JSON-RPC error | retry |" in out


def test_the_same_server_gives_the_same_page(catalog):
    assert catalog("shop", shop=FAST)[1] == catalog("shop")[1]


@pytest.mark.parametrize(
    ("source", "attribute"),
    [
        (OFFICIAL.replace("server = offer", "anything = offer"), ""),
        (OFFICIAL + "mcp = MCPServer('pubmed')\nother = server = offer(mcp)\n", ""),
        (OFFICIAL + "zero = MCPServer('other')\n", ""),
        (OFFICIAL + "class Settings:\n    server = server\n", ":Settings.server"),
    ],
)
def test_the_server_is_found(catalog, source, attribute):
    status, out, _ = catalog(f"shop{attribute}", shop=source)

    assert status == 0
    assert out.startswith("# pubmed\n")


def test_a_file_is_imported_as_a_part_of_its_package(catalog, tmp_path):
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").touch()
    (tmp_path / "package" / "contract.py").write_text(CONTRACT)
    (tmp_path / "package" / "shop.py").write_text(
        OFFICIAL.replace(CONTRACT, "from errata import raises\nfrom .contract import FetchErrors\n")
    )

    assert catalog("package/shop.py")[0] == 0
    assert catalog(f"{tmp_path}/package/shop.py:server")[0] == 0
    assert catalog("package.shop:server")[0] == 0


@pytest.mark.parametrize(
    ("target", "source", "what", "advice"),
    [
        ("shp", "", "there is no module `shp`", "run it where the module can be imported"),
        ("shop.py", None, "there is no file `shop.py`", "check the path"),
        ("", "", "there is no module ``", "run it where"),
        ("shop:servr", OFFICIAL, "`shop` has no attribute `servr`", "did you mean `server`?"),
        ("shop.py:server.nam", OFFICIAL, "`shop.py:server` has no attribute `nam`", "did you mean `name`"),
        ("shop:offer", OFFICIAL, "`shop:offer` is no server but of type `function`", "name an MCPServer"),
        ("shop", CONTRACT, "there is no server in `shop`", "name an MCPServer"),
        ("shop", "from mcp.server.mcpserver import MCPServer\na = MCPServer('a')\nb = MCPServer('b')", "there are several servers in `shop`: `a`, `b`", "name one of them, as in `shop:a`"),
        ("shop", "import os\n\nos.environ['password=hunter2hunter2']", "`shop` cannot be imported (line 3 of `shop.py`): KeyError: 'password=[redacted: password]'", "install what it needs"),
        ("shop.py", "import no_such_module", "`shop.py` cannot be imported (line 1 of `shop.py`): ModuleNotFoundError: No module named 'no_such_module'", "install what it needs"),
        ("shop", "x = (", "`shop` cannot be imported: SyntaxError: '(' was never closed", "install what it needs"),
        ("shop", "raise SystemExit", "`shop` cannot be imported (line 1 of `shop.py`): SystemExit", "install what it needs"),
    ],
)  # fmt: skip
def test_what_cannot_be_found_says_why_and_what_to_do(catalog, target, source, what, advice):
    status, out, err = catalog(target, **({} if source is None else {"shop": source}))
    complaint = [line for line in err.splitlines() if line != "I am imported."]

    assert (status, out) == (2, "")
    assert complaint[0].startswith(f"errata: {what}")
    assert complaint[1].startswith(f"help: {advice}")
    assert len(complaint) == 2


def test_a_file_whose_name_is_taken_is_not_mistaken_for_its_namesake(catalog):
    status, _, err = catalog("json.py", json=OFFICIAL)

    assert status == 2
    assert "another module called `json` is in its way" in err


def test_a_server_that_does_not_start_says_why(catalog):
    broken = LOW.replace("server = Server(", "server = Server(lifespan=lifespan, name=").replace(
        "\nasync def tools",
        "\nfrom contextlib import asynccontextmanager\n\n"
        "@asynccontextmanager\nasync def lifespan(_):\n    raise OSError('no database')\n    yield\n\nasync def tools",
    )

    status, out, err = catalog("shop", shop=broken)

    assert (status, out) == (2, "")
    assert err.startswith("errata: the server does not say what it offers: OSError: no database\nhelp: ")


def test_an_unknown_dialect_is_said_to_be_none(catalog):
    status, _, err = catalog("shop", "--dialect", "taxonmy")

    assert (status, err) == (2, "errata: there is no dialect `taxonmy`\nhelp: did you mean `taxonomy`?\n")


def test_the_other_commands_need_no_sdk():
    code = "import sys; sys.modules.update(dict.fromkeys(['mcp', 'fastmcp', 'anyio', 'pydantic'])); import errata.cli"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}; errata.cli.main(['explain', 'GONE'])"], check=False, capture_output=True
    )

    assert done.returncode == 0
