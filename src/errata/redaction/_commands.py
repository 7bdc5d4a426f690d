"""Passwords on command lines that follow a single letter, in SQL, and in lines of a `.pgpass`.

What follows a whole word, `--password …`, needs no list; it is a pair like others.
"""

import re
from collections.abc import Iterator

from errata.redaction._pattern_index import PatternIndex
from errata.redaction._spans import Span, compile_late
from errata.redaction._value_looks import is_machine_made, is_placeholder, is_statement

_WORD = r"""(?P<secret>[^\s'",\-][^\s'",]{2,})"""
_APART = rf"""['",]{{0,3}}\s{{0,40}}['"]?{_WORD}"""  # `-p secret`, and `'-p', 'secret'` in a list of arguments
_LITERAL_OF = r"\s{0,8}--from-literal[\s=]{1,8}['\"]?[\w.\-]{1,64}="
_REST = r"""[^\n|;&]{0,200}?[\s'",]"""

# fmt: off
_ROWS = (
    ("mysql mysqldump mysqladmin mysqlimport mariadb mariadb-dump", rf"-p{_WORD}"),
    ("sshpass mongo mongosh mongodump mongorestore influx cqlsh",   rf"-p{_APART}"),
    ("login",                                                       rf"(?:-p|--secret){_APART}"),  # docker, az, oc, npm …
    ("redis-cli valkey-cli",                                        rf"(?:-a|--pass){_APART}"),
    ("sqlcmd bcp osql isql tsql zip unzip",                         rf"-P{_APART}"),
    ("mosquitto_pub mosquitto_sub mosquitto_rr",                    rf"-P{_APART}"),
    ("ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami ldapcompare ldapmodrdn", rf"-w{_APART}"),
    ("ldappasswd",                                                  rf"-[wsa]{_APART}"),
    ("smbclient rpcclient",                                         r"-U['\",]{0,3}\s{0,40}['\"]?[^\s'\"%]{1,64}%(?P<secret>[^\s'\"]{2,})"),
    ("7z 7za 7zr",                                                  rf"-p{_WORD}"),
    ("rar unrar",                                                   rf"-h?p{_WORD}"),
    ("openssl",                                                     rf"(?:-[kK]{_APART}|-pass(?:in|out)?\s{{1,40}}pass:(?P<other>[^\s'\"]{{2,}}))"),
    ("sqlplus rman impdp expdp sqlldr exp imp",                                    r"['\"]?(?:userid=)?[\w.]{1,64}/(?P<secret>[^\s@'\"/]{3,})"),
    ("ssh-keygen",                                                  rf"-[NP]{_APART}"),
    ("keytool jarsigner",                                           rf"-\w{{0,6}}(?:storepass|keypass){_APART}"),
    ("az psexec useradd usermod wmic winexe",                       rf"-p{_APART}"),
    ("ipmitool racadm",                                             rf"-P{_APART}"),
    ("snmpwalk snmpget snmpset snmpbulkwalk snmpbulkget snmpgetnext snmptable snmptrap snmpstatus", rf"-c(?!['\",\s]{{0,8}}(?:public|private)\b){_APART}"),
    ("snmpwalk snmpget snmpset snmpbulkwalk snmpbulkget snmpgetnext snmptable snmptrap snmpstatus", rf"-A{_APART}(?:\s{{1,8}}-x\s{{1,8}}\w{{1,8}})?(?:\s{{1,8}}-X\s{{1,8}}['\"]?(?P<other>[^\s'\"]{{3,}}))?"),
    ("schtasks sc sc.exe schtasks.exe",                             rf"(?:/rp|/p|password=){_APART}"),
    ("rabbitmqctl",                                                 r"(?:add_user|change_password|authenticate_user)\s{1,8}['\"]?\S{1,64}\s{1,8}['\"]?(?P<secret>[^\s'\"]{3,})"),
    ("mysqladmin",                                                  r"password['\",]{0,3}\s{1,8}['\"]?(?P<secret>[^\s'\"]{3,})"),
    ("xfreerdp wfreerdp xfreerdp3 cmdkey mstsc",                    r"/(?:p|pass|password):['\"]?(?P<secret>[^\s'\"]{3,})"),
    ("mc",                                                          r"(?:alias|config)\s{1,8}(?:set|host\s{1,8}add)\s{1,8}\S{1,64}\s{1,8}https?://\S{1,200}\s{1,8}\S{1,128}\s{1,8}['\"]?(?P<secret>[^\s'\"]{3,})"),
    ("composer poetry",                                             r"http-basic\.\S{1,200}\s{1,8}\S{1,128}\s{1,8}['\"]?(?P<secret>[^\s'\"]{3,})"),
    ("zkCli zkCli.sh",                                              r"addauth\s{1,8}digest\s{1,8}[^\s:]{1,64}:(?P<secret>\S{3,})"),
    ("security",                                                    rf"(?:unlock-keychain|create-keychain|import|export|set-[\w\-]{{1,40}}|add-\w{{1,20}}-password)\s(?:[^\n|;&]{{0,200}}?\s)?-[pPwk]{_APART}"),  # Of macOS
    ("beeline altool",                                              rf"-p{_APART}"),
    ("doctl",                                                       rf"-t{_APART}"),
    ("signtool",                                                    rf"/p\s{_APART}"),
    ("pdftk",                                                       rf"(?:input|user|owner)_pw\s{_APART}"),
    ("nmcli wpa_cli",                                               rf"(?:password|[\w.\-]{{0,40}}psk|wep-key\d?)['\",\\\s]{{1,8}}{_WORD}"),
    ("rclone",                                                      rf"(?:pass|obscure)\s{_APART}"),
    ("pulumi",                                                      rf"--secret\s{{1,8}}(?:\[redacted: \w{{1,16}}\]|[\w:.\-]{{1,64}})\s{_APART}"),
    ("kubectl oc",                                                  rf"create\s{{1,8}}secret\s[^\n|;&]{{0,200}}?{_LITERAL_OF}(?P<secret>[^\s'\"]{{3,}})['\"]?(?:{_LITERAL_OF}(?P<other>[^\s'\"]{{3,}})['\"]?)?(?:{_LITERAL_OF}(?P<third>[^\s'\"]{{3,}}))?"),
    ("az",                                                          rf"secret\s{{1,8}}set\s[^\n|;&]{{0,200}}?--value{_APART}"),
    ("bundle",                                                      r"config\s[^\n|;&]{0,80}?[\w\-]{1,64}\.[\w.\-]{1,128}\s{1,8}[^\s:/'\"]{1,64}:(?P<secret>[^\s'\"/]{3,})"),
    ("fly flyctl heroku supabase doppler railway",                  r"secrets?\s{1,8}(?:set|put|add)\s[^\n|;&]{0,200}?[A-Za-z_]\w{0,64}=['\"]?(?P<secret>[^\s'\"]{3,})"),
    ("gh glab",                                                     rf"(?:secret|variable)\s{{1,8}}set\s[^\n|;&]{{0,200}}?(?:--body|-b|--value|-v){_APART}"),
    ("aws",                                                         rf"SecureString[^\n|;&]{{0,200}}?--value{_APART}"),
    ("erl iex elixir rabbitmqctl",                                  rf"--?(?:set)?cookie{_APART}"),
    ("ConvertTo-SecureString",                                      r"(?:-String\s{1,8})?['\"](?P<secret>[^'\"\n$]{2,256})(?=['\"])"),
    ("poetry",                                                      r"pypi-token\.\S{1,200}\s{1,8}['\"]?(?P<secret>[^\s'\"]{3,})"),
    ("lftp",                                                        r"(?:-u|--user)['\",]{0,3}[\s=]{0,8}['\"]?[^\s'\",:]{1,64},(?P<secret>[^\s'\"]{2,})"),
    ("curl wget http https xh ftp lftp etcdctl rclone aria2c",
     r"(?:-u|-U|-a|--user|--proxy-user|--auth)['\",]{0,3}[\s=]{0,8}['\"]?[^\s'\":]{1,128}:(?:(?P<secret>[^\s'\"]{2,})|(?P<q>['\"])(?P<other>[^'\"\n]{3,128})(?P=q))"),
    ("skopeo podman buildah crane oras ctr nerdctl curl",           r"--(?:src-|dest-)?(?:creds|user|username)[\s=]{1,8}['\"]?[^\s'\":]{1,128}:(?P<secret>[^\s'\"]{3,})"),
)

_LITERAL = r"""["'](?P<secret>[^'"\n]{2,256})"""
_BY = r"\s{1,40}(?:with\s{1,40}\S{1,40}\s{1,40})?(?:by|as)\s{1,40}(?:(?:password|values)\s{1,40})?"
_HOST = r"(?:localhost|\*|(?:[\w\-]{1,63}+\.){1,8}+[A-Za-z0-9]{1,63}+(?<!\.py|\.js|\.ts|\.go|\.rs|\.rb)(?<!\.[ch]))"
_TELLING = r"[\w.\-]{0,40}?(?:passwo?r?d|passphrase|secret|token|api_?key)\w{0,20}+"
_ONE_OF_SEVERAL = r"(?:[a-z0-9]{4,6}-[a-z0-9]{4,6}|\d{6,10}|(?=[a-z]{0,11}\d)[a-z0-9]{8,12})"
_OTHER_OPTIONS = r"(?:\s{1,8}--?\w[\w\-]{0,40}(?:[\s=]{1,8}[^\s\-'\"][^\s'\"]{0,128})?){0,3}?"
# Letters, and something that is neither a letter nor a part of a name; no option, address or assignment.
_MIXED = r"(?=[^\s'\"]{0,127}[A-Za-z])(?=[A-Za-z.\-]{0,127}[^\sA-Za-z.\-'\"])(?![\w\-]{0,40}[:=/])[^\s'\"\-][^\s'\"]{5,127}"
_BEFORE_A_PASSWORD = (
    r"cf\s{1,8}auth\s{1,8}\S{1,128}",
    r"bw\s{1,8}(?:unlock|login\s{1,8}\S{1,128})",
    r"wpa_passphrase\s{1,8}\S{1,64}",
    r"-setairportnetwork\s{1,8}\S{1,16}\s{1,8}\S{1,64}",
    r"connect\s{1,8}to\s{1,8}\S{1,64}\s{1,8}user\s{1,8}\S{1,64}\s{1,8}using",
)
"""Commands that a password follows without any option."""
_BEFORE_A_KEY = (
    r"(?:isakmp|ikev2|ike)\s{1,4}key",
    r"message-digest-key\s{1,4}\d{1,3}\s{1,4}md5",
    r"key-string",
    r"set\s{1,4}snmp\s{1,4}community",
    r"pre-shared-(?:key|secret)(?:\s{1,4}(?:ascii-text|hexadecimal|local|remote|key|address\s{1,4}\S{1,64})){0,3}",
    r"authentication-key(?:\s{1,4}\d{1,5}\s{1,4}(?:md5|sha\S{0,4}))?",
    r"wpa-psk\s{1,4}ascii",
)
"""What routers and switches write before a key that they share with others."""
_ANYTHING = r"(?:[^()'\"\n{}]|\{[^{}\n]{0,200}+\}|'[^'\n]{0,80}+'|\"[^\"\n]{0,80}+\"){1,80}?,\s{0,4}"
_BEFORE_A_LITERAL = (
    rf"jwt\.(?:encode|decode|sign|verify)\(\s{{0,4}}{_ANYTHING}",
    rf"(?:signwith|aes\.(?:en|de)crypt|hmacsha\d{{1,3}}|check_password_hash)\(\s{{0,4}}{_ANYTHING}",
    rf"(?:hash_hmac|openssl_(?:en|de)crypt)\(\s{{0,4}}{_ANYTHING}",
    r"(?:hmac\.(?:hex)?digest)\(\s{0,4}[^,()\n]{1,80},\s{0,4}",
    r"hmacsha\d{1,3}\((?:[\w.]{1,40}\()?\s{0,4}",
    r"(?:urlsafe\w{0,12}serializer|timestampsigner|signer)\(\s{0,4}",
    r"(?:bcrypt\.(?:compare|hash|checkpw|hashpw)\w{0,8}|password_(?:verify|hash)|(?:pwd|crypt)\w{0,8}_?context\.\w{1,12}|crypt)\(\s{0,4}",
)
"""Calls of libraries up to the argument that is a key or a password."""
# The name of a field, or a selector, that a password is typed into.
_FIELD = r"['\"][^'\"\n]{0,60}pass(?:word|wd|phrase|code)[^'\"\n]{0,20}['\"]"
_ON_STDIN = r"--?(?:pass(?:word|wd|phrase)?-(?:on-)?(?:stdin|fd)|stdin|with-token)(?![\w\-])"
_READER = (
    r"(?:sudo\s(?:-\w\s{1,40}){0,8}-\w{0,8}S|pass\s{1,8}insert|\w{1,20}\s{1,8}(?:secrets?|env)\s{1,8}(?:put|set|add)(?=\s)"
    r"|(?:sudo\s{1,40})?(?:kinit|cryptsetup|passwd|smbpasswd|openconnect|ecryptfs-\S{1,20}|vncpasswd)(?=\s))"
)
_READS_IT = rf"(?:{_READER}|[^\n|]{{0,200}}?\s{_ON_STDIN})"
"""A command that reads a password from what is piped to it."""
_STATEMENTS = (
    (";s:",        rf's:\d{{1,4}}:"{_TELLING}";s:\d{{1,6}}:"(?P<secret>[^"\n]{{3,512}})'),  # As PHP writes
    ("[1]",        rf'\$`?{_TELLING}`?\s{{1,4}}\[1\]\s{{1,4}}"(?P<secret>[^"\n]{{3,512}})'),  # As R does
    ("psk eap xauth ntlm", r'(?<=:\s)(?-i:PSK|EAP|XAUTH|NTLM)\s{1,8}"(?P<secret>[^"\n]{3,256})'),
    ("createuser", r"createUser\s{1,8}(?:-e\s{1,8}\S{1,64}\s{1,8})?[^\s\"']{1,64}\s{1,8}(?:MD5|SHA(?:-?\d{1,3})?)\s{1,8}['\"]?(?P<secret>[^\s'\"]{3,128})['\"]?(?:\s{1,8}(?:DES|AES(?:-?\d{1,3})?)\s{1,8}['\"]?(?P<other>[^\s'\"]{3,128}))?"),  # SNMP
    (">",          r"(?:set)?user\s{1,4}\S{1,64}\s{1,4}(?:(?:on|off|reset\w{0,12}|sanitize-payload|all\w{3,12}|[~&+\-%@(]\S{0,64})\s{1,4}){1,8}>(?P<secret>[^\s'\"]{3,256})(?=['\"]?(?:\s{0,4}(?:$|\n)|\s{1,4}[~&+\-@%(>#]))"),  # Redis
    ("1)",         rf'\d{{1,4}}\)\s"{_TELLING}"\r?\n\s{{0,8}}\d{{1,4}}\)\s"(?P<secret>[^"\n]{{3,512}})"'),  # Redis, as the next two
    ("hset hmset", rf"(?-i:HM?SET)\s\S{{1,128}}\s(?:\S{{1,64}}\s\S{{1,64}}\s){{0,8}}?{_TELLING}\s(?P<secret>[^\s'\"]{{3,512}})"),
    ('"auth"',     r'(?-i:"AUTH"|"auth")\s(?:"[^"\n]{0,128}"\s)?"(?P<secret>[^"\n]{3,256})"'),  # What MONITOR of Redis shows
    ("set",        rf"set\s{_TELLING}(?:\s\d{{1,10}}){{3}}(?:\snoreply)?\r?\n(?P<secret>\S{{3,512}})"),  # Memcached
    ("\\x",        rf"{_TELLING}(?:\\x[0-9a-f]{{2}}){{1,4}}(?P<secret>(?=[^\\\d]{{0,127}}\d)(?=[^\\a-z]{{0,127}}[a-z])[\w!@#$%^&*+.~?\-]{{6,128}})(?=\\x|['\"]|$)"),  # MessagePack, pickle
    ("crypt",      r"(?:pgp_sym_(?:en|de)crypt(?:_bytea)?|(?:aes|des)_(?:en|de)crypt)\s{0,4}\((?:[^()'\"\n]|'[^'\n]{0,200}+'|\([^()\n]{0,200}+\)){1,200}?,\s{0,4}'(?P<secret>[^'\n]{3,256})'"),
    ("bypassphrase", r"(?:en|de)cryptByPassphrase\s{0,4}\(\s{0,4}N?'(?P<secret>[^'\n]{3,256})'"),
    ("cipher hmac", r"create(?:(?:de)?cipher(?:iv)?|hmac)\(\s{0,4}['\"`][\w\-]{1,40}['\"`]\s{0,4},\s{0,4}(?:buffer\.from\(\s{0,4})?['\"`](?P<secret>[^'\"`\n]{3,512})['\"`]"),
    ("aes des blowfish chacha hmac fernet arc4 secretkeyspec secretbox",
     r"(?:(?:aes|des3?|blowfish|arc4|chacha20(?:_poly1305)?|hmac)\.new|fernet|aesgcm|aesccm|aessiv|chacha20poly1305|secretbox|secretkeyspec)\(\s{0,4}(?:key\s?=\s?)?b?['\"](?P<secret>[^'\"\n]{6,512})['\"]"),
    ("jwt hmac openssl_ aes bcrypt password signwith signer serializer crypt verify", rf"(?:{'|'.join(_BEFORE_A_LITERAL)})b?['\"](?P<secret>{_MIXED})['\"]"),
    ("pass",       rf"(?:fill|type|enter|input|set|send)\w{{0,12}}[\s(]{{1,2}}(?:in\s)?{_FIELD}(?:,\s{{0,4}}(?:with:\s{{0,4}})?|\s{{1,4}}with\s{{1,4}})['\"](?P<secret>{_MIXED})['\"]"),
    ("pass",       rf"(?:get|locator|\$|find_?element|find|query_?selector|by\w{{0,12}}|page\.\w{{1,24}})\([^()'\"\n]{{0,40}}{_FIELD}\)\.(?:fill|type|send_?keys|set_?value|clear_and_type|press_sequentially)\(\s{{0,4}}['\"](?P<secret>{_MIXED})['\"]"),
    ("_random _secret", r"(?-i:CLIENT_RANDOM|(?:CLIENT|SERVER)_(?:HANDSHAKE_TRAFFIC|TRAFFIC)_SECRET(?:_\d)?|EXPORTER_SECRET|(?:CLIENT_)?EARLY_(?:TRAFFIC|EXPORTER)_SECRET)\s{1,4}[0-9a-fA-F]{16,128}\s{1,4}(?P<secret>[0-9a-fA-F]{16,256})"),  # SSLKEYLOGFILE
    ("bundle_",    r"(?-i:BUNDLE_[A-Z0-9_]{1,60}?__[A-Z0-9_]{1,60})(?:: |=)['\"]?[^\s:'\"/]{1,64}:(?P<secret>[^\s:'\"/]{3,256})(?=['\"\s]|$)"),  # Of Ruby
    ("send",       r"expect\s[^\n]{0,40}(?:assword|assphrase|secret)[^\n;]{0,20}[\n;]\s{0,20}send\s{1,4}(?:--\s{1,4})?['\"](?P<secret>[^'\"\n\\$]{3,256})"),
    ("routing_key routingkey", r"routing_?key['\"]?\s{0,4}[:=]\s{0,4}['\"]?(?P<secret>(?=[a-z]{0,31}\d)[a-z0-9]{32})(?![\w.\-])"),  # PagerDuty; a queue has words
    ("-u --user --auth", r"(?:-u|--user|--auth)[\s=]{1,4}['\"]?(?P<made_user>[A-Za-z0-9_\-]{16,128}):(?P<made_password>[A-Za-z0-9_\-]{1,128})?"),
    ("-u --user --auth --creds --login --credentials", r"-(?:u|-user|-auth|-creds|-login|-credentials)[\s=]{1,4}['\"]?[^\s:'\"/=]{1,64}:(?P<secret>(?=[^\s'\"]{0,127}\d)(?=[^\s'\"]{0,127}[A-Za-z])(?!(?-i:[a-z_\-]{1,64}\d{0,4})(?:[\s'\"]|$))[^\s'\":/,=]{8,128})(?=[\s'\"@]|$)"),
    ("-u -l",      rf"-[ul]\s{{1,8}}['\"]?[\w.@\\\-]{{1,128}}['\"]?{_OTHER_OPTIONS}\s{{1,8}}-(?:pw?|w)\s{{1,8}}['\"]?(?P<secret>{_MIXED})"),  # Whatever the command is
    ("auth unlock login wpa_passphrase -setairportnetwork using", rf"(?:{'|'.join(_BEFORE_A_PASSWORD)})\s{{1,8}}['\"]?(?P<secret>{_MIXED})"),
    (".logon",     r"\.logon\s{1,8}[^\s/]{1,64}/[^\s,]{1,64},(?P<secret>[^\s;'\"]{3,128})"),  # Teradata
    ("user-secrets", r"user-secrets\s{1,8}set\s{1,8}['\"]?[\w:.\-]{1,128}['\"]?\s{1,8}['\"]?(?P<secret>[^\s'\"]{3,256})"),
    (":pserver:",  r":(?<=:)pserver:[^\s:@]{1,64}:(?P<secret>[^\s@]{3,128})@"),  # CVS
    ("user",       r"(?<![^\n])user\s{1,4}\S{1,64}\s{1,4}(?P<secret>\S{3,128})(?=\s{0,8}\n\s{0,8}(?:put|get|mput|mget|binary|bin|cd|lcd|ls|dir|quote|passive|ascii|bye|quit|prompt)\b)"),  # FTP
    ("echo",       r"(?:[\w\-]{0,24}pass(?:word|wd|phrase)?[_\-]?(?:command|cmd|eval)[\s=]{1,4}['\"]|(?:key|pass(?:word|wd|phrase)?|psk|secret|token)\s{1,4}<\()\s{0,4}(?:echo|printf)\s{1,4}(?:-\w{1,3}\s{1,4})?['\"]?(?P<secret>[^\s'\"$)]{3,256})"),
    ("sp_",        r"sp_(?:addlogin|addlinkedsrvlogin|password|setapprole)\s{1,8}(?:@\w{1,40}\s?=\s?)?(?:N?'[^'\n]{0,128}+'|\w{1,40})(?:\s?,\s?(?:@\w{1,40}\s?=\s?)?(?:N?'[^'\n]{0,128}+'|\w{1,40})){0,3}?\s?,\s?(?:@\w{1,40}\s?=\s?)?N?'(?P<secret>[^'\n]{3,128})'(?=\s{0,8}(?:;|$|\n))"),
    ("openrowset", r"openrowset\s?\(\s?'[^'\n]{0,128}+'\s?,\s?'[^'\n]{0,128}+'\s?;\s?'[^'\n]{0,128}+'\s?;\s?'(?P<secret>[^'\n]{3,128})'"),
    ("pragma attach", r"(?:pragma\s{1,4}(?:re)?key\s{0,4}=\s{0,4}|attach\s{1,4}database\s[^\n;]{0,200}?\skey\s{1,4})['\"](?P<secret>[^'\"\n]{3,256})"),  # SQLCipher
    ("stats",      r"stats\s{1,4}auth\s{1,4}[^\s:]{1,64}:(?P<secret>\S{3,128})"),  # HAProxy
    ("auth-pass",  r"sentinel\s{1,4}auth-pass\s{1,4}\S{1,64}\s{1,4}(?P<secret>\S{3,128})"),
    ("loginmodule", r"LoginModule\s[^;]{0,400}?\suser_\w{1,64}=\"(?P<secret>[^\"\n]{3,128})"),
    ("chpasswd",   r"chpasswd:\s{1,40}(?:expire:\s\w{4,5}\s{1,40})?list:\s{1,4}[|>]?[+\-]?\s{1,40}[\w.\-]{1,64}:(?P<secret>[^\s:]{3,128})"),
    (" * ",        rf"(?<![^\n])['\"]?[\w.@\\\-]{{1,64}}['\"]?[ \t]{{1,20}}(?:\*|[\w\-]{{0,8}}pppd?|x?l2tpd|pptpd)[ \t]{{1,20}}['\"]?(?P<secret>{_MIXED})['\"]?[ \t]{{1,20}}\*(?=[ \t]{{0,8}}(?:\r?\n|$))"),  # PPP
    ("unseal",     r"vault\s{1,8}operator\s{1,8}unseal\s{1,8}(?:-\S{1,40}\s{1,8}){0,4}(?P<secret>[A-Za-z0-9+/]{16,256}={0,2})"),
    ("rtmp",       r"rtmp[tes]{0,2}://[^\s/'\"]{1,255}/(?:[\w\-]{1,64}/){1,3}(?P<made>[\w\-]{16,256})(?![\w/.\-])"),  # The key of a stream
    ("]:",         r"\[[\w.\-]{1,253}\]:\d{2,5}[ \t]{1,8}[^\s:]{1,128}:(?P<secret>[^\s:]{3,256})(?=\s|$)"),  # Postfix
    ("gen_salt",   r"crypt\s{0,4}\(\s{0,4}'(?P<secret>[^'\n]{2,256})'\s{0,4},\s{0,4}gen_salt"),
    ("wordpress_", r"wordpress_(?:logged_in|sec)_[0-9a-f]{32}=(?P<secret>[^\s;,'\"]{16,512})"),
    ("/private-",  r"private-(?<=/private-)(?P<secret>[0-9a-f]{32})(?=/)"),  # A calendar
    ("snyk",       r"snyk\s{1,8}auth\s{1,8}(?P<secret>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"),
    ("'ac \"ac",   r"['\"](?-i:AC)[0-9a-f]{32}['\"]\s{0,4},\s{0,4}['\"](?P<secret>[0-9a-f]{32})(?=['\"])"),  # Twilio
    ("codes",      rf"(?:recovery|backup|scratch)[ _\-]codes\s{{0,4}}[:=]\s{{0,4}}(?:\[redacted: [a-z ]{{1,20}}\][ ,]{{1,3}})?(?P<secret>{_ONE_OF_SEVERAL}(?:[ ,]{{1,3}}{_ONE_OF_SEVERAL}(?!\w)){{0,19}})"),
    ("identified", rf"(?:create|alter|grant)\s[^;\n]{{0,200}}?\sidentified{_BY}{_LITERAL}"),
    ("identified", rf"(?-i:IDENTIFIED){_BY}{_LITERAL}"),
    ("identified", r"(?:(?:create|alter)\s{1,40}user|connect\s{1,40}to)\s{1,40}\S{1,80}\s{1,40}identified\s{1,40}by\s{1,40}(?!values\b)(?P<secret>[^\s'\";]{3,})"),
    ("password",   rf"(?:create|alter)\s{{1,40}}(?:user|role|group|login)\s[^;\n]{{0,200}}?\spassword\s{{1,40}}{_LITERAL}"),
    ("password",   rf"set\s{{1,40}}password\s{{0,40}}(?:for\s{{1,40}}\S{{1,200}}\s{{0,40}})?=\s{{0,40}}(?:\w{{0,4}}password\s?\(\s?)?{_LITERAL}"),
    ("password",   rf"(?-i:PASSWORD)\s{{1,40}}{_LITERAL}"),
    ("conn",       r"(?<![\w,.]\s)conn(?:ect)?\s{1,40}[\w$\#.]{1,64}/(?!\d{1,20}@)(?P<secret>[^\s@'\"/]{3,128})(?=@\w|\s{1,40}as\s{1,40}sys)"),
    ("@//",        r"(?<![./@\-])[\w$\#]{1,64}+/(?P<secret>[^\s@'\"/]{3,128})(?=@//\w)"),
    ("/u",         r"net\s{1,40}use\s[^\n|&]{0,200}?\s/u(?:ser)?:\S{1,80}\s{1,40}(?P<secret>[^\s/'\"]{3,128})(?=\s{0,40}(?:$|[/\n'\"&|]))"),
    ("/u",         r"net\s{1,40}use\s{1,40}(?:\S{1,3}\s{1,40})?\\\\\S{1,200}\s{1,40}(?P<secret>[^\s/'\"]{3,128})\s{1,40}/u"),
    ("echo printf", rf"(?:echo|printf)\s{{1,40}}(?:-\w{{1,3}}\s{{1,40}})?(?:['\"]?%s(?:\\n)?['\"]?\s{{1,40}})?(?P<q>['\"]?)(?P<secret>[^\s'\"|$\\]{{3,256}})(?:\\n)?(?P=q)\s{{0,40}}\|\s{{0,40}}{_READS_IT}"),
    ("<<<",        rf"(?:{_READER}|{_ON_STDIN})[^\n|<]{{0,200}}?<<<\s{{0,4}}['\"]?(?P<secret>[^\s'\"|$]{{3,256}})"),
    ("chpasswd",   r"echo\s{1,40}['\"]?[\w.\-]{1,64}:(?P<secret>[^\s'\"|$]{3,256})['\"]?\s{0,40}\|\s{0,40}(?:sudo\s{1,40})?chpasswd"),
    ("htpasswd",   r"htpasswd\s{1,40}-\w{0,8}n\w{0,8}b\w{0,8}\s{1,40}\S{1,64}\s{1,40}['\"]?(?P<secret>[^\s'\"]{3,256})"),
    ("htpasswd",   r"htpasswd\s{1,40}-(?!\w{0,8}n)\w{0,8}b\w{0,8}\s{1,40}(?:-\w{1,20}\s{1,40}){0,4}\S{1,200}\s{1,40}\S{1,64}\s{1,40}['\"]?(?P<secret>[^\s'\"]{3,256})"),
    ("--basic",    r"--basic(?:-auth)?[\s=]{1,8}['\"]?[^\s:'\"/]{1,64}:(?!//)(?P<secret>[^\s'\"]{2,256})"),
    ("vault",      r"vault\s{1,8}login\s{1,8}(?:token=)?(?P<secret>[\w.\-]{16,256})"),
    ("net",        r"net\s{1,40}user\s{1,40}\S{1,64}\s{1,40}(?P<secret>[^\s/*'\"][^\s'\"]{2,127})(?=\s{1,40}/)"),
    (":54 :6432:",  # The same on a line of its own, of a host without a domain
     r"(?<![^\n])(?=[a-z\-]{0,20}(?:\d|db|pg|sql|postgres|host|primary|replica|master))[\w\-]{1,63}+:(?:54\d\d|6432):[A-Za-z_*][\w\-]{0,62}+:[A-Za-z_*][\w.\-]{0,62}+:(?P<secret>(?=[^\s:]{0,127}[^a-z\s])[^\s:'\"]{3,128}+)(?=\s{0,8}(?:$|\n))"),
    (":54 :6432: :*:",  # The host, port, database, user and password of a line in `.pgpass`
     rf"(?<![.\-/]){_HOST}:(?:54\d\d|6432|\*):[A-Za-z_*][\w\-]{{0,62}}+:[A-Za-z_*][\w.\-]{{0,62}}+:(?P<secret>[^\s:'\"]{{3,128}}+)"),
)
"""Words without which a statement is not looked for, and the statement.

Upper case is SQL; in lower case, more of it has to be there: "rows are identified by 'id'" is prose.
"""

_LOGINS = (
    ("auth",     r"(?-i:AUTH) {1,40}(?:\S{1,64} {1,40})?(?P<prompted>[^\s'\"()]{3,256})(?=['\"]?\s{0,40}(?:$|[\r\n]))"),                # Redis
    ("auth",     r"(?-i:AUTH(?:ENTICATE)?) {1,4}(?-i:PLAIN|LOGIN|XOAUTH2|OAUTHBEARER|CRAM-MD5|SCRAM-\S{1,16})(?: {1,4}|\r?\n)(?P<encoded>[A-Za-z0-9+/\-_]{8,4096}={0,2})"),
    ("auth",     r"(?<=command )(?-i:AUTH) {1,4}(?:[\w.\-]{1,64} {1,4})?(?P<chosen>(?=[^\s'\"]{0,255}\d)[^\s'\"()]{6,256})"),
    ("auth",     r"(?-i:AUTH) {1,4}(?:default {1,4})?(?P<made>(?=[^\s'\"]{0,255}\d)[^\s'\"():]{16,256})"),
    ("login",    r"[A-Za-z]{1,4}\d{1,6} (?-i:LOGIN) \S{1,64} (?P<chosen>\S{3,256})"),                       # IMAP
    ("sec-websocket", r"sec-websocket-protocol\W{1,8}[^\n]{0,80}?(?:bearer|token|auth|jwt|authorization)(?:\.[\w.]{0,60}\.|[.,\-\s]{1,3})(?P<secret>[\w.\-~+/=]{12,2048})"),
    ("requirepass masterauth", r"(?:requirepass|masterauth)\s{1,40}['\"]?(?P<secret>[^\s'\"]{3,256})"),
    ("pass",     r"(?-i:PASS) {1,40}(?P<prompted>[^\s/:]{3,256})(?=\s{0,40}(?:$|[\r\n'\"]))"),                      # FTP and POP
    ("password", r"machine\s{1,40}\S{1,200}\s{1,40}login\s{1,40}\S{1,200}\s{1,40}password\s{1,40}(?P<secret>\S{3,256})"),          # `.netrc`
    ("password", r"(?<=login\s)\S{1,200}\s{1,40}password\s{1,40}(?P<chosen>\S{3,256})"),
    ("334",      r"334 [\w+/=]{0,80}\r?\n(?:c: |>{1,3} )?(?P<encoded>[A-Za-z0-9+/]{8,4096}={0,2})"),
    ("identify", r"(?-i:IDENTIFY) {1,4}(?:\S{1,64} )?(?P<chosen>\S{3,256})"),
    ("tacacs-server radius-server snmp-server", r"(?:(?:tacacs|radius)-server\s(?:host\s\S{1,64}\s)?key|snmp-server\scommunity)\s(?:\d\s)?(?P<secret>\S{3,128})"),
    ("secret password", r"(?:enable|username\s\S{1,64}(?:\sprivilege\s\d{1,2})?|neighbor\s\S{1,64}|ppp\s\w{3,4}|line\s\w{3,7})\s(?:secret|password)\s(?:\d{1,2}\s)?(?P<chosen>\S{3,128})"),
    ("credentials", r"credentials\s?[:(]?\s?[\w.@\-]{1,64}:(?P<chosen>(?!(?-i:[a-z_\-]{1,64}\d{0,4})(?:[\s'\"]|$))[^\s/):'\"]{6,128})(?=[\s),;'\"]|$)"),
    ("basic login logon logging authenticat", r"(?:basic(?: auth(?:entication)?)?|(?:login|logon|logging in|log in|authenticat\w{1,3})(?: as| with| using)?)\s\(?[\w.@\-]{1,64}:(?P<chosen>(?=[^\s]{0,127}\d)(?!(?-i:[a-z_\-]{1,64}\d{0,4})(?:[\s'\"]|$)|[\d.:]{1,40}(?:\s|$))[^\s/):'\"=]{8,128})(?=[\s),;'\"]|$)"),
    ("community", r"r[ow]community6?\s{1,8}(?!public\b|private\b)(?P<secret>[^\s'\"]{3,128})"),  # SNMP, as the next
    ("rootpw bindpw", r"(?:rootpw|bindpw)\s{1,8}(?:--plaintext\s{1,8})?(?!--|-\w\s)(?P<chosen>[^\s'\"=:]{3,128})"),
    ("user", r"user(?:name)?\s{1,8}['\"]?[^\s'\"]{1,64}['\"]?,?\s{1,8}(?:there\s{1,8})?(?:with\s{1,8})?pass(?:word)?\s{1,8}['\"]?(?P<chosen>[^\s'\",;]{4,128})(?=['\";]|\s{0,8}(?:$|\r?\n)|\s(?:is|options|here|there|ssl)\b)"),  # `.fetchmailrc`
    ("snmp-server", r"snmp-server\s{1,4}user\s{1,4}\S{1,64}\s{1,4}\S{1,64}\s{1,4}v3\s(?:[^\n]{0,40}\s)?auth\s{1,4}(?:md5|sha\S{0,8})\s{1,4}(?P<secret>\S{3,128})(?:\s{1,4}priv\s{1,4}\w{1,8}(?:\s{1,4}\d{2,3})?\s{1,4}(?P<other>\S{3,128}))?"),  # Routers, as the next
    ("key key-string community pre-shared authentication", rf"(?:{'|'.join(_BEFORE_A_KEY)})(?:\s{{1,4}}\d)?\s{{1,4}}['\"]?(?P<secret>[^\s'\";:=,]{{3,128}})(?=[\s'\";]|$)"),
    ("set", r"set\s{1,4}(?:[\w\-]{1,40}\s{1,4}){0,8}?(?:passphrase|psksecret|pskey|sae-password|sharedsecret|plain-text-password-value|plaintext-password|auth-pwd|priv-pwd|passwd|password)\s{1,4}(?:ENC\s{1,4})?['\"]?(?P<chosen>[^\s'\"=:;,]{4,128})"),
    ("-password", r"(?:insecure-password|passwd/[\w\-]{1,40}(?:password|password-again)\s{1,8}password)\s{1,8}(?P<secret>[^\s'\"]{3,128})"),  # HAProxy, Debian
    ("password secret passphrase passwd", r"(?<![^\n])[ \t]{0,16}['\"]?[a-z_\-]{0,24}(?:password|passwd|passphrase|secret)['\"]?[ \t]{1,40}['\"]?(?P<lone>[^\s'\"=:;,()/]{6,128})['\"]?(?=[ \t]{0,8}(?:\r?\n|$))"),
    ("credentials", r"credentials\s?[:(]?\s?[\w.@\-]{1,64}\s?/\s?(?P<chosen>[^\s/)]{6,128})"),
    ("env setx set", r"(?:(?-i:ENV)|setenv|setx|set\s-\w{1,3})\s{1,40}(?-i:[A-Z0-9_]{0,60}(?:PASSWORD|PASSWD|SECRET|TOKEN|KEY))\s{1,40}['\"]?(?P<secret>[^\s'\"=]{3,256})['\"]?(?=\s{0,40}(?:$|[\r\n]))"),
    ("configure", r"configure\s{1,40}set\s{1,40}[\w.\-]{0,80}(?:secret_access_key|session_token)\s{1,40}['\"]?(?P<secret>[^\s'\"]{8,})"),
)
"""The same for what one types to a server, or has in a file that types it.

A secret that is `prompted` counts behind a prompt only, one that is `chosen` only with a digit: the rest is prose. One
that is alone on its line with its name, `lone`, has more lines of such settings around it.
"""
# fmt: on

_CREDENTIALS = (
    "basicauth",
    "passwordauth",
    "plaintext",
    "plainauth",
    "usernamepassword",
    "passwordcredential",
    "networkcredential",
    "digestauth",
    "ntlmauth",
    "basic_auth",
    "username_pw_set",
    "keycredential",
    "basiccredential",
    "awscredential",
)
"""What the name of something made of a user and a password has in it."""
_LOGS_IN = (
    "login",
    "log_in",
    "logon",
    "log_on",
    "signin",
    "sign_in",
    "authenticate",
    "auth",
    "bind",
    "simple_bind_s",
    "adduser",
    "add_user",
    "createuser",
    "create_user",
    "password",
    "credential",
    "credentials",
)
"""How the name of a function ends that takes a user and a password among other things."""
_CONNECTS = ("connect", "__construct", "getconnection", "ftp", "ftp_tls")
"""The same where a host comes first."""
_ARGUMENT = r"""(?:\w{1,12}+=)?(?:'[^'\n]{0,128}+'|"[^"\n]{0,128}+"|\d{1,6}+)\s{0,8}+,\s{0,8}+"""
_CHOSEN = (  # A password where something else could be: letters and digits, and no host, file or address.
    r"""["'](?=[^'"\n]{0,127}\d)(?=[^'"\n]{0,127}[A-Za-z])(?![\w\-]{0,40}[.:/]\w)(?P<secret>[^\s'",/]{6,128}+)(?=['"])"""
)

_COMMANDS = [
    (
        names,
        f"(?:{'|'.join(map(re.escape, names.split()))})",
        compile_late(rf"(?<![\w\-])(?:{'|'.join(map(re.escape, names.split()))})(?=\s|['\"]){_REST}{option}"),
    )
    for names, option in _ROWS
]
_NEXT_OPTION = {
    pattern: compile_late(rf"{_REST}{option}") if option.startswith(("-", "(?:-")) else None
    for (_, option), (_, _, pattern) in zip(_ROWS, _COMMANDS, strict=True)
}
"""What may follow on the same command line, if the row is an option."""
_NAMES = frozenset(name for names, _ in _ROWS for name in names.split())


def _build_index(table: tuple[tuple[str, str], ...]) -> PatternIndex:
    return PatternIndex((literals, pattern, compile_late(rf"(?i)(?<!\w){pattern}")) for literals, pattern in table)


_COMMAND_INDEX, _STATEMENT_INDEX, _LOGIN_INDEX = (
    PatternIndex(_COMMANDS),
    _build_index(_STATEMENTS),
    _build_index(_LOGINS),
)

_PROMPT = re.compile(
    r"(?:[>$\"']|\b(?:C|FTP|POP3?|IMAP|client):|\b(?:sent|send|sending):?) ?$|USER \S{1,64}\s[^\0]{0,160}$"
)
_MECHANISMS = frozenset(
    {"PLAIN", "LOGIN", "NTLM", "XOAUTH2", "GSSAPI", "CRAM-MD5", "DIGEST-MD5", "TLS", "SSL", "EXTERNAL"}
)


_CALL = compile_late(r"""\((?<=\w\()\s{0,40}+(?=(?:\w{1,12}+=)?["'])""")
"""Matches the bracket of a call whose first argument is a text."""


_ARGUMENT_LITERAL = rf"(?:\w{{1,12}}+=)?{_LITERAL}"
_CREDENTIALS_TAKEN = compile_late(rf"{_ARGUMENT}{_ARGUMENT_LITERAL}")
_LOGIN_TAKEN = compile_late(rf"(?:{_ARGUMENT}){{1,3}}?{_CHOSEN}")
_CONNECTION_TAKEN = compile_late(rf"(?:{_ARGUMENT}){{2,3}}?{_CHOSEN}")
"""The arguments of something that takes a user and a password, of a login, and of a connection."""


_PASSED = compile_late(
    r"(?:auth|login|logon|sign-?in|credential|password)[\w.]{0,40}+(?:\(\))?(?::|[^\n(){}\[\]'\"]{0,60}(?:args|arguments|params)\s?[=:])\s{0,4}[\[(](?=['\"])"
)
"""Matches where an error about logging in shows what it was raised or called with, in lower case."""


def _find_in_calls(text: str, lower: str) -> Iterator[Span]:
    """Find the password among the arguments of a call: `login('ann', '…')`, `BasicAuthentication("app", "…")`."""
    for hit in _PASSED.finditer(lower):
        if match := _LOGIN_TAKEN.match(text, hit.end()):
            yield from _spans(match)
    for hit in _CALL.finditer(text):
        name = lower[max(0, hit.start() - 40) : hit.start()]
        if any(map(_NAME_BEFORE.split(name)[-1].__contains__, _CREDENTIALS)):
            form = _CREDENTIALS_TAKEN
        elif name.endswith(_LOGS_IN):
            form = _LOGIN_TAKEN
        elif name.endswith(_CONNECTS):
            form = _CONNECTION_TAKEN
        else:
            continue
        if match := form.match(text, hit.end()):
            yield from _spans(match)


_NAME_BEFORE = re.compile(r"[^\w]")


def find_commands(text: str, lower: str) -> Iterator[Span]:
    """Find the passwords on command lines, in SQL and in password files."""
    spans = [span for pattern, match in _COMMAND_INDEX.search(text, lower) for span in _find_options(pattern, match)]
    spans += [span for _, match in _STATEMENT_INDEX.search(text, lower) for span in _spans(match)]
    return iter(sorted([*spans, *_find_in_calls(text, lower)]))


def _find_options(pattern: re.Pattern[str], first: re.Match[str]) -> Iterator[Span]:
    """Find the passwords on one command line, which may have several: `-srcstorepass … -deststorepass …`."""
    following = _NEXT_OPTION[pattern]
    match: re.Match[str] | None = first
    for _ in range(_MOST_OPTIONS):
        if match is None:
            return
        yield from _spans(match)
        match = following.match(first.string, match.end()) if following else None


_MOST_OPTIONS = 4


def is_command(word: str) -> bool:
    """Return whether a word calls a program that takes a password, with or without the directory it is in."""
    return word.rpartition("/")[2] in _NAMES


def find_logins(text: str, lower: str) -> Iterator[Span]:
    """Find the passwords that somebody typed to a server."""
    matches = [match for _, match in _LOGIN_INDEX.search(text, lower) if _is_login(text, match)]
    return iter(sorted(span for match in matches for span in _spans(match)))


def _is_login(text: str, match: re.Match[str]) -> bool:
    """Return whether it was typed, and not said: "AUTH failed", "PASS tests/login"."""
    groups = match.groupdict()
    if (secret := groups.get("prompted")) is not None:
        before = text[max(0, match.start() - 200) : match.start()]
        typed = is_machine_made(secret) or _PROMPT.search(before) is not None
        return secret not in _MECHANISMS and not is_statement(secret) and typed
    if (secret := groups.get("encoded")) is not None:
        return secret.endswith("=") or is_machine_made(secret)
    if (secret := groups.get("chosen")) is not None:
        return _is_chosen(secret)
    if (secret := groups.get("lone")) is not None:
        return _is_chosen(secret) and _is_among_settings(text, match)
    return "made" in groups or not is_statement(match["secret"])


def _is_chosen(secret: str) -> bool:
    """Return whether somebody may have chosen it as a password: not of letters only, and not without any."""
    return any(map(str.isalpha, secret)) and not all(c.isalpha() or c in "-_." for c in secret)


_SETTING = re.compile(r"[ \t]{0,16}[A-Za-z][\w.\-]{1,40}(?:[ \t]{1,40}[^\s,;:()]{1,128}){1,2}[ \t\r]{0,8}")


def _is_among_settings(text: str, match: re.Match[str]) -> bool:
    """Return whether the line above or below is a setting, too: one name, and one or two words behind it."""
    above = text[max(0, match.start() - _LONGEST_LINE) : match.start()].removesuffix("\n").rpartition("\n")[2]
    below = text[match.end() : match.end() + _LONGEST_LINE].lstrip(" \t\r\"'").removeprefix("\n").partition("\n")[0]
    return any(map(_SETTING.fullmatch, (above, below)))


_LONGEST_LINE = 200


_LEAST_MADE = 16


def _spans(match: re.Match[str]) -> Iterator[Span]:
    """Yield the passwords among the groups of a match, without placeholders.

    What is called `made…` may be something else, and counts if it looks random.
    """
    for group, secret in match.groupdict().items():
        inside_a_mark = match.string.endswith("[redacted: ", 0, match.start(group))
        if group == "q" or secret is None or inside_a_mark or is_placeholder(secret):
            continue
        if not group.startswith("made") or is_machine_made(secret, _LEAST_MADE):
            yield Span(*match.span(group), "password")
