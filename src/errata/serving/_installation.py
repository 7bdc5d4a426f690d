"""errata at work in one server."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from types import TracebackType
from typing import Self

from errata.classification import classify
from errata.model import Code
from errata.serving._adapter import Adapter, Attend
from errata.serving._offers import Offer
from errata.serving._pipeline import Pipeline
from errata.serving._publishing import ListedTool, Publisher
from errata.serving._recording import Recorder
from errata.serving._setup import InstallOptions, Setup

INSTALLED = "__errata__"
"""The attribute of a server that errata is at work in."""
_ABSENT = object()


class Installation:
    """What `errata.install` returns: errata at work in a server, until `uninstall()`; also as a `with` block."""

    def __init__(self, server: object, adapter: Adapter, options: InstallOptions) -> None:
        self._server = server
        self._adapter = adapter
        self.setup: Setup = Setup.from_options(options, server_masks=adapter.masks)
        self._recorder = Recorder(self.setup)
        self._publisher = Publisher(self.setup)
        self._pipeline = Pipeline(adapter, self.setup, self._publisher, self._recorder)
        self.attend: Attend = self._pipeline.attend
        """Runs a handler for a client. An attribute and no method: a call of its own is felt in a request that succeeds."""
        self._undo = ExitStack()

    def start(self) -> Self:
        """Go to work in the server; if that fails, it is left as it was."""
        try:
            self._adapter.hook(self)
            self.replace_attribute(self._server, INSTALLED, self)
        except BaseException:
            self.uninstall()
            raise
        classify(Exception())  # The first one takes as long as a thousand others: better now than in a request.
        return self

    def uninstall(self) -> None:
        """Leave the server as it was."""
        self._pipeline.is_open = False
        self._undo.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: object, __: object, ___: TracebackType | None) -> None:
        self.uninstall()

    @property
    def undeclared(self) -> Mapping[tuple[str, Code], int]:
        """How often a tool failed with a code that its contract does not declare."""
        return dict(self._recorder.undeclared)

    @property
    def fallback_tools(self) -> Mapping[str, str]:
        """The tools that its breakers send callers to, by upstream."""
        return self.setup.fallback_tools

    # What follows is what an adapter uses: the `Host` protocol.

    def note_tools(self, offers: list[Offer]) -> None:
        """Take note of a whole list of tools that was sent, and check the settings and the advice against it."""
        self._publisher.note_tools(offers)

    def publish(self, name: str, tool: ListedTool, function: object) -> ListedTool:
        """Return a listed tool with its failures added."""
        return self._publisher.publish(name, tool, function) if self._pipeline.is_open else tool

    @property
    def mask(self) -> bool | None:
        """Whether texts that nobody meant for clients are withheld; None where nobody decided."""
        return self.setup.mask

    def replace_attribute(self, owner: object, name: str, replacement: object) -> None:
        """Set an attribute of an object until errata is uninstalled."""
        before = vars(owner).get(name, _ABSENT)
        setattr(owner, name, replacement)

        def put_back() -> None:
            if vars(owner).get(name) is not replacement:  # Somebody has wrapped it since, and may go on calling it.
                return
            if before is _ABSENT:
                delattr(owner, name)
            else:
                setattr(owner, name, before)

        self._undo.callback(put_back)

    def call_on_uninstall(self, undo: Callable[..., object], *arguments: object) -> None:
        """Have something undone when errata is uninstalled."""
        self._undo.callback(undo, *arguments)
