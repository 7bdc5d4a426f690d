"""From summaries to a project: which functions are handlers, what each reaches, which contract holds for it."""

from errata.linter.link._handlers import AskedAt, Handler, Reached, changes_made, head_of, is_guarded, marks_its_effect
from errata.linter.link._linked_contracts import Agreement, Held, without_root
from errata.linter.link._linked_project import Project, are_all_read, is_for_tests
from errata.linter.link._name_resolution import Located

__all__ = [
    "Agreement",
    "AskedAt",
    "Handler",
    "Held",
    "Located",
    "Project",
    "Reached",
    "are_all_read",
    "changes_made",
    "head_of",
    "is_for_tests",
    "is_guarded",
    "marks_its_effect",
    "without_root",
]
