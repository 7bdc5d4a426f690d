"""Which exceptions an except clause catches: those with words of their authors', or whatever a library had to say."""

import ast

from errata.linter._code import Function
from errata.linter._names import last_of
from errata.linter._raising import BROAD, caught_by

# The operating system's: they name paths, hosts and numbers of errors.
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

# Libraries that talk to something else, and whose texts say how.
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
    """Whether a clause catches every error there is."""
    return not BROAD.isdisjoint(caught_by(function, clause))


def is_foreign(function: Function, clause: ast.ExceptHandler) -> bool:
    """Whether a clause catches errors whose text nobody wrote for the client of this server."""
    return any(map(_is_foreign_class, caught_by(function, clause)))


def _is_foreign_class(name: str) -> bool:
    return name in BROAD or name in _SYSTEM or ("." in name and name.partition(".")[0] in _LIBRARIES)


def name_of(function: Function, clause: ast.ExceptHandler) -> str:
    """Name what a clause catches, for a message."""
    names = [last_of(name) for name in caught_by(function, clause)]
    return f"`{names[0]}`" if len(names) == 1 else "exception"
