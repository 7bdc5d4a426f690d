"""A request that was cancelled, told from a tool that stumbled over something cancelled.

Both arrive as the same exception. Answering the first breaks the protocol, and passing the second on ends the server.
"""

import math
from asyncio import CancelledError
from typing import cast

import anyio

from errata.resilience import cancellations


def has_to_pass(error: BaseException, before: int) -> bool:
    """Tell whether an exception must go on as it is: the request was cancelled, or somebody ends the whole server."""
    if isinstance(error, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        return group.split((Exception, CancelledError))[1] is not None
    return isinstance(error, CancelledError) and _was_cancelled(before)


def _was_cancelled(before: int) -> bool:
    """Tell whether the request itself was cancelled since the count was taken."""
    return cancellations() > before or anyio.current_effective_deadline() == -math.inf
