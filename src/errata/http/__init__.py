"""HTTP's answers, as faults."""

from errata.http._body_message import (
    BodyMessage as BodyMessage,
    is_page as is_page,
    read_body_message as read_body_message,
)
from errata.http._bounded import body_limit_of as body_limit_of, bound_body as bound_body
from errata.http._carriers import request_of as request_of, response_of as response_of, url_of as url_of
from errata.http._error import aerror_from_response, error_from_response
from errata.http._fetch import fetch_with_timeout
from errata.http._headers import header_fields as header_fields
from errata.http._refusals import refusal_of as refusal_of, wait_asked_for as wait_asked_for
from errata.http._response import ResponseParts as ResponseParts, attribute as attribute, decode_body as decode_body
from errata.http._runtime import deadline as deadline
from errata.http._sentences import (
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
from errata.http._status import status_to_code
from errata.http._unread import read_body as read_body
from errata.http._verdict import http_verdict as http_verdict, should_retry as should_retry
from errata.http._waits import (
    parse_retry_after,
    wait_from_headers as wait_from_headers,
    wait_from_text as wait_from_text,
)

__all__ = ["aerror_from_response", "error_from_response", "fetch_with_timeout", "parse_retry_after", "status_to_code"]
