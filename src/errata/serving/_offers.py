"""What a server offers, whichever SDK it is built on, and what all of that declares to fail with."""

from collections.abc import Collection, Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple, Self

from errata.contracts import DeclaredFailures, Failure, find_declaration
from errata.dialects import flag_in, items_in, text_in
from errata.model import Code, known_word, wait_ms
from errata.redaction import as_object
from errata.serving._requests import Kind
from errata.serving._setup import Setup
from errata.tools import MissingTool, collect_fields, find_missing_tool

ERRORS = "errata/errors"
"""In a tool's `_meta`: the failures it declares."""


class Group(StrEnum):
    """What a server has a list of; the SDKs call their lists by these values."""

    TOOLS = "tools"
    RESOURCES = "resources"
    TEMPLATES = "resource_templates"
    PROMPTS = "prompts"

    @property
    def kind(self) -> Kind:
        """The kind of request that takes a name from this list."""
        return _KIND_OF.get(self, Kind.RESOURCE)

    @classmethod
    def of_kind(cls, kind: Kind) -> "list[Group]":
        """Return the lists that hold the names for a kind of request."""
        return [group for group in cls if group.kind is kind]


_KIND_OF = {Group.TOOLS: Kind.TOOL, Group.PROMPTS: Kind.PROMPT}
# As each era of the SDKs spells it.
_NAMES = {
    Group.TOOLS: ("name",),
    Group.RESOURCES: ("uri",),
    Group.TEMPLATES: ("uri_template", "uriTemplate"),
    Group.PROMPTS: ("name",),
}
_SCHEMAS = ("input_schema", "parameters", "inputSchema")


def read_name(group: Group, listed: object) -> str:
    """Return what a client sends to get an entry of a list: its name, its URI or its template."""
    return str(_read_first(listed, _NAMES[group]))


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
    def from_listed(cls, group: Group, listed: object, function: object = None) -> Self:
        """Read an entry of an SDK's list."""
        meta, schema = as_object(getattr(listed, "meta", None)), as_object(_read_first(listed, _SCHEMAS))
        return cls(group, read_name(group, listed), function, meta, schema)


class NoTool(NamedTuple):
    """Advice that names a tool which the server does not list."""

    kind: str
    """Who gives it: a `tool`, a `resource`, a `prompt` or a `breaker`."""
    name: str
    reason: str | None
    """For which failure; None for a breaker."""
    missing: MissingTool

    def __str__(self) -> str:
        subject = f"Reason `{self.reason}` of" if self.reason else "The"
        return f"{subject} {self.kind} `{self.name}` {self.missing}"


def find_declared(offer: Offer, setup: Setup | None) -> DeclaredFailures | None:
    """Return what is declared: where errata was installed, on the function, or by a server behind this one."""
    if setup is not None and offer.group is Group.TOOLS:
        declared = setup.find_contract(offer.name, offer.function)
    else:
        declared = find_declaration(offer.function)
    return declared or _read_published(offer.meta)


def find_missing_tools(offers: Collection[Offer], setup: Setup | None) -> Iterator[NoTool]:
    """Yield all advice that sends agents to a tool which the server does not list."""
    tools = [offer.name for offer in offers if offer.group is Group.TOOLS]
    fields = collect_fields(*(offer.input_schema for offer in offers))
    for offer in offers:
        declared = find_declared(offer, setup) or DeclaredFailures({})
        for failure, missing in declared.find_missing_tools(tools, fields):
            yield NoTool(offer.group.kind, offer.name, failure.reason, missing)
    for upstream, tool in setup.fallback_tools.items() if setup else ():
        if fallback := find_missing_tool(tool, tools):
            yield NoTool("breaker", upstream, None, fallback)


def _read_published(meta: Mapping[str, object]) -> DeclaredFailures | None:
    if ERRORS not in meta:
        return None
    failures = [_read_failure(as_object(item)) for item in items_in(meta, ERRORS)]
    return DeclaredFailures({failure.reason: failure for failure in failures})


def _read_failure(published: Mapping[str, object]) -> Failure:
    return Failure(
        known_word(Code, published.get("code")) or Code.UNKNOWN_ERROR,
        when=text_in(published, "when") or "",
        recovery=text_in(published, "recovery") or "",
        retryable=flag_in(published, "retryable"),
        retry_after_ms=wait_ms(published.get("retryAfterMs")),
        reason=text_in(published, "reason") or "",
    )


def _read_first(listed: object, names: tuple[str, ...]) -> object:
    return next((value for name in names if (value := getattr(listed, name, None)) is not None), None)
