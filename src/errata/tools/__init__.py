"""What a tool's name tells: what it does, and which other tools there are."""

from errata.tools._effects import (
    does_more_each_time,
    harmless_by,
    has_effect,
    is_same_deed,
    only_reads,
    presume,
    reads,
    verb_of,
    words_of,
)
from errata.tools._names import Missing, fields_in, listing_tool, looking_tool, missing_tool, missing_tools, near_tools

__all__ = [
    "Missing",
    "does_more_each_time",
    "fields_in",
    "harmless_by",
    "has_effect",
    "is_same_deed",
    "listing_tool",
    "looking_tool",
    "missing_tool",
    "missing_tools",
    "near_tools",
    "only_reads",
    "presume",
    "reads",
    "verb_of",
    "words_of",
]
