"""HTTP's answers, as faults."""

from errata._status import status_to_code
from errata._waits import parse_retry_after
from errata.http._error import aerror_from_response, error_from_response
from errata.http._fetch import fetch_with_timeout

__all__ = ["aerror_from_response", "error_from_response", "fetch_with_timeout", "parse_retry_after", "status_to_code"]
