"""The tools of a project, if all of them can be seen."""

import ast
import os
import re
from collections.abc import Collection, Iterable
from pathlib import Path

from errata.linter._code import Module
from errata.linter._files import find_files
from errata.linter._names import called_as
from errata.linter._summary import Summary

# What adds tools, or changes their names, without a function that stands for each.
_UNSEEN = frozenset(
    [
        "import_server",
        "as_proxy",
        "create_proxy",
        "from_openapi",
        "from_fastapi",
        "from_tool",
        "from_mcp_config",
        "add_provider",
        "add_transform",
        "add_tool_transformation",
        "register_all",
    ]
)
_SERVERS = frozenset(["FastMCP", "MCPServer", "Server"])
_PARTS_OF_SERVERS = frozenset(["providers", "transforms", "tool_transformations"])
_CALLED = _UNSEEN | _SERVERS | {"mount", "add_tool"}
_TESTS = re.compile(
    r"(?:^|/)(?:tests?|docs|examples|scripts|benchmarks)/|(?:^|/)(?:test_\w*|\w*_test|conftest|setup)\.py$"
)
_SDKS = {"mcp", "fastmcp"}


def adds_unseen_tools(module: Module) -> bool:
    """Whether a file may add tools to a server that no function stands for."""
    return any(
        _adds_unseen(site.node, called_as(site.node))
        for function in module.functions
        if not function.called.isdisjoint(_CALLED)
        for site in function.calls
    )


def _adds_unseen(call: ast.Call, name: str) -> bool:
    given = call.args[0] if call.args else None
    if name == "mount":  # `app.mount("/mcp", …)` is another library's.
        return not (isinstance(given, ast.Constant) and str(given.value).startswith("/"))
    if name == "add_tool":
        return isinstance(given, ast.Call) and called_as(given) != "from_function"
    if name in _SERVERS:
        return any(
            each.arg in _PARTS_OF_SERVERS or (each.arg == "tools" and isinstance(each.value, ast.Call))
            for each in call.keywords
        )
    return name in _UNSEEN


def is_for_tests(path: str) -> bool:
    """Whether a file is no part of the server itself."""
    return bool(_TESTS.search(path.replace(os.sep, "/")))


def are_all_read(files: Iterable[Summary], exclude: Collection[str], root: Path) -> bool:
    """Whether nothing beside or below the files that make servers and tools was left out; tests aside."""
    known = {os.path.realpath(file.path): file for file in files}
    homes = {os.path.dirname(path) for path, file in known.items() if _is_of_server(file)}  # noqa: PTH120 - as many as there are files.
    tops = [home for home in homes if not any(home != other and Path(home).is_relative_to(other) for other in homes)]
    for top in tops:
        for file in find_files([Path(top)], exclude, root=root):
            path = os.path.realpath(file)
            if path not in known and not is_for_tests(os.path.relpath(path, top)):
                return False
    return True


def _is_of_server(file: Summary) -> bool:
    return bool(file.registrations) or any(name.partition(".")[0] in _SDKS for name in file.names.values())
