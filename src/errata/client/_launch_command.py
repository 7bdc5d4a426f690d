"""The name and the secrets in the command line that starts a server.

Until it names itself, a server is named after the program that is started, not after its launcher: `node`, `python` or
`docker` would be the name of half of all servers.
"""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple
from urllib.parse import urlsplit

from errata.client._causes import find_hidden_parts
from errata.model import items_of
from errata.redaction import put_on_one_line, redact, redact_data, text_of

_LONGEST = 100
_DEEPEST = 6
"""How many launchers may start one another: `cmd /c uv run python -m orders`."""


class _Launcher(NamedTuple):
    """Where the arguments of a launcher name the program; the words of each field are separated by spaces."""

    verbs: str = ""
    """Commands that may come before the program."""
    valued: str = ""
    """Options that take the next argument as their value."""
    named: str = ""
    """Options whose value is the program."""
    code: str = ""
    """Options whose value is code, which has no name."""
    flags: str = ""
    """Options without a value, if all others have one."""
    is_prefix: bool = False
    """Whether a whole command follows."""


# fmt: off
_UV = "--with --with-editable --with-requirements --from --python -p --index --index-url -i --extra-index-url --default-index -f --find-links --directory --project --env-file --extra --group --only-group --package --cache-dir --config-file --color --refresh-package --upgrade-package -P --constraints -c --overrides --spec --pip-args"
_NPM = "-p --package -w --workspace --registry --cache --userconfig --prefix --node-options --filter --dir -C --cwd"
_ROWS = {
    "python pythonw pypy py":       _Launcher(valued="-W -X --check-hash-based-pycs", named="-m", code="-c"),
    "node nodejs":                  _Launcher(valued="-r --require --import --loader --experimental-loader -C --conditions --env-file --title --max-old-space-size", code="-e --eval -p --print"),
    "tsx ts-node ts-node-esm":      _Launcher(verbs="watch", valued="-r --require --import --tsconfig -P --project --env-file", code="-e --eval -p --print"),
    "deno":                         _Launcher(verbs="run task serve", valued="-c --config --import-map --lock --env-file -L --log-level --cert --location --seed"),
    "bun":                          _Launcher(verbs="run x", valued="--cwd -c --config --env-file -r --preload", code="-e --eval -p --print"),
    "npx bunx pnpx":                _Launcher(valued=_NPM, code="-c --call"),
    "npm pnpm yarn":                _Launcher(verbs="exec run run-script dlx x", valued=_NPM, code="-c --call"),
    "uvx pipx":                     _Launcher(verbs="run", valued=_UV),
    "uv":                           _Launcher(verbs="run tool", valued=_UV, named="-m --module -s --script", is_prefix=True),
    "poetry pdm hatch rye pipenv pixi conda mamba micromamba":
                                    _Launcher(verbs="run exec", valued="-n --name -p --prefix --cwd -C --directory -P --project -e --environment --env --manifest-path", is_prefix=True),
    "fastmcp mcp":                  _Launcher(verbs="run dev", valued="--with -t --transport --with-editable -e --python --project --with-requirements"),
    "docker podman nerdctl finch":  _Launcher(verbs="run exec container compose", flags="-i -t -d -q -P --interactive --tty --detach --rm --init --privileged --read-only --quiet --publish-all --no-healthcheck --no-deps --debug --service-ports -T --no-TTY --replace"),
    "java":                         _Launcher(valued="-cp -classpath --class-path -p --module-path --add-modules --add-opens --add-exports --enable-native-access", named="-jar -m --module"),
    "dotnet dnx":                   _Launcher(verbs="run exec tool", valued="-c --configuration -f --framework -r --runtime --version --source --add-source --launch-profile", named="--project"),
    "go":                           _Launcher(verbs="run", valued="-C -tags -ldflags -mod -modfile -exec"),
    "cargo":                        _Launcher(verbs="run", valued="--features -F --profile --target --manifest-path -j --target-dir", named="--bin --example -p --package"),
    "ruby perl php lua julia rscript":
                                    _Launcher(valued="-I -r -d -C", code="-e -E"),
    "powershell pwsh":              _Launcher(valued="-ExecutionPolicy -WorkingDirectory -ConfigurationName", named="-File", code="-Command -c -EncodedCommand"),
    "env nice nohup time timeout sudo doas xvfb-run stdbuf caffeinate exec dotenv op doppler mise wsl winpty":
                                    _Launcher(verbs="run exec", valued="-u --unset -C --chdir -n -g --group -s -o -i -e --env-file -p --project -c --config -d --distribution", is_prefix=True),
    "cmd":                          _Launcher(is_prefix=True),
    "sh bash zsh dash ksh fish":    _Launcher(valued="-o -O --rcfile --init-file"),
}
# fmt: on
_LAUNCHERS = {name: row for names, row in _ROWS.items() for name in names.split()}
_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "fish"})
_VERSION = re.compile(r"^(python|pythonw|pypy|ruby|perl|php|lua|node)[\d.]+t?$")
_ENDINGS = (".exe", ".cmd", ".bat", ".ps1", ".com")
_BEFORE_A_COMMAND = re.compile(r"[A-Za-z_]\w*=|\d+(\.\d+)?[smhd]?$")
"""A variable, or the time of `timeout`."""
_ONE_LETTER = len("-e")
_SCRIPT = re.compile(r"\.(py|pyz|[cm]?[jt]sx?|rb|php|pl|lua|jl|r|sh|jar|dll)$", re.IGNORECASE)
_ABSOLUTE = re.compile(r"[/~\\]|[A-Za-z]:[\\/]")


def name_program(command: str, arguments: Sequence[str]) -> str | None:
    """Return the script, package, module or image that a command starts, else the command; None for nameless code.

    A name that redaction would hide is not used.
    """
    name = _name_started(command, [*arguments], _DEEPEST)
    shown = put_on_one_line(name)[:_LONGEST].replace("`", "'") if name else ""
    return shown if shown and redact(shown) == shown else None


def find_secrets(arguments: Sequence[str], environment: Mapping[str, str]) -> Iterator[str]:
    """Yield the values in arguments and environment that are labelled as secrets."""
    for texts in ([*arguments], *([f"{name}={value}"] for name, value in environment.items())):
        for text, seen in zip(texts, items_of(redact_data(texts)), strict=False):
            yield from find_hidden_parts(text, text_of(seen))


def _name_started(command: str, arguments: list[str], depth: int) -> str | None:
    stem = _stem_of(command)
    launcher = _LAUNCHERS.get(stem)
    if launcher is None:
        return _short(command) or command
    if depth == 0:
        return None
    if stem in _SHELLS and (line := _line_in(arguments)) is not None:
        return _name_started_by_shell(line, depth - 1)
    rest = _behind_options(launcher, arguments)
    if not rest:
        return None
    if launcher.is_prefix:
        return _name_started(rest[0], rest[1:], depth - 1)
    return _short(rest[0])


def _stem_of(command: str) -> str:
    """Return a command without its folder, its ending and its version."""
    name = re.split(r"[/\\]", command.strip())[-1].lower()
    name = next((name.removesuffix(ending) for ending in _ENDINGS if name.endswith(ending)), name)
    return _VERSION.sub(r"\1", name)


def _behind_options(launcher: _Launcher, arguments: list[str]) -> list[str]:
    """Return the program and its arguments; an empty list if it is code, or not named."""
    valued, named, code = launcher.valued.split(), launcher.named.split(), launcher.code.split()
    flags, verbs = launcher.flags.split(), {*launcher.verbs.split()}
    left = iter(range(len(arguments)))
    for at in left:
        argument = arguments[at]
        option, equals, value = argument.partition("=")
        last = f"-{argument[-1:]}" if re.fullmatch(r"-[A-Za-z]{2,}", argument) else option  # `-um` is `-u -m`.
        if argument == "--":
            return arguments[at + 1 :]
        if option in code or last in code:
            return []
        if option in named or last in named:
            return [value, *arguments[at + 1 :]] if equals else arguments[at + 1 :]
        if argument[:2] in named and not argument.startswith("--"):  # `-morders`
            return [argument[2:], *arguments[at + 1 :]]
        if _is_option(argument):
            if not equals and (option in valued or (flags and _takes_the_next(argument, flags))):
                next(left, None)
        elif argument in verbs or (launcher.is_prefix and _BEFORE_A_COMMAND.match(argument)):
            verbs.discard(argument)
        elif not _is_value(arguments[at - 1] if at else "", argument):
            return arguments[at:]
    return []


def _is_option(argument: str) -> bool:
    return argument.startswith("-") or re.fullmatch(r"/[A-Za-z]", argument) is not None  # As `cmd` has them.


def _takes_the_next(option: str, flags: list[str]) -> bool:
    """Return whether an option that is no known flag takes the next argument; `-xfoo` holds its value, or more flags."""
    return option not in flags and (option.startswith("--") or len(option) == _ONE_LETTER)


def _is_value(option: str, argument: str) -> bool:
    """Return whether an argument is the secret value of an unknown option."""
    return option.startswith("-") and redact_data([option, argument]) != [option, argument]


def _line_in(arguments: list[str]) -> str | None:
    """Return the line that a shell is given to run; None if there is none."""
    for option, line in pairwise(arguments):
        if re.fullmatch(r"-[a-z]*c", option):
            return line
    return None


def _name_started_by_shell(line: str, depth: int) -> str | None:
    """Return the name of the program that the last command of a line starts; those before it only prepare."""
    try:
        words = shlex.split(line.replace(";", " ; "), comments=True)
    except ValueError:
        return None
    last = list(_last_command(words))
    return _name_started("env", last, depth) if last else None


def _last_command(words: list[str]) -> Iterator[str]:
    ends = [at for at, word in enumerate(words[:-1]) if word in {"&&", "||", ";"}]
    return iter(word for word in words[ends[-1] + 1 if ends else 0 :] if word not in {";", "&"})


def _short(name: str) -> str | None:
    """Return host and path of an address, or the end of an absolute path."""
    if "://" in name:
        return _without_credentials(name)
    is_script = _SCRIPT.search(name) is not None
    if _ABSOLUTE.match(name):
        name = "/".join([part for part in re.split(r"[/\\]", name) if part][-2 if is_script else -1 :])
    name = name.removeprefix("./").removeprefix(".\\")
    name = next((name[: -len(ending)] for ending in _ENDINGS if name.lower().endswith(ending)), name)
    return name if name.strip("./\\") else None


def _without_credentials(address: str) -> str | None:
    try:
        parts = urlsplit(address)
    except ValueError:
        return None
    return parts.netloc.rpartition("@")[2] + parts.path or None
