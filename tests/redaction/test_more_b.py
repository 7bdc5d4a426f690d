"""What a second tester found: leaks behind escapes and in commands, and innocent words that were hidden."""

import base64

import pytest

from errata import redact, redact_data, register_secret

PERSONAL = [
    "185.12.33.44",
    "2a02:8108:9c0:1b2c::5",
    "+49 171 2345678",
    "4111 1111 1111 1111",
    "4111111111111111",
    "536-22-1234",
    "DE89370400440532013000",
]
BEFORE = ["a\\n", "a\\t", "a%20", "a%3D", "a\\u003d", "a\x1b[32m", "a\x1b[0m", "地址", "é "]


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("value", PERSONAL)
def test_an_escape_before_personal_data_hides_it_from_nobody(value, before):
    assert value not in redact(f'{{"log":"{before}{value}\\nb"}}')


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("dial api.acme.io/185.12.33.44:443", "185.12.33.44"),
        ("ssh root@185.12.33.44", "185.12.33.44"),
        ("node 185.12.33.44 is down", "185.12.33.44"),
        ("client_ip=12.3.4.5", "12.3.4.5"),
        ("connection from 23.20.1.9 closed", "23.20.1.9"),
        ("client: 23.20.1.9, server: x", "23.20.1.9"),
        ("Failed password for bob from 23.20.1.9 port 22 ssh2", "23.20.1.9"),
        ("account nl91abna0417164300 closed", "nl91abna0417164300"),
        ("iban de89 3704 0044 0532 0130 00", "3704 0044"),
        ("phone_number=0173 7101172", "7101172"),
        ("phone: 0151 23456789", "23456789"),
        ("Tel. 06 53 71 30 93", "53 71 30"),
        ("call 0049 172 12607808 now", "12607808"),
        ("call 1-202-555-0143 now", "555-0143"),
    ],
)
def test_a_number_of_a_person_is_hidden(text, value):
    assert value not in redact(text)


@pytest.mark.parametrize(
    "text",
    [
        "host 192.0.2.1 and 198.51.100.7 and 203.0.113.9 unreachable",
        "host 2001:db8::1 unreachable",
        "Upgrading acme from 121.4.33.0 to 122.1.30.0",
        "Mozilla/5.0 Chrome/121.4.33.0 Safari/121.4.33.1",
        "section 1.2.3.4 of the manual",
        "acme-agent 4.12.3.1",
        "mobile 2024-01-02 10:00",
        "0010 4500 0034 1c46",
    ],
)
def test_a_number_of_nobody_stays(text):
    assert redact(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "progressToken: 23588f95-7730-4723-a44e-6d8c1ed73d53",
        'nextPageToken: "01VGHD29XSG899CY8MMTHDYZDH"',
        "continuation_token: 69b16dc08b2fe27224ba58ecd1173915",
        "invalid page token '69b16dc08b2fe27224ba58ecd1173915'",
        "unexpected token 3fa9c1d2e8b74f60",
        "unexpected token: identifier",
    ],
)
def test_a_token_of_a_reader_of_pages_or_of_a_parser_stays(text):
    assert redact(text) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Session fb205d6e-1f73-44da-a605-94e1661dd625 has expired", "fb205d6e"),
        ("session id 0522b25f2777271659a4c09b852bca27 not found", "0522b25f"),
        ("Invalid license key RML20-OE22D-XXG1O-GVD55-J30IE", "RML20"),
        ("wrong aws secret access key 'df63ec82a3bba728fcda0fc45595b86f' given", "df63ec82"),
        ("recovery code: csnq1-dfzdw", "csnq1"),
        ("pswd=grapefruit7", "grapefruit7"),
        ("pass_word=grapefruit7", "grapefruit7"),
        ("has token 3fa9c1d2e8b74f60aa", "3fa9c1d2"),
    ],
)
def test_a_secret_that_a_sentence_names_is_hidden(text, value):
    assert value not in redact(text)


@pytest.mark.parametrize(
    "command",
    [
        "127.0.0.1:6379> AUTH {}\n(error) WRONGPASS",
        "127.0.0.1:6379> AUTH default {}\n(error) WRONGPASS",
        "127.0.0.1:6379> CONFIG SET requirepass {}",
        "---> USER bob\n---> PASS {}\n",
        "USER bob\r\n331 ok\r\nPASS {}\r\n",
        "echo {} | docker login -u ci --password-stdin reg.acme.io",
        "echo '{}' | sudo -S systemctl restart x",
        "echo bob:{} | sudo chpasswd -e",
        "machine api.acme.io login bob password {}\n",
        "machine api.acme.io\n  login bob\n  password {}\n",
        "htpasswd -b /etc/f bob {}",
        "htpasswd -nb bob {}",
        "sshpass -p {} ssh h",
        "ssh-keygen -t rsa -N {} -f k",
        "aws configure set aws_secret_access_key {}",
        "mysql -h db1 -u root -p{} crm",
        "Step 4/9 : ENV ACME_PASSWORD {}\n ---> Running in 3f2a",
        "curl -u bob:{} https://a.io",
        "serve --basic-auth bob:{} --port 1",
        "requests.get(u, auth=HTTPBasicAuth('bob', '{}'))",
    ],
)
@pytest.mark.parametrize("secret", ["grapefruit7", "heron-violet-quill"])
def test_a_password_that_was_typed_is_hidden(command, secret):
    assert secret not in redact(command.format(secret))


@pytest.mark.parametrize(
    "text",
    [
        "535 AUTH failed for 10.0.0.1",
        "> AUTH PLAIN",
        "250-AUTH LOGIN PLAIN",
        "PASS tests/login.test.ts (5.3 s)",
        "PASS TestLogin2",
        "Tests: 12 PASS 3 FAIL",
        "the option requirepass is not set in redis-7",
        "login page password field missing on v2",
        "echo hello | tee --append log1",
        "echo done | sudo tee /etc/x1",
    ],
)
def test_a_word_about_logging_in_stays(text):
    assert redact(text) == text


@pytest.mark.parametrize(
    "data",
    [
        {"loc": ["password"], "input": "grapefruit7"},
        {"loc": ["body", "password"], "input": "grapefruit7", "type": "too_short"},
        {"field": "password", "value": "grapefruit7"},
        {"path": ["password"], "received": "grapefruit7"},
        [["X-Api-Key", "grapefruit7"], ["Accept", "*/*"]],
        ["login", "--password", "grapefruit7"],
        {"argv": ["login", "--password", "grapefruit7", "--verbose"]},
    ],
)
def test_a_label_beside_a_value_announces_it(data):
    assert "grapefruit7" not in str(redact_data(data))


@pytest.mark.parametrize(
    "data",
    [
        {"required": ["password", "username"]},
        {"required": ["token", "page", "limit"]},
        {"type": "missing", "loc": ["password"], "input": {"user": "ann", "age": 3}},
        {"field": "limit", "value": "grapefruit7"},
        ["--password-stdin", "reg.acme.io"],
        ["--password", "--verbose"],
        [["Accept", "*/*"], ["X-Request-Id", "69b16dc08b2fe272"]],
    ],
)
def test_a_label_that_announces_nothing_hides_nothing(data):
    assert redact_data(data) == data


@pytest.mark.parametrize("value", ["status", "Request", "message", "localhost", "123456", "application/json"])
def test_an_everyday_word_is_refused_as_a_secret(value):
    with pytest.raises(ValueError, match="turns up nowhere else"):
        register_secret(value)


@pytest.mark.parametrize("before", ["", "a", "ab", "abc"])
@pytest.mark.parametrize("behind", ["", "z", "zz"])
def test_a_registered_secret_is_hidden_in_the_base64_of_more(before, behind):
    forget = register_secret("grapefruit-at-dawn")
    encoded = base64.b64encode(f"{before}grapefruit-at-dawn{behind}".encode()).decode()

    shown = redact(f"x {encoded} y")
    forget()

    assert encoded[6:-6] not in shown


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Use 944478 as your login code", "944478"),
        ("877898 is your Acme verification code", "877898"),
        ("Passport No: C10540028", "10540028"),
        ("tax id 35270150035 invalid", "35270150035"),
        ("cpf: 174.080.148-29", "080.148"),
        ("NINO AC 74 19 50 C not found", "74 19 50"),
        ("bank account 6387519781 closed", "6387519781"),
        ("POST https://chat.acme.io/hooks/x7k2m9q4w8e1r5t3y6u0i2o4pa -> 404", "x7k2m9q4"),
        ("https://app.acme.io/invite/VmUqtvrRtgHQ7tXDOKU9AbztKI8LD8D5", "VmUqtvrR"),
        ("SAMLResponse=" + "PHNhbWxwOlJlc3BvbnNl" * 4, "PHNhbWxwOlJl"),
    ],
)
def test_a_number_or_a_link_of_one_person_is_hidden(text, value):
    assert value not in redact(text)


@pytest.mark.parametrize(
    "text",
    [
        "40001 is the error code of a deadlock",
        "passport 0.7.0 requires express 4.18.2",
        "tin 2024-01-02 10:00",
        "account number is missing in row 1234567",
        "GET /webhook/orders/1234567 and /hooks/post-receive",
        "/invite/3f2a9c10-1f73-44da-a605-94e1661dd625",
        "main:5432: connection refused",
        "the API client 14.12.13.11 is deprecated",
    ],
)
def test_a_number_or_a_path_of_nobody_stays(text):
    assert redact(text) == text
