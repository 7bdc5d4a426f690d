"""What is kept of a file: enough to link it with the others, small enough to be cached as JSON."""

from typing import Any, NamedTuple

from errata.linter._finding import Edit, Place
from errata.linter._ignores import Ignore


class Candidate(NamedTuple):
    """What a rule found in a function; it counts if a handler is or reaches that function."""

    rule: str
    place: Place
    message: str
    help: str
    edits: tuple[Edit, ...] = ()
    facts: tuple[str, ...] = ()
    """What the rule wants to know again once all files are linked."""


class Raised(NamedTuple):
    """An error that a function raises, or makes and gives back."""

    place: Place
    how: str
    """One of the words of `_raising.How`."""
    name: str
    """What is raised, by its dotted name; for `fail` the reason, empty if it is not written out."""
    code: str
    """The code it stands for; empty if the name does not tell."""
    caught: tuple[str, ...] = ()
    """The exception classes that are caught around it, in this function, and not raised again."""


class Called(NamedTuple):
    """A call of something, or a function handed on to be called."""

    name: str
    line: int
    caught: tuple[str, ...] = ()
    handed: bool = False
    """Whether somebody else calls it, perhaps in a thread: `asyncio.to_thread(fetch, …)`."""


class Act(NamedTuple):
    """What a function does that matters once it fails."""

    kind: str
    """`changes` something, `blocks` whatever else runs, `repeats` what changes something each time, is `retried` by a
    decorator, or `repeats given` functions: it is such a decorator."""
    what: str
    """The call, or the decorator, as a person would name it."""
    place: Place
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
    place: Place


class FailureSummary(NamedTuple):
    """A declared failure: its reason and its code, each empty if it is not written out."""

    attribute: str
    reason: str
    code: str


class ContractSummary(NamedTuple):
    """What a `@raises(…)` or the body of a contract declares."""

    failures: tuple[FailureSummary, ...]
    others: tuple[str, ...]
    """Contracts and failures that stand elsewhere, by their dotted names: the bases, or what `@raises` is given."""


class FunctionSummary(NamedTuple):
    """One function."""

    name: str
    """Qualified within the module."""
    place: Place
    calls: tuple[Called, ...] = ()
    raises: tuple[Raised, ...] = ()
    makes: tuple[Raised, ...] = ()
    """The errors that it gives back for others to raise."""
    decorators: tuple[str, ...] = ()
    contract: ContractSummary | None = None
    returns: str = ""
    """What it gives back, by the dotted name of its annotation."""
    candidates: tuple[Candidate, ...] = ()
    registers: str = ""
    """The kind that it makes of a function it is given: it is a decorator around `server.tool`."""
    outcome: str = ""
    """`raises` if it never returns, `error` if all it gives back are errors that look like results."""
    checks: tuple[str, ...] = ()
    """The functions whose results it looks at, to tell an error if they say so."""
    is_async: bool = False
    acts: tuple[Act, ...] = ()


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
    stars: tuple[str, ...] = ()
    registrations: tuple[Registration, ...] = ()
    found: tuple[Candidate, ...] = ()
    """What counts wherever it stands."""
    ignores: tuple[Ignore, ...] = ()


def loaded(kept: Any) -> Summary:  # noqa: ANN401 - what JSON gives.
    """Make a summary from what JSON made of it; what does not fit raises, as the rest of a broken cache should."""
    path, module, dotted, root, functions, classes, names, values, hints, stars, registrations, found, ignores = kept
    return Summary(
        path,
        module,
        dotted,
        root,
        tuple(map(_function, functions)),
        tuple(map(_class, classes)),
        names,
        values,
        hints,
        tuple(stars),
        tuple(map(_registration, registrations)),
        tuple(map(_candidate, found)),
        tuple(map(_ignore, ignores)),
    )


def _ignore(kept: list[Any]) -> Ignore:
    read = Ignore(*kept)
    return read._replace(names=None if read.names is None else tuple(read.names), cut=tuple(read.cut))


def _registration(kept: list[Any]) -> Registration:
    kind, receiver, written, function, tool, hints, hints_name, place = kept
    return Registration(kind, receiver, written, function, tool, hints, hints_name, Place(*place))


def _function(kept: list[Any]) -> FunctionSummary:
    name, place, calls, raises, makes, decorators, contract, returns, candidates, registers, is_async, acts = kept
    return FunctionSummary(
        name,
        Place(*place),
        tuple(Called(called, line, tuple(caught), handed) for called, line, caught, handed in calls),
        tuple(map(_raised, raises)),
        tuple(map(_raised, makes)),
        tuple(decorators),
        _contract(contract),
        returns,
        tuple(map(_candidate, candidates)),
        registers,
        is_async=is_async,
        acts=tuple(Act(kind, what, Place(*at), *rest) for kind, what, at, *rest in acts),
    )


def _class(kept: list[Any]) -> ClassSummary:
    name, bases, attributes, contract = kept
    return ClassSummary(name, tuple(bases), attributes, _contract(contract))


def _contract(kept: list[Any] | None) -> ContractSummary | None:
    if kept is None:
        return None
    failures, others = kept
    return ContractSummary(tuple(FailureSummary(*each) for each in failures), tuple(others))


def _raised(kept: list[Any]) -> Raised:
    place, how, name, code, caught = kept
    return Raised(Place(*place), how, name, code, tuple(caught))


def _candidate(kept: list[Any]) -> Candidate:
    rule, place, message, advice, edits = kept
    return Candidate(rule, Place(*place), message, advice, tuple(Edit(Place(*at), text) for at, text in edits))
