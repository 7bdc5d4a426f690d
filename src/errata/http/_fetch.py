"""`fetch_with_timeout`: one request, one deadline, one kind of error.

This half of the package stands above `errata.classification`, which reads responses with the other half. So nothing here
imports it, and `errata.http` loads it when it is used. Neither httpx2 nor httpx is imported before a request is sent.
"""

import dataclasses
import math
from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext
from importlib import import_module
from time import monotonic
from typing import Any, NamedTuple, Protocol, TypeVar, cast, overload
from urllib.parse import urlsplit, urlunsplit

from errata._runtime import deadline
from errata.classification import classify_with_ground
from errata.http._bounded_bodies import MAX_BODY_BYTES, BodyTooLargeError, body_limit_of, read_bounded, size
from errata.http._error import aerror_from_response
from errata.http._wording import clean, service_name
from errata.model import Code, Fault, FaultError, Retry, configuration_error, is_a, wrap_classified
from errata.redaction import jsonable_object, text_of

_FIRST_FAILURE = 400
_SEND_OPTIONS = ("auth", "follow_redirects")  # Of the client's `send`; the others are about the request itself.
_LONGEST_MESSAGE, _LONGEST_URL = 300, 120
_LIBRARIES = ("httpx2", "httpx")
_Sent = TypeVar("_Sent")
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
        """Return the body, parsed."""
        ...


@overload
async def fetch_with_timeout(
    url: object,
    *,
    client: Client[_Sent],
    timeout_ms: int = 10_000,
    method: str = "GET",
    service: str | None = None,
    data: object = None,
    capture_body: bool = True,
    body_limit: int = 500,
    max_body_bytes: int = MAX_BODY_BYTES,
    **request: object,
) -> _Sent: ...


@overload
async def fetch_with_timeout(
    url: object,
    *,
    client: None = None,
    timeout_ms: int = 10_000,
    method: str = "GET",
    service: str | None = None,
    data: object = None,
    capture_body: bool = True,
    body_limit: int = 500,
    max_body_bytes: int = MAX_BODY_BYTES,
    **request: object,
) -> Response: ...


async def fetch_with_timeout(  # noqa: PLR0913 - each has its default.
    url: object,
    *,
    client: Client[Any] | None = None,
    timeout_ms: int = 10_000,
    method: str = "GET",
    service: str | None = None,
    data: object = None,
    capture_body: bool = True,
    body_limit: int = 500,
    max_body_bytes: int = MAX_BODY_BYTES,
    **request: object,
) -> object:
    """Send a request and return the response, read; whatever fails is raised as a `FaultError`.

        response = await fetch_with_timeout(url, timeout_ms=5_000, service="NCBI", params={"db": "pubmed"})

    The deadline covers everything: connecting, sending, waiting and reading; it replaces the timeouts of the client.
    No answer in time is TIMEOUT, no connection NETWORK_ERROR, a status from 400 on what `error_from_response` says.
    The `client` is an AsyncClient of httpx2 or httpx; without one, one is made that follows redirects. `data` goes into
    the error, as everywhere. A body of more than `max_body_bytes` once it is decompressed is given up: UPSTREAM_ERROR.
    All other keywords (`json`, `params`, `headers`, `content`, …) go into the request. What no request can be made of,
    such as a keyword that the client does not know, is a `TypeError`: a mistake in the program.
    """
    fetch = _Fetch(url, method, _seconds(timeout_ms), service_name(service), data, body_limit_of(max_body_bytes))
    async with _new_client() if client is None else nullcontext(client) as sender:
        start = monotonic()
        response = await fetch.send(sender, request)
        if response.status_code < _FIRST_FAILURE:
            return response
        try:
            raise await aerror_from_response(
                response,
                service=service,
                data=data,
                capture_body=capture_body,
                body_limit=body_limit,
                body_timeout_ms=max(0, timeout_ms - round((monotonic() - start) * 1000)),
            )
        finally:
            await response.aclose()


class _Fetch(NamedTuple):
    url: object
    method: str
    seconds: float
    who: str
    data: object
    max_body_bytes: int

    async def send(self, client: Client[Any], request: dict[str, object]) -> Any:  # noqa: ANN401 - as the client's.
        """Send the request and return the response in time; the body of a failure is not read yet."""
        options = {name: request.pop(name) for name in _SEND_OPTIONS if name in request}
        built = self._build(client, request)
        try:
            async with deadline(self.seconds):
                response = await client.send(built, stream=True, **options)
                if response.status_code < _FIRST_FAILURE:
                    await _read(response, self.max_body_bytes)
                return response
        except BodyTooLargeError as error:
            raise wrap_classified(error, self._too_large(error)) from error
        except Exception as error:
            raise self._error(error) from error

    def _build(self, client: Client[Any], request: dict[str, object]) -> object:
        """Make the request. A URL may come from the model; a keyword of the wrong name or kind is a mistake in the program."""
        try:
            return client.build_request(self.method, self.url, **{"timeout": self.seconds, **request})
        except TypeError:
            raise
        except Exception as error:
            raise self._error(error) from error

    def _too_large(self, error: BodyTooLargeError) -> Fault:
        """Return the fault of a body that was given up: the request was processed, and another answer would be as large."""
        message = (
            f"{self.who} answered {self._request_line}, but the body is larger than {size(error.limit)} once it is decompressed, "
            "and was given up. Ask for less at a time, or raise `max_body_bytes`."
        )
        data = jsonable_object(self.data)
        return Fault(code=Code.UPSTREAM_ERROR, message=message, retry=Retry.NEVER, data=data)

    @property
    def _request_line(self) -> str:
        return f"`{clean(f'{self.method} {_without_secrets(self.url)}', _LONGEST_URL)}`"

    def _error(self, error: Exception) -> FaultError:
        """Return what an exception of the client means here."""
        fault, rests_on_words = classify_with_ground(error)
        return wrap_classified(error, self._fault(fault), is_hearsay=rests_on_words)

    def _fault(self, fault: Fault) -> Fault:
        """Return the fault with a message that names the service and the request."""
        line = self._request_line
        messages = {
            Code.TIMEOUT: f"{self.who} did not answer {line} within {self.seconds:g} s.",
            Code.NETWORK_ERROR: f"{self.who} did not answer {line}: {fault.message}",
            Code.INTERNAL_ERROR: fault.message,
        }
        message = messages.get(fault.code, f"{self.who} could not be asked {line}: {fault.message}")
        return dataclasses.replace(fault, message=clean(message, _LONGEST_MESSAGE), data=jsonable_object(self.data))


def _seconds(timeout_ms: object) -> float:
    """Return the time limit in seconds; 0 for a negative one."""
    is_number = (is_a(timeout_ms, int) or is_a(timeout_ms, float)) and not is_a(timeout_ms, bool)
    milliseconds = float(cast("float", timeout_ms)) if is_number else math.nan
    if not math.isfinite(milliseconds):
        raise TypeError(
            f"`timeout_ms` is {text_of(timeout_ms)}, and every request has a time limit. "
            "Give a number of milliseconds, such as `timeout_ms=10_000`."
        )
    return max(0, milliseconds) / 1000


async def _read(response: Any, limit: int) -> None:  # noqa: ANN401 - as the client's.
    """Read the body; if that fails, give the connection back."""
    try:
        await read_bounded(response, limit)
    except BaseException:
        await response.aclose()
        raise


def _without_secrets(url: object) -> str:
    """Write a URL without its user and its query, where the secrets are."""
    try:
        parts = urlsplit(text_of(url))
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
    except ValueError:
        return "(a URL that cannot be read)"


def _new_client() -> Any:  # noqa: ANN401 - of whichever library is there.
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
