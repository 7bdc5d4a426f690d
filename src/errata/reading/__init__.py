"""Reading what any server sent: whose dialect it is, and what it means."""

from errata.reading._decode import Reading, decode, recognise, rests_on_words as rests_on_words

__all__ = ["Reading", "decode", "recognise"]
