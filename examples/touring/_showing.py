"""Puts what an agent reads without errata beside what it reads with it."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

import errata
from errata import dialects
from touring._playing import Played
from touring._scenes import Act, Scene

_NARROW, _WIDEST = 90, 130
_MOST_LINES = 24
_FAULT = "errata/fault"
"""The metadata in which the gate tells programs what failed."""
_EMPTY_MESSAGE = re.compile(
    r"(MCP error -?\d+: )?(Internal server error|Error (executing|calling|creating|reading) [^:]*(://\S*)?)"
)


def new_screen() -> Console:
    """Return the terminal as a console, no wider than is comfortable to read."""
    screen = Console(highlight=False)
    screen.width = min(screen.width, _WIDEST)
    return screen


def show_start(screen: Console, acts: Sequence[Act]) -> None:
    """Print what is about to be shown."""
    failures = sum(len(act.scenes) for act in acts)
    servers = "one MCP server" if len(acts) == 1 else f"{len(acts)} MCP servers"
    screen.print(f"\n  [bold]errata[/]  {servers}, and {failures} failures.")
    more = "the gate in front of it" if acts[0].is_gated else "one more line of code"
    screen.print(f"  Each runs twice and fails in the same way; the second has {more}.")


def show_act(screen: Console, act: Act) -> None:
    """Print the name of a server, and the line that makes the difference."""
    screen.print()
    screen.print(_rule(screen, f"[bold]{act.server}[/]  [dim]{act.about}[/]"))
    dialect = "" if act.dialect == "native" else f', dialect="{act.dialect}"'
    line = f"errata gate -- python {act.server}.py" if act.is_gated else f"errata.install(server{dialect})"
    screen.print(f"  [green]+ {line}[/]")


def show_scene(screen: Console, played: Played) -> None:
    """Print one failure, without errata and with it."""
    boxes = [
        _box("without this line", played.without, "red"),
        _box("with it", played.with_errata, "green"),
    ]
    story = Text(played.scene.story, "bold")
    call = Text(_call(played.scene), "dim", no_wrap=True, overflow="ellipsis")
    known = Text.assemble(("  errata.decode: ", "dim"), (summarise(played.with_errata), "cyan"))
    screen.print(Padding(Group(story, call, _side_by_side(screen, boxes), known), (1, 1, 0, 2)))


def show_end(screen: Console, shown: Sequence[Played]) -> None:
    """Print the totals."""
    table = Table(box=None, padding=(0, 2))
    table.add_column(f"of {len(shown)} answers", style="dim")
    table.add_column("without that line", style="red", justify="right")
    table.add_column("with it", style="green", justify="right")
    for what, is_so in _COUNTED.items():
        without = sum(is_so(played.without) for played in shown)
        with_errata = sum(is_so(played.with_errata) for played in shown)
        if without or with_errata:
            table.add_row(what, str(without), str(with_errata))
    screen.print()
    screen.print(_rule(screen))
    screen.print(Padding(table, (0, 1, 1, 0)))
    others = "errata demo" if shown[0].act.is_gated else "errata demo --gate[/] · [cyan]errata demo --all"
    screen.print(f"  Next: [cyan]{others}[/] · [cyan]errata explain RATE_LIMITED[/] · the tutorial in docs/\n")


def export_scene(played: Played) -> dict[str, object]:
    """Return a scene as data: the request, both answers whole, and what a client makes of the second."""
    fault = errata.decode(played.with_errata)
    return {
        "server": played.act.server,
        "dialect": played.act.dialect,
        "story": played.scene.story,
        "kind": played.scene.kind,
        "name": played.scene.name,
        "arguments": played.scene.arguments,
        "without_errata": played.without,
        "with_errata": played.with_errata,
        "code": fault and fault.code,
        "retry": fault and fault.retry,
        "is_question": errata.decode_needs_input(played.with_errata) is not None,
    }


def read(answer: Mapping[str, Any]) -> str:
    """Return the text of an answer, which is what a model reads."""
    if "error" in answer:
        return f"MCP error {answer['error']['code']}: {answer['error']['message']}"
    return "\n".join(block["text"] for block in answer["content"] if block["type"] == "text")


def summarise(answer: Mapping[str, Any]) -> str:
    """Return in one line what `errata.decode` makes of an answer."""
    if errata.decode_needs_input(answer):
        return "no error, a question to the user"
    if not (fault := errata.decode(answer)):
        return "a result"
    native: Any = dialects.native.encode(fault)
    verdict = next(line for line in native["content"][0]["text"].split("\n") if line.startswith("Retry: "))
    return f"{fault.code} · {verdict}"


def _rule(screen: Console, title: str = "") -> Rule:
    return Rule(title, characters="-" if screen.options.ascii_only else "─", align="left", style="cyan")


def _call(scene: Scene) -> str:
    if scene.kind == "resource":
        return scene.name
    arguments = ", ".join(f"{name}={json.dumps(value)}" for name, value in scene.arguments.items())
    return f"{scene.name}({arguments})"


def _box(title: str, answer: Mapping[str, Any], colour: str) -> RenderableType:
    lines = read(answer).split("\n")
    shown = Text("\n".join(lines if len(lines) <= _MOST_LINES else [*lines[:_MOST_LINES], "…"]), overflow="fold")
    if data := _data_beside(answer):
        shown.append(f"\n\n{json.dumps(data)}", "dim")
    return Panel(shown, title=f"[{colour}]{title}[/]", title_align="left", border_style=f"dim {colour}")


def _data_beside(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the structured data of an answer without its message; nothing if the text has the code already."""
    data: dict[str, Any] = answer.get("structuredContent", {})
    members: dict[str, Any] = data.get("error", data)
    if "code" in members and str(members["code"]) in read(answer):
        return {}
    return {name: value for name, value in members.items() if name != "message"}


def _side_by_side(screen: Console, boxes: list[RenderableType]) -> RenderableType:
    if screen.width < _NARROW:
        return Group(*boxes)
    table = Table.grid(expand=True, padding=(0, 1))
    table.add_column(ratio=2)
    table.add_column(ratio=3)
    table.add_row(*boxes)
    return table


def _says_nothing(answer: Mapping[str, Any]) -> bool:
    return bool(_EMPTY_MESSAGE.fullmatch(read(answer)))


def _tells_programs(answer: Mapping[str, Any]) -> bool:
    parts = (answer.get("structuredContent"), answer.get("error", {}).get("data"), answer.get("_meta", {}).get(_FAULT))
    data = json.dumps(parts)
    return '"code"' in data or '"reason"' in data


def _advises_blindly(answer: Mapping[str, Any]) -> bool:
    return "please retry" in read(answer)


def _tells_a_secret(answer: Mapping[str, Any]) -> bool:
    return "-sandbox-" in json.dumps(answer)  # What all keys of the upstreams have in common.


_COUNTED: dict[str, Callable[[Mapping[str, Any]], bool]] = {
    "say that it failed, and nothing else": _says_nothing,
    'say "please retry", not when or if': _advises_blindly,
    "quote the key to an API": _tells_a_secret,
    "tell a program what failed": _tells_programs,
}
