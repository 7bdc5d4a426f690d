"""Plays scenes with the client of an older Python SDK, mcp 1.x, and prints what a program that uses it gets: as calling.mjs.

    .venv-eras/mcp-1.30/bin/python conformance/calling.py PLAN

It runs in an environment that has neither errata nor this checkout.
"""

import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
from mcp import ClientSession, McpError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client


@asynccontextmanager
async def connected(server: dict[str, Any]) -> AsyncIterator[ClientSession]:
    """Connect to a server over the transport that the plan names."""
    with open(os.devnull, "w") as nowhere:  # noqa: ASYNC230, PTH123 - that one never blocks.
        if "url" in server:
            transport = streamablehttp_client(server["url"])
        else:
            parameters = StdioServerParameters(command=server["command"], args=server["args"], env=dict(os.environ))
            transport = stdio_client(parameters, errlog=nowhere)
        async with transport as (read, write, *_), ClientSession(read, write) as session:
            await session.initialize()
            yield session


async def ask(session: ClientSession, scene: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to a scene as the JSON that a program would make of it."""
    name, arguments = scene["name"], scene.get("arguments")
    try:
        match scene["kind"]:
            case "resource":
                answer = await session.read_resource(name)
            case "prompt":
                answer = await session.get_prompt(name, arguments)
            case _:
                answer = await session.call_tool(name, arguments)
    except McpError as error:
        return {"error": error.error.model_dump(mode="json")}
    except RuntimeError as error:  # A result that does not fit the tool's output schema.
        return {"error": {"code": None, "message": str(error)}}
    return answer.model_dump(mode="json", by_alias=True, exclude_none=True)


async def main(servers: list[dict[str, Any]]) -> None:
    """Print the answers to the scenes of all servers."""
    answers: list[dict[str, Any]] = []
    for server in servers:
        async with connected(server) as session:
            await session.list_tools()
            answers += [await ask(session, scene) for scene in server["scenes"]]
    print(json.dumps(answers))


if __name__ == "__main__":
    anyio.run(main, json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
