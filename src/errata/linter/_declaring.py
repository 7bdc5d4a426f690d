"""What is kept of a declaration, and of what a function asks of one."""

import ast
from collections.abc import Iterable, Iterator

from errata._taxonomy import Code
from errata._values import known_word
from errata.linter._code import Function, Module
from errata.linter._contracts import Declaration, Entry
from errata.linter._names import UNKNOWN
from errata.linter._raising import FAIL, argument
from errata.linter._rule import Rule, candidates_of
from errata.linter._summary import Asked, ContractSummary, EntrySummary

_BY_REASON = {FAIL: "fail", "errata.recovery_for": "recovery_for"}


def kept(declaration: Declaration | None, module: Module, rules: Iterable[Rule]) -> ContractSummary | None:
    """Let the rules look at a declaration, and keep what linking needs."""
    if declaration is None:
        return None
    return ContractSummary(
        declaration.owner,
        module.lines.place_of(declaration.node),
        tuple(_entry(entry, module) for entry in declaration.entries),
        declaration.is_class,
        declaration.is_whole,
        declaration.subject,
        tuple(candidates_of(declaration, module, rules)),
    )


def _entry(entry: Entry, module: Module) -> EntrySummary:
    place = module.lines.place_of(entry.written)
    text = " ".join(module.lines.text_of(place).split())[:100]
    if entry.failure is None:
        kind = "value" if entry.value else "named" if entry.name else "unknown"
        return EntrySummary(entry.attribute, kind, place, text, entry.name)
    reason, code = entry.reason, entry.given("code")
    return EntrySummary(
        entry.attribute,
        "failure",
        place,
        text,
        "",
        reason.read if reason and isinstance(reason.read, str) else None,
        known_word(Code, code.read) if code else None,
    )


def asked_in(function: Function, *, speaks_errata: bool) -> Iterator[Asked]:
    """Find what a function asks for by name: `fail("no_match")`, `recovery_for("no_match")`, `OrderErrors.no_match(…)`."""
    for site in function.calls:
        func = site.node.func
        if isinstance(func, ast.Attribute) and _looks_like_class(func.value):
            name = function.resolve(func) or UNKNOWN
            if name[:1] != UNKNOWN and "." in name.rpartition(".")[0]:
                yield Asked("failure", name, function.place_of(func))
        elif speaks_errata and (how := _BY_REASON.get(function.resolve(func) or "")):
            reason = argument(site.node, 0, "reason")
            if isinstance(reason, ast.Constant) and isinstance(reason.value, str):
                yield Asked(how, reason.value, function.place_of(reason))


def _looks_like_class(node: ast.expr) -> bool:
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return name[:1].isupper()
