"""What is kept of a declaration, and of what a function asks of one."""

import ast
from collections.abc import Iterable, Iterator

from errata.linter.analysis import FAIL, argument, keyword
from errata.linter.summary._candidates import Check, candidates_of
from errata.linter.summary._contract_declarations import Declaration, Entry
from errata.linter.summary._file_summary import Advice, Asked, ContractSummary, EntrySummary
from errata.linter.syntax import UNKNOWN, Function, Module, last_of
from errata.model import Code, known_word

_LONGEST = 1_000
_SENTENCES = {"Recovery": ("hint",), "register": ("recovery",)}
_BY_REASON = {FAIL: "fail", "errata.recovery_for": "recovery_for"}


def kept(declaration: Declaration | None, module: Module, rules: Iterable[Check]) -> ContractSummary | None:
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
    reason, code, recovery = entry.reason, entry.given("code"), entry.given("recovery")
    return EntrySummary(
        entry.attribute,
        "failure",
        place,
        text,
        "",
        reason.read if reason and isinstance(reason.read, str) else None,
        known_word(Code, code.read) if code else None,
        _advice(module, recovery.node, recovery.read) if recovery else None,
    )


def advice_in(module: Module) -> Iterator[Advice]:
    """Find what agents are told to do next outside of contracts: sentences, and names of tools."""
    for function in module.functions:
        for site in function.calls:
            callee = function.resolve(site.node.func) or ""
            if callee.startswith("errata."):
                for given, is_name in _advising(site.node, last_of(callee)):
                    if isinstance(given, ast.Constant) and (found := _advice(module, given, given.value)):
                        yield found._replace(is_name=is_name)


def _advising(call: ast.Call, callee: str) -> Iterator[tuple[ast.expr | None, bool]]:
    """List the arguments of a call that advise somebody, each with whether it is the name of a tool."""
    yield from ((keyword(call, name), True) for name in ("fallback_tool", "verify_tool"))
    yield from ((keyword(call, name), False) for name in _SENTENCES.get(callee, ()))
    if callee == "effect" and call.args:
        yield call.args[0], True


def _advice(module: Module, node: ast.AST, text: object) -> Advice | None:
    return Advice(module.lines.place_of(node), text[:_LONGEST]) if isinstance(text, str) else None


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
