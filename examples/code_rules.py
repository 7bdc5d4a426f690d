"""What goes wrong in Python programs, as rules that read code and run nothing of it.

A rule is a function that finds places in the code and says what is wrong there. Its name is its id, and its docstring
says what it finds and why that is bad.
"""

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

Severity: TypeAlias = Literal["high", "medium", "low"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
_Found: TypeAlias = Iterable[tuple[ast.AST, str]]
_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_SQL = re.compile(r"\b(select|insert|update|delete|drop|alter|create)\b", re.IGNORECASE)
_EXECUTES = {"execute", "executemany", "executescript"}
_BLOCKS = {"time.sleep", "urllib.request.urlopen", "subprocess.run", "subprocess.check_output", "os.system", "input"}
_REQUESTS = {f"requests.{verb}" for verb in ("get", "post", "put", "patch", "delete", "head", "options", "request")}
# How many positional arguments it takes until the timeout is among them; requests takes it by keyword only.
_PATIENT_FOR_EVER = {"urllib.request.urlopen": 3, "socket.create_connection": 2} | dict.fromkeys(_REQUESTS, 99)
_CANCELLATION = {"BaseException", "asyncio.CancelledError", "asyncio.exceptions.CancelledError"}


@dataclass(frozen=True)
class Finding:
    """One place in the code that breaks a rule."""

    rule: str
    severity: Severity
    line: int
    message: str


@dataclass(frozen=True)
class Rule:
    """One thing to look for, and the patterns that are better."""

    id: str
    severity: Severity
    about: str
    patterns: tuple[str, ...]
    find: Callable[["Source"], _Found]


class Source:
    """Code that was parsed, and what its names stand for."""

    def __init__(self, code: str) -> None:
        self.tree = ast.parse(code)
        self._imported = dict(_imports(self.tree))

    def handlers(self, within: ast.AST | None = None) -> Iterator[ast.ExceptHandler]:
        """Find what catches an exception."""
        return (node for node in ast.walk(within or self.tree) if isinstance(node, ast.ExceptHandler))

    def calls(self, within: ast.AST | None = None) -> Iterator[tuple[ast.Call, str]]:
        """Find what is called, and by which name it can be imported."""
        nodes = ast.walk(self.tree) if within is None else inside(within)
        return ((node, self.name_of(node.func)) for node in nodes if isinstance(node, ast.Call))

    def name_of(self, node: ast.AST | None) -> str:
        """Spell out a name, `r.get` as `requests.get` after `import requests as r`; "" for anything else."""
        attributes: list[str] = []
        while isinstance(node, ast.Attribute):
            attributes.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        return ".".join([self._imported.get(node.id, node.id), *reversed(attributes)])


RULES: dict[str, Rule] = {}


def analyze(source: Source, rules: Iterable[str] = RULES) -> list[Finding]:
    """Hold code against rules; what is found comes in the order of the code."""
    found = [
        Finding(rule.id, rule.severity, getattr(node, "lineno", 1), message)
        for rule in map(RULES.__getitem__, rules)
        for node, message in rule.find(source)
    ]
    return sorted(found, key=lambda finding: (finding.line, SEVERITIES.index(finding.severity), finding.rule))


def _rule(severity: Severity, *patterns: str) -> Callable[[Callable[[Source], _Found]], Callable[[Source], _Found]]:
    def register(find: Callable[[Source], _Found]) -> Callable[[Source], _Found]:
        name = find.__name__.replace("_", "-")
        RULES[name] = Rule(name, severity, (find.__doc__ or "").removeprefix("Find "), patterns, find)
        return find

    return register


@_rule("high", "parameterised-query")
def string_built_sql(source: Source) -> _Found:
    """Find SQL that is put together from strings: whoever fills them in can write SQL of their own."""
    for call, _ in source.calls():
        if isinstance(call.func, ast.Attribute) and call.func.attr in _EXECUTES and call.args:
            text = _built(call.args[0])
            if _SQL.search(text):
                yield call, f"`{call.func.attr}` is given SQL with values inside it; pass them as parameters."


@_rule("high", "catch-what-you-expect")
def bare_except(source: Source) -> _Found:
    """Find an `except:` without a name: it also catches Ctrl-C, the end of the process and every bug."""
    for handler in source.handlers():
        if handler.type is None:
            yield handler, "`except:` catches everything; name the exceptions that you expect."


@_rule("high", "fail-loudly", "log-once", "suppress-on-purpose")
def swallowed_exception(source: Source) -> _Found:
    """Find an exception that is caught and forgotten: nobody will ever learn that something failed."""
    for handler in source.handlers():
        if all(isinstance(node, ast.Pass | ast.Continue) or _is_constant(node) for node in handler.body):
            yield handler, f"{_caught(handler)} is swallowed; handle it, log it or let it pass."


@_rule("high", "fail-loudly", "fallback")
def empty_data_on_failure(source: Source) -> _Found:
    """Find an `except` that returns something empty: the caller takes a failure for a result."""
    for handler in source.handlers():
        for node in inside(handler):
            if isinstance(node, ast.Return) and (empty := _empty(node.value)):
                yield node, f"`return {empty}` makes a failure look like an empty result; raise instead."


@_rule("high", "pass-cancellation-on")
def swallowed_cancellation(source: Source) -> _Found:
    """Find an async function that goes on when it is cancelled: whoever waits for it to stop waits for ever."""
    for function in ast.walk(source.tree):
        if not isinstance(function, ast.AsyncFunctionDef):
            continue
        for handler in (node for node in inside(function) if isinstance(node, ast.ExceptHandler)):
            caught = {source.name_of(each) for each in _several(handler.type)}
            if caught & _CANCELLATION and not any(isinstance(node, ast.Raise) for node in inside(handler)):
                yield handler, f"{_caught(handler)} includes being cancelled; raise it again after cleaning up."


@_rule("high", "blocking-work-in-a-thread")
def blocking_call_in_async(source: Source) -> _Found:
    """Find an async function that calls something that blocks: until it returns, nothing else runs either."""
    for function in ast.walk(source.tree):
        if isinstance(function, ast.AsyncFunctionDef):
            for call, name in source.calls(function):
                if name in _BLOCKS | _REQUESTS:
                    yield call, f"`{name}` blocks the event loop; await `asyncio.to_thread({name}, …)`."


@_rule("medium", "deadline")
def missing_timeout(source: Source) -> _Found:
    """Find a call over the network without a time limit: it waits for as long as the other side likes."""
    for call, name in source.calls():
        by_name = any(keyword.arg in {"timeout", None} for keyword in call.keywords)
        if not by_name and len(call.args) < _PATIENT_FOR_EVER.get(name, 0):
            yield call, f"`{name}` waits for ever; give it a `timeout` in seconds."


@_rule("medium", "keep-the-task", "task-group")
def forgotten_task(source: Source) -> _Found:
    """Find a task that is started and not kept: it may be collected half-way, and its exception with it."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            name = source.name_of(node.value.func)
            if name in {"asyncio.create_task", "asyncio.ensure_future"}:
                yield node, f"What `{name}` returns is dropped; keep it until the task is done."


@_rule("medium", "none-as-default")
def mutable_default(source: Source) -> _Found:
    """Find a default argument that can be changed: it is made once, and every call shares it."""
    for function in ast.walk(source.tree):
        if isinstance(function, _FUNCTIONS):
            for default in (*function.args.defaults, *function.args.kw_defaults):
                if default is not None and _is_mutable(default, source):
                    yield (
                        default,
                        f"{_titled(function)} shares one default among all calls; use None and make it inside.",
                    )


@_rule("medium", "chain-the-cause")
def raise_without_cause(source: Source) -> _Found:
    """Find an exception that is raised for another one without `from`: why it was raised is lost."""
    for handler in source.handlers():
        for node in inside(handler):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.cause is None:
                cause = handler.name or "error"
                yield node, f"`raise` has no cause; add `from {cause}`, or `from None` if it says nothing."


@_rule("low", "domain-exception")
def broad_raise(source: Source) -> _Found:
    """Find where `Exception` itself is raised: callers can catch it only together with everything else."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Raise):
            name = source.name_of(node.exc.func if isinstance(node.exc, ast.Call) else node.exc)
            if name in {"Exception", "BaseException"}:
                yield node, f"`raise {name}` cannot be told from other failures; raise a class of your own."


@_rule("low", "module-logger")
def print_in_library(source: Source) -> _Found:
    """Find a `print` outside of `main`: whoever imports this module cannot turn it off."""
    spared = {id(node) for start in ast.walk(source.tree) if _is_main(start) for node in ast.walk(start)}
    for call, name in source.calls():
        if name == "print" and id(call) not in spared:
            yield call, "`print` writes to somebody else's terminal; use a logger."


def inside(start: ast.AST) -> Iterator[ast.AST]:
    """Go through what belongs to a function or a block, and not to a function defined in it."""
    waiting = list(ast.iter_child_nodes(start))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, _FUNCTIONS):
            waiting.extend(ast.iter_child_nodes(node))


def _imports(tree: ast.AST) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.asname, alias.name) for alias in node.names if alias.asname)
        elif isinstance(node, ast.ImportFrom):
            yield from ((alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names)


def _built(node: ast.AST) -> str:
    """Give the constant parts of a string that is put together; "" for one that is not."""
    match node:
        case ast.JoinedStr(values) if any(isinstance(value, ast.FormattedValue) for value in values):
            return " ".join(str(value.value) for value in values if isinstance(value, ast.Constant))
        case ast.BinOp(left, ast.Add() | ast.Mod(), right):
            parts = list(_operands(left, right))
            texts = [str(part.value) for part in parts if isinstance(part, ast.Constant)]
            return " ".join(texts) if len(texts) < len(parts) else ""
        case ast.Call(ast.Attribute(ast.Constant(str(text)), "format")):
            return text
        case _:
            return ""


def _operands(*nodes: ast.expr) -> Iterator[ast.expr]:
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.BinOp):
            waiting += [node.left, node.right]
        else:
            yield node


def _is_constant(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _empty(node: ast.expr | None) -> str:
    match node:
        case ast.List(elts=[]) | ast.Tuple(elts=[]) | ast.Dict(keys=[]) | ast.Constant(""):
            return ast.unparse(node)
        case ast.Call(ast.Name("list" | "dict" | "set" | "tuple"), [], []):
            return ast.unparse(node)
        case _:
            return ""


def _is_mutable(node: ast.expr, source: Source) -> bool:
    if isinstance(node, ast.Call):
        return source.name_of(node.func) in {"list", "dict", "set", "collections.defaultdict"}
    return isinstance(node, ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp)


def _is_main(node: ast.AST) -> bool:
    match node:
        case ast.FunctionDef("main") | ast.AsyncFunctionDef("main"):
            return True
        case ast.If(ast.Compare(ast.Name("__name__"), [ast.Eq()], [ast.Constant("__main__")])):
            return True
        case _:
            return False


def _several(node: ast.expr | None) -> list[ast.expr]:
    if node is None:
        return []
    return node.elts if isinstance(node, ast.Tuple) else [node]


def _caught(handler: ast.ExceptHandler) -> str:
    return f"`except {ast.unparse(handler.type)}`" if handler.type else "`except`"


def _titled(function: _Function) -> str:
    return "A lambda" if isinstance(function, ast.Lambda) else f"`{function.name}`"
