"""A storm as a picture: plain SVG, legible on light and on dark paper."""

from collections.abc import Iterator, Mapping, Sequence
from xml.sax.saxutils import escape

from _storm import SECONDS, Outcome

WIDTH, HEIGHT = 760, 668
LEFT, RIGHT = 56, 740
BETWEEN = 10  # What separates a group of bars from the next.
# Tones between light and dark, which stand out from either.
COLORS = ("#8b949e", "#d97706", "#9b6bf2", "#e0457b", "#2aa198", "#2563eb", "#38bdf8")
STYLE = """
  text { font: 12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; fill: #768390; }
  .title { font-size: 14px; font-weight: 600; }
  .end { text-anchor: end; } .middle { text-anchor: middle; }
  .axis { stroke: #8b949e; stroke-width: 1; } .grid { stroke: #8b949e; stroke-width: 1; stroke-opacity: .25; }
  .outage { fill: #8b949e; fill-opacity: .15; }
  .line { fill: none; stroke-width: 2; stroke-linejoin: round; }
  @media (prefers-color-scheme: light) { text { fill: #57606a; } .title { fill: #24292f; } }
  @media (prefers-color-scheme: dark) { text { fill: #9da7b3; } .title { fill: #e6edf3; } }
"""


def plot(outcomes: Sequence[Outcome]) -> str:
    """Draw the load, the outage and the duplicates."""
    color_of = dict(zip(dict.fromkeys(outcome.policy for outcome in outcomes), COLORS, strict=True))
    parts = [
        *_legend(color_of),
        *_loads([outcome for outcome in outcomes if outcome.scenario.endswith("%")], color_of),
        *_outage([outcome for outcome in outcomes if outcome.scenario == "outage"], color_of),
        *_duplicates([outcome for outcome in outcomes if outcome.scenario == "lost answers"], color_of),
    ]
    body = "\n".join(f"  {part}" for part in parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        f'role="img" aria-label="What retries do to a backend that fails">\n<style>{STYLE}</style>\n{body}\n</svg>\n'
    )


def _legend(color_of: Mapping[str, str]) -> Iterator[str]:
    x = float(LEFT)
    for policy, color in color_of.items():
        yield f'<rect x="{x:.1f}" y="12" width="12" height="12" rx="2" fill="{color}"/>'
        yield _text(x + 17, 22, policy)
        x += 33 + 6.4 * len(policy)


def _loads(outcomes: Sequence[Outcome], color_of: Mapping[str, str]) -> Iterator[str]:
    top, bottom = 76, 226
    highest = max(outcome.load for outcome in outcomes)
    yield _text(LEFT, 54, "Calls that reach the backend, for each one wanted", "title")
    yield from _grid([0, 2, 4, 6, 8, 10], highest, top, bottom, "\N{MULTIPLICATION SIGN}")
    shares = list(dict.fromkeys(outcome.scenario for outcome in outcomes))
    group = (RIGHT - LEFT) / len(shares)
    bar = (group - BETWEEN) / len(color_of)
    for place, share in enumerate(shares):
        x = LEFT + place * group + BETWEEN / 2
        yield _text(x + (group - BETWEEN) / 2, bottom + 17, f"the backend refuses {share}", "middle")
        for outcome in outcomes:
            if outcome.scenario == share:
                height = (bottom - top) * outcome.load / highest
                yield _bar(x, bottom - height, bar - 3, height, color_of[outcome.policy])
                yield _text(x + (bar - 3) / 2, bottom - height - 4, _brief(outcome.load), "middle")
                x += bar


def _outage(outcomes: Sequence[Outcome], color_of: Mapping[str, str]) -> Iterator[str]:
    top, bottom = 304, 454
    highest = max(max(outcome.per_second) for outcome in outcomes)
    step = (RIGHT - LEFT) / SECONDS
    yield _text(LEFT, 280, "Calls per second at a backend that is down from second 30 to 60", "title")
    yield f'<rect class="outage" x="{LEFT + 30 * step:.1f}" y="{top}" width="{30 * step:.1f}" height="{bottom - top}"/>'
    rough = 10 ** (len(str(highest)) - 1)
    spacing = rough // 2 if highest < 3 * rough else rough
    yield from _grid(list(range(0, highest + 1, max(spacing, 1))), highest, top, bottom)
    for second in range(0, SECONDS, 15):
        yield _text(LEFT + second * step, bottom + 17, f"{second} s", "middle")
    for outcome in outcomes:
        points = " ".join(
            f"{LEFT + (second + 0.5) * step:.1f},{bottom - (bottom - top) * count / highest:.1f}"
            for second, count in enumerate(outcome.per_second)
        )
        yield f'<polyline class="line" stroke="{color_of[outcome.policy]}" points="{points}"/>'


def _duplicates(outcomes: Sequence[Outcome], color_of: Mapping[str, str]) -> Iterator[str]:
    top, name = 528, 130
    highest = max(outcome.duplicates for outcome in outcomes) or 1
    wanted = f"{outcomes[0].wanted:,}"
    yield _text(LEFT, 508, f"Orders carried out once too often, of {wanted}, when one answer in ten is lost", "title")
    for place, outcome in enumerate(outcomes):
        y = top + place * 18
        width = (RIGHT - LEFT - name - 60) * outcome.duplicates / highest
        yield _text(LEFT + name - 8, y + 10, outcome.policy, "end")
        yield _bar(LEFT + name, y, max(width, 1), 12, color_of[outcome.policy])
        yield _text(LEFT + name + width + 7, y + 10, f"{outcome.duplicates:,}")


def _grid(marks: Sequence[int], highest: float, top: int, bottom: int, unit: str = "") -> Iterator[str]:
    for mark in marks:
        if mark <= highest:
            y = bottom - (bottom - top) * mark / highest
            kind = "grid" if mark else "axis"
            yield f'<line class="{kind}" x1="{LEFT}" y1="{y:.1f}" x2="{RIGHT}" y2="{y:.1f}"/>'
            yield _text(LEFT - 8, y + 4, f"{mark:,}{unit}", "end")


def _brief(load: float) -> str:
    return f"{load:.1f}".removesuffix(".0")


def _bar(x: float, y: float, width: float, height: float, color: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{color}"/>'


def _text(x: float, y: float, text: str, kind: str = "") -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<text{named} x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'
