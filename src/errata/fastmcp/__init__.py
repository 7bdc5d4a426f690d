"""The adapter for FastMCP's server."""

from typing import TYPE_CHECKING, Any, cast

from errata.serving import InspectableAdapter

if TYPE_CHECKING:
    from fastmcp import FastMCP

__all__ = ["adapt"]


def adapt(server: object) -> InspectableAdapter:
    """Return the adapter for a server. It is imported here, because each needs its own era of FastMCP."""
    from errata.fastmcp._fastmcp_adapter import FastMCPAdapter  # noqa: PLC0415

    return FastMCPAdapter(cast("FastMCP[Any]", server))
