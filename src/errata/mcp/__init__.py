"""The official SDK's servers: `MCPServer`, and the low-level `Server` under it."""

from errata.mcp._lowlevel import ServerInstallation
from errata.mcp._mcpserver import MCPServerInstallation

__all__ = ["MCPServerInstallation", "ServerInstallation"]
