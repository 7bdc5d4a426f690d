"""What every server needs to fail well, whichever SDK it is built on; `_pipeline` tells the story of a request."""

from errata.dialects import QUESTION
from errata.serving._adapter import Adapter, CallTool, Host, InspectableAdapter
from errata.serving._classifying import (
    MissingArguments,
    ProtocolFailure,
    RefusedArguments,
    RefusedModel,
    RequestFailure,
    ServerBug,
    UnknownName,
)
from errata.serving._encoding import is_plain
from errata.serving._installation import INSTALLED, Installation
from errata.serving._offers import Group, NoTool, Offer, find_declared, find_missing_tools, read_name
from errata.serving._publishing import ListedTool
from errata.serving._requests import IN_WORK, Handler, Kind, Origin, Request, RequestContext
from errata.serving._setup import InstallOptions, check_options
from errata.serving._unwrapping import (
    find_cause,
    find_intended,
    refuses_arguments,
    remove_wrappers,
    was_raised_in,
    was_raised_under,
)

__all__ = [
    "INSTALLED",
    "IN_WORK",
    "QUESTION",
    "Adapter",
    "CallTool",
    "Group",
    "Handler",
    "Host",
    "InspectableAdapter",
    "InstallOptions",
    "Installation",
    "Kind",
    "ListedTool",
    "MissingArguments",
    "NoTool",
    "Offer",
    "Origin",
    "ProtocolFailure",
    "RefusedArguments",
    "RefusedModel",
    "Request",
    "RequestContext",
    "RequestFailure",
    "ServerBug",
    "UnknownName",
    "check_options",
    "find_cause",
    "find_declared",
    "find_intended",
    "find_missing_tools",
    "is_plain",
    "read_name",
    "refuses_arguments",
    "remove_wrappers",
    "was_raised_in",
    "was_raised_under",
]
