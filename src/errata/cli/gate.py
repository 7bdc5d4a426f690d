"""`errata gate`: in front of a server of somebody else."""

import argparse
import os
import re
from pathlib import Path

from errata import dialects
from errata.cli._gate_usage import carry, find_problem
from errata.cli._terminal import complain
from errata.gate import Gatekeeper, GateOptions, GateRecord, GateSettings, StartError, StdioGate, write_error_line
from errata.redaction import line_of, redact
from errata.tools import Effect, check_effects

HELP: str = "repair the errors of any MCP server, in front of it"
_EPILOG = """\
examples:
  in a client's configuration, instead of `npx -y some-server`:
      errata gate -- npx -y some-server
  show what would put it in front of every server of a client, then do it:
      errata gate --config claude_desktop_config.json
      errata gate --config claude_desktop_config.json --write
  in front of a server over HTTP:
      errata gate --listen 127.0.0.1:8700 --to https://example.org/mcp
"""
# fmt: off
_LAUNCHERS = frozenset({
    "/c", "bun", "bunx", "c", "cmd", "cmd.exe", "deno", "docker", "dotnet", "env", "java", "node", "npx", "npx.cmd",
    "pipx", "pnpm", "dlx", "podman", "python", "python3", "run", "uv", "uvx",
})
_TAKE_A_VALUE = frozenset({
    "-e", "--env", "--env-file", "-v", "--volume", "--mount", "--name", "--network", "-p", "--publish", "-u", "--user",
    "-w", "--workdir", "--entrypoint", "--platform", "--from", "--directory", "--project", "--with", "--python",
    "--package", "--registry", "--userconfig", "--globalconfig", "--cache", "--prefix", "--workspace", "--proxy",
    "--https-proxy", "--cafile", "--loglevel", "--node-options", "-c", "--call", "--filter", "--dir",
    "--inspect-port", "--require", "--import", "--loader", "-W", "-X", "-cp", "-classpath", "--class-path",
    "--index", "--default-index", "--index-url", "--extra-index-url", "-f", "--find-links", "--with-editable",
    "--with-requirements", "--constraint", "--config-file", "--cache-dir", "--allow-insecure-host", "--trusted-host",
    "--pip-args", "--spec", "--add-host", "--hostname", "-l", "--label", "--memory", "--cpus", "--gpus", "--dns",
    "--pull", "--restart", "--secret", "--security-opt", "--cap-add", "--cap-drop", "--device", "--tmpfs",
})
# fmt: on
_ADDRESS = re.compile(r"://|:[^/]*@(?!sha256:)")
"""What may hold a user name and a password: `https://user:password@host/`, `user:password@host`."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.set_defaults(hint="see `errata gate --help`; what is for the server goes behind `--`")
    parser.add_argument(
        "command", nargs="*", metavar="-- COMMAND", help="the program that is the server, and its arguments"
    )
    _configure_config(parser)
    _configure_http(parser)
    _configure_repair(parser)
    _configure_resilience(parser)
    record = parser.add_argument_group("what is recorded")
    record.add_argument("--log", metavar="FILE", help="append a line of JSON for each failure")
    record.add_argument("--name", help="what the server is called in messages and in the log")
    record.add_argument("--quiet", action="store_true", help="print no summary at the end")


def _configure_config(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("a client's configuration")
    group.add_argument("--config", metavar="FILE", help="show what would put the gate in front of every server in it")
    group.add_argument("--write", action="store_true", help="do so, and keep a backup")
    group.add_argument("--undo", action="store_true", help="take the gate out again, and keep a backup")


def _configure_http(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("a server over HTTP")
    group.add_argument("--listen", metavar="HOST:PORT", help="where clients connect: 127.0.0.1:8700")
    group.add_argument("--to", metavar="URL", help="the server's address; requests go there and nowhere else")
    group.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="HOST",
        help="a further name by which clients reach the gate; needed to listen on more than loopback",
    )
    group.add_argument(
        "--allow-origin",
        action="append",
        default=[],
        metavar="ORIGIN",
        help="the origin of a web page that may use the gate",
    )


def _configure_repair(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what is repaired")
    group.add_argument("--dialect", metavar="NAME", help=f"in whose words: {', '.join(dialects.names())}")
    group.add_argument(
        "--structured", action="store_true", help="put the dialect's payload into structuredContent, too"
    )
    group.add_argument(
        "--keep-protocol-errors", action="store_true", help="leave JSON-RPC errors, which no model reads"
    )
    group.add_argument("--soft", action="store_true", help="mark successes as errors that tell of a failure")
    group.add_argument("--redact-success", action="store_true", help="hide secrets in successes, too")
    group.add_argument("--no-repair", action="store_true", help="change nothing, only watch")


def _configure_resilience(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what is repeated, and when it is not even tried")
    group.add_argument("--retry", action="store_true", help="repeat calls that fail and may be repeated")
    group.add_argument("--breaker", action="store_true", help="leave the server alone while it is down")
    group.add_argument("--redis", metavar="URL", help="share breaker and budget with the other gates of this server")
    group.add_argument(
        "--effect",
        action="append",
        default=[],
        metavar="TOOL=EFFECT",
        help="what a tool does: read_only, idempotent or destructive",
    )
    group.add_argument("--restart", action="store_true", help="start the program again when it dies")


def run(given: argparse.Namespace) -> int:
    """Run the gate until the client or the server ends; return the server's exit code."""
    if (problem := find_problem(given)) is not None:
        return complain(*problem)
    try:
        name = line_of(given.name or (_authority_of(given.to) if given.to else _name_of(given.command)))
        options = GateOptions.of(_read_settings(given), name=name)
        record = GateRecord(name, None if given.config else given.log)
    except (LookupError, TypeError, ValueError, ImportError) as error:
        return _complain_of(error)
    except OSError as error:
        return complain(
            f"cannot write `{given.log}`: {(error.strerror or '').lower()}", "name a file that can be written"
        )
    if given.config is not None:
        return _run_config(given)
    keeper = Gatekeeper(options, record)
    return _run_stdio(given, keeper) if given.to is None else _run_http(given, keeper)


def _complain_of(error: Exception) -> int:
    """Complain as an exception does, whose first sentence says what is wrong, and whose others what to do."""
    what, _, advice = redact(str(error.args[0] if error.args else error)).rstrip(".").partition(". ")
    return complain(_begin_small(what), _begin_small(advice) or "see `errata gate --help`")


def _begin_small(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def _run_config(given: argparse.Namespace) -> int:
    from errata.cli._gate_config import run_config  # noqa: PLC0415 - the gate itself has to start quickly.

    given.carried = carry(given)
    return run_config(given)


def _run_http(given: argparse.Namespace, keeper: Gatekeeper) -> int:
    from errata import gate  # noqa: PLC0415 - only this needs the extra.

    try:
        serve = gate.serve
    except ImportError as error:
        return _complain_of(ImportError(str(error).replace("errata.gate.serve", "--listen")))
    try:
        serve(keeper, given.to, given.listen, hosts=given.allow_host, origins=given.allow_origin)
    except gate.ListenError as error:
        return complain(error.what, error.advice)
    except ValueError as error:
        return _complain_of(error)
    _say_goodbye(given, keeper)
    return 0


def _run_stdio(given: argparse.Namespace, keeper: Gatekeeper) -> int:
    try:
        status = StdioGate(given.command, keeper, restarts=given.restart).run()
    except StartError as error:
        complain(error.what, error.advice)
        return error.status
    _say_goodbye(given, keeper)
    # A thread may still wait for a client that says no more; the interpreter would wait for that thread.
    os._exit(status)


def _say_goodbye(given: argparse.Namespace, keeper: Gatekeeper) -> None:
    keeper.record.close()
    if not given.quiet:
        write_error_line(f"errata gate: {keeper.record.summarise()}")


def _read_settings(given: argparse.Namespace) -> GateSettings:
    settings: GateSettings = {
        "repair": not given.no_repair,
        "structured": given.structured,
        "keep_protocol_errors": given.keep_protocol_errors,
        "soft": given.soft,
        "redact_success": given.redact_success,
        "retry": given.retry,
        "breaker": given.breaker,
        "effects": _read_effects(given.effect),
    }
    if given.dialect:
        settings["dialect"] = given.dialect
    if given.redis:
        from errata.resilience import RedisStore  # noqa: PLC0415 - as above.

        settings["store"] = RedisStore(given.redis)
    return settings


def _read_effects(texts: list[str]) -> dict[str, Effect]:
    effects: dict[str, str] = {}
    for text in texts:
        tool, sign, effect = text.rpartition("=")
        if not sign or not tool:
            raise ValueError(
                f"`--effect {text}` does not say which tool. Write it as in `--effect run_report=read_only`."
            )
        if effects.setdefault(tool, effect) != effect:
            raise ValueError(
                f"`--effect` says two things of `{tool}`. Keep one of them: `{effects[tool]}` or `{effect}`."
            )
    return check_effects(effects)


def _authority_of(url: str) -> str:
    """Return host and port of an address: its path and its query may be secrets, and the name is shown and logged."""
    return url.partition("://")[2].partition("/")[0].partition("?")[0].rpartition("@")[2] or "the server"


def _name_of(command: list[str]) -> str:
    """Return a name for a command line: its first word that is no launcher, no option and no value of one.

    If that is an address, it is the launcher: an address may hold a password, and what follows it may be one.
    """
    words = iter(command)
    for word in words:
        name = Path(word).name
        if word in _TAKE_A_VALUE:
            next(words, None)
        elif _ADDRESS.search(word) and not word.startswith("-"):
            break
        elif name and not word.startswith("-") and "=" not in word and name.lower() not in _LAUNCHERS:
            return name
    return Path(command[0]).name if command else "the server"
