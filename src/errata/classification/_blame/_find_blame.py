"""Weighing the evidence: which arguments of the call are at fault for an exception, or why none can be."""

import ast
from collections import defaultdict
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple, cast

from errata.classification._blame._argument_values import ArgumentValues
from errata.classification._blame._complaints import is_of_a_program, list_quoted
from errata.classification._blame._expressions import FailingExpression
from errata.classification._blame._failing_site import FailingSite, OwnCode, TracePath
from errata.classification._blame._shapes import guards_of
from errata.classification._blame._signals import (
    CLOSE,
    ENOUGH,
    REACHING,
    SIGNALS,
    UNSENT,
    Evidence,
)
from errata.classification._blame._texts import evidence_in_fields, evidence_in_text, key_of
from errata.classification._blame._tracing import Case, find_subject
from errata.classification._call import Call
from errata.classification._foreign import read_argument, read_number
from errata.model import is_a, is_any
from errata.redaction import as_object, text_of, unquote_words

_LONGEST_TEXT = 4_000
_MOST_FIELDS = 3


class Blame(NamedTuple):
    """What the evidence comes to."""

    fields: tuple[str, ...] = ()
    """The arguments at fault, as dotted paths; empty if none is known to be."""
    acquitted: str | None = None
    """The signal by which none can be at fault."""
    evidence: tuple[Evidence, ...] = ()
    error: BaseException | None = None
    """The exception that the evidence is about: the one itself, or the cause behind it."""
    site: FailingSite | None = None
    """Where it failed in the server's own code."""
    is_written: bool = False
    """Whether somebody wrote its text, in a `raise` or an `assert` of the server's own code."""
    is_lookup: bool = False
    """Whether something was looked up and is not there."""
    whole: str | None = None
    """The argument that the failing operand is, to the letter."""
    is_halfway: bool = False
    """Whether a batch failed in the middle, so that what came before may have been done."""
    is_template: bool = False
    """Whether a template asks for something that nothing fills in."""
    is_shown: bool = True
    """Whether a missing key may be quoted: it is the caller's own, or a part of that, and none that the server made."""
    is_reworded: bool = False
    """Whether the evidence is about a cause, and the server's own code raised another exception in its place."""
    is_pythons: bool = False
    """Whether the interpreter itself raised it, in an expression of the server's own code."""

    @property
    def signals(self) -> frozenset[str]:
        """The names of the signals that were seen."""
        return frozenset(each.signal for each in self.evidence)


def find_blame(  # noqa: PLR0913 - each is another fact about the failure.
    error: BaseException,
    call: Call,
    texts: Mapping[int, str] = MappingProxyType({}),
    fields: Iterable[str] = (),
    *,
    enough: float = ENOUGH,
    status: int | None = None,
) -> Blame:
    """Return whether an argument of the call is at fault for an exception, which, and why.

    `texts` has, by the identity of an exception, what it says where that is better than its own text; `fields` are
    those that an upstream complained about, `status` is its answer.
    """
    fields = list(fields)
    values = ArgumentValues(call)
    subject = find_subject(error, OwnCode(call.function))
    while True:
        case = Case(call, values, subject.error, _text(subject.error, texts), status, subject.trail)
        expression = FailingExpression(case)
        evidence = expression.evidence()
        if not (subject.is_relayed and len(case.trail.sites) > 1 and evidence == [Evidence("own")]):
            break
        subject = subject._replace(trail=TracePath(case.trail.sites[:-1], case.trail.sites[-1].frame))
    if not _is_decided(evidence, case):
        evidence += [*evidence_in_text(case, is_written=expression.is_written), *evidence_in_fields(case, fields)]
    blame = _weigh(evidence, call, enough)
    return blame._replace(
        error=case.error,
        site=case.site,
        is_written=expression.is_written,
        fields=tuple(_sharpen(field, case) for field in blame.fields),
        is_lookup=expression.is_lookup
        or (bool(blame.fields) and "key" in blame.signals and not expression.is_template),
        is_template=expression.is_template,
        is_shown=_may_quote(case, expression),
        whole=expression.whole,
        is_halfway=expression.is_halfway(),
        is_reworded=subject.is_reworded,
        is_pythons=case.site is not None and case.is_own_failure and not expression.is_written,
    )


def is_halfway(error: BaseException, call: Call) -> bool:
    """Return whether a batch failed in the middle: what its earlier items did is done."""
    subject = find_subject(error, OwnCode(call.function))
    return FailingExpression(Case(call, ArgumentValues(call), subject.error, "", None, subject.trail)).is_halfway()


def response_behind(error: BaseException, call: Call) -> object | None:
    """Return the HTTP response that a check of the server's own was about: `if response.is_error: raise …`.

    The status in hand is a fact, where the same number in the author's sentence is only words.
    """
    subject = find_subject(error, OwnCode(call.function))
    site = subject.trail.last
    if site is None or subject.trail.beyond is not None or not isinstance(site.node, ast.Raise):
        return None
    names = {node.id for part in (site.node, *guards_of(site)) for node in ast.walk(part) if isinstance(node, ast.Name)}
    held = site.frame.f_locals
    return next((held[name] for name in sorted(names) if name in held and _is_failed_response(held[name])), None)


_HTTP_CLIENTS = frozenset(
    {"aiohttp", "curl_cffi", "http", "httpx", "httpx2", "niquests", "requests", "urllib", "urllib3"}
)


def _is_failed_response(value: object) -> bool:
    """Return whether a local is a response of an HTTP client. A dict with a `status` may be anybody's, also the caller's."""
    if type(value).__module__.partition(".")[0] not in _HTTP_CLIENTS or is_a(value, BaseException):
        return False
    return any(400 <= (read_number(value, name) or 0) <= 599 for name in ("status_code", "status"))  # noqa: PLR2004 - HTTP's failures


def _text(error: BaseException, texts: Mapping[int, str]) -> str:
    known = texts.get(id(error))
    if known is None and is_a(error, KeyError) and is_a(key := read_argument(error), str):
        known = repr(key[:_LONGEST_TEXT])
    return unquote_words((text_of(error) if known is None else known)[:_LONGEST_TEXT])


def _may_quote(case: Case, expression: FailingExpression) -> bool:
    """Return whether the missing key is a text that the caller sent, or one that the caller's own document lacks."""
    key = key_of(case.error)
    is_callers = key is None or bool(case.values.equal_to(key) or case.values.containing(key))
    return is_callers or expression.is_template or not expression.is_lookup


def _sharpen(field: str, case: Case) -> str:
    """Return the path of the item in a list or object that the exception is about, if it says which."""
    if not is_any(case.values.value(field), list, dict) or is_of_a_program(case.error):
        return field
    words = [word for word in (key_of(case.error), *list_quoted(case.text)) if word]
    inside = (path for word in words for path in case.values.equal_to(word) if path.startswith(f"{field}."))
    return next(inside, field)


def _is_decided(evidence: list[Evidence], case: Case) -> bool:
    """Return whether the flow leads to one argument alone, so that no word can choose another: most failures, and the cheapest."""
    if len(evidence) != 1 or len(evidence[0].paths) != 1 or SIGNALS[evidence[0].signal].weight < ENOUGH:
        return False
    unsent = [name for name in case.call.properties() if name not in case.call.arguments]
    return not is_a(case.error, OSError) and not any(name in case.text for name in unsent)


def _weigh(evidence: list[Evidence], call: Call, enough: float) -> Blame:
    against = next((each.signal for each in evidence if SIGNALS[each.signal].weight < 0), None)
    holds_argument = any(each.signal == "attribute" for each in evidence)
    if against and not (holds_argument and against in {"own", "fetched"}):
        return Blame((), against, tuple(evidence))
    scores = _score(evidence, call)
    best = max(scores.values(), default=0.0)
    accused = [path for path, score in scores.items() if score >= enough and score > best - CLOSE]
    if accused and all(_is_offered(path, call) for path in accused):
        return Blame((), "offered", (*evidence, Evidence("offered", tuple(accused))))
    return Blame(tuple(accused[:_MOST_FIELDS]), None, tuple(evidence))


def _score(evidence: list[Evidence], call: Call) -> dict[str, float]:
    """Return the sum of the weights for each argument. Where it is known which of them were used, no other counts."""
    reached = {path for each in evidence if each.signal in REACHING for path in each.paths}
    wanted = {path for each in evidence if each.signal in UNSENT for path in each.paths if path not in call.arguments}
    scores: dict[str, float] = defaultdict(float)
    for signal, paths in evidence:
        for path in paths:
            scores[_known_path(path, reached)] += max(SIGNALS[signal].weight, 0.0)
    return {path: score for path, score in scores.items() if not reached or path in reached | wanted}


def _known_path(path: str, reached: set[str]) -> str:
    """Return the path under which the flow knows an argument: that of the whole where a part is given, or of a part."""
    part = path
    while part not in reached and "." in part:
        part = part.rpartition(".")[0]
    if part in reached:
        return part
    return next((each for each in reached if each.startswith(f"{path}.")), path if not reached else part)


def _is_offered(path: str, call: Call) -> bool:
    """Return whether the schema lists the value that was given among those that are allowed."""
    allowed = as_object(call.properties().get(path)).get("enum")
    values = cast("list[object]", allowed) if is_a(allowed, list) else []
    return path in call.arguments and call.arguments[path] in values
