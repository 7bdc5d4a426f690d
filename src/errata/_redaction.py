"""What nobody outside may see does not leave: secrets, keys and personal data, in text and in data."""

from errata._jsonable import cut, jsonable
from errata._secrecy import redact, redact_plain, register_secret

__all__ = ["redact", "redact_data", "register_secret"]


def redact_data(value: object) -> object:
    """Copy data as plain JSON without secrets and personal data.

    Strings are redacted as `redact` does it. What is under a key that announces a secret (`password`, `apiKey`,
    `Set-Cookie`) is hidden whatever it looks like; `token_count` and `password_required` announce none. Data that is no
    JSON becomes JSON as an error's data does: cycles, depth and size are bounded, and nothing raises.
    """
    return redact_plain(jsonable(value))


def redact_within(text: str, limit: int) -> str:
    """Redact a text and shorten it to the limit; of one that is far longer, no more is read than that takes."""
    return cut(redact(text) if len(text) <= limit else text, limit)
