"""A plugin for ContextForge, the MCP gateway: failing results are repaired, and only what may be repeated is.

    pip install "errata-mcp[contextforge]"                  # into the environment of the gateway
    python -m errata.contextforge > plugins/config.yaml     # the YAML to begin with

The plugin stands on the gateway's plugin framework, cpex, which is loaded with the class and not before.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    ErrorRepair: type[object]  # Of a base class that type checkers do not see: cpex is an extra.

EXAMPLE: Final = Path(__file__).with_name("plugins.yaml")
"""A configuration of the gateway's plugins that has this one, with all its settings."""

__all__ = ["EXAMPLE", "ErrorRepair"]


def __getattr__(name: str) -> object:
    if name != "ErrorRepair":
        raise AttributeError(f"module `errata.contextforge` has no attribute `{name}`")
    try:
        from errata.contextforge._error_repair import ErrorRepair  # noqa: PLC0415 - see above.
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "cpex":
            raise
        raise ImportError(
            "`errata.contextforge.ErrorRepair` needs cpex, the plugin framework of ContextForge, which is not installed. "
            'Install it in the environment of the gateway with: pip install "errata-mcp[contextforge]"'
        ) from error
    return ErrorRepair
