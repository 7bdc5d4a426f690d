"""The plain rows: text files beside this one, in which every line names an exception class and says what it means.

    mylib.errors.QuotaExceeded = RATE_LIMITED
    mylib.errors.Closing = SERVICE_UNAVAILABLE same_call      # a verdict other than the code's own
    mylib.errors.Locked = UNAUTHORIZED "The file needs a password."
    mylib.errors.MylibError = UPSTREAM_ERROR otherwise
    {mylib,mylib2}.errors.Misused = BUG

Behind the code may stand an HTTP status, a verdict, `otherwise` (only if nothing else says more), and either `withheld`
(the exception's text is not for clients) or the text to say instead. `BUG`, `NOT_HTTP` and `BAD_HEADER` are outcomes of
`_exception_rules.py`. A comment begins with `#`, behind a row after two spaces. A rule that has to read something of the
exception is code, in the modules of this folder.
"""

import pkgutil
from functools import cache

from errata.classification._exception_rules import BAD_HEADER, BUG, NOT_HTTP, WITHHELD, Classification, Otherwise, Rule
from errata.model import Code, Retry

_VERDICTS = frozenset(verdict.value for verdict in Retry)
_NAMED = {"BUG": BUG, "NOT_HTTP": NOT_HTTP, "BAD_HEADER": BAD_HEADER}


def read_rows(family: str) -> dict[str, Rule | Otherwise]:
    """Return the plain rows of a family; a line that is no row raises ValueError with its number."""
    table: dict[str, Rule | Otherwise] = {}
    text = (pkgutil.get_data(__name__, f"{family}.txt") or b"").decode()
    for number, line in enumerate(text.splitlines(), 1):
        row = line.partition("  #")[0].rstrip()
        if not row or row.startswith("#"):
            continue
        names, _, outcome = row.partition(" = ")
        try:
            rule = _read_outcome(outcome)
        except ValueError as error:
            raise ValueError(f"{family}.txt, line {number}: {error}") from None
        for name in _expand(names) if names.startswith("{") else (names,):
            table[name] = rule
    return table


def _expand(names: str) -> list[str]:
    """List the names that `{httpx,httpx2}.ReadTimeout` stands for."""
    packages, _, rest = names[1:].partition("}")
    return [package + rest for package in packages.split(",")]


@cache
def _read_outcome(outcome: str) -> Rule | Otherwise:
    """Return the rule that the right side of a row writes down."""
    words, quote, text = outcome.partition(' "')
    name, *rest = words.split() or [""]
    if name not in Code.__members__ and name not in _NAMED:
        raise ValueError(f"`{name}` is no code. Write `name = CODE` with a member of `errata.Code`.")
    if quote and not text.endswith('"'):
        raise ValueError("the text to say has no closing quotation mark.")
    known = _NAMED.get(name) or Classification(Code[name])
    if quote:
        known = known._replace(text=text[:-1])
    for word in rest:
        known = _add_word(known, word)
    rule: Rule = known.code if known == Classification(known.code) else known
    return Otherwise(rule) if "otherwise" in rest else rule


def _add_word(known: Classification, word: str) -> Classification:
    if word == "otherwise":
        return known
    if word == "withheld":
        return known._replace(text=WITHHELD)
    if word.isdecimal():
        return known._replace(http_status=int(word))
    if word in _VERDICTS:
        return known._replace(retry=Retry(word))
    raise ValueError(f"`{word}` is neither a verdict nor an HTTP status, `otherwise` or `withheld`.")
