"""Whose fault is it? The evidence that an argument of the call is at fault, weighed against the evidence that none is."""

from errata.classification._blame._argument_values import ArgumentValues as ArgumentValues, has_word as has_word
from errata.classification._blame._failing_site import (
    FailingSite as FailingSite,
    is_own_file as is_own_file,
    keys_written_out as keys_written_out,
)
from errata.classification._blame._find_blame import (
    Blame as Blame,
    find_blame as find_blame,
    is_halfway as is_halfway,
    response_behind as response_behind,
)
from errata.classification._blame._signals import (
    ENOUGH as ENOUGH,
    ENOUGH_TO_NAME as ENOUGH_TO_NAME,
    SIGNALS as SIGNALS,
    Evidence as Evidence,
    Signal as Signal,
)
from errata.classification._blame._tracing import is_stop_wrapper as is_stop_wrapper
