"""From any exception to a Fault."""

from errata.classification._call import Call
from errata.classification._classify import Explanation, Step, classify, explain
from errata.classification._register import register, rules_in_force

__all__ = ["Call", "Explanation", "Step", "classify", "explain", "register", "rules_in_force"]
