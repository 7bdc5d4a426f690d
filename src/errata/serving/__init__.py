"""What every server needs to fail well, whichever SDK it is built on."""

from errata.dialects import QUESTION
from errata.serving._catalogue import NoTool, declared_for, missing_tools
from errata.serving._installation import INSTALLED, CallTool, Installation
from errata.serving._judging import (
    Bug,
    Failed,
    ForTheProtocol,
    MissingArguments,
    RefusedArguments,
    RefusedModel,
    Unknown,
    meant_in,
    unwrapped,
)
from errata.serving._offer import Group, Offer
from errata.serving._publishing import Listed
from errata.serving._request import IN_WORK, Kind, Origin, Request, RequestContext
from errata.serving._settings import Settings, check
from errata.serving._settling import Nature, nature_of

__all__ = [
    "INSTALLED",
    "IN_WORK",
    "QUESTION",
    "Bug",
    "CallTool",
    "Failed",
    "ForTheProtocol",
    "Group",
    "Installation",
    "Kind",
    "Listed",
    "MissingArguments",
    "Nature",
    "NoTool",
    "Offer",
    "Origin",
    "RefusedArguments",
    "RefusedModel",
    "Request",
    "RequestContext",
    "Settings",
    "Unknown",
    "check",
    "declared_for",
    "meant_in",
    "missing_tools",
    "nature_of",
    "unwrapped",
]
