"""Adapters for the official SDK: `MCPServer`, and the low-level `Server` under it."""

from typing import TYPE_CHECKING, Any, cast

from errata.serving import InspectableAdapter

if TYPE_CHECKING:
    from mcp.server.lowlevel.server import Server
    from mcp.server.mcpserver import MCPServer

__all__ = ["adapt"]


def adapt(server: object) -> InspectableAdapter:
    """Return the adapter for a server. It is imported here, because each needs its own era of the SDK."""
    if any(kind.__module__.startswith("mcp.server.mcpserver.") for kind in type(server).__mro__):
        from errata.mcp._mcpserver import MCPServerAdapter  # noqa: PLC0415

        return MCPServerAdapter(cast("MCPServer[Any]", server))
    from errata.mcp._lowlevel import LowLevelAdapter  # noqa: PLC0415

    return LowLevelAdapter(cast("Server[Any]", server))
