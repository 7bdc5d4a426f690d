"""Secrets in sentences, where no `=` or `:` announces them."""

import re
from collections.abc import Iterator

from errata.redaction._commands import find_logins
from errata.redaction._encodings import is_readable_base64
from errata.redaction._refused_values import find_refused_values
from errata.redaction._spans import BEGAN, Kind, Span, compile_late
from errata.redaction._telling_names import is_innocent_in
from errata.redaction._value_looks import (
    is_hexadecimal,
    is_identifier,
    is_machine_made,
    is_placeholder,
    is_random,
    is_statement,
)

_KEYS = "api private access license licence product activation encryption decryption signing master storage account"

# Every alternative begins with a letter, so that the engine can skip to the next of them.
_THING = "|".join(
    (
        *(f"{word}[ _-]?key" for word in _KEYS.split()),
        r"token|secret(?:[ _-](?:access[ _-])?key)?|credentials?|password|pass[ -]?phrase|passwd|p(?<![a-z].)ass",
        r"s(?<![a-z].)ession(?:[ _-]?id)?|authori[sz]ation[ _-]code|macaroon",
        *(
            _FOREIGN := (
                "mot de passe",
                "contrase\u00f1a",
                "passwort",
                "kennwort",
                "senha",
                "wachtwoord",
                "parola",
                "has\u0142o",
                "\u043f\u0430\u0440\u043e\u043b\u044c",
            )
        ),
    )
)


_AFTER_A_THING = compile_late(
    rf"(?P<thing>{_THING})(?P<verb> (?:is generated for [\w.@\-]{{1,40}}+(?=: )|(?:has been |was )?(?:reset|changed|set|updated) to|is|was|of|value|provided|used|given|supplied|to|too (?:short|long|weak|common|simple|old)|mismatch|rejected|refused|incorrect|not accepted|est|ist|war|es|for [\w.@\-]{{1,40}}+(?: (?:is|was)|(?=: )))(?: now)?)?:? "
    r"(?:(?P<quote>[\"'`])(?P<quoted>[^\s\"'`]{4,512}+)(?P=quote)|[«“„][ \u00a0\u202f]?(?P<framed>[^\s«»“”„]{4,512}+)[ \u00a0\u202f]?[»”“]|(?P<word>[^\s\"'`<>(\[{]{6,2048}+))"
)
"""Matches `API key X`, `the token 'X'`, `password is X`, in lower case."""


_CHANGED = compile_late(
    rf"(?:{_THING}) (?:has been |was )?(?:changed|reset|rotated|updated) from [\"'`]?(?P<old>[^\s\"'`]{{4,128}}+)[\"'`]? to [\"'`]?(?P<new>[^\s\"'`]{{1,128}}+)"
)
"""Matches `the password was changed from X to Y`, in lower case."""


_PURPOSE = "verification|security|login|one-time|access|authentication|confirmation|sms|otp|2fa|mfa|activation|reset"


_CODES = compile_late(
    rf"(?:(?:{_PURPOSE}) (?:code|passcode|pin|password)|(?:use|enter|entered|your|their|with|wrong|new|old)(?: the)? pin)"
    r"(?: code)?(?: is| was)?:? (?P<code>\d{4,8})(?!\d)"
    r"|(?<![a-z])(?:otp|totp)(?: code)?(?: is| was)?:? (?P<number>\d{6,8})(?![\d.])"
)
"""Matches `Your verification code is 123456`, in lower case."""


_GROUPED = compile_late(
    r"app(?:lication)?[ _-]?password(?: is| was)?:? [\"'`]?(?P<secret>[a-z]{4}(?: [a-z]{4}){3}(?![a-z])|[a-z0-9]{4}(?: [a-z0-9]{4}){5}(?![a-z0-9]))"
)
"""Matches a password for one program in groups of four, as Google and WordPress give it."""


_CODE_TURNED_DOWN = compile_late(
    r"(?<![a-z])code [\"'`]?(?P<secret>[\w.\-]{16,512}+)[\"'`]? (?:is|was|has) (?:incorrect|expired|invalid|already|not valid|been)"
)
"""Matches `code X is incorrect or expired`, in lower case."""


_CODES_BEFORE = compile_late(
    r"\d(?<![\w.\-].)(?P<rest>\d{3,7}) (?:is|as) your (?:[\w\-]{1,20} ){0,2}"
    rf"(?:{_PURPOSE}) (?:code|passcode|pin|password)(?!\w)"
)
"""Matches `123456 is your verification code`, in lower case."""


_BEFORE_A_DIGEST = r"[\"'`(]?(?:sha\d{1,3}=)?"
_SIGNATURES = compile_late(
    r"(?:(?<![a-z])hmac|(?:webhook|expected|computed|calculated|received|request|provided|bad) signature)(?: mismatch| invalid)?[:,]?"
    rf"(?: (?:is|was|got|expected|received))? {_BEFORE_A_DIGEST}(?P<secret>[0-9a-f]{{32,128}})(?![0-9a-f])"
    rf"(?:[\"'`)]?,? (?:but )?(?:got|received|expected|computed|!=) {_BEFORE_A_DIGEST}(?P<other>[0-9a-f]{{32,128}})(?![0-9a-f]))?"
)
"""Matches `expected signature X but got X` and `computed hmac X`, in lower case."""


_VERDICT = compile_late(rf"[\"'`]? (?:is|was) (?:not |no )?(?:an? |the |no )?(?:\w{{1,12}}+ )?(?:{_THING})")
"""Matches what follows X in `X is not a valid token`, in lower case."""


_SCHEMES = compile_late(
    r"(?P<scheme>bearer|basic|token|apikey|negotiate|ntlm|ssws)(?:[ \t+,]|%20){1,40}(?P<secret>[\w\-.~+/%]{1,512}+(?:[:|$@#*!][\w\-.~+/%]{1,512}+){0,3}={0,2})"
)


def find_sentences(text: str, lower: str) -> Iterator[Span]:
    """Find secrets that a sentence speaks of."""
    spans = [*_find_bare_tokens(text, lower), *find_refused_values(text, lower)]
    spans += [span for match in _AFTER_A_THING.finditer(lower) for span in _find_spoken_of(text, match)]
    spans += [Span(*match.span("code" if match["code"] else "number"), "code") for match in _CODES.finditer(lower)]
    spans += [
        Span(*match.span("secret"), "password")
        for match in _GROUPED.finditer(lower)
        if not is_statement(match["secret"])
    ]
    spans += [
        Span(*match.span("secret"), "code")
        for match in _CODE_TURNED_DOWN.finditer(lower)
        if is_machine_made(match["secret"], _LEAST_BARE)
    ]
    spans += [Span(match.start(), match.end("rest"), "code") for match in _CODES_BEFORE.finditer(lower)]
    signatures = [(match, group) for match in _SIGNATURES.finditer(lower) for group in ("secret", "other")]
    spans += [Span(*match.span(group), "signature") for match, group in signatures if match[group]]
    spans += [span for match in _CHANGED.finditer(lower) for span in _find_replaced(text, match)]
    seen = 0
    for match in _VERDICT.finditer(lower):
        word = _BREAK.split(text[max(seen, match.start() - _LONGEST) : match.start()])[-1]
        seen = match.end()
        if is_machine_made(word, _LEAST_SPOKEN):
            spans.append(Span(match.start() - len(word), match.start(), "token"))
    return iter(sorted(spans))


def _find_spoken_of(text: str, match: re.Match[str]) -> Iterator[Span]:
    group = next(name for name in ("quoted", "framed", "word") if match[name])
    start, end = match.span(group)
    value = text[start:end] if group != "word" else text[start:end].rstrip(".,;:!?)")
    kind = _kind(match["thing"])
    if is_placeholder(value) or is_innocent_in(text, *match.span("thing")):
        return
    is_believable = kind == "password" and (
        group != "word"
        or match["verb"]
        or text[max(0, match.start() - 6) : match.start()].lower().endswith(("with ", "using "))
        or any(sign in value[:-1] for sign in _SIGNS)
        or (
            text[max(0, match.start() - 10) : match.start()].lower().endswith(_SHOWN_BEFORE)
            and not _NUMBERED_WORD.fullmatch(value)
        )
    )
    if is_machine_made(value, _LEAST_SPOKEN) or (is_believable and _is_chosen(value)) or _LICENCE.fullmatch(value):
        yield Span(start, start + len(value), kind)


def _find_replaced(text: str, match: re.Match[str]) -> Iterator[Span]:
    for start, end in (match.span("old"), match.span("new")):
        value = text[start:end].rstrip(".,;:!?)")
        if not is_placeholder(value) and (_is_chosen(value) or is_machine_made(value)):
            yield Span(start, start + len(value), "password")


def _kind(thing: str) -> Kind:
    if thing.startswith("session"):
        return "session"
    return "password" if thing.startswith(("pass", *_FOREIGN)) else "token"


def _is_chosen(value: str) -> bool:
    """Return whether a person might have chosen it as a password: letters and digits, and no path."""
    return any(c.isdigit() for c in value) and any(c.isalpha() for c in value) and "/" not in value


_SHOWN_BEFORE = ("wrong ", "bad ", "incorrect ", "generated ", "temporary ", "initial ", "(")
"""What stands before the word "password" where the password follows."""
_NUMBERED_WORD = compile_late(r"[A-Za-z]{1,20}\d?|\d{1,3}[a-z]{1,20}")
_SIGNS = "!@#$%^&*?"
_LEAST_SPOKEN = 14
_LICENCE = compile_late(
    r"(?=[A-Za-z\-]{0,40}\d)(?=[\d\-]{0,40}[A-Za-z])(?:[A-Z0-9]{4,6}(?:-[A-Z0-9]{4,6}){2,7}|[a-z0-9]{4}(?:-[a-z0-9]{4}){3})"
)
_LONGEST = 2_048
_BREAK = re.compile(r"[\s\"'`:=(]")


_ABOUT_CREDENTIALS = compile_late(
    r"reject|revok|refus|declin|invalid|expir|unauthori|forbid|denied|deactivat|disabled|leak|compromis|not authori|unknown"
    r"|bad |wrong|40[13]|credential|key|token|secret|auth|login|log in|signed|password|seed|wallet|retry|connecting|falling back|rotat|decrypt|permission"
)
"""What a sentence about a credential, or about one that was turned down, has in it; in lower case."""

_TURNED_DOWN = (
    r"reject(?:ed|s|ing)?|revoke[ds]?|refuse[ds]?|decline[ds]?|den(?:ied|ies)|invalidate[ds]?|deactivated|disabled|leaked"
    r"|compromised|expired|unauthori[sz]ed|forbidden|blocked"
)
_THING_BEFORE = compile_late(
    rf"(?<![a-z])(?:(?:{_TURNED_DOWN}|invalid|bad|wrong|unknown|incorrect|malformed|exposed|stale|old|new"
    r"|(?:auth(?:entication|ori[sz]ation)?|login|log in|verification|sign-?in) (?:has )?(?:failed|failure|error|denied)(?: for| with| using)?"
    r"|40[13](?: unauthori[sz]ed| forbidden)?(?: error)?(?: for| from| on| with)?"
    r"|(?:api|access|auth|secret|private|signing|license|subscription|service|account|master|admin|bot|app|client)[ _-]?keys?"
    r"|[a-z_\-]{0,16}(?:key|token|secret)s?|credentials?|pat|jwt|auth(?:entication|ori[sz]ation)?|auth(?:enticate|ori[sz]e)d?"
    r"|bearer|cookie|passphrase|login|seed|mnemonic|wallet|keypair|identity))"
    r"(?: (?:is|was|for|as|of|the|value|string|named|called|header|provided|supplied|given|used)){0,2}(?:: (?:got|received|saw|read))?[ :=()\[\]\"'`<,]{1,4}$"
)
"""What stands directly before a credential that a sentence speaks of, in lower case."""

_PUBLIC_KEY = compile_late(r"public|site[_-]?key")
_KEY_OF_CACHE = compile_late(r"cache.{0,40}(?<![a-z])keys?[ :=()\[\]\"'`<,]{1,4}$")
_KEY_OF_SIGNER = compile_late(r"(?<![a-z])(?:rsa|dsa|ecdsa|eddsa|gpg|pgp) key(?: id)? [\"'`(]?$")
"""What stands before the fingerprint of a key with which something was signed."""
_USED_BEFORE = compile_late(r"(?:with|using|via|sent|presented|through)(?: the| an?| its| our| your)? [\"'`(<]?$")
"""What stands before whatever was used for something; the sentence has to say that it was for getting in."""

_TRIED_BEFORE = compile_late(
    r"(?:retry|retrying|retried|reconnect|reconnecting|connecting|falling back|fell back) (?:with|using|to) [\"'`(]?$"
    r"|(?<![a-z])40[13](?: [a-z]{1,16})? ?\((?:used|sent|with|using) $|(?<![a-z])rotat(?:ed|ing) [\"'`(]?$"
    r"|(?:cannot|can't|could not|failed to|unable to) (?:decrypt|decode|refresh|introspect|exchange|verify) [\"'`(]?$"
)
"""What stands before something that was tried in order to get in, though no word says what it is."""

_NO_ENTRY_BEHIND = compile_late(
    r"[\"'`)]?: (?:permission|access) denied|[\"'`)]?,? (?:which|that) (?:is|was|has) (?:been )?"
    r"(?:expired|revoked|invalid|disabled|unknown|not valid)"
)
"""What stands behind it."""

_REPLACED = compile_late(r"[\"'`]? (?:->|=>|\u2192|to|with|by) [\"'`]?")
"""What stands between a credential and the next one."""

_GETTING_IN = compile_late(
    r"authenticat|authori[sz]|credential|log(?:ged)? ?in|sign(?:ed)? in|api key|access token|40[13]"
)

_VERDICT_BEHIND = compile_late(
    rf"[\"'`)\]>,]{{0,2}} (?:(?:is|was|were|has|had|have|been|got|being|not|now|already|no longer|an?|the) ){{0,4}}"
    rf"(?:{_TURNED_DOWN}|invalid|valid|wrong|incorrect|malformed|unknown to|rotated|recogni[sz]ed|registered|reused|used|accepted|authori[sz]ed|unauthenticated"
    r"|(?:our|your|my|their|its|valid|live|real|active|known) (?:[a-z]{1,12} )?(?:key|token|credential|secret))"
)
"""What stands directly behind one."""

_OWNER_BEFORE = compile_late(
    r"(?<![a-z])(?:commit|commits|sha|sha1|sha256|digest|hash|checksum|fingerprint|revision|ref|branch|tag|tree|parent|merge|blob|object"
    r"|request|requests|trace|span|correlation|tenant|order|user|customer|account|job|run|build|pod|container|node|image|layer"
    r"|file|path|cursor|page|etag|version|id|ids|uuid|kid|nonce|serial|tx|txn|transaction|block|contract|address|device|message"
    r"|event|resource|bucket|workspace|project|invoice|thread|snapshot|artifact|package|module|host|model|deployment|function"
    r"|session|payment|charge|subscription|team|org|organization|organisation|channel|table|column|row|record|index|shard|topic"
    r"|queue|partition|volume|disk|cluster|stack|release|chunk|script|style|asset|booking|reference|shipment|tracking|part|sku"
    r"|fixture|test|class|method|endpoint|route|url|uri|link|domain|zone|instance|vm|process|thread|worker|task|step|state"
    r"|cache|ray|public|certificate|cert|issuer|subject|nextcursor|continuation|requestid|traceid|spanid|from|into|onto|at"
    r")(?:[ _-]?(?:id|name|number|no|ref|2))?(?: is| was| with)?[ :=#(\[\"'`<]{1,4}$"
)
"""What stands before something that has an owner, a place or a content, and lets nobody in."""

_HISTORY = compile_late(
    r"commit|push|pull|branch|merge|rebase|checkout|checksum|digest|integrity|sha\d|md5|hash|trans|block|ref[s ]"
)


_LEAST_BARE = 16
_CANDIDATES = compile_late(rf"[A-Za-z0-9$]{BEGAN}[\w\-.~+/=!|]{{{_LEAST_BARE - 1},512}}+")


def _find_bare_tokens(text: str, lower: str) -> Iterator[Span]:
    """Find what looks like a credential in a sentence about credentials, or about something that was turned down."""
    if not _ABOUT_CREDENTIALS.search(lower):
        return
    for match in _REFUSED_WORD.finditer(lower):
        start, end = match.span("word")
        word = text[start:end].rstrip(".,;:!?=")
        if _is_credential_refused(word):
            yield Span(start, start + len(word), "token")
    last = -1
    for match in _CANDIDATES.finditer(text):
        word = match[0] if _PADDED.search(match[0]) else match[0].rstrip(".!-=|/~")
        start, end = match.start(), match.start() + len(word)
        if text.startswith("(", end):  # A call
            continue
        if is_hexadecimal(word):
            real = _is_turned_down_itself(lower, start, end)
        else:
            direct = _DIRECT.search(lower, max(0, start - _NEAR), start) is not None
            real = _could_let_in(word, direct=direct) and (
                direct
                or _is_spoken_of(text, lower, start, end)
                or _is_tried(word, lower, start, end)
                or (0 <= last <= start <= last + _NEAR and _REPLACED.fullmatch(lower, last, start) is not None)
            )
        if real:
            last = end
            yield Span(start, end, "token")


_PADDED = compile_late(r"[A-Za-z0-9+/_\-]{16}={1,2}$")


def _could_let_in(word: str, *, direct: bool) -> bool:
    """Return whether a word looks like a credential, and neither names something nor is readable text in base64.

    It may be shorter if somebody says directly before it that it was turned down.
    """
    if direct and _LICENCE.fullmatch(word):
        return True
    if not (direct or _is_long_enough(word)):
        return False
    return is_random(word) and not is_identifier(word) and not is_readable_base64(word)


def _is_long_enough(word: str) -> bool:
    """Return whether a word is longer than the names of things are; those have letters of one case."""
    return len(word) >= _LEAST_BARE_OF_ONE_CASE or (not word.islower() and not word.isupper()) or "_" in word


def _is_spoken_of(text: str, lower: str, start: int, end: int) -> bool:
    """Return whether the words around a random one make it a credential, and not the name of something."""
    before = lower[max(0, start - _NEAR) : start]
    if _OWNER_BEFORE.search(before) or _is_called_after(before, lower[start:end]):
        return False
    if _USED_BEFORE.search(before):
        return _GETTING_IN.search(before) is not None or _GETTING_IN.search(lower, end, end + _NEAR) is not None
    thing = _THING_BEFORE.search(before)
    if thing and (_PUBLIC_KEY.search(thing[0]) or _KEY_OF_CACHE.search(before)):
        return False
    if thing:
        at = start - len(before) + thing.start()
        return not is_innocent_in(text, at, at + len(thing[0].rstrip(" :=()[]\"'`<,")))
    if _VERDICT_BEHIND.match(lower, end, end + _NEAR):
        return True
    return end - start >= _LEAST_ANYWHERE and bool(
        _TURNED_DOWN_KEY.search(before) or _TURNED_DOWN_KEY.search(lower, end, end + _NEAR)
    )


def _is_tried(word: str, lower: str, start: int, end: int) -> bool:
    """Return whether a long word of letters of both cases, or longer than names are, was tried in order to get in."""
    if len(word) < _LEAST_BARE_OF_ONE_CASE or (_is_of_one_case(word) and len(word) < _LEAST_HEXADECIMAL):
        return False
    return (
        _TRIED_BEFORE.search(lower, max(0, start - _NEAR), start) is not None
        or _NO_ENTRY_BEHIND.match(lower, end, end + _NEAR) is not None
    )


def _is_of_one_case(word: str) -> bool:
    return word.islower() or word.isupper()


def _is_called_after(before: str, word: str) -> bool:
    """Return whether a word begins as the one before it does, as the identifiers of things do: `experiment exp_…`."""
    noun, prefix = _LAST_WORD.search(before), _PREFIX.match(word)
    if noun is None or prefix is None or len(prefix[1]) < 2:  # noqa: PLR2004
        return False
    return noun[1].startswith(prefix[1]) and not _ABOUT_CREDENTIALS.search(noun[1])


_LAST_WORD = compile_late(r"([a-z]{3,24})[ :=#(\[\"'`<]{1,4}$")
_PREFIX = compile_late(r"([a-z]{1,12})[_\-.]")


def _is_turned_down_itself(lower: str, start: int, end: int) -> bool:
    """Return whether a hexadecimal number itself was turned down; most of them name a commit, a file or a request."""
    around = lower[max(0, start - 2 * _NEAR) : start] + lower[end : end + _NEAR]
    before = lower[max(0, start - _NEAR) : start]
    if (
        end - start < _LEAST_HEXADECIMAL
        or _HISTORY.search(around)
        or _OWNER_BEFORE.search(before)
        or _KEY_OF_SIGNER.search(before)
    ):
        return False
    if (thing := _LAST_WORD.search(before)) and is_innocent_in(before, thing.start(1), thing.end(1)):
        return False
    if _DIRECT.search(before) or _KEY_BEFORE.search(before):
        return True
    return _NO_VALID_ONE.match(lower, end, end + _NEAR) is not None


_REFUSAL = (
    r"(?:upstream|provider|server|service|api|gateway|vendor|backend|endpoint) (?:has )?(?:rejected|refused|revoked|declined|denied)"
    r"(?: the| our| your)?(?: api)?(?: key| token| secret| credential)? [\"'`(]?"
)
"""What is said directly before something that another server turned down."""
_DIRECT = compile_late(
    rf"{_REFUSAL}$"
    r"|authenticat[a-z]{1,3} (?:with|using|via|as) [\"'`(]?$"
    r"|auth(?:entication)? (?:has )?failed (?:with|for|using) [\"'`(]?$"
)
_REFUSED_WORD = compile_late(rf"{_REFUSAL}(?P<word>[^\s\"'`<>()\[\]{{}}]{{16,512}}+)")
_ADDRESS_OR_HOST = compile_late(
    r"[\w.+\-]{1,128}+@[\w\-]{1,64}+(?:\.[\w\-]{1,64}+){1,8}+|[\w.\-]{1,256}+:\d{1,5}+(?:/.*)?"
)
_DIGEST_OR_RESOURCE = compile_late(r"(?i)(?:sha\d{0,9}|md5|blake\w{0,60}|crc\w{0,60}|arn|urn)[-:]")
_LONG_WITH_PREFIX = compile_late(r"[a-z][a-z0-9]{0,11}_[A-Za-z0-9]{30,}")
_SIGN = re.compile(r"[:$@#*%|]")


def _is_credential_refused(word: str) -> bool:
    """Return whether a word with signs in it (`id:secret`, `id|secret`), or a long one with a prefix, is a credential."""
    if "://" in word or _ADDRESS_OR_HOST.fullmatch(word) or _DIGEST_OR_RESOURCE.match(word):
        return False
    parts = _SIGN.split(word)
    if len(parts) == 1:
        return _LONG_WITH_PREFIX.fullmatch(word) is not None and is_random(word)
    return any(len(part) >= _LEAST_BARE and is_random(part) and not is_hexadecimal(part) for part in parts)


_KEY_BEFORE = compile_late(
    r"(?:key|secret|credentials?|seed|auth(?:ori[sz]ation)? header) (?:is |was )?[\"'`(]?$"
    r"|(?:(?:api|access|auth|secret|master|admin|service|client|app)[ _-]?(?:key|token)|credentials?)(?: (?:is|was|has|been|not|provided|given)){0,3}"
    r" (?:invalid|incorrect|wrong|unknown|revoked|expired|rejected|valid|recogni[sz]ed|found|denied): ?[\"'`(]?$"
)
_NO_VALID_ONE = compile_late(
    r"[\"'`)]{0,2} (?:is|was) (?:not |no )?(?:an? |the )?(?:valid |invalid |known |revoked |active ){0,2}(?:api |access )?(?:key|token|credential|secret)"
)
_TURNED_DOWN_KEY = compile_late(
    r"(?:invalid|incorrect|bad|wrong|expired|revoked|unknown|unauthori[sz]ed)[ _-]?(?:api[ _-]?|access[ _-]?|auth[ _-]?)?(?:key|token|credential)"
    r"|authentication (?:failed|error)|not authenticated"
)
_LEAST_ANYWHERE = 32
"""How long a credential is that may stand anywhere in a sentence about one that was turned down."""
_LEAST_BARE_OF_ONE_CASE = 20
_LEAST_HEXADECIMAL = 28
_NEAR = 64


def find_schemes(text: str, lower: str) -> Iterator[Span]:
    """Find what follows `Bearer` or `Basic`, wherever that stands, and what somebody typed to log in."""
    spans = [*find_logins(text, lower)]
    for match in _SCHEMES.finditer(lower):
        start, end = match.span("secret")
        secret = text[start:end]
        if match["scheme"] == "token" and is_innocent_in(text, *match.span("scheme")):
            continue
        real = _is_user_and_password(secret) if match["scheme"] == "basic" else is_machine_made(secret, 16)
        if real and not is_placeholder(secret):
            spans.append(Span(start, end, "token"))
    return iter(sorted(spans))


def _is_user_and_password(encoded: str) -> bool:
    """Return whether a word is the base64 of `user:password`, and not just a word, as in `Basic authentication`."""
    from base64 import b64decode  # noqa: PLC0415 - few need it, and importing errata is to be cheap.

    try:
        return b":" in b64decode(encoded.rstrip("=") + "=" * (-len(encoded.rstrip("=")) % 4), validate=True)
    except ValueError:
        return is_machine_made(encoded)
