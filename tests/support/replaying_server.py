"""A server that lists the tools it is given and answers each call with the result asked for.

`python replaying_server.py PLAN` serves `{"tools": [...], "results": {tool: {outcome: result}}}` over stdio.
"""

import json
import sys
from collections.abc import Iterable
from pathlib import Path

from mcp.server.mcpserver import MCPServer
from mcp_types import CallToolResult, Tool

from errata import Fault, NeedsInput, dialects
from errata.dialects import encode_needs_input
from errata.serving._widening import widen_schema

FAULT = Fault(
    code="NOT_FOUND",
    message="There is no order `A-7`.",
    retry_after_ms=1500,
    http_status=404,
    data={"errata_unread": 1},
    correlation_id="c-1",
    timestamp="2026-11-02T12:00:00Z",
)
QUESTION = NeedsInput("Which order?", fields=["order_id"], options=[{"id": "A-7"}])


def planned(recordings, names: Iterable[str | None]):
    """Plan to offer every recorded tool widened for each dialect, and for None as its SDK lists it."""
    tools, results = [], {}
    for recording in recordings:
        for name in names:
            tool = {**recording.tool, "name": f"{recording}-{name}"}
            dialect = dialects.get(name or "native")
            if name:
                tool["outputSchema"] = widen_schema(recording.schema, dialect)
            tools.append(tool)
            results[tool["name"]] = {
                "success": recording.result,
                "error": dialect.encode(FAULT),
                "question": encode_needs_input(QUESTION),
            }
    return {"tools": tools, "results": results}


class Replaying(MCPServer):
    """Lists what is planned, and answers as planned."""

    def __init__(self, plan):
        super().__init__("replaying", log_level="ERROR")
        self.planned = [Tool.model_validate(tool) for tool in plan["tools"]]
        self.results = plan["results"]

    async def list_tools(self):
        return self.planned

    async def call_tool(self, name, arguments, context=None):  # noqa: ARG002 - as MCPServer has it.
        return CallToolResult.model_validate(self.results[name][arguments["outcome"]])


if __name__ == "__main__":
    Replaying(json.loads(Path(sys.argv[1]).read_text("utf-8"))).run("stdio")
