"""HTTP's answers, as faults."""

from errata._status import status_to_code
from errata._waits import parse_retry_after

__all__ = ["parse_retry_after", "status_to_code"]
