"""Other SQL servers, each by its own error numbers: Oracle, SQL Server, Snowflake, Trino, ClickHouse; and mappers above them."""

import re

from errata.classification._carried import by_status
from errata.classification._error_codes import by_sqlstate, classify_sqlstate
from errata.classification._exception_rules import (
    BUG,
    LOCKED,
    NOT_SENT_IN_TIME,
    REFUSED,
    WITHHELD,
    Classification,
    Rule,
    RuleResult,
    Table,
    first,
    in_words,
    words_at,
)
from errata.classification._families._network import by_connection, by_what_broke, in_arguments
from errata.classification._families._refusals import flatten_problems, refuse
from errata.classification._families._sql_drivers import by_server_words, driver
from errata.classification._foreign import find_cause, peek, read_argument, read_exception, read_number, read_text
from errata.model import Code, Retry
from errata.redaction import text_of

_UP_TO_THE_PROGRAM = range(20_000, 21_000)
_ORACLE_CODE = re.compile(r"\b(ORA-[0-9]{5}|DP[YI]-[0-9]{4})\b")
_SQL_SERVER_NUMBER = re.compile(r"\(([0-9]{3,5})\)")
_CLICKHOUSE_CODE = re.compile(r"\b[Cc]ode: ([0-9]{1,4})\b")

# fmt: off
_ORACLE_MEANING: dict[Code | Classification, tuple[str, ...]] = {
    Code.CONFLICT: ("ORA-00001", "ORA-00955", "ORA-01430", "ORA-02291", "ORA-02292"),
    LOCKED: ("ORA-00054", "ORA-00060", "ORA-01555", "ORA-02049", "ORA-04020", "ORA-04021", "ORA-04068", "ORA-08176", "ORA-08177", "ORA-30006"),
    Code.VALIDATION_FAILED: (
        "ORA-01400", "ORA-01407", "ORA-02290", "ORA-01438", "ORA-01461", "ORA-12899", "ORA-01426", "ORA-01476", "ORA-01722", "ORA-06502",
        "ORA-01830", "ORA-01839", "ORA-01840", "ORA-01841", "ORA-01843", "ORA-01847", "ORA-01858", "ORA-01861", "ORA-02289",
    ),
    Code.UNAUTHORIZED: ("ORA-01005", "ORA-01017", "ORA-01045", "ORA-28000", "ORA-28001", "ORA-28009", "ORA-28040"),
    Code.FORBIDDEN: ("ORA-01031", "ORA-01039", "ORA-16000", "ORA-28150", "ORA-41900"),
    Code.NOT_FOUND: ("ORA-01403",),
    Code.TIMEOUT: ("ORA-00040", "ORA-03136", "DPY-4024", "DPI-1067"),
    NOT_SENT_IN_TIME: ("ORA-12170", "ORA-12535", "ORA-24496", "DPY-4005"),
    Code.CANCELLED: ("ORA-01013",),
    Code.SERVICE_UNAVAILABLE: (
        "ORA-00018", "ORA-00020", "ORA-01033", "ORA-01034", "ORA-01089", "ORA-01090", "ORA-01109", "ORA-01092", "ORA-27101",
        "ORA-12516", "ORA-12518", "ORA-12519", "ORA-12520", "ORA-12526", "ORA-12528", "ORA-24418", "ORA-04031", "ORA-02391", "DPY-6000",
    ),
    REFUSED: ("ORA-12541", "ORA-12543", "ORA-12545", "DPY-6005"),
    Code.NETWORK_ERROR: ("ORA-03113", "ORA-03114", "ORA-03135", "ORA-12537", "ORA-12547", "ORA-12571", "ORA-25408", "DPY-4011", "DPI-1080", "DPI-1010"),
    Code.CONFIGURATION_ERROR: ("ORA-12154", "ORA-12505", "ORA-12514", "ORA-12504", "DPY-4000", "DPY-4001", "DPY-4026", "DPY-4027", "DPY-6001", "DPY-6003", "DPI-1047"),
    Code.INTERNAL_ERROR: ("DPY-1001", "DPY-1002", "DPY-1003", "DPY-1006"),
    Code.NOT_IMPLEMENTED: ("DPY-3001", "DPY-3010", "DPY-3015"),
}
_SQL_SERVER_MEANING: dict[Code | Classification, tuple[int, ...]] = {
    Code.CONFLICT: (547, 2601, 2627, 2714),
    LOCKED: (1204, 1205, 1222, 3960, 3961),
    Code.VALIDATION_FAILED: (220, 241, 242, 245, 515, 2628, 8114, 8115, 8134, 8152),
    Code.UNAUTHORIZED: (18452, 18456, 18470, 18486, 18487, 18488),
    Code.FORBIDDEN: (229, 230, 262, 297, 300, 916, 3906),
    Code.CONFIGURATION_ERROR: (911, 4060),
    Code.SERVICE_UNAVAILABLE: (701, 802, 8645, 9001, 10928, 10929, 40197, 40501, 40613, 49918, 49919, 49920),
    Code.TIMEOUT: (20003,),
    REFUSED: (20009,),
    Code.NETWORK_ERROR: (64, 233, 10053, 10054, 10060, 20004, 20006),
    Code.BUSINESS_RULE_VIOLATION: (50000,),   # RAISERROR and THROW, on purpose
}
_ODBC: dict[str, Code | Classification] = {
    "IM002": Code.CONFIGURATION_ERROR, "IM003": Code.CONFIGURATION_ERROR,  # no such data source, no such driver
    "01000": Code.CONFIGURATION_ERROR,                                     # the driver's library does not load
    "HY008": Code.CANCELLED, "HYC00": Code.NOT_IMPLEMENTED, "HYT00": Code.TIMEOUT, "HYT01": NOT_SENT_IN_TIME,
}
_CLICKHOUSE_MEANING: dict[Code | Classification, tuple[int, ...]] = {
    Code.UNAUTHORIZED: (192, 193, 194, 516),
    Code.FORBIDDEN: (164, 291, 392, 497),
    Code.CONFLICT: (44, 57, 82, 253),
    Code.VALIDATION_FAILED: (6, 26, 27, 38, 41, 53, 69, 72, 131, 321, 349, 469),
    Code.CONFIGURATION_ERROR: (81,),
    Code.TIMEOUT: (159, 160, 209),
    Code.NETWORK_ERROR: (198, 210, 279),
    Code.SERVICE_UNAVAILABLE: (173, 202, 203, 225, 236, 241, 242, 252, 319, 425, 439, 745, 999),
    Code.RATE_LIMITED: (201,),
    Code.CANCELLED: (394, 734),
    Code.NOT_IMPLEMENTED: (1, 48),
    Classification(Code.DATABASE_ERROR, Retry.NEVER): (243,),
}
_SNOWFLAKE: dict[int, Code | Classification] = {
    606: Code.CONFIGURATION_ERROR,                                          # no warehouse is selected
    630: Code.TIMEOUT, 604: Code.CANCELLED, 625: LOCKED,
    2003: Code.DATABASE_ERROR, 3001: Code.FORBIDDEN, 2043: Code.DATABASE_ERROR,
    250_003: Code.NETWORK_ERROR, 251_005: Code.CONFIGURATION_ERROR, 251_006: Code.CONFIGURATION_ERROR, 251_008: Code.CONFIGURATION_ERROR,
    390_100: Code.UNAUTHORIZED, 390_101: Code.UNAUTHORIZED, 390_104: Code.UNAUTHORIZED, 390_111: Code.UNAUTHORIZED, 390_114: Code.UNAUTHORIZED,
    390_144: Code.UNAUTHORIZED, 390_189: Code.CONFIGURATION_ERROR, 390_201: Code.CONFIGURATION_ERROR,
}
_TRINO: dict[str, Code | Classification] = {
    "PERMISSION_DENIED": Code.FORBIDDEN, "ALREADY_EXISTS": Code.CONFLICT, "TABLE_ALREADY_EXISTS": Code.CONFLICT, "SCHEMA_ALREADY_EXISTS": Code.CONFLICT,
    "NOT_SUPPORTED": Code.NOT_IMPLEMENTED, "USER_CANCELED": Code.CANCELLED, "CONSTRAINT_VIOLATION": Code.CONFLICT,
    "TRANSACTION_CONFLICT": LOCKED, "EXCEEDED_TIME_LIMIT": Code.TIMEOUT, "ABANDONED_QUERY": Code.TIMEOUT,
    "INVALID_CAST_ARGUMENT": Code.VALIDATION_FAILED, "INVALID_FUNCTION_ARGUMENT": Code.VALIDATION_FAILED, "DIVISION_BY_ZERO": Code.VALIDATION_FAILED,
    "NUMERIC_VALUE_OUT_OF_RANGE": Code.VALIDATION_FAILED, "CATALOG_NOT_FOUND": Code.CONFIGURATION_ERROR, "QUERY_QUEUE_FULL": Code.RATE_LIMITED,
    "QUERY_REJECTED": Code.RATE_LIMITED,
}
_TRINO_KINDS: dict[str, Code | Classification] = {"INSUFFICIENT_RESOURCES": Code.SERVICE_UNAVAILABLE, "EXTERNAL": Code.UPSTREAM_ERROR}
_UNAVAILABLE_AT_TRINO = frozenset({"NO_NODES_AVAILABLE", "SERVER_SHUTTING_DOWN", "SERVER_STARTING_UP", "CLUSTER_OUT_OF_MEMORY", "TOO_MANY_REQUESTS_FAILED"})
# fmt: on
_ORACLE = {code: known for known, codes in _ORACLE_MEANING.items() for code in codes}
_SQL_SERVER = {number: known for known, numbers in _SQL_SERVER_MEANING.items() for number in numbers}
_CLICKHOUSE = {code: known for known, codes in _CLICKHOUSE_MEANING.items() for code in codes}


def _by_oracle_code(error: BaseException) -> RuleResult:
    """Oracle's error code, `ORA-00001` or the driver's own."""
    full = read_text(read_argument(error), "full_code")
    code = full or ((match := _ORACLE_CODE.search(text_of(error)[:4000])) and match[1]) or ""
    if code.startswith("ORA-2") and code[4:].isdecimal() and int(code[4:]) in _UP_TO_THE_PROGRAM:
        return Code.BUSINESS_RULE_VIOLATION  # RAISE_APPLICATION_ERROR: a stored program says so on purpose.
    return _ORACLE.get(code)


def _by_odbc_state(error: BaseException) -> RuleResult:
    """The SQLSTATE it starts with, and SQL Server's number in its text."""
    state = read_text({"it": read_argument(error)}, "it") or ""
    text = text_of(error)[:4000]
    numbers = map(int, _SQL_SERVER_NUMBER.findall(text)) if "SQL Server" in text else ()
    known = next((_SQL_SERVER[number] for number in numbers if number in _SQL_SERVER), None)
    if known is None and state in _ODBC:
        known = _ODBC[state]
    return known or (classify_sqlstate(state) if state[:2] in {"08", "28", "40", "57"} else None)


def _by_sql_server_number(error: BaseException) -> RuleResult:
    """SQL Server's error number."""
    number = read_number(error, "number")
    return _SQL_SERVER.get(read_number({"it": read_argument(error)}, "it") or 0 if number is None else number)


def _by_snowflake_number(error: BaseException) -> RuleResult:
    """Snowflake's error number."""
    return _SNOWFLAKE.get(read_number(error, "errno") or 0)


def _by_trino_name(error: BaseException) -> RuleResult:
    """Trino's name for the failure."""
    name = read_text(error, "error_name") or ""
    if name in _UNAVAILABLE_AT_TRINO:
        return Code.SERVICE_UNAVAILABLE
    return _TRINO.get(name) or _TRINO_KINDS.get(read_text(error, "error_type") or "", Code.DATABASE_ERROR)


def _by_clickhouse_code(error: BaseException) -> RuleResult:
    """ClickHouse's error code."""
    code = read_number(error, "code")
    match = _CLICKHOUSE_CODE.search(text_of(error)[:1000])
    return _CLICKHOUSE.get(code or (int(match[1]) if match else 0))


_TRINO_ROW = in_words(words_at("message"), _by_trino_name)

_SERVERS: Table = {
    **driver("oracledb.exceptions", _by_oracle_code, words=lambda error: read_text(read_argument(error), "message")),
    **driver("cx_Oracle", _by_oracle_code, words=lambda error: read_text(read_argument(error), "message")),
    **driver("pyodbc", _by_odbc_state),  # aioodbc raises these, too.
    **driver("pymssql.exceptions", _by_sql_server_number),
    **driver("pymssql._pymssql", _by_sql_server_number),
    **driver("pytds.tds_base", _by_sql_server_number),
    **driver(
        "snowflake.connector.errors", _by_snowflake_number, by_server_words, by_sqlstate, words=words_at("raw_msg")
    ),
    **driver("trino.exceptions"),
    "trino.exceptions.HttpError": first(by_status, Code.UPSTREAM_ERROR),
    "trino.exceptions.TrinoConnectionError": by_connection,
    "trino.exceptions.TrinoQueryError": _TRINO_ROW,
    "trino.exceptions.TrinoExternalError": _TRINO_ROW,
    "trino.exceptions.TrinoInternalError": _TRINO_ROW,
    "trino.exceptions.TrinoUserError": _TRINO_ROW,
    "prestodb.exceptions.PrestoQueryError": _TRINO_ROW,
    "prestodb.exceptions.PrestoUserError": _TRINO_ROW,
    **driver("clickhouse_connect.driver.exceptions", _by_clickhouse_code),
    **driver("clickhouse_driver.dbapi.errors", _by_clickhouse_code),
    "clickhouse_driver.errors.Error": first(_by_clickhouse_code, Code.DATABASE_ERROR),
    "clickhouse_driver.errors.NetworkError": by_connection,
    "clickhouse_driver.errors.ServerException": first(_by_clickhouse_code, Code.DATABASE_ERROR),
    **driver("databricks.sql.exc", by_what_broke),
    **driver("vertica_python.errors", by_sqlstate),
    "vertica_python.errors.ConnectionError": first(by_what_broke, Code.NETWORK_ERROR),
    **driver("adbc_driver_manager", by_sqlstate),
    **driver("ibm_db_dbi"),
    **driver("hdbcli.dbapi"),
    **driver("teradatasql"),
    **driver("pyhive.exc"),
    **driver("pyathena.error"),
    **driver("impala.error"),
    **driver("firebird.driver.types", by_sqlstate),
    **driver("fdb.fbcore"),
    **driver("phoenixdb.errors", by_sqlstate),
    **driver("pinotdb.exceptions"),
    **driver("pydruid.db.exceptions"),
    **driver("sqlanydb"),
    **driver("libsql_client.dbapi2"),
}
# fmt: on


# Object-relational mappers: a driver's exception inside them is asked; what is their own has rows here.


"""Several rows where one was asked for: what was asked for does not say which."""


def _orig(error: BaseException) -> RuleResult:
    """The driver's exception, in `orig`."""
    return read_exception(error, "orig") or (find_cause(error) if by_sqlstate(error) is None else None)


def _about_the_url(error: BaseException) -> RuleResult:
    """Whether it is about the URL of the database."""
    return Classification(Code.CONFIGURATION_ERROR, text=WITHHELD) if " URL" in text_of(error)[:1000] else None


def _table(error: BaseException) -> RuleResult:
    """The name of the table, which is all its text is."""
    return Classification(Code.NOT_FOUND, text=f"The table `{text_of(error)[:200]}` does not exist.")


def _without_sql(error: BaseException) -> RuleResult:
    """Its first line: the rest is the query and its parameters."""
    return Classification(Code.NOT_FOUND, text=text_of(error).partition("\n")[0].rstrip(": ") or None)


def _by_fields(error: BaseException) -> RuleResult:
    """Which field breaks which rule."""
    return refuse(flatten_problems(peek(error, "message_dict") or peek(error, "messages")))


def _by_wrapped(module: str, rule: Rule) -> Table:
    return driver(module, rule)


# fmt: off
_SQLALCHEMY: dict[str, Rule] = {
    "exc.ArgumentError": first(_about_the_url, BUG),
    "exc.DBAPIError": first(_orig, by_sqlstate, Code.DATABASE_ERROR),
    "exc.EmulatedDBAPIException": first(_orig, by_sqlstate, Code.DATABASE_ERROR),
    "exc.NoSuchTableError": _table,
    "exc.StatementError": first(_orig, BUG),
}
_DJANGO: dict[str, Rule] = {
    "core.exceptions.ValidationError": _by_fields,
}
_TORTOISE: dict[str, Rule] = {
    "DBConnectionError": first(find_cause, Code.NETWORK_ERROR),
    "IntegrityError": first(find_cause, in_arguments, Code.CONFLICT),
    "OperationalError": first(find_cause, in_arguments, Code.DATABASE_ERROR),
}
_MAPPERS: Table = {
    **_by_wrapped("sqlalchemy.exc", first(_orig, by_sqlstate)),
    **{f"sqlalchemy.{name}": rule for name, rule in _SQLALCHEMY.items()},
    **_by_wrapped("django.db.utils", find_cause),
    **{f"django.{name}": rule for name, rule in _DJANGO.items()},
    **_by_wrapped("peewee", in_arguments),
    "peewee.DoesNotExist": _without_sql,
    **{f"tortoise.exceptions.{name}": rule for name, rule in _TORTOISE.items()},
}
# fmt: on

TABLE: Table = {**_SERVERS, **_MAPPERS}
