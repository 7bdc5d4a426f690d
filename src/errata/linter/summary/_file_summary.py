"""The summary of a file: what linking and rules need of it, without its syntax tree."""

from typing import NamedTuple

from errata.linter.source import Edit, Ignore, Location


class Candidate(NamedTuple):
    """What a rule sees in a function; it becomes a finding if a handler is or reaches that function."""

    rule: str
    location: Location
    message: str
    help: str
    edits: tuple[Edit, ...] = ()
    facts: tuple[str, ...] = ()
    """What the rule needs again once files are linked."""


class RaisedError(NamedTuple):
    """An error that a function raises, or creates and returns."""

    location: Location
    how: str
    """As `RaisedExpression.how`."""
    name: str
    """What is raised, by its dotted name; for `fail` the reason, empty if it is not a literal."""
    code: str
    """Its code; empty if unknown."""
    caught: tuple[str, ...] = ()
    """The exception classes that are caught around it, in this function, and not raised again."""
    reason: str = ""
    """The reason in its data."""
    head: Location | None = None
    """The location of its factory, or of its constructor and code; None if it cannot be replaced."""


class CalledFunction(NamedTuple):
    """A function that is called, or passed on to be called."""

    name: str
    caught: tuple[str, ...] = ()
    handed: bool = False
    """Whether somebody else calls it, perhaps in a thread: `asyncio.to_thread(fetch, …)`."""


class SideEffect(NamedTuple):
    """What a function does that matters once it fails."""

    kind: str
    """`changes` something, `writes` a file, `blocks` the event loop, `repeats` what changes something each time, is `retried` by a
    decorator, `repeats given` functions (it is such a decorator), or `sends` a request whose method its caller knows."""
    what: str
    """The call or the decorator, for a message."""
    location: Location
    each_time: bool = False
    """Whether doing it twice changes something twice."""
    in_turn: bool = False
    """Whether it is one of several changes that happen unconditionally when the function runs."""


class Registration(NamedTuple):
    """A function becomes a tool, a resource or a prompt."""

    kind: str
    """`tool`, `resource`, `prompt`, `listing`, or `dispatcher` for a function that serves all tools."""
    receiver: str
    """What it is registered with, by its dotted name."""
    written: str
    """The same as it is written."""
    function: str
    """The function, by its dotted name."""
    tool: str
    """The name it is given; empty for the function's own."""
    hints: dict[str, bool]
    """The literal annotations, such as `readOnlyHint`."""
    hints_name: str
    """The variable that holds the annotations, if they are not literals."""
    is_named_later: bool = False
    """Whether its name is known only at run time."""


class Advice(NamedTuple):
    """Advice to an agent on what to do next."""

    location: Location
    text: str
    is_name: bool = False
    """Whether it is the name of a tool, and not a sentence."""


class EntrySummary(NamedTuple):
    """One entry of a contract or a `@raises`."""

    attribute: str
    """Its name in a contract; empty in a `@raises`."""
    kind: str
    """`failure`, `named` for a reference, `value` for what is no failure, or `unknown`."""
    location: Location
    written: str
    name: str = ""
    """The dotted name that a reference stands for."""
    reason: str | None = None
    """The reason of a failure; None if it is known only at run time."""
    code: str | None = None
    """The code of a failure; None if it is known only at run time, or is none."""
    recovery: Advice | None = None
    """The recovery of a failure; None if it is known only at run time, or is none."""


class ContractSummary(NamedTuple):
    """What the body of a contract, a `@raises(…)` or an `install(contracts=…)` declares."""

    owner: str
    """For messages: ``contract `OrderErrors` `` or ``tool `get_order` ``."""
    location: Location
    entries: tuple[EntrySummary, ...]
    is_class: bool
    is_whole: bool
    """Whether its entries and bases are all there is."""
    subject: str
    """The function or the tool it is for; empty for a class, and for an unknown tool."""
    candidates: tuple[Candidate, ...] = ()
    """What rules see in it; it becomes a finding if this is a contract."""


class ContractUse(NamedTuple):
    """A use of a contract by name: a reason, or an attribute of its class."""

    how: str
    """`fail`, `recovery_for`, or `failure` for an attribute of a class."""
    name: str
    """The reason, or the dotted name of the attribute."""
    location: Location


class FunctionSummary(NamedTuple):
    """One function."""

    name: str
    """Qualified within the module."""
    location: Location
    calls: tuple[CalledFunction, ...] = ()
    raises: tuple[RaisedError, ...] = ()
    makes: tuple[RaisedError, ...] = ()
    """The errors that it returns for others to raise."""
    decorators: tuple[str, ...] = ()
    contract: ContractSummary | None = None
    returns: str = ""
    """The dotted name of its return annotation."""
    candidates: tuple[Candidate, ...] = ()
    registers: str = ""
    """What it registers a given function as, if it is a decorator around `server.tool`."""
    is_async: bool = False
    side_effects: tuple[SideEffect, ...] = ()
    outcome: str = ""
    """`raises` if it never returns, `error` if it returns only errors that look like results."""
    checks: tuple[str, ...] = ()
    """The functions whose results it tests for an error."""
    contract_uses: tuple[ContractUse, ...] = ()
    parameters: tuple[str, ...] = ()
    """The names of parameters with several words, if it is decorated."""


class ClassSummary(NamedTuple):
    """One class."""

    name: str
    bases: tuple[str, ...]
    attributes: dict[str, str]
    """The dotted names of what its instances hold."""
    contract: ContractSummary | None = None


class Summary(NamedTuple):
    """One file."""

    path: str
    module: str
    """Its unique name."""
    dotted: str
    """The name it is imported by."""
    root: str
    """The directory that it is imported from."""
    functions: tuple[FunctionSummary, ...] = ()
    classes: tuple[ClassSummary, ...] = ()
    names: dict[str, str] = {}  # noqa: RUF012 - never changed.
    values: dict[str, str] = {}  # noqa: RUF012 - as above.
    """The dotted names of what module-level names hold."""
    hints: dict[str, dict[str, bool]] = {}  # noqa: RUF012 - as above.
    """Annotations held by module-level names."""
    lists: dict[str, tuple[str, ...]] = {}  # noqa: RUF012 - as above.
    """The dotted names of functions in module-level lists and tables."""
    stars: tuple[str, ...] = ()
    registrations: tuple[Registration, ...] = ()
    obstacles: tuple[Candidate, ...] = ()
    """Why the file cannot be judged; empty if it can."""
    ignores: tuple[Ignore, ...] = ()
    installed: tuple[ContractSummary, ...] = ()
    """What `install(contracts=…)` declares."""
    advice: tuple[Advice, ...] = ()
    """Advice outside of contracts: `Recovery(hint=…)`, `effect("get_payment")`, `fallback_tool=…`."""
    adds_unseen_tools: bool = False
    """Whether the file may add tools without a function for each, such as those of a mounted server."""
