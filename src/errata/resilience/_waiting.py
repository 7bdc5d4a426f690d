"""Waiting for the answer of a store that has to ask somebody else, under asyncio, trio or in a thread."""

import asyncio
import sys
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any, TypeAlias

from errata.resilience._circuit import Admission, Permit

Free: TypeAlias = Callable[[Permit], object]

_LONGEST_S = 1.0  # A store answers in a twentieth of that; this is for one that is broken.


def answer_of(asked: Future[Admission], free: Free) -> Admission | None:
    """Wait for the answer; None if there is none. A permit that comes too late for its caller is given back."""
    try:
        return asked.result(_LONGEST_S)
    except BaseException as error:
        asked.add_done_callback(partial(_give_back, free))
        if isinstance(error, Exception):
            return None
        raise


async def answer_to_task(asked: Future[Admission], free: Free) -> Admission | None:
    """Wait for the answer as a task does; a task that is cancelled gives back what it would have got."""
    try:
        return await _answer(asked)
    except BaseException as error:
        asked.add_done_callback(partial(_give_back, free))
        if isinstance(error, Exception):
            return None
        raise


async def _answer(asked: Future[Admission]) -> Admission:
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        trio: Any = sys.modules["trio"]
        found: Admission = await trio.to_thread.run_sync(asked.result, _LONGEST_S, abandon_on_cancel=True)
        return found
    async with asyncio.timeout(_LONGEST_S):  # Shielded: to cancel what the store will answer would break the store.
        return await asyncio.shield(asyncio.wrap_future(asked, loop=loop))


def _give_back(free: Free, asked: Future[Admission]) -> None:
    if not asked.cancelled() and asked.exception() is None and isinstance(permit := asked.result(), Permit):
        free(permit)
