"""The settings of a project: `[tool.errata.lint]` in the nearest pyproject.toml that has it."""

import os
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict, cast

from errata.linter._settings import Settings
from errata.linter._trouble import SettingsError
from errata.model import did_you_mean

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


class _Given(TypedDict, total=False):
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    per_file_ignores: dict[str, tuple[str, ...]]
    severity: dict[str, str]
    exclude: tuple[str, ...]
    baseline: str


def project_settings(path: Path, config: Path | None = None) -> Settings:
    """Read the settings of the project that a path is in, or those of a file that is named."""
    if config is not None:
        table = _table_in(config)
        if table is None:
            raise SettingsError(f"`{config}` has no `{_TABLE}`", f"add a table `{_TABLE}`, or leave `--config` out")
        return _settings(table, config)
    nearest: Path | None = None
    for file in _pyprojects_above(path):
        table = _table_in(file)
        if table is not None:
            return _settings(table, file)
        nearest = nearest or file
    return Settings(root=nearest.parent if nearest else Path.cwd())


def _pyprojects_above(path: Path) -> Iterator[Path]:
    place = Path(os.path.abspath(path))  # noqa: PTH100 - `resolve` would leave the project through a link.
    for directory in (place, *place.parents):
        file = directory / "pyproject.toml"
        if file.is_file():
            yield file


def _table_in(file: Path) -> object | None:
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


def _settings(table: object, file: Path) -> Settings:
    if not isinstance(table, dict):
        raise SettingsError(f"`{file}`: `tool.errata.lint` is no table", f"write `{_TABLE}` with its keys below")
    values = cast("dict[str, object]", table)
    for key, value in values.items():
        _check(key, value, file)
    given = cast("_Given", {key.replace("-", "_"): _frozen(value) for key, value in values.items()})
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
        what = f"`{file}`: `{key}` is {_kind(value)}"
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


def _kind(value: object) -> str:
    kinds = {str: "a text", bool: "a truth value", list: "a list of other things", dict: "a table of other things"}
    return next((word for kind, word in kinds.items() if isinstance(value, kind)), f"`{value}`")


def _frozen(value: object) -> object:
    if isinstance(value, list):
        return tuple(cast("list[str]", value))
    if isinstance(value, dict):
        return {name: _frozen(each) for name, each in cast("dict[str, object]", value).items()}
    return value
