"""What passes the gate over stdio: everything as it is; with repair, everything but the answers to calls that failed.

Each check is played once here, in one era of the protocol. The whole table is played with ERRATA_FIDELITY=all.
"""

import sys
from contextlib import nullcontext

import pytest
from gate.fidelity import CHECKS, Pairs, chosen
from gate.fidelity_ends import DIRECT, OLD, STDIO, DifferenceError, Way, through_gate

WATCHING, REPAIRING = through_gate("--no-repair"), through_gate()
REWRITING = """
import json, sys, subprocess
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
for line in sys.stdin.buffer:
    server.stdin.write(json.dumps(json.loads(line)).encode() + b"\\n")
    server.stdin.flush()
    if b'"id"' in line:
        print(json.dumps(json.loads(server.stdout.readline())), flush=True)
"""
"""A proxy that reads and rewrites what passes, as those do that are made of a client and a server."""


@pytest.fixture(scope="module")
def direct():
    with Pairs(DIRECT) as pairs:
        yield pairs


@pytest.fixture(scope="module")
def watching():
    with Pairs(WATCHING) as pairs:
        yield pairs


@pytest.fixture(scope="module")
def repairing():
    with Pairs(REPAIRING) as pairs:
        yield pairs


@pytest.mark.parametrize("check", chosen(DIRECT, STDIO), ids=str)
def test_without_a_proxy_everything_passes(direct, check):
    direct.run(check)


@pytest.mark.parametrize("check", chosen(WATCHING, STDIO), ids=str)
def test_a_gate_that_only_watches_changes_nothing(watching, check):
    watching.run(check)


@pytest.mark.parametrize("check", chosen(REPAIRING, STDIO), ids=str)
def test_a_gate_that_repairs_changes_only_the_answers_to_calls_that_failed(repairing, check):
    repairing.run(check)


@pytest.mark.parametrize("repairs", [None, False, True])
def test_a_proxy_that_rewrites_json_is_found_out(repairs):
    way = Way(
        "rewriting", {STDIO: lambda server, _: nullcontext([sys.executable, "-c", REWRITING, *server])}, repairs=repairs
    )
    played = {"a_call_and_its_answer": True, "floats_stay_as_written": False, "white_space": False, "failures": False}

    with Pairs(way) as pairs:
        found = {each.play.__name__: _passes(pairs, each) for each in CHECKS if _is_over_stdio(each, played)}

    assert found == played


def _is_over_stdio(check, names):
    return check.play.__name__ in names and (check.lane, check.era) == (STDIO, OLD)


def _passes(pairs, check):
    try:
        pairs.run(check)
    except DifferenceError:
        return False
    return True
