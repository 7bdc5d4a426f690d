"""Values that this process knows to be secret: those that were registered, and those in its environment."""

import os
import re
import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from threading import Lock
from typing import cast
from urllib.parse import quote, quote_plus, unquote

from errata._fork import renew_after_fork
from errata.redaction._recurring_secrets import known_for_now
from errata.redaction._spans import KINDS, Kind, Span, View, ViewBuilder, mark
from errata.redaction._telling_names import read_promise
from errata.redaction._value_looks import is_key_of_aws, is_machine_made, is_statement

_LEAST_REGISTERED = 6
_LEAST_IN_ENVIRONMENT = 8
_LEAST_LINE = 16
_LEAST_PHRASE = 12
_SIGNS = frozenset("!@#$%^*?~+")
_NAMES = re.compile(r"[\w.:/]*")
_REFERENCES = ("~", ".", "http", "unix:", "$", "{{", "env:", "file:", "vault:", "op:", "<")
"""What a value begins with that only says where to find another one."""
_LONGEST = 16_384
_ENVIRONMENT_AGE_S = 1.0
"""How long a changed variable may go unnoticed; a new one never does."""


_LEAST_NUMBER = 8

# fmt: off
_EVERYDAY = frozenset("""
    accept access account action active address admin agent allowed amount answer application arguments array attempt
    available backend before browser buffer bytes called cancelled channel client closed cluster column command completed
    config configuration connect connected connection console container content context control correct created current
    cursor database default delete deleted denied description details device disabled docker domain element enabled
    encoding endpoint engine environment error errors example exception exchange exists expected expired export failed
    failure feature fields filter finished folder format forbidden frontend function gateway global groups handler header
    headers health history hostname http://localhost https:// identifier import index information inserted instance
    integer interface internal invalid latest length library limits loaded loading localhost location logger logging
    machine manager master member memory message messages metadata method missing module monitor network notfound notice
    number object offset online openai operation option optional options organization output package parameter parameters
    parent partition patch payload pending permission platform please plugin policy postgres prefix process processing
    production profile program progress project property protocol provider public python queries queue reading reason
    received record refused region release remote removed replica report request requests required resource response
    result results retries retrying return router running schema scheduler search second seconds section select sender
    sequence server servers service services session settings source staging started starting status stderr stdout stopped
    storage stream string success successful support system tables target template tenant thread timeout timestamp
    traceback transaction transport trigger unauthorized undefined unexpected unknown update updated upload upstream useful
    username values variable version waiting warning webhook window worker workers workspace writing
""".split())  # noqa: SIM905 - as one reads words
# fmt: on
_PERCENT = re.compile(r"%[0-9A-F]{2}")
_LINE_END = re.compile(r"\n[ \t|>]*+")
_NAMED = re.compile(
    r"://[^\s/:@]{0,256}+:([^\s/@]{1,1024}+)@|(?i:password|passwd|pwd|secret|token|accountkey|accesskey|api_?key)=([^;&\s]{1,1024}+)"
)
"""A password in an address, or behind its name in a connection string."""
_QUOTES_IN_PAGES = (('"', "'"), ("&quot;", "&#x27;"), ("&quot;", "&#039;"), ("&#34;", "&#39;"))
"""As they are, and as Python, PHP and Go write them."""
_SPECIAL_IN_GO = re.compile(r"[&<>]")
_SPECIAL_IN_NET = re.compile(r'\\"|[&\'+<>`]')
_MEDIA_TYPE = re.compile(r"(?:application|audio|font|image|message|model|multipart|text|video)/[a-z0-9.+\-]{1,40}")


class KnownValues:
    """The secrets of a process, in the forms in which they turn up in text."""

    def __init__(self) -> None:
        self._registered: dict[object, frozenset[str]] = {}
        self._from_environment: frozenset[str] = frozenset()
        self._forms: tuple[str, ...] = ()
        self._generation = 0
        self.take_new_lock()
        renew_after_fork(self)

    def take_new_lock(self) -> None:
        """Begin, or begin in a child process; there, another thread may have been stopped in the middle of looking around."""
        self._lock = Lock()
        self._variables = -1
        self._read_at = float("-inf")

    def register(self, value: str) -> Callable[[], None]:
        """Learn a secret; calling what is returned forgets it, unless it was registered more than once."""
        registration = object()
        with self._lock:
            self._registered[registration] = frozenset(_spell_forms(value))
            self._sort_forms()
        return lambda: self._forget(registration)

    def _forget(self, registration: object) -> None:
        with self._lock:
            self._registered.pop(registration, None)
            self._sort_forms()

    def forms(self) -> tuple[str, ...]:
        """Return all forms of all secrets, the longest first."""
        if not self._is_up_to_date():
            self._refresh()
        return self._forms

    def generation(self) -> int:
        """Return a number that changes whenever the known secrets do."""
        if not self._is_up_to_date():
            self._refresh()
        return self._generation

    def _refresh(self) -> None:
        with self._lock:
            if self._is_up_to_date():  # Another thread was faster.
                return
            variables, now = len(os.environ), time.monotonic()
            self._from_environment = frozenset(form for value in _read_environment() for form in _spell_forms(value))
            self._sort_forms()
            self._variables, self._read_at = variables, now  # Last: until then, nobody else goes on without them.

    def _is_up_to_date(self) -> bool:
        return len(os.environ) == self._variables and time.monotonic() - self._read_at <= _ENVIRONMENT_AGE_S

    def _sort_forms(self) -> None:
        forms = tuple(
            sorted(self._from_environment.union(*self._registered.values()), key=lambda form: (-len(form), form))
        )
        if forms != self._forms:
            self._forms = forms
            self._generation += 1  # Last, so that whoever sees the number sees at least these forms.


def learn_secret(value: str) -> Callable[[], None]:
    """Hide a value until what is returned is called; one that would spoil other words is refused."""
    if not isinstance(value, str):
        raise TypeError(f"A secret is text, not {type(value).__name__}. Decode it first, then register it.")
    secret = value.strip()
    if len(secret) < _LEAST_REGISTERED:
        raise ValueError(
            f"The secret has {len(secret)} characters without the spaces around it; the least is {_LEAST_REGISTERED}. "
            "A shorter one would be hidden in the middle of other words: choose a longer secret."
        )
    if len(secret) > _LONGEST:
        raise ValueError(
            f"The secret has {len(secret)} characters; the most is {_LONGEST}. Register its parts one by one."
        )
    if marks := [mark(kind) for kind in KINDS if secret in mark(kind)]:
        raise ValueError(
            f"The secret is a part of `{marks[0]}`, which errata writes in the place of what it hides. "
            "Register the value of the secret, not what it is called."
        )
    if len(set(secret)) == 1:
        raise ValueError(
            f"The secret is one character, {len(secret)} times; it would be hidden in every ruled line. "
            "Register a secret of at least two different characters."
        )
    if _is_everyday(secret):
        raise ValueError(
            "The secret is a word, a media type or a short number that every log is full of; each of them would be hidden. "
            "Register a secret that turns up nowhere else."
        )
    return _KNOWN.register(secret)


def _is_everyday(secret: str) -> bool:
    lower = secret.lower()
    return (
        lower in _EVERYDAY
        or (lower.isdigit() and len(lower) < _LEAST_NUMBER)
        or _MEDIA_TYPE.fullmatch(lower) is not None
    )


def is_unmistakable(value: str, kind: Kind) -> bool:
    """Return whether a value that a name gave away may be hidden everywhere: no innocent text holds it as well."""
    if not _LEAST_REGISTERED <= len(value) <= _LONGEST or "[redacted" in value or len(set(value)) == 1:
        return False
    if _is_everyday(value):
        return False
    if value.isalpha():  # Nobody but a person chooses a word.
        is_word_of_ours = is_statement(value) or read_promise(value) is not None
        return kind == "password" and len(value) >= _LEAST_IN_ENVIRONMENT and not is_word_of_ours
    mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    is_phrase = kind == "password" and len(value) >= _LEAST_PHRASE and not _NAMES.fullmatch(value)
    return mixed or is_phrase or value.isdigit() or not _SIGNS.isdisjoint(value)


def find_known(text: str) -> Iterator[Span]:
    """Find secrets that this process knows, also where a line ends in the middle of one."""
    forms = _known_forms()
    spans = _spans_of(forms, text)
    if "\n" in text:
        unbroken = _join_lines(text)
        spans += unbroken.map_back(_spans_of(forms, unbroken.text))
    return iter(sorted(spans))


def _known_forms() -> tuple[str, ...]:
    """Return the forms that the process knows and those of the text in hand, the shortest last."""
    for_now = known_for_now()
    return _sort_all_forms(_KNOWN.generation(), for_now.generation) if for_now.kinds else _KNOWN.forms()


@lru_cache(maxsize=2)  # One answer is shown part by part.
def _sort_all_forms(_known: int, _for_now: int) -> tuple[str, ...]:
    return tuple(sorted({*_KNOWN.forms(), *known_for_now().kinds}, key=len, reverse=True))


def _spans_of(forms: tuple[str, ...], text: str) -> list[Span]:
    kinds = known_for_now().kinds
    return [
        Span(match.start(), match.end(), kinds.get(form, "secret"))
        for form in forms
        if form in text
        for match in re.finditer(re.escape(form), text)
    ]


def _join_lines(text: str) -> View:
    """Return a text without its line ends."""
    builder = ViewBuilder(text)
    for start, line in _split_lines(text):
        builder.keep(start, start + len(line))
    return builder.build()


def _split_lines(text: str) -> Iterator[tuple[int, str]]:
    """Part a text into lines, each with its position and without blanks around it or the bars of those who quote."""
    start = 0
    for match in _LINE_END.finditer(text):
        yield start, text[start : match.start()].rstrip(" \t\r")
        start = match.end()
    yield start, text[start:]


def has_known(text: str) -> bool:
    """Return whether a known secret is in a text."""
    forms = _known_forms()
    if not forms or len(text) < len(forms[-1]):
        return False
    return any(map(text.__contains__, forms)) or (
        "\n" in text and any(map("".join(line for _, line in _split_lines(text)).__contains__, forms))
    )


def _read_environment() -> Iterator[str]:
    """Read the secrets in variables whose names announce one, or whose values name one, unless they could be anything else."""
    for name in list(os.environ):
        text = os.environ.get(name, "").strip()  # Another thread may have removed it.
        promise = read_promise(name) or read_promise(name.rstrip("sS"))  # `API_KEYS` are several.
        if promise and promise.kind in {"password", "token", "key", "secret"}:
            yield from (part for part in _split_value(text) if _could_be_nothing_else(part, is_sure=promise.sure))
        for part in (match[1] or match[2] for match in _NAMED.finditer(text[:_LONGEST])):
            yield from (form for form in {part, unquote(part)} if _could_be_nothing_else(form, is_sure=True))


def _split_value(value: str) -> Iterator[str]:
    """Take the value of a variable apart: several keys, a scheme with its token, an object with credentials."""
    yield value
    if "," in value:
        yield from (part.strip() for part in value.split(","))
    scheme, _, rest = value.partition(" ")
    if scheme.lower() in {"bearer", "basic", "token"}:
        yield rest.strip()
    if value.startswith("{"):
        yield from _read_json_secrets(value)


def _read_json_secrets(text: str) -> Iterator[str]:
    """Return the values of an object whose names announce a secret."""
    from json import loads  # noqa: PLC0415 - few need it, and importing errata is to be cheap.

    try:
        members: object = loads(text)
    except (ValueError, RecursionError):
        return
    if isinstance(members, dict):
        for name, value in cast("dict[str, object]", members).items():
            if read_promise(name) and isinstance(value, str):
                yield value.strip()


def _could_be_nothing_else(value: str, *, is_sure: bool) -> bool:
    """Return whether a value is no word, path, address or number that turns up in innocent text as well."""
    if not _LEAST_IN_ENVIRONMENT <= len(value) <= _LONGEST or value.isdigit() or _is_everyday(value):
        return False
    if value.startswith(_REFERENCES) or (value.startswith("/") and not is_machine_made(value)):
        return is_key_of_aws(value)
    mixed = len({(c.islower(), c.isupper(), c.isdigit()) for c in value if not c.isspace()})
    if is_machine_made(value) or mixed >= 3 or (len(value) >= _LEAST_LINE and mixed > 1):  # noqa: PLR2004
        return True
    chosen = any(map(str.isdigit, value)) or (len(value) >= _LEAST_PHRASE and not value.isalpha())
    return is_sure and chosen and any(map(str.isalpha, value))


def _spell_forms(secret: str) -> Iterator[str]:
    """Write a secret in the ways in which others would."""
    from base64 import b64encode, urlsafe_b64encode  # noqa: PLC0415 - few need it, and importing errata is to be cheap.

    raw = secret.encode("utf-8", "surrogatepass")
    yield from spell_escaped(secret)
    yield from (raw.hex(), raw.hex().upper())
    if len(raw) >= _LEAST_REGISTERED:
        # Base64 writes three bytes as four letters; what stands before and behind the secret changes those at its ends.
        for before in range(3):
            inner = slice(-(-before * 8 // 6), (before + len(raw)) * 8 // 6)
            yield b64encode(b"\0" * before + raw).decode()[inner]
            yield urlsafe_b64encode(b"\0" * before + raw).decode()[inner]
    yield from (line.strip() for line in secret.splitlines() if len(line.strip()) >= _LEAST_LINE)


def spell_escaped(secret: str) -> Iterator[str]:
    """Write a secret as it is, and as it is escaped in addresses, in pages, in SQL and in the strings of languages."""
    from json import dumps  # noqa: PLC0415 - few need it, and importing errata is to be cheap.

    raw = secret.encode("utf-8", "surrogatepass")
    yield secret
    for encoded in (quote(raw, safe=""), quote(raw), quote_plus(raw)):
        yield encoded
        yield _PERCENT.sub(lambda match: match[0].lower(), encoded)
    page = secret.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    for double, single in _QUOTES_IN_PAGES:
        shown = page.replace('"', double).replace("'", single)
        yield shown
        yield shown.replace("&", "&amp;")
    yield secret.replace("'", "''")  # As SQL has it.
    yield from (repr(secret)[1:-1], repr(raw)[2:-1])
    once = dumps(secret)[1:-1]
    for quoted in (once, dumps(once)[1:-1], dumps(secret, ensure_ascii=False)[1:-1]):
        yield quoted
        yield quoted.replace("/", "\\/")  # As PHP has it; the next two as Go and .NET.
        yield _SPECIAL_IN_GO.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)
        yield _SPECIAL_IN_NET.sub(lambda match: f"\\u{ord(match[0][-1]):04X}", quoted)


_KNOWN = KnownValues()


def generation() -> int:
    """Return a number that changes whenever the known secrets do; a text that was judged need not be judged again before."""
    return known_for_now().generation or _KNOWN.generation()
