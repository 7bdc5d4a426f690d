"""`errata explain --exception`."""

import pytest

from errata.cli import main


@pytest.mark.parametrize(
    ("name", "says"),
    [
        (
            "builtins.TimeoutError",
            ["# builtins.TimeoutError", "- table: Python", "- code: TIMEOUT", "- retry: only if"],
        ),
        ("botocore.exceptions.ClientError", ["- table: AWS", "- decided by: AWS"]),
        ("ConnectTimeout", ["# httpx.ConnectTimeout", "# requests.exceptions.ConnectTimeout"]),
        ("builtins.RuntimeError", ["INTERNAL_ERROR", "says little by itself"]),
        ("myshop.errors.OrderNotFoundError", ["No table names it", "NOT_FOUND"]),
    ],
)
def test_a_class_is_explained(name, says, capsys):
    assert main(["explain", "--exception", name]) == 0
    page = capsys.readouterr().out
    assert [each for each in says if each not in page] == []


def test_a_class_nobody_knows_gets_the_nearest_names(capsys):
    assert main(["explain", "--exception", "httpx.ConnectTimeot"]) == 2
    assert "`httpx.ConnectTimeout`" in capsys.readouterr().err


def test_a_name_that_says_nothing_is_said_to_say_nothing(capsys):
    assert main(["explain", "--exception", "zzz.Qqq"]) == 2
    assert "dotted name" in capsys.readouterr().err
