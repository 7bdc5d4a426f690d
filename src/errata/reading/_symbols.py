"""Codes that are words: `OVER_QUERY_LIMIT`, `already_reacted`, `mapper_parsing_exception`, `userRateLimitExceeded`.

Most say what they mean: split into words, the classification tables know them, or the table of AWS's codes does. The
table here has those that neither would understand.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from errata.classification import GRPC, SQLSTATES, Classification, classify_cloud_code, classify_words
from errata.model import Code, Retry

_MOST = 500
_LONGEST = 64
_SYMBOL = (
    r"[A-Za-z][A-Za-z0-9]{0,40}(?:[_.][A-Za-z0-9]{1,40}){1,8}|[A-Za-z]?[a-z0-9]{1,40}(?:[A-Z]{1,4}[a-z0-9]{1,40}){1,8}"
)
_WHOLE = re.compile(_SYMBOL)
# Where a code stands in a sentence: "Search failed: ZERO_RESULTS", "An error occurred (NoSuchBucket) when …".
_STANDING = re.compile(rf"(?:^|: |\()({_SYMBOL})(?=$|\n|\)|: )")
_NO_LICENCES = (Retry.FIX_INPUT, Retry.NEVER)
_JOINTS = re.compile(r"_|(?<=[a-z0-9])(?=[A-Z])")

# fmt: off
_KNOWN: dict[str, Code | Classification] = {
    # Google
    "overquerylimit": Code.RATE_LIMITED, "overdailylimit": Classification(Code.RATE_LIMITED, Retry.NEVER), "requestdenied": Code.FORBIDDEN,
    "maxelementsexceeded": Code.VALIDATION_FAILED, "maxwaypointsexceeded": Code.VALIDATION_FAILED, "maxroutelengthexceeded": Code.VALIDATION_FAILED,
    "maxdimensionsexceeded": Code.VALIDATION_FAILED, "datanotavailable": Code.NOT_FOUND, "keyinvalid": Code.UNAUTHORIZED, "keyexpired": Code.UNAUTHORIZED,
    "accessnotconfigured": Code.CONFIGURATION_ERROR, "servicedisabled": Code.CONFIGURATION_ERROR, "autherror": Code.UNAUTHORIZED,
    "cannotmodifyinheritedpermission": Code.FORBIDDEN, "sharingratelimitexceeded": Code.RATE_LIMITED, "backenderror": Code.UPSTREAM_ERROR,
    # Slack
    "noreaction": Code.NOT_FOUND, "notext": Code.MISSING_REQUIRED_FIELD, "isarchived": Code.OPERATION_NOT_ALLOWED, "cantupdatemessage": Code.FORBIDDEN,
    "cantdeletemessage": Code.FORBIDDEN, "cantinvite": Code.FORBIDDEN, "cantinviteself": Code.VALIDATION_FAILED, "cantkickself": Code.VALIDATION_FAILED,
    "editwindowclosed": Code.OPERATION_NOT_ALLOWED, "ekmaccessdenied": Code.FORBIDDEN, "orgloginrequired": Code.UNAUTHORIZED,
    "cantarchivegeneral": Code.OPERATION_NOT_ALLOWED, "toomanyemoji": Code.VALIDATION_FAILED, "toomanyreactions": Code.VALIDATION_FAILED,
    "teamaddedtoorg": Classification(Code.SERVICE_UNAVAILABLE, Retry.SAME_CALL), "fatalerror": Code.UPSTREAM_ERROR, "internalerror": Code.UPSTREAM_ERROR,
    # Elasticsearch
    "searchphaseexecutionexception": Code.UPSTREAM_ERROR, "clusterblockexception": Code.OPERATION_NOT_ALLOWED, "documentparsingexception": Code.VALIDATION_FAILED, "mapperparsingexception": Code.VALIDATION_FAILED,
    "circuitbreakingexception": Classification(Code.SERVICE_UNAVAILABLE, Retry.SAME_CALL), "esrejectedexecutionexception": Classification(Code.SERVICE_UNAVAILABLE, Retry.SAME_CALL),
    "securityexception": Code.FORBIDDEN, "scriptexception": Code.VALIDATION_FAILED, "queryshardexception": Code.VALIDATION_FAILED,
    "strictdynamicmappingexception": Code.VALIDATION_FAILED, "masternotdiscoveredexception": Classification(Code.SERVICE_UNAVAILABLE, Retry.SAME_CALL),
    # Stripe
    "expiredcard": Code.INSUFFICIENT_BALANCE, "incorrectcvc": Code.VALIDATION_FAILED, "balanceinsufficient": Code.INSUFFICIENT_BALANCE,
    "parametermissing": Code.MISSING_REQUIRED_FIELD, "locktimeout": Classification(Code.CONFLICT, Retry.SAME_CALL),
    "idempotencykeyinuse": Classification(Code.CONFLICT, Retry.SAME_CALL), "secretkeyrequired": Code.CONFIGURATION_ERROR,
    "paymentintentunexpectedstate": Code.OPERATION_NOT_ALLOWED, "setupintentunexpectedstate": Code.OPERATION_NOT_ALLOWED,
}
# fmt: on


def classify_symbols(words: Iterable[str], text: str) -> Classification | None:
    """Classify the first code that has a meaning: of the words of a body, then of the codes in a text."""
    meanings = (classify_symbol(symbol) for symbol in (*filter(_is_symbol, words), *_find_symbols(text)))
    return next(filter(None, meanings), None) or next(filter(None, map(_classify_state, words)), None)


def _classify_state(word: str) -> Classification | None:
    """Classify an SQLSTATE, as PostgREST has it in the `code` of its errors; what looks like one licenses nothing."""
    known = SQLSTATES.get(word)
    return Classification(known) if isinstance(known, Code) and known.retry in _NO_LICENCES else None


def classify_first_symbol(text: str) -> Classification | None:
    """Classify the code at the beginning of a text, if the table here has it."""
    first = re.match(rf"(?:\w{{1,30}} ){{0,3}}({_SYMBOL})(?=$|\n|: )", text[:_MOST])
    known = _KNOWN.get(first[1].replace("_", "").lower()) if first else None
    return Classification(known) if isinstance(known, Code) else known


def _is_symbol(word: str) -> bool:
    return len(word) <= _LONGEST and bool(_WHOLE.fullmatch(word))


def find_codes(text: str) -> set[str]:
    """Return the words that stand where a code stands in a sentence, and have the meaning of one."""
    return {symbol for symbol in _find_symbols(text) if classify_symbol(symbol)}


def _find_symbols(text: str) -> Iterator[str]:
    return (match[1] for match in _STANDING.finditer(text[:_MOST]))


@lru_cache(maxsize=512)
def classify_symbol(symbol: str) -> Classification | None:
    """Classify a code; None for one without a meaning."""
    parts = [part for part in _JOINTS.split(symbol) if part]
    known = _KNOWN.get("".join(parts).lower()) or GRPC.get(symbol)
    if symbol == Code.UNKNOWN_ERROR:
        return None
    if known is not None:
        return Classification(known) if isinstance(known, Code) else known
    return classify_words(" ".join(parts)) or classify_cloud_code(
        "".join(part[:1].upper() + part[1:].lower() for part in parts)
    )
