"""What nobody outside may see does not leave: secrets, keys and personal data, in text and in data."""

from errata._secrecy._data import redact_plain
from errata._secrecy._known import register_secret
from errata._secrecy._marks import MARK
from errata._secrecy._text import redact

__all__ = ["MARK", "redact", "redact_plain", "register_secret"]
