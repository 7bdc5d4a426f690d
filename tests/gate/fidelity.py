"""What passes a proxy unchanged: a table of checks on a raw client and a raw server with something in between, or nothing.

A check is a function whose docstring is its sentence. It plays both ends of a `Pair`.

    with Pairs(DIRECT) as pairs:
        for each in CHECKS:
            pairs.run(each)      # Raises a DifferenceError if something is not as it has to be.
"""

import gzip
import json
import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import NamedTuple

from gate import fidelity_server
from gate.fidelity_ends import (
    ARGUMENTS,
    EVENTS,
    FETCHED,
    HTTP,
    JSON,
    NEW,
    OLD,
    ORIGIN,
    PAIRS,
    SERVED,
    SERVER,
    SERVER_CAPABILITIES,
    STDIO,
    TOOL,
    DifferenceError,
    Pair,
    cut,
    expect,
    expect_same,
    method_of,
    numbers_of,
    read,
    write_answer,
)
from gate.fidelity_recordings import expect_only_repairs
from gate.fidelity_server import Inbox, read_body, read_head, write_head

BATCHES = "2025-03-26"
"""The only version of the protocol with batches."""
EVERYWHERE = (STDIO, JSON, EVENTS)
STREAMS = (STDIO, EVENTS)
MEGABYTE = 1 << 20
FLOOD = 48
"""Megabytes that are sent to somebody who does not read."""
HIGHEST_FLOOD = 24
"""How many of them buffers may take in: pipes, sockets, and a share of its own for whoever stands in between."""
HTTP_HIGHEST_FLOOD = 36
"""The kernel lends a socket of this machine up to 6 MB in each direction."""
QUIET_S = 0.4
"""Who has not moved for so long waits for somebody. On a slow machine too little is counted, and never too much."""


class Check(NamedTuple):
    """One thing that has to pass unchanged, over one transport and in one era of the protocol."""

    sentence: str
    subject: str
    lane: str
    era: str
    play: Callable[[Pair], None]
    alone: bool
    """Whether the connection cannot be used for another check."""
    only_between: bool
    """Whether it asks something of whoever stands in between that nobody asks of a connection."""
    about_process: bool
    has_failure: bool
    """Whether a call fails in it, whose answer may be repaired."""
    opens: bool
    """Whether it begins with a handshake, where the protocol asks for one."""

    @property
    def is_alone(self):
        """Whether it needs a pair of its own; over HTTP a handshake begins a session, and nothing more is needed."""
        return self.alone and (self.opens or self.lane not in HTTP)

    def __str__(self):
        return f"{self.play.__name__}-{self.lane.replace(', ', '-').replace(' ', '-')}-{self.era}"


CHECKS: list[Check] = []
BRIDGED: list[Check] = []
"""Those of them that also ask something of whoever changes the transport."""
_SUBJECTS: list[str] = []


def section(subject):
    """Begin the checks of a subject."""
    _SUBJECTS.append(subject)


def check(  # noqa: PLR0913 - each is a flag of a check.
    *lanes, eras=(OLD, NEW), alone=False, only_between=False, about_process=False, has_failure=False, opens=True
):
    """Put a function into the table, once for each transport and era."""

    def add(play):
        sentence = play.__doc__.rstrip(".")
        flags = (alone, only_between, about_process, has_failure, opens)
        rows = [Check(sentence, _SUBJECTS[-1], lane, era, play, *flags) for lane in lanes for era in eras]
        CHECKS.extend(rows)
        if {STDIO, EVENTS} <= {*lanes} and not about_process:
            BRIDGED.extend(row._replace(lane=lane) for row in rows if row.lane == STDIO for lane in (SERVED, FETCHED))
        return play

    return add


class Pairs(AbstractContextManager):
    """The pairs that checks use on one way; those that leave no trace use the same.

    After a failure, a pair is made anew; or kept if it still answers, where what fails is tried again.
    """

    def __init__(self, way, *, keeps_failed=False):
        self._way, self._keeps_failed = way, keeps_failed
        self._pairs = {}

    def __exit__(self, *_):
        for pair in self._pairs.values():
            pair.close()
        self._pairs.clear()

    def run(self, each):
        """Play a check; raise a DifferenceError if something is not as it has to be."""
        key = (PAIRS[each.lane], each.era)
        kept = None if each.is_alone else self._pairs.pop(key, None)
        pair = kept or PAIRS[each.lane](self._way, each.era, each.lane)
        is_recorded = each.has_failure and self._way.repairs is not None
        is_usable = False
        try:
            if kept and is_recorded and each.lane == STDIO:
                pair.finish()
            pair.refresh(each.lane)
            if each.opens and (kept is None or each.lane != STDIO):
                pair.open()
            each.play(pair)
            if is_recorded:
                pair.finish()
                expect_only_repairs(pair)
            is_usable = True
        except Exception:
            is_usable = self._keeps_failed and not each.is_alone and _answers(pair)
            raise
        finally:
            if is_usable and not each.is_alone:
                self._pairs[key] = pair
            else:
                pair.close()


def _answers(pair):
    """Return whether a pair can be used after a failure: a request is answered."""
    try:
        pair.refresh(pair.lane)
        begins = hasattr(pair, "session") and not pair.is_modern
        return pair.ask(pair.handshake() if begins else pair.request("tools/list")).answer() is not None
    except (OSError, DifferenceError):
        return False


def chosen(way, *lanes):
    """Return the checks for a way on some lanes: each on one of them in one era, or all with ERRATA_FIDELITY=all.

    Which one it is goes round, and is another one for each way; a connection without a proxy passes all in no time.
    """
    rows = [each for each in CHECKS if each.lane in lanes and way.offers(each)]
    if not way.is_between or os.environ.get("ERRATA_FIDELITY") == "all":
        return rows
    turns = {}
    for each in rows:
        turns.setdefault(each.play, []).append(each)
    return [each[(number + bool(way.repairs)) % len(each)] for number, each in enumerate(turns.values())]


section("the JSON of a message")


def passes(pair, fragment, *, exactly=False):
    """Send a piece of JSON as an argument and back in a result; compare the values, or the bytes."""
    raw = pair.call(f'{{"v":{fragment}}}')
    members = f'"content":[{{"type":"text","text":"ok"}}],"structuredContent":{{"v":{fragment}}}'
    arrived, received = pair.exchange(raw, pair.result(members))
    expect(received is not None, "No answer has come.", arrived)
    expected = write_answer(json.loads(raw)["id"], pair.result(members))
    if exactly:
        expect_same(arrived, raw, "The request")
        expect_same(received, expected, "The answer")
    else:
        expect_same(_value_in(arrived, "params", "arguments"), numbers_of(fragment), "The argument")
        expect_same(_value_in(received, "result", "structuredContent"), numbers_of(fragment), "The result")


def _value_in(raw, *names):
    value = numbers_of(raw)
    for name in [*names, "v"]:
        expect(isinstance(value, dict) and name in value, f"`{name}` is missing.", raw)
        value = value[name]
    return value


@check(*EVERYWHERE)
def a_call_and_its_answer(pair):
    """A call reaches the server, and its answer the client."""
    passes(pair, '{"a":["b",null,true]}')


@check(*EVERYWHERE)
def request_byte_for_byte(pair):
    """A call and its answer pass byte for byte."""
    passes(pair, '{"a":["b",null,true,{}]}', exactly=True)


@check(*EVERYWHERE)
def integers_beyond_64_bits(pair):
    """Integers beyond 64 bits stay exact."""
    passes(pair, "[18446744073709551617,-170141183460469231731687303715884105728,9007199254740993]")


@check(*EVERYWHERE)
def integer_of_five_thousand_digits(pair):
    """An integer of 5,000 digits stays exact."""
    _passes_unread(pair, b"7" * 5000)


@check(*EVERYWHERE)
def floats_stay_as_written(pair):
    """`1.0` stays `1.0`, and other numbers as they were written."""
    passes(pair, "[1.0,-0,-0.0,1E5,1e-7,0.10,1e400,3.141592653589793238462643383279]")


@check(*EVERYWHERE)
def repeated_keys(pair):
    """Keys that stand twice in an object stay both."""
    passes(pair, '{"k":1,"k":2,"other":3,"k":4}', exactly=True)


@check(*EVERYWHERE)
def order_of_keys(pair):
    """The keys of an object keep their order."""
    raw = pair.call('{"z":1,"a":2,"m":{"y":1,"b":2}}')
    raw = raw.replace(b'{"jsonrpc":"2.0",', b"{").replace(b"}}}}", b'}}},"jsonrpc":"2.0"}')
    result = pair.result('"structuredContent":{"z":1,"a":{"y":1,"b":2}},"content":[]')
    arrived, received = pair.exchange(raw, result)
    _expect_in_order(arrived, "z", "a", "m", "y", "b")
    _expect_in_order(received, "structuredContent", "z", "a", "y", "b", "content")


def _expect_in_order(raw, *names):
    places = [raw.find(f'"{name}"'.encode()) for name in names]
    expect(-1 not in places and places == sorted(places), "The keys have another order.", raw)


@check(*EVERYWHERE)
def white_space(pair):
    """White space between tokens stays."""
    passes(pair, '{ "a" :\t[ 1 ,2,  3 ] , "b":{ } }  ', exactly=True)


@check(*EVERYWHERE)
def white_space_around(pair):
    """White space before and behind a message stays."""
    raw = b"  \t" + pair.call() + b" \t "
    exchange = pair.ask(raw)
    arrival = pair.arrival("tools/call")
    expect_same(arrival.raw, raw, "The request")
    answer = b" \t" + write_answer(arrival.id, pair.result()) + b"\t "
    arrival.answer(answer)
    expect_same(exchange.answer(), answer, "The answer")


@check(JSON)
def line_feeds_in_a_body(pair):
    """Line feeds between the tokens of a body stay."""
    raw = json.dumps(json.loads(pair.call()), indent=2).replace("\n", "\r\n").encode()
    exchange = pair.ask(raw)
    arrival = pair.arrival("tools/call")
    expect_same(arrival.raw, raw, "The request")
    answer = json.dumps(json.loads(write_answer(arrival.id, pair.result())), indent=1).encode()
    arrival.answer(answer)
    expect_same(exchange.answer(), answer, "The answer")


@check(*EVERYWHERE)
def unicode_escapes(pair):
    r"""Escaped characters stay escaped (`\u00e9`, `\/`)."""
    passes(pair, r'"caf\u00e9 \u2028 \ud83d\ude00 a\/b \u0041 \u0000"', exactly=True)


@check(*EVERYWHERE)
def raw_utf_8(pair):
    """Unescaped characters stay unescaped."""
    passes(pair, '"café naïve 日本語 😀 \u2028\u2029\x7f\ufeff\u0085"', exactly=True)


@check(*EVERYWHERE)
def characters_stay_the_same(pair):
    """Characters of every plane arrive as the same characters."""
    passes(pair, '"café 日本語 😀 \\u00e9 \\ud83d\\ude00"')


@check(*EVERYWHERE)
def lone_surrogates(pair):
    r"""Half a surrogate pair, escaped, stays what it is (`\ud800`)."""
    passes(pair, r'["\ud800","a\udfffb"]', exactly=True)


@check(*EVERYWHERE)
def deep_nesting(pair):
    """A value nested 20,000 deep passes."""
    _passes_unread(pair, b"[" * 20_000 + b"]" * 20_000)


def _passes_unread(pair, fragment):
    """Send what Python's reader of JSON refuses as an argument and back in a result."""
    number = pair.next_id()
    raw = pair.call('{"v":0}', str(number)).replace(b'"v":0', b'"v":' + fragment)
    wait_for_answer = pair.ask_for(raw, fragment)
    arrival = pair.arrived.take(lambda each: fragment in each.raw, timeout_s=pair.limit_s)
    expect(arrival is not None, "The call has not arrived.")
    members = f'"content":[],"structuredContent":{{"v":{fragment.decode()}}}'
    arrival.answer(write_answer(number, pair.result(members)))
    wait_for_answer()


@check(*EVERYWHERE)
def unknown_keys_of_a_request(pair):
    """Keys that no specification knows reach the server, at every level of a request."""
    raw = pair.call('{"a":1,"x-a":{"x-b":2}}').replace(b'{"jsonrpc"', b'{"x-top":{"deep":[1]},"jsonrpc"')
    raw = raw.replace(b'"name":"t"', b'"name":"t","x-params":[null]')
    arrived, _ = pair.exchange(raw)
    message = json.loads(arrived)
    expect_same(message["params"]["arguments"], {"a": 1, "x-a": {"x-b": 2}}, "The argument")
    expect_same(message["params"].get("x-params"), [None], "The unknown key of the params")
    expect_same(message.get("x-top"), {"deep": [1]}, "The unknown key of the request")


@check(*EVERYWHERE)
def unknown_keys_of_an_answer(pair):
    """Keys that no specification knows reach the client, at every level of an answer."""
    members = (
        '"x-result":{"a":[1]},"content":[{"type":"text","text":"ok","x-block":1.5,"annotations":{"x-note":true}},'
        '{"type":"x-kind","x-value":1}],"_meta":{"x/meta":{"n":1}}'
    )
    exchange = pair.ask(pair.call())
    arrival = pair.arrival("tools/call")
    answer = write_answer(arrival.id, pair.result(members)).replace(b'{"jsonrpc"', b'{"x-top":1,"jsonrpc"')
    arrival.answer(answer)
    message = read(exchange.answer())
    expect_same(message.get("x-top"), 1, "The unknown key of the answer")
    expect_same(message.get("result"), json.loads(answer)["result"], "The result")


@check(*EVERYWHERE)
def meta_of_a_request(pair):
    """The `_meta` of a request stays: the trace, the vendor's, and what nobody knows."""
    extra = (
        '"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01","com.example/x":{"n":[1,{}]},"y":null'
    )
    params = pair.with_meta('{"name":"t","arguments":{}}', extra)
    raw = f'{{"jsonrpc":"2.0","id":{pair.next_id()},"method":"tools/call","params":{params}}}'.encode()
    arrived, _ = pair.exchange(raw)
    expect_same(json.loads(arrived)["params"].get("_meta"), json.loads(params)["_meta"], "The `_meta`")


@check(*EVERYWHERE)
def big_messages(pair):
    """Messages of 64 KiB and a bit, of 1 MB and of 10 MB pass both ways."""
    for size in (65_530, 65_536, 70_000, 1_000_003, 10 * MEGABYTE):
        fragment = json.dumps(f"{size}" + "é\\\n" + "x" * size)
        raw = pair.call(f'{{"v":{fragment}}}')
        members = f'"content":[{{"type":"text","text":{fragment}}}]'
        arrived, received = pair.exchange(raw, pair.result(members))
        expect(
            json.loads(arrived)["params"]["arguments"]["v"] == json.loads(fragment), f"{size} bytes are not the same."
        )
        expect(received is not None, f"An answer of {size} bytes has not come.")
        expect(
            read(received)["result"]["content"][0]["text"] == json.loads(fragment), f"{size} bytes are not the same."
        )


section("ids")


@check(*EVERYWHERE)
def string_ids(pair):
    """Ids that are strings stay strings: with spaces, quotes, digits, nothing."""
    for id in ('"a b"', r'"q\"uote\\"', '"007"', '""', '"é"', '"' + "x" * 300 + '"'):  # noqa: A001
        _, received = pair.exchange(pair.call(id=id))
        expect_same(read(received)["id"], json.loads(id), "The id")


@check(*EVERYWHERE)
def number_ids(pair):
    """Ids that are numbers stay the same: zero, negative, large."""
    for id in (0, -1, 2**53 - 1):  # noqa: A001
        _, received = pair.exchange(pair.call(id=json.dumps(id)))
        expect_same(read(received)["id"], id, "The id")


@check(*EVERYWHERE)
def ids_of_two_types(pair):
    """The ids `1001` and `"1001"` are two, also at the same time."""
    exchanges = [pair.ask(pair.call('{"n":0}', "1001")), pair.ask(pair.call('{"n":1}', '"1001"'))]
    for number in (1, 0):
        arrival = pair.arrival("tools/call", lambda each, n=number: each.params["arguments"]["n"] == n)
        arrival.answer(write_answer(arrival.id, pair.result(f'"content":[],"structuredContent":{{"n":{number}}}')))
    for number, exchange in enumerate(exchanges):
        expect_same(read(exchange.answer())["result"]["structuredContent"], {"n": number}, "The answer")


@check(*EVERYWHERE)
def answers_out_of_order(pair):
    """Answers that come in another order reach those who asked."""
    exchanges = [pair.ask(pair.call(f'{{"n":{number}}}')) for number in range(20)]
    arrivals = [
        pair.arrival("tools/call", lambda each, n=number: each.params["arguments"]["n"] == n) for number in range(20)
    ]
    for number, arrival in sorted(enumerate(arrivals), key=lambda each: (each[0] * 7) % 20):
        arrival.answer(write_answer(arrival.id, pair.result(f'"content":[],"structuredContent":{{"n":{number}}}')))
    for number, exchange in enumerate(exchanges):
        expect_same(read(exchange.answer())["result"]["structuredContent"], {"n": number}, "The answer")


@check(STDIO, EVENTS, eras=(OLD,))
def one_id_in_both_directions(pair):
    """A request of the server may have the id that a call of the client has."""
    exchange = pair.ask(pair.call(id="4242"))
    arrival = pair.arrival("tools/call")
    arrival.send(b'{"jsonrpc":"2.0","id":4242,"method":"ping"}')
    read(exchange.message("ping"))
    pair.reply(b'{"jsonrpc":"2.0","id":4242,"result":{"x":"of the client"}}')
    answer = pair.arrival(fits=lambda each: isinstance(each.message, dict) and "result" in each.message)
    expect_same(json.loads(answer.raw)["id"], 4242, "The id")
    arrival.answer(write_answer(arrival.id, pair.result()))
    expect("content" in read(exchange.answer())["result"], "The call has got another answer.")


@check(STDIO)
def answer_nobody_waits_for(pair):
    """Answers that nobody waits for reach the client, with an unknown id and with none."""
    lines = [
        b'{"jsonrpc":"2.0","id":987654,"result":{"content":[],"isError":true}}\n',
        b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}\n',
        b'{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request"}}\n',
    ]
    for line in lines:
        pair.server.write(line)
        expect_same(pair.line(lambda each, line=line: each.split() == line.split()), line, "The line")


section("methods, lists and handshakes")


@check(*EVERYWHERE)
def vendor_requests(pair):
    """A request of an unknown method reaches the server, and its answer the client."""
    raw = pair.request("com.example/do.it", '{"a":{"b":1}}')
    exchange = pair.ask(raw)
    arrival = pair.arrival("com.example/do.it")
    expect_same(arrival.params["a"], {"b": 1}, "The params")
    arrival.answer(write_answer(arrival.id, '{"anything":[1,2],"content":"no list","isError":true}'))
    expect_same(
        read(exchange.answer()).get("result"), {"anything": [1, 2], "content": "no list", "isError": True}, "The result"
    )


@check(*EVERYWHERE)
def vendor_notifications(pair):
    """A notification of an unknown method reaches the server."""
    pair.tell(b'{"jsonrpc":"2.0","method":"notifications/com.example/it","params":{"a":[1.0]}}')
    expect_same(pair.arrival("notifications/com.example/it").params, {"a": [1.0]}, "The params")


@check(*STREAMS)
def vendor_messages_of_the_server(pair):
    """A notification of an unknown method reaches the client."""
    exchange = pair.ask(pair.call())
    arrival = pair.arrival("tools/call")
    arrival.send(b'{"jsonrpc":"2.0","method":"com.example/news","params":{"b":1,"a":[1.0]}}')
    expect_same(read(exchange.message("com.example/news"))["params"], {"b": 1, "a": [1.0]}, "The params")
    arrival.answer(write_answer(arrival.id, pair.result()))
    read(exchange.answer())


@check(*STREAMS, eras=(OLD,))
def vendor_requests_of_the_server(pair):
    """A request of the server of an unknown method reaches the client, and its answer the server."""
    _ask_client(pair, "com.example/ask", {"q": 1.0}, '"result":{"r":[1,2]}')


@check(*EVERYWHERE)
def other_methods(pair):
    """Resources, prompts and completions pass as they are."""
    for method, params, result in (
        ("resources/read", '{"uri":"x://1"}', '"contents":[{"uri":"x://1","blob":"AAEC","mimeType":"x/y"}]'),
        (
            "prompts/get",
            '{"name":"p","arguments":{"a":"b"}}',
            '"messages":[{"role":"user","content":{"type":"text","text":"x"}}]',
        ),
        (
            "completion/complete",
            '{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"b"}}',
            '"completion":{"values":["b1"],"total":1}',
        ),
    ):
        raw = pair.request(method, params)
        exchange = pair.ask(raw)
        arrival = pair.arrival(method)
        expect_same({**arrival.params, "_meta": 0}, {**json.loads(raw)["params"], "_meta": 0}, "The params")
        arrival.answer(write_answer(arrival.id, pair.result(result)))
        expect_same(read(exchange.answer()).get("result"), json.loads(pair.result(result)), "The result")


@check(*EVERYWHERE)
def ping_of_the_client(pair):
    """A ping reaches the server, and not only whoever stands in between."""
    with pair.claiming("ping"):
        exchange = pair.ask(pair.request("ping"))
        arrival = pair.arrival("ping")
        arrival.answer(write_answer(arrival.id, '{"x":1}'))
        expect_same(read(exchange.answer()).get("result"), {"x": 1}, "The result")


@check(*EVERYWHERE)
def list_of_tools(pair):
    """The list of tools passes byte for byte, with odd schemas and unknown keys."""
    tools = (
        '{"tools":[ {"name":"t","inputSchema":{"type":"object","$defs":{"é":{"const":1.0}},"properties":{"a":{"$ref":'
        '"#/$defs/\\u00e9"}}},"outputSchema":{"type":"object","required":["x"]},"x-tool":1,"annotations":{"x":null,'
        '"readOnlyHint":true},"execution":{"taskSupport":"optional"}} ], "nextCursor":"a==","isError":true,"x-list":[ ],"_meta":{"n":1E2}'
    )
    result = tools + (',"resultType":"complete","ttlMs":1.0,"cacheScope":"private"}' if pair.is_modern else "}")
    with pair.claiming("tools/list"):
        raw = pair.request("tools/list", '{"cursor":"b=="}')
        arrived, received = pair.exchange(raw, result, method="tools/list")
    expect_same(arrived, raw, "The request")
    expect_same(received, write_answer(json.loads(raw)["id"], result), "The list")


@check(*EVERYWHERE)
def contents_of_the_list_of_tools(pair):
    """The list of tools says the same: schemas, annotations, `_meta`, icons."""
    tool = {
        **TOOL,
        "title": "T",
        "description": "d",
        "outputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
        "annotations": {"readOnlyHint": True, "destructiveHint": False},
        "_meta": {"x/y": [1]},
    }
    cached = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"} if pair.is_modern else {}
    with pair.claiming("tools/list"):
        exchange = pair.ask(pair.request("tools/list"))
        arrival = pair.arrival("tools/list")
        arrival.answer(write_answer(arrival.id, json.dumps({**cached, "tools": [tool]})))
        expect_same(read(exchange.answer())["result"].get("tools"), [tool], "The list")


@check(*EVERYWHERE, eras=(OLD,), opens=False, alone=True)
def handshake_of_the_client(pair):
    """The server sees the client's own name, version, capabilities and protocol."""
    with pair.claiming("initialize"):
        raw = pair.handshake().replace(b'"clientInfo"', b'"x-params":{"a":1.0},"clientInfo"')
        exchange = pair.ask(raw)
        arrival = pair.arrival("initialize")
        expect_same(arrival.params, json.loads(raw)["params"], "What the client says in the handshake")
        arrival.answer(write_answer(arrival.id, json.dumps(pair.scripted_answer("initialize") or _plain_handshake())))
        exchange.answer()


def _plain_handshake():
    return {"protocolVersion": OLD, "capabilities": SERVER_CAPABILITIES, "serverInfo": SERVER}


@check(*EVERYWHERE, eras=(OLD,), opens=False, alone=True)
def handshake_of_the_server(pair):
    """The client sees the server's own name, version, capabilities, instructions and protocol."""
    result = {
        "protocolVersion": "2025-06-18",
        "capabilities": {"tools": {}, "experimental": {"x/y": {"z": [1]}}, "x-unknown": {}},
        "serverInfo": {**SERVER, "websiteUrl": "https://example.com/", "x-info": 1},
        "instructions": "Say “please”.",
        "isError": True,
        "x-result": None,
    }
    with pair.claiming("initialize"):
        exchange = pair.ask(pair.handshake())
        arrival = pair.arrival("initialize")
        arrival.answer(write_answer(arrival.id, json.dumps(result)))
        expect_same(read(exchange.answer()).get("result"), result, "What the server says in the handshake")


@check(*EVERYWHERE, eras=(NEW,))
def discovery(pair):
    """`server/discover` reaches the server, and what it answers the client, byte for byte."""
    result = (
        '{ "resultType":"complete","supportedVersions":["2026-07-28","2025-11-25"],"capabilities":{"tools":{},"extensions":'
        '{"x/y":{}}},"serverInfo":{"name":"n","version":"1.0"},"ttlMs":1.0,"cacheScope":"private","isError":true,"x":1E2}'
    )
    with pair.claiming("server/discover"):
        raw = pair.request("server/discover")
        arrived, received = pair.exchange(raw, result, method="server/discover")
    expect_same(arrived, raw, "The request")
    expect_same(received, write_answer(json.loads(raw)["id"], result), "The answer")


section("results and errors")


@check(*EVERYWHERE)
def successes_that_look_like_failures(pair):
    """A success passes byte for byte, also one whose text or data looks like a failure."""
    for members in (
        '"content":[{"type":"text","text":"Error executing tool t: 429 Too Many Requests"}]',
        '"content":[{"type":"text","text":"{\\"isError\\": true, \\"error\\": {\\"code\\": 503}}"}],"isError":false',
        '"structuredContent":{"isError":true,"status_code":503,"error":"boom"},"content":[]',
        '"content":[],"isError":null',
        '"content":[{"type":"text","text":"x","isError":true}],"_meta":{"isError":true}',
        '"content":[]',
    ):
        raw = pair.call()
        _, received = pair.exchange(raw, pair.result(members))
        expect_same(received, write_answer(json.loads(raw)["id"], pair.result(members)), "The success")


@check(*EVERYWHERE)
def odd_successes(pair):
    """Results that are none pass: `null`, a number, an empty object."""
    for result in ("null", "1.0", "{}", "[]", '"isError"', '{"content":{},"isError":"true"}'):
        raw = pair.call()
        _, received = pair.exchange(raw, result)
        expect_same(received, write_answer(json.loads(raw)["id"], result), "The answer")


@check(*EVERYWHERE, has_failure=True)
def failures(pair):
    """The failure of a tool passes byte for byte."""
    members = (
        '"content":[{"type":"text","text":"boom","x":1}],"isError":true,"structuredContent":{"n":1.0},"_meta":{"x":1}'
    )
    raw = pair.call()
    _, received = pair.exchange(raw, pair.result(members))
    pair.expect_failure(received, write_answer(json.loads(raw)["id"], pair.result(members)))


@check(*EVERYWHERE, has_failure=True)
def contents_of_a_failure(pair):
    """The failure of a tool says the same: blocks, `structuredContent`, `_meta`."""
    members = (
        '"content":[{"type":"text","text":"boom"},{"type":"text","text":"and more"}],"isError":true,'
        '"structuredContent":{"n":1},"_meta":{"x/y":1}'
    )
    _, received = pair.exchange(pair.call(), pair.result(members))
    pair.expect_failure(read(received).get("result"), json.loads(pair.result(members)))


@check(*EVERYWHERE, has_failure=True)
def errors_of_calls(pair):
    """Code, message and data of an error that answers a call stay: -32602, -32603, 0, a vendor's."""
    for code in (-32602, -32603, -32000, 0, 12345):
        error = {"code": code, "message": "503 Service Unavailable", "data": {"a": [1, "é"]}}
        _, received = pair.exchange(pair.call(f'{{"n":{code}}}'), error=json.dumps(error))
        pair.expect_failure(read(received).get("error"), error, "The error")


@check(*STREAMS, has_failure=True)
def failure_among_others(pair):
    """A failure between successes, lists and notifications reaches the client, and so do they."""
    failing = '"content":[{"type":"text","text":"Error: boom"}],"isError":true'
    quiet, loud = pair.ask(pair.call('{"n":1}')), pair.ask(pair.call('{"n":2}'))
    first, second = (
        pair.arrival("tools/call", lambda each, n=number: each.params["arguments"]["n"] == n) for number in (1, 2)
    )
    news = b'{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":{"isError":true}}}'
    first.send(news)
    second.send(news)
    second.answer(write_answer(second.id, pair.result(failing)))
    pair.expect_failure(read(loud.answer()).get("result"), json.loads(pair.result(failing)))
    read(pair.ask(pair.request("tools/list")).answer())
    first.answer(write_answer(first.id, pair.result('"content":[{"type":"text","text":"Error: none"}]')))
    expect_same(read(quiet.answer())["result"]["content"], [{"type": "text", "text": "Error: none"}], "The success")


@check(STDIO, JSON, eras=(BATCHES,), has_failure=True)
def failure_in_a_batch(pair):
    """A failure in an array of answers passes, and so do the others in it."""
    first, second = pair.call('{"n":1}'), pair.call('{"n":2}')
    failing = pair.result('"isError":true,"content":[{"type":"text","text":"Error: boom, boom"}]')
    answers = [
        write_answer(json.loads(raw)["id"], result) for raw, result in ((second, failing), (first, pair.result()))
    ]
    received, answer = _exchange_batch(pair, b"[" + first + b"," + second + b"]", b"[ " + b" ,  ".join(answers) + b" ]")
    pair.expect_failure(received, answer)


@check(*EVERYWHERE, eras=(NEW,), has_failure=True)
def failure_of_a_task(pair):
    """The failure of a call that became a task passes, when the client asks for the task."""
    started = '{"taskId":"t-1","status":"working","createdAt":"2026-07-28T00:00:00Z","ttl":60000}'
    pair.exchange(
        pair.request("tools/call", '{"name":"t","task":{"ttl":60000}}'), f'{{"resultType":"task",{started[1:]}'
    )
    failed = '{"content":[{"type":"text","text":"boom"}],"isError":true}'
    over = pair.result(f'"taskId":"t-1","status":"completed","result":{failed}')
    _, received = pair.exchange(pair.request("tasks/get", '{"taskId":"t-1"}'), over, method="tasks/get")
    pair.expect_failure(read(received).get("result"), json.loads(over))


@check(*EVERYWHERE)
def errors_of_other_methods(pair):
    """JSON-RPC errors of what is no call of a tool keep code, message and data."""
    for method, params, error in (
        ("resources/read", '{"uri":"x://no"}', '{"code":-32602,"message":"Not found","data":{"uri":"x://no","n":1.5}}'),
        ("prompts/get", '{"name":"no"}', '{"code":12345,"message":"","data":["é",null]}'),
        ("com.example/x", "{}", '{"code":-31999,"message":"503 Service Unavailable","data":"text","x-error":1}'),
        ("resources/read", '{"uri":"x://y"}', '{"code":-32002,"message":"Resource not found","data":{}}'),
    ):
        raw = pair.request(method, params)
        exchange = pair.ask(raw)
        arrival = pair.arrival(method)
        arrival.answer(write_answer(arrival.id, error=error))
        expect_same(read(exchange.answer()).get("error"), json.loads(error), "The error")


@check(*EVERYWHERE)
def steering_errors(pair):
    """Errors that steer clients pass byte for byte, also for a call of a tool."""
    for code in (-32601, -32700, -32600, -32020, -32021, -32022, -32042, -32800):
        error = f'{{"code":{code}, "message":"Words","data":{{"supported":["{NEW}"],"n":1.0,"elicitations":[]}}}}'
        raw = pair.call()
        _, received = pair.exchange(raw, error=error)
        expect_same(received, write_answer(json.loads(raw)["id"], error=error), "The error")


@check(*EVERYWHERE)
def errors_of_calls_that_steer(pair):
    """Code, message and data of an error that answers a call stay."""
    for code in (-32601, -32021, -32042, -32800):
        error = {"code": code, "message": "Words", "data": {"a": [1, "é"]}}
        _, received = pair.exchange(pair.call(), error=json.dumps(error))
        expect_same(read(received).get("error"), error, "The error")


@check(*EVERYWHERE, eras=(NEW,))
def input_required(pair):
    """A call that asks for input first passes as it is, and so does the answer of the client."""
    members = (
        '"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{"mode":"form",'
        '"message":"Error: which?","requestedSchema":{"type":"object","properties":{}}}}},"requestState":"s==","isError":true'
    )
    raw = pair.call()
    _, received = pair.exchange(raw, pair.result(members))
    expect_same(received, write_answer(json.loads(raw)["id"], pair.result(members)), "The result")
    params = '{"name":"t","arguments":{},"inputResponses":{"k":{"action":"accept","content":{}}},"requestState":"s=="}'
    raw = pair.request("tools/call", params)
    arrived, _ = pair.exchange(raw)
    expect_same(arrived, raw, "The answer of the client")


@check(*EVERYWHERE)
def tasks(pair):
    """A call that becomes a task passes as it is, and so do the questions about the task while it works."""
    task = '{"taskId":"786512e2","status":"working","statusMessage":"Error: not yet","createdAt":"2026-07-28T00:00:00Z","ttl":60000,"pollInterval":500}'
    result = f'{{"resultType":"task",{task[1:]}' if pair.is_modern else f'{{"task":{task},"isError":false}}'
    params = '{"name":"t","arguments":{},"task":{"ttl":60000}}'
    for method, given, answer in (
        ("tools/call", params, result),
        ("tasks/get", '{"taskId":"786512e2"}', task),
        ("tasks/cancel", '{"taskId":"786512e2"}', task.replace("working", "cancelled")),
    ):
        raw = pair.request(method, given)
        arrived, received = pair.exchange(raw, answer, method=method)
        expect_same(arrived, raw, "The request")
        expect_same(received, write_answer(json.loads(raw)["id"], answer), "The answer")


section("progress, logs, questions, cancellation")


@check(*STREAMS)
def progress(pair):
    """Progress reaches the client under the token that it gave, in order and before the answer."""
    for token in ('"a token"', "77"):
        params = pair.with_meta('{"name":"t","arguments":{}}', f'"progressToken":{token}')
        raw = f'{{"jsonrpc":"2.0","id":{pair.next_id()},"method":"tools/call","params":{params}}}'.encode()
        exchange = pair.ask(raw)
        arrival = pair.arrival("tools/call")
        given = arrival.params.get("_meta", {}).get("progressToken")
        expect(given is not None, "The token has not reached the server.", arrival.raw)
        for number in (1, 2):
            params = json.dumps({"progressToken": given, "progress": number, "total": 2, "message": f"Step {number}"})
            arrival.send(f'{{"jsonrpc":"2.0","method":"notifications/progress","params":{params}}}'.encode())
        steps = [read(raw)["params"] for raw in exchange.messages("notifications/progress", 2)]
        expected = [
            {"progressToken": json.loads(token), "progress": n, "total": 2, "message": f"Step {n}"} for n in (1, 2)
        ]
        expect_same(steps, expected, "The progress")
        arrival.answer(write_answer(arrival.id, pair.result()))
        read(exchange.answer())


@check(*STREAMS)
def log_messages(pair):
    """Log messages and resource updates reach the client as they are, before the answer."""
    exchange = pair.ask(pair.call())
    arrival = pair.arrival("tools/call")
    for method, params in (
        ("notifications/message", {"level": "error", "logger": "l", "data": {"error": "503", "n": 1.0}}),
        ("notifications/resources/updated", {"uri": "x://1", "x": 1}),
    ):
        arrival.send(f'{{"jsonrpc":"2.0","method":"{method}","params":{json.dumps(params)}}}'.encode())
        expect_same(read(exchange.message(method))["params"], params, "The params")
    arrival.answer(write_answer(arrival.id, pair.result()))
    read(exchange.answer())


@check(*STREAMS)
def changes_of_lists(pair):
    """`list_changed` reaches the client, of tools, prompts and resources."""
    exchange = pair.ask(pair.call())
    arrival = pair.arrival("tools/call")
    for kind in ("tools", "prompts", "resources"):
        arrival.send(f'{{"jsonrpc":"2.0","method":"notifications/{kind}/list_changed"}}'.encode())
        exchange.message(f"notifications/{kind}/list_changed")
    arrival.answer(write_answer(arrival.id, pair.result()))
    read(exchange.answer())


@check(STDIO, *HTTP, eras=(OLD,))
def cancellation(pair):
    """A cancellation reaches the server, with the id and the reason."""
    pair.ask(pair.call(id='"to be cancelled"'))
    arrival = pair.arrival("tools/call")
    pair.tell(
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"to be cancelled","reason":"Enough."}}'
    )
    params = pair.arrival("notifications/cancelled").params
    expect_same(json.dumps(params["requestId"]), arrival.id, "The id")
    if pair.lane in {*HTTP, FETCHED}:  # There it has to be answered.
        arrival.answer(write_answer(arrival.id, error='{"code":0,"message":"Request cancelled"}'))


@check(STDIO, eras=(NEW,))
def cancellation_of_the_newer_protocol(pair):
    """A cancellation reaches the server over stdio, with the id and the reason."""
    cancellation(pair)


@check(*STREAMS, eras=(OLD,))
def sampling(pair):
    """A server's `sampling/createMessage` reaches the client, and the answer the server."""
    params = {"messages": [{"role": "user", "content": {"type": "text", "text": "Q"}}], "maxTokens": 7, "x": 1.5}
    _ask_client(
        pair,
        "sampling/createMessage",
        params,
        '"result":{"role":"assistant","content":{"type":"text","text":"A"},"model":"m","stopReason":"endTurn"}',
    )


@check(*STREAMS, eras=(OLD,))
def elicitation(pair):
    """A server's `elicitation/create` reaches the client, and the answer the server."""
    params = {"message": "Which?", "requestedSchema": {"type": "object", "properties": {"a": {"type": "string"}}}}
    _ask_client(pair, "elicitation/create", params, '"result":{"action":"accept","content":{"a":"b"}}')


@check(*STREAMS, eras=(OLD,))
def roots(pair):
    """A server's `roots/list` reaches the client, and the answer the server."""
    _ask_client(pair, "roots/list", {}, '"result":{"roots":[{"uri":"file:///a%20b","name":"r"}]}')


@check(*STREAMS, eras=(OLD,))
def refusals_of_the_client(pair):
    """The client's error to a request of the server keeps code, message and data."""
    params = {"messages": [{"role": "user", "content": {"type": "text", "text": "Q"}}], "maxTokens": 7}
    _ask_client(pair, "sampling/createMessage", params, '"error":{"code":-1,"message":"User said no","data":{"a":[1]}}')


@check(*STREAMS, eras=(OLD,))
def ping_of_the_server(pair):
    """A ping of the server reaches the client, and the answer the server."""
    _ask_client(pair, "ping", {}, '"result":{"x":1}')


def _ask_client(pair, method, params, answer):
    """Let the server ask the client something while a call waits."""
    exchange = pair.ask(pair.call())
    arrival = pair.arrival("tools/call")
    id = f"server-{pair.next_id()}"  # noqa: A001
    with_params = f',"params":{json.dumps(params)}' if params else ""
    arrival.send(f'{{"jsonrpc":"2.0","id":"{id}","method":"{method}"{with_params}}}'.encode())
    request = read(exchange.message(method))
    expect_same({**request.get("params", {}), "_meta": 0}, {**params, "_meta": 0}, "The request of the server")
    pair.reply(f'{{"jsonrpc":"2.0","id":{json.dumps(request["id"])},{answer}}}'.encode())
    reply = pair.arrival(fits=lambda each: isinstance(each.message, dict) and each.message.get("id") == id)
    got = {name: value for name, value in reply.message.items() if name in {"result", "error"}}
    expect_same(got, json.loads(f"{{{answer}}}"), "The answer of the client")
    arrival.answer(write_answer(arrival.id, pair.result()))
    read(exchange.answer())


@check(*EVERYWHERE)
def many_calls_at_once(pair):
    """A hundred calls at the same time get each its own answer."""
    count = 100
    exchanges = [pair.ask(pair.call(f'{{"n":{number}}}')) for number in range(count)]
    for _ in range(count):
        arrival = pair.arrival("tools/call")
        text = json.dumps(str(arrival.params["arguments"]["n"]))
        arrival.answer(write_answer(arrival.id, pair.result(f'"content":[{{"type":"text","text":{text}}}]')))
    texts = [read(exchange.answer())["result"]["content"][0]["text"] for exchange in exchanges]
    expect_same(texts, [str(number) for number in range(count)], "The answers")


@check(STDIO, JSON, eras=(BATCHES,))
def batches(pair):
    """An array of messages, as 2025-03-26 has it, passes both ways as it is."""
    first, second = pair.call(), pair.request("ping")
    raw = b"[ " + first + b",\t" + second + b',{"jsonrpc":"2.0","method":"notifications/x"}]'
    answers = (write_answer(json.loads(each)["id"], pair.result()) for each in (second, first))
    received, answer = _exchange_batch(pair, raw, b"[" + b" , ".join(answers) + b" ]")
    expect_same(received, answer, "The batch of answers")


def _exchange_batch(pair, raw, answer):
    """Send an array and answer it with another one; return what the client got, and what it should have got."""
    if pair.lane == STDIO:
        pair.write(raw + b"\n")
    else:
        exchange = pair.ask(raw)
    arrival = pair.arrival(fits=lambda each: each.raw.startswith(b"["))
    expect_same(arrival.raw, raw, "The batch of requests")
    arrival.answer(answer)
    if pair.lane == STDIO:
        return pair.line(lambda line: line.startswith(b"[")).rstrip(b"\n"), answer
    return exchange.body(), answer


section("lines of stdio")

ODD_LINES = {
    "no JSON": b"npm warn deprecated left-pad@1.0.0 \x1b[31mred\x1b[0m\n",
    "invalid UTF-8": b'{"jsonrpc":"2.0","method":"notifications/x","params":{"a":"\xff\xfe\xc3\x28 \x80"}}\n',
    "half a message": b'{"jsonrpc":"2.0","id":1,"result":{"content":[\n',
    "a scalar": b"42\n",
    "NUL bytes": b"\x00\x00binary\x00\n",
    "an empty array": b"[]\n",
    "a message of another version": b'{"jsonrpc":"1.0","id":5,"method":"tools/call"}\n',
    "JSON that Python alone reads": b'{"jsonrpc":"2.0","method":"notifications/x","params":{"a":NaN,"b":-Infinity}}\n',
}


@check(STDIO)
def lines_that_are_no_messages(pair):
    """Lines that are no JSON, or no message, reach the client as they are."""
    for name, line in ODD_LINES.items():
        pair.server.write(line)
        expect_same(pair.line(), line, f"A line ({name})")


@check(STDIO)
def lines_that_are_no_messages_to_the_server(pair):
    """Lines that are no JSON, or no message, reach the server as they are."""
    for name, line in ODD_LINES.items():
        pair.write(line)
        expect_same(pair.line_at_server(), line, f"A line ({name})")


@check(STDIO)
def blank_lines(pair):
    """Blank lines stay, both ways."""
    raw = pair.call()
    pair.write(b"\n \t\n" + raw + b"\n\n")
    expect_same([pair.line_at_server() for _ in range(4)], [b"\n", b" \t\n", raw + b"\n", b"\n"], "The input")
    answer = write_answer(json.loads(raw)["id"], pair.result()) + b"\n"
    pair.server.write(b"\n\n" + answer + b"\n")
    expect_same([pair.line() for _ in range(4)], [b"\n", b"\n", answer, b"\n"], "The output")


@check(STDIO)
def carriage_returns(pair):
    """Lines that end with CR LF keep their end, both ways."""
    raw = pair.call()
    pair.write(raw + b"\r\n")
    expect_same(pair.line_at_server(), raw + b"\r\n", "The request")
    answer = write_answer(json.loads(raw)["id"], pair.result()) + b"\r\n"
    pair.server.write(answer)
    expect_same(pair.line(), answer, "The answer")


@check(STDIO, has_failure=True)
def failure_on_an_odd_line(pair):
    """A failure passes on a line with blanks around it that ends with CR LF, behind a line that is no message."""
    exchange = pair.ask(pair.call())
    arrival = pair.arrival("tools/call")
    answer = write_answer(arrival.id, pair.result('"content":[{"type":"text","text":"boom"}],"isError":true'))
    pair.server.write(b"no JSON\r\n \t" + answer + b" \r\n\n")
    expect_same(pair.line(), b"no JSON\r\n", "The line before")
    pair.expect_failure(exchange.answer(), b" \t" + answer + b" ")


@check(STDIO)
def lines_in_pieces(pair):
    """A line that is written byte by byte arrives whole, and so do many lines written at once."""
    raw = pair.call('{"é":"日本"}')
    for byte in raw + b"\n":
        pair.write(bytes([byte]))
    expect_same(pair.line_at_server(), raw + b"\n", "The request")
    answer = write_answer(json.loads(raw)["id"], pair.result('"content":[{"type":"text","text":"日本"}]')) + b"\n"
    for byte in answer:
        pair.server.write(bytes([byte]))
    expect_same(pair.line(), answer, "The answer")
    lines = [f'{{"jsonrpc":"2.0","method":"notifications/x","params":{{"n":{n}}}}}\n'.encode() for n in range(500)]
    pair.write(b"".join(lines))
    expect_same([pair.line_at_server() for _ in lines], lines, "The lines")
    pair.server.write(b"".join(lines))
    expect_same([pair.line() for _ in lines], lines, "The lines")


@check(STDIO, alone=True, opens=False)
def line_without_an_end(pair):
    """A last line without its end reaches the server when the input ends, and the client when the output ends."""
    server = pair.server
    server.stays = True
    raw = pair.call()
    pair.write(raw)
    pair.process.stdin.close()
    expect_same(pair.line_at_server(), raw, "The request")
    answer = write_answer(json.loads(raw)["id"], pair.result())
    server.write(answer)
    server.do(fidelity_server.EXIT, b"\0")
    expect_same(pair.line(), answer, "The answer")


@check(STDIO, alone=True, opens=False)
def order_of_lines(pair):
    """Lines keep their order, whatever they are and whatever their length."""
    lines = []
    for number in range(200):
        line = f'{{"jsonrpc":"2.0","method":"notifications/x","params":{{"n":{number},"x":"{"x" * (number**2)}"}}}}\n'
        lines += [line.encode(), b"no JSON %d\n" % number]
    threading.Thread(target=pair.write, args=(b"".join(lines),), daemon=True).start()
    expect_same([pair.line_at_server() for _ in lines], lines, "The input")
    threading.Thread(target=pair.server.write, args=(b"".join(lines),), daemon=True).start()
    expect_same([pair.line() for _ in lines], lines, "The output")


section("processes of stdio")


@check(STDIO, eras=(OLD,), about_process=True)
def what_the_server_is_started_with(pair):
    """The server is started with its arguments, its environment and its directory as they are."""
    facts = pair.server.facts
    expect_same(facts["arguments"], list(ARGUMENTS), "The arguments")
    expect_same(facts["directory"], str(Path.cwd()), "The directory")
    lost = {name for name in pair.environment if pair.environment[name] != facts["environment"].get(name)} - {"_"}
    expect_same(lost, set(), "The environment")


@check(STDIO, eras=(OLD,))
def standard_error(pair):
    """What the server writes to its standard error comes out there, byte for byte."""
    text = b"\xff\x00 a warning without end \xe2\x80"
    pair.server.do(fidelity_server.WRITE_ERROR, text)
    deadline = time.monotonic() + pair.limit_s
    while text not in pair.stderr and time.monotonic() < deadline:
        time.sleep(0.005)
    expect(text in pair.stderr, "The words have not come.", bytes(pair.stderr))


@check(STDIO, eras=(OLD,), alone=True, about_process=True)
def exit_codes(pair):
    """When the server ends, so does the command, with the exit code of the server."""
    pair.server.do(fidelity_server.EXIT, b"\x2a")
    expect_same(pair.exit_code(), 42, "The exit code")


@check(STDIO, eras=(OLD,), alone=True, about_process=True)
def death_by_a_signal(pair):
    """When a signal kills the server, the command ends in a way that says so."""
    pair.server.do(fidelity_server.DIE)
    expect(pair.exit_code() in {-signal.SIGKILL, 128 + signal.SIGKILL}, "The exit code is another.", pair.exit_code())


@check(STDIO, eras=(OLD,), alone=True, about_process=True)
def termination(pair):
    """SIGTERM reaches the server, and the command ends as the server does then."""
    server = pair.server
    pair.process.send_signal(signal.SIGTERM)
    expect_same(server.signals.take(timeout_s=pair.limit_s), signal.SIGTERM, "The signal")
    server.do(fidelity_server.EXIT, b"\x07")
    expect_same(pair.exit_code(), 7, "The exit code")


@check(STDIO, eras=(OLD,), alone=True, about_process=True)
def interruption(pair):
    """SIGINT and SIGHUP reach the server."""
    server = pair.server
    server.stays = True
    for number in (signal.SIGINT, signal.SIGHUP):
        pair.process.send_signal(number)
        expect_same(server.signals.take(timeout_s=pair.limit_s), number, "The signal")
    server.do(fidelity_server.EXIT, b"\0")


@check(STDIO, alone=True, about_process=True)
def end_of_input(pair):
    """The end of the input reaches the server, whose last answer reaches the client."""
    server = pair.server
    server.stays = True
    exchange = pair.ask(pair.call())
    arrival = pair.arrival("tools/call")
    pair.process.stdin.close()
    expect(server.input_ended.wait(pair.limit_s), "The input of the server goes on.")
    arrival.answer(write_answer(arrival.id, pair.result()))
    read(exchange.answer())
    server.do(fidelity_server.EXIT, b"\x03")
    expect_same(pair.exit_code(), 3, "The exit code")


@check(STDIO, alone=True, eras=(OLD,), about_process=True)
def last_words(pair):
    """What the server writes before it exits reaches the client whole."""
    line = b"x" * (5 * MEGABYTE) + b"\n"
    pair.server.write(line)
    pair.server.do(fidelity_server.EXIT, b"\0")
    expect(pair.line() == line, "The line is another.")
    expect_same(pair.exit_code(), 0, "The exit code")


@check(STDIO, alone=True)
def death_during_a_call(pair):
    """A call whose server dies ends, and not with a success."""
    exchange = pair.ask(pair.call())
    arrival = pair.arrival("tools/call")
    arrival.relay.do(fidelity_server.EXIT, b"\x03")
    answer = exchange.answer()
    expect(answer is not None or pair.received.is_over, "The call goes on.", bytes(pair.stderr[-1000:]))
    if answer is not None:
        message = json.loads(answer)
        is_failure = "error" in message or message.get("result", {}).get("isError") is True
        expect(is_failure, "The call is answered with a success.", answer)


@check(STDIO, alone=True, eras=(OLD,), only_between=True, about_process=True)
def grandchildren(pair):
    """When the client leaves, what the server has started ends as well."""
    server = pair.server
    server.do(fidelity_server.BEAR)
    grandchild = server.grandchildren.take(timeout_s=pair.limit_s)
    try:
        pair.process.stdin.close()
        pair.exit_code()
        expect(_is_gone_within(grandchild, pair.limit_s), "The grandchild goes on.")
    finally:
        _end(grandchild)


@check(STDIO, alone=True, eras=(OLD,), only_between=True, about_process=True)
def grandchildren_after_a_signal(pair):
    """After SIGTERM the server ends, and what it has started as well, also if it does not listen."""
    server = pair.server
    server.stays = True  # It reports the signal and goes on.
    server.do(fidelity_server.BEAR)
    grandchild = server.grandchildren.take(timeout_s=pair.limit_s)
    try:
        pair.process.send_signal(signal.SIGTERM)
        server.signals.take(timeout_s=pair.limit_s)
        pair.exit_code()
        expect(_is_gone_within(grandchild, pair.limit_s), "The grandchild goes on.")
        expect(_is_gone_within(server.facts["pid"], pair.limit_s), "The server goes on.")
    finally:
        _end(grandchild)


@check(STDIO, alone=True, eras=(OLD,), only_between=True, about_process=True)
def end_by_force(pair):
    """When what stands in between is killed, the input of the server ends."""
    server = pair.server
    pair.process.kill()
    expect(server.input_ended.wait(pair.limit_s), "The input of the server goes on.")


def _is_gone_within(pid, timeout_s):
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":  # Whoever adopted it has not looked yet.
            return True
        time.sleep(0.01)
    return False


def _end(pid):
    with suppress(OSError):
        os.kill(pid, signal.SIGKILL)


def _resident_mb(pid):
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS")), 0.0)


def _count_until_quiet(inbox):
    count = 0
    while count < FLOOD and inbox.take(timeout_s=QUIET_S) is not None:
        count += 1
    return count


@check(STDIO, alone=True, eras=(OLD,))
def client_that_does_not_read(pair):
    """A client that does not read stops the server, and fills no memory."""
    line = b'{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"%s"}}\n' % (
        b"x" * MEGABYTE
    )
    server = pair.server
    pair.hold_client()
    before = _resident_mb(pair.process.pid)
    server.written.clear()
    threading.Thread(target=lambda: [server.write(line) for _ in range(FLOOD)], daemon=True).start()
    written = _count_until_quiet(server.written)
    grown = _resident_mb(pair.process.pid) - before
    pair.release_client()
    expect(
        written < HIGHEST_FLOOD, f"{written} of {FLOOD} MB were taken from the server.", f"{grown:.0f} MB more memory"
    )
    expect(grown < HIGHEST_FLOOD, f"{grown:.0f} MB of memory were filled.")
    for _ in range(FLOOD):
        expect(pair.line() == line, "A line is another.")


@check(STDIO, alone=True, eras=(OLD,))
def server_that_does_not_read(pair):
    """A server that does not read stops the client, and fills no memory."""
    line = b'{"jsonrpc":"2.0","method":"notifications/x","params":{"data":"%s"}}\n' % (b"x" * MEGABYTE)
    server = pair.server
    before = _resident_mb(pair.process.pid)
    server.do(fidelity_server.HOLD)
    written = Inbox()

    def write():
        for _ in range(FLOOD):
            pair.write(line)
            written.put(1)

    threading.Thread(target=write, daemon=True).start()
    count = _count_until_quiet(written)
    grown = _resident_mb(pair.process.pid) - before
    server.do(fidelity_server.GO_ON)
    expect(count < HIGHEST_FLOOD, f"{count} of {FLOOD} MB were taken from the client.", f"{grown:.0f} MB more memory")
    expect(grown < HIGHEST_FLOOD, f"{grown:.0f} MB of memory were filled.")
    for _ in range(FLOOD):
        expect(pair.line_at_server() == line, "A line is another.")


@check(STDIO, alone=True, eras=(OLD,))
def both_write_at_once(pair):
    """When both sides write much at the same time, everything arrives."""
    lines = [
        b'{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"%d %s"}}\n'
        % (n, b"x" * 20_000)
        for n in range(600)
    ]
    threading.Thread(target=pair.write, args=(b"".join(lines),), daemon=True).start()
    threading.Thread(target=pair.server.write, args=(b"".join(lines),), daemon=True).start()
    expect_same([pair.line_at_server() for _ in lines], lines, "The input")
    expect_same([pair.line() for _ in lines], lines, "The output")


section("HTTP: headers, sessions, statuses, streams")


def _header(arrival, name):
    return arrival.http.head.all(name)


@check(*HTTP, eras=(NEW,))
def param_headers(pair):
    """`Mcp-Param-*` headers reach the server, also unknown ones and coded ones."""
    raw = pair.call('{"region":"é"}')
    own = [("Mcp-Param-Region", "=?base64?w6k=?="), ("mcp-param-x_y", "1.0"), ("Mcp-Param-Empty", "")]
    exchange = pair.send("POST", raw, [*pair.headers(raw), *own])
    arrival = pair.arrival("tools/call")
    expect_same([_header(arrival, name) for name, _ in own], [[value] for _, value in own], "The headers")
    arrival.answer(write_answer(arrival.id, pair.result()))
    read(exchange.answer())


@check(*HTTP, eras=(NEW,))
def routing_headers(pair):
    """`Mcp-Method`, `Mcp-Name` and `MCP-Protocol-Version` stay, and so does the server's refusal of them."""
    raw = pair.request("resources/read", '{"uri":"x://é"}')
    own = [("Mcp-Method", "resources/read"), ("Mcp-Name", "=?base64?eDovL8Op?="), ("MCP-Protocol-Version", NEW)]
    _headers_pass(pair, raw, own)


@check(*HTTP, eras=(NEW,))
def routing_headers_that_do_not_fit(pair):
    """`Mcp-Method` and `Mcp-Name` that do not fit the body stay as they are, or are refused with 400 and -32020."""
    for method, name in (("resources/read", "t"), ("tools/call", "t  t")):
        _headers_pass(pair, pair.call(), [("Mcp-Method", method), ("Mcp-Name", name), ("MCP-Protocol-Version", NEW)])


def _headers_pass(pair, raw, own):
    plain = [("Accept", "application/json, text/event-stream"), ("Content-Type", "application/json")]
    exchange = pair.send("POST", raw, [*plain, *own])
    arrival = pair.arrived.take(lambda each: each.raw == raw, timeout_s=pair.limit_s)
    if arrival is None:  # Who reads the body itself has to compare.
        expect_same((exchange.status, read(exchange.body())["error"]["code"]), (400, -32020), "The refusal")
        return
    expect_same([_header(arrival, each) for each, _ in own], [[value] for _, value in own], "The headers")
    error = '{"code":-32020,"message":"Header mismatch: Mcp-Name"}'
    arrival.http.respond("400 Bad Request", write_answer(arrival.id, error=error))
    expect_same(exchange.status, 400, "The status")
    expect_same(exchange.body(), write_answer(arrival.id, error=error), "The error")


@check(*HTTP, eras=(OLD,))
def session_ids(pair):
    """`Mcp-Session-Id` passes both ways."""
    expect(
        pair.session is not None and pair.session.startswith("session-"), "The id is not the server's.", pair.session
    )
    exchange = pair.ask(pair.call())
    arrival = pair.arrival("tools/call")
    expect_same(_header(arrival, "mcp-session-id"), [pair.session], "The id")
    expect_same(_header(arrival, "mcp-protocol-version"), [OLD], "The version")
    arrival.answer(write_answer(arrival.id, pair.result()))
    read(exchange.answer())


@check(JSON, eras=(OLD,))
def end_of_a_session(pair):
    """DELETE reaches the server with the id of the session, and its answer the client."""
    with pair.claiming("DELETE"):
        for status in ("204 No Content", "405 Method Not Allowed"):
            exchange = pair.send("DELETE", headers=pair.headers())
            arrival = pair.arrival(fits=lambda each: each.http.method == "DELETE")
            expect_same(_header(arrival, "mcp-session-id"), [pair.session], "The id")
            arrival.http.respond(status)
            expect_same(exchange.status, int(status[:3]), "The status")
            expect_same(exchange.body(), b"", "The body")


@check(JSON)
def accepted_notifications(pair):
    """A notification is answered as the server answers it: with 202 and no body, or with an error."""
    raw = b'{"jsonrpc":"2.0","method":"notifications/x","params":{}}'
    with pair.claiming("notifications/x"):
        for status, body in (("202 Accepted", b""), ("400 Bad Request", b'{"jsonrpc":"2.0","error":{"code":-32600}}')):
            exchange = pair.send("POST", raw)
            arrival = pair.arrival("notifications/x")
            expect_same(arrival.raw, raw, "The notification")
            arrival.http.respond(status, body)
            expect_same((exchange.status, exchange.body()), (int(status[:3]), body), "The answer")


@check(JSON)
def refused_streams(pair):
    """405 for a GET stays 405, with its `Allow`."""
    exchange = pair.send("GET", headers=pair.headers(accept="text/event-stream"))
    arrival = pair.arrival(fits=lambda each: each.http.method == "GET")
    expect_same(_header(arrival, "accept"), ["text/event-stream"], "The `Accept`")
    expect_same(exchange.status, 405, "The status")
    expect_same(exchange.head.all("allow"), ["POST, DELETE"], "The `Allow`")


@check(JSON, eras=(OLD,))
def lost_sessions(pair):
    """404 for a session that is gone stays 404, so that the client begins a new one."""
    _status_passes(
        pair, "404 Not Found", b'{"jsonrpc":"2.0","id":"x","error":{"code":-32600,"message":"Session not found"}}'
    )


@check(JSON)
def refused_credentials(pair):
    """401 and 403 stay, with `WWW-Authenticate` and body."""
    challenge = 'Bearer resource_metadata="https://example.com/.well-known/oauth-protected-resource", scope="a b"'
    for status in ("401 Unauthorized", "403 Forbidden"):
        _status_passes(pair, status, b'{"error":"invalid_token"}', [("WWW-Authenticate", challenge)])
        _status_passes(pair, status, b"", [("WWW-Authenticate", "Basic"), ("WWW-Authenticate", challenge)])


@check(JSON)
def refused_requests(pair):
    """Statuses with which a server refuses a request pass, whatever their body is."""
    for status, body, content_type in (
        ("400 Bad Request", b"\xff no JSON", "text/plain; charset=latin-1"),
        ("406 Not Acceptable", b"", "text/plain"),
        ("413 Content Too Large", b"<h1>413</h1>", "text/html"),
        ("415 Unsupported Media Type", b'{"a": 1.0}', "application/json;charset=UTF-8"),
        ("421 Misdirected Request", b"", "text/plain"),
    ):
        _status_passes(pair, status, body, method="resources/read", content_type=content_type)


@check(JSON)
def failures_of_the_server(pair):
    """500, 502, 503 and 429 of what is no call of a tool pass with body and `Retry-After`."""
    for status in ("429 Too Many Requests", "500 Internal Server Error", "502 Bad Gateway", "503 Service Unavailable"):
        _status_passes(pair, status, b"upstream connect error", [("Retry-After", "17")], method="resources/read")


def _status_passes(  # noqa: PLR0913 - it is all there is of a response.
    pair, status, body, headers=(), *, method="tools/call", content_type="application/json"
):
    raw = pair.call() if method == "tools/call" else pair.request(method, '{"uri":"x://1"}')
    exchange = pair.send("POST", raw)
    pair.arrival(method).http.respond(status, body, headers, content_type=content_type)
    expect_same(exchange.status, int(status[:3]), "The status")
    expect_same(exchange.body(), body, "The body")
    for name in {name for name, _ in headers}:
        expect_same(exchange.head.all(name), [value for each, value in headers if each == name], f"`{name}`")
    if body:
        expect_same(exchange.head.all("content-type"), [content_type], "The `Content-Type`")


@check(JSON)
def metadata_of_authorization(pair):
    """`/.well-known/oauth-protected-resource` is answered by the server, not by whoever stands in between."""
    for path in ("/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"):
        with pair.claiming("GET"):
            exchange = pair.send("GET", headers=[("Accept", "application/json")], path=path)
            arrival = pair.arrival(fits=lambda each: each.http.method == "GET")
            expect_same(arrival.http.target, path, "The path")
            body = b'{"resource": "https://example.com/mcp", "authorization_servers": [ORIGIN]}'
            arrival.http.respond("200 OK", body)
            expect_same((exchange.status, exchange.body()), (200, body), "The metadata")


@check(JSON)
def paths_and_queries(pair):
    """The query of a request reaches the server as it is."""
    for query in ("?a=1&b=%20x+y&a=2", "?", "?token=%E2%82%AC/%2F"):
        raw = pair.call()
        exchange = pair.send("POST", raw, path=query)
        arrival = pair.arrival("tools/call")
        expect_same(arrival.http.target.removesuffix("?"), f"/mcp{query}".removesuffix("?"), "The target")
        arrival.answer(write_answer(arrival.id, pair.result()))
        read(exchange.answer())


@check(*HTTP)
def headers_of_a_request(pair):
    """`Authorization`, cookies and custom headers of a request reach the server, also those that come twice."""
    raw = pair.call()
    own = [
        ("Authorization", "Bearer abc.def=="),
        ("X-Custom", "one"),
        ("X-Custom", "two, three"),
        ("Cookie", "a=b; c=d"),
        ("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
        ("Origin", ORIGIN),
        ("User-Agent", "fidelity/1.0"),
        ("Accept-Language", "de;q=0.7"),
    ]
    exchange = pair.send("POST", raw, [*pair.headers(raw), *own])
    arrival = pair.arrival("tools/call")
    for name in dict(own):
        expected = ", ".join(value for each, value in own if each == name)
        expect_same(", ".join(_header(arrival, name)), expected, f"`{name}`")
    expect_same(_header(arrival, "accept"), ["application/json, text/event-stream"], "`Accept`")
    arrival.answer(write_answer(arrival.id, pair.result()))
    read(exchange.answer())


@check(JSON)
def headers_of_a_response(pair):
    """Cookies and custom headers of a response reach the client, also those that come twice."""
    raw = pair.call()
    exchange = pair.send("POST", raw)
    arrival = pair.arrival("tools/call")
    own = [("X-RateLimit-Remaining", "3"), ("Set-Cookie", "a=b; Path=/"), ("Set-Cookie", "c=d"), ("ETag", '"x"')]
    arrival.http.respond("200 OK", write_answer(arrival.id, pair.result()), own)
    read(exchange.answer())
    for name in dict(own):
        expect_same(exchange.head.all(name), [value for each, value in own if each == name], f"`{name}`")


@check(JSON, has_failure=True)
def headers_of_a_failure(pair):
    """Cookies and custom headers of a response reach the client with a failure, too."""
    exchange = pair.ask(pair.call())
    arrival = pair.arrival("tools/call")
    failing = write_answer(arrival.id, pair.result('"content":[{"type":"text","text":"boom"}],"isError":true'))
    own = [("X-RateLimit-Remaining", "3"), ("Set-Cookie", "a=b; Path=/"), ("Set-Cookie", "c=d"), ("X-Request-Id", "7")]
    arrival.http.respond("200 OK", failing, own)
    pair.expect_failure(exchange.body(), failing)


@check(JSON, has_failure=True)
def statuses_of_failed_calls(pair):
    """429, 500 and 503 for the call of a tool pass with body and `Retry-After`."""
    for status in ("429 Too Many Requests", "500 Internal Server Error", "503 Service Unavailable"):
        exchange = pair.ask(pair.call(f'{{"status":"{status}"}}'))
        pair.arrival("tools/call").http.respond(
            status, b"upstream connect error", [("Retry-After", "17")], content_type="text/plain"
        )
        pair.expect_failure((exchange.status, exchange.body()), (int(status[:3]), b"upstream connect error"))


@check(JSON, only_between=True)
def hop_by_hop_headers(pair):
    """Headers that are for one hop stay there, in both directions."""
    raw = pair.call()
    own = [
        ("Connection", "keep-alive, X-Hop"),
        ("X-Hop", "1"),
        ("Keep-Alive", "timeout=5"),
        ("TE", "trailers"),
        ("Proxy-Connection", "close"),
        ("Upgrade", "h2c"),
    ]
    exchange = pair.send("POST", raw, [*pair.headers(raw), *own])
    arrival = pair.arrival("tools/call")
    for name in ("X-Hop", "Keep-Alive", "Proxy-Connection", "Upgrade"):
        expect_same(_header(arrival, name), [], f"`{name}`")
    expect_same(_header(arrival, "host"), [f"127.0.0.1:{pair.server.port}"], "`Host`")
    own = [("Connection", "keep-alive, X-Back"), ("X-Back", "1"), ("Keep-Alive", "timeout=5")]
    arrival.http.respond("200 OK", write_answer(arrival.id, pair.result()), own)
    read(exchange.answer())
    for name in ("X-Back", "Keep-Alive"):
        expect_same(exchange.head.all(name), [], f"`{name}`")


@check(JSON)
def compressed_answers(pair):
    """An answer that the server compresses can be read by a client that asks for it, and by one that does not."""
    for accepted in ("gzip", "identity", None):
        for method in ("tools/call", "resources/read"):
            raw = pair.call() if method == "tools/call" else pair.request(method, '{"uri":"x://1"}')
            exchange = pair.send(
                "POST", raw, [*pair.headers(raw), *([("Accept-Encoding", accepted)] if accepted else [])]
            )
            arrival = pair.arrival(method)
            answer = write_answer(arrival.id, pair.result('"content":[],"contents":[]'))
            if any("gzip" in each for each in _header(arrival, "accept-encoding")):
                arrival.http.respond("200 OK", gzip.compress(answer), [("Content-Encoding", "gzip")])
            else:
                arrival.http.respond("200 OK", answer)
            encoding = exchange.head.get("content-encoding")
            expect(encoding in {None, "identity", accepted}, "The client has not asked for it.", encoding)
            body = gzip.decompress(exchange.body()) if encoding == "gzip" else exchange.body()
            expect_same(body, answer, "The answer")


@check(JSON)
def answers_compressed_unasked(pair):
    """An answer that is compressed though nobody asked for it is what its headers say."""
    exchange = pair.ask(pair.call())
    arrival = pair.arrival("tools/call")
    answer = write_answer(arrival.id, pair.result())
    arrival.http.respond("200 OK", gzip.compress(answer), [("Content-Encoding", "gzip")])
    encoding = exchange.head.get("content-encoding")
    body = gzip.decompress(exchange.body()) if encoding == "gzip" else exchange.body()
    expect_same(body, answer, "The answer")


@check(JSON)
def bodies_in_chunks(pair):
    """A request that comes in chunks arrives whole, and so does an answer in chunks."""
    raw = pair.call(json.dumps({"v": "é" * 150_000}))
    exchange = pair.send("POST", raw, in_chunks=True)
    arrival = pair.arrival("tools/call")
    expect(arrival.raw == raw, "The request is not as it was.")
    answer = write_answer(arrival.id, pair.result())
    arrival.http.begin(content_type="application/json")
    for part in cut(answer, 7):
        arrival.http.part(part)
    arrival.http.end()
    expect_same(exchange.body(), answer, "The answer")


@check(JSON)
def types_of_content(pair):
    """`Content-Type` keeps its parameters, both ways."""
    raw = pair.call()
    own = [("Accept", "application/json, text/event-stream"), ("Content-Type", "application/json; charset=utf-8; x=y")]
    exchange = pair.send("POST", raw, [*own, *pair.headers(raw)[2:]])
    arrival = pair.arrival("tools/call")
    expect_same(_header(arrival, "content-type"), ["application/json; charset=utf-8; x=y"], "The type of the request")
    answer = write_answer(arrival.id, pair.result())
    arrival.http.respond("200 OK", answer, content_type="application/json;charset=UTF-8")
    expect_same(exchange.body(), answer, "The answer")
    expect_same(exchange.head.all("content-type"), ["application/json;charset=UTF-8"], "The type of the answer")


@check(JSON)
def bodies_that_are_no_messages(pair):
    """Bodies that are no JSON reach the server as they are, and so do those of its answers the client."""
    with pair.claiming("POST"):
        for body in (b"", b"no JSON", b'{"a":"\xff\xfe"}', b'{"jsonrpc":"2.0","id":1,"method":', b"[]", b"\x00\x01"):
            exchange = pair.send("POST", body, pair.headers(pair.call()))
            arrival = pair.arrival(fits=lambda each: each.http.method == "POST")
            expect_same(arrival.raw, body, "The body")
            arrival.http.respond("200 OK", b"\xfe" + body)
            expect_same(exchange.body(), b"\xfe" + body, "The body")


@check(JSON)
def other_verbs(pair):
    """OPTIONS and HEAD reach the server, and its answer the client."""
    for method in ("OPTIONS", "HEAD"):
        exchange = pair.send(method, headers=[("Origin", ORIGIN), ("Access-Control-Request-Method", "POST")])
        arrival = pair.arrival(fits=lambda each, method=method: each.http.method == method)
        arrival.http.respond("204 No Content", headers=[("Access-Control-Allow-Origin", ORIGIN)])
        expect_same(exchange.status, 204, "The status")
        expect_same(exchange.head.all("access-control-allow-origin"), [ORIGIN], "The header")


@check(EVENTS)
def streams_byte_for_byte(pair):
    """A stream of events passes byte for byte: ids, names, `retry`, comments, the empty event that primes it."""
    exchange = pair.ask(pair.call())
    arrival = pair.arrival("tools/call")
    parts = [
        b"id: s1-0\ndata:\n\n",
        b"retry: 1500\n\n",
        b": keep-alive\n\n",
        b":\n",
        b'id: s1-1\nevent: message\ndata: {"jsonrpc":"2.0","method":"notifications/x"}\n\n',
        b"event: vendor\ndata: no JSON\ndata:second line\n\n",
        b'data: {"jsonrpc":"2.0",\ndata: "method":"notifications/y","params":{"n":1.0}}\n\n',
        b"x-field: 1\nid\n\n",
        "id: é\ndata: é\n\n".encode(),
        b"id: s1-9\ndata: " + write_answer(arrival.id, pair.result()) + b"\n\n",
        b": after the answer\n\n",
    ]
    arrival.http.begin()
    for part in parts:
        arrival.http.part(part)
    arrival.http.end()
    expect_same(exchange.body(), b"".join(parts), "The stream")


@check(EVENTS, has_failure=True)
def failure_in_a_stream(pair):
    """A failure passes in the event in which it came, between ids, comments and notifications."""
    exchange = pair.ask(pair.call())
    arrival = pair.arrival("tools/call")
    answer = write_answer(arrival.id, pair.result('"content":[{"type":"text","text":"boom"}],"isError":true'))
    parts = [
        b"id: f-0\nretry: 15\ndata:\n\n: isError\n\n",
        b'data: {"jsonrpc":"2.0","method":"notifications/message","params":{"data":{"isError":true}}}\r\n\r\n',
        b"id: f-1\nevent: message\nx-field: 1\ndata: " + answer.replace(b",", b",\ndata: ") + b"\n: inside\n\n",
        b": after the answer\n\n",
    ]
    arrival.http.begin([("X-Custom", "1")])
    for part in parts:
        arrival.http.part(part)
    arrival.http.end()
    pair.expect_failure(exchange.body(), b"".join(parts), "The stream")


@check(EVENTS, has_failure=True)
def stream_that_ends_early(pair):
    """A stream that ends before the answer ends for the client as well."""
    exchange = pair.ask(pair.call())
    arrival = pair.arrival("tools/call")
    arrival.http.begin()
    arrival.http.part(b": nothing but this\n\n")
    arrival.http.end()
    pair.expect_failure(exchange.body(), b": nothing but this\n\n", "The stream")


@check(EVENTS)
def line_ends_of_streams(pair):
    """A stream whose lines end with CR LF, or with CR, passes byte for byte, also when cut within them."""
    for end in (b"\r\n", b"\r"):
        exchange = pair.ask(pair.call())
        arrival = pair.arrival("tools/call")
        answer = write_answer(arrival.id, pair.result())
        stream = end.join([b"\xef\xbb\xbf: comment", b"id: 1", b"data:", b"", b"id: 2", b"data: " + answer, b"", b""])
        arrival.http.begin()
        for byte in stream:
            arrival.http.part(bytes([byte]))
        arrival.http.end()
        expect_same(exchange.body(), stream, "The stream")


@check(EVENTS)
def events_one_at_a_time(pair):
    """Each event reaches the client before the next one is written, and the first headers before any event."""
    exchange = pair.ask(pair.call())
    arrival = pair.arrival("tools/call")
    arrival.http.begin([("X-Accel-Buffering", "no")])
    expect_same(exchange.status, 200, "The status")
    for part in (
        b": hello\n\n",
        b"id: 7\ndata: \n\n",
        b'data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}\n\n',
        b"event: message\ndata: " + write_answer(arrival.id, pair.result()) + b"\n\n",
    ):
        arrival.http.part(part)
        expect_same(exchange.until(part[-8:]), part, "The event")
    arrival.http.end()
    expect_same(exchange.body(), b"", "The rest")


@check(EVENTS, eras=(OLD,))
def messages_on_a_stream_of_their_own(pair):
    """Notifications and requests of the server reach the client on its GET stream, one at a time."""
    with pair.claiming("GET"):
        exchange = pair.send("GET", headers=pair.headers(accept="text/event-stream"))
        arrival = pair.arrival(fits=lambda each: each.http.method == "GET")
        expect_same(_header(arrival, "mcp-session-id"), [pair.session], "The session")
        arrival.http.begin()
        for part in (
            b"id: g-0\ndata:\n\n",
            b'id: g-1\ndata: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n',
            b'id: g-2\ndata: {"jsonrpc":"2.0","id":"s","method":"roots/list"}\n\n',
        ):
            arrival.http.part(part)
            expect_same(exchange.until(b"\n\n"), part, "The event")
        arrival.http.end()
        expect_same(exchange.body(), b"", "The rest")


@check(EVENTS, eras=(OLD,))
def resumption(pair):
    """After a broken stream, the answer reaches the client on the GET with its `Last-Event-ID`."""
    with pair.claiming("GET"):
        raw = pair.call()
        exchange = pair.ask(raw)
        arrival = pair.arrival("tools/call")
        arrival.http.begin()
        arrival.http.part(b"id: p-1\nretry: 10\ndata: \n\n")
        exchange.until(b"\n\n")
        arrival.http.end()
        expect(exchange.ended_within(), "The stream goes on.")
        resumed = pair.send("GET", headers=[*pair.headers(accept="text/event-stream"), ("Last-Event-ID", "p-1")])
        again = pair.arrival(fits=lambda each: each.http.method == "GET")
        expect_same(_header(again, "last-event-id"), ["p-1"], "`Last-Event-ID`")
        event = b"id: p-2\nevent: message\ndata: " + write_answer(json.loads(raw)["id"], pair.result()) + b"\n\n"
        again.http.begin()
        again.http.part(event)
        expect_same(resumed.until(b"\n\n"), event, "The answer")
        again.http.end()


@check(EVENTS, eras=(OLD,), has_failure=True)
def failure_after_resumption(pair):
    """After a broken stream, a failure reaches the client on the GET with its `Last-Event-ID`."""
    with pair.claiming("GET"):
        raw = pair.call()
        exchange = pair.ask(raw)
        arrival = pair.arrival("tools/call")
        arrival.http.begin()
        arrival.http.part(b"id: p-1\ndata: \n\n")
        arrival.http.end()
        exchange.body()
        resumed = pair.send("GET", headers=[*pair.headers(accept="text/event-stream"), ("Last-Event-ID", "p-1")])
        again = pair.arrival(fits=lambda each: each.http.method == "GET")
        failing = pair.result('"content":[{"type":"text","text":"boom"}],"isError":true')
        event = b"id: p-2\nevent: message\ndata: " + write_answer(json.loads(raw)["id"], failing) + b"\n\n"
        again.http.begin()
        again.http.part(event)
        again.http.end()
        pair.expect_failure(resumed.body(), event)


@check(*HTTP, eras=(NEW,))
def departure_of_the_client(pair):
    """When the client closes its connection, the server sees it closed: that is the cancellation of 2026."""
    exchange = pair.ask(pair.call())
    arrival = pair.arrival("tools/call")
    if pair.lane == EVENTS:
        arrival.http.begin()
        arrival.http.part(b": hello\n\n")
        exchange.until(b"\n\n")
    exchange.close()
    expect(arrival.http.is_closed_within(pair.limit_s), "The connection of the server stays open.")
    arrival.http.is_answered.set()


@check(*HTTP, eras=(OLD,))
def departure_that_is_no_cancellation(pair):
    """When the client closes its connection, the server gets no message about it: it is no cancellation in 2025."""
    exchange = pair.ask(pair.call())
    arrival = pair.arrival("tools/call")
    exchange.close()
    arrival.http.is_answered.set()
    read(pair.ask(pair.request("tools/list")).answer())
    pair.arrival("tools/list")
    others = [method_of(each.message) for each in iter(lambda: pair.arrived.take(timeout_s=0), None)]
    expect_same(others, [], "What has arrived besides")


@check(*HTTP)
def one_id_of_two_clients(pair):
    """Two clients may use the same id at the same time; each gets its own answer."""
    exchanges, arrivals = [], []
    for number in (1, 2):
        if not pair.is_modern:
            pair.session, pair.version = None, None
            pair.open()
        exchanges.append(pair.ask(pair.call(f'{{"n":{number}}}', "7")))
        arrivals.append(pair.arrival("tools/call"))
    for number, arrival in reversed([*enumerate(arrivals)]):
        arrival.answer(write_answer("7", pair.result(f'"content":[],"structuredContent":{{"n":{number}}}')))
    for number, exchange in enumerate(exchanges):
        expect_same(read(exchange.answer())["result"]["structuredContent"], {"n": number}, "The answer")


@check(EVENTS, eras=(NEW,))
def end_of_a_subscription(pair):
    """A stream that stays open goes on until the client closes it, and ends at the server then."""
    raw = pair.request("subscriptions/listen", '{"notifications":{"toolsListChanged":true}}')
    exchange = pair.ask(raw)
    arrival = pair.arrival("subscriptions/listen")
    arrival.http.begin()
    part = b'data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n'
    arrival.http.part(part)
    expect_same(exchange.until(b"\n\n"), part, "The event")
    exchange.close()
    expect(arrival.http.is_closed_within(pair.limit_s), "The connection of the server stays open.")
    arrival.http.is_answered.set()


@check(*HTTP)
def connection_that_breaks(pair):
    """A call whose server breaks the connection ends, and not with a success."""
    exchange = pair.ask(pair.call())
    arrival = pair.arrival("tools/call")
    if pair.lane == EVENTS:
        arrival.http.begin()
        arrival.http.part(b": hello\n\n")
        exchange.until(b"\n\n")
    arrival.http.break_off()
    expect(exchange.ended_within(), "The call goes on.")
    if (answer := exchange.answer()) is not None:
        message = json.loads(answer)
        expect("error" in message or message["result"].get("isError") is True, "The call has succeeded.", answer)


@check(JSON)
def answer_that_breaks_off(pair):
    """An answer that ends before its `Content-Length` is no whole answer for the client either."""
    raw = pair.request("resources/read", '{"uri":"x://1"}')
    exchange = pair.ask(raw)
    arrival = pair.arrival("resources/read")
    arrival.http.respond("200 OK", b'{"jsonrpc":"2.0"', [("Content-Length", "500")])
    arrival.http.break_off()
    expect(exchange.ended_within(), "The request goes on.")
    answer = exchange.answer()
    expect(
        exchange.is_broken or exchange.status >= 500 or "error" in (read(answer) if answer else {}),
        "The answer looks whole.",
        exchange.evidence(),
    )


@check(JSON, alone=True)
def server_that_is_not_there(pair):
    """A call of a server that is not there ends, and not with a success."""
    pair.server.stop()
    try:
        exchange = pair.ask(pair.call())
    except ConnectionError:
        return
    expect(exchange.ended_within(), "The call goes on.")
    if (answer := exchange.answer()) is not None:
        message = json.loads(answer)
        expect("error" in message or message["result"].get("isError") is True, "The call has succeeded.", answer)


@check(JSON)
def connection_kept_alive(pair):
    """One connection carries one request after the other."""
    with socket.create_connection(pair.where, timeout=pair.limit_s) as connection, connection.makefile("rb") as stream:
        for _ in range(5):
            raw = pair.call()
            headers = [("Host", pair.authority), *pair.headers(raw), ("Content-Length", len(raw))]
            connection.sendall(write_head(f"POST {pair.path} HTTP/1.1", headers) + raw)
            arrival = pair.arrival("tools/call")
            answer = write_answer(arrival.id, pair.result())
            arrival.answer(answer)
            head = read_head(stream)
            expect_same(b"".join(read_body(head, stream, until_end=False)), answer, "The answer")


@check(EVENTS, alone=True, eras=(OLD,))
def stream_that_nobody_reads(pair):
    """A client that does not read its stream stops the server, and fills no memory."""
    exchange = pair.ask(pair.call())
    arrival = pair.arrival("tools/call")
    arrival.http.begin()
    exchange.may_read.clear()
    before = _resident_mb(pair.process_id)
    event = b'data: {"jsonrpc":"2.0","method":"notifications/message","params":{"data":"%s"}}\n\n' % (b"x" * MEGABYTE)
    written = Inbox()

    def write():
        with suppress(OSError):
            for _ in range(FLOOD):
                arrival.http.part(event)
                written.put(1)
            arrival.answer(write_answer(arrival.id, pair.result()))

    threading.Thread(target=write, daemon=True).start()
    count = _count_until_quiet(written)
    grown = _resident_mb(pair.process_id) - before
    exchange.may_read.set()
    expect(
        count < HTTP_HIGHEST_FLOOD, f"{count} of {FLOOD} MB were taken from the server.", f"{grown:.0f} MB more memory"
    )
    expect(grown < HIGHEST_FLOOD, f"{grown:.0f} MB of memory were filled.")
    whole = event * FLOOD + b"event: message\ndata: " + write_answer(arrival.id, pair.result()) + b"\n\n"
    body = exchange.body()
    expect(body == whole, f"The stream is not as it was: {len(body)} of {len(whole)} bytes.", body[-200:])
