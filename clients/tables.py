"""What was found, as tables."""

from collections.abc import Iterator
from typing import Any

from frameworks import FRAMEWORKS
from scenarios import DIALECTS, SCENARIOS, Facts, find_known, list_stated

Answer = dict[str, Any]
"""What a call gave the model: `content` and `marked`, or `raised`; and whether the server was `asked`."""

Finding = dict[str, Any]
"""Of a framework: its `sdk`, and by name of the call the answers with `errata` and `bare`; or the `reason` for none."""

Findings = dict[str, Finding]

EXAMPLE = "upstream"


def ran(findings: Findings) -> Findings:
    """Give the frameworks that could be asked."""
    return {name: finding for name, finding in findings.items() if "reason" not in finding}


def known(answer: Answer, facts: Facts) -> set[str]:
    """Name the facts that an answer told the model."""
    return find_known(answer.get("content", ""), facts)


def lost(answer: Answer, facts: Facts) -> list[str]:
    """Name the facts that the server told and the model did not come to know."""
    # A client that refuses the arguments does not ask; one whose run ends leaves its model without an answer.
    missing = list_stated(facts) - known(answer, facts) if answer["asked"] or "raised" in answer else set()
    return [fact.replace("_", " ") for fact in facts._fields if fact in missing]


def matrix(findings: Findings) -> Iterator[str]:
    """Tell for each framework and each failure whether the model came to know all four facts."""
    yield f"| | {' | '.join(scenario.title for scenario in SCENARIOS.values())} | marked |"
    yield f"|---|{':-:|' * len(SCENARIOS)}:-:|"
    for name, finding in findings.items():
        yield f"| {FRAMEWORKS[name].title} | {' | '.join(cells(finding))} |"


def cells(finding: Finding) -> Iterator[str]:
    if reason := finding.get("reason"):
        yield f"not run: {reason}"
        yield from [""] * len(SCENARIOS)
        return
    answers = [finding["errata"][name] for name in SCENARIOS]
    for answer, scenario in zip(answers, SCENARIOS.values(), strict=True):
        yield cell(answer, lost(answer, scenario.facts))
    marks = {answer.get("marked") for answer in answers if answer["asked"]}
    yield "yes" if marks == {True} else "no"


def cell(answer: Answer, missing: list[str]) -> str:
    if "raised" in answer:
        return "the run ends"
    if missing:
        return "nothing" if len(missing) == len(Facts._fields) else f"no {', no '.join(missing)}"
    return "✓" if answer["asked"] else "not asked"


def dialects(findings: Findings) -> Iterator[str]:
    """Tell for each dialect how many of the frameworks pass on which fact, and who passes on all of them."""
    asked = ran(findings)
    yield "| dialect | code | message | next step | retry | everything it says reaches |"
    yield "|---|:-:|:-:|:-:|:-:|---|"
    for dialect, facts in DIALECTS.items():
        answers = {FRAMEWORKS[name].title: finding["errata"][dialect] for name, finding in asked.items()}
        counts = [sum(fact in known(answer, facts) for answer in answers.values()) for fact in facts._fields]
        shown = [str(count) if wordings else "—" for count, wordings in zip(counts, facts, strict=True)]
        complete = [title for title, answer in answers.items() if not lost(answer, facts)]
        yield f"| `{dialect}` | {' | '.join(shown)} | {who(complete, list(answers))} |"


def who(some: list[str], everybody: list[str]) -> str:
    """Name some of them, or the others if they are fewer."""
    others = [title for title in everybody if title not in some]
    count = f"{len(some)} of {len(everybody)}"
    if not others or not some:
        return count
    return f"{count}: {', '.join(some)}" if len(some) < len(others) else f"{count}: all but {', '.join(others)}"


def versions(findings: Findings) -> Iterator[str]:
    """Tell what was installed, and which Python SDK came with it."""
    yield "| | packages | Python SDK |"
    yield "|---|---|---|"
    for name, finding in findings.items():
        packages = " ".join(f"`{package}`" for package in FRAMEWORKS[name].requirements.split())
        yield f"| {FRAMEWORKS[name].title} | {packages} | {finding.get('sdk', '')} |"


def example(findings: Findings) -> Iterator[str]:
    """Show what one model read of one failure, before and after."""
    asked = ran(findings)
    facts = SCENARIOS[EXAMPLE].facts
    in_the_dark = sum(not known(finding["bare"][EXAMPLE], facts) for finding in asked.values())
    yield f"Without errata, {in_the_dark} of the {len(asked)} learn none of the four facts about the 429.\n"
    for name, finding in [*asked.items()][:1]:
        for variant, title in {"bare": "Before", "errata": "After"}.items():
            yield f"{title}, in {FRAMEWORKS[name].title}:"
            yield f"\n```text\n{text_of(finding[variant][EXAMPLE].get('content'))}\n```\n"


def text_of(content: object) -> str:
    """Give the text of content that comes as such, or as blocks."""
    match content:
        case [{"text": str(text)}, *_]:
            return text
        case _:
            return str(content)
