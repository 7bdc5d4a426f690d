"""NCBI's E-utilities: search, fetch, and the searches that a reader saved. What fails is raised, and nothing is caught twice."""

from dataclasses import dataclass
from typing import Any, TypeVar

import httpx2
from pydantic import TypeAdapter, ValidationError
from settings import setting

from errata import Code, FaultError, fail, recovery_for, serialization_error, service_unavailable, try_catch
from errata.http import error_from_response, fetch_with_timeout
from errata.resilience import retry

PATIENCE_S = 1.0
TLS = httpx2.create_ssl_context()  # Reading the certificates for every call would take longer than the call.
UNREACHABLE = {Code.NETWORK_ERROR, Code.SERVICE_UNAVAILABLE}


@dataclass
class Article:
    """An article, as NCBI knows it."""

    pmid: str
    title: str
    journal: str
    year: int
    author: str


@dataclass
class SavedSearch:
    """A search that a reader keeps."""

    id: int
    term: str


@dataclass
class Ids:
    """What a search has found."""

    idlist: list[str]


@dataclass
class Found:
    """What NCBI answers to a search."""

    esearchresult: Ids


@dataclass
class Record:
    """An article, as NCBI writes it down."""

    pmid: str
    title: str
    source: dict[str, str]
    year: int
    author: str


@dataclass
class Fetched:
    """What NCBI answers to a fetch."""

    articles: list[Record]


FOUND, FETCHED, SAVED = TypeAdapter(Found), TypeAdapter(Fetched), TypeAdapter(SavedSearch)
T = TypeVar("T")


async def search(term: str, limit: int, request_id: str | int) -> list[str]:
    """Find the PMIDs of articles; an empty list is a result."""
    async with connect() as http:
        response = await http.get("/esearch", params={"term": term, "retmax": limit})
    if not response.is_success:
        raise error_from_response(response, service="NCBI", data={"endpoint": "esearch", "requestId": request_id})
    return read(FOUND, response, "esearch").esearchresult.idlist


async def fetch(pmids: list[str]) -> list[Article]:
    """Fetch the articles that exist."""
    async with connect() as http:
        response = await try_catch(
            lambda: ask_or_say_it_is_down(http, "/efetch", id=",".join(pmids)),
            operation="Eutils.fetch",
            context={"pmids": pmids},
        )
    if response.is_redirect:  # What is an error was raised before; this is neither an error nor an answer.
        raise error_from_response(response, service="NCBI")
    return [
        Article(record.pmid, record.title, record.source["journal"], record.year, record.author)
        for record in read(FETCHED, response, "efetch").articles
    ]


async def saved_search(account: str, number: int) -> SavedSearch:
    """Look up a search by its number. NCBI's complaints quote the reader's account, so they stay here."""
    async with connect() as http:
        response = await http.get(f"/myncbi/{account}/searches/{number}")
    if response.status_code == httpx2.codes.NOT_FOUND:
        # The declared reason wins over HTTP's.
        said = {"status": response.status_code, "reason": response.reason_phrase}
        hint = f"No item {number}; try IDs 1-100 instead."
        raise fail("no_match", f"No item {number}", {**said, "recovery": {"hint": hint}})
    if not response.is_success:
        raise error_from_response(response, service="My NCBI", capture_body=False)
    return read(SAVED, response, "myncbi")


def connect() -> httpx2.AsyncClient:
    """Make a client that NCBI knows by its key."""
    url, key = setting("NCBI_URL"), setting("NCBI_API_KEY")
    return httpx2.AsyncClient(base_url=url, params={"api_key": key}, timeout=PATIENCE_S, verify=TLS)


@retry(attempts=2, deadline_s=10, idempotent=True, upstream="ncbi")
async def ask(http: httpx2.AsyncClient, path: str, **params: Any) -> httpx2.Response:  # noqa: ANN401 - httpx2 checks them.
    """Ask NCBI, and a second time if that may help and NCBI did not say to come back much later."""
    return await fetch_with_timeout(path, client=http, timeout_ms=int(PATIENCE_S * 1000), service="NCBI", params=params)


async def ask_or_say_it_is_down(http: httpx2.AsyncClient, path: str, **params: Any) -> httpx2.Response:  # noqa: ANN401 - as above.
    """Ask NCBI; that it is down is told by the reason that a tool may have declared."""
    try:
        return await ask(http, path, **params)
    except FaultError as error:
        if error.code not in UNREACHABLE:
            raise
        raise service_unavailable(
            error.fault.message,
            {"reason": "ncbi_down", **recovery_for("ncbi_down")},
            retry_after_ms=error.fault.retry_after_ms,
        ) from error


def read(expected: TypeAdapter[T], response: httpx2.Response, endpoint: str) -> T:
    """Read what NCBI answered, to the letter: what is guessed at would look like an answer, or like none found."""
    return try_catch(
        lambda: expected.validate_json(response.content, strict=True),
        operation="Eutils.parse",
        error_mapper=lambda error: unreadable(error, endpoint),
    )


def unreadable(error: Exception, endpoint: str) -> FaultError:
    """Say what kind of answer it was; what the parser stumbled over is for the log."""
    no_json = isinstance(error, ValidationError) and error.errors()[0]["type"] == "json_invalid"
    answer = "something that is not JSON" if no_json else "JSON of another shape"
    return serialization_error(f"NCBI answered `{endpoint}` with {answer}.", cause=error)
