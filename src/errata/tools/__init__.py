"""What a tool's name tells: what it does, and which other tools there are."""

from errata.tools._effect_hints import (
    does_more_each_time,
    find_verb,
    has_effect,
    is_same_deed,
    only_reads,
    presume,
    read_harmless,
    reads,
    split_words,
)
from errata.tools._names import (
    MissingTool,
    collect_fields,
    find_listing_tool,
    find_missing_tool,
    find_missing_tools,
    find_near_tools,
    find_verifying_tool,
)

__all__ = [
    "MissingTool",
    "collect_fields",
    "does_more_each_time",
    "find_listing_tool",
    "find_missing_tool",
    "find_missing_tools",
    "find_near_tools",
    "find_verb",
    "find_verifying_tool",
    "has_effect",
    "is_same_deed",
    "only_reads",
    "presume",
    "read_harmless",
    "reads",
    "split_words",
]
