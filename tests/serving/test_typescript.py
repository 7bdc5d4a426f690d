"""The TypeScript SDK's client, which holds even an error against the tool's output schema."""

import json
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from support import node, replaying_server
from support.replaying_server import FAULT, QUESTION, planned
from support.returning_tools import recorded

from errata import dialects
from errata.dialects import encode_needs_input

CALLING = Path(__file__).parent / "typescript" / "calling.mjs"
# It knows no protocol in which a result may be something else.
RECORDINGS = [recording for recording in recorded() if recording.schema["type"] == "object"]
every_recording = pytest.mark.parametrize("recording", RECORDINGS, ids=str)
every_dialect = pytest.mark.parametrize(
    "dialect", [dialects.get(name) for name in dialects.names()], ids=dialects.names()
)


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """What the client gave its user, for every tool and outcome."""
    plan = tmp_path_factory.mktemp("typescript") / "plan.json"
    plan.write_text(json.dumps(planned(RECORDINGS, [None, *dialects.names()])), "utf-8")
    modules = node.directory_with(*node.TYPESCRIPT_SDKS["1"])
    printed = node.run_node(CALLING, plan, modules, sys.executable, replaying_server.__file__, plan, timeout_s=300)
    return json.loads(printed)


@every_dialect
@every_recording
def test_the_client_shows_the_error_the_server_sent(seen, recording, dialect):
    error = seen[f"{recording}-{dialect.name}"]["error"]
    sent = dialect.encode(FAULT)

    assert error["isError"]
    assert error["structuredContent"] == sent["structuredContent"]
    assert [block["text"] for block in error["content"]] == [block["text"] for block in sent["content"]]


@every_dialect
@every_recording
def test_the_client_shows_a_question(seen, recording, dialect):
    question = seen[f"{recording}-{dialect.name}"]["question"]

    assert question["structuredContent"] == encode_needs_input(QUESTION)["structuredContent"]


@every_dialect
@every_recording
def test_a_success_is_what_it_was(seen, recording, dialect):
    before = seen[f"{recording}-None"]["success"]
    after = seen[f"{recording}-{dialect.name}"]["success"]

    assert after == before
    assert after["structuredContent"] == recording.success


@every_recording
def test_without_widening_the_client_throws_the_error_away(seen, recording):
    payload = dialects.native.encode(FAULT)["structuredContent"]
    error = seen[f"{recording}-None"]["error"]

    if Draft202012Validator(recording.schema).is_valid(payload):
        assert error["structuredContent"] == payload
    else:
        assert error["thrown"]["code"] == -32602
