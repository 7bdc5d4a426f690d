"""What the tests of clients share."""

import pytest
from client.answering import listening
from client.patience import be_patient

from errata.resilience import retry


@pytest.fixture(autouse=True)
def patiently(monkeypatch):
    """Let every list of tools, and every end of a program, have its time."""
    be_patient(monkeypatch)


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture
def server():
    """Answer over HTTP as a test tells it to."""
    with listening() as answering:
        yield answering


@pytest.fixture
def at_once():
    """Repeat as errata does, without waiting."""

    async def no_time(_):
        """Take none."""

    return retry(sleep=no_time, deadline_s=None, random=lambda: 0.0)
