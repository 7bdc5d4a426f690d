"""What `redact_data` makes of data."""

import dataclasses
import json
import random

import pytest
from hypothesis import given, strategies as st
from support.sample_secrets import TOKENS, survives
from support.strategies import json_values

from errata import Code, Fault, dialects, redact, redact_data


@dataclasses.dataclass
class Login:
    user: str
    password: str


@pytest.mark.parametrize(
    "key",
    [
        "password",
        "PASSWORD",
        "db_password",
        "userPassword",
        "api_key",
        "apiKey",
        "x-api-key",
        "X-Api-Key",
        "clientSecret",
        "client.secret",
        "access_token",
        "refreshToken",
        "Authorization",
        "passwd",
        "passphrase",
        "private_key",
        "SecretAccessKey",
        "user[password]",
        "pwd",
    ],
)
def test_a_telling_key_hides_any_value(key):
    assert redact_data({key: "granite"}) == {key: redact_data({key: "granite"})[key]}
    assert "granite" not in json.dumps(redact_data({key: "granite"}))
    assert "granite" not in json.dumps(redact_data({"a": [{key: ["granite", {"b": "granite"}]}]}))


@pytest.mark.parametrize(
    "data",
    [
        {"token_count": 512, "max_tokens": 4096, "tokens": 12},
        {"password_required": True, "has_password": False, "password": None, "secret": ""},
        {"key": "name", "primary_key": "id", "idempotency_key": "550e8400-e29b-41d4-a716-446655440000"},
        {"progressToken": "kr79oz7CURsA", "nextCursor": "eyJvZmZzZXQiOjEwMH0="},
        {
            "correlation_id": "0f8c6f8e-3b1d-4c58-9a52-6d0c1f0f7a11",
            "timestamp": 1791123612149,
            "commit": "9fceb02d0ae598e95dc970b74767f19372d61af8",
        },
        {"errors": {"password": ["This field is required."]}},
        {"token_type": "bearer", "expires_in": 3600},
        {"cookies": {"theme": "dark"}},
    ],
)
def test_other_keys_hide_nothing(data):
    assert redact_data(data) == data


def test_every_kind_of_data_is_looked_into():
    hidden = {"user": "bob", "password": "[redacted: password]"}

    assert redact_data(Login("bob", "granite")) == hidden
    assert redact_data([(Login("bob", "granite"),)]) == [[hidden]]
    assert redact_data({"pin": 1234, "password": 12345678}) == {
        "pin": "[redacted: code]",
        "password": "[redacted: password]",
    }
    assert redact_data({"name": "DB_PASSWORD", "value": "granite"})["value"] == "[redacted: password]"
    assert redact_data({"headers": {"Authorization": "Bearer granite", "Accept": "*/*"}}) == {
        "headers": {"Authorization": "Bearer [redacted: token]", "Accept": "*/*"}
    }
    assert redact_data({"Set-Cookie": "sid=granite1; Path=/"}) == {"Set-Cookie": "sid=[redacted: cookie]; Path=/"}
    assert redact_data({"card": 4111111111111111}) == {"card": "[redacted: card]"}


def test_secrets_in_keys_are_hidden_and_stay_apart():
    assert redact_data({"ann@acme.io": 1, "bob@acme.io": 2}) == {"[redacted: email]": 1, "[redacted: email]~2": 2}


def test_a_cycle_and_a_deep_nest_are_cut():
    loop = {"password": "granite"}
    loop["self"] = loop
    deep = "granite"
    for _ in range(100):
        deep = [deep]

    assert redact_data(loop) == {"password": "[redacted: password]", "self": "[cycle]"}
    assert "granite" not in json.dumps(redact_data({"secret": deep}))


def test_a_secret_that_is_cut_in_half_is_hidden_whole():
    for kind in ("github", "jwt"):
        token = TOKENS[kind](random.Random(7))
        for shift in range(0, len(token) + 40, 40):
            filler = "ab " * 10_920
            shown = json.dumps(redact_data({"text": filler[: 32_760 - shift] + token + " cd" * 20_000}))
            assert not survives(token, shown)


@given(json_values)
def test_redacting_data_again_changes_nothing(value):
    once = redact_data(value)

    assert redact_data(once) == once


@given(kind=st.sampled_from(sorted(TOKENS)), seed=st.integers(0, 2**32), value=json_values)
def test_no_token_survives_in_data(kind, seed, value):
    token = TOKENS[kind](random.Random(seed))
    data = {"a": [value, f"got {token} there"], "b": {token: token}}

    shown = json.dumps(redact_data(data))

    assert not survives(token, shown)
    assert redact(shown) == shown or not survives(token, redact(shown))


@pytest.mark.parametrize(
    "data",
    [
        {"auth": ["ann", "hX7q9vv2"]},
        {"argv": ["mysql", "-phX7q9vv2", "-h", "db1"]},
        {"argv": ["/usr/bin/redis-cli", "-a", "hX7q9vv2"]},
        {"argv": ["curl", "-u", "ann:hX7q9vv2", "https://acme.io"]},
        {"argv": ["mysql", "--password", "hX7q9vv2"]},
        {"credentials": {"user": "ann", "value": "hX7q9vv2"}},
        {"id": "password", "text": "hX7q9vv2"},
    ],
)
def test_a_password_in_a_pair_a_command_or_a_field_is_hidden(data):
    shown = redact_data(data)
    assert "hX7q9vv2" not in str(shown)
    assert redact_data(shown) == shown


@pytest.mark.parametrize(
    "data",
    [
        {"auth": ["read", "write"]},
        {"argv": ["mysql", "-h", "db1", "--port", "3306"]},
        {"argv": ["pytest", "-phX7q9vv2"]},
        {"credentials": {"user": "ann", "count": 2}},
        {"id": "password", "text": "Enter it"},
        {"id": "row-12", "text": "hX7q9vv2"},
    ],
)
def test_a_pair_a_command_or_a_field_without_a_password_stays(data):
    assert redact_data(data) == data


@pytest.mark.parametrize(
    "text",
    [
        '{"errors":[{"type":"field","value":"Harb0rLight!x9","msg":"Invalid value","path":"password","location":"body"}]}',
        '[{"value": "Harb0rLight!x9", "description": "of the till", "name": "password"}]',
        '{"cols": ["user", "password"], "values": ["bob", "Harb0rLight!x9"]}',
    ],
)
def test_a_name_far_from_its_value_hides_it_in_a_text_that_is_json(text):
    once = redact(text)

    assert "Harb0r" not in once
    assert redact(once) == once
    assert json.loads(once)


@pytest.mark.parametrize(
    "data",
    [
        {"password": {"type": "string", "minLength": 12345678, "format": "password"}},
        {"api_key_header": "X-API-Key", "password_env": "DB_PASSWORD"},
        {"value": 17, "name": "token_count", "data": [1, 2]},
    ],
)
def test_a_schema_and_the_names_of_headers_and_variables_stay(data):
    assert redact_data(data) == data
    assert redact(json.dumps(data)) == json.dumps(data)


@pytest.mark.parametrize("held", ["value", "default", "const", "example"])
def test_what_a_schema_or_an_output_holds_is_hidden_as_the_value_is(held):
    shown = redact_data({"db_password": {"sensitive": True, "type": "string", "minLength": 8, held: "Harb0rLight9"}})

    assert shown["db_password"][held] == "[redacted: password]"
    assert shown["db_password"]["minLength"] == 8


BODY = '{"errors": [{"value": "Harb0rLight!x9", "msg": "Invalid value", "path": "password"}]}'


def test_json_in_a_text_of_data_is_redacted_by_its_members_and_each_time():
    for _ in range(2):  # A text that was judged before is not taken for harmless.
        assert "Harb0r" not in redact(BODY)
        assert "Harb0r" not in json.dumps(redact_data({"body": BODY, "list": [BODY]}))
        fault = Fault(code=Code.INVALID_PARAMS, message=BODY, data={"body": BODY})
        assert "Harb0r" not in json.dumps([dialects.get(name).encode(fault) for name in dialects.names()])


@pytest.mark.parametrize("depth", [100, 400, 900, 5_000])
@pytest.mark.parametrize(("before", "after"), [('{"value":', "}"), ("[", ', "value"]')])
def test_json_that_nests_deeper_than_python_does_breaks_nothing(depth, before, after):
    text = before * depth + '"Bearer abc"' + after * depth

    assert redact(redact(text)) == redact(text)
