"""How much there is of what."""

from collections import Counter
from collections.abc import Collection, Sequence

from errata.linter._finding import Finding, Severity


def statistics_report(findings: Sequence[Finding]) -> str:
    """Count the findings of each rule, the most frequent first."""
    counts = Counter((finding.rule, finding.severity) for finding in findings)
    rows = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    digits = max((len(str(count)) for count in counts.values()), default=0)
    longest = max((len(severity) for _, severity in counts), default=0)
    return "\n".join(f"{count:>{digits}}  {severity:<{longest}}  {rule}" for (rule, severity), count in rows)


def summary(findings: Collection[Finding], files: int, handlers: int | None) -> str:
    """Say in one line what was found, in how much, and what can be mended without thinking."""
    if not findings:
        told = "" if handlers is None else f" with {counted(handlers, 'handler')}"
        return f"nothing found in {counted(files, 'file')}{told}"
    severities = Counter(finding.severity for finding in findings)
    kinds = ((Severity.ERROR, "error"), (Severity.WARNING, "warning"))
    amounts = " and ".join(counted(severities[kind], word) for kind, word in kinds if severities[kind])
    where = len({finding.path for finding in findings})
    fixable = sum(bool(finding.edits) for finding in findings)
    ending = f"; {fixable} can be fixed with `--fix`" if fixable else ""
    return f"found {amounts} in {where} of {counted(max(files, where), 'file')}{ending}"


def counted(number: int, one: str, many: str | None = None) -> str:
    """Say how many there are."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"
