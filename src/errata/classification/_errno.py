"""What the operating system's error numbers mean."""

import errno
import socket

from errata.classification._answer import Classification
from errata.classification._reach import read_number
from errata.classification._verdicts import REFUSED
from errata.model import Code, Retry, is_a

# fmt: off
BY_NAME: dict[str, Code | Classification] = {
    "ENOENT": Code.NOT_FOUND, "ESRCH": Code.NOT_FOUND, "ENXIO": Code.NOT_FOUND, "ENODEV": Code.NOT_FOUND, "ENOTTY": Code.INVALID_PARAMS,
    "EACCES": Code.FORBIDDEN, "EPERM": Code.FORBIDDEN, "EROFS": Code.FORBIDDEN,
    "EEXIST": Code.CONFLICT, "ENOTEMPTY": Code.CONFLICT, "ESTALE": Code.CONFLICT, "EADDRINUSE": Code.CONFLICT, "EISCONN": Code.CONFLICT,
    "EBUSY": Classification(Code.CONFLICT, Retry.SAME_CALL), "ETXTBSY": Classification(Code.CONFLICT, Retry.SAME_CALL),
    "EDEADLK": Classification(Code.CONFLICT, Retry.SAME_CALL), "ENOLCK": Classification(Code.CONFLICT, Retry.SAME_CALL),
    "EINVAL": Code.INVALID_PARAMS, "EISDIR": Code.INVALID_PARAMS, "ENOTDIR": Code.INVALID_PARAMS, "ENAMETOOLONG": Code.INVALID_PARAMS,
    "ELOOP": Code.INVALID_PARAMS, "EDOM": Code.INVALID_PARAMS, "ERANGE": Code.INVALID_PARAMS, "EILSEQ": Code.INVALID_PARAMS,
    "EDESTADDRREQ": Code.INVALID_PARAMS, "EXDEV": Code.INVALID_PARAMS, "ESPIPE": Code.INVALID_PARAMS, "EFBIG": Code.VALIDATION_FAILED, "E2BIG": Code.VALIDATION_FAILED,
    "EMSGSIZE": Code.VALIDATION_FAILED, "EOVERFLOW": Code.VALIDATION_FAILED,
    "ETIMEDOUT": Code.TIMEOUT, "ETIME": Code.TIMEOUT, "ECANCELED": Code.CANCELLED,
    "ECONNREFUSED": REFUSED, "EHOSTUNREACH": REFUSED, "ENETUNREACH": REFUSED, "EHOSTDOWN": REFUSED, "ENETDOWN": REFUSED,
    "EADDRNOTAVAIL": REFUSED, "ENONET": REFUSED,
    "ECONNRESET": Code.NETWORK_ERROR, "ECONNABORTED": Code.NETWORK_ERROR, "EPIPE": Code.NETWORK_ERROR, "ESHUTDOWN": Code.NETWORK_ERROR,
    "ENOTCONN": Code.NETWORK_ERROR, "ENETRESET": Code.NETWORK_ERROR, "EREMOTEIO": Code.NETWORK_ERROR, "ECOMM": Code.NETWORK_ERROR, "ENOLINK": Code.NETWORK_ERROR, "EPROTO": Code.NETWORK_ERROR,
    "EMFILE": Code.SERVICE_UNAVAILABLE, "ENFILE": Code.SERVICE_UNAVAILABLE, "ENOBUFS": Code.SERVICE_UNAVAILABLE, "ENOMEM": Code.SERVICE_UNAVAILABLE,
    "EAGAIN": Code.SERVICE_UNAVAILABLE, "EWOULDBLOCK": Code.SERVICE_UNAVAILABLE, "EINTR": Code.SERVICE_UNAVAILABLE, "EUSERS": Code.SERVICE_UNAVAILABLE,
    # A full disk waits for a person, not for time.
    "ENOSPC": Classification(Code.SERVICE_UNAVAILABLE, Retry.NEVER), "EDQUOT": Classification(Code.SERVICE_UNAVAILABLE, Retry.NEVER),
    "ENOSYS": Code.NOT_IMPLEMENTED, "EOPNOTSUPP": Code.NOT_IMPLEMENTED, "ENOTSUP": Code.NOT_IMPLEMENTED, "EPROTONOSUPPORT": Code.NOT_IMPLEMENTED,
    "EAFNOSUPPORT": Code.NOT_IMPLEMENTED, "ESOCKTNOSUPPORT": Code.NOT_IMPLEMENTED, "EPFNOSUPPORT": Code.NOT_IMPLEMENTED,
    "ENOEXEC": Code.CONFIGURATION_ERROR, "ENOKEY": Code.CONFIGURATION_ERROR, "EKEYEXPIRED": Code.UNAUTHORIZED, "EKEYREVOKED": Code.UNAUTHORIZED, "EKEYREJECTED": Code.UNAUTHORIZED,
    "EIO": Code.INTERNAL_ERROR, "EBADF": Code.INTERNAL_ERROR, "EFAULT": Code.INTERNAL_ERROR, "ECHILD": Code.INTERNAL_ERROR, "ENOTSOCK": Code.INTERNAL_ERROR,
}
_BY_RESOLVER_NAME = {
    "EAI_AGAIN": Classification(Code.NETWORK_ERROR, Retry.SAME_CALL),
    "EAI_MEMORY": Classification(Code.NETWORK_ERROR, Retry.SAME_CALL),
}
# fmt: on
_BY_NUMBER: dict[int, Code | Classification] = {
    number: BY_NAME[name] for name in BY_NAME if (number := getattr(errno, name, None)) is not None
}
_BY_RESOLVER_NUMBER = {
    number: _BY_RESOLVER_NAME[name] for name in _BY_RESOLVER_NAME if (number := getattr(socket, name, None)) is not None
}


def by_errno(error: BaseException) -> Classification | Code | None:
    """The errno it carries."""
    return _BY_NUMBER.get(read_number(error, "errno") or 0) if is_a(error, OSError) else None


def by_resolver(error: BaseException) -> Classification:
    """The resolver's error number: an unknown host stays unknown, a name server in trouble does not."""
    unknown = Classification(Code.NETWORK_ERROR, Retry.NEVER)
    return _BY_RESOLVER_NUMBER.get(read_number(error, "errno") or 0, unknown)
