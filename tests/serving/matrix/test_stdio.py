"""Every failure on every kind of server, with the server as a process of its own."""

import functools

import pytest
from support.failing_servers import answers, ask, asked_of, over_stdio
from support.golden_files import differing

DIAGONAL = [("MCPServer", "2026-07-28"), ("Server", "2025-11-25"), ("FastMCP", "2026-07-28"), ("FastMCP", "2025-11-25")]
"""Every kind, and both eras; all products of them are asked in memory and over HTTP."""
every_connection = pytest.mark.parametrize(("kind", "era"), DIAGONAL)


@functools.cache
def seen(kind, era):
    return ask(over_stdio(kind), era, asked_of(kind))


@every_connection
def test_every_failure_is_answered_the_same(kind, era):
    assert differing(answers(seen(kind, era))) == {}


@every_connection
def test_progress_arrives_before_a_failure(kind, era):
    assert seen(kind, era)["after_progress"].progress == [(1, 2, "half way"), (2, 2, None)]
