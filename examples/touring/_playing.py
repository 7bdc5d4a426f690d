"""Starts each server twice, without errata and with it, and sends both the same requests."""

import sys
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import anyio
from anyio.streams.memory import MemoryObjectSendStream
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from pydantic import BaseModel

import errata
from touring._scenes import Act, Scene

_EXAMPLES = Path(__file__).parents[1]
_PATIENCE_S = 20
_AT_ONCE = 2
_MOST_TIMES = 50


class Played(NamedTuple):
    """A scene, and the two answers to it as they went over the wire."""

    act: Act
    scene: Scene
    without: dict[str, Any]
    with_errata: dict[str, Any]


@asynccontextmanager
async def play_acts(acts: Sequence[Act], log: TextIO) -> AsyncGenerator[AsyncIterator[Played]]:
    """Play the acts, some of them ahead, and yield their scenes in order."""
    async with anyio.create_task_group() as group:
        turns = anyio.CapacityLimiter(_AT_ONCE)
        # Streams hold a whole act, so that its servers end even if the reader is slow.
        streams = [anyio.create_memory_object_stream[Played](len(act.scenes)) for act in acts]
        for act, (played, _) in zip(acts, streams, strict=True):
            group.start_soon(_play, act, played, turns, log)
        yield _join([scenes for _, scenes in streams])


async def _join(acts: Sequence[AsyncIterator[Played]]) -> AsyncIterator[Played]:
    for scenes in acts:
        async for played in scenes:
            yield played


async def _play(act: Act, played: MemoryObjectSendStream[Played], turns: anyio.CapacityLimiter, log: TextIO) -> None:
    async with played, turns, AsyncExitStack() as stack:
        both = [await stack.enter_async_context(_client(act, log, is_second=each)) for each in (False, True)]
        for scene in act.scenes:
            await played.send(Played(act, scene, *await _ask_both(both, scene)))


async def _ask_both(both: list[Client], scene: Scene) -> list[dict[str, Any]]:
    """Send the request of a scene to both servers, again and again if the scene waits for a code."""
    for _ in range(_MOST_TIMES):
        for first in scene.before:
            for client in both:
                await _ask(client, first)
        answers = [await _ask(client, scene) for client in both]
        fault = errata.decode(answers[-1])
        if scene.until is None or (fault and fault.code is scene.until):
            return answers
        await anyio.sleep(((fault and fault.retry_after_ms) or 0) / 1000)
    raise TimeoutError(f"`{scene.name}` was called {_MOST_TIMES} times, and never came to {scene.until}.")


def _client(act: Act, log: TextIO, *, is_second: bool) -> Client:
    server = [str(_EXAMPLES / f"{act.server}.py"), *(["--without-errata"] if act.is_gated or not is_second else [])]
    gate = ["-m", "errata", "gate", "--", sys.executable] if act.is_gated and is_second else []
    program = StdioServerParameters(command=sys.executable, args=[*gate, *server], env=dict(act.settings))
    return Client(stdio_client(program, errlog=log), read_timeout_seconds=_PATIENCE_S)


async def _ask(client: Client, scene: Scene) -> dict[str, Any]:
    try:
        result = await _request(client, scene)
    except MCPError as error:
        return {"error": error.error.model_dump(mode="json", exclude_none=True)}
    return result.model_dump(mode="json", by_alias=True, exclude_none=True)


async def _request(client: Client, scene: Scene) -> BaseModel:
    match scene.kind:
        case "tool":
            return await client.call_tool(scene.name, dict(scene.arguments))
        case "resource":
            return await client.read_resource(scene.name)
        case "prompt":
            return await client.get_prompt(scene.name, {name: str(value) for name, value in scene.arguments.items()})
