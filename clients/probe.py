"""Run one probe in the interpreter of its framework, and print as JSON what the model was given.

python clients/probe.py FRAMEWORK '{"command": "python", "arguments": ["server.py"], "calls": [["tool", {}]], "options": {}}'

A probe is a file in `probes`. Its `connected(command, arguments)` starts the server in the framework's own way and gives
a function that has a scripted model call a tool, and returns what the model was given then: `content`, what it reads,
and `marked`, whether it is told of an error in any other way.
"""

import asyncio
import importlib.util
import json
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from pathlib import Path
from types import ModuleType

PROBES = Path(__file__).parent / "probes"

Calls = list[tuple[str, dict[str, object]]]
Given = dict[str, object]


def main() -> None:
    framework, request = sys.argv[1:]
    stdout, sys.stdout = sys.stdout, sys.stderr  # Frameworks print, too.
    wanted = json.loads(request)
    connection = load(framework).connected(wanted["command"], wanted["arguments"], **wanted["options"])
    if isinstance(connection, AbstractAsyncContextManager):
        given = asyncio.run(ask_all(connection, wanted["calls"]))
    else:
        given = ask_all_blocking(connection, wanted["calls"])
    print(json.dumps(given, default=str), file=stdout)


def load(framework: str) -> ModuleType:
    """Load a probe under another name than its file's, which may be that of the package it imports."""
    spec = importlib.util.spec_from_file_location(f"probe_{framework}", PROBES / f"{framework}.py")
    if spec is None or spec.loader is None:
        sys.exit(f"There is no probe for {framework}.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


async def ask_all(connection: AbstractAsyncContextManager[Callable], calls: Calls) -> list[Given]:
    async with connection as ask:
        return [await ask_async(ask, tool, arguments) for tool, arguments in calls]


def ask_all_blocking(connection: AbstractContextManager[Callable], calls: Calls) -> list[Given]:
    with connection as ask:
        return [ask_blocking(ask, tool, arguments) for tool, arguments in calls]


async def ask_async(ask: Callable, tool: str, arguments: dict[str, object]) -> Given:
    try:
        return await ask(tool, arguments)
    except Exception as error:  # noqa: BLE001 - whatever it is, the model was given nothing.
        return describe_error(error)


def ask_blocking(ask: Callable, tool: str, arguments: dict[str, object]) -> Given:
    try:
        return ask(tool, arguments)
    except Exception as error:  # noqa: BLE001 - as above.
        return describe_error(error)


def describe_error(error: Exception) -> Given:
    return {"raised": f"{type(error).__name__}: {error}"}


if __name__ == "__main__":
    main()
