"""The server that command-line.md asks for its failures."""  # noqa: INP001 - a file beside the pages, not a package.

from mcp.server.mcpserver import MCPServer

import errata
from errata import Code, Contract, Failure, raises

server = MCPServer("pubmed")


class FetchErrors(Contract):
    """What `fetch_articles` can fail with."""

    no_match = Failure(
        Code.NOT_FOUND,
        when="No requested PMID returned data",
        recovery="Call search_articles first to find PMIDs.",
    )
    queue_full = Failure(
        Code.RATE_LIMITED,
        retry_after_ms=30_000,
        when="The request queue is full",
        recovery="Wait 30 seconds, then ask for fewer PMIDs.",
    )


@server.tool()
@raises(FetchErrors)
async def fetch_articles(pmids: list[str]) -> list[str]:
    """Fetch articles by their PMIDs."""
    raise FetchErrors.no_match(f"None of {len(pmids)} PMIDs returned data")


@server.tool()
async def search_articles(term: str) -> list[str]:
    """Find the PMIDs of articles."""
    return ["38052113"] if term else []


errata.install(server, dialect="json-rpc")
