"""Values that a sentence says were refused, in the languages in which servers say so: `the token X has expired`, `密码错误: X`.

A credential is named, a verdict stands before it, behind its name or behind the value, and the value looks like one.
"""

import re
from collections.abc import Iterator
from typing import Final

from errata.redaction._spans import Kind, Span, compile_late
from errata.redaction._telling_names import is_innocent_in
from errata.redaction._value_looks import is_hexadecimal, is_identifier, is_machine_made, is_placeholder

# fmt: off
_PASSWORDS: Final = (
    r"pass(?:word|wd|code|phrase)|pwd|passwort|kennwort|contraseña|contrasena|clave|mot de passe|senha|wachtwoord|parola|hasło|пароль"
    r"|密码|密碼|口令|パスワード|비밀번호|암호"
)
_MADE: Final = (
    r"token|jwt|(?:client |api )?secret(?:[ _-](?:access[ _-])?key)?|credentials?|(?:api|access|auth|license|private|signing)[ _-]?key|jeton"
    r"|(?:api|zugriffs|zugangs|lizenz)[ -]?schlüssel|(?:clé|clave|chave|chiave)(?: d'| d[ei] )?(?: ?api| secr[eè]t[ae]?)?|токен|(?:api[ -]?)?ключ(?: api)?"
    r"|令牌|权杖|(?:api|访问|存取)? ?(?:密钥|密鑰|金鑰)|トークン|(?:api|アクセス|シークレット) ?キー|秘密鍵|토큰|(?:api|액세스|비밀) ?키"
)
_NAME: Final = compile_late(
    rf"(?<![^\W_])(?:(?P<password>{_PASSWORDS})|(?P<pin>(?<!gpio )pin(?:[ -]?code)?)|(?P<made>{_MADE}))(?![a-z0-9_])"
)
_VERDICT: Final = (
    r"(?:wrong|bad|incorrect|invalid|not valid|no longer valid|not accepted|not recogni[sz]ed|not authori[sz]ed|mismatch|does not match|did not match"
    r"|malformed|reject|refus|revok|declin|denied|expir|unknown|disabled|compromised|leaked"
    r"|incorrecta?|inválid|incorret|rechazad|caducad|vencid|revocad|révoqu|erron|rejeitad|revogad|errat|sbagliat|non (?:è )?valid|scadut|pas valide"
    r"|falsch|ungültig|abgelaufen|abgelehnt|widerrufen|gesperrt|onjuist|ongeldig|verkeerd|verlopen|nieprawid|błędn|wygas"
    r"|невер[не]|неправильн|недействит|ист[её]к|просроч|отозван"
    r"|错误|錯誤|无效|無效|过期|過期|不正确|不正確|失效|有误|有誤|撤销|撤銷|不匹配|拒绝|拒絕"
    r"|間違|正しく|無効|有効期限|期限|一致しま|違いま|誤り|오류|틀[렸린립]|잘못|만료|유효하지|올바르지|일치하지|거부)"
)
_VERDICT_BEFORE: Final = compile_late(rf"{_VERDICT}[^\W\d_]{{0,6}}+ (?:the |your |our )?$")
_VERDICT_WITHIN: Final = compile_late(_VERDICT)
_VERDICT_BEHIND: Final = compile_late(
    rf"[\"'`)\]»”\u2019」』]{{0,2}},?[ ]?(?:[がはのを이가은는을를]|이\(가\)|은\(는\))?[ ]?(?:[^\W\d_]{{1,9}}[ ']){{0,4}}?已?{_VERDICT}"
)
_SENT: Final = (
    r"(?: that| which)?(?: you| we| i| they)?(?: have| has| had| was)? (?:sent|provided|entered|gave|given|passed|used|supplied|specified|typed|submitted)"
)
_VALUE: Final = (
    r"[\"'`(\[«“„\u2018「『]{0,2}[ ]?(?P<value>[^\s\"'`()\[\]{}<>«»“”„\u2018\u2019「」『』,;:=\uff0c。\uff1a]{4,512}+)"
)
_DIRECT: Final = compile_late(rf"(?:{_SENT})?[:,]?[ ]?{_VALUE}")
_BEHIND_VERDICT: Final = compile_late(rf"(?P<verdict>[^:\uff1a\n\d\"'(\[=«“]{{1,40}}+)[:\uff1a«“][ ]?{_VALUE}")
# fmt: on
_NO_PASSWORD: Final = re.compile(
    r"(?i)(?:attempts?|tr(?:y|ies)|v|version|step|rule|field|user|line|code|error|type|level|tier|reset|policy|sha|md|base|utf|aes|rsa|oauth)[-_#]?\d*"
    r"|(?-i:[A-Z]{1,8})[-_]?\d{1,8}|\d{1,4}[a-z]{1,12}|\d{1,4}[-\u2013]\d{1,4}\w{0,20}"
)
"""What stands where a password might, and counts or names something."""
_WORD: Final = re.compile(r"[a-z]{1,20}\d?")
"""What may go on with a sentence: `wrong password format2`."""
_PIN: Final = re.compile(r"\d{4,8}")
_LEAST_MADE: Final = 8
_NEAR: Final = 40


def find_refused_values(text: str, lower: str) -> Iterator[Span]:
    """Find credentials of which a sentence says that they were refused."""
    for name in _NAME.finditer(lower):
        if is_innocent_in(text, *name.span()):
            continue
        kind: Kind = "password" if name["password"] else "code" if name["pin"] else "token"
        for start, end in _find_values(lower, name):
            value = text[start:end].rstrip(".!?")
            if _is_refused(value, kind):
                yield Span(start, start + len(value), kind)
                break


def _find_values(lower: str, name: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield where a value may stand that a verdict is about."""
    if direct := _DIRECT.match(lower, name.end()):
        before = _VERDICT_BEFORE.search(lower, max(0, name.start() - _NEAR), name.start())
        is_named = lower[direct.start("value") - 1] != " " or not _WORD.fullmatch(direct["value"])
        if _VERDICT_BEHIND.match(lower, direct.end(), direct.end() + _NEAR) or (before and is_named):
            yield direct.span("value")
    if (behind := _BEHIND_VERDICT.match(lower, name.end())) and _VERDICT_WITHIN.search(behind["verdict"]):
        yield behind.span("value")


def _is_refused(value: str, kind: Kind) -> bool:
    """Return whether a value looks like a credential of a kind, and not like the name or the number of something."""
    if kind == "code":
        return _PIN.fullmatch(value) is not None
    if is_placeholder(value) or is_identifier(value):
        return False
    if kind == "password":
        mixed = any(map(str.isdigit, value)) and any(c.isascii() and c.isalpha() for c in value)
        return mixed and "/" not in value and not _NO_PASSWORD.fullmatch(value)
    is_digest = is_hexadecimal(value) and (value.islower() or value.isupper())
    return is_machine_made(value, _LEAST_MADE) and not is_digest
