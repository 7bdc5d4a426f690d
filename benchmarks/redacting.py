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
import log_lines
import samples

CLEAN = (
    "The upstream service could not find the order that was asked for, because it was archived last week; call "
    "list_orders first to see which orders still exist, then repeat the call with one of them."
)
TEN_WORDS = re.compile("password|secret|token|api_key|authorization|bearer|cookie|session|private|credential")
ONE_SEARCH = "one `re.search` of ten words"
_THREE_LETTERS = list(itertools.product("abcdefghijklmnopqrst", repeat=3))
HOSTILE = ("password='", "-----BEGIN PRIVATE KEY-----", "eyJ", "://@", "a", '"', "1", "cookie: a=b; ", "sk-")


def figures() -> list[Figure]:
    rng = random.Random(0)  # noqa: S311 - nobody's secret.
    dirty = "\n".join(samples.filled(template, rng)[0] for template, _ in log_lines.DIRTY)
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
        _doubling(),
    ]


def _throughput(what: str, text: str) -> Figure:
    ours_us, theirs_us = _time(lambda: redact(text)), _time(lambda: TEN_WORDS.sub("", text))
    return Figure(f"{what}, {len(text) / ours_us:.1f} MB/s", ours_us, "one `re.sub` of ten words", theirs_us)


def _doubling() -> Figure:
    """Take the hostile text for which twice the length costs most."""
    worst = max(HOSTILE, key=lambda unit: _hostile(unit, 2) / _hostile(unit, 1))
    return Figure(f"redact 400 KB of `{worst}`", _hostile(worst, 2), "200 KB of it", _hostile(worst, 1), budget=3)


def _hostile(unit: str, times: int) -> float:
    text = unit * (200_000 * times // len(unit))
    return _time(lambda: redact(text), rounds=2)


def _time(call: Callable[[], object], rounds: int = 5) -> float:
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best * 1e6
