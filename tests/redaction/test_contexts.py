"""Secrets that only what is around them gives away: a statement, a table, a traceback, a wrapper, a name of another line.

A template is filled as in `tests/support/sample_secrets.py`; beside it stands what has to be left of the line.
"""

import random
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from support.sample_secrets import filled, survives
from support.secret_fragments import FRAGMENTS

from errata import redact, redact_data

# fmt: off
ESCAPED = [
    ("%22api_key%22%3A%20%22{password}%22%2C%22port%22%3A80", ["port%22%3A80"]),
    ("%7B%22password%22%3A+%22{password}%22%7D", []),
    ("%7B%22client_secret%22%20%3A%20%22{random}%22%2C%20%22ok%22%3A%20true%7D", ["true"]),
    ("body=%7B%0A%20%20%22password%22%3A%20%22{password}%22%0A%7D", ["body="]),
    ('{\\n  \\"password\\": \\"{password}\\"\\n}', []),
    ("{&quot;password&quot;:&nbsp;&quot;{password}&quot;}", []),
    ("{&#34;db_password&#34;: &#34;{password}&#34;, &#34;port&#34;: 80}", ["80"]),
    ('""password"":""{password}"",""port"":80', ["80"]),
    ("{\\u0022password\\u0022:\\u0020\\u0022{password}\\u0022}", []),
    ("password%3D{random}%26user%3Dann", ["user%3Dann"]),
    ("password:\\t{password}\\nport:\\t80", ["80"]),
]

YAML = [
    ("db:\n  password: |\n    {password}\n  port: 80\n", ["port: 80"]),
    ("db:\n  password: >-\n    {password}\n  port: 80\n", ["port: 80"]),
    ("password: |-\n  {password}\nport: 80", ["port: 80"]),
    ("password: >+\n  {password}\n\nport: 80", ["port: 80"]),
    ("token: |2-\n    {random}\n    {random}\nport: 80", ["port: 80"]),
    ("- name: x\n  api_key: >  # folded\n    {random}\n- name: y", ["name: y"]),
    ("stringData:\n  password: |-\n    {password}\n  user: ann", ["user: ann"]),
    ("secret_key: |\r\n  {random}\r\nport: 80", ["port: 80"]),
    ('config: "db:\\n  password: |\\n    {password}\\n  port: 80\\n"', ["port: 80"]),
    ("password:\n  {password}\nport: 80", ["port: 80"]),
    ('password: "{password}"  # from the vault\nport: 80', ["port: 80"]),
    ("password:\n  - {password}\n  - {password}\nport: 80", ["port: 80"]),
]

QUOTED = [
    ('{"password": " {password}", "port": 80}', ["80"]),
    ('{"password": "\'{password}", "port": 80}', ["80"]),
    ('{"password": ", {password}", "port": 80}', ["80"]),
    ("password=' {password}' port=80", ["port=80"]),
    ('password=", {password}" port=80', ["port=80"]),
    ("connect(password=') {password}', port=80)", ["port=80"]),
    ("password=,{password} port=80", ["port=80"]),
    ("password=  {password} port=80", ["port=80"]),
    ("'password': '  {password}'", []),
    ("UPDATE users SET password = 'ab''{password}' WHERE id = 1", ["WHERE id = 1"]),
    ('"password": "ab\\"{password}", "port": 80', ["80"]),
    ("password = '''{password}'''", []),
    ('password = """{password}"""', []),
    ("password: “{password}”, port 80", ["80"]),
    ("password = «{password}»", []),
]

FORGED = [
    ("password=[redacted: password]{password}", []),
    ('"password": "[redacted: password] {password}"', []),
    ("password=[redacted: x]{password}", []),
    ("token: [redacted: token]{random}", []),
    ('{"password": "redacted {password}"}', []),
    ('{"password": "<masked {password}>"}', []),
    ('{"password": "[FILTERED] {password}"}', []),
    ("password=redacted-{password}", []),
    ("https://[redacted: token]{random}@git.acme.io/a.git", ["git.acme.io"]),
    ("Authorization: Bearer [redacted: token]{random}", []),
    ("Cookie: sid=[redacted: cookie]{random}; theme=dark", ["theme=dark"]),
    ('{"password": "***{password}"}', []),
    ("password=****{password}", []),
]

SQL = [
    ("[SQL: INSERT INTO users (name, password) VALUES (%s, %s)]\n[parameters: ('ann', '{password}')]", ["'ann'"]),
    ("[SQL: INSERT INTO users (name, password, age) VALUES (?, ?, ?)]\n[parameters: ('ann', '{password}', 17)]", ["'ann'", "17"]),
    ("[SQL: INSERT INTO users (id, api_key) VALUES ($1::INTEGER, $2::VARCHAR)]\n[parameters: (17, '{random}')]", ["17"]),
    ("[SQL: INSERT INTO users (name, password) VALUES (%(name)s, %(password)s)]\n[parameters: {'name': 'ann', 'password': '{password}'}]", ["'ann'"]),
    ("[SQL: UPDATE users SET password=%s WHERE users.id = %s]\n[parameters: ('{password}', 17)]", ["17"]),
    ("[SQL: UPDATE users SET name=?, token=? WHERE users.id = ?]\n[parameters: ('ann', '{random}', 17)]", ["'ann'", "17"]),
    ("[SQL: SELECT users.id FROM users WHERE users.name = %s AND users.api_key = %s]\n[parameters: ('ann', '{random}')]", ["'ann'"]),
    ("[SQL: INSERT INTO users (name, password) VALUES (?, ?)]\n[parameters: [('ann', '{password}'), ('bob', '{password}')]]", ["'bob'"]),
    ("INSERT INTO users (name, password) VALUES ('ann', '{password}')", ["'ann'"]),
    ("INSERT INTO `users` (`name`, `password`, `age`) VALUES ('ann', '{password}', 17), ('bob', '{password}', 18);", ["'bob'", "18"]),
    ('insert into "users" ("id", "client_secret") values (17, \'{random}\') returning "id"', ["17", "returning"]),
    ("INSERT INTO dbo.Users (Name, PasswordHash, Salt) VALUES (N'ann', N'{base64}', N'{base64}')", ["ann"]),
    ("REPLACE INTO secrets(id, secret) VALUES(1, '{password}')", ["1"]),
    ("MERGE users USING (VALUES (1)) ... INSERT (id, password) VALUES (1, '{password}')", []),
    ("UPDATE users SET password = '{password}', name = 'ann' WHERE id = 17", ["'ann'", "17"]),
    ("SELECT * FROM users WHERE password = '{password}' AND id = 17", ["17"]),
    ("Duplicate entry '{random}' for key 'users.api_key'", ["users.api_key"]),
    ("(1062, \"Duplicate entry '{password}' for key 'tokens.uq_token'\")", ["uq_token"]),
    ("Cannot insert duplicate key row in object 'dbo.Tokens' with unique index 'IX_Tokens_Token'. The duplicate key value is ({random}).", ["dbo.Tokens"]),
    ("DETAIL:  Key (api_key)=({random}) already exists.", ["already exists"]),
    ("DETAIL:  Key (tenant, api_key)=(acme, {random}) already exists.", ["already exists"]),
    ('E11000 duplicate key error collection: core.users index: token_1 dup key: { token: "{password}" }', ["core.users"]),
    ("DETAIL:  Failing row contains (17, ann, {password_}, null).", ["17", "ann"]),
    ("CALL login('ann', '{password_}')", ["'ann'"]),
]

TABLES = [
    ("| user | password |\n|---|---|\n| ann | {password} |", ["ann"]),
    ("| user | password | port |\n| :--- | ---: | --- |\n| ann | {password} | 80 |\n| bob | {password} | 81 |", ["bob", "81"]),
    (" id | name | password\n----+------+----------\n  1 | ann  | {password}\n(1 row)", ["ann", "(1 row)"]),
    ("+----+----------+\n| id | password |\n+----+----------+\n|  1 | {password} |\n+----+----------+", ["1"]),
    ("id,name,password\n1,ann,{password}\n2,bob,{password}\n", ["ann", "bob"]),
    ("user;api_key;port\nann;{random};80", ["ann", "80"]),
    ("user\tpassword\tport\nann\t{password}\t80", ["ann", "80"]),
    ('"user","password"\n"ann","{password}"', ["ann"]),
    ("<table><tr><th>user</th><th>password</th></tr><tr><td>ann</td><td>{password}</td></tr></table>", ["ann"]),
    ("| password | user |\n|---|---|\n| {password} | ann |", ["ann"]),
    ('{"columns": ["id", "password"], "rows": [[1, "{password}"], [2, "{password}"]]}', ["id"]),
    ('{"fields": ["user", "api_key", "port"], "values": [["ann", "{random}", 80]]}', ["ann", "80"]),
    ("columns=['id', 'password'] rows=[(1, '{password}')]", ["id"]),
    ("columns: ('user', 'secret')\nrows: [('ann', '{password}')]", ["ann"]),
    ("   user      password\n0   ann  {random}", ["ann"]),
]

NAMED = [
    ('{"k": "password", "v": "{password}"}', []),
    ('{"name": "DB_PASSWORD", "value": "{password}"}', []),
    ('[{"key": "api_key", "val": "{random}"}, {"key": "port", "val": "80"}]', ["80"]),
    ('{"value": "{password}", "name": "password"}', []),
    ("{'field': 'password', 'input': '{password}'}", []),
    ("{'n': 'client_secret', 'v': '{random}'}", []),
    ("- name: DB_PASSWORD\n  value: {password}\n- name: PORT\n  value: 80", ["80"]),
    ('<add key="ApiSecret" value="{password}" />', []),
    ('<input type="hidden" name="csrf_token" value="{random}">', []),
    ('<input type="password" name="pw" value="{password}">', []),
    ('<env name="API_KEY">{random}</env>', []),
    ("Name=password;Value={password}", []),
    ('{"header": "X-Api-Key", "content": "{random}"}', []),
]

VALIDATORS = [
    ("1 validation error for Login\npassword\n  String should have at least 30 characters [type=string_too_short, input_value='{password}', input_type=str]", ["input_type=str"]),
    ("1 validation error for Settings\ndb.api_key\n  Value error [type=value_error, input_value='{random}', input_type=str]\n    For further information visit https://errors.pydantic.dev/2/v/value_error", ["pydantic.dev"]),
    ("2 validation errors for Login\nuser\n  Input should be a valid integer [type=int_type, input_value='ann', input_type=str]\nsecret\n  Value error [type=x, input_value='{password}', input_type=str]", ["input_value='ann'"]),
    ("'{password_}' is too short\n\nFailed validating 'minLength' in schema['properties']['password']:\n    {'minLength': 20}\n\nOn instance['password']:\n    '{password_}'", ["minLength"]),
    ("password: '{password}' does not match '^[A-Z]+$'", []),
    ("Invalid value '{random}' for parameter 'api_key'", ["api_key"]),
    ('Value "{password_}" for field "password" is too weak', ["too weak"]),
    ("body.password: Input should be longer, got '{password_}'", []),
    ('[{"loc": ["body", "password"], "msg": "too short", "input": "{password}"}]', ["too short"]),
    ("TypeError: login() failed for args=('ann', '{password_}') kwargs={'password': '{password_}'}", ["'ann'"]),
]

WRAPPED = [
    ('Config { host: "db1", password: Some("{password}"), port: 5432 }', ["5432"]),
    ('Config { password: Some(Secret("{password}")), port: 5432 }', ["5432"]),
    ("Config(db1, password=Some({password}), 5432)", ["5432"]),
    ("password=Optional[{password}], port=80", ["80"]),
    ("password = SecretStr('{password}')", []),
    ('Password:sql.NullString{String:"{password}", Valid:true}', ["Valid:true"]),
    ('token: Just "{password}"', []),
    ('"password" => Ok("{password}")', []),
    ('password: Cow::Borrowed("{password}")', []),
    ('password: String::from("{password}")', []),
    ("password=b'{password}'", []),
    ("password=Sensitive(value='{password}')", []),
    ('Password:(*string)("{password}")', []),
    ("'password': ['{password}']", []),
    ('password: Value::String("{password}")', []),
    ('@password="{password}"', []),
    ('api_key: Some(\n    "{random}",\n)', []),
]

NAMES = [
    ("GET /data/2.5?lat=1&appid={hex}&units=acme", ["units=acme"]),
    ("X-DC-DEVKEY: {random} acme", ["acme"]),
    ("X-Acme-Userkey: {random}", []),
    ("?appkey={hex}&page=2", ["page=2"]),
    ("?api_sig={hex}&page=2", ["page=2"]),
    ("GET /cas?ticket=ST-2741-{random}-cas1 403", ["403"]),
    ('{"user_code": "QPZQ-P9QT", "verification_uri": "https://acme.io/d"}', ["verification_uri"]),
    ("client_assertion={random}&x=1", ["x=1"]),
    ('{"refresh": "{random}", "expires": 3600}', ["3600"]),
    ('{"access": "{random}", "expires": 3600}', ["3600"]),
    ("dbpw={password}", []),
    ("SMTPPASS={password}", []),
    ("rootpw: {password}", []),
    ("wachtwoord: {password}", []),
    ("mot_de_passe={password}", []),
    ("пароль: {password}", []),
    ('{"密码": "{password}"}', []),
    ("パスワード={password}", []),
    ("X-Acme-Auth: {random}", []),
    ("x-goog-iap-jwt-assertion: {random}", []),
    ("license_key: {random}", []),
    ("unlock_code={code}", []),
    ("pairing key: {random}", []),
    ("X-Plex-Token: {random}", []),
    ("subscription-key={hex}", []),
    ("AUTH PLAIN {basic}", []),
    ("C: AUTH LOGIN {basic}", []),
    ("a1 AUTHENTICATE PLAIN {basic}", []),
    ("C: a1 LOGIN ann {password_}", ["ann"]),
    ("AUTH XOAUTH2 {base64}", []),
    ("net user ann {password_} /add", ["/add"]),
    ("Sec-WebSocket-Protocol: bearer, {random}", []),
    ("Sec-WebSocket-Protocol: base64url.bearer.authorization.k8s.io.{random}, v1", []),
    ("Click https://acme.io/reset/{random} to reset", ["https://acme.io/"]),
    ("https://acme.io/verify-email/{random}?x=1", ["x=1"]),
    ("https://acme.io/users/password/edit?reset_password_token={random}", []),
    ("pass\u200bword={random} ok", ["ok"]),
    ("pass\u00adword: {password}", []),
    ("api\u2060_key={random}", []),
]

PARTS = [
    ('--b\r\nContent-Disposition: form-data; name="password"\r\nContent-Type: text/plain\r\n\r\n{password}\r\n--b--', ["form-data"]),
    ("--b\nContent-Disposition: form-data; name=password\n\n{password}\n--b--", ["--b--"]),
    ("b'--b\\r\\nContent-Disposition: form-data; name=\"api_key\"\\r\\n\\r\\n{random}\\r\\n--b--\\r\\n'", ["--b--"]),
    ('Content-Disposition: form-data; name="client_secret"; filename="x"\r\n\r\n{random}\r\n--b', ["--b"]),
    ('content-disposition: form-data; name="user"\r\n\r\nann\r\n--b\r\ncontent-disposition: form-data; name="password"\r\n\r\n{password}', ["ann"]),
    ('Content-Disposition: attachment; name="token"\r\nContent-Length: 40\r\n\r\n{random}\r\n--b', ["Content-Length: 40"]),
]

TRACES = [
    ("    check(user, password)\n    │     │     └ '{password}'\n    │     └ 'ann'\n    └ <function check at 0x7f>", ["'ann'"]),
    ("    login(user, api_key)\n          |     -> '{random}'\n          -> 'ann'", ["'ann'"]),
    ("│ password = '{password}'                │\n│ user = 'ann' │", ["'ann'"]),
    ("(Pdb) p password\n'{password}'\n(Pdb) p user\n'ann'", ["'ann'"]),
    (">>> password\n'{password}'\n>>> user\n'ann'", ["'ann'"]),
    ("#0 /srv/app.php(12): login('ann', '{password_}')\n#1 {main}", ["#1"]),
    ("#0 /srv/db.php(7): PDO->__construct('mysql:host=db1', 'root', '{password_}')", ["mysql:host=db1"]),
    ("#1 /srv/x.php(3): mysqli_connect('db1', 'root', '{password_}')", ["'db1'"]),
    ("pymysql.connect('db1', 'root', '{password_}', 'core')", ["'db1'"]),
    ("smtp.login('ann', '{password_}')", ["'ann'"]),
    ('trino.auth.BasicAuthentication("app", "{password}")', []),
    ("ClusterOptions(PasswordAuthenticator('app', '{password}'))", []),
    ("PlainTextAuthProvider('cassandra', '{password}')", []),
    ('new NetworkCredential("ann", "{password}")', []),
    ("new UsernamePasswordCredentials('ann', '{password}')", []),
    ("aiohttp.BasicAuth(login='ann', password='{password}')", []),
    ("oracledb.connect('app/{password_}@db1:1521/ORCLPDB1') ORA-01017", ["ORA-01017"]),
    ('{"vars": {"password": "\'{password}\'", "user": "\'ann\'"}}', ["ann"]),
    ("Local variables:\n  password: str = '{password}'\n  user: str = 'ann'", ["'ann'"]),
    ("login(user='ann', password='{password}') at app.py:12", ["app.py:12"]),
    ("ic| password: '{password}'", []),
    ("-> check(user='ann', pwd='{password}')", ["'ann'"]),
    ("self = <Client host='db1' api_key='{random}'>", ["db1"]),
    ("call('ann', password='{password}')", ["'ann'"]),
    ("Expected: login('ann', '{password_}')\nActual: not called.", ["not called"]),
    ("AuthenticationError: ('ann', '{password_}')", ["'ann'"]),
    ("app.errors.LoginFailed: ('ann', '{password_}', 3)", ["'ann'", "3"]),
    ("login() failed for args=('ann', '{password_}')", ["'ann'"]),
]
# fmt: on


def _digit_password(rng):
    return rng.choice(["Harbor", "Onyx", "Maple"]) + rng.choice(["Willow", "Ember"]) + str(rng.randrange(100, 999))


def _filled(template, rng):
    chosen = _digit_password(rng)  # One for all: a secret that stands in two places of a text.
    line, secrets = filled(template.replace("{password_}", chosen), rng)
    return line, [*secrets, chosen] if "{password_}" in template else secrets


GROUPS = {
    "escaped": ESCAPED,
    "yaml": YAML,
    "quoted": QUOTED,
    "forged": FORGED,
    "sql": SQL,
    "tables": TABLES,
    "named": NAMED,
    "validators": VALIDATORS,
    "wrapped": WRAPPED,
    "names": NAMES,
    "parts": PARTS,
    "traces": TRACES,
}
ROWS = [(group, template, kept) for group, rows in GROUPS.items() for template, kept in rows]


@pytest.mark.parametrize(
    ("group", "template", "kept"), ROWS, ids=[f"{group}-{template[:50]}" for group, template, _ in ROWS]
)
def test_no_secret_survives_in_a_context(group, template, kept):  # noqa: ARG001 - names the test.
    for seed in range(8):
        line, secrets = _filled(template, random.Random(seed))
        shown = redact(line)

        assert not [secret for secret in secrets if survives(secret, shown)]
        assert not [part for part in kept if part not in shown]
        assert redact(shown) == shown


def _lines(name):
    lines = (Path(__file__).parent / name).read_text(encoding="utf-8").splitlines()
    return [line.replace("\\r", "\r").replace("\\n", "\n").replace("\\t", "\t") for line in lines]


@pytest.mark.parametrize("template", _lines("contexts_dirty.txt"))
def test_no_secret_survives_in_other_contexts_either(template):
    for seed in range(6):
        line, secrets = filled(template, random.Random(seed))
        shown = redact(line)

        assert not [secret for secret in secrets if survives(secret, shown)]
        assert redact(shown) == shown


@pytest.mark.parametrize("line", _lines("contexts_clean.txt"))
def test_what_only_has_the_form_of_a_context_stays(line):
    assert redact(line) == line


SECRET = "harbor-maple-42"  # noqa: S105 - nobody's


@pytest.mark.parametrize(
    "data",
    [
        {"k": "password", "v": SECRET},
        {"n": "api_key", "v": SECRET},
        {"Name": "DB_PASSWORD", "Value": SECRET},
        {"header": "X-Api-Key", "content": SECRET},
        {"variable": "client_secret", "data": SECRET},
        {"env": [{"name": "DB_PASSWORD", "value": SECRET}]},
        {"loc": ["body", "password"], "msg": "too short", "input": SECRET},
        {"fieldName": "password", "rejectedValue": SECRET},
        {"columns": ["id", "password"], "rows": [[1, SECRET]]},
        {"columns": [{"name": "id"}, {"name": "password"}], "data": [[1, SECRET]]},
        {"fields": ["user", "secret"], "values": [["ann", SECRET], ["bob", SECRET]]},
        {"header": ["user", "token"], "records": [["ann", SECRET]]},
        [["id", "name", "password"], [1, "ann", SECRET], [2, "bob", SECRET]],
        [["user", "password"], ["ann", SECRET]],
        [["password", SECRET], ["user", "ann"]],
        {"pass\u200bword": SECRET},
        {"config": "db:\n  password: |\n    " + SECRET},
        {"password": {"old": SECRET, "new": SECRET}},
        {"Parameters": [{"Key": "Password", "Value": SECRET}]},
    ],
)
def test_no_secret_survives_in_data_that_names_it_elsewhere(data):
    shown = redact_data(data)

    assert SECRET not in str(shown)
    assert redact_data(shown) == shown


@pytest.mark.parametrize(
    "data",
    [
        {"k": "port", "v": "80"},
        {"name": "password", "type": "string", "required": True, "default": None},
        {"name": "password", "text": "Enter your password"},
        {"columns": ["id", "name"], "rows": [[1, "ann"]]},
        {"columns": ["id", "token_count"], "rows": [[1, 512]]},
        {"columns": ["id", "password"], "rows": []},
        {"columns": ["id", "password"], "rows": [[1, None]]},
        [["id", "name"], [1, "ann"]],
        [["user", "password"]],
        {"fields": ["user", "password"], "message": "Both are required."},
        {"required": ["user", "password"], "properties": {"password": {"type": "string"}}},
        {"key": "theme", "value": "dark"},
        {"items": ["token", "secret"], "name": "words"},
    ],
)
def test_data_that_only_has_the_form_of_a_context_stays(data):
    assert redact_data(data) == data


@given(st.lists(st.sampled_from([*FRAGMENTS, "hunter22x", "Zq81mN0c55TgWk2p9"]), max_size=12).map("".join))
def test_redacting_what_rules_react_to_again_changes_nothing(text):
    once = redact(text)

    assert redact(once) == once


def test_a_secret_that_was_found_once_is_hidden_wherever_it_stands():
    text = "login(ann, QuartzEmber731) failed: password='QuartzEmber731'"

    assert redact(text) == "login(ann, [redacted: password]) failed: password='[redacted: password]'"


def test_a_word_that_is_somebodys_password_stays_elsewhere():
    assert (
        redact("password='orders'; no such table: orders") == "password='[redacted: password]'; no such table: orders"
    )
