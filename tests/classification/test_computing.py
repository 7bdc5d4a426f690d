"""Libraries that compute: numbers that do not work out are the caller's, misuse of the library is a bug."""

import importlib
import io
import sqlite3

import pytest
from support.library_tables import Library, check_decided, check_names, need, raised

from errata import Code, Retry, classify

LIBRARIES = [
    Library("pandas", ("pandas.errors",), telling=frozenset({"builtins.Warning", "pandas.errors.PyperclipException"})),
    Library(
        "numpy",
        ("numpy.exceptions", "numpy.linalg", "numpy.ma.core"),
        telling=frozenset({"builtins.Warning", "numpy.ma.core.MAError"}),
    ),
]


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda each: each.package)
def test_every_name_in_the_table_is_a_class_of_its_library(library):
    check_names(library)


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda each: each.package)
def test_every_exception_of_the_library_was_decided_about(library):
    check_decided(library)


def look_alike(name, *bases, text="…"):
    """Make an exception of a class that has the name of a library's class."""
    where, _, called = name.rpartition(".")
    return type(called, bases or (Exception,), {"__module__": where, "__qualname__": called})(text)


@pytest.fixture
def pandas():
    need("pandas")
    return importlib.import_module("pandas")


def test_what_pandas_cannot_read_or_put_together(pandas):
    frame = pandas.DataFrame({"a": [1]})
    assert classify(raised(pandas.read_csv, io.StringIO(""))).code is Code.SERIALIZATION_ERROR
    assert classify(raised(pandas.read_csv, io.StringIO("a\n1\n1,2,3"))).code is Code.SERIALIZATION_ERROR
    assert classify(raised(frame.merge, pandas.DataFrame({"b": [1]}))).code is Code.VALIDATION_FAILED
    assert classify(raised(frame.query, "no_such_column > 1")).code is Code.INVALID_PARAMS


def test_a_database_below_pandas_speaks_for_itself(pandas):
    below = sqlite3.OperationalError("database is locked")
    error = pandas.errors.DatabaseError("Execution failed on sql 'SELECT secret FROM t': database is locked")
    error.__cause__ = below
    fault = classify(error)
    assert fault.code is classify(below).code
    assert "SELECT" not in fault.message


@pytest.mark.parametrize(
    ("error", "code", "retry"),
    [
        (look_alike("geopy.exc.GeocoderUnavailable", OSError), Code.NETWORK_ERROR, Retry.SAME_CALL),
        (look_alike("geopy.exc.GeocoderRateLimited", OSError), Code.RATE_LIMITED, Retry.SAME_CALL),
        (look_alike("networkx.exception.NetworkXNoPath"), Code.NOT_FOUND, Retry.FIX_INPUT),
        (look_alike("sklearn.exceptions.NotFittedError", ValueError, AttributeError), Code.INTERNAL_ERROR, Retry.NEVER),
        (look_alike("pyarrow.lib.ArrowInvalid", ValueError), Code.SERIALIZATION_ERROR, Retry.NEVER),
        (look_alike("polars.exceptions.ColumnNotFoundError"), Code.NOT_FOUND, Retry.FIX_INPUT),
        (look_alike("torch.OutOfMemoryError", RuntimeError), Code.SERVICE_UNAVAILABLE, Retry.SAME_CALL),
        (look_alike("numpy._core._exceptions._ArrayMemoryError", MemoryError), Code.SERVICE_UNAVAILABLE, Retry.NEVER),
        (look_alike("shapely.errors.GEOSException", look_alike("shapely.errors.ShapelyError").__class__), Code.VALIDATION_FAILED, Retry.FIX_INPUT),
    ],
    ids=lambda each: type(each).__name__ if isinstance(each, Exception) else "",
)  # fmt: skip
def test_libraries_that_are_not_here_are_known_by_name(error, code, retry):
    fault = classify(error)
    assert (fault.code, fault.retry) == (code, retry)
