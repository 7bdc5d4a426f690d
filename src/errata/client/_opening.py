"""What `Caller.connect` gives: a block that is still to be entered."""

from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import TYPE_CHECKING, NoReturn, TypeVar

_T = TypeVar("_T")
_NOT_ENTERED = (
    "Nothing is connected yet. Write `async with Caller.connect(…) as caller:`, and {use} inside of the block."
)


class Opening(AbstractAsyncContextManager[_T]):
    """A block of `async with`; used in any other way, it says how to use it."""

    def __init__(self, block: AbstractAsyncContextManager[_T]) -> None:
        self._block = block
        self._is_new = True

    async def __aenter__(self) -> _T:
        if not self._is_new:
            raise RuntimeError("This block was entered before. Write `Caller.connect(…)` again: it connects anew.")
        self._is_new = False
        return await self._block.__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        return await self._block.__aexit__(kind, error, traceback)

    if not TYPE_CHECKING:  # A type checker says it itself, and before anything runs.

        def __getattr__(self, name: str) -> NoReturn:
            raise AttributeError(_NOT_ENTERED.format(use=f"use `caller.{name}`"))

        def __await__(self) -> NoReturn:
            raise TypeError(_NOT_ENTERED.format(use="call the tools"))
