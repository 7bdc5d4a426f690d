"""Passwords on command lines that follow a single letter, in SQL, and in lines of a `.pgpass`.

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
)

_LITERAL = r"""["'](?P<secret>[^'"\n]{2,256})"""
_BY = r"\s+(?:with\s+\S{1,40}\s+)?(?:by|as)\s+(?:(?:password|values)\s+)?"
_HOST = r"(?:localhost|\*|(?:[\w\-]{1,63}+\.){1,8}+[A-Za-z0-9]{1,63}+(?<!\.py|\.js|\.ts|\.go|\.rs|\.rb)(?<!\.[ch]))"
_STATEMENTS = (
    ("identified", rf"(?:create|alter|grant)\s[^;\n]{{0,200}}?\sidentified{_BY}{_LITERAL}"),
    ("identified", rf"(?-i:IDENTIFIED){_BY}{_LITERAL}"),
    ("identified", r"(?:create|alter)\s+user\s+\S{1,80}\s+identified\s+by\s+(?!values\b)(?P<secret>[^\s'\";]{3,})"),
    ("password",   rf"(?:create|alter)\s+(?:user|role|group|login)\s[^;\n]{{0,200}}?\spassword\s+{_LITERAL}"),
    ("password",   rf"set\s+password\s*(?:for\s+\S{{1,200}}\s*)?=\s*(?:\w{{0,4}}password\s?\(\s?)?{_LITERAL}"),
    ("password",   rf"(?-i:PASSWORD)\s+{_LITERAL}"),
    ("conn",       r"(?<![\w,.]\s)conn(?:ect)?\s+[\w$\#.]{1,64}/(?!\d+@)(?P<secret>[^\s@'\"/]{3,128})(?=@\w|\s+as\s+sys)"),
    ("@//",        r"(?<![./@\-])[\w$\#]{1,64}+/(?P<secret>[^\s@'\"/]{3,128})(?=@//\w)"),
    ("/u",         r"net\s+use\s[^\n|&]{0,200}?\s/u(?:ser)?:\S{1,80}\s+(?P<secret>[^\s/'\"]{3,128})(?=\s*(?:$|[/\n'\"&|]))"),
    ("/u",         r"net\s+use\s+(?:\S{1,3}\s+)?\\\\\S{1,200}\s+(?P<secret>[^\s/'\"]{3,128})\s+/u"),
    (":54 :6432: :*:",  # The host, port, database, user and password of a line in `.pgpass`
     rf"(?<![.\-/]){_HOST}:(?:54\d\d|6432|\*):[A-Za-z_*][\w\-]{{0,62}}+:[A-Za-z_*][\w.\-]{{0,62}}+:(?P<secret>[^\s:'\"]{{3,128}}+)"),
)
"""Words without which a statement is not looked for, and the statement.

Upper case is SQL; in lower case, more of it has to be there: "rows are identified by 'id'" is prose.
"""
# fmt: on


@cache
def _command(names: str, option: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w\-])(?:{'|'.join(map(re.escape, names.split()))})(?=\s|['\"]){_REST}{option}")


@cache
def _statement(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?i)(?<!\w){pattern}")


def commands(text: str, lower: str) -> Iterator[Span]:
    """Find the passwords on command lines, in SQL and in password files."""
    forms = [_command(names, option) for names, option in _ROWS if any(name in text for name in names.split())]
    forms += [_statement(pattern) for words, pattern in _STATEMENTS if any(word in lower for word in words.split())]
    found = [span for form in forms for match in form.finditer(text) for span in _spans(match)]
    return iter(sorted(found))


def _spans(match: re.Match[str]) -> Iterator[Span]:
    """Give every part of a command that is a password and not only stands for one."""
    for group, secret in match.groupdict().items():
        if secret is not None and not is_placeholder(secret):
            yield Span(*match.span(group), "password")
