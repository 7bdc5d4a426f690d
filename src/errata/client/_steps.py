"""The steps that `decide` returns, as values; the text of each is one sentence."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from errata.model import FieldIssue, whole_seconds
from errata.redaction import line_of, make_redacted_repr, quote_name


@dataclass(frozen=True, slots=True)
class Repeat:
    """Make the same call again."""

    after_ms: int = 0

    def __repr__(self) -> str:
        return make_redacted_repr(self)

    def __str__(self) -> str:
        wait = f" after {whole_seconds(self.after_ms)} s" if self.after_ms else ""
        return f"Repeat the same call{wait}."


@dataclass(frozen=True, slots=True)
class FixArguments:
    """Change the arguments, and call again."""

    issues: tuple[FieldIssue, ...] = ()
    """What is wrong with which argument; empty if only the message says it."""
    corrective_params: Mapping[str, object] = field(default_factory=dict[str, object], hash=False)
    """Arguments that the server proposes. It may propose anything: the model decides."""
    message: str = ""
    """The server's message."""
    hint: str | None = None
    """The next step that the server suggests."""
    has_effect: bool | None = field(default=None, compare=False)
    """Whether the tool changes something; None if that is not known."""

    def __repr__(self) -> str:
        return make_redacted_repr(self)

    def __str__(self) -> str:
        wrong = "; ".join(f"{line_of(issue.field)}: {line_of(issue.problem)}" for issue in self.issues)
        return f"Change the arguments and call again: {wrong or line_of(self.hint or self.message)}{self._proposal}"

    @property
    def _proposal(self) -> str:
        if not self.corrective_params:
            return ""
        names = ", ".join(quote_name(line_of(name)) for name in self.corrective_params)
        return f" (The server proposes {names}: compare with what the user wants before you use it.)"


@dataclass(frozen=True, slots=True)
class UseTool:
    """Call another tool of the server, for which the model chooses the arguments."""

    name: str
    to_verify: bool = False
    """Whether it is called to see if the first call took effect; if it did, nothing should be repeated."""
    has_effect: bool | None = field(default=None, compare=False)
    """Whether calling it changes something, by its annotations or its name; None if neither tells."""
    is_presumed: bool = field(default=False, compare=False)
    """Whether it was chosen by its name from the server's list; else the server itself has named it."""

    def __repr__(self) -> str:
        return make_redacted_repr(self)

    def __str__(self) -> str:
        if self.to_verify:
            look = f"Call {quote_name(line_of(self.name))} to see whether it happened, before anything is repeated."
            return f"{look} It was chosen by its name: ask the user if it does not tell." if self.is_presumed else look
        care = " It changes something: call it only if that is what the user wants." if self.has_effect else ""
        return f"Call {quote_name(line_of(self.name))} instead.{care}"


@dataclass(frozen=True, slots=True)
class TellModel:
    """Pass the failure on to the model: nothing has been changed, and it may find another way."""

    message: str

    def __repr__(self) -> str:
        return make_redacted_repr(self)

    def __str__(self) -> str:
        return f"Tell the model: {line_of(self.message)}"


@dataclass(frozen=True, slots=True)
class AskUser:
    """Ask the person behind the agent, who alone knows or may decide."""

    message: str
    fields: tuple[str, ...] = ()
    """The arguments that the tool asks for."""
    options: tuple[Mapping[str, object], ...] = field(default=(), hash=False)
    """The choices, each with a `label` and a `value`."""

    def __repr__(self) -> str:
        return make_redacted_repr(self)

    def __str__(self) -> str:
        return f"Ask the user: {line_of(self.message)}"


@dataclass(frozen=True, slots=True)
class Stop:
    """Give this call up; trying again would not help."""

    reason: str

    def __repr__(self) -> str:
        return make_redacted_repr(self)

    def __str__(self) -> str:
        return f"Stop: {line_of(self.reason)}"


Step: TypeAlias = Repeat | FixArguments | UseTool | TellModel | AskUser | Stop
