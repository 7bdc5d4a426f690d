"""Everything that leaves passes here: no secrets, no forged lines, plain JSON of bounded size."""

from errata.redaction._foreign_text import (
    LABELS,
    blank_quotations,
    defuse_json,
    defuse_markup,
    make_visible,
    put_on_one_line,
    quote_labels,
    quote_name,
    quote_words,
    unquote_words,
)
from errata.redaction._jsonable import (
    SIZE,
    as_object,
    cut,
    jsonable,
    jsonable_object,
    repair_unicode,
    text_of,
    type_text,
)
from errata.redaction._recurring_secrets import collect_secrets, hiding, join_announced_lines
from errata.redaction._redact import are_harmless, redact_plain
from errata.redaction._spans import MARK, Kind, mark
from errata.redaction._telling_names import is_innocent_in, read_promise
from errata.redaction._ways_out import (
    LONGEST_SHOWN,
    line_of,
    make_redacted_repr,
    prose_within,
    redact,
    redact_data,
    redact_visibly,
    redact_within,
    register_secret,
)

__all__ = [
    "LABELS",
    "LONGEST_SHOWN",
    "MARK",
    "SIZE",
    "Kind",
    "are_harmless",
    "as_object",
    "blank_quotations",
    "collect_secrets",
    "cut",
    "defuse_json",
    "defuse_markup",
    "hiding",
    "is_innocent_in",
    "join_announced_lines",
    "jsonable",
    "jsonable_object",
    "line_of",
    "make_redacted_repr",
    "make_visible",
    "mark",
    "prose_within",
    "put_on_one_line",
    "quote_labels",
    "quote_name",
    "quote_words",
    "read_promise",
    "redact",
    "redact_data",
    "redact_plain",
    "redact_visibly",
    "redact_within",
    "register_secret",
    "repair_unicode",
    "text_of",
    "type_text",
    "unquote_words",
]
