"""`make agents`: what an agent does with errata on five published MCP servers, written to docs/agents.md.

Each server is installed by name and version into `.agents`, unchanged, and started over stdio. The loop is the one of
docs/clients.md; its model is a script that sees the list of tools, the step it is handed, and what the user knows.
Two of the servers are programs for Linux on x64; one needs redis-server.
"""

import contextlib
import json
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio
from agent_servers import SERVERS, Call, Errand, Server
from probing import INSTALL_S, program, run

import errata.client
from errata.client import Caller, CallFailed, FixArguments, TellModel, UseTool

ROOT = Path(__file__).parent.parent
HOME = ROOT / ".agents"
PAGE = ROOT / "docs" / "agents.md"
LOOP_PAGE = ROOT / "docs" / "clients.md"
LONGEST_SESSION_S = 120
LONGEST_SHOWN, LONGEST_ANSWER = 400, 108
WIDTH = 120
ANSWER = "    = "
TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z?")

INTRODUCTION = """\
# What does an agent do with it?

Five published servers, unchanged, installed by name and version; none of them knows errata. On each, the loop of
[twenty lines](clients.md#what-to-do-next) pursues what a user wants. Its model is a script, so that the sessions can be repeated: it
sees the list of tools, the step that `decide` returns, and what its user knows. Each line with a tool is a call of the loop; below it
is what came back, a failure as `caller.render` writes it, and after the arrow the step. Without a step, the call worked. Parentheses
say what was done to the server from outside. `make agents` runs all of them again and writes this page.

The tasks were chosen, after trying the servers, to show different ways to fail. They are examples, not a measurement;
[how often errata is right](accuracy.md) is measured elsewhere.
"""


def main() -> None:
    sections = [INTRODUCTION]
    for server in SERVERS:
        print(f"{server.package} {server.version} ...", file=sys.stderr, flush=True)
        home = install(server)
        sections.append(write_section(server, anyio.run(session, server, home)))
    PAGE.write_text("\n".join(sections), encoding="utf-8")


def install(server: Server) -> Path:
    """Return the directory that a server is installed in; the first time, it is installed there."""
    home = HOME / f"{server.package.replace('/', '-')}-{server.version}"
    stamp = home / "installed"
    if stamp.exists():
        return home
    home.mkdir(parents=True, exist_ok=True)
    if server.is_on_npm:
        quietly = ("--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error")
        package = f"{server.package}@{server.version}"
        run([program("npm"), "install", *quietly, "--prefix", str(home), package], home, INSTALL_S)
    else:
        run([sys.executable, "-m", "venv", str(home)], home, INSTALL_S)
        pip = [str(home / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
        run([*pip, f"{server.package}=={server.version}"], home, INSTALL_S)
    stamp.touch()
    return home


async def session(server: Server, home: Path) -> list[str]:
    """Start a server, do all errands on it, and return the lines that tell of them."""
    scratch = HOME / "scratch" / server.directory
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    with contextlib.ExitStack() as stack, anyio.fail_after(LONGEST_SESSION_S):
        world = stack.enter_context(server.world(home, scratch))
        connected = Caller.connect(world.parameters, timeout_s=server.timeout_s, effects=server.effects)
        async with connected as caller:
            lines: list[str] = []
            for errand in server.errands(world):
                lines += await do(errand, caller)
    replaced = {str(scratch): "/data"} | {value: f"<{name}>" for name, value in world.facts.items()}
    return [shorten(hide(replaced, line)) for line in lines]  # In this order: a path is as long as it is here.


def hide(replaced: Mapping[str, str], line: str) -> str:
    for value, shown in replaced.items():
        line = line.replace(value, shown)
    return TIME.sub("<time>", line)


async def do(errand: Errand, caller: Caller) -> list[str]:
    record = Record(caller, errand)
    model = Model(errand, {tool.name: tool.input_schema for tool in await caller.tools()})

    async def choose(step: object, call: Call, outcome: object) -> Call | None:
        record.add_step(step)
        return model.choose(step, call, outcome)

    async def sleep(seconds: float) -> None:
        record.lines.append(f"→ Repeat the same call after {seconds:.0f} s.")
        await anyio.sleep(seconds)

    if errand.disturb:
        errand.disturb()
    end = await loop()(record, errand.call, choose, sleep)
    record.add_end(end)
    return record.lines


def loop() -> Callable[..., Any]:
    """Return `pursue` as docs/clients.md prints it."""
    text = LOOP_PAGE.read_text(encoding="utf-8")
    source = "async def pursue" + text.partition("async def pursue")[2].partition("```")[0]
    names: dict[str, Any] = {"anyio": anyio, **vars(errata.client)}
    exec(compile(source, LOOP_PAGE, "exec"), names)  # noqa: S102 - the page is our own.
    return names["pursue"]


class Record:
    """A caller that writes down what is called, and what came back."""

    def __init__(self, caller: Caller, errand: Errand) -> None:
        self._caller = caller
        self._keep, self._relieve = errand.keep, errand.relieve
        self.lines = ["", f"The user wants {errand.wish}."]
        if errand.note:
            self.lines.append(f"({errand.note})")

    @property
    def history(self) -> Sequence[CallFailed]:
        """The failures that `decide` looks back at."""
        return self._caller.history

    async def call(self, tool: str, arguments: Mapping[str, object]) -> object:
        """Call a tool as the caller does, and write it down."""
        given = ", ".join(f"{name}={json.dumps(value)}" for name, value in arguments.items())
        self.lines += ["", f"{tool}({given})"]
        try:
            result = await self._caller.call(tool, dict(arguments))
        except CallFailed as error:
            first, *others = self._caller.render(error).splitlines()
            self.lines += [f"    {line}" for line in (first, *others) if is_telling(line)]
            if self._relieve:
                self.lines.append(f"({self._relieve()})")
                self._relieve = None
            raise
        self._keep(text_of(result))
        self.lines.append(f"{ANSWER}{text_of(result) or 'An empty answer.'}")
        return result

    def add_step(self, step: object) -> None:
        """Write down what `decide` says; after a success it says nothing."""
        if step is not None:
            self.lines.append(f"→ {step}")

    def add_end(self, end: object) -> None:
        """Write down what the loop ended with."""
        if isinstance(end, errata.client.AskUser | errata.client.Stop):
            self.add_step(end)
        elif isinstance(end, CallFailed):
            self.lines.append("The agent knows no other way.")
        else:
            self.lines.append("Done.")


class Model:
    """A script in the place of a model, for one errand."""

    def __init__(self, errand: Errand, schemas: Mapping[str, Mapping[str, Any]]) -> None:
        self._errand = errand
        self._schemas = schemas
        self._waiting: Call | None = None
        """The call that was put off to look something up, or to see whether it happened."""
        self._is_verifying = False
        self._has_looked_up = self._has_tried_again = False

    def choose(self, step: object, call: Call, outcome: object) -> Call | None:
        """Name the next call after a step, or None when there is none."""
        match step:
            case FixArguments(issues=issues):
                return self._corrected(call, [issue.field for issue in issues]) or self._look_up(call)
            case UseTool(name=tool, to_verify=to_verify):
                if to_verify:
                    self._waiting, self._is_verifying = call, True
                return self._with_what_fits(tool, call)
            case TellModel(message=message):
                return self._another_way(message, call)
            case _:
                return self._after(text_of(outcome))

    def _corrected(self, call: Call, fields: Sequence[str]) -> Call | None:
        """Give the arguments that were named the values that the user knows; drop those that the tool does not have.

        Where none of its arguments was named, the schema says which are missing.
        """
        tool, arguments = call
        missing = [name for name in self._schemas[tool].get("required", ()) if name not in arguments]
        named = [field for field in fields if field in self._arguments_of(tool)] or missing
        known = {field: self._errand.knows[field] for field in named if field in self._errand.knows}
        corrected = {name: value for name, value in arguments.items() if name in self._arguments_of(tool)} | known
        return (tool, corrected) if known and corrected != arguments else None

    def _look_up(self, call: Call) -> Call | None:
        if self._errand.look_up is None or self._has_looked_up:
            return None
        self._waiting, self._has_looked_up = call, True
        return self._errand.look_up

    def _another_way(self, message: str, call: Call) -> Call | None:
        """Take the first tool that the message names; else, what was only read may be read once more."""
        named = [name for name in re.findall(r"`([^`]+)`", message) if name in self._schemas and name != call[0]]
        if named:
            return self._with_what_fits(named[0], call)
        if self._has_tried_again or call[0] not in self._schemas:
            return None
        self._has_tried_again = True
        return call

    def _after(self, text: str) -> Call | None:
        """Go on with what was put off: with what was looked up, or, if it has not happened, as it was."""
        waiting, self._waiting = self._waiting, None
        if waiting is None:
            return None
        tool, arguments = waiting
        if self._is_verifying:
            self._is_verifying = False
            return None if self._errand.is_done(text) else waiting
        learned = self._errand.learn(text)
        return (tool, {**arguments, **learned}) if learned else None

    def _with_what_fits(self, tool: str, call: Call) -> Call:
        known = {**self._errand.knows, **call[1]}
        return tool, {name: known[name] for name in self._arguments_of(tool) if name in known}

    def _arguments_of(self, tool: str) -> Mapping[str, object]:
        return self._schemas.get(tool, {}).get("properties", {})


def text_of(result: object) -> str:
    return " ".join(str(getattr(block, "text", "")) for block in getattr(result, "content", ()))


def is_telling(line: str) -> bool:
    """Whether a line of a rendered error says what happened; the advice is told by the step."""
    return line.startswith(("Error", "- "))


def shorten(line: str) -> str:
    """Return a line in the width of a page, shortened; of an answer, only the beginning is the same in every run."""
    indent = " " * (len(line) - len(line.lstrip(" ")))
    most = LONGEST_ANSWER if line.startswith(ANSWER) else LONGEST_SHOWN
    words = " ".join(line.split())
    words = words if len(words) <= most else f"{words[:most].rstrip()} …"
    return wrap(words, initial_indent=indent, subsequent_indent=f"{indent}  ")


def wrap(text: str, **indents: str) -> str:
    return textwrap.fill(text, WIDTH, break_on_hyphens=False, break_long_words=False, **indents)


def write_section(server: Server, lines: Sequence[str]) -> str:
    text = "\n".join(lines).strip()
    return f"## {server.title} {server.version} ({server.language})\n\n{wrap(server.what)}\n\n```text\n{text}\n```\n"


if __name__ == "__main__":
    main()
