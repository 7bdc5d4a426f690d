"""What errata gets right on labelled material, as a table; `make corpus` runs it, --write puts it into docs/accuracy.md.

The material is not part of this repository: `--corpus` says where it is. Its own programs do the scoring, each in a
process of its own, because provoking real exceptions leaves servers, threads and signal handlers behind.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from accuracy_page import measured_by, write_section

import errata

HERE = Path(__file__).resolve().parent
MISSED = " (missed)"


def classify(error: BaseException) -> tuple[str, bool, int | None]:
    """Answer as the replay of exceptions wants it."""
    fault = errata.classify(error)
    return fault.code, fault.retryable, fault.retry_after_ms


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, required=True, help="where the labelled material is")
    parser.add_argument("--write", action="store_true", help="write docs/accuracy.md")
    parser.add_argument("--misses", type=int, default=0, metavar="N", help="show up to N wrong answers of each kind")
    given = parser.parse_args()
    if not given.corpus.is_dir():
        print(f"SKIPPED: there is no labelled material at {given.corpus}; say where it is with: make corpus CORPUS=…")
        return 0
    lines = ["| what | right | target |", "|---|--:|--:|", *rows(given.corpus.resolve(), given.misses)]
    table = "\n".join(lines)
    print(table)
    if given.write:
        write_section("exceptions, secrets, responses", f"{measured_by('make corpus')}.\n\n{table}")
    return 1 if MISSED in table else 0


def rows(corpus: Path, misses: int) -> Iterator[str]:
    told = exceptions(corpus, misses)
    yield row(f"exceptions of {told['libraries']} libraries: the code", told["lenient"], told["rows"], 0.97)
    yield row("… whether the call may be repeated", told["retryable_accuracy"], told["retryable_rows"], 0.97)
    yield row("… how long to wait", told["retry_after_accuracy"], told["retry_after_rows"], 0.95)
    told = score(corpus / "messages" / "score.py", "--classifier", "errata:classify", "--errors", str(misses))
    yield row("messages alone, of many languages' libraries: the code", told["accuracy"], told["rows"], 0.90)
    yield from redaction(corpus, misses)
    yield from wild(corpus, misses)


def redaction(corpus: Path, misses: int) -> Iterator[str]:
    rows_files = {"": "dev.jsonl", ", made to get past redaction": "dev-redteam.jsonl"}
    for kind, name in rows_files.items():
        rows_file = corpus / "redaction" / name
        if not rows_file.is_file():
            continue
        told = score(
            corpus / "redaction" / "score.py", "--redactor", "errata:redact", "--errors", str(misses), rows_file
        )
        yield row(f"secrets and personal data hidden{kind}", told["recall"], told["secrets"], 0.99)
        yield row(f"clean strings left alone{kind}", 1 - told["damaged"] / told["clean"], told["clean"], 1.0)


def wild(corpus: Path, misses: int) -> Iterator[str]:
    told = score(corpus / "wild" / "score.py", "--decoder", "errata:decode", "--errors", str(misses))["dev.jsonl"]
    found, soft, repeating, field = told["detection"], told["detection_soft"], told["retryable"], told["field"]
    yield row("responses of published servers: failures found", found["recall"], found["tp"] + found["fn"], 0.97)
    yield row("… what is called a failure is one", found["precision"], found["tp"] + found["fp"], 0.99)
    yield row("… failures dressed as success found", soft["recall"], soft["tp"] + soft["fn"], 0.70)
    yield row(
        "… successes that look like failures left alone",
        soft["tn"] / (soft["tn"] + soft["fp"]),
        soft["tn"] + soft["fp"],
        1.0,
    )
    yield row("… the code", told["code"]["acceptable"], told["code"]["n"], 0.90)
    yield row("… whether the call may be repeated", repeating["accuracy"], repeating["n"], 0.95)
    yield row("… the argument at fault", field["accuracy"], field["n"], 0.90)


def row(what: str, share: float, of: int, target: float) -> str:
    return f"| {what} | {share:.1%} of {of} | {target:.0%}{'' if share >= target else MISSED} |"


def exceptions(corpus: Path, misses: int) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as place:
        outcome = Path(place) / "outcome.json"
        replay = corpus / "exceptions" / "replay.py"
        rows_file = corpus / "exceptions" / "dev.jsonl"
        run(replay, "score_corpus:classify", rows_file, "--quiet", "--misses", str(misses), "--json", outcome)
        return json.loads(outcome.read_text(encoding="utf-8"))


def score(*command: object) -> dict[str, object]:
    last = run(*command).splitlines()[-1]
    return json.loads(last[last.index("{") :])


def run(*command: object) -> str:
    done = subprocess.run(
        [sys.executable, *map(str, command)], cwd=HERE, check=True, text=True, stdout=subprocess.PIPE, timeout=900
    )
    for line in done.stdout.splitlines()[:-1]:
        print(line)
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
