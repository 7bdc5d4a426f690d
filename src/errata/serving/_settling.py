"""Whether a call that failed may be repeated: by what its tool declares of its effect, and by what it marked."""

from typing import NamedTuple

from errata.classification import list_earlier
from errata.http import request_of
from errata.model import Current, Effects, Fault, Retry
from errata.resilience import marks_its_effect, record_of, settled
from errata.tools import harmless_by, presume, verb_of


class Nature(NamedTuple):
    """What is known of a tool's effect before it is called."""

    harmless: bool | None = None
    """Whether calling it twice does no harm; None where nobody said."""
    marks: bool = False
    """Whether it says where its effect begins."""
    why: str | None = None
    """What it was presumed by, if the author said nothing."""

    def presumed(self, tool: str, error: BaseException, effects: Effects | None) -> "Nature":
        """Presume, where nobody said anything, by the request that failed and by the tool's name.

        This is for what the agent is told. Nothing is repeated here because of it.
        """
        if self.harmless is not None or self.marks or (effects is not None and effects.begun):
            return self
        method, is_keyed = _sent_by(error)
        harmless, why = presume(tool, method, is_keyed=is_keyed)
        return self._replace(harmless=harmless, why=why)

    def settle(self, fault: Fault, effects: Effects | None) -> Fault:
        """Decide whether the call may be repeated, as far as the fault leaves that open."""
        return settled(fault, harmless=self.harmless, effects=effects, marks=self.marks)

    def settle_for_good(self, fault: Fault, request: Current) -> Fault:
        """Decide it to be told: what is said not to have begun must not begin any more, in a thread that runs on."""
        if self.harmless or not self.marks:
            return self.settle(fault, request.effects)
        effects = record_of(request)
        effects.closed = True  # Before `begun` is read: what begins meanwhile is seen, or is stopped.
        known = self.settle(fault, effects)
        effects.closed = known.retry is Retry.SAME_CALL
        return known


UNDECLARED = Nature()


def _sent_by(error: BaseException) -> tuple[str | None, bool]:
    """Return the method of the request that an exception, or a cause of it, is about, and whether a key went with it."""
    for each in (error, *list_earlier(error)):
        if (request := request_of(each)) is not None:
            method = request.method or ("POST" if request.operation and verb_of(request.operation) else None)
            return method, request.has_idempotency_key
    return None, False


def nature_of(annotations: object, function: object) -> Nature:
    """Read what the author of a tool said: in MCP's annotations, and by `with effect():` in the function itself."""
    return Nature(harmless_by(annotations), function is not None and marks_its_effect(function))


def depends_on_the_tool(fault: Fault, effects: Effects | None) -> bool:
    """Whether the fault alone does not decide. For most failures it does, and nothing has to be looked up."""
    return fault.retry is Retry.IF_HARMLESS or effects is not None
