"""Settings: which rules are judged where and how severely, given in Python or in `[tool.errata.lint]`."""

import dataclasses
import functools
import os
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypedDict, cast

from errata.linter.rules import RULES
from errata.linter.source import LintError, Severity, make_relative, matches_any
from errata.model import did_you_mean

ALL = "ALL"
OFF = "off"


class SettingsError(LintError):
    """A setting is wrong: an unknown rule, an unknown key, or a value of the wrong type."""


@dataclasses.dataclass(frozen=True)
class Settings:
    """Which rules are judged where. A name may be a rule's, a family's (`error-contract`, `error-contract-*`) or `ALL`.

    Patterns of paths, and the baseline, are relative to the root.
    """

    select: tuple[str, ...] = (ALL,)
    ignore: tuple[str, ...] = ()
    per_file_ignores: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict[str, tuple[str, ...]])
    """The rules that are not judged in files that match a pattern."""
    severity: Mapping[str, str] = dataclasses.field(default_factory=dict[str, str])
    """`error`, `warning` or `off`, by rule."""
    exclude: tuple[str, ...] = ()
    """Patterns of files and directories to skip unless they are named."""
    baseline: str = ".errata-baseline.json"
    root: Path = dataclasses.field(default_factory=Path.cwd)

    def __post_init__(self) -> None:
        """Check all names now, and not in the middle of a run."""
        _ = self._wanted, self._severities, self._per_file

    def wants(self, rule: str, path: str | Path) -> bool:
        """Return whether a rule is judged in a file."""
        return rule in self.judged(path)

    def judged(self, path: str | Path) -> frozenset[str]:
        """Return the rules that are judged in a file."""
        if not self._per_file:
            return self._wanted
        name = str(path)
        if name not in self._judged:
            relative = make_relative(path, self.root)
            ignored = [rules for pattern, rules in self._per_file.items() if matches_any(relative, [pattern])]
            self._judged[name] = self._wanted.difference(*ignored)
        return self._judged[name]

    def severity_of(self, rule: str) -> Severity:
        """Return the severity of a rule: as set, else the rule's own."""
        return self._severities.get(rule) or RULES[rule].severity

    def without(self, *rules: str) -> "Settings":
        """Return settings that ignore these rules as well."""
        return dataclasses.replace(self, ignore=(*self.ignore, *rules))

    @functools.cached_property
    def _judged(self) -> dict[str, frozenset[str]]:
        return {}

    @functools.cached_property
    def _wanted(self) -> frozenset[str]:
        off = {rule for rule, severity in _expand(self.severity).items() if severity == OFF}
        return find_rules(self.select, "select") - find_rules(self.ignore, "ignore") - off

    @functools.cached_property
    def _severities(self) -> dict[str, Severity]:
        return {rule: _read_severity(word) for rule, word in _expand(self.severity).items() if word != OFF}

    @functools.cached_property
    def _per_file(self) -> dict[str, frozenset[str]]:
        return {
            pattern: find_rules(names, f'per-file-ignores."{pattern}"')
            for pattern, names in self.per_file_ignores.items()
        }


def find_rules(names: Iterable[str], where: str) -> frozenset[str]:
    """Return the rules that names stand for; a name that stands for none is an error."""
    all_rules: set[str] = set()
    for name in names:
        rules = match_rules(name, RULES)
        if not rules:
            raise SettingsError(f"`{where}` names a rule `{name}`, and there is none", _advice(name))
        all_rules |= rules
    return frozenset(all_rules)


def match_rules(name: str, known: Collection[str]) -> set[str]:
    """Return the rules that a name stands for: itself, its family, or all."""
    if name in known:
        return {name}
    family = f"{name.removesuffix('*').rstrip('-')}-"
    return {rule for rule in known if name == ALL or (family != "-" and rule.startswith(family))}


def _expand(severity: Mapping[str, str]) -> dict[str, str]:
    """Return the severity word for each rule; a rule's own name outweighs its family's."""
    words: dict[str, str] = {}
    for name, word in sorted(severity.items(), key=lambda entry: (entry[0] in RULES, len(entry[0]))):
        words |= dict.fromkeys(sorted(find_rules([name], "severity")), word)
    return words


def _read_severity(word: str) -> Severity:
    try:
        return Severity(word)
    except ValueError:
        choices = f"choose `{Severity.ERROR}`, `{Severity.WARNING}` or `{OFF}`"
        raise SettingsError(f"`severity` has a value `{word}`", choices) from None


def _advice(name: str) -> str:
    question = did_you_mean(name.lower(), RULES)
    return f"d{question[1:]}" if question else "list all rules with `errata lint --rules`"


_TABLE = "[tool.errata.lint]"
_NAMES = 'a list of names, as in `["bare-except"]`'
_PATTERNS = 'a list of patterns, as in `["tests/**"]`'
_WORDS = 'a table, as in `{ bare-except = "error" }`'
_LISTS = 'a table of lists, as in `{ "tests/**" = ["bare-except"] }`'
_FILE = "the name of a file"
_WANTED = {
    "select": _NAMES,
    "ignore": _NAMES,
    "per-file-ignores": _LISTS,
    "severity": _WORDS,
    "exclude": _PATTERNS,
    "baseline": _FILE,
}


class _SettingsTable(TypedDict, total=False):
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    per_file_ignores: dict[str, tuple[str, ...]]
    severity: dict[str, str]
    exclude: tuple[str, ...]
    baseline: str


def read_project_settings(path: Path, config: Path | None = None) -> Settings:
    """Return the settings of the project a path is in, or those in a config file."""
    if config is not None:
        table = _read_table(config)
        if table is None:
            raise SettingsError(f"`{config}` has no `{_TABLE}`", f"add a table `{_TABLE}`, or leave `--config` out")
        return _make_settings(table, config)
    nearest: Path | None = None
    for file in _pyprojects_above(path):
        table = _read_table(file)
        if table is not None:
            return _make_settings(table, file)
        nearest = nearest or file
    return Settings(root=nearest.parent if nearest else Path.cwd())


def _pyprojects_above(path: Path) -> Iterator[Path]:
    location = Path(os.path.abspath(path))  # noqa: PTH100 - `resolve` would leave the project through a link.
    for directory in (location, *location.parents):
        file = directory / "pyproject.toml"
        if file.is_file():
            yield file


def _read_table(file: Path) -> object | None:
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except tomllib.TOMLDecodeError as error:
        reason = str(error)
        raise SettingsError(f"`{file}` is not TOML: {reason[:1].lower()}{reason[1:]}", "correct its syntax") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"`{file}` is not UTF-8 at byte {error.start}", "save it as UTF-8") from error
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise SettingsError(f"cannot read `{file}`: {reason}", "check the path and its permissions") from error
    except RecursionError as error:
        raise SettingsError(f"`{file}` is nested too deeply", "take apart the value that nests") from error
    match content:
        case {"tool": {"errata": {"lint": table}}}:
            return cast("object", table)
        case _:
            return None


def _make_settings(table: object, file: Path) -> Settings:
    if not isinstance(table, dict):
        raise SettingsError(f"`{file}`: `tool.errata.lint` is no table", f"write `{_TABLE}` with its keys below")
    values = cast("dict[str, object]", table)
    for key, value in values.items():
        _check(key, value, file)
    given = cast("_SettingsTable", {key.replace("-", "_"): _freeze(value) for key, value in values.items()})
    try:
        return Settings(**given, root=file.absolute().parent)
    except SettingsError as error:
        raise SettingsError(f"`{file}`: {error.what}", error.advice) from None


def _check(key: str, value: object, file: Path) -> None:
    if key not in _WANTED:
        question = did_you_mean(key, _WANTED)
        choices = f"choose from {', '.join(f'`{known}`' for known in _WANTED)}"
        raise SettingsError(f"`{file}`: `{_TABLE}` has no key `{key}`", f"d{question[1:]}" if question else choices)
    if not _fits(_WANTED[key], value):
        what = f"`{file}`: `{key}` is {_name_kind(value)}"
        raise SettingsError(what, f"write {_WANTED[key]}")


def _fits(wanted: str, value: object) -> bool:
    if wanted is _FILE:
        return isinstance(value, str) and bool(value.strip())
    if wanted in {_NAMES, _PATTERNS}:
        return _is_list_of_texts(value)
    inside = cast("dict[str, object]", value).values() if isinstance(value, dict) else [None]
    return all(_is_list_of_texts(each) if wanted is _LISTS else isinstance(each, str) for each in inside)


def _is_list_of_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in cast("list[object]", value))


def _name_kind(value: object) -> str:
    kinds = {str: "a text", bool: "a truth value", list: "a list of other things", dict: "a table of other things"}
    return next((word for kind, word in kinds.items() if isinstance(value, kind)), f"`{value}`")


def _freeze(value: object) -> object:
    if isinstance(value, list):
        return tuple(cast("list[str]", value))
    if isinstance(value, dict):
        return {name: _freeze(each) for name, each in cast("dict[str, object]", value).items()}
    return value
