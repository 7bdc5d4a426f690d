"""PEP 249: nine names that mean the same in every database driver of Python."""

from errata.classification._answer import Classification, Rule, Table, first
from errata.classification._families._rewording import Words, in_words
from errata.classification._words import classify_words
from errata.model import Code
from errata.redaction import text_of

_ABOUT_THE_SERVER = {
    Code.CANCELLED,
    Code.CONFIGURATION_ERROR,
    Code.CONFLICT,
    Code.FORBIDDEN,
    Code.NETWORK_ERROR,
    Code.RATE_LIMITED,
    Code.SERVICE_UNAVAILABLE,
    Code.TIMEOUT,
    Code.UNAUTHORIZED,
}
"""What the text of a driver is believed about. "No such column" finds nothing missing that an agent asked for."""
_OF_TWO_ROWS = ("unique", "duplicate", "foreign key", "primary key", "already exists")
_OF_ONE_ROW = ("not null", "not-null", "be null", "value null", "null value", "check constraint", "into null")


def by_server_words(error: BaseException) -> Classification | None:
    """What its text says about the connection, time, locks or rights."""
    meant = classify_words(text_of(error))
    return meant if meant is not None and meant.code in _ABOUT_THE_SERVER else None


def by_constraint_words(error: BaseException) -> Code | None:
    """Which constraint its text names: one that a row breaks alone is a matter of its values."""
    text = text_of(error)[:1000].lower()
    if any(words in text for words in _OF_TWO_ROWS):
        return Code.CONFLICT
    return Code.VALIDATION_FAILED if any(words in text for words in _OF_ONE_ROW) else None


# fmt: off
_NAMES: dict[str, tuple[Rule, ...]] = {
    "Error":             (by_server_words, Code.DATABASE_ERROR),
    "Warning":           (Code.DATABASE_ERROR,),
    "InterfaceError":    (by_server_words, Code.INTERNAL_ERROR),  # The driver is used wrongly, or a connection after its end.
    "DatabaseError":     (by_server_words, Code.DATABASE_ERROR),
    "DataError":         (Code.VALIDATION_FAILED,),
    "OperationalError":  (by_server_words, Code.DATABASE_ERROR),
    "IntegrityError":    (by_constraint_words, Code.CONFLICT),
    "InternalError":     (Code.DATABASE_ERROR,),
    "ProgrammingError":  (Code.DATABASE_ERROR,),
    "NotSupportedError": (Code.NOT_IMPLEMENTED,),
}
# fmt: on


def driver(module: str, *readers: Rule, words: Words | None = None) -> Table:
    """Make the rows of a driver: its own error numbers first, then what the nine names mean."""
    rows = {f"{module}.{name}": first(*readers, *rules) for name, rules in _NAMES.items()}
    return {name: in_words(words, rule) for name, rule in rows.items()} if words else rows


PEP249: dict[str, Rule] = {name: first(*rules) for name, rules in _NAMES.items()}
"""What the names mean in a driver that nobody tabled."""
