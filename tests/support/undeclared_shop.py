"""A shop whose tools say nothing of what they do, as those of most servers: a server in a process of its own.

`python undeclared_shop.py BOOKS [PORT]` serves it over stdio, or over HTTP in either protocol. In the folder BOOKS it
writes what it was asked and what it has done, and finds what is to go wrong: a file `create_order.hangs` lets the next
call of this tool hang once its work is done, one that ends with `.hangs_before` before that, and one with `.dies` is
the end of the process.
"""

import os
import sys
from pathlib import Path

import anyio
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import ToolAnnotations

_BOOKS = Path(sys.argv[1]) if __name__ == "__main__" else None
_ANNOTATIONS = {
    "read_only": ToolAnnotations(readOnlyHint=True),
    "destructive": ToolAnnotations(readOnlyHint=False, destructiveHint=True, idempotentHint=False),
}


class Books:
    """What both sides know: lines that were written, and files that say what is to go wrong."""

    def __init__(self, folder):
        self.folder = folder

    def write(self, line):
        with (self.folder / "lines").open("a", encoding="utf-8") as lines:
            lines.write(f"{line}\n")

    @property
    def lines(self):
        path = self.folder / "lines"
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    def let(self, tool, way):
        """Let the next call of a tool go wrong, or all lists: `let("tools", "unlisted")`."""
        (self.folder / f"{tool}.{way}").touch()

    def annotate(self, tool, effect):
        (self.folder / f"{tool}.annotated").write_text(effect, encoding="utf-8")

    def annotations(self, tool):
        path = self.folder / f"{tool}.annotated"
        return _ANNOTATIONS[path.read_text(encoding="utf-8")] if path.exists() else None

    def is_to(self, tool, way):
        path = self.folder / f"{tool}.{way}"
        is_told = path.exists()
        path.unlink(missing_ok=True)
        return is_told

    async def work(self, tool, do=None):
        """Do the work of a tool, or what is to go wrong with it."""
        self.write(f"begins {tool}")
        if self.is_to(tool, "hangs_before"):
            await self._hang(tool)
        if do is not None:
            self.write(f"does {tool}")
            do()
        if self.is_to(tool, "dies"):
            os._exit(3)
        if self.is_to(tool, "hangs"):
            await self._hang(tool)

    async def _hang(self, tool):
        self.write(f"hangs {tool}")
        await anyio.sleep_forever()


class Shop(MCPServer):
    """Writes down when it is asked for its tools."""

    def __init__(self, books):
        super().__init__("shop", log_level="CRITICAL")
        self.books = books

    async def list_tools(self):
        self.books.write("tools/list")
        if (self.books.folder / "tools.unlisted").exists():
            raise RuntimeError("There is no list today.")
        return await super().list_tools()


def shop(books):
    """Make the server."""
    server = Shop(books)
    for tool in (*_orders(books), *_others(books)):
        server.add_tool(tool, annotations=books.annotations(tool.__name__))
    server.prompt("greet")(lambda: "Hello.")
    server.resource("shop://hours", name="hours")(lambda: "9 to 5")
    server.resource("shop://orders/{order_id}", name="order")(lambda order_id: order_id)
    return server


def _orders(books):
    orders = []

    async def create_order(reference: str) -> str:
        """Make an order."""
        await books.work("create_order", lambda: orders.append(reference))
        return f"Order {len(orders)} is made."

    async def get_order(order_id: int) -> str:
        """Look up an order."""
        await books.work("get_order")
        return f"Order {order_id} is open."

    async def list_orders() -> list[str]:
        """List all orders."""
        await books.work("list_orders")
        return orders

    return create_order, get_order, list_orders


def _others(books):
    async def reserve_table(hour: int) -> str:
        """Reserve a table."""
        await books.work("reserve_table", lambda: None)
        return f"The table is yours at {hour}."

    async def run_report() -> str:
        """Do nobody knows what."""
        await books.work("run_report", lambda: None)
        return "The report is written."

    async def hire(ctx: Context) -> str:
        """Offer one more tool, prompt and resource, and tell those who want to know."""
        server = ctx.mcp_server
        server.add_tool(lambda: "packed", name="pack_order")
        server.prompt("thank")(lambda: "Thank you.")
        server.resource("shop://menu", name="menu")(lambda: "soup")
        for kind in ("tool", "prompt", "resource"):
            await getattr(ctx.session, f"send_{kind}_list_changed")()
            await getattr(ctx, f"notify_{kind}s_changed")()
        return "done"

    return reserve_table, run_report, hire


if __name__ == "__main__":
    if len(sys.argv) > 2:
        shop(Books(_BOOKS)).run("streamable-http", port=int(sys.argv[2]))
    else:
        shop(Books(_BOOKS)).run("stdio")
