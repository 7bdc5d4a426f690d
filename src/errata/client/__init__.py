"""The other side of the wire: call the tools of any server, and know what to do when one fails."""

from errata.client._call_failed import CallFailed
from errata.client._caller import Caller
from errata.client._next_step import decide
from errata.client._steps import AskUser, FixArguments, Repeat, Step, Stop, TellModel, UseTool
from errata.tools import Effect

__all__ = [
    "AskUser",
    "CallFailed",
    "Caller",
    "Effect",
    "FixArguments",
    "Repeat",
    "Step",
    "Stop",
    "TellModel",
    "UseTool",
    "decide",
]
