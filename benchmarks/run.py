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
        for found in module.figures():
            budget = f"≤ {found.budget:g}" if found.budget else f"≥ {found.least:g}" if found.least else ""
            lines.append(
                f"| {found.what} | {duration(found.ours_us)} | {found.beside} | {duration(found.theirs_us)} "
                f"| {found.ratio:.3g} | {budget} |"
            )
    return lines


def duration(microseconds: float) -> str:
    milliseconds = microseconds / 1000
    return f"{milliseconds:.1f} ms" if milliseconds >= 1 else f"{microseconds:.2f} µs"


def page(table: str) -> str:
    today = dt.datetime.now(dt.UTC).date()
    return (
        "# What errata costs\n\n"
        f"Measured by `make bench` on {today}, {platform.python_implementation()} {platform.python_version()}, "
        f"{platform.system()} {platform.machine()}. Times differ from machine to machine; the ratios are measured "
        "in one run, beside the thing compared, and differ much less.\n\n"
        f"{table}\n\n"
        "`decode` runs on every result a client gets, so what a *success* costs is the figure that matters there.\n"
    )


main()
