"""Code and documentation that speak of secrets and hold none, each beside something that looks like it and does."""

import pytest

from errata import redact

RANDOM = "q7Zt2mWx9KpL4vRb8NcD"
CODE = [
    "isinstance(key, Ed25519PublicKey)",
    "token: typing.Union[bytes, str]",
    "token: _core.TrioToken",
    "auth: SkipSchema[AuthCheck | None] = None",
    "def f(token: Token) -> Paragraph:",
    "def coord(self, tok: _Token) -> Coord:",
    "def convert(self, token: _TokenT) -> _NodeT:",
    "class Operator(MathToken): pass",
    "key = base64.urlsafe_b64decode(key)",
    "RegEnumKey = win32api.RegEnumKey",
    "if sig != stringEndArchive64:",
    "if (token === x)",
    "if token == self.token: raise",
    "token = tokens[index1]",
    "token = (0, Generic.Traceback, line)",
    "private_key: SomeTypeName,",
    "private_key: CertificateIssuerPrivateKeyTypes,",
    "private_key: CERTIFICATE_PRIVATE_KEY_TYPES,",
    'post(url, data={"token": token_string})',
    'AttributeOID.CHALLENGE_PASSWORD: "challengePassword",',
    "'WEB_ID_TOKEN': 'h',",
    "api_key: TypeSafe API key. Defaults to none.",
    'builder.Configuration["Jwt:Secret"]',
    "token:      1024 bytes",
    "api_key_header: X-Api-Key",
    "via the --username and --password options",
    "Decimal('+35236450.6')",
    "styles[token] = style",
    "token = Comment",
    "complete(token=text, line=line)",
    "token.STRING     : Colors.LightBlue,",
    "key: mldsa.MLDSA44PublicKey",
    "private_key: PKCS7PrivateKeyTypes,",
    'service_key = f"{cluster_name}:{service_name}"',
    "user_pass = '%s:%s' % (user, word)",
    'pw = "\\n".join(pairs)',
    '"AWS::IAM::AccessKey": "72c2d9dd90025459",',
    "pk_live_94iCmjdctsBIYW7oeOt22ZHu loaded in the browser",
    "a proxy in the form scheme://[user:passwd@]proxy.server:port",
    "postgres://user:password@localhost/db",
    "postgresql://USER:PASSWORD@HOST:PORT/DATABASE",
]
NO_CODE = [
    f"isinstance(key, {RANDOM})",
    f"token: {RANDOM}",
    f"if token == {RANDOM}: raise",
    f"token = ({RANDOM}, line)",
    f"key = {RANDOM}",
    f"styles[token] = {RANDOM}",
    f"complete(token={RANDOM}, line=line)",
    f'service_key = f"{RANDOM}:{{service_name}}"',
    f'"IAM::AccessKey" = "{RANDOM}"',
    f"sk_live_{RANDOM} loaded on the server",
    f"private_key: {RANDOM},",
    f'post(url, data={{"token": "{RANDOM}"}})',
    f'AttributeOID.CHALLENGE_PASSWORD: "{RANDOM}",',
    f"via --username ann and --password {RANDOM}",
    f"postgres://user:{RANDOM}@localhost/db",
    f"def f(token='{RANDOM}') -> Paragraph:",
]


@pytest.mark.parametrize("line", CODE)
def test_code_that_only_speaks_of_secrets_stays(line):
    assert redact(line) == line


@pytest.mark.parametrize("line", NO_CODE)
def test_a_secret_in_code_is_hidden(line):
    assert RANDOM not in redact(line)


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("postgres://user:password@db7.acme.io/db", ":password@"),
        ("password: TempestPepper327", "TempestPepper327"),
        ("nmcli dev wifi connect acme password TempestPepper327", "TempestPepper327"),
        ("call +35 236 450 612", "450 612"),
    ],
)
def test_what_a_person_chose_is_hidden(text, secret):
    assert secret not in redact(text)


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f"mosquitto_pub -h b1 -u ann -P {RANDOM} -t x", RANDOM),
        (f"mysqladmin -u root password {RANDOM}", RANDOM),
        (f"xfreerdp /v:h1 /u:ann /p:{RANDOM}", RANDOM),
        (f"mc alias set s3 https://s3.acme.io ann {RANDOM}", RANDOM),
        (f"composer config http-basic.repo.acme.io ann {RANDOM}", RANDOM),
        (f"echo {RANDOM} | cryptsetup open /dev/sda2 x", RANDOM),
        (f"the upstream rejected 12345:{RANDOM} for acme", RANDOM),
        (f"the upstream rejected abc|{RANDOM} for acme", RANDOM),
        (f"token={{{RANDOM}}}", RANDOM),
        (f"password\u00a0=\u00a0{RANDOM}", RANDOM),
        (f'{{"password":{{"S":"{RANDOM}"}}}}', RANDOM),
        (
            f"-----BEGIN OpenVPN Static key V1-----\n{'0f1e2d3c' * 4}\n-----END OpenVPN Static key V1-----",
            "0f1e2d3c0f1e",
        ),
        (f"grub.pbkdf2.sha512.10000.{'0F1E2D3C' * 8}.{'4B5A6978' * 8}", "0F1E2D3C0F"),
    ],
)
def test_commands_refusals_and_frames_give_nothing_away(text, secret):
    assert secret not in redact(text)


@pytest.mark.parametrize(
    "text",
    [
        "mosquitto_pub -h b1 -p 1883 -t sensors",
        "the server rejected sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "the server rejected db7.acme.io:5432 twice",
        "the api refused https://acme.io/orders/recent?page=2",
        "echo done | tee log.txt",
    ],
)
def test_commands_and_refusals_without_a_secret_stay(text):
    assert redact(text) == text


@pytest.mark.parametrize("line", ["token = tokens[pos + 1]", "key = keys[i - 1]", "secret = secrets[index % size]"])
def test_what_is_taken_out_of_a_list_is_code(line):
    assert redact(line) == line
