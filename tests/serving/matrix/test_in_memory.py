"""Every failure on every kind of server, in both eras, with client and server in one process."""

import functools
import json

import pytest
from support.failing_servers import CONNECTIONS, SERVERS, ask, asked_of
from support.failing_tools import ASKED, FAILING, NEVER_SHOWN, SECRET
from support.golden_files import files_in, golden
from support.sdk import REPORTS_PROGRESS

import errata

every_connection = pytest.mark.parametrize(("kind", "era"), CONNECTIONS)


@functools.cache
def seen(kind, era):
    server = SERVERS[kind]()
    errata.install(server)
    return ask(server, era, asked_of(kind))


@pytest.mark.parametrize(
    ("kind", "era", "case"), [(kind, era, case) for kind, era in CONNECTIONS for case in asked_of(kind)]
)
def test_a_failure_is_answered_the_same_everywhere(kind, era, case):
    answer = seen(kind, era)[case].answer

    assert answer == golden(f"native/{case}", answer)


@pytest.mark.skipif(not REPORTS_PROGRESS, reason="A client of mcp before 1.9 is not told of progress.")
@every_connection
def test_progress_arrives_before_a_failure(kind, era):
    assert seen(kind, era)["after_progress"].progress == [(1, 2, "half way"), (2, 2, None)]


@every_connection
def test_neither_a_secret_nor_the_text_of_a_bug_is_in_any_answer(kind, era):
    for answer in seen(kind, era).values():
        told = json.dumps(answer.whole)
        assert NEVER_SHOWN not in told
        assert SECRET not in told


def test_a_golden_file_is_a_case():
    assert files_in("native") == {*FAILING, *ASKED}
