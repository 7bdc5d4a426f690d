"""In which words servers refuse a session that they do not know: one that was restarted knows none of before."""

import re

_LONGEST = 300
_REFUSAL = re.compile(
    r"(Bad Request: |Not Found: )?"
    r"(session( id)? (not found|terminated|has been terminated|expired|does not exist)"
    r"|(missing|invalid|unknown|expired|(missing|invalid) or (missing|invalid|expired)|no valid|no) (mcp[- ])?session([- ]?id)?( header| provided)*"
    r"|mcp-session-id( header)? (is )?(required|missing|invalid)"
    r"|server not initialized)\W*$",
    re.IGNORECASE,
)
"""The words of the SDKs. In all of them nothing stands beside: a tool that speaks of its own sessions is not meant."""


def refuses_session(text: str) -> bool:
    """Whether a server says with this that it does not know the session."""
    return _REFUSAL.match(text[:_LONGEST]) is not None
