"""FastMCP's server."""

from errata.fastmcp._installation import FastMCPInstallation

__all__ = ["FastMCPInstallation"]
