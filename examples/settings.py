"""What has to be set in the environment of an example server, by whoever starts it."""

import os
import re
from collections.abc import Callable
from urllib.parse import urlsplit

from errata import configuration_error


def setting(name: str) -> str:
    """Read a setting. A bad one is nothing that an agent can mend, so the message says who can."""
    value = os.environ.get(name, "").strip()
    if not value:
        # errata: ignore[error-contract-conformance] because any tool may miss a setting, and no agent can plan around it
        raise configuration_error(f"`{name}` is not set. Tell the user to set it where this server is started.")
    for ending, (fits, expected) in _KINDS.items():
        if name.endswith(ending) and not fits(value):
            raise configuration_error(
                f"`{name}` is not {expected}. Tell the user to set it where this server is started."
            )
    return value


def number(name: str, usual: float) -> float:
    """Read a setting that need not be there, when the server starts: whoever starts it is told what is wrong with it."""
    value = os.environ.get(name, "").strip() or str(usual)
    try:
        return float(value)
    except ValueError:
        raise SystemExit(f"`{name}` is {value!r}. Set it to a number, or leave it out for {usual:g}.") from None


def _is_web_address(value: str) -> bool:
    try:
        url = urlsplit(value)
        return url.scheme in {"http", "https"} and bool(url.hostname) and url.port != 0
    except ValueError:  # A port that is none, or half an IPv6 address.
        return False


def _is_key(value: str) -> bool:
    return re.fullmatch(r"[!-~]+", value) is not None


_KINDS: dict[str, tuple[Callable[[str], bool], str]] = {
    "_URL": (_is_web_address, "a web address, such as https://api.example.com"),
    "_API_KEY": (_is_key, "a key, which has neither spaces nor letters like é"),
}
