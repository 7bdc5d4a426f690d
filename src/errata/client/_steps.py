"""What to do after a call, as values; each says itself in one sentence."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from errata._fault import FieldIssue
from errata._values import whole_seconds
from errata.dialects._sentences import one_line


@dataclass(frozen=True, slots=True)
class Repeat:
    """Make the same call again."""

    after_ms: int = 0

    def __str__(self) -> str:
        wait = f" after {whole_seconds(self.after_ms)} s" if self.after_ms else ""
        return f"Repeat the same call{wait}."


@dataclass(frozen=True, slots=True)
class FixArguments:
    """Change the arguments, and call again."""

    issues: tuple[FieldIssue, ...] = ()
    """What is wrong with which argument; empty where only the message says it."""
    corrective_params: Mapping[str, object] = field(default_factory=dict[str, object], hash=False)
    """Arguments that would have worked, as far as the server names them."""
    message: str = ""
    """What the server says about it."""
    hint: str | None = None
    """The next step that the server suggests."""

    def __str__(self) -> str:
        wrong = "; ".join(f"{one_line(issue.field)}: {one_line(issue.problem)}" for issue in self.issues)
        return f"Change the arguments and call again: {wrong or one_line(self.hint or self.message)}"


@dataclass(frozen=True, slots=True)
class UseTool:
    """Call another tool."""

    name: str
    to_verify: bool = False
    """Whether it is called to see if the first call took effect; if so, nothing is to be repeated."""

    def __str__(self) -> str:
        if self.to_verify:
            return f"Call `{one_line(self.name)}` to see whether it happened, before anything is repeated."
        return f"Call `{one_line(self.name)}` instead."


@dataclass(frozen=True, slots=True)
class AskUser:
    """Ask the person behind the agent; nobody else knows, or may decide."""

    message: str
    fields: tuple[str, ...] = ()
    """The arguments that the tool asks for."""
    options: tuple[Mapping[str, object], ...] = field(default=(), hash=False)
    """What may be chosen, each with a `label` and a `value`."""

    def __str__(self) -> str:
        return f"Ask the user: {one_line(self.message)}"


@dataclass(frozen=True, slots=True)
class Stop:
    """Give this call up; trying on would not help."""

    reason: str

    def __str__(self) -> str:
        return f"Stop: {one_line(self.reason)}"


Step: TypeAlias = Repeat | FixArguments | UseTool | AskUser | Stop
