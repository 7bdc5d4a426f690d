"""Pairs of names and values in the forms that an independent tester found."""

import pytest

from errata import redact


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        (
            "map[client_id:[mcp] client_secret:[hunter2abc]]",
            "map[client_id:[mcp] client_secret:[[redacted: secret]]]",
        ),
        ("secrets=[a1b2c3d4] port=80", "secrets=[[redacted: secret]] port=80"),
        ("psk=[hunter22x]", "psk=[[redacted: secret]]"),
    ],
)
def test_the_bracket_of_a_mark_closes_no_list(text: str, redacted: str) -> None:
    assert redact(text) == redacted


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        (
            "\x1b[36mpassword\x1b[0m=\x1b[35mhunter22x\x1b[0m \x1b[36mport\x1b[0m=\x1b[35m80\x1b[0m",
            "\x1b[36mpassword\x1b[0m=\x1b[35m[redacted: password]\x1b[0m \x1b[36mport\x1b[0m=\x1b[35m80\x1b[0m",
        ),
        ("\x1b[1;36mapi_key\x1b[0m=abc12345x\x1b[0m", "\x1b[1;36mapi_key\x1b[0m=[redacted: key]\x1b[0m"),
        (
            '\x1b[34;1m"password"\x1b[0m\x1b[1;39m:\x1b[0m \x1b[0;32m"hunter22x"\x1b[0m',
            '\x1b[34;1m"password"\x1b[0m\x1b[1;39m:\x1b[0m \x1b[0;32m"[redacted: password]"\x1b[0m',
        ),
        (
            r"\u001b[36mpassword\u001b[0m=\u001b[35mhunter22x\u001b[0m",
            r"\u001b[36mpassword\u001b[0m=\u001b[35m[redacted: password]\u001b[0m",
        ),
    ],
)
def test_a_coloured_name_announces_its_value(text: str, redacted: str) -> None:
    assert redact(text) == redacted


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        (
            '{"grant_type":"authorization_code","code":"ByYF1ZVxEWmdhTXAMi8y0QGMP0U90ZJZ"}',
            '{"grant_type":"authorization_code","code":"[redacted: token]"}',
        ),
        (
            "GET /app;jsessionid=1mr6qg9hdy7dozx8z72h?x=1 500",
            "GET /app;jsessionid=[redacted: session]?x=1 500",
        ),
        ("ERROR:root:password:hunter22x", "ERROR:root:password:[redacted: password]"),
        ("<password>hunter22x</password>", "<password>[redacted: password]</password>"),
    ],
)
def test_a_value_is_hidden_as_far_as_it_goes(text: str, redacted: str) -> None:
    assert redact(text) == redacted


@pytest.mark.parametrize(
    "text",
    [
        '{"grant_type":"authorization_code","code":"invalid_grant"}',
        "arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-password-sIZUS3",
        '{"usage":"acme login <user> <password>","x":1}',
        "postgres://<user>:<password>@host/db",
        "token: ${{ secrets.GITHUB_TOKEN }}",
        "password: !Ref DatabasePassword",
        "password: vault:secret/data/db#password",
        'password: "op://prod/db/password"',
        "password: ENC[AES256_GCM,data:Zq81mN0c55TgWk2p,iv:x,tag:y,type:str]",
    ],
)
def test_what_only_names_a_secret_stays(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("DB_PASSWORD=u_FKa_E<1bxuui", "DB_PASSWORD=[redacted: password]"),
        ("postgres://a:x>=i55d@db1", "postgres://a:[redacted: password]@db1"),
        ("postgres://a:x|<i5>5d@db1:5432/x", "postgres://a:[redacted: password]@db1:5432/x"),
        ("Config(password=RFvz(yKIt6w)", "Config(password=[redacted: password])"),
        ('password="$Xy7KqLm2"', 'password="[redacted: password]"'),
        ("password=hunter22x<br>next", "password=[redacted: password]<br>next"),
        ("<a href=/?token=abcdef123456xyz>more</a>", "<a href=/?token=[redacted: token]>more</a>"),
    ],
)
def test_a_password_may_have_any_sign_and_markup_ends_it(text: str, redacted: str) -> None:
    assert redact(text) == redacted


@pytest.mark.parametrize(
    "text",
    [
        'password="$DB_PASSWORD"',
        "password = getpass.getpass()",
        'String password = System.getenv("DB_PASSWORD");',
        "client = Client(api_key=api_key, token=token)",
        "password = Column(String(255), nullable=False)",
        "password = decrypt(b64)",
        "secret: SecretStr",
    ],
)
def test_names_of_the_program_are_no_values(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("id: 7\npassword | hunter22x\n", "id: 7\npassword | [redacted: password]\n"),
        ("<td>passwd</td><td>HtjI#Wa2@iegM</td>", "<td>passwd</td><td>[redacted: password]</td>"),
        ("password: !!str hunter22x", "password: !!str [redacted: password]"),
        ("PASSWORD ?= hunter22x", "PASSWORD ?= [redacted: password]"),
        ('@password ||= "hunter22x"', '@password ||= "[redacted: password]"'),
        ("a=1 password\uff1ahunter22x", "a=1 password\uff1a[redacted: password]"),
        (
            'Content-Disposition: form-data; name="password"\r\n\r\nhunter22x\r\n--b0--',
            'Content-Disposition: form-data; name="password"\r\n\r\n[redacted: password]\r\n--b0--',
        ),
    ],
)
def test_rows_parts_and_other_joints_are_pairs(text: str, redacted: str) -> None:
    assert redact(text) == redacted


@pytest.mark.parametrize(
    "text",
    [
        "a: b\n| user | password | email |",
        "a: b\n password | varchar(255) | not null",
        "a: b\n password | argon2id | not null",
        "<th>password</th><th>email</th>",
        'name="password"\n\nSome text follows',
        "a: b\nuser\tpassword\temail",
        "expected '-----BEGIN RSA PRIVATE KEY-----'",
        "postgres://user:password@host:port/db",
    ],
)
def test_heads_of_tables_types_and_examples_stay(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("passwd[]=grapefruit7", "passwd[]=[redacted: password]"),
        ("**password**: grapefruit7", "**password**: [redacted: password]"),
        ("<b>password</b>: grapefruit7", "<b>password</b>: [redacted: password]"),
        ('<property name="password">hunter2x</property>', '<property name="password">[redacted: password]</property>'),
        ('<password>"hunter22x"</password>', '<password>"[redacted: password]"</password>'),
        ("<password>O7AtQYg&Zz<fh2rG</password>", "<password>[redacted: password]</password>"),
        ("<password><![CDATA[hunter22x]]></password>", "<password><![CDATA[[redacted: password]]]></password>"),
        (r"{\x22password\x22:\x22hunter22x\x22}", r"{\x22password\x22:\x22[redacted: password]\x22}"),
        ("password: &pw grapefruit7", "password: &pw [redacted: password]"),
        ("password=4k>2>{eHpGd1fW2Btj4O", "password=[redacted: password]"),
    ],
)
def test_markup_around_a_pair_does_not_hide_it(text: str, redacted: str) -> None:
    assert redact(text) == redacted


@pytest.mark.parametrize(
    "text",
    [
        "login <user> <password>\n<p>more</p>",
        '<label name="password">Enter it</label>',
        "<secret><id>5</id></secret>",
    ],
)
def test_only_an_element_has_a_value(text: str) -> None:
    assert redact(text) == text
