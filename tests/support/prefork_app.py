"""An MCP server with errata as a worker of gunicorn or uvicorn gets it: loaded before the fork, by a parent that is busy."""

import os
import threading

from mcp.server.mcpserver import MCPServer

import errata
from errata import Code, FaultError, redact
from errata.resilience import Breaker

upstream = Breaker("till", failures=1_000_000)
server = MCPServer("workers", log_level="CRITICAL")


@server.tool()
def pay(order: int) -> str:
    """Fail, and say in which process."""
    with upstream:
        raise FaultError(
            Code.CONFLICT, f"Order {order} was paid with password=hunter2-{order} in process {os.getpid()}."
        )


errata.install(server)
app = server.streamable_http_app(stateless_http=True, json_response=True)


def be_busy():
    """Hold the locks of the redactor and of the breaker now and then, whenever the parent forks."""
    number = 0
    while True:
        number += 1
        os.environ["BUSY"] = "1"
        redact(f"password=hunter2-{number}")
        with upstream:
            os.environ.pop("BUSY")


if "BUSY_PARENT" in os.environ:  # A worker that is not forked would be busy itself.
    threading.Thread(target=be_busy, daemon=True).start()
