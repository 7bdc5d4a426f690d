"""Reports for programs: JSON, GitHub annotations and SARIF 2.1.0."""

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

from errata._version import __version__
from errata.linter.judge import hash_findings
from errata.linter.reports._text_report import escape_text
from errata.linter.rules import RULES, Rule
from errata.linter.source import Finding, SourceLines, make_relative
from errata.redaction import repair_unicode


def write_json_report(findings: Iterable[Finding]) -> str:
    """Return the findings as a JSON list, in ASCII, which survives every pipe and code page."""
    return json.dumps([_write_record(finding) for finding in findings], indent=2)


def _write_record(finding: Finding) -> dict[str, object]:
    location = finding.location
    return {
        "rule": finding.rule,
        "severity": str(finding.severity),
        "path": repair_unicode(finding.path),
        "line": location.line,
        "column": location.column,
        "end_line": location.end_line,
        "end_column": location.end_column,
        "message": repair_unicode(finding.message),
        "help": repair_unicode(finding.help),
    }


_IN_TEXT = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_IN_PROPERTY = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def write_github_report(findings: Iterable[Finding]) -> Iterator[str]:
    """Yield one GitHub workflow command for each finding."""
    for finding in findings:
        properties = ",".join(f"{name}={_escape_property(value)}" for name, value in _list_properties(finding).items())
        text = f"{escape_text(finding.message)}\nhelp: {escape_text(finding.help)}".translate(_IN_TEXT)
        yield f"::{finding.severity} {properties}::{text}"


def _list_properties(finding: Finding) -> dict[str, str | int]:
    location = finding.location
    return {
        "file": finding.path.replace("\\", "/"),
        "line": location.line,
        "col": location.column,
        "endLine": location.end_line,
        "endColumn": location.end_column,
        "title": f"errata ({finding.rule})",
    }


def _escape_property(value: str | int) -> str:
    return escape_text(str(value)).translate(_IN_PROPERTY)


_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT = "%SRCROOT%"


def write_sarif_report(findings: Sequence[Finding], sources: SourceLines, root: Path) -> str:
    """Return a SARIF log of one run, with paths relative to the root."""
    names = sorted(RULES)
    known_by = hash_findings(findings, sources, root)
    results = [_write_result(finding, names, mark, root) for finding, mark in zip(findings, known_by, strict=True)]
    driver = {"name": "errata", "version": __version__, "rules": [_describe_rule(RULES[name]) for name in names]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True}],
        "results": results,
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _describe_rule(rule: Rule) -> dict[str, object]:
    page = rule.page or rule.name  # Under `python -OO` there are no docstrings.
    return {
        "id": rule.name,
        "shortDescription": {"text": rule.summary or rule.name},
        "fullDescription": {"text": page},
        "help": {"text": page, "markdown": page},
        "defaultConfiguration": {"level": str(rule.severity)},
    }


def _write_result(finding: Finding, names: Sequence[str], mark: str, root: Path) -> dict[str, object]:
    result: dict[str, object] = {
        "ruleId": finding.rule,
        "level": str(finding.severity),
        "message": {"text": repair_unicode(f"{finding.message}\nhelp: {finding.help}")},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": _locate_file(finding.path, root),
                    "region": _write_region(finding),
                }
            }
        ],
        "partialFingerprints": {"primaryLocationLineHash": mark},
    }
    if finding.rule in names:
        result["ruleIndex"] = names.index(finding.rule)
    return result


def _locate_file(path: str, root: Path) -> dict[str, object]:
    relative = make_relative(path, root)
    if relative.startswith(("../", "/")) or ":" in relative.partition("/")[0]:  # Outside, or on another drive.
        return {"uri": f"file://{quote(os.fsencode(Path(path).absolute().as_posix()))}"}
    return {"uri": quote(os.fsencode(relative)), "uriBaseId": _ROOT}


def _write_region(finding: Finding) -> dict[str, int]:
    location = finding.location
    return {
        "startLine": location.line,
        "startColumn": location.column,
        "endLine": location.end_line,
        "endColumn": location.end_column,
    }
