"""What a value looks like: made by a machine, chosen by a person, a placeholder, a sentence, a piece of code."""

import re
from itertools import pairwise
from typing import NamedTuple

from errata.redaction._spans import ANY_MARK, Kind, compile_late
from errata.redaction._telling_names import Promise


class Manner(NamedTuple):
    """How a value was given, which says how much to believe the name before it."""

    quoted: bool = True
    alone: bool = True
    """Whether nothing but the value follows its name, as in a line of YAML; a sentence goes on."""


# fmt: off
_PLACEHOLDER = re.compile(
    r"""(?ix)
    [*•●xX.…\-_\#?~\s]*                                            # ***, xxxx, …
    | (?:\\?["'])* [\[<({]* \s* (?:redacted|masked|filtered|hidden|removed|omitted|sanitized|scrubbed|censored|stripped
        |sensitive|secret\ removed|not\ shown|elided)
        (?:[\ :._\-]{1,3}(?:\d{1,4}|(?:api|access|auth|key|token|secret|password|credentials?|cookie|session|email|phone|card|private
            |user|pii|data|value|string|text|field|header|body|by|the|for|from|in|of|to|due|policy|security|privacy|reasons?
            |gateway|proxy|server|filter|logs?|logger|output|here|chars|characters|bytes|sensitive|information|content)(?![a-z0-9]))){0,8}
        [.\ ]* [\]>)}]* (?:\\?["'])*
    | <(?!\s*(?:redacted|masked|filtered|hidden|removed|omitted|sanitized|scrubbed|censored|stripped))[^<>]{0,60}> | \{\{[^{}]{0,60}\}\} | \{[\w.]{0,60}\} | \{[a-z_][\w.]{0,60}[!(\[][\w.!()\[\]'\"]{0,60}\} | \$\{[^{}]{0,60}\}? | \$\([^()]{0,60}\)? | \$\{\{[^{}]*\}\}
    | \$(?-i:[A-Z_][A-Z_0-9]*|[A-Za-z_]+\d{0,2}) | \$\d{1,2} | %[A-Z_]+% | %[sdr] | %\(\w+\)[sdr] | :[a-z_]+ | \?+
    | replace[_\-]?(?:me|this|it|with[_\-].*) | (?:insert[_\- ])?your[_\- ].* | \.{2,}.{0,8}
    | (?:\{[\w.]{1,60}\}[:/_.\-]?){2,6} | (?:%[sdr][:/_.\-]?){1,6} | (?:\\[nrt]|[\ .,;]){1,8}
    | null | none | nil | undefined | nan | true | false | yes | no | on | off | empty | unset | n/?a | \d
    | (?:SecretStr|SecretBytes|Secret)\(.* | SecretStr | SecretBytes
    """
)

REFERENCE = re.compile(
    r"""(?x)
    \$?\{\{[^{}\n]{0,80}+\}\}
    | !(?:Ref|Sub|GetAtt|ImportValue|reference|env_var|secret|vault|ENV|env)\b[ \t]*+[^\s"',}]{0,200}+
    | (?:vault:[\w/.\-]{1,200}+\#|op://|secretref:|keyvault:)[^\s"',}]{1,200}+
    | ENC\[[^\]\s]{1,2000}+\]
    """
)
"""Where a secret is to be found, or what it is in a cipher, but not the secret."""

_SAYING = frozenset("""
    a accepted active allow an and anonymous any are argument arguments as ask at authentication auto basic be bearer because bool
    boolean bytes can cannot changed characters check code configured contains could created deleted denied deny
    deprecated dict did digest digits disabled do does empty enabled encrypted env error expected expired failed
    field file flag flags float for format found from generated given has hashed have header if ignore in inactive include
    incorrect int integer invalid is it key length list loaded long malformed mandatory mapping may mismatch missing
    must name need needs negotiate never no none not null number object of ok omit on only option optional optional[str] options or
    parameter password please present prompt provided reason refresh rejected required reset revoked rotated
    sequence set short should sms stdin stored str string str|none supported than the this to token too tuple type
    unauthorized unavailable unexpected unknown unsupported unused unverified update updated used valid value varchar vault
    verified was weak were when which will with wrong you your
""".split())  # noqa: SIM905 - as one reads words
"""Words that a person says about a secret, and no secret."""
# fmt: on

_CODE = re.compile(
    r"(?:self|cls|this|os|settings|config|cfg|conf|args|options|opts|env|environ|app|request|req|ctx|context|params|kwargs"
    r"|data|body|credentials|creds|secrets|process|event|session|user|client|payload|props|state|vars|var|local|module)"
    r"(?:\.|\[|->)\w|[A-Za-z_][\w.]*\((?:\)|[\"']|[a-z_][A-Za-z_.]*(?:\d{0,2}$|[,()\[=])|[A-Z][a-z]+\()|(?:Optional|Union|Annotated|Literal|Sequence|Mapping|Iterable|Callable|Final|ClassVar|Type|[Ll]ist|[Dd]ict|[Ss]et|[Tt]uple)\[|(?:[a-z_]{1,20}+\.){0,3}+[A-Z][A-Za-z]{1,40}+\[[A-Za-z_.]{3,40}+(?:[\],]|$)|lambda\b|await\b|f[\"']"
)
_PLAIN_PATH = re.compile(r"(?:[~.]{0,2}/|[A-Za-z]:\\|file:|https?://|arn:|projects/)")
_DATED = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]|$)|\d{1,2}/\d{1,2}/\d{4}|\d+(?:\.\d+){1,3}$")
_DIGESTED = re.compile(r"(?:sha\d*|md5|blake\w*|crc\w*)[-:]", re.IGNORECASE)
_FILE = re.compile(r"\.(?:[a-z]{1,4}|[a-z]{2,3}\d|json5?|yaml|html|lock)$")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_RUNS = re.compile(r"[A-Za-z0-9]{8,}")
_SPACE = re.compile(r"\s")
_TURNS = re.compile(r"(?<=[a-z])[A-Z]|(?<=[A-Z])[a-z]")
_ESCAPE = re.compile(r"\\u[0-9a-fA-F]{4}")  # Its digits are nobody's.
_BRACED = re.compile(r"\{[A-Za-z0-9]{12,60}\}")
_FEW_DIGITS = re.compile(r"[-+]?[\d.,_ ]{1,8}")


_MARKED = re.compile(rf"{ANY_MARK}|\[redacted:$")
"""A mark, or all that a rule sees of one that takes its value up to the next space."""


def is_placeholder(value: str) -> bool:
    """Return whether a value only stands for one: masked already, a variable, nothing at all."""
    if "[redacted:" in value:
        return not _MARKED.sub("", value[:400]).strip("\"'\\ ,;")
    if _BRACED.fullmatch(value) and is_machine_made(value[1:-1]):  # No variable is called so.
        return False
    return bool(_PLACEHOLDER.fullmatch(value) or REFERENCE.fullmatch(value))


def is_statement(value: str) -> bool:
    """Return whether a value is something said about a secret: "must have 8 characters", "expired"."""
    words = [word.strip(".,;:!?()\"'").lower() for word in value[:200].split()]
    return any(word in _SAYING for word in words) and not _is_telling(words[0])


def is_code(value: str) -> bool:
    """Return whether a value is an expression: a line of a traceback, `password=self.password`."""
    return bool(_CODE.match(value))


def is_machine_made(value: str, least: int = 12) -> bool:
    """Return whether a value looks random: letters and digits in disorder, and no path, date, version or digest."""
    if len(value) < least or _SPACE.search(value, 0, 200):
        return False
    runs = _RUNS.findall(value[:400])
    if value.startswith("/"):  # Base64 may begin so, too.
        return any(len(run) >= least and _is_mixed(run) for run in runs) and not _FILE.search(value[-8:])
    if _PLAIN_PATH.match(value) or _DATED.match(value) or _DIGESTED.match(value) or _FILE.search(value[-8:]):
        return False
    if _UUID.fullmatch(value):
        return True
    return any(_is_mixed(run) for run in runs) or (len(value) >= 2 * least and _is_shuffled(value[:400]))


def is_random(value: str) -> bool:
    """Return whether nobody could have thought of it: letters and digits without order, or letters of both cases."""
    letters = value.replace("-", "").replace("_", "")[:400]
    runs = [run for run in _RUNS.findall(value[:400]) if len(run) >= _LEAST_RUN]
    if not runs and len(letters) >= 2 * _LEAST_RUN:  # Base64 for addresses has dashes anywhere.
        runs = [letters]
    return any(
        _changes(run) * 6 >= len(run) and len(set(run)) >= _LEAST_DISTINCT and not _is_camel(run) for run in runs
    )


_LEAST_RUN = 10
_LEAST_DISTINCT = 6


def _changes(run: str) -> int:
    """Count how often a digit, a small and a capital letter follow one of another kind."""
    kinds = [(c.isdigit(), c.isupper()) for c in run]
    capitals = sum(a == (False, True) and b == (False, False) for a, b in pairwise(kinds))  # As names are written.
    return sum(a != b for a, b in pairwise(kinds)) - capitals


def is_hexadecimal(value: str) -> bool:
    """Return whether a value is one hexadecimal number or a UUID: a digest or an identifier more often than a secret."""
    return _HEXADECIMAL.fullmatch(value) is not None


_HEXADECIMAL = re.compile(r"(?:0x)?[0-9a-fA-F]{6,}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def is_identifier(value: str) -> bool:
    """Return whether a random value only names something: a request, a payment, a pod, a path, a file, a digest, a package."""
    if _PLAIN_PATH.match(value) or _DATED.match(value) or _DIGESTED.match(value) or _FILE.search(value[-8:]):
        return True
    if value.count("/") > 1 and not _BASE64_ONLY.fullmatch(value):
        return True
    if value.count(".") > 1 and any(map(_is_random_part, value.split("."))):
        return False
    return _IDENTIFIER.match(value) is not None


def _is_random_part(part: str) -> bool:
    """Return whether one of the parts of a dotted name is none that a person gave: a token has dots, too."""
    return len(part) >= _LEAST_RANDOM_PART and is_random(part) and any(map(str.isdigit, part))


_LEAST_RANDOM_PART = 16
_BASE64_ONLY = re.compile(r"[A-Za-z0-9+/]{32,}={0,2}|[A-Za-z0-9+/]{20,}={1,2}")
_IDENTIFIER = compile_late(r"""(?x)
    (?:acct|acc|account|act|app|apps|arn|art|asst|attempt|batch|bi|blk|bld|build|building|call|card|cert|ch|chatcmpl|chk|ci|cid
      |client|clu|cmpl|conv|conn|cor|corr|corr?elation|cur|cursor|cus|cust|customer|db|dep|deploy|deployment|dev|device|disp|dpl
      |doc|dom|ds|ev|event|evt|exec|exp|ext|fc_|fi|file|flow|ftjob|gen|gid|group|hash|host|img|in|inst|int|inv|invoice|ip|item
      |job|jti|kid|li|link|loc|log|mbr|mcp|media|mem|member|mi|mod|model|modelcmpl|msg|msgbatch|nonce|node|np|obj|oid|op|ord
      |order|org|ou|page|part|pay|payment|pi|pid|pipe|pl|plan|pm|po|pod|pod|pool|price|prj|pro|proc|prod|product|project|proj
      |promo|prov|pub|py|qt|queue|re|rec|record|ref|rel|req|request|res|resource|resp|rev|rg|ro|role|rs|run|rs|sched|seg|seq|sess
      |session|seti|setup|shard|shipment|si|sid|snap|src|srv|step|stack|stage|state|sub|subnet|svc|task|team|tenant|tenants|thread
      |thrd|ticket|tkt|tool|toolu|topic|tr|trace|tr|tx|txn|txr|upload|usr|user|uuid|v\d|ver|vol|vpc|vs|web|wf|workflow|wrk|ws|x
      )[_\-][A-Za-z0-9]{6,40}(?:[_\-][A-Za-z0-9]{1,16}){0,2}$            # `req_…`, `evt_…`: what an API calls its objects
    | [a-z]{1,12}-[0-9a-f]{8,17}$                                          # `vpc-…`, `i-…`, as AWS does
    | (?:[a-z][a-z0-9]{0,15}[-.]){1,6}[a-z0-9]{5,12}(?:-[a-z0-9]{4,6})?$   # `orders-api-7d4b9c6f5d-x2lkq`
    | [0-9a-f]{16}-[A-Z]{3}$                                               # A request of Cloudflare
    | 0[0-7][0-9A-HJKMNP-TV-Z]{24}$                                        # A ULID
    | (?:[A-Za-z_$][\w$]*\.){2,}[A-Za-z_$][\w$]*$                          # `com.acme.Service2`
    | [A-Za-z][\w\-]*(?:\[\w+\])?[=<>~^]=?v?\d+(?:\.\d+)+                   # `name==1.2`
    | (?:Qm[1-9A-HJ-NP-Za-km-z]{44}|baf[a-z2-7]{50,})$                     # IPFS
    """)


def _is_mixed(run: str) -> bool:
    """Return whether a word is more than one with a number behind it: `9b5b7df59d`, not `port8080`."""
    return not run.isalpha() and not run.isdigit() and not _NUMBERED.fullmatch(run) and not _is_camel(run)


_NUMBERED = re.compile(r"[A-Za-z]?[a-z]+\d{1,4}|[A-Z]+\d{1,4}|\d{1,4}[a-z]+|[a-z]+\d{1,2}[a-z]+")


_CAMEL = re.compile(
    r"[a-z]{0,20}+(?:[A-Z]{1,3}[a-z]{1,20}+){0,8}+(?:\d{1,5}(?:[A-Z]{1,3}[a-z]{2,20}+){1,6}+|(?<=[a-z])(?:8|16|32|64|128|256|512))?"
)
_ACRONYM = re.compile(r"[A-Z]{2,7}\d{1,3}(?:[A-Z][a-z]{2,20}+){2,5}+")
_SMALL_TO_CAPITAL = 2


def _is_camel(run: str) -> bool:
    """Return whether a word is several, with a number among them at most, as programs name things: `Ed25519PublicKey`."""
    if not _CAMEL.fullmatch(run):
        return _ACRONYM.fullmatch(run) is not None
    return sum(map(str.islower, run)) > _SMALL_TO_CAPITAL * sum(map(str.isupper, run)) > 0


def _is_shuffled(value: str) -> bool:
    """Return whether upper and lower case follow each other as they do in no word."""
    return not _is_camel(value) and len(_TURNS.findall(value)) >= len(value) // 4


def _is_telling(word: str) -> bool:
    """Return whether a word looks like a password: with digits or signs among its letters."""
    return any(c.isdigit() for c in word) and any(c.isalpha() for c in word)


def is_worth_hiding(name: Promise, value: str, manner: Manner) -> bool:  # noqa: PLR0911 - one line for each doubt.
    """Return whether to hide a value behind a name that announces something."""
    if is_placeholder(value) or (not manner.quoted and is_code(value)):
        return False
    if name.kind in _PERSONAL:
        return _is_personal(name, value)
    if name.kind in _NUMERIC:
        digits = sum(character.isdigit() for character in _ESCAPE.sub("", value[:80]))
        grouped = name.kind == "code" and _GROUPED_CODE.fullmatch(value) is not None
        return grouped or (digits >= _NUMERIC[name.kind] and len(value) < 4 * digits + 8)
    if not name.sure:
        return is_machine_made(value) or _USER_AND_PASSWORD.fullmatch(value) is not None
    if is_statement(value) or _is_error_code(value) or (name.kind == "token" and _NUMBERS.fullmatch(value)):
        return False
    if (name.kind in _MADE or value.startswith("@")) and _FILE_OR_STYLE.fullmatch(value):
        return False
    if name.kind != "password" and (len(value) < _LEAST_SECRET or _FEW_DIGITS.fullmatch(value)):
        return False
    if _is_plain_path(value):
        return name.kind == "password" and "/" not in value[1:]
    if name.kind in _MADE and not manner.quoted and value.isalpha() and len(value) < _LEAST_MADE:
        return False  # `token = Comment`
    return manner.quoted or manner.alone or not value.isalpha() or not value.islower()


_USER_AND_PASSWORD = re.compile(
    r"(?!(?:sha\d*|md5|urn|arn|https?):)[\w.@+\-]{1,64}:(?=[^\d]{0,127}\d)(?=[^A-Z!@\#$%^*~?+]{0,127}[A-Z!@\#$%^*~?+])(?=[^A-Za-z]{0,127}[A-Za-z])[^\s:/,;=]{8,128}"
)
"""`auth: ann:…`, with a password of letters, digits and something else."""


def _is_personal(name: Promise, value: str) -> bool:
    """Return whether a value is written as names, birthdays and addresses are; in doubt about its owner, not as a company's."""
    if name.kind == "name" and not name.sure and (" " not in value or _COMPANY.search(value[:200])):
        return False
    return _PERSONAL[name.kind].fullmatch(value) is not None and not is_statement(value)


def _is_plain_path(value: str) -> bool:
    """Return whether a value is a path or an address, and neither random nor a key that begins like one."""
    if not _PLAIN_PATH.match(value) or is_key_of_aws(value):
        return False
    return not is_machine_made(value) and not _is_telling(value.rpartition("/")[2])


def is_key_of_aws(value: str) -> bool:
    """Return whether a value is written as the secret keys of AWS are, some of which look like a path."""
    kinds = {(c.isupper(), c.isdigit()) for c in value if c.isalnum()}
    return len(kinds) == _ALL_KINDS and _FORTY.fullmatch(value) is not None


_ALL_KINDS = 3
_FORTY = re.compile(r"[A-Za-z0-9/+]{40}")


def _is_error_code(value: str) -> bool:
    """Return whether a value is a word of a protocol about what went wrong: `invalid_grant`."""
    words = value.split("_")
    return len(words) > 1 and not _WENT_WRONG.isdisjoint(words) and value.islower() and "".join(words).isalpha()


_WENT_WRONG = frozenset(
    {"invalid", "expired", "missing", "unauthorized", "denied", "required", "revoked", "unsupported"}
)
_FILE_OR_STYLE = re.compile(
    r"@?[a-z][a-z_\-]{0,40}\.(?:crt|cer|der|pem|key|pub|p12|pfx|jks|json|ya?ml|toml|ini|cfg|conf|env|txt)"
    r"|--[a-z]{2,20}(?:-[a-z0-9]{1,20}){1,6}"
)
"""Where a secret is (`ca.crt`, `@password.txt`), or a token of a design (`--color-primary-500`)."""
_NUMBERS = re.compile(r"\d{1,6}(?:, ?\d{1,6}){1,400}")
"""What a language model calls tokens."""
_LEAST_SECRET = 3
_MADE: frozenset[Kind] = frozenset({"token", "key", "signature"})
"""Kinds whose values a machine makes."""
_LEAST_MADE = 12
_COMPANY = re.compile(
    r"(?i)(?<![^\W\d_])(?:inc|llc|llp|ltd|limited|gmbh|ag|kg|se|corp|corporation|company|co|plc|s\.?a|s\.?r\.?l|b\.?v|n\.?v|oy|ab|as|aps|pty|group"
    r"|holdings?|bank|services|systems|solutions|technologies|industries|partners|labs?|studios?|foundation|university|school|hospital|team"
    r"|test|demo|user|account|customer|default|sample|shop|store|media|energy|logistics|international|global|& ?sons)(?![^\W\d_])"
)
"""What the name of a company has in it, and that of nobody."""
_MONTHS = "(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}"
_PERSONAL: dict[Kind, re.Pattern[str]] = {
    "name": compile_late(
        r"(?!(?:[A-Z][a-z]+)?(?:String|Field|Type|Error|Value|Null|Required|None)$)[A-Z\u00c0-\u00de][^\W\d_]*[\w'\u2019.\-]{0,30}(?:,? [^\W\d_][\w'\u2019.\-]{0,30}){0,5}"
    ),
    "birth date": compile_late(
        rf"\d{{4}}[-/.]?\d{{1,2}}[-/.]?\d{{1,2}}(?:[T ].{{0,24}})?|\d{{1,2}}[-/. ]\d{{1,2}}[-/. ]\d{{2,4}}|\d{{1,2}}\.? {_MONTHS}\.?,? \d{{4}}|{_MONTHS}\.? \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}"
    ),
    "address": compile_late(r"(?=.{0,80}\d)(?=.{0,80}[^\W\d_]{3})[\w#][^\n@{}<>]{4,160}[ ,][^\n@{}<>]{0,40}"),
}
"""Kinds whose values are known by how they are written."""

_GROUPED_CODE = re.compile(r"[A-Z0-9]{4}-[A-Z0-9]{4}")
"""What somebody types in to let a device in (RFC 8628)."""

_NUMERIC: dict[Kind, int] = {"code": 3, "phone": 7, "card": 8, "national id": 6, "account": 6}
"""Kinds whose values are numbers, and how many digits they have at least."""
