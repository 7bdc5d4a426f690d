"""Which expressions hold a secret, as far as their names tell."""

import ast
import re

from errata.linter._code import Function
from errata.linter._names import last_of
from errata.redaction import announced, is_innocent_in

_SECRET_KINDS = frozenset({"card", "cookie", "key", "national id", "password", "secret", "token"})
_LOOKUPS = frozenset({"get", "getenv", "pop", "get_secret"})
_SAME_VALUE = frozenset({"decode", "encode", "get_secret_value", "lower", "lstrip", "rstrip", "strip", "upper"})
_HARMLESS_TYPES = frozenset({"bool", "int", "float"})

# Last words with another meaning in code: a test that passed, a sine, a pan, the secrets that a cluster lists.
_AMBIGUOUS = frozenset({"bearer", "nino", "pan", "pass", "psk", "pw", "secrets", "sin"})
_CREDENTIALS = re.compile(r"(?:^|_)(?:credentials?|creds)$")
_CONNECTION = re.compile(
    r"(?:^|_)(?:dsn|conn(?:ection)?_?str(?:ing)?|(?:connection|conn|database|db|mongo(?:db)?|postgres(?:ql)?|mysql)_ur[il])$"
)
# Names of names: the setting, not what is in it.
_ABOUT = re.compile(
    r"^(?:env|environ|missing|required|unknown|invalid|num|has|is|no)_|^(?:ENV|HEADER|PARAM|FIELD|KEY|ARG)_"
)
# A token may be one of a language, a page or a plan, and a secret one of a cluster: something else has to tell.
_VAGUE = frozenset({"secret", "token"})
_OWNERS = re.compile(
    r"(?:^|_)(?:access|admin|api|app|atlassian|auth|aws|azure|bearer|bot|client|consumer|deploy|discord|figma|github|gitlab"
    r"|google|hf|huggingface|id|jira|jwt|linear|login|notion|oauth2?|personal|private|refresh|secret|service|session|shared"
    r"|signing|slack|stripe|telegram|user|webhook)_?(?:secret|token)$"
    r"|(?:^|_)(?:auth|cfg|conf|config|credentials|creds|env|settings)\.(?:secret|token)$"
)
_WORDS_ABOUT_ACCESS = re.compile(
    r"auth|bearer|log.?in|credential|sign.?in"
    r"|(?:access|api|bad|expired|incorrect|invalid|refused|rejected|revoked|using|with|wrong)\W+(?:\w+\W+)?(?:secret|token)",
    re.IGNORECASE,
)
_PARSES = re.compile(r"_*(parse|tokeni[sz]e|lex|split)")
_PARSER = re.compile(
    r"unexpected|expected|syntax|pars(?:e|ing)|position|column|\bline\b|lex|unknown token", re.IGNORECASE
)


def name_of(function: Function, node: ast.expr) -> str | None:  # noqa: PLR0911 - one line for each kind of node.
    """Name what an expression holds by its last word: `self.password`, `config["password"]`, `getenv("PASSWORD")`."""
    match node:
        case ast.Name(id=name):
            return None if _is_harmless(function, name) else name
        case ast.Attribute(value=ast.Name(id=owner) | ast.Attribute(attr=owner), attr=name) if name in _VAGUE:
            return f"{owner}.{name}"
        case ast.Attribute(attr=name):
            return name
        case ast.Subscript(slice=ast.Constant(value=str(key))):
            return key
        case ast.Call(func=ast.Attribute(attr=method, value=receiver)) if method in _SAME_VALUE:
            return name_of(function, receiver)
        case ast.Call(func=ast.Attribute(attr=method) | ast.Name(id=method), args=[ast.Constant(value=str(key)), *_]):
            return key if method in _LOOKUPS else None
        case ast.Await(value=value):
            return name_of(function, value)
        case _:
            return None


def kind_of(function: Function, name: str, before: str) -> str | None:
    """Say what kind of secret a name announces, after those words of a text; None for none."""
    if _ABOUT.search(name) or _is_name_of_setting(function, name):
        return None
    if _CREDENTIALS.search(name.lower()):
        return "credentials"
    if _CONNECTION.search(name.lower()):
        return "connection string"
    last = re.split(r"[_\-.]", name.rstrip("_").lower())[-1]
    promise = announced(name)
    if promise is None or not promise.sure or promise.kind not in _SECRET_KINDS or last in _AMBIGUOUS:
        return None
    if last in _VAGUE and (_PARSES.match(last_of(function.name)) or not _is_for_access(name, before)):
        return None
    return promise.kind


def _is_for_access(name: str, before: str) -> bool:
    """Whether a token or a secret gives access to something, by its whole name or by the words before it."""
    snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    return bool(_OWNERS.search(snake)) or (not _is_of_parser(before) and bool(_WORDS_ABOUT_ACCESS.search(before)))


def _is_of_parser(before: str) -> bool:
    """Whether the words before a token tell that it is one of a language, or of a list in pages."""
    text = before.rstrip(" :'\"`(=")
    return bool(_PARSER.search(before)) or is_innocent_in(text, max(0, len(text) - 5), len(text))


def _is_harmless(function: Function, name: str) -> bool:
    """Whether a name holds a number or a truth value by its annotation."""
    kind = function.annotations.get(name)
    return isinstance(kind, ast.Name) and kind.id in _HARMLESS_TYPES


def _is_name_of_setting(function: Function, name: str) -> bool:
    """Whether a constant of the file holds the name of a variable: `ENV_TOKEN = "ORDERS_TOKEN"`."""
    if not name.isupper():
        return False
    for node in function.module.tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=bound)], value=ast.Constant(value=str())) if bound == name:
                return True
            case ast.AnnAssign(target=ast.Name(id=bound), value=ast.Constant(value=str())) if bound == name:
                return True
            case _:
                continue
    return False
