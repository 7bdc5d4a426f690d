"""Calls that wait and let nothing else run meanwhile."""

import ast

from errata.linter._code import Function, Site
from errata.linter._origins import origin_of

_HTTP = ["get", "post", "put", "patch", "delete", "head", "options", "request", "send"]
_DATABASES = ["psycopg2", "psycopg", "pymysql", "MySQLdb", "mysql.connector", "pyodbc"]
_SHORT_S = 1  # Nobody misses a time limit for less than that.
# fmt: off
_BLOCKING = frozenset([
    *(f"{client}.{method}" for client in ("requests", "requests.Session()", "requests.session()") for method in _HTTP),
    *(f"{client}.{method}" for client in ("httpx", "httpx.Client()") for method in [*_HTTP, "stream"]),
    *(f"{driver}.connect" for driver in _DATABASES),
    *(f"{driver}.connect().cursor().{method}" for driver in _DATABASES for method in ("execute", "executemany")),
    "time.sleep",
    "urllib.request.urlopen", "urllib.request.urlretrieve",
    "subprocess.run", "subprocess.call", "subprocess.check_call", "subprocess.check_output", "subprocess.getoutput",
    "subprocess.Popen().wait", "subprocess.Popen().communicate", "os.system",
    "socket.create_connection", "smtplib.SMTP", "smtplib.SMTP_SSL",
])
# fmt: on
NAMES = frozenset(name.rpartition(".")[2] for name in _BLOCKING)


def blocking(function: Function, site: Site[ast.Call]) -> str | None:
    """Name what a call waits for without letting others run; None if it does not, or not here."""
    if site.is_put_off:
        return None
    origin = origin_of(function, site.node.func)
    if origin not in _BLOCKING or (origin == "time.sleep" and _is_short(site)):
        return None
    return origin.replace("()", "")


def _is_short(site: Site[ast.Call]) -> bool:
    """Whether a sleep is too short to matter; in a loop that may go on, even those add up."""
    if any(isinstance(block, ast.While) for block in site.blocks()):
        return False
    match site.node.args:
        case [ast.Constant(value=int(seconds) | float(seconds))]:
            return seconds < _SHORT_S
        case _:
            return False
