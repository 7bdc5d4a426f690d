"""One server that offers what the official conformance suite asks for, with errata installed, bare, or bare behind the gate.

python conformance/server.py --port 8000 [--bare | --gated]
"""

import argparse
from dataclasses import dataclass, field

import asking
import contents
import uvicorn
from mcp import types
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.prompts import Prompt
from mcp.server.streamable_http import EventCallback, EventMessage, EventStore

NO_RESULT = types.EmptyResult()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument("--bare", action="store_true", help="leave errata out")
    ways.add_argument("--gated", action="store_true", help="put `errata.gate.asgi` around the application instead")
    arguments = parser.parse_args()

    server = build()
    if not (arguments.bare or arguments.gated):
        import errata  # noqa: PLC0415 - the bare server shall not even import it.

        errata.install(server)
    app = server.streamable_http_app(event_store=Remembered(), retry_interval=100)
    if arguments.gated:
        from errata.gate import asgi  # noqa: PLC0415 - as above.

        app = asgi(app)
    uvicorn.run(app, host="127.0.0.1", port=arguments.port, log_level="warning")


def build() -> MCPServer:
    """Make the server, without errata."""
    server = MCPServer("conformance", version="1.0", log_level="WARNING", tools=[contents.tool_with_a_rich_schema()])
    contents.add_to(server)
    asking.add_to(server)
    server.add_tool(test_trigger_tool_change)
    server.add_tool(test_trigger_prompt_change)
    _answer_what_2026_removed(server)
    return server


def _answer_what_2026_removed(server: MCPServer) -> None:
    """Serve the three methods of 2025 that MCPServer has no decorator for."""
    add = server._lowlevel_server.add_request_handler  # noqa: SLF001 - where the SDK sends those who want them.
    add("logging/setLevel", types.SetLevelRequestParams, _nothing_to_say)
    add("resources/subscribe", types.SubscribeRequestParams, _nothing_to_say)
    add("resources/unsubscribe", types.UnsubscribeRequestParams, _nothing_to_say)


async def _nothing_to_say(_context: object, _params: object) -> types.EmptyResult:
    return NO_RESULT


async def test_trigger_tool_change(ctx: Context) -> str:
    """Change the list of tools and say so."""
    ctx.mcp_server.add_tool(_short_lived, name="test_short_lived")
    await ctx.notify_tools_changed()
    ctx.mcp_server.remove_tool("test_short_lived")
    return "The list of tools has changed."


async def test_trigger_prompt_change(ctx: Context) -> str:
    """Change the list of prompts and say so."""
    ctx.mcp_server.add_prompt(Prompt.from_function(_short_lived, name="test_short_lived"))
    await ctx.notify_prompts_changed()
    ctx.mcp_server.remove_prompt("test_short_lived")
    return "The list of prompts has changed."


def _short_lived() -> str:
    """Be there for a moment."""
    return "Gone soon."


@dataclass
class Remembered(EventStore):
    """Every event of every stream, so that a client can come back for what it missed."""

    events: list[tuple[str, types.JSONRPCMessage | None]] = field(default_factory=list)

    async def store_event(self, stream_id: str, message: types.JSONRPCMessage | None) -> str:
        """Keep one event; its number is its id."""
        self.events.append((stream_id, message))
        return str(len(self.events) - 1)

    async def replay_events_after(self, last_event_id: str, send_callback: EventCallback) -> str | None:
        """Send what came later on the same stream."""
        last = int(last_event_id)
        stream_id = self.events[last][0]
        for number, (stream, message) in enumerate(self.events[last + 1 :], last + 1):
            if stream == stream_id and message is not None:
                await send_callback(EventMessage(message, str(number)))
        return stream_id


if __name__ == "__main__":
    main()
