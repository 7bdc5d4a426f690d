"""What everything that a server offers declares to fail with."""

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from errata.contracts import Declared, Failure, declared_by
from errata.dialects import flag_in, items_in, text_in
from errata.model import Code, known_word, wait_ms
from errata.redaction import as_object
from errata.serving._installation import Installation
from errata.serving._offer import Group, Offer
from errata.serving._publishing import ERRORS
from errata.tools import Missing, fields_in, missing_tool


def declared_for(offer: Offer, installation: Installation | None) -> Declared | None:
    """Find what is declared: where errata was installed, on the function, or by a server behind this one."""
    if installation is not None and offer.group is Group.TOOLS:
        own = installation.declared(offer.name, offer.function)
    else:
        own = declared_by(offer.function)
    return own or _published_in(offer.meta)


class NoTool(NamedTuple):
    """An advice that names a tool which the server does not list."""

    kind: str
    """What gives it: a `tool`, a `resource`, a `prompt` or a `breaker`."""
    name: str
    reason: str | None
    """For which failure; None for a breaker."""
    missing: Missing

    def __str__(self) -> str:
        subject = f"Reason `{self.reason}` of" if self.reason else "The"
        return f"{subject} {self.kind} `{self.name}` {self.missing}"


def missing_tools(offers: Collection[Offer], installation: Installation | None) -> Iterator[NoTool]:
    """Find every advice that sends agents to a tool which is not there."""
    tools = [offer.name for offer in offers if offer.group is Group.TOOLS]
    fields = fields_in(*(offer.input_schema for offer in offers))
    for offer in offers:
        declared = declared_for(offer, installation) or Declared({})
        for failure, missing in declared.missing_tools(tools, fields):
            yield NoTool(offer.group.kind, offer.name, failure.reason, missing)
    for upstream, tool in installation.fallback_tools.items() if installation else ():
        if fallback := missing_tool(tool, tools):
            yield NoTool("breaker", upstream, None, fallback)


def _published_in(meta: Mapping[str, object]) -> Declared | None:
    if ERRORS not in meta:
        return None
    failures = [_failure(as_object(item)) for item in items_in(meta, ERRORS)]
    return Declared({failure.reason: failure for failure in failures})


def _failure(published: Mapping[str, object]) -> Failure:
    return Failure(
        known_word(Code, published.get("code")) or Code.UNKNOWN_ERROR,
        when=text_in(published, "when") or "",
        recovery=text_in(published, "recovery") or "",
        retryable=flag_in(published, "retryable"),
        retry_after_ms=wait_ms(published.get("retryAfterMs")),
        reason=text_in(published, "reason") or "",
    )
