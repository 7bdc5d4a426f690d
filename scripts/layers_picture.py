"""The picture of the layers in docs/architecture.md, drawn from the imports in the source.

A part stands above everything it imports. Arrows that follow from others are left out: if `serving` imports `reading`, and
`reading` imports `dialects`, there is no arrow from `serving` to `dialects`, whether it imports that as well or not.
"""

import ast
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from graphlib import TopologicalSorter
from html import escape
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "errata"
WIDTH, ROW, HEIGHT, MARGIN = 860, 80, 38, 24
LETTER, PADDING, GAP = 8.2, 16, 34
SWEEPS = 8
Graph = Mapping[str, frozenset[str]]
"""The parts of errata, packages and modules at its top, with the parts that each imports."""


def read_graph() -> Graph:
    """Return which part of errata imports which, without what is imported only when a function is called."""
    parts = {path.stem for path in SOURCE.iterdir() if is_part(path)}
    return {part: frozenset(imports_of(part, parts)) - {part} - exceptions_of(part) for part in sorted(parts)}


def exceptions_of(part: str) -> set[str]:
    """Return the parts that may be imported upwards, as the layers in pyproject.toml say, with reasons."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    rows = [row.split(" -> ") for contract in contracts for row in contract.get("ignore_imports", [])]
    return {imported.split(".")[1] for importer, imported in rows if importer.split(".")[1] == part}


def is_part(path: Path) -> bool:
    return (path / "__init__.py").exists() or (path.suffix == ".py" and path.stem not in {"__init__", "__main__"})


def imports_of(part: str, parts: set[str]) -> Iterator[str]:
    folder = SOURCE / part
    for file in folder.rglob("*.py") if folder.is_dir() else [folder.with_suffix(".py")]:
        for statement in at_import(ast.parse(file.read_text(encoding="utf-8"))):
            for name in names_in(statement):
                top, _, rest = name.partition(".")
                if top == "errata" and (imported := rest.partition(".")[0]) in parts:
                    yield imported


def at_import(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the import statements that run when the module is imported."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from at_import(node)


def names_in(statement: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(statement, ast.Import):
        return [alias.name for alias in statement.names]
    return [f"{statement.module}.{alias.name}" for alias in statement.names]


def stack(graph: Graph) -> list[list[str]]:
    """Return the rows of the picture, the topmost first: every part is above all that it imports.

    What imports something is as low as it can be, what imports nothing as high as it can be.
    """
    level: dict[str, int] = {}
    for part in TopologicalSorter(graph).static_order():  # It refuses circles, and names them.
        level[part] = 1 + max((level[imported] for imported in graph[part]), default=-1)
    for part in [part for part, imported in graph.items() if not imported]:
        level[part] = min((level[each] for each, imported in graph.items() if part in imported), default=1) - 1
    return [[part for part in graph if level[part] == row] for row in range(max(level.values()), -1, -1)]


def reduce_graph(graph: Graph) -> Graph:
    """Return the graph without the imports that follow from others."""
    reached: dict[str, frozenset[str]] = {}
    for part in TopologicalSorter(graph).static_order():
        reached[part] = graph[part].union(*(reached[imported] for imported in graph[part]))
    return {
        part: imported - frozenset[str]().union(*(reached[each] for each in imported))
        for part, imported in graph.items()
    }


def route(rows: list[list[str]], arrows: Graph) -> tuple[list[list[str]], list[list[str]]]:
    """Return the rows with a way-point for each arrow that passes one, and the arrows as the points that they pass."""
    row_of = {part: number for number, row in enumerate(rows) for part in row}
    rows, paths = [list(row) for row in rows], []
    for part, imported in [(importer, target) for importer in arrows for target in sorted(arrows[importer])]:
        passed = {number: f"{part}->{imported}@{number}" for number in range(row_of[part] + 1, row_of[imported])}
        for number, point in passed.items():
            rows[number].append(point)
        paths.append([part, *passed.values(), imported])
    return rows, paths


def arrange(rows: Sequence[Sequence[str]], paths: Sequence[Sequence[str]]) -> dict[str, float]:
    """Return where the middle of each point is, from left to right: near the points that it is connected with."""
    near: dict[str, list[str]] = {point: [] for row in rows for point in row}
    for upper, lower in (step for path in paths for step in pairwise(path)):
        near[upper].append(lower)
        near[lower].append(upper)
    centres = {point: centre for row in rows for point, centre in spread(row).items()}
    for _ in range(SWEEPS):
        for row in [*rows, *reversed(rows)]:
            wanted = {point: mean([centres[each] for each in near[point]]) for point in row}
            centres |= spread(sorted(row, key=lambda point: (wanted[point], point)), wanted)
    return centres


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else WIDTH / 2


def spread(row: Sequence[str], wanted: Mapping[str, float] | None = None) -> dict[str, float]:
    """Return the middles of the parts of a row in this order, as near to those wanted as there is room."""
    wanted = wanted or {part: WIDTH * (position + 1) / (len(row) + 1) for position, part in enumerate(row)}
    centres = [wanted[part] for part in row]
    for _ in range(4 * len(row)):
        for left, right in pairwise(range(len(row))):
            overlap = (width_of(row[left]) + width_of(row[right])) / 2 + GAP - (centres[right] - centres[left])
            if overlap > 0:
                centres[left] -= overlap / 2
                centres[right] += overlap / 2
        for position, part in enumerate(row):
            half = width_of(part) / 2 + MARGIN
            centres[position] = min(max(centres[position], half), WIDTH - half)
    return dict(zip(row, centres, strict=True))


def width_of(point: str) -> float:
    return 0 if "->" in point else len(point) * LETTER + 2 * PADDING


def draw_layers() -> str:
    """Return the picture as SVG."""
    graph = read_graph()
    rows, paths = route(stack(graph), reduce_graph(graph))
    centres = arrange(rows, paths)
    tops = {point: MARGIN + number * ROW for number, row in enumerate(rows) for point in row}
    height = 2 * MARGIN + (len(rows) - 1) * ROW + HEIGHT
    arrows = [draw_arrow([(centres[point], tops[point]) for point in path]) for path in paths]
    boxes = [draw_box(part, centres[part], tops[part]) for part in graph]
    return "\n".join([HEAD.format(width=WIDTH, height=height), *arrows, *boxes, "</svg>", ""])


HEAD = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="monospace" font-size="13.5">
<title>The parts of errata; an arrow leads from a part to one that it imports</title>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
<path d="M0 0 L8 4 L0 8 z" fill="#78909c"/></marker></defs>
<rect width="{width}" height="{height}" rx="6" fill="#fafafa"/>"""


def draw_arrow(points: Sequence[tuple[float, int]]) -> str:
    """Return a curve from the box at the first point to that at the last, straight down through the rows between."""
    x, top = points[0]
    curve = f"M{x:.0f} {top + HEIGHT}"
    for (x, top), (to_x, to_top) in pairwise(points):
        start, end = top + HEIGHT, to_top - (2 if to_top == points[-1][1] else 0)
        middle = (start + end) / 2
        curve += f" C{x:.0f} {middle:.0f} {to_x:.0f} {middle:.0f} {to_x:.0f} {end}"
        if to_top != points[-1][1]:
            curve += f" V{to_top + HEIGHT}"
    return f'<path d="{curve}" fill="none" stroke="#78909c" marker-end="url(#tip)"/>'


def draw_box(part: str, centre: float, top: int) -> str:
    fill, stroke = ("#eceff1", "#90a4ae") if part.startswith("_") else ("#e0f2f1", "#00796b")
    width = width_of(part)
    return (
        f'<rect x="{centre - width / 2:.0f}" y="{top}" width="{width:.0f}" height="{HEIGHT}" rx="5" fill="{fill}" stroke="{stroke}"/>'
        f'<text x="{centre:.0f}" y="{top + HEIGHT / 2 + 5:.0f}" text-anchor="middle" fill="#263238">{escape(part)}</text>'
    )
