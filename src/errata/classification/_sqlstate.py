"""What SQLSTATEs mean: five characters that PostgreSQL, ODBC and others agree on."""

from errata.classification._answer import Classification
from errata.classification._reach import read_text
from errata.model import Code, Retry

_AGAIN = Retry.SAME_CALL

# fmt: off
_BY_STATE: dict[str, Code | Classification] = {
    "23505": Code.CONFLICT,                              # unique_violation
    "23503": Code.CONFLICT,                              # foreign_key_violation
    "23P01": Code.CONFLICT,                              # exclusion_violation
    "23001": Code.CONFLICT,                              # restrict_violation
    "23502": Code.VALIDATION_FAILED,                     # not_null_violation
    "23514": Code.VALIDATION_FAILED,                     # check_violation
    "40001": Classification(Code.CONFLICT, _AGAIN),              # serialization_failure
    "40P01": Classification(Code.CONFLICT, _AGAIN),              # deadlock_detected
    "40002": Code.CONFLICT,                              # transaction_integrity_constraint_violation
    "40003": Classification(Code.DATABASE_ERROR, Retry.VERIFY_FIRST),  # statement_completion_unknown
    "08007": Classification(Code.DATABASE_ERROR, Retry.VERIFY_FIRST),  # transaction_resolution_unknown
    "55P03": Classification(Code.CONFLICT, _AGAIN),              # lock_not_available
    "55006": Classification(Code.CONFLICT, _AGAIN),              # object_in_use
    "25006": Code.FORBIDDEN,                             # read_only_sql_transaction
    "25P03": Code.TIMEOUT, "25P04": Code.TIMEOUT, "57P05": Code.TIMEOUT,  # idle or transaction timeouts
    "42501": Code.FORBIDDEN,                             # insufficient_privilege
    "42710": Code.CONFLICT, "42P04": Code.CONFLICT, "42P06": Code.CONFLICT, "42P07": Code.CONFLICT, "42701": Code.CONFLICT,  # duplicate_*
    "3D000": Code.CONFIGURATION_ERROR,                   # invalid_catalog_name: the database itself
    "53100": Classification(Code.DATABASE_ERROR, Retry.NEVER),   # disk_full
    "53300": Code.SERVICE_UNAVAILABLE,                   # too_many_connections
    "57014": Code.TIMEOUT,                               # query_canceled, most often by statement_timeout
    "57P01": Code.SERVICE_UNAVAILABLE, "57P02": Code.SERVICE_UNAVAILABLE, "57P03": Code.SERVICE_UNAVAILABLE,  # shutting down, crashed, starting up
    "57P04": Code.DATABASE_ERROR,                        # database_dropped
    "08001": Classification(Code.NETWORK_ERROR, _AGAIN),         # unable to establish the connection
    "08004": Code.SERVICE_UNAVAILABLE,                   # the server rejected the connection
    "72000": Classification(Code.CONFLICT, _AGAIN),              # snapshot_too_old
    "HYT00": Code.TIMEOUT, "HYT01": Code.TIMEOUT,        # ODBC: timeout expired
    "HY008": Code.CANCELLED,                             # ODBC: operation canceled
    "HYC00": Code.NOT_IMPLEMENTED,                       # ODBC: optional feature not implemented
    "IM002": Code.CONFIGURATION_ERROR, "IM003": Code.CONFIGURATION_ERROR,  # ODBC: no data source, no driver
    "P0004": Code.INTERNAL_ERROR,                        # assert_failure
    "P0002": Code.NOT_FOUND, "02000": Code.NOT_FOUND,    # no_data_found
    "42S02": Code.DATABASE_ERROR,
}
_BY_CLASS: dict[str, Code | Classification] = {
    "08": Code.NETWORK_ERROR,                            # connection exception
    "0A": Code.NOT_IMPLEMENTED,                          # feature not supported
    "22": Code.VALIDATION_FAILED,                        # data exception
    "23": Code.CONFLICT,                                 # integrity constraint violation
    "28": Code.UNAUTHORIZED,                             # invalid authorization specification
    "40": Classification(Code.CONFLICT, _AGAIN),                 # transaction rollback
    "44": Code.VALIDATION_FAILED,                        # with check option violation
    "53": Code.SERVICE_UNAVAILABLE,                      # insufficient resources
    "54": Code.VALIDATION_FAILED,                        # program limit exceeded
    "57": Code.SERVICE_UNAVAILABLE,                      # operator intervention
    "F0": Code.CONFIGURATION_ERROR,                      # configuration file error
    "58": Code.DATABASE_ERROR,                           # system error
    "P0": Code.BUSINESS_RULE_VIOLATION,                  # raised by a stored procedure on purpose
}
# fmt: on


def by_sqlstate(error: BaseException) -> Code | Classification | None:
    """The SQLSTATE it carries."""
    for name in ("sqlstate", "pgcode"):
        if state := read_text(error, name):
            return classify_sqlstate(state)
    return None


def classify_sqlstate(state: str) -> Code | Classification | None:
    """Say what an SQLSTATE means; None for what is no SQLSTATE."""
    if len(state) != 5 or not state.isalnum() or state == "HY000":  # noqa: PLR2004 - five characters, by the standard
        return None  # HY000 is ODBC's and MySQL's word for "general error".
    return _BY_STATE.get(state) or _BY_CLASS.get(state[:2], Code.DATABASE_ERROR)
