"""The entrance: redact text and data, and register secrets.

The rules are loaded when the first text is judged, so that importing errata stays cheap.
"""

from collections.abc import Callable
from functools import cache

__all__ = ["are_harmless", "redact", "redact_plain", "register_secret"]


def redact(text: str) -> str:
    """Hide what nobody outside may see: credentials, keys and personal data. Each leaves a mark that says what it was.

    What is only about secrets, and identifiers that are none, stay as they are. Redacting again changes nothing.
    """
    if not isinstance(text, str):
        raise TypeError(f"`redact` takes text, not {type(text).__name__}. {_advice(text)}")
    shown = _for_text()(text)
    return _for_json()(shown) if shown[:1] in {"{", "["} else shown  # Which few are, so that few load that.


def are_harmless(*texts: str | None) -> bool:
    """Return whether all texts are remembered as having nothing in them that is to be hidden."""
    return _for_memory()(*texts)


def redact_plain(value: object) -> object:
    """Copy JSON without what nobody outside may see."""
    return _for_data()(value)


def register_secret(value: str) -> Callable[[], None]:
    """Hide a value wherever it turns up from now on, as it is, percent-encoded, JSON-escaped or in base64.

    For secrets that no format and no name gives away. What is too short or too ordinary to be one would be hidden in
    the middle of other words; it is refused with a `ValueError`. Calling what is returned forgets the value again.
    """
    return _for_values()(value)


def _advice(given: object) -> str:
    """Return how to redact something that is no text."""
    if isinstance(given, bytes | bytearray | memoryview):
        return "Decode it first, then redact it."
    return "Pass a string, or give other data to `redact_data`."


@cache
def _for_text() -> Callable[[str], str]:
    from errata.redaction._redact_text import redact_text  # noqa: PLC0415 - see above.

    return redact_text


@cache
def _for_data() -> Callable[[object], object]:
    from errata.redaction._redact_data import redact_value  # noqa: PLC0415

    return redact_value


@cache
def _for_json() -> Callable[[str], str]:
    from errata.redaction._redact_data import redact_json  # noqa: PLC0415

    return redact_json


@cache
def _for_values() -> Callable[[str], Callable[[], None]]:
    from errata.redaction._known_values import learn_secret  # noqa: PLC0415

    return learn_secret


@cache
def _for_memory() -> Callable[..., bool]:
    from errata.redaction._redact_text import are_harmless as are_remembered  # noqa: PLC0415

    return are_remembered
