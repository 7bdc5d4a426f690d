"""Adapters for the official SDK: for `MCPServer` and the low-level `Server` of mcp 2, and for `FastMCP` and `Server` of mcp 1."""
