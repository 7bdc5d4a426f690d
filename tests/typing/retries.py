"""What a type checker sees of retries, budgets and effects. Checked by mypy and pyright; never run."""

from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, assert_type

from errata.resilience import Budget, Repetition, Retrying, backoff_for, effect, retry


@retry
def find(order: int, *, by: str = "id") -> str:
    return f"{order}{by}"


def key_of(order: int) -> str:
    return str(order)


@retry(attempts=5, upstream="ncbi", idempotent=True, key=key_of, deadline_s=None)
async def fetch(order: int) -> list[str]:
    return [str(order)]


class Shop:
    @retry(budget=Budget(100))
    def find(self, order: int) -> str:
        return str(order)

    @retry
    async def fetch(self, order: int) -> str:
        return str(order)

    @staticmethod
    @retry
    def count() -> int:
        return 1

    @classmethod
    @retry
    def name(cls) -> str:
        return cls.__name__


@effect("get_payment")
async def pay(amount: int) -> bool:
    return amount > 0


def tell(repetition: Repetition) -> None:
    assert_type(repetition.attempt, int)
    assert_type(repetition.wait_ms, int)
    assert_type(repetition.upstream, str | None)


def lazily(order: int) -> Awaitable[bytes]:
    raise NotImplementedError(order)


async def main(shop: Shop) -> None:
    assert_type(find(17, by="n"), str)
    find("17")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    assert_type(await fetch(17), list[str])
    await fetch()  # type: ignore[call-arg] # pyright: ignore[reportCallIssue]
    assert_type(shop.find(17), str)
    assert_type(await shop.fetch(order=17), str)
    assert_type(Shop.count(), int)
    assert_type(Shop.name(), str)
    assert_type(retry.call(find, 17, by="n"), str)
    retry.call(find, "17")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    assert_type(await retry.call(fetch, 17), list[str])
    assert_type(await retry.call(lazily, 17), bytes)
    assert_type(await pay(5), bool)


assert_type(retry, Retrying)
assert_type(retry(attempts=5), Retrying)
assert_type(retry(attempts=5)(on_retry=tell).attempts, int)
retry(attemps=5)  # type: ignore[call-overload] # pyright: ignore[reportCallIssue]
retry(attempts="5")  # type: ignore[call-overload] # pyright: ignore[reportArgumentType]
assert_type(Budget.of("ncbi").tokens, int)
assert_type(Budget().take(rate_limited=True), int | None)
assert_type(backoff_for(OSError(), idempotent=True), bool | float)
hook: Callable[[Exception], bool | float] = backoff_for
fetching: Callable[[int], Coroutine[Any, Any, list[str]]] = fetch
