"""The gate in front of a program that speaks MCP over stdio.

One thread reads the client, one the server, one the server's standard error; each passes on what it has read before it
reads more, so that whoever is slow slows down the other side, and nobody's memory grows. A call that is repeated waits
in a thread of its own. The main thread waits for signals and for the end.

The end of the client's input reaches the server at once; what the server says until its own end reaches the client. A
server that does not end, or whose client is gone, gets SIGTERM, and SIGKILL in the end, with all that it has started.

A server that dies answers every call that waits for it. With `repair=False` nothing is added: the client sees the end of
the output, as it would without a gate. There is one exception: a server that is started again leaves the connection open,
and calls without an answer would wait for ever.
"""

import contextlib
import logging
import math
import queue
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Final
from weakref import WeakKeyDictionary

from errata._log import format_indented_stack
from errata._process_output import choose_lines, describe_end, last_lines, quote_output
from errata.gate._frames import HIDDEN, is_batch, read_deep_answer, replace_messages
from errata.gate._gatekeeper import Failed, Gatekeeper, read_result_of, write_error, write_plainly
from errata.gate._open_questions import Questions
from errata.gate._repeating import Repeater
from errata.gate._server_process import TERM_S, CurrentServer, ServerProcess, StartError
from errata.gate._standard_files import ClientOutput, ErrorLog, has_hung_up, open_standard_files, read_some
from errata.gate._verdicts import lose
from errata.model import Code, Fault, FaultError, Retry
from errata.redaction import quote_name
from errata.resilience import Permit
from errata.wire import (
    Ledger,
    LineSplitter,
    Message,
    Pending,
    ToolTable,
    edit_object,
    key_of_cancelled,
    member_text,
    peek_answer,
    read_messages,
    to_frame,
)

_LOG = logging.getLogger("errata")
_GRACE_S = 5.0
"""How long a server may take to end once its input has ended and nobody waits for an answer."""
_PATIENCE_S = 300.0
"""How long it may be silent while a client that has closed its side waits for answers."""
_STATUS_S = 0.5
"""How long a program may take from the end of its output to its own."""
_MOST_RESTARTS, _RESTART_WINDOW_S = 5, 60.0
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.1, 5.0
_HANDSHAKE_S = 60.0
"""How long a server that was started again may take for the handshake."""
_QUEUE_S = 60.0
"""How long requests may wait for a server that is started again; shorter if their client has closed its side."""
_DRAIN_S = 5.0
"""How long the last answers may take, where no client keeps them waiting."""
_SHORTLY_S = 0.3
_TICK_S = 0.05
_LONGEST_WAIT_S = 3_600.0
_WORTH_READING = (b'"id"', b"requestId", b"list_changed", b"\\u00")
"""What is in every request and answer, and in the notifications that count; a letter may be written as an escape."""
_MOST_CANCELLED = 100
"""How many cancelled calls are remembered, whose answers may just be read."""
_LEARNED_FROM = frozenset({"initialize", "tools/list"})
_LASTING = frozenset({"subscriptions/listen"})
"""Requests that are answered when a subscription ends: nobody waits for that answer."""
_OF_A_SHELL = 128
_PASSED_ON = ("SIGTERM", "SIGINT", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGQUIT")
_ASKS_FOR_THE_END = frozenset(getattr(signal, name, None) for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"))
_OVER: Final = "over"
"""The server has ended for good."""
_LEFT: Final = "left"
"""The client says no more."""
_GONE: Final = "gone"
"""The client does not read any more."""


class StdioGate:
    """Runs a server, and passes on what it and its client say; answers to calls that failed are repaired."""

    def __init__(self, command: Sequence[str], keeper: Gatekeeper, *, restarts: bool = False) -> None:
        self._command, self._keeper, self._restarts = command, keeper, restarts
        self._events: queue.SimpleQueue[int | str] = queue.SimpleQueue()
        """Signals, and what ends the gate. It is the one thing of threads that a signal's handler may touch."""
        self._current = CurrentServer()
        self._lock = threading.Lock()
        """For what both directions know: who waits for an answer."""
        self._ledger, self._tools = Ledger(), ToolTable()
        self._permits: WeakKeyDictionary[Pending, Permit] = WeakKeyDictionary()
        self._client = ClientOutput(lambda: self._events.put(_GONE))
        self._repeater = Repeater(keeper, self._tools, self._current, self._client.send, self._learn)
        self._questions = Questions(self._repeater.next_number, is_needed=restarts)
        self._cancelled: deque[str] = deque(maxlen=_MOST_CANCELLED)
        self._examined: list[bytes] = []
        """What the server has said, and the client is to get next."""
        self._handshake: list[Message] = []
        self._hello: str | None = None
        """The id of the handshake with a server that was started again."""
        self._is_leaving = threading.Event()
        """Set when no server is to be started again."""
        self._patience = threading.Timer(_HANDSHAKE_S, self._is_leaving.set)  # Not started: there was no handshake yet.
        self._is_terminated = False
        self._is_passing = False
        """Whether lines of the client are on their way."""
        self._status: int | None = None

    def run(self) -> int:
        """Run until the client or the server ends; return the exit code. Raises StartError."""
        open_standard_files()
        if not _LOG.hasHandlers():
            _LOG.addHandler(ErrorLog())
        self._catch_signals()
        self._process = server = ServerProcess(self._command)
        self._current.put(server)
        reader = threading.Thread(target=self._read_server, args=(server,), daemon=True)
        self._client.watch()
        for thread in (reader, threading.Thread(target=self._read_client, daemon=True)):
            thread.start()
        if not self._wait_for_the_end():
            self._end_server(_SHORTLY_S)
        return self._leave(reader)

    # From the client to the server.

    def _read_client(self) -> None:
        splitter = LineSplitter()
        try:
            while data := read_some(0):
                self._is_passing = True
                for line in splitter.feed(data):
                    self._pass_to_server(line)
                self._is_passing = False
            if rest := splitter.end():
                self._is_passing = True
                self._pass_to_server(rest)
        except Exception as mistake:  # noqa: BLE001 - without this thread the gate has to end.
            _log_mistake(mistake)
        self._is_passing = False
        self._events.put(_LEFT)

    def _pass_to_server(self, line: bytes) -> None:
        """Pass a line on; a mistake that is made with it costs the requests in it, and no others."""
        messages = (read_messages(line) if b"method" in line else None) or []
        requests = [message for message in messages if message.is_request]
        self._keeper.record.calls += sum(request.method == "tools/call" for request in requests)
        try:
            if not self._deliver(line, messages, requests):
                self._refuse_unsent(requests)
        except Exception as mistake:  # noqa: BLE001 - the next line may be about anything else.
            _log_mistake(mistake)
            self._give_up(requests)

    def _deliver(self, line: bytes, messages: Sequence[Message], requests: Sequence[Message]) -> bool:
        """Pass a line to the server, or to the one that is started next; return False if none has got it whole."""
        server: ServerProcess | None = None
        while (server := self._current.wait(server, self._gives_up)) is not None:
            noted = self._note_requests(requests, server)
            if noted is None:
                continue
            shown = self._examine_request(noted, messages, line)
            if shown is None or server.write(shown) or not self._take_back(noted, requests):
                return True
            if not self._restarts:
                break
            server.end(_STATUS_S)  # It reads no more, if it goes on at all.
        return False

    def _note_requests(self, requests: Sequence[Message], server: ServerProcess) -> list[Pending] | None:
        """Note who waits for a server; None if it has ended, and all that waited for it were answered."""
        with self._lock:
            if server is not self._current.process:
                return None
            return [self._ledger.begin(request) for request in requests]

    @staticmethod
    def _gives_up(absent_s: float) -> bool:
        """Return whether requests have waited long enough for a server that is started again."""
        return absent_s > _GRACE_S and (absent_s > _QUEUE_S or has_hung_up(0))

    def _examine_request(self, noted: Sequence[Pending], messages: Sequence[Message], line: bytes) -> bytes | None:
        """Return the line to pass on; None for one that is answered here, or for no server any more."""
        if not messages and self._questions.is_needed:
            messages = read_messages(line) or []
        if noted and noted[0].tool is not None and not is_batch(line):
            return line if self._admit(noted[0]) else None
        return replace_messages(line, messages, [self._examine_sent(message) for message in messages])

    def _admit(self, pending: Pending) -> bool:
        """Return whether a call is to be passed on; one that the breaker stops is answered, or was lost meanwhile."""
        try:
            permit = self._keeper.permit()
        except FaultError as refusal:
            if self._take_back([pending], [pending.message]):
                self._answer(self._keeper.refuse(pending, self._tools, refusal.fault))
            return False
        if permit is None:
            return True
        self._permits[pending] = permit
        with self._lock:
            is_waiting = self._ledger.find(pending.key) is pending
        if not is_waiting:
            self._keeper.release(self._permits.pop(pending, None))
        return is_waiting

    def _examine_sent(self, message: Message) -> str | None:
        """Return the text of a message of the client as the server is to get it; None for one that stays as it is."""
        if message.is_answer and self._questions.is_needed:
            return self._questions.show_server(message)
        if message.method == "initialize":
            self._handshake = [message]
        elif message.method == "notifications/initialized":
            if message in self._handshake:  # A server has died of it; the one that follows has got it from us.
                return HIDDEN
            self._handshake = [*self._handshake[:1], message]
        elif message.method == "notifications/cancelled" and (key := key_of_cancelled(message)) is not None:
            with self._lock:
                pending = self._ledger.take(key)
                self._cancelled.append(key)
            self._keeper.release(self._permits.pop(pending, None) if pending else None)
            return self._repeater.cancel(key, message)
        return None

    def _take_back(self, noted: Sequence[Pending], requests: Sequence[Message]) -> bool:
        """Note that a server has not got requests; return False if they were answered meanwhile, with all others."""
        with self._lock:
            waiting = [pending for pending in noted if self._ledger.find(pending.key) is pending]
            for pending in waiting:
                self._take(pending.key)
        for pending in waiting:
            self._keeper.release(self._permits.pop(pending, None))
        if any(pending.method == "initialize" for pending in waiting):
            self._handshake = []  # The next server gets it from the client.
        return len(waiting) == len(requests)

    def _give_up(self, requests: Sequence[Message]) -> None:
        """Answer requests that the gate has not passed on, by a mistake of its own."""
        for request in requests:
            with self._lock:
                pending = self._take(request.key) or self._ledger.describe(request)
            self._send_error(pending, "The gate has made a mistake, so the server has not got this request.")
            self._keeper.release(self._permits.pop(pending, None))

    def _refuse_unsent(self, requests: Sequence[Message]) -> None:
        """Answer requests that no server has got, while somebody reads that."""
        if self._client.is_gone or not self._keeper.options.repair:
            return
        state = "does not read its input any more" if self._hello is None else "was started again, and is not ready yet"
        why = f"{quote_name(self._keeper.options.name)} {state}"
        for request in requests:
            pending = self._ledger.describe(request)
            if pending.tool is None:
                self._send_error(pending, f"{why}, so it has not got this request.")
                continue
            what = f"{why}, so the call did not reach it."
            fault = Fault(code=Code.SERVICE_UNAVAILABLE, message=what, retry=Retry.SAME_CALL)
            self._answer(self._keeper.refuse(pending, self._tools, fault))

    # From the server to the client.

    def _read_server(self, server: ServerProcess) -> None:
        """Pass on what the server says until it has ended for good."""
        restarts: deque[float] = deque(maxlen=_MOST_RESTARTS)
        following: ServerProcess | None = server
        try:
            while following is not None:
                server = following
                self._pass_output(server)
                following = self._settle_end(server, restarts)
        except Exception as mistake:  # noqa: BLE001 - as above.
            _log_mistake(mistake)
        finally:
            self._current.end()
            self._events.put(_OVER)

    def _pass_output(self, server: ServerProcess) -> None:
        splitter = LineSplitter()
        while data := server.read():
            self._pass_to_client(splitter.feed(data))
        if rest := splitter.end():
            if read_messages(rest) is None and read_deep_answer(rest) is None:  # Half a line, which answers nobody.
                self._client.send(rest)
            else:
                self._pass_to_client([rest + b"\n" if self._restarts else rest])  # Else the client's input ends there.

    def _pass_to_client(self, lines: list[bytes]) -> None:
        """Pass on lines of the server, in one piece where no other thread may say something in between."""
        for line in lines:
            if shown := self._examine_line(line):
                self._examined.append(shown)
        self._flush()

    def _flush(self) -> None:
        """Send the client what was examined, before anybody else may answer to what comes next."""
        if self._examined:
            self._client.send(b"".join(self._examined))
            self._examined.clear()

    def _is_plain(self, line: bytes) -> bool:
        """Return whether a line passes as it is: nobody waits, or it is the answer to a call that succeeded."""
        if self._repeater.may_be_ours(line) or (self._questions.is_needed and b'"method"' in line):
            return False
        with self._lock:
            if not len(self._ledger):
                return b"list_changed" not in line
            pending = self._ledger.find(peek_answer(line))
            if pending is None or self._has_to_read(line, pending):
                return False
            self._take(pending.key)
        if self._permits:
            self._keeper.settle(self._permits.pop(pending, None), None)
        return True

    def _has_to_read(self, line: bytes, pending: Pending) -> bool:
        """Return whether something may have to be done with an answer, or learned from it."""
        if pending.call is None:
            return pending.method in _LEARNED_FROM
        return self._keeper.has_to_read(line, pending)

    def _examine_line(self, line: bytes) -> bytes | None:
        """Return what to pass on instead of a line; None for what the client is not to see, or not yet."""
        try:
            if self._is_plain(line) or not any(sign in line for sign in _WORTH_READING):
                return line
            messages = read_messages(line)
            if messages is None:
                answer = read_deep_answer(line)
                messages = [] if answer is None else [answer]
            is_alone = not is_batch(line)
            return replace_messages(
                line, messages, [self._examine_message(each, is_alone=is_alone) for each in messages]
            )
        except Exception as mistake:  # noqa: BLE001 - whatever it is, it is passed on.
            _log_mistake(mistake)
            return line

    def _examine_message(self, message: Message, *, is_alone: bool) -> str | None:
        """Return the text of a message of the server as the client is to get it; None for one that stays as it is."""
        if not message.is_answer:
            if message.method == "notifications/tools/list_changed":
                self._tools.mark_changed()
            if self._hello is not None and message.method == "ping" and message.is_request:
                # What the client says waits until the handshake is over.
                self._process.write(to_frame(_write_pong(message)) + b"\n")
                return HIDDEN
            return self._questions.show_client(message) if self._questions.is_needed else None
        if message.key == self._hello:
            self._end_handshake(message)
            return HIDDEN
        with self._lock:
            pending = self._take(message.key)
        if pending is None:
            self._flush()
            return HIDDEN if self._repeater.take(message) else None
        return None if pending.shares_id else self._take_answer(message, pending, is_alone=is_alone)

    def _take_answer(self, message: Message, pending: Pending, *, is_alone: bool) -> str | None:
        self._learn(message, pending)
        if pending.call is None:
            return None
        failed = self._keeper.examine(message, pending, self._tools)
        self._keeper.settle(self._permits.pop(pending, None), failed)
        if failed is None:
            return self._keeper.pass_success(message)
        return HIDDEN if is_alone and self._repeat(failed) else self._keeper.write(failed)

    def _repeat(self, failed: Failed) -> bool:
        """Let a failed call be made again, if it may be, and was not cancelled while its answer was read."""
        if not self._keeper.may_repeat(failed):
            return False
        self._flush()
        with self._lock:
            return failed.pending.key not in self._cancelled and self._repeater.begin(failed)

    def _take(self, key: str | None) -> Pending | None:
        """Return who waits for an answer, and does not any longer; of two with one id, the other goes on waiting."""
        pending = self._ledger.take(key)
        if pending is not None and pending.before is not None:
            self._ledger.put_back(pending.before)
        return pending

    def _learn(self, message: Message, pending: Pending) -> None:
        """Learn from an answer what is to be known later: the tools, the version, the task that a call has become."""
        result = read_result_of(message)
        with self._lock:
            if pending.method == "tools/list":
                self._tools.note_page(pending.params, result)
            self._ledger.note_answer(pending, result)

    def _answer(self, failed: Failed) -> None:
        """Send an answer of the gate's own."""
        self._client.send(to_frame(self._keeper.write(failed) or write_plainly(failed)) + b"\n")

    def _send_error(self, pending: Pending, message: str) -> None:
        self._client.send(to_frame(write_error(pending, message)) + b"\n")

    # When the server ends.

    def _settle_end(self, server: ServerProcess, restarts: deque[float]) -> ServerProcess | None:
        """Answer all that wait for a server that has ended; return the one that follows it, if there is one."""
        with self._lock:
            self._current.put(None)
            self._hello = None
            waiting = self._take_all()
        status = server.wait(_STATUS_S)
        goes_on = self._may_restart(restarts)
        if status is None and goes_on:  # It has only closed its output.
            status = server.end(0)
        self._status = 0 if status is None else _read_status(status)
        if any(pending.method == "initialize" for pending in waiting):
            self._handshake = []  # The client will see that it has failed.
        explain = self._explain_end(server, status)
        is_counted = self._repeater.lose(server, explain)
        for pending in waiting:
            try:
                failed = explain(pending)
                is_counted = self._count_loss(pending, failed, is_counted=is_counted)
                self._settle_loss(failed, goes_on=goes_on)
            except Exception as mistake:  # noqa: BLE001 - the others wait as well.
                _log_mistake(mistake)
                self._send_error(pending, "The server has ended before it answered.")
        return self._restart(server, restarts) if goes_on else None

    def _take_all(self) -> list[Pending]:
        waiting: list[Pending] = []
        while pending := self._ledger.pending:
            waiting += filter(None, [self._take(each.key) for each in pending])
        return waiting

    def _may_restart(self, restarts: deque[float]) -> bool:
        is_rested = len(restarts) < _MOST_RESTARTS or time.monotonic() - restarts[0] > _RESTART_WINDOW_S
        return self._restarts and is_rested and not self._is_leaving.is_set()

    def _explain_end(self, server: ServerProcess, status: int | None) -> Callable[[Pending], Failed]:
        """Return a function that makes of a waiting request the failure of one that its server's end has left."""
        wrote = last_lines(server.last_errors)
        words = choose_lines(wrote) or wrote if wrote else ""
        says = f" The last that it wrote on its standard error: {quote_output(words)}." if words else ""
        how = f"{quote_name(self._keeper.options.name)} {describe_end(status)} before it answered"

        def explain(pending: Pending) -> Failed:
            call = self._keeper.know(pending, self._tools)
            if pending.tool is None:
                fault = Fault(code=Code.NETWORK_ERROR, message=f"{how} {quote_name(pending.method)}.{says}")
            else:
                fault = lose(call, f"{how} the call of {call.shown}.{says}", {"stderr": wrote} if wrote else None)
            return self._keeper.refuse(pending, self._tools, fault)

        return explain

    def _count_loss(self, pending: Pending, failed: Failed, *, is_counted: bool) -> bool:
        """Tell the breaker of a lost call, unless it has heard of that end; return whether it has now."""
        permit = self._permits.pop(pending, None)
        if permit is None or is_counted:
            self._keeper.release(permit)
            return is_counted
        self._keeper.settle(permit, failed)
        return True

    def _settle_loss(self, failed: Failed, *, goes_on: bool) -> None:
        """Repeat a lost call, or answer it."""
        pending = failed.pending
        if goes_on and pending.tool is not None and self._repeat(failed):
            return
        if not (goes_on or self._keeper.options.repair):
            if pending.tool is not None:
                self._keeper.write(failed)  # For the record.
        elif pending.tool is None:
            self._send_error(pending, failed.judged.fault.message)
        else:
            self._answer(failed)

    def _restart(self, old: ServerProcess, restarts: deque[float]) -> ServerProcess | None:
        """Start the server again, with the handshake that the client had with it; None if that is not possible."""
        old.end(0)
        old.close()
        while restarts and time.monotonic() - restarts[0] > _RESTART_WINDOW_S:
            restarts.popleft()
        restarts.append(time.monotonic())
        server = self._start_again(_FIRST_PAUSE_S * 2 ** (len(restarts) - 1))
        if server is None:
            return None
        self._keeper.record.restarts += 1
        self._tools.mark_changed()
        self._process = server
        for cancellation in self._questions.begin_anew():
            self._client.send(to_frame(cancellation) + b"\n")
        if self._handshake:
            self._begin_handshake(server)
        else:
            self._current.put(server)
        if self._is_leaving.is_set():
            server.end(0)
        return server

    def _start_again(self, pause_s: float) -> ServerProcess | None:
        while not self._is_leaving.wait(pause_s):
            try:
                return ServerProcess(self._command)
            except StartError as error:
                _LOG.error("The server is not started again: %s.", error.what)
            if pause_s >= _LONGEST_PAUSE_S:
                break
            pause_s *= 2
        return None

    def _begin_handshake(self, server: ServerProcess) -> None:
        """Greet a server as the client has greeted the first one; until it answers, nobody else may talk to it."""
        self._hello = self._repeater.next_number()
        self._patience = threading.Timer(_HANDSHAKE_S, server.end, (0,))
        self._patience.daemon = True
        self._patience.start()
        server.write(to_frame(edit_object(self._handshake[0].text, {"id": self._hello})) + b"\n")

    def _end_handshake(self, answer: Message) -> None:
        """Let the client talk to a server that has answered the handshake; one that refuses it is ended."""
        self._hello, server = None, self._process
        self._patience.cancel()
        if "error" in answer.members:
            server.end(0)
            return
        for notification in self._handshake[1:]:
            server.write(to_frame(notification.text) + b"\n")
        self._current.put(server)

    # The end.

    def _catch_signals(self) -> None:
        for name in _PASSED_ON:
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:  # As `nohup` has it.
                signal.signal(number, self._note_signal)

    def _note_signal(self, number: int, _: FrameType | None) -> None:
        self._events.put(number)

    def _wait_for_the_end(self) -> bool:
        """Pass signals on until the server has ended for good, or has to be ended; return whether it has."""
        deadline = survival = math.inf
        while (event := self._next_event(min(deadline, survival))) != _OVER:
            if isinstance(event, int):
                deadline = min(deadline, self._pass_signal(event))
                survival = time.monotonic() + _GRACE_S
            elif event is not None:
                deadline = min(deadline, self._let_go(event))
            elif survival < deadline:
                survival = math.inf
                self._forgive(deadline)
            elif self._waits_for_answers:
                deadline = time.monotonic() + _GRACE_S
            else:
                return False
        return True

    def _next_event(self, deadline: float) -> int | str | None:
        """Return what happens next; None if nothing does before a deadline."""
        while True:
            rest_s = max(deadline - time.monotonic(), 0)
            try:
                return self._events.get(timeout=min(rest_s, _LONGEST_WAIT_S))
            except queue.Empty:
                if rest_s <= _LONGEST_WAIT_S:
                    return None

    def _pass_signal(self, number: int) -> float:
        """Pass a signal on; return when the server has to be ended."""
        if number in _ASKS_FOR_THE_END:
            self._is_leaving.set()
        self._process.send_signal(number)
        if number != signal.SIGTERM:
            return math.inf
        self._is_terminated = True
        return time.monotonic() + TERM_S

    def _forgive(self, deadline: float) -> None:
        """Let a server be started again that goes on after a signal that asks for the end, unless its client leaves."""
        if deadline == math.inf and self._process.wait(0) is None:
            self._is_leaving.clear()

    def _let_go(self, event: str) -> float:
        """Let a server end whose client is leaving; return when it has to be ended."""
        self._is_leaving.set()
        self._repeater.stop()
        if event == _LEFT:
            self._process.close_input()
        return time.monotonic() + _GRACE_S

    @property
    def _waits_for_answers(self) -> bool:
        """Whether a client that has closed its side may still get an answer."""
        if self._is_terminated or self._client.is_gone or self._client.rests_for(_PATIENCE_S):
            return False
        with self._lock:
            waits = any(pending.method not in _LASTING for pending in self._ledger.pending)
        return waits or self._repeater.is_busy or self._client.is_sending

    @property
    def _term_s(self) -> float:
        """How long programs have after SIGTERM: less, if the client that sent it waits already."""
        return _SHORTLY_S if self._is_terminated else TERM_S

    def _leave(self, reader: threading.Thread) -> int:
        """End the server, and all that it has started, once its last words are out; return the exit code."""
        self._is_leaving.set()
        self._repeater.stop()
        began_s = time.monotonic()
        while (reader.is_alive() or self._is_passing or self._repeater.is_busy) and self._may_drain(began_s):
            self._hear_signal(_TICK_S)
        self._client.close()
        status = self._end_server(_GRACE_S)
        return _read_status(status) if status is not None else self._status or 0

    def _may_drain(self, began_s: float) -> bool:
        """Return whether the last answers may still be passed on: only a client that is terminated is not waited for."""
        if self._client.is_gone:
            return False
        if self._client.is_sending and self._is_terminated:
            return time.monotonic() - began_s < _SHORTLY_S and not self._client.rests_for(_SHORTLY_S)
        return not self._client.rests_for(_PATIENCE_S if self._client.is_sending else _DRAIN_S, since=began_s)

    def _end_server(self, grace_s: float) -> int | None:
        """End the server, and all that it has started, at once if SIGTERM comes meanwhile; return the exit status."""
        if not self._is_terminated:
            ending = threading.Thread(target=self._process.end, args=(grace_s,), daemon=True)
            with contextlib.suppress(RuntimeError):  # The machine has no more of them.
                ending.start()
            while ending.is_alive() and not self._is_terminated:
                ending.join(_TICK_S)
                self._hear_signal(0)
        return self._process.end(0, self._term_s)

    def _hear_signal(self, timeout_s: float) -> None:
        """Pass on a signal that comes while the gate is leaving."""
        with contextlib.suppress(queue.Empty):
            event = self._events.get(timeout=timeout_s)
            if isinstance(event, int):
                self._pass_signal(event)


def _read_status(status: int) -> int:
    """Return the exit code of a program as a shell gives it."""
    return status if status >= 0 else _OF_A_SHELL - status


def _write_pong(ping: Message) -> str:
    return f'{{"jsonrpc":"2.0","id":{member_text(ping.text, "id")},"result":{{}}}}'


def _log_mistake(mistake: Exception) -> None:
    _LOG.error("The gate has made a mistake.\n%s", format_indented_stack(mistake))
