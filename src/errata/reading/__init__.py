"""Reading what any server sent: whose dialect it is, and what it means."""

from errata.reading._decode import (
    Reading,
    decode,
    is_hearsay as is_hearsay,
    limit_trust as limit_trust,
    read_sentences as read_sentences,
    recognise,
)
from errata.reading._text_parts import unwrap as unwrap

__all__ = ["Reading", "decode", "recognise"]
