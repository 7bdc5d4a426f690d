"""The server that tutorial.md ends with."""  # noqa: INP001 - a file beside the pages, not a package.

import httpx2
from mcp.server.mcpserver import MCPServer

import errata
from errata import Code, Contract, Failure, raises
from errata.http import error_from_response

server = MCPServer("parcels")
errata.install(server)


class TrackErrors(Contract):
    """What `track` can fail with."""

    no_parcel = Failure(
        Code.NOT_FOUND,
        when="There is no parcel with this number",
        recovery="Call list_parcels to see which numbers there are.",
    )


@server.tool()
async def list_parcels() -> list[str]:
    """List the parcels that are on their way."""
    return ["P-17"]


@server.tool()
@raises(TrackErrors)
async def track(number: str) -> str:
    """Tell where a parcel is."""
    async with httpx2.AsyncClient(base_url="https://parcels.example") as http:
        response = await http.get("/track", params={"number": number})
    if response.status_code == httpx2.codes.NOT_FOUND:
        raise TrackErrors.no_parcel(f"There is no parcel {number}.")
    if response.is_error:
        raise error_from_response(response, service="The parcel service")
    return str(response.json()["place"])
