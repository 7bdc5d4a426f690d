"""Object-relational mappers: a driver's exception inside them is asked; what is their own has rows here."""

from errata.classification._answer import WITHHELD, Classification, Rule, RuleResult, Table, first
from errata.classification._families._connection import NOT_SENT_IN_TIME, in_arguments
from errata.classification._families._pep249 import driver
from errata.classification._families._refusal import nested, refused
from errata.classification._reach import peek, read_exception
from errata.classification._sqlstate import by_sqlstate
from errata.classification._unwrap import find_cause
from errata.classification._verdicts import BUG
from errata.model import Code, Retry
from errata.redaction import text_of

_NOT_ONE = Code.CONFLICT
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
    return refused(nested(peek(error, "message_dict") or peek(error, "messages")))


def _wrapped(module: str, rule: Rule) -> Table:
    return driver(module, rule)


# fmt: off
_SQLALCHEMY: dict[str, Rule] = {
    "exc.SQLAlchemyError": Code.DATABASE_ERROR,
    "exc.ArgumentError": first(_about_the_url, BUG),
    "exc.AmbiguousForeignKeysError": BUG,
    "exc.CircularDependencyError": BUG,
    "exc.CompileError": BUG,
    "exc.DBAPIError": first(_orig, by_sqlstate, Code.DATABASE_ERROR),
    "exc.DisconnectionError": Code.NETWORK_ERROR,
    "exc.DuplicateColumnError": BUG,
    "exc.EmulatedDBAPIException": first(_orig, by_sqlstate, Code.DATABASE_ERROR),
    "exc.IdentifierError": BUG,
    "exc.InvalidatePoolError": Code.NETWORK_ERROR,
    "exc.InvalidRequestError": BUG,
    "exc.MultipleResultsFound": _NOT_ONE,
    "exc.NoDBAPILoaded": Code.CONFIGURATION_ERROR,
    "exc.NoForeignKeysError": BUG,
    "exc.NoResultFound": Code.NOT_FOUND,
    "exc.NoSuchColumnError": BUG,
    "exc.NoSuchModuleError": Code.CONFIGURATION_ERROR,  # No such dialect.
    "exc.NoSuchTableError": _table,
    "exc.StatementError": first(_orig, BUG),
    "exc.TimeoutError": NOT_SENT_IN_TIME,  # No connection in the pool.
    "exc.UnreflectableTableError": Code.DATABASE_ERROR,
    "exc.UnsupportedCompilationError": Code.NOT_IMPLEMENTED,
    "orm.exc.DetachedInstanceError": BUG,
    "orm.exc.FlushError": BUG,
    "orm.exc.ObjectDeletedError": Code.GONE,
    "orm.exc.ObjectDereferencedError": BUG,
    "orm.exc.StaleDataError": Code.CONFLICT,
    "ext.asyncio.exc.AsyncContextAlreadyStarted": BUG,
    "ext.asyncio.exc.AsyncContextNotStarted": BUG,
    "ext.asyncio.exc.AsyncMethodRequired": BUG,
}
_DJANGO: dict[str, Rule] = {
    "core.exceptions.AppRegistryNotReady": Code.INITIALIZATION_FAILED,
    "core.exceptions.DisallowedHost": Code.CONFIGURATION_ERROR,
    "core.exceptions.DisallowedRedirect": Code.INVALID_REQUEST,
    "core.exceptions.EmptyResultSet": BUG,
    "core.exceptions.FieldDoesNotExist": BUG,
    "core.exceptions.FieldError": BUG,
    "core.exceptions.FullResultSet": BUG,
    "core.exceptions.MiddlewareNotUsed": Code.CONFIGURATION_ERROR,
    "core.exceptions.MultipleObjectsReturned": _NOT_ONE,
    "core.exceptions.ObjectDoesNotExist": Code.NOT_FOUND,
    "core.exceptions.ObjectNotUpdated": Code.CONFLICT,
    "core.exceptions.RequestDataTooBig": Code.INVALID_REQUEST,
    "core.exceptions.SuspiciousFileOperation": Code.FORBIDDEN,
    "core.exceptions.SynchronousOnlyOperation": BUG,
    "core.exceptions.TooManyFieldsSent": Code.INVALID_REQUEST,
    "core.exceptions.TooManyFilesSent": Code.INVALID_REQUEST,
    "core.exceptions.ValidationError": _by_fields,
    "core.exceptions.ViewDoesNotExist": BUG,
    "core.signing.BadSignature": Code.UNAUTHORIZED,
    "core.signing.SignatureExpired": Code.UNAUTHORIZED,
    "core.management.base.CommandError": Code.UPSTREAM_ERROR,
    "core.paginator.InvalidPage": Code.INVALID_PARAMS,
    "core.cache.backends.base.InvalidCacheBackendError": Code.CONFIGURATION_ERROR,
    "core.serializers.base.DeserializationError": Code.SERIALIZATION_ERROR,
    "core.serializers.base.SerializationError": Code.SERIALIZATION_ERROR,
    "db.models.deletion.ProtectedError": Code.CONFLICT,
    "db.models.deletion.RestrictedError": Code.CONFLICT,
    "db.transaction.TransactionManagementError": BUG,
    "db.utils.ConnectionDoesNotExist": Code.CONFIGURATION_ERROR,
    "http.multipartparser.MultiPartParserError": Code.INVALID_REQUEST,
    "http.request.RawPostDataException": BUG,
    "http.request.UnreadablePostError": Code.NETWORK_ERROR,
    "template.exceptions.TemplateDoesNotExist": BUG,
    "template.exceptions.TemplateSyntaxError": BUG,
    "urls.exceptions.NoReverseMatch": BUG,
    "urls.exceptions.Resolver404": Code.NOT_FOUND,
    "utils.datastructures.MultiValueDictKeyError": Code.MISSING_REQUIRED_FIELD,
}
_TORTOISE: dict[str, Rule] = {
    "BaseORMException": Code.DATABASE_ERROR,
    "ConfigurationError": Code.CONFIGURATION_ERROR,
    "DBConnectionError": first(find_cause, Code.NETWORK_ERROR),
    "DoesNotExist": Code.NOT_FOUND,
    "FieldError": BUG,
    "IncompleteInstanceError": BUG,
    "IntegrityError": first(find_cause, in_arguments, Code.CONFLICT),
    "InvalidModelError": BUG,
    "MultipleObjectsReturned": _NOT_ONE,
    "NoValuesFetched": BUG,
    "NotExistOrMultiple": Code.NOT_FOUND,
    "ObjectDoesNotExistError": Code.NOT_FOUND,
    "OperationalError": first(find_cause, in_arguments, Code.DATABASE_ERROR),
    "ParamsError": Code.INVALID_PARAMS,
    "TransactionManagementError": BUG,
    "UnSupportedError": Code.NOT_IMPLEMENTED,
    "ValidationError": Code.VALIDATION_FAILED,
}
TABLE: Table = {
    **_wrapped("sqlalchemy.exc", first(_orig, by_sqlstate)),
    **{f"sqlalchemy.{name}": rule for name, rule in _SQLALCHEMY.items()},
    **_wrapped("django.db.utils", find_cause),
    **{f"django.{name}": rule for name, rule in _DJANGO.items()},
    **_wrapped("peewee", in_arguments),
    "peewee.DoesNotExist": _without_sql,
    "peewee.ImproperlyConfigured": Code.CONFIGURATION_ERROR,
    "peewee.PeeweeException": Code.DATABASE_ERROR,
    "playhouse.pool.MaxConnectionsExceeded": Classification(Code.SERVICE_UNAVAILABLE, Retry.SAME_CALL),
    **{f"tortoise.exceptions.{name}": rule for name, rule in _TORTOISE.items()},
    "ormar.exceptions.ModelError": BUG,
    "ormar.exceptions.MultipleMatches": _NOT_ONE,
    "ormar.exceptions.NoMatch": Code.NOT_FOUND,
    "pony.orm.core.CacheIndexError": Code.CONFLICT,
    "pony.orm.core.MultipleObjectsFoundError": _NOT_ONE,
    "pony.orm.core.ObjectNotFound": Code.NOT_FOUND,
    "pony.orm.core.OptimisticCheckError": Classification(Code.CONFLICT, Retry.SAME_CALL),
    "pony.orm.core.UnrepeatableReadError": Classification(Code.CONFLICT, Retry.SAME_CALL),
    "alembic.util.exc.CommandError": Code.DATABASE_ERROR,
}
# fmt: on
