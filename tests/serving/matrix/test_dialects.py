"""The same failures in all six dialects, on every kind of server and in both eras."""

import functools

import pytest
from support.failing_servers import ERAS, SERVERS, ask
from support.failing_tools import IN_EVERY_DIALECT, KNOWN_TO_THE_SERVER
from support.golden_files import files_in, golden

import errata
from errata import dialects

SEEDS = [name for name in dialects.names() if name != "native"]
ASKED = {
    kind: {case: call for case, call in IN_EVERY_DIALECT.items() if kind != "Server" or case not in KNOWN_TO_THE_SERVER}
    for kind in SERVERS
}


@functools.cache
def seen(kind, era, dialect):
    server = SERVERS[kind]()
    errata.install(server, dialect=dialect)
    return ask(server, era, ASKED[kind])


@pytest.mark.parametrize("dialect", SEEDS)
@pytest.mark.parametrize(
    ("kind", "era", "case"), [(kind, era, case) for kind in SERVERS for era in ERAS for case in ASKED[kind]]
)
def test_a_failure_is_answered_the_same_everywhere(kind, era, case, dialect):
    answer = seen(kind, era, dialect)[case].answer

    assert answer == golden(f"{dialect}/{case}", answer)


@pytest.mark.parametrize("dialect", SEEDS)
def test_a_golden_file_is_a_case(dialect):
    assert files_in(dialect) == set(IN_EVERY_DIALECT)
