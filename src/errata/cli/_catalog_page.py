"""The catalog of a server's failures, as Markdown and as JSON."""

import asyncio
import json
from collections.abc import Iterator
from typing import NamedTuple

from errata._install import adapter_for, find_installation
from errata.cli._explain_pages import spell
from errata.contracts import DeclaredFailures, Failure
from errata.dialects import BASELINE, INTERNAL_ERROR, NUMBER_OF, Dialect, native, write_retry_sentence
from errata.model import Code, Fault, decide_retry, wait_ms
from errata.redaction import put_on_one_line
from errata.serving import Group, NoTool, Offer, find_declared, find_missing_tools

_TITLES = {
    Group.TOOLS: "Tools",
    Group.RESOURCES: "Resources",
    Group.TEMPLATES: "Resource templates",
    Group.PROMPTS: "Prompts",
}
_KEYS = {
    Group.TOOLS: "tools",
    Group.RESOURCES: "resources",
    Group.TEMPLATES: "resourceTemplates",
    Group.PROMPTS: "prompts",
}
_ESCAPED = r"\|"
_BASELINE = [code for code in Code if code in BASELINE]


class CatalogEntry(NamedTuple):
    """One thing that a server offers."""

    offer: Offer
    declared: DeclaredFailures | None
    dialect: Dialect | None
    """The dialect of its failures; None if errata is not installed and none was chosen."""

    @property
    def language(self) -> str | None:
        """The name of the language of its failures: a dialect for a tool, JSON-RPC for everything else."""
        if self.dialect is None:
            return None
        return self.dialect.name if self.offer.group is Group.TOOLS else "JSON-RPC error"

    def word_for(self, failure: Failure) -> str | int | None:
        """Return the word for a failure's code in that language."""
        if self.dialect is None:
            return None
        words = self.dialect.vocabulary.words
        return words[failure.code] if self.offer.group is Group.TOOLS else NUMBER_OF.get(failure.code, INTERNAL_ERROR)


class Catalog(NamedTuple):
    """Everything that a server offers, sorted by name."""

    server: str
    installed: bool
    entries: list[CatalogEntry]
    missing: list[NoTool]
    """Recoveries that name a tool which the server does not list."""

    def of(self, group: Group) -> list[CatalogEntry]:
        """Return the entries of one list."""
        return [entry for entry in self.entries if entry.offer.group is group]


def build_catalog(server: object, dialect: Dialect | None) -> Catalog:
    """Return the catalog of a server; `dialect` replaces the one that it speaks."""
    installation = find_installation(server)
    setup = installation.setup if installation else None
    offers = sorted(asyncio.run(adapter_for(server).list_offers()), key=lambda offer: offer.name)
    entries = [
        CatalogEntry(
            offer,
            find_declared(offer, setup),
            dialect or (setup.choose_dialect(offer.name) if setup else None),
        )
        for offer in offers
    ]
    missing = [*find_missing_tools(offers, setup)]
    return Catalog(str(getattr(server, "name", "")), installation is not None, entries, missing)


def write_json(catalog: Catalog) -> str:
    """Return a catalog as JSON."""
    lists = {key: [_write_entry(entry) for entry in catalog.of(group)] for group, key in _KEYS.items()}
    silent = [entry.offer.name for entry in catalog.of(Group.TOOLS) if entry.declared is None]
    record = {"server": catalog.server, "installed": catalog.installed, **lists}
    missing = [_write_missing(each) for each in catalog.missing]
    return json.dumps(record | {"undeclared": silent, "missingTools": missing, "baseline": _BASELINE}, indent=2)


def _write_missing(each: NoTool) -> dict[str, object]:
    given_by = {"kind": each.kind, "name": each.name, "reason": each.reason}
    return {**given_by, "tool": each.missing.name, "nearest": each.missing.near}


def _write_entry(entry: CatalogEntry) -> dict[str, object]:
    declared = entry.declared or DeclaredFailures({})
    words = [entry.word_for(failure) for failure in declared.failures.values()]
    failures = [{**published, "word": word} for published, word in zip(declared.publish(), words, strict=True)]
    return {"name": entry.offer.name, "dialect": entry.language, "failures": failures}


def write_page(catalog: Catalog) -> str:
    """Return a catalog as a page of Markdown."""
    sections = [f"# {put_on_one_line(catalog.server)}", _write_opening(catalog)]
    for group, title in _TITLES.items():
        if entries := catalog.of(group):
            sections += [f"## {title}", *_write_group(entries)]
    if catalog.missing:
        problems = "\n".join(f"- {put_on_one_line(str(each))}" for each in catalog.missing)
        sections += ["## Advice that cannot be taken", problems]
    sections += ["## What any tool may fail with", _write_closing()]
    return "\n\n".join(sections)


def _write_opening(catalog: Catalog) -> str:
    state = "errata is installed in it." if catalog.installed else "errata is not installed in it."
    return f"What this server offers, and how it can fail. {state}"


def _write_closing() -> str:
    return (
        f"{', '.join(_BASELINE)}: whether it declares them or not. Arguments that do not fit are "
        f"{Code.INVALID_PARAMS}, {Code.MISSING_REQUIRED_FIELD} or {Code.INVALID_FORMAT}, before the tool runs."
    )


def _write_group(entries: list[CatalogEntry]) -> Iterator[str]:
    for entry in entries:
        if entry.declared is not None:
            yield f"### {put_on_one_line(entry.offer.name)}"
            yield "\n".join(_write_table(entry, entry.declared))
    if silent := [put_on_one_line(entry.offer.name) for entry in entries if entry.declared is None]:
        yield "Nothing is declared by:"
        yield "\n".join(f"- {name}" for name in silent)


def _write_table(entry: CatalogEntry, declared: DeclaredFailures) -> Iterator[str]:
    in_other_words = entry.language not in {None, native.name}
    heads = ["reason", "code", *([str(entry.language)] if in_other_words else []), "retry", "when", "recovery"]
    yield _write_row(heads)
    yield f"|{'---|' * len(heads)}"
    for failure in declared.failures.values():
        word = [spell(entry.word_for(failure) or "")] if in_other_words else []
        yield _write_row([failure.reason, failure.code, *word, _write_retry(failure), failure.when, failure.recovery])


def _write_row(cells: list[str]) -> str:
    return f"| {' | '.join(put_on_one_line(cell).replace('|', _ESCAPED) for cell in cells)} |"


def _write_retry(failure: Failure) -> str:
    retry, wait = decide_retry(failure.code, flag=failure.retryable), wait_ms(failure.retry_after_ms)
    return write_retry_sentence(Fault(code=failure.code, retry=retry, retry_after_ms=wait)).removesuffix(".")
