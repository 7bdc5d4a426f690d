"""What fake-empty-data says about a failure: the call that failed, by the name that its author gave it."""

from errata.linter import Settings, lint_source

_SOURCE = """
import httpx
from mcp.server.fastmcp import FastMCP

mcp = FastMCP("orders")


@mcp.tool()
async def list_orders(customer: str) -> list:
    async with httpx.AsyncClient() as client:
        try:
            return (await client.get(customer)).json()
        except httpx.HTTPError:
            return []
"""


def test_what_failed_is_the_request_and_not_the_reading_of_its_answer():
    (finding,) = lint_source(_SOURCE, "server.py", Settings(select=("fake-empty-data",)))

    assert finding.message.startswith("a failure of `client.get` is returned as an empty list")
