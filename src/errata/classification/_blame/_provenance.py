"""Where a value in the server's code comes from: from an argument of the call, or from somewhere else."""

from collections.abc import Iterable
from typing import NamedTuple, Self, TypeAlias

Paths: TypeAlias = frozenset[str]
_NONE: Paths = frozenset()


class Provenance(NamedTuple):
    """Where a value comes from."""

    made_of: Paths = _NONE
    """The arguments that it is computed from."""
    fetched_by: Paths = _NONE
    """The arguments by which it was looked up, read or asked for."""
    is_foreign: bool = False
    """Whether something of the server's own or of the outside is in it: a setting, a global, an answer."""
    path: str | None = None
    """The dotted path of the argument that it is, to the letter."""
    is_result: bool = False
    """Whether it is just what a call with an argument returned, and no part of that."""
    from_environment: bool = False
    """Whether an environment variable is in it."""
    is_unknown: bool = False
    """Whether something is in it that could not be followed: then nothing can be said against an argument."""
    unsent: Paths = _NONE
    """The arguments that were not sent and whose defaults are in it."""
    is_indirect: bool = False
    """Whether what was fetched was asked for with what had been fetched before, and with no argument itself."""

    @classmethod
    def of(cls, path: str) -> Self:
        """Return the origin of an argument itself."""
        return cls(frozenset({path}), path=path)

    @property
    def arguments(self) -> Paths:
        """Every argument that has to do with it."""
        return self.made_of | self.fetched_by

    def as_part(self) -> "Provenance":
        """Return the origin of something computed from the value."""
        return self._replace(path=None, is_result=False)

    def as_fetched(self) -> "Provenance":
        """Return the origin of what was found by means of the value."""
        return Provenance(
            fetched_by=self.arguments,
            is_foreign=True,
            from_environment=self.from_environment,
            is_unknown=self.is_unknown,
            is_indirect=not self.made_of and bool(self.fetched_by),
        )


LITERAL = Provenance()
FOREIGN = Provenance(is_foreign=True)
UNKNOWN = Provenance(is_foreign=True, is_unknown=True)


def merge(origins: Iterable[Provenance]) -> Provenance:
    """Return the origin of a value computed from several."""
    made, fetched, unsent = _NONE, _NONE, _NONE
    foreign = environment = unknown = False
    for origin in origins:
        made |= origin.made_of
        fetched |= origin.fetched_by
        unsent |= origin.unsent
        foreign = foreign or origin.is_foreign
        environment = environment or origin.from_environment
        unknown = unknown or origin.is_unknown
    return Provenance(made, fetched, foreign, from_environment=environment, is_unknown=unknown, unsent=unsent)


Environment: TypeAlias = dict[str, Provenance]
