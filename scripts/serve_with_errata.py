"""Run the console script of a published server, with `errata.install(server)` called when it starts to serve.

    .published/mcp-server-time/bin/python scripts/serve_with_errata.py mcp-server-time

It runs in the environment of the server. No file of the server is changed.
"""

import contextlib
import functools
import sys
from collections.abc import Awaitable, Callable
from importlib import import_module
from importlib.metadata import entry_points
from typing import Final

import errata

# fmt: off
# The method by which each class serves stdio. A server may hold one of a later row.
SERVES_WITH: Final = {
    ("fastmcp.server.server", "FastMCP"):         "run_stdio_async",
    ("mcp.server.mcpserver.server", "MCPServer"): "run_stdio_async",
    ("mcp.server.fastmcp.server", "FastMCP"):     "run_stdio_async",
    ("mcp.server.lowlevel.server", "Server"):     "run",
}
# fmt: on
installed: list[object] = []
"""The outermost server, which is the first to serve."""


def main() -> None:
    script, *arguments = sys.argv[1:]
    sys.path.pop(0)  # This directory: a console script does not have it.
    sys.argv = [script, *arguments]
    (entry,) = entry_points(group="console_scripts", name=script)
    serve = entry.load()
    for (module, name), method in SERVES_WITH.items():
        with contextlib.suppress(ImportError):
            install_on_serving(getattr(import_module(module), name), method)
    sys.exit(serve())


def install_on_serving(kind: type, method: str) -> None:
    """Let a class call `errata.install` when the first of its servers starts to serve."""
    serve: Callable[..., Awaitable[object]] = getattr(kind, method)

    @functools.wraps(serve)
    async def install_and_serve(self: object, *args: object, **options: object) -> object:
        if not installed:
            installed.append(self)
            errata.install(self)
        return await serve(self, *args, **options)

    setattr(kind, method, install_and_serve)


if __name__ == "__main__":
    main()
