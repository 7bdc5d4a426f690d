"""From any exception to a Fault."""

from errata.classification._blame import ArgumentValues as ArgumentValues, has_word as has_word
from errata.classification._call import Call
from errata.classification._classify import (
    Explanation,
    classify,
    classify_with_ground as classify_with_ground,
    explain,
)
from errata.classification._error_codes import (
    GRPC as GRPC,
    SQLSTATES as SQLSTATES,
    classify_cloud_code as classify_cloud_code,
)
from errata.classification._exception_rules import (
    Classification as Classification,
    Otherwise as Otherwise,
    Rule as Rule,
    describe_rule as describe_rule,
)
from errata.classification._families import FAMILIES as FAMILIES
from errata.classification._foreign import (
    find_cause as find_cause,
    list_earlier as list_earlier,
    peek as peek,
    read_exception as read_exception,
    walk_leaves as walk_leaves,
)
from errata.classification._inquiry import Step
from errata.classification._patterns import VAGUE as VAGUE
from errata.classification._refused_arguments import (
    classify_refused_arguments as classify_refused_arguments,
    classify_refused_model as classify_refused_model,
)
from errata.classification._register import register, rules_in_force
from errata.classification._registry import REGISTRY as REGISTRY
from errata.classification._words import (
    CALL as CALL,
    PATTERNS as PATTERNS,
    Patterns as Patterns,
    blank_arguments as blank_arguments,
    classify_words as classify_words,
    spell_out as spell_out,
)

__all__ = ["Call", "Explanation", "Step", "classify", "explain", "register", "rules_in_force"]
