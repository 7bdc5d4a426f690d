"""`make published`: call published MCP servers wrongly, without errata and with it, and write docs/published.md.

    .venv/bin/python scripts/published_servers.py                  # all of them, and the page
    .venv/bin/python scripts/published_servers.py mcp-server-time  # these only: every answer is printed, no page written

The servers are in `published_servers.toml`, by name and version. Each gets an environment of its own in `.published`,
with what its requirements resolve to, and errata beside it. It runs twice over stdio: by its own console script, and by
`serve_with_errata.py`. It has an empty home directory, and no network.
"""

import contextlib
import json
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import distributions
from pathlib import Path
from typing import Final, NamedTuple, TextIO

import anyio
import mcp_types as types
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from pydantic import BaseModel, Field, JsonValue

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
HOME = ROOT / ".published"
PAGE = ROOT / "docs" / "published.md"

AT_ONCE = 2
INSTALL_S, START_S, CALL_S = 900, 60, 60
LONGEST_QUOTE = 120
# Port 9 is closed nearly everywhere: what a server fetches fails at once.
NO_NETWORK: Final = dict.fromkeys(
    ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9"
)
CODE_KEYS: Final = {"code", "error_code", "errorCode"}
NEXT_STEP_KEYS: Final = {"recovery", "hint", "suggestion", "next_step", "nextStep", "remediation", "retryable"}

Request = types.CallToolRequest | types.ReadResourceRequest
WAYS: Final = (
    "a tool that it does not have",
    "a tool without its arguments",
    "an argument of the wrong type",
    "arguments that fit, for something that is not there or cannot be reached",
    "a resource that it does not have; where it offers none, an argument that the tool does not have",
)

INTRODUCTION: Final = """\
# Does it work with my server?

Yes, if it is written in Python 3.11 or newer, with mcp 1.6 to 1.30, mcp 2.1 or newer, or FastMCP 2.10 or newer. `errata.install(server)`
stands [where the server is made or started](servers.md); nothing else in it changes, and neither does the SDK that it uses.

To find out, {tried} published servers were installed, each in an environment of its own, and started without errata and with it.
**{started} of {tried} start with that line as they do without it**, and list the same tools. Each was then called wrongly in five ways:

{ways}

An answer is clear if it is marked as an error, and has a code in words and a next step where a program finds them. **Of {calls} wrong
calls, {before} got a clear answer without errata, and {after} with it.** What is left over:

- {successes} times a server caught the failure itself and returned it as a success. errata leaves results alone: let the tool raise.
- An error that the server makes itself, instead of letting the tool raise, stays as it is too.
- No answer within {limit} seconds: a server that waits that long does so with errata as well. Give its client a time limit.

Nothing in a server was edited: a wrapper calls `errata.install` when it starts to serve. There was no network and no account, so a
tool that fetches something fails for real. These are servers that start without an account, no two of them by the same author or
from the same template. Prose that a person would understand counts as clear in neither column, so the numbers say what a program can
read; the quotations show what an agent read. The texts are shortened, and of errata's only the message and the next step are shown.
Measured on {day} with Python {python}; `make published` does it again.

"""


@dataclass(frozen=True, slots=True)
class Server:
    """A row of `published_servers.toml`."""

    name: str
    version: str
    era: str
    tool: str
    arguments: dict[str, object]
    command: list[str] = field(default_factory=list[str])
    environment: dict[str, str] = field(default_factory=dict[str, str])
    constraint: str = ""

    @property
    def venv(self) -> Path:
        """Where it is installed."""
        return HOME / self.name

    def wrong_calls(self, *, offers_resources: bool) -> Iterator[Request]:
        """Yield a call for each of `WAYS`."""
        yield call("no_such_tool", {})
        yield call(self.tool, {})
        yield call(self.tool, {**self.arguments, next(iter(self.arguments)): {"wrong": "type"}})
        yield call(self.tool, self.arguments)
        if offers_resources:
            yield types.ReadResourceRequest(params=types.ReadResourceRequestParams(uri="published://no/such/resource"))
        else:
            yield call(self.tool, {**self.arguments, "no_such_argument": 1})


def call(tool: str, arguments: dict[str, object]) -> types.CallToolRequest:
    return types.CallToolRequest(params=types.CallToolRequestParams(name=tool, arguments=arguments))


class Result(BaseModel, extra="allow"):
    """The result of a tool, or of a resource."""

    content: list[dict[str, JsonValue]] = []
    is_error: bool = Field(default=False, alias="isError")


class Answer(NamedTuple):
    """What a server answered to a wrong call."""

    kind: str
    """`success`, `error result`, `error -32602` or `nothing`."""
    text: str
    is_clear: bool
    """Whether it is marked as an error, and has a code in words and a next step where a program finds them."""


@dataclass(slots=True)
class Trial:
    """What a server did without errata, or with it."""

    tools: list[dict[str, object]] = field(default_factory=list[dict[str, object]])
    """Without their output schemas, which errata widens to admit an error."""
    answers: list[Answer] = field(default_factory=list[Answer])
    problem: str = ""

    @property
    def clear(self) -> int:
        """How many answers are clear."""
        return sum(answer.is_clear for answer in self.answers)


@dataclass(slots=True)
class Report:
    """A server, and what came of it."""

    server: Server
    sdk: str = ""
    before: Trial = field(default_factory=Trial)
    after: Trial = field(default_factory=Trial)
    problem: str = ""

    @property
    def pairs(self) -> list[tuple[int, Answer, Answer]]:
        """The number of each way, with the answers before and after."""
        return [(way, *pair) for way, pair in enumerate(zip(self.before.answers, self.after.answers, strict=False), 1)]

    @property
    def starts(self) -> bool:
        """Whether it starts with errata and lists the same tools."""
        return not (self.problem or self.before.problem or self.after.problem) and self.before.tools == self.after.tools

    def notes(self) -> Iterator[str]:
        """Yield what kept errata, or the server, from a clear answer."""
        yield from filter(None, [self.problem, self.before.problem and f"without errata: {self.before.problem}"])
        yield from filter(None, [self.after.problem and f"with errata: {self.after.problem}"])
        if not self.starts and self.before.tools and self.after.tools:
            yield "lists other tools with errata"
        yield from list_ways(
            "a success, says the server", [w for w, b, a in self.pairs if a.kind == b.kind == "success"]
        )
        yield from list_ways("the server's own error", [w for w, b, a in self.pairs if is_own_error(b, a)])
        yield from list_ways("no answer", [w for w, _, a in self.pairs if a.kind == "nothing"])
        yield from list_ways("**other**", [w for w, b, a in self.pairs if is_unexpected(b, a)])


def is_own_error(before: Answer, after: Answer) -> bool:
    return not after.is_clear and after.kind not in {"success", "nothing"} and (before.kind, before.text) == after[:2]


def is_unexpected(before: Answer, after: Answer) -> bool:
    """Return whether errata did neither of what it should: make a failure clear, or leave the answer alone."""
    if after.kind == "success" or before.kind == "success":
        return before.kind != after.kind
    return not after.is_clear and after.kind != "nothing" and not is_own_error(before, after)


def list_ways(what: str, ways: list[int]) -> Iterator[str]:
    if ways:
        yield f"{', '.join(map(str, ways))}: {what}"


async def main(names: list[str]) -> int:
    """Try the servers that are named, or all of them; fail if errata keeps one from starting."""
    rows = tomllib.loads((HERE / "published_servers.toml").read_text(encoding="utf-8"))["server"]
    reports = [Report(Server(**row)) for row in rows if not names or row["name"] in names]
    wheel = await build_wheel()
    limit = anyio.CapacityLimiter(AT_ONCE)
    async with anyio.create_task_group() as tasks:
        for report in reports:
            tasks.start_soon(fill_in, report, wheel, limit)
    if names:
        print(*(line for report in reports for line in answers_of(report)), sep="\n")
    else:
        PAGE.write_text("\n".join(page_of(reports)) + "\n", encoding="utf-8")
    return int(any(report.after.problem and not report.before.problem for report in reports))


async def build_wheel() -> Path:
    """Build errata from this checkout, once for all servers."""
    HOME.mkdir(exist_ok=True)
    for old in (HOME / "wheel").glob("*.whl"):
        old.unlink()
    await pip(Path(sys.executable), "wheel", "--no-deps", f"--wheel-dir={HOME / 'wheel'}", str(ROOT))
    return next((HOME / "wheel").glob("*.whl"))


async def fill_in(report: Report, wheel: Path, limit: anyio.CapacityLimiter) -> None:
    async with limit:
        try:
            await install(report.server, wheel)
        except RuntimeError as error:
            report.problem = f"not installed: {error}"
        else:
            report.sdk = sdk_of(report.server)
            report.before = await try_out(report.server, with_errata=False)
            report.after = await try_out(report.server, with_errata=True)
    print(row_of(report), flush=True)


async def install(server: Server, wheel: Path) -> None:
    """Install a server in its environment, unless it is there, and errata beside it."""
    requirements = [f"{server.name}=={server.version}", *filter(None, [server.constraint])]
    python, stamp = server.venv / "bin" / "python", server.venv / "requirements.txt"
    if not stamp.exists() or stamp.read_text(encoding="utf-8").split() != requirements:
        await run(sys.executable, "-m", "venv", "--clear", str(server.venv))
        await pip(python, "install", "--prefer-binary", *requirements)
        stamp.write_text("\n".join(requirements), encoding="utf-8")
    await pip(python, "install", "--force-reinstall", str(wheel))


async def pip(python: Path, command: str, *arguments: str) -> None:
    await run(str(python), "-m", "pip", "--disable-pip-version-check", "--quiet", command, *arguments)


async def run(*command: str) -> None:
    """Run a command; what it said last is raised if it fails."""
    with anyio.move_on_after(INSTALL_S):
        done = await anyio.run_process(command, check=False)
        if done.returncode:
            raise RuntimeError(flatten(done.stderr.decode().strip().rpartition("\n")[2]))
        return
    raise RuntimeError(f"`{command[0]}` took longer than {INSTALL_S} s")


def sdk_of(server: Server) -> str:
    """Return the SDK in a server's environment: `fastmcp 3.4.10 on mcp 1.30.0`."""
    found = {it.name: it.version for it in distributions(path=[*map(str, server.venv.glob("lib/*/site-packages"))])}
    return " on ".join(f"{name} {found[name]}" for name in ("fastmcp", "mcp") if name in found)


async def try_out(server: Server, *, with_errata: bool) -> Trial:
    """Start a server, and call it wrongly in every way."""
    trial = Trial()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home, tempfile.TemporaryFile("w+") as log:
        transport = stdio_client(parameters_of(server, home, with_errata=with_errata), log)
        try:
            async with Client(transport, mode="legacy", read_timeout_seconds=START_S) as client:
                trial.tools = [tool.model_dump(exclude={"output_schema"}) for tool in (await client.list_tools()).tools]
                offers_resources = client.server_capabilities.resources is not None
                for request in server.wrong_calls(offers_resources=offers_resources):
                    trial.answers.append(await ask(client, request, home))
        except* (MCPError, OSError) as group:
            trial.problem = f"did not start: {last_line_of(log) or group.exceptions[0]}"
    return trial


def parameters_of(server: Server, home: str, *, with_errata: bool) -> StdioServerParameters:
    script, *arguments = server.command or [server.name]
    programs = server.venv / "bin"
    # Some list what they keep in a set: in the same order each time.
    environment = {"HOME": home, "LANG": "C.UTF-8", "PYTHONHASHSEED": "0", **NO_NETWORK, **server.environment}
    if with_errata:
        arguments = [str(HERE / "serve_with_errata.py"), script, *arguments]
        script = "python"
    return StdioServerParameters(command=str(programs / script), args=arguments, env=environment, cwd=home)


async def ask(client: Client, request: Request, home: str) -> Answer:
    """Send a request, and judge the answer."""
    try:
        with anyio.fail_after(CALL_S):
            result = await client.session.send_request(request, Result, CALL_S * 2)
    except TimeoutError:
        return Answer("nothing", f"no answer within {CALL_S} s", is_clear=False)
    except MCPError as error:
        if error.error.code == types.CONNECTION_CLOSED:
            return Answer("nothing", "the server ended", is_clear=False)
        is_clear = has_next_step(error.error.data)
        return Answer(f"error {error.error.code}", error.error.message.replace(home, "~"), is_clear)
    text = "\n".join(str(block.get("text", "")) for block in result.content).replace(home, "~")
    if not result.is_error:
        return Answer("success", text, is_clear=False)
    return Answer("error result", text, has_next_step(result.model_dump()))


def has_next_step(answer: JsonValue) -> bool:
    """Return whether any object in an answer has a code in words and a next step."""
    match answer:
        case dict():
            has_code = any(isinstance(answer.get(key), str) for key in CODE_KEYS)
            has_both = has_code and not NEXT_STEP_KEYS.isdisjoint(answer)
            return has_both or any(map(has_next_step, answer.values()))
        case list():
            return any(map(has_next_step, answer))
        case str() if answer.lstrip().startswith("{"):
            with contextlib.suppress(ValueError):
                return has_next_step(json.loads(answer))
            return False
        case _:
            return False


def last_line_of(log: TextIO) -> str:
    log.seek(0)
    return flatten(log.read().strip().rpartition("\n")[2])


def page_of(reports: list[Report]) -> Iterator[str]:
    started = [report for report in reports if report.starts]
    pairs = [pair for report in started for pair in report.pairs]
    yield INTRODUCTION.format(
        tried=len(reports),
        started=len(started),
        calls=len(pairs),
        before=sum(report.before.clear for report in started),
        after=sum(report.after.clear for report in started),
        successes=sum(after.kind == "success" for _, _, after in pairs),
        limit=CALL_S,
        ways="\n".join(f"{number}. {way}" for number, way in enumerate(WAYS, 1)),
        day=datetime.now(UTC).strftime("%-d %B %Y"),
        python=f"{sys.version_info.major}.{sys.version_info.minor}",
    )
    eras = {report.server.era: [it for it in reports if it.server.era == report.server.era] for report in reports}
    yield "| written for | servers | start as before | wrong calls | clear without errata | clear with it |\n|---|--:|--:|--:|--:|--:|"
    yield from (summary_of(era, of_era) for era, of_era in eras.items())
    for era, of_era in eras.items():
        yield f"\n## {era}\n"
        yield "| server | SDK found | clear, of 5 | not clear | without errata | with errata |\n|---|---|---|---|---|---|"
        yield from map(row_of, of_era)


def summary_of(era: str, reports: list[Report]) -> str:
    started = [report for report in reports if report.starts]
    before, after = sum(report.before.clear for report in started), sum(report.after.clear for report in started)
    calls = sum(len(report.pairs) for report in started)
    return f"| {era} | {len(reports)} | {len(started)} | {calls} | {before} | {after} |"


def row_of(report: Report) -> str:
    server = report.server
    before, after = quote(report)
    name = f"{server.name} {server.version}"
    cells = [
        name,
        report.sdk,
        f"{report.before.clear} → {report.after.clear}",
        "; ".join(report.notes()),
        before,
        after,
    ]
    return f"| {' | '.join(cells)} |"


def quote(report: Report) -> tuple[str, str]:
    """Return what a server answered to one wrong call before and after, of those that errata made clear."""
    made_clear = {way: (before, after) for way, before, after in report.pairs if after.is_clear and not before.is_clear}
    way = next((way for way in (4, 2, 3, 1, 5) if way in made_clear), 0)
    if not way:
        return "", ""
    before, after = (answer.text for answer in made_clear[way])
    lines = [line for line in after.splitlines() if line.startswith(("Error", "Recovery"))] or [after]
    return f"{way}: {in_code(flatten(before))}", "<br>".join(in_code(flatten(line)) for line in lines)


def in_code(text: str) -> str:
    return f"`` {text} ``" if text else ""


def flatten(text: str) -> str:
    """Return a text in one short line that fits a cell of a table, without paths of this machine."""
    text = " ".join(text.replace(str(ROOT), "…").replace(str(Path.home()), "~").replace("|", "\\|").split())
    return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE].rstrip()} …"


def answers_of(report: Report) -> Iterator[str]:
    for way, *answers in report.pairs:
        yield f"\n{report.server.name}: {WAYS[way - 1]}"
        yield from (f"  {answer.kind}{'*' * answer.is_clear}: {answer.text[:2000]}" for answer in answers)


if __name__ == "__main__":
    sys.exit(anyio.run(main, sys.argv[1:]))
