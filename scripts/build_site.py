"""`make site`: builds the documentation site from the pages as they are on a code host.

The pages link to each other by the paths of the repository. MkDocs knows one folder of pages only, so README.md, the
other pages at the top, `docs/` and the source that pages link to are laid out in `.site/pages` first, with their links
rewritten to the new paths. The API reference is made there too, a page for each public package.

    python scripts/build_site.py          build it, strictly, into `.site/html`
    python scripts/build_site.py --serve  show it at http://127.0.0.1:8000, and build it anew when a page changes
"""

import argparse
import os
import posixpath
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = ROOT / ".site" / "pages"
HOME = "http://127.0.0.1:8000"
AT_THE_TOP = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
REFERENCE = (
    "errata",
    "errata.classification",
    "errata.client",
    "errata.dialects",
    "errata.gate",
    "errata.http",
    "errata.linter",
    "errata.resilience",
    "errata.testing",
)
FRONT_MATTER = {"README.md": "---\nhide: [navigation]\n---\n"}
LINK = re.compile(r"(?P<open>\]\()(?P<path>[^):#\s]+)(?P<anchor>#[^)\s]*)?(?P<close>\))")
CODE = re.compile(r"(^ *(`{3,})[^\n]*\n.*?^ *\2 *$)", re.MULTILINE | re.DOTALL)
INTERVAL_S = 1


def main() -> int:
    parser = argparse.ArgumentParser(description="Build the documentation site.")
    parser.add_argument("--serve", action="store_true", help=f"show it at {HOME}, and follow changes")
    serve = parser.parse_args().serve
    write_pages()
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        *(["serve", "--dev-addr", "127.0.0.1:8000"] if serve else ["build", "--strict"]),
    ]
    if serve:
        threading.Thread(target=follow_changes, daemon=True).start()
    # Material prints a notice about MkDocs 2, which constraints keep out.
    return subprocess.run(command, check=False, cwd=ROOT, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}).returncode


def write_pages() -> None:
    """Lay out the pages, and remove those whose source is gone."""
    pages = dict(lay_out())
    for path, content in pages.items():
        target = PAGES / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or target.read_bytes() != content:
            target.write_bytes(content)
    for stale in [
        path for path in PAGES.rglob("*") if path.is_file() and path.relative_to(PAGES).as_posix() not in pages
    ]:
        stale.unlink()


def lay_out() -> Iterator[tuple[str, bytes]]:
    """Give every file of the site: its path there, and its content."""
    sources: set[str] = set()
    for page in pages_of_the_repository():
        text, linked = move_links(page, (ROOT / page).read_text(encoding="utf-8"))
        sources |= linked
        yield path_on_site(page), (FRONT_MATTER.get(page, "") + text).encode()
    for source in sources:
        file = ROOT / source
        if file.suffix == ".md":
            text, _ = move_links(source, file.read_text(encoding="utf-8"))
            yield path_on_site(source), text.encode()
        elif file.suffix in {".svg", ".png"}:
            yield path_on_site(source), file.read_bytes()
        else:
            yield path_on_site(source), source_page(source).encode()
    yield "site.css", (ROOT / "docs" / "site.css").read_bytes()
    for package in REFERENCE:
        yield f"reference/{package}.md", f"# `{package}`\n\n::: {package}\n".encode()


def pages_of_the_repository() -> list[str]:
    top = [page for page in AT_THE_TOP if (ROOT / page).exists()]
    return [
        *top,
        *sorted({path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")} - {"docs/README.md"}),
    ]


def path_on_site(path: str) -> str:
    """Give the path on the site of a file of the repository: `docs/` is its top, and source files become pages."""
    if path in AT_THE_TOP:
        return "index.md" if path == "README.md" else path.lower()
    if path == "docs/README.md":  # The front page leads to the same places.
        return "index.md"
    is_page = path.endswith((".md", ".svg", ".png"))
    target = path.removeprefix("docs/") if is_page and path.startswith("docs/") else f"source/{path}"
    folder, name = posixpath.split(target)
    return posixpath.join(folder, "index.md" if name == "README.md" else name if is_page else f"{name}.md")


def move_links(page: str, text: str) -> tuple[str, set[str]]:
    """Make the links of a page lead to the same files on the site; with it come the files that are no pages of `docs/`."""
    linked: set[str] = set()
    pages = set(pages_of_the_repository())

    def move(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(page), link["path"]))
        if (ROOT / target).is_dir():
            target = posixpath.join(target, "README.md")
        if not (ROOT / target).is_file():
            return link[0]  # MkDocs fails the build for it.
        if target not in pages:
            linked.add(target)
        moved = posixpath.relpath(path_on_site(target), posixpath.dirname(path_on_site(page)) or ".")
        return f"{link['open']}{moved}{link['anchor'] or ''}{link['close']}"

    parts = CODE.split(text)  # Text, a whole block of code, its fence, text, and so on.
    return "".join(
        LINK.sub(move, part) if kind == 0 else part
        for kind, part in zip([0, 1, 2] * len(parts), parts, strict=False)
        if kind != 2  # noqa: PLR2004
    ), linked


def source_page(source: str) -> str:
    language = {".py": "python", ".toml": "toml", ".yaml": "yaml", ".yml": "yaml"}.get(Path(source).suffix, "text")
    text = (ROOT / source).read_text(encoding="utf-8")
    return f"# {source}\n\n``````{language}\n{text}``````\n"


def follow_changes() -> None:
    """Lay the pages out again whenever one of the repository's changes; MkDocs sees to the rest."""
    stop = threading.Event()
    while not stop.wait(INTERVAL_S):
        write_pages()


if __name__ == "__main__":
    sys.exit(main())
