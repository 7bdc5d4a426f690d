"""One line, and a server fails well."""

import inspect
from importlib import import_module
from typing import TYPE_CHECKING, Unpack, cast

if TYPE_CHECKING:
    from errata.serving import Installation, Settings

# By dotted name, so that nothing is imported that the server does not use anyway.
_ADAPTERS = {
    "mcp.server.mcpserver.server.MCPServer": ("errata.mcp", "MCPServerInstallation"),
    "mcp.server.lowlevel.server.Server": ("errata.mcp", "ServerInstallation"),
    "fastmcp.server.server.FastMCP": ("errata.fastmcp", "FastMCPInstallation"),
}
_OLD = "mcp.server.fastmcp.server.FastMCP"


def install(server: object, **settings: "Unpack[Settings]") -> "Installation":
    """Let every failure of a server tell the agent what happened, whether to repeat the call, and what to do next.

        errata.install(server)                                       # MCPServer, low-level Server or FastMCP
        errata.install(server, dialect="tool-error-v1", mask=True)
        errata.install(server, breaker=Breaker("ncbi"), retry=True)  # left alone while it is down, repeated if harmless
        errata.install(server, lint=True)                            # what will fail badly is in the log at start-up

    Tools stay as they are. Installing the same again does nothing; `uninstall()` on what comes back leaves the server
    as it was.
    """
    from errata.serving import check  # noqa: PLC0415 - loaded for a server only.

    adapter = adapter_for(server)
    check(settings)
    installation = adapter(server, settings)
    if present := installed_in(server):
        if present.setup == installation.setup:
            return present
        raise ValueError(
            "errata is installed in this server already, with other settings. Install it once, or call "
            "`uninstall()` on what the first `install` gave back."
        )
    installation.start()
    if settings.get("lint"):
        from errata.linter import lint_at_start_up  # noqa: PLC0415 - loaded for those who ask for it.

        lint_at_start_up(inspect.currentframe())
    return installation


def adapter_for(server: object) -> "type[Installation]":
    """Load what knows the SDK that a server is built on."""
    names = _names_of(server)
    found = next((_ADAPTERS[name] for name in names if name in _ADAPTERS), None)
    if found is None:
        raise TypeError(_what_to_install_in(server, names))
    module, name = found
    return cast("type[Installation]", getattr(import_module(module), name))


def is_server(value: object) -> bool:
    """Whether errata can be installed in it."""
    return not _ADAPTERS.keys().isdisjoint(_names_of(value))


def installed_in(server: object) -> "Installation | None":
    """Find errata where it is at work already."""
    from errata.serving import INSTALLED, Installation  # noqa: PLC0415 - as above.

    present = vars(server).get(INSTALLED)
    return present if isinstance(present, Installation) else None


def _names_of(server: object) -> list[str]:
    return [f"{kind.__module__}.{kind.__qualname__}" for kind in type(server).__mro__]


def _what_to_install_in(server: object, names: list[str]) -> str:
    if _OLD in names:
        return "errata needs version 2 of mcp, and this server is built on version 1. Upgrade it: pip install 'mcp>=2'"
    return (
        f"errata cannot be installed in a `{type(server).__name__}`. Pass the MCPServer or the low-level Server of "
        "mcp, or the FastMCP server."
    )
