"""A till that pays through a bank, on FastMCP: with errata, or with FastMCP's own retries.

`python payment_till.py errata|fastmcp BANK` serves it over stdio.
"""

import http.client
import os
import sys

from fastmcp import FastMCP
from fastmcp.server.middleware.error_handling import RetryMiddleware
from mcp.types import ToolAnnotations

import errata

_LONGEST_S = 60
_DESTRUCTIVE = ToolAnnotations(readOnlyHint=False, destructiveHint=True, idempotentHint=False)


def till(layer, bank):
    """Make the server; the bank is where it listens, as `host:port`."""
    server = FastMCP("till")

    @server.tool(annotations=_DESTRUCTIVE)
    def pay(cents: int) -> str:
        """Pay; the bank takes the money, and its answer gets lost."""
        return _tell_the_bank(bank, cents)

    @server.tool(annotations=_DESTRUCTIVE)
    def pay_and_die(cents: int) -> str:
        """Pay, and be gone before anybody learns of it."""
        try:
            return _tell_the_bank(bank, cents)
        finally:
            os._exit(3)

    if layer == "errata":
        errata.install(server, retry=True)
    else:
        server.add_middleware(RetryMiddleware(base_delay=0.001))
    return server


def _tell_the_bank(bank, cents):
    connection = http.client.HTTPConnection(bank, timeout=_LONGEST_S)
    try:
        connection.request("POST", "/payments", body=str(cents))
        return connection.getresponse().read().decode()
    finally:
        connection.close()


if __name__ == "__main__":
    till(*sys.argv[1:]).run(show_banner=False)
