"""What except clauses catch: which classes, whose words these carry, and whether cancellation is among them."""

import ast
import re
from collections.abc import Iterator

from errata.linter.analysis._control_flow import list_endings
from errata.linter.analysis._raised_errors import BROAD, list_caught, list_suppressions, raises_again
from errata.linter.syntax import Function, Site, Try, get_last_part, spell_name

# Exceptions of the operating system: their text names paths, hosts and error numbers.
_SYSTEM = frozenset(
    [
        "BlockingIOError",
        "BrokenPipeError",
        "ConnectionAbortedError",
        "ConnectionError",
        "ConnectionRefusedError",
        "ConnectionResetError",
        "EnvironmentError",
        "FileExistsError",
        "FileNotFoundError",
        "IOError",
        "InterruptedError",
        "IsADirectoryError",
        "NotADirectoryError",
        "OSError",
        "PermissionError",
        "TimeoutError",
    ]
)

# Libraries that talk to other systems; the text of their exceptions shows internals.
_LIBRARIES = frozenset(
    [
        "aiohttp",
        "aiomysql",
        "aioredis",
        "aiosqlite",
        "asyncpg",
        "azure",
        "boto3",
        "botocore",
        "cassandra",
        "clickhouse_connect",
        "clickhouse_driver",
        "elasticsearch",
        "ftplib",
        "google",
        "googleapiclient",
        "grpc",
        "http",
        "httpcore",
        "httpx",
        "imaplib",
        "kubernetes",
        "ldap3",
        "motor",
        "mysql",
        "neo4j",
        "openai",
        "opensearchpy",
        "paramiko",
        "pika",
        "psycopg",
        "psycopg2",
        "pymongo",
        "pymysql",
        "pyodbc",
        "redis",
        "requests",
        "selenium",
        "smtplib",
        "snowflake",
        "socket",
        "sqlalchemy",
        "sqlite3",
        "ssl",
        "subprocess",
        "urllib",
        "urllib3",
        "websockets",
    ]
)


def is_broad(function: Function, clause: ast.ExceptHandler) -> bool:
    """Return whether a clause catches every exception."""
    return not BROAD.isdisjoint(list_caught(function, clause))


def is_foreign(function: Function, clause: ast.ExceptHandler) -> bool:
    """Return whether a clause catches exceptions of the system or of libraries, whose text is not meant for clients."""
    return any(map(_is_foreign_class, list_caught(function, clause)))


def _is_foreign_class(name: str) -> bool:
    return name in BROAD or name in _SYSTEM or ("." in name and name.partition(".")[0] in _LIBRARIES)


def name_caught(function: Function, clause: ast.ExceptHandler) -> str:
    """Return what a clause catches, as a message names it."""
    names = [get_last_part(name) for name in list_caught(function, clause)]
    return f"`{names[0]}`" if len(names) == 1 else "exception"


_CANCELLED = frozenset({"Cancelled", "CancelledError", "get_cancelled_exc_class()"})
_ENDS_THINGS = re.compile(
    r"(^|_)(aclose|aexit|cancel|cleanup|close|dispose|disconnect|drain|lifespan|shutdown|stop|teardown)(_|$)"
    # The body of a background task, which other code cancels.
    r"|^_*(run|loop|worker|watcher|poller|listener|consumer)$|(^|_)(background|forever|loop|task|worker)(_|$)"
)
_AWAITING = (ast.Await, ast.AsyncWith, ast.AsyncFor)
_NOT_HERE = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def is_cancellation(name: str) -> bool:
    """Return whether a class is `CancelledError` or one of its bases."""
    return name == "BaseException" or get_last_part(name) in _CANCELLED


def swallows_cancellation(function: Function, site: Site[Try], clause: ast.ExceptHandler) -> bool:
    """Return whether an except clause stops the cancellation of the current call."""
    return (
        any(map(is_cancellation, list_caught(function, clause)))
        and not _is_let_through(function, site, clause)
        and not hands_over(clause)
        and not _tells_what_was_done(function, clause)
        and not _is_done(function, site.node.body)
        and awaits(site.node.body)
        and not ends_something(function)
    )


def find_suppressed_cancellations(function: Function) -> Iterator[tuple[ast.Call, str]]:
    """Find each `suppress(CancelledError)` around an `await`, with the class as it is written."""
    for site in function.withs:
        for call in list_suppressions(function, site.node.items):
            given = next((each for each in call.args if is_cancellation(function.resolve(each) or "")), None)
            if given is not None and awaits(site.node.body) and not ends_something(function):
                yield call, function.quote(given)


def _is_let_through(function: Function, site: Site[Try], clause: ast.ExceptHandler) -> bool:
    """Return whether cancellation is raised again, here or by an earlier clause."""
    if raises_again(clause) or {each.how for each in list_endings(clause.body)} == {"raise"}:
        return True
    if site.clause is not None and raises_again(site.clause):
        return True  # Caught again while cleaning up after the first cancellation, which is raised.
    before = site.node.handlers[: site.node.handlers.index(clause)]
    return any(is_cancellation(name) for each in before for name in list_caught(function, each))


def _is_done(function: Function, body: list[ast.stmt]) -> bool:
    """Return whether only tasks are awaited that the function tested with `done()`: that waits for nothing."""
    awaited = [node.value for each in body for node in ast.walk(each) if isinstance(node, ast.Await)]
    called = {spell_name(site.node.func) for site in function.calls}
    return bool(awaited) and all(isinstance(each, ast.Name) and f"{each.id}.done" in called for each in awaited)


def _tells_what_was_done(function: Function, clause: ast.ExceptHandler) -> bool:
    """Return whether a clause catches cancellation by name and returns a partial result at once."""
    if any(get_last_part(name) not in _CANCELLED for name in list_caught(function, clause)) or awaits(clause.body):
        return False
    return any(isinstance(each, ast.Return) and isinstance(each.value, ast.Name | ast.Call) for each in clause.body)


def hands_over(clause: ast.ExceptHandler) -> bool:
    """Return whether the caught exception is stored or passed on, so that other code can raise it."""
    for each in clause.body:
        for node in ast.walk(each):
            match node:
                case ast.Call(args=[*given]) if any(_is_name(value, clause.name) for value in given):
                    if isinstance(node.func, ast.Attribute):
                        return True
                case ast.Assign(value=value) if _is_name(value, clause.name):
                    return True
                case _:
                    continue
    return False


def _is_name(node: ast.expr, name: str | None) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def awaits(body: list[ast.stmt]) -> bool:
    """Return whether statements await something, not counting functions defined in them."""
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, _AWAITING):
            return True
        if not isinstance(node, _NOT_HERE):
            waiting.extend(ast.iter_child_nodes(node))
    return False


def ends_something(function: Function) -> bool:
    """Return whether a function cancels its own task, or is there to close things."""
    if _ENDS_THINGS.search(get_last_part(function.name).strip("_")):
        return True
    return any(isinstance(site.node.func, ast.Attribute) and site.node.func.attr == "cancel" for site in function.calls)
