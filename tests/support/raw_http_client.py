"""MCP by hand, in the newer protocol: for what no client would send."""

import json

import httpx2

_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def request(method, params, number=1):
    """Write a request; what is no Unicode in it is escaped."""
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": {**params, "_meta": _META}})


def tool_call(tool, number=1, **arguments):
    """Write the call of a tool."""
    return request("tools/call", {"name": tool, "arguments": arguments}, number)


def post(url, body, method="tools/call", name=None):
    """Send a body as it is, and give the JSON that comes back, whatever the status; without a method it is the older protocol."""
    headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    if method:
        headers |= {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method}
    if name:
        headers["Mcp-Name"] = name
    return httpx2.post(url, content=body, headers=headers, timeout=60).json()
