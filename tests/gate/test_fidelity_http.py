"""What passes the gate over HTTP: everything as it is; with repair, everything but the answers to calls that failed.

Each check is played once here, with bodies or with streams, in one era of the protocol. The whole table is played with
ERRATA_FIDELITY=all.
"""

import pytest
from gate.fidelity import Pairs, chosen
from gate.fidelity_ends import DIRECT, HTTP, through_gate

WATCHING, REPAIRING = through_gate("--no-repair"), through_gate()


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


@pytest.mark.parametrize("check", chosen(DIRECT, *HTTP), ids=str)
def test_without_a_proxy_everything_passes(direct, check):
    direct.run(check)


@pytest.mark.parametrize("check", chosen(WATCHING, *HTTP), ids=str)
def test_a_gate_that_only_watches_changes_nothing(watching, check):
    watching.run(check)


@pytest.mark.parametrize("check", chosen(REPAIRING, *HTTP), ids=str)
def test_a_gate_that_repairs_changes_only_the_answers_to_calls_that_failed(repairing, check):
    repairing.run(check)
