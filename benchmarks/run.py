"""`make bench`: every figure, in one run, as a ratio; with --write, also into docs/figures.md."""

import argparse
import datetime as dt
import platform
from pathlib import Path

import classifying
import encoding
import importing
import linting
import prose
import redacting
import resilience
import serving
import successes
from _measure import Figure

PAGE = Path(__file__).parent.parent / "docs" / "figures.md"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write docs/figures.md")
    table = "\n".join(rows())
    print(table)
    if parser.parse_args().write:
        PAGE.write_text(page(table), encoding="utf-8")


def rows() -> list[str]:
    lines = ["| what | time | beside | time | ratio | budget |", "|---|--:|---|--:|--:|--:|"]
    for module in (importing, serving, encoding, successes, prose, resilience, classifying, redacting, linting):
        lines += map(row, module.figures())
    return lines


def row(found: Figure) -> str:
    ours, theirs = duration(found.ours_us), duration(found.theirs_us)
    return f"| {found.what} | {ours} | {found.beside} | {theirs} | {found.ratio:.3g} | {budget_of(found)} |"


def budget_of(found: Figure) -> str:
    """Write what a ratio should be, and whether it is not."""
    if found.budget:
        return f"≤ {found.budget:g}" + (", missed" if found.ratio > found.budget else "")
    if found.least:
        return f"≥ {found.least:g}" + (", missed" if found.ratio < found.least else "")
    return ""


def duration(microseconds: float) -> str:
    milliseconds = microseconds / 1000
    return f"{milliseconds:.1f} ms" if milliseconds >= 1 else f"{microseconds:.2f} µs"


def page(table: str) -> str:
    today = dt.datetime.now(dt.UTC).date()
    return (
        "# What errata costs\n\n"
        f"Measured by `benchmarks/run.py` on {today}, {platform.python_implementation()} {platform.python_version()}, "
        f"{platform.system()} {platform.machine()}; `make bench` measures it again, on your machine. Times differ from "
        "machine to machine. The ratios are measured in one run, beside the thing compared, and differ much less: by a few "
        "hundredths from run to run, as the row with the same server twice shows. A budget that was not kept says so.\n\n"
        f"{table}\n\n"
        "`errata.client` looks at every result it gets, so of `decode` what a *success* costs is the figure that matters. "
        "A failure that a server has told before costs less than one in new words: what was found harmless is remembered. "
        "pylint is measured on a part of the files and scaled, because it would take many minutes.\n"
    )


main()
