"""Adapters for the official SDK: `MCPServer`, and the low-level `Server` under it."""

from typing import Any, cast

from mcp.server.lowlevel.server import Server
from mcp.server.mcpserver import MCPServer

from errata.mcp._lowlevel import LowLevelAdapter
from errata.mcp._mcpserver import MCPServerAdapter
from errata.serving import InspectableAdapter

__all__ = ["LowLevelAdapter", "MCPServerAdapter", "adapt"]


def adapt(server: object) -> InspectableAdapter:
    """Return the adapter for a server of this SDK."""
    known = cast("MCPServer[Any] | Server[Any]", server)
    return MCPServerAdapter(known) if isinstance(known, MCPServer) else LowLevelAdapter(known)
