"""What `import errata` costs beside `import mcp`, which every MCP server pays."""

import subprocess
import sys
import time

from _measure import Figure

ROUNDS = 7


def figures() -> list[Figure]:
    nothing, ours, theirs = (min(_start(module) for _ in range(ROUNDS)) for module in ("sys", "errata", "mcp"))
    return [Figure("import errata", ours - nothing, "import mcp", theirs - nothing, budget=0.1)]


def _start(module: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", f"import {module}"], check=True)
    return (time.perf_counter() - start) * 1e6
