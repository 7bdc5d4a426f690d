"""Adapters for FastMCP: one for version 4, one for 2 and 3, which stand on mcp 1."""
