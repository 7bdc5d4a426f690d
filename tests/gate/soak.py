"""Fifty thousand calls through a gate over stdio, a third of which fail: does anything stay behind?

`make soak` runs it. What is counted after a third of the calls is counted again at the end: memory, descriptors, threads and
processes of the gate. Every call has to be answered once, also those that a server that dies has left.

    python tests/gate/soak.py               the soak
    python tests/gate/soak.py serve DEATHS  the server behind the gate, which dies at each call whose number is among these
"""

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

PLAIN, WITH_ALL = 30_000, 20_000
AT_ONCE = 50
"""So many calls are under way at the same time."""
A_DEATH = 5_000
"""So many calls each server lives for, where it is started again."""
MOST = {"descriptors": 0, "threads": 0, "children": 0, "mb": 8}
"""How much more of each there may be than after a third of the calls."""
LIMIT_S = 600
TEXT = "No order of this number is known here. " * 5
DOWN = {"code": "SERVICE_UNAVAILABLE", "message": "The store is closed.", "retryable": True}
TOOLS = [
    {"name": "get_order", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}},
    {"name": "cancel_order", "inputSchema": {"type": "object"}},
]


# The server.


def serve(deaths):
    sys.stderr.write(f"pid {os.getpid()}\n")
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if "id" not in message:
            continue
        if message["method"] == "tools/call" and message["params"]["arguments"]["n"] in deaths and is_first(message):
            os._exit(1)
        answer = {"jsonrpc": "2.0", "id": message["id"], **reply(message)}
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
        sys.stdout.buffer.flush()


def is_first(message):
    """Return whether a call is made for the first time: the gate repeats it under another id."""
    return isinstance(message["id"], int)


def reply(message):
    if message["method"] != "tools/call":
        return {"result": {"tools": TOOLS} if message["method"] == "tools/list" else {}}
    n = message["params"]["arguments"]["n"]
    if n % 6 == 0:
        return {"result": {"content": [{"type": "text", "text": f"{TEXT} {n}"}], "isError": True}}
    if n % 6 == 3:
        return {"error": {"code": -32603, "message": f"{TEXT} {n}", "data": {"n": n}}}
    if n % 20 == 1 and is_first(message):
        return {"error": {"code": -32000, "message": f"Closed. {n}", "data": DOWN}}
    return {"result": {"content": [{"type": "text", "text": str(n)}]}}


# The client.


class Soak:
    """A gate, and a client that makes calls through it."""

    def __init__(self, options, deaths):
        server = [sys.executable, __file__, "serve", ",".join(map(str, deaths))]
        command = [sys.executable, "-m", "errata", "gate", *options, "--name", "shop", "--", *server]
        pipe = subprocess.PIPE
        self.gate = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)
        self.errors = []
        self.outcomes = Counter()
        self.answered = Counter()
        self._free = threading.Semaphore(AT_ONCE)
        self._threads = [threading.Thread(target=target, daemon=True) for target in (self._read, self._read_errors)]
        for thread in self._threads:
            thread.start()
        self._say({"jsonrpc": "2.0", "id": "list", "method": "tools/list"})

    def call(self, numbers):
        """Make these calls, and wait until all are answered; return what the gate has then."""
        for n in numbers:
            if not self._free.acquire(timeout=LIMIT_S):
                raise TimeoutError("Calls are not answered any more.")
            tool = TOOLS[n % 7 == 0]["name"]
            self._say(
                {"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": {"name": tool, "arguments": {"n": n}}}
            )
        for _ in range(AT_ONCE):
            if not self._free.acquire(timeout=LIMIT_S):
                raise TimeoutError("The last calls are not answered.")
        self._free.release(AT_ONCE)
        return self._count()

    def leave(self):
        """End the gate; return its exit code and its summary."""
        self.gate.stdin.close()
        status = self.gate.wait(LIMIT_S)
        for thread in self._threads:
            thread.join(LIMIT_S)
        return status, self.errors[-1]

    @property
    def pids(self):
        return [int(found[1]) for line in self.errors if (found := re.fullmatch(r"pid (\d+)", line))]

    def _say(self, message):
        self.gate.stdin.write(json.dumps(message).encode() + b"\n")
        self.gate.stdin.flush()

    def _read(self):
        for line in self.gate.stdout:
            message = json.loads(line)
            if message["id"] == "list":
                continue
            self.answered[message["id"]] += 1
            self.outcomes[classify(message)] += 1
            self._free.release()

    def _read_errors(self):
        for line in self.gate.stderr:
            self.errors.append(line.decode().strip())

    def _count(self):
        here = Path(f"/proc/{self.gate.pid}")
        threads = list((here / "task").iterdir())
        return {
            "descriptors": len(list((here / "fd").iterdir())),
            "threads": len(threads),
            "children": sum(len((each / "children").read_text().split()) for each in threads),
            "mb": int((here / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 2**20,
        }


def classify(message):
    """Return how a call ended, as its client reads it."""
    if "result" not in message:
        return "protocol error"
    result = message["result"]
    attempts = result.get("_meta", {}).get("errata/attempts", 1)
    return ("failed" if result.get("isError") else "well") + (" after repetitions" if attempts > 1 else "")


def tell(line):
    sys.stdout.write(f"{line}\n")


def run(options, calls, deaths=()):
    """Make so many calls through a gate with these options; return what is wrong."""
    began = time.monotonic()
    soak = Soak(options, deaths)
    third = calls // 3
    first = soak.call(range(third))
    last = soak.call(range(third, calls))
    status, summary = soak.leave()
    more = {name: last[name] - first[name] for name in first}
    left = [pid for pid in soak.pids if Path(f"/proc/{pid}").exists()]
    wrong = [f"{more[name]} more {name} than after a third of the calls" for name in more if more[name] > MOST[name]]
    wrong += [f"{len(left)} servers go on"] * bool(left)
    wrong += [f"the exit code is {status}"] * bool(status)
    wrong += ["the server was not started as often as it died"] * (len(soak.pids) != len(deaths) + 1)
    wrong += ["not every call was answered once"] * (soak.answered != Counter(range(calls)))
    tell(
        f"{summary}\n  {dict(soak.outcomes)}; then {last}, {more} more than after a third; {time.monotonic() - began:.0f} s"
    )
    return wrong


def main():
    began = time.monotonic()
    wrong = run([], PLAIN)
    wrong += run(["--retry", "--breaker", "--restart"], WITH_ALL, range(A_DEATH - 1, WITH_ALL - 1, A_DEATH))
    outcome = "; ".join(wrong) or "nothing stays behind"
    tell(f"{PLAIN + WITH_ALL} calls through the gate in {time.monotonic() - began:.0f} s: {outcome}")
    return int(bool(wrong))


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        serve(frozenset(map(int, filter(None, sys.argv[2].split(",")))))
    elif sys.platform != "linux":
        tell("NOT RUN: what a process has is counted in /proc, which Linux has.")
    else:
        sys.exit(main())
