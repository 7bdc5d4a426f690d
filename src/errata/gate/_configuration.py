"""The gate in front of every server of a client's configuration: only the spans of `command` and `args` change.

    "command": "npx",                →   "command": "/usr/bin/python3",
    "args": ["-y", "some-server"]        "args": ["-m", "errata", "gate", "--", "npx", "-y", "some-server"]

The old command keeps its spelling inside `args`, so that taking the gate out gives back the same bytes. For this, too,
`args` that did not exist are written as `["-m", …]`, and words in `args` that were empty as `[ "-m", … ]`.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

from errata.gate._commented_json import (
    CommentedJsonError,
    JsonArray,
    JsonNode,
    JsonObject,
    JsonString,
    line_and_column,
    read_commented_json,
    skip_trivia,
)

_ANY = "*"
_SECTIONS = (
    ("mcpServers",),  # Claude Desktop, Claude Code, Cursor, Windsurf, Cline, Gemini CLI
    ("servers",),  # VS Code: mcp.json
    ("context_servers",),  # Zed
    ("mcp", "servers"),  # VS Code: settings.json
    ("settings", "mcp", "servers"),  # VS Code: *.code-workspace
    ("customizations", "vscode", "mcp", "servers"),  # VS Code: devcontainer.json
    ("projects", _ANY, "mcpServers"),  # Claude Code: ~/.claude.json
)
_ADDRESSES = ("httpUrl", "url", "serverUrl")
_TRANSPORTS = ("type", "transport", "transportType")
_WITH_ARGUMENTS = re.compile(r"[^\s/\\]+\s+\S")
_LAUNCHERS = frozenset({"uv", "uvx", "pipx"})
_END = "--"
_LINE_START = re.compile(r"(?:\r\n|\r|\n)[ \t]*\Z")
_COLON = re.compile(r"[ \t]*:[ \t]*")
_ONLY_A_COMMA = re.compile(r"[ \t\r\n]*,[ \t\r\n]*")

Change = Literal["added", "replaced", "removed", "kept", "absent", "skipped"]
"""`kept`: the server has this gate already; `absent`: it has none to take out; `skipped`: it cannot have one here."""


class ConfigurationError(Exception):
    """A configuration cannot be read or written; `what` says why, `advice` what would help."""

    def __init__(self, what: str, advice: str) -> None:
        super().__init__(what, advice)
        self.what = what
        self.advice = advice


class GatedEntry(NamedTuple):
    """What was done about one server."""

    path: tuple[str, ...]
    """The names that lead to it: `("mcpServers", "github")`."""
    change: Change
    reason: str = ""
    """Why it was skipped."""
    address: str | None = None
    """Where it is reached over HTTP."""


class Replacement(NamedTuple):
    """A span of a text, and what stands there afterwards."""

    start: int
    end: int
    text: str


class ConfigurationEdit(NamedTuple):
    """The text of a configuration before and after, and what was done about each server."""

    before: str
    after: str
    servers: tuple[GatedEntry, ...]
    replacements: tuple[Replacement, ...]
    """What makes the one of the other, in the order of the text."""


def add_gate(text: str, command: Sequence[str], options: Sequence[str] = ()) -> ConfigurationEdit:
    """Put the gate in front of every server that a client starts by a command; raise a ConfigurationError if it cannot.

    The command starts a gate, without its options: `["/usr/bin/python3", "-m", "errata", "gate"]`. A server that has a
    gate keeps the options of it, if none are given.
    """
    try:
        "".join((*command, *options)).encode()
    except UnicodeEncodeError as error:
        what = "cannot hold the gate: its command has a character that is not UTF-8"
        raise ConfigurationError(what, "install errata under a path that is, and give options that are") from error
    return _edit(text, lambda server: _add(server, command, options))


def remove_gate(text: str) -> ConfigurationEdit:
    """Take the gate out of every server that has one; raise a ConfigurationError if the text cannot be read."""
    return _edit(text, _remove)


def replace_spans(text: str, replacements: Sequence[Replacement]) -> str:
    """Return a text with other texts in place of some spans, which do not overlap."""
    pieces: list[str] = []
    position = 0
    for start, end, new in sorted(replacements):
        pieces += text[position:start], new
        position = end
    return "".join([*pieces, text[position:]])


class _SkippedError(Exception):
    """A server stays as it is."""

    def __init__(self, reason: str, address: str | None = None) -> None:
        super().__init__(reason, address)
        self.reason = reason
        self.address = address


_Outcome = tuple[Change, list[Replacement]]


@dataclass(frozen=True, slots=True)
class _Server:
    """A server that a command starts."""

    text: str
    holder: JsonObject
    """The object with the command and its arguments."""
    command: JsonString
    args: JsonArray | None
    address: str | None
    """Where it is reached over HTTP, although it has a command."""

    @property
    def items(self) -> list[JsonNode]:
        """The arguments."""
        return self.args.items if self.args else []

    @property
    def words(self) -> list[str]:
        """The command and its arguments; an argument that is not a string is an empty one here."""
        return [word.value if isinstance(word, JsonString) else "" for word in (self.command, *self.items)]

    @property
    def index(self) -> int:
        """Which member of the holder the command is."""
        return next(index for index, (_, value) in enumerate(self.holder.members) if value is self.command)

    def spell(self, node: JsonNode) -> str:
        """Return a value as it is written."""
        return self.text[node.start : node.end]


class _Gate(NamedTuple):
    """Where the gate is among the words of a server."""

    name: int
    """The word `gate`."""
    end: int
    """The word `--`, which stands before the command of the server."""
    is_module: bool
    """Whether Python starts it, as errata writes it, and not a launcher of somebody's choice."""


def _edit(text: str, change: Callable[[_Server], _Outcome]) -> ConfigurationEdit:
    entries: list[GatedEntry] = []
    replacements: list[Replacement] = []
    for path, node in _find_servers(text):
        try:
            made, of_server = change(_read_server(text, node))
        except _SkippedError as error:
            entries.append(GatedEntry(path, "skipped", error.reason, error.address))
        else:
            entries.append(GatedEntry(path, made))
            replacements += of_server
    if not entries:
        sections = ", ".join(f"`{'.'.join(section)}`" for section in _SECTIONS[:4])
        raise ConfigurationError("has no MCP servers in it", f"name the file that lists them, under {sections}")
    replacements.sort()
    return ConfigurationEdit(text, replace_spans(text, replacements), tuple(entries), tuple(replacements))


def _find_servers(text: str) -> list[tuple[tuple[str, ...], JsonNode]]:
    """Return every server with its path, in the order of the sections."""
    if not text.removeprefix("\ufeff").strip():
        raise ConfigurationError("is empty", "let the client write it, or add a server to it")
    try:
        root = read_commented_json(text)
    except CommentedJsonError as error:
        what = f"is not JSON at line {error.line}, column {error.column}: {error.reason}"
        raise ConfigurationError(what, "correct it there, and try again; nothing was changed") from error
    return [server for section in _SECTIONS for server in _descend(text, root, section, ())]


def _descend(
    text: str, node: JsonNode, section: Sequence[str], path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], JsonNode]]:
    if not isinstance(node, JsonObject):
        return
    if not section:
        for name, server in _read_members(text, node).items():
            yield (*path, name), server
        return
    first, *others = section
    for name, inner in _read_members(text, node, *(() if first == _ANY else (first,))).items():
        yield from _descend(text, inner, others, (*path, name))


def _read_members(text: str, node: JsonObject, *names: str) -> dict[str, JsonNode]:
    """Return the members of an object, or those of some names; of one name there may be only one."""
    members: dict[str, JsonNode] = {}
    for name, value in node.members:
        if names and name.value not in names:
            continue
        if name.value in members:
            line, column = line_and_column(text, name.start)
            what = f"has `{name.value}` twice in one object, the second time at line {line}, column {column}"
            raise ConfigurationError(what, "take one of the two out; clients disagree about which one counts")
        members[name.value] = value
    return members


def _read_server(text: str, node: JsonNode) -> _Server:
    """Return the server that a node describes; raise a _SkippedError if no command starts it."""
    if not isinstance(node, JsonObject):
        raise _SkippedError("it is not an object")
    holder, name = node, "command"
    members = _read_members(text, node, "command", "args", *_TRANSPORTS, *_ADDRESSES)
    address = _read_address(members)
    if isinstance(inner := members.get("command"), JsonObject):  # Zed, until 2025: {"path": "npx", "args": []}
        holder, name = inner, "path"
        members = _read_members(text, inner, "path", "args")
    command, args = members.get(name), members.get("args")
    if not isinstance(command, JsonString) or not command.value:
        raise _skip_address(members, address) if address else _SkippedError("it has no command to start it")
    if args is not None and not isinstance(args, JsonArray):
        raise _SkippedError("its `args` are not a list")
    if not (args and args.items) and _WITH_ARGUMENTS.match(command.value):
        raise _SkippedError("its `command` holds arguments, too; move them into `args`")
    return _Server(text, holder, command, args, address)


def _read_address(members: Mapping[str, JsonNode]) -> str | None:
    if "stdio" in _read_transports(members):
        return None
    addresses = (members.get(name) for name in _ADDRESSES)
    return next((node.value for node in addresses if isinstance(node, JsonString) and node.value), None)


def _read_transports(members: Mapping[str, JsonNode]) -> set[str]:
    transports = (members.get(name) for name in _TRANSPORTS)
    return {node.value.lower() for node in transports if isinstance(node, JsonString)}


def _skip_address(members: Mapping[str, JsonNode], address: str) -> _SkippedError:
    path = re.split(r"[?#]", address)[0].rstrip("/")
    if "sse" in _read_transports(members) or path.endswith("/sse"):
        return _SkippedError("it is reached by the SSE transport of 2024; look for its address for streamable HTTP")
    return _SkippedError("it is reached over HTTP", address)


def _add(server: _Server, command: Sequence[str], options: Sequence[str]) -> _Outcome:
    if server.address:
        raise _SkippedError("it is reached over HTTP", server.address)
    gate = _find_gate(server.words)
    return (
        _replace_gate(server, gate, command, options) if gate else ("added", [*_put_before(server, command, options)])
    )


def _put_before(server: _Server, command: Sequence[str], options: Sequence[str]) -> Iterator[Replacement]:
    """Put a gate before a command that has none."""
    program, *words = command
    gate = f"{_write([*words, *options, _END])}, {server.spell(server.command)}"
    yield Replacement(server.command.start, server.command.end, _write([program]))
    if not server.args:
        separator, colon = _read_layout(server)
        position = server.command.end
        yield Replacement(position, position, f',{separator}"args"{colon}[{gate}]')
    elif not server.items:
        position = server.args.start + 1
        yield Replacement(position, position, f" {gate} ")
    else:
        position = server.items[0].start
        blanks = _LINE_START.search(server.text[server.args.start + 1 : position])
        yield Replacement(position, position, f"{gate},{blanks[0] if blanks else ' '}")


def _read_layout(server: _Server) -> tuple[str, str]:
    """Return what separates the name of the command from what is before and behind it: a line's start or a blank, a colon."""
    members, index = server.holder.members, server.index
    name = members[index][0]
    before = server.text[members[index - 1][1].end if index else server.holder.start : name.start]
    colon = server.text[name.end : server.command.start]
    blanks = _LINE_START.search(before)
    return blanks[0] if blanks else " ", colon if _COLON.fullmatch(colon) else ": "


def _replace_gate(server: _Server, gate: _Gate, command: Sequence[str], options: Sequence[str]) -> _Outcome:
    """Give a gate other options, and one that Python starts the Python of today."""
    old = server.words[: gate.end]
    launcher = command if gate.is_module else old[: gate.name + 1]
    new = [*launcher, *(options or old[gate.name + 1 :])]
    if new == old:
        return "kept", []
    words = server.items[: gate.end]
    _refuse_comments(server, words)
    replacements = [Replacement(words[0].start, words[-1].start, f"{_write(new[1:])}, ")]
    if new[0] != old[0]:
        replacements.append(Replacement(server.command.start, server.command.end, _write(new[:1])))
    return "replaced", replacements


def _remove(server: _Server) -> _Outcome:
    gate = _find_gate(server.words)
    if not (server.args and gate):
        return "absent", []
    command, *rest = server.items[gate.end :]
    if not isinstance(command, JsonString):
        line, column = line_and_column(server.text, command.start)
        raise _SkippedError(f"its command is not a string, at line {line}, column {column}")
    gone = server.items[: gate.end + 1]
    _refuse_comments(server, [*gone, *rest[:1]])
    taken = Replacement(gone[0].start, rest[0].start, "") if rest else _empty_args(server, server.args)
    return "removed", [Replacement(server.command.start, server.command.end, server.spell(command)), taken]


def _empty_args(server: _Server, args: JsonArray) -> Replacement:
    """Take out `args` without any words of the server, or leave them empty if they were that before."""
    lead = server.text[args.start + 1 : args.items[0].start]
    tail = _drop_comma(server.text, args.items[-1].end, args.end - 1)
    if not lead and not tail.strip() and _follows_command(server, args):
        return Replacement(server.command.end, args.end, "")
    blanks = lead.removeprefix(" ") + tail.removeprefix(" ")
    was_reformatted = lead != " " and not blanks.strip()
    return Replacement(args.start + 1, args.end - 1, "" if was_reformatted else blanks)


def _drop_comma(text: str, start: int, end: int) -> str:
    """Return a part of a text without the comma in it, if there is one behind blanks and comments."""
    comma = skip_trivia(text, start)
    return text[start:comma] + text[comma + 1 : end] if text.startswith(",", comma) else text[start:end]


def _follows_command(server: _Server, args: JsonArray) -> bool:
    """Return whether `args` stand right behind the command, where the gate puts those that did not exist."""
    following = server.holder.members[server.index + 1 :][:1]
    return any(
        value is args and _ONLY_A_COMMA.fullmatch(server.text, server.command.end, name.start) is not None
        for name, value in following
    )


def _find_gate(words: Sequence[str]) -> _Gate | None:
    """Return where the gate is in a command; raise a _SkippedError if it has no `--` and no command of a server."""
    prefix = 2 if _stem(words[0]) == "cmd" and [word.lower() for word in words[1:2]] == ["/c"] else 0
    end = words.index(_END) if _END in words else len(words)
    name = next((index for index in range(prefix + 1, end) if _names_gate(words, index)), None)
    if name is None:
        return None
    before = words[prefix : name - 1]
    is_module = len(before) > 1 and before[-1] == "-m" and all(word.startswith("-") for word in before[1:])
    if before and not is_module and _stem(before[0]) not in _LAUNCHERS:
        return None
    if end >= len(words) - 1:
        raise _SkippedError("its gate has no command behind a `--`")
    return _Gate(name, end, is_module=is_module and not prefix)


def _names_gate(words: Sequence[str], index: int) -> bool:
    return words[index] == "gate" and _stem(words[index - 1]) == "errata"


def _stem(program: str) -> str:
    """Return the name of a program, without its directory and `.exe`."""
    return re.split(r"[\\/]", program)[-1].lower().removesuffix(".exe")


def _refuse_comments(server: _Server, nodes: Sequence[JsonNode]) -> None:
    for one, other in pairwise(nodes):
        if "/" in server.text[one.end : other.start]:
            line, column = line_and_column(server.text, server.text.index("/", one.end))
            raise _SkippedError(f"a comment stands between the words of its gate, at line {line}, column {column}")


def _write(words: Sequence[str]) -> str:
    return ", ".join(json.dumps(word, ensure_ascii=False) for word in words)
