"""What tests of several libraries need."""

import socket

import pytest


@pytest.fixture
def closed_port():
    """A port of this machine on which nobody listens."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]
