"""What every server needs to fail well, whichever SDK it is built on."""

from errata._serving._installation import CallTool, Installation
from errata._serving._judging import (
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
from errata._serving._offer import Group, Offer
from errata._serving._publishing import Listed
from errata._serving._request import IN_WORK, Kind, Origin, Request, RequestContext
from errata._serving._settings import Settings
from errata._serving._settling import Nature, nature_of
from errata.dialects._incoming import QUESTION

__all__ = [
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
    "Offer",
    "Origin",
    "RefusedArguments",
    "RefusedModel",
    "Request",
    "RequestContext",
    "Settings",
    "Unknown",
    "meant_in",
    "nature_of",
    "unwrapped",
]
