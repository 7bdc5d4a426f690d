"""Reading what any server sent: whose dialect it is, and what it means."""

from errata.reading._decode import Reading, decode, is_hearsay as is_hearsay, recognise

__all__ = ["Reading", "decode", "recognise"]
