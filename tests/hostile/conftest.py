"""What the hostile tests share."""

import pytest
from support.paused_time import be_patient


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture(autouse=True)
def patiently(monkeypatch):
    """Let every list of tools have its time, however busy this machine is."""
    be_patient(monkeypatch)
