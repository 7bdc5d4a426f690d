"""The rules about what a contract says: one row each, and one page made from each row.

They look at a contract as it is written, without the handlers it is for. The rules that compare a contract with what its
handlers do have a file each: `error_contract_conformance`, `_prefer_fail`, `_unknown_reason` and `_unknown_tool`.
"""

import dataclasses
from collections.abc import Callable, Iterator
from types import FunctionType

from errata.contracts import has_few_words, is_snake_case, quote_value, to_snake_case
from errata.linter.link import LinkedContract
from errata.linter.rules._rule import LinkedViolation, Rule
from errata.linter.source import Severity
from errata.linter.summary import CONTRACT, NEXT_STEP, ContractEntry, Declaration, Violation
from errata.model import Code, find_nearest, known_word, text_or_none
from errata.redaction import text_of

_ERROR, _WARNING = Severity.ERROR, Severity.WARNING


def _check_code_type(entry: ContractEntry) -> Iterator[Violation]:
    code = entry.read_argument("code")
    if code and not issubclass(code.kind, str):
        given = "no code" if code.read is None else f"a code of type `{code.kind.__name__}`"
        yield Violation(code.node, f"{entry.subject} has {given}", "give a member of `Code`, such as `Code.NOT_FOUND`")


def _check_code_exists(entry: ContractEntry) -> Iterator[Violation]:
    code = entry.read_argument("code")
    if code and isinstance(code.read, str) and known_word(Code, code.read) is None:
        near = find_nearest(code.read.upper(), Code)
        advice = f"write {' or '.join(f'`Code.{each}`' for each in near)}" if near else "choose a member of `Code`"
        yield Violation(
            code.node, f"{entry.subject} has the code {quote_value(code.read)}, which does not exist", advice
        )


def _check_code_says_something(entry: ContractEntry) -> Iterator[Violation]:
    code = entry.read_argument("code")
    if code and known_word(Code, code.read) is Code.UNKNOWN_ERROR:
        message = f"{entry.subject} has the code `UNKNOWN_ERROR`, which tells an agent nothing"
        yield Violation(code.node, message, "pick the code that says what happened, such as `Code.NOT_FOUND`")


def _check_reason_is_given(entry: ContractEntry) -> Iterator[Violation]:
    reason = entry.reason
    if reason and (not issubclass(reason.kind, str) or _is_blank(reason.read)):
        advice = 'give it one, as in `Failure(…, reason="no_match")`, or make it an attribute of a Contract'
        yield Violation(reason.node, f"a failure of {entry.owner} has no reason", advice)


def _check_reason_format(entry: ContractEntry) -> Iterator[Violation]:
    reason = entry.reason
    text = text_of(reason.read) if reason and isinstance(reason.read, str) else ""
    if reason and text_or_none(text) and not is_snake_case(text):
        message = f"reason {quote_value(text)} of {entry.owner} is not snake_case"
        yield Violation(reason.node, message, f"call it {quote_value(to_snake_case(text))}")


def _check_when_is_given(entry: ContractEntry) -> Iterator[Violation]:
    when = entry.read_argument("when")
    if when and (not issubclass(when.kind, str) or _is_blank(when.read)):
        advice = 'say in one sentence when it happens, as in `when="No order has this number"`'
        yield Violation(when.node, f"{entry.subject} has no `when`", advice)


def _check_recovery_is_given(entry: ContractEntry) -> Iterator[Violation]:
    recovery = entry.read_argument("recovery")
    if recovery and not issubclass(recovery.kind, str):
        given = "no `recovery`" if recovery.read is None else "a `recovery` that is no text"
        yield Violation(recovery.node, f"{entry.subject} has {given}", NEXT_STEP)


def _check_recovery_is_not_blank(entry: ContractEntry) -> Iterator[Violation]:
    recovery = entry.read_argument("recovery")
    if recovery and _is_blank(recovery.read):
        yield Violation(recovery.node, f"{entry.subject} has an empty `recovery`", NEXT_STEP)


def _check_recovery_has_words(entry: ContractEntry) -> Iterator[Violation]:
    recovery = entry.read_argument("recovery")
    text = text_or_none(recovery.read) if recovery and isinstance(recovery.read, str) else None
    if recovery and text and has_few_words(text):
        yield Violation(recovery.node, f"{entry.subject} has a `recovery` of few words, {quote_value(text)}", NEXT_STEP)


def _check_retryable_type(entry: ContractEntry) -> Iterator[Violation]:
    flag = entry.read_argument("retryable")
    if flag and flag.kind not in {bool, type(None)}:
        message = f"{entry.subject} has a `retryable` of type `{flag.kind.__name__}`, which is ignored"
        yield Violation(flag.node, message, "give True or False, or leave it out")


def _is_blank(text: object) -> bool:
    return isinstance(text, str) and text_or_none(text) is None


def _check_entries_are_failures(declaration: Declaration) -> Iterator[Violation]:
    last = {entry.attribute: entry for entry in declaration.entries if declaration.is_class}
    for entry in last.values():
        value = entry.value
        if value is not None and value.kind is not FunctionType and not entry.attribute.startswith("_"):
            advice = (
                f"declare it as `{entry.attribute} = Failure(Code.…, when=…, recovery=…)`, or begin its name with `_`"
            )
            yield Violation(entry.written, f"{quote_value(entry.attribute)} of {entry.owner} is no Failure", advice)


def _check_something_is_declared(linked_contract: LinkedContract) -> Iterator[LinkedViolation]:
    contract = linked_contract.contract
    names_another = not contract.is_class and any(entry.name != CONTRACT for entry in contract.entries)
    if linked_contract.is_whole and not (linked_contract.failures or linked_contract.strangers or names_another):
        advice = "declare what can fail, or leave the contract out"
        yield LinkedViolation(linked_contract.path, contract.location, f"{contract.owner} declares no failure", advice)


def _check_reasons_are_unique(linked_contract: LinkedContract) -> Iterator[LinkedViolation]:
    for held in linked_contract.repeated:
        reason = quote_value(held.entry.reason or held.entry.attribute)
        message = f"reason {reason} of {linked_contract.contract.owner} is declared twice"
        yield LinkedViolation(held.path, held.entry.location, message, "rename one of the two, or remove it")


def _check_raises_takes_contracts(linked_contract: LinkedContract) -> Iterator[LinkedViolation]:
    for held in () if linked_contract.contract.is_class else linked_contract.strangers:
        what = f"{linked_contract.contract.owner} is given {quote_value(held.entry.written)}"
        message = f"{what}, which is neither a Contract nor a Failure"
        yield LinkedViolation(
            held.path, held.entry.location, message, "name what can fail, as in `@raises(FetchErrors)`"
        )


def _write_failure(*arguments: str, name: str = "no_match") -> str:
    """Return a failure as an example shows it, one line for each argument."""
    return "\n".join([f"    {name} = Failure(", *(f"        {each}," for each in arguments), "    )"])


_CODE, _WHEN = "Code.NOT_FOUND", 'when="No order has this number"'
_RECOVERY = 'recovery="Call list_orders to see valid numbers."'
_NO_MATCH = _write_failure(_CODE, _WHEN, _RECOVERY)


def _write_contract(*failures: str) -> str:
    """Return the example of a contract."""
    return "\n".join(["from errata import Code, Contract, Failure", "", "", "class OrderErrors(Contract):", *failures])


def _write_tool(*raises: str) -> str:
    """Return the example of a tool with a contract, given the lines of its `@raises`."""
    return "\n".join(
        [
            "from errata import Code, Contract, Failure, raises",
            "from mcp.server.mcpserver import MCPServer",
            "",
            'server = MCPServer("orders")',
            "",
            "",
            "class OrderErrors(Contract):",
            _NO_MATCH,
            "",
            "",
            "@server.tool()",
            *raises,
            "def get_order(number: int) -> str:",
            "    return orders.find(number)",
        ]
    )


def _write_raises(*arguments: str) -> list[str]:
    lines = [f"        {each}," for each in arguments]
    return ["@raises(", "    OrderErrors,", "    Failure(", *lines, "    ),", ")"]


_AT_RUN_TIME = "A value that is known only when the program runs is checked when it runs."
_CLOSED = ('when="The shop is closed"', 'recovery="Call opening_hours before you order again."')
_NEXT_STEP_MATTERS = """\
An agent that is told what failed and not what to do next tries the same again, or gives up. The recovery is that next
step; whoever writes the tool knows it, and nobody else does."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    name: str
    severity: Severity
    what: str
    why: str
    wrong: str
    advice: str = ""
    """What is said before the right example."""
    right: str = _write_contract(_NO_MATCH)
    exceptions: str = ""
    """What the rule leaves alone."""
    entry: Callable[[ContractEntry], Iterator[Violation]] | None = None
    """Looks at one failure, as it is written."""
    declaration: Callable[[Declaration], Iterator[Violation]] | None = None
    """Looks at a contract, as it is written."""
    linked_contract: Callable[[LinkedContract], Iterator[LinkedViolation]] | None = None
    """Looks at a contract with all that it inherits and names."""

    def page(self) -> str:
        """Return the page of the rule, in Markdown."""
        sections = [
            self.what,
            f"## Why it hurts\n\n{self.why}",
            f"## Example\n\n```python\n{self.wrong}\n```",
            "## Write instead",
            *([self.advice] if self.advice else []),
            f"```python\n{self.right}\n```",
            *([f"## What it leaves alone\n\n{self.exceptions}"] if self.exceptions else []),
        ]
        return "\n\n".join(sections) + "\n"

    def rule(self) -> Rule:
        """Return the rule."""
        in_contract = self.declaration or (self.entry and _look_at_failures(self.entry))
        name = f"error-contract-{self.name}"
        return Rule(name, self.severity, self.page(), in_contract=in_contract, of_contract=self.linked_contract)


def _look_at_failures(
    check: Callable[[ContractEntry], Iterator[Violation]],
) -> Callable[[Declaration], Iterator[Violation]]:
    def look(declaration: Declaration) -> Iterator[Violation]:
        for entry in declaration.failures:
            yield from check(entry)

    return look


_ROWS = (
    _Row(
        name="code-type",
        severity=_ERROR,
        what="Finds a failure without a code, or with one that is no code at all.",
        why="""\
The code is what a client decides by: whether to repeat the call, to mend its arguments or to ask somebody. A status of
HTTP or an exception in its place says nothing to it, and the module cannot even be imported.""",
        wrong=_write_contract(_write_failure("404", _WHEN, _RECOVERY)),
        exceptions=_AT_RUN_TIME,
        entry=_check_code_type,
    ),
    _Row(
        name="code-unknown",
        severity=_ERROR,
        what="Finds a failure whose code does not exist.",
        why="""\
A client knows the thirty codes of `errata.Code` and decides by them. A word of one's own means nothing to it, and a
misspelt one stops the server from starting.""",
        wrong=_write_contract(_write_failure("Code.NOT_FOND", _WHEN, _RECOVERY)),
        advice="Choose the code that says what kind of failure it is; the name of the attribute says which one.",
        exceptions=_AT_RUN_TIME,
        entry=_check_code_exists,
    ),
    _Row(
        name="code-unknown-error",
        severity=_WARNING,
        what="Finds a failure that is declared as `UNKNOWN_ERROR`.",
        why="""\
`UNKNOWN_ERROR` is what is left when nothing is known. Whoever declares a failure knows when it happens, so a client
could be told more: whether to repeat the call, to change it, or to give up.""",
        wrong=_write_contract(_write_failure("Code.UNKNOWN_ERROR", _WHEN, _RECOVERY)),
        entry=_check_code_says_something,
    ),
    _Row(
        name="empty",
        severity=_WARNING,
        what="Finds a contract, or a `@raises`, that declares nothing.",
        why="""\
An empty contract tells every client that the tool cannot fail in any way it could plan for. That is hardly ever so, and
nothing that is raised is compared with it.""",
        wrong=_write_contract("    pass"),
        advice="Declare what can fail, or leave the contract out.",
        exceptions="A class that inherits failures, from this file or another one.",
        linked_contract=_check_something_is_declared,
    ),
    _Row(
        name="entry-type",
        severity=_ERROR,
        what="Finds something in a contract that is no failure.",
        why="""\
What stands in a contract is published as a way in which the tool can fail. A text or a code in its place has no `when`
and no recovery, and the module cannot be imported.""",
        wrong=_write_contract('    no_match = "NOT_FOUND"'),
        exceptions="""\
Methods, properties and classes may stand beside the failures, and so may any value whose name begins with an underscore.""",
        declaration=_check_entries_are_failures,
    ),
    _Row(
        name="reason-format",
        severity=_WARNING,
        what="Finds a reason that is not written in snake_case.",
        why="""\
A reason is compared as it is, by programs and by models. Where one server says `noMatch` and another `no_match`, whoever
handles both handles neither.""",
        wrong=_write_contract(_write_failure(_CODE, _WHEN, _RECOVERY, name="noMatch")),
        entry=_check_reason_format,
    ),
    _Row(
        name="reason-required",
        severity=_ERROR,
        what="Finds a failure that has no reason.",
        why="""\
The reason is the name of a failure on the wire. Two failures may share a code; by its reason a client tells them apart
without reading the message. In a `Contract` the name of the attribute is the reason; a failure that stands alone has
none of its own.""",
        wrong=_write_tool(*_write_raises("Code.CONFLICT", *_CLOSED)),
        right=_write_tool(*_write_raises("Code.CONFLICT", 'reason="shop_closed"', *_CLOSED)),
        entry=_check_reason_is_given,
    ),
    _Row(
        name="reason-unique",
        severity=_ERROR,
        what="Finds a reason that stands for two failures.",
        why="""\
By its reason a client tells one failure from another. Where two have the same, it follows the recovery of the wrong one;
errata refuses such a contract when it is made.""",
        wrong=_write_contract(
            _NO_MATCH, _write_failure("Code.CONFLICT", 'when="Two orders have this number"', _RECOVERY)
        ),
        right=_write_contract(
            _NO_MATCH,
            _write_failure("Code.CONFLICT", 'when="Two orders have this number"', _RECOVERY, name="two_match"),
        ),
        exceptions="""\
A subclass may declare an inherited failure anew, and two contracts may share one that they inherit.""",
        linked_contract=_check_reasons_are_unique,
    ),
    _Row(
        name="recovery-empty",
        severity=_ERROR,
        what="Finds a failure whose recovery is empty, or blank.",
        why=_NEXT_STEP_MATTERS,
        wrong=_write_contract(_write_failure(_CODE, _WHEN, 'recovery=""')),
        entry=_check_recovery_is_not_blank,
    ),
    _Row(
        name="recovery-min-words",
        severity=_WARNING,
        what="Finds a recovery of fewer than five words.",
        why="""\
“Try again.” and “Check the input.” are what an agent does anyway. A step that it can take names a tool, an argument or a
time, and that takes five words.""",
        wrong=_write_contract(_write_failure(_CODE, _WHEN, 'recovery="Try again."')),
        exceptions=f"""\
{_AT_RUN_TIME} Words are
what blanks part, so a sentence in Chinese or Japanese counts as one; ignore the rule in such a file.""",
        entry=_check_recovery_has_words,
    ),
    _Row(
        name="recovery-required",
        severity=_ERROR,
        what="Finds a failure without a recovery, or with one that is no text.",
        why=_NEXT_STEP_MATTERS,
        wrong=_write_contract(_write_failure(_CODE, _WHEN)),
        exceptions=_AT_RUN_TIME,
        entry=_check_recovery_is_given,
    ),
    _Row(
        name="retryable-type",
        severity=_WARNING,
        what="Finds a `retryable` that is neither True nor False.",
        why="""\
Whether a call may be repeated is a yes or a no. errata ignores anything else, so the client gets the answer that the
code gives, and the one that was meant is lost.""",
        wrong=_write_contract(_write_failure(_CODE, _WHEN, _RECOVERY, 'retryable="no"')),
        right=_write_contract(_write_failure(_CODE, _WHEN, _RECOVERY, "retryable=False")),
        exceptions=_AT_RUN_TIME,
        entry=_check_retryable_type,
    ),
    _Row(
        name="type",
        severity=_ERROR,
        what=(
            "Finds what is given to `@raises`, or to `install(contracts=…)`, and is neither a Contract nor a Failure."
        ),
        why="""\
`@raises` takes what the tool can fail with as it is told to the agent, not the exceptions of Python. Anything else is
refused when the module is imported.""",
        wrong=_write_tool("@raises(LookupError)"),
        right=_write_tool("@raises(OrderErrors)"),
        exceptions="A name that comes from a library is not followed into it.",
        linked_contract=_check_raises_takes_contracts,
    ),
    _Row(
        name="when-required",
        severity=_ERROR,
        what="Finds a failure that does not say when it happens.",
        why="""\
`when` is published with the tool, so that an agent knows what can go wrong before it calls. It is also the message of
every exception that is given none: without it the agent reads an empty text.""",
        wrong=_write_contract(_write_failure(_CODE, _RECOVERY)),
        exceptions=_AT_RUN_TIME,
        entry=_check_when_is_given,
    ),
)

RULES = tuple(row.rule() for row in _ROWS)
