"""Calls over stdio that are made again: each waits in a thread of its own, under an id that no client uses."""

import logging
import queue
import secrets
import threading
import time
from collections.abc import Callable

from errata._log import format_indented_stack
from errata.gate._frames import HIDDEN
from errata.gate._gatekeeper import (
    AttemptError,
    Failed,
    Gatekeeper,
    read_outcome,
    rename_answer,
    rename_cancellation,
    write_plainly,
    write_repeated_request,
)
from errata.gate._server_process import CurrentServer, ServerProcess
from errata.model import FaultError
from errata.resilience import Permit
from errata.wire import Message, Pending, ToolTable, to_frame

_LOG = logging.getLogger("errata")
_MOST_REPEATING = 64
"""How many calls wait to be repeated at a time; beyond that, failures are passed on at once."""


class _Repetition:
    """A call that is made again, and the attempt that is alive."""

    def __init__(self, failed: Failed) -> None:
        self.failed = failed
        """The last failure."""
        self.message: Message | None = None
        """The last answer."""
        self.attempts = 1
        """How often the call was made."""
        self.is_known = False
        """Whether the policy knows of the first attempt, which was made before it was asked."""
        self.key: str | None = None
        """The id of the attempt that is alive, as JSON."""
        self.server: ServerProcess | None = None
        self.is_sent = False
        self.answers: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        """Of the attempt that is alive: its answer, or None if there will be none."""
        self.counts_end = False
        """Whether the breaker hears from it of the end of a server; other calls were lost as well, by that one failure."""
        self.cancellation: Message | None = None


class _CancelledError(BaseException):
    """Takes a repetition that the client has cancelled past the policy."""


class Repeater:
    """Makes failed calls again, as the policy says, and sends the client the outcome. May be used from any thread."""

    def __init__(
        self,
        keeper: Gatekeeper,
        tools: ToolTable,
        server: CurrentServer,
        send: Callable[[bytes], None],
        learn: Callable[[Message, Pending], None],
    ) -> None:
        self._keeper, self._tools, self._server = keeper, tools, server
        self._send, self._learn = send, learn
        policy = keeper.options.retry
        self._policy = policy(sleep=self._pause) if policy is not None and policy.sleep is None else policy
        self._lock = threading.Lock()
        self._repetitions: dict[str, _Repetition] = {}
        self._attempts: dict[str, _Repetition] = {}
        self._threads: set[threading.Thread] = set()
        self._is_stopping = threading.Event()
        self._prefix = f'"errata-{secrets.token_hex(6)}-'
        self._numbers = 0

    @property
    def is_busy(self) -> bool:
        """Whether calls are being repeated."""
        return bool(self._threads)

    def next_number(self) -> str:
        """Return an id, as JSON, that no client uses."""
        with self._lock:
            self._numbers += 1
            return f'{self._prefix}{self._numbers}"'

    def may_be_ours(self, line: bytes) -> bool:
        """Return whether a line of the server may be about a call that is repeated, or about a number of ours."""
        return bool(self._numbers and self._prefix.encode() in line) or bool(self._repetitions)

    def begin(self, failed: Failed) -> bool:
        """Make a call again that has failed; return False if it is not to be repeated, or too many are already."""
        is_due = self._keeper.options.repair and self._keeper.may_repeat(failed)
        if not is_due or failed.pending.shares_id or self._is_stopping.is_set():
            return False
        repetition, key = _Repetition(failed), failed.pending.key
        thread = threading.Thread(target=self._repeat, args=(repetition,), daemon=True)
        with self._lock:
            if len(self._threads) >= _MOST_REPEATING or key in self._repetitions:
                return False
            self._repetitions[key] = repetition
            self._threads.add(thread)
        try:
            thread.start()
        except RuntimeError:  # The machine has no more of them.
            self._forget(repetition, thread)
            return False
        return True

    def take(self, answer: Message) -> bool:
        """Return whether the client is not to see an answer: it is one to an attempt, or to a call that is repeated."""
        key = answer.key or ""
        with self._lock:
            attempt = self._attempts.pop(key, None)
            is_hidden = key.startswith(self._prefix) or key in self._repetitions
        if attempt is not None:
            attempt.answers.put(answer)
        return is_hidden

    def cancel(self, key: str, cancellation: Message) -> str | None:
        """Repeat a call no more that the client has cancelled; return what the server is to hear of it: None for all."""
        with self._lock:
            repetition = self._repetitions.pop(key, None)
            if repetition is None:
                return None
            repetition.cancellation = cancellation
            repetition.answers.put(None)
            alive = repetition.key if repetition.is_sent else None
        return HIDDEN if alive is None else rename_cancellation(cancellation, alive)

    def lose(self, server: object, explain: Callable[[Pending], Failed]) -> bool:
        """Note that no attempt will be answered any more that a server has got; return whether there was any."""
        with self._lock:
            lost = [each for each in self._attempts.values() if each.server is server]
        for repetition in lost:
            repetition.counts_end = repetition is lost[0]
            repetition.failed = explain(repetition.failed.pending)
            repetition.answers.put(None)
        return bool(lost)

    def stop(self) -> None:
        """Repeat no more; calls that wait for their next attempt are answered with their last failure."""
        self._is_stopping.set()

    def wait(self, timeout_s: float) -> None:
        """Wait until every call that was repeated is answered."""
        deadline = time.monotonic() + timeout_s
        for thread in list(self._threads):
            thread.join(max(deadline - time.monotonic(), 0))

    def _pause(self, wait_s: float) -> None:
        self._is_stopping.wait(wait_s)

    def _repeat(self, repetition: _Repetition) -> None:
        """Make a call until the policy has enough of it, and answer it."""
        pending = repetition.failed.pending
        try:
            text = self._find_outcome(repetition)
        except _CancelledError:
            text = None
        except Exception as mistake:  # noqa: BLE001 - whatever it is, whoever waits gets an answer.
            _LOG.error("The gate could not repeat a call.\n%s", format_indented_stack(mistake))
            text = write_plainly(repetition.failed)
        with self._lock:
            if is_awaited := self._repetitions.get(pending.key) is repetition:
                del self._repetitions[pending.key]  # Before the answer is out: the client may use its id again then.
        if text is not None and is_awaited:
            self._send(to_frame(rename_answer(text, pending)) + b"\n")
        self._forget(repetition, threading.current_thread())

    def _forget(self, repetition: _Repetition, thread: threading.Thread) -> None:
        key = repetition.failed.pending.key
        with self._lock:
            self._threads.discard(thread)
            if self._repetitions.get(key) is repetition:
                del self._repetitions[key]

    def _find_outcome(self, repetition: _Repetition) -> str:
        assert self._policy is not None  # noqa: S101 - `may_repeat` has asked.
        try:
            self._policy.call(self._attempt, repetition)
            return self._keeper.write_success(_require(repetition.message), repetition.attempts)
        except FaultError as error:
            failed = read_outcome(error)
        return self._keeper.write(failed, repetition.attempts) or write_plainly(failed)

    def _attempt(self, repetition: _Repetition) -> None:
        """Make the next attempt; raise the error of one that has failed. The first one has been made already."""
        if not repetition.is_known:
            repetition.is_known = True
            raise AttemptError.of(repetition.failed)
        before, permit = repetition.failed, self._begin_attempt(repetition)
        message = self._ask(repetition)
        if repetition.cancellation is not None:
            self._keeper.release(permit)
            raise _CancelledError
        if message is None:  # There was no server to be asked, or it has ended before it answered.
            if repetition.failed is not before and repetition.counts_end:
                self._keeper.settle(permit, repetition.failed)
            self._keeper.release(permit)
            raise AttemptError.of(repetition.failed)
        self._take_outcome(repetition, message, permit)

    def _begin_attempt(self, repetition: _Repetition) -> Permit | None:
        """Return the permit for an attempt; raise the last failure for good if there is to be none."""
        if repetition.cancellation is not None:
            raise _CancelledError
        try:
            if not self._is_stopping.is_set():
                return self._keeper.permit()
        except FaultError:  # The circuit has opened meanwhile.
            pass
        raise AttemptError.of(repetition.failed, is_last=True)

    def _take_outcome(self, repetition: _Repetition, message: Message, permit: Permit | None) -> None:
        pending = repetition.failed.pending
        self._learn(message, pending)
        failed = self._keeper.examine(message, pending, self._tools)
        self._keeper.settle(permit, failed)
        repetition.message = message
        if failed is not None:
            repetition.failed = failed
            raise AttemptError.of(failed)

    def _ask(self, repetition: _Repetition) -> Message | None:
        """Send the call once more; return the answer, None if there will be none."""
        number, server = self.next_number(), self._server.wait()
        request = to_frame(write_repeated_request(repetition.failed.pending, number)) + b"\n"
        answers: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        with self._lock:
            repetition.key, repetition.server, repetition.is_sent = number, server, False
            repetition.answers = answers
            self._attempts[number] = repetition
        # A server that is not the current one any more has been given up already, with all attempts known by then.
        is_current = server is not None and server is self._server.process and repetition.cancellation is None
        answer = None
        if is_current and server is not None and server.write(request):
            repetition.attempts += 1
            self._note_sent(repetition, server)
            answer = answers.get()
        with self._lock:
            self._attempts.pop(number, None)
            repetition.key = None
        return answer

    def _note_sent(self, repetition: _Repetition, server: ServerProcess) -> None:
        """Note that an attempt is alive; a cancellation that came before it follows it."""
        with self._lock:
            repetition.is_sent = True
            cancellation, key = repetition.cancellation, repetition.key
        if cancellation is not None and key is not None:
            server.write(to_frame(rename_cancellation(cancellation, key)) + b"\n")


def _require(message: Message | None) -> Message:
    if message is None:
        raise RuntimeError("A repeated call has succeeded without an answer.")
    return message
