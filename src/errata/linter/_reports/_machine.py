"""For a program: a list of objects."""

import json
from collections.abc import Iterable

from errata.linter._finding import Finding
from errata.redaction import valid_unicode


def json_report(findings: Iterable[Finding]) -> str:
    """Write a list of objects, in ASCII, which survives every pipe and code page."""
    return json.dumps([_record(finding) for finding in findings], indent=2)


def _record(finding: Finding) -> dict[str, object]:
    place = finding.place
    return {
        "rule": finding.rule,
        "severity": str(finding.severity),
        "path": valid_unicode(finding.path),
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
        "message": valid_unicode(finding.message),
        "help": valid_unicode(finding.help),
    }
