"""From any exception to a Fault."""

from errata.classification._classify import Explanation, Step, classify, explain
from errata.classification._register import register, rules_in_force

__all__ = ["Explanation", "Step", "classify", "explain", "register", "rules_in_force"]
