"""Passwords on command lines that follow a single letter, and in SQL.

What follows a whole word, `--password …`, needs no list; it is a pair like others.
"""

import re
from collections.abc import Iterator
from functools import cache

from errata._secrecy._looks import is_placeholder
from errata._secrecy._marks import Span

_WORD = r"""(?P<secret>[^\s'",\-][^\s'",]{2,})"""
_APART = rf"""['",]{{0,3}}\s*['"]?{_WORD}"""  # `-p secret`, and `'-p', 'secret'` in a list of arguments
_REST = r"""[^\n|;&]{0,200}?[\s'",]"""

# fmt: off
_ROWS = (
    ("mysql mysqldump mysqladmin mysqlimport mariadb mariadb-dump", rf"-p{_WORD}"),
    ("sshpass mongo mongosh mongodump mongorestore influx cqlsh",   rf"-p{_APART}"),
    ("login",                                                       rf"(?:-p|--secret){_APART}"),  # docker, az, oc, npm …
    ("redis-cli valkey-cli",                                        rf"-a{_APART}"),
    ("sqlcmd bcp osql isql tsql zip unzip",                         rf"-P{_APART}"),
    ("ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami",         rf"-w{_APART}"),
    ("smbclient rpcclient",                                         r"-U['\",]{0,3}\s*['\"]?[^\s'\"%]{1,64}%(?P<secret>[^\s'\"]{2,})"),
    ("7z 7za",                                                      rf"-p{_WORD}"),
    ("openssl",                                                     rf"(?:-k{_APART}|-pass(?:in|out)?\s+pass:(?P<other>[^\s'\"]{{2,}}))"),
    ("sqlplus rman impdp expdp",                                    r"['\"]?[\w.]{1,64}/(?P<secret>[^\s@'\"/]{3,})"),
    ("keytool jarsigner",                                           rf"-\w{{0,6}}(?:storepass|keypass){_APART}"),
    ("curl wget http https xh ftp lftp",
     r"(?:-u|-U|-a|--user|--proxy-user|--auth)['\",]{0,3}[\s=]*['\"]?[^\s'\":]{1,128}:(?P<secret>[^\s'\"]{2,})"),
    ("IDENTIFIED",                                                  r"BY\s+(?:PASSWORD\s+)?['\"](?P<secret>[^'\"\n]{2,256})"),
    ("PASSWORD",                                                    r"'(?P<secret>[^'\n]{2,256})'"),
)
# fmt: on


@cache
def _compiled(names: str, option: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w\-])(?:{'|'.join(map(re.escape, names.split()))})(?=\s|['\"]){_REST}{option}")


def commands(text: str, lower: str) -> Iterator[Span]:  # noqa: ARG001 - one signature for all layers.
    """Find the passwords on command lines and in SQL."""
    found = [
        Span(*match.span(group), "password")
        for names, option in _ROWS
        if any(name in text for name in names.split())
        for match in _compiled(names, option).finditer(text)
        if (group := "secret" if match["secret"] else "other")
        if not is_placeholder(match[group]) and not match[group].startswith("[redacted")
    ]
    return iter(sorted(found))
