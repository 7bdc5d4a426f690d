"""From any exception to a Fault."""

from errata.classification._classify import Explanation, Step, classify, explain

__all__ = ["Explanation", "Step", "classify", "explain"]
