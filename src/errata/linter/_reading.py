"""From a file to its summary; what keeps a file from being read becomes a finding in it."""

import contextlib
import gc
from collections.abc import Generator
from pathlib import Path

from errata.linter._modules import Location, location_of
from errata.linter._source import TOO_DEEP, UnreadableError, decoded, read
from errata.linter._summarising import module_of, summary_of
from errata.linter._summary import Candidate, Summary
from errata.linter.rules import RULES


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


def summary_of_file(path: Path) -> Summary:
    """Summarise one file."""
    location = location_of(path)
    try:
        text = decoded(read(path))
    except UnreadableError as error:
        return _unreadable(str(path), location, error)
    return summary_of_source(text, str(path), location)


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
