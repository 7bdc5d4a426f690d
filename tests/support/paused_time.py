"""Time, also on a machine that was paused: what a test finds must not depend on it."""

import asyncio

import anyio

from errata.client import _managed_connection, _server_lists, _watched_transport

LONGEST_S = 60.0


def be_patient(monkeypatch):
    """Give every list of tools, and every program that ends, a minute."""
    for module, name, value in (
        (_server_lists, "_LONGEST_S", LONGEST_S),
        (_server_lists, "_SHARE", 1.0),
        (_server_lists, "_GRACE_S", LONGEST_S),
        (_managed_connection, "_LONGEST_CHECK_S", LONGEST_S),
        (_managed_connection, "_CHECK", 1.0),
        (_watched_transport, "_LONGEST_END_S", LONGEST_S),
        (_watched_transport, "_LONGEST_DRAIN_S", LONGEST_S),
    ):
        monkeypatch.setattr(module, name, value)


class SkippingLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock a test puts forward: what waits for a time limit has it over at once."""

    skipped_s = 0.0

    def time(self):
        return super().time() + self.skipped_s


def skip(seconds):
    """Put the clock of the running loop forward."""
    asyncio.get_running_loop().skipped_s += seconds


async def until(condition):
    """Wait for something that nobody tells."""
    with anyio.fail_after(LONGEST_S):
        while not condition():  # noqa: ASYNC110 - as above.
            await anyio.sleep(0.001)
