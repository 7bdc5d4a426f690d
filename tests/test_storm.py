"""The page about the storm says what is true: its tables are those of the simulation, and errata does no harm in it."""

import importlib
from pathlib import Path

import pytest

from errata.resilience import Budget

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
OURS = ("errata", "errata, busy", "errata, retry alone")


@pytest.fixture(scope="module")
def storm():
    pytest.importorskip("stamina", reason="stamina is NOT INSTALLED, so errata was not held against it: make test")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(BENCHMARKS)
        yield importlib.import_module("storm")


@pytest.fixture(scope="module")
def outcomes(storm):
    return storm.storm(storm.FEW_CLIENTS)


def test_the_same_storm_again_gives_the_same_figures(storm, outcomes):
    assert outcomes == storm.stored("few"), "write them anew with: make storm"


def test_the_page_and_the_picture_are_those_of_the_figures(storm):
    stale = [path.name for path, text in storm.pages(storm.stored("many")).items() if path.read_text("utf-8") != text]

    assert not stale, "write them anew with: make storm"


@pytest.mark.parametrize("size", ["few", "many"])
@pytest.mark.parametrize("policy", OURS)
def test_errata_carries_out_nothing_twice(storm, size, policy):
    ours = [found for found in storm.stored(size) if found.policy == policy]

    assert len(ours) == len(storm.SCENARIOS)
    assert not any(found.duplicates for found in ours)


@pytest.mark.parametrize("size", ["few", "many"])
def test_a_backend_that_refuses_everything_is_spared(storm, size):
    with_breaker, when_busy, alone = (
        next(found for found in storm.stored(size) if (found.policy, found.scenario) == (policy, "100 %"))
        for policy in OURS
    )

    assert with_breaker.reached == when_busy.reached < 100
    assert alone.reached - alone.wanted <= Budget().tokens // 14


@pytest.mark.parametrize("size", ["few", "many"])
@pytest.mark.parametrize("scenario", ["1 %", "10 %"])
def test_a_busy_backend_that_fails_now_and_then_is_called(storm, size, scenario):
    success_of = {found.policy: found.success for found in storm.stored(size) if found.scenario == scenario}

    assert success_of["errata, busy"] == success_of["errata, retry alone"] > 0.99
