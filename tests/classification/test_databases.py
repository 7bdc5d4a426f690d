"""Databases: the same failure means the same, whichever driver or mapper brings it."""

import sqlite3

import pytest
from support.library_tables import Library, check_decided, check_names, module, raised

from errata import Code, Retry, classify
from errata.classification._families import PEP249

WARNINGS = frozenset({"builtins.Warning"})
ELASTIC_7 = frozenset(
    f"elasticsearch.exceptions.{name}"
    for name in ("ConnectionError", "ConnectionTimeout", "ImproperlyConfigured", "SSLError", "SerializationError", "TransportError")
) | {"elasticsearch.exceptions.RequestError"}  # fmt: skip
SQLALCHEMY_MISUSED = frozenset({
    *(f"sqlalchemy.exc.{name}" for name in (
        "AmbiguousColumnError", "AwaitRequired", "ConstraintColumnNotFoundError", "IllegalStateChangeError", "MissingGreenlet",
        "NoInspectionAvailable", "NoReferenceError", "NoReferencedColumnError", "NoReferencedTableError", "ObjectNotExecutableError",
        "PendingRollbackError", "ResourceClosedError", "UnboundExecutionError",
    )),
    *(f"sqlalchemy.orm.exc.{name}" for name in (
        "LoaderStrategyException", "MappedAnnotationError", "UnmappedClassError", "UnmappedColumnError", "UnmappedError", "UnmappedInstanceError",
    )),
})  # fmt: skip
NEEDS_GREENLET = frozenset(
    f"sqlalchemy.ext.asyncio.exc.{name}"
    for name in ("AsyncContextAlreadyStarted", "AsyncContextNotStarted", "AsyncMethodRequired")
)
LIBRARIES = [
    Library("sqlite3", ("sqlite3",)),
    Library("psycopg", ("psycopg", "psycopg.errors"), telling=frozenset({"psycopg.Error"})),
    Library("psycopg2", ("psycopg2", "psycopg2.extensions", "psycopg2.pool", "psycopg2.errors"), telling=frozenset({"psycopg2.Error"})),
    Library(
        "asyncpg",
        ("asyncpg.exceptions",),
        telling=frozenset({"asyncpg.exceptions._base.PostgresError", "builtins.Warning"}),
    ),
    Library("pymysql", ("pymysql.err",), telling=WARNINGS),
    Library("mysql.connector", ("mysql.connector.errors",)),
    Library("_duckdb", ("_duckdb",), former=frozenset({"_duckdb.InterfaceError"})),
    Library(
        "sqlalchemy",
        ("sqlalchemy.exc", "sqlalchemy.orm.exc", "sqlalchemy.connectors.asyncio"),
        inherited=SQLALCHEMY_MISUSED | {"sqlalchemy.connectors.asyncio.AsyncAdapt_Error"},
        telling=WARNINGS,
        former=NEEDS_GREENLET | {"sqlalchemy.exc.Error", "sqlalchemy.exc.Warning"},
    ),
    Library("peewee", ("peewee",), former=frozenset({"peewee.Error", "peewee.Warning"})),
    Library("redis", ("redis.exceptions", "redis.sentinel", "redis.auth.err", "redis.multidb.exception")),
    Library(
        "pymongo",
        ("pymongo.errors",),
        inherited=frozenset({"pymongo.errors._OperationCancelled"}),
        former=frozenset({"pymongo.errors.ExceededMaxWaiters", "pymongo.errors.NotMasterError"}),
    ),
    Library("bson", ("bson.errors",)),
    Library("gridfs", ("gridfs.errors",)),
    Library(
        "elasticsearch",
        ("elasticsearch", "elasticsearch.helpers", "elasticsearch.dsl.exceptions"),
        inherited=frozenset({"elasticsearch.dsl.exceptions.ElasticsearchDslException"}),
        telling=WARNINGS,
        former=ELASTIC_7,
    ),
    Library("elastic_transport", ("elastic_transport",), telling=WARNINGS),
    Library("neo4j", ("neo4j.exceptions",)),
]  # fmt: skip


def like(dotted_name, *bases):
    """Make a class as a library that is not installed has it."""
    home, _, name = dotted_name.rpartition(".")
    return type(name, bases or (Exception,), {"__module__": home})


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.package)
def test_every_name_is_a_class_of_its_library(library):
    check_names(library)


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.package)
def test_every_exception_of_the_library_is_decided(library):
    check_decided(library)


# fmt: off
SQLITE = {
    "insert into t values (1, 'b', 1)":      (Code.CONFLICT, Retry.FIX_INPUT),
    "insert into t values (2, null, 1)":     (Code.VALIDATION_FAILED, Retry.FIX_INPUT),
    "insert into t values (2, 'b', -1)":     (Code.VALIDATION_FAILED, Retry.FIX_INPUT),
    "insert into t values ('two', 'b', 1)":  (Code.VALIDATION_FAILED, Retry.FIX_INPUT),
    "select nothing from t":                 (Code.DATABASE_ERROR, Retry.NEVER),
    "select * from nowhere":                 (Code.DATABASE_ERROR, Retry.NEVER),
    "insert into t values (-1, 'b', 1)":     (Code.BUSINESS_RULE_VIOLATION, Retry.NEVER),
}
# fmt: on


@pytest.mark.parametrize(("statement", "expected"), SQLITE.items())
def test_sqlite_is_judged_by_its_result_code(statement, expected):
    with sqlite3.connect(":memory:") as connection:
        connection.executescript(
            "create table t (a integer primary key, b text not null, c integer check (c > 0)); insert into t values (1, 'a', 1);"
            "create trigger g before insert on t when new.a < 0 begin select raise(abort, 'no negative numbers'); end"
        )
        error = raised(lambda: connection.execute(statement))
    connection.close()
    fault = classify(error)
    assert (fault.code, fault.retry) == expected


def test_a_locked_sqlite_may_be_tried_again_with_and_without_its_code(tmp_path):
    one, two = (sqlite3.connect(tmp_path / "db", timeout=0) for _ in range(2))
    one.executescript("create table t (a); begin exclusive")
    found = raised(lambda: two.execute("select * from t"))
    one.close()
    two.close()
    for error in (found, sqlite3.OperationalError("database is locked")):
        assert (classify(error).code, classify(error).retry) == (Code.CONFLICT, Retry.SAME_CALL)


# fmt: off
LIBPQ = {
    'connection to server at "h", port 5432 failed: Connection refused': (Code.NETWORK_ERROR, Retry.SAME_CALL),
    'could not translate host name "h" to address: Name or service not known': (Code.NETWORK_ERROR, Retry.NEVER),
    'connection failed: FATAL:  password authentication failed for user "u"': (Code.UNAUTHORIZED, Retry.NEVER),
    'connection failed: FATAL:  database "nope" does not exist': (Code.CONFIGURATION_ERROR, Retry.NEVER),
    'connection failed: FATAL:  role "nobody" does not exist': (Code.UNAUTHORIZED, Retry.NEVER),
    "connection failed: FATAL:  sorry, too many clients already": (Code.SERVICE_UNAVAILABLE, Retry.SAME_CALL),
    "connection failed: FATAL:  the database system is starting up": (Code.SERVICE_UNAVAILABLE, Retry.SAME_CALL),
    "server closed the connection unexpectedly": (Code.NETWORK_ERROR, Retry.IF_HARMLESS),
    "SSL error: certificate verify failed": (Code.NETWORK_ERROR, Retry.NEVER),
    "timeout expired": (Code.TIMEOUT, Retry.SAME_CALL),
    "the connection is closed": (Code.INTERNAL_ERROR, Retry.NEVER),
}
# fmt: on


@pytest.mark.parametrize("driver", ["psycopg", "psycopg2"])
@pytest.mark.parametrize(("text", "expected"), LIBPQ.items())
def test_what_libpq_says_about_a_connection_is_understood(driver, text, expected):
    fault = classify(module(driver).OperationalError(text))
    assert (fault.code, fault.retry) == expected


@pytest.mark.parametrize(
    ("driver", "name"),
    [("psycopg.errors", "DeadlockDetected"), ("psycopg2.errors", "DeadlockDetected"), ("asyncpg.exceptions", "DeadlockDetectedError")],
)  # fmt: skip
def test_a_deadlock_is_the_same_in_every_driver_of_postgresql(driver, name):
    fault = classify(getattr(module(driver), name)("deadlock detected"))
    assert (fault.code, fault.retry) == (Code.CONFLICT, Retry.SAME_CALL)


def test_a_row_that_postgresql_quotes_is_not_told():
    errors = module("psycopg.errors")
    # As the server's reply has it: the fields of the diagnostics, by their letters.
    info = {
        ord("M"): b"null value in column violates not-null constraint",
        ord("D"): b"Failing row contains (7, hunter2).",
    }
    error = errors.NotNullViolation("null value…\nDETAIL:  Failing row contains (7, hunter2).", info=info)
    assert classify(error).message == "null value in column violates not-null constraint"


def test_a_statement_that_somebody_cancelled_is_not_a_timeout():
    errors = module("psycopg.errors")
    assert classify(errors.QueryCanceled("canceling statement due to user request")).code is Code.CANCELLED
    assert classify(errors.QueryCanceled("canceling statement due to statement timeout")).code is Code.TIMEOUT


# fmt: off
MYSQL = {
    1062: (Code.CONFLICT, Retry.FIX_INPUT), 1452: (Code.CONFLICT, Retry.FIX_INPUT), 1213: (Code.CONFLICT, Retry.SAME_CALL),
    1048: (Code.VALIDATION_FAILED, Retry.FIX_INPUT), 1045: (Code.UNAUTHORIZED, Retry.NEVER), 1142: (Code.FORBIDDEN, Retry.NEVER),
    1049: (Code.CONFIGURATION_ERROR, Retry.NEVER), 1040: (Code.SERVICE_UNAVAILABLE, Retry.SAME_CALL), 1205: (Code.TIMEOUT, Retry.SAME_CALL),
    2006: (Code.NETWORK_ERROR, Retry.IF_HARMLESS), 2005: (Code.NETWORK_ERROR, Retry.NEVER), 1146: (Code.DATABASE_ERROR, Retry.NEVER),
}
# fmt: on


@pytest.mark.parametrize(("number", "expected"), MYSQL.items())
def test_the_numbers_of_mysql_mean_the_same_in_every_driver(number, expected):
    errors = [
        module("pymysql.err").OperationalError(number, "said"),
        module("mysql.connector.errors").DatabaseError("said", errno=number),
        like("MySQLdb._exceptions.OperationalError")(number, "said"),
    ]
    for error in errors:
        fault = classify(error)
        assert (fault.code, fault.retry, fault.message) == (*expected, "said")


@pytest.mark.parametrize("url", ["postgresql+psycopg://u@127.0.0.1:{}/x", "mysql+pymysql://u@127.0.0.1:{}/x"])
def test_sqlalchemy_is_looked_through(url, closed_port):
    sqlalchemy = module("sqlalchemy")
    module("psycopg")
    module("pymysql")
    fault = classify(raised(sqlalchemy.create_engine(url.format(closed_port)).connect))
    assert (fault.code, fault.retry) == (Code.NETWORK_ERROR, Retry.SAME_CALL)
    assert "sqlalche.me" not in fault.message


def test_the_statement_and_its_parameters_are_not_told():
    sqlalchemy = module("sqlalchemy")
    engine = sqlalchemy.create_engine("sqlite://")
    with engine.connect() as connection:
        error = raised(lambda: connection.execute(sqlalchemy.text("selct :secret"), {"secret": "hunter2"}))
    engine.dispose()
    assert "hunter2" in str(error)
    assert classify(error).message == 'near "selct": syntax error'


def test_peewee_tells_no_query():
    peewee = module("peewee")
    database = peewee.SqliteDatabase(":memory:")
    user = type(
        "User",
        (peewee.Model,),
        {"name": peewee.CharField(unique=True), "Meta": type("Meta", (), {"database": database})},
    )
    database.create_tables([user])
    user.create(name="a")
    assert classify(raised(lambda: user.create(name="a"))).code is Code.CONFLICT
    missing = classify(raised(lambda: user.get(user.name == "hunter2")))
    assert missing.code is Code.NOT_FOUND
    assert "hunter2" not in missing.message
    database.close()


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("BUSY Redis is busy running a script", Code.SERVICE_UNAVAILABLE),
        ("MISCONF Redis is configured to save RDB snapshots", Code.DATABASE_ERROR),
        ("BUSYGROUP Consumer Group name already exists", Code.CONFLICT),
        ("NOAUTH Authentication required.", Code.UNAUTHORIZED),
        ("NOPERM this user has no permissions", Code.FORBIDDEN),
        ("MOVED 3999 127.0.0.1:6381", Code.SERVICE_UNAVAILABLE),
        ("WRONGTYPE Operation against a key holding the wrong kind of value", Code.DATABASE_ERROR),
        ("ERR max number of clients reached", Code.SERVICE_UNAVAILABLE),
    ],
)
def test_redis_is_judged_by_the_word_its_reply_begins_with(reply, expected):
    error = module("redis._parsers.base").BaseParser.parse_error(reply)
    assert classify(error).code is expected


def test_nobody_at_home_at_redis(closed_port):
    redis = module("redis")
    client = redis.Redis(port=closed_port, retry=None)
    fault = classify(raised(client.ping))
    assert (fault.code, fault.retry) == (Code.NETWORK_ERROR, Retry.SAME_CALL)


@pytest.mark.parametrize(
    ("code", "expected"),
    [(13, Code.FORBIDDEN), (18, Code.UNAUTHORIZED), (50, Code.TIMEOUT), (121, Code.VALIDATION_FAILED), (11000, Code.CONFLICT), (431, Code.DATABASE_ERROR)],
)  # fmt: skip
def test_mongodb_is_judged_by_its_code_which_is_no_status(code, expected):
    errors = module("pymongo.errors")
    fault = classify(errors.OperationFailure("failed", code, {"errmsg": "said", "code": code}))
    assert (fault.code, fault.message) == (expected, "said")


def test_a_transaction_that_mongodb_calls_transient_may_be_tried_again():
    errors = module("pymongo.errors")
    labelled = errors.OperationFailure("failed", 1, {"errorLabels": ["TransientTransactionError"]})
    unknown = errors.OperationFailure("failed", 64, {"errorLabels": ["UnknownTransactionCommitResult"]})
    assert classify(labelled).retry is Retry.SAME_CALL
    assert classify(unknown).retry is Retry.VERIFY_FIRST


def test_the_documents_of_a_bulk_write_are_not_told():
    errors = module("pymongo.errors")
    failed = {"index": 0, "code": 11000, "errmsg": "E11000 duplicate key", "op": {"password": "hunter2"}}
    fault = classify(errors.BulkWriteError({"writeErrors": [failed], "writeConcernErrors": []}))
    assert (fault.code, fault.message) == (Code.CONFLICT, "E11000 duplicate key")


def test_elasticsearch_says_how_long_to_wait():
    elasticsearch, transport = module("elasticsearch"), module("elastic_transport")
    node = transport.NodeConfig("http", "localhost", 9200)
    headers = transport.HttpHeaders({"Retry-After": "7"})
    meta = transport.ApiResponseMeta(status=429, http_version="1.1", headers=headers, duration=0.1, node=node)
    fault = classify(elasticsearch.ApiError("circuit_breaking_exception", meta, {}))
    assert (fault.code, fault.http_status, fault.retry_after_ms) == (Code.RATE_LIMITED, 429, 7000)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("Neo.ClientError.Statement.SyntaxError", (Code.DATABASE_ERROR, Retry.NEVER)),
        ("Neo.ClientError.Schema.ConstraintValidationFailed", (Code.CONFLICT, Retry.FIX_INPUT)),
        ("Neo.ClientError.Security.Unauthorized", (Code.UNAUTHORIZED, Retry.NEVER)),
        ("Neo.ClientError.Transaction.TransactionTimedOut", (Code.TIMEOUT, Retry.IF_HARMLESS)),
        ("Neo.TransientError.Transaction.DeadlockDetected", (Code.CONFLICT, Retry.SAME_CALL)),
        ("Neo.TransientError.General.NobodyKnowsThisOne", (Code.SERVICE_UNAVAILABLE, Retry.SAME_CALL)),
    ],
)
def test_neo4j_is_judged_by_its_code_and_told_in_its_words(code, expected):
    error = module("neo4j.exceptions").Neo4jError._hydrate_neo4j(code=code, message="said")
    fault = classify(error)
    assert (fault.code, fault.retry, fault.message) == (*expected, "said")


def test_duckdb_tells_its_constraints_apart():
    duckdb = module("duckdb")
    with duckdb.connect() as connection:
        connection.execute("create table t (a integer primary key, b text not null); insert into t values (1, 'a')")
        double = raised(lambda: connection.execute("insert into t values (1, 'b')"))
        empty = raised(lambda: connection.execute("insert into t values (2, null)"))
    assert (classify(double).code, classify(empty).code) == (Code.CONFLICT, Code.VALIDATION_FAILED)


def oracle(full_code):
    return like("oracledb.exceptions.DatabaseError")(type("_Error", (), {"full_code": full_code, "message": "said"})())


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (oracle("ORA-00001"), Code.CONFLICT),
        (oracle("ORA-01017"), Code.UNAUTHORIZED),
        (oracle("ORA-20042"), Code.BUSINESS_RULE_VIOLATION),
        (oracle("DPY-6005"), Code.NETWORK_ERROR),
        (like("pyodbc.InterfaceError")("IM002", "[IM002] Data source name not found"), Code.CONFIGURATION_ERROR),
        (like("pyodbc.IntegrityError")("23000", "[23000] [Microsoft][SQL Server]Cannot insert the value NULL (515)"), Code.VALIDATION_FAILED),
        (like("pyodbc.ProgrammingError")("42S02", "[42S02] Invalid object name 'x'. (208)"), Code.DATABASE_ERROR),
        (like("pyodbc.Error")("40001", "[40001] deadlock victim"), Code.CONFLICT),
        (like("pymssql.exceptions.OperationalError")(18456, b"Login failed"), Code.UNAUTHORIZED),
        (like("cassandra.Unavailable")("not enough replicas"), Code.SERVICE_UNAVAILABLE),
        (like("mongoengine.errors.NotUniqueError")("tried to save duplicate"), Code.CONFLICT),
        (like("valkey.exceptions.ResponseError")("NOREPLICAS Not enough good replicas"), Code.SERVICE_UNAVAILABLE),
        (like("couchbase.exceptions.DocumentNotFoundException")("x"), Code.NOT_FOUND),
    ],
    ids=lambda given: type(given).__name__,
)  # fmt: skip
def test_libraries_that_are_not_installed_are_known_by_name(error, expected):
    assert classify(error).code is expected


def test_django_is_looked_through_to_the_driver():
    error = like("django.db.utils.OperationalError")("database is locked")
    error.__cause__ = sqlite3.OperationalError("database is locked")
    assert (classify(error).code, classify(error).retry) == (Code.CONFLICT, Retry.SAME_CALL)
    assert (
        classify(like("django.db.utils.IntegrityError")("NOT NULL constraint failed: t.a")).code
        is Code.VALIDATION_FAILED
    )


def test_the_nine_names_of_pep_249_are_decided_for_drivers_nobody_knows():
    nine = {"Error", "InterfaceError", "DatabaseError", "DataError", "OperationalError", "IntegrityError", "InternalError", "ProgrammingError", "NotSupportedError"}  # fmt: skip
    assert nine <= set(PEP249)
