"""A storm in tables."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from _storm import CALLS_EACH, SECONDS, Outcome

Column = tuple[str, Callable[[Outcome], str]]

OUTAGE: tuple[Column, ...] = (
    ("calls at the backend", lambda found: _times(found.load)),
    ("succeed", lambda found: _percent(found.success)),
    ("busiest second after it", lambda found: f"{found.peak:.1f} \N{MULTIPLICATION SIGN}"),
    ("all is well again after", lambda found: f"{found.well_after_s:.0f} s"),
)
LOST: tuple[Column, ...] = (
    ("calls at the backend", lambda found: _times(found.load)),
    ("told of success", lambda found: _percent(found.success)),
    ("carried out once too often", lambda found: f"{found.duplicates:,}"),
)


def tables(outcomes: Sequence[Outcome]) -> dict[str, str]:
    """Make every table, by its heading."""
    shares = [found for found in outcomes if found.scenario.endswith("%")]
    return {
        "Calls that reach the backend, for each one wanted": _by_share(shares, lambda found: _times(found.load)),
        "Calls that succeed in the end": _by_share(shares, lambda found: _percent(found.success)),
        "An outage of thirty seconds": _by_policy(_of(outcomes, "outage"), OUTAGE),
        "Orders whose answer is lost": _by_policy(_of(outcomes, "lost answers"), LOST),
    }


def page(outcomes: Sequence[Outcome], *, before: str) -> str:
    """Put the tables behind what a person wrote."""
    return before + "".join(f"\n### {heading}\n\n{table}\n" for heading, table in tables(outcomes).items())


def size(outcomes: Sequence[Outcome]) -> str:
    """Say how large the storm was."""
    wanted = outcomes[0].wanted
    return f"{wanted // CALLS_EACH:,} clients, {CALLS_EACH} calls each within {SECONDS} seconds: {wanted:,} calls"


def _of(outcomes: Iterable[Outcome], scenario: str) -> list[Outcome]:
    return [found for found in outcomes if found.scenario == scenario]


def _by_share(outcomes: Sequence[Outcome], cell: Callable[[Outcome], str]) -> str:
    shares = list(dict.fromkeys(found.scenario for found in outcomes))
    cells = {(found.policy, found.scenario): cell(found) for found in outcomes}
    policies = dict.fromkeys(found.policy for found in outcomes)
    rows = ([policy, *(cells[policy, share] for share in shares)] for policy in policies)
    return _table(["the backend refuses", *shares], rows)


def _by_policy(outcomes: Sequence[Outcome], columns: Sequence[Column]) -> str:
    rows = ([found.policy, *(cell(found) for _, cell in columns)] for found in outcomes)
    return _table(["", *(name for name, _ in columns)], rows)


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    def lines() -> Iterator[str]:
        yield _row(header)
        yield "|---" + "|--:" * (len(header) - 1) + "|"
        yield from map(_row, rows)

    return "\n".join(lines()) + "\n"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _times(load: float) -> str:
    return f"{load:.2f}" if load >= 0.01 else f"{load:.4f}"  # noqa: PLR2004 - it would be 0.00.


def _percent(share: float) -> str:
    return f"{share:.1%}"
