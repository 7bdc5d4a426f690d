"""Whether an agent reads the right next step; `make recovery` runs it, --write puts it into docs/accuracy.md.

The labelled calls are not part of this repository: `--corpus` says where they are. Their own program makes the calls,
of servers with errata and of the same servers without, and grades the answers.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

from accuracy_page import measured_by, write_section

Counts: TypeAlias = Mapping[str, int | list[int]]
"""What was counted of the answers to some calls, by the name of the column."""

SERVERS = {
    "errata+fastmcp": "errata on FastMCP",
    "errata+mcp": "errata on MCPServer",
    "fastmcp": "FastMCP alone",
    "mcp": "MCPServer alone",
}
OURS = ("errata+fastmcp", "errata+mcp")
READERS = {"text": "read by text", "program": "read by a program"}


class Measure(NamedTuple):
    """One figure about the answers of a server."""

    column: str
    what: str
    least: float | None = None
    most: float | None = None

    def is_met(self, counts: Counts) -> bool:
        """Whether a server's answers are as good as they have to be."""
        count, of = counted(counts, self.column)
        return (self.least is None or count >= self.least * of) and (self.most is None or count <= self.most * of)

    @property
    def target(self) -> str:
        """What it has to be, as it is shown."""
        if self.least is not None:
            return f"≥ {self.least:.0%}"
        if self.most is not None:
            return f"≤ {self.most:.0%}" if self.most else "0"
        return ""


MEASURES = [
    Measure("complete", "the right next step, with all it takes", least=0.90),
    Measure("field", "the argument at fault is named", least=0.75),
    Measure("needs", "the facts that the step takes are given"),
    Measure("accused", "an argument is accused that is not at fault", most=0.01),
    Measure("harmful", "advice that does harm or cannot work", most=0.0),
    Measure("leaks", "something secret is said", most=0.0),
]


class Scores(NamedTuple):
    """What the corpus's own program printed as JSON."""

    servers: Mapping[str, Mapping[str, Mapping[str, Mapping[str, object]]]]
    left_out: Mapping[str, str]

    def total(self, server: str, reader: str = "text") -> Counts:
        """Return what was counted of all answers of a server."""
        return self.servers[server][reader]["total"]

    def families(self, server: str) -> Mapping[str, Counts]:
        """Return what was counted of each family of calls, read by text."""
        return self.servers[server]["text"]["families"]

    @property
    def size(self) -> int:
        """How many calls were made of each server."""
        return counted(self.total(OURS[0]), "n")[0]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, required=True, help="where the labelled material is")
    parser.add_argument("--second", type=Path, metavar="FOLDER", help="score another folder of labelled calls as well")
    parser.add_argument("--write", action="store_true", help="write docs/accuracy.md")
    given = parser.parse_args()
    program = given.corpus.resolve() / "recovery" / "score.py"
    if not program.is_file():
        print(
            f"SKIPPED: there are no labelled calls in {given.corpus}; say where they are with: make recovery CORPUS=…"
        )
        return 0
    scores = score(program, "dev")
    print(table(scores), by_family(scores), sep="\n\n")
    if given.write:
        write_section("recovery", section(scores, measured_by("make recovery")))
    if given.second:
        second = score(program, given.second.resolve())
        print(f"\nA second set of calls:\n\n{table(second, targets=False)}")
        if given.write:
            write_section("second set", section(second, measured_by("score_recovery.py --second"), targets=False))
    return report(scores)


def score(program: Path, calls: object) -> Scores:
    servers = [part for server in SERVERS for part in ("--server", server)]
    with tempfile.TemporaryDirectory() as place:
        done = subprocess.run(
            [sys.executable, program, str(calls), *servers],
            cwd=place,
            check=True,
            text=True,
            stdout=subprocess.PIPE,
            timeout=900,
        )
    last = json.loads(done.stdout.splitlines()[-1].removeprefix("JSON "))
    return Scores(last["servers"], last["left_out"])


def report(scores: Scores) -> int:
    """Say what is below its target, and give the exit status."""
    problems = [f"`{module}` was left out: {library} is not installed" for module, library in scores.left_out.items()]
    problems += missed(scores)
    for problem in problems:
        print(f"FAILED: {problem}", file=sys.stderr)
    return 1 if problems else 0


def missed(scores: Scores) -> Iterator[str]:
    for server in OURS:
        for reader, reading in READERS.items():
            for measure in MEASURES:
                counts = scores.total(server, reader)
                if not measure.is_met(counts):
                    share = shown(counts, measure.column)
                    yield f"{SERVERS[server]}, {reading}: {measure.what}: {share}; the target is {measure.target}"


# Tables.

_IN_BRACKETS = {"accused": "accused", "harmful": "harmful", "leaks": "leaked"}


def table(scores: Scores, *, targets: bool = True) -> str:
    """Put every figure of the four servers side by side."""
    names = [*SERVERS.values(), *["target"] * targets]
    lines = [f"| {scores.size} calls, read by text | " + " | ".join(names) + " |", "|---|" + "--:|" * len(names)]
    for measure in MEASURES:
        cells = [shown(scores.total(server), measure.column) for server in SERVERS]
        lines.append(f"| {measure.what} | " + " | ".join([*cells, *[measure.target] * targets]) + " |")
    cells = [shown(scores.total(server, "program"), "complete") for server in SERVERS]
    lines.append("| read by a program: the right next step | " + " | ".join([*cells, *[""] * targets]) + " |")
    return "\n".join(lines)


def by_family(scores: Scores) -> str:
    """Put the right steps, the named arguments and the given facts of each family side by side."""
    lines = ["| family | of | " + " | ".join(SERVERS.values()) + " |", "|---|" + "--:|" * (len(SERVERS) + 1)]
    for family, counts in scores.families(OURS[0]).items():
        of = " · ".join(str(counted(counts, column)[1]) for column in ("complete", "field", "needs"))
        cells = [family_cell(scores.families(server)[family]) for server in SERVERS]
        lines.append(f"| {family} | {of} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def family_cell(counts: Counts) -> str:
    good = " · ".join(str(counted(counts, column)[0]) for column in ("complete", "field", "needs"))
    bad = [(counted(counts, column)[0], word) for column, word in _IN_BRACKETS.items()]
    wrong = ", ".join(f"{count} {word}" for count, word in bad if count)
    return f"{good} ({wrong})" if wrong else good


def shown(counts: Counts, column: str) -> str:
    count, of = counted(counts, column)
    return f"{count / of:.1%} ({count} of {of})" if column in {"complete", "field", "needs"} else str(count)


def counted(counts: Counts, column: str) -> tuple[int, int]:
    """Return how many there are, and of how many: of those with a label where not all have one, else of all."""
    match counts[column], counts["n"]:
        case [int(count), int(of)], _:
            return count, of
        case int(count), int(of):
            return count, of
    raise SystemExit(f"The scoring program counts `{column}` in a way that is not understood: {counts[column]}")


def section(scores: Scores, measured: str, *, targets: bool = True) -> str:
    legend = (
        "By family, in each cell: the right next step · the argument at fault is named · the facts are given; and in "
        "brackets, if there are any, wrongly accused arguments, harmful advice and leaks."
    )
    return "\n\n".join(
        [f"{measured}, on {scores.size} failing calls.", table(scores, targets=targets), legend, by_family(scores)]
    )


if __name__ == "__main__":
    sys.exit(main())
