"""Passwords on command lines that follow a single letter, in SQL, and in lines of a `.pgpass`.

What follows a whole word, `--password …`, needs no list; it is a pair like others.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache

from errata._secrecy._looks import is_placeholder, is_statement
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
    ("ssh-keygen",                                                  rf"-[NP]{_APART}"),
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
    ("echo",       r"echo\s+(?:-n\s+)?(?P<q>['\"]?)(?P<secret>[^\s'\"|$]{3,256})(?P=q)\s*\|\s*(?:sudo\s(?:-\w\s+)*-\w*S|[^\n|]{0,200}?\s--(?:password-)?stdin)"),
    ("chpasswd",   r"echo\s+['\"]?[\w.\-]{1,64}:(?P<secret>[^\s'\"|$]{3,256})['\"]?\s*\|\s*(?:sudo\s+)?chpasswd"),
    ("htpasswd",   r"htpasswd\s+-\w*n\w*b\w*\s+\S{1,64}\s+['\"]?(?P<secret>[^\s'\"]{3,256})"),
    ("htpasswd",   r"htpasswd\s+-(?!\w*n)\w*b\w*\s+(?:-\w+\s+){0,4}\S{1,200}\s+\S{1,64}\s+['\"]?(?P<secret>[^\s'\"]{3,256})"),
    ("--basic",    r"--basic(?:-auth)?[\s=]+['\"]?[^\s:'\"/]{1,64}:(?!//)(?P<secret>[^\s'\"]{2,256})"),
    ("basicauth",  r"(?:\w{1,20}\.)?\w{0,8}BasicAuth\(\s*(?:\w{1,12}=)?['\"][^'\"\n]{1,128}['\"]\s*,\s*(?:\w{1,12}=)?['\"](?P<secret>[^'\"\n]{2,256})"),
    (":54 :6432: :*:",  # The host, port, database, user and password of a line in `.pgpass`
     rf"(?<![.\-/]){_HOST}:(?:54\d\d|6432|\*):[A-Za-z_*][\w\-]{{0,62}}+:[A-Za-z_*][\w.\-]{{0,62}}+:(?P<secret>[^\s:'\"]{{3,128}}+)"),
)
"""Words without which a statement is not looked for, and the statement.

Upper case is SQL; in lower case, more of it has to be there: "rows are identified by 'id'" is prose.
"""

_LOGINS = (
    ("auth",     r"(?-i:AUTH) +(?:\S{1,64} +)?(?P<prompted>\S{3,256})(?=\s*(?:$|[\r\n]))"),                # Redis
    ("requirepass masterauth", r"(?:requirepass|masterauth)\s+['\"]?(?P<secret>[^\s'\"]{3,256})"),
    ("pass",     r"(?-i:PASS) +(?P<prompted>[^\s/:]{3,256})(?=\s*(?:$|[\r\n'\"]))"),                      # FTP and POP
    ("password", r"machine\s+\S{1,200}\s+login\s+\S{1,200}\s+password\s+(?P<secret>\S{3,256})"),          # `.netrc`
    ("password", r"(?<=login\s)\S{1,200}\s+password\s+(?P<chosen>\S{3,256})"),
    ("env",      r"(?-i:ENV)\s+(?-i:[A-Z0-9_]{0,60}(?:PASSWORD|PASSWD|SECRET|TOKEN|KEY))\s+['\"]?(?P<secret>[^\s'\"=]{3,256})['\"]?(?=\s*(?:$|[\r\n]))"),
    ("configure", r"configure\s+set\s+[\w.\-]{0,80}(?:secret_access_key|session_token)\s+['\"]?(?P<secret>[^\s'\"]{8,})"),
)
"""The same for what one types to a server, or has in a file that types it.

A secret that is `prompted` counts behind a prompt only, one that is `chosen` only with a digit: the rest is prose.
"""
# fmt: on

_Row = tuple[str, str]


def _by_word(table: tuple[_Row, ...]) -> dict[str, list[_Row]]:
    rows: dict[str, list[_Row]] = {}
    for row in table:
        for word in row[0].split():
            rows.setdefault(word, []).append(row)
    return rows


_ROWS_OF, _STATEMENTS_OF, _LOGINS_OF = _by_word(_ROWS), _by_word(_STATEMENTS), _by_word(_LOGINS)

_PROMPT = re.compile(r"(?:[>$\"']|\bC:|\b(?:sent|send|sending):?) ?$|USER \S{1,64}\s[^\0]{0,160}$")
_MECHANISMS = frozenset({"PLAIN", "LOGIN", "NTLM", "XOAUTH2", "GSSAPI", "CRAM-MD5", "DIGEST-MD5", "TLS", "SSL"})


@cache
def _command(names: str, option: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w\-])(?:{'|'.join(map(re.escape, names.split()))})(?=\s|['\"]){_REST}{option}")


@cache
def _statement(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?i)(?<!\w){pattern}")


def commands(text: str, lower: str) -> Iterator[Span]:
    """Find the passwords on command lines, in SQL and in password files."""
    forms = [_command(names, option) for names, option in _told_by(_ROWS_OF, text)]
    forms += [_statement(pattern) for _, pattern in _told_by(_STATEMENTS_OF, lower)]
    found = [span for form in forms for match in form.finditer(text) for span in _spans(match)]
    return iter(sorted(found))


def logins(text: str, lower: str) -> Iterator[Span]:
    """Find the passwords that somebody typed to a server."""
    forms = [_statement(pattern) for _, pattern in _told_by(_LOGINS_OF, lower)]
    found = [match for form in forms for match in form.finditer(text) if _is_login(text, match)]
    return iter(sorted(span for match in found for span in _spans(match)))


def _told_by(rows: dict[str, list[_Row]], text: str) -> Iterable[_Row]:
    """Choose the rows with a word that is in the text."""
    return dict.fromkeys(row for word in filter(text.__contains__, rows) for row in rows[word])


def _is_login(text: str, match: re.Match[str]) -> bool:
    """Whether it was typed, and not said: "AUTH failed", "PASS tests/login"."""
    groups = match.groupdict()
    if (secret := groups.get("prompted")) is not None:
        before = text[max(0, match.start() - 200) : match.start()]
        return secret not in _MECHANISMS and not is_statement(secret) and _PROMPT.search(before) is not None
    if (secret := groups.get("chosen")) is not None:
        return any(c.isdigit() for c in secret) and any(c.isalpha() for c in secret)
    return not is_statement(match["secret"])


def _spans(match: re.Match[str]) -> Iterator[Span]:
    """Give every part of a command that is a password and not only stands for one."""
    for group, secret in match.groupdict().items():
        if group != "q" and secret is not None and not is_placeholder(secret):
            yield Span(*match.span(group), "password")
