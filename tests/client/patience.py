"""Time for a list of tools, also on a machine that was paused: what a test finds must not depend on it."""

from errata.client import _connection, _tools

LONGEST_S = 60.0


def be_patient(monkeypatch):
    """Give every list of tools a minute."""
    for module, name, value in (
        (_tools, "_LONGEST_S", LONGEST_S),
        (_tools, "_SHARE", 1.0),
        (_connection, "_LONGEST_CHECK_S", LONGEST_S),
        (_connection, "_CHECK", 1.0),
    ):
        monkeypatch.setattr(module, name, value)
