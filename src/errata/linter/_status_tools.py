"""Functions whose job it is to say how something is, failures included: `health_check`, `validate_config`."""

import re

from errata.linter._code import Function
from errata.linter._names import last_of

_STATUS = re.compile(
    r"(^|_)(check|checks|debug|diagnos\w*|doctor|health\w*|is|has|can|lint|ping|probe|self_test|status|test|validate|validation|verify)(_|$)"
)


def tells_status(function: Function) -> bool:
    """Whether a function, by its name, answers with a verdict."""
    return bool(_STATUS.search(last_of(function.name).lower()))
