"""A server whose one destructive tool makes a refund by HTTP, and hands on what the upstream says, as servers do.

Run as `python refund_server.py KIND UPSTREAM`, it serves over stdio.
"""

import json
import sys
from typing import Any

import httpx2
import mcp_types as types
from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer

import errata

_TLS = httpx2.create_ssl_context()  # Once: it reads all certificates of the world.
DESTROYS = {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False}


def passes_text_on(response: httpx2.Response) -> Any:
    return response.text


def passes_json_on(response: httpx2.Response) -> Any:
    try:
        return dict(response.json())
    except ValueError:
        return {"text": response.text}


def raises_text(response: httpx2.Response) -> Any:
    raise ToolError(response.text)


def raises_sentence(response: httpx2.Response) -> Any:
    raise ToolError(f"The shop says: {response.text}")


def raises_bug(response: httpx2.Response) -> Any:
    raise RuntimeError(response.text)


def raises_status(response: httpx2.Response) -> Any:
    return response.raise_for_status().text


WAYS = {
    each.__name__: each
    for each in (passes_text_on, passes_json_on, raises_text, raises_sentence, raises_bug, raises_status)
}


def tools_of(upstream: str) -> dict[str, Any]:
    """Make one destructive tool for each way to hand on what the upstream says."""

    def tool_for(way: Any) -> Any:
        async def refund(order_id: str, body: str) -> Any:
            async with httpx2.AsyncClient(timeout=30, verify=_TLS) as http:
                return way(
                    await http.post(
                        f"{upstream}/refunds",
                        json={
                            "order_id": order_id,
                            "body": body,
                            "status": 200 if way in (passes_text_on, passes_json_on) else 500,
                        },
                    )
                )

        refund.__name__ = f"refund_{way.__name__}"
        return refund

    return {f"refund_{name}": tool_for(way) for name, way in WAYS.items()}


def fastmcp_server(upstream: str, *, annotations: dict[str, bool] | None, with_errata: bool) -> FastMCP:
    server = FastMCP("shop")
    for name, tool in tools_of(upstream).items():
        server.tool(tool, name=name, annotations=annotations)
    if with_errata:
        errata.install(server)
    return server


def mcp_server(upstream: str, *, annotations: dict[str, bool] | None, with_errata: bool) -> MCPServer:
    server = MCPServer("shop", log_level="CRITICAL")
    for name, tool in tools_of(upstream).items():
        hints = types.ToolAnnotations.model_validate(annotations) if annotations else None
        server.tool(name=name, annotations=hints, structured_output=False)(tool)
    if with_errata:
        errata.install(server)
    return server


def lowlevel_server(upstream: str, *, annotations: dict[str, bool] | None) -> Server:
    """Make a server that hands the upstream's body on as structured content of an error, and as its text."""
    schema = {"type": "object", "properties": {"order_id": {"type": "string"}, "body": {"type": "string"}}}

    async def list_tools(_: Any, __: Any) -> types.ListToolsResult:
        hints = types.ToolAnnotations.model_validate(annotations) if annotations else None
        return types.ListToolsResult(tools=[types.Tool(name="refund", input_schema=schema, annotations=hints)])

    async def call_tool(_: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        async with httpx2.AsyncClient(timeout=30, verify=_TLS) as http:
            text = (await http.post(f"{upstream}/refunds", json=params.arguments)).text
        try:
            body = json.loads(text)
        except ValueError:
            body = None
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=text)],
            structured_content=body if isinstance(body, dict) else None,
            is_error=True,
        )

    return Server("shop", on_list_tools=list_tools, on_call_tool=call_tool)


def main() -> None:
    """Serve over stdio."""
    kind, upstream = sys.argv[1:]
    make = {"fastmcp": fastmcp_server, "mcp": mcp_server}[kind]
    make(upstream, annotations=DESTROYS, with_errata=True).run(transport="stdio")


if __name__ == "__main__":
    main()
