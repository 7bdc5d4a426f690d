"""Handlers are found as people write them, and calls are followed to where they lead."""

from pathlib import Path

import pytest

from errata.linter import Settings, lint, lint_source

ROOT = Path(__file__).parents[2]
_BARE = Settings(select=("bare-except",))
_BODY = "try:\n        return work()\n    except:\n        raise ValueError(x)"
_START = "from mcp.server.mcpserver import MCPServer\nmcp = MCPServer('x')\n"

_REGISTERED = {
    "a decorator that is called": f"{_START}@mcp.tool()\ndef f(x):\n    {_BODY}",
    "a decorator that is not called": f"from fastmcp import FastMCP\napp = FastMCP('x')\n@app.tool\nasync def f(x):\n    {_BODY}",
    "the old import": f"from mcp.server.fastmcp import FastMCP\nm = FastMCP('x')\n@m.tool(name='g')\ndef f(x):\n    {_BODY}",
    "a resource": f"{_START}@mcp.resource('order://{{x}}')\ndef f(x):\n    {_BODY}",
    "a prompt": f"{_START}@mcp.prompt()\ndef f(x):\n    {_BODY}",
    "the low-level decorator": f"from mcp.server import Server\ns = Server('x')\n@s.call_tool()\nasync def f(x, y):\n    {_BODY}",
    "the low-level argument": f"from mcp.server.lowlevel import Server\ndef f(x, y):\n    {_BODY}\ns = Server('x', on_call_tool=f)",
    "a table of requests": f"from mcp.server import Server\nfrom mcp.types import CallToolRequest\ns = Server('x')\ndef f(x):\n    {_BODY}\ns.request_handlers[CallToolRequest] = f",
    "a method for requests": f"from mcp.server import Server\ns = Server('x')\ndef f(x):\n    {_BODY}\ns.add_request_handler('tools/call', object, f)",
    "add_tool": f"{_START}def f(x):\n    {_BODY}\nmcp.add_tool(f, name='g')",
    "a tool made from a function": f"from fastmcp import FastMCP\nfrom fastmcp.tools import Tool\nmcp = FastMCP('x')\ndef f(x):\n    {_BODY}\nmcp.add_tool(Tool.from_function(f))",
    "a decorator called on a function": f"{_START}def f(x):\n    {_BODY}\nmcp.tool(name='g')(f)",
    "a function given to the decorator": f"{_START}def f(x):\n    {_BODY}\nmcp.tool(f, name='g')",
    "the constructor's tools": f"from mcp.server.mcpserver import MCPServer\ndef f(x):\n    {_BODY}\nmcp = MCPServer('x', tools=[f])",
    "a loop over functions": f"{_START}def f(x):\n    {_BODY}\nfor each in (f, len):\n    mcp.tool()(each)",
    "a loop over a table": f"{_START}def f(x):\n    {_BODY}\nTOOLS = {{'g': f}}\nfor name, each in TOOLS.items():\n    mcp.add_tool(each, name)",
    "a function that registers": f"def register(mcp):\n    from fastmcp import Context\n    @mcp.tool()\n    def f(x):\n        {_BODY.replace(chr(10), chr(10) + '    ')}",
    "a server made by a function": f"from fastmcp import FastMCP\ndef make() -> FastMCP:\n    return FastMCP('x')\napp = make()\n@app.tool\ndef f(x):\n    {_BODY}",
    "a server of one's own class": f"from fastmcp import FastMCP\nclass Orders(FastMCP):\n    pass\norders = Orders('x')\n@orders.tool\ndef f(x):\n    {_BODY}",
    "a decorator of one's own": f"{_START}def tool(**options):\n    return mcp.tool(**options)\n@tool()\ndef f(x):\n    {_BODY}",
    "a decorator of one's own that registers": f"{_START}def tool(fn):\n    mcp.add_tool(fn)\n    return fn\n@tool\ndef f(x):\n    {_BODY}",
    "a decorator in between": f"from functools import wraps\n{_START}def logged(fn):\n    @wraps(fn)\n    def wrapper(*args):\n        return fn(*args)\n    return wrapper\n@mcp.tool()\n@logged\ndef f(x):\n    {_BODY}",
    "a mixin": f"from fastmcp.contrib.mcp_mixin import MCPMixin, mcp_tool\nclass Orders(MCPMixin):\n    @mcp_tool()\n    def f(self, x):\n        {_BODY.replace(chr(10), chr(10) + '    ')}",
    "a method": f"{_START}class Orders:\n    def __init__(self, mcp):\n        mcp.tool()(self.f)\n    def f(self, x):\n        {_BODY.replace(chr(10), chr(10) + '    ')}",
}
_REACHED = {
    "a function": "def f(x):\n    return g(x)",
    "a method of an instance": "class C:\n    def m(self, x):\n        return g(x)\nc = C()\ndef f(x):\n    return c.m(x)",
    "a method of a parameter": "class C:\n    def m(self, x):\n        return g(x)\ndef f(x, c: 'C | None' = None):\n    return c.m(x)",
    "an inherited method": "class B:\n    def m(self, x):\n        return g(x)\nclass C(B):\n    pass\ndef f(x):\n    return C().m(x)",
    "an attribute of self": "class C:\n    def m(self, x):\n        return g(x)\nclass D:\n    def __init__(self):\n        self.c = C()\n    def n(self, x):\n        return self.c.m(x)\ndef f(x):\n    return D().n(x)",
    "a constructor": "class C:\n    def __init__(self, x):\n        g(x)\ndef f(x):\n    return C(x)",
    "a function handed on": "import asyncio\nasync def f(x):\n    return await asyncio.to_thread(g, x)",
    "a table of functions": "TABLE = {'g': g}\ndef f(x):\n    return TABLE[x](x)",
    "a function that is picked first": "TABLE = {'g': g}\ndef f(x):\n    handler = TABLE.get(x)\n    return handler(x)",
    "a function inside": "def f(x):\n    def inner():\n        return g(x)\n    return inner()",
    "a function inside that is called like a builtin": "def f(x):\n    def filter():\n        return g(x)\n    return filter()",
    "what a function gives back": "class C:\n    def m(self, x):\n        return g(x)\ndef make() -> C:\n    return C()\ndef f(x):\n    return make().m(x)",
    "the wrapper of a decorator": "def logged(fn):\n    def wrapper(x):\n        return g(x)\n    return wrapper\n@logged\ndef f(x):\n    return 1",
    "an import of its own": "def f(x):\n    from server import g as k\n    return k(x)\ndef h(x):\n    from elsewhere import g as k\n    return k(x)",
    "a class whose name another function imports": "class C:\n    def m(self, x):\n        return g(x)\ndef h(x):\n    from elsewhere import C\n    return C().m(x)\ndef f(x):\n    return C().m(x)",
    "recursion": "def f(x):\n    return f(x) if x else g(x)",
}
_NOT_OURS = {
    "another framework's agent": f"from pydantic_ai import Agent\nagent = Agent('x')\n@agent.tool\ndef f(x):\n    {_BODY}",
    "another framework's decorator": f"from langchain.tools import tool\n@tool\ndef f(x):\n    {_BODY}",
    "a client": f"from mcp import ClientSession\ndef f(x):\n    {_BODY}\ndef call(session):\n    return session.call_tool(f)",
    "a function that no handler calls": f"{_START}def f(x):\n    {_BODY}\n@mcp.tool()\ndef g(x):\n    return x",
}


@pytest.mark.parametrize("source", _REGISTERED.values(), ids=_REGISTERED)
def test_a_handler_is_found_however_it_is_registered(source):
    assert [finding.rule for finding in lint_source(source, settings=_BARE)] == ["bare-except"]


@pytest.mark.parametrize("source", _REACHED.values(), ids=_REACHED)
def test_a_call_is_followed_to_where_it_leads(source):
    whole = f"{_START}def g(x):\n    {_BODY}\n{source}\nmcp.add_tool(f)\n"

    assert [finding.rule for finding in lint_source(whole, settings=_BARE)] == ["bare-except"]


@pytest.mark.parametrize("source", _NOT_OURS.values(), ids=_NOT_OURS)
def test_what_answers_no_mcp_client_is_left_alone(source):
    assert lint_source(source, settings=_BARE) == []


def _project(location, **files):
    for name, text in files.items():
        file = location / f"{name.replace('__', '/')}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        if file.parent != location:
            (file.parent / "__init__.py").touch()


_FILES = {
    "shop__app": "from mcp.server.mcpserver import MCPServer\nmcp = MCPServer('x')\n",
    "shop__servers": "from .app import mcp as application\n",
    "shop__tools": "from .servers import application as app\nfrom .service import Orders\norders = Orders()\n"
    "@app.tool()\nasync def f(x):\n    return await orders.fetch(x)\n",
    "shop__service": "from shop.low import g\nclass Orders:\n    async def fetch(self, x):\n        return g(x)\n",
    "shop__low": f"def g(x):\n    {_BODY}\n",
}


def test_servers_are_followed_through_aliases_and_calls_through_modules(tmp_path):
    _project(tmp_path, **_FILES)

    report = lint([tmp_path], _BARE)

    assert [(Path(each.path).name, each.rule) for each in report.findings] == [("low.py", "bare-except")]
    assert report.handlers == 1


def test_what_a_named_file_imports_is_read_but_not_judged(tmp_path):
    _project(tmp_path, **_FILES)

    assert lint([tmp_path / "shop" / "tools.py"], _BARE).handlers == 1
    assert lint([tmp_path / "shop" / "tools.py"], _BARE).findings == ()
    assert lint([tmp_path / "shop" / "tools.py"], _BARE).elsewhere == 1
    assert lint([tmp_path / "shop" / "tools.py", tmp_path / "shop" / "low.py"], _BARE).findings


def test_a_module_that_a_link_leads_to_out_of_the_tree_is_not_followed(tmp_path):
    _project(tmp_path / "outside", low=f"def g(x):\n    {_BODY}\n")
    _project(tmp_path / "inside", server=f"{_START}from low import g\n@mcp.tool()\ndef f(x):\n    return g(x)\n")
    (tmp_path / "inside" / "low.py").symlink_to(tmp_path / "outside" / "low.py")

    assert lint([tmp_path / "inside" / "server.py"], _BARE).elsewhere == 0


def test_two_projects_with_files_of_the_same_name_are_two(tmp_path):
    for name in ("one", "two"):
        _project(tmp_path / name, server=f"{_START}from low import g\n@mcp.tool()\ndef f(x):\n    return g(x)\n")
    _project(tmp_path / "one", low=f"def g(x):\n    {_BODY}\n")
    _project(tmp_path / "two", low="def g(x):\n    return x\n")

    assert [Path(each.path).parent.name for each in lint([tmp_path], _BARE).findings] == ["one"]


def test_the_examples_are_clean_but_for_the_one_without_annotations():
    report = lint([ROOT / "examples", ROOT / "docs" / "pubmed.py", ROOT / "docs" / "parcels.py"], Settings(root=ROOT))

    assert [(Path(each.path).name, each.rule) for each in report.findings] == [
        ("harbor_berths.py", "undeclared-effect")
    ]
    assert report.handlers > 20
