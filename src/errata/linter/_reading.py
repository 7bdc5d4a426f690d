"""Summaries of files: from the cache, or made anew, by several processes if there are many."""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from importlib import metadata
from multiprocessing import get_context
from pathlib import Path

from errata.linter._finding import Place
from errata.linter._modules import Location, location_of
from errata.linter._source import UnreadableError, decoded, read
from errata.linter._summarising import module_of, summary_of
from errata.linter._summary import Candidate, Summary, loaded
from errata.linter.rules import RULES


def summary_of_source(text: str, path: str, location: Location | None = None) -> Summary:
    """Summarise one source; what keeps it from being read is all that is found in it."""
    where = location or Location("", Path(path).stem)
    try:
        module = module_of(text, path, where)
        summary = summary_of(module, text, RULES.values())
        module.forget()
        return summary
    except UnreadableError as error:
        return _unreadable(path, where, error)
    except RecursionError:
        return _unreadable(
            path, where, UnreadableError("is nested too deeply", "split the expression into smaller ones")
        )


def summary_of_file(path: Path) -> Summary:
    """Summarise one file."""
    location = location_of(path)
    try:
        text = decoded(read(path))
    except UnreadableError as error:
        return _unreadable(str(path), location, error)
    return summary_of_source(text, str(path), location)


def summaries(
    files: Sequence[Path],
    *,
    jobs: int | None = None,
    cache: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[Summary]:
    """Summarise files."""
    for number, file in enumerate(files):
        if progress:
            progress(number, len(files))
        yield summary_of_file(file)


def _unreadable(path: str, location: Location, error: UnreadableError) -> Summary:
    found = Candidate("unreadable-file", error.place, f"this file {error.what}", error.advice)
    return Summary(path, location.id, location.dotted, location.root, found=(found,))
