"""One secret in every place that a failure has, and every surface on which one is shown."""

import contextlib
import dataclasses
import json
import logging
import pickle

import pytest
from mcp.shared.exceptions import UrlElicitationRequiredError
from opentelemetry import trace
from support.scripted_http_server import connect, listening
from support.sdk import MCPError, protocol_error, types
from support.three_servers import MAKERS, connected, fast_mcp

import errata
from errata import Code, Fault, FaultError, FieldIssue, NeedsInput, Recovery, Retry, dialects, register_secret
from errata.cli import main
from errata.client import AskUser, CallFailed, FixArguments, Stop, TellModel, UseTool, decide
from errata.client._outcomes import render_failure

pytestmark = pytest.mark.anyio

SECRETS = {"by its looks": "sk-" + "proj-" + "Zb91kLmQ7xTt40vWcY8aRr2dNf6hJs3e", "registered": "grapefruit-at-dawn"}


@pytest.fixture(params=SECRETS)
def secret(request):
    forget = register_secret(SECRETS["registered"])
    yield SECRETS[request.param]
    forget()


@pytest.fixture(autouse=True)
def _everything_is_logged(caplog):
    caplog.set_level(logging.DEBUG)


def full_of(secret, retry=Retry.VERIFY_FIRST):
    """Make a fault that has the secret in every place, between words and with something unseen inside."""
    hidden = f"{secret[:6]}\u200b{secret[6:]}"
    text = f"refused {secret} and {hidden}."
    return Fault(
        code=Code.CONFLICT,
        message=text,
        retry=retry,
        reason=f"reason {secret}",
        field=f"field.{hidden}",
        issues=(FieldIssue(f"issue.{secret}", text, text),),
        recovery=Recovery(
            hint=text,
            actions=(secret, hidden),
            fallback_tool=secret,
            verify_tool=hidden,
            corrective_params={f"param {secret}": [hidden, {"deep": text}]},
            user_message=text,
        ),
        origin=hidden,
        data={f"key {secret}": text, "list": [hidden, {secret: secret}], "recovery": {"more": text}},
        correlation_id=secret,
        timestamp=hidden,
    )


def raised(secret):
    """Make the error: with a cause, a context and notes that have the secret in them, too."""
    error = FaultError.from_fault(full_of(secret))
    error.__cause__ = OSError(17, f"cause {secret}", f"/srv/{secret}")
    error.__cause__.__context__ = RuntimeError(f"context {secret}\n2026-01-01 forged")
    error.add_note(f"note {secret}")
    return error


def shown_in(secret, surfaces):
    """Name the surfaces that show the secret, however little of it is unseen."""
    needles = (secret, secret.encode().hex(), json.dumps(secret)[1:-1])
    return [name for name, text in surfaces.items() if any(needle in _bare(text) for needle in needles)]


def _bare(text):
    return text.replace("\u200b", "").replace("\\u200b", "")


def _tools(secret):
    async def refusing() -> str:
        span = trace.get_current_span()
        span.set_attribute("process.command_args", ("pay", "--token", secret))
        span.add_event(f"paying with {secret}", {"exception.args": (secret, "x"), "values": [None, secret]})
        raise raised(secret)

    async def crashing() -> str:
        raise RuntimeError(f"crash {secret}") from raised(secret)

    async def exact(count: int) -> str:
        return str(count)

    async def asking() -> str:
        raise NeedsInput(
            f"Which {secret}?",
            fields=[secret],
            reason=secret,
            suggestions={secret: [secret]},
            options=[{"label": secret, "value": secret}],
        )

    async def report() -> str:
        raise raised(secret)

    async def writing() -> str:
        raise ValueError(f"prompt {secret}") from raised(secret)

    return {"tools": (refusing, crashing, exact, asking), "resource": report, "prompt": writing}


async def _answers(client, secret):
    """Make every kind of request fail; returns what came back, as text."""
    calls = [
        ("refusing", {}),
        ("crashing", {}),
        ("exact", {"count": f"many {secret}"}),
        ("exact", {f"arg_{secret}": 1}),
        ("asking", {}),
        (f"unknown_{secret}", {}),
    ]
    for name, arguments in calls:
        with contextlib.suppress(MCPError):  # A low-level server knows no unknown tools.
            result = await client.call_tool(name, arguments)
            yield name, json.dumps(result.model_dump(mode="json", by_alias=True), ensure_ascii=False)
    with pytest.raises(MCPError) as unread:
        await client.read_resource("data://report")
    with pytest.raises(MCPError) as unwritten:
        await client.get_prompt("writing")
    for name, error in {"resource": unread.value, "prompt": unwritten.value}.items():
        yield name, json.dumps(error.error.model_dump(mode="json"), ensure_ascii=False)


def _logged(caplog):
    """Say all that is in the records, whatever a handler chooses to write of it."""
    ours = [record for record in caplog.records if record.name == "errata"]
    formatted = logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    return {
        f"record {number}": f"{vars(record)!r} {record.getMessage()} {formatted.format(record)}"
        for number, record in enumerate(ours)
    }


def _traced(spans):
    """Say all that is in the spans of the server."""
    return {
        f"span {number} {span.name.partition(' ')[0]}": json.dumps(json.loads(span.to_json()), ensure_ascii=False)
        for number, span in enumerate(spans.get_finished_spans())
        if span.kind is trace.SpanKind.SERVER
    }


@pytest.mark.parametrize("dialect", dialects.names())
async def test_no_answer_record_or_span_of_a_server_shows_a_secret(kind, dialect, secret, caplog, spans):
    parts = _tools(secret)
    server = MAKERS[kind](*parts["tools"], resources={"data://report": parts["resource"]}, prompts=[parts["prompt"]])
    errata.install(server, dialect=dialect)
    async with connected(server, "legacy") as client:
        answers = {f"answer to {name}": text async for name, text in _answers(client, secret)}
    logged, traced = _logged(caplog), _traced(spans)

    assert len(answers) >= 6
    assert len(logged) >= 5
    assert len(traced) >= 6
    assert shown_in(secret, answers | logged | traced) == []


async def test_no_text_in_a_record_begins_a_line_of_the_log(kind, caplog):
    async def forging() -> str:
        error = RuntimeError("no luck\n2026-01-01 CRITICAL root: forged\r\n\x1b[2Jforged")
        error.add_note("a note\nforged")
        raise error from ValueError("\nforged")

    server = MAKERS[kind](forging)
    errata.install(server)
    async with connected(server) as client:
        await client.call_tool("forging", {})
    (record,) = [record for record in caplog.records if record.name == "errata"]
    first, *others = record.getMessage().splitlines()
    assert "forged" in first
    assert others
    assert all(line.startswith("  ") or not line for line in others)
    assert "\x1b" not in record.getMessage()


def test_no_text_of_a_value_or_an_error_shows_a_secret(secret):
    fault, error = full_of(secret), raised(secret)
    asked = NeedsInput(f"Which {secret}?", fields=[secret])
    steps = [
        AskUser(fault.message, fields=(secret,), options=({"label": secret},)),
        FixArguments(fault.issues, {secret: secret}, fault.message, fault.recovery.hint),
        FixArguments(message=fault.message),
        UseTool(secret),
        UseTool(secret, to_verify=True),
        Stop(fault.message),
        TellModel(fault.message),
    ]
    values = [fault, fault.recovery, *fault.issues, error, asked, *steps]
    surfaces = {f"{way.__name__} of {type(value).__name__}": way(value) for value in values for way in (repr, str)}

    assert shown_in(secret, surfaces) == []
    assert pickle.loads(pickle.dumps(error)).fault == fault


async def test_nothing_a_client_says_of_a_failure_shows_a_secret(secret, caplog):
    fault = full_of(secret)
    wire = {
        "content": [{"type": "text", "text": f"no {secret}"}],
        "structuredContent": {"error": _as_it_is(fault)},
        "isError": True,
        "resultType": "complete",
    }
    with listening() as server:
        server.answers = [wire, wire]
        async with connect(server.url) as caller:
            with pytest.raises(CallFailed) as caught:
                await caller.call("pay", {"note": secret})
            failed, history = caught.value, caller.history
    steps = [decide(failed, history), *(decide(dataclasses.replace(fault, retry=retry)) for retry in Retry)]
    surfaces = {
        "str": str(failed),
        "repr": repr(failed),
        "fault": repr(failed.fault),
        "history": repr(history),
        "steps": " ".join(f"{step} {step!r}" for step in steps),
        "rendered": render_failure(failed) + render_failure(fault),
    }

    assert secret in _bare(json.dumps(failed.response))  # Documented: what came back, as it came.
    assert shown_in(secret, surfaces | _logged(caplog)) == []


def _as_it_is(fault):
    """Write a fault as a server would that redacts nothing."""
    recovery = fault.recovery
    return {
        "code": fault.code.value,
        "message": fault.message,
        "retry": fault.retry.value,
        "reason": fault.reason,
        "field": fault.field,
        "issues": [dataclasses.asdict(issue) for issue in fault.issues],
        "recovery": {
            "hint": recovery.hint,
            "fallbackTool": recovery.fallback_tool,
            "verifyTool": recovery.verify_tool,
            "correctiveParams": dict(recovery.corrective_params),
            "userMessage": recovery.user_message,
        },
        "origin": fault.origin,
        "data": dict(fault.data),
        "correlationId": fault.correlation_id,
        "timestamp": fault.timestamp,
    }


@pytest.mark.parametrize("as_json", [False, True])
def test_the_command_line_shows_no_secret_if_it_is_told_to_hide_them(secret, tmp_path, capsys, as_json):
    file = tmp_path / "answer.json"
    file.write_text(json.dumps({"structuredContent": {"error": _as_it_is(full_of(secret))}, "isError": True}))
    main(["decode", str(file), "--redact", *(["--json"] if as_json else [])])
    out, err = capsys.readouterr()

    assert "CONFLICT" in out
    assert shown_in(secret, {"out": out, "err": err}) == []


async def test_the_span_of_a_request_to_a_mounted_server_shows_no_secret(secret, spans):
    """That of FastMCP's own for the server behind has ended by then; docs/servers.md says so."""
    outer, inner = fast_mcp(), fast_mcp(*_tools(secret)["tools"])
    outer.mount(inner, namespace="inner")
    errata.install(outer)
    async with connected(outer) as client:
        await client.call_tool("inner_refusing", {})
    told = {name: text for name, text in _traced(spans).items() if "errata.code" in text}
    assert len(told) == 1
    assert shown_in(secret, told) == []


async def test_an_error_for_the_protocol_keeps_its_number_and_shows_no_secret(kind, secret):
    async def protocol() -> str:
        raise protocol_error(-31001, f"no {secret}", {"token": secret, "why": ["rule 3", secret]})

    server = MAKERS[kind](protocol)
    errata.install(server)
    async with connected(server) as client:
        with pytest.raises(MCPError) as caught:
            await client.call_tool("protocol", {})
    assert (caught.value.error.code, caught.value.error.data["why"][0]) == (-31001, "rule 3")
    assert secret not in f"{caught.value.error.message} {json.dumps(caught.value.error.data)}"


async def test_the_address_that_a_user_has_to_open_stays_as_it_is(kind):
    address = "https://id.example/authorize?state=Zb91kLmQ7xTt40vWcY8aRr2dNf6hJs3e"

    async def signing_in() -> str:
        raise UrlElicitationRequiredError(
            [types.ElicitRequestURLParams(message="Sign in", url=address, elicitation_id="1")]
        )

    server = MAKERS[kind](signing_in)
    errata.install(server)
    async with connected(server, "legacy") as client:
        with pytest.raises(MCPError) as caught:
            await client.call_tool("signing_in", {})
    assert caught.value.error.data["elicitations"][0]["url"] == address
