"""What redacting a text costs beside one search for ten words in it; and that twice the text costs twice the time."""

import itertools
import random
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

from _measure import Figure, figure

from errata import redact

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from support import log_lines, sample_secrets, secret_fragments

CLEAN = (
    "The upstream service could not find the order that was asked for, because it was archived last week; call "
    "list_orders first to see which orders still exist, then repeat the call with one of them."
)
TEN_WORDS = re.compile("password|secret|token|api_key|authorization|bearer|cookie|session|private|credential")
ONE_SEARCH = "one `re.search` of ten words"
_THREE_LETTERS = list(itertools.product("abcdefghijklmnopqrst", repeat=3))
SHORT, WHOLE = 1_000, 30_000
SUSPECTS = 15


def figures() -> list[Figure]:
    rng = random.Random(0)  # noqa: S311 - nobody's secret.
    dirty = "\n".join(sample_secrets.filled(template, rng)[0] for template, _ in log_lines.DIRTY)
    clean = "\n".join(log_lines.CLEAN)
    # More of them than errata remembers: a text that it has judged before costs next to nothing.
    others = itertools.cycle([f"{CLEAN[:-4]}{first}{second}{third}." for first, second, third in _THREE_LETTERS])
    return [
        figure(
            f"redact a clean message of {len(CLEAN)} letters",
            lambda: redact(next(others)),
            ONE_SEARCH,
            lambda: TEN_WORDS.search(next(others)),
            budget=5,
        ),
        _throughput("redact prose", CLEAN * 500),
        _throughput("redact look-alikes", clean * 4),
        _throughput("redact secrets", dirty),
        *_doubling(),
    ]


def _throughput(what: str, text: str) -> Figure:
    ours_us, theirs_us = _time(lambda: redact(text)), _time(lambda: TEN_WORDS.sub("", text))
    return Figure(f"{what}, {len(text) / ours_us:.1f} MB/s", ours_us, "one `re.sub` of ten words", theirs_us)


def _doubling() -> list[Figure]:
    """Repeat all texts of two fragments and many of three; take the one for which twice the length costs most.

    Each is measured once, short; those that look worst are measured again, long enough for the noise not to count.
    """
    units = [*secret_fragments.two_parts(), *secret_fragments.three_parts(1_000)]
    once = {unit: (_repeated(unit, SHORT), _repeated(unit, 2 * SHORT)) for unit in units}
    suspects = sorted(once, key=lambda unit: once[unit][1] / once[unit][0])[-SUSPECTS:]
    slowest = max(once, key=lambda unit: once[unit][1])
    measured = {unit: (_repeated(unit, WHOLE, 2), _repeated(unit, 2 * WHOLE, 2)) for unit in {*suspects, slowest}}
    worst = max(measured, key=lambda unit: measured[unit][1] / measured[unit][0])
    half, whole = measured[worst]
    dearest = max(measured, key=lambda unit: measured[unit][1])
    dear_us = measured[dearest][1]
    prose = _repeated(CLEAN, 2 * WHOLE, 2)
    return [
        Figure(f"redact 60 KB of `{worst!r}`, the worst of {len(units)}", whole, "30 KB of it", half, budget=3),
        Figure(
            f"redact 60 KB of `{dearest!r}`, the dearest: {dear_us / (2 * WHOLE / 1_000):.0f} µs per KB",
            dear_us,
            "60 KB of prose",
            prose,
        ),
    ]


def _repeated(unit: str, length: int, rounds: int = 1) -> float:
    text = unit * (length // len(unit))
    return _time(lambda: redact(text), rounds)


def _time(call: Callable[[], object], rounds: int = 5) -> float:
    # Of this process alone: what else the machine does would look like growth.
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    return best * 1e6
