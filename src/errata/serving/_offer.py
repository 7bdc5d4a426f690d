"""What a server offers, whichever SDK it is built on."""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple, Self

from errata.redaction import as_object
from errata.serving._request import Kind


class Group(StrEnum):
    """What a server has a list of; both SDKs call their lists by these values."""

    TOOLS = "tools"
    RESOURCES = "resources"
    TEMPLATES = "resource_templates"
    PROMPTS = "prompts"

    @property
    def kind(self) -> Kind:
        """What a client asks for by a name from this list."""
        return {Group.TOOLS: Kind.TOOL, Group.PROMPTS: Kind.PROMPT}.get(self, Kind.RESOURCE)

    def name_of(self, listed: object) -> str:
        """Read what a client asks for an entry of this list by: its name, its URI or its template."""
        return str(getattr(listed, {Group.RESOURCES: "uri", Group.TEMPLATES: "uri_template"}.get(self, "name")))


class Offer(NamedTuple):
    """One entry of a list."""

    group: Group
    name: str
    function: object
    """The function behind it; None where it cannot be found."""
    meta: Mapping[str, object]
    input_schema: Mapping[str, object]
    """Of a tool's arguments; empty for all others."""

    @classmethod
    def of(cls, group: Group, listed: object, function: object) -> Self:
        """Take over what an SDK lists."""
        schema = getattr(listed, "input_schema", None) or getattr(listed, "parameters", None)  # FastMCP's word for it.
        meta = as_object(getattr(listed, "meta", None))
        return cls(group, group.name_of(listed), function, meta, as_object(schema))
