"""What is kept of a file: enough to link it with the others, without its syntax tree."""

from typing import NamedTuple

from errata.linter.source import Edit, Ignore, Location


class Candidate(NamedTuple):
    """What a rule found in a function; it counts if a handler is or reaches that function."""

    rule: str
    location: Location
    message: str
    help: str
    edits: tuple[Edit, ...] = ()
    facts: tuple[str, ...] = ()
    """What the rule wants to know again once all files are linked."""


class RaisedError(NamedTuple):
    """An error that a function raises, or makes and gives back."""

    location: Location
    how: str
    """One of the words of `_raising.How`."""
    name: str
    """What is raised, by its dotted name; for `fail` the reason, empty if it is not written out."""
    code: str
    """The code it stands for; empty if the name does not tell."""
    caught: tuple[str, ...] = ()
    """The exception classes that are caught around it, in this function, and not raised again."""
    reason: str = ""
    """The reason that its data names."""
    head: Location | None = None
    """The stretch that names its maker, and the code if that is an argument; None if it cannot be replaced."""


class CalledFunction(NamedTuple):
    """A call of something, or a function handed on to be called."""

    name: str
    caught: tuple[str, ...] = ()
    handed: bool = False
    """Whether somebody else calls it, perhaps in a thread: `asyncio.to_thread(fetch, …)`."""


class SideEffect(NamedTuple):
    """What a function does that matters once it fails."""

    kind: str
    """`changes` something, `writes` a file, `blocks` whatever else runs, `repeats` what changes something each time, is `retried` by a
    decorator, `repeats given` functions (it is such a decorator), or `sends` a request whose method its caller knows."""
    what: str
    """The call, or the decorator, as a person would name it."""
    location: Location
    each_time: bool = False
    """Whether doing it twice changes something twice."""
    in_turn: bool = False
    """Whether it is one of several changes that all happen when the function runs, under no condition."""


class Registration(NamedTuple):
    """A function becomes a tool, a resource or a prompt."""

    kind: str
    """`tool`, `resource`, `prompt` or `listing`; what stands for all tools of a server is `dispatcher`."""
    receiver: str
    """What it is registered with, by its dotted name."""
    written: str
    """The same as it is written."""
    function: str
    """The function, by its dotted name."""
    tool: str
    """The name it gets; empty for that of the function."""
    hints: dict[str, bool]
    """The annotations that are written out, such as `readOnlyHint`."""
    hints_name: str
    """Where the annotations are, if they are not written out here."""
    is_named_later: bool = False
    """Whether its name is known only at run time."""


class Advice(NamedTuple):
    """What agents are told to do next, as it is written."""

    location: Location
    text: str
    is_name: bool = False
    """Whether it is the name of a tool, and not a sentence."""


class EntrySummary(NamedTuple):
    """One thing that a contract or a `@raises` holds."""

    attribute: str
    """Its name in a contract; empty in a `@raises`."""
    kind: str
    """`failure`, `named` for what stands elsewhere, `value` for what is no failure, or `unknown`."""
    location: Location
    written: str
    name: str = ""
    """The dotted name of what stands elsewhere."""
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
    """Whether all that it holds is in its entries, and in its bases."""
    subject: str
    """The function or the tool that it is for; empty for a class, and for a tool that cannot be seen."""
    candidates: tuple[Candidate, ...] = ()
    """What rules found in it; it counts if it is a contract."""


class ContractUse(NamedTuple):
    """A reason, or a failure of a contract, that a function asks for by name."""

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
    """The errors that it gives back for others to raise."""
    decorators: tuple[str, ...] = ()
    contract: ContractSummary | None = None
    returns: str = ""
    """What it gives back, by the dotted name of its annotation."""
    candidates: tuple[Candidate, ...] = ()
    registers: str = ""
    """The kind that it makes of a function it is given: it is a decorator around `server.tool`."""
    is_async: bool = False
    side_effects: tuple[SideEffect, ...] = ()
    outcome: str = ""
    """`raises` if it never returns, `error` if all it gives back are errors that look like results."""
    checks: tuple[str, ...] = ()
    """The functions whose results it looks at, to tell an error if they say so."""
    contract_uses: tuple[ContractUse, ...] = ()
    parameters: tuple[str, ...] = ()
    """Those of several words, if it is decorated."""


class ClassSummary(NamedTuple):
    """One class."""

    name: str
    bases: tuple[str, ...]
    attributes: dict[str, str]
    """What its instances hold, by dotted name."""
    contract: ContractSummary | None = None


class Summary(NamedTuple):
    """One file."""

    path: str
    module: str
    """Its name, the same for no other file."""
    dotted: str
    """Its name for those who import it."""
    root: str
    """The directory that it is imported from."""
    functions: tuple[FunctionSummary, ...] = ()
    classes: tuple[ClassSummary, ...] = ()
    names: dict[str, str] = {}  # noqa: RUF012 - never changed.
    values: dict[str, str] = {}  # noqa: RUF012 - as above.
    """What module-level names hold, by dotted name."""
    hints: dict[str, dict[str, bool]] = {}  # noqa: RUF012 - as above.
    """Annotations that are kept under a name."""
    lists: dict[str, tuple[str, ...]] = {}  # noqa: RUF012 - as above.
    """Functions that module-level lists and tables hold, by dotted name."""
    stars: tuple[str, ...] = ()
    registrations: tuple[Registration, ...] = ()
    obstacles: tuple[Candidate, ...] = ()
    """What keeps the file from being judged."""
    ignores: tuple[Ignore, ...] = ()
    installed: tuple[ContractSummary, ...] = ()
    """What `install(contracts=…)` declares."""
    advice: tuple[Advice, ...] = ()
    """What agents are told outside of contracts: `Recovery(hint=…)`, `effect("get_payment")`, `fallback_tool=…`."""
    adds_unseen_tools: bool = False
    """Whether tools may come from here that no function in these files stands for, as those of a mounted server."""
