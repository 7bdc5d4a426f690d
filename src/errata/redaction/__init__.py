"""Everything that leaves passes here: no secrets, no forged lines, plain JSON of bounded size."""

from errata.redaction._foreign_text import (
    LABELS,
    inert,
    inert_json,
    named,
    one_line,
    quoted,
    unlabelled,
    unquoted,
    visible,
    without_quotations,
)
from errata.redaction._jsonable import (
    SIZE,
    as_object,
    cut,
    jsonable,
    jsonable_object,
    text_of,
    type_text,
    valid_unicode,
)
from errata.redaction._lazy import are_harmless, redact_plain
from errata.redaction._marks import MARK, mark
from errata.redaction._names import announced, is_innocent_in
from errata.redaction._redact import (
    LONGEST_SHOWN,
    line_of,
    prose_within,
    redact,
    redact_data,
    redact_within,
    redacted_repr,
    register_secret,
    visible_redacted,
)

__all__ = [
    "LABELS",
    "LONGEST_SHOWN",
    "MARK",
    "SIZE",
    "announced",
    "are_harmless",
    "as_object",
    "cut",
    "inert",
    "inert_json",
    "is_innocent_in",
    "jsonable",
    "jsonable_object",
    "line_of",
    "mark",
    "named",
    "one_line",
    "prose_within",
    "quoted",
    "redact",
    "redact_data",
    "redact_plain",
    "redact_within",
    "redacted_repr",
    "register_secret",
    "text_of",
    "type_text",
    "unlabelled",
    "unquoted",
    "valid_unicode",
    "visible",
    "visible_redacted",
    "without_quotations",
]
