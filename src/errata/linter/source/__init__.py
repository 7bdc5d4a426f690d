"""The source as the linter gets it: files, their text, their names as modules, comments that speak to the linter."""

from errata.linter.source._file_search import NoSuchPathError, find_files, matches_any, relative_to
from errata.linter.source._findings import Edit, Finding, LintError, Place, Severity
from errata.linter.source._ignore_comments import Ignore, ignores_in
from errata.linter.source._module_names import Location, Modules, files_imported, location_of
from errata.linter.source._source_text import (
    TOO_DEEP,
    Lines,
    Sources,
    UnreadableError,
    decoded,
    parsed,
    read,
    write_whole,
)

__all__ = [
    "TOO_DEEP",
    "Edit",
    "Finding",
    "Ignore",
    "Lines",
    "LintError",
    "Location",
    "Modules",
    "NoSuchPathError",
    "Place",
    "Severity",
    "Sources",
    "UnreadableError",
    "decoded",
    "files_imported",
    "find_files",
    "ignores_in",
    "location_of",
    "matches_any",
    "parsed",
    "read",
    "relative_to",
    "write_whole",
]
