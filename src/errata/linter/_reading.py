"""Summaries of files: from the cache, or made anew, by several processes if there are many."""

import contextlib
import gc
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from errata.linter._cache import Cache, digest
from errata.linter._kept import loaded
from errata.linter._modules import Location, location_of
from errata.linter._source import TOO_DEEP, UnreadableError, decoded, read
from errata.linter._summarising import module_of, summary_of
from errata.linter._summary import Candidate, Summary
from errata.linter._workers import Workers, jobs_for
from errata.linter.rules import RULES

Progress = Callable[[int, int], None]


class Read(NamedTuple):
    """A summary, and the digest of the content that it was made from."""

    digest: str
    summary: Summary


def summary_of_source(text: str, path: str, location: Location | None = None) -> Summary:
    """Summarise one source; what keeps it from being read is all that is found in it."""
    where = location or Location("", Path(path).stem)
    try:
        with _no_looking_for_cycles():
            return _summary(text, path, where)
    except UnreadableError as error:
        return _unreadable(path, where, error)
    except RecursionError:
        return _unreadable(path, where, UnreadableError(TOO_DEEP, "split the expression into smaller ones"))
    except Exception as error:  # noqa: BLE001 - a bug in a rule costs one file, not the run.
        return _unreadable(path, where, unjudged(error))


def unjudged(error: Exception) -> UnreadableError:
    """Say that it is the linter's fault."""
    what = f"could not be judged: a rule failed with `{type(error).__name__}`"
    return UnreadableError(what, "report it to errata, with the file; every other file is judged all the same")


def read_file(path: Path) -> Read:
    """Summarise one file."""
    location = location_of(path)
    try:
        content = read(path)
    except UnreadableError as error:
        return Read(digest(error.what), _unreadable(str(path), location, error))
    try:
        text = decoded(content)
    except UnreadableError as error:
        return Read(digest(content), _unreadable(str(path), location, error))
    return Read(digest(content), summary_of_source(text, str(path), location))


def digest_of(path: Path) -> str:
    """Digest what a file holds, or why it cannot be read."""
    try:
        return digest(read(path))
    except UnreadableError as error:
        return digest(error.what)


def summaries(
    files: Sequence[Path],
    *,
    jobs: int | None = None,
    cache: Cache | None = None,
    progress: Progress | None = None,
) -> list[Read]:
    """Summarise files; the order stays."""
    done: dict[str, Read] = {}
    with contextlib.closing(_each(files, jobs, cache)) as every:
        for path, each in every:
            done[path] = each
            if progress:
                progress(len(done), len(files))
    return [done[str(file)] for file in files]


def _each(files: Sequence[Path], jobs: int | None, cache: Cache | None) -> Generator[tuple[str, Read], None, None]:
    left = dict.fromkeys(map(str, files))
    for path, each in _from_cache(files, cache) if cache else ():
        del left[path]
        yield path, each
    for path, each in _made(list(left), jobs):
        if cache:
            cache.put(_entry(path), each.digest, each)
        yield path, each


def _from_cache(files: Iterable[Path], cache: Cache) -> Iterator[tuple[str, Read]]:
    for file in files:
        name = _entry(str(file))
        if each := _loaded(cache.get(name, digest_of(file))):
            cache.used(name)
            yield str(file), each


def _made(paths: Sequence[str], jobs: int | None) -> Iterator[tuple[str, Read]]:
    """Summarise files, in other processes as far as these live, and the rest in this one."""
    left = dict.fromkeys(paths)
    several = jobs_for(len(paths), jobs)
    if several > 1:
        with Workers(several) as workers:
            for path, answer in workers.answers(paths):
                if each := _loaded(answer):
                    del left[path]
                    yield path, each
    for path in left:
        yield path, read_file(Path(path))


def _loaded(kept: object) -> Read | None:
    try:
        each = loaded(Read, kept)
    except (TypeError, ValueError):
        return None
    return each if RULES.keys() >= set(_rules_named(each.summary)) else None


def _rules_named(summary: Summary) -> Iterator[str]:
    declared = (*(each.contract for each in summary.functions), *(each.contract for each in summary.classes))
    contracts = (each for each in (*summary.installed, *declared) if each)
    several = (*(each.candidates for each in summary.functions), *(each.candidates for each in contracts))
    return (candidate.rule for candidates in (summary.found, *several) for candidate in candidates)


def _entry(path: str) -> str:
    """Name the entry of a file: the same text may mean something else where it is imported from elsewhere."""
    return f"file-{digest(path, *map(str, location_of(Path(path))))}"


def _summary(text: str, path: str, where: Location) -> Summary:
    module = module_of(text, path, where)
    try:
        return summary_of(module, text, RULES.values())
    finally:
        module.forget()


def unreadable(error: UnreadableError) -> Candidate:
    """Make a finding of what keeps a file from being judged."""
    return Candidate("unreadable-file", error.place, f"this file {error.what}", error.advice)


def _unreadable(path: str, location: Location, error: UnreadableError) -> Summary:
    return Summary(path, location.id, location.dotted, location.root, found=(unreadable(error),))


@contextlib.contextmanager
def _no_looking_for_cycles() -> Generator[None, None, None]:
    """Keep Python from looking for cycles among a million nodes of syntax trees, where there is none."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
