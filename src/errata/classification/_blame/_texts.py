"""Evidence from what an exception says and carries: its words, its attributes, the name of its file."""

import ast
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath

from errata.classification._blame._complaints import list_marked, list_quoted, list_texts
from errata.classification._blame._signals import Evidence
from errata.classification._blame._tracing import Case
from errata.classification._foreign import AttributeNames, peek, read_argument, read_text
from errata.model import is_a, is_any

_HOLD_A_TEXT = ("doc", "pattern", "object", "string", "source", "statement", "expression", "instance", "value", "input")
_HOLD_A_KEY = ("key", "name", "option", "section", "missing")
_HOLD_A_NAME = ("param", "field", "argument", "parameter", "column_name", "parameter_name", "argument_name")
_ATTRIBUTES = AttributeNames((*_HOLD_A_TEXT, *_HOLD_A_KEY, *_HOLD_A_NAME))
_RANGE = re.compile(
    r"\b(?:invalid|positive|negative|zero|greater|least|range|empty|must|less|larger|smaller|between|minimum|nonnegative)\b"
    r"|[<>]=? ?\d",
    re.IGNORECASE,
)
_STATUS = re.compile(
    r"\b(?:https?|status(?: code)?|code|said|answered|returned|error|got|with)[ :=(]{1,3}[1-5]\d\d\b|\([45]\d\d\)"
)
"""A number that is a status, and no argument's value."""
_OF_ANOTHER_ROW = "foreign key"
_ENDINGS_OF_IDS = ("id", "key", "ref")
_NO_SUCH_ADDRESS = {404, 410}
_SHORTEST_STEM = 4
_MOST_SUBJECTS = 20


def evidence_in_text(case: Case, *, is_written: bool) -> Iterator[Evidence]:
    """Relate the words and attributes of an exception to the arguments."""
    values, text = case.values, case.text
    if paths := _merge(values.held_as(held) for held in _read_texts(case.error, _HOLD_A_TEXT)):
        yield Evidence("attribute", paths)
    key = key_of(case.error)
    if key and not _is_in_source(key, case) and (paths := values.equal_to(key) or values.containing(key)):
        yield Evidence("key", paths)
    subjects = [*dict.fromkeys([*list_quoted(text), *list_marked(text)])][:_MOST_SUBJECTS]
    if paths := _merge(map(values.equal_to, subjects)):
        yield Evidence("quoted", paths)
    if paths := _merge(map(values.around, subjects)):
        yield Evidence("part", paths)
    words = _STATUS.sub(" ", text.lower())
    is_pythons = (
        case.node is not None and case.is_own_failure and not is_written and not isinstance(case.node, ast.Call)
    )
    yield from _names(case, words) if not is_pythons else ()
    if paths := values.mentioned_in(words):
        yield Evidence("written" if is_written else "value", paths)
    if _RANGE.search(text) and (paths := values.odd()):
        yield Evidence("odd", paths)
    if case.status in _NO_SUCH_ADDRESS and (paths := values.in_address(_address_of(case.error))):
        yield Evidence("address", paths)
    yield from _files(case)


def evidence_in_fields(case: Case, fields: Iterable[str]) -> Iterator[Evidence]:
    """Relate the fields that an upstream complains about to the arguments."""
    named = [field.rpartition(".")[2] for field in fields]
    named += _read_texts(case.error, _HOLD_A_NAME)
    if not named:
        return
    arguments = {_plain(alias): paths for alias, paths in _aliases(case, None)}
    arguments |= {_plain(name): (name,) for name in _parameters(case)}
    if paths := _merge(arguments.get(_plain(name), ()) for name in named):
        yield Evidence("field", paths)


def key_of(error: BaseException) -> str | None:
    """Return the key, attribute or name that an exception misses."""
    if is_a(error, KeyError):
        key = read_argument(error)
        return str(key) if is_a(key, str) or (is_a(key, int) and not is_a(key, bool)) else None
    if is_any(error, AttributeError, NameError):
        return read_text(error, "name")
    return next(_read_texts(error, _HOLD_A_KEY), None)


def _read_texts(error: BaseException, names: Iterable[str]) -> Iterator[str]:
    """Yield the texts that an exception holds under some names."""
    there = _ATTRIBUTES.on(error)
    return (text for name in names if name in there and (text := read_text(error, name)))


def _is_in_source(key: str, case: Case) -> bool:
    """Return whether a key is written out where it failed: then it is the server's own, whatever was sent."""
    if case.node is None:
        return False
    attributes = (each.attr for each in ast.walk(case.node) if isinstance(each, ast.Attribute))
    return key in list_texts(case.node) or key in attributes


# Names.


def _parameters(case: Case) -> list[str]:
    return [*dict.fromkeys([*case.call.arguments, *case.call.properties()])]


def _names(case: Case, words: str) -> Iterator[Evidence]:
    named = [name for name in _parameters(case) if _has_name(words, name)]
    if _OF_ANOTHER_ROW in words:
        named += [name for name in case.call.arguments if name.lower().endswith(_ENDINGS_OF_IDS)]
    if named:
        yield Evidence("name", tuple(dict.fromkeys(named)))
        absent = [name for name in named if name not in case.call.arguments and _asks_for(words, name)]
        yield from [Evidence("absent", tuple(absent))] if absent else ()
    if paths := _merge(paths for _, paths in _aliases(case, words)):
        yield Evidence("alias", paths)


def _aliases(case: Case, words: str | None) -> Iterator[tuple[str, tuple[str, ...]]]:
    """List the names under which the server hands single arguments on, of those that stand in a text."""
    for site in case.trail.sites[-3:]:
        for name, value in site.handed_on:
            if len(name) > 1 and (words is None or _has_name(words, name)):
                made = case.flow.value(value).made_of
                if len(made) == 1:
                    yield name, tuple(made)


def _has_name(words: str, name: str) -> bool:
    """Return whether a text has a name as a word, also behind a table's, and in the singular or the plural."""
    name = name.lower()
    stem = name.removesuffix("s") if len(name) > _SHORTEST_STEM else name
    if len(name) < 2 or stem not in words:  # noqa: PLR2004 - a letter stands anywhere.
        return False
    ending = "(?:s|es|eters?|_id|_ids|_key|_no)?" if len(stem) >= _SHORTEST_STEM else ""
    return re.search(rf"(?<![\w/-]){re.escape(stem)}{ending}(?![\w/])", words) is not None


def _asks_for(words: str, name: str) -> bool:
    """Return whether a text asks for an argument: "a container name must be specified", "password required"."""
    name = re.escape(name.lower())
    asking = rf"\b{name}\b[^.;]{{0,40}}\b(?:required|needed|missing|must be)\b"
    wanting = rf"\b(?:missing|specify|provide|without|needs?|with) (?:an? |the )?{name}\b"
    return re.search(f"{asking}|{wanting}", words) is not None


# Files and addresses.


def _files(case: Case) -> Iterator[Evidence]:
    names = _files_of(case.error)
    if len(names) > 1 and is_a(case.error, FileNotFoundError):  # Of a source and its target, the one that is not there.
        names = [name for name in names if not Path(name).exists()] or names
    if not names:
        return
    paths = _merge(map(case.values.in_file_name, names))
    if _is_own_file(case, names[0], paths):
        yield Evidence("own")
    elif paths:
        yield Evidence("file", paths)


def _files_of(error: BaseException) -> list[str]:
    """List the names of the files that an OSError is about."""
    held = [peek(error, "filename"), peek(error, "filename2")] if is_a(error, OSError) else []
    return [os.fsdecode(name) for name in held if is_a(name, str) or is_a(name, bytes) or is_a(name, PurePath)]


def _is_own_file(case: Case, name: str, paths: tuple[str, ...]) -> bool:
    """Return whether a file is written out in the source, or lies in a folder of the server's own that is not there."""
    if any(name in list_texts(site.node) for site in case.trail.sites):
        return True
    if not paths:
        return case.node is None or not case.flow.value(case.node).arguments
    folder = PurePath(name).parent
    is_in_a_folder = any("/" in text or "\\" in text for text in map(case.values.text, paths))
    if not is_a(case.error, FileNotFoundError) or is_in_a_folder or str(folder) in {".", ""}:
        return False
    return not _is_folder(folder)


def _is_folder(folder: PurePath) -> bool:
    try:
        return Path(folder).is_dir()
    except (OSError, ValueError):
        return True


def _address_of(error: BaseException) -> str:
    """Return the path of the address that an exception's request asked for."""
    holders = (error, peek(error, "request"), peek(error, "response"), peek(error, "request_info"))
    addresses = (peek(holder, name) for holder in holders for name in ("url", "real_url"))
    address = next((str(each) for each in addresses if each), "")
    return re.sub(r"^[a-z][a-z0-9+.-]*://[^/?#]*", "", address[:2_000], flags=re.IGNORECASE).partition("?")[0]


def _merge(groups: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(path for paths in groups for path in paths))


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
