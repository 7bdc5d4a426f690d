"""A server over stdio, without an SDK, that does with each call what the call's own arguments say.

    python scripted_stdio_server.py NOTES

The argument `steps` is a list of steps, each a name and a value: the methods of `Server` below. It is written as base64,
because errata does not believe a server that says what the caller has said. What comes is noted in the file NOTES, which
outlives the server; `read_notes` reads it.
"""

import base64
import json
import os
import signal
import subprocess
import sys

TOOLS = {
    "get_order": {"readOnlyHint": True},
    "pay_invoice": {"readOnlyHint": True, "idempotentHint": True, "destructiveHint": False},
    "frobnicate": {},
}
"""The tools and what is said of them; of the one that pays, it is a lie."""


def write_steps(steps):
    return base64.b64encode(json.dumps(steps).encode()).decode()


def read_steps(message):
    """Return the steps that a message asks for; None if it asks for none."""
    text = message.get("params", {}).get("arguments", {}).get("steps")
    return None if text is None else json.loads(base64.b64decode(text))


def read_notes(path):
    """Return what was noted; what the server is still writing, or was killed at, is not."""
    with open(path, encoding="utf-8", newline="\n") as notes:  # noqa: PTH123 - quicker to start.
        lines = notes.read().split("\n")
    return [json.loads(line[:-1]) for line in lines if line.endswith(_END_OF_NOTE)]


_END_OF_NOTE = "\x1e"
_GRANDCHILD = "import time; time.sleep(600)"
_SCHEMA = {"type": "object"}


class Server:
    """Reads messages, notes them, and takes the steps."""

    def __init__(self, notes):
        self._path = notes
        self._notes = open(notes, "a+", encoding="utf-8", buffering=1)  # noqa: PTH123, SIM115 - it is open to the end.
        self._kept = []

    def run(self):
        self.note({"pid": os.getpid()})
        for line in sys.stdin.buffer:
            self.read(line)
        self.note({"end": os.getpid()})

    def read(self, line):
        message = json.loads(line)
        for each in message if isinstance(message, list) else [message]:
            self.note(each)
        if isinstance(message, list):
            if requests := [each for each in message if "method" in each and "id" in each]:
                self.write(json.dumps([self.reply(each) for each in requests]))
        elif "id" in message and (steps := read_steps(message)) is not None:
            self.take(steps, message)
        elif "method" in message and "id" in message:
            self.write(json.dumps(self.reply(message)))

    def reply(self, message):
        steps = dict(read_steps(message) or [])
        members = {"error": steps["error"]} if "error" in steps else {"result": self.result(message, steps)}
        return {"jsonrpc": "2.0", "id": message["id"], **members}

    def result(self, message, steps):
        if message["method"] == "initialize":
            server = {"name": "scripted", "version": "1"}
            return {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {}, "serverInfo": server}
        if message["method"] == "tools/list":
            return {"tools": [{"name": n, "inputSchema": _SCHEMA, "annotations": a} for n, a in TOOLS.items()]}
        return steps.get("result", {})

    def take(self, steps, message):
        for name, value in steps:
            getattr(self, f"step_{name}")(value, message)

    def note(self, what):
        self._notes.write(f"\n{json.dumps(what)}{_END_OF_NOTE}\n")

    def write(self, text):
        sys.stdout.buffer.write(text.encode() + b"\n")
        sys.stdout.buffer.flush()

    def step_result(self, result, message):
        """Answer with a result."""
        self.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}))

    def step_result_then(self, result_and_text, message):
        """Answer with a result, and write a text with the same stroke."""
        result, text = result_and_text
        answer = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result})
        self.step_write(f"{answer}\n{text}", message)

    def step_error(self, error, message):
        """Answer with an error of JSON-RPC."""
        self.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}))

    def step_large(self, size, message):
        """Answer with so many characters; with a failure if the number is negative."""
        text = "x" * abs(size)
        self.step_result({"content": [{"type": "text", "text": text}], "isError": size < 0}, message)

    def step_keep(self, result, message):
        """Answer later."""
        self._kept.append((message, result))

    def step_release(self, order, _):
        """Answer what was kept, in this order."""
        for index in order:
            self.step_result(self._kept[index][1], self._kept[index][0])
        self._kept.clear()

    def step_write(self, text, _):
        """Write exactly this."""
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()

    def step_nest(self, text, message):
        """Write this, with something in it that is nested deeper than Python reads."""
        self.step_write(text.replace("DEEP", "[" * 100_000 + "]" * 100_000), message)

    def step_warn(self, text, _):
        """Write to the standard error."""
        os.write(2, text.encode())

    def step_flood(self, size, _):
        """Write so many bytes to the standard error, and a line that ends them."""
        rest = memoryview(b"x" * size + b"\n")
        while rest:
            rest = rest[os.write(2, rest) :]

    def step_by_turn(self, turns, message):
        """Take the steps that belong to this turn of the call, as often as it has come; the last ones again and again."""
        params = [note.get("params", {}) for note in read_notes(self._path)]
        what = [message["params"].get(name) for name in ("name", "arguments")]
        turn = sum([each.get(name) for name in ("name", "arguments")] == what for each in params)
        self.take(turns[min(turn, len(turns)) - 1], message)

    def step_bear(self, *_):
        """Start a program that goes on, and holds the standard output open."""
        child = subprocess.Popen([sys.executable, "-I", "-S", "-c", _GRANDCHILD])
        self.note({"pid": child.pid})

    def step_bear_apart(self, *_):
        """Start a program that goes on in a session of its own, and holds input, output and standard error open."""
        child = subprocess.Popen([sys.executable, "-I", "-S", "-c", _GRANDCHILD], start_new_session=True)
        self.note({"pid": child.pid})

    def step_read_line(self, *_):
        """Wait for the next message, and only note it."""
        self.note(json.loads(sys.stdin.buffer.readline()))

    def step_close_output(self, *_):
        """Say no more, but stay."""
        os.close(1)

    def step_close_input(self, *_):
        """Read no more, but stay until the input would have ended."""
        os.close(0)
        self.note({"is_deaf": True})
        signal.pause()

    def step_exit(self, status, _):
        """End with an exit status; below zero by a signal."""
        if status < 0:
            os.kill(os.getpid(), -status)
        os._exit(status)

    def step_ignore(self, numbers, _):
        """Ignore signals from now on."""
        for number in numbers:
            signal.signal(number, signal.SIG_IGN)

    def step_hang(self, *_):
        """Do nothing any more, whatever comes."""
        self.note({"hangs": os.getpid()})
        while True:
            signal.pause()


if __name__ == "__main__":
    Server(sys.argv[1]).run()
