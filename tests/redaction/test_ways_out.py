"""Everything that leaves passes redaction, whichever way it takes."""

import json

import pytest

from errata import Code, Fault, FieldIssue, NeedsInput, Recovery, dialects
from errata.cli import main
from errata.dialects import as_jsonrpc_error, encode_needs_input
from errata.redaction import prose_within

WORD = "granite-tundra-7"
TOLD = f"password={WORD}"
FAULT = Fault(
    code=Code.UNAUTHORIZED,
    message=TOLD,
    reason=TOLD,
    field=TOLD,
    issues=(FieldIssue(TOLD, TOLD, TOLD), FieldIssue("password", WORD)),
    recovery=Recovery(
        hint=TOLD,
        actions=(TOLD,),
        fallback_tool=TOLD,
        verify_tool=TOLD,
        corrective_params={"token": WORD},
        user_message=TOLD,
    ),
    origin=TOLD,
    data={"password": WORD, "note": TOLD, TOLD: [TOLD]},
    correlation_id=TOLD,
    timestamp=TOLD,
)


@pytest.mark.parametrize("name", dialects.names())
@pytest.mark.parametrize("format", ["markdown", "json", "both"])
def test_no_field_of_a_fault_gets_past(name, format):
    assert WORD not in json.dumps(dialects.get(name).encode(FAULT, format=format))


def test_neither_does_a_json_rpc_error_nor_the_literal_result_of_001():
    assert WORD not in json.dumps(as_jsonrpc_error(FAULT))
    assert WORD not in json.dumps(dialects.error_response.as_jsonrpc_result(FAULT))


def test_neither_does_a_question():
    question = NeedsInput(
        TOLD,
        fields=[TOLD],
        reason=TOLD,
        suggestions={"token": [WORD], "a": [TOLD]},
        options=[{"label": TOLD, "value": TOLD}],
    )

    assert WORD not in json.dumps(encode_needs_input(question, format="both"))


@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_neither_does_what_the_command_line_shows_of_a_foreign_answer(tmp_path, capsys, as_json):
    told = {"message": TOLD, "hint": TOLD, "correlationId": TOLD, "timestamp": TOLD, "data": {"password": WORD}}
    error = {"code": "UNAUTHORIZED", "retry": "NEVER", **told}
    answer = {"isError": True, "content": [], "structuredContent": {"error": error}}
    (tmp_path / "answer.json").write_text(json.dumps(answer))

    assert main(["decode", str(tmp_path / "answer.json"), "--redact", *as_json]) == 0
    shown = capsys.readouterr().out
    assert WORD not in shown
    assert "[redacted: password]" in shown


@pytest.mark.parametrize(
    "reference",
    [
        "0f8c6f8e-3b1d-4c58-9a52-6d0c1f0f7a11",
        "DE30508C-CE09-41CC-AB44-8744EB78AF65",  # Passes the checksum of a German account.
        "AE168EB18D50395FA3E2805E04D0B5F5",
        "4bf92f3577b34da6a3ce929d0e0e4736",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "Root=1-5759e988-bd862e3fe1be46a994272793",
        "01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "req_011CSHoEeqs5C35K2UUqR7Fy",
        "5208512171318403364",
    ],
)
@pytest.mark.parametrize("timestamp", ["2026-11-15T12:00:00.000Z", "2026-11-15 12:00:00+01:00", "1791123612149"])
def test_an_identifier_and_a_moment_stay_what_they_were(reference, timestamp):
    fault = Fault(code=Code.NOT_FOUND, correlation_id=reference, timestamp=timestamp)
    error = dialects.native.encode(fault)["structuredContent"]["error"]

    assert (error["correlationId"], error["timestamp"]) == (reference, timestamp)


def test_a_long_message_is_redacted_before_it_is_cut():
    for shift in range(0, 60, 7):
        fault = Fault(code=Code.INTERNAL_ERROR, message="x " * (4_000 - shift) + TOLD + " y" * 9_000)
        assert WORD[:8] not in json.dumps(dialects.native.encode(fault))


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("Authorization: Bearer\n  zzTop99887766xxYY\nfailed 401", "zzTop99887766xxYY"),
        ("password:\nHunter-Lamp-22\nis wrong. try\nagain", "Hunter-Lamp-22"),
        ("Login failed\nPassword=\n   Hello-Kitty-9;\nagain", "Hello-Kitty-9"),
        ("curl -H 'Authorization: Bearer\n   zzTop99887766xxYY' https://api.acme.io", "zzTop99887766xxYY"),
    ],
)
def test_what_is_hidden_on_one_line_is_hidden_on_several(text, secret):
    shown = prose_within(text, 1_000)

    assert secret not in shown
    assert shown.count("\n") == text.count("\n")
    assert prose_within(shown, 1_000) == shown
    assert secret not in json.dumps(dialects.native.encode(Fault(code=Code.UNAUTHORIZED, message=text)))


@pytest.mark.parametrize(
    "text",
    [
        "password:\nmust have\n12 characters",
        "The token\nhas expired.\nAsk for another one.",
        "Missing key:\n  order_id\n  customer_id",
        "Tables:\n  secret\n  orders_2024\n  users",
    ],
)
def test_several_lines_about_secrets_stay(text):
    assert prose_within(text, 1_000) == text
