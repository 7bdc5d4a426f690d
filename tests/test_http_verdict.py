"""One response, one fault: whether it is read itself or comes as the exception that a client made of it."""

import pytest
from support.required_libraries import need

from errata import Code, classify
from errata.http import error_from_response

# What only `classify` knows, and what the table says.
MADE_UP_BY_PROXIES = {
    499: (Code.CANCELLED, Code.INVALID_REQUEST),
    522: (Code.TIMEOUT, Code.SERVICE_UNAVAILABLE),
    524: (Code.TIMEOUT, Code.SERVICE_UNAVAILABLE),
    598: (Code.TIMEOUT, Code.SERVICE_UNAVAILABLE),
}
HEADERS = [
    {},
    {"Retry-After": "7"},
    {"Retry-After": "soon"},
    {"retry-after-ms": "700"},
    {"x-ratelimit-remaining": "0"},
    {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "45"},
    {"x-ratelimit-remaining": "7", "x-ratelimit-reset": "45"},
    {"x-ratelimit-reset": "45"},
    {"x-should-retry": "true"},
    {"x-should-retry": "False"},
    {"x-should-retry": "maybe"},
    {"x-should-retry": "maybe", "Stripe-Should-Retry": "true"},
    {"Stripe-Should-Retry": "false"},
    {"Retry-After": "7", "x-should-retry": "true"},
    {"Retry-After": "7", "x-should-retry": "false"},
]


@pytest.fixture(params=["httpx2", "httpx"])
def library(request):
    return need(request.param)


def both(library, status, headers):
    """Read a response, and classify what its client raises for it."""
    response = library.Response(status, headers=headers, request=library.Request("GET", "https://a.example"))
    with pytest.raises(library.HTTPStatusError) as caught:
        response.raise_for_status()
    return error_from_response(response).fault, classify(caught.value)


@pytest.mark.parametrize("headers", HEADERS, ids=str)
def test_a_response_and_its_exception_are_the_same_fault(library, headers):
    for status in set(range(400, 600)) - MADE_UP_BY_PROXIES.keys():
        read, raised = both(library, status, headers)

        assert (read.code, read.retry, read.retry_after_ms, read.http_status) == (
            raised.code,
            raised.retry,
            raised.retry_after_ms,
            raised.http_status,
        ), status


@pytest.mark.parametrize("status", MADE_UP_BY_PROXIES)
def test_what_proxies_made_up_is_told_apart_only_where_exceptions_are(library, status):
    for headers in HEADERS:
        read, raised = both(library, status, headers)

        assert (raised.code, read.code) == MADE_UP_BY_PROXIES[status]
        assert read.retry_after_ms == raised.retry_after_ms
