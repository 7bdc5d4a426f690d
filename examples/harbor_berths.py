"""Berths in harbours: a server as most are written, without annotations, and one line of errata.

    python examples/harbor_berths.py              on stdin and stdout
    python examples/harbor_berths.py --http 8000  at http://127.0.0.1:8000/mcp

It calls the API at HARBORS_URL with HARBORS_API_KEY. Without a URL it starts one of its own that fails when told to:
look for berths in the harbour `answer-429-after-17`, or book one in `answer-hang`. The harbour of Skagen answers in a form
of its own.
"""

import httpx2
from fastmcp import FastMCP
from running import run
from settings import setting
from upstreams.harbors import harbors

import errata

server = FastMCP("harbor-berths")
installed = errata.install(server)


@server.tool
async def find_berths(harbor: str) -> list[str]:
    """List the free berths of a harbour."""
    async with httpx2.AsyncClient(base_url=setting("HARBORS_URL"), timeout=1) as http:
        response = await http.get("/berths", params={"harbor": harbor, "api_key": setting("HARBORS_API_KEY")})
        response.raise_for_status()
    free: list[str] = response.json()["free"]
    return free


@server.tool
async def book_berth(harbor: str, nights: int) -> str:
    """Book a berth, and pay for it."""
    async with httpx2.AsyncClient(base_url=setting("HARBORS_URL"), timeout=1) as http:
        response = await http.post(
            "/bookings", params={"api_key": setting("HARBORS_API_KEY")}, json={"harbor": harbor, "nights": nights}
        )
        response.raise_for_status()
    confirmation: str = response.json()["confirmation"]
    return confirmation


if __name__ == "__main__":
    run(server, installed.uninstall, HARBORS_URL=harbors, HARBORS_API_KEY="hb-sandbox-71c40e9ad2")
