"""What both ends of a pair wrote and read, compared: byte for byte, but for the answers that may be repaired.

Nothing of errata is used here: which answers may be repaired is decided by the protocol alone.
"""

import json
import re
from collections import Counter

from gate.fidelity_ends import STDIO, expect, expect_same

STEERING = frozenset({-32601, -32700, -32600, -32020, -32021, -32022, -32042, -32800})
"""The codes by which clients change what they do."""
_BETWEEN_ITEMS = re.compile(r"[\s,\[]*")
_UNFINISHED = ("input_required", "task")
_OF_ONE_HOP = frozenset({"connection", "content-length", "date", "keep-alive", "server", "transfer-encoding"})


def expect_only_repairs(pair):
    """Expect that everything came as it was sent, in both directions; on a way that repairs, but for failing answers."""
    changed = _changed_lines(pair) if pair.lane == STDIO else _changed_responses(pair)
    expect((changed > 0) == pair.repairs, f"{changed} answers were changed.", _recorded(pair))


def _recorded(pair):
    return b"".join(pair.read_by_client) if pair.lane == STDIO else [each.evidence() for each in pair.exchanges]


# Over stdio.


def _changed_lines(pair):
    """Return how many lines of the server came as others to the client."""
    sent, read = b"".join(pair.sent_by_client), b"".join(pair.read_by_server)
    expect_same(read, sent, "The input")
    methods = methods_of(sent.splitlines())
    sent, read = (b"".join(each).split(b"\n") for each in (pair.sent_by_server, pair.read_by_client))
    expect_same(len(read), len(sent), "The number of lines")
    return sum(_changes(*lines, methods) for lines in zip(sent, read, strict=True))


# Over HTTP.


def _changed_responses(pair):
    """Return how many messages of the server came as others to the client."""
    requests = [(each.method, each.sent) for each in pair.exchanges]
    arrivals = [(each.http.method, each.raw) for each in pair.arrivals]
    expect_same(Counter(arrivals), Counter(requests), "The requests")
    methods = methods_of(body for _, body in requests)
    answered = dict(zip(arrivals, pair.arrivals, strict=True))
    expect_same(len(answered), len(arrivals), "The number of different requests")  # Or it is not known which is which.
    return sum(
        _changes_of_response(answered[request].http, exchange, methods)
        for request, exchange in zip(requests, pair.exchanges, strict=True)
    )


def _changes_of_response(sent, exchange, methods):
    received = bytes(exchange.received)
    if _is_failure_of_http(sent) and methods.get(exchange.id) == "tools/call" and received != sent.sent:
        _expect_repaired(received, exchange.id)
        return 1
    streams = any("event-stream" in value for name, value in sent.headers if name == "Content-Type")
    count = (
        _changes_of_events(bytes(sent.sent), received, methods) if streams else _changes(sent.sent, received, methods)
    )
    if not count or streams:
        expect_same(exchange.status, sent.status, "The status")
    expect_same(_headers_of(exchange.head.headers), _headers_of(sent.headers), "The headers")
    return count


def _is_failure_of_http(sent):
    """Return whether the status says that a call has failed; the others are the protocol's own."""
    return sent.status in {408, 413, 429} or sent.status >= 500


def _headers_of(headers):
    return sorted((name.lower(), value) for name, value in headers if name.lower() not in _OF_ONE_HOP)


def _changes_of_events(sent, received, methods):
    sent, received = _events_in(sent), _events_in(received)
    answered = {id_of(_data_of(event)) for event in sent}
    added = received[len(sent) :]
    for event in added:  # A stream that ends without the answer to a call may get one.
        id = id_of(_data_of(event))  # noqa: A001
        expect(methods.get(id) == "tools/call" and id not in answered, "An event was added.", event)
        _expect_repaired(_data_of(event), id)
    pairs = list(zip(sent, received, strict=False))
    expect_same(len(pairs), len(sent), "The number of events")
    for one, other in pairs:
        expect_same(_others_of(other), _others_of(one), "What an event has besides its data")
    return len(added) + sum(_changes(_data_of(one), _data_of(other), methods) for one, other in pairs)


def _events_in(stream):
    return [event for event in re.split(rb"(?<=\n\n)|(?<=\r\n\r\n)|(?<=\r\r)", stream) if event]


def _data_of(event):
    lines = [line for line in event.splitlines() if line.startswith(b"data:")]
    return b"\n".join(line[5:].removeprefix(b" ") for line in lines)


def _others_of(event):
    return [line for line in event.splitlines(keepends=True) if not line.startswith(b"data:")]


# Messages.


def methods_of(frames):
    """Return the method of each request, by its id as JSON."""
    messages = [message for frame in frames for message in _messages_in(frame)]
    return {
        json.dumps(each["id"]): each["method"]
        for each in messages
        if isinstance(each, dict) and {"id", "method"} <= {*each}
    }


def _messages_in(frame):
    try:
        content = json.loads(frame)
    except (ValueError, RecursionError):
        return []
    return content if isinstance(content, list) else [content]


def id_of(frame):
    """Return the id of an answer as JSON; None of anything else."""
    message = next(iter(_messages_in(frame)), None)
    is_answer = isinstance(message, dict) and "id" in message and "method" not in message
    return json.dumps(message["id"]) if is_answer else None


def _changes(sent, received, methods):
    """Return how many answers in a frame were changed; raise a DifferenceError for what may not change."""
    if sent == received:
        return 0
    if sent.lstrip().startswith(b"["):
        (gaps, items), (other_gaps, others) = _items_of(sent), _items_of(received)
        expect_same(other_gaps, gaps, "What is around the items of a batch")
        return sum(_changes(*pair, methods) for pair in zip(items, others, strict=True))
    expect(
        may_be_repaired(sent, methods), "What may not be changed was changed.", ("sent", sent), ("received", received)
    )
    _expect_repaired(received, id_of(sent))
    return 1


def _items_of(batch):
    """Return the parts of an array's text: what is between its items, and the items."""
    text = batch.decode()
    gaps, items, position = [], [], 0
    while True:
        start = _BETWEEN_ITEMS.match(text, position).end()
        gaps.append(text[position:start])
        if text.startswith("]", start):
            return [*gaps, text[start:]], items
        position = json.JSONDecoder().raw_decode(text, start)[1]
        items.append(text[start:position].encode())


def may_be_repaired(answer, methods):
    """Return whether an answer is one to a call that failed, and none that steers clients."""
    message = json.loads(answer)
    method = methods.get(json.dumps(message.get("id")))
    if "error" in message:
        return method == "tools/call" and message["error"].get("code") not in STEERING
    result = message.get("result")
    if method == "tasks/get" and isinstance(result, dict) and result.get("status") == "completed":
        result = result.get("result")
    is_final = isinstance(result, dict) and result.get("resultType") not in _UNFINISHED
    return method in {"tools/call", "tasks/get", "tasks/result"} and is_final and result.get("isError") is True


def _expect_repaired(received, id):  # noqa: A002
    """Expect an answer with errata's lines to the same request."""
    message = json.loads(received)
    expect_same(json.dumps(message.get("id")), id, "The id")
    result = message.get("result", {})
    result = result.get("result", result)
    text = next(iter(block["text"] for block in result.get("content", []) if block.get("type") == "text"), "")
    expect(
        result.get("isError") is True and text.startswith("Error ["), "An answer is none to a failed call.", received
    )
