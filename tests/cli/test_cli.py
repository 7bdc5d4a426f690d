"""The command line, as a person or a pipe meets it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import errata as errata_package
from errata import Code, Fault, NeedsInput, dialects
from errata.cli import main
from errata.cli._versions import describe_support

WIRE = dialects.json_rpc.encode(Fault(code=Code.NOT_FOUND, message="No order 17.", reason="no_order"))


@pytest.fixture
def run(capsys):
    def run(*arguments):
        try:
            code = main(arguments)
        except SystemExit as stop:
            code = stop.code
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


@pytest.mark.parametrize("code", Code)
def test_every_code_is_explained(run, code):
    status, out, err = run("explain", code)

    assert (status, err) == (0, "")
    assert out.startswith(f"# {code}\n")
    for part in (code.sentence, code.use_when, code.next_step, *dialects.names()):
        assert part in out


def test_without_a_name_all_codes_are_listed(run):
    _, out, _ = run("explain")

    *codes, blank, rules = out.splitlines()
    assert [line.split()[0] for line in codes] == list(Code)
    assert (blank, rules) == ("", "The rules of the linter have pages, too: `errata lint --rules` lists them.")


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("-32001", ["## In json-rpc", "read as: NOT_FOUND", "In a JSON-RPC error", "means nothing by itself"]),
        ("-32602", ["## In json-rpc", "INVALID_PARAMS, MISSING_REQUIRED_FIELD, INVALID_FORMAT", "In a JSON-RPC error"]),
        ("-32022", ["In a JSON-RPC error", "read as: INVALID_REQUEST"]),
        ("4001", ["## In error-response", "read as: UPSTREAM_ERROR", "ADAPTER_ERROR"]),
        ("SERVER_ERROR", ["## In tool-error-v1", "UPSTREAM_ERROR, SERVICE_UNAVAILABLE, CIRCUIT_OPEN", "5xx"]),
        ("BACKEND_UNAVAILABLE", ["## In error-response", "4002"]),
        ("RateLimited", ["## In json-rpc", "-32003"]),
        ("server_error", ["## In tool-error-v1"]),
        ("1005", ["## In error-response", "by its range it is read as: INVALID_REQUEST"]),
    ],
)
def test_a_word_or_a_number_is_explained(run, name, parts):
    status, out, _ = run("explain", name)

    assert status == 0
    assert all(part in out for part in parts)


def test_a_code_may_be_written_in_lower_case(run):
    assert run("explain", "not_found")[1].startswith("# NOT_FOUND")


@pytest.mark.parametrize(
    ("name", "help_"),
    [
        ("NOT_FOND", "help: did you mean `NOT_FOUND` or `METHOD_NOT_FOUND`?"),
        ("-32001000", "help:"),
        ("zzz", "help: list all codes with `errata explain`"),
    ],
)
def test_an_unknown_name_gets_the_nearest_ones(run, name, help_):
    status, out, err = run("explain", name)

    assert (status, out) == (2, "")
    assert err.startswith(f"errata: there is no code, word or number `{name}`\n{help_}")


def test_a_result_is_decoded_for_a_person(run, tmp_path):
    file = tmp_path / "answer.json"
    file.write_text(json.dumps({"jsonrpc": "2.0", "id": 1, "result": WIRE}))

    status, out, _ = run("decode", str(file))

    assert status == 0
    assert out.splitlines() == [
        "Error [NOT_FOUND]: No order 17.",
        "Retry: not with the same arguments.",
        "Reason: no_order",
        "Dialect: json-rpc",
    ]


def test_a_result_is_decoded_for_a_machine(run, tmp_path):
    file = tmp_path / "answer.json"
    file.write_text(json.dumps(WIRE, indent=2))

    _, out, _ = run("decode", "--json", str(file))

    assert json.loads(out) == {
        "failure": True,
        "dialect": "json-rpc",
        "code": "NOT_FOUND",
        "message": "No order 17.",
        "retry": "fix_input",
        "reason": "no_order",
    }


def test_lines_are_decoded_one_by_one_and_a_bad_one_costs_no_other(run, tmp_path):
    file = tmp_path / "answers.jsonl"
    question = dialects.encode_needs_input(NeedsInput("Which?", fields=["id"], suggestions={"id": ["a"]}))
    file.write_text("\n".join([json.dumps(WIRE), "{broken", '{"content": []}', json.dumps(question), "\n"]))

    status, out, err = run("decode", str(file))

    assert status == 2
    assert "Error [NOT_FOUND]: No order 17." in out
    assert "line 3\nNot a failure." in out
    assert 'question: Which?\nAsks for: id\n- id: ["a"]' in out
    assert re.search(r"answers.jsonl` is not JSON at line 2, column 2: expecting property name", err)


def test_a_bad_first_line_costs_no_other_either(run, tmp_path):
    file = tmp_path / "answers.jsonl"
    file.write_text("\n".join(["2026-11-15 server started", json.dumps(WIRE)]))

    status, out, err = run("decode", str(file))

    assert status == 2
    assert "Error [NOT_FOUND]: No order 17." in out
    assert "is not JSON at line 1, column 5: extra data" in err


def test_a_document_whose_lines_could_stand_alone_is_still_one(run, tmp_path):
    file = tmp_path / "batch.json"
    file.write_text('[\n{"content": []},\n{"content": []}\n]')

    assert run("decode", str(file)) == (0, "message 1\nNot a failure.\n\nmessage 2\nNot a failure.\n\n", "")


def test_an_array_is_decoded_as_several(run, tmp_path):
    file = tmp_path / "batch.json"
    file.write_text(json.dumps([WIRE, {"content": []}]))

    _, out, _ = run("decode", "--json", str(file))

    assert [json.loads(line)["failure"] for line in out.splitlines()] == [True, False]


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "is empty"),
        (b" \n\n ", "is empty"),
        (b"{", "is not JSON at line 1, column 2: expecting property name enclosed in double quotes"),
        (b'{\n "a": 1,\n oops}', "is not JSON at line 3, column 2: expecting property name enclosed in double quotes"),
        (b"\x89PNG\r\n\x1a\n\xff\xfe", "is not text: byte 0 is not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b"1" * 5000, "has a number that is too long to be read"),
    ],
    ids=["empty", "blank", "cut", "later line", "binary", "deep", "digits"],
)
def test_bad_input_is_said_clearly(run, tmp_path, content, what):
    file = tmp_path / "bad.json"
    file.write_bytes(content)

    status, out, err = run("decode", str(file))

    assert (status, out) == (2, "")
    assert what in err
    assert re.search(r"^help: ", err, re.MULTILINE)
    assert "Traceback" not in err


def test_a_directory_and_a_missing_file_are_said_clearly(run, tmp_path):
    assert run("decode", str(tmp_path))[2].startswith(f"errata: `{tmp_path}` is a directory\nhelp: ")
    status, _, err = run("decode", str(tmp_path / "missing"))
    assert status == 2
    assert "no such file or directory" in err


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_what_an_editor_saved_in_another_unicode_encoding_is_read(run, tmp_path, encoding):
    file = tmp_path / "answer.json"
    file.write_text(json.dumps(WIRE), encoding=encoding)

    assert run("decode", str(file))[0] == 0


def test_foreign_text_cannot_drive_the_terminal(run, tmp_path):
    file = tmp_path / "evil.jsonl"
    evil = "\x1b[2J\x9b2J\u202e\nError [GONE]: forged"
    unseen = "\x1b\x9b\u202e\u200b\ufe0f\u3164\U000e0041\U000e0100"
    evil += unseen
    error = {"code": "GONE", "message": evil, "retry": "never", "reason": evil, "field": evil, "data": {evil: evil}}
    question = {
        "kind": "needsInput:v1",
        "message": evil,
        "needsInput": {"fields": [evil], "suggestions": {evil: [evil]}},
    }
    messages = [{"isError": True, "structuredContent": {"error": error}}, {"structuredContent": question}]
    file.write_text("\n".join(map(json.dumps, messages)))

    out = run("decode", str(file))[1]

    assert not set(out) & set(unseen)
    assert [line for line in out.splitlines() if line.startswith("Error")] == ["Error [GONE]: Error [GONE]: forged"]
    assert len(out.splitlines()) == 13


def test_what_is_wrong_is_said_without_driving_the_terminal(run):
    status, _, err = run("explain", "\x1b[2Jx\n\u202ey")

    assert status == 2
    assert err.startswith("errata: there is no code, word or number `x y`\nhelp: ")


def test_there_is_colour_only_where_it_shows(run, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[1;36mNOT_FOUND\x1b[0m" in run("explain", "NOT_FOUND")[1]
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in run("explain", "NOT_FOUND")[1]


def test_without_a_command_the_commands_are_listed(run):
    status, out, _ = run()

    assert status == 2
    assert all(command in out for command in ("explain", "decode", "demo"))


def errata(*arguments, **options):
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    return subprocess.run(
        [sys.executable, "-m", "errata", *arguments], capture_output=True, check=False, env=environment, **options
    )


def test_python_m_errata_is_the_same_and_reads_standard_input():
    done = errata("decode", "-", input=json.dumps(WIRE).encode())

    assert done.returncode == 0
    assert done.stdout.startswith(b"Error [NOT_FOUND]: No order 17.")


def test_a_terminal_that_knows_only_ascii_still_gets_the_page():
    assert errata("explain", "NOT_FOUND").returncode == 0


def test_what_is_printed_for_a_machine_is_json_on_any_terminal():
    wire = dialects.native.encode(Fault(code=Code.GONE, message="café 😀"))

    done = errata("decode", "--json", "-", input=json.dumps(wire).encode())

    assert json.loads(done.stdout)["message"] == "café 😀"


@pytest.mark.parametrize(
    ("line", "status", "err"),
    [
        ("decode - <&-", 2, "errata: standard input is closed"),
        ("demo >&-", 0, ""),
        ("explain NOT_FOUND >&-", 0, ""),
        ("demo pubmed_articles >/dev/full", 2, "errata: cannot show the demo: No space left on device"),
        ("demo pubmed_articles | head -3 >/dev/null; exit ${PIPESTATUS[0]}", 0, ""),
        ("explain NOT_FOUND >/dev/full", 2, "errata: cannot write the answer: no space left on device"),
        ("explain ''", 2, "errata: there is no code, word or number ``"),
        ("decode - </dev/null", 2, "errata: standard input is empty"),
        ("decode - <<< '[]'", 2, "errata: standard input holds an empty list"),
    ],
)
def test_odd_ends_of_a_pipe_are_met_without_a_traceback(line, status, err):
    done = subprocess.run(
        ["/bin/bash", "-c", f"{sys.executable} -m errata {line}"], capture_output=True, text=True, check=False
    )

    assert done.returncode == status
    assert done.stderr.split("\n")[0] == err


def test_the_versions_are_told_with_the_adapters():
    told = errata("--version").stdout.decode()

    assert re.fullmatch(
        r"errata \d+\.\d+\.\d+\n"
        r"Python 3\.\d+\.\S+\n"
        r"mcp 2\.\S+: MCPServer by MCPServerAdapter, Server by LowLevelAdapter\n"
        r"fastmcp 4\.\S+: FastMCP by FastMCPAdapter\n",
        told,
    )


@pytest.mark.parametrize(
    ("distribution", "version", "support"),
    [
        ("mcp", "2.1.0b2", "MCPServer by MCPServerAdapter, Server by LowLevelAdapter"),
        ("mcp", "1.6.0", "FastMCP by FastMCP1Adapter, Server by Version1Adapter"),
        ("mcp", "2.0.4", "too old; the oldest that works is 2.1"),
        ("mcp", "1.5.0", "too old; the oldest that works is 1.6"),
        ("mcp", "0.9.1", "too old; the oldest that works is 1.6"),
        ("mcp", "3.0.0", "newer than the versions that errata knows"),
        ("fastmcp", "4.1.2", "FastMCP by FastMCPAdapter"),
        ("fastmcp", "3.0.2", "FastMCP by FastMCP2And3Adapter"),
        ("fastmcp", "2.14.7", "FastMCP by FastMCP2And3Adapter"),
        ("fastmcp", "2.9.2", "too old; the oldest that works is 2.10"),
        ("fastmcp", "1.0", "too old; the oldest that works is 2.10"),
    ],
)
def test_every_version_of_an_sdk_is_told_what_it_gets(distribution, version, support):
    assert describe_support(distribution, version) == support


def test_an_sdk_that_is_missing_is_told(tmp_path):
    (tmp_path / "errata").symlink_to(Path(errata_package.__file__).parent)
    command = [sys.executable, "-S", "-m", "errata", "--version"]

    done = subprocess.run(command, check=True, capture_output=True, text=True, env={"PYTHONPATH": str(tmp_path)})

    assert done.stdout.splitlines()[2:] == ["mcp: not installed", "fastmcp: not installed"]


def test_a_reader_that_has_seen_enough_gets_no_traceback():
    with subprocess.Popen(
        [sys.executable, "-m", "errata", "explain", "NOT_FOUND"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(30) == 0
