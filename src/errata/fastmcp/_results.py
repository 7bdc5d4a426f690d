"""Checks a tool's result against its output schema: FastMCP would send anything as a success."""

from typing import Any, cast

from fastmcp.server.providers.proxy import ProxyTool
from fastmcp.tools.base import ToolResult
from jsonschema import Draft202012Validator, ValidationError as SchemaBroken
from referencing import Registry

from errata.serving import QUESTION

_MOST_SCHEMAS = 1_000


class BrokenResultError(Exception):
    """A tool succeeded, and what it gave back is not what it promised."""


class ResultChecker:
    """Checks the results of one server's tools."""

    def __init__(self) -> None:
        self._validators: dict[int, tuple[object, Draft202012Validator]] = {}

    def check(self, result: object, tool: object) -> object:
        """Return a result; raise for one that breaks the tool's own schema."""
        schema = getattr(tool, "output_schema", None)
        if schema is None or type(result) is not ToolResult or result.is_error or isinstance(tool, ProxyTool):
            return result  # What a server behind this one promised is that server's to keep.
        if (result.structured_content or {}).get("kind") != QUESTION:
            self._validate(result.structured_content, schema)
        return result

    def _validate(self, content: object, schema: dict[str, Any]) -> None:
        try:
            cast("Any", self._find_validator(schema)).validate(content)
        except SchemaBroken as broken:
            raise BrokenResultError("the result breaks the tool's own output schema") from broken
        except Exception:  # noqa: BLE001 - a schema that cannot be followed says nothing about the result.
            return

    def _find_validator(self, schema: dict[str, Any]) -> Draft202012Validator:
        known = self._validators.get(id(schema))
        if known is None or known[0] is not schema:
            if len(self._validators) >= _MOST_SCHEMAS:
                self._validators.clear()
            # With a registry of its own it fetches nothing, wherever a schema refers to.
            known = self._validators[id(schema)] = (schema, Draft202012Validator(schema, registry=Registry()))
        return known[1]
