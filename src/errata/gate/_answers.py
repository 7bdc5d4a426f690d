"""The answers in a response over HTTP: found in its frames, learned from, judged."""

from collections.abc import Iterable, MutableMapping

from errata.gate._conversations import Conversation
from errata.gate._frames import is_batch, read_deep_answer
from errata.gate._gatekeeper import Failed, Gatekeeper, read_result_of, rename_answer
from errata.gate._repair import find_result
from errata.gate._repeated_ids import MARK, unwrap_id
from errata.wire import (
    Message,
    Pending,
    ToolTable,
    edit_object,
    first_message,
    member_text,
    peek_answer,
    read_messages,
    replace_items,
    to_frame,
)

_NEWER = "2026"
_LONGEST_NOTICE = 10_000
_MARKS_OF_AN_ID = (b'"id"', b"\\u")
"""A frame with an id has one of them: the name in plain letters, or some of them written as escapes."""


class Answers:
    """Reads the frames of one response, for the requests that wait for an answer in it."""

    def __init__(
        self,
        keeper: Gatekeeper,
        conversation: Conversation,
        waiting: MutableMapping[str, Pending],
        attempts: int = 1,
        *,
        is_resumed: bool = False,
    ) -> None:
        self._keeper = keeper
        self._conversation = conversation
        self._attempts = attempts
        self._is_resumed = is_resumed
        """Whether answers to requests come here that nobody remembers."""
        self.waiting = waiting
        """By the key that the request has at the server, which is another one where it was repeated."""

    @property
    def is_repetition(self) -> bool:
        """Whether the response is one to a call that is made again."""
        return self._attempts > 1

    @property
    def tools(self) -> ToolTable:
        """The tools of the conversation."""
        return self._conversation.tools

    def expect_elsewhere(self) -> None:
        """Remember the requests for the stream by which an older client resumes this one, which shows all answers anew."""
        for key, pending in self.waiting.items():
            if is_resumable(pending):
                self._conversation.expect_elsewhere(key, pending)

    def read(self, frame: bytes) -> bytes | Failed:
        """Return the frame as it is to be passed on, or the failure if it is the answer to a call that failed."""
        if len(frame) <= _LONGEST_NOTICE and b"list_changed" in frame:
            self._notice_change(frame)
        shown = self._read(frame)
        return self._show_client_ids(frame) if self._is_resumed and shown is frame else shown

    def write(self, failed: Failed) -> str | None:
        """Return the text of the answer to a failed call, by the client's id; None if the server's own passes as it is."""
        text, message = self._keeper.write(failed, self._attempts), failed.message
        if text is None and message is not None and message.key != failed.pending.key:
            text = message.text
        return None if text is None else rename_answer(text, failed.pending)

    def _read(self, frame: bytes) -> bytes | Failed:
        if not self.waiting or not any(name in frame for name in _MARKS_OF_AN_ID):
            return frame
        key = peek_answer(frame)
        if key is not None and self._may_pass_unread(frame, key):
            self.waiting.pop(key, None)
            return frame
        messages = read_messages(frame)
        if messages is None:
            return self._read_deep(frame)
        return self._read_batch(messages, frame) if is_batch(frame) else self._read_one(messages[0], frame)

    def _may_pass_unread(self, frame: bytes, key: str) -> bool:
        pending = self.waiting.get(key)
        if pending is None:
            return True
        return pending.tool is not None and pending.key == key and not self._keeper.has_to_read(frame, pending)

    def _notice_change(self, frame: bytes) -> None:
        message = first_message(frame)
        if message is not None and message.method == "notifications/tools/list_changed":
            self._conversation.tools.mark_changed()

    def _take(self, message: Message) -> Pending | None:
        """Return the request that a message answers, after what is to be learned from it."""
        pending = self.waiting.pop(message.key or "", None) if message.is_answer else None
        if pending is not None:
            result = read_result_of(message)
            if pending.method == "tools/list":
                page = self._conversation.pages.share(member_text(message.text, "result") or "", result)
                self._conversation.tools.note_page(pending.params, page)
            self._conversation.ledger.note_answer(pending, result)
        return pending

    def _read_one(self, message: Message, frame: bytes) -> bytes | Failed:
        pending = self._take(message)
        if pending is None or pending.call is None:
            return frame
        failed = self._keeper.examine(message, pending, self._conversation.tools)
        if failed is not None:
            return failed
        text = self._write_success(message, pending)
        return frame if text is None else to_frame(text)

    def _read_deep(self, frame: bytes) -> bytes:
        """Return a frame that is no message that Python can read; the call that it answers waits no more."""
        answer = read_deep_answer(frame)
        pending = self.waiting.pop(answer.key or "", None) if answer is not None else None
        if answer is None or pending is None or answer.key == pending.key:
            return frame
        return to_frame(rename_answer(answer.text, pending))

    def _write_success(self, message: Message, pending: Pending) -> str | None:
        is_final = find_result(message.members) is not None
        if self._attempts > 1 and is_final:
            return rename_answer(self._keeper.write_success(message, self._attempts), pending)
        text = self._keeper.pass_success(message) if is_final else None
        return text if message.key == pending.key else rename_answer(text or message.text, pending)

    def _read_batch(self, messages: Iterable[Message], frame: bytes) -> bytes:
        shown = [self._read_item(message) for message in messages]
        return to_frame(replace_items(frame.decode("utf-8", "surrogateescape"), shown)) if any(shown) else frame

    def _read_item(self, message: Message) -> str | None:
        pending = self._take(message)
        if pending is None or pending.call is None:
            return None
        failed = self._keeper.examine(message, pending, self._conversation.tools)
        return self._write_success(message, pending) if failed is None else self.write(failed)

    def _show_client_ids(self, frame: bytes) -> bytes:
        """Return a frame with the client's own ids for those of repetitions that are not remembered here."""
        messages = read_messages(frame) if MARK in frame else None
        if messages is None:
            return frame
        shown = [self._show_client_id(message) for message in messages]
        text = frame.decode("utf-8", "surrogateescape")
        return to_frame(replace_items(text, shown) if is_batch(frame) else shown[0] or text)

    def _show_client_id(self, message: Message) -> str | None:
        is_known = not message.is_answer or self._conversation.is_expected(message.key)
        number = None if is_known else unwrap_id(message.key)
        return None if number is None else edit_object(message.text, {"id": number})


def is_resumable(pending: Pending) -> bool:
    """Return whether the protocol of a request lets a client resume the stream of its answer; that of 2026 does not."""
    return (pending.version or "") < _NEWER
