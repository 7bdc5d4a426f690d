"""Time for a list of tools and for the end of a program, also on a machine that was paused: no test depends on it."""

from errata.client import _connection, _tools, _transport

LONGEST_S = 60.0


def be_patient(monkeypatch):
    """Give every list of tools, and every program that ends, a minute."""
    for module, name, value in (
        (_tools, "_LONGEST_S", LONGEST_S),
        (_tools, "_SHARE", 1.0),
        (_connection, "_LONGEST_CHECK_S", LONGEST_S),
        (_connection, "_CHECK", 1.0),
        (_transport, "_LONGEST_END_S", LONGEST_S),
        (_transport, "_LONGEST_DRAIN_S", LONGEST_S),
    ):
        monkeypatch.setattr(module, name, value)
