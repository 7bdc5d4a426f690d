"""HTTP's statuses, as codes. Public as `errata.http.status_to_code`; down here because dialects need it, too."""

from errata.model import Code

# fmt: off
_CODE_OF_STATUS = {
    400: Code.INVALID_PARAMS,
    401: Code.UNAUTHORIZED,
    402: Code.INSUFFICIENT_BALANCE,
    403: Code.FORBIDDEN,
    404: Code.NOT_FOUND,
    408: Code.TIMEOUT,
    409: Code.CONFLICT,
    410: Code.GONE,
    422: Code.VALIDATION_FAILED,
    423: Code.CONFLICT,
    424: Code.CONFLICT,
    425: Code.TIMEOUT,
    429: Code.RATE_LIMITED,
    500: Code.UPSTREAM_ERROR,
    501: Code.NOT_IMPLEMENTED,
    504: Code.TIMEOUT,
}
_CODE_OF_CLASS = {
    4: Code.INVALID_REQUEST,
    5: Code.SERVICE_UNAVAILABLE,
}
# fmt: on


def status_to_code(status: int) -> Code:
    """Name the kind of failure an upstream's HTTP status stands for; outside 400-599 it stands for none."""
    return _CODE_OF_STATUS.get(status) or _CODE_OF_CLASS.get(status // 100, Code.UNKNOWN_ERROR)
