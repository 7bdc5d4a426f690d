"""Ports of this machine on which nobody listens, and that nobody else is given."""

import itertools
import os
import socket

_FIRST = 20_000  # Below the ports that the kernel gives to clients, so no connection takes one in between.
_PER_WORKER = 500
_WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
_PORTS = itertools.cycle(range(_FIRST + _WORKER * _PER_WORKER, _FIRST + (_WORKER + 1) * _PER_WORKER))


def free_port():
    """Return a port to listen on, or to be refused at; another one each time."""
    for port in itertools.islice(_PORTS, _PER_WORKER):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError(f"Somebody listens on every port from {_FIRST} on.")
