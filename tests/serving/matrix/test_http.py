"""Every failure on every kind of server, in both eras, over streamable HTTP."""

import functools

import pytest
from support.failing_servers import CONNECTIONS, ERAS, SERVERS, answers, ask, asked_of, over_http
from support.golden_files import differing

import errata

every_connection = pytest.mark.parametrize(("kind", "era"), CONNECTIONS)


@functools.cache
def seen(kind):
    server = SERVERS[kind]()
    errata.install(server)
    with over_http(server) as url:
        return {era: ask(url, era, asked_of(kind)) for era in ERAS}


@every_connection
def test_every_failure_is_answered_the_same(kind, era):
    assert differing(answers(seen(kind)[era])) == {}


@every_connection
def test_progress_arrives_before_a_failure(kind, era):
    assert seen(kind)[era]["after_progress"].progress == [(1, 2, "half way"), (2, 2, None)]
