"""What a list of tools says about their failures."""

from collections.abc import Mapping
from typing import NamedTuple

from errata.contracts import Declared
from errata.dialects import Dialect
from errata.redaction import redact, redact_data
from errata.serving._widening import widened

ERRORS = "errata/errors"
"""In a tool's `_meta`: the failures it declares."""
ERROR_SCHEMA = "errata/errorSchema"
"""In a tool's `_meta`: the shape of its errors, as JSON Schema (000)."""
_HEADING = "Errors:"


class Listed(NamedTuple):
    """The parts of a listed tool that errata has something to add to."""

    description: str | None
    meta: Mapping[str, object] | None
    output_schema: Mapping[str, object] | None


def published(tool: Listed, declared: Declared | None, dialect: Dialect, *, describe: bool) -> Listed:
    """Add the declared failures, the schema of the errors, and the errors to the schema of the results.

    What is added is a copy: the tool itself stays as it was, and a tool that passes twice is not added to twice.
    """
    meta = dict(tool.meta or {})
    description = tool.description
    if declared is not None or dialect.publishes_schema:
        meta[ERROR_SCHEMA] = dialect.error_schema()
    if declared is not None:
        meta[ERRORS] = redact_data(declared.published())
        if describe:
            description = _described(description or "", declared)
    schema = None if tool.output_schema is None else widened(tool.output_schema, dialect)
    return Listed(description, meta or tool.meta, schema)


def _described(description: str, declared: Declared) -> str:
    lines = "\n".join([_HEADING, *map(redact, declared.lines())])
    return description if lines in description else f"{description}\n\n{lines}".strip()
