"""What tests of several libraries need."""

import pytest
from support.ports import free_port


@pytest.fixture
def closed_port():
    """A port of this machine on which nobody listens."""
    return free_port()
