"""HTTP's responses as faults: what a response says, what it means, the sentence about it, and a request with a deadline.

A response is read once into an `UpstreamResponse`, whichever client it came from; `interpret_response` says what it means,
`describe_response` says so in a sentence, and `error_from_response` makes the exception of both. `_fetch` sends requests.
"""

from typing import TYPE_CHECKING

from errata._runtime import deadline as deadline
from errata.http._attached import request_of as request_of, response_of as response_of, url_of as url_of
from errata.http._body_message import BodyMessage as BodyMessage, is_page as is_page
from errata.http._bounded_bodies import (
    body_limit_of as body_limit_of,
    bound_body as bound_body,
    read_body as read_body,
)
from errata.http._error import aerror_from_response, error_from_response
from errata.http._response import UpstreamResponse as UpstreamResponse, attribute as attribute
from errata.http._response_headers import (
    ResponseHeaders as ResponseHeaders,
    parse_retry_after,
    read_headers as read_headers,
)
from errata.http._response_meaning import (
    ResponseMeaning as ResponseMeaning,
    choose_wait as choose_wait,
    correct_code as correct_code,
    interpret_status as interpret_status,
)
from errata.http._wording import (
    ABOUT_ARGUMENTS as ABOUT_ARGUMENTS,
    LONGEST_MESSAGE as LONGEST_MESSAGE,
    LONGEST_NAME as LONGEST_NAME,
    clean as clean,
    clean_issue as clean_issue,
    describe_response as describe_response,
    excerpt as excerpt,
    public_host as public_host,
    quote_behind as quote_behind,
    service_name as service_name,
    without_internal_addresses as without_internal_addresses,
)
from errata.model import status_to_code

if TYPE_CHECKING:
    from errata.http._fetch import fetch_with_timeout

__all__ = ["aerror_from_response", "error_from_response", "fetch_with_timeout", "parse_retry_after", "status_to_code"]


def __getattr__(name: str) -> object:
    """Load the fetching half when it is used: it stands above `errata.classification`, which needs the rest."""
    if name != "fetch_with_timeout":
        raise AttributeError(f"module `errata.http` has no attribute `{name}`")
    from errata.http._fetch import fetch_with_timeout  # noqa: PLC0415 - as above.

    globals()[name] = fetch_with_timeout
    return fetch_with_timeout


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
