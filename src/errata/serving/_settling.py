"""Step 3, settle: whether the call may be repeated, by what its tool declares of its effect and by what it marked."""

from typing import NamedTuple

from errata.classification import list_earlier
from errata.http import request_of
from errata.model import Current, Effects, Fault, Retry
from errata.resilience import EffectsDeclaration, find_declaration, record_of, settle_verdict
from errata.serving._adapter import Adapter, look_up_handler
from errata.serving._classifying import RequestFailure
from errata.serving._requests import Handler, Kind, Request
from errata.tools import find_verb, presume, read_harmless


class KnownEffect(NamedTuple):
    """What is known of a tool's effect before it is called."""

    is_harmless: bool | None = None
    """Whether calling it twice does no harm; None where nobody said."""
    declaration: EffectsDeclaration | None = None
    """What `@marks_effects` left at its function, which then marks all its effects."""
    presumed_by: str | None = None
    """What it was presumed by, if the author said nothing."""

    def presume(self, tool: str, error: BaseException, effects: Effects | None) -> "KnownEffect":
        """Presume, where nobody said anything, by the upstream request that failed and by the tool's name.

        This is for what the agent is told. Nothing is repeated here because of it.
        """
        if self.is_harmless is not None or self.declaration or (effects is not None and effects.begun):
            return self
        method, is_keyed = _read_upstream_request(error)
        is_harmless, why = presume(tool, method, is_keyed=is_keyed)
        return self._replace(is_harmless=is_harmless, presumed_by=why)

    def settle(self, fault: Fault, effects: Effects | None) -> Fault:
        """Decide whether the call may be repeated, as far as the fault leaves that open."""
        return settle_verdict(fault, harmless=self.is_harmless, effects=effects, declaration=self.declaration)

    def settle_for_good(self, fault: Fault, request: Current) -> Fault:
        """Settle for the client's reply: an effect that it calls not begun must not begin later, in a thread that runs on."""
        if self.is_harmless or self.declaration is None:
            return self.settle(fault, request.effects)
        effects = record_of(request)
        effects.closed = True  # Before `begun` is read: what begins meanwhile is seen, or is stopped.
        known = self.settle(fault, effects)
        effects.closed = known.retry is Retry.SAME_CALL
        return known


class Settled(NamedTuple):
    """A fault whose verdict is final."""

    fault: Fault
    presumed_by: str | None = None
    """What the verdict rests on, where the tool's effect was presumed."""
    is_by_fault_alone: bool = True
    """Whether nothing but the fault decided."""


async def settle_failure(fault: Fault, failure: RequestFailure, request: Request, adapter: Adapter) -> Settled:
    """Settle the verdict of a failed request; for most failures the fault alone decides, and nothing is looked up."""
    if request.kind is not Kind.TOOL or not failure.has_run or not depends_on_effect(fault, request.effects):
        return Settled(fault)
    declared = read_effect(await look_up_handler(adapter, request))
    known = declared.presume(request.name, failure.error, request.effects)
    return Settled(known.settle_for_good(fault, request), known.presumed_by, is_by_fault_alone=False)


def read_effect(handler: Handler) -> KnownEffect:
    """Return what the author of a tool said: in MCP's annotations, and with `@marks_effects`."""
    try:
        return KnownEffect(read_harmless(handler.annotations), find_declaration(handler.function))
    except Exception:  # noqa: BLE001 - foreign objects, which may do anything when they are read.
        return KnownEffect()


def depends_on_effect(fault: Fault, effects: Effects | None) -> bool:
    """Return whether the fault alone does not decide if the call may be repeated."""
    return fault.retry is Retry.IF_HARMLESS or effects is not None


def _read_upstream_request(error: BaseException) -> tuple[str | None, bool]:
    """Return the method of the request that an exception, or a cause of it, is about, and whether a key went with it."""
    for each in (error, *list_earlier(error)):
        if (request := request_of(each)) is not None:
            method = request.method or ("POST" if request.operation and find_verb(request.operation) else None)
            return method, request.has_idempotency_key
    return None, False
