"""One line, and a server fails well."""

import inspect
import re
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple, Unpack, cast

if TYPE_CHECKING:
    from errata.serving import InspectableAdapter, Installation, InstallOptions


class Era(NamedTuple):
    """Versions of an SDK that one adapter is for."""

    distribution: str
    oldest: str
    adapter: str
    """Module and class, so that nothing is imported that the server does not use anyway."""
    offers: str
    """What the server has in this era, and in no other; a dotted path of attributes."""

    @property
    def major(self) -> str:
        """The major version, which errata never leads anybody away from."""
        return self.oldest.partition(".")[0]


ERAS = {
    "mcp.server.mcpserver.server.MCPServer": (
        Era("mcp", "2.1", "errata.mcp._mcpserver:MCPServerAdapter", "call_tool"),
    ),
    "mcp.server.fastmcp.server.FastMCP": (
        Era("mcp", "1.6", "errata.mcp.version_1:FastMCP1Adapter", "_mcp_server.request_handlers"),
    ),
    "mcp.server.lowlevel.server.Server": (
        Era("mcp", "2.1", "errata.mcp._lowlevel:LowLevelAdapter", "add_request_handler"),
        Era("mcp", "1.6", "errata.mcp.version_1:Version1Adapter", "request_handlers"),
    ),
    "fastmcp.server.server.FastMCP": (
        Era("fastmcp", "4.0", "errata.fastmcp._fastmcp_adapter:FastMCPAdapter", "_mcp_server.add_request_handler"),
        Era("fastmcp", "3.0", "errata.fastmcp._fastmcp_2_3:FastMCP2And3Adapter", "list_tools"),
        Era("fastmcp", "2.10", "errata.fastmcp._fastmcp_2_3:FastMCP2And3Adapter", "_mcp_server.request_handlers"),
    ),
}
"""The eras of each class of servers, by its dotted name; the SDKs have had the same names for different things."""


def install(server: object, **options: "Unpack[InstallOptions]") -> "Installation":
    """Let every failure of a server tell the agent what happened, whether to repeat the call, and what to do next.

        errata.install(server)                                       # FastMCP, MCPServer or low-level Server
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
    """Return the adapter for the era of the SDK that a server is built on."""
    era = find_era(server)
    module, _, name = era.adapter.partition(":")
    return cast("InspectableAdapter", getattr(import_module(module), name)(server))


def find_era(server: object) -> Era:
    """Return the era that a server is of: by what it offers, unless the version of its SDK is older than any that works."""
    eras = next((ERAS[name] for name in _list_class_names(server) if name in ERAS), None)
    if eras is None:
        raise TypeError(
            f"errata cannot be installed in a `{type(server).__name__}`. Pass a FastMCP server, of the package fastmcp or "
            "of mcp, or mcp's MCPServer or low-level Server."
        )
    release = find_version(eras[0].distribution)
    era = next((era for era in eras if _has(server, era.offers)), eras[-1])
    if not _has(server, era.offers) or (release is not None and _numbers(release) < _numbers(era.oldest)):
        raise TypeError(_explain_age(era, release))
    return era


def find_version(distribution: str) -> str | None:
    """Return the version of a distribution that is installed; None if it is not."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def is_server(value: object) -> bool:
    """Return whether errata can be installed in a value."""
    return not ERAS.keys().isdisjoint(_list_class_names(value))


def find_installation(server: object) -> "Installation | None":
    """Return the installation that a server has already; None if it has none."""
    from errata.serving import INSTALLED, Installation  # noqa: PLC0415 - as above.

    present = vars(server).get(INSTALLED)
    return present if isinstance(present, Installation) else None


def _list_class_names(server: object) -> list[str]:
    return [f"{kind.__module__}.{kind.__qualname__}" for kind in type(server).__mro__]


def _has(server: object, path: str) -> bool:
    try:
        attrgetter(path)(server)
    except AttributeError:
        return False
    return True


def _numbers(release: str) -> tuple[int, ...]:
    """Return the first two numbers of a version: enough to compare, whatever comes after them."""
    return tuple(int(number) for number in re.findall(r"\d+", release)[:2])


def _explain_age(era: Era, release: str | None) -> str:
    name, below = era.distribution, int(era.major) + 1
    return (
        f"This server runs on {name} {release or 'of an unknown version'}, and errata works with {name} {era.oldest} and later. "
        f"Update it within its major version, which changes nothing that the server uses: "
        f"pip install '{name}>={era.oldest},<{below}'"
    )
