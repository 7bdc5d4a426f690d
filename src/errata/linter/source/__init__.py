"""The source: files and their text, the module names of files, `# errata:` comments, and findings with their locations."""

from errata.linter.source._file_search import NoSuchPathError, find_files, make_relative, matches_any
from errata.linter.source._findings import Edit, Finding, LintError, Location, Place, Severity
from errata.linter.source._ignore_comments import Ignore, find_ignores
from errata.linter.source._module_names import ModuleIndex, ModuleLocation, find_imported_files, locate_module
from errata.linter.source._source_text import (
    TOO_DEEP,
    Lines,
    SourceLines,
    UnreadableError,
    decode_source,
    parse_source,
    read_bytes,
    replace_file,
)

__all__ = [
    "TOO_DEEP",
    "Edit",
    "Finding",
    "Ignore",
    "Lines",
    "LintError",
    "Location",
    "ModuleIndex",
    "ModuleLocation",
    "NoSuchPathError",
    "Place",
    "Severity",
    "SourceLines",
    "UnreadableError",
    "decode_source",
    "find_files",
    "find_ignores",
    "find_imported_files",
    "locate_module",
    "make_relative",
    "matches_any",
    "parse_source",
    "read_bytes",
    "replace_file",
]
