"""The wire of MCP, for whoever stands between a client and a server: frames, messages, correlation, what passed by.

It knows the bytes and the ids, and nothing of failures:

    lines = LineSplitter()                          # or EventSplitter, for the events of an HTTP stream
    ledger, tools = Ledger(), ToolTable()
    for line in lines.feed(data):
        for message in read_messages(line) or ():   # None: no JSON-RPC, to be passed on as it is
            if message.is_request:
                ledger.begin(message)
            elif message.is_answer and (request := ledger.take(message.key)):
                ...                                 # The answer to `request`; `edit_object` changes one member of it.

Every function is total: whatever bytes come, there is a frame or there is none.
"""

from errata.wire._framing import Event, EventSplitter, LineSplitter
from errata.wire._ledger import CallMemory, Ledger, Pending, first_message, key_of_cancelled
from errata.wire._messages import (
    Message,
    edit_object,
    has_twins,
    member_text,
    members_of,
    peek_answer,
    read_json,
    read_messages,
    replace_items,
    to_frame,
    write_json,
)
from errata.wire._tool_table import ToolTable

__all__ = [
    "CallMemory",
    "Event",
    "EventSplitter",
    "Ledger",
    "LineSplitter",
    "Message",
    "Pending",
    "ToolTable",
    "edit_object",
    "first_message",
    "has_twins",
    "key_of_cancelled",
    "member_text",
    "members_of",
    "peek_answer",
    "read_json",
    "read_messages",
    "replace_items",
    "to_frame",
    "write_json",
]
