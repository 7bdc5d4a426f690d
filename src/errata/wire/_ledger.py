"""Which request an answer belongs to: the requests of a conversation that are waiting, and its tasks."""

import hashlib
import json
import time
from collections import OrderedDict
from collections.abc import Hashable, Mapping
from functools import cached_property
from itertools import islice
from typing import Generic, TypeVar

from errata.wire._messages import Message, member_text, members_of, read_messages, to_frame, write_json

_MOST_PENDING = 100_000
_MOST_CHARACTERS = 1 << 28
"""Of all requests that wait: some of them are large."""
_MOST_KEPT = 10_000
_MOST_KEPT_CHARACTERS = 1 << 21
_LONGEST_KEPT = 1_000
_LONGEST_KEPT_ARGUMENT = 100
_MOST_KEPT_ARGUMENTS = 20
_Name = TypeVar("_Name", bound=Hashable)
_VERSION = "io.modelcontextprotocol/protocolVersion"
"""Where a request of the protocol of 2026 names its version; before, the handshake did."""
_MOST_OF_ONE_ID = 100
_TASKS = frozenset({"tasks/get", "tasks/result"})
_ENDS_OF_TASKS = frozenset({"completed", "failed", "cancelled"})


class Pending:
    """A request that waits for its answer."""

    def __init__(self, message: Message, version: str | None, sent_s: float) -> None:
        self.message = message
        self.key: str = message.key or "null"
        self.method: str = message.method or ""
        self.version = version
        """The version of the protocol, if it is known."""
        self.sent_s = sent_s
        """When it was sent, by the monotonic clock."""
        self.task_of: Pending | None = None
        """The call of a tool whose task this request asks about."""
        self.before: Pending | None = None
        """A request with the same id, which the client must not use twice, that was waiting already."""
        self.shares_id = False
        """Whether there was another one with its id: nobody can tell then which of them an answer is for."""

    @property
    def params(self) -> Mapping[str, object]:
        """The params of the request."""
        return self.message.params

    @property
    def call(self) -> "Pending | None":
        """The call of a tool whose result the answer may be: this one, or the one that its task was made for.

        None also for a `tools/call` that names no tool.
        """
        return self.task_of if self.tool is None else self

    @property
    def tool(self) -> str | None:
        """The name of the tool that is called; None if this is no call of a tool."""
        name = self.params.get("name")
        return name if self.method == "tools/call" and isinstance(name, str) else None

    @property
    def arguments(self) -> Mapping[str, object]:
        """The arguments of the call."""
        return members_of(self.params.get("arguments"))

    @cached_property
    def arguments_hash(self) -> str:
        """A hash of the arguments, the same for the same arguments in another order; it shows repetitions, not values."""
        try:
            text = json.dumps(self.arguments, sort_keys=True)
        except RecursionError:  # They were read with fewer callers around: as they are written, then.
            text = member_text(member_text(self.message.text, "params") or "", "arguments") or ""
        return hashlib.sha256(to_frame(text)).hexdigest()[:16]

    def frame(self) -> bytes:
        """Return the request as the client sent it, without a line end."""
        return to_frame(self.message.text)

    def shorten(self) -> "Pending":
        """Return what is kept of a call for later: of a large one the id, the tool, and the arguments that are short."""
        if self.tool is None or len(self.message.text) <= _LONGEST_KEPT:
            return self
        short = ((name, value) for name, value in self.arguments.items() if _is_short(name) and _is_short(value))
        params = {"name": self.tool, "arguments": dict(islice(short, _MOST_KEPT_ARGUMENTS))}
        number = member_text(self.message.text, "id") or "null"
        text = f'{{"jsonrpc":"2.0","id":{number},"method":"tools/call","params":{write_json(params)}}}'
        members = {"id": self.message.members.get("id"), "method": self.method, "params": params}
        return Pending(Message(text, members), self.version, self.sent_s)


def _is_short(value: object) -> bool:
    return not isinstance(value, dict | list) and len(str(value)) <= _LONGEST_KEPT_ARGUMENT


class _Shelf(Generic[_Name]):
    """Requests by their names; when they are too many, or too large together, the oldest are forgotten."""

    __slots__ = ("_characters", "_most", "_most_characters", "entries")

    def __init__(self, most: int, most_characters: int) -> None:
        self._most, self._most_characters = most, most_characters
        self._characters = 0
        self.entries: OrderedDict[_Name, Pending] = OrderedDict()

    def put(self, name: _Name, pending: Pending) -> None:
        """Put a request there as the youngest, in place of another one of that name."""
        self.take(name)
        self.entries[name] = pending
        self._characters += len(pending.message.text)
        while len(self.entries) > self._most or (self._characters > self._most_characters and len(self.entries) > 1):
            self.take(next(iter(self.entries)))

    def take(self, name: _Name) -> Pending | None:
        """Return the request of a name, which is there no longer."""
        if (pending := self.entries.pop(name, None)) is not None:
            self._characters -= len(pending.message.text)
        return pending


class CallMemory:
    """Calls that are kept for later, each shortened, for many conversations within one limit: the oldest are forgotten."""

    def __init__(self) -> None:
        self._shelf = _Shelf[tuple[object, str]](_MOST_KEPT, _MOST_KEPT_CHARACTERS)

    def keep(self, owner: object, name: str, call: Pending) -> None:
        """Keep a call of an owner, any object, as the youngest."""
        self._shelf.put((owner, name), call.shorten())

    def find(self, owner: object, name: str) -> Pending | None:
        """Return the call that an owner has kept under a name."""
        return self._shelf.entries.get((owner, name))

    def find_all(self, owner: object) -> dict[str, Pending]:
        """Return the calls of an owner by their names."""
        kept = self._shelf.entries.items()
        return {name: call for (of, name), call in kept if of is owner}

    def neglect(self, owner: object, name: str) -> None:
        """Let a call be the next to be forgotten."""
        if (owner, name) in self._shelf.entries:
            self._shelf.entries.move_to_end((owner, name), last=False)


class Ledger:
    """The requests of one conversation that wait for an answer, by their ids, and the tasks that came of calls.

    A conversation is a connection over stdio or a session over HTTP. A peer that never answers costs a bounded amount of
    memory: beyond that the oldest requests are forgotten, and their answers pass as what nobody waits for. The calls with
    a task are kept in a memory that many conversations may share.
    """

    def __init__(self, tasks: CallMemory | None = None) -> None:
        self._pending = _Shelf[str](_MOST_PENDING, _MOST_CHARACTERS)
        self._tasks = CallMemory() if tasks is None else tasks
        self.version: str | None = None
        """The version of the protocol that the handshake agreed on, or the last request named."""

    def __len__(self) -> int:
        return len(self._pending.entries)

    @property
    def pending(self) -> tuple[Pending, ...]:
        """The requests that wait, oldest first."""
        return tuple(self._pending.entries.values())

    def begin(self, message: Message, *, version: str | None = None, sent_s: float | None = None) -> Pending:
        """Note a request of the client; return what is to be known when its answer comes."""
        pending = self.describe(message, version=version, sent_s=sent_s)
        if (before := self.find(pending.key)) is not None:
            pending.before, pending.shares_id, before.shares_id = before, True, True
            _forget_oldest(pending)
        self._pending.put(pending.key, pending)
        return pending

    def describe(self, message: Message, *, version: str | None = None, sent_s: float | None = None) -> Pending:
        """Return what is to be known of a request when its answer comes, where that is waited for elsewhere."""
        self.version = version or _version_of(message) or self.version
        pending = Pending(message, self.version, time.monotonic() if sent_s is None else sent_s)
        match message.params.get("taskId"):
            case str(task_id) if pending.method in _TASKS:
                pending.task_of = self._tasks.find(self, task_id)
            case _:
                pass
        return pending

    def find(self, key: str | None) -> Pending | None:
        """Return the request of an id, which goes on waiting."""
        return None if key is None else self._pending.entries.get(key)

    def take(self, key: str | None) -> Pending | None:
        """Return the request that an answer with this id is for; it waits no longer."""
        return None if key is None else self._pending.take(key)

    def put_back(self, pending: Pending) -> None:
        """Let a request wait again, as one does that is repeated; not if its id was used again meanwhile."""
        if pending.key not in self._pending.entries:
            self._pending.put(pending.key, pending)

    def note_answer(self, pending: Pending, result: Mapping[str, object]) -> None:
        """Learn from the result of a request: the version that a handshake agreed on, the task that a call has become."""
        version = result.get("protocolVersion")
        if pending.method == "initialize" and isinstance(version, str):
            self.version = version
        task = members_of(result.get("task")) or result
        match task.get("taskId"):
            case str(task_id) if pending.tool is not None:
                self._tasks.keep(self, task_id, pending)
            case str(task_id) if task.get("status") in _ENDS_OF_TASKS:  # Its result may be read again, but need not be.
                self._tasks.neglect(self, task_id)
            case _:
                pass


def key_of_cancelled(message: Message) -> str | None:
    """Return the key of the request that a `notifications/cancelled` is about."""
    return Message("", {"id": message.params.get("requestId")}).key


def first_message(frame: bytes) -> Message | None:
    """Return the message of a frame that holds exactly one."""
    messages = read_messages(frame)
    return messages[0] if messages is not None and len(messages) == 1 else None


def _forget_oldest(youngest: Pending) -> None:
    """Forget the oldest of the requests with one id, if they are too many."""
    pending: Pending | None = youngest
    for _ in range(_MOST_OF_ONE_ID - 1):
        if pending is None:
            return
        pending = pending.before
    if pending is not None:
        pending.before = None


def _version_of(message: Message) -> str | None:
    version = members_of(message.params.get("_meta")).get(_VERSION)
    return version if isinstance(version, str) else None
