"""What is known of the clients over HTTP: whose tools are whose, and which calls may be answered elsewhere.

An answer over HTTP comes in the response to its own request, so ids need no table here. What outlives a request belongs
to a session; without one, to those whose requests nothing tells apart. It is remembered when the server has accepted a
request of theirs, and never used for others: a list of tools may be one user's own.
"""

import hashlib
import re
from collections import OrderedDict
from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import NamedTuple, Protocol

from errata.gate._reverse_proxy import RawHeaders, Scope
from errata.wire import CallMemory, Ledger, Pending, ToolTable, to_frame

_MOST_CONVERSATIONS = 1_000
_MOST_IDENTITIES = 8
"""Of one session: a credential is renewed now and then."""
_MOST_PAGES = 100
_NOT_FOUND = 404
_OF_A_MESSAGE = re.compile(
    rb"mcp-(?:protocol-version|method|name|session-id|param-.*)"
    rb"|content-(?:type|length|encoding|language|digest|md5)|accept(?:-(?:charset|encoding|language))?"
    rb"|if-(?:match|none-match|modified-since|unmodified-since|range)|connection|te|transfer-encoding"
    rb"|sec-(?:fetch|ch|websocket)-.*|date|origin|referer|priority|baggage|cache-control|pragma|last-event-id"
    rb"|traceparent|tracestate|(?:x-)?(?:request|correlation|trace|span)-id|b3|x-b3-.*|x-amzn-trace-id"
    rb"|x-cloud-trace-context|sentry-trace|uber-trace-id|x-datadog-(?:trace|parent)-id|cf-ray"
)
"""Header fields that differ from request to request, and so say nothing of who sends them."""


class Repeatable(Protocol):
    """A call that may be repeated, and so have another id at the server."""

    def cancelling(self) -> AbstractContextManager[str]:
        """Repeat nothing while the server is told of a cancellation; gives the id, as JSON, of the attempt that is alive."""
        ...

    def cancel(self) -> None:
        """Repeat the call no more."""
        ...


class ListPages:
    """Pages of lists of tools, each of them in memory once, however many clients have got the same one."""

    def __init__(self) -> None:
        self._pages: OrderedDict[bytes, Mapping[str, object]] = OrderedDict()

    def share(self, text: str, page: Mapping[str, object]) -> Mapping[str, object]:
        """Return the page that has this text; this one, if there is none yet."""
        key = hashlib.sha256(to_frame(text)).digest()
        page = self._pages.setdefault(key, page)
        self._pages.move_to_end(key)
        if len(self._pages) > _MOST_PAGES:
            self._pages.popitem(last=False)
        return page


class _SharedMemory:
    """What all conversations keep, within limits for all of them."""

    def __init__(self) -> None:
        self.pages = ListPages()
        self.tasks = CallMemory()
        self.elsewhere = CallMemory()


class Conversation:
    """What is known of a client: its tools, its tasks, its calls."""

    def __init__(self, shared: _SharedMemory) -> None:
        self.pages = shared.pages
        self.ledger = Ledger(shared.tasks)
        self.tools = ToolTable()
        self._elsewhere = shared.elsewhere
        self.identities: OrderedDict[bytes, None] = OrderedDict()
        self.uses = 0

    @contextmanager
    def use(self) -> Generator[None]:
        """Keep it from being forgotten while a request is under way."""
        self.uses += 1
        try:
            yield
        finally:
            self.uses -= 1

    def join(self, known: "Conversation") -> None:
        """Become part of another one: what is learned from now on is learned there."""
        self.ledger, self.tools = known.ledger, known.tools

    @property
    def elsewhere(self) -> dict[str, Pending]:
        """The last calls whose streams can be resumed, by their keys at the server."""
        return self._elsewhere.find_all(self.ledger)

    def expect_elsewhere(self, key: str, call: Pending) -> None:
        """Note a call whose answer may come, or come once more, on a stream that is resumed."""
        self._elsewhere.keep(self.ledger, key, call)

    def is_expected(self, key: str | None) -> bool:
        """Return whether a call is known that has this key at the server."""
        return self._elsewhere.find(self.ledger, key or "") is not None


class Visitor(NamedTuple):
    """Who sends a request to which path, as far as its head tells."""

    session: bytes
    """Empty without a session."""
    identity: bytes
    """A hash of all that may tell one client, or one server behind the gate, from another."""
    path: str

    @classmethod
    def of(cls, scope: Scope) -> "Visitor":
        """Return who sends a request."""
        path = scope.get("root_path", "") + scope["path"]
        address = str((scope.get("client") or ("",))[0])
        session, own = b"", [repr((address, path, scope.get("query_string", b""))).encode()]
        for key, value in scope["headers"]:
            name = key.lower()
            if name == b"mcp-session-id":
                session = value
            elif not _OF_A_MESSAGE.fullmatch(name):
                own.append(name + b":" + value)
        return cls(session, hashlib.sha256(b"\n".join(own)).digest(), path)

    @property
    def key(self) -> bytes:
        """Under which name the conversation is known."""
        return b"session " + repr((self.path, self.session)).encode() if self.session else b"client " + self.identity


class Conversations:
    """The conversations with the clients that were here last."""

    def __init__(self) -> None:
        self._known: OrderedDict[bytes, Conversation] = OrderedDict()
        self._shared = _SharedMemory()
        self._exchanges: dict[tuple[bytes, str], Repeatable] = {}
        """The calls of sessions, by their keys: for a cancellation."""

    def __len__(self) -> int:
        return len(self._known)

    def find(self, visitor: Visitor) -> Conversation:
        """Return the conversation of a visitor; a new one, for now, if the server has accepted none of their requests."""
        known = self._known.get(visitor.key)
        if known is None or visitor.identity not in known.identities:
            return Conversation(self._shared)
        self._known.move_to_end(visitor.key)
        return known

    def note_response(
        self, visitor: Visitor, conversation: Conversation, method: str, status: int, headers: RawHeaders
    ) -> None:
        """Remember a conversation that the server has accepted, by a message, and forget one that it no longer knows."""
        is_accepted = is_success(status)
        if visitor.session and (status == _NOT_FOUND or (method == "DELETE" and is_accepted)):
            self._forget(visitor)
        elif is_accepted and method == "POST":
            session = next((value for key, value in headers if key.lower() == b"mcp-session-id"), visitor.session)
            is_begun = session != visitor.session
            self._admit(visitor._replace(session=session), Conversation(self._shared) if is_begun else conversation)

    @contextmanager
    def register(self, visitor: Visitor, call: Pending, exchange: Repeatable) -> Generator[None]:
        """Let a cancellation find a call. Without a session nobody can say whose it is."""
        key = visitor.key, call.key
        if visitor.session:
            self._exchanges.setdefault(key, exchange)
        try:
            yield
        finally:
            if self._exchanges.get(key) is exchange:
                del self._exchanges[key]

    def find_exchange(self, visitor: Visitor, key: str | None) -> Repeatable | None:
        """Return a call of the session of a visitor; whether they may cancel it the server decides."""
        return self._exchanges.get((visitor.key, key or ""))

    def _forget(self, visitor: Visitor) -> None:
        """Forget a session that has ended, if it is the visitor's own."""
        known = self._known.get(visitor.key)
        if known is not None and visitor.identity in known.identities:
            del self._known[visitor.key]

    def _admit(self, visitor: Visitor, conversation: Conversation) -> None:
        known = self._known.get(visitor.key)
        if known is None:
            known = self._known[visitor.key] = conversation
            self._forget_oldest()
        elif known is not conversation:
            conversation.join(known)
        known.identities[visitor.identity] = None
        if len(known.identities) > _MOST_IDENTITIES:
            known.identities.popitem(last=False)

    def _forget_oldest(self) -> None:
        for _ in range(len(self._known) - _MOST_CONVERSATIONS):
            key = next((key for key, known in self._known.items() if not known.uses), None)
            if key is None:
                return
            del self._known[key]


def is_success(status: int) -> bool:
    """Return whether a status of HTTP tells of a success."""
    return 200 <= status < 300  # noqa: PLR2004 - HTTP's numbers of success.
