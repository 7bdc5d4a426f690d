"""One line, and a server fails well."""

import inspect
from importlib import import_module
from typing import TYPE_CHECKING, Unpack, cast

if TYPE_CHECKING:
    from errata.serving import InspectableAdapter, Installation, InstallOptions

# By dotted name, so that nothing is imported that the server does not use anyway. Each package has `adapt(server)`.
_PACKAGES = {
    "mcp.server.mcpserver.server.MCPServer": "errata.mcp",
    "mcp.server.lowlevel.server.Server": "errata.mcp",
    "fastmcp.server.server.FastMCP": "errata.fastmcp",
}
_OLD = "mcp.server.fastmcp.server.FastMCP"


def install(server: object, **options: "Unpack[InstallOptions]") -> "Installation":
    """Let every failure of a server tell the agent what happened, whether to repeat the call, and what to do next.

        errata.install(server)                                       # MCPServer, low-level Server or FastMCP
        errata.install(server, dialect="tool-error-v1", mask=True)
        errata.install(server, breaker=Breaker("ncbi"), retry=True)  # left alone while it is down, repeated if harmless
        errata.install(server, lint=True)                            # what will fail badly is in the log at start-up

    Tools stay as they are. Installing the same again does nothing; `uninstall()` on what comes back leaves the server
    as it was.
    """
    from errata.serving import Installation, check_options  # noqa: PLC0415 - loaded for a server only.

    adapter = adapter_for(server)
    check_options(options)
    installation = Installation(server, adapter, options)
    if present := find_installation(server):
        if present.setup == installation.setup:
            return present
        raise ValueError(
            "errata is installed in this server already, with other settings. Install it once, or call "
            "`uninstall()` on what the first `install` gave back."
        )
    installation.start()
    if options.get("lint"):
        from errata.linter import lint_at_start_up  # noqa: PLC0415 - loaded for those who ask for it.

        lint_at_start_up(inspect.currentframe())
    return installation


def adapter_for(server: object) -> "InspectableAdapter":
    """Return the adapter for the SDK that a server is built on."""
    names = _list_class_names(server)
    package = next((_PACKAGES[name] for name in names if name in _PACKAGES), None)
    if package is None:
        raise TypeError(_explain_refusal(server, names))
    return cast("InspectableAdapter", import_module(package).adapt(server))


def is_server(value: object) -> bool:
    """Return whether errata can be installed in a value."""
    return not _PACKAGES.keys().isdisjoint(_list_class_names(value))


def find_installation(server: object) -> "Installation | None":
    """Return the installation that a server has already; None if it has none."""
    from errata.serving import INSTALLED, Installation  # noqa: PLC0415 - as above.

    present = vars(server).get(INSTALLED)
    return present if isinstance(present, Installation) else None


def _list_class_names(server: object) -> list[str]:
    return [f"{kind.__module__}.{kind.__qualname__}" for kind in type(server).__mro__]


def _explain_refusal(server: object, names: list[str]) -> str:
    if _OLD in names:
        return "errata needs version 2 of mcp, and this server is built on version 1. Upgrade it: pip install 'mcp>=2'"
    return (
        f"errata cannot be installed in a `{type(server).__name__}`. Pass the MCPServer or the low-level Server of "
        "mcp, or the FastMCP server."
    )
