"""What many tables have to say."""

from errata.classification._answer import WITHHELD, Classification
from errata.model import Code, Retry

BUG = Classification(Code.INTERNAL_ERROR, text=WITHHELD)
"""Something was used in the wrong way. The text is for the server's author: of no use to an agent, and revealing."""
LOCKED = Classification(Code.CONFLICT, Retry.SAME_CALL)
"""Somebody else is at it: a deadlock, a lock, a transaction that lost. Nothing was changed."""
REFUSED = Classification(Code.NETWORK_ERROR, Retry.SAME_CALL)
"""Nobody took the call."""
TLS = Classification(Code.NETWORK_ERROR, Retry.NEVER)
"""No time mends a certificate."""
WAIT = Classification(Code.SERVICE_UNAVAILABLE, Retry.SAME_CALL)
"""It takes no work now."""
