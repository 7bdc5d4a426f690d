"""The adapter for FastMCP's server."""

from typing import Any, cast

from fastmcp import FastMCP

from errata.fastmcp._fastmcp_adapter import FastMCPAdapter
from errata.serving import InspectableAdapter

__all__ = ["FastMCPAdapter", "adapt"]


def adapt(server: object) -> InspectableAdapter:
    """Return the adapter for a server of this SDK."""
    return FastMCPAdapter(cast("FastMCP[Any]", server))
