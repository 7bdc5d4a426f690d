"""The gate: errors repaired in front of any server, in any language.

    errata gate -- npx some-server                       # in a client's configuration, instead of `npx some-server`
    errata gate --listen 127.0.0.1:8700 --to https://…/mcp
    app = errata.gate.asgi(mcp.streamable_http_app())    # in front of an ASGI application

Only failing answers to calls of tools change; everything else passes byte for byte.
"""

from importlib import import_module, util
from typing import TYPE_CHECKING

from errata.gate._configuration import (
    ConfigurationEdit as ConfigurationEdit,
    ConfigurationError as ConfigurationError,
    GatedEntry as GatedEntry,
    Replacement as Replacement,
    add_gate as add_gate,
    remove_gate as remove_gate,
)
from errata.gate._gate_options import GateOptions as GateOptions, GateSettings
from errata.gate._gatekeeper import Gatekeeper as Gatekeeper
from errata.gate._record import GateRecord as GateRecord
from errata.gate._repair import Repair, redact_result as redact_result, repair_result
from errata.gate._server_process import StartError as StartError
from errata.gate._shown_configuration import hide_in_address as hide_in_address, hide_secrets as hide_secrets
from errata.gate._standard_files import write_error_line as write_error_line
from errata.gate._stdio import StdioGate as StdioGate

if TYPE_CHECKING:
    from errata.gate._listening import ListenError as ListenError, serve as serve
    from errata.gate._serving import asgi

__all__ = ["GateSettings", "Repair", "asgi", "repair_result"]

_OF_THE_EXTRA = {"asgi": "_serving", "serve": "_listening", "ListenError": "_listening"}
_NEEDED = ("httpx2", "starlette", "uvicorn")


def __getattr__(name: str) -> object:
    """Load what speaks HTTP when it is used: a server over stdio needs nothing but the standard library."""
    if name not in _OF_THE_EXTRA:
        raise AttributeError(f"module `errata.gate` has no attribute `{name}`")
    if missing := [package for package in _NEEDED if util.find_spec(package) is None]:
        raise ImportError(
            f"`errata.gate.{name}` needs {', '.join(missing)}, not installed here. "
            'Install it with: pip install "errata-mcp[gate]"'
        )
    value = globals()[name] = getattr(import_module(f"errata.gate.{_OF_THE_EXTRA[name]}"), name)
    return value
