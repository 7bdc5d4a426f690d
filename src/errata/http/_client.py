"""What is expected of an HTTP client: what httpx2 and httpx have in common. Neither is imported before it is needed."""

from collections.abc import Awaitable, Callable, Mapping
from importlib import import_module
from typing import Any, Protocol, TypeVar

from errata.model import configuration_error

_LIBRARIES = ("httpx2", "httpx")
_Sent_co = TypeVar("_Sent_co", covariant=True)


class Client(Protocol[_Sent_co]):
    """An AsyncClient of httpx2 or httpx."""

    @property
    def build_request(self) -> Callable[..., object]:
        """Build a request, with what the client adds to each."""
        ...

    @property
    def send(self) -> Callable[..., Awaitable[_Sent_co]]:
        """Send it."""
        ...


class Response(Protocol):
    """A response of httpx2 or httpx, read."""

    @property
    def status_code(self) -> int:
        """The number."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """The fields, whatever their case."""
        ...

    @property
    def content(self) -> bytes:
        """The body."""
        ...

    @property
    def text(self) -> str:
        """The body, decoded."""
        ...

    def json(self) -> Any:  # noqa: ANN401 - as both libraries have it.
        """Parse the body."""
        ...


def new_client() -> Any:  # noqa: ANN401 - of whichever library is there.
    """Make a client that follows redirects, as other languages' `fetch` does."""
    return _library().AsyncClient(follow_redirects=True)


def _library() -> Any:  # noqa: ANN401 - a module; its type is its name.
    for name in _LIBRARIES:
        try:
            return import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name:  # It is installed, and something that it needs is not.
                raise
    raise configuration_error(
        "`errata.http.fetch_with_timeout` needs httpx2 or httpx, and neither is installed. "
        "Install one with: pip install httpx2"
    )
