"""Whether a failed call may be repeated, by what is known of its tool, and which next step can be taken.

What a server says of its tools is not to be trusted: its annotations may lower a verdict; they license a repetition only
where the name of the tool says that it reads, too.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from errata._half_done import mentions_finished_work
from errata.dialects import drop_licence
from errata.model import (
    NO_RECOVERY,
    Code,
    Fault,
    Recovery,
    Retry,
    add_list_hint,
    add_next_step,
    phrase_suggestion,
    tool_name_or_none,
    wants_list,
    whole_seconds,
)
from errata.reading import Reading, limit_trust
from errata.redaction import as_object, line_of, quote_name
from errata.resilience import settle_verdict
from errata.tools import (
    MEANING_OF_EFFECT,
    Effect,
    collect_fields,
    find_listed_names,
    find_listing_tool,
    find_named_tools,
    find_near_tools,
    has_effect,
    is_named_for_reading,
    read_harmless,
)

_LONGEST_NAME = 100
_STATUSES_OF_REFUSAL = frozenset({429, 503})
"""The statuses that exist to say that a request was not taken on."""
_REPEATS = re.compile(
    r"(?:^|[.;:!] |\n)(?:(?:please|just|simply|now|so|you (?:can|may|should|must)|it(?:'s| is) safe to|wait\b[^.;!]{0,60}?(?:,|\band\b|\bthen\b))[ ,]{0,3}){0,3}"
    r"(?:re-?(?:peat|try|run|send|submit|issue|invoke|call|do)\b|(?!do not\b)(?:try|call|send|run|submit|invoke|make|do)\b(?:(?!\b(?:and|then|to)\b)[^.;!,]){0,60}?\b(?:again|once more|same)\b)"
    r"(?![^.;!]{0,60}\b(?:if|when|once|unless|only|after (?!\d))\b)",
    re.IGNORECASE,
)
"""Advice to make the same call again, at the beginning of a sentence: nothing is to be looked at or changed before.

It is for a text without more than one blank in a row.
"""
_AGAIN = re.compile(
    r"\bre-?(?:attempt|call|do|invok|issu|peat|run|send|submit|tr(?:y|ies))\w*|\bagain\b|\btwice\b|\bonce more\b"
    r"|\b(?:a )?second time\b|\banother (?:attempt|call|go|time|try)\b|\bkeep (?:on )?\w+ing\b|\bsame (?:call|request)\b",
    re.IGNORECASE,
)
"""Words that speak of making a call once more."""
_LOOKS = re.compile(
    r"\b(?:ask|check|confirm|find out|get|inspect|list|look|make sure|query|search|see|verify|whether)", re.IGNORECASE
)
"""What is to be done before."""
_ON_CONDITION = re.compile(r"[^.;!?\n]{0,80}?\bonly (?:after|if|when)\b", re.IGNORECASE)
"""What stands behind a word of repeating, where it depends on what was found."""
_WAIVES = re.compile(
    r"\b(?:no need|need not|needn['\u2019]t|needless|not necessary|unnecessary|without (?:check|confirm|look|verif)\w*"
    r"|(?:do not|don['\u2019]t)(?: have| need)?(?: to)? (?:bother|check|confirm|hesitate|look|verify|wait|worry))\b",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:do not|must not|should not|cannot|may not|never|avoid|before|(?:ca|do|must|should)n['\u2019]t)\b"
    r"[^.,;:!?()\u2013\u2014\n]{0,40}$",
    re.IGNORECASE,
)
"""What stands before a word of repeating that it forbids, or puts off."""
_NAMED = re.compile(
    r"\b(?:call|use|run|try)\s(?:the\s)?(?:tool\s)?[`'\"]?([A-Za-z][\w.\-/:]{0,99}_\w{1,99})", re.IGNORECASE
)
"""What looks like the name of a tool where one is to be called, whatever its words mean."""
_LONGEST_HINT = 4_000
_LONGEST_DENIAL = 60
_CUT_OFF = re.compile(r"reset reason: (?!connection failure|overflow)", re.IGNORECASE)
"""Envoy says 503 also of a request that it has passed on, when the connection broke before the answer."""


@dataclass(frozen=True)
class KnownCall:
    """A call of a tool, and what is known of the tool and of its server."""

    params: Mapping[str, object]
    """The params of the request: `name` and `arguments`."""
    entry: Mapping[str, object] | None = None
    """The tool's entry in the list."""
    listed: Mapping[str, Mapping[str, object]] | None = None
    """The entries of all tools; None unless the whole list is known."""
    declared: Effect | None = None
    """What whoever runs the gate says of the tool."""

    @property
    def name(self) -> str:
        """The name of the tool."""
        name = self.params.get("name")
        return name if isinstance(name, str) else ""

    @property
    def shown(self) -> str:
        """The name of the tool, for a sentence."""
        return quote_name(line_of(self.name, _LONGEST_NAME)) if self.name else "a tool"

    @property
    def annotations(self) -> Mapping[str, object]:
        """What the server says of the tool."""
        return as_object((self.entry or {}).get("annotations"))

    @cached_property
    def changes(self) -> bool | None:
        """Whether the tool changes something; None if that is not known."""
        if self.declared is not None:
            return MEANING_OF_EFFECT[self.declared][1]
        return has_effect(self.name) or has_effect(self.name, self.annotations)

    @cached_property
    def harmless(self) -> bool | None:
        """Whether calling it twice does no harm; None if that is not known."""
        if self.declared is not None:
            return MEANING_OF_EFFECT[self.declared][0]
        if has_effect(self.name):
            return False
        annotated = read_harmless(self.annotations)
        return (
            None if annotated and not is_named_for_reading(self.name) else annotated
        )  # The word of a stranger alone is none.


def settle(reading: Reading, call: KnownCall, *, has_run: bool) -> Fault:
    """Return the fault of an answer with its final verdict: the same call again only where that is known to do no harm.

    Not even a server that speaks errata's own dialect is taken at its word. `has_run` says that the result is marked as a
    success.
    """
    harmless = call.harmless
    fault = limit_trust(reading.fault, reading.word, harmless=harmless, changes=call.changes, has_run=has_run)
    fault = settle_verdict(fault if harmless else drop_licence(fault), harmless=harmless)
    return keep_safe_advice(fault, call, is_lowered=fault.retry is not reading.fault.retry)


def settle_refusal(fault: Fault, call: KnownCall) -> Fault:
    """Return the fault of an HTTP answer that is no MCP, with its final verdict."""
    is_refusal = fault.http_status in _STATUSES_OF_REFUSAL and not _CUT_OFF.search(fault.message)
    if fault.retry is Retry.SAME_CALL and (not is_refusal or mentions_finished_work(fault.message)):
        fault = replace(fault, retry=Retry.IF_HARMLESS)
    if fault.retry is Retry.IF_HARMLESS:
        fault = replace(fault, retry=judge_loss(call))
    return fault


def judge_loss(call: KnownCall) -> Retry:
    """Return whether a call may be repeated whose answer was lost: not before checking, if it may have an effect."""
    if call.harmless:
        return Retry.SAME_CALL
    return Retry.IF_HARMLESS if call.changes is False and call.harmless is None else Retry.VERIFY_FIRST


def lose(call: KnownCall, message: str, facts: Mapping[str, object] | None = None) -> Fault:
    """Return the fault of a call whose answer was lost on the way."""
    text = message if call.changes is False else f"{message} Whether it took effect is not known."
    return Fault(code=Code.NETWORK_ERROR, message=text, retry=judge_loss(call), data=facts or {})


def advise(fault: Fault, call: KnownCall, *, has_own_words: bool = False) -> Fault:
    """Return a fault whose next step can be taken: tools that the server does not list are not named.

    `has_own_words` is for a server that speaks errata's own dialect: what it advises stays.
    """
    fault = keep_listed_tools(fault, call)
    if fault.retry is Retry.VERIFY_FIRST and fault.retry_after_ms and fault.recovery is None:
        wait = f"Wait {whole_seconds(fault.retry_after_ms)} s, and check whether it happened before you call again."
        return replace(fault, recovery=Recovery(hint=wait))
    if has_own_words:
        return _complete(fault)
    if (hint := _correct_tool_name(fault, call)) is not None:
        return replace(fault, recovery=Recovery(hint=hint))
    if wants_list(fault) and call.listed is not None:
        schemas = {name: as_object(entry.get("inputSchema")) for name, entry in call.listed.items()}
        if (tool := find_listing_tool(call.name, fault.field, schemas)) is not None:
            return add_list_hint(fault, tool)
    return _complete(fault)


def _complete(fault: Fault) -> Fault:
    """Return a fault with a next step, also where a recovery has lost its own."""
    fault = add_next_step(fault)
    recovery = fault.recovery
    if recovery is None or recovery.hint or recovery.fallback_tool:
        return fault
    step = add_next_step(replace(fault, recovery=None)).recovery or NO_RECOVERY
    return replace(fault, recovery=replace(recovery, hint=step.hint))


def keep_safe_advice(fault: Fault, call: KnownCall, *, is_lowered: bool = False) -> Fault:
    """Return a fault without advice that contradicts its verdict, or names a tool that is not to be called now.

    What may have happened is verified with a tool that reads, and no other tool does it once more: that is what a client
    with errata does. `is_lowered` says that the server has given another verdict, which its hint may rest on.
    """
    recovery = fault.recovery
    if recovery is None:
        return fault
    hint, fallback, verify = recovery.hint or "", recovery.fallback_tool, recovery.verify_tool
    safe = replace(
        recovery,
        hint=None if is_lowered or _misleads(hint, fault, call) else recovery.hint,
        fallback_tool=fallback if fallback and _may_stand_in(fallback, fault, call) else None,
        verify_tool=verify if verify and _changes(verify, call) is False else None,
    )
    return fault if safe == recovery else replace(fault, recovery=safe)


def _misleads(hint: str, fault: Fault, call: KnownCall) -> bool:
    """Return whether a hint says to repeat what must not be repeated, or names a tool that is not to be called now."""
    if len(hint) > _LONGEST_HINT:
        return True
    hint = "\n".join(filter(None, (" ".join(line.split()) for line in hint.splitlines())))
    if fault.retry in {Retry.VERIFY_FIRST, Retry.NEVER} and _REPEATS.search(hint):
        return True
    if fault.retry is Retry.VERIFY_FIRST and call.changes is not False and _lets_repeat(hint):
        return True
    others = collect_fields((call.entry or {}).get("inputSchema")) | as_object(call.params.get("arguments")).keys()
    named = {*find_named_tools(hint), *_NAMED.findall(hint)} - others - {call.name}
    return any(not _is_listed(name, call) or not _may_stand_in(name, fault, call) for name in named)


def _lets_repeat(hint: str) -> bool:
    """Return whether a hint speaks of repeating the call where nothing forbids it, or is to be looked at first."""
    is_waived = _WAIVES.search(hint) is not None
    for again in _AGAIN.finditer(hint):
        before = hint[: again.start()]
        looks_first = _LOOKS.search(before) or _ON_CONDITION.match(hint, again.end())
        if is_waived or not (looks_first or _DENIES.search(before[-_LONGEST_DENIAL:])):
            return True
    return False


def _may_stand_in(tool: str, fault: Fault, call: KnownCall) -> bool:
    """Return whether a tool may be called in place of one that failed: none does a second time what may have happened."""
    effects = {call.changes, _changes(tool, call)}
    is_open = fault.retry is Retry.VERIFY_FIRST or (fault.retry is Retry.IF_HARMLESS and call.changes is not False)
    return tool != call.name and not (is_open and _changes(tool, call) is not False and effects != {None})


def _is_listed(tool: str, call: KnownCall) -> bool:
    return call.listed is None or bool(find_listed_names(tool, call.listed))


def _changes(tool: str, call: KnownCall) -> bool | None:
    """Return whether another tool of the server changes something: its annotations may say so, and not deny it."""
    entry = as_object((call.listed or {}).get(tool))
    return has_effect(tool) or has_effect(tool, entry.get("annotations"))


def has_safe_advice(fault: Fault, call: KnownCall) -> bool:
    """Return whether what a server advises may stand: nothing of it contradicts the verdict or what the list says."""
    listed = fault if call.listed is None else keep_listed_tools(fault, call)
    return keep_safe_advice(listed, call) == fault


def keep_listed_tools(fault: Fault, call: KnownCall) -> Fault:
    """Return a fault that names no tool which the server does not list; none at all where the list is not known."""
    recovery = fault.recovery
    if recovery is None or not (recovery.fallback_tool or recovery.verify_tool):
        return fault
    names = call.listed or {}
    known = replace(
        recovery,
        fallback_tool=recovery.fallback_tool if recovery.fallback_tool in names else None,
        verify_tool=recovery.verify_tool if recovery.verify_tool in names else None,
    )
    return fault if known == recovery else replace(fault, recovery=known)


def _correct_tool_name(fault: Fault, call: KnownCall) -> str | None:
    """Return the advice for a tool that the server does not list; None if it lists the tool, or nobody knows."""
    if call.listed is None or call.name in call.listed or fault.retry not in {Retry.FIX_INPUT, Retry.NEVER}:
        return None
    if fault.code in {Code.FORBIDDEN, Code.UNAUTHORIZED}:  # Some servers hide tools that the user may not call.
        return None
    names = [name for name in call.listed if tool_name_or_none(name) == name]
    near = phrase_suggestion(find_near_tools(call.name, names, lambda name: _changes(name, call)))
    return f"The server lists no tool {call.shown}. {near or 'Choose one of those that it lists.'}"
