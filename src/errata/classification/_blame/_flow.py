"""Following the arguments of a call through one function of the server, up to the expression that failed.

A small data-flow analysis of one function, run after it has failed. It reads the function's source in order, up to the
expression that failed, and follows every argument through assignments, formatting, slicing and pure functions. What a
value is *made of* changes with the argument; what was *fetched by* it (a file's content, a row, an upstream's answer) is
not the caller's to mend, however right or wrong the argument was.
"""

import ast
import builtins
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import takewhile
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import NamedTuple, cast

from errata.classification._blame._failing_site import Function, ParsedFile, parse_file
from errata.classification._blame._provenance import FOREIGN, LITERAL, UNKNOWN, Environment, Provenance, merge
from errata.classification._foreign import peek
from errata.model import is_a, is_any

_DEEPEST_CALLS = 3
_MOST_STEPS = 4_000
# fmt: off
_PURE_MODULES = frozenset([
    "_bisect", "_collections", "_csv", "_datetime", "_decimal", "_functools", "_heapq", "_json", "_operator", "_statistics", "_struct",
    "ast", "base64", "binascii", "bisect", "calendar", "cmath", "codecs", "collections", "colorsys", "contextlib", "copy", "csv",
    "dataclasses", "datetime", "dateutil", "decimal", "difflib", "email", "enum", "fnmatch", "fractions", "functools", "hashlib",
    "heapq", "hmac", "html", "ipaddress", "itertools", "json", "jmespath", "jsonpath_ng", "jsonschema", "locale", "markdown", "math",
    "mimetypes", "ntpath", "numbers", "operator", "orjson", "pathlib", "plistlib", "posixpath", "quopri", "random", "re", "_sre",
    "sqlglot", "sqlparse", "statistics", "string", "struct", "textwrap", "time", "tomllib", "tomli", "types", "typing", "ujson",
    "unicodedata", "urllib.parse", "uuid", "xml", "yaml", "zoneinfo", "zlib", "gzip", "bz2", "lzma", "shlex", "pyparsing", "lark",
    "croniter", "pendulum", "arrow", "packaging", "semver", "phonenumbers", "pint", "sympy", "msgpack", "cattrs", "attr", "attrs",
    "marshmallow", "pydantic", "pydantic_core", "msgspec", "io", "_io", "lxml",
])
"""Modules whose functions compute something from what they are given, and fetch nothing."""
_OF_FILES = frozenset([
    "open", "read", "read_text", "read_bytes", "readline", "readlines", "iterdir", "glob", "rglob", "walk", "stat", "lstat", "exists",
    "is_file", "is_dir", "listdir", "scandir", "getsize", "load", "recv", "fetch", "fetchone", "fetchall", "fetchmany", "execute",
    "request", "communicate", "urlopen", "run", "check_output", "connect", "readlink", "owner", "extract", "extractall", "getinfo",
])
"""Methods that fetch something, whatever they are called on."""
_FETCHING = frozenset([
    "call", "connect", "delete", "download", "execute", "exists", "fetch", "find", "get", "imread", "invoke", "list", "load", "lookup",
    "open", "patch", "ping", "poll", "post", "put", "query", "read", "recv", "request", "retrieve", "run", "scan", "search", "send",
    "submit", "urlopen", "wait", "write",
])
"""The first words in the names of functions that fetch or send something."""
_LOOKING = frozenset([
    "by", "execute", "fetch", "fetchone", "fetchall", "filter", "find", "first", "for", "get", "json", "load", "lookup", "match", "next",
    "one", "query", "read", "resolve", "retrieve", "scalar", "scalars", "search", "select", "single",
])
"""The first words in the names of functions that look something up."""
_FETCHING_BUILTINS = frozenset(["open", "input", "__import__", "eval", "exec"])
# fmt: on


class Names(NamedTuple):
    """What the free names of a function mean."""

    names: Mapping[str, object]
    is_own: Callable[[object], bool]
    """Whether a function is the server's own, and may be read in its turn."""
    look: Callable[[ast.Attribute], "Provenance | None"] = lambda _: None
    """Returns where an attribute comes from that could not be followed, judged by its value."""

    def resolve(self, node: ast.AST) -> object:
        """Return the object that a dotted name in the source means; None where only running it would tell."""
        match node:
            case ast.Name(id=name):
                return self.names.get(name, getattr(builtins, name, None))
            case ast.Attribute(value=value, attr=name):
                holder = self.resolve(value)
                if is_a(holder, ModuleType):
                    return vars(holder).get(name)
                if is_a(holder, type):
                    static = inspect.getattr_static(holder, name, None)
                    return getattr(static, "__func__", static)
            case _:
                pass
        return None


# fmt: off
_STATEMENTS: dict[type[ast.AST], str] = {
    ast.Assign: "_assign", ast.AnnAssign: "_annotated_assign", ast.AugAssign: "_augmented_assign", ast.Return: "_return", ast.For: "_for",
    ast.AsyncFor: "_for", ast.With: "_with", ast.AsyncWith: "_with", ast.Expr: "_expression",
}
"""The methods of `Flow` that follow a kind of statement; all others bind nothing."""
_EXPRESSIONS: dict[type[ast.AST], str] = {
    ast.Constant: "_constant", ast.Name: "_name", ast.Await: "_inner", ast.Starred: "_inner", ast.FormattedValue: "_inner",
    ast.NamedExpr: "_named_expression", ast.Attribute: "_attribute", ast.Subscript: "_subscript", ast.Call: "_call", ast.Lambda: "_lambda",
    ast.ListComp: "_comprehension", ast.SetComp: "_comprehension", ast.GeneratorExp: "_comprehension",
    ast.DictComp: "_comprehension",
}
"""The methods that read a kind of expression; all other expressions are made of their parts."""
# fmt: on


class Flow:
    """One function being followed: which of its variables hold what."""

    __slots__ = ("_budget", "_depth", "_scope", "environment", "returned")

    def __init__(self, scope: Names, environment: Environment, depth: int = 0) -> None:
        self._scope = scope
        self._depth = depth
        self._budget = _MOST_STEPS
        self.environment = environment
        self.returned: list[Provenance] = []

    # Statements.

    def follow(self, body: Sequence[ast.stmt], until: tuple[ast.AST, ...] = ()) -> bool:
        """Follow statements in order; with `until`, stop inside of the one that leads there. Return whether it stopped."""
        for statement in body:
            if statement in until:
                self._enter(statement, until)
                return True
            self._statement(statement, certain=True)
        return False

    def _enter(self, statement: ast.stmt, until: tuple[ast.AST, ...]) -> None:
        """Bind what a compound statement binds, and go on inside of it."""
        match statement:
            case ast.For() | ast.AsyncFor():
                self._for(statement, certain=True)
            case ast.With() | ast.AsyncWith():
                for item in takewhile(lambda item: item not in until, statement.items):
                    self._bind_item(item)
            case ast.Match(subject=subject, cases=cases):
                for case in filter(until.__contains__, cases):
                    self._bind_pattern(case.pattern, self.value(subject))
            case ast.Try(body=body) if not any(each in until for each in body):
                self._loosely(body)
            case _:
                pass
        entered = next((body for body in _bodies(statement) if any(each in until for each in body)), None)
        if entered is not None:
            self.follow(entered, until)

    def _loosely(self, body: Iterable[ast.stmt]) -> None:
        for statement in body:
            self._statement(statement, certain=False)

    def _statement(self, statement: ast.stmt, *, certain: bool) -> None:
        self._budget -= 1
        if self._budget < 0:
            return
        follow = _STATEMENTS.get(type(statement))
        if follow is not None:
            getattr(self, follow)(statement, certain=certain)
        for body in _bodies(statement):
            self._loosely(body)

    def _assign(self, statement: ast.Assign, *, certain: bool) -> None:
        origin = self.value(statement.value)
        for target in statement.targets:
            self._bind(target, origin, certain=certain)

    def _annotated_assign(self, statement: ast.AnnAssign, *, certain: bool) -> None:
        if statement.value is not None:
            self._bind(statement.target, self.value(statement.value), certain=certain)

    def _augmented_assign(self, statement: ast.AugAssign, *, certain: bool) -> None:  # noqa: ARG002 - as the others are called.
        self._bind(statement.target, self.value(statement.value).as_part(), certain=False)

    def _return(self, statement: ast.Return, *, certain: bool) -> None:  # noqa: ARG002 - as above.
        if statement.value is not None:
            self.returned.append(self._as_returned(statement.value))

    def _for(self, statement: ast.For | ast.AsyncFor, *, certain: bool) -> None:  # noqa: ARG002 - as above.
        self._bind(statement.target, self.value(statement.iter).as_part())

    def _with(self, statement: ast.With | ast.AsyncWith, *, certain: bool) -> None:  # noqa: ARG002 - as above.
        for item in statement.items:
            self._bind_item(item)

    def _expression(self, statement: ast.Expr, *, certain: bool) -> None:  # noqa: ARG002 - as above.
        """Note what is put into a list or a dict: `parts.append(name)`."""
        match statement.value:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name)), args=args) if name in self.environment:
                self.environment[name] = merge([self.environment[name], *map(self.value, args)])
            case _:
                pass

    def _as_returned(self, node: ast.expr) -> Provenance:
        """Return the origin of a result; a record that is put together from an argument and other things is a new thing."""
        origin = self.value(node)
        return origin.as_fetched() if isinstance(node, ast.Dict) and origin.arguments else origin

    def _bind_item(self, item: ast.withitem) -> None:
        if item.optional_vars is not None:
            self._bind(item.optional_vars, self.value(item.context_expr))

    def _bind(self, target: ast.AST, origin: Provenance, *, certain: bool = True) -> None:
        match target:
            case ast.Name(id=name):
                before = self.environment.get(name)
                self.environment[name] = origin if certain or before is None else merge([before, origin])
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                for each in targets:
                    self._bind(each, origin.as_part(), certain=certain)
            case ast.Starred(value=inner):
                self._bind(inner, origin.as_part(), certain=certain)
            case ast.Attribute(value=holder) | ast.Subscript(value=holder):
                if isinstance(holder, ast.Name) and holder.id in self.environment:
                    self._bind(holder, origin, certain=False)
            case _:
                pass

    def _bind_pattern(self, pattern: ast.pattern, origin: Provenance) -> None:
        for node in ast.walk(pattern):
            if isinstance(node, ast.MatchAs | ast.MatchStar) and node.name:
                self.environment[node.name] = origin.as_part()

    # Expressions.

    def inside(self, parents: Iterable[ast.AST]) -> None:
        """Bind the variables of the comprehensions around an expression."""
        for parent in parents:
            if isinstance(parent, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
                self._bind_generators(parent.generators)

    def _bind_generators(self, generators: Iterable[ast.comprehension]) -> Provenance:
        """Bind the targets of a comprehension; return the origin of what its conditions select by."""
        tests: list[Provenance] = []
        for generator in generators:
            self._bind(generator.target, self.value(generator.iter).as_part())
            tests += map(self.value, generator.ifs)
        return merge(tests)

    def value(self, node: ast.AST | None) -> Provenance:
        """Return where the value of an expression comes from."""
        self._budget -= 1
        if node is None or self._budget < 0:
            return LITERAL
        read = _EXPRESSIONS.get(type(node))
        if read is not None:
            return cast("Provenance", getattr(self, read)(node))
        return merge(self.value(child) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))

    def _constant(self, _: ast.Constant) -> Provenance:
        return LITERAL

    def _name(self, node: ast.Name) -> Provenance:
        return self.environment.get(node.id) or self._free(node.id)

    def _inner(self, node: ast.Await | ast.Starred | ast.FormattedValue) -> Provenance:
        return self.value(node.value)

    def _named_expression(self, node: ast.NamedExpr) -> Provenance:
        origin = self.value(node.value)
        self._bind(node.target, origin)
        return origin

    def _lambda(self, node: ast.Lambda) -> Provenance:
        return self.value(node.body).as_part()

    def _free(self, name: str) -> Provenance:
        """Return the origin of a name that is no variable of the function: a global, a builtin, or nobody knows."""
        return FOREIGN if name in self._scope.names or hasattr(builtins, name) else UNKNOWN

    def _attribute(self, node: ast.Attribute) -> Provenance:
        if _is_environment(node):
            return Provenance(is_foreign=True, from_environment=True)
        holder = self.value(node.value)
        if holder.is_unknown and (seen := self._scope.look(node)) is not None:
            return seen
        path = f"{holder.path}.{node.attr}" if holder.path else None
        origin = holder._replace(path=path, is_result=False)
        return origin.as_fetched() if self._is_computed(node) else origin

    def _is_computed(self, node: ast.Attribute) -> bool:
        """Return whether an attribute is a property of an object that was just made: what it reads is not known."""
        if not isinstance(node.value, ast.Call) or self._is_local(node.value.func):
            return False
        kind = self._scope.resolve(node.value.func)
        return is_a(kind, type) and is_any(inspect.getattr_static(kind, node.attr, None), property, cached_property)

    def _subscript(self, node: ast.Subscript) -> Provenance:
        holder, index = self.value(node.value), self.value(node.slice)
        if holder.made_of:
            key = node.slice.value if isinstance(node.slice, ast.Constant) else None
            path = f"{holder.path}.{key}" if holder.path and (is_a(key, str) or is_a(key, int)) else None
            return merge([holder, index])._replace(path=path)
        fetched = merge([holder, index]).as_fetched()
        return fetched if fetched.arguments else holder._replace(is_result=False, is_foreign=True)

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Provenance:
        before = dict(self.environment)
        selected = self._bind_generators(node.generators)
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        element = merge(map(self.value, parts))
        self.environment = before
        return element._replace(fetched_by=element.fetched_by | selected.arguments, is_result=bool(selected.arguments))

    def results_in(self, node: ast.AST) -> bool:
        """Return whether an expression is what a look-up by an argument returned, tests and negations around it aside."""
        match node:
            case (
                ast.UnaryOp(operand=inner)
                | ast.NamedExpr(value=inner)
                | ast.Compare(left=inner)
                | ast.Await(value=inner)
            ):
                return self.results_in(inner)
            case ast.BoolOp(values=values):
                return any(map(self.results_in, values))
            case ast.Call(
                func=ast.Name(id="len" | "list" | "next" | "any" | "bool" | "min" | "max" | "tuple"), args=[first, *_]
            ):
                return self.results_in(first)
            case ast.Call(func=ast.Attribute(value=holder)):
                origin = self.value(node)
                return (origin.is_result and bool(origin.arguments)) or self.results_in(holder)
            case _:
                return self.value(node).is_result

    def _call(self, node: ast.Call) -> Provenance:
        given = merge([*map(self.value, node.args), *(self.value(keyword.value) for keyword in node.keywords)])
        holder = self.value(node.func.value) if isinstance(node.func, ast.Attribute) else LITERAL
        callee = None if self._is_local(node.func) else self._scope.resolve(node.func)
        if callee is not None:
            return self._of_known(callee, node, given)
        if isinstance(node.func, ast.Attribute):
            return self._of_method(node.func, holder, given, has_operands=bool(node.args or node.keywords))
        return merge([self.value(node.func), given]).as_fetched()._replace(is_result=True)

    def is_static(self, node: ast.AST) -> bool:
        """Return whether an expression names a module or a class."""
        return not self._is_local(node) and is_any(self._scope.resolve(node), ModuleType, type)

    def _is_local(self, func: ast.AST) -> bool:
        while isinstance(func, ast.Attribute):
            func = func.value
        return not isinstance(func, ast.Name) or func.id in self.environment

    def _of_known(self, callee: object, node: ast.Call, given: Provenance) -> Provenance:
        if _is_environment(node.func):
            return Provenance(is_foreign=True, from_environment=True)
        if is_a(callee, FunctionType) and self._scope.is_own(callee):
            return self._of_own_function(callee, node, given)
        if is_pure(callee) or not (_sounds_fetching(node.func) or _runs_others(callee)):
            return given._replace(path=None, is_result=bool(given.arguments))
        return given.as_fetched()._replace(is_result=bool(given.arguments) and _sounds_looking(node.func))

    def _of_method(
        self, func: ast.Attribute, holder: Provenance, given: Provenance, *, has_operands: bool
    ) -> Provenance:
        both = merge([holder, given])
        fetches = func.attr in _OF_FILES
        is_built = isinstance(func.value, ast.Constant | ast.JoinedStr) or (
            self._is_built(func.value) and not _sounds_fetching(func)
        )
        # What `rows.find("title")` gives is no answer to an argument, whatever the rows were found by.
        looks = _sounds_looking(func)
        is_result = looks and (bool(given.arguments) or (holder.is_result and not has_operands))
        if holder.made_of and not fetches:
            is_result = True
        if (holder.made_of or is_built) and not fetches:
            return both._replace(is_result=is_result and bool(both.arguments))
        return both.as_fetched()._replace(is_result=is_result)

    def _is_built(self, node: ast.AST) -> bool:
        """Return whether an object was just made by a library, and is no client, connection or service that is at hand."""
        while isinstance(node, ast.Attribute | ast.Call):
            if isinstance(node, ast.Call) and not self._is_local(node.func):
                callee = self._scope.resolve(node.func)
                if callee is not None:
                    return not (is_a(callee, FunctionType) and self._scope.is_own(callee)) and not _sounds_fetching(
                        node.func
                    )
            node = node.func if isinstance(node, ast.Call) else node.value
        return False

    def _of_own_function(self, function: FunctionType, node: ast.Call, given: Provenance) -> Provenance:
        definition = definition_of(function)
        if definition is None or self._depth >= _DEEPEST_CALLS:
            return given.as_fetched()._replace(is_result=bool(given.arguments))
        environment = bind_parameters(definition, node, self.value)
        inner = Flow(Names(function.__globals__, self._scope.is_own), environment, self._depth + 1)
        inner._budget = self._budget // 2
        inner.follow(definition.body)
        self._budget -= self._budget // 2
        return merge(inner.returned)._replace(is_result=bool(given.arguments) and _sounds_looking(node.func))


def _sounds_fetching(func: ast.AST) -> bool:
    return _first_word(func) in _FETCHING


def _sounds_looking(func: ast.AST) -> bool:
    """Return whether a function looks something up, so that nothing is an answer: not `send`, nor `try_lock`."""
    return _first_word(func) in _LOOKING


def _first_word(func: ast.AST) -> str:
    name = func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""
    return name.lower().strip("_").partition("_")[0]


def _runs_others(callee: object) -> bool:
    """Return whether a function runs another one, in a thread or a task: what that gives back is not known."""
    module = peek(callee, "__module__")
    return is_a(module, str) and module.partition(".")[0] in {"anyio", "asyncio", "concurrent", "threading", "trio"}


def is_pure(callee: object) -> bool:
    """Return whether a function only computes something from what it is given."""
    if is_a(callee, type):
        return True
    name = peek(callee, "__name__")
    module = peek(callee, "__module__") or peek(callee, "__objclass__", "__module__")
    if is_a(callee, BuiltinFunctionType) and not is_a(module, str):
        module = peek(callee, "__self__", "__name__") or "builtins"
    if not is_a(module, str):
        return False
    if module == "builtins":
        return name not in _FETCHING_BUILTINS
    return (module in _PURE_MODULES or module.partition(".")[0] in _PURE_MODULES) and name not in _OF_FILES - {"load"}


def definition_of(function: FunctionType) -> Function | None:
    """Return the source of a function, parsed."""
    module: ParsedFile | None = parse_file(function.__code__.co_filename, function.__globals__)
    return module.function_of(function.__code__) if module else None


def bind_parameters(definition: Function, call: ast.Call, value: Callable[[ast.AST], Provenance]) -> Environment:
    """Return the origins of a function's parameters, given a call of it in the source."""
    spec = definition.args
    names = [each.arg for each in (*spec.posonlyargs, *spec.args)]
    environment = dict.fromkeys([*names, *(each.arg for each in spec.kwonlyargs)], LITERAL)
    own: Environment = {}
    if isinstance(call.func, ast.Attribute) and names[:1] in (["self"], ["cls"]):
        own[names.pop(0)] = value(call.func.value)
    plain = [each for each in call.args if not isinstance(each, ast.Starred)]
    environment |= {name: value(each) for name, each in zip(names, plain, strict=False)}
    environment |= {each.arg: value(each.value) for each in call.keywords if each.arg in environment}
    spread = [each for each in call.args if isinstance(each, ast.Starred)]
    spread_keywords = [each.value for each in call.keywords if each.arg is None]
    rest = merge(map(value, [*spread, *spread_keywords]))
    if rest.arguments:
        environment = {name: merge([origin, rest]) for name, origin in environment.items()}
    extra = [*plain[len(names) :], *(each.value for each in call.keywords if each.arg and each.arg not in environment)]
    collected = merge([rest, *map(value, extra)])
    return environment | {each.arg: collected for each in (spec.vararg, spec.kwarg) if each} | own


def _bodies(statement: ast.stmt) -> list[list[ast.stmt]]:
    """List the blocks of a compound statement; a definition's body runs later, if at all."""
    if isinstance(statement, Function | ast.ClassDef):
        return []
    bodies = [cast("list[ast.stmt]", getattr(statement, name, None) or []) for name in ("body", "orelse", "finalbody")]
    bodies += [handler.body for handler in getattr(statement, "handlers", ())]
    bodies += [case.body for case in getattr(statement, "cases", ())]
    return [body for body in bodies if body]


def _is_environment(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(value=ast.Name(id="os"), attr="environ" | "getenv"):
            return True
        case ast.Attribute(value=inner, attr="get"):
            return _is_environment(inner)
        case ast.Name(id="environ" | "getenv"):
            return True
        case _:
            return False
