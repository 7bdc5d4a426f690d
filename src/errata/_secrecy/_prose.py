"""Secrets in sentences and on command lines, where no `=` or `:` announces them."""

import re
from collections.abc import Iterator
from functools import cache

from errata._secrecy._looks import is_machine_made, is_placeholder
from errata._secrecy._marks import Span

_THING = r"(?:api[ _-]?key|(?:access|auth|bearer|refresh|session|security|personal access|api)?[ _-]?token|secret(?:[ _-]key)?|access[ _-]key|client[ _-]secret|credentials?|password|passphrase|passwd|pass)"


@cache
def _after_a_thing() -> re.Pattern[str]:
    """`API key X`, `the token 'X'`, `password is X`."""
    return re.compile(
        rf"(?i)\b(?P<thing>{_THING})(?P<verb> (?:is|was|of|value|provided|used|given|supplied|set to|changed to|reset to|to)(?: now)?)?:? "
        r"(?:(?P<quote>[\"'`])(?P<quoted>[^\s\"'`]{4,512}+)(?P=quote)|(?P<word>[^\s\"'`<>(\[{]{6,2048}+))"
    )


@cache
def _before_a_verdict() -> re.Pattern[str]:
    """`X is not a valid token`."""
    return re.compile(
        rf"(?i)(?<=[\s\"'`:=(])(?P<word>[^\s\"'`:=(]{{16,2048}}+)[\"'`]? (?:is|was) (?:not |no )?(?:an? |the |no )?(?:\w{{1,12}}+ )?{_THING}"
    )


@cache
def _schemes() -> re.Pattern[str]:
    return re.compile(
        r"(?i)\b(?P<scheme>bearer|basic|token|apikey|negotiate|ntlm)(?:[ \t+]|%20)+(?P<secret>[\w\-.~+/%]{8,}+={0,2})"
    )


@cache
def _commands() -> re.Pattern[str]:
    """Commands whose password follows a letter."""
    return re.compile(
        r"""(?x)
        (?:\b(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump|mysqlimport)\b[^\n|;&]{0,200}?[\s'",]-p(?P<mysql>[^\s'",\-][^\s'",]{2,})
        | \b(?:sshpass|docker\ login|podman\ login|helm\ registry\ login|mongo|mongosh|mongodump|az\ login|influx|cqlsh|oc\ login|npm\ login)\b
          [^\n|;&]{0,200}?[\s'",]-p['",]{0,3}\s*['"]?(?P<p>[^\s'",\-][^\s'",]{2,})
        | \b(?:redis-cli|valkey-cli)\b[^\n|;&]{0,200}?[\s'",]-a['",]{0,3}\s*['"]?(?P<a>[^\s'",]{3,})
        | \b(?:sqlcmd|bcp|zip|unzip|isql|tsql|osql)\b[^\n|;&]{0,200}?[\s'",]-P['",]{0,3}\s*['"]?(?P<P>[^\s'",\-][^\s'",]{2,})
        | \bldap\w{3,9}\b[^\n|;&]{0,200}?[\s'",]-w['",]{0,3}\s*['"]?(?P<w>[^\s'",]{3,})
        | \b(?:smbclient|rpcclient|net)\b[^\n|;&]{0,200}?[\s'",]-U['",]{0,3}\s*['"]?[^\s'"%]{1,64}%(?P<U>[^\s'"]{2,})
        | \b7za?\b[^\n|;&]{0,200}?\s-p(?P<seven>[^\s'"\-][^\s'"]{2,})
        | \bsqlplus\b[^\n|;&]{0,80}?\s['"]?[\w.]{1,64}/(?P<plus>[^\s@'"/]{3,})
        | (?:\b(?:curl|wget|http|https|xh|ftp|lftp)\b[^\n|;]{0,300}?[\s'",](?:-u|--user|--proxy-user|-U|-a|--auth))['",]{0,3}[\s=]*['"]?[^\s'":]{1,128}:(?P<u>[^\s'"]{2,})
        | -pass(?:in|out)?\s+pass:(?P<ssl>[^\s'"]{2,})
        | \b(?:storepass|keypass|srcstorepass|deststorepass)\s+(?P<keytool>[^\s'"]{3,})
        | \bIDENTIFIED\s+(?:WITH\s+\S{1,64}\s+)?BY\s+(?:PASSWORD\s+)?['"](?P<sql>[^'"\n]{2,256})
        | \bPASSWORD\s+'(?P<pg>[^'\n]{2,256})'
        )"""
    )


_TRIGGERS = ("key", "token", "secret", "password", "passphrase", "passwd", "pass ", "credential")


def sentences(text: str, lower: str) -> Iterator[Span]:
    """Find secrets that a sentence speaks of."""
    if not any(trigger in lower for trigger in _TRIGGERS):
        return iter(())
    spans = [span for found in _after_a_thing().finditer(text) for span in _spoken_of(found)]
    if " is " in lower or " was " in lower:
        for found in _before_a_verdict().finditer(text):
            if is_machine_made(found["word"]):
                spans.append(Span(*found.span("word"), "token"))
    return iter(sorted(spans))


def _spoken_of(found: re.Match[str]) -> Iterator[Span]:
    quoted, word, thing = found["quoted"], found["word"], found["thing"].lower()
    kind = "password" if thing.startswith("pass") else "token"
    value = (quoted or word.rstrip(".,;:!?)")).strip()
    start = found.start("quoted" if quoted else "word")
    if is_placeholder(value):
        return
    chosen = any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
    believable = (
        kind == "password" and chosen and (quoted or found["verb"] or any(c in "!@#$%^&*?" for c in value[:-1]))
    )
    if is_machine_made(value, 12 if quoted else 16) or (believable and "/" not in value):
        yield Span(start, start + len(value), kind)


def schemes(text: str, lower: str) -> Iterator[Span]:
    """Find what follows `Bearer` or `Basic`, wherever that stands."""
    if not any(scheme in lower for scheme in ("bearer", "basic", "negotiate", "ntlm", "token", "apikey")):
        return
    for found in _schemes().finditer(text):
        secret = found["secret"]
        if found["scheme"].lower() == "basic":
            real = _is_user_and_password(secret)
        else:
            real = is_machine_made(secret, 16)
        if real and not is_placeholder(secret):
            yield Span(*found.span("secret"), "token")


def _is_user_and_password(encoded: str) -> bool:
    """Whether a word is the base64 of `user:password`, and not just a word, as in `Basic authentication`."""
    from base64 import b64decode  # noqa: PLC0415 - few need it, and importing errata is to be cheap.

    try:
        return b":" in b64decode(encoded.rstrip("=") + "=" * (-len(encoded.rstrip("=")) % 4), validate=True)
    except ValueError:
        return is_machine_made(encoded)


def commands(text: str) -> Iterator[Span]:
    """Find the passwords on command lines and in SQL."""
    for found in _commands().finditer(text):
        group = found.lastgroup
        if group and not is_placeholder(found[group]):
            yield Span(*found.span(group), "password")
