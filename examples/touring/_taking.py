"""Plays the acts, shows them, and ends in order whatever happens."""

import io
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from typing import TextIO, cast

import anyio

from touring._playing import Played, play_acts
from touring._scenes import Act
from touring._showing import export_scene, new_screen, show_act, show_end, show_scene, show_start

_PAUSE_S = 1.2  # Time to read a scene. The servers do not wait for it.


def show_acts(acts: Sequence[Act], *, as_json: bool) -> int:
    """Show the acts on standard output, and return the exit status."""
    if sys.stdout is None:  # It was closed before we started: there is nobody to show anything to.
        return 0
    # A character that the terminal does not know does not end the demo.
    cast("io.TextIOWrapper[io.BufferedWriter]", sys.stdout).reconfigure(errors="backslashreplace")
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log:
        try:
            anyio.run(_print_json if as_json else _show, acts, log)
        except (BaseExceptionGroup, OSError, SystemExit) as broken:
            return _break_off(_first(broken), log)
    return 0


async def _print_json(acts: Sequence[Act], log: TextIO) -> None:
    async with play_acts(acts, log) as scenes:
        print(json.dumps([export_scene(played) async for played in scenes], indent=2), flush=True)


async def _show(acts: Sequence[Act], log: TextIO) -> None:
    screen = new_screen()
    show_start(screen, acts)
    shown: list[Played] = []
    async with play_acts(acts, log) as scenes:
        async for played in scenes:
            if not shown or played.act is not shown[-1].act:
                show_act(screen, played.act)
            show_scene(screen, played)
            shown.append(played)
            await anyio.sleep(_PAUSE_S if screen.is_terminal else 0)
    show_end(screen, shown)


def _break_off(broken: BaseException, log: TextIO) -> int:
    """End early: quietly if the reader has seen enough, else with the reason and the last words of the servers."""
    if isinstance(broken, OSError | SystemExit):  # On exit, Python would try to write the rest once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(broken, BrokenPipeError | SystemExit):  # rich turns the first into the second.
        return 0
    if isinstance(broken, OSError):
        print(f"errata: cannot show the demo: {broken.strerror}\nhelp: make room for it", file=sys.stderr)
        return 2
    log.seek(0)
    print(f"The demo broke off: {broken!r}. The servers' last words:\n{log.read()[-2000:]}", file=sys.stderr)
    return 1


def _first(error: BaseException) -> BaseException:
    match error:
        case BaseExceptionGroup(exceptions=[error, *_]):
            return _first(error)
        case _:
            return error
