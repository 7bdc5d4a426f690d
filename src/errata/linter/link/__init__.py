"""From summaries to a project: which functions are handlers, what each reaches, which contract holds for it."""

from errata.linter.link._handlers import (
    LinkedContractUse,
    LinkedHandler,
    ReachedError,
    is_guarded,
    list_changes,
    locate_head,
    marks_its_effect,
)
from errata.linter.link._linked_contracts import HeldEntry, LinkedContract, strip_root
from errata.linter.link._linked_project import Project, are_all_read, is_for_tests
from errata.linter.link._name_resolution import LocatedFunction

__all__ = [
    "HeldEntry",
    "LinkedContract",
    "LinkedContractUse",
    "LinkedHandler",
    "LocatedFunction",
    "Project",
    "ReachedError",
    "are_all_read",
    "is_for_tests",
    "is_guarded",
    "list_changes",
    "locate_head",
    "marks_its_effect",
    "strip_root",
]
