"""Articles from PubMed: an MCP server that fails in the dialect `json-rpc`.

    python examples/pubmed_articles.py              on stdin and stdout
    python examples/pubmed_articles.py --http 8000  at http://127.0.0.1:8000/mcp

It calls the API at NCBI_URL with NCBI_API_KEY. Without a NCBI_URL it starts one of its own that fails when told to: search
for `answer-503`, or fetch the PMID `answer-hang`. PMID 20301295 is a chapter of a book, which finds a bug of the server's
own. Reading lists are kept in the folder READING_LISTS; without it, saving an article is a configuration error.
"""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated

import anyio.to_thread
from annotations import ADDS, READS
from mcp.server.mcpserver import Context, MCPServer
from pubmed import eutils, reading_lists
from pubmed.arithmetic import MathService
from pubmed.eutils import Article, SavedSearch
from pubmed.reading_lists import Saved
from pydantic import Field
from running import run
from upstreams.ncbi import ncbi

import errata
from errata import Code, Contract, Failure, fail, not_found, raises, recovery_for

server = MCPServer("pubmed-articles")
installed = errata.install(server, dialect="json-rpc")

# What is a PMID is NCBI's to say; what fits into its URLs and into a file's name is ours.
Pmid = Annotated[str, Field(pattern=r"^[0-9A-Za-z-]{1,40}$")]
Name = Annotated[str, Field(pattern=r"^[0-9A-Za-z][0-9A-Za-z_.-]{0,39}$")]


class Queue:
    """How many PMIDs may wait for NCBI at one time, whoever asked for them."""

    def __init__(self, places: int) -> None:
        self.places = self.free = places

    @contextmanager
    def holding(self, places: int) -> Generator[None]:
        """Take places in the queue until it is done."""
        self.free -= places
        try:
            yield
        finally:
            self.free += places


queue = Queue(places=20)


@dataclass
class Found:
    """What a search has found."""

    pmids: list[str]


@server.tool(annotations=READS)
async def pubmed_search_articles(
    term: Annotated[str, Field(min_length=1, max_length=500)],
    ctx: Context,
    limit: Annotated[int, Field(ge=1, le=100)] = 20,
) -> Found:
    """Find the PMIDs of articles by words of their title, their first author or their year."""
    return Found(await eutils.search(term, limit, ctx.request_id))


@dataclass
class Articles:
    """The articles that exist among those asked for."""

    articles: list[Article]


class FetchErrors(Contract):
    """What `fetch_articles` can fail with."""

    no_match = Failure(
        Code.NOT_FOUND,
        when="No requested PMID returned data",
        recovery="Try pubmed_search_articles to discover valid PMIDs first.",
    )
    queue_full = Failure(
        Code.RATE_LIMITED,
        when="Local request queue is at capacity",
        retryable=True,
        recovery="Wait 30 seconds and retry, or reduce batch size.",
    )
    ncbi_down = Failure(
        Code.SERVICE_UNAVAILABLE,
        when="NCBI E-utilities unreachable after retries",
        retryable=True,
        recovery="NCBI is degraded; retry in a few minutes.",
    )
    too_many = Failure(
        Code.VALIDATION_FAILED,
        when="More PMIDs are asked for than the queue has places",
        recovery=f"Ask for at most {queue.places} PMIDs in one call, and for the rest in further calls.",
    )


@server.tool(annotations=READS)
@raises(FetchErrors)
async def fetch_articles(pmids: Annotated[list[Pmid], Field(min_length=1)]) -> Articles:
    """Fetch articles by PMID."""
    if len(pmids) > queue.places:
        raise FetchErrors.too_many(f"{len(pmids)} PMIDs were asked for; the most in one call are {queue.places}.")
    if len(pmids) > queue.free:
        raise FetchErrors.queue_full(
            f"{len(pmids)} PMIDs were asked for; {queue.free} of {queue.places} places in the queue are free."
        )
    with queue.holding(len(pmids)):
        articles = await eutils.fetch(pmids)
    if not articles:
        # As in `json-rpc`, where `fail` sends a recovery only if the author spreads it; a declared failure raised by name does.
        raise fail("no_match", f"None of {len(pmids)} PMIDs returned data")
    return Articles(articles)


class SavedSearchErrors(Contract):
    """What `pubmed_saved_search` can fail with."""

    no_match = Failure(
        Code.NOT_FOUND,
        when="The reader saved no search under this number",
        recovery="Ask for one of the searches that the reader has saved.",
    )


@server.tool(annotations=READS)
@raises(SavedSearchErrors)
async def pubmed_saved_search(account: Name, item_id: Annotated[int, Field(ge=1, le=9_999)]) -> SavedSearch:
    """Look up a search that a reader saved at My NCBI; each may save up to 100."""
    return await eutils.saved_search(account, item_id)


@dataclass
class Calculation:
    """An expression and its value, as text: JSON's numbers are too small for it."""

    expression: str
    value: str


class CalculateErrors(Contract):
    """What `calculate` can fail with."""

    empty_expression = Failure(
        Code.VALIDATION_FAILED,
        when="Expression is empty or whitespace-only.",
        recovery="Provide a non-empty mathematical expression to evaluate.",
    )
    parse_failed = Failure(
        Code.VALIDATION_FAILED,
        when="Expression is not arithmetic.",
        recovery="Write numbers, + - * / // % ** and parentheses only, such as (2 + 3) * 4.",
    )
    undefined = Failure(
        Code.VALIDATION_FAILED,
        when="Expression has no real value.",
        recovery="Change the expression so that it neither divides by zero nor takes the root of a negative number.",
    )
    too_large = Failure(
        Code.VALIDATION_FAILED,
        when="Numbers get too large on the way or in the end.",
        recovery="Use smaller numbers and exponents, or divide by a power of ten before the end.",
    )
    evaluation_timeout = Failure(
        Code.SERVICE_UNAVAILABLE,
        when="Evaluation exceeded the configured timeout.",
        recovery="Simplify the expression or retry the request after a brief delay.",
    )


@server.tool(annotations=READS)
@raises(CalculateErrors)
async def calculate(expression: str) -> Calculation:
    """Work out an arithmetic expression."""
    if not expression.strip():
        raise fail("empty_expression", data={**recovery_for("empty_expression")})
    value = await anyio.to_thread.run_sync(MathService().evaluate, expression)
    return Calculation(expression, value)


@server.tool(annotations=ADDS)
async def save_article(pmid: Pmid, reading_list: Name) -> Saved:
    """Put an article on a reading list."""
    if not await eutils.fetch([pmid]):
        raise not_found(f"Item not found: {pmid}", {"id": pmid})
    return await anyio.to_thread.run_sync(reading_lists.save, reading_list, pmid)


class ArticleErrors(Contract):
    """What reading an article can fail with."""

    no_article = Failure(
        Code.NOT_FOUND,
        when="PubMed has no article with this PMID",
        recovery="Call pubmed_search_articles to find the PMIDs of articles that exist.",
    )
    ncbi_down = Failure(
        Code.SERVICE_UNAVAILABLE,
        when="NCBI E-utilities unreachable after retries",
        retryable=True,
        recovery="Read the article again in a few minutes; NCBI is degraded.",
    )


@server.resource("pubmed://article/{pmid}", mime_type="application/json")
@raises(ArticleErrors)
async def article(pmid: Pmid) -> Article:
    """One article, by its PMID."""
    found = await eutils.fetch([pmid])
    if not found:
        raise ArticleErrors.no_article(f"PubMed has no article `{pmid}`.")
    return found[0]


if __name__ == "__main__":
    run(server, installed.uninstall, NCBI_URL=ncbi, NCBI_API_KEY="ncbi-sandbox-8c41d7f2a9")
