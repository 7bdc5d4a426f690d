"""Reading lists in a folder, one SQLite file each. The database's own exceptions are left to mean what they mean."""

import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from settings import setting

from errata import Code, guard


@dataclass
class Saved:
    """What a list had in it before, and what it has now."""

    reading_list: str
    before: list[str]
    after: list[str]


def save(reading_list: str, pmid: str) -> Saved:
    """Put an article on a list. One that is there already is a conflict, and SQLite says so."""
    with opened(folder() / f"{reading_list}.db") as database:
        before = pmids_in(database)
        with database:
            database.execute("INSERT INTO items (pmid) VALUES (?)", (pmid,))
        return Saved(reading_list, before, pmids_in(database))


def folder() -> Path:
    """Find the folder that the lists are in."""
    return Path(setting("READING_LISTS"))


@contextmanager
def opened(path: Path) -> Generator[sqlite3.Connection]:
    """Open a list, and make it if it is new."""
    with guard("ReadingLists.open", context={"list": path.stem}, code=Code.INITIALIZATION_FAILED):
        database = sqlite3.connect(path)
        database.execute("CREATE TABLE IF NOT EXISTS items (pmid TEXT PRIMARY KEY)")
    with closing(database):
        yield database


def pmids_in(database: sqlite3.Connection) -> list[str]:
    """List what is in it."""
    return [pmid for (pmid,) in database.execute("SELECT pmid FROM items ORDER BY pmid")]
