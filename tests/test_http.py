import pytest

from errata import Code
from errata.http import status_to_code

# What the design says of each status; every other one goes by its first digit.
TABLE = {
    Code.INVALID_PARAMS: [400],
    Code.UNAUTHORIZED: [401],
    Code.INSUFFICIENT_BALANCE: [402],
    Code.FORBIDDEN: [403],
    Code.NOT_FOUND: [404],
    Code.TIMEOUT: [408, 425, 504],
    Code.CONFLICT: [409, 423, 424],
    Code.GONE: [410],
    Code.VALIDATION_FAILED: [422],
    Code.RATE_LIMITED: [429],
    Code.UPSTREAM_ERROR: [500],
    Code.NOT_IMPLEMENTED: [501],
}
EXPECTED = {status: code for code, statuses in TABLE.items() for status in statuses}


@pytest.mark.parametrize("status", range(400, 600))
def test_a_status_means_what_the_table_says(status):
    other = Code.INVALID_REQUEST if status < 500 else Code.SERVICE_UNAVAILABLE

    assert status_to_code(status) is EXPECTED.get(status, other)


@pytest.mark.parametrize("status", [-1, 0, 99, 100, 200, 204, 301, 304, 399, 600, 999, 10**9])
def test_what_is_no_error_is_unknown(status):
    assert status_to_code(status) is Code.UNKNOWN_ERROR
