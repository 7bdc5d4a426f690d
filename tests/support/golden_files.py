"""Golden files of what servers answer, to be looked at by people.

`ERRATA_GOLDEN=write python -m pytest tests/serving/matrix` writes them anew. Read what has changed, then run the tests
without it: whatever differs between two servers shows only then.
"""

import json
import os
from pathlib import Path

SERVERS = Path(__file__).parents[1] / "wire" / "servers"
_WRITE = os.environ.get("ERRATA_GOLDEN") == "write"


def golden(file, seen):
    """Read a golden file; when they are to be written anew, write what was seen first."""
    path = SERVERS / f"{file}.json"
    if _WRITE:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(seen, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return json.loads(path.read_text(encoding="utf-8"))


def differing(answers, directory="native"):
    """Find the answers that are not as in their golden files, beside what they should be."""
    pairs = {case: (answer, golden(f"{directory}/{case}", answer)) for case, answer in answers.items()}
    return {case: pair for case, pair in pairs.items() if pair[0] != pair[1]}


def files_in(directory):
    """List the golden files of a directory, without their suffix."""
    return {path.stem for path in (SERVERS / directory).glob("*.json")}
