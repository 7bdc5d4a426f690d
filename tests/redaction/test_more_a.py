"""Pairs of names and values in the forms that an independent tester found."""

import pytest

from errata import redact


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        (
            "map[client_id:[mcp] client_secret:[hunter2abc]]",
            "map[client_id:[mcp] client_secret:[[redacted: secret]]]",
        ),
        ("secrets=[a1b2c3d4] port=80", "secrets=[[redacted: secret]] port=80"),
        ("psk=[hunter22x]", "psk=[[redacted: secret]]"),
    ],
)
def test_the_bracket_of_a_mark_closes_no_list(text: str, redacted: str) -> None:
    assert redact(text) == redacted
