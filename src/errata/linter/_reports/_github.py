"""For a pull request: GitHub's workflow commands, which become annotations on the lines."""

from collections.abc import Iterable, Iterator

from errata.linter._finding import Finding
from errata.linter._reports._showing import harmless

_IN_TEXT = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_IN_PROPERTY = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def github_report(findings: Iterable[Finding]) -> Iterator[str]:
    """Write one command for each finding."""
    for finding in findings:
        properties = ",".join(f"{name}={_property(value)}" for name, value in _properties(finding).items())
        text = f"{harmless(finding.message)}\nhelp: {harmless(finding.help)}".translate(_IN_TEXT)
        yield f"::{finding.severity} {properties}::{text}"


def _properties(finding: Finding) -> dict[str, str | int]:
    place = finding.place
    return {
        "file": finding.path.replace("\\", "/"),
        "line": place.line,
        "col": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
        "title": f"errata ({finding.rule})",
    }


def _property(value: str | int) -> str:
    return harmless(str(value)).translate(_IN_PROPERTY)
