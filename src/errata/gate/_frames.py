"""Frames with one message, with several in an array, and with an answer that is nested too deep to be read."""

import contextlib
import json
from collections.abc import Sequence
from typing import Final

from errata.wire import Message, member_text, peek_answer, read_json, replace_items, to_frame

HIDDEN: Final = ""
"""In place of the text of a message that is not to be passed on."""
_LONGEST_SEARCHED = 1 << 20
"""How many characters of an answer are searched for its id, where it is nested too deep to be read."""


def is_batch(frame: bytes) -> bool:
    """Return whether a frame is an array of messages."""
    return frame.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")


def replace_messages(line: bytes, messages: Sequence[Message], texts: list[str | None]) -> bytes | None:
    """Return a line with other texts for its messages, where None leaves one as it is; None if no message is left.

    Several messages, or one in an array, stay an array.
    """
    if all(text is None for text in texts):
        return line
    if not any(text != HIDDEN for text in texts):
        return None
    if not is_batch(line):
        return to_frame(texts[0] or "") + b"\n"
    if HIDDEN in texts:
        kept = [message.text if text is None else text for message, text in zip(messages, texts, strict=True)]
        return to_frame(f"[{','.join(filter(None, kept))}]") + b"\n"
    return to_frame(replace_items(line.decode("utf-8", "surrogateescape").strip(), texts)) + b"\n"


def read_deep_answer(line: bytes) -> Message | None:
    """Return an answer that Python cannot read because it is nested too deep, as one with an empty result; else None."""
    text = line.decode("utf-8", "surrogateescape").strip()
    if not (text.startswith("{") and text.endswith("}") and _is_deep(text)):
        return None
    number = peek_answer(line)
    with contextlib.suppress(ValueError, IndexError):  # What stands behind the depth may be no JSON.
        if number is None and len(text) <= _LONGEST_SEARCHED and member_text(text, "method") is None:
            number = member_text(text, "id")
    return None if number is None else Message(text, {"id": read_json(number), "result": {}})


def _is_deep(text: str) -> bool:
    try:
        json.loads(text)
    except RecursionError:
        return True
    except ValueError:
        return False
    return False
