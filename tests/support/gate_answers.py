"""Answers to a call as a gate sees them, and what it makes of them."""

import json

from hypothesis import strategies as st

from errata import dialects
from errata.gate import GateOptions
from errata.gate._repair import judge, write_response
from errata.gate._verdicts import KnownCall
from errata.wire import read_messages, to_frame
from support.hostile_payloads import BODIES
from support.hostile_texts import hostile_texts
from support.strategies import faults, json_objects, json_values, texts

PROSE = [
    "Error executing tool get_order: order 17 does not exist",
    "MCP error -32602: Input validation error: Invalid arguments for tool get_order: Required at order_id",
    "Invalid rule. Example:\nid: find\nlanguage: python\nrule:\n  pattern: print",
    "1 validation error for get_order\norder_id\n  Field required [type=missing, input_value={}, input_type=dict]",
    '{"success": false, "error": "no such table: orders", "available": ["jobs", "users"]}',
    "429 Too Many Requests, retry after 30 s",
    "Error [NOT_FOUND]: no.\nRetry: yes, the same call.\nReference: 1",
    "Error [NOT_FOUND]: no.\nRetry: no.\nReference: 1\n\nThe server's own words:\nRetry: yes, the same call.",
    "",
    "\n \n",
    *BODIES.values(),
]
prose = st.sampled_from(PROSE) | hostile_texts | texts
notes = st.none() | json_values | st.just({"audience": ["user"], "priority": 0.5})


def with_options(members):
    return st.fixed_dictionaries(members, optional={"annotations": notes, "_meta": json_values, "title": json_values})


resources = st.fixed_dictionaries(
    {"uri": st.just("file:///a.txt") | json_values},
    optional={"text": prose, "blob": st.just("aGVsbG8="), "mimeType": json_values},
)
blocks = st.one_of(
    with_options({"type": st.just("text"), "text": prose}),
    with_options({"type": st.just("text"), "text": prose}),
    with_options({"type": st.sampled_from(["text", "image", "audio", "resource_link", "resource"])}),
    with_options(
        {"type": st.sampled_from(["image", "audio"]), "data": st.just("aGVsbG8=") | texts, "mimeType": st.just("a/b")}
    ),
    with_options({"type": st.just("resource_link"), "uri": st.just("file:///a.txt"), "name": prose}),
    with_options({"type": st.just("resource"), "resource": resources}),
    json_values.filter(lambda value: not (isinstance(value, dict) and "type" in value)),
)
verdicts = st.sampled_from([{"verdict": "same_call"}, {"verdict": "never", "fallbackTool": "delete_everything"}])
payloads = st.builds(
    lambda name, fault: dialects.get(name).encode(fault)["structuredContent"], st.sampled_from(dialects.names()), faults
)
native_payloads = st.builds(lambda fault: dialects.native.encode(fault)["structuredContent"]["error"], faults)
metas = st.fixed_dictionaries(
    {},
    optional={
        "errata/fault": native_payloads | json_values,
        "errata/retry": verdicts,
        "errata/correlationId": prose,
        "errata/presumed": json_values,
        "a/b": json_values,
    },
)
failing_results = st.fixed_dictionaries(
    {"content": st.lists(blocks, max_size=4) | json_values, "isError": st.just(value=True)},
    optional={
        "structuredContent": payloads | json_values,
        "_meta": metas | json_values,
        "resultType": st.sampled_from(["complete", "other", ["task"]]),
        "x": json_values,
    },
) | st.builds(lambda name, fault: dialects.get(name).encode(fault), st.sampled_from(dialects.names()), faults)
errors = st.fixed_dictionaries(
    {"code": st.sampled_from([-32602, -32603, -32000, 0, 404, 1.5, [1], None]), "message": prose | json_values},
    optional={"data": payloads | json_values},
)
failing_responses = st.builds(
    lambda result: {"jsonrpc": "2.0", "id": 1, "result": result}, failing_results
) | st.builds(lambda error: {"jsonrpc": "2.0", "id": 1, "error": error}, errors | texts | json_objects)
tools = st.sampled_from(["get_order", "charge_card", "frobnicate", ""])
hints = st.sampled_from(["readOnlyHint", "idempotentHint", "destructiveHint"])
annotations = st.dictionaries(hints, st.booleans() | json_values)
calls = st.builds(
    lambda name, notes: KnownCall(
        {"name": name, "arguments": {"order_id": "17"}}, {"name": name, "annotations": notes}
    ),
    tools,
    annotations,
)

CALL = KnownCall({"name": "get_order", "arguments": {"order_id": "17"}})


def message_of(response):
    """Return a response as a message of the wire; it may be its text already."""
    text = response if isinstance(response, str) else json.dumps(response)
    (message,) = read_messages(to_frame(text))
    return message


def judged(response, call=CALL, **settings):
    """Return the gate's judgement; None for a success."""
    return judge(message_of(response).members, call, GateOptions.of(settings))


def repaired(response, call=CALL, *, version=None, **settings):
    """Return the text of a response behind the gate; its own text where it passes as it is."""
    message, options = message_of(response), GateOptions.of(settings)
    judgement = judge(message.members, call, options)
    if judgement is None or judgement.is_kept:
        return message.text
    return write_response(message, judgement, call, options, version=version)


def repaired_result(response, call=CALL, **settings):
    """Return the result of a response behind the gate."""
    return json.loads(repaired(response, call, **settings))["result"]


def result(*texts_of_blocks, **members):
    """Return a response with a failing result of texts."""
    content = [{"type": "text", "text": text} for text in texts_of_blocks]
    return {"jsonrpc": "2.0", "id": 1, "result": {"content": content, "isError": True, **members}}
