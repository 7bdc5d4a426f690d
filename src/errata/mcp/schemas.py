"""Holds values against JSON schemas: what a client sent, and what a tool promised to give back."""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, cast

from errata.serving import QUESTION

_MOST_SCHEMAS = 1_000
_MOST_ISSUES = 50


class BrokenResultError(Exception):
    """A tool succeeded, and what it gave back is not what it promised."""


class ResultChecker:
    """Checks the results of one server's tools."""

    def __init__(self) -> None:
        self._validators: dict[int, tuple[object, Any]] = {}

    def check(self, content: Mapping[str, object] | None, schema: Mapping[str, object]) -> None:
        """Raise for structured content that breaks the tool's own schema; a question is not held against it."""
        if (content or {}).get("kind") == QUESTION:
            return
        try:
            broken = next(self._find_validator(schema).iter_errors(content), None)
        except Exception:  # noqa: BLE001 - a schema that cannot be followed says nothing about the result.
            return
        if broken is not None:
            raise BrokenResultError("the result breaks the tool's own output schema") from broken

    def _find_validator(self, schema: Mapping[str, object]) -> Any:  # noqa: ANN401 - its stubs know less than it does.
        known = self._validators.get(id(schema))
        if known is None or known[0] is not schema:
            if len(self._validators) >= _MOST_SCHEMAS:
                self._validators.clear()
            known = self._validators[id(schema)] = (schema, _make_validator(schema))
        return known[1]


def list_broken_rules(schema: Mapping[str, object], arguments: Mapping[str, object]) -> list[Exception]:
    """List all that is wrong with arguments, by path; the SDK stops at what seems the worst to it."""
    try:
        broken: Iterable[Exception] = _make_validator(schema).iter_errors(dict(arguments))
        return sorted(islice(broken, _MOST_ISSUES), key=_name_path)
    except Exception:  # noqa: BLE001 - a schema that cannot be followed says nothing about the arguments.
        return []


def _make_validator(schema: Mapping[str, object]) -> Any:  # noqa: ANN401 - as above.
    # mcp before 1.10 does not bring these along, and holds nothing against a schema.
    from jsonschema import Draft202012Validator  # noqa: PLC0415
    from jsonschema.validators import validator_for  # noqa: PLC0415
    from referencing import Registry  # noqa: PLC0415

    # Drafts differ in what their words mean. With a registry of its own it fetches nothing, wherever a schema refers to.
    kind: Any = validator_for(cast("dict[str, Any]", schema), default=Draft202012Validator)
    return kind(schema, registry=cast("Any", Registry)())


def _name_path(broken: Exception) -> str:
    return ".".join(map(str, cast("Any", broken).absolute_path))
