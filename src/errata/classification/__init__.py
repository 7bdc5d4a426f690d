"""From any exception to a Fault."""

from errata.classification._answer import Answer as Answer, Otherwise as Otherwise, Rule as Rule, described as described
from errata.classification._arguments import refused_arguments as refused_arguments, refused_model as refused_model
from errata.classification._blame._values import ArgumentValues as ArgumentValues, has_word as has_word
from errata.classification._call import Call
from errata.classification._classify import (
    Explanation,
    Step,
    classify,
    classify_with_ground as classify_with_ground,
    explain,
)
from errata.classification._families._cloud_codes import of_cloud_code as of_cloud_code
from errata.classification._grpc import GRPC as GRPC
from errata.classification._patterns import VAGUE as VAGUE
from errata.classification._reach import inner as inner, peek as peek
from errata.classification._register import register, rules_in_force
from errata.classification._tables import FAMILIES as FAMILIES, REGISTRY as REGISTRY
from errata.classification._unwrap import cause_of as cause_of, earlier_than as earlier_than, leaves_of as leaves_of
from errata.classification._words import (
    CALL as CALL,
    PATTERNS as PATTERNS,
    Patterns as Patterns,
    blank_arguments as blank_arguments,
    meaning_of as meaning_of,
    spelled_out as spelled_out,
)

__all__ = ["Call", "Explanation", "Step", "classify", "explain", "register", "rules_in_force"]
