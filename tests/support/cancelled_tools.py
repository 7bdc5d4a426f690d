"""Tools that are cancelled, that stumble over something cancelled, or that end their server.

As a program it serves them over stdio: `python cancelled_tools.py MCPServer errata`.
"""

import asyncio
import inspect
import sys
import threading
from collections import defaultdict

import anyio
import anyio.from_thread
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

import errata
from support.sdk import HAS_FASTMCP, IS_MODERN, OfficialServer, register, tool_result, types as wire

KINDS = ("MCPServer", "Server", *(("FastMCP",) if HAS_FASTMCP else ()))
LONGEST_S = 60


class Diary:
    """What the tools have come to; whoever has to know waits for it."""

    def __init__(self):
        self._written = defaultdict(anyio.Event)
        self.released = threading.Event()

    def write(self, what):
        self._written[what].set()

    async def until(self, what):
        await self._written[what].wait()


async def echo(text: str) -> str:
    return text


def steering(diary):
    """Tools by which a client finds out what the others do."""

    async def until(what: str) -> str:
        await diary.until(what)
        return what

    async def release() -> str:
        diary.released.set()
        return "released"

    return [until, release]


def waiting(diary):
    """Tools that are still at it when somebody cancels them."""

    async def waits() -> str:
        diary.write("waits began")
        try:
            await anyio.sleep_forever()
        finally:
            diary.write("waits ended")

    async def answers_back() -> str:
        diary.write("answers_back began")
        try:
            await anyio.sleep_forever()
        except anyio.get_cancelled_exc_class():
            diary.write("answers_back ended")
            raise ValueError("No, I am not done.") from None

    async def answers_anyway() -> str:
        diary.write("answers_anyway began")
        try:
            await anyio.sleep_forever()
        except anyio.get_cancelled_exc_class():
            diary.write("answers_anyway ended")
            return "Too late to stop me."

    async def waits_in_a_group() -> str:
        diary.write("waits_in_a_group began")
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(anyio.sleep_forever)
                group.start_soon(anyio.sleep_forever)
        finally:
            diary.write("waits_in_a_group ended")
        return ""

    def waits_in_a_thread() -> str:
        anyio.from_thread.run_sync(diary.write, "waits_in_a_thread began")
        diary.released.wait(LONGEST_S)
        diary.released.clear()
        anyio.from_thread.run_sync(diary.write, "waits_in_a_thread ended")
        return "done"

    return [waits, answers_back, answers_anyway, waits_in_a_group, waits_in_a_thread]


CANCELLABLE = ("waits", "answers_back", "answers_anyway", "waits_in_a_group", "waits_in_a_thread")


async def awaits_a_cancelled_future() -> str:
    future = asyncio.get_running_loop().create_future()
    future.cancel()
    return await future


async def awaits_a_cancelled_task() -> str:
    task = asyncio.create_task(asyncio.sleep(LONGEST_S))
    task.cancel()
    await task
    return ""


async def raises_cancelled() -> str:
    raise asyncio.CancelledError("the pool was closed")


def raises_cancelled_in_a_thread() -> str:
    raise asyncio.CancelledError


async def stumbles_in_its_own_scope() -> str:
    with anyio.CancelScope():
        return await awaits_a_cancelled_future()


async def stumbles_within_a_time_limit() -> str:
    async with asyncio.timeout(LONGEST_S):
        return await awaits_a_cancelled_future()


async def collects_cancellations() -> str:
    gathered = await asyncio.gather(awaits_a_cancelled_task(), awaits_a_cancelled_future(), return_exceptions=True)
    raise BaseExceptionGroup("two of two", [error for error in gathered if isinstance(error, BaseException)])


STUMBLING = (
    awaits_a_cancelled_future,
    awaits_a_cancelled_task,
    raises_cancelled,
    raises_cancelled_in_a_thread,
    stumbles_in_its_own_scope,
    stumbles_within_a_time_limit,
    collects_cancellations,
)


async def leaves_its_own_scope() -> str:
    with anyio.move_on_after(0):
        await anyio.sleep_forever()
    return "done"


async def cancels_a_child() -> str:
    async with asyncio.TaskGroup() as group:
        group.create_task(asyncio.sleep(LONGEST_S)).cancel()
    return "done"


async def cancels_a_group() -> str:
    async with anyio.create_task_group() as group:
        group.start_soon(anyio.sleep_forever)
        group.cancel_scope.cancel()
    return "done"


UNHURT = (leaves_its_own_scope, cancels_a_child, cancels_a_group)


async def runs_out_of_time() -> str:
    async with asyncio.timeout(0):
        await asyncio.sleep(LONGEST_S)
    return ""


async def runs_out_of_time_in_a_scope() -> str:
    with anyio.fail_after(0):
        await anyio.sleep_forever()
    return ""


async def fails_in_a_group() -> str:
    async def refuse():
        raise ConnectionRefusedError(111, "Connection refused")

    async with asyncio.TaskGroup() as group:
        group.create_task(asyncio.sleep(LONGEST_S))
        group.create_task(refuse())
    return ""


async def fails_and_stumbles() -> str:
    raise BaseExceptionGroup("both", [asyncio.CancelledError(), ValueError("`limit` is 500; the highest is 100")])


FAILING = {
    runs_out_of_time: "TIMEOUT",
    runs_out_of_time_in_a_scope: "TIMEOUT",
    fails_in_a_group: "NETWORK_ERROR",
    fails_and_stumbles: "CANCELLED",
}


async def exits() -> str:
    raise SystemExit(7)


async def interrupts() -> str:
    raise KeyboardInterrupt


async def exits_in_a_group() -> str:
    raise BaseExceptionGroup("both", [ValueError("no"), SystemExit(7)])


ENDING = (exits, interrupts, exits_in_a_group)


def tools(diary):
    return [echo, *steering(diary), *waiting(diary), *STUMBLING, *UNHURT, *FAILING, *ENDING]


def serving(kind, functions):
    """Make a server of a kind that has these tools."""
    if kind == "Server":
        return _low_level({function.__name__: function for function in functions})
    if kind == "MCPServer":
        server = OfficialServer("stumbling")
    else:
        from fastmcp import FastMCP  # noqa: PLC0415 - a process that does not serve it need not load it.

        server = FastMCP("stumbling")
    for function in functions:
        server.tool()(function)
    return server


def _low_level(functions):
    async def call_tool(_, params):
        function, arguments = functions[params.name], params.arguments or {}
        if inspect.iscoroutinefunction(function):
            result = await function(**arguments)
        else:
            result = await anyio.to_thread.run_sync(lambda: function(**arguments))
        return tool_result(str(result))

    async def list_tools(_, __):
        return wire.ListToolsResult(tools=[_list(name) for name in functions])

    if not IS_MODERN:
        return register(Server("stumbling"), call_tool=call_tool, list_tools=list_tools)
    return Server("stumbling", on_call_tool=call_tool, on_list_tools=list_tools)


def _list(name):
    return wire.Tool.model_validate({"name": name, "inputSchema": {"type": "object"}})


def lowest(server):
    """Find the low-level server inside of any."""
    return getattr(server, "_mcp_server", None) or getattr(server, "_lowlevel_server", None) or server


async def _run_low_level(server):
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def prepared(kind, layer):
    server = serving(kind, tools(Diary()))
    if layer == "errata":
        errata.install(server)
    return server


def main(kind, layer):
    server = prepared(kind, layer)
    if kind == "Server":
        anyio.run(_run_low_level, server)
    elif kind == "FastMCP":
        server.run("stdio", show_banner=False)
    else:
        server.run("stdio")


if __name__ == "__main__":
    main(*sys.argv[1:])
