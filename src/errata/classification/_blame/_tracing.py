"""From a failure back to the call: which exception it is about, and where the values went in the server's own code."""

import ast
import dataclasses
import inspect
from functools import partial
from types import FrameType, FunctionType
from typing import NamedTuple, cast

from errata.classification._blame._argument_values import ArgumentValues
from errata.classification._blame._failing_site import FailingSite, OwnCode, TracePath, trail_of
from errata.classification._blame._flow import Flow, Names, bind_parameters
from errata.classification._blame._provenance import FOREIGN, UNKNOWN, Environment, Provenance
from errata.classification._blame._shapes import without_await
from errata.classification._call import Call
from errata.classification._foreign import peek, read_argument, read_exception, walk_leaves
from errata.model import is_a
from errata.redaction import text_of

_DEEPEST_CAUSE = 6
_DEEPEST_WRAPPER = 10


class Subject(NamedTuple):
    """The exception that a failure is about, and its way through the server's code."""

    error: BaseException
    trail: TracePath
    is_relayed: bool = False
    """Whether it was made elsewhere and only raised here, so that the innermost frames say nothing."""
    is_reworded: bool = False
    """Whether it is the cause of one that the server's own code raised in its place."""


def find_subject(error: BaseException, own: OwnCode) -> Subject:
    """Return the exception that a failure is about: the cause, where an `except` raised another one in its place."""
    outer = TracePath((), None)
    subject = _subject(error, own, outer)
    for _ in range(_DEEPEST_CAUSE):
        behind = _behind(subject)
        if behind is None:
            break
        is_reworded = subject.is_reworded
        if is_a(subject.error, BaseExceptionGroup):
            outer = subject.trail
        elif not is_stop_wrapper(subject.error):
            is_reworded = True
        subject = _subject(behind, own, outer)._replace(is_reworded=is_reworded)
    return subject


def _subject(error: BaseException, own: OwnCode, outer: TracePath) -> Subject:
    trail = trail_of(error, own)
    sites, beyond = list(trail.sites), trail.beyond
    while len(sites) > 1 and beyond is None and _is_relay(sites[-1]):
        beyond = sites.pop().frame
    relayed = len(sites) < len(trail.sites)
    # One that was raised in a library's own task has passed no site; the server waited for the group around it.
    return Subject(error, TracePath(tuple(sites), beyond) if sites else outer, relayed)


def _behind(subject: Subject) -> BaseException | None:
    """Return the exception to look at instead; None if this one is it."""
    error = subject.error
    if is_a(error, BaseExceptionGroup):
        leaves = list(walk_leaves(error))[:2]
        return leaves[0] if len(leaves) == 1 else None
    if not (_is_rewording(subject.trail) or is_stop_wrapper(error)):
        return None
    return read_exception(error, "__cause__") or read_exception(error, "__context__")


def is_stop_wrapper(error: BaseException) -> bool:
    """Return whether Python put it around a StopIteration that left a coroutine or a generator."""
    ends = ("raised StopIteration", "raised StopAsyncIteration")
    return type(error) is RuntimeError and text_of(read_argument(error)).endswith(ends)


def _is_relay(site: FailingSite) -> bool:
    """Return whether a site only raises an exception that exists already: `raise result`."""
    match site.node:
        case ast.Raise(exc=ast.Name(id=name)):
            return is_a(site.frame.f_locals.get(name), BaseException)
        case ast.Raise(exc=ast.Attribute() | ast.Subscript()):
            return True
        case _:
            return False


def _is_rewording(trail: TracePath) -> bool:
    """Return whether an exception was raised in an `except` block, about what that block caught.

    A test inside of the block that asks about something else than what was caught is a check of its own.
    """
    site = trail.last
    if site is None or trail.beyond is not None or not isinstance(site.node, ast.Raise):
        return False
    handlers = [index for index, parent in enumerate(site.parents) if isinstance(parent, ast.ExceptHandler)]
    if not handlers:
        return False
    caught = cast("ast.ExceptHandler", site.parents[handlers[-1]]).name
    tests = [parent.test for parent in site.parents[handlers[-1] :] if isinstance(parent, ast.If)]
    return all(any(isinstance(node, ast.Name) and node.id == caught for node in ast.walk(test)) for test in tests)


# The flow from the tool's function down to the expression that failed.


def flow_along(trail: TracePath, call: Call, values: ArgumentValues) -> Flow:
    """Follow the arguments from the tool's function to the last site; return the flow there."""
    files = {site.code.co_filename for site in trail.sites}
    flow, before = Flow(Names({}, partial(_is_in, files)), {}), None
    for site in trail.sites:
        environment = _bind(site, before, flow, call, values)
        scope = Names(site.frame.f_globals, partial(_is_in, files), partial(_look, site.frame, values))
        flow = Flow(scope, environment)
        flow.follow(site.function.body, (*site.parents, site.node))
        flow.inside(site.parents)
        before = site
    return flow


def _is_in(files: set[str], function: object) -> bool:
    return cast("FunctionType", function).__code__.co_filename in files


def _look(frame: FrameType, values: ArgumentValues, node: ast.Attribute) -> Provenance | None:
    """Return where an attribute of a local object (`self.name`) comes from, judged by its value. No property is run."""
    holder = frame.f_locals.get(node.value.id) if isinstance(node.value, ast.Name) else None
    members = peek(holder, "__dict__") if _is_plain(holder) else None
    value = cast("dict[str, object]", members).get(node.attr) if is_a(members, dict) else None
    return None if value is None else values.origin_of(value, node.attr)


def _is_plain(value: object) -> bool:
    """Return whether to read an attribute of a value runs nothing of its own."""
    read: object = inspect.getattr_static(type(value), "__getattribute__", None)
    return read is inspect.getattr_static(object, "__getattribute__") and not is_a(value, dict)


def _unwrap(function: object) -> object:
    """Return the plain function behind methods, partials and decorators."""
    for _ in range(_DEEPEST_WRAPPER):
        function = peek(function, "__func__") or function
        wrapped = peek(function, "__wrapped__") or (peek(function, "func") if not peek(function, "__code__") else None)
        if wrapped is None:
            break
        function = wrapped
    return function


def is_tool(site: FailingSite, call: Call) -> bool:
    """Return whether a site is in the tool's own function."""
    return site.code is peek(_unwrap(call.function), "__code__")


def _bind(site: FailingSite, before: FailingSite | None, flow: Flow, call: Call, values: ArgumentValues) -> Environment:
    """Return where the variables of a site's function come from as it begins."""
    names = site.parameters
    environment: Environment = dict.fromkeys(names, UNKNOWN)
    if is_tool(site, call) or (before is None and call.arguments and {*call.arguments} <= {*names}):
        sent = {name: Provenance.of(name) for name in names if name in call.arguments}
        unsent = {name: Provenance(unsent=frozenset({name})) for name in names if name in call.properties()}
        injected = dict.fromkeys(names, FOREIGN) if unsent else {}  # What is in no schema is the server's own.
        return environment | injected | unsent | sent
    if site.code.co_name.startswith("<"):  # A lambda, or a comprehension, in a frame of its own before Python 3.12.
        return _bind_inner(site, dict(flow.environment) if before else environment, values)
    called = without_await(before.node) if before else None
    if isinstance(called, ast.Call) and _calls(called, site.function.name):
        return environment | bind_parameters(site.function, called, flow.value)
    if before is not None and any(site.function is node for node in ast.walk(before.function)):
        environment = {**flow.environment, **environment}
    held = site.frame.f_locals
    return environment | {name: origin for name in names if (origin := values.origin_of(held.get(name))) is not None}


def _bind_inner(site: FailingSite, outer: Environment, values: ArgumentValues) -> Environment:
    """Bind the variables of a lambda or a comprehension: those around it, and its own by their values."""
    own = site.code.co_varnames[: site.code.co_argcount + site.code.co_kwonlyargcount]
    held = site.frame.f_locals
    return outer | {name: values.origin_of(held.get(name)) or UNKNOWN for name in own if not name.startswith(".")}


def _calls(node: ast.Call, name: str) -> bool:
    match node.func:
        case ast.Name(id=called) | ast.Attribute(attr=called):
            return name in {called, "__init__"}
        case _:
            return False


@dataclasses.dataclass(slots=True)
class Case:
    """One exception, its way through the server's code, and the call."""

    call: Call
    values: ArgumentValues
    error: BaseException
    text: str
    status: int | None
    trail: TracePath
    _flow: Flow | None = None

    @property
    def flow(self) -> Flow:
        """Where the values in the failing expression come from; it is followed when it is first needed."""
        if self._flow is None:
            self._flow = flow_along(self.trail, self.call, self.values)
        return self._flow

    @property
    def site(self) -> FailingSite | None:
        """Where it failed in the server's own code."""
        return self.trail.last

    @property
    def node(self) -> ast.AST | None:
        """The expression that failed."""
        site = self.trail.last
        return without_await(site.node) if site else None

    @property
    def is_own_failure(self) -> bool:
        """Whether the server's own expression failed by itself, and no library below it."""
        return self.trail.beyond is None
