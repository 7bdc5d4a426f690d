"""Summaries of declarations, of uses of contracts by name, and of advice to agents."""

import ast
from collections.abc import Iterable, Iterator

from errata.linter.analysis import FAIL, find_argument, find_keyword
from errata.linter.summary._candidates import Check, look_at_declaration
from errata.linter.summary._contract_declarations import ContractEntry, Declaration
from errata.linter.summary._file_summary import Advice, ContractSummary, ContractUse, EntrySummary
from errata.linter.syntax import UNKNOWN, Function, Module, get_last_part
from errata.model import Code, known_word

_LONGEST = 1_000
_SENTENCES = {"Recovery": ("hint",), "register": ("recovery",)}
_BY_REASON = {FAIL: "fail", "errata.recovery_for": "recovery_for"}


def summarise_contract(
    declaration: Declaration | None, module: Module, rules: Iterable[Check]
) -> ContractSummary | None:
    """Return the summary of a declaration, with what rules see in it."""
    if declaration is None:
        return None
    return ContractSummary(
        declaration.owner,
        module.lines.locate(declaration.node),
        tuple(_summarise_entry(entry, module) for entry in declaration.entries),
        declaration.is_class,
        declaration.is_whole,
        declaration.subject,
        tuple(look_at_declaration(declaration, module, rules)),
    )


def _summarise_entry(entry: ContractEntry, module: Module) -> EntrySummary:
    location = module.lines.locate(entry.written)
    text = " ".join(module.lines.excerpt(location).split())[:100]
    if entry.failure is None:
        kind = "value" if entry.value else "named" if entry.name else "unknown"
        return EntrySummary(entry.attribute, kind, location, text, entry.name)
    reason, code, recovery = entry.reason, entry.read_argument("code"), entry.read_argument("recovery")
    return EntrySummary(
        entry.attribute,
        "failure",
        location,
        text,
        "",
        reason.read if reason and isinstance(reason.read, str) else None,
        known_word(Code, code.read) if code else None,
        _make_advice(module, recovery.node, recovery.read) if recovery else None,
    )


def find_advice(module: Module) -> Iterator[Advice]:
    """Yield advice to agents outside of contracts: sentences, and names of tools."""
    for function in module.functions:
        for site in function.calls:
            callee = function.resolve(site.node.func) or ""
            if callee.startswith("errata."):
                for given, is_name in _list_advice(site.node, get_last_part(callee)):
                    if isinstance(given, ast.Constant) and (advice := _make_advice(module, given, given.value)):
                        yield advice._replace(is_name=is_name)


def _list_advice(call: ast.Call, callee: str) -> Iterator[tuple[ast.expr | None, bool]]:
    """Yield the arguments of a call that are advice, each with whether it is the name of a tool."""
    yield from ((find_keyword(call, name), True) for name in ("fallback_tool", "verify_tool"))
    yield from ((find_keyword(call, name), False) for name in _SENTENCES.get(callee, ()))
    if callee == "effect" and call.args:
        yield call.args[0], True


def _make_advice(module: Module, node: ast.AST, text: object) -> Advice | None:
    return Advice(module.lines.locate(node), text[:_LONGEST]) if isinstance(text, str) else None


def find_contract_uses(function: Function, *, speaks_errata: bool) -> Iterator[ContractUse]:
    """Yield the uses of a contract by name: `fail("no_match")`, `recovery_for("no_match")`, `OrderErrors.no_match(…)`."""
    for site in function.calls:
        func = site.node.func
        if isinstance(func, ast.Attribute) and _looks_like_class(func.value):
            name = function.resolve(func) or UNKNOWN
            if name[:1] != UNKNOWN and "." in name.rpartition(".")[0]:
                yield ContractUse("failure", name, function.locate(func))
        elif speaks_errata and (how := _BY_REASON.get(function.resolve(func) or "")):
            reason = find_argument(site.node, 0, "reason")
            if isinstance(reason, ast.Constant) and isinstance(reason.value, str):
                yield ContractUse(how, reason.value, function.locate(reason))


def _looks_like_class(node: ast.expr) -> bool:
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return name[:1].isupper()
