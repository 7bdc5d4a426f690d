"""What a value looks like: made by a machine, chosen by a person, a placeholder, a sentence, a piece of code."""

import re
from itertools import pairwise
from typing import NamedTuple

from errata._secrecy._marks import ANY_MARK, Kind
from errata._secrecy._names import Announced


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
        |sensitive|secret\ removed|not\ shown|elided) [\w\ :.\-]* [\]>)}]* (?:\\?["'])*
    | <[^<>]{0,60}> | \{\{[^{}]{0,60}\}\} | \{[\w.]{0,60}\} | \$\{[^{}]{0,60}\}? | \$\([^()]{0,60}\)? | \$\{\{[^{}]*\}\}
    | \$(?-i:[A-Z_][A-Z_0-9]*|[A-Za-z_]+\d{0,2}) | \$\d{1,2} | %[A-Z_]+% | %[sdr] | %\(\w+\)[sdr] | :[a-z_]+ | \?+
    | (?:insert[_\- ])?your[_\- ].* | \.{2,}.{0,8}
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
    a accepted active allow an and anonymous any are as ask at authentication auto basic be bearer because bool
    boolean bytes can cannot changed characters check code configured contains could created deleted denied deny
    deprecated dict did digest digits disabled do does empty enabled encrypted env error expected expired failed
    field file float for format found from generated given has hashed have header if ignore in inactive include
    incorrect int integer invalid is it key length list loaded long malformed mandatory mapping may mismatch missing
    must name need needs negotiate never no none not null number object of ok omit on only optional optional[str] or
    parameter password please present prompt provided reason refresh rejected required reset revoked rotated
    sequence set short should sms stdin stored str string str|none supported than the this to token too tuple type
    unauthorized unavailable unexpected unknown unsupported unused unverified update updated used valid value vault
    verified was weak were when which will with wrong you your
""".split())  # noqa: SIM905 - as one reads words
"""Words that a person says about a secret, and no secret."""
# fmt: on

_CODE = re.compile(
    r"(?:self|cls|this|os|settings|config|cfg|conf|args|options|opts|env|environ|app|request|req|ctx|context|params|kwargs"
    r"|data|body|credentials|creds|secrets|process|event|session|user|client|payload|props|state|vars|var|local|module)"
    r"(?:\.|\[|->)\w|[A-Za-z_][\w.]*\((?:\)|[\"']|[a-z_][A-Za-z_.]*(?:\d{0,2}$|[,()\[=])|[A-Z][a-z]+\()|(?:Optional|Union|Annotated|Literal|Sequence|Mapping|list|dict|set|tuple)\[|lambda\b|await\b|f[\"']"
)
_PLAIN_PATH = re.compile(r"(?:[~.]{0,2}/|[A-Za-z]:\\|file:|https?://|arn:|projects/)")
_DATED = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]|$)|\d{1,2}/\d{1,2}/\d{4}|\d+(?:\.\d+){1,3}$")
_DIGESTED = re.compile(r"(?:sha\d*|md5|blake\w*|crc\w*)[-:]", re.IGNORECASE)
_FILE = re.compile(r"\.(?:[a-z]{1,4}|[a-z]{2,3}\d|json5?|yaml|html|lock)$")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_RUNS = re.compile(r"[A-Za-z0-9]+")
_ESCAPE = re.compile(r"\\u[0-9a-fA-F]{4}")  # Its digits are nobody's.
_FEW_DIGITS = re.compile(r"[-+]?[\d.,_ ]{1,8}")


_MARKED = re.compile(rf"{ANY_MARK}|\[redacted:$")
"""A mark, or all that a rule sees of one that takes its value up to the next space."""


def is_placeholder(value: str) -> bool:
    """Whether a value only stands for one: masked already, a variable, nothing at all."""
    if "[redacted" in value:
        return not _MARKED.sub("", value[:400]).strip("\"'\\ ,;")
    return bool(_PLACEHOLDER.fullmatch(value) or REFERENCE.fullmatch(value))


def is_statement(value: str) -> bool:
    """Whether a value is something said about a secret: "must have 8 characters", "expired"."""
    words = [word.strip(".,;:!?()\"'").lower() for word in value[:200].split()]
    return any(word in _SAYING for word in words) and not _is_telling(words[0])


def is_code(value: str) -> bool:
    """Whether a value is an expression: a line of a traceback, `password=self.password`."""
    return bool(_CODE.match(value))


def is_machine_made(value: str, least: int = 12) -> bool:
    """Whether a value looks random: letters and digits in disorder, and no path, date, version or digest."""
    if len(value) < least or any(character.isspace() for character in value[:200]):
        return False
    runs = _RUNS.findall(value[:400])
    if value.startswith("/"):  # Base64 may begin so, too.
        return any(len(run) >= least and _is_mixed(run) for run in runs) and not _FILE.search(value[-8:])
    if _PLAIN_PATH.match(value) or _DATED.match(value) or _DIGESTED.match(value) or _FILE.search(value[-8:]):
        return False
    if _UUID.fullmatch(value):
        return True
    return any(_is_mixed(run) for run in runs) or (len(value) >= 2 * least and _is_shuffled(value[:400]))


def _is_mixed(run: str) -> bool:
    """Whether a word is more than one with a number behind it: `9b5b7df59d`, not `port8080`."""
    return len(run) >= 8 and not run.isalpha() and not run.isdigit() and not _NUMBERED.fullmatch(run)  # noqa: PLR2004


_NUMBERED = re.compile(r"[A-Za-z]?[a-z]+\d{1,4}|[A-Z]+\d{1,4}|\d{1,4}[a-z]+|[a-z]+\d{1,2}[a-z]+")


def _is_shuffled(value: str) -> bool:
    """Whether upper and lower case follow each other as they do in no word."""
    turns = sum(a.islower() != b.islower() for a, b in pairwise(value) if a.isalpha() and b.isalpha())
    return turns >= len(value) // 4


def _is_telling(word: str) -> bool:
    """Whether a word looks like a password: with digits or signs among its letters."""
    return any(c.isdigit() for c in word) and any(c.isalpha() for c in word)


def is_worth_hiding(name: Announced, value: str, manner: Manner) -> bool:  # noqa: PLR0911 - one line for each doubt.
    """Decide about a value behind a name that announces something."""
    if is_placeholder(value) or (not manner.quoted and is_code(value)):
        return False
    digits = sum(character.isdigit() for character in _ESCAPE.sub("", value[:80]))
    if name.kind in _NUMERIC:
        return digits >= _NUMERIC[name.kind] and len(value) < 4 * digits + 8
    if not name.sure:
        return is_machine_made(value)
    if is_statement(value):
        return False
    if name.kind != "password" and _FEW_DIGITS.fullmatch(value):
        return False
    if _PLAIN_PATH.match(value) and not is_machine_made(value) and not _is_telling(value.rpartition("/")[2]):
        return name.kind == "password" and "/" not in value[1:]
    return manner.quoted or manner.alone or not value.isalpha() or not value.islower()


_NUMERIC: dict[Kind, int] = {"code": 3, "phone": 7, "card": 8, "national id": 6, "account": 6}
"""Kinds whose values are numbers, and how many digits they have at least."""
