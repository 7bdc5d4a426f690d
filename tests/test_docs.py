"""The pages say what is true: the generated ones are fresh, and no link leads nowhere."""

import re
import runpy
from pathlib import Path

import pytest

import errata
from errata import Code
from errata.linter.rules import RULES

ROOT = Path(__file__).parent.parent
FOREIGN = re.compile(
    r"(?:pip install|pipx install|uv add|tool install|uvx)(?: -\S+)* [\"'`]?errata(?![\w-])|(?<![\w.-])errata\[(?:mcp|fastmcp|redis|all)\b"
)
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


@pytest.fixture(scope="module")
def generated():
    return runpy.run_path(str(ROOT / "scripts" / "write_docs.py"))["generated"]()


def test_the_generated_pages_are_fresh(generated):
    stale = [
        str(path.relative_to(ROOT)) for path, text in generated.items() if path.read_text(encoding="utf-8") != text
    ]

    assert not stale, "write them anew with: make docs"


def test_every_code_has_its_page_and_every_page_its_code():
    assert {path.stem for path in ROOT.glob("docs/errors/*.md")} == {*Code, "README"}


def test_every_rule_has_its_page_and_every_page_its_rule():
    assert {path.stem for path in ROOT.glob("docs/rules/*.md")} == {*RULES, "README"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page):
    for target, anchor in re.findall(r"\]\(([^):#]*)(#[^)]*)?\)", page.read_text(encoding="utf-8")):
        linked = page.parent / target if target else page
        assert linked.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor[1:] in {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


def test_no_page_or_message_installs_a_package_of_another_name():
    """`errata` on the package index is somebody else's project; ours is `errata-mcp`."""
    folders = ("src", "docs", "examples", "scripts", "benchmarks", "clients", "conformance", "requirements")
    kinds = {".md", ".py", ".toml", ".txt", ".yaml", ".yml"}
    files = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in kinds]
    named = [
        path
        for path in [*ROOT.glob("*.*"), *files]
        if path.suffix in kinds and FOREIGN.search(path.read_text(encoding="utf-8"))
    ]

    assert not [str(path.relative_to(ROOT)) for path in named]


def test_every_page_has_its_path_on_the_site_and_links_lead_there():
    site = runpy.run_path(str(ROOT / "scripts" / "build_site.py"))

    assert site["path_on_site"]("docs/errors/README.md") == "errors/index.md"
    assert site["path_on_site"]("CHANGELOG.md") == "changelog.md"
    text, linked = site["move_links"]("docs/faults.md", "[a](errors/README.md#x) [b](../examples/tour.py) `[c](d.md)`")
    assert text == "[a](errors/index.md#x) [b](source/examples/tour.py.md) `[c](d.md)`"
    assert linked == {"examples/tour.py"}


def test_every_part_of_the_source_has_its_quick_tests():
    quick = runpy.run_path(str(ROOT / "scripts" / "check_quickly.py"))
    parts = {
        path
        for path in (ROOT / "src" / "errata").iterdir()
        if path.name not in {"__pycache__", "__main__.py", "py.typed"}
    }

    for path in parts:
        name = path.relative_to(ROOT).as_posix() + ("/" if path.is_dir() else "")
        assert quick["tests_for"]([name]), name
    for patterns in quick["TESTS"].values():
        assert all(list((ROOT / "tests").glob(pattern)) for pattern in patterns), patterns


def test_the_pages_pin_the_version_that_is_released():
    pinned = {pin for page in PAGES for pin in re.findall(r"errata-mcp==([\d.]+)", page.read_text(encoding="utf-8"))}
    newest = re.search(
        r"^## (\S+) \(\d{4}-\d\d-\d\d\)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
    )

    assert pinned == {errata.__version__} == {newest[1]}


WALKED = re.findall(
    r"^\| .* \| `([\w/]+\.\w+)` \| `(\w+)` \|$", (ROOT / "docs" / "architecture.md").read_text("utf-8"), re.MULTILINE
)
NAMED = [
    path
    for page in ("CONTRIBUTING.md", "docs/architecture.md", "docs/add-a-dialect.md")
    for path in re.findall(r"`((?:src|tests|scripts|docs)/[\w./-]*)`", (ROOT / page).read_text("utf-8"))
]


@pytest.mark.parametrize(("file", "name"), WALKED)
def test_the_walks_through_the_code_name_what_is_there(file, name):
    assert re.search(rf"\b{name}\b", (ROOT / "src" / "errata" / file).read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", sorted({*NAMED}))
def test_the_pages_for_contributors_name_files_that_are_there(path):
    assert (ROOT / path).exists() or "problem_details" in path  # The one that the page has its reader write.


def test_the_glossary_has_each_word_once():
    glossary = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").partition("## Glossary")[2]
    rows = re.findall(r"^\| ([a-z][^|]*) \|", glossary, re.MULTILINE)
    words = [word for row in rows[1:] for word in row.split(", ")]

    assert len(words) > 50
    assert sorted(set(words)) == sorted(words)


def test_error_models_go_by_name_and_their_documents_numbers_stay_on_one_page():
    numbered = [page.name for page in PAGES if re.search(r"(?<![\w.,#/-])00[0-4](?![\w-])", page.read_text("utf-8"))]

    assert numbered == ["coming-from.md"]
