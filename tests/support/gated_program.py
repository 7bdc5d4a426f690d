"""A client over stdio that hides nothing, of `errata gate` before the scripted server."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path

from gate.fidelity_server import Inbox, Lines

from support import scripted_stdio_server
from support.scripted_stdio_server import read_notes, write_steps

LONGEST_S = 60
"""Nothing takes that long; it is there so that no test hangs."""
OLD = "2025-11-25"
_SERVER = [sys.executable, "-I", "-S", scripted_stdio_server.__file__]
_PROGRAM = """\
import sys
from errata.gate import _server_process, _stdio
for name, value in {changes!r}.items():
    module = _stdio if hasattr(_stdio, name) else _server_process
    assert hasattr(module, name)
    setattr(module, name, value)
from errata.cli import main
sys.exit(main())
"""


class GatedProgram:
    """A gate that was started, and what the client has got from it."""

    def __init__(self, notes, options, *, server=None, changes=None, **settings):
        self.notes = notes
        program = ["-c", _PROGRAM.format(changes=changes)] if changes else ["-m", "errata"]
        self.process = subprocess.Popen(
            [sys.executable, *program, "gate", *options, "--", *(server or [*_SERVER, str(notes)])],
            bufsize=0,
            **{"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **settings},
        )
        self.lines = Inbox()
        self.warnings = bytearray()
        self._last = 0
        self.may_read, self.may_read_errors = threading.Event(), threading.Event()
        self.may_read.set()
        self.may_read_errors.set()
        readers = {self._read: self.process.stdout, self._read_errors: self.process.stderr}
        self._threads = [threading.Thread(target=each, daemon=True) for each, stream in readers.items() if stream]
        for thread in self._threads:
            thread.start()

    # What the client says.

    def write(self, data):
        rest = memoryview(data)
        while rest:
            rest = rest[self.process.stdin.write(rest) :]

    def say(self, message):
        self.write(json.dumps(message).encode() + b"\n")

    def next_id(self):
        self._last += 1
        return self._last

    def begin(self, tool, *steps, id=None, meta=None, **arguments):  # noqa: A002 - that is its name.
        """Send a call without waiting for the answer; return its id."""
        id = self.next_id() if id is None else id  # noqa: A001
        self.say(call(tool, *steps, id=id, meta=meta, **arguments))
        return id

    def call(self, tool, *steps, **more):
        return self.answer(self.begin(tool, *steps, **more))

    def ask(self, method, **params):
        id = self.next_id()  # noqa: A001
        self.say({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        return self.answer(id)

    def tell(self, method, **params):
        self.say({"jsonrpc": "2.0", "method": method, "params": params})

    def shake_hands(self):
        answer = self.ask("initialize", protocolVersion=OLD, capabilities={}, clientInfo={"name": "c", "version": "1"})
        self.tell("notifications/initialized")
        return answer

    # What the client gets.

    def line(self, fits=lambda _: True):
        line = self.lines.take(fits, timeout_s=LONGEST_S)
        assert line is not None, bytes(self.warnings[-2000:])
        return line

    def answer(self, id):  # noqa: A002
        """Wait for the answer to a request; it is taken out."""
        return json.loads(self.line(lambda line: is_answer(line, id)))

    def rest(self):
        """Return all lines that are left, once there will be no more."""
        lines = []
        while (line := self.lines.take(timeout_s=LONGEST_S)) is not None:
            lines.append(line)
        return lines

    # How it ends.

    def leave(self):
        """Close the gate's input; return the exit code."""
        self.process.stdin.close()
        return self.exit_code()

    def exit_code(self):
        status = self.process.wait(LONGEST_S)
        for thread in self._threads:
            thread.join(LONGEST_S)
        return status

    def summary(self):
        return self.warnings.decode().splitlines()[-1]

    def close(self):
        self.may_read.set()
        self.may_read_errors.set()
        with suppress(OSError):
            self.process.stdin.close()
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for thread in self._threads:
            thread.join(5)
        for stream in filter(None, (self.process.stdout, self.process.stderr)):
            stream.close()
        for pid in self.pids():
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)

    # What the server has noted.

    def noted(self, fits=lambda _: True):
        return [each for each in read_notes(self.notes) if fits(each)] if self.notes.exists() else []

    def calls(self):
        return self.noted(lambda each: each.get("method") == "tools/call")

    def pids(self):
        return [each["pid"] for each in self.noted(lambda each: "pid" in each)]

    def until_noted(self, fits):
        """Wait until the server has noted something that fits; return it."""
        return until(lambda: next(iter(self.noted(fits)), None))

    def _read(self):
        lines = Lines()
        while self.may_read.wait() and (data := _read(self.process.stdout)):
            for line in lines.feed(data):
                self.lines.put(line)
        if rest := lines.end():
            self.lines.put(rest)
        self.lines.end()

    def _read_errors(self):
        while self.may_read_errors.wait() and (data := _read(self.process.stderr)):
            self.warnings += data


@contextmanager
def gated(tmp_path, *options, **settings):
    """Start a gate before the scripted server, and end both."""
    program = GatedProgram(Path(tmp_path) / "notes.jsonl", options, **settings)
    try:
        yield program
    finally:
        program.close()


def call(tool, *steps, id, meta=None, **arguments):  # noqa: A002
    """Return a call whose arguments say what the server does with it."""
    params = {"name": tool, "arguments": {**arguments, "steps": write_steps(steps)}}
    if meta is not None:
        params["_meta"] = meta
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}


def result(text, **more):
    return {"content": [{"type": "text", "text": text}], **more}


def failure(text, **more):
    return result(text, isError=True, **more)


def text_of(answer):
    return answer["result"]["content"][0]["text"]


def fault_of(answer):
    return answer["result"]["_meta"]["errata/fault"]


def is_answer(line, id):  # noqa: A002
    try:
        message = json.loads(line)
    except ValueError:
        return False
    same = isinstance(message, dict) and "method" not in message and message.get("id") == id
    return same and type(message["id"]) is type(id)


def until(find):
    """Wait until a function returns something that is true; return that."""
    deadline = time.monotonic() + LONGEST_S
    while not (value := find()):
        assert time.monotonic() < deadline, "It does not happen."
        time.sleep(0.005)
    return value


def goes_on(pid):
    """Return whether a process is there, and no dead one that nobody has looked at."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def _read(stream):
    try:
        return stream.read(1 << 16)
    except (OSError, ValueError):
        return b""
