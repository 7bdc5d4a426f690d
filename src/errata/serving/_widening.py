"""A tool's output schema, widened: it also admits the error or the question that may come instead of a success.

TypeScript's SDK holds the structured content of an error against the output schema too, and where it does not fit
throws -32602 in place of what the server said. FastMCP's client makes a success into typed data by the schema's
root, of which it reads `type`, `properties`, `additionalProperties` and nothing else. So those stay as they are,
unless they exclude what may come instead; every other rule is asked of a success alone.
"""

from collections.abc import Mapping
from typing import cast

from errata.dialects import QUESTION, Dialect

_Schema = dict[str, object]

# fmt: off
_RULES = frozenset({
    "$ref", "$dynamicRef", "$recursiveRef", "type", "const", "enum", "allOf", "anyOf", "oneOf", "not", "if", "then", "else",
    "properties", "patternProperties", "additionalProperties", "unevaluatedProperties", "propertyNames", "required",
    "minProperties", "maxProperties", "dependentRequired", "dependentSchemas", "dependencies",
    "items", "prefixItems", "additionalItems", "unevaluatedItems", "contains", "minContains", "maxContains", "minItems",
    "maxItems", "uniqueItems", "minLength", "maxLength", "pattern", "format", "minimum", "maximum", "exclusiveMinimum",
    "exclusiveMaximum", "multipleOf",
})
"""The keywords that refuse values; every other one describes, or belongs to somebody who looks for it at the root."""
# fmt: on
_READ_AT_THE_ROOT = frozenset({"type", "properties", "additionalProperties"})
_SUCCESS = "#/anyOf/0"
_QUESTION: _Schema = {
    "type": "object",
    "properties": {"kind": {"const": QUESTION}, "type": {}, "message": {}, "needsInput": {}, "options": {}},
    "required": ["kind"],
}
_DEEPEST = 150  # Validators give up sooner.


def widen_schema(schema: Mapping[str, object], dialect: Dialect) -> _Schema:
    """Copy a tool's output schema so that it also admits every error of a dialect, and a question."""
    root = _inline_root(_read_members(schema))
    others = [_outline(dialect.error_schema()), _QUESTION]
    if _admits_already(root, others):
        return root
    return _widen_object(root, others) if root.get("type") == "object" else _widen_value(root, others)


def _widen_object(schema: _Schema, others: list[_Schema]) -> _Schema:
    """Leave at the root what clients read there, and ask the rest of a success alone."""
    names = dict.fromkeys(name for other in others for name in _read_members(other["properties"]))
    shared = {name: value for name, value in _read_members(schema.get("properties")).items() if name in names}
    success = _collect_success_rules(schema, shared)
    if not success:
        return schema
    moved = {f"#/{key}" for key in success.keys() - _READ_AT_THE_ROOT} | {f"#/properties/{name}" for name in shared}
    return _join_branches(_open_root(schema, shared, names), success, moved, others)


def _widen_value(schema: _Schema, others: list[_Schema]) -> _Schema:
    """Widen a schema that is not, or not only, for objects: of its root, clients read all there is."""
    root = {key: value for key, value in schema.items() if key not in _RULES}
    success = {key: value for key, value in schema.items() if key in _RULES}
    if not success:
        return schema
    moved = {"#", *(f"#/{key}" for key in success)}
    return _join_branches(root, success, moved, [_make_unread(other) for other in others])


def _join_branches(root: _Schema, success: _Schema, moved: set[str], others: list[_Schema]) -> _Schema:
    return {**_repoint(root, moved), "anyOf": [_repoint(success, moved), *others]}


def _collect_success_rules(schema: _Schema, shared: _Schema) -> _Schema:
    """Collect what an error need not keep to."""
    success = {key: value for key, value in schema.items() if key in _RULES - _READ_AT_THE_ROOT}
    if _is_closed(schema):
        success["additionalProperties"] = schema["additionalProperties"]
    looks_beside_it = _is_closed(schema) or "unevaluatedProperties" in schema
    names = _read_members(schema.get("properties")) if looks_beside_it else shared
    properties: _Schema = {name: shared.get(name, {}) for name in names}
    return {"properties": properties, **success} if properties else success


def _open_root(schema: _Schema, shared: _Schema, names: Mapping[str, object]) -> _Schema:
    """Make what stays at the root admit what has these names."""
    root = {key: value for key, value in schema.items() if key in _READ_AT_THE_ROOT or key not in _RULES}
    if shared:
        root["properties"] = _read_members(root["properties"]) | {
            name: _admit_any(value) for name, value in shared.items()
        }
    if _is_closed(schema):  # As `properties`, the names would be read as fields of the success.
        patterns = [*_read_members(schema.get("patternProperties")), f"^({'|'.join(names)})$"]
        root["patternProperties"] = {pattern: {} for pattern in patterns}
    return root


def _inline_root(schema: _Schema) -> _Schema:
    """Copy a schema; where its root only points to a definition, as a recursive model's does, put that in its place."""
    seen: set[str] = set()
    while (ref := str(schema.get("$ref"))) not in seen and schema.keys() & _RULES == {"$ref"}:
        seen.add(ref)
        target = _find_definition(schema, ref)
        if not target or not target.keys().isdisjoint({"$id", "$anchor", "$dynamicAnchor"}):
            break
        schema = target | {key: value for key, value in schema.items() if key != "$ref"}
    return dict(schema)


def _find_definition(schema: _Schema, ref: str) -> _Schema:
    match ref.split("/"):
        case ["#", "$defs" | "definitions" as group, name]:
            return _read_members(_read_members(schema.get(group)).get(name))
        case _:
            return {}


def _outline(schema: _Schema, *, inside: bool = False) -> _Schema:
    """Keep what tells an error from a success. The whole schema is as long as ten tools, and a list repeats it for each."""
    required = cast("list[str]", schema.get("required", []))
    outline = {key: schema[key] for key in ("type", "const") if key in schema}
    properties = {
        name: _outline(_read_members(value), inside=True) if name in required else {}
        for name, value in _read_members(schema.get("properties")).items()
        if name in required or not inside
    }
    return outline | ({"properties": properties} if properties else {}) | ({"required": required} if required else {})


def _admits_already(schema: _Schema, others: list[_Schema]) -> bool:
    branches = schema.get("anyOf")
    rest = cast("list[object]", branches)[1:] if isinstance(branches, list) else []
    return rest in (others, [_make_unread(other) for other in others])


def _is_closed(schema: _Schema) -> bool:
    additional = schema.get("additionalProperties", True)
    return additional is not True and additional != {}


def _admit_any(schema: object) -> _Schema:
    """Open a property of the root that a success shares with an error; the branches say what it is in either."""
    default = {key: value for key, value in _read_members(schema).items() if key == "default"}
    return {"anyOf": [schema, _make_unread()], **default}


def _make_unread(schema: _Schema | None = None) -> _Schema:
    """Return a schema that admits the same, or anything, and that FastMCP's client does not choose for a success.

    Of two alternatives it prefers the one that takes the value as it is, and a date or a model would be left a text
    or a dict. This one it takes for an object with a field whose default is of the wrong type.
    """
    never: _Schema = {"properties": {"errata_unread": {"properties": {}, "default": 0}}}
    return {"allOf": [schema], **never} if schema else never


def _repoint(node: _Schema, moved: set[str]) -> _Schema:
    """Copy a part of a schema, with every reference to what has been moved following it."""
    return cast("_Schema", _copy_repointed(node, moved, _DEEPEST))


def _copy_repointed(node: object, moved: set[str], deepest: int) -> object:
    if not deepest:
        return node
    match node:
        case Mapping():
            copied = {
                key: _copy_repointed(value, moved, deepest - 1)
                for key, value in _read_members(cast("object", node)).items()
            }
            return copied | _find_new_ref(copied.get("$ref"), moved)
        case list():
            return [_copy_repointed(item, moved, deepest - 1) for item in cast("list[object]", node)]
        case _:
            return node


def _find_new_ref(ref: object, moved: set[str]) -> _Schema:
    path = ref.split("/") if isinstance(ref, str) else []
    has_moved = any("/".join(path[:length]) in moved for length in (2, 3))
    return {"$ref": f"{_SUCCESS}{'/'.join(path)[1:]}"} if has_moved else {}


def _read_members(value: object) -> _Schema:
    return dict(cast("Mapping[str, object]", value)) if isinstance(value, Mapping) else {}
