"""What SDKs and frameworks put around what a server said: `Error executing tool x: `, `(reason no_match · not retryable)`."""

import re
from typing import NamedTuple

_ROUNDS = 8  # Proxies wrap what other proxies wrapped.
_NAME = r"(?:'[^'\n]{1,100}'|\"[^\"\n]{1,100}\"|`[^`\n]{1,100}`|[\w.\-/:]{1,100})"

# fmt: off
_WRAPPERS = (
    r"(?:McpError|MCPError|ToolError|ToolException): ",
    rf"Error (?:executing|calling|invoking|running)(?: remote| MCP)?(?: tool| method)?(?: call)?(?: {_NAME})?: ",
    rf"(?:Failed to|Could not) (?:call|execute|run|invoke)(?: MCP)? tool(?: {_NAME})?: ",
    rf"(?:MCP )?[Tt]ool(?: call)?(?: {_NAME})?(?: execution)? (?:failed|error): ",
    r"\*\*(?:[A-Z][a-z]+ )?Error:?\*\*:?\s+",
    r"\#{1,6} (?:Result|Error)\n+",
    r"[\u274c\u2717\u2718\U0001f6ab\u26d4\u26a0]\ufe0f?\s*(?=\w)",
    r"(?:An?|The) (?:unexpected |unknown |internal )?error (?:has )?occurred: ",
    r"(?:Unexpected |Uncaught )?[Ee]xception: ",
    r"(?:Unexpected |Uncaught )?(?:E|e)rror(?:: | - )(?=\S)",
    r"\[[Ee]rror\]:? (?=\S)",
    r"ERROR: (?=\S)",
)
# fmt: on
_WRAPPER = re.compile("|".join(_WRAPPERS))
_LONGEST_TRAILER = 2_500
_NUMBERED = re.compile(r"(?:Mcp|MCP)[ -]?(?:E|e)rror:? (-?[0-9]{1,6}):? ")


# What mcp-ts-core puts behind a message, and in this order; each of the three may be missing.
_RECOVERY = re.compile(r"\n\nRecovery: ([^\n]{1,2000})\s*\Z")
_TRAILER = re.compile(
    r"\n\n\((?=reason |not retryable|retryable|request )(?:reason (?P<reason>[\w.\-]{1,100}))?(?: \u00b7 )?"
    r"(?P<retryable>(?:not )?retryable)?(?: \u00b7 )?(?:request (?P<request>[\w.\-]{1,100}))?\)\s*\Z"
)


class Trailer(NamedTuple):
    """A text without what mcp-ts-core puts behind it, and what that says."""

    text: str
    hint: str | None = None
    reason: str | None = None
    retryable: bool | None = None
    request_id: str | None = None


def split_trailer(text: str) -> Trailer:
    """Take off `Recovery: …` and `(reason … · not retryable · request …)` at the end of a text."""
    end = _TRAILER.search(text[-_LONGEST_TRAILER:]) if text.rstrip().endswith(")") else None
    if end:
        text = text[: len(text) - len(end[0])]
    hint = _RECOVERY.search(text[-_LONGEST_TRAILER:])
    said = end["retryable"] if end else None
    return Trailer(
        text[: len(text) - len(hint[0])] if hint else text,
        hint[1] if hint else None,
        end["reason"] if end else None,
        None if said is None else said == "retryable",
        end["request"] if end else None,
    )


class Unwrapped(NamedTuple):
    """What was said, and the JSON-RPC number that stood before it."""

    text: str
    number: int | None


def unwrapped(text: str) -> Unwrapped:
    """Take off what stands before the message itself; a text that is nothing but prefixes stays whole."""
    rest, number = text.lstrip(), None
    for _ in range(_ROUNDS):
        if found := _NUMBERED.match(rest):
            number = int(found[1]) if number is None else number
        elif not (found := _WRAPPER.match(rest)):
            break
        if found.end() == len(rest):
            break
        rest = rest[found.end() :].lstrip()
    return Unwrapped(rest.rstrip() or text.strip(), number)
