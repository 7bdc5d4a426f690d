"""Which options of `errata gate` fit together, and which of them a client's configuration carries."""

import argparse
import os
import re
from collections.abc import Callable

_FLAGS = (
    "structured",
    "keep_protocol_errors",
    "soft",
    "redact_success",
    "no_repair",
    "retry",
    "breaker",
    "restart",
    "quiet",
)
_VALUES = ("dialect", "redis", "name", "log")
_OF_REPAIR = ("dialect", "structured", "keep_protocol_errors", "soft", "redact_success")
_HOST = re.compile(r"\*|[A-Za-z0-9._-]+|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*")
_ORIGIN = re.compile(r"\*|null|[A-Za-z][A-Za-z0-9+.-]*://[^/?#\s]+/?")


def carry(given: argparse.Namespace) -> list[str]:
    """Return the options of the gate that are written into a configuration."""
    carried = [option(flag) for flag in _FLAGS if getattr(given, flag)]
    for name in _VALUES:
        if value := getattr(given, name):
            # The client may start the gate in another directory.
            carried += [option(name), os.path.abspath(value) if name == "log" else value]  # noqa: PTH100 - links stay.
    for effect in given.effect:
        carried += ["--effect", effect]
    return carried


def option(name: str) -> str:
    """Return how an option is written whose value has this name."""
    return f"--{name.replace('_', '-')}"


def find_problem(given: argparse.Namespace) -> tuple[str, str] | None:
    """Return what is wrong with the options, and what to do about it; None if they fit together."""
    return _find_empty(given) or next(((what, advice) for applies, what, advice in _RULES if applies(given)), None)


def _find_empty(given: argparse.Namespace) -> tuple[str, str] | None:
    """Return what to say about an option that was given nothing, as by a variable of the shell that is not set."""
    for name in ("listen", "to", "allow_host", "allow_origin", "config", *_VALUES):
        value = getattr(given, name)
        if value == "" or (isinstance(value, list) and "" in value):
            return f"`{option(name)}` is empty", "give it a value, or leave it out"
    if given.command and not given.command[0]:
        return (
            "the command of the server is empty",
            "write the program behind `--`, as in `errata gate -- npx some-server`",
        )
    return None


def _count_ways(given: argparse.Namespace) -> int:
    return sum((bool(given.command), given.to is not None or given.listen is not None, given.config is not None))


def _changes_repair(given: argparse.Namespace) -> bool:
    return any(getattr(given, name) for name in _OF_REPAIR)


_WAYS = "give a command behind `--`, or `--listen` and `--to`, or `--config`"
_RULES: tuple[tuple[Callable[[argparse.Namespace], object], str, str], ...] = (
    (lambda given: _count_ways(given) == 0, "nothing says which server the gate is for", _WAYS),
    (lambda given: _count_ways(given) > 1, "the gate is for one server, or for one configuration, at a time", _WAYS),
    (
        lambda given: (given.to is None) != (given.listen is None),
        "`--listen` and `--to` belong together",
        "say where clients connect, and where the server is: `--listen 127.0.0.1:8700 --to https://example.org/mcp`",
    ),
    (
        lambda given: given.to is not None and not re.match(r"https?://[^/]", given.to, re.IGNORECASE),
        "`--to` is no address of a server over HTTP",
        "begin it with http:// or https://, as in `--to https://example.org/mcp`",
    ),
    (
        lambda given: given.to is not None and "@" in given.to.partition("://")[2].partition("/")[0],
        "`--to` holds a user name or a password, which the gate does not send",
        "take it out, and let the client send it in a header: what clients send is passed on",
    ),
    (
        lambda given: (given.allow_host or given.allow_origin) and given.to is None,
        "`--allow-host` and `--allow-origin` are for a gate that listens",
        "add `--listen` and `--to`, or leave them out",
    ),
    (
        lambda given: not all(map(_HOST.fullmatch, given.allow_host)),
        "`--allow-host` takes a name alone, without a scheme, a port or a path",
        "write it as in `--allow-host gate.example.org`",
    ),
    (
        lambda given: not all(map(_ORIGIN.fullmatch, given.allow_origin)),
        "`--allow-origin` takes a scheme and a name, and no path",
        "write it as in `--allow-origin https://app.example.org`",
    ),
    (
        lambda given: (given.write or given.undo) and given.config is None,
        "`--write` and `--undo` are about a configuration",
        "name it with `--config`",
    ),
    (
        lambda given: given.write and given.undo,
        "`--write` puts the gate in, and `--undo` takes it out",
        "give one of the two",
    ),
    (
        lambda given: given.undo and carry(given),
        "`--undo` takes the gate out with all its options, and has none of its own",
        "leave the others out",
    ),
    (
        lambda given: given.restart and given.to is not None,
        "`--restart` is for a program that the gate starts, not for a server over HTTP",
        "leave it out",
    ),
    (
        lambda given: given.redis and not (given.breaker or given.retry),
        "`--redis` shares what `--breaker` and `--retry` know, and neither is there",
        "add one of them, or leave it out",
    ),
    (
        lambda given: given.no_repair and _changes_repair(given),
        "`--no-repair` changes nothing, and another option says how to repair",
        f"leave out `--no-repair`, or all of {', '.join(f'`{option(name)}`' for name in _OF_REPAIR)}",
    ),
)
