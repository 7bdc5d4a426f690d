"""MySQL and MariaDB: what their error numbers mean, whichever driver brings them."""

from errata.classification._answer import Classification, Rule, RuleResult, Table, first
from errata.classification._families._connection import NOT_SENT_IN_TIME, by_what_broke
from errata.classification._families._pep249 import driver
from errata.classification._reach import read_argument, read_number, read_text
from errata.classification._sqlstate import by_sqlstate
from errata.classification._verdicts import LOCKED, REFUSED
from errata.model import Code, Retry, is_a

_LOST = first(by_what_broke, Code.NETWORK_ERROR)  # Only the socket's own error tells a timeout from a hang-up.
_NO_CONNECTION = first(by_what_broke, REFUSED)
_POOL_IS_EMPTY = Classification(Code.SERVICE_UNAVAILABLE, Retry.SAME_CALL)

# fmt: off
_MEANING: dict[Rule, tuple[int, ...]] = {
    Code.CONFLICT: (
        1007, 1050, 1060, 1061, 1304, 1359, 1537, 1826,  # a database, table, column, key, routine… of that name exists
        1022, 1062, 1169, 1557, 1586, 1761, 1762, 1859,  # duplicate keys
        1216, 1217, 1451, 1452,                          # foreign keys
    ),
    LOCKED: (
        1020,                          # the row has changed since it was read
        1213, 3058,                    # deadlocks
        1223, 1689, 3572,              # locked by somebody else
        1613, 1614, 3101,              # rolled back by a deadlock, or by the group
    ),
    Classification(Code.TIMEOUT, Retry.SAME_CALL): (1205,),      # lock wait timeout: the statement was rolled back
    Code.TIMEOUT: (1159, 1161, 1969, 3024),
    Code.VALIDATION_FAILED: (
        1048, 1138, 1263, 1364,                          # null, or no default
        1264, 1265, 1292, 1300, 1365, 1366, 1367, 1406, 1411, 1416, 1426, 1427, 1441, 1525, 1690, 3140, 3141, 3156, 3157,
        1104, 1118, 1153, 1162, 1301, 2020,              # too much of it
        1369, 3819, 4025,                                # CHECK, and a view's CHECK OPTION
    ),
    Code.BUSINESS_RULE_VIOLATION: (1644,),               # SIGNAL: a stored program says so on purpose
    Code.UNAUTHORIZED: (1045, 1130, 1251, 1524, 1698, 1820, 1862, 3118, 3955, 4151, 2049),
    Code.FORBIDDEN: (1044, 1095, 1129, 1142, 1143, 1227, 1370, 1410, 1419, 1792, 2068),
    Code.CONFIGURATION_ERROR: (1046, 1049, 3159, 2054, 2058, 2059, 2061),
    Code.NOT_FOUND: (1008, 1094, 1329),
    Code.NOT_IMPLEMENTED: (1178, 1235, 1289, 2007),
    Code.SERVICE_UNAVAILABLE: (
        1040, 1203, 1226,                                # too many connections, of this user's too
        1037, 1038, 1041, 1135, 1637,                    # out of memory, threads, transactions
        1047, 1053, 1077, 1079, 1836, 3100, 3168,        # starting, stopping, out of its cluster, read-only
    ),
    Classification(Code.DATABASE_ERROR, Retry.NEVER): (1021, 1114),  # full
    Code.CANCELLED: (1317,),
    Code.NETWORK_ERROR: (1042, 1043, 1152, 1156, 1157, 1158, 1160, 1184, 1927, 2006, 2012, 2027, 4031),
    _LOST: (2013, 2055),
    _NO_CONNECTION: (2001, 2002, 2003, 2004),
    Classification(Code.NETWORK_ERROR, Retry.NEVER): (2005, 2026),  # an unknown host; TLS
    Code.INTERNAL_ERROR: (2014, 2030, 2048, 2051, 2053),  # the driver is not used as it must be
}
# fmt: on
_BY_NUMBER = {number: rule for rule, numbers in _MEANING.items() for number in numbers}


def by_mysql_number(error: BaseException) -> RuleResult:
    """The server's error number."""
    number = read_number(error, "errno")
    rule = _BY_NUMBER.get(read_number({"it": read_argument(error)}, "it") or 0 if number is None else number)
    return rule(error) if callable(rule) else rule


def _message(error: BaseException) -> str | None:
    """Find the message beside the number."""
    message = read_text(error, "msg") or read_argument(error, 1)
    return str.__str__(message) if is_a(message, str) and message else None


def _pool(error: BaseException) -> RuleResult:
    """Whether the pool is empty, or not set up properly."""
    return _POOL_IS_EMPTY if "exhausted" in (_message(error) or "") else Code.CONFIGURATION_ERROR


def _with_sqlstate(module: str) -> Table:
    return driver(module, by_mysql_number, by_sqlstate, words=_message)


TABLE: Table = {
    **driver("pymysql.err", by_mysql_number, words=_message),  # aiomysql raises these, too.
    "pymysql.err.MySQLError": Code.DATABASE_ERROR,
    **driver("MySQLdb._exceptions", by_mysql_number, words=_message),
    "MySQLdb._exceptions.MySQLError": Code.DATABASE_ERROR,
    **driver("asyncmy.errors", by_mysql_number, words=_message),
    "asyncmy.errors.MySQLError": Code.DATABASE_ERROR,
    **driver("cymysql.err", by_mysql_number, words=_message),
    **_with_sqlstate("mariadb"),
    "mariadb.PoolError": _POOL_IS_EMPTY,
    **_with_sqlstate("mysql.connector.errors"),
    "mysql.connector.errors.ConnectionTimeoutError": NOT_SENT_IN_TIME,
    "mysql.connector.errors.PoolError": _pool,
    "mysql.connector.errors.ReadTimeoutError": Code.TIMEOUT,
    "mysql.connector.errors.WriteTimeoutError": Code.TIMEOUT,
}
