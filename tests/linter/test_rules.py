"""Every rule has a page whose examples are true, and fixtures that mark their own lines."""

import re
from pathlib import Path

import pytest

from errata.linter import Settings, lint, lint_source
from errata.linter.rules import RULES

FIXTURES = Path(__file__).parent / "fixtures"
_EXPECTED = re.compile(r"# expect: ([a-z, -]+)")
_SELECTED = re.compile(r"\A# select: ([a-z, -]+)\n")
_BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def _names(text):
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _marks(file):
    return {
        (str(file.relative_to(FIXTURES)), number, rule)
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        for marked in _EXPECTED.findall(line)
        for rule in _names(marked)
    }


def _files(fixture):
    return sorted(fixture.rglob("*.py")) if fixture.is_dir() else [fixture]


@pytest.mark.parametrize("fixture", sorted(FIXTURES.iterdir()), ids=lambda fixture: fixture.name)
def test_a_fixture_has_the_findings_that_it_marks_and_no_others(fixture):
    selected = _SELECTED.match(_files(fixture)[0].read_text(encoding="utf-8"))
    settings = Settings(select=_names(selected[1])) if selected else Settings()

    found = {
        (str(Path(finding.path).relative_to(FIXTURES)), finding.location.line, finding.rule)
        for finding in lint([fixture], settings).findings
    }

    assert found == {mark for file in _files(fixture) for mark in _marks(file)}


def test_every_rule_is_expected_in_some_fixture():
    marked = {rule for fixture in FIXTURES.iterdir() for file in _files(fixture) for _, _, rule in _marks(file)}

    assert sorted(RULES.keys() - marked - {"unreadable-file"}) == []
    assert marked <= RULES.keys()


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_the_page_of_a_rule_says_what_why_and_what_to_write_instead(rule):
    title, *sections = re.split(r"^## ", rule.page, flags=re.MULTILINE)

    assert title.strip()
    assert [section.partition("\n")[0] for section in sections][:3] == ["Why it hurts", "Example", "Write instead"]


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_the_examples_on_a_page_are_true(rule):
    _, _, rest = rule.page.partition("## Example\n")
    wrong, _, right = rest.partition("## Write instead\n")

    assert _BLOCK.findall(wrong)
    assert _BLOCK.findall(right)
    for source in _BLOCK.findall(wrong):
        assert rule.name in {finding.rule for finding in lint_source(source)}
    for source in _BLOCK.findall(right):
        assert rule.name not in {finding.rule for finding in lint_source(source)}
