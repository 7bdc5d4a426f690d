"""What a type checker sees of a contract. Checked by mypy and pyright; never run."""

from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any, assert_type

from errata import Code, Contract, Failure, FaultError, Recovery, Retry, fail, raises, recovery_for


class FetchErrors(Contract):
    """What fetching can fail with."""

    no_match = Failure(
        Code.NOT_FOUND,
        when="No requested PMID returned data",
        recovery="Call pubmed_search_articles first to discover valid PMIDs.",
    )
    queue_full = Failure(
        Code.RATE_LIMITED,
        retryable=True,
        retry_after_ms=30_000,
        when="The local request queue is at capacity",
        recovery="Wait 30 seconds and retry, or ask for fewer PMIDs.",
    )


class MoreErrors(FetchErrors):
    """What it can fail with besides."""

    withdrawn = Failure(Code.GONE, when="It was withdrawn", recovery="Tell the user that it was withdrawn.")


gone = Failure(Code.GONE, reason="gone", when="It is gone", recovery="Ask the user for another article.")

assert_type(FetchErrors.no_match, Failure)
assert_type(MoreErrors.no_match.reason, str)
assert_type(FetchErrors.no_match("None of 3 returned data", {"pmids": [1]}, cause=OSError()), FaultError)
assert_type(MoreErrors.withdrawn(retry=Retry.NEVER, recovery=Recovery(hint="x")).code, Code)
assert_type(fail("no_match", "x", {**recovery_for("no_match")}, retry_after_ms=5), FaultError)
assert_type(recovery_for("no_match"), dict[str, object])


@raises(FetchErrors, gone)
async def fetch(pmids: list[str]) -> list[str]:
    """A coroutine function."""
    raise FetchErrors.no_match(data={"pmids": pmids})


@raises(MoreErrors)
def count(shop: int, *, deep: bool = False) -> int:
    """A function."""
    return shop if deep else 0


@raises(FetchErrors)
async def rows() -> AsyncIterator[int]:
    """An async generator."""
    yield 1


class Shop:
    """Methods of every kind."""

    @raises(FetchErrors)
    def order(self, number: int) -> str:
        """A method."""
        return str(number)

    @raises(FetchErrors)
    @staticmethod
    def static(number: int) -> str:
        """A static method."""
        return str(number)

    @classmethod
    @raises(FetchErrors)
    def made(cls, number: int) -> "Shop":
        """A class method."""
        return cls() if number else Shop()


checked: Callable[[list[str]], Coroutine[Any, Any, list[str]]] = fetch
assert_type(count(1, deep=True), int)
assert_type(rows(), AsyncIterator[int])
assert_type(Shop().order(1), str)
assert_type(Shop.static(1), str)
assert_type(Shop.made(1), Shop)

# What has to be refused. An ignore that is not needed is an error itself, so each line proves a refusal.
FetchErrors.typo  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
FetchErrors.withdrawn  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
FetchErrors.no_match(42)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
FetchErrors.no_match("x", retry_after="soon")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
FetchErrors.no_match.when = "now"  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]
Failure("nope", when="x", recovery="y")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
Failure(Code.GONE, when="x", recovery="y", retryable="yes")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
Failure(when="x", recovery="y")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
raises(int)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
raises("no_match")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
fail(42)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
count("1")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
Shop().order("1")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
