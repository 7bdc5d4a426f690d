"""What a list of tools says about their failures, and whether the settings and the advice fit the list."""

import logging
from collections.abc import Mapping
from typing import NamedTuple

from errata.contracts import DeclaredFailures, is_beneath_raises
from errata.dialects import Dialect
from errata.model import did_you_mean
from errata.redaction import redact, redact_data
from errata.serving._offers import ERRORS, Offer
from errata.serving._setup import Setup
from errata.serving._widening import widen_schema
from errata.tools import MissingTool, collect_fields, find_missing_tool

ERROR_SCHEMA = "errata/errorSchema"
"""In a tool's `_meta`: the shape of its errors, as JSON Schema."""
_HEADING = "Errors:"
_LOG = logging.getLogger("errata")


class ListedTool(NamedTuple):
    """The parts of a listed tool that errata has something to add to."""

    description: str | None
    meta: Mapping[str, object] | None
    output_schema: Mapping[str, object] | None


class Publisher:
    """Adds the failures of one server's tools to its lists, and logs once what does not fit."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self.listed: list[Offer] | None = None
        """The tools that were listed last."""
        self._names = set[str]()
        self._fields = set[str]()
        self._unchecked = set[str]()
        """Those of them whose advice has not been checked."""
        self._logged = set[str]()

    def note_tools(self, offers: list[Offer]) -> None:
        """Take note of a whole list of tools; log settings and fallbacks for tools that are not in it."""
        known = {offer.name for offer in offers}
        if self.listed is not None and self._names == known:
            return
        self.listed, self._names, self._unchecked = offers, known, {*known}
        self._fields = collect_fields(*(offer.input_schema for offer in offers))
        for name in sorted(self._setup.tools_with_settings - known - self._logged):
            self._logged.add(name)
            _LOG.warning(
                "errata was installed with settings for `%s`, and the server lists no such tool. %s",
                name,
                did_you_mean(name, known),
            )
        for upstream, tool in self._setup.fallback_tools.items():
            if missing := find_missing_tool(tool, known):
                self._log_missing(f"The breaker `{upstream}`", missing)

    def publish(self, name: str, tool: ListedTool, function: object) -> ListedTool:
        """Return a listed tool with its failures added."""
        declared = self._setup.find_contract(name, function)
        if declared is None and is_beneath_raises(function) and name not in self._logged:
            self._logged.add(name)
            _LOG.warning(
                "Tool `%s` was registered without its `@raises`. Put `@raises(…)` directly on the function, below the "
                "decorator that registers it.",
                name,
            )
        if declared is not None and name in self._unchecked:
            self._unchecked.discard(name)
            for failure, missing in declared.find_missing_tools(self._names, self._fields):
                self._log_missing(f"Reason `{failure.reason}` of tool `{name}`", missing)
        return add_failures(tool, declared, self._setup.choose_dialect(name), describe=self._setup.describe)

    def _log_missing(self, subject: str, missing: MissingTool) -> None:
        if (complaint := f"{subject} {missing}") not in self._logged:
            self._logged.add(complaint)
            _LOG.error("%s", complaint)


def add_failures(
    tool: ListedTool, declared: DeclaredFailures | None, dialect: Dialect, *, describe: bool
) -> ListedTool:
    """Add the declared failures, the schema of the errors, and the errors to the schema of the results.

    What is added is a copy: the tool itself stays as it was, and a tool that passes twice is not added to twice.
    """
    meta = dict(tool.meta or {})
    description = tool.description
    if declared is not None or dialect.publishes_schema:
        meta[ERROR_SCHEMA] = dialect.error_schema()
    if declared is not None:
        meta[ERRORS] = redact_data(declared.publish())
        if describe:
            description = _describe(description or "", declared)
    schema = None if tool.output_schema is None else widen_schema(tool.output_schema, dialect)
    return ListedTool(description, meta or tool.meta, schema)


def _describe(description: str, declared: DeclaredFailures) -> str:
    lines = "\n".join([_HEADING, *map(redact, declared.write_lines())])
    return description if lines in description else f"{description}\n\n{lines}".strip()
