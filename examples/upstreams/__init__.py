"""The APIs behind the example servers: small HTTP apps on this machine, which fail when told to."""

from upstreams._listener import Reply, Request
from upstreams._sandbox import App, Upstream

__all__ = ["App", "Reply", "Request", "Upstream"]
