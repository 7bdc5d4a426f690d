"""What a type checker sees of breakers and of `protect`. Checked by mypy and pyright; never run."""

from collections.abc import Callable, Coroutine
from typing import Any, assert_type

from errata import Code, FaultError
from errata.resilience import (
    Breaker,
    BreakerStatus,
    Change,
    Circuit,
    Facts,
    Limits,
    MemoryStore,
    Permit,
    Refusal,
    State,
    Store,
    Verdict,
    protect,
    retry,
)


def tell(change: Change) -> None:
    """Hear of a change."""
    assert_type(change.after, State)


ncbi = Breaker("ncbi", failures=3, store=MemoryStore(), fallback_tool="search_cache", on_change=tell)
shielded = protect(upstream="ncbi", fallback_tool="search_cache", retry=retry(idempotent=True), open_s=30)


@ncbi
def count(term: str, *, exact: bool = False) -> int:
    """Count what is found."""
    return len(term) + exact


@shielded
async def fetch(pmid: str) -> bytes:
    """Fetch an article."""
    return pmid.encode()


assert_type(count("x", exact=True), int)
assert_type(ncbi.call(count, "x", exact=True), int)
assert_type(shielded.call(count, "x"), int)
assert_type(ncbi(count)("x"), int)
assert_type(ncbi.status(), BreakerStatus)
assert_type(shielded.breaker.status().as_dict(), dict[str, object])
assert_type(ncbi.status().last_success, str | None)
plain: Callable[[str], Coroutine[Any, Any, bytes]] = fetch


async def blocks() -> None:
    """Use the blocks."""
    with ncbi as entered:
        assert_type(entered, Breaker)
    async with ncbi as entered:
        assert_type(await fetch("9"), bytes)
    assert_type(await ncbi.call(fetch, "9"), bytes)


class Elsewhere:
    """A store of somebody else."""

    def circuit(self, upstream: str, limits: Limits) -> Circuit:
        """Give the circuit of an upstream."""
        return MemoryStore().circuit(upstream, limits)


class Closed:
    """A circuit of somebody else: it is closed for ever."""

    def admit(self) -> Permit | Refusal:
        """Give leave."""
        return Permit(0)

    def settle(self, permit: Permit, verdict: Verdict, code: Code | None = None) -> None:
        """Hear how it went."""

    def facts(self) -> Facts:
        """Know nothing."""
        return Facts(State.CLOSED, 0, 0, None, None, None, None)

    def watch(self, listener: Callable[[Change], object]) -> None:
        """Change never."""


mine: Store = Elsewhere()
closed: Circuit = Closed()
lasting = Breaker("ncbi", store=mine)
permit = lasting.permit()
assert_type(permit, Permit)
try:
    with lasting.block():
        count("x")
except FaultError as failure:
    lasting.settle(permit, failure)
lasting.release(permit)
protect("ncbi", retry=False)

count(9)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
ncbi.call(count, 9)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
protect("ncbi", failure=3)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
Breaker("ncbi", store="memory")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
